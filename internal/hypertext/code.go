package hypertext

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"octavo/internal/document"
)

// maximumHighlighted bounds the code that is coloured, in bytes: colouring
// takes time, and nobody reads more of it.
const maximumHighlighted = 200 << 10

func (w *writer) code(node *document.Node) {
	if flag(node, "raw") {
		w.rawBlock(codeText(node))
		return
	}
	class := classes("code", classIf(text(node, "overflow") == "wrap", "code-wrap"), classIf(flag(node, "fullWidth"), "full-width"),
		classIf(flag(node, "lineNumbers"), "code-numbered"))
	w.open("figure", "class", class)
	if title := text(node, "title"); title != "" {
		w.element("figcaption", "code-title", func() { w.text(title) })
	}
	body := func() { w.codeBody(node) }
	if flag(node, "expandable") {
		shown, ok := whole(node.Data["collapsedLineCount"])
		if !ok {
			shown = 10
		}
		if len(node.Nodes) > shown {
			body = func() { w.collapsedCode(node, shown) }
		}
	}
	body()
	w.close("figure")
}

// collapsedCode shows the rest of the code on request, without a script.
func (w *writer) collapsedCode(node *document.Node, shown int) {
	first, rest := *node, *node
	first.Nodes, rest.Nodes = node.Nodes[:shown], node.Nodes[shown:]
	w.codeBody(&first)
	w.raw(`<details class="code-rest"><summary>`)
	w.text("Show " + strconv.Itoa(len(rest.Nodes)) + " more lines")
	w.raw("</summary>")
	w.codeBody(&rest)
	w.raw("</details>")
}

func (w *writer) codeBody(node *document.Node) {
	syntax := text(node, "syntax")
	w.open("pre", "tabindex", "0", "data-syntax", syntax)
	w.open("code")
	lines := w.codeLines(node, syntax)
	for index, line := range lines {
		class := classes("line", classIf(flag(node.Nodes[index], "highlighted"), "line-highlighted"))
		w.raw(`<span class="`, class, `">`, line, "\n</span>")
	}
	w.close("code")
	w.close("pre")
}

// codeLines are the lines as HTML: coloured, but for those that hold more than
// text.
func (w *writer) codeLines(node *document.Node, syntax string) []string {
	coloured := highlight(codeText(node), syntax, len(node.Nodes))
	lines := make([]string, len(node.Nodes))
	for index, line := range node.Nodes {
		if coloured == nil || !isPlainLine(line) {
			lines[index] = w.capture(func() { w.inlines(line.Nodes) })
			continue
		}
		lines[index] = coloured[index]
	}
	return lines
}

func isPlainLine(line *document.Node) bool {
	for _, node := range line.Nodes {
		if node.Object != "text" {
			return false
		}
	}
	return true
}

// codeText is the source that the lines of a code block hold.
func codeText(node *document.Node) string {
	var source strings.Builder
	for index, line := range node.Nodes {
		if index > 0 {
			source.WriteByte('\n')
		}
		writeSource(&source, line.Nodes)
	}
	return source.String()
}

func writeSource(source *strings.Builder, nodes []*document.Node) {
	for _, node := range nodes {
		for _, leaf := range node.Leaves {
			source.WriteString(leaf.Text)
		}
		writeSource(source, node.Nodes)
	}
}

// highlight colours source, one string of HTML for each line; nil when the
// language is not known or the lines would not match.
func highlight(source, syntax string, count int) []string {
	lexer := lexers.Get(syntax)
	if lexer == nil || syntax == "" || len(source) > maximumHighlighted {
		return nil
	}
	tokens, err := chroma.Tokenise(chroma.Coalesce(lexer), nil, source)
	if err != nil {
		return nil
	}
	lines := chroma.SplitTokensIntoLines(tokens)
	if len(lines) > count && emptyTokens(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	if len(lines) != count {
		return nil
	}
	coloured := make([]string, count)
	for index, line := range lines {
		coloured[index] = colour(line)
	}
	return coloured
}

func emptyTokens(tokens []chroma.Token) bool {
	for _, token := range tokens {
		if strings.TrimSpace(token.Value) != "" {
			return false
		}
	}
	return true
}

func colour(tokens []chroma.Token) string {
	var line strings.Builder
	for _, token := range tokens {
		value := html.EscapeString(strings.TrimSuffix(token.Value, "\n"))
		class := tokenClass(token.Type)
		if class == "" || value == "" {
			line.WriteString(value)
			continue
		}
		line.WriteString(`<span class="` + class + `">` + value + `</span>`)
	}
	return line.String()
}

// tokenClass names the few kinds of token that are told apart.
func tokenClass(kind chroma.TokenType) string {
	switch {
	case kind.InCategory(chroma.Comment):
		return "tok-comment"
	case kind.InCategory(chroma.Keyword):
		return "tok-keyword"
	case kind.InSubCategory(chroma.LiteralString):
		return "tok-string"
	case kind.InSubCategory(chroma.LiteralNumber):
		return "tok-number"
	case kind == chroma.NameFunction || kind == chroma.NameFunctionMagic:
		return "tok-function"
	case kind == chroma.NameTag || kind == chroma.NameClass || kind == chroma.NameBuiltin:
		return "tok-name"
	case kind == chroma.NameAttribute || kind == chroma.NameVariable:
		return "tok-attribute"
	case kind == chroma.GenericDeleted:
		return "tok-deleted"
	case kind == chroma.GenericInserted:
		return "tok-inserted"
	}
	return ""
}

// policy is what raw HTML may hold.
var policy = func() *bluemonday.Policy {
	allowed := bluemonday.UGCPolicy()
	allowed.RequireNoFollowOnLinks(false)
	allowed.SkipElementsContent("iframe", "object", "form", "button", "select", "textarea")
	// Images elsewhere are not loaded.
	allowed.AllowURLSchemes("http", "https", "mailto", "tel")
	return allowed
}()

// rawBlock writes HTML of the source that the dialect has no block for, made
// harmless and whole. A tag of the dialect that is not understood shows nothing.
func (w *writer) rawBlock(source string) {
	if strings.HasPrefix(strings.TrimSpace(source), "{%") {
		return
	}
	nodes, err := html.ParseFragment(strings.NewReader(policy.Sanitize(source)), &html.Node{Type: html.ElementNode, DataAtom: atom.Div, Data: "div"})
	if err != nil {
		return
	}
	for _, node := range nodes {
		replaceImages(node)
		// A builder never fails.
		_ = html.Render(&w.output, node)
	}
}

// replaceImages makes links of the images below a node that lie elsewhere, and
// texts of those that lie nowhere.
func replaceImages(node *html.Node) {
	if node.DataAtom == atom.Img {
		replaceImage(node)
		return
	}
	for child := node.FirstChild; child != nil; child = child.NextSibling {
		replaceImages(child)
	}
}

func replaceImage(image *html.Node) {
	values := map[string]string{}
	for _, attribute := range image.Attr {
		values[attribute.Key] = attribute.Val
	}
	source := values["src"]
	shown := func(element atom.Atom, attributes ...html.Attribute) {
		image.DataAtom, image.Data, image.Attr = element, element.String(), attributes
		image.AppendChild(&html.Node{Type: html.TextNode, Data: cmp.Or(values["alt"], source)})
	}
	switch {
	case isExternal(source):
		shown(atom.A, html.Attribute{Key: "href", Val: source}, html.Attribute{Key: "rel", Val: "noopener"})
	case isLost(source):
		shown(atom.Span, html.Attribute{Key: "class", Val: "image-missing"})
	}
}
