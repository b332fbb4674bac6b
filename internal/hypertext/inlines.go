package hypertext

import (
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"octavo/internal/document"
)

// inlines writes the inlines of one block.
func (w *writer) inlines(nodes []*document.Node) {
	var opened []string
	for _, node := range nodes {
		if node.Object != "text" {
			w.inline(node)
			continue
		}
		for _, leaf := range node.Leaves {
			if leaf.Raw {
				opened = w.rawInline(leaf.Text, opened)
				continue
			}
			w.leaf(leaf)
		}
	}
	for _, element := range slices.Backward(opened) {
		w.close(element)
	}
}

// phrasing are the elements of inline HTML that are kept, without attributes.
var phrasing = []string{"u", "ins", "small", "q", "cite", "abbr", "dfn", "var", "samp", "mark", "span"}

// rawInline writes a piece of inline HTML, which is a tag more often than an
// element. Whatever is not known to be harmless is left out.
func (w *writer) rawInline(source string, opened []string) []string {
	tokens := html.NewTokenizer(strings.NewReader(source))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return opened
		case html.TextToken:
			w.text(tokens.Token().Data)
		case html.StartTagToken, html.SelfClosingTagToken:
			name := tokens.Token().Data
			switch {
			case name == "br" || name == "wbr":
				w.open(name)
			case slices.Contains(phrasing, name):
				w.open(name)
				opened = append(opened, name)
			}
		case html.EndTagToken:
			name := tokens.Token().Data
			if last := len(opened) - 1; last >= 0 && opened[last] == name {
				w.close(name)
				opened = opened[:last]
			}
		}
	}
}

var markElements = map[string]string{
	"bold": "strong", "italic": "em", "strikethrough": "del", "superscript": "sup", "subscript": "sub",
	"keyboard": "kbd", "code": "code",
}

func (w *writer) leaf(leaf document.Leaf) {
	var closing []string
	for _, mark := range leaf.Marks {
		if mark.Type == "color" {
			w.open("span", "class", classes(colorClass("color", mark.Data["text"]), colorClass("background", mark.Data["background"])))
			closing = append(closing, "span")
			continue
		}
		if element := markElements[mark.Type]; element != "" {
			w.open(element)
			closing = append(closing, element)
		}
	}
	lines := strings.Split(leaf.Text, "\n")
	for index, line := range lines {
		if index > 0 {
			w.raw("<br>")
		}
		w.text(line)
	}
	for _, element := range slices.Backward(closing) {
		w.close(element)
	}
}

var colors = []string{"green", "blue", "red", "orange", "yellow", "purple", "$primary", "$info", "$success", "$warning", "$danger"}

func colorClass(prefix string, value any) string {
	color, _ := value.(string)
	if !slices.Contains(colors, color) {
		return ""
	}
	return prefix + "-" + strings.TrimPrefix(color, "$")
}

func (w *writer) inline(node *document.Node) {
	switch node.Type {
	case "link":
		w.link(node)
	case "emoji":
		w.text(emoji(text(node, "code")))
	case "icon":
		w.open("span", "class", classes("icon", colorClass("color", node.Data["color"])), "data-icon", text(node, "icon"), "aria-hidden", "true")
		w.close("span")
	case "inline-math":
		w.math(text(node, "formula"), false)
	case "inline-image":
		class := classes("inline-image", classIf(text(node, "size") == "line", "inline-image-line"))
		w.imagePair(node, class, text(node, "alt"))
	case "annotation":
		w.annotation(node)
	case "mention":
		w.mention(node)
	case "button":
		w.button(node)
	}
}

func (w *writer) link(node *document.Node) {
	target := w.target(object(node, "ref"))
	if target == nil {
		w.inlines(node.Nodes)
		return
	}
	w.openLink(target, "", text(node, "title"))
	w.inlines(node.Nodes)
	w.close("a")
}

func (w *writer) openLink(target *Link, class, title string) {
	relation, window := w.relationOf(target.Address)
	w.open("a", "class", class, "href", target.Address, "title", title, "rel", relation, "target", window)
}

// relationOf are the attributes rel and target of a link to an address.
func (w *writer) relationOf(address string) (relation, window string) {
	if !isExternal(address) {
		return "", ""
	}
	if w.sources.NewWindow {
		window = "_blank"
	}
	return "noopener", window
}

func (w *writer) target(reference map[string]any) *Link { return Resolve(reference, w.sources) }

// Resolve returns where a content reference leads; nil when that is nowhere, or
// nowhere that the reader may go.
func Resolve(reference map[string]any, sources Sources) *Link {
	switch reference["kind"] {
	case nil:
		return nil
	case "url":
		address, _ := reference["url"].(string)
		if !isSafe(address) || isLost(address) {
			return nil
		}
		return &Link{Address: address, Title: address}
	case "file":
		if found := sources.file(reference); found != nil {
			return &Link{Address: found.Address, Title: found.Name}
		}
		return nil
	}
	if sources.Link == nil {
		return nil
	}
	return sources.Link(reference)
}

func (w *writer) fileOf(reference map[string]any) *File { return w.sources.file(reference) }

func (s Sources) file(reference map[string]any) *File {
	if s.File == nil || reference == nil {
		return nil
	}
	return s.File(reference)
}

// isSafe tells whether a reader may be led to an address: to the web, a mail
// address, a telephone, or somewhere on the same site.
func isSafe(address string) bool {
	parsed, err := url.Parse(strings.TrimSpace(address))
	if err != nil || address == "" {
		return false
	}
	switch strings.ToLower(parsed.Scheme) {
	case "http", "https", "mailto", "tel":
		return true
	}
	return parsed.Scheme == ""
}

// isLost tells whether an address is a path beside the page: whatever such a path
// led to in the source is a reference of another kind, so that this leads nowhere.
func isLost(address string) bool {
	parsed, err := url.Parse(address)
	return err == nil && parsed.Scheme == "" && parsed.Host == "" && parsed.Path != "" && !strings.HasPrefix(parsed.Path, "/")
}

func isExternal(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "//")
}

// emoji writes a code such as 1f4d8 or 1f468-200d-1f4bb, or the character.
func emoji(code string) string {
	var characters strings.Builder
	for part := range strings.SplitSeq(code, "-") {
		point, err := strconv.ParseInt(part, 16, 32)
		if err != nil {
			return code
		}
		characters.WriteRune(rune(point))
	}
	return characters.String()
}

// Emoji returns the characters of an emoji given by its code points, such as
// 1f4d8, or by itself.
func Emoji(code string) string { return emoji(code) }

// annotation writes a text whose note opens without a script; the notes stand
// at the end of the page, since they may hold blocks.
func (w *writer) annotation(node *document.Node) {
	w.annotations = append(w.annotations, node)
	number := strconv.Itoa(len(w.annotations))
	w.open("button", "type", "button", "class", "annotation", "popovertarget", "note-"+number)
	w.inlines(node.Nodes)
	w.close("button")
}

func (w *writer) notes() {
	// A note may hold texts with notes of their own.
	for index := 0; index < len(w.annotations); index++ {
		w.raw(`<div popover class="note" id="note-`, strconv.Itoa(index+1), `">`)
		if body := fragment(w.annotations[index], "annotation-body"); body != nil {
			w.blocks(body.Nodes)
		}
		w.raw("</div>")
	}
}

func (w *writer) mention(node *document.Node) {
	target := w.target(object(node, "ref"))
	name := text(node, "caption")
	if target != nil && target.Title != "" {
		name = target.Title
	}
	if target == nil || target.Address == "" {
		w.element("span", "mention", func() { w.text(name) })
		return
	}
	w.openLink(target, "mention", "")
	w.text(name)
	w.close("a")
}

func (w *writer) button(node *document.Node) {
	kind := text(node, "kind")
	if kind != "secondary" {
		kind = "primary"
	}
	target := w.target(object(node, "ref"))
	if target == nil {
		w.element("span", "button button-"+kind, func() { w.text(text(node, "label")) })
		return
	}
	w.openLink(target, "button button-"+kind, "")
	w.text(text(node, "label"))
	w.close("a")
}

// trusted marks HTML that this package wrote.
func trusted(written string) template.HTML { return template.HTML(written) } //nolint:gosec // escaped or sanitized where it was written
