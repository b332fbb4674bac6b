package repository

import (
	"bufio"
	"bytes"
	"html"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	markdownhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// entryKind tells how an entry stands in a table of contents.
type entryKind int

const (
	entryText     entryKind = iota // a list item without a link
	entryLink                      // a list item with a link
	entryHeading                   // a heading that opens a group
	entryComputed                  // a list item that holds a block of YAML
)

// span is a range of bytes within a line.
type span struct{ start, end int }

// entry is one entry of a table of contents.
type entry struct {
	kind   entryKind
	line   int // index of its first line
	lines  int // number of its lines
	parent int // index of the entry that it stands below, or -1
	depth  int // 0 for entries below nothing
	// columns is the indentation of the list item.
	columns int
	// title is plain text; raw is where its source stands in the first line.
	title string
	raw   span
	// destination is that of the link, without escapes and entities;
	// rawDestination is where its source stands, angle brackets excluded.
	destination    string
	rawDestination span
	angled         bool
	// anchor is the id that a heading states for itself.
	anchor string
	// block is the source of the YAML of a computed page; closed tells whether
	// it ends before the file does.
	block  string
	closed bool
}

// summary is a table of contents as it stands in its file.
type summary struct {
	mark    string   // the byte order mark, if there is one
	lines   []string // each with its line ending
	entries []entry
	// breaks are the lines that end a group without opening another.
	breaks map[int]bool
	// unclosed is the line from which a comment or a block of code runs to the
	// end of the file; the number of lines if none does.
	unclosed int
}

var (
	headingLine = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$`)
	itemLine    = regexp.MustCompile(`^([ \t]*)([*+-]|[0-9]{1,9}[.)])([ \t]+)(.*?)[ \t]*$`)
	breakLine   = regexp.MustCompile(`^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$`)
	headingID   = regexp.MustCompile(`<a\b[^>]*\bid="([^"]*)"`)
	// angledDestination is a destination in angle brackets, perhaps a title, and
	// the end of the link.
	angledDestination = regexp.MustCompile(`^<([^<>]*)>(?:[ \t]+(?:"[^"]*"|'[^']*'))?[ \t]*\)`)
	emphasisOnly      = regexp.MustCompile(`^[*_~ \t]*$`)
)

// parseSummary reads a table of contents. It understands lists by indentation,
// headings, and blocks of YAML in list items; everything else is left alone.
func parseSummary(source []byte) *summary {
	rest, marked := strings.CutPrefix(string(source), byteOrderMark)
	parser := &summaryParser{
		summary: &summary{lines: splitLines(rest), breaks: map[int]bool{}},
		group:   -1,
	}
	if marked {
		parser.summary.mark = byteOrderMark
	}
	parser.summary.unclosed = len(parser.summary.lines)
	for parser.position < len(parser.summary.lines) {
		parser.next()
	}
	return parser.summary
}

// splitLines cuts the text after each line feed. Nothing is lost.
func splitLines(source string) []string {
	if source == "" {
		return nil
	}
	lines := strings.SplitAfter(source, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// trimEnding returns the line without its line ending.
func trimEnding(line string) string {
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
}

type summaryParser struct {
	summary  *summary
	position int
	group    int // the heading that list items stand below, or -1
	open     []int
}

// next reads what starts at the current line.
func (p *summaryParser) next() {
	content := trimEnding(p.summary.lines[p.position])
	trimmed := strings.TrimLeft(content, " \t")
	switch {
	case strings.HasPrefix(trimmed, "<!--"):
		p.pass(p.after(p.position, trimmed[len("<!--"):], "-->"))
	case fence(trimmed) != "":
		p.pass(p.afterFence(p.position+1, fence(trimmed)))
	case breakLine.MatchString(content):
		p.endGroup()
		p.position++
	case headingLine.MatchString(content):
		p.heading(content)
	case itemLine.MatchString(content):
		p.item(content)
	default:
		p.position++
	}
}

// pass leaves out a comment or a block of code.
func (p *summaryParser) pass(end int, closed bool) {
	if !closed {
		p.summary.unclosed = p.position
	}
	p.position = end
}

// after returns the line after the one in which the terminator stands.
func (p *summaryParser) after(line int, rest, terminator string) (end int, closed bool) {
	for !strings.Contains(rest, terminator) {
		line++
		if line >= len(p.summary.lines) {
			return line, false
		}
		rest = p.summary.lines[line]
	}
	return line + 1, true
}

// fence returns the fence of code that the text starts with, or "".
func fence(content string) string {
	for _, mark := range []string{"`", "~"} {
		length := len(content) - len(strings.TrimLeft(content, mark))
		if length >= 3 && !strings.Contains(content[length:], mark) {
			return strings.Repeat(mark, length)
		}
	}
	return ""
}

// afterFence returns the line after the one that closes a block of code.
func (p *summaryParser) afterFence(line int, opening string) (end int, closed bool) {
	for ; line < len(p.summary.lines); line++ {
		content := strings.TrimSpace(p.summary.lines[line])
		if strings.HasPrefix(content, opening) && strings.Trim(content, opening[:1]) == "" {
			return line + 1, true
		}
	}
	return line, false
}

func (p *summaryParser) endGroup() {
	p.summary.breaks[p.position] = true
	p.openGroup(-1)
}

func (p *summaryParser) openGroup(group int) {
	p.group = group
	p.open = p.open[:0]
}

// heading reads a heading. The first one of level 1 is the title of the whole
// table of contents; one without text ends the group before it.
func (p *summaryParser) heading(content string) {
	match := headingLine.FindStringSubmatchIndex(content)
	level := match[3] - match[2]
	switch {
	case level == 1 && len(p.summary.entries) == 0:
	case match[4] < 0 || plainText(content[match[4]:match[5]]) == "":
		p.endGroup()
	default:
		p.openHeading(content, span{match[4], match[5]})
	}
	p.position++
}

// openHeading adds the entry of a heading whose source is raw.
func (p *summaryParser) openHeading(content string, raw span) {
	source := content[raw.start:raw.end]
	if tag := strings.Index(source, "<a "); tag > 0 {
		raw.end = raw.start + len(strings.TrimRight(source[:tag], " \t"))
	}
	heading := entry{
		kind: entryHeading, line: p.position, lines: 1, parent: -1,
		title: plainText(source), raw: raw,
	}
	if id := headingID.FindStringSubmatch(source); id != nil {
		heading.anchor = html.UnescapeString(id[1])
	}
	p.summary.entries = append(p.summary.entries, heading)
	p.openGroup(len(p.summary.entries) - 1)
}

// item reads a list item.
func (p *summaryParser) item(content string) {
	match := itemLine.FindStringSubmatchIndex(content)
	source := content[match[8]:match[9]]
	found := entry{
		line: p.position, lines: 1,
		columns: columns(content[match[2]:match[3]]),
		raw:     span{match[8], match[9]},
	}
	p.position++
	switch mark := fence(source); {
	case mark != "":
		p.position, found.closed = p.afterFence(p.position, mark)
		found.kind = entryComputed
		found.lines = p.position - found.line
		found.block = blockText(p.summary.lines[found.line+1 : p.position])
	default:
		found.describe(source)
		if found.title == "" {
			return
		}
	}
	p.place(found)
}

// blockText returns the lines of a block of code without the indentation that
// they share and without the line that closes it.
func blockText(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	closing := lines[len(lines)-1]
	indentation := closing[:len(closing)-len(strings.TrimLeft(closing, " \t"))]
	var block strings.Builder
	for _, line := range lines[:len(lines)-1] {
		block.WriteString(strings.TrimPrefix(line, indentation))
	}
	return block.String()
}

// describe sets title and link from the source of a list item.
func (e *entry) describe(source string) {
	link, found := findLink(source)
	if !found {
		e.kind = entryText
		e.title = plainText(source)
		return
	}
	start := e.raw.start
	e.kind = entryLink
	e.raw = span{start + link.title.start, start + link.title.end}
	e.rawDestination = span{start + link.destination.start, start + link.destination.end}
	e.angled = link.angled
	e.destination = unescapeMarkdown(source[link.destination.start:link.destination.end])
	e.title = plainText(source[link.title.start:link.title.end])
	if e.title == "" {
		e.title = cleanTitle(e.destination)
	}
}

// place finds the parent of a list item. One column more does not make a child,
// as in CommonMark.
func (p *summaryParser) place(found entry) {
	for len(p.open) > 0 && found.columns < p.summary.entries[p.open[len(p.open)-1]].columns+2 {
		p.open = p.open[:len(p.open)-1]
	}
	found.parent = p.group
	if len(p.open) > 0 {
		found.parent = p.open[len(p.open)-1]
	}
	if found.parent >= 0 {
		found.depth = p.summary.entries[found.parent].depth + 1
	}
	p.summary.entries = append(p.summary.entries, found)
	p.open = append(p.open, len(p.summary.entries)-1)
}

// columns measures indentation; a tab leads to the next multiple of four.
func columns(indentation string) int {
	width := 0
	for _, character := range indentation {
		if character == '\t' {
			width += 4 - width%4
			continue
		}
		width++
	}
	return width
}

// inlineLink says where the parts of a link stand.
type inlineLink struct {
	title, destination span
	angled             bool
}

// findLink finds the link that a list item consists of. It is more forgiving
// than CommonMark: destinations may hold spaces.
func findLink(source string) (inlineLink, bool) {
	start := strings.IndexByte(source, '[')
	if start < 0 || !emphasisOnly.MatchString(source[:start]) {
		return inlineLink{}, false
	}
	end := closingBracket(source, start)
	if end < 0 || end+1 >= len(source) || source[end+1] != '(' {
		return inlineLink{}, false
	}
	destination, angled, found := findDestination(source, end+2)
	if !found {
		return inlineLink{}, false
	}
	return inlineLink{title: span{start + 1, end}, destination: destination, angled: angled}, true
}

// closingBracket returns where the bracket that opens at start is closed, or
// -1. Escapes and code hide brackets.
func closingBracket(source string, start int) int {
	depth := 0
	for index := start; index < len(source); index++ {
		switch source[index] {
		case '\\':
			index++
		case '`':
			index = afterCode(source, index) - 1
		case '[':
			depth++
		case ']':
			depth--
			if depth == 0 {
				return index
			}
		}
	}
	return -1
}

// afterCode returns where the code span that opens at start ends; where the
// backticks end if it is never closed.
func afterCode(source string, start int) int {
	length := 0
	for start+length < len(source) && source[start+length] == '`' {
		length++
	}
	mark := source[start : start+length]
	for rest := start + length; ; {
		next := strings.Index(source[rest:], mark)
		if next < 0 {
			return start + length
		}
		end := rest + next + length
		if end == len(source) || source[end] != '`' {
			return end
		}
		for end < len(source) && source[end] == '`' {
			end++
		}
		rest = end
	}
}

// findDestination finds the destination of a link whose parenthesis opened
// before start, without the quoted title after it.
func findDestination(source string, start int) (found span, angled, ok bool) {
	for start < len(source) && (source[start] == ' ' || source[start] == '\t') {
		start++
	}
	if match := angledDestination.FindStringSubmatchIndex(source[start:]); match != nil {
		return span{start + match[2], start + match[3]}, true, true
	}
	end := closingParenthesis(source, start)
	if end < 0 {
		return span{}, false, false
	}
	return span{start, start + len(withoutTitle(source[start:end]))}, false, true
}

func closingParenthesis(source string, start int) int {
	depth := 0
	quoted := false
	for index := start; index < len(source); index++ {
		switch character := source[index]; {
		case character == '\\':
			index++
		case character == '"' && (quoted || index > start && source[index-1] == ' '):
			quoted = !quoted
		case quoted:
		case character == '(':
			depth++
		case character == ')' && depth == 0:
			return index
		case character == ')':
			depth--
		}
	}
	return -1
}

// withoutTitle cuts a quoted title and the space before it.
func withoutTitle(source string) string {
	source = strings.TrimRight(source, " \t")
	for _, quote := range []string{`"`, `'`} {
		if len(source) < 2 || !strings.HasSuffix(source, quote) {
			continue
		}
		opening := strings.LastIndexAny(source[:len(source)-1], quote)
		if opening > 0 && (source[opening-1] == ' ' || source[opening-1] == '\t') {
			return strings.TrimRight(source[:opening], " \t")
		}
		if opening == 0 {
			return ""
		}
	}
	return source
}

// unescapeMarkdown resolves backslash escapes and entities.
func unescapeMarkdown(source string) string {
	if !strings.ContainsAny(source, `\&`) {
		return source
	}
	// goldmark's writer resolves both exactly as it does in a document, and
	// escapes the result for HTML, which html.UnescapeString undoes.
	var buffer bytes.Buffer
	writer := bufio.NewWriter(&buffer)
	markdownhtml.DefaultWriter.Write(writer, []byte(source))
	if err := writer.Flush(); err != nil {
		return source
	}
	return html.UnescapeString(buffer.String())
}

var inlineParser = goldmark.DefaultParser()

// plainText returns the text of one line of inline Markdown, without marks,
// escapes and HTML tags, and with single spaces.
func plainText(source string) string {
	if !strings.ContainsAny(source, "\\*_`<&[!") {
		return cleanTitle(source)
	}
	// The letter keeps the line a paragraph, whatever it starts with.
	const prefix = "a"
	markdown := []byte(prefix + " " + source)
	var plain strings.Builder
	root := inlineParser.Parse(text.NewReader(markdown))
	// The walker returns no error of its own.
	_ = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Text:
			value := string(node.Segment.Value(markdown))
			if node.Parent().Kind() != ast.KindCodeSpan {
				value = unescapeMarkdown(value)
			}
			plain.WriteString(value)
		case *ast.AutoLink:
			plain.Write(node.Label(markdown))
		}
		return ast.WalkContinue, nil
	})
	return cleanTitle(strings.TrimPrefix(plain.String(), prefix))
}

// cleanTitle puts text on one line, with single spaces and without control
// characters.
func cleanTitle(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\ufffd")), " ")
	return strings.Map(func(character rune) rune {
		if isControl(character) {
			return '\ufffd'
		}
		return character
	}, text)
}
