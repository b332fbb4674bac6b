package document

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// writer writes Markdown.
type writer struct {
	references References
	// footnotes holds the bodies of the annotations that were written.
	footnotes [][]*Node
}

func newWriter(references References) *writer { return &writer{references: references} }

// item is an inline or a leaf with the marks that enclose it.
type item struct {
	leaf  Leaf
	node  *Node
	marks []Mark
	// neutral items have no marks of their own and take those of both
	// neighbours.
	neutral bool
}

// items takes inlines apart, one for each leaf.
func items(nodes []*Node) []item {
	var result []item
	for _, node := range nodes {
		if node.Object == objectText {
			for _, leaf := range node.Leaves {
				result = appendLeaf(result, leaf)
			}
			continue
		}
		common := commonMarks(node.Nodes)
		result = append(result, item{node: node, marks: common, neutral: definitions[node.Type].void})
	}
	return spread(result)
}

// appendLeaf adds a leaf, joined to the one before it when both look the same.
func appendLeaf(all []item, leaf Leaf) []item {
	if leaf.Text == "" {
		return all
	}
	marks := orderedMarks(leaf.Marks)
	if count := len(all); count > 0 && all[count-1].node == nil && !leaf.Raw && !all[count-1].leaf.Raw &&
		sameMarks(all[count-1].marks, marks) {
		all[count-1].leaf.Text += leaf.Text
		return all
	}
	return append(all, item{leaf: leaf, marks: marks})
}

func orderedMarks(marks []Mark) []Mark {
	var ordered []Mark
	for _, mark := range marks {
		ordered = withMark(ordered, mark)
	}
	return ordered
}

// spread gives neutral items the marks that both neighbours share.
func spread(all []item) []item {
	for index := range all {
		if !all[index].neutral || index == 0 {
			continue
		}
		next := index + 1
		for next < len(all) && all[next].neutral {
			next++
		}
		if next == len(all) {
			break
		}
		for _, mark := range all[index-1].marks {
			if mark.Type != "code" && hasMark(all[next].marks, mark) {
				all[index].marks = withMark(all[index].marks, mark)
			}
		}
	}
	return all
}

// commonMarks returns the marks, but for code, that all texts within share.
func commonMarks(nodes []*Node) []Mark {
	var common []Mark
	first := true
	for _, node := range nodes {
		if node.Object != objectText {
			return nil
		}
		for _, leaf := range node.Leaves {
			if first {
				common = slices.DeleteFunc(orderedMarks(leaf.Marks), func(mark Mark) bool { return mark.Type == "code" })
				first = false
				continue
			}
			common = slices.DeleteFunc(common, func(mark Mark) bool { return !hasMark(leaf.Marks, mark) })
		}
	}
	return common
}

// inlines writes inline Markdown.
func (w *writer) inlines(nodes []*Node, around lineContext) string {
	var output strings.Builder
	around.end = !around.link
	w.writeItems(&output, items(nodes), around)
	return output.String()
}

// piece is a part of a line: text, or something between delimiters.
type piece struct {
	text string
	mark *Mark
	// inner is the text between the delimiters of mark.
	inner string
}

func (w *writer) writeItems(output *strings.Builder, all []item, around lineContext) {
	var pieces []piece
	for index := 0; index < len(all); {
		place := around
		place.start = around.start && index == 0
		current := all[index]
		mark := outermost(current.marks)
		if mark == nil {
			place.end = around.end && index == len(all)-1
			pieces = append(pieces, piece{text: w.item(current, all, index, place)})
			index++
			continue
		}
		end := index
		var group []item
		for end < len(all) && hasMark(all[end].marks, *mark) {
			member := all[end]
			member.marks = withoutMark(member.marks, *mark)
			group = append(group, member)
			end++
		}
		place.start, place.end = false, false
		pieces = append(pieces, w.markPiece(*mark, group, place))
		index = end
	}
	writePieces(output, pieces, around)
}

func outermost(marks []Mark) *Mark {
	for index := range marks {
		if marks[index].Type != "code" {
			return &marks[index]
		}
	}
	return nil
}

func (w *writer) markPiece(mark Mark, group []item, around lineContext) piece {
	var inner strings.Builder
	w.writeItems(&inner, group, around)
	switch mark.Type {
	case "bold", "italic", "strikethrough":
		return piece{mark: &mark, inner: inner.String()}
	case "color":
		return piece{text: `<mark style="` + colorStyle(mark) + `">` + inner.String() + "</mark>"}
	}
	element := markElements[mark.Type]
	return piece{text: "<" + element + ">" + inner.String() + "</" + element + ">"}
}

var delimiters = map[string]string{"bold": "**", "italic": "_", "strikethrough": "~~"}

// writePieces joins the pieces; a mark is written with its delimiters where
// they would be read as such, and as an HTML element elsewhere.
func writePieces(output *strings.Builder, pieces []piece, around lineContext) {
	var previous rune
	if !around.start {
		previous = 'x'
	}
	for index, current := range pieces {
		text := current.text
		if current.mark != nil {
			next := rune(0)
			if index+1 < len(pieces) {
				next = firstRune(pieces[index+1])
			} else if !around.end {
				next = 'x'
			}
			text = delimited(*current.mark, current.inner, previous, next)
		}
		output.WriteString(text)
		if text != "" {
			previous, _ = utf8.DecodeLastRuneInString(text)
		}
	}
}

func firstRune(next piece) rune {
	if next.mark != nil {
		// Whichever form is chosen, it begins with punctuation.
		return '<'
	}
	character, _ := utf8.DecodeRuneInString(next.text)
	return character
}

func delimited(mark Mark, inner string, previous, next rune) string {
	element := markElements[mark.Type]
	asElement := "<" + element + ">" + inner + "</" + element + ">"
	first, _ := utf8.DecodeRuneInString(inner)
	last, _ := utf8.DecodeLastRuneInString(inner)
	if inner == "" || isSpaceRune(first) || isSpaceRune(last) {
		return asElement
	}
	outsideBefore := isSpaceRune(previous) || isPunctuation(previous)
	outsideAfter := isSpaceRune(next) || isPunctuation(next)
	if (isPunctuation(first) && !outsideBefore) || (isPunctuation(last) && !outsideAfter) {
		return asElement
	}
	if mark.Type != "bold" && !(outsideBefore && outsideAfter) {
		return asElement
	}
	delimiter := delimiters[mark.Type]
	if previous == rune(delimiter[0]) || next == rune(delimiter[0]) ||
		first == rune(delimiter[0]) || last == rune(delimiter[0]) {
		return asElement
	}
	return delimiter + inner + delimiter
}

func (w *writer) item(current item, all []item, index int, around lineContext) string {
	if current.node != nil {
		return w.inline(current, all, index, around)
	}
	if current.leaf.Raw {
		return current.leaf.Text
	}
	if len(current.marks) > 0 {
		return writeCode(current.leaf.Text, around)
	}
	return escapeText(current.leaf.Text, around)
}

// writeCode writes a span of code.
func writeCode(code string, around lineContext) string {
	if strings.ContainsAny(code, "\n\r") || (around.cell && strings.ContainsAny(code, `|\`)) {
		around.single, around.start, around.end = true, false, false
		return "<code>" + escapeText(code, around) + "</code>"
	}
	fence := strings.Repeat("`", longestRun(code, '`', true)+1)
	if code[0] == '`' || code[len(code)-1] == '`' ||
		(code[0] == ' ' && code[len(code)-1] == ' ' && strings.Trim(code, " ") != "") {
		code = " " + code + " "
	}
	return fence + code + fence
}

// longestRun returns the length of the longest run of a character; with
// shortest it returns the greatest length below which every length occurs.
func longestRun(text string, character byte, shortest bool) int {
	lengths := map[int]bool{}
	longest := 0
	for index := 0; index < len(text); index++ {
		length := 0
		for index < len(text) && text[index] == character {
			length++
			index++
		}
		if length > 0 {
			lengths[length] = true
			longest = max(longest, length)
		}
	}
	if !shortest {
		return longest
	}
	length := 1
	for lengths[length] {
		length++
	}
	return length - 1
}

func (w *writer) inline(current item, all []item, index int, around lineContext) string {
	node := current.node
	switch node.Type {
	case "link":
		return w.link(node, current, around)
	case "emoji":
		return writeEmoji(node)
	case "icon":
		return writeIcon(node)
	case "expression":
		return `<code class="expression">` + escapeElementText(node.text("expression")) + "</code>"
	case "inline-math":
		return w.inlineMath(node)
	case "inline-image":
		return w.inlineImage(node, around)
	case "annotation":
		return w.annotation(node, current, all, index, around)
	case "mention":
		return w.mention(node, around)
	case "button":
		return w.button(node)
	}
	return encodeInline(node)
}

// escapeElementText writes the text of an element whose content is not
// Markdown; nothing in it may look like a closing tag or a line break.
func escapeElementText(text string) string {
	return elementTextEscapes.Replace(text)
}

func encodeInline(node *Node) string {
	return `<span data-gb-custom-inline data-node="` + encodeNode(node) + `"></span>`
}

func encodeBlock(node *Node) string {
	return `<div data-gb-custom-block data-node="` + encodeNode(node) + `"></div>`
}

// encodeNode writes a node as the value of an attribute.
func encodeNode(node *Node) string {
	encoded, err := json.Marshal(bare(node))
	if err != nil {
		// Data is what JSON decoded or Parse made: it can be encoded again.
		panic(fmt.Sprintf("document: %v", err))
	}
	return markdownEscapes.Replace(escapeAttribute(string(encoded)))
}

// bare returns a copy without what is derived or does not matter, so that
// nodes that mean the same are written alike.
func bare(node *Node) *Node {
	copied := *node
	copied.Key, copied.Meta = "", nil
	copied.Nodes, copied.Fragments = bareNodes(node.Nodes), bareNodes(node.Fragments)
	return &copied
}

func bareNodes(nodes []*Node) []*Node {
	var builder inlineBuilder
	for _, node := range nodes {
		if node.Object != objectText {
			builder.node(bare(node))
			continue
		}
		for _, leaf := range node.Leaves {
			builder.leaf(Leaf{Text: leaf.Text, Marks: orderedMarks(leaf.Marks), Raw: leaf.Raw})
		}
	}
	return builder.result()
}

func (w *writer) link(node *Node, current item, around lineContext) string {
	destination := w.references.to(node.reference("ref"))
	title := node.text("title")
	if title == "mention" || holdsLink(node.Nodes) || (around.cell && strings.ContainsAny(destination+title, `|\`)) {
		return encodeInline(node)
	}
	inner := items(node.Nodes)
	for index := range inner {
		for _, mark := range current.node.commonOuter(current.marks) {
			inner[index].marks = withoutMark(inner[index].marks, mark)
		}
	}
	var label strings.Builder
	w.writeItems(&label, inner, lineContext{single: true, cell: around.cell, link: true})
	return "[" + label.String() + "](" + writeDestination(destination) + writeTitle(title) + ")"
}

// commonOuter returns the marks of the link's text that were written around
// the link: those that the item no longer has.
func (n *Node) commonOuter(left []Mark) []Mark {
	return slices.DeleteFunc(commonMarks(n.Nodes), func(mark Mark) bool { return hasMark(left, mark) })
}

// holdsLink says whether a link would stand in a link, which Markdown lacks.
func holdsLink(nodes []*Node) bool {
	for _, node := range nodes {
		switch node.Type {
		case "link", "mention", "annotation", "button":
			return true
		}
		if holdsLink(node.Nodes) {
			return true
		}
	}
	return false
}

func writeEmoji(node *Node) string {
	name, code := node.text("name"), node.text("code")
	if name != "" && emojiOf(name) == code {
		return ":" + strings.ReplaceAll(name, "_", `\_`) + ":"
	}
	characters := emojiCharacters(code)
	if characters == "" || name != "" {
		return encodeInline(node)
	}
	return `<span data-gb-custom-inline data-tag="emoji" data-code="` + escapeAttribute(code) + `">` +
		escapeElementText(characters) + "</span>"
}

func writeIcon(node *Node) string {
	icon, color := node.text("icon"), node.text("color")
	if !isIdentifier(icon) {
		return encodeInline(node)
	}
	style := ""
	if color != "" {
		style = ` style="color:` + color + `;"`
	}
	return `<i class="fa-` + icon + `"` + style + ">:" + icon + ":</i>"
}

func (w *writer) inlineMath(node *Node) string {
	formula := node.text("formula")
	if formula == "" || formula != strings.TrimSpace(formula) || strings.ContainsAny(formula, "\n\r|") ||
		strings.Contains(formula, "$$") || strings.HasPrefix(formula, "$") || strings.HasSuffix(formula, "$") ||
		strings.HasSuffix(formula, `\`) {
		return encodeInline(node)
	}
	return "$$" + formula + "$$"
}

func (w *writer) inlineImage(node *Node, around lineContext) string {
	destination := w.references.to(node.reference("ref"))
	if destination == "" {
		return encodeInline(node)
	}
	dark, size, caption, alt := node.reference("refDark"), node.text("size"), node.text("caption"), node.text("alt")
	if dark == nil && size == "" && caption == "" && !around.cell && !around.start &&
		!strings.ContainsAny(alt, "\n\r") && alt == strings.TrimSpace(alt) {
		return "![" + escapeText(alt, lineContext{single: true, link: true}) + "](" + writeDestination(destination) + ")"
	}
	image := `<img src="` + elementAttribute(destination) + `" alt="` + elementAttribute(alt) + `"`
	if caption != "" {
		image += ` title="` + elementAttribute(caption) + `"`
	}
	if size != "" {
		image += ` data-size="` + size + `"`
	}
	image += ">"
	if dark == nil {
		return image
	}
	return `<picture><source srcset="` + elementAttribute(w.references.to(dark)) +
		`" media="(prefers-color-scheme: dark)">` + image + "</picture>"
}

// elementAttribute writes an attribute in the midst of Markdown.
func elementAttribute(value string) string {
	return markdownEscapes.Replace(escapeAttribute(value))
}

func (w *writer) annotation(node *Node, current item, all []item, index int, around lineContext) string {
	body := node.fragment("annotation-body")
	if body == nil || around.link || holdsAnnotation(body.Nodes) {
		return encodeInline(node)
	}
	w.footnotes = append(w.footnotes, body.Nodes)
	number := len(w.footnotes)
	inner := items(node.Nodes)
	for position := range inner {
		for _, mark := range node.commonOuter(current.marks) {
			inner[position].marks = withoutMark(inner[position].marks, mark)
		}
	}
	if len(inner) == 1 && inner[0].node == nil && len(inner[0].marks) == 0 && !inner[0].leaf.Raw &&
		lastWord(inner[0].leaf.Text) == inner[0].leaf.Text && !wordBefore(all, index) {
		return fmt.Sprintf("%s[^%d]", escapeText(inner[0].leaf.Text, lineContext{cell: around.cell}), number)
	}
	var label strings.Builder
	w.writeItems(&label, inner, lineContext{single: true, cell: around.cell, link: true})
	return fmt.Sprintf("[%s](#user-content-fn-%d)[^%d]", label.String(), number, number)
}

// holdsAnnotation says whether a body has annotations of its own.
func holdsAnnotation(nodes []*Node) bool {
	found := false
	walk(nodes, func(node *Node) { found = found || node.Type == "annotation" })
	return found
}

// wordBefore says whether the text before an item runs on into it.
func wordBefore(all []item, index int) bool {
	if index == 0 || all[index-1].node != nil || all[index-1].leaf.Raw {
		return false
	}
	return lastWord(all[index-1].leaf.Text) != ""
}

func (w *writer) mention(node *Node, around lineContext) string {
	destination := w.references.to(node.reference("ref"))
	label := node.text("caption")
	if label == "" {
		label = mentionLabel(destination)
	}
	if label == "" || (around.cell && strings.ContainsAny(destination, `|\`)) || strings.ContainsAny(label, "\n\r") ||
		around.link || label != strings.TrimSpace(label) {
		return encodeInline(node)
	}
	return "[" + escapeText(label, lineContext{single: true, cell: around.cell, link: true}) + "](" +
		writeDestination(destination) + ` "mention")`
}

func (w *writer) button(node *Node) string {
	label := node.text("label")
	if label == "" || strings.ContainsAny(label, "\n\r") {
		return encodeInline(node)
	}
	icon := ""
	if name := node.text("icon"); name != "" {
		icon = ` data-icon="` + elementAttribute(name) + `"`
	}
	return `<a href="` + elementAttribute(w.references.to(node.reference("ref"))) + `" class="button ` +
		node.text("kind") + `"` + icon + ">" + escapeText(label, lineContext{single: true, cell: true}) + "</a>"
}
