package document

import (
	"maps"
	"slices"
	"strings"
)

// markOrder is the order in which marks enclose one another, outermost first.
var markOrder = []string{
	"color", "bold", "italic", "strikethrough", "superscript", "subscript", "keyboard", "code",
}

// markElements gives the HTML element of each mark that has one of its own.
var markElements = map[string]string{
	"bold": "strong", "italic": "em", "strikethrough": "del", "superscript": "sup", "subscript": "sub",
	"keyboard": "kbd", "code": "code",
}

// elementMarks gives the mark of each HTML element that has no attributes.
var elementMarks = map[string]string{
	"strong": "bold", "b": "bold", "em": "italic", "i": "italic", "del": "strikethrough", "s": "strikethrough",
	"strike": "strikethrough", "sup": "superscript", "sub": "subscript", "kbd": "keyboard", "code": "code",
}

func sameMark(first, second Mark) bool {
	return first.Type == second.Type && maps.Equal(first.Data, second.Data)
}

func sameMarks(first, second []Mark) bool { return slices.EqualFunc(first, second, sameMark) }

func hasMark(marks []Mark, mark Mark) bool {
	return slices.ContainsFunc(marks, func(other Mark) bool { return sameMark(mark, other) })
}

// withMark returns the marks and one more, in their order. A mark of the same
// type is replaced: the innermost colour shows.
func withMark(marks []Mark, mark Mark) []Mark {
	added := slices.DeleteFunc(slices.Clone(marks), func(other Mark) bool { return other.Type == mark.Type })
	added = append(added, mark)
	slices.SortStableFunc(added, func(first, second Mark) int {
		return slices.Index(markOrder, first.Type) - slices.Index(markOrder, second.Type)
	})
	return added
}

func withoutMark(marks []Mark, mark Mark) []Mark {
	return slices.DeleteFunc(slices.Clone(marks), func(other Mark) bool { return sameMark(mark, other) })
}

// colorMark reads the style of a <mark>.
func colorMark(style string) (Mark, bool) {
	data := map[string]any{"text": "default", "background": "default"}
	found := false
	for declaration := range strings.SplitSeq(style, ";") {
		property, value, ok := strings.Cut(declaration, ":")
		property, value = strings.TrimSpace(property), strings.TrimSpace(value)
		if property == "" && !ok {
			continue
		}
		key := map[string]string{"color": "text", "background-color": "background"}[property]
		if key == "" || !slices.Contains(textColors, value) {
			return Mark{}, false
		}
		data[key] = value
		found = true
	}
	return Mark{Type: "color", Data: data}, found
}

// colorStyle writes the style of a <mark>.
func colorStyle(mark Mark) string {
	style := ""
	if color, _ := mark.Data["text"].(string); color != "default" && color != "" {
		style += "color:" + color + ";"
	}
	if color, _ := mark.Data["background"].(string); color != "default" && color != "" {
		style += "background-color:" + color + ";"
	}
	if style == "" {
		return "color:default;"
	}
	return style
}

// inlineBuilder gathers inlines, joining texts.
type inlineBuilder struct {
	nodes []*Node
	// tail is the text of the last leaf while it grows.
	tail []byte
}

// result returns what was gathered.
func (b *inlineBuilder) result() []*Node {
	if b.tail != nil {
		last := b.nodes[len(b.nodes)-1]
		last.Leaves[len(last.Leaves)-1].Text = string(b.tail)
		b.tail = nil
	}
	return b.nodes
}

func (b *inlineBuilder) leaf(leaf Leaf) {
	if leaf.Text == "" {
		return
	}
	if count := len(b.nodes); count > 0 && b.nodes[count-1].Object == objectText {
		last := b.nodes[count-1]
		end := &last.Leaves[len(last.Leaves)-1]
		if !leaf.Raw && !end.Raw && sameMarks(end.Marks, leaf.Marks) {
			if b.tail == nil {
				b.tail = append(b.tail, end.Text...)
			}
			b.tail = append(b.tail, leaf.Text...)
			return
		}
		b.result()
		last.Leaves = append(last.Leaves, leaf)
		return
	}
	b.nodes = append(b.nodes, newText(leaf))
}

func (b *inlineBuilder) text(text string, marks []Mark) { b.leaf(Leaf{Text: text, Marks: marks}) }

func (b *inlineBuilder) node(node *Node) {
	if node.Object == objectText {
		for _, leaf := range node.Leaves {
			b.leaf(leaf)
		}
		return
	}
	b.nodes = append(b.result(), node)
}

// joinTexts merges neighbouring texts and leaves.
func joinTexts(nodes []*Node) []*Node {
	var builder inlineBuilder
	for _, node := range nodes {
		builder.node(node)
	}
	return builder.result()
}

// trimInlines removes the blanks at the end of the last text.
func trimInlines(nodes []*Node) {
	if len(nodes) == 0 {
		return
	}
	last := nodes[len(nodes)-1]
	if last.Object == objectText && len(last.Leaves) == 1 && !last.Leaves[0].Raw {
		last.Leaves[0].Text = strings.TrimRight(last.Leaves[0].Text, " ")
	}
}
