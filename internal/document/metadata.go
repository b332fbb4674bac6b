package document

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"octavo/internal/fault"
)

// Metadata is what the front matter of a page says. Absent keys are nil.
type Metadata struct {
	Title         *string
	Description   *string
	Icon          *string
	Emoji         *string
	Cover         *string
	CoverDark     *string
	CoverY        *float64
	CoverHeight   *float64
	Layout        Layout
	Hidden        *bool
	NoIndex       *bool
	NoRobotsIndex *bool
	// Vars are the variables of the page.
	Vars map[string]any
	// If is the condition under which a visitor sees the page.
	If *string
	// Extra holds every other key.
	Extra map[string]any
}

// Layout is the layout of a page; what is not said is nil.
type Layout struct {
	Width           *string
	CoverSize       *string
	Cover           *bool
	Title           *bool
	Description     *bool
	TableOfContents *bool
	Outline         *bool
	Pagination      *bool
	Metadata        *bool
	Tags            *bool
	Actions         *bool
}

// ParseFrontMatter reads front matter, with or without its fences. The error,
// a *fault.Error, tells the line at fault; callers keep the source.
func ParseFrontMatter(frontMatter []byte) (Metadata, error) {
	root, err := frontMatterMapping(stripFences(frontMatter))
	if err != nil || root == nil {
		return Metadata{}, err
	}
	var metadata Metadata
	for index := 0; index+1 < len(root.Content); index += 2 {
		key, value := root.Content[index], root.Content[index+1]
		if err := metadata.read(key.Value, value); err != nil {
			return metadata, err
		}
	}
	return metadata, nil
}

// stripFences returns the lines between the fences.
func stripFences(frontMatter []byte) []byte {
	inner := bytes.TrimPrefix(frontMatter, []byte("\uFEFF"))
	first, rest := nextLine(inner)
	if !isFence(first) {
		return inner
	}
	trimmed := bytes.TrimRight(rest, " \t\r\n")
	if bytes.Equal(trimmed, []byte("---")) || len(trimmed) == 0 {
		return nil
	}
	if bytes.HasSuffix(trimmed, []byte("\n---")) {
		return rest[:len(trimmed)-len("---")]
	}
	return rest
}

// maximumFrontMatter bounds the YAML that is read, in bytes.
const maximumFrontMatter = 256 << 10

// frontMatterMapping parses YAML that is a mapping; nil when it is empty.
func frontMatterMapping(source []byte) (*yaml.Node, error) {
	if len(source) > maximumFrontMatter {
		return nil, fault.New(fault.LimitExceeded, "front matter may have %d bytes", maximumFrontMatter)
	}
	var file yaml.Node
	if err := yaml.Unmarshal(source, &file); err != nil {
		return nil, fault.Invalid("frontMatter", "%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(file.Content) == 0 {
		return nil, nil
	}
	root := file.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, fault.Invalid("frontMatter", "line %d: must be keys with values", root.Line)
	}
	seen := map[string]bool{}
	for index := 0; index+1 < len(root.Content); index += 2 {
		key := root.Content[index]
		if seen[key.Value] {
			return nil, fault.Invalid("frontMatter", "line %d: %s is given twice", key.Line, key.Value)
		}
		seen[key.Value] = true
	}
	return root, nil
}

func (m *Metadata) read(key string, value *yaml.Node) error {
	switch key {
	case "title":
		return decode(key, value, &m.Title)
	case "description":
		return decode(key, value, &m.Description)
	case "icon":
		return decode(key, value, &m.Icon)
	case "emoji":
		return decode(key, value, &m.Emoji)
	case "cover":
		return decode(key, value, &m.Cover)
	case "coverDark":
		return decode(key, value, &m.CoverDark)
	case "coverY":
		return decode(key, value, &m.CoverY)
	case "coverHeight":
		return decode(key, value, &m.CoverHeight)
	case "hidden":
		return decode(key, value, &m.Hidden)
	case "noIndex":
		return decode(key, value, &m.NoIndex)
	case "noRobotsIndex":
		return decode(key, value, &m.NoRobotsIndex)
	case "vars":
		return decode(key, value, &m.Vars)
	case "if":
		return decode(key, value, &m.If)
	case "layout":
		return m.Layout.read(value)
	}
	var extra any
	if err := decode(key, value, &extra); err != nil {
		return err
	}
	if m.Extra == nil {
		m.Extra = map[string]any{}
	}
	m.Extra[key] = extra
	return nil
}

func decode(key string, value *yaml.Node, target any) error {
	if err := value.Decode(target); err != nil {
		return fault.Invalid("frontMatter."+key, "line %d: %s", value.Line, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return nil
}

// read takes a layout apart; the old form "layout: editorial" is let pass.
func (l *Layout) read(value *yaml.Node) error {
	if value.Kind != yaml.MappingNode {
		return nil
	}
	type part struct {
		Visible *bool   `yaml:"visible"`
		Size    *string `yaml:"size"`
	}
	parts := map[string]**bool{
		"cover": &l.Cover, "title": &l.Title, "description": &l.Description, "tableOfContents": &l.TableOfContents,
		"outline": &l.Outline, "pagination": &l.Pagination, "metadata": &l.Metadata, "tags": &l.Tags,
		"actions": &l.Actions,
	}
	for index := 0; index+1 < len(value.Content); index += 2 {
		key, inner := value.Content[index].Value, value.Content[index+1]
		if key == "width" {
			if err := decode("layout.width", inner, &l.Width); err != nil {
				return err
			}
			continue
		}
		target := parts[key]
		if target == nil || inner.Kind != yaml.MappingNode {
			continue
		}
		var read part
		if err := decode("layout."+key, inner, &read); err != nil {
			return err
		}
		*target = read.Visible
		if key == "cover" {
			l.CoverSize = read.Size
		}
	}
	return nil
}

// MetadataChanges are new values by key of the front matter; nil removes the
// key. Values are what YAML can write: strings, numbers, booleans, and lists
// and maps of them.
type MetadataChanges map[string]any

// UpdateFrontMatter changes keys of a page's front matter. Only the lines of
// the keys whose value differs change; every other byte stays. The front
// matter is made when the page has none, and removed with its last key. The
// error, a *fault.Error, says that the front matter or a value cannot be read.
func UpdateFrontMatter(source []byte, changes MetadataChanges) ([]byte, error) {
	frontMatter, body := SplitFrontMatter(source)
	inner := stripFences(frontMatter)
	root, err := frontMatterMapping(inner)
	if err != nil {
		return nil, err
	}
	edited, changed, err := editKeys(inner, root, changes)
	if err != nil || !changed {
		return source, err
	}
	if len(bytes.TrimSpace(edited)) == 0 {
		// The last key went, and the fences with it.
		return bytes.TrimLeft(body, "\r\n"), nil
	}
	if !holds(edited, changes) {
		return nil, fault.Invalid("frontMatter", "it is written in a way that cannot be changed in place")
	}
	if len(frontMatter) == 0 {
		return bytes.Join([][]byte{[]byte("---\n"), edited, []byte("---\n\n"), body}, nil), nil
	}
	offset := bytes.Index(frontMatter, []byte("\n")) + 1
	return bytes.Join([][]byte{frontMatter[:offset], edited, frontMatter[offset+len(inner):], body}, nil), nil
}

// holds says whether front matter has the values that were to be written.
func holds(source []byte, changes MetadataChanges) bool {
	root, err := frontMatterMapping(source)
	if err != nil || root == nil {
		return false
	}
	values := map[string]*yaml.Node{}
	for index := 0; index+1 < len(root.Content); index += 2 {
		values[root.Content[index].Value] = root.Content[index+1]
	}
	for key, value := range changes {
		node, exists := values[key]
		if exists != (value != nil) || exists && !sameValue(node, value) {
			return false
		}
	}
	return true
}

// editKeys rewrites the lines of the keys that change.
func editKeys(source []byte, root *yaml.Node, changes MetadataChanges) (edited []byte, changed bool, err error) {
	if root != nil && root.Style&yaml.FlowStyle != 0 {
		return nil, false, fault.Invalid("frontMatter", "a mapping in braces cannot be changed in place")
	}
	lines := bytes.SplitAfter(source, []byte("\n"))
	ranges := keyRanges(root, lines)
	newline := "\n"
	if bytes.Contains(source, []byte("\r\n")) {
		newline = "\r\n"
	}
	replaced := map[int][]byte{}
	removed := map[int]bool{}
	var added [][]byte
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		current, exists := ranges[key]
		if exists && sameValue(current.value, changes[key]) || !exists && changes[key] == nil {
			continue
		}
		changed = true
		var written []byte
		if changes[key] != nil {
			if written, err = writeKey(key, changes[key], newline); err != nil {
				return nil, false, err
			}
		}
		if !exists {
			added = append(added, written)
			continue
		}
		replaced[current.from] = written
		for line := current.from; line < current.to; line++ {
			removed[line] = true
		}
	}
	for index, line := range lines {
		edited = append(edited, replaced[index]...)
		if !removed[index] {
			edited = append(edited, line...)
		}
	}
	if len(added) > 0 && len(edited) > 0 && !bytes.HasSuffix(edited, []byte("\n")) {
		edited = append(edited, newline...)
	}
	return append(edited, bytes.Join(added, nil)...), changed, nil
}

type keyRange struct {
	// from and to are the first line of the key and the first after it.
	from, to int
	value    *yaml.Node
}

// keyRanges finds the lines of each key; blank lines and comments that follow
// a value belong to what comes after.
func keyRanges(root *yaml.Node, lines [][]byte) map[string]keyRange {
	ranges := map[string]keyRange{}
	if root == nil {
		return ranges
	}
	for index := 0; index+1 < len(root.Content); index += 2 {
		from, to := root.Content[index].Line-1, len(lines)
		if index+2 < len(root.Content) {
			to = root.Content[index+2].Line - 1
		}
		block := root.Content[index+1].Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
		for to > from+1 && isFiller(lines[to-1], block) {
			to--
		}
		ranges[root.Content[index].Value] = keyRange{from, to, root.Content[index+1]}
	}
	return ranges
}

// isFiller says whether a line is blank or a comment that is not indented.
// Within block scalars only comments at the margin are comments.
func isFiller(line []byte, block bool) bool {
	trimmed := bytes.TrimSpace(line)
	if len(trimmed) == 0 {
		return true
	}
	return trimmed[0] == '#' && (!block || line[0] == '#')
}

// sameValue says whether the node holds the value already.
func sameValue(node *yaml.Node, value any) bool {
	if value == nil {
		return false
	}
	var current any
	if node.Decode(&current) != nil {
		return false
	}
	before, first := yaml.Marshal(current)
	after, second := yaml.Marshal(value)
	return first == nil && second == nil && bytes.Equal(before, after)
}

func writeKey(key string, value any, newline string) (written []byte, err error) {
	defer func() {
		// The YAML library panics for values that it cannot write.
		if problem := recover(); problem != nil {
			written, err = nil, fault.Invalid(key, "cannot be written: %v", problem)
		}
	}()
	var buffer bytes.Buffer
	encoder := yaml.NewEncoder(&buffer)
	encoder.SetIndent(2)
	if err := encoder.Encode(map[string]any{key: value}); err != nil {
		return nil, fault.Invalid(key, "cannot be written: %v", err)
	}
	if err := encoder.Close(); err != nil {
		return nil, fmt.Errorf("write %s: %w", key, err)
	}
	return bytes.ReplaceAll(buffer.Bytes(), []byte("\n"), []byte(newline)), nil
}
