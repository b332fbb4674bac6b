package hypertext

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"octavo/internal/document"
)

func (w *writer) blocks(nodes []*document.Node) {
	for _, node := range nodes {
		w.block(node)
	}
}

// block writes one block. Kinds that are not known, and conditions that were
// not evaluated, show nothing.
func (w *writer) block(node *document.Node) {
	switch node.Type {
	case "paragraph":
		w.paragraph(node)
	case "heading-1", "heading-2", "heading-3":
		w.heading(node)
	case "list-ordered", "list-unordered", "list-tasks":
		w.list(node)
	case "divider":
		w.raw("<hr>")
	case "blockquote":
		w.element("blockquote", "", func() { w.blocks(node.Nodes) })
	case "hint":
		w.hint(node)
	case "images":
		w.images(node)
	case "file":
		w.file(node)
	case "drawing":
		w.drawing(node)
	case "embed":
		w.embed(node)
	case "code":
		w.code(node)
	case "math":
		w.math(text(node, "formula"), true)
	case "expandable":
		w.expandable(node)
	case "tabs":
		w.tabsBlock(node)
	case "table":
		w.table(node)
	case "stepper":
		w.stepper(node)
	case "columns":
		w.columns(node)
	case "updates":
		w.updatesBlock(node)
	case "content-ref":
		w.contentReference(node)
	case "reusable-content":
		w.reusable(node)
	case "integration":
		w.linkCard(text(node, "url"), "")
	case "swagger", "openapi-operation", "openapi-schemas", "openapi-webhook":
		w.specification(node)
	}
}

func (w *writer) paragraph(node *document.Node) {
	if len(node.Nodes) == 0 {
		return
	}
	w.element("p", aligned(node), func() { w.inlines(node.Nodes) })
}

func aligned(node *document.Node) string {
	if align := text(node, "align"); align != "" && align != "start" && align != "left" {
		return "align-" + align
	}
	return ""
}

// heading writes a heading below that of the page, which alone is of level 1.
func (w *writer) heading(node *document.Node) {
	level := max(2, int(node.Type[len(node.Type)-1]-'0'))
	if deeper, ok := whole(node.Data["level"]); ok {
		level = min(deeper, 6)
	}
	title := PlainText(node.Nodes)
	id := w.unique(headingID(node, title))
	w.headings = append(w.headings, Heading{Level: level, ID: id, Text: title})
	element := "h" + strconv.Itoa(level)
	w.open(element, "id", id, "class", aligned(node))
	w.inlines(node.Nodes)
	w.open("a", "class", "anchor", "href", "#"+id, "aria-label", "Link to “"+title+"”")
	w.raw("</a>")
	w.close(element)
}

func headingID(node *document.Node, title string) string {
	if id, ok := node.Meta["id"].(string); ok && id != "" {
		return id
	}
	if id := text(node, "id"); id != "" {
		return id
	}
	return document.Anchor(title)
}

func (w *writer) list(node *document.Node) {
	switch node.Type {
	case "list-ordered":
		start := ""
		if first, ok := whole(node.Data["start"]); ok && first != 1 {
			start = strconv.Itoa(first)
		}
		w.open("ol", "start", start)
		w.items(node)
		w.close("ol")
	case "list-tasks":
		w.element("ul", "tasks", func() { w.items(node) })
	default:
		w.element("ul", "", func() { w.items(node) })
	}
}

func (w *writer) items(list *document.Node) {
	for _, item := range list.Nodes {
		w.element("li", "", func() { w.item(item) })
	}
}

func (w *writer) item(item *document.Node) {
	if _, task := item.Data["checked"]; task {
		checked := classIf(flag(item, "checked"), " checked")
		w.raw(`<input type="checkbox" disabled`, checked, ` aria-label="`)
		w.text(PlainText(item.Nodes[:min(1, len(item.Nodes))]))
		w.raw(`"> `)
	}
	nodes := item.Nodes
	// A lone paragraph, with or without lists below it, stands without space.
	if isTight(nodes) {
		w.inlines(nodes[0].Nodes)
		nodes = nodes[1:]
	}
	w.blocks(nodes)
}

func isTight(nodes []*document.Node) bool {
	if len(nodes) == 0 || nodes[0].Type != "paragraph" {
		return false
	}
	for _, node := range nodes[1:] {
		if !strings.HasPrefix(node.Type, "list-") {
			return false
		}
	}
	return true
}

var hintNames = map[string]string{"info": "Info", "warning": "Warning", "danger": "Danger", "success": "Success"}

func (w *writer) hint(node *document.Node) {
	style := text(node, "style")
	if hintNames[style] == "" {
		style = "info"
	}
	w.open("div", "class", "hint hint-"+style, "role", "note", "aria-label", hintNames[style])
	w.blocks(node.Nodes)
	w.close("div")
}

func (w *writer) expandable(node *document.Node) {
	w.raw("<details", classIf(flag(node, "open"), " open"), ` class="expandable"><summary>`)
	if title := fragment(node, "expandable-title"); title != nil {
		for _, paragraph := range title.Nodes {
			w.inlines(paragraph.Nodes)
		}
	}
	w.raw("</summary>")
	if body := fragment(node, "expandable-body"); body != nil {
		w.element("div", "expandable-body", func() { w.blocks(body.Nodes) })
	}
	w.raw("</details>")
}

// tabsBlock writes the tabs one below the other, each with its title; the
// script of the page makes tabs of them.
func (w *writer) tabsBlock(node *document.Node) {
	w.tabs++
	w.element("div", "tabs", func() {
		for index, tab := range node.Nodes {
			title := text(tab, "title")
			if title == "" {
				title = "Tab " + strconv.Itoa(index+1)
			}
			w.open("section", "class", "tab", "aria-label", title)
			w.element("p", "tab-title", func() { w.text(title) })
			w.element("div", "tab-body", func() { w.blocks(tab.Nodes) })
			w.close("section")
		}
	})
}

func (w *writer) stepper(node *document.Node) {
	w.element("ol", "stepper", func() {
		for _, step := range node.Nodes {
			w.element("li", "step", func() { w.blocks(step.Nodes) })
		}
	})
}

// splits are the shares that the left one of two columns can have, in percent.
var splits = []int{25, 33, 40, 50, 60, 67, 75}

// splitClass is that of the share nearest to the width of the left one of two
// columns: a width of its own would need a style attribute.
func splitClass(columns []*document.Node) string {
	if len(columns) != 2 {
		return ""
	}
	width := object(columns[0], "width")
	share, ok := width["value"].(float64)
	if !ok || width["unit"] != "%" {
		return ""
	}
	nearest := slices.MinFunc(splits, func(a, b int) int { return cmp.Compare(math.Abs(float64(a)-share), math.Abs(float64(b)-share)) })
	return "split-" + strconv.Itoa(nearest)
}

func (w *writer) columns(node *document.Node) {
	count := strconv.Itoa(min(len(node.Nodes), 4))
	w.element("div", classes("columns columns-"+count, splitClass(node.Nodes), classIf(flag(node, "fullWidth"), "full-width")), func() {
		for _, column := range node.Nodes {
			vertical := text(column, "verticalAlignment")
			w.element("div", classes("column", classIf(vertical == "middle" || vertical == "bottom", "valign-"+vertical)), func() { w.blocks(column.Nodes) })
		}
	})
}

func (w *writer) updatesBlock(node *document.Node) {
	w.element("div", "updates", func() {
		for _, update := range node.Nodes {
			w.update(update)
		}
	})
}

func (w *writer) update(node *document.Node) {
	date := text(node, "date")
	id := w.unique(document.Anchor("update-" + date))
	body := w.capture(func() { w.blocks(node.Nodes) })
	title := date
	for _, child := range node.Nodes {
		if strings.HasPrefix(child.Type, "heading-") {
			title = PlainText(child.Nodes)
			break
		}
	}
	w.updates = append(w.updates, Update{Date: date, ID: id, Title: title, HTML: trusted(body)})
	w.open("article", "class", "update", "id", id)
	w.element("div", "update-head", func() {
		w.open("time", "datetime", date)
		w.text(date)
		w.close("time")
		for tag := range strings.SplitSeq(text(node, "tags"), ",") {
			if tag = strings.TrimSpace(tag); tag != "" {
				w.element("span", "option", func() { w.text(tag) })
			}
		}
	})
	w.element("div", "update-body", func() { w.raw(body) })
	w.close("article")
}

func (w *writer) reusable(node *document.Node) {
	if w.sources.Reusable == nil || w.reuse >= maximumReuse {
		return
	}
	content := w.sources.Reusable(object(node, "ref"))
	if content == nil {
		return
	}
	w.reuse++
	w.blocks(content.Nodes)
	w.reuse--
}
