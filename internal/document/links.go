package document

import (
	"bytes"
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// LinkKind tells what a Link is.
type LinkKind string

// The kinds of links.
const (
	LinkPage       LinkKind = "page-link"
	LinkImage      LinkKind = "image"
	LinkFile       LinkKind = "file"
	LinkContentRef LinkKind = "content-ref"
	LinkEmbed      LinkKind = "embed"
	LinkOpenAPI    LinkKind = "openapi"
	LinkInclude    LinkKind = "include"
	LinkMention    LinkKind = "mention"
	LinkButton     LinkKind = "button"
)

// Link is something that a page refers to.
type Link struct {
	Kind LinkKind
	// Destination is the whole address, with its anchor, as it is meant:
	// escapes are resolved.
	Destination string
	Text        string
	// Anchor is the part of the destination after #.
	Anchor string
	// Line is where the destination stands, from 1.
	Line int
	// Node is the anchor of the heading that the link stands under; it is
	// empty before the first.
	Node string
}

// destination is a link with the bytes of its destination and how they are
// written.
type destination struct {
	link       Link
	start, end int
	write      func(string) string
}

// Links returns every link, image and other reference of a body, in order.
func Links(body []byte) []Link {
	found := destinations(body)
	links := make([]Link, 0, len(found))
	for _, destination := range found {
		links = append(links, destination.link)
	}
	return links
}

// RewriteLinks gives destinations of a page new values: for each link rewrite
// returns the new destination, and whether it is another. Only the bytes of
// the destinations that change do.
func RewriteLinks(source []byte, rewrite func(Link) (string, bool)) []byte {
	frontMatter, body := SplitFrontMatter(source)
	var output bytes.Buffer
	output.Write(frontMatter)
	position := 0
	for _, destination := range destinations(body) {
		changed, differs := rewrite(destination.link)
		if !differs || destination.start < position {
			continue
		}
		output.Write(body[position:destination.start])
		output.WriteString(destination.write(changed))
		position = destination.end
	}
	output.Write(body[position:])
	return output.Bytes()
}

// linkFinder gathers the destinations of a body.
type linkFinder struct {
	*syntax
	found   []destination
	anchors anchorSet
	heading string
}

func destinations(body []byte) []destination {
	finder := &linkFinder{syntax: read(body), anchors: anchorSet{}}
	_ = ast.Walk(finder.root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			return finder.visit(node), nil
		}
		return ast.WalkContinue, nil
	})
	slices.SortStableFunc(finder.found, func(first, second destination) int { return first.start - second.start })
	finder.setLines()
	return finder.found
}

// setLines counts the lines up to each destination, in one pass.
func (f *linkFinder) setLines() {
	line, position := 1, 0
	for index := range f.found {
		line += bytes.Count(f.source[position:f.found[index].start], []byte("\n"))
		position = f.found[index].start
		f.found[index].link.Line = line
	}
}

func (f *linkFinder) visit(node ast.Node) ast.WalkStatus {
	switch node := node.(type) {
	case *ast.Heading:
		converted := (&converter{syntax: f.syntax}).heading(node)
		f.heading = converted.text("id")
		if f.heading == "" {
			f.heading = f.anchors.next(plainInlines(converted.Nodes))
		}
	case *ast.Link:
		f.markdownLink(node, node.Destination, node.Title, LinkPage)
	case *ast.Image:
		f.markdownLink(node, node.Destination, node.Title, LinkImage)
	case *ast.LinkReferenceDefinition:
		f.definition(node)
	case *ast.AutoLink:
		f.autoLink(node)
	case *ast.RawHTML:
		for index := range node.Segments.Len() {
			segment := node.Segments.At(index)
			f.elements(segment.Start, segment.Stop)
		}
	case *inline:
		if node.kind == kindElement {
			f.elements(node.span.start, node.span.end)
		}
	case *ast.HTMLBlock:
		lines := node.Lines()
		if lines.Len() > 0 {
			end := lines.At(lines.Len() - 1).Stop
			if node.HasClosure() {
				end = node.ClosureLine.Stop
			}
			f.elements(lines.At(0).Start, end)
		}
	case *block:
		f.tag(node)
	}
	return ast.WalkContinue
}

func (f *linkFinder) add(kind LinkKind, value, text string, start, end int, write func(string) string) {
	if value == "" || start < 0 || end > len(f.source) {
		return
	}
	_, anchor, _ := strings.Cut(value, "#")
	f.found = append(f.found, destination{
		link:  Link{Kind: kind, Destination: value, Text: text, Anchor: anchor, Node: f.heading},
		start: start, end: end, write: write,
	})
}

// markdownLink adds [text](destination); links by reference are added where
// their definition stands.
func (f *linkFinder) markdownLink(node ast.Node, target, title []byte, kind LinkKind) {
	place, known := f.destinations[node]
	if !known || place.start >= len(f.source) || f.source[place.start] != '(' {
		return
	}
	start, end := destinationSpan(f.source, place.start+1)
	if string(title) == "mention" {
		kind = LinkMention
	}
	f.add(kind, unescapeText(target), f.textOf(node), start, end, writeDestination)
}

func (f *linkFinder) textOf(node ast.Node) string {
	var builder inlineBuilder
	converter := &converter{syntax: f.syntax}
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		if reference, ok := child.(*inline); ok && reference.kind == kindReference {
			continue
		}
		converter.appendInline(&builder, child, nil)
	}
	return plainInlines(builder.result())
}

// destinationSpan finds the bytes of a destination, with its angle brackets.
func destinationSpan(source []byte, position int) (start, end int) {
	for position < len(source) && isBlank(source[position]) {
		position++
	}
	start = position
	if start < len(source) && source[start] == '<' {
		for position++; position < len(source) && source[position] != '>'; position++ {
			if source[position] == '\\' {
				position++
			}
		}
		return start, min(position+1, len(source))
	}
	depth := 0
	for ; position < len(source) && !isBlank(source[position]); position++ {
		switch source[position] {
		case '\\':
			position++
		case '(':
			depth++
		case ')':
			if depth == 0 {
				return start, position
			}
			depth--
		}
	}
	return start, min(position, len(source))
}

// definition adds the destination of [label]: destination.
func (f *linkFinder) definition(node *ast.LinkReferenceDefinition) {
	label := []byte("]:")
	lines := node.Lines()
	if lines.Len() == 0 {
		return
	}
	from, to := lineStart(f.source, lines.At(0).Start), lines.At(lines.Len()-1).Stop
	offset := bytes.Index(f.source[from:max(from, to)], label)
	if offset < 0 {
		return
	}
	start, end := destinationSpan(f.source, from+offset+len(label))
	f.add(LinkPage, unescapeText(node.Destination), string(node.Label), start, end, writeDestination)
}

func (f *linkFinder) autoLink(node *ast.AutoLink) {
	label := node.Label(f.source)
	start := node.Pos()
	if start < 0 {
		return
	}
	offset := bytes.Index(f.source[start:min(len(f.source), start+len(label)+2)], label)
	if offset < 0 {
		return
	}
	value := string(node.URL(f.source))
	if node.AutoLinkType == ast.AutoLinkEmail {
		value = "mailto:" + strings.TrimPrefix(value, "mailto:")
	}
	start += offset
	f.add(LinkPage, value, string(label), start, start+len(label), func(changed string) string {
		return strings.NewReplacer(" ", "%20", "<", "%3C", ">", "%3E").Replace(changed)
	})
}

var (
	elementPattern = regexp.MustCompile(`<[A-Za-z][A-Za-z0-9-]*(?:[^<>"']|"[^"]*"|'[^']*')*>`)
	anchorText     = regexp.MustCompile(`^[^<]*`)
)

// elementLinks gives the kind of each attribute that holds an address.
var elementLinks = map[string]LinkKind{
	"a href": LinkPage, "img src": LinkImage, "source srcset": LinkImage, "source src": LinkFile,
	"video src": LinkFile, "audio src": LinkFile, "iframe src": LinkEmbed,
}

// elements adds the addresses in the HTML between two positions.
func (f *linkFinder) elements(from, to int) {
	source := f.source[from:to]
	for _, match := range elementPattern.FindAllIndex(source, -1) {
		opening := source[match[0]:match[1]]
		name := elementName(string(opening))
		inner := opening[1+len(name) : len(opening)-1]
		attributes, _ := scanAttributes(inner, from+match[0]+1+len(name), "")
		for _, attribute := range attributes {
			kind := elementLinks[name+" "+attribute.key]
			if kind == "" || strings.HasPrefix(attribute.value, "#user-content-fn-") {
				continue
			}
			if own := strings.TrimPrefix(attribute.value, "#"); own != attribute.value && isOwnAnchor(attributes, own) {
				continue
			}
			if bytes.Contains(opening, []byte(`class="button`)) {
				kind = LinkButton
			}
			write := escapeAttribute
			if attribute.quote != '"' {
				write = func(value string) string {
					return strings.NewReplacer("'", "&#x27;", " ", "&#x20;").Replace(escapeAttribute(value))
				}
			}
			text := ""
			if name == "a" {
				text = html.UnescapeString(string(anchorText.Find(f.source[from+match[1]:])))
			}
			f.add(kind, html.UnescapeString(attribute.value), text, attribute.start, attribute.end, write)
		}
	}
}

// isOwnAnchor says whether an element is the anchor that it leads to, as at
// the end of headings.
func isOwnAnchor(attributes []attribute, anchor string) bool {
	return slices.ContainsFunc(attributes, func(attribute attribute) bool {
		return attribute.key == "id" && attribute.value == anchor
	})
}

// tagLinks gives the kind of link of each tag, and the attribute that holds it.
var tagLinks = map[string]struct {
	kind      LinkKind
	attribute string
}{
	"content-ref": {LinkContentRef, "url"}, "page-ref": {LinkContentRef, "page"}, "embed": {LinkEmbed, "url"},
	"file": {LinkFile, "src"}, "include": {LinkInclude, ""}, "swagger": {LinkOpenAPI, "src"},
	"openapi": {LinkOpenAPI, "src"}, "openapi-operation": {LinkOpenAPI, "spec"},
	"openapi-schemas": {LinkOpenAPI, "spec"}, "openapi-webhook": {LinkOpenAPI, "spec"},
}

// tag adds the address of a tag. The link that stands between it and its end
// repeats the address, so it follows it when the tag is rewritten.
func (f *linkFinder) tag(node *block) {
	if node.kind != kindTag {
		return
	}
	form, ok := tagLinks[node.tag.name]
	if !ok {
		return
	}
	for _, attribute := range node.tag.attributes {
		if attribute.key != form.attribute || attribute.value == "" {
			continue
		}
		offset := node.position
		f.add(form.kind, attribute.value, "", offset+attribute.start, offset+attribute.end, func(value string) string {
			return tagValueEscapes.Replace(value)
		})
	}
	f.captionLinks(node)
}

var captionLink = regexp.MustCompile(`\]\(`)

// captionLinks adds the links in the caption of a tag.
func (f *linkFinder) captionLinks(node *block) {
	lines := node.Lines()
	for index := range lines.Len() {
		segment := lines.At(index)
		line := f.source[segment.Start:segment.Stop]
		for _, match := range captionLink.FindAllIndex(line, -1) {
			start, end := destinationSpan(f.source, segment.Start+match[1])
			value := unescapeText(bytes.Trim(f.source[start:end], "<>"))
			f.add(tagLinks[node.tag.name].kind, value, "", start, end, writeDestination)
		}
	}
}
