package document

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// html reads a block of HTML: what the dialect writes as HTML becomes the
// block that it stands for, and anything else is kept.
func (c *converter) html(node *ast.HTMLBlock, around context) []*Node {
	source := linesOf(node, c.source)
	if node.HasClosure() {
		source += string(node.ClosureLine.Value(c.source))
	}
	if converted := c.htmlBlock(strings.TrimSpace(source)); converted != nil {
		return converted
	}
	return []*Node{newRaw(source, around)}
}

func (c *converter) htmlBlock(source string) []*Node {
	if len(source) > maximumElement || strings.Contains(source, "<!--") {
		return nil
	}
	elements := parseElements(source)
	if len(elements) == 0 {
		return nil
	}
	if len(elements) > 1 || isInlineElement(elements[0]) {
		return c.inlineElements(elements, source)
	}
	switch element := elements[0]; element.Data {
	case "p", "h1", "h2", "h3":
		return c.alignedElement(element)
	case "figure":
		return c.figures([]*html.Node{element}, nil)
	case "div":
		return c.division(element)
	case "table":
		if table := c.htmlTable(element); table != nil {
			return []*Node{table}
		}
	}
	return nil
}

// maximumElement bounds the HTML that is read as a block of the dialect; more
// is kept as it stands.
const maximumElement = 1 << 20

// parseElements parses a fragment of HTML; nil unless writing it anew keeps
// its elements where they are.
func parseElements(source string) []*html.Node {
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(source), body)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(nodes, func(node *html.Node) bool {
		return node.Type == html.TextNode && strings.TrimSpace(node.Data) == ""
	})
}

func isInlineElement(node *html.Node) bool {
	if node.Type != html.ElementNode {
		return node.Type == html.TextNode
	}
	switch node.Data {
	case "img", "a", "br", "picture", "i", "span", "code", "kbd", "strong", "em", "del", "sup", "sub", "mark":
		return true
	}
	return false
}

// inlineElements reads a line of inline elements as a paragraph.
func (c *converter) inlineElements(elements []*html.Node, source string) []*Node {
	if strings.Contains(source, "\n") || !slices.ContainsFunc(elements, isInlineElement) {
		return nil
	}
	for _, element := range elements {
		if !isInlineElement(element) {
			return nil
		}
	}
	inlines := c.elementInlines(source)
	if len(inlines) == 0 || hasRaw(inlines) {
		return nil
	}
	return []*Node{newBlock("paragraph", nil, inlines...)}
}

func hasRaw(inlines []*Node) bool {
	for _, node := range inlines {
		if slices.ContainsFunc(node.Leaves, func(leaf Leaf) bool { return leaf.Raw }) || hasRaw(node.Nodes) {
			return true
		}
	}
	return false
}

func attributesOf(node *html.Node) map[string]string {
	attributes := make(map[string]string, len(node.Attr))
	for _, attribute := range node.Attr {
		attributes[attribute.Key] = attribute.Val
	}
	return attributes
}

func childrenOf(node *html.Node) []*html.Node {
	var children []*html.Node
	for child := node.FirstChild; child != nil; child = child.NextSibling {
		children = append(children, child)
	}
	return children
}

// elementsOf returns the children that are elements; ok is false when there is
// text between them.
func elementsOf(node *html.Node) (elements []*html.Node, ok bool) {
	for _, child := range childrenOf(node) {
		switch {
		case child.Type == html.ElementNode:
			elements = append(elements, child)
		case strings.TrimSpace(child.Data) != "":
			return nil, false
		}
	}
	return elements, true
}

// alignedElement reads <p align="center"> and aligned headings.
func (c *converter) alignedElement(element *html.Node) []*Node {
	attributes := attributesOf(element)
	align := map[string]string{"left": "start", "right": "end"}[attributes["align"]]
	if align == "" {
		align = attributes["align"]
	}
	inlines := c.treeInlines(childrenOf(element))
	if hasRaw(inlines) {
		return nil
	}
	node := newBlock("paragraph", nil, inlines...)
	if element.Data != "p" {
		node = newBlock(headingType(int(element.Data[1]-'0')), map[string]any{}, inlines...)
		if id := attributes["id"]; anchorPattern.MatchString(id) {
			node.set("id", id)
			delete(attributes, "id")
		}
	}
	if len(attributes) == 0 && len(inlines) == 0 {
		return []*Node{node}
	}
	if len(attributes) != 1 || !slices.Contains(alignments, align) {
		return nil
	}
	node.set("align", align)
	return []*Node{node}
}

// division reads a <div> around figures, or around one node.
func (c *converter) division(element *html.Node) []*Node {
	attributes := attributesOf(element)
	if encoded, ok := attributes["data-node"]; ok && len(attributes) == 2 {
		if node := decodeNode(encoded, objectBlock); node != nil {
			return []*Node{node}
		}
		return nil
	}
	figures, ok := elementsOf(element)
	if !ok || len(figures) == 0 {
		return nil
	}
	return c.figures(figures, attributes)
}

func (c *converter) figures(elements []*html.Node, attributes map[string]string) []*Node {
	images := newBlock("images", nil)
	for key, value := range attributes {
		switch {
		case key == "align" && slices.Contains([]string{"left", "center", "right"}, value):
			images.set("align", value)
		case key == "data-full-width" && value == "true":
			images.set("fullWidth", true)
		case key == "data-with-frame" && value == "true":
			images.set("withFrame", true)
		default:
			return nil
		}
	}
	for _, element := range elements {
		if element.Data == "figure" && len(elements) == 1 && len(element.Attr) > 0 && attributes == nil {
			return nil
		}
		image := c.figure(element)
		if image == nil {
			return nil
		}
		images.Nodes = append(images.Nodes, image)
	}
	return []*Node{images}
}

// figure reads <figure> with its picture and caption, or a lone <img>.
func (c *converter) figure(element *html.Node) *Node {
	if element.Data == "img" {
		return c.blockImage(element)
	}
	parts, ok := elementsOf(element)
	if !ok || element.Data != "figure" || len(element.Attr) > 0 || len(parts) == 0 || len(parts) > 2 {
		return nil
	}
	image := c.blockImage(parts[0])
	if image == nil || len(parts) == 1 {
		return image
	}
	if parts[1].Data != "figcaption" || len(parts[1].Attr) > 0 {
		return nil
	}
	caption, ok := c.caption(parts[1])
	if !ok {
		return nil
	}
	image.Fragments = caption
	return image
}

func (c *converter) caption(element *html.Node) (fragments []*Node, ok bool) {
	children := childrenOf(element)
	if len(children) == 0 {
		return nil, true
	}
	var paragraphs []*Node
	elements, onlyElements := elementsOf(element)
	isParagraph := func(node *html.Node) bool { return node.Data == "p" && len(node.Attr) == 0 }
	if onlyElements && !slices.ContainsFunc(elements, func(node *html.Node) bool { return !isParagraph(node) }) {
		for _, paragraph := range elements {
			paragraphs = append(paragraphs, newBlock("paragraph", nil, c.treeInlines(childrenOf(paragraph))...))
		}
	} else {
		paragraphs = append(paragraphs, newBlock("paragraph", nil, c.treeInlines(children)...))
	}
	for _, paragraph := range paragraphs {
		if hasRaw(paragraph.Nodes) {
			return nil, false
		}
	}
	if len(paragraphs) == 1 && len(paragraphs[0].Nodes) == 0 {
		return nil, true
	}
	return []*Node{newFragment("caption", paragraphs...)}, true
}

func (c *converter) blockImage(element *html.Node) *Node {
	if element.Data == "picture" {
		parts, ok := elementsOf(element)
		if !ok || len(parts) != 2 || parts[0].Data != "source" {
			return nil
		}
		source := attributesOf(parts[0])
		image := c.blockImage(parts[1])
		if image == nil || source["srcset"] == "" || !strings.Contains(source["media"], "dark") || len(source) != 2 {
			return nil
		}
		image.Data["refDark"] = c.references.from(source["srcset"], true)
		return image
	}
	attributes := attributesOf(element)
	if element.Data != "img" || attributes["src"] == "" {
		return nil
	}
	image := newBlock("image", map[string]any{})
	for key, value := range attributes {
		switch key {
		case "src":
			image.Data["ref"] = c.references.from(value, true)
		case "alt":
			image.set("alt", value)
		case "width", "height":
			size := parseLength(value)
			if size == nil {
				return nil
			}
			image.Data[key] = size
		default:
			return nil
		}
	}
	return image
}

// elementInlines reads inline HTML.
func (c *converter) elementInlines(source string) []*Node {
	return c.treeInlines(parseInlineElements(source))
}

func parseInlineElements(source string) []*html.Node {
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(source), body)
	if err != nil {
		return []*html.Node{{Type: html.TextNode, Data: source}}
	}
	return nodes
}

func (c *converter) treeInlines(nodes []*html.Node) []*Node {
	var builder inlineBuilder
	c.appendTree(&builder, nodes, nil, 0)
	return builder.result()
}

func (c *converter) appendTree(builder *inlineBuilder, nodes []*html.Node, marks []Mark, depth int) {
	for _, node := range nodes {
		switch node.Type {
		case html.TextNode:
			builder.text(strings.ReplaceAll(node.Data, "\n", " "), marks)
		case html.ElementNode:
			c.appendTreeElement(builder, node, marks, depth)
		case html.CommentNode:
			builder.leaf(Leaf{Text: "<!--" + strings.ReplaceAll(node.Data, "\n", " ") + "-->", Marks: marks, Raw: true})
		}
	}
}

func (c *converter) appendTreeElement(builder *inlineBuilder, node *html.Node, marks []Mark, depth int) {
	opening := openingTag(node)
	inside := func(inner []Mark, target *inlineBuilder) {
		c.appendTree(target, childrenOf(node), inner, depth+1)
	}
	if depth < maximumNesting {
		if elementOpening.MatchString(opening) {
			if converted := c.customElement(renderElement(node)); converted != nil {
				builder.node(converted)
				return
			}
		}
		if c.appendElement(builder, opening, inside, marks) {
			return
		}
		if image := c.voidElement(opening); image != nil {
			builder.node(image)
			return
		}
	}
	if isLineBreak(opening) {
		builder.text("\n", marks)
		return
	}
	builder.leaf(Leaf{Text: opening, Marks: marks, Raw: true})
	if isVoidElement(node.Data) {
		return
	}
	if depth < maximumNesting {
		inside(marks, builder)
	} else {
		builder.text(elementText(node), marks)
	}
	builder.leaf(Leaf{Text: "</" + node.Data + ">", Marks: marks, Raw: true})
}

func elementText(node *html.Node) string {
	var text strings.Builder
	for descendant := range node.Descendants() {
		if descendant.Type == html.TextNode {
			text.WriteString(strings.ReplaceAll(descendant.Data, "\n", " "))
		}
	}
	return text.String()
}

func isVoidElement(name string) bool {
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr":
		return true
	}
	return false
}

// openingTag writes the opening tag of an element in one form.
func openingTag(node *html.Node) string {
	var tag strings.Builder
	tag.WriteString("<" + node.Data)
	for _, attribute := range node.Attr {
		tag.WriteString(" " + attribute.Key)
		if attribute.Val != "" {
			tag.WriteString(`="` + escapeAttribute(attribute.Val) + `"`)
		}
	}
	tag.WriteString(">")
	return tag.String()
}

func renderElement(node *html.Node) string {
	var rendered strings.Builder
	if html.Render(&rendered, node) != nil {
		return ""
	}
	return strings.ReplaceAll(rendered.String(), "\n", " ")
}
