package document

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// containers gives the tag of each block that holds blocks, and the data that
// are its attributes.
var containers = map[string]struct {
	tag        string
	attributes []string
}{
	"hint": {"hint", []string{"style", "icon"}}, "tabs": {"tabs", []string{"fullWidth"}},
	"tabs-item": {"tab", []string{"title", "icon"}}, "stepper": {"stepper", nil},
	"stepper-step": {"step", []string{"icon"}}, "columns": {"columns", []string{"fullWidth"}},
	"column": {"column", []string{"width", "verticalAlignment"}}, "updates": {"updates", []string{"format"}},
	"update": {"update", []string{"date", "tags"}},
}

func (w *writer) tagBlock(node *Node, around place) string {
	if node.Type == "if" {
		return w.condition(node, around)
	}
	container, ok := containers[node.Type]
	if !ok {
		return w.voidBlock(node)
	}
	if itemOf[node.Type] != "" && len(node.Nodes) == 0 {
		return encodeBlock(node)
	}
	var attributes []string
	for _, name := range container.attributes {
		attributes = append(attributes, name, attributeText(node.Data[name]))
	}
	opening := writeTag(container.tag, attributes...)
	if node.Type == "column" {
		opening = strings.Replace(opening, "verticalAlignment=", "valign=", 1)
	}
	return w.enclose(opening, container.tag, node.Nodes, around)
}

// enclose writes blocks between a tag and its end.
func (w *writer) enclose(opening, name string, nodes []*Node, around place) string {
	body := ""
	if len(nodes) > 1 || (len(nodes) == 1 && !isEmptyParagraph(nodes[0])) {
		body = w.blocks(nodes, place{indented: around.indented}) + "\n"
	}
	return opening + "\n" + body + "{% end" + name + " %}"
}

func (w *writer) condition(node *Node, around place) string {
	expression := node.text("expression")
	opening := "{% if " + expression + " %}"
	scanned, ok := scanTag([]byte(opening))
	if !ok || scanned.argument != expression || strings.ContainsAny(expression, "\n\r") {
		return encodeBlock(node)
	}
	return w.enclose(opening, "if", node.Nodes, around)
}

func attributeText(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case bool:
		if value {
			return "true"
		}
		return ""
	}
	return writeLength(value)
}

func (w *writer) voidBlock(node *Node) string {
	switch node.Type {
	case "integration":
		return writeIntegration(node)
	case "reusable-content":
		destination := w.references.to(node.reference("ref"))
		if destination == "" || strings.ContainsAny(destination, "\n\r") {
			return encodeBlock(node)
		}
		return `{% include "` + tagValueEscapes.Replace(destination) + `" %}`
	case "file", "content-ref", "embed", "swagger", "openapi-operation", "openapi-schemas", "openapi-webhook":
		return w.captioned(node)
	}
	return encodeBlock(node)
}

// blockTags gives the tag of each block that voidTags makes.
var blockTags = map[string]string{
	"content-ref": "content-ref", "embed": "embed", "file": "file", "swagger": "openapi",
	"openapi-operation": "openapi-operation", "openapi-schemas": "openapi-schemas", "openapi-webhook": "openapi-webhook",
}

func (w *writer) captioned(node *Node) string {
	name := blockTags[node.Type]
	form := voidTags[name]
	var attributes []string
	if form.reference != "" {
		destination := w.references.to(node.reference("ref"))
		if destination == "" {
			return encodeBlock(node)
		}
		attributes = append(attributes, form.reference, destination)
	}
	for _, key := range form.attributes {
		value := node.text(key)
		if key == "schemas" {
			value = joinNames(node.Data[key])
		}
		attributes = append(attributes, key, value)
	}
	for _, key := range []string{"expanded", "grouped", "fullWidth"} {
		if value, ok := node.Data[key].(bool); ok {
			attributes = append(attributes, key, strconv.FormatBool(value))
		}
	}
	for _, value := range attributes {
		if strings.ContainsAny(value, "\n\r") {
			return encodeBlock(node)
		}
	}
	opening := writeTag(name, attributes...)
	caption := node.text("caption")
	if caption == "" {
		caption = defaultCaption(node, w.references)
	} else if caption != dedent(caption) || strings.Contains(caption, "{%") || strings.Contains(caption, "```") ||
		strings.Contains(caption, "~~~") || strings.Contains(caption, "$$") || strings.Contains(caption, "<") {
		return encodeBlock(node)
	}
	if caption == "" {
		return opening
	}
	return opening + "\n" + caption + "\n{% end" + name + " %}"
}

// joinNames writes a list of names; names that hold a comma cannot be told.
func joinNames(value any) string {
	list, _ := value.([]any)
	names := make([]string, 0, len(list))
	for _, name := range list {
		if text, ok := name.(string); ok {
			names = append(names, text)
		}
	}
	return strings.Join(names, ",")
}

// defaultCaption is what stands between a tag and its end when the block has
// no caption: a link, so that other readers of Markdown show one.
func defaultCaption(node *Node, references References) string {
	switch node.Type {
	case "embed", "file":
		return ""
	case "openapi-operation", "openapi-schemas", "openapi-webhook":
		return "OpenAPI " + plainLabel(references.to(node.reference("ref")))
	}
	destination := references.to(node.reference("ref"))
	if strings.ContainsAny(destination, "<>\n\r`~$%") {
		return ""
	}
	return "[" + escapeText(mentionLabel(destination), lineContext{single: true, link: true}) + "](" +
		writeDestination(destination) + ")"
}

func plainLabel(text string) string {
	return strings.Map(func(character rune) rune {
		if isWord(character) || character == '-' || character == '.' {
			return character
		}
		return ' '
	}, text)
}

var propertyName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

func writeIntegration(node *Node) string {
	props, _ := node.Data["props"].(map[string]any)
	names := make([]string, 0, len(props))
	for name := range props {
		reserved := name == "url" || name == "fullWidth" || name == "data-action"
		if !propertyName.MatchString(name) || reserved {
			return encodeBlock(node)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	name := "@" + node.text("integration") + "/" + node.text("block")
	var attributes []string
	for _, key := range names {
		value, ok := writeProperty(props[key])
		if !ok {
			return encodeBlock(node)
		}
		attributes = append(attributes, key, value)
	}
	attributes = append(attributes, "url", node.text("url"))
	if node.flag("fullWidth") {
		attributes = append(attributes, "fullWidth", "true")
	}
	if action := node.Data["action"]; action != nil {
		encoded, err := json.Marshal(action)
		if err != nil {
			return encodeBlock(node)
		}
		attributes = append(attributes, "data-action", string(encoded))
	}
	written := writeTag(name, attributes...)
	if scanned, ok := scanTag([]byte(written)); !ok || scanned.name != name {
		return encodeBlock(node)
	}
	return written
}

func writeProperty(value any) (string, bool) {
	if text, ok := value.(string); ok {
		return text, text != "" && !strings.ContainsAny(text, "\n\r") && !strings.HasPrefix(text, "json:")
	}
	encoded, err := json.Marshal(value)
	return "json:" + string(encoded), err == nil
}
