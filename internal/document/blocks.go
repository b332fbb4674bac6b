package document

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// Block is a top-level block of a body: the bytes from Start up to End, with
// the blank lines that follow it.
type Block struct {
	Start, End int
	Kind       string
}

// Blocks splits a body into its top-level blocks, for the three-way merge. The
// blocks are in order and without gaps: joined, they are the body again.
func Blocks(body []byte) []Block {
	if len(body) == 0 {
		return nil
	}
	parsed := read(body)
	var blocks []Block
	for node := parsed.root.FirstChild(); node != nil; node = node.NextSibling() {
		start := lineStart(body, blockPosition(node))
		if count := len(blocks); count > 0 && start <= blocks[count-1].Start {
			continue
		}
		blocks = append(blocks, Block{Start: start, Kind: blockKind(node)})
	}
	if len(blocks) == 0 {
		blocks = []Block{{Kind: "blank"}}
	}
	blocks[0].Start = 0
	for index := range blocks {
		blocks[index].End = len(body)
		if index+1 < len(blocks) {
			blocks[index].End = blocks[index+1].Start
		}
	}
	return blocks
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
