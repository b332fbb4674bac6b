package document

import (
	"encoding/json"
	"fmt"
	"strings"
)

// html writes inlines as HTML, for the places that are not Markdown.
func (w *writer) html(nodes []*Node) string {
	var output strings.Builder
	w.writeHTML(&output, items(nodes))
	return output.String()
}

func (w *writer) writeHTML(output *strings.Builder, all []item) {
	for index := 0; index < len(all); {
		current := all[index]
		if len(current.marks) == 0 {
			output.WriteString(w.htmlItem(current))
			index++
			continue
		}
		mark := current.marks[0]
		var group []item
		for index < len(all) && hasMark(all[index].marks, mark) {
			member := all[index]
			member.marks = withoutMark(member.marks, mark)
			group = append(group, member)
			index++
		}
		opening, closing := "<"+markElements[mark.Type]+">", "</"+markElements[mark.Type]+">"
		if mark.Type == "color" {
			opening, closing = `<mark style="`+colorStyle(mark)+`">`, "</mark>"
		}
		output.WriteString(opening)
		w.writeHTML(output, group)
		output.WriteString(closing)
	}
}

func (w *writer) htmlItem(current item) string {
	node := current.node
	if node == nil {
		if current.leaf.Raw {
			return current.leaf.Text
		}
		return escapeHTML(current.leaf.Text)
	}
	switch node.Type {
	case "link":
		destination := w.references.to(node.reference("ref"))
		if node.text("title") != "" || holdsLink(node.Nodes) || len(items(node.Nodes)) == 0 {
			return encodeInline(node)
		}
		inner := items(node.Nodes)
		for index := range inner {
			for _, mark := range node.commonOuter(current.marks) {
				inner[index].marks = withoutMark(inner[index].marks, mark)
			}
		}
		var label strings.Builder
		w.writeHTML(&label, inner)
		return `<a href="` + escapeAttribute(destination) + `">` + label.String() + "</a>"
	case "emoji":
		if characters := emojiCharacters(node.text("code")); characters != "" && node.text("name") == "" {
			return `<span data-gb-custom-inline data-tag="emoji" data-code="` + escapeAttribute(node.text("code")) +
				`">` + escapeElementText(characters) + "</span>"
		}
		return encodeInline(node)
	case "icon":
		return writeIcon(node)
	case "expression":
		return `<code class="expression">` + escapeElementText(node.text("expression")) + "</code>"
	case "inline-image":
		return w.inlineImage(node, lineContext{cell: true})
	case "button":
		return w.htmlButton(node)
	case "annotation":
		return w.htmlAnnotation(node, current)
	}
	return encodeInline(node)
}

func (w *writer) htmlButton(node *Node) string {
	label := node.text("label")
	if label == "" || strings.ContainsAny(label, "\n\r") {
		return encodeInline(node)
	}
	icon := ""
	if name := node.text("icon"); name != "" {
		icon = ` data-icon="` + elementAttribute(name) + `"`
	}
	return `<a href="` + elementAttribute(w.references.to(node.reference("ref"))) + `" class="button ` +
		node.text("kind") + `"` + icon + ">" + escapeHTML(label) + "</a>"
}

func (w *writer) htmlAnnotation(node *Node, current item) string {
	body := node.fragment("annotation-body")
	if body == nil || holdsAnnotation(body.Nodes) {
		return encodeInline(node)
	}
	w.footnotes = append(w.footnotes, body.Nodes)
	inner := items(node.Nodes)
	for index := range inner {
		for _, mark := range node.commonOuter(current.marks) {
			inner[index].marks = withoutMark(inner[index].marks, mark)
		}
	}
	var label strings.Builder
	w.writeHTML(&label, inner)
	return fmt.Sprintf(`<a data-footnote-ref href="#user-content-fn-%d">%s</a>`, len(w.footnotes), label.String())
}

// cellHTML writes the blocks of a cell; one paragraph needs no element.
func (w *writer) cellHTML(nodes []*Node) string {
	if len(nodes) == 1 && nodes[0].Type == "paragraph" && nodes[0].text("align") == "" {
		return w.html(nodes[0].Nodes)
	}
	var output strings.Builder
	for _, node := range nodes {
		output.WriteString(w.blockHTML(node))
	}
	return output.String()
}

func (w *writer) blockHTML(node *Node) string {
	align := ""
	if value := node.text("align"); value != "" {
		align = ` align="` + value + `"`
	}
	switch node.Type {
	case "paragraph":
		return "<p" + align + ">" + w.html(node.Nodes) + "</p>"
	case "heading-1", "heading-2", "heading-3":
		if headingLevel(node) <= 3 && node.text("id") == "" {
			element := fmt.Sprintf("h%d", headingLevel(node))
			return "<" + element + align + ">" + w.html(node.Nodes) + "</" + element + ">"
		}
	case "list-unordered", "list-ordered":
		if html, ok := w.listHTML(node); ok {
			return html
		}
	}
	return encodeBlock(node)
}

func (w *writer) listHTML(node *Node) (string, bool) {
	opening, closing := "<ul>", "</ul>"
	if node.Type == "list-ordered" {
		opening, closing = "<ol>", "</ol>"
		if start := listStart(node); start != 1 {
			opening = fmt.Sprintf(`<ol start="%d">`, start)
		}
	}
	if len(node.Nodes) == 0 {
		return "", false
	}
	for _, child := range node.Nodes {
		if child.Data["checked"] != nil {
			return "", false
		}
		opening += "<li>" + w.cellHTML(child.Nodes) + "</li>"
	}
	return opening + closing, true
}

func decodeOptions(encoded string) ([]any, bool) {
	options := []any{}
	if encoded == "" {
		return options, true
	}
	if json.Unmarshal([]byte(encoded), &options) != nil {
		return nil, false
	}
	return options, validOptions(options)
}
