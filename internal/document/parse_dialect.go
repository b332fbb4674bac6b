package document

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"octavo/internal/condition"

	"github.com/yuin/goldmark/ast"
)

func (c *converter) dialectBlock(node *block, around context) []*Node {
	switch node.kind {
	case kindMath:
		formula := strings.TrimSuffix(linesOf(node, c.source), "\n")
		return []*Node{newBlock("math", map[string]any{"formula": formula})}
	case kindDetails:
		return []*Node{c.expandable(node, around)}
	}
	if converted := c.tagBlock(node, around); converted != nil {
		return []*Node{converted}
	}
	return c.rawTag(node, around)
}

// rawTag keeps a tag that has no rich-text form, and reads what stands in it.
func (c *converter) rawTag(node *block, around context) []*Node {
	opening := strings.TrimRight(string(node.opening), " \t\n")
	if node.leaf {
		source := opening + "\n" + linesOf(node, c.source)
		if node.closed() {
			source += "{% end" + node.tag.name + " %}\n"
		}
		return []*Node{newRaw(source, around)}
	}
	nodes := append([]*Node{newRaw(opening, around)}, c.blocks(node, around)...)
	return append(nodes, newRaw("{% end"+node.tag.name+" %}", around))
}

func (c *converter) tagBlock(node *block, around context) *Node {
	name := node.tag.name
	if strings.HasPrefix(name, "@") {
		return integration(node.tag)
	}
	if tagBodies[name] == bodyBlocks {
		if node.leaf {
			return nil
		}
		return c.containerTag(node, around)
	}
	return c.voidTag(node)
}

// tagItems names the tag that some tags hold, and the blocks that both become.
var tagItems = map[string]struct{ list, tag, item string }{
	"tabs":    {"tabs", "tab", "tabs-item"},
	"stepper": {"stepper", "step", "stepper-step"},
	"columns": {"columns", "column", "column"},
	"updates": {"updates", "update", "update"},
}

func (c *converter) containerTag(node *block, around context) *Node {
	switch tag := node.tag; tag.name {
	case "hint":
		style := tag.get("style")
		if style == "working" || style == "" {
			style = "info"
		}
		if style == "error" {
			style = "danger"
		}
		if !slices.Contains([]string{"info", "warning", "danger", "success"}, style) {
			return nil
		}
		hint := newBlock("hint", map[string]any{"style": style})
		hint.set("icon", tag.get("icon"))
		hint.Nodes = filled(c.blocks(node, around))
		return hint
	case "if":
		if tag.argument == "" || len(tag.argument) > condition.MaximumLength {
			return nil
		}
		return newBlock("if", map[string]any{"expression": tag.argument}, filled(c.blocks(node, around))...)
	case "code":
		return c.codeTag(node, around)
	default:
		return c.itemsTag(node, around)
	}
}

// codeTag reads {% code %} around one fenced block.
func (c *converter) codeTag(node *block, around context) *Node {
	fence, ok := node.FirstChild().(*ast.FencedCodeBlock)
	if !ok || fence.NextSibling() != nil {
		return nil
	}
	code := c.fencedCode(fence, around)
	for _, attribute := range node.tag.attributes {
		switch attribute.key {
		case "title":
			code.set("title", attribute.value)
		case "overflow":
			if attribute.value != "scroll" && attribute.value != "wrap" {
				return nil
			}
			code.set("overflow", attribute.value)
		case "linenumbers", "fullwidth", "expandable":
			value, err := strconv.ParseBool(attribute.value)
			if err != nil {
				return nil
			}
			name := map[string]string{
				"linenumbers": "lineNumbers", "fullwidth": "fullWidth", "expandable": "expandable",
			}[attribute.key]
			code.Data = notNil(code.Data)
			code.Data[name] = value
		case "collapsedlinecount":
			count, err := strconv.Atoi(attribute.value)
			if err != nil || count < 1 {
				return nil
			}
			code.set("collapsedLineCount", count)
		default:
			return nil
		}
	}
	return code
}

func (c *converter) itemsTag(node *block, around context) *Node {
	kinds, ok := tagItems[node.tag.name]
	if !ok || node.FirstChild() == nil {
		return nil
	}
	list := newBlock(kinds.list, nil)
	for _, attribute := range node.tag.attributes {
		switch {
		case attribute.key == "fullwidth" && (kinds.list == "tabs" || kinds.list == "columns"):
			list.set("fullWidth", attribute.value == "true")
		case attribute.key == "format" && kinds.list == "updates":
			list.set("format", attribute.value)
		default:
			return nil
		}
	}
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		current, ok := child.(*block)
		if !ok || current.kind != kindTag || current.leaf || current.tag.name != kinds.tag {
			return nil
		}
		item := newBlock(kinds.item, nil)
		if !readItemAttributes(item, current.tag) {
			return nil
		}
		item.Nodes = filled(c.blocks(current, around))
		list.Nodes = append(list.Nodes, item)
	}
	return list
}

func readItemAttributes(item *Node, tag *tag) bool {
	for _, attribute := range tag.attributes {
		switch item.Type + " " + attribute.key {
		case "tabs-item title", "tabs-item icon", "stepper-step icon", "update date", "update tags":
			item.set(attribute.key, attribute.value)
		case "column width":
			width := parseLength(attribute.value)
			if width == nil {
				return false
			}
			item.set("width", width)
		case "column valign", "column verticalalignment":
			if !slices.Contains([]string{"top", "middle", "bottom"}, attribute.value) {
				return false
			}
			item.set("verticalAlignment", attribute.value)
		default:
			return false
		}
	}
	return true
}

// parseLength reads "66%", "20px" or "20"; a bare number stays a number.
func parseLength(value string) any {
	if number, err := strconv.ParseFloat(value, 64); err == nil {
		if number <= 0 || math.IsInf(number, 0) || number > 1e9 {
			return nil
		}
		return number
	}
	for _, unit := range []string{"%", "px", "rem", "em"} {
		amount, found := strings.CutSuffix(value, unit)
		if !found {
			continue
		}
		number, err := strconv.ParseFloat(amount, 64)
		if err != nil || number <= 0 || math.IsInf(number, 0) || number > 1e9 || strings.ContainsAny(amount, "+eExX_") {
			return nil
		}
		return map[string]any{"value": number, "unit": unit}
	}
	return nil
}

// voidTags gives, for each tag without blocks, its block and its attributes.
var voidTags = map[string]struct {
	block      string
	reference  string
	attributes []string
}{
	"content-ref":       {"content-ref", "url", nil},
	"page-ref":          {"content-ref", "page", nil},
	"embed":             {"embed", "", []string{"url"}},
	"file":              {"file", "src", nil},
	"swagger":           {"swagger", "src", []string{"path", "method"}},
	"openapi":           {"swagger", "src", []string{"path", "method"}},
	"openapi-operation": {"openapi-operation", "spec", []string{"path", "method"}},
	"openapi-schemas":   {"openapi-schemas", "spec", []string{"schemas"}},
	"openapi-webhook":   {"openapi-webhook", "spec", []string{"name", "method"}},
}

func (c *converter) voidTag(node *block) *Node {
	if node.tag.name == "include" {
		return c.include(node.tag)
	}
	form, ok := voidTags[node.tag.name]
	if !ok {
		return nil
	}
	result := newBlock(form.block, map[string]any{})
	for _, attribute := range node.tag.attributes {
		switch key := attribute.key; {
		case key == form.reference && attribute.value != "":
			result.Data["ref"] = c.tagReference(form.block, attribute.value)
		case key == "schemas" && form.block == "openapi-schemas":
			result.Data["schemas"] = splitNames(attribute.value)
		case slices.Contains(form.attributes, key) && attribute.value != "":
			result.Data[key] = attribute.value
		case readTagFlag(result, key, attribute.value):
		default:
			return nil
		}
	}
	if (form.reference != "" && result.Data["ref"] == nil) || (form.reference == "" && result.text("url") == "") {
		return nil
	}
	if caption := strings.TrimSpace(linesOf(node, c.source)); caption != "" && caption != c.defaultCaption(result) {
		result.set("caption", dedent(linesOf(node, c.source)))
	}
	return result
}

// readTagFlag reads true and false.
func readTagFlag(node *Node, key, value string) bool {
	known := map[string]string{
		"embed fullwidth": "fullWidth", "swagger fullwidth": "fullWidth", "swagger expanded": "expanded",
		"openapi-schemas grouped": "grouped",
	}[node.Type+" "+key]
	if known == "" || (value != "true" && value != "false") {
		return false
	}
	node.Data[known] = value == "true"
	return true
}

func (c *converter) tagReference(block, value string) map[string]any {
	if strings.HasPrefix(block, "openapi-") {
		return map[string]any{"kind": "openapi", "spec": value}
	}
	return c.references.from(value, false)
}

func splitNames(list string) []any {
	names := []any{}
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// defaultCaption is what Render writes between a tag and its end when the
// block has no caption of its own.
func (c *converter) defaultCaption(node *Node) string {
	return defaultCaption(node, c.references)
}

func dedent(source string) string {
	lines := strings.Split(strings.Trim(source, "\n"), "\n")
	for index, line := range lines {
		lines[index] = strings.TrimSpace(line)
	}
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return line == "" }), "\n")
}

func (c *converter) include(tag *tag) *Node {
	if len(tag.attributes) != 1 || tag.attributes[0].key != "" || tag.attributes[0].value == "" {
		return nil
	}
	return newBlock("reusable-content", map[string]any{"ref": c.references.from(tag.attributes[0].value, false)})
}

// integration reads {% @name/block key="value" %}.
func integration(tag *tag) *Node {
	name, blockName, found := strings.Cut(strings.TrimPrefix(tag.name, "@"), "/")
	if !found || name == "" || blockName == "" {
		return nil
	}
	props := map[string]any{}
	node := newBlock("integration", map[string]any{"integration": name, "block": blockName, "props": props})
	for _, attribute := range tag.attributes {
		if attribute.key == "" {
			return nil
		}
		key := attribute.name
		switch key {
		case "url":
			node.set("url", attribute.value)
		case "fullWidth":
			node.set("fullWidth", attribute.value == "true")
		case "data-action":
			var action map[string]any
			if json.Unmarshal([]byte(attribute.value), &action) != nil {
				return nil
			}
			node.Data["action"] = action
		default:
			props[key] = attributeValue(attribute)
		}
	}
	return node
}

// attributeValue reads a property: JSON after json:, text otherwise.
func attributeValue(attribute attribute) any {
	body, found := strings.CutPrefix(attribute.value, "json:")
	var value any
	if found && json.Unmarshal([]byte(body), &value) == nil {
		return value
	}
	return attribute.value
}

func (c *converter) expandable(node *block, around context) *Node {
	title, body := newParagraph(""), []*Node(nil)
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		html, ok := child.(*ast.HTMLBlock)
		if !ok || child != node.FirstChild() {
			body = append(body, c.block(child, around)...)
			continue
		}
		summary, rest, ok := splitSummary(linesOf(html, c.source))
		if !ok {
			body = append(body, c.block(child, around)...)
			continue
		}
		title.Nodes = c.elementInlines(summary)
		if rest != "" {
			body = append(body, newRaw(rest, around))
		}
	}
	expandable := newBlock("expandable", nil)
	expandable.set("open", strings.Contains(string(node.opening), "open"))
	expandable.Fragments = []*Node{
		newFragment("expandable-title", title), newFragment("expandable-body", filled(body)...),
	}
	return expandable
}

// splitSummary cuts the <summary> off the block that begins with it.
func splitSummary(source string) (summary, rest string, ok bool) {
	inner, found := strings.CutPrefix(strings.TrimSpace(source), "<summary>")
	if !found {
		return "", "", false
	}
	summary, rest, found = strings.Cut(inner, "</summary>")
	return strings.Trim(summary, "\n"), strings.TrimSpace(rest), found
}
