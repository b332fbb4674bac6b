package document

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Section is the part of a page under one heading, up to the next heading.
type Section struct {
	// Anchor leads to the heading; it is empty for what precedes the first.
	Anchor string
	Title  string
	// Level is that of the heading, 1 to 6; 0 without one.
	Level int
	// Text is the plain text of the section, without its title.
	Text string
}

// Sections splits a body into the parts under its headings, for search.
func Sections(body []byte) []Section {
	var sections []Section
	current := Section{}
	var lines []string
	finish := func() {
		current.Text = strings.Join(lines, "\n")
		if current.Level > 0 || current.Text != "" {
			sections = append(sections, current)
		}
	}
	for _, node := range flattenSections(Parse(body, References{}).Nodes) {
		if !strings.HasPrefix(node.Type, "heading-") {
			if text := strings.TrimSpace(plainBlock(node)); text != "" {
				lines = append(lines, text)
			}
			continue
		}
		finish()
		anchor, _ := node.Meta["id"].(string)
		current = Section{Anchor: anchor, Title: plainInlines(node.Nodes), Level: headingLevel(node)}
		lines = nil
	}
	finish()
	return sections
}

// flattenSections takes the blocks that may hold headings apart.
func flattenSections(nodes []*Node) []*Node {
	var flat []*Node
	for _, node := range nodes {
		if definitions[node.Type].content == contentBlocks || (definitions[node.Type].content == contentItems && itemOf[node.Type] != "code-line" && !strings.HasPrefix(node.Type, "list-") && node.Type != "images") {
			flat = append(flat, flattenSections(node.Nodes)...)
			continue
		}
		flat = append(flat, node)
	}
	return flat
}

// PlainText returns the text of a document without any marks, a line for each
// block.
func PlainText(document *Document) string {
	var lines []string
	for _, node := range document.Nodes {
		if text := strings.TrimSpace(plainBlock(node)); text != "" {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}

func plainBlock(node *Node) string {
	var lines []string
	add := func(text string) {
		if strings.TrimSpace(text) != "" {
			lines = append(lines, text)
		}
	}
	switch definitions[node.Type].content {
	case contentInlines:
		return plainInlines(node.Nodes)
	case contentBlocks, contentItems:
		if title := node.text("title"); title != "" {
			add(title)
		}
		for _, child := range node.Nodes {
			if child.Type == "code-line" {
				lines = append(lines, plainInlines(child.Nodes))
				continue
			}
			add(plainBlock(child))
		}
		return strings.Join(lines, "\n")
	}
	for _, key := range []string{"formula", "alt"} {
		add(node.text(key))
	}
	add(plainCaption(node.text("caption")))
	if node.Type == "table" {
		return plainTable(node)
	}
	for _, fragment := range node.Fragments {
		for _, child := range fragment.Nodes {
			add(plainBlock(child))
		}
	}
	return strings.Join(lines, "\n")
}

// linkCaption is a caption that is a link alone: what blocks that lead somewhere
// have by custom.
var linkCaption = regexp.MustCompile(`^\[([^\[\]]*)\]\([^()\s]*\)$`)

func plainCaption(caption string) string {
	if link := linkCaption.FindStringSubmatch(caption); link != nil {
		return unescapeText([]byte(link[1]))
	}
	return caption
}

func plainTable(node *Node) string {
	table := readTable(node)
	cells := table.index()
	var lines []string
	var titles []string
	for _, id := range table.columns {
		if title, _ := table.column(id)["title"].(string); title != "" && table.shown[id] {
			titles = append(titles, title)
		}
	}
	if len(titles) > 0 {
		lines = append(lines, strings.Join(titles, " "))
	}
	for _, values := range table.rows {
		var row []string
		for _, id := range table.columns {
			name, _ := values[id].(string)
			for _, child := range cells[name] {
				row = append(row, plainBlock(child))
			}
		}
		if text := strings.TrimSpace(strings.Join(row, " ")); text != "" {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}

// plainInlines returns the text of inlines.
func plainInlines(nodes []*Node) string {
	var text strings.Builder
	for _, node := range nodes {
		for _, leaf := range node.Leaves {
			if !leaf.Raw {
				text.WriteString(leaf.Text)
			}
		}
		switch node.Type {
		case "emoji":
			text.WriteString(emojiCharacters(node.text("code")))
		case "inline-math":
			text.WriteString(node.text("formula"))
		case "inline-image":
			text.WriteString(node.text("alt"))
		case "button":
			text.WriteString(node.text("label"))
		case "mention":
			text.WriteString(node.text("caption"))
		}
		text.WriteString(plainInlines(node.Nodes))
	}
	return text.String()
}

// Anchor returns the anchor of a heading: lower case, without punctuation,
// with hyphens for spaces.
func Anchor(heading string) string {
	var anchor strings.Builder
	for _, character := range strings.ToLower(strings.TrimSpace(heading)) {
		switch {
		case character == ' ' || character == '-':
			anchor.WriteByte('-')
		case character == '_' || unicode.IsLetter(character) || unicode.IsDigit(character) || unicode.IsMark(character):
			anchor.WriteRune(character)
		}
	}
	return anchor.String()
}

// anchorSet gives the headings of a page anchors that differ.
type anchorSet map[string]int

func (s anchorSet) next(heading string) string {
	anchor := Anchor(heading)
	count, taken := s[anchor]
	s[anchor] = count + 1
	if !taken {
		return anchor
	}
	for {
		numbered := anchor + "-" + strconv.Itoa(count)
		if _, taken := s[numbered]; !taken {
			s[numbered] = 1
			return numbered
		}
		count++
		s[anchor] = count + 1
	}
}
