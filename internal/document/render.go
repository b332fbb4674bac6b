package document

import (
	"fmt"
	"strconv"
	"strings"
)

// Render writes a document as canonical Markdown. The error, a *fault.Error,
// is that of Validate.
func Render(document *Document, resolver References) ([]byte, error) {
	if err := Validate(document); err != nil {
		return nil, err
	}
	writer := newWriter(resolver)
	lines := writer.blocks(document.Nodes, place{})
	for index := 0; index < len(writer.footnotes); index++ {
		body := writer.blocks(writer.footnotes[index], place{indented: true})
		if lines != "" {
			lines += "\n\n"
		}
		lines += fmt.Sprintf("[^%d]: ", index+1) + strings.TrimLeft(indentLines(body, "    "), " ")
	}
	if lines == "" {
		return []byte{}, nil
	}
	return []byte(lines + "\n"), nil
}

// place is where blocks are written.
type place struct {
	// indented says that marks of lists or quotes stand before each line.
	indented bool
	// first says that the first block begins behind a list mark.
	first bool
}

// blocks writes blocks with a blank line between them.
func (w *writer) blocks(nodes []*Node, around place) string {
	parts := make([]string, 0, len(nodes))
	bullet := byte('*')
	delimiter := byte('.')
	for index, node := range nodes {
		around.first = around.first && index == 0
		if index > 0 && isBulleted(node) && isBulleted(nodes[index-1]) {
			bullet = '*' + '-' - bullet
		} else {
			bullet = '*'
		}
		if index > 0 && node.Type == "list-ordered" && nodes[index-1].Type == "list-ordered" {
			delimiter = '.' + ')' - delimiter
		} else {
			delimiter = '.'
		}
		parts = append(parts, w.block(node, around, bullet, delimiter))
	}
	return strings.Join(parts, "\n\n")
}

func isBulleted(node *Node) bool { return node.Type == "list-unordered" || node.Type == "list-tasks" }

func (w *writer) block(node *Node, around place, bullet, delimiter byte) string {
	switch node.Type {
	case "paragraph":
		return w.paragraph(node)
	case "heading-1", "heading-2", "heading-3":
		return w.heading(node)
	case "list-unordered", "list-tasks":
		return w.list(node, string(bullet)+" ", 0, delimiter)
	case "list-ordered":
		return w.list(node, "", listStart(node), delimiter)
	case "divider":
		if around.first {
			return "___"
		}
		return "***"
	case "blockquote":
		return prefixLines(w.blocks(node.Nodes, place{indented: true}), "> ", ">")
	case "code":
		return w.code(node, around)
	case "math":
		return w.math(node)
	case "images":
		return w.images(node)
	case "table":
		return w.table(node)
	case "expandable":
		return w.expandable(node, around)
	}
	return w.tagBlock(node, around)
}

func (w *writer) paragraph(node *Node) string {
	if len(items(node.Nodes)) == 0 {
		if align := node.text("align"); align != "" {
			return `<p align="` + align + `"></p>`
		}
		return "<p></p>"
	}
	if align := node.text("align"); align != "" {
		return `<p align="` + align + `">` + w.html(node.Nodes) + "</p>"
	}
	return w.inlines(node.Nodes, lineContext{start: true})
}

func (w *writer) heading(node *Node) string {
	level := headingLevel(node)
	id := node.text("id")
	if align := node.text("align"); align != "" && level <= 3 {
		attribute := ""
		if id != "" {
			attribute = ` id="` + id + `"`
		}
		return fmt.Sprintf(`<h%d align="%s"%s>%s</h%d>`, level, align, attribute, w.html(node.Nodes), level)
	}
	text := w.inlines(node.Nodes, lineContext{single: true})
	if strings.HasSuffix(text, "#") {
		text = strings.TrimSuffix(text, "#") + `\#`
	}
	if strings.HasPrefix(text, " ") {
		text = "&#x20;" + text[1:]
	}
	if id != "" {
		text += ` <a href="#` + id + `" id="` + id + `"></a>`
	}
	return strings.TrimRight(strings.Repeat("#", level)+" "+strings.TrimPrefix(text, " "), " ")
}

func headingLevel(node *Node) int {
	level := int(node.Type[len(node.Type)-1] - '0')
	if deeper, ok := wholeNumber(node.Data["level"]); ok && level == 3 && deeper > 3 && deeper <= 6 {
		return deeper
	}
	return level
}

func listStart(node *Node) int {
	if start, ok := wholeNumber(node.Data["start"]); ok {
		return start
	}
	return 1
}

func (w *writer) list(node *Node, mark string, start int, delimiter byte) string {
	parts := make([]string, 0, len(node.Nodes))
	for index, child := range node.Nodes {
		current := mark
		if current == "" {
			current = strconv.Itoa(min(start+index, 999_999_999)) + string(delimiter) + " "
		}
		parts = append(parts, w.listItem(child, current, node.Type == "list-tasks"))
	}
	return strings.Join(parts, "\n")
}

func (w *writer) listItem(node *Node, mark string, task bool) string {
	box := ""
	if checked, ok := node.Data["checked"].(bool); ok || task {
		box = map[bool]string{true: "[x]", false: "[ ]"}[checked]
	}
	nodes := node.Nodes
	head := ""
	if len(nodes) == 0 || isEmptyParagraph(nodes[0]) {
		// An item that is empty, or whose first paragraph is.
		// It is written, since what follows an empty item is easily misread.
		nodes = nodes[min(1, len(nodes)):]
		if box == "" {
			head = "<p></p>"
		}
	} else if nodes[0].Type == "paragraph" {
		head = w.block(nodes[0], place{indented: true, first: true}, '*', '.')
		nodes = nodes[1:]
	} else if box == "" {
		head = w.blocks(nodes, place{indented: true, first: true})
		nodes = nil
	}
	text := box
	if head != "" && box != "" {
		text += " "
	}
	text += head
	if len(nodes) > 0 {
		separator := "\n\n"
		if head != "" && head[0] != '<' && isTightList(nodes[0]) {
			separator = "\n"
		}
		text += separator + w.blocks(nodes, place{indented: true})
	}
	indentation := strings.Repeat(" ", len(mark))
	return strings.TrimRight(mark+strings.TrimLeft(indentLines(text, indentation), " "), " ")
}

func isEmptyParagraph(node *Node) bool {
	return node.Type == "paragraph" && len(items(node.Nodes)) == 0 && node.text("align") == ""
}

// isTightList says whether a list may follow a paragraph without a blank line.
func isTightList(node *Node) bool {
	if !isBulleted(node) && (node.Type != "list-ordered" || listStart(node) != 1) {
		return false
	}
	if len(node.Nodes) == 0 || len(node.Nodes[0].Nodes) == 0 {
		return false
	}
	first := node.Nodes[0].Nodes[0]
	return first.Type == "paragraph" && !isEmptyParagraph(first)
}

// indentLines puts an indentation before each line that is not blank.
func indentLines(text, indentation string) string { return prefixLines(text, indentation, "") }

func prefixLines(text, prefix, blank string) string {
	lines := strings.Split(text, "\n")
	for index, line := range lines {
		if line == "" {
			lines[index] = blank
		} else {
			lines[index] = prefix + line
		}
	}
	return strings.Join(lines, "\n")
}

// codeSource returns the lines of a code block; ok is false when one of them
// holds more than text.
func codeSource(node *Node, indented bool) (lines []string, ok bool) {
	for _, line := range node.Nodes {
		if line.flag("highlighted") {
			return nil, false
		}
		var text strings.Builder
		for _, inline := range line.Nodes {
			if inline.Object != objectText {
				return nil, false
			}
			for _, leaf := range inline.Leaves {
				if len(leaf.Marks) > 0 || leaf.Raw {
					return nil, false
				}
				text.WriteString(leaf.Text)
			}
		}
		written := text.String()
		if strings.ContainsAny(written, "\n\r") {
			return nil, false
		}
		if indented {
			written = expandTabs(written)
		}
		lines = append(lines, written)
	}
	return lines, true
}

func (w *writer) code(node *Node, around place) string {
	lines, ok := codeSource(node, around.indented)
	if !ok {
		return encodeBlock(node)
	}
	if node.flag("raw") {
		return strings.Join(lines, "\n")
	}
	syntax := node.text("syntax")
	if syntax != strings.TrimSpace(syntax) || strings.ContainsAny(syntax, "\n\r") {
		return encodeBlock(node)
	}
	character := byte('`')
	if strings.Contains(syntax, "`") {
		character = '~'
	}
	width := 3
	for _, line := range lines {
		if run := longestRun(line, character, false); run >= width {
			width = run + 1
		}
	}
	fence := strings.Repeat(string(character), width)
	text := fence + syntax + "\n"
	if len(lines) > 0 {
		text += strings.Join(lines, "\n") + "\n"
	}
	text += fence
	attributes := codeAttributes(node)
	if len(attributes) == 0 {
		return text
	}
	return writeTag("code", attributes...) + "\n" + text + "\n{% endcode %}"
}

func codeAttributes(node *Node) []string {
	var attributes []string
	for _, name := range []string{"title", "overflow", "lineNumbers", "fullWidth", "expandable", "collapsedLineCount"} {
		switch value := node.Data[name].(type) {
		case string:
			if value != "" {
				attributes = append(attributes, name, value)
			}
		case bool:
			attributes = append(attributes, name, strconv.FormatBool(value))
		case nil:
		default:
			if count, ok := wholeNumber(value); ok {
				attributes = append(attributes, name, strconv.Itoa(count))
			}
		}
	}
	return attributes
}

func (w *writer) math(node *Node) string {
	formula := node.text("formula")
	for line := range strings.SplitSeq(formula, "\n") {
		if strings.Contains(line, "$$") || strings.Contains(line, "```") || strings.Contains(line, "~~~") ||
			strings.Contains(line, "{%") || strings.ContainsAny(line, "<\r\t") || line != strings.TrimSpace(line) {
			return encodeBlock(node)
		}
	}
	if strings.TrimSpace(formula) == "" {
		return encodeBlock(node)
	}
	return "$$\n" + formula + "\n$$"
}

func (w *writer) images(node *Node) string {
	if len(node.Nodes) == 0 {
		return encodeBlock(node)
	}
	figures := make([]string, 0, len(node.Nodes))
	for _, image := range node.Nodes {
		destination := w.references.to(image.reference("ref"))
		if destination == "" {
			return encodeBlock(node)
		}
		figures = append(figures, w.figure(image, destination))
	}
	attributes := ""
	if align := node.text("align"); align != "" {
		attributes += ` align="` + align + `"`
	}
	if node.flag("fullWidth") {
		attributes += ` data-full-width="true"`
	}
	if node.flag("withFrame") {
		attributes += ` data-with-frame="true"`
	}
	if attributes == "" && len(figures) == 1 {
		return figures[0]
	}
	return "<div" + attributes + ">" + strings.Join(figures, " ") + "</div>"
}

func (w *writer) figure(image *Node, destination string) string {
	attributes := ` alt="` + escapeAttribute(image.text("alt")) + `"`
	for _, key := range []string{"width", "height"} {
		if size := writeLength(image.Data[key]); size != "" {
			attributes += " " + key + `="` + size + `"`
		}
	}
	picture := `<img src="` + escapeAttribute(destination) + `"` + attributes + ">"
	if dark := image.reference("refDark"); dark != nil {
		picture = `<picture><source srcset="` + escapeAttribute(w.references.to(dark)) +
			`" media="(prefers-color-scheme: dark)">` + picture + "</picture>"
	}
	caption := ""
	if fragment := image.fragment("caption"); fragment != nil {
		for _, paragraph := range fragment.Nodes {
			caption += "<p>" + w.html(paragraph.Nodes) + "</p>"
		}
	}
	return "<figure>" + picture + "<figcaption>" + caption + "</figcaption></figure>"
}

// writeLength writes a number or {value, unit}.
func writeLength(value any) string {
	switch value := value.(type) {
	case map[string]any:
		unit, _ := value["unit"].(string)
		return formatNumber(value["value"]) + unit
	case nil:
		return ""
	}
	return formatNumber(value)
}

func formatNumber(value any) string {
	switch value := value.(type) {
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	case int:
		return strconv.Itoa(value)
	}
	return ""
}

// wholeNumber reads a number of a node's data, whichever type it came as.
func wholeNumber(value any) (int, bool) {
	switch value := value.(type) {
	case int:
		return value, true
	case float64:
		return int(value), value == float64(int(value))
	}
	return 0, false
}

func (w *writer) expandable(node *Node, around place) string {
	title, body := node.fragment("expandable-title"), node.fragment("expandable-body")
	opening := "<details>"
	if node.flag("open") {
		opening = "<details open>"
	}
	summary := ""
	if title != nil && len(title.Nodes) > 0 {
		summary = w.html(title.Nodes[0].Nodes)
	}
	text := opening + "\n\n<summary>" + summary + "</summary>\n\n"
	if body != nil && !(len(body.Nodes) == 1 && isEmptyParagraph(body.Nodes[0])) {
		text += w.blocks(body.Nodes, place{indented: around.indented}) + "\n\n"
	}
	return text + "</details>"
}
