package document

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// tableView is what a table's data say, read once.
type tableView struct {
	node       *Node
	view       map[string]any
	definition map[string]any
	// columns holds the columns that show, then the others.
	columns []string
	shown   map[string]bool
	rows    []map[string]any
}

func readTable(node *Node) tableView {
	view, _ := node.Data["view"].(map[string]any)
	definition, _ := node.Data["definition"].(map[string]any)
	records, _ := node.Data["records"].(map[string]any)
	table := tableView{node: node, view: view, definition: definition, shown: map[string]bool{}}
	columns, _ := view["columns"].([]any)
	for _, column := range columns {
		id, _ := column.(string)
		if definition[id] != nil && !table.shown[id] {
			table.columns = append(table.columns, id)
			table.shown[id] = true
		}
	}
	table.columns = mergeHidden(table.columns, table.shown, definition)
	table.rows = sortedRows(records)
	return table
}

// mergeHidden adds the columns that do not show, by name.
func mergeHidden(columns []string, shown map[string]bool, definition map[string]any) []string {
	var hidden []string
	for id := range definition {
		if !shown[id] {
			hidden = append(hidden, id)
		}
	}
	slices.SortFunc(hidden, func(first, second string) int {
		return cmp.Or(cmp.Compare(len(first), len(second)), strings.Compare(first, second))
	})
	return append(columns, hidden...)
}

func sortedRows(records map[string]any) []map[string]any {
	type row struct {
		order, id string
		values    map[string]any
	}
	rows := make([]row, 0, len(records))
	for id, record := range records {
		fields, _ := record.(map[string]any)
		order, _ := fields["orderIndex"].(string)
		values, _ := fields["values"].(map[string]any)
		rows = append(rows, row{order, id, values})
	}
	slices.SortFunc(rows, func(first, second row) int {
		return cmp.Or(strings.Compare(first.order, second.order), strings.Compare(first.id, second.id))
	})
	sorted := make([]map[string]any, 0, len(rows))
	for _, row := range rows {
		sorted = append(sorted, row.values)
	}
	return sorted
}

func (t tableView) column(id string) map[string]any {
	column, _ := t.definition[id].(map[string]any)
	return column
}

// index gives the fragments of a table by their names.
func (t tableView) index() map[string][]*Node {
	cells := make(map[string][]*Node, len(t.node.Fragments))
	for _, fragment := range t.node.Fragments {
		cells[fragment.Fragment] = fragment.Nodes
	}
	return cells
}

func (w *writer) table(node *Node) string {
	table := readTable(node)
	cells := table.index()
	if table.fitsPipes(cells) {
		return w.pipes(table, cells)
	}
	if !table.fitsHTML() {
		return encodeBlock(node)
	}
	return w.tableHTML(table, cells)
}

// fitsPipes says whether a pipe table says all that the table does.
func (t tableView) fitsPipes(cells map[string][]*Node) bool {
	if t.view["type"] != "grid" || t.view["hideHeader"] == true || t.view["useNewSizing"] == true ||
		t.node.flag("fullWidth") || len(t.columns) == 0 || len(t.shown) != len(t.columns) {
		return false
	}
	if widths, _ := t.view["columnWidths"].(map[string]any); len(widths) > 0 {
		return false
	}
	for _, id := range t.columns {
		if column := t.column(id); column["type"] != "text" || column["verticalAlignment"] != nil {
			return false
		}
	}
	for _, values := range t.rows {
		for _, id := range t.columns {
			name, _ := values[id].(string)
			nodes := cells[name]
			if len(nodes) > 1 || (len(nodes) == 1 && (nodes[0].Type != "paragraph" || nodes[0].text("align") != "")) {
				return false
			}
		}
	}
	return true
}

func (w *writer) pipes(table tableView, cells map[string][]*Node) string {
	var output strings.Builder
	output.WriteString("|")
	for _, id := range table.columns {
		output.WriteString(" " + padCell(w.pipeCell(w.titleNodes(table.column(id)))) + "|")
	}
	output.WriteString("\n|")
	for _, id := range table.columns {
		switch table.column(id)["textAlignment"] {
		case "center":
			output.WriteString(" :---: |")
		case "right":
			output.WriteString(" ---: |")
		default:
			output.WriteString(" --- |")
		}
	}
	for _, values := range table.rows {
		output.WriteString("\n|")
		for _, id := range table.columns {
			name, _ := values[id].(string)
			var inlines []*Node
			if nodes := cells[name]; len(nodes) == 1 {
				inlines = nodes[0].Nodes
			}
			output.WriteString(" " + padCell(w.pipeCell(inlines)) + "|")
		}
	}
	return output.String()
}

func padCell(text string) string {
	if text == "" {
		return ""
	}
	return text + " "
}

func (w *writer) pipeCell(nodes []*Node) string {
	text := w.inlines(nodes, lineContext{single: true, cell: true, start: true})
	return strings.ReplaceAll(text, "\n", " ")
}

// titleNodes returns the title of a column as inlines.
func (w *writer) titleNodes(column map[string]any) []*Node {
	if source, _ := column["titleMarkdown"].(string); source != "" {
		if parsed := Parse([]byte(source), w.references); len(parsed.Nodes) == 1 && parsed.Nodes[0].Type == "paragraph" {
			return parsed.Nodes[0].Nodes
		}
	}
	title, _ := column["title"].(string)
	if title == "" {
		return nil
	}
	return []*Node{newText(Leaf{Text: title})}
}

// fitsHTML says whether the cells that are not text can be written.
func (t tableView) fitsHTML() bool {
	if len(t.columns) == 0 {
		return false
	}
	for _, id := range t.columns {
		if t.column(id)["type"] == "users" || t.column(id)["type"] == "files" {
			for _, values := range t.rows {
				list, _ := values[id].([]any)
				for _, value := range list {
					if name, ok := value.(string); !ok || name == "" {
						return false
					}
				}
			}
		}
	}
	return true
}

func (w *writer) tableHTML(table tableView, cells map[string][]*Node) string {
	var output strings.Builder
	output.WriteString("<table")
	if table.view["type"] == "cards" {
		output.WriteString(` data-view="cards"`)
		if table.view["cardSize"] == "large" {
			output.WriteString(` data-card-size="large"`)
		}
	}
	for _, attribute := range []struct {
		set  bool
		text string
	}{
		{table.view["hideHeader"] == true, " data-header-hidden"},
		{table.view["hideColumnTitle"] == true, " data-column-title-hidden"},
		{table.view["useNewSizing"] == true, " data-new-sizing"},
		{table.node.flag("fullWidth"), ` data-full-width="true"`},
	} {
		if attribute.set {
			output.WriteString(attribute.text)
		}
	}
	output.WriteString("><thead><tr>")
	for _, id := range table.columns {
		output.WriteString("<th" + table.columnAttributes(id) + ">" + w.html(w.titleNodes(table.column(id))) + "</th>")
	}
	output.WriteString("</tr></thead><tbody>")
	for _, values := range table.rows {
		output.WriteString("<tr>")
		for _, id := range table.columns {
			output.WriteString(w.cellElement(table.column(id), values[id], cells))
		}
		output.WriteString("</tr>")
	}
	output.WriteString("</tbody></table>")
	return output.String()
}

func (t tableView) columnAttributes(id string) string {
	column := t.column(id)
	var output strings.Builder
	if widths, _ := t.view["columnWidths"].(map[string]any); widths[id] != nil {
		output.WriteString(` width="` + formatNumber(widths[id]) + `"`)
	}
	if alignment, _ := column["textAlignment"].(string); alignment == "center" || alignment == "right" {
		output.WriteString(` align="` + alignment + `"`)
	}
	if vertical, _ := column["verticalAlignment"].(string); vertical != "" {
		output.WriteString(` valign="` + vertical + `"`)
	}
	if !t.shown[id] {
		output.WriteString(" data-hidden")
	}
	for _, role := range [][2]string{
		{"targetDefinition", "data-card-target"}, {"coverDefinition", "data-card-cover"},
		{"coverDefinitionDark", "data-card-cover-dark"},
	} {
		if t.view[role[0]] == id {
			output.WriteString(" " + role[1])
		}
	}
	kind, _ := column["type"].(string)
	if kind == "text" {
		return output.String()
	}
	output.WriteString(` data-type="` + kind + `"`)
	if column["multiple"] == true {
		output.WriteString(" data-multiple")
	}
	if maximum := formatNumber(column["max"]); maximum != "" {
		output.WriteString(` data-max="` + maximum + `"`)
	}
	if options, _ := column["options"].([]any); len(options) > 0 {
		if encoded, err := json.Marshal(options); err == nil {
			output.WriteString(` data-options="` + escapeAttribute(string(encoded)) + `"`)
		}
	}
	return output.String()
}

func (w *writer) cellElement(column map[string]any, value any, cells map[string][]*Node) string {
	switch column["type"] {
	case "text":
		attributes := ""
		if alignment, _ := column["textAlignment"].(string); alignment == "center" || alignment == "right" {
			attributes += ` align="` + alignment + `"`
		}
		if vertical, _ := column["verticalAlignment"].(string); vertical != "" {
			attributes += ` valign="` + vertical + `"`
		}
		name, _ := value.(string)
		return "<td" + attributes + ">" + w.cellHTML(cells[name]) + "</td>"
	case "checkbox":
		return "<td>" + strconv.FormatBool(value == true) + "</td>"
	case "number", "rating":
		return "<td>" + formatNumber(value) + "</td>"
	case "select":
		return "<td>" + selectHTML(column, value) + "</td>"
	case "files", "users":
		return "<td>" + w.identifiersHTML(value, column["type"] == "users") + "</td>"
	}
	return w.referenceCell(value)
}

func selectHTML(column map[string]any, value any) string {
	labels := map[any]string{}
	options, _ := column["options"].([]any)
	for _, option := range options {
		fields, _ := option.(map[string]any)
		labels[fields["value"]], _ = fields["label"].(string)
	}
	selected, _ := value.([]any)
	var output strings.Builder
	for _, choice := range selected {
		output.WriteString(fmt.Sprintf(`<span data-option="%s">%s, </span>`,
			escapeAttribute(fmt.Sprint(choice)), escapeHTML(labels[choice])))
	}
	return output.String()
}

func (w *writer) identifiersHTML(value any, users bool) string {
	var links []string
	list, _ := value.([]any)
	for _, entry := range list {
		id, _ := entry.(string)
		reference := map[string]any{"kind": "file", "file": id}
		switch {
		case users:
			reference = map[string]any{"kind": "user", "user": id}
		case isAddress(id):
			reference = map[string]any{"kind": "url", "url": id}
		}
		links = append(links, w.anchor(reference))
	}
	return strings.Join(links, ", ")
}

func (w *writer) anchor(reference map[string]any) string {
	destination := w.references.to(reference)
	return `<a href="` + escapeAttribute(destination) + `">` + escapeHTML(mentionLabel(destination)) + "</a>"
}

func (w *writer) referenceCell(value any) string {
	reference, _ := value.(map[string]any)
	if reference == nil {
		return "<td></td>"
	}
	inner, wrapped := reference["ref"].(map[string]any)
	if !wrapped {
		return "<td>" + w.anchor(reference) + "</td>"
	}
	attributes := ""
	if fit, _ := reference["objectFit"].(string); fit != "" {
		attributes += ` data-object-fit="` + escapeAttribute(fit) + `"`
	}
	if alt, _ := reference["alt"].(string); alt != "" {
		attributes += ` data-alt="` + escapeAttribute(alt) + `"`
	}
	return "<td" + attributes + ">" + w.anchor(inner) + "</td>"
}
