package repository

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// configuration is what .gitbook.yaml says.
type configuration struct {
	root      string // below the directory of the file; "" for that directory
	readme    string // below root
	summary   string // below root
	redirects map[string]string
	// redirectLines are the lines of the redirects, for problems.
	redirectLines map[string]int
}

func defaultConfiguration() configuration {
	return configuration{readme: readmeName, summary: defaultSummaryPath}
}

var yamlErrorLine = regexp.MustCompile(`line ([0-9]+)`)

// parseConfiguration reads .gitbook.yaml. What is malformed is reported and
// has its default.
func parseConfiguration(source []byte, report func(line int, message string)) configuration {
	parsed := defaultConfiguration()
	var document yaml.Node
	if err := yaml.Unmarshal(source, &document); err != nil {
		line := 0
		if match := yamlErrorLine.FindStringSubmatch(err.Error()); match != nil {
			line, _ = strconv.Atoi(match[1]) // digits by the pattern
		}
		report(line, "is not valid YAML and is ignored")
		return parsed
	}
	if len(document.Content) == 0 {
		return parsed
	}
	reader := configurationReader{report: report}
	for key, value := range reader.fields(document.Content[0], "the configuration") {
		switch key {
		case "root":
			parsed.root = reader.path(key, value, parsed.root, true)
		case "structure":
			for key, value := range reader.fields(value, "structure") {
				switch key {
				case "readme":
					parsed.readme = reader.path("structure.readme", value, parsed.readme, false)
				case "summary":
					parsed.summary = reader.path("structure.summary", value, parsed.summary, false)
				}
			}
		case "redirects":
			parsed.redirects, parsed.redirectLines = reader.redirects(value)
		}
	}
	return parsed
}

type configurationReader struct {
	report func(line int, message string)
}

// redirected returns the configuration, with the present paths of the pages that
// its redirects lead to. No other byte changes.
func (l *layout) redirected(source []byte) []byte {
	var document yaml.Node
	if yaml.Unmarshal(source, &document) != nil || len(document.Content) == 0 {
		return source // reported at import
	}
	pages := map[string]string{}
	for _, redirect := range l.tree.Redirects {
		pages[redirect.Path] = redirect.Page
	}
	reader := configurationReader{report: func(int, string) {}}
	var values []scalar
	for key, value := range reader.fields(document.Content[0], "the configuration") {
		if key != "redirects" {
			continue
		}
		for from, target := range reader.fields(value, key) {
			page := pages[redirectedPath(from)]
			cleaned, ok := cleanRelative(target.Value)
			if ok && page != "" && cleaned == l.current[page] && cleaned != l.written[page] {
				values = append(values, scalar{target, prefixOf(target.Value) + l.written[page]})
			}
		}
	}
	return replaceScalars(source, values)
}

// redirectedPath is the path of a redirect as a tree holds it.
func redirectedPath(source string) string { return strings.Trim(path.Clean("/"+source), "/") }

// prefixOf returns what a path begins with that says where it starts from.
func prefixOf(name string) string {
	for _, prefix := range []string{"./", "/"} {
		if strings.HasPrefix(name, prefix) {
			return prefix
		}
	}
	return ""
}

// scalar is a text in YAML and the one that takes its place.
type scalar struct {
	node  *yaml.Node
	value string
}

// replaceScalars puts texts in the place of others that stand on one line.
func replaceScalars(source []byte, scalars []scalar) []byte {
	lines := splitLines(string(source))
	slices.SortFunc(scalars, func(a, b scalar) int {
		return cmp.Or(b.node.Line-a.node.Line, b.node.Column-a.node.Column)
	})
	for _, next := range scalars {
		if index := next.node.Line - 1; index < len(lines) {
			lines[index] = replaceScalar(lines[index], next)
		}
	}
	return []byte(strings.Join(lines, ""))
}

func replaceScalar(line string, next scalar) string {
	characters := []rune(line)
	start := len(string(characters[:min(next.node.Column-1, len(characters))]))
	quote := ""
	switch next.node.Style {
	case 0:
	case yaml.SingleQuotedStyle:
		quote = "'"
	case yaml.DoubleQuotedStyle:
		quote = `"`
	default:
		return line
	}
	// A path that is escaped, or runs over several lines, stays.
	rest, found := strings.CutPrefix(line[start:], quote+next.node.Value+quote)
	if !found || strings.ContainsAny(next.value, `'"\#:{}[],&*`) {
		return line
	}
	return line[:start] + quote + next.value + quote + rest
}

// fields yields the keys and values of a mapping. A node of another kind is a
// problem, except an empty one.
func (r configurationReader) fields(node *yaml.Node, what string) func(yield func(string, *yaml.Node) bool) {
	return func(yield func(string, *yaml.Node) bool) {
		node = dereference(node)
		if node.Tag == "!!null" {
			return
		}
		if node.Kind != yaml.MappingNode {
			r.report(node.Line, what+" must be a mapping")
			return
		}
		for index := 0; index+1 < len(node.Content); index += 2 {
			if !yield(node.Content[index].Value, dereference(node.Content[index+1])) {
				return
			}
		}
	}
}

func dereference(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode && node.Alias != nil {
		return node.Alias
	}
	return node
}

// path reads a path below the content root.
func (r configurationReader) path(key string, node *yaml.Node, fallback string, directory bool) string {
	if node.Kind != yaml.ScalarNode || node.Tag == "!!null" {
		r.report(node.Line, key+" must be a path")
		return fallback
	}
	cleaned, ok := cleanRelative(node.Value)
	if !ok || strings.ContainsFunc(cleaned, isControl) {
		r.report(node.Line, fmt.Sprintf("%s: %q is no path below the repository and is ignored", key, node.Value))
		return fallback
	}
	if cleaned == "" && !directory {
		r.report(node.Line, key+" must name a file")
		return fallback
	}
	return cleaned
}

// redirects reads the map from old paths to paths of pages, both without a
// leading slash.
func (r configurationReader) redirects(node *yaml.Node) (map[string]string, map[string]int) {
	redirects, lines := map[string]string{}, map[string]int{}
	for source, target := range r.fields(node, "redirects") {
		if target.Kind != yaml.ScalarNode {
			r.report(target.Line, fmt.Sprintf("the redirect of %q must be a path", source))
			continue
		}
		if strings.Contains(source+target.Value, "\x00") {
			r.report(target.Line, "a redirect holds the character 0 and is ignored")
			continue
		}
		from := redirectedPath(source)
		to := target.Value
		if !hasScheme(to) {
			cleaned, ok := cleanRelative(to)
			if !ok {
				r.report(target.Line, fmt.Sprintf("the redirect of %q leaves the content root and is ignored", source))
				continue
			}
			to = cleaned
		}
		if _, repeated := redirects[from]; repeated {
			r.report(target.Line, fmt.Sprintf("%q is redirected more than once; the first one counts", source))
			continue
		}
		redirects[from], lines[from] = to, target.Line
	}
	return redirects, lines
}
