package document

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	emojidefinition "github.com/yuin/goldmark-emoji/definition"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// inline is an inline of the dialect; value is its source without its marks.
type inline struct {
	ast.BaseInline
	kind  ast.NodeKind
	value string
	span  span
}

func (i *inline) Kind() ast.NodeKind { return i.kind }

// Dump is for debugging only.
func (i *inline) Dump(source []byte, level int) { ast.DumpHelper(i, source, level, nil, nil) }

// linkSpanParser remembers where the destination of each link stands.
type linkSpanParser struct{ parser.InlineParser }

func (p linkSpanParser) Parse(parent ast.Node, block text.Reader, context parser.Context) ast.Node {
	line, segment := block.PeekLine()
	closing := len(line) > 0 && line[0] == ']'
	node := p.InlineParser.Parse(parent, block, context)
	if node == nil || !closing {
		return node
	}
	if _, end := block.Position(); end.Start > segment.Start {
		context.Get(linkSpansKey).(map[ast.Node]span)[node] = span{segment.Start + 1, end.Start}
	}
	return node
}

// CloseBlock ends the brackets that were never closed.
func (p linkSpanParser) CloseBlock(parent ast.Node, block text.Reader, context parser.Context) {
	if closer, ok := p.InlineParser.(parser.CloseBlocker); ok {
		closer.CloseBlock(parent, block, context)
	}
}

type footnoteReferenceParser struct{}

func (footnoteReferenceParser) Trigger() []byte { return []byte{'['} }

func (footnoteReferenceParser) Parse(_ ast.Node, block text.Reader, context parser.Context) ast.Node {
	line, _ := block.PeekLine()
	label := footnoteLabel(line)
	if label == "" || context.Get(footnotesKey).(map[string]*footnoteDefinition)[label] == nil {
		return nil
	}
	block.Advance(len("[^]") + len(label))
	return &inline{kind: kindReference, value: label}
}

type inlineMathParser struct{}

func (inlineMathParser) Trigger() []byte { return []byte{'$'} }

func (inlineMathParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	return enclosed(kindInlineMath, line, "$$", "$$", block)
}

type expressionParser struct{}

func (expressionParser) Trigger() []byte { return []byte{'{'} }

func (expressionParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	return enclosed(kindExpression, line, "{{", "}}", block)
}

// enclosed reads what stands between two marks on one line.
func enclosed(kind ast.NodeKind, line []byte, begin, end string, block text.Reader) ast.Node {
	if !bytes.HasPrefix(line, []byte(begin)) {
		return nil
	}
	length := bytes.Index(line[len(begin):], []byte(end))
	if length < 0 {
		return nil
	}
	value := strings.TrimSpace(string(line[len(begin) : len(begin)+length]))
	if value == "" {
		return nil
	}
	block.Advance(len(begin) + length + len(end))
	return &inline{kind: kind, value: value}
}

type emojiParser struct{}

func (emojiParser) Trigger() []byte { return []byte{':'} }

func (emojiParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	written := emojiName(line)
	name := strings.ReplaceAll(written, `\`, "")
	if name == "" || emojiOf(name) == "" {
		return nil
	}
	block.Advance(len(written) + 2)
	return &inline{kind: kindEmoji, value: name}
}

// emojiName returns the name in the :name: that line begins with; underscores
// may be escaped in it.
func emojiName(line []byte) string {
	for index := 1; index < len(line) && index < 80; index++ {
		switch character := line[index]; {
		case character == ':':
			return string(line[1:index])
		case character == '\\' && index+1 < len(line) && line[index+1] == '_':
		case character != '_' && character != '+' && character != '-' && !isAlphanumeric(character):
			return ""
		}
	}
	return ""
}

func isAlphanumeric(character byte) bool {
	return character >= '0' && character <= '9' || character >= 'a' && character <= 'z' ||
		character >= 'A' && character <= 'Z'
}

// emojiOf returns the code points (1f4d8, joined by hyphens) of a short name;
// it is empty for names that are not known.
func emojiOf(name string) string {
	emoji, ok := emojidefinition.Github().Get(name)
	if !ok || !emoji.IsUnicode() {
		return ""
	}
	return emojiCodeOf(emoji.Unicode)
}

func emojiCodeOf(characters []rune) string {
	points := make([]string, 0, len(characters))
	for _, character := range characters {
		points = append(points, fmt.Sprintf("%x", character))
	}
	return strings.Join(points, "-")
}

// emojiCharacters returns the text of a code; it is empty for other texts.
func emojiCharacters(code string) string {
	var characters strings.Builder
	for point := range strings.SplitSeq(code, "-") {
		number, err := strconv.ParseUint(point, 16, 21)
		if err != nil || number < 0x20 {
			return ""
		}
		characters.WriteRune(rune(number))
	}
	return characters.String()
}

// elementParser reads the inline elements whose content is not Markdown.
type elementParser struct{}

func (elementParser) Trigger() []byte { return []byte{'<'} }

var elementOpening = regexp.MustCompile(
	`^<(?:code class="expression"|i class="fa-[^"<>]*"|span data-gb-custom-inline|picture)[^<>]*>`)

// elementPrefixes let most characters that open something else pass quickly.
var elementPrefixes = []string{`<code class="expression"`, `<i class="fa-`, "<span data-gb-custom-inline", "<picture"}

func (elementParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	known := slices.ContainsFunc(elementPrefixes, func(prefix string) bool {
		return bytes.HasPrefix(line, []byte(prefix))
	})
	if !known {
		return nil
	}
	match := elementOpening.Find(line)
	if match == nil {
		return nil
	}
	name, _, _ := bytes.Cut(match[1:], []byte(" "))
	closing := "</" + strings.Trim(string(name), ">") + ">"
	length := bytes.Index(line[len(match):], []byte(closing))
	if length < 0 {
		return nil
	}
	end := len(match) + length + len(closing)
	block.Advance(end)
	return &inline{
		kind: kindElement, value: string(line[:end]), span: span{segment.Start, segment.Start + end},
	}
}
