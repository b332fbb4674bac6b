package document

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// Parse derives the rich-text form of a page's body, which is Markdown without
// front matter. It never fails: what is not understood is kept as it stands.
// Each of its top-level nodes has the key of the Block that it came from; BlockKey
// cuts off what tells several nodes of a block apart.
func Parse(markdown []byte, resolver References) *Document {
	converter := &converter{syntax: read(normalize(markdown)), references: resolver}
	nodes := converter.topLevel()
	assignAnchors(nodes)
	return &Document{Data: map[string]any{"schemaVersion": SchemaVersion}, Nodes: nodes}
}

// normalize makes the source valid UTF-8 with line feeds only.
func normalize(source []byte) []byte {
	if !utf8.Valid(source) {
		source = bytes.ToValidUTF8(source, []byte("\uFFFD"))
	}
	if bytes.IndexByte(source, '\r') >= 0 {
		source = bytes.ReplaceAll(source, []byte("\r\n"), []byte("\n"))
		source = bytes.ReplaceAll(source, []byte("\r"), []byte("\n"))
	}
	if bytes.IndexByte(source, 0) >= 0 {
		source = bytes.ReplaceAll(source, []byte{0}, []byte("\uFFFD"))
	}
	return bytes.TrimPrefix(source, []byte("\uFEFF"))
}

// converter turns goldmark's tree into nodes.
type converter struct {
	*syntax
	references References
	// copies counts the footnotes that were read more than once.
	copies int
	// labels holds the footnotes that the text refers to, once they were looked for.
	labels map[string]bool
}

// context is what the blocks around a block say about it.
type context struct {
	// indented says that the block stands in a list, a quote or a footnote,
	// where a tab at the start of a line is not kept.
	indented bool
}

func (c context) indent() context {
	c.indented = true
	return c
}

// topLevel returns the blocks of the body, each with the key of the Block that
// it came from.
func (c *converter) topLevel() []*Node {
	blocks, owners := c.syntax.blocks()
	made := make([][]*Node, len(blocks))
	index := 0
	for child := c.root.FirstChild(); child != nil; child = child.NextSibling() {
		made[owners[index]] = append(made[owners[index]], c.block(child, context{})...)
		index++
	}
	var nodes []*Node
	for index, block := range blocks {
		for part, node := range made[index] {
			node.Key = partKey(block.Key, part)
		}
		nodes = append(nodes, made[index]...)
	}
	return nodes
}

func (c *converter) blocks(parent ast.Node, around context) []*Node {
	var nodes []*Node
	for child := parent.FirstChild(); child != nil; child = child.NextSibling() {
		nodes = append(nodes, c.block(child, around)...)
	}
	return nodes
}

// filled returns the blocks, or an empty paragraph when there are none.
func filled(nodes []*Node) []*Node {
	if len(nodes) == 0 {
		return []*Node{newParagraph("")}
	}
	return nodes
}

func (c *converter) block(node ast.Node, around context) []*Node {
	switch node := node.(type) {
	case *ast.Heading:
		return []*Node{c.heading(node)}
	case *ast.Paragraph, *ast.TextBlock:
		return c.paragraph(node)
	case *ast.ThematicBreak:
		return []*Node{newBlock("divider", nil)}
	case *ast.Blockquote:
		return []*Node{newBlock("blockquote", nil, filled(c.blocks(node, around.indent()))...)}
	case *ast.List:
		return []*Node{c.list(node, around)}
	case *ast.FencedCodeBlock:
		return []*Node{c.fencedCode(node, around)}
	case *ast.CodeBlock:
		return []*Node{newCode(linesOf(node, c.source), around)}
	case *ast.HTMLBlock:
		return c.html(node, around)
	case *extast.Table:
		return []*Node{c.pipeTable(node)}
	case *ast.LinkReferenceDefinition:
		return nil
	case *footnoteDefinition:
		return c.looseFootnote(node, around)
	case *block:
		return c.dialectBlock(node, around)
	}
	return []*Node{newRaw(linesOf(node, c.source), around)}
}

// newCode makes a code block of lines that end in line feeds.
func newCode(source string, around context) *Node {
	code := newBlock("code", nil)
	if source == "" {
		return code
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(source, "\n"), "\n") {
		if around.indented {
			line = expandTabs(line)
		}
		code.Nodes = append(code.Nodes, newCodeLine(line))
	}
	return code
}

func newCodeLine(text string) *Node {
	return newBlock("code-line", nil, newText(Leaf{Text: text}))
}

// expandTabs replaces the tabs among the blanks that a line begins with: they
// have no fixed width behind the mark of a list or quote.
func expandTabs(line string) string {
	blank := len(line) - len(strings.TrimLeft(line, " \t"))
	return strings.ReplaceAll(line[:blank], "\t", "    ") + line[blank:]
}

// newRaw keeps source that has no rich-text form.
func newRaw(source string, around context) *Node {
	raw := newCode(strings.Trim(source, "\n")+"\n", around)
	raw.Data = map[string]any{"raw": true, "syntax": "html"}
	if strings.HasPrefix(strings.TrimLeft(source, " \t"), "{%") {
		raw.Data["syntax"] = "markdown"
	}
	return raw
}

func (c *converter) fencedCode(node *ast.FencedCodeBlock, around context) *Node {
	code := newCode(linesOf(node, c.source), around)
	if node.Info != nil {
		code.set("syntax", strings.TrimSpace(string(node.Info.Segment.Value(c.source))))
	}
	return code
}

func (c *converter) heading(node *ast.Heading) *Node {
	heading := newBlock(headingType(node.Level), map[string]any{})
	if node.Level > 3 {
		heading.Data["level"] = node.Level
	}
	heading.Nodes = c.inlines(node)
	if id := takeHeadingAnchor(heading); id != "" {
		heading.Data["id"] = id
	}
	return heading
}

func headingType(level int) string {
	return [...]string{"heading-1", "heading-2", "heading-3"}[min(level, 3)-1]
}

// takeHeadingAnchor removes the <a href="#id" id="id"></a> that a heading ends
// with and returns its id.
func takeHeadingAnchor(heading *Node) string {
	count := len(heading.Nodes)
	if count == 0 || heading.Nodes[count-1].Object != objectText {
		return ""
	}
	last := heading.Nodes[count-1]
	leaves := last.Leaves
	if len(leaves) < 2 || !leaves[len(leaves)-1].Raw || leaves[len(leaves)-1].Text != "</a>" {
		return ""
	}
	anchor := leaves[len(leaves)-2]
	if !anchor.Raw || !strings.HasPrefix(anchor.Text, "<a ") {
		return ""
	}
	attributes := elementAttributes(anchor.Text)
	id := attributes["id"]
	if len(attributes) != 2 || !anchorPattern.MatchString(id) || attributes["href"] != "#"+id {
		return ""
	}
	last.Leaves = leaves[:len(leaves)-2]
	if rest := len(last.Leaves); rest > 0 && !last.Leaves[rest-1].Raw {
		last.Leaves[rest-1].Text = strings.TrimSuffix(last.Leaves[rest-1].Text, " ")
		if last.Leaves[rest-1].Text == "" {
			last.Leaves = last.Leaves[:rest-1]
		}
	}
	if len(last.Leaves) == 0 {
		heading.Nodes = heading.Nodes[:count-1]
	}
	return id
}

func (c *converter) paragraph(node ast.Node) []*Node {
	if images := c.imageBlock(node); images != nil {
		return []*Node{images}
	}
	paragraph := newBlock("paragraph", nil, c.inlines(node)...)
	return []*Node{paragraph}
}

// imageBlock returns the images of a paragraph that holds one image and
// nothing else.
func (c *converter) imageBlock(node ast.Node) *Node {
	image, ok := node.FirstChild().(*ast.Image)
	if !ok || image.NextSibling() != nil {
		return nil
	}
	picture := newBlock("image", map[string]any{
		"ref": c.references.from(unescapeText(image.Destination), true),
	})
	picture.set("alt", c.altOf(image))
	picture.Fragments = captionOf(unescapeText(image.Title))
	return newBlock("images", nil, picture)
}

func captionOf(text string) []*Node {
	if text == "" {
		return nil
	}
	return []*Node{newFragment("caption", newParagraph(text))}
}

func (c *converter) list(node *ast.List, around context) *Node {
	list := newBlock("list-unordered", nil)
	tasks := true
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		item := newBlock("list-item", nil)
		checked, isTask := takeCheckBox(child)
		if isTask {
			item.Data = map[string]any{"checked": checked}
		}
		tasks = tasks && isTask
		item.Nodes = filled(c.blocks(child, around.indent()))
		list.Nodes = append(list.Nodes, item)
	}
	switch {
	case node.IsOrdered():
		list.Type = "list-ordered"
		if node.Start != 1 {
			list.Data = map[string]any{"start": node.Start}
		}
	case tasks:
		list.Type = "list-tasks"
	}
	return list
}

// takeCheckBox removes the checkbox that a list item begins with.
func takeCheckBox(item ast.Node) (checked, found bool) {
	first := item.FirstChild()
	if first == nil || first.FirstChild() == nil {
		return false, false
	}
	box, ok := first.FirstChild().(*extast.TaskCheckBox)
	if !ok {
		return false, false
	}
	first.RemoveChild(first, box)
	return box.IsChecked, true
}

// looseFootnote keeps a definition that no reference led to.
func (c *converter) looseFootnote(definition *footnoteDefinition, around context) []*Node {
	if definition.uses > 0 || c.referenced(definition.label) {
		return nil
	}
	nodes := filled(c.blocks(definition, around.indent()))
	label := newText(Leaf{Text: "[^" + definition.label + "]: "})
	if nodes[0].Type != "paragraph" {
		label.Leaves[0].Text = "[^" + definition.label + "]:"
		return append([]*Node{newBlock("paragraph", nil, label)}, nodes...)
	}
	nodes[0].Nodes = joinTexts(append([]*Node{label}, nodes[0].Nodes...))
	trimInlines(nodes[0].Nodes)
	return nodes
}

// referenced says whether a reference outside of footnotes leads to label.
func (c *converter) referenced(label string) bool {
	if c.labels == nil {
		c.labels = map[string]bool{}
		_ = ast.Walk(c.root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			if _, inside := node.(*footnoteDefinition); inside {
				return ast.WalkSkipChildren, nil
			}
			if reference, ok := node.(*inline); ok && reference.kind == kindReference {
				c.labels[reference.value] = true
			}
			return ast.WalkContinue, nil
		})
	}
	return c.labels[label]
}

// assignAnchors gives each heading the anchor that leads to it.
func assignAnchors(nodes []*Node) {
	anchors := anchorSet{}
	walk(nodes, func(node *Node) {
		if !strings.HasPrefix(node.Type, "heading-") {
			return
		}
		id := node.text("id")
		if id == "" {
			id = anchors.next(plainInlines(node.Nodes))
		}
		node.Meta = map[string]any{"id": id}
	})
}

// walk calls visit for each node in the order of reading.
func walk(nodes []*Node, visit func(*Node)) {
	for _, node := range nodes {
		visit(node)
		walk(node.Nodes, visit)
		walk(node.Fragments, visit)
	}
}
