package document

import (
	"bytes"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	// maximumNesting is how deep blocks may stand in one another; what lies
	// deeper is read as text.
	maximumNesting = 48
	// maximumInlineMarks is how many characters that may begin an inline one
	// run of lines without a blank line may hold: a page with more is read
	// without inlines, since reading them costs the square of their number.
	maximumInlineMarks = 20_000
)

// The parsers are safe for concurrent use.
var (
	fullParser  = sync.OnceValue(func() parser.Parser { return newParser(true) })
	plainParser = sync.OnceValue(func() parser.Parser { return newParser(false) })
)

func newParser(inlines bool) parser.Parser {
	options := []parser.Option{
		parser.WithBlockParsers(
			util.Prioritized(tagParser{}, 90),
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(nestingGuard{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(mathParser{}, 750),
			util.Prioritized(nestingGuard{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(detailsParser{}, 850),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(footnoteParser{}, 950),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(definitionGuard{parser.LinkReferenceParagraphTransformer}, 100),
			util.Prioritized(extension.NewTableParagraphTransformer(), 200),
		),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	}
	inlineParsers := []util.PrioritizedValue{
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(parser.NewCodeSpanParser(), 100),
	}
	if inlines {
		inlineParsers = append(inlineParsers,
			util.Prioritized(footnoteReferenceParser{}, 150),
			util.Prioritized(linkSpanParser{parser.NewLinkParser()}, 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(elementParser{}, 350),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
			util.Prioritized(inlineMathParser{}, 600),
			util.Prioritized(expressionParser{}, 610),
			util.Prioritized(emojiParser{}, 620),
			util.Prioritized(extension.NewLinkifyParser(), 999),
		)
	} else {
		inlineParsers = inlineParsers[:1]
	}
	return parser.NewParser(append(options, parser.WithInlineParsers(inlineParsers...))...)
}

// The values that the parsers share while they read one source.
var (
	pairingKey   = parser.NewContextKey()
	linkSpansKey = parser.NewContextKey()
	footnotesKey = parser.NewContextKey()
)

type span struct{ start, end int }

// syntax is a source and what goldmark made of it.
type syntax struct {
	source []byte
	root   ast.Node
	// destinations holds, for links and images, the bytes after the closing
	// bracket of their text.
	destinations map[ast.Node]span
	footnotes    map[string]*footnoteDefinition
}

func read(source []byte) *syntax {
	context := parser.NewContext()
	result := &syntax{
		source: source, destinations: map[ast.Node]span{}, footnotes: map[string]*footnoteDefinition{},
	}
	context.Set(pairingKey, pair(source))
	context.Set(linkSpansKey, result.destinations)
	context.Set(footnotesKey, result.footnotes)
	reader := fullParser()
	if tooManyInlines(source) {
		reader = plainParser()
	}
	result.root = reader.Parse(text.NewReader(source), parser.WithContext(context))
	return result
}

func tooManyInlines(source []byte) bool {
	if len(source) <= maximumInlineMarks {
		return false
	}
	marks := 0
	for len(source) > 0 {
		line := source
		if newline := bytes.IndexByte(source, '\n'); newline >= 0 {
			line = source[:newline+1]
		}
		source = source[len(line):]
		if util.IsBlank(line) {
			marks = 0
			continue
		}
		for _, character := range line {
			switch character {
			case '[', ']', '*', '_', '~', '`', '<', '!', '$', ':', '{', '&':
				marks++
			}
		}
		if marks > maximumInlineMarks {
			return true
		}
	}
	return false
}

// nestingGuard keeps blocks from nesting without bound.
type nestingGuard struct{ parser.BlockParser }

func (g nestingGuard) Open(parent ast.Node, reader text.Reader, context parser.Context) (ast.Node, parser.State) {
	if len(context.OpenedBlocks()) >= maximumNesting {
		return nil, parser.NoChildren
	}
	return g.BlockParser.Open(parent, reader, context)
}

// maximumDefinitions is how many lines a paragraph may have that is searched
// for link definitions: the search costs the square of their number.
const maximumDefinitions = 2_000

type definitionGuard struct{ parser.ParagraphTransformer }

func (g definitionGuard) Transform(node *ast.Paragraph, reader text.Reader, context parser.Context) {
	if node.Lines().Len() <= maximumDefinitions {
		g.ParagraphTransformer.Transform(node, reader, context)
	}
}

// The kinds of nodes that the dialect adds.
var (
	kindTag        = ast.NewNodeKind("Tag")
	kindMath       = ast.NewNodeKind("Math")
	kindDetails    = ast.NewNodeKind("Details")
	kindFootnote   = ast.NewNodeKind("FootnoteDefinition")
	kindInlineMath = ast.NewNodeKind("InlineMath")
	kindExpression = ast.NewNodeKind("Expression")
	kindEmoji      = ast.NewNodeKind("Emoji")
	kindElement    = ast.NewNodeKind("Element")
	kindReference  = ast.NewNodeKind("FootnoteReference")
)

// block is a node of the dialect. A leaf holds lines, a container blocks.
type block struct {
	ast.BaseBlock
	kind ast.NodeKind
	// opening is the line that began the block, without what precedes it, and
	// position where it stands in the source.
	opening  []byte
	position int
	// end is the position of the line that closes the block, -1 without one.
	end  int
	tag  *tag
	leaf bool
}

func (b *block) Kind() ast.NodeKind { return b.kind }

func (b *block) IsRaw() bool { return b.leaf }

// Dump is for debugging only.
func (b *block) Dump(source []byte, level int) { ast.DumpHelper(b, source, level, nil, nil) }

// closed says whether the block closes with a line of its own.
func (b *block) closed() bool { return b.end >= 0 }

// linesOf returns the lines of a block.
func linesOf(node ast.Node, source []byte) string {
	var joined bytes.Buffer
	lines := node.Lines()
	for index := range lines.Len() {
		segment := lines.At(index)
		joined.Write(segment.Value(source))
	}
	return joined.String()
}

// openBlock begins a block at the first character of the line.
func openBlock(kind ast.NodeKind, reader text.Reader, context parser.Context) *block {
	line, segment := reader.PeekLine()
	offset := context.BlockOffset()
	if offset < 0 {
		return nil
	}
	position := segment.Start + offset - segment.Padding
	end, found := context.Get(pairingKey).(pairing).ends[position]
	if !found {
		end = -1
	}
	return &block{kind: kind, opening: line[offset:], position: position, end: end}
}

// continueBlock reads one more line of a block that has a closing line.
func continueBlock(node ast.Node, reader text.Reader) parser.State {
	current := node.(*block)
	if !current.closed() {
		return parser.Close
	}
	line, segment := reader.PeekLine()
	offset := util.FirstNonSpacePosition(line)
	position := segment.Start + offset - segment.Padding
	if offset >= 0 && position == current.end {
		reader.AdvanceToEOL()
		return parser.Close
	}
	if segment.Start > current.end {
		// The closing line went to a block around this one.
		return parser.Close
	}
	if !current.leaf {
		return parser.Continue | parser.HasChildren
	}
	current.Lines().Append(segment)
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

type tagParser struct{}

func (tagParser) Trigger() []byte { return []byte{'{'} }

func (tagParser) Open(_ ast.Node, reader text.Reader, context parser.Context) (ast.Node, parser.State) {
	current := openBlock(kindTag, reader, context)
	if current == nil {
		return nil, parser.NoChildren
	}
	var ok bool
	if current.tag, ok = scanTag(current.opening); !ok {
		return nil, parser.NoChildren
	}
	if context.Get(pairingKey).(pairing).closings[current.position] {
		// Closes a block that another one closed before.
		current.end = -1
	}
	reader.AdvanceToEOL()
	container := tagBodies[current.tag.name] == bodyBlocks && current.closed() &&
		len(context.OpenedBlocks()) < maximumNesting
	current.leaf = !container
	if container {
		return current, parser.HasChildren
	}
	if tagBodies[current.tag.name] == bodyBlocks {
		current.end = -1
	}
	return current, parser.NoChildren
}

func (tagParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	return continueBlock(node, reader)
}

func (tagParser) Close(ast.Node, text.Reader, parser.Context) {}

func (tagParser) CanInterruptParagraph() bool { return true }

func (tagParser) CanAcceptIndentedLine() bool { return false }

type mathParser struct{}

func (mathParser) Trigger() []byte { return []byte{'$'} }

func (mathParser) Open(_ ast.Node, reader text.Reader, context parser.Context) (ast.Node, parser.State) {
	current := openBlock(kindMath, reader, context)
	if current == nil || !current.closed() || string(bytes.TrimSpace(current.opening)) != "$$" {
		return nil, parser.NoChildren
	}
	current.leaf = true
	reader.AdvanceToEOL()
	return current, parser.NoChildren
}

func (mathParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	return continueBlock(node, reader)
}

func (mathParser) Close(ast.Node, text.Reader, parser.Context) {}

func (mathParser) CanInterruptParagraph() bool { return true }

func (mathParser) CanAcceptIndentedLine() bool { return false }

// detailsParser reads <details> as a container of Markdown, whatever blank
// lines stand in it.
type detailsParser struct{}

func (detailsParser) Trigger() []byte { return []byte{'<'} }

func (detailsParser) Open(_ ast.Node, reader text.Reader, context parser.Context) (ast.Node, parser.State) {
	current := openBlock(kindDetails, reader, context)
	if current == nil || !current.closed() || !detailsOpening.Match(current.opening) ||
		len(context.OpenedBlocks()) >= maximumNesting {
		return nil, parser.NoChildren
	}
	reader.AdvanceToEOL()
	return current, parser.HasChildren
}

func (detailsParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	return continueBlock(node, reader)
}

func (detailsParser) Close(ast.Node, text.Reader, parser.Context) {}

func (detailsParser) CanInterruptParagraph() bool { return true }

func (detailsParser) CanAcceptIndentedLine() bool { return false }

// footnoteDefinition is [^label]: with the blocks indented under it.
type footnoteDefinition struct {
	ast.BaseBlock
	label string
	// uses counts the references that were resolved.
	uses int
	// busy says that the definition is being read: it may not hold itself.
	busy bool
}

func (*footnoteDefinition) Kind() ast.NodeKind { return kindFootnote }

// Dump is for debugging only.
func (f *footnoteDefinition) Dump(source []byte, level int) {
	ast.DumpHelper(f, source, level, nil, nil)
}

type footnoteParser struct{}

func (footnoteParser) Trigger() []byte { return []byte{'['} }

func (footnoteParser) Open(_ ast.Node, reader text.Reader, context parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	offset := context.BlockOffset()
	if offset < 0 || len(context.OpenedBlocks()) >= maximumNesting {
		return nil, parser.NoChildren
	}
	label := footnoteLabel(line[offset:])
	next := offset + len("[^]:") + len(label)
	if label == "" || next > len(line) || line[next-1] != ':' {
		return nil, parser.NoChildren
	}
	known := context.Get(footnotesKey).(map[string]*footnoteDefinition)
	if known[label] != nil {
		return nil, parser.NoChildren
	}
	definition := &footnoteDefinition{label: label}
	known[label] = definition
	if util.IsBlank(line[next:]) {
		reader.AdvanceToEOL()
		return definition, parser.HasChildren
	}
	for next < len(line) && line[next] == ' ' {
		next++
	}
	reader.AdvanceAndSetPadding(next-segment.Padding, 0)
	return definition, parser.HasChildren
}

// footnoteLabel returns the label of the [^label] that line begins with.
func footnoteLabel(line []byte) string {
	if !bytes.HasPrefix(line, []byte("[^")) {
		return ""
	}
	for index := 2; index < len(line) && index < 200; index++ {
		switch line[index] {
		case ']':
			return string(line[2:index])
		case ' ', '\t', '\n', '\r', '[', '\\', '^':
			return ""
		}
	}
	return ""
}

func (footnoteParser) Continue(_ ast.Node, reader text.Reader, _ parser.Context) parser.State {
	line, _ := reader.PeekLine()
	if util.IsBlank(line) {
		return parser.Continue | parser.HasChildren
	}
	position, padding := util.IndentPosition(line, reader.LineOffset(), 4)
	if position < 0 {
		return parser.Close
	}
	reader.AdvanceAndSetPadding(position, padding)
	return parser.Continue | parser.HasChildren
}

func (footnoteParser) Close(ast.Node, text.Reader, parser.Context) {}

func (footnoteParser) CanInterruptParagraph() bool { return true }

func (footnoteParser) CanAcceptIndentedLine() bool { return false }
