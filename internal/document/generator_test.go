package document

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
)

// generator makes random valid documents.
type generator struct {
	*rand.Rand
	depth int
}

func (g *generator) pick(values ...string) string { return values[g.IntN(len(values))] }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// words holds what is easily read as something else.
var words = []string{
	"plain", "Ünïcode", "日本語", "a*b", "_x_", "**", "`tick`", "[a](b)", "![i](j)", "<b>", "&amp;", "&", "\\", "#", "1.", "-",
	"+ item", "> quote", "|", "~~~", "$$", "{{ x }}", "{% hint %}", ":smile:", "http://a.b", "www.a.bc", "me@x.org", "[^1]",
	"!", "===", "---", "a_b_c", "*", "~", "'q'", "\"q\"", "(p)", "<!-- c -->", "</p>", "🎉", "\u00a0", "10:30:45", "https://x.y/z?a=b&c=d",
	"[x]", ":", "$", "{", "}", "%}", "<", ">", "=", "\\n", "#tag", "1) x", "a  b",
}

func (g *generator) text() string {
	parts := make([]string, 1+g.IntN(4))
	for index := range parts {
		parts[index] = words[g.IntN(len(words))]
	}
	return strings.Join(parts, g.pick(" ", " ", "", "\n", "  "))
}

func (g *generator) line() string { return strings.ReplaceAll(g.text(), "\n", " ") }

func (g *generator) marks() []Mark {
	var marks []Mark
	for _, kind := range markOrder {
		if !g.chance(12) {
			continue
		}
		mark := Mark{Type: kind}
		if kind == "color" {
			mark.Data = map[string]any{"text": g.pick("red", "default", "$primary"), "background": g.pick("blue", "yellow")}
		}
		marks = append(marks, mark)
	}
	return marks
}

func (g *generator) textNode() *Node {
	node := newText()
	for range 1 + g.IntN(3) {
		node.Leaves = append(node.Leaves, Leaf{Text: g.text(), Marks: g.marks()})
	}
	return node
}

func (g *generator) url() map[string]any {
	return map[string]any{"kind": "url", "url": g.pick(
		"https://example.com/a?b=c&d=e", "page.md", "../a b.md", "x(y.md", "a_b*c", "<x>", "a\\b", "q\"uo\"te", "a|b", "&amp;")}
}

func (g *generator) reference() map[string]any {
	switch g.IntN(5) {
	case 0:
		return map[string]any{"kind": "page", "page": "pag_1"}
	case 1:
		return map[string]any{"kind": "anchor", "anchor": "some-where", "page": "pag_2"}
	case 2:
		return map[string]any{"kind": "user", "user": "usr_1"}
	}
	return g.url()
}

func (g *generator) inline() *Node {
	switch g.IntN(9) {
	case 0:
		return newInline("link", map[string]any{"ref": g.reference()}, g.textNode())
	case 1:
		return newInline("emoji", map[string]any{"code": g.pick("1f4d8", "1f1e9-1f1ea")})
	case 2:
		return newInline("icon", map[string]any{"icon": g.pick("github", "x-twitter")})
	case 3:
		return newInline("expression", map[string]any{"expression": g.pick("space.vars.a", "a < b && c > \"d\"", "a || `b`", "x[\"y\"] * 2")})
	case 4:
		return newInline("inline-math", map[string]any{"formula": g.pick("x^2", "a | b", "\\frac{a}{b}", "a_b * c_d", " s ")})
	case 5:
		image := newInline("inline-image", map[string]any{"ref": g.url()})
		if g.chance(40) {
			image.Data["alt"] = strings.TrimSpace(g.line())
		}
		if g.chance(30) {
			image.Data["size"] = "line"
		}
		if g.chance(30) {
			image.Data["refDark"] = g.url()
		}
		return image
	case 6:
		return newInline("mention", map[string]any{"ref": g.reference()})
	case 7:
		return newInline("button", map[string]any{"label": strings.TrimSpace(g.line()), "kind": g.pick("primary", "secondary"), "ref": g.reference()})
	}
	annotation := newInline("annotation", nil, newText(Leaf{Text: g.pick("word", "two words", "x*y")}))
	annotation.Fragments = []*Node{newFragment("annotation-body", g.paragraph())}
	walk(annotation.Fragments, func(node *Node) {
		for index := range node.Nodes {
			if node.Nodes[index].Type == "annotation" {
				node.Nodes[index] = g.textNode()
			}
		}
	})
	return annotation
}

func (g *generator) inlines() []*Node {
	var nodes []*Node
	for range 1 + g.IntN(4) {
		if g.chance(65) {
			nodes = append(nodes, g.textNode())
		} else {
			nodes = append(nodes, g.inline())
		}
	}
	return joinTexts(nodes)
}

func (g *generator) paragraph() *Node {
	if g.chance(5) {
		return newParagraph("")
	}
	paragraph := newBlock("paragraph", nil, g.inlines()...)
	if g.chance(5) {
		paragraph.set("align", "center")
	}
	return paragraph
}

func (g *generator) blocks() []*Node {
	g.depth++
	defer func() { g.depth-- }()
	nodes := make([]*Node, 1+g.IntN(3))
	for index := range nodes {
		nodes[index] = g.block()
	}
	return nodes
}

func (g *generator) block() *Node {
	limit := 24
	if g.depth > 3 {
		limit = 9
	}
	switch g.IntN(limit) {
	case 0, 1, 2:
		return g.paragraph()
	case 3:
		heading := newBlock(g.pick("heading-1", "heading-2", "heading-3"), map[string]any{}, g.inlines()...)
		if g.chance(20) {
			heading.Data["id"] = "own-id"
		}
		return heading
	case 4:
		return newBlock("divider", nil)
	case 5:
		return g.code()
	case 6:
		return newBlock("math", map[string]any{"formula": g.pick("x^2", "a\nb", "\\begin{x}\n\n$$\n", "  a", "{% if %}")})
	case 7:
		return g.images()
	case 8:
		return g.void()
	case 9:
		return newBlock("blockquote", nil, g.blocks()...)
	case 10:
		return newBlock("hint", map[string]any{"style": g.pick("info", "danger")}, g.blocks()...)
	case 11, 12, 13, 14:
		return g.list()
	case 15, 16:
		return g.table()
	case 17:
		title := newBlock("paragraph", nil, g.inlines()...)
		expandable := newBlock("expandable", nil)
		expandable.Fragments = []*Node{newFragment("expandable-title", title), newFragment("expandable-body", g.blocks()...)}
		return expandable
	case 18:
		tabs := newBlock("tabs", nil)
		for range 1 + g.IntN(2) {
			tabs.Nodes = append(tabs.Nodes, newBlock("tabs-item", map[string]any{"title": "x" + g.line()}, g.blocks()...))
		}
		return tabs
	case 19:
		return newBlock("stepper", nil, newBlock("stepper-step", nil, g.blocks()...), newBlock("stepper-step", nil, g.blocks()...))
	case 20:
		return newBlock("columns", nil,
			newBlock("column", map[string]any{"width": map[string]any{"value": 50.0, "unit": "%"}}, g.blocks()...),
			newBlock("column", map[string]any{"verticalAlignment": "middle"}, g.blocks()...))
	case 21:
		return newBlock("if", map[string]any{"expression": g.pick("a === \"b\"", "x && y > 2", "q %} z", "'")}, g.blocks()...)
	case 22:
		return newBlock("updates", map[string]any{"format": "full"}, newBlock("update", map[string]any{"date": "2026-01-02"}, g.blocks()...))
	}
	return g.paragraph()
}

func (g *generator) code() *Node {
	code := newBlock("code", nil)
	code.set("syntax", g.pick("", "js", "c++", "a b", "x`y"))
	if g.chance(30) {
		code.set("title", g.line())
		code.set("overflow", "wrap")
		code.set("lineNumbers", true)
	}
	for range g.IntN(4) {
		code.Nodes = append(code.Nodes, newCodeLine(g.pick("", "x", "```", "~~~~", "  indented", "{% endcode %}", "# a", "{% endhint %}", "</details>", "$$")+g.line()))
	}
	for _, line := range code.Nodes {
		if line.Nodes[0].Leaves[0].Text == "" {
			line.Nodes = nil
		}
	}
	if g.chance(10) && len(code.Nodes) > 0 {
		code.Nodes[0].Data = map[string]any{"highlighted": true}
	}
	return code
}

func (g *generator) images() *Node {
	images := newBlock("images", nil)
	if g.chance(40) {
		images.set("align", g.pick("left", "center"))
	}
	for range 1 + g.IntN(2) {
		image := newBlock("image", map[string]any{"ref": g.url()})
		if g.chance(40) {
			image.set("alt", g.text())
			image.Data["width"] = 375.5
		}
		if g.chance(40) {
			image.Fragments = []*Node{newFragment("caption", newBlock("paragraph", nil, g.inlines()...))}
		}
		images.Nodes = append(images.Nodes, image)
	}
	return images
}

func (g *generator) void() *Node {
	switch g.IntN(8) {
	case 0:
		return newBlock("embed", map[string]any{"url": "https://x.y/?a=\"b\""})
	case 1:
		return newBlock("file", map[string]any{"ref": map[string]any{"kind": "file", "file": "fil_1"}})
	case 2:
		return newBlock("content-ref", map[string]any{"ref": g.reference()})
	case 3:
		return newBlock("reusable-content", map[string]any{"ref": map[string]any{"kind": "reusable-content", "reusableContent": "rus_1"}})
	case 4:
		return newBlock("integration", map[string]any{"integration": "mermaid", "block": "content", "props": map[string]any{
			"content": g.line(), "count": 2.0, "list": []any{"a", true}, "fileId": "Ab"}})
	case 5:
		return newBlock("openapi-operation", map[string]any{"ref": map[string]any{"kind": "openapi", "spec": "pet-store"}, "path": "/a/{b}", "method": "get"})
	case 6:
		return newBlock("openapi-schemas", map[string]any{"ref": map[string]any{"kind": "openapi", "spec": "s"}, "schemas": []any{"A", "B"}, "grouped": true})
	}
	return newBlock("swagger", map[string]any{"ref": g.url(), "path": "/x", "method": "post", "expanded": true})
}

func (g *generator) list() *Node {
	list := newBlock(g.pick("list-ordered", "list-unordered", "list-tasks"), nil)
	if list.Type == "list-ordered" && g.chance(30) {
		list.set("start", 7)
	}
	for range 1 + g.IntN(3) {
		item := newBlock("list-item", nil, g.blocks()...)
		if list.Type == "list-tasks" {
			item.Data = map[string]any{"checked": g.chance(50)}
			if item.Nodes[0].Type != "paragraph" || item.Nodes[0].text("align") != "" {
				item.Nodes = append([]*Node{newParagraph("task")}, item.Nodes...)
			}
		}
		list.Nodes = append(list.Nodes, item)
	}
	return list
}

func (g *generator) table() *Node {
	builder := newTableBuilder()
	simple := g.chance(50)
	for range 1 + g.IntN(3) {
		builder.column(strings.TrimSpace(g.line()), textColumn(g.pick("left", "center", "right")))
	}
	kinds := []string{"number", "checkbox", "content-ref", "files", "rating"}
	var typed string
	if !simple {
		typed = kinds[g.IntN(len(kinds))]
		definition := map[string]any{"type": typed}
		if typed == "rating" {
			definition["max"] = 5.0
		}
		id := builder.column("typed", definition)
		builder.widths[id] = 120.0
	}
	for range g.IntN(3) {
		values := map[string]any{}
		for column, id := range builder.columns {
			if builder.definition[id].(map[string]any)["type"] != "text" {
				values[id] = g.cellOf(typed)
				continue
			}
			nodes := []*Node{newBlock("paragraph", nil, g.inlines()...)}
			if !simple && g.chance(30) {
				nodes = append(nodes, newBlock("list-unordered", nil, newBlock("list-item", nil, newBlock("paragraph", nil, g.inlines()...))), newBlock("divider", nil))
			}
			values[id] = builder.cell(column, nodes)
		}
		builder.row(values)
	}
	return builder.table()
}

func (g *generator) cellOf(kind string) any {
	switch kind {
	case "number", "rating":
		return 4.0
	case "checkbox":
		return g.chance(50)
	case "files":
		return []any{"fil_1", "fil_2"}
	}
	return g.reference()
}

func (g *generator) document() *Document {
	return &Document{Data: map[string]any{"schemaVersion": SchemaVersion}, Nodes: g.blocks()}
}

func newGenerator(seed uint64) *generator { return &generator{Rand: rand.New(rand.NewPCG(seed, 1))} }

// simplified returns a form in which documents that mean the same are equal:
// texts are joined, meta, keys and empty data are gone.
func simplified(nodes []*Node) []string {
	var lines []string
	for _, node := range nodes {
		if node.Object == objectText {
			for _, leaf := range node.Leaves {
				marks := make([]string, 0, len(leaf.Marks))
				for _, mark := range orderedMarks(leaf.Marks) {
					marks = append(marks, fmt.Sprint(mark.Type, mark.Data))
				}
				lines = append(lines, fmt.Sprintf("text %q %v %v", leaf.Text, marks, leaf.Raw))
			}
			continue
		}
		data := maps.Clone(notNil(node.Data))
		maps.DeleteFunc(data, func(_ string, value any) bool { return value == "" })
		lines = append(lines, fmt.Sprintf("%s %s%s %v", node.Object, node.Type, node.Fragment, data))
		inner := node.Nodes
		if definitions[node.Type].content == contentInlines || definitions[node.Type].content == contentText {
			inner = joinTexts(copyNodes(inner))
		}
		for _, line := range simplified(inner) {
			lines = append(lines, "  "+line)
		}
		for _, line := range simplified(node.Fragments) {
			lines = append(lines, "  ~ "+line)
		}
	}
	return lines
}

func copyNodes(nodes []*Node) []*Node {
	copies := make([]*Node, 0, len(nodes))
	for _, node := range nodes {
		copied := *node
		copied.Leaves = append([]Leaf(nil), node.Leaves...)
		copies = append(copies, &copied)
	}
	return copies
}
