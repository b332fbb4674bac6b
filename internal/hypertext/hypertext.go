// Package hypertext writes the documents of pages as HTML for readers: it works
// without scripts, loads nothing from elsewhere, and needs neither style
// attributes nor inline scripts, so that a strict content security policy holds.
package hypertext

import (
	"html"
	"html/template"
	"strconv"
	"strings"

	"octavo/internal/document"
)

// Sources know what a document refers to. Every function may be nil, and may
// answer nil for what the reader may not see; it is then left out.
type Sources struct {
	// Link returns where a content reference other than an address leads.
	Link func(reference map[string]any) *Link
	// File returns the file of a content reference of the kind file.
	File func(reference map[string]any) *File
	// Reusable returns the reusable content that a reference names.
	Reusable func(reference map[string]any) *document.Document
	// Specification returns the source of an OpenAPI document.
	Specification func(reference map[string]any) []byte
	// NewWindow opens links to other hosts in a window of their own.
	NewWindow bool
}

// Link is where a reference leads.
type Link struct {
	Address string
	// Title of the target, for references that have no text of their own.
	Title       string
	Description string
	Emoji       string
}

// File is a file that readers may load.
type File struct {
	Address     string
	Name        string
	ContentType string
	// Size in bytes.
	Size int64
	// Width and Height of an image in pixels; 0 when they are not known.
	Width, Height int
}

// Heading is a heading with its anchor, for a table of contents.
type Heading struct {
	// Level is 2 to 6.
	Level int
	ID    string
	Text  string
}

// Update is an entry of an {% updates %} block, for a feed.
type Update struct {
	// Date as it was written, such as 2026-11-20.
	Date string
	ID   string
	// Title is the text of the entry's first heading.
	Title string
	HTML  template.HTML
}

// Page is a document as HTML.
type Page struct {
	HTML     template.HTML
	Headings []Heading
	Updates  []Update
}

// maximumReuse bounds how deep reusable contents may hold one another.
const maximumReuse = 5

// Render writes a document. Conditions and expressions that were not evaluated
// before are left out: a reader sees nothing that is not known to be theirs.
func Render(source *document.Document, sources Sources) Page {
	writer := &writer{sources: sources, identifiers: map[string]int{}}
	writer.blocks(source.Nodes)
	writer.notes()
	// All that was written is escaped or sanitized where it was written.
	return Page{HTML: template.HTML(writer.output.String()), Headings: writer.headings, Updates: writer.updates} //nolint:gosec
}

type writer struct {
	output  strings.Builder
	sources Sources

	headings []Heading
	updates  []Update
	// identifiers counts the anchors in use, so that each is unique.
	identifiers map[string]int
	annotations []*document.Node
	reuse       int
	tabs        int
}

func (w *writer) raw(parts ...string) {
	for _, part := range parts {
		w.output.WriteString(part)
	}
}

func (w *writer) text(text string) { w.output.WriteString(html.EscapeString(text)) }

// open writes a start tag. Attributes are pairs of a name and a value; those
// with an empty value are left out.
func (w *writer) open(element string, attributes ...string) {
	w.raw("<", element)
	for index := 0; index+1 < len(attributes); index += 2 {
		if attributes[index+1] != "" {
			w.raw(" ", attributes[index], `="`, html.EscapeString(attributes[index+1]), `"`)
		}
	}
	w.raw(">")
}

func (w *writer) close(element string) { w.raw("</", element, ">") }

// element writes an element around what content writes.
func (w *writer) element(element, class string, content func()) {
	w.open(element, "class", class)
	content()
	w.close(element)
}

// capture returns what content writes instead of writing it.
func (w *writer) capture(content func()) string {
	before := w.output.String()
	w.output.Reset()
	content()
	captured := w.output.String()
	w.output.Reset()
	w.output.WriteString(before)
	return captured
}

// unique makes an anchor that nothing else on the page has.
func (w *writer) unique(wanted string) string {
	if wanted == "" {
		wanted = "section"
	}
	w.identifiers[wanted]++
	if count := w.identifiers[wanted]; count > 1 {
		return w.unique(wanted + "-" + strconv.Itoa(count-1))
	}
	return wanted
}

// classes joins those that are not empty.
func classes(names ...string) string {
	return strings.Join(strings.Fields(strings.Join(names, " ")), " ")
}

func classIf(condition bool, name string) string {
	if condition {
		return name
	}
	return ""
}

func text(node *document.Node, key string) string {
	value, _ := node.Data[key].(string)
	return value
}

func flag(node *document.Node, key string) bool {
	value, _ := node.Data[key].(bool)
	return value
}

func object(node *document.Node, key string) map[string]any {
	value, _ := node.Data[key].(map[string]any)
	return value
}

// whole reads a number as JSON or Parse hold it.
func whole(value any) (int, bool) {
	switch number := value.(type) {
	case int:
		return number, true
	case float64:
		return int(number), true
	}
	return 0, false
}

// length reads a width or height as an attribute: pixels, or a share in percent.
func length(node *document.Node, key string) string {
	if fields := object(node, key); fields != nil {
		return lengthIn(fields)
	}
	if number, ok := whole(node.Data[key]); ok && number > 0 {
		return strconv.Itoa(number)
	}
	return ""
}

// textSize is how many pixels a rem is, as attributes know none.
const textSize = 16

func lengthIn(fields map[string]any) string {
	number, ok := whole(fields["value"])
	if !ok || number <= 0 {
		return ""
	}
	switch fields["unit"] {
	case "px":
		return strconv.Itoa(number)
	case "%":
		return strconv.Itoa(number) + "%"
	case "rem", "em":
		return strconv.Itoa(number * textSize)
	}
	return ""
}

func fragment(node *document.Node, name string) *document.Node {
	for _, candidate := range node.Fragments {
		if candidate.Type == name || candidate.Fragment == name {
			return candidate
		}
	}
	return nil
}

// PlainText is the text of nodes without marks and markup.
func PlainText(nodes []*document.Node) string {
	var plain strings.Builder
	writePlain(&plain, nodes)
	return strings.Join(strings.Fields(plain.String()), " ")
}

func writePlain(plain *strings.Builder, nodes []*document.Node) {
	for _, node := range nodes {
		for _, leaf := range node.Leaves {
			if !leaf.Raw {
				plain.WriteString(leaf.Text)
			}
		}
		switch node.Type {
		case "emoji":
			plain.WriteString(emoji(text(node, "code")))
		case "inline-math":
			plain.WriteString(text(node, "formula"))
		}
		writePlain(plain, node.Nodes)
		if node.Object == "block" {
			plain.WriteByte(' ')
		}
	}
}
