package content

import (
	"maps"
	"path"
	"strings"

	"octavo/internal/document"
)

// frontMatterKeys gives the key under which front matter states a field of a
// page. The title stands in the first heading, or under "title"; layout and
// cover are made of several keys.
var frontMatterKeys = map[string]string{
	"description":   "description",
	"emoji":         "emoji",
	"icon":          "icon",
	"condition":     "if",
	"hidden":        "hidden",
	"noIndex":       "noIndex",
	"noRobotsIndex": "noRobotsIndex",
	"variables":     "vars",
}

// fileNames translates between ids of files and what front matter calls them.
type fileNames struct {
	files []*File
}

// reference returns the content reference that a page states as text: an
// address, "/files/<id>", or a path relative to the page's own file.
func (n fileNames) reference(page *Page, text string) map[string]any {
	if id, found := strings.CutPrefix(text, "/files/"); found {
		return map[string]any{"kind": "file", "file": id}
	}
	if strings.Contains(text, "://") {
		return map[string]any{"kind": "url", "url": text}
	}
	wanted := path.Join(path.Dir(page.GitPath), text)
	if strings.HasPrefix(text, "/") {
		wanted = strings.TrimPrefix(path.Clean(text), "/")
	}
	for _, file := range n.files {
		if file.GitPath != "" && file.GitPath == wanted {
			return map[string]any{"kind": "file", "file": file.ID}
		}
	}
	return map[string]any{"kind": "url", "url": text}
}

// text returns what front matter says for a reference of kind file or url.
func (n fileNames) text(reference map[string]any) any {
	if len(reference) == 0 {
		return nil
	}
	if id, ok := reference["file"].(string); ok {
		return "/files/" + id
	}
	return reference["url"]
}

// readMetadata returns a copy of the page with the metadata of the source. A
// source with front matter replaces everything that front matter can state; one
// without replaces the title only, if it has one. stated holds the names of the
// fields that the source gives a value. The error, a *fault.Error, says what in
// the front matter cannot be read.
func readMetadata(page *Page, source []byte, names fileNames) (read *Page, stated map[string]bool, err error) {
	copied := *page
	read, stated = &copied, map[string]bool{}
	frontMatter, body := document.SplitFrontMatter(source)
	if title := headingOf(body); title != "" {
		read.Title, stated["title"] = title, true
	}
	if len(frontMatter) == 0 {
		return read, stated, nil
	}
	found, err := document.ParseFrontMatter(frontMatter)
	if err != nil {
		return nil, nil, err
	}
	if title := onOneLine(valueOf(found.Title)); title != "" {
		read.Title, stated["title"] = title, true
	}
	read.SetFrontMatter(found, func(text string) map[string]any { return names.reference(read, text) })
	for name, given := range map[string]bool{
		"description": found.Description != nil, "emoji": found.Emoji != nil, "icon": found.Icon != nil, "condition": found.If != nil,
		"hidden": found.Hidden != nil, "noIndex": found.NoIndex != nil, "noRobotsIndex": found.NoRobotsIndex != nil,
		"variables": found.Vars != nil, "layout": found.Layout != document.Layout{}, "cover": found.Cover != nil,
	} {
		stated[name] = given
	}
	return read, stated, nil
}

// SetFrontMatter sets what front matter can state, but the title, and removes
// what it does not state. image returns the content reference of a cover; nil
// for one that does not exist, without which the page has no cover.
func (p *Page) SetFrontMatter(found document.Metadata, image func(text string) map[string]any) {
	p.Description = valueOf(found.Description)
	p.Emoji = valueOf(found.Emoji)
	p.Icon = valueOf(found.Icon)
	p.Condition = valueOf(found.If)
	p.Hidden = valueOf(found.Hidden)
	p.NoIndex = valueOf(found.NoIndex)
	p.NoRobots = valueOf(found.NoRobotsIndex)
	p.Variables = variableValues(found.Vars)
	p.Layout = readLayout(found.Layout)
	p.Cover = readCover(found, image)
}

// headingOf returns the title that a source without front matter gives itself,
// empty without a heading of level one.
func headingOf(body []byte) string {
	return onOneLine(document.Title(body))
}

func onOneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}

func valueOf[Value any](pointer *Value) Value {
	if pointer == nil {
		var none Value
		return none
	}
	return *pointer
}

// variableValues makes all numbers float64, as they are in a tree.
func variableValues(found map[string]any) map[string]any {
	if len(found) == 0 {
		return nil
	}
	variables := make(map[string]any, len(found))
	for name, value := range found {
		switch number := value.(type) {
		case int:
			value = float64(number)
		case int64:
			value = float64(number)
		case uint64:
			value = float64(number)
		}
		variables[name] = value
	}
	return variables
}

// layoutPart is a part of a layout that is shown or not.
type layoutPart struct {
	key   string
	of    func(*Layout) *bool
	found func(document.Layout) *bool
}

var layoutParts = []layoutPart{
	{"cover", func(l *Layout) *bool { return &l.Cover }, func(l document.Layout) *bool { return l.Cover }},
	{"title", func(l *Layout) *bool { return &l.Title }, func(l document.Layout) *bool { return l.Title }},
	{"description", func(l *Layout) *bool { return &l.Description }, func(l document.Layout) *bool { return l.Description }},
	{"tableOfContents", func(l *Layout) *bool { return &l.TableOfContents }, func(l document.Layout) *bool { return l.TableOfContents }},
	{"outline", func(l *Layout) *bool { return &l.Outline }, func(l document.Layout) *bool { return l.Outline }},
	{"pagination", func(l *Layout) *bool { return &l.Pagination }, func(l document.Layout) *bool { return l.Pagination }},
	{"metadata", func(l *Layout) *bool { return &l.Metadata }, func(l document.Layout) *bool { return l.Metadata }},
}

func readLayout(found document.Layout) *Layout {
	if found == (document.Layout{}) {
		return nil
	}
	layout := DefaultLayout()
	if found.Width != nil {
		layout.Width = *found.Width
	}
	if found.CoverSize != nil {
		layout.CoverSize = *found.CoverSize
	}
	for _, part := range layoutParts {
		if visible := part.found(found); visible != nil {
			*part.of(&layout) = *visible
		}
	}
	return &layout
}

// writtenLayout returns what front matter says for a layout. What it said
// beyond the parts of a layout stays.
func writtenLayout(layout *Layout, before document.Layout) any {
	if layout == nil {
		return nil
	}
	values := map[string]any{"width": layout.Width}
	for _, part := range layoutParts {
		values[part.key] = map[string]any{"visible": *part.of(layout)}
	}
	values["cover"] = map[string]any{"visible": layout.Cover, "size": layout.CoverSize}
	if before.Tags != nil {
		values["tags"] = map[string]any{"visible": *before.Tags}
	}
	if before.Actions != nil {
		values["actions"] = map[string]any{"visible": *before.Actions}
	}
	return values
}

func readCover(found document.Metadata, image func(text string) map[string]any) *Cover {
	if valueOf(found.Cover) == "" {
		return nil
	}
	light := image(*found.Cover)
	if light == nil {
		return nil
	}
	cover := &Cover{Ref: light, YPos: valueOf(found.CoverY), Height: valueOf(found.CoverHeight)}
	if dark := valueOf(found.CoverDark); dark != "" {
		cover.RefDark = image(dark)
	}
	return cover
}

// writtenCover returns the keys of the front matter whose values differ
// between two covers.
func writtenCover(before, after *Cover, names fileNames) map[string]any {
	old, changed := coverKeys(before, names), coverKeys(after, names)
	maps.DeleteFunc(changed, func(key string, value any) bool { return equalValues(old[key], value) })
	return changed
}

func coverKeys(cover *Cover, names fileNames) map[string]any {
	keys := map[string]any{"cover": nil, "coverDark": nil, "coverY": nil, "coverHeight": nil}
	if cover == nil {
		return keys
	}
	keys["cover"], keys["coverDark"] = names.text(cover.Ref), names.text(cover.RefDark)
	keys["coverY"] = cover.YPos
	if cover.Height != 0 {
		keys["coverHeight"] = cover.Height
	}
	return keys
}

// writeMetadata changes a source that states the metadata of before so that it
// states that of after. Nothing else changes, and nothing at all when the two
// do not differ in what a source states. A heading that is not the title of
// before has a life of its own and stays. The error, a *fault.Error, says why
// the front matter cannot be changed.
func writeMetadata(source []byte, before, after *Page, names fileNames) ([]byte, error) {
	if statesSame(before, after, names) {
		return source, nil
	}
	frontMatter, body := document.SplitFrontMatter(source)
	found, err := document.ParseFrontMatter(frontMatter)
	if err != nil {
		return nil, err
	}
	changes := changedKeys(before, after, names)
	if !equalPointers(before.Layout, after.Layout) {
		changes["layout"] = writtenLayout(after.Layout, found.Layout)
	}
	if before.Title != after.Title {
		if found.Title != nil {
			changes["title"] = after.Title
		}
		if heading := headingOf(body); heading != "" && heading == onOneLine(before.Title) {
			source = document.ReplaceTitle(source, after.Title)
		}
	}
	if len(changes) == 0 {
		return source, nil
	}
	return document.UpdateFrontMatter(source, changes)
}

// statesSame tells whether a source that suits one page suits the other.
func statesSame(a, b *Page, names fileNames) bool {
	return a.Title == b.Title && equalPointers(a.Layout, b.Layout) && len(changedKeys(a, b, names)) == 0
}

// changedKeys returns the keys of front matter in which two pages differ, but
// for title and layout.
func changedKeys(before, after *Page, names fileNames) document.MetadataChanges {
	changes := document.MetadataChanges{}
	for _, field := range plainAndCompositeFields {
		key, known := frontMatterKeys[field.name]
		if !known {
			continue
		}
		if value := field.read(after); !equalValues(field.read(before), value) {
			changes[key] = value
		}
	}
	if !equalDeep(before.Cover, after.Cover) {
		maps.Copy(changes, writtenCover(before.Cover, after.Cover, names))
	}
	return changes
}
