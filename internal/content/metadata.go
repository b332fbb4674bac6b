package content

import (
	"fmt"
	"maps"
	"path"
	"strings"
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
// fields that the source gives a value.
func readMetadata(page *Page, source []byte, names fileNames) (read *Page, stated map[string]bool, err error) {
	copied := *page
	read, stated = &copied, map[string]bool{}
	if title, found := sourceTitle(source); found {
		read.Title, stated["title"] = title, true
	}
	values, err := parseFrontMatter(source)
	if err != nil {
		return nil, nil, err
	}
	if values == nil {
		return read, stated, nil
	}
	if title, ok := values["title"].(string); ok && title != "" {
		read.Title, stated["title"] = title, true
	}
	if err := readFields(read, values, stated); err != nil {
		return nil, nil, err
	}
	stated["layout"], stated["cover"] = values["layout"] != nil, values["cover"] != nil
	if read.Layout, err = readLayout(values["layout"]); err != nil {
		return nil, nil, err
	}
	read.Cover, err = readCover(read, values, names)
	return read, stated, err
}

func readFields(page *Page, values map[string]any, stated map[string]bool) error {
	for _, field := range plainAndCompositeFields {
		key, known := frontMatterKeys[field.name]
		if !known {
			continue
		}
		stated[field.name] = values[key] != nil
		value, err := fieldValue(field.name, values[key])
		if err != nil {
			return fmt.Errorf("%s in the front matter: %w", key, err)
		}
		field.write(page, value)
	}
	return nil
}

// fieldValue turns what YAML says into what the field holds.
func fieldValue(name string, value any) (any, error) {
	switch name {
	case "hidden", "noIndex", "noRobotsIndex":
		flag, ok := value.(bool)
		if value != nil && !ok {
			return nil, fmt.Errorf("%v is neither true nor false", value)
		}
		return flag, nil
	case "variables":
		return variableValues(value)
	}
	switch value := value.(type) {
	case nil:
		return nil, nil
	case string:
		return strings.TrimSpace(value), nil
	case bool, int, int64, uint64, float64:
		return fmt.Sprint(value), nil
	}
	return nil, fmt.Errorf("a text is expected")
}

func variableValues(value any) (any, error) {
	if value == nil {
		return nil, nil
	}
	values, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("names with values are expected")
	}
	variables := make(map[string]any, len(values))
	for name, value := range values {
		if number, ok := numberValue(value); ok {
			value = number
		}
		variables[name] = value
	}
	return variables, nil
}

func numberValue(value any) (float64, bool) {
	switch value := value.(type) {
	case int:
		return float64(value), true
	case int64:
		return float64(value), true
	case uint64:
		return float64(value), true
	case float64:
		return value, true
	}
	return 0, false
}

// layoutPart is a part of a layout that is shown or not.
type layoutPart struct {
	key string
	of  func(*Layout) *bool
}

var layoutParts = []layoutPart{
	{"cover", func(layout *Layout) *bool { return &layout.Cover }},
	{"title", func(layout *Layout) *bool { return &layout.Title }},
	{"description", func(layout *Layout) *bool { return &layout.Description }},
	{"tableOfContents", func(layout *Layout) *bool { return &layout.TableOfContents }},
	{"outline", func(layout *Layout) *bool { return &layout.Outline }},
	{"pagination", func(layout *Layout) *bool { return &layout.Pagination }},
	{"metadata", func(layout *Layout) *bool { return &layout.Metadata }},
}

func readLayout(value any) (*Layout, error) {
	if value == nil {
		return nil, nil
	}
	values, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("layout in the front matter: its parts are expected")
	}
	layout := DefaultLayout()
	if width, ok := values["width"].(string); ok {
		layout.Width = width
	}
	for _, part := range layoutParts {
		properties, _ := values[part.key].(map[string]any)
		if visible, ok := properties["visible"].(bool); ok {
			*part.of(&layout) = visible
		}
		if size, ok := properties["size"].(string); ok && part.key == "cover" {
			layout.CoverSize = size
		}
	}
	return &layout, nil
}

func writtenLayout(layout *Layout) any {
	if layout == nil {
		return nil
	}
	values := map[string]any{"width": layout.Width}
	for _, part := range layoutParts {
		values[part.key] = map[string]any{"visible": *part.of(layout)}
	}
	values["cover"] = map[string]any{"visible": layout.Cover, "size": layout.CoverSize}
	return values
}

func readCover(page *Page, values map[string]any, names fileNames) (*Cover, error) {
	text, ok := values["cover"].(string)
	if !ok || text == "" {
		return nil, nil
	}
	cover := &Cover{Ref: names.reference(page, strings.TrimSpace(text))}
	if dark, ok := values["coverDark"].(string); ok && dark != "" {
		cover.RefDark = names.reference(page, strings.TrimSpace(dark))
	}
	cover.YPos, _ = numberValue(values["coverY"])
	cover.Height, _ = numberValue(values["coverHeight"])
	return cover, nil
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
// do not differ in what a source states.
func writeMetadata(source []byte, before, after *Page, names fileNames) ([]byte, error) {
	changes := changedKeys(before, after, names)
	if before.Title != after.Title {
		values, err := parseFrontMatter(source)
		if err != nil {
			return nil, err
		}
		if _, stated := values["title"]; stated {
			changes["title"] = after.Title
		}
		source = replaceSourceTitle(source, after.Title)
	}
	if len(changes) == 0 {
		return source, nil
	}
	return updateFrontMatter(source, changes)
}

// statesSame tells whether a source that suits one page suits the other.
func statesSame(a, b *Page, names fileNames) bool {
	return a.Title == b.Title && len(changedKeys(a, b, names)) == 0
}

func changedKeys(before, after *Page, names fileNames) map[string]any {
	changes := map[string]any{}
	for _, field := range plainAndCompositeFields {
		key, known := frontMatterKeys[field.name]
		if !known {
			continue
		}
		if value := field.read(after); !equalValues(field.read(before), value) {
			changes[key] = value
		}
	}
	if !equalPointers(before.Layout, after.Layout) {
		changes["layout"] = writtenLayout(after.Layout)
	}
	if !equalDeep(before.Cover, after.Cover) {
		maps.Copy(changes, writtenCover(before.Cover, after.Cover, names))
	}
	return changes
}
