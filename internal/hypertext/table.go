package hypertext

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"octavo/internal/document"
)

// record is a row of a table.
type record struct {
	id, order string
	values    map[string]any
}

func (w *writer) table(node *document.Node) {
	view := object(node, "view")
	if view["type"] == "cards" {
		w.cards(node, view)
		return
	}
	columns := columnsOf(node, view)
	w.open("div", "class", classes("table", classIf(flag(node, "fullWidth"), "full-width")), "tabindex", "0", "role", "region", "aria-label", "Table")
	w.raw("<table>")
	w.columnWidths(columns, view)
	if view["hideHeader"] != true {
		w.raw("<thead><tr>")
		for _, column := range columns {
			w.open("th", "scope", "col", "class", cellClass(column))
			w.text(title(column))
			w.close("th")
		}
		w.raw("</tr></thead>")
	}
	w.raw("<tbody>")
	for _, row := range recordsOf(node) {
		w.raw("<tr>")
		for _, column := range columns {
			w.open("td", "class", cellClass(column))
			w.cell(node, column, row)
			w.close("td")
		}
		w.raw("</tr>")
	}
	w.raw("</tbody></table></div>")
}

func (w *writer) columnWidths(columns []map[string]any, view map[string]any) {
	widths, _ := view["columnWidths"].(map[string]any)
	if len(widths) == 0 {
		return
	}
	w.raw("<colgroup>")
	for _, column := range columns {
		width := ""
		if pixels, ok := whole(widths[name(column)]); ok && pixels > 0 {
			width = strconv.Itoa(pixels)
		}
		w.open("col", "width", width)
	}
	w.raw("</colgroup>")
}

// columnsOf are the definitions of the columns that show, in their order.
func columnsOf(node *document.Node, view map[string]any) []map[string]any {
	definitions := object(node, "definition")
	shown, _ := view["columns"].([]any)
	var columns []map[string]any
	for _, id := range shown {
		key, _ := id.(string)
		if definition, ok := definitions[key].(map[string]any); ok {
			definition = withName(definition, key)
			columns = append(columns, definition)
		}
	}
	return columns
}

func withName(definition map[string]any, id string) map[string]any {
	named := map[string]any{}
	for key, value := range definition {
		named[key] = value
	}
	named["id"] = id
	return named
}

func name(column map[string]any) string {
	id, _ := column["id"].(string)
	return id
}

func title(column map[string]any) string {
	shown, _ := column["title"].(string)
	return shown
}

func cellClass(column map[string]any) string {
	alignment, _ := column["textAlignment"].(string)
	vertical, _ := column["verticalAlignment"].(string)
	return classes(classIf(alignment == "center" || alignment == "right", "align-"+alignment),
		classIf(vertical == "middle" || vertical == "bottom", "valign-"+vertical))
}

func recordsOf(node *document.Node) []record {
	var rows []record
	for id, value := range object(node, "records") {
		fields, _ := value.(map[string]any)
		order, _ := fields["orderIndex"].(string)
		values, _ := fields["values"].(map[string]any)
		rows = append(rows, record{id: id, order: order, values: values})
	}
	slices.SortFunc(rows, func(a, b record) int { return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.id, b.id)) })
	return rows
}

func (w *writer) cell(node *document.Node, column map[string]any, row record) {
	value := row.values[name(column)]
	if value == nil {
		return
	}
	switch column["type"] {
	case "checkbox":
		w.checkbox(title(column), value == true)
	case "rating":
		w.rating(column, value)
	case "select":
		w.options(column, value)
	case "files":
		w.cellFiles(value)
	case "image":
		w.cellImage(value)
	case "content-ref":
		w.cellReference(value)
	case "users":
		w.cellUsers(value)
	case "number":
		w.text(fmt.Sprint(value))
	default:
		w.cellText(node, value)
	}
}

func (w *writer) cellText(node *document.Node, value any) {
	key, _ := value.(string)
	content := fragment(node, key)
	if content == nil {
		return
	}
	if len(content.Nodes) == 1 && content.Nodes[0].Type == "paragraph" {
		w.inlines(content.Nodes[0].Nodes)
		return
	}
	w.blocks(content.Nodes)
}

func (w *writer) checkbox(label string, checked bool) {
	w.raw(`<input type="checkbox" disabled`, classIf(checked, " checked"), ` aria-label="`)
	w.text(label)
	w.raw(`">`)
}

func (w *writer) rating(column map[string]any, value any) {
	stars, _ := whole(value)
	most, ok := whole(column["max"])
	if !ok || most < 1 || most > 10 {
		most = 5
	}
	stars = max(0, min(stars, most))
	w.open("span", "class", "rating", "role", "img", "aria-label", fmt.Sprintf("%d of %d", stars, most))
	w.text(strings.Repeat("★", stars) + strings.Repeat("☆", most-stars))
	w.close("span")
}

func (w *writer) options(column map[string]any, value any) {
	known, _ := column["options"].([]any)
	for _, chosen := range listOf(value) {
		label, _ := chosen.(string)
		for _, option := range known {
			fields, _ := option.(map[string]any)
			if fields["value"] == chosen {
				label, _ = fields["label"].(string)
			}
		}
		w.element("span", "option", func() { w.text(label) })
	}
}

func listOf(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}
	return []any{value}
}

// referenceOf reads a value that is a reference, or the id of a file.
func referenceOf(value any) map[string]any {
	switch value := value.(type) {
	case map[string]any:
		return value
	case string:
		return map[string]any{"kind": "file", "file": value}
	}
	return nil
}

func (w *writer) cellFiles(value any) {
	for _, entry := range listOf(value) {
		target := w.target(referenceOf(entry))
		if target == nil {
			continue
		}
		w.openLink(target, "file-link", "")
		w.text(target.Title)
		w.close("a")
	}
}

func (w *writer) cellImage(value any) {
	for _, entry := range listOf(value) {
		w.picture(referenceOf(entry), &document.Node{}, "", "")
	}
}

func (w *writer) cellReference(value any) {
	reference, _ := value.(map[string]any)
	target := w.target(reference)
	if target == nil {
		return
	}
	w.openLink(target, "", "")
	w.text(target.Title)
	w.close("a")
}

func (w *writer) cellUsers(value any) {
	for _, entry := range listOf(value) {
		id, _ := entry.(string)
		if target := w.target(map[string]any{"kind": "user", "user": id}); target != nil {
			w.element("span", "mention", func() { w.text(target.Title) })
		}
	}
}

// cards writes a table as cards; a card leads to its target as a whole.
func (w *writer) cards(node *document.Node, view map[string]any) {
	size, _ := view["cardSize"].(string)
	columns := columnsOf(node, view)
	w.element("ul", classes("cards", classIf(size == "large", "cards-large"), classIf(flag(node, "fullWidth"), "full-width")), func() {
		for _, row := range recordsOf(node) {
			w.element("li", "card", func() { w.card(node, view, columns, row) })
		}
	})
}

func (w *writer) card(node *document.Node, view map[string]any, columns []map[string]any, row record) {
	w.cover(view, row)
	for index, column := range columns {
		content := w.capture(func() { w.cell(node, column, row) })
		if content == "" {
			continue
		}
		w.element("div", classes("card-cell", classIf(index == 0, "card-title"), cellClass(column)), func() { w.raw(content) })
	}
	id, _ := view["targetDefinition"].(string)
	reference, _ := row.values[id].(map[string]any)
	target := w.target(reference)
	if target == nil {
		return
	}
	label := target.Title
	if len(columns) > 0 {
		label = cmp.Or(w.plainCell(node, columns[0], row), label)
	}
	relation, window := w.relationOf(target.Address)
	w.open("a", "class", "card-link", "href", target.Address, "aria-label", label, "rel", relation, "target", window)
	w.close("a")
}

func (w *writer) plainCell(node *document.Node, column map[string]any, row record) string {
	key, _ := row.values[name(column)].(string)
	if content := fragment(node, key); content != nil {
		return PlainText(content.Nodes)
	}
	return ""
}

func (w *writer) cover(view map[string]any, row record) {
	light, dark := w.coverOf(view, "coverDefinition", row), w.coverOf(view, "coverDefinitionDark", row)
	if light == nil {
		return
	}
	w.element("div", "card-cover", func() {
		w.imagePair(coverNode(light, dark), "", "")
	})
}

func (w *writer) coverOf(view map[string]any, definition string, row record) map[string]any {
	id, _ := view[definition].(string)
	for _, entry := range listOf(row.values[id]) {
		if reference := referenceOf(entry); reference != nil {
			return reference
		}
	}
	return nil
}

func coverNode(light, dark map[string]any) *document.Node {
	data := map[string]any{"ref": light}
	if dark != nil {
		data["refDark"] = dark
	}
	return &document.Node{Data: data}
}
