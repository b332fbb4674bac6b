package content

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// splitSource cuts the front matter, its fences included, from the rest.
func splitSource(source []byte) (frontMatter, rest []byte) {
	if !bytes.HasPrefix(source, []byte("---\n")) {
		return nil, source
	}
	end := bytes.Index(source[3:], []byte("\n---\n"))
	if end < 0 {
		return nil, source
	}
	return source[:end+8], source[end+8:]
}

// parseFrontMatter reads the front matter of a source, nil without any.
func parseFrontMatter(source []byte) (map[string]any, error) {
	front, _ := splitSource(source)
	if front == nil {
		return nil, nil
	}
	var values map[string]any
	err := yaml.Unmarshal(bytes.Trim(front, "-\n"), &values)
	return values, err
}

// updateFrontMatter sets properties of the front matter and removes those
// whose value is nil; every other byte stays.
func updateFrontMatter(source []byte, changes map[string]any) ([]byte, error) {
	front, rest := splitSource(source)
	var entries []string
	for line := range strings.Lines(strings.TrimPrefix(strings.TrimSuffix(string(front), "---\n"), "---\n")) {
		key, _, _ := strings.Cut(line, ":")
		if _, changed := changes[key]; !changed {
			entries = append(entries, line)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		if changes[key] == nil {
			continue
		}
		data, err := yaml.Marshal(map[string]any{key: changes[key]})
		if err != nil {
			return nil, err
		}
		entries = append(entries, string(data))
	}
	if len(entries) == 0 {
		return rest, nil
	}
	return append([]byte("---\n"+strings.Join(entries, "")+"---\n"), rest...), nil
}

// sourceTitle returns the text of the heading of level one that a source
// begins with.
func sourceTitle(source []byte) (string, bool) {
	_, rest := splitSource(source)
	line, _, _ := strings.Cut(strings.TrimLeft(string(rest), "\n"), "\n")
	return strings.CutPrefix(line, "# ")
}

// replaceSourceTitle changes the text of that heading, if there is one.
func replaceSourceTitle(source []byte, title string) []byte {
	old, found := sourceTitle(source)
	if !found {
		return source
	}
	return bytes.Replace(source, []byte("# "+old), []byte("# "+title), 1)
}

var linkPattern = regexp.MustCompile(`\]\(([^)\s]*)\)`)

// rewriteSourceLinks replaces the destination of every link and image.
func rewriteSourceLinks(source []byte, rewrite func(destination string) string) []byte {
	return linkPattern.ReplaceAllFunc(source, func(link []byte) []byte {
		return []byte("](" + rewrite(string(link[2:len(link)-1])) + ")")
	})
}

// sourceBlocks cuts a source without front matter into its top-level blocks.
// Together they are the whole source.
func sourceBlocks(rest []byte) [][]byte {
	var blocks [][]byte
	start := 0
	for _, place := range regexp.MustCompile(`\n(\n+)`).FindAllSubmatchIndex(rest, -1) {
		blocks = append(blocks, rest[start:place[1]])
		start = place[1]
	}
	if start < len(rest) {
		blocks = append(blocks, rest[start:])
	}
	return blocks
}
