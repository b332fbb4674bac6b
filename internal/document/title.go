package document

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Title returns the text of the first heading of level 1 at the top of the
// body's tree; it is empty when there is none.
func Title(body []byte) string {
	parsed := read(body)
	heading := titleHeading(parsed.root)
	if heading == nil {
		return ""
	}
	converter := &converter{syntax: parsed}
	return strings.TrimSpace(plainInlines(converter.heading(heading).Nodes))
}

func titleHeading(root ast.Node) *ast.Heading {
	for node := root.FirstChild(); node != nil; node = node.NextSibling() {
		if heading, ok := node.(*ast.Heading); ok && heading.Level == 1 {
			return heading
		}
	}
	return nil
}

// WithoutTitle returns the body without the heading that states the title: the
// first block, when it is a heading of level 1 with that text. Any other body is
// returned as it is.
func WithoutTitle(body []byte, title string) []byte {
	beginning := firstLines(body)
	parsed := read(beginning)
	heading := firstHeading(parsed.root)
	if heading == nil {
		return body
	}
	text := plainInlines((&converter{syntax: parsed}).heading(heading).Nodes)
	if strings.Join(strings.Fields(text), " ") != strings.Join(strings.Fields(title), " ") {
		return body
	}
	start := lineStart(beginning, blockPosition(heading))
	return bytes.TrimLeft(body[headingEnd(beginning, start, heading):], "\r\n")
}

// BeginsWithTitle tells whether the first block of a body is a heading of level 1.
func BeginsWithTitle(body []byte) bool {
	return firstHeading(read(firstLines(body)).root) != nil
}

func firstHeading(root ast.Node) *ast.Heading {
	if heading, ok := root.FirstChild().(*ast.Heading); ok && heading.Level == 1 {
		return heading
	}
	return nil
}

// firstLines returns a body up to the first blank line after its first text: a
// heading never reaches further.
func firstLines(body []byte) []byte {
	seen := false
	for end := 0; end < len(body); {
		line, _ := nextLine(body[end:])
		blank := len(bytes.TrimSpace(line)) == 0
		if blank && seen {
			return body[:end]
		}
		seen = seen || !blank
		end += len(line)
	}
	return body
}

// ReplaceTitle gives a page another title: only the lines of its first heading
// of level 1 change. A page without one gets it before its text.
func ReplaceTitle(source []byte, title string) []byte {
	frontMatter, body := SplitFrontMatter(source)
	title = strings.Join(strings.Fields(title), " ")
	line := []byte("# " + newWriter(References{}).inlines(newParagraph(title).Nodes, lineContext{single: true}))
	heading := titleHeading(read(body).root)
	if heading == nil {
		separator := []byte("\n\n")
		if len(bytes.TrimSpace(body)) == 0 {
			separator = []byte("\n")
		}
		blank := body[:len(body)-len(bytes.TrimLeft(body, "\r\n"))]
		return bytes.Join([][]byte{frontMatter, blank, line, separator, body[len(blank):]}, nil)
	}
	start := lineStart(body, blockPosition(heading))
	end := headingEnd(body, start, heading)
	return bytes.Join([][]byte{frontMatter, body[:start], line, body[end:]}, nil)
}

// headingEnd returns where the heading's last line ends, before its line feed.
func headingEnd(body []byte, start int, heading *ast.Heading) int {
	end := lineEnd(body, start)
	underlined := heading.Lines().Len() > 0 && !bytes.HasPrefix(bytes.TrimLeft(body[start:end], " "), []byte("#"))
	if !underlined {
		return end
	}
	last := heading.Lines().At(heading.Lines().Len() - 1)
	end = lineEnd(body, last.Start)
	if end < len(body) {
		end = lineEnd(body, bytes.IndexByte(body[end:], '\n')+end+1)
	}
	return end
}

// lineEnd returns where the line of a position ends, before its line feed.
func lineEnd(source []byte, position int) int {
	if position >= len(source) {
		return len(source)
	}
	end := len(source)
	if newline := bytes.IndexByte(source[position:], '\n'); newline >= 0 {
		end = position + newline
	}
	if end > position && source[end-1] == '\r' {
		end--
	}
	return end
}
