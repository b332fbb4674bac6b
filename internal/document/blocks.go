package document

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// Block is a top-level block of a body: the bytes from Start up to End, with
// the blank lines that follow it.
type Block struct {
	Start, End int
	Kind       string
	// Key names the block within the body: it follows from the text of the
	// block, and is that of its nodes in the Document.
	Key string
}

// Blocks splits a body into its top-level blocks, for the three-way merge. The
// blocks are in order and without gaps: joined, they are the body again.
func Blocks(body []byte) []Block {
	if len(body) == 0 {
		return nil
	}
	blocks, _ := read(body).blocks()
	return blocks
}

// blocks returns the top-level blocks, and for each child of the root the block
// that it belongs to.
func (s *syntax) blocks() (blocks []Block, owners []int) {
	for node := s.root.FirstChild(); node != nil; node = node.NextSibling() {
		start := lineStart(s.source, blockPosition(node))
		if count := len(blocks); count == 0 || start > blocks[count-1].Start {
			blocks = append(blocks, Block{Start: start, Kind: blockKind(node)})
		}
		owners = append(owners, len(blocks)-1)
	}
	if len(blocks) == 0 {
		blocks = []Block{{Kind: "blank"}}
	}
	blocks[0].Start = 0
	keys := blockKeys{}
	for index := range blocks {
		blocks[index].End = len(s.source)
		if index+1 < len(blocks) {
			blocks[index].End = blocks[index+1].Start
		}
		blocks[index].Key = keys.next(s.source[blocks[index].Start:blocks[index].End])
	}
	return blocks, owners
}

// blockKeys counts the blocks of a body that have the same text.
type blockKeys map[string]int

// keyLength is the number of hexadecimal digits of a key.
const keyLength = 16

// next returns the key of a block: the hash of its text, and from the second
// block with that text on a hyphen and the number of it.
func (k blockKeys) next(text []byte) string {
	sum := sha256.Sum256(bytes.Trim(normalize(text), "\n"))
	key := hex.EncodeToString(sum[:])[:keyLength]
	k[key]++
	if count := k[key]; count > 1 {
		return key + "-" + strconv.Itoa(count)
	}
	return key
}

// partKey is the key of a node: of the nodes that a block makes, all but the
// first get a number.
func partKey(key string, part int) string {
	if part == 0 {
		return key
	}
	return key + "." + strconv.Itoa(part)
}

// BlockKey returns the key of the Block that a node of a Document came from.
func BlockKey(node string) string {
	key, _, _ := strings.Cut(node, ".")
	return key
}

// blockPosition returns where a block begins; -1 when that is not known.
func blockPosition(node ast.Node) int {
	if dialect, ok := node.(*block); ok {
		return dialect.position
	}
	if position := node.Pos(); position >= 0 {
		return position
	}
	if node.Type() == ast.TypeBlock && node.Lines().Len() > 0 {
		return node.Lines().At(0).Start
	}
	if child := node.FirstChild(); child != nil && child.Type() == ast.TypeBlock {
		return blockPosition(child)
	}
	return -1
}

func lineStart(source []byte, position int) int {
	if position <= 0 {
		return 0
	}
	return bytes.LastIndexByte(source[:min(position, len(source))], '\n') + 1
}

func blockKind(node ast.Node) string {
	switch node := node.(type) {
	case *ast.Heading:
		return "heading"
	case *ast.List:
		return "list"
	case *ast.Blockquote:
		return "blockquote"
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return "code"
	case *ast.ThematicBreak:
		return "divider"
	case *ast.HTMLBlock:
		return "html"
	case *extast.Table:
		return "table"
	case *footnoteDefinition:
		return "footnote"
	case *ast.LinkReferenceDefinition:
		return "reference"
	case *block:
		switch node.kind {
		case kindMath:
			return "math"
		case kindDetails:
			return "expandable"
		}
		return node.tag.name
	}
	return "paragraph"
}
