package document

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	extast "github.com/yuin/goldmark/extension/ast"
	"golang.org/x/net/html"
)

// tableBuilder gathers a table block. Columns are named c1, c2, … and rows r1,
// r2, …: Markdown has no names for them.
type tableBuilder struct {
	columns    []string
	hidden     map[string]bool
	widths     map[string]any
	definition map[string]any
	records    map[string]any
	fragments  []*Node
	view       map[string]any
}

func newTableBuilder() *tableBuilder {
	return &tableBuilder{
		hidden: map[string]bool{}, widths: map[string]any{}, definition: map[string]any{},
		records: map[string]any{}, view: map[string]any{"type": "grid", "hideHeader": false},
	}
}

func (b *tableBuilder) column(title string, definition map[string]any) string {
	id := fmt.Sprintf("c%d", len(b.columns)+1)
	definition["id"], definition["title"] = id, title
	b.columns = append(b.columns, id)
	b.definition[id] = definition
	return id
}

func (b *tableBuilder) row(values map[string]any) {
	number := len(b.records) + 1
	b.records[fmt.Sprintf("r%d", number)] = map[string]any{
		"orderIndex": fmt.Sprintf("%06d", number), "values": values,
	}
}

// cell adds a cell of text and returns the name of its fragment.
func (b *tableBuilder) cell(column int, nodes []*Node) string {
	name := fmt.Sprintf("r%d-c%d", len(b.records)+1, column+1)
	b.fragments = append(b.fragments, &Node{
		Object: objectFragment, Type: "table-cell", Fragment: name, Nodes: nodes,
	})
	return name
}

func (b *tableBuilder) table() *Node {
	visible := []any{}
	for _, id := range b.columns {
		if !b.hidden[id] {
			visible = append(visible, id)
		}
	}
	b.view["columns"] = visible
	if len(b.widths) > 0 {
		b.view["columnWidths"] = b.widths
	}
	table := newBlock("table", map[string]any{
		"view": b.view, "records": b.records, "definition": b.definition,
	})
	table.Fragments = b.fragments
	return table
}

func textColumn(alignment string) map[string]any {
	if alignment == "" {
		alignment = "left"
	}
	return map[string]any{"type": "text", "textAlignment": alignment}
}

func (c *converter) pipeTable(node *extast.Table) *Node {
	builder := newTableBuilder()
	for row := node.FirstChild(); row != nil; row = row.NextSibling() {
		_, header := row.(*extast.TableHeader)
		values := map[string]any{}
		column := 0
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			inlines := c.inlines(cell)
			if header {
				alignment := cell.(*extast.TableCell).Alignment.String()
				definition := textColumn(map[string]string{"center": "center", "right": "right"}[alignment])
				c.setTitle(definition, inlines)
				builder.column(plainInlines(inlines), definition)
				continue
			}
			if column < len(builder.columns) {
				values[builder.columns[column]] = builder.cell(column, []*Node{newBlock("paragraph", nil, inlines...)})
			}
			column++
		}
		if !header {
			builder.row(values)
		}
	}
	return builder.table()
}

// setTitle keeps a title that is more than text as Markdown.
func (c *converter) setTitle(definition map[string]any, inlines []*Node) {
	if !isPlain(inlines) {
		definition["titleMarkdown"] = newWriter(c.references).inlines(inlines, lineContext{start: true, single: true})
	}
}

// isPlain says that inlines are text without marks.
func isPlain(inlines []*Node) bool {
	for _, node := range inlines {
		if node.Object != objectText {
			return false
		}
		for _, leaf := range node.Leaves {
			if leaf.Raw || len(leaf.Marks) > 0 || strings.Contains(leaf.Text, "\n") {
				return false
			}
		}
	}
	return true
}

// htmlTable reads a table written as HTML; nil when it holds something that a
// table block has no place for.
func (c *converter) htmlTable(element *html.Node) *Node {
	builder := newTableBuilder()
	fullWidth := false
	for key, value := range attributesOf(element) {
		switch {
		case key == "data-view" && value == "cards":
			delete(builder.view, "hideHeader")
			builder.view["type"] = "cards"
		case key == "data-card-size" && (value == "large" || value == "medium"):
			builder.view["cardSize"] = value
		case key == "data-header-hidden":
			builder.view["hideHeader"] = true
		case key == "data-column-title-hidden":
			builder.view["hideColumnTitle"] = true
		case key == "data-full-width" && value == "true":
			fullWidth = true
		case key == "data-new-sizing":
			builder.view["useNewSizing"] = true
		case key == "data-view" && value == "grid":
		default:
			return nil
		}
	}
	if builder.view["type"] == "cards" {
		delete(builder.view, "hideHeader")
		if builder.view["cardSize"] == nil {
			builder.view["cardSize"] = "medium"
		}
	} else if builder.view["cardSize"] != nil || builder.view["hideColumnTitle"] != nil {
		return nil
	}
	header, rows, ok := tableRows(element)
	if !ok || !c.readHeader(builder, header) || !c.readRows(builder, rows) {
		return nil
	}
	result := builder.table()
	result.set("fullWidth", fullWidth)
	return result
}

// tableRows finds the header and the rows of a table.
func tableRows(element *html.Node) (header *html.Node, rows []*html.Node, ok bool) {
	sections, ok := elementsOf(element)
	if !ok || len(sections) == 0 {
		return nil, nil, false
	}
	for _, section := range sections {
		inner, clean := elementsOf(section)
		if !clean || len(section.Attr) > 0 {
			return nil, nil, false
		}
		switch {
		case section.Data == "thead" && header == nil && len(inner) == 1 && inner[0].Data == "tr" && rows == nil:
			header = inner[0]
		case section.Data == "tbody" && header != nil:
			rows = append(rows, inner...)
		default:
			return nil, nil, false
		}
	}
	return header, rows, header != nil
}

func (c *converter) readHeader(builder *tableBuilder, header *html.Node) bool {
	cells, ok := elementsOf(header)
	if !ok || len(header.Attr) > 0 {
		return false
	}
	for _, cell := range cells {
		if cell.Data != "th" || !c.readColumn(builder, cell) {
			return false
		}
	}
	return true
}

func (c *converter) readColumn(builder *tableBuilder, cell *html.Node) bool {
	attributes := attributesOf(cell)
	definition := columnDefinition(attributes)
	if definition == nil {
		return false
	}
	inlines := c.treeInlines(childrenOf(cell))
	c.setTitle(definition, inlines)
	id := builder.column(plainInlines(inlines), definition)
	cards := builder.view["type"] == "cards"
	for key, value := range attributes {
		switch key {
		case "width":
			width, err := strconv.ParseFloat(value, 64)
			if err != nil || width <= 0 || width > 1e6 || cards {
				return false
			}
			builder.widths[id] = width
		case "data-hidden":
			builder.hidden[id] = true
		case "data-card-target", "data-card-cover", "data-card-cover-dark":
			view := map[string]string{
				"data-card-target": "targetDefinition", "data-card-cover": "coverDefinition",
				"data-card-cover-dark": "coverDefinitionDark",
			}[key]
			if !cards || builder.view[view] != nil {
				return false
			}
			builder.view[view] = id
		case "data-type", "align", "valign", "data-multiple", "data-max", "data-options":
		default:
			return false
		}
	}
	return true
}

func columnDefinition(attributes map[string]string) map[string]any {
	_, multiple := attributes["data-multiple"]
	kind := attributes["data-type"]
	if kind == "" || kind == "text" {
		definition := textColumn(attributes["align"])
		if !slices.Contains([]string{"left", "center", "right"}, definition["textAlignment"].(string)) || multiple {
			return nil
		}
		if vertical := attributes["valign"]; vertical != "" {
			if !slices.Contains([]string{"top", "middle", "bottom"}, vertical) {
				return nil
			}
			definition["verticalAlignment"] = vertical
		}
		return definition
	}
	if attributes["align"] != "" || attributes["valign"] != "" {
		return nil
	}
	definition := map[string]any{"type": kind}
	switch kind {
	case "number", "checkbox", "files", "content-ref", "image":
		if multiple {
			return nil
		}
	case "users":
		definition["multiple"] = multiple
	case "rating":
		maximum, err := strconv.ParseFloat(attributes["data-max"], 64)
		if err != nil || multiple || maximum < 1 || maximum > 100 {
			return nil
		}
		definition["max"] = maximum
	case "select":
		options, ok := decodeOptions(attributes["data-options"])
		if !ok {
			return nil
		}
		definition["multiple"], definition["options"] = multiple, options
	default:
		return nil
	}
	return definition
}

func (c *converter) readRows(builder *tableBuilder, rows []*html.Node) bool {
	for _, row := range rows {
		cells, ok := elementsOf(row)
		if !ok || row.Data != "tr" || len(row.Attr) > 0 || len(cells) > len(builder.columns) {
			return false
		}
		values := map[string]any{}
		for index, cell := range cells {
			if cell.Data != "td" || !c.readCell(builder, values, index, cell) {
				return false
			}
		}
		builder.row(values)
	}
	return true
}

func (c *converter) readCell(builder *tableBuilder, values map[string]any, index int, cell *html.Node) bool {
	id := builder.columns[index]
	definition := builder.definition[id].(map[string]any)
	attributes := attributesOf(cell)
	if definition["type"] == "text" {
		// The alignment of a cell is that of its column.
		for key, value := range attributes {
			if !(key == "align" && value == definition["textAlignment"]) &&
				!(key == "valign" && value == definition["verticalAlignment"]) {
				return false
			}
		}
		nodes, ok := c.cellBlocks(childrenOf(cell))
		if ok {
			values[id] = builder.cell(index, nodes)
		}
		return ok
	}
	value, ok := c.cellValue(definition, attributes, cell)
	if ok && value != nil {
		values[id] = value
	}
	return ok
}

// cellValue reads a cell of a column that is not text.
func (c *converter) cellValue(definition map[string]any, attributes map[string]string, cell *html.Node) (any, bool) {
	text := strings.TrimSpace(elementText(cell))
	if definition["type"] != "image" && len(attributes) > 0 {
		return nil, false
	}
	switch definition["type"] {
	case "checkbox":
		return text == "true", text == "true" || text == "false"
	case "number", "rating":
		if text == "" || text == "null" {
			return nil, true
		}
		number, err := strconv.ParseFloat(text, 64)
		return number, err == nil
	case "select":
		return c.selectedOptions(definition, cell)
	}
	links, ok := c.cellLinks(cell)
	if !ok {
		return nil, false
	}
	if len(links) == 0 {
		return nil, true
	}
	switch definition["type"] {
	case "files", "users":
		return identifiersOf(links, definition["type"] == "users")
	case "image":
		return imageValue(links, attributes)
	}
	return links[0], len(links) == 1
}

func imageValue(links []map[string]any, attributes map[string]string) (any, bool) {
	if len(links) != 1 {
		return nil, false
	}
	if len(attributes) == 0 {
		return links[0], true
	}
	value := map[string]any{"ref": links[0]}
	for key, attribute := range attributes {
		switch key {
		case "data-object-fit":
			value["objectFit"] = attribute
		case "data-alt":
			value["alt"] = attribute
		default:
			return nil, false
		}
	}
	return value, true
}

// identifiersOf returns the ids of files or users; a file without an id is
// told by its address.
func identifiersOf(links []map[string]any, users bool) (any, bool) {
	values := make([]any, 0, len(links))
	for _, link := range links {
		id, _ := link["file"].(string)
		if users {
			id, _ = link["user"].(string)
		} else if id == "" {
			id, _ = link["url"].(string)
			if !isAddress(id) {
				return nil, false
			}
		}
		if id == "" {
			return nil, false
		}
		values = append(values, id)
	}
	return values, true
}

// isAddress tells the address of a file from its id.
func isAddress(value string) bool { return strings.ContainsAny(value, "./:") }

// cellLinks returns the references of a cell that holds links and nothing else.
func (c *converter) cellLinks(cell *html.Node) ([]map[string]any, bool) {
	var links []map[string]any
	for _, child := range childrenOf(cell) {
		if child.Type == html.TextNode && strings.Trim(child.Data, " ,\n") == "" {
			continue
		}
		attributes := attributesOf(child)
		if child.Data != "a" || len(attributes) != 1 || attributes["href"] == "" {
			return nil, false
		}
		links = append(links, c.references.from(attributes["href"], false))
	}
	return links, true
}

// selectedOptions reads <span data-option="value">Label, </span> and adds the
// options that the column does not know yet.
func (c *converter) selectedOptions(definition map[string]any, cell *html.Node) (any, bool) {
	selected := []any{}
	options := definition["options"].([]any)
	for _, child := range childrenOf(cell) {
		if child.Type == html.TextNode && strings.TrimSpace(child.Data) == "" {
			continue
		}
		value := attributesOf(child)["data-option"]
		if child.Data != "span" || value == "" || len(child.Attr) != 1 {
			return nil, false
		}
		selected = append(selected, value)
		known := slices.ContainsFunc(options, func(option any) bool {
			return option.(map[string]any)["value"] == value
		})
		if !known {
			label := strings.TrimSuffix(strings.TrimSpace(elementText(child)), ",")
			options = append(options, map[string]any{"value": value, "label": label, "color": ""})
		}
	}
	definition["options"] = options
	if len(selected) == 0 {
		return nil, true
	}
	return selected, true
}

// cellBlocks reads the blocks of a cell: inline HTML, or paragraphs, lists and
// headings.
func (c *converter) cellBlocks(children []*html.Node) ([]*Node, bool) {
	if !slices.ContainsFunc(children, isBlockElement) {
		return []*Node{newBlock("paragraph", nil, c.treeInlines(children)...)}, true
	}
	var nodes []*Node
	for _, child := range children {
		if child.Type == html.TextNode && strings.TrimSpace(child.Data) == "" {
			continue
		}
		if !isBlockElement(child) {
			return nil, false
		}
		node, ok := c.cellBlock(child)
		if !ok {
			return nil, false
		}
		nodes = append(nodes, node)
	}
	return filled(nodes), true
}

func isBlockElement(node *html.Node) bool {
	if node.Type != html.ElementNode {
		return false
	}
	switch node.Data {
	case "p", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "div", "pre", "blockquote", "table", "figure", "hr":
		return true
	}
	return false
}

func (c *converter) cellBlock(element *html.Node) (*Node, bool) {
	switch element.Data {
	case "p", "h1", "h2", "h3":
		if element.Data == "p" && len(element.Attr) == 0 {
			return newBlock("paragraph", nil, c.treeInlines(childrenOf(element))...), true
		}
		if element.Data != "p" && len(element.Attr) == 0 {
			level := int(element.Data[1] - '0')
			return newBlock(headingType(level), map[string]any{}, c.treeInlines(childrenOf(element))...), true
		}
		if nodes := c.alignedElement(element); nodes != nil {
			return nodes[0], true
		}
	case "ul", "ol":
		return c.cellList(element)
	case "div":
		attributes := attributesOf(element)
		if node := decodeNode(attributes["data-node"], objectBlock); node != nil && len(attributes) == 2 {
			return node, true
		}
	}
	return nil, false
}

func (c *converter) cellList(element *html.Node) (*Node, bool) {
	list := newBlock("list-unordered", nil)
	attributes := attributesOf(element)
	if element.Data == "ol" {
		list.Type = "list-ordered"
		if start, found := attributes["start"]; found {
			number, err := strconv.Atoi(start)
			if err != nil || number < 0 || number > 999_999_999 {
				return nil, false
			}
			if number != 1 {
				list.set("start", number)
			}
			delete(attributes, "start")
		}
	}
	items, ok := elementsOf(element)
	if !ok || len(attributes) > 0 || len(items) == 0 {
		return nil, false
	}
	for _, item := range items {
		if item.Data != "li" || len(item.Attr) > 0 {
			return nil, false
		}
		nodes, ok := c.cellBlocks(childrenOf(item))
		if !ok {
			return nil, false
		}
		list.Nodes = append(list.Nodes, newBlock("list-item", nil, nodes...))
	}
	return list, true
}
