package document

import (
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"octavo/internal/condition"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// maximumCopies bounds how many references to a footnote after its first
// repeat its text.
const maximumCopies = 100

func (c *converter) inlines(parent ast.Node) []*Node {
	var builder inlineBuilder
	c.appendInlines(&builder, parent, nil)
	return builder.result()
}

// appendInlines adds the children of parent. An HTML element whose tags are
// both among them is read as what it stands for.
func (c *converter) appendInlines(builder *inlineBuilder, parent ast.Node, marks []Mark) {
	var children []ast.Node
	for child := parent.FirstChild(); child != nil; child = child.NextSibling() {
		children = append(children, child)
	}
	ends := c.pairElements(children)
	c.appendRange(builder, children, ends, 0, len(children), marks)
}

func (c *converter) appendRange(
	builder *inlineBuilder, children []ast.Node, ends map[int]int, from, to int, marks []Mark,
) {
	for index := from; index < to; index++ {
		raw, ok := children[index].(*ast.RawHTML)
		if !ok {
			c.appendInline(builder, children[index], marks)
			continue
		}
		source := c.segmentsText(raw)
		if end, paired := ends[index]; paired {
			inside := func(inner []Mark, target *inlineBuilder) {
				c.appendRange(target, children, ends, index+1, end, inner)
			}
			if c.appendElement(builder, source, inside, marks) {
				index = end
				continue
			}
		}
		if node := c.voidElement(source); node != nil {
			builder.node(node)
			continue
		}
		if isLineBreak(source) {
			builder.text("\n", marks)
			continue
		}
		builder.leaf(Leaf{Text: strings.ReplaceAll(source, "\n", " "), Marks: marks, Raw: true})
	}
}

func (c *converter) segmentsText(raw *ast.RawHTML) string {
	var source strings.Builder
	for index := range raw.Segments.Len() {
		segment := raw.Segments.At(index)
		source.Write(segment.Value(c.source))
	}
	return source.String()
}

var closingElement = regexp.MustCompile(`^</([A-Za-z][A-Za-z0-9-]*)\s*>$`)

// pairElements finds the closing tag of each opening tag among siblings.
func (c *converter) pairElements(children []ast.Node) map[int]int {
	var ends map[int]int
	var stack []int
	open := map[string]int{}
	names := map[int]string{}
	for index, child := range children {
		raw, ok := child.(*ast.RawHTML)
		if !ok {
			continue
		}
		source := c.segmentsText(raw)
		if closing := closingElement.FindStringSubmatch(source); closing != nil {
			name := strings.ToLower(closing[1])
			for open[name] > 0 {
				last := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				open[names[last]]--
				if names[last] == name {
					if ends == nil {
						ends = map[int]int{}
					}
					ends[last] = index
					break
				}
			}
			continue
		}
		name := elementName(source)
		if name == "" || strings.HasSuffix(source, "/>") || len(stack) >= maximumNesting {
			continue
		}
		names[index] = name
		open[name]++
		stack = append(stack, index)
	}
	return ends
}

var openingElement = regexp.MustCompile(`^<([A-Za-z][A-Za-z0-9-]*)`)

func elementName(source string) string {
	match := openingElement.FindStringSubmatch(source)
	if match == nil {
		return ""
	}
	return strings.ToLower(match[1])
}

// elementAttributes reads the attributes of an opening tag.
func elementAttributes(source string) map[string]string {
	name := elementName(source)
	inner := strings.TrimSuffix(strings.TrimSuffix(source[min(len(source), 1+len(name)):], ">"), "/")
	scanned, _ := scanAttributes([]byte(inner), 0, "")
	attributes := make(map[string]string, len(scanned))
	for _, attribute := range scanned {
		attributes[attribute.key] = html.UnescapeString(attribute.value)
	}
	return attributes
}

func isLineBreak(source string) bool {
	return elementName(source) == "br" && len(elementAttributes(source)) == 0
}

// appendElement adds the element that the opening tag begins, unless it is
// not understood; inside adds its content.
func (c *converter) appendElement(
	builder *inlineBuilder, opening string, inside func([]Mark, *inlineBuilder), marks []Mark,
) bool {
	name, attributes := elementName(opening), elementAttributes(opening)
	if mark := elementMarks[name]; mark != "" && len(attributes) == 0 {
		inside(withMark(marks, Mark{Type: mark}), builder)
		return true
	}
	if name == "mark" && len(attributes) == 1 {
		color, ok := colorMark(attributes["style"])
		if ok {
			inside(withMark(marks, color), builder)
		}
		return ok
	}
	if name != "a" {
		return false
	}
	if _, annotated := attributes["data-footnote-ref"]; annotated && len(attributes) == 2 {
		return c.annotationElement(builder, attributes["href"], inside, marks)
	}
	kind, isButton := buttonKind(attributes)
	if isButton {
		var label inlineBuilder
		inside(nil, &label)
		button := newInline("button", map[string]any{
			"label": plainInlines(label.result()), "kind": kind, "ref": c.references.from(attributes["href"], false),
		})
		button.set("icon", attributes["data-icon"])
		builder.node(button)
		return true
	}
	if _, linked := attributes["href"]; !linked || len(attributes) != 1 {
		return false
	}
	var content inlineBuilder
	inside(marks, &content)
	if len(content.result()) == 0 {
		return false
	}
	builder.node(newInline("link", map[string]any{"ref": c.references.from(attributes["href"], false)}, content.result()...))
	return true
}

// buttonKind reads the attributes of <a class="button primary">.
func buttonKind(attributes map[string]string) (kind string, ok bool) {
	kind, ok = strings.CutPrefix(attributes["class"], "button ")
	_, linked := attributes["href"]
	expected := 2
	if _, icon := attributes["data-icon"]; icon {
		expected++
	}
	return kind, ok && linked && (kind == "primary" || kind == "secondary") && len(attributes) == expected
}

func (c *converter) annotationElement(
	builder *inlineBuilder, href string, inside func([]Mark, *inlineBuilder), marks []Mark,
) bool {
	label, ok := strings.CutPrefix(href, "#user-content-fn-")
	if !ok {
		return false
	}
	body := c.footnoteBody(label)
	if body == nil {
		return false
	}
	var content inlineBuilder
	inside(marks, &content)
	annotation := newInline("annotation", nil, content.result()...)
	annotation.Fragments = []*Node{newFragment("annotation-body", body...)}
	builder.node(annotation)
	return true
}

// voidElement reads an element without content, such as <img>.
func (c *converter) voidElement(source string) *Node {
	if elementName(source) != "img" {
		return nil
	}
	attributes := elementAttributes(source)
	image := newInline("inline-image", map[string]any{})
	for key, value := range attributes {
		switch {
		case key == "src":
			image.Data["ref"] = c.references.from(value, true)
		case key == "alt":
			image.set("alt", value)
		case key == "title":
			image.set("caption", value)
		case key == "data-size" && (value == "line" || value == "original"):
			image.set("size", value)
		default:
			return nil
		}
	}
	if image.Data["ref"] == nil {
		return nil
	}
	return image
}

func (c *converter) appendInline(builder *inlineBuilder, node ast.Node, marks []Mark) {
	switch node := node.(type) {
	case *ast.Text:
		builder.text(unescapeText(node.Segment.Value(c.source)), marks)
		if node.HardLineBreak() {
			builder.text("\n", marks)
		} else if node.SoftLineBreak() {
			builder.text(" ", marks)
		}
	case *ast.String:
		builder.text(string(node.Value), marks)
	case *ast.CodeSpan:
		builder.text(c.codeText(node), withMark(marks, Mark{Type: "code"}))
	case *ast.Emphasis:
		c.appendInlines(builder, node, withMark(marks, Mark{Type: map[bool]string{true: "bold", false: "italic"}[node.Level == 2]}))
	case *extast.Strikethrough:
		c.appendInlines(builder, node, withMark(marks, Mark{Type: "strikethrough"}))
	case *ast.Link:
		c.appendLink(builder, node, marks)
	case *ast.Image:
		image := newInline("inline-image", map[string]any{"ref": c.references.from(unescapeText(node.Destination), true)})
		image.set("alt", c.altOf(node))
		image.set("caption", unescapeText(node.Title))
		builder.node(image)
	case *ast.AutoLink:
		c.appendAutoLink(builder, node, marks)
	case *extast.TaskCheckBox:
		builder.text(map[bool]string{true: "[x] ", false: "[ ] "}[node.IsChecked], marks)
	case *inline:
		c.appendDialectInline(builder, node, marks)
	default:
		c.appendInlines(builder, node, marks)
	}
}

func (c *converter) codeText(span *ast.CodeSpan) string {
	var code strings.Builder
	for child := span.FirstChild(); child != nil; child = child.NextSibling() {
		if text, ok := child.(*ast.Text); ok {
			code.Write(text.Segment.Value(c.source))
		}
	}
	return strings.ReplaceAll(code.String(), "\n", " ")
}

func (c *converter) appendLink(builder *inlineBuilder, link *ast.Link, marks []Mark) {
	destination := unescapeText(link.Destination)
	var content inlineBuilder
	c.appendInlines(&content, link, marks)
	reference := c.references.from(destination, false)
	title := unescapeText(link.Title)
	if title == "mention" {
		mention := newInline("mention", map[string]any{"ref": reference})
		if label := plainInlines(content.result()); label != mentionLabel(destination) {
			mention.set("caption", label)
		}
		builder.node(mention)
		return
	}
	node := newInline("link", map[string]any{"ref": reference}, content.result()...)
	node.set("title", title)
	builder.node(node)
}

// mentionLabel is the text that a mention is written with: the last part of
// its destination.
func mentionLabel(destination string) string {
	trimmed := strings.TrimRight(destination, "/")
	return trimmed[strings.LastIndexByte(trimmed, '/')+1:]
}

func (c *converter) appendAutoLink(builder *inlineBuilder, link *ast.AutoLink, marks []Mark) {
	label := string(link.Label(c.source))
	destination := string(link.URL(c.source))
	if link.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(destination), "mailto:") {
		destination = "mailto:" + destination
	}
	builder.node(newInline("link", map[string]any{"ref": c.references.from(destination, false)},
		newText(Leaf{Text: label, Marks: marks})))
}

// altOf returns the text of an image's description.
func (c *converter) altOf(image *ast.Image) string {
	var builder inlineBuilder
	for child := image.FirstChild(); child != nil; child = child.NextSibling() {
		if reference, ok := child.(*inline); ok && reference.kind == kindReference {
			builder.text("[^"+reference.value+"]", nil)
			continue
		}
		c.appendInline(&builder, child, nil)
	}
	return strings.ReplaceAll(plainInlines(builder.result()), "\n", " ")
}

func (c *converter) appendDialectInline(builder *inlineBuilder, node *inline, marks []Mark) {
	switch node.kind {
	case kindInlineMath:
		builder.node(newInline("inline-math", map[string]any{"formula": node.value}))
	case kindExpression:
		if len(node.value) > condition.MaximumLength {
			builder.text("{{ "+node.value+" }}", marks)
			return
		}
		builder.node(newInline("expression", map[string]any{"expression": node.value}))
	case kindEmoji:
		builder.node(newInline("emoji", map[string]any{"code": emojiOf(node.value), "name": node.value}))
	case kindReference:
		c.appendAnnotation(builder, node.value, marks)
	case kindElement:
		if converted := c.customElement(node.value); converted != nil {
			builder.node(converted)
			return
		}
		builder.leaf(Leaf{Text: node.value, Marks: marks, Raw: true})
	}
}

// appendAnnotation makes an annotation of a footnote: of the link before it
// that leads there, or of the word before it.
func (c *converter) appendAnnotation(builder *inlineBuilder, label string, marks []Mark) {
	body := c.footnoteBody(label)
	if body == nil {
		builder.text("[^"+label+"]", marks)
		return
	}
	annotation := newInline("annotation", nil, takeAnnotated(builder)...)
	annotation.Fragments = []*Node{newFragment("annotation-body", body...)}
	builder.node(annotation)
}

// takeAnnotated removes what a footnote mark speaks of from the builder.
func takeAnnotated(builder *inlineBuilder) []*Node {
	count := len(builder.result())
	if count == 0 {
		return nil
	}
	last := builder.result()[count-1]
	if last.Type == "link" {
		url, _ := last.reference("ref")["url"].(string)
		if !strings.HasPrefix(url, "#user-content-fn-") {
			return nil
		}
		builder.nodes = builder.result()[:count-1]
		return last.Nodes
	}
	if last.Object != objectText {
		return nil
	}
	leaf := &last.Leaves[len(last.Leaves)-1]
	word := lastWord(leaf.Text)
	if leaf.Raw || word == "" {
		return nil
	}
	annotated := newText(Leaf{Text: word, Marks: leaf.Marks})
	leaf.Text = strings.TrimSuffix(leaf.Text, word)
	if leaf.Text == "" {
		last.Leaves = last.Leaves[:len(last.Leaves)-1]
	}
	if len(last.Leaves) == 0 {
		builder.nodes = builder.result()[:count-1]
	}
	return []*Node{annotated}
}

func isWord(character rune) bool {
	return character == '_' || unicode.IsLetter(character) || unicode.IsDigit(character)
}

// lastWord returns the letters and digits that text ends with.
func lastWord(text string) string {
	start := len(text)
	for start > 0 {
		character, size := utf8.DecodeLastRuneInString(text[:start])
		if !isWord(character) {
			break
		}
		start -= size
	}
	return text[start:]
}

// footnoteBody returns the blocks of a footnote; nil when there is none, or
// when it stands in itself, or was repeated too often.
func (c *converter) footnoteBody(label string) []*Node {
	definition := c.footnotes[label]
	if definition == nil || definition.busy {
		return nil
	}
	if definition.uses > 0 {
		if c.copies >= maximumCopies {
			return nil
		}
		c.copies++
	}
	definition.uses++
	definition.busy = true
	defer func() { definition.busy = false }()
	return filled(c.blocks(definition, context{indented: true}))
}

// customElement reads the elements whose content is not Markdown.
func (c *converter) customElement(source string) *Node {
	end := strings.IndexByte(source, '>') + 1
	opening, rest := source[:end], source[end:]
	inner := rest[:max(0, strings.LastIndex(rest, "</"))]
	attributes := elementAttributes(opening)
	switch elementName(opening) {
	case "code":
		expression := strings.TrimSpace(html.UnescapeString(inner))
		if len(attributes) != 1 || expression == "" || len(expression) > condition.MaximumLength {
			return nil
		}
		return newInline("expression", map[string]any{"expression": expression})
	case "i":
		return iconElement(attributes, inner)
	case "span":
		return spanElement(attributes)
	case "picture":
		return c.pictureElement(inner)
	}
	return nil
}

func iconElement(attributes map[string]string, inner string) *Node {
	icon := strings.TrimPrefix(attributes["class"], "fa-")
	if icon == "" || strings.Contains(icon, " ") || inner != ":"+icon+":" {
		return nil
	}
	node := newInline("icon", map[string]any{"icon": icon})
	if style, colored := attributes["style"]; colored {
		color, ok := colorMark(style)
		if !ok || color.Data["background"] != "default" {
			return nil
		}
		node.set("color", color.Data["text"])
	}
	for key := range attributes {
		if key != "class" && key != "style" {
			return nil
		}
	}
	return node
}

func spanElement(attributes map[string]string) *Node {
	if encoded, ok := attributes["data-node"]; ok {
		return decodeNode(encoded, objectInline)
	}
	code := attributes["data-code"]
	if attributes["data-tag"] != "emoji" || emojiCharacters(code) == "" {
		return nil
	}
	return newInline("emoji", map[string]any{"code": code})
}

// decodeNode reads a node from a data-node attribute; nil when it is not valid.
func decodeNode(encoded, object string) *Node {
	var node Node
	if json.Unmarshal([]byte(encoded), &node) != nil || node.Object != object {
		return nil
	}
	if validateAlone(&node) != nil {
		return nil
	}
	return &node
}

func (c *converter) pictureElement(inner string) *Node {
	sources := elementTags(inner)
	if len(sources) != 2 || elementName(sources[0]) != "source" {
		return nil
	}
	image := c.voidElement(sources[1])
	attributes := elementAttributes(sources[0])
	if image == nil || attributes["srcset"] == "" || !strings.Contains(attributes["media"], "dark") {
		return nil
	}
	image.Data["refDark"] = c.references.from(attributes["srcset"], true)
	return image
}

var anyElement = regexp.MustCompile(`<[^<>]+>`)

func elementTags(source string) []string {
	tags := anyElement.FindAllString(source, 4)
	if strings.TrimSpace(anyElement.ReplaceAllString(source, "")) != "" {
		return nil
	}
	return tags
}

var entity = regexp.MustCompile(`^&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)

// unescapeText resolves backslashes and entities.
func unescapeText(source []byte) string {
	if !strings.ContainsAny(string(source), `\&`) {
		return string(source)
	}
	var plain strings.Builder
	for index := 0; index < len(source); index++ {
		character := source[index]
		if character == '\\' && index+1 < len(source) && util.IsPunct(source[index+1]) {
			index++
			plain.WriteByte(source[index])
			continue
		}
		if character == '&' {
			if match := entity.Find(source[index:min(len(source), index+40)]); match != nil {
				plain.WriteString(strings.ReplaceAll(html.UnescapeString(string(match)), "\x00", "\uFFFD"))
				index += len(match) - 1
				continue
			}
		}
		plain.WriteByte(character)
	}
	return plain.String()
}
