package repository

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"octavo/internal/content"
	"octavo/internal/fault"
)

// node is a page as the repository describes it, before it has an id.
type node struct {
	kind   content.PageType
	title  string // may be empty for documents: the page's heading counts then
	slug   string
	path   string // documents: the file, below the content root
	link   reference
	parent int // index of the parent, or -1
	// entry is the index in the table of contents; -1 when it does not stand
	// there.
	entry    int
	computed *content.Computed
}

// reference is the target of a link page in terms of paths.
type reference struct {
	kind   string // url, file, page, anchor, or another kind of content reference
	path   string // page, anchor, file
	anchor string
	url    string // url; the app's path for other kinds
}

// outline builds the tree of pages that a repository describes.
type outline struct {
	nodes []node
	// kind tells what a path below the content root holds.
	kind        func(path string) fileKind
	summaryPath string
	readme      string
	limits      Limits
	// report takes problems with the line (from 1) of the table of contents.
	report func(line int, severity Severity, message string)
}

// fromSummary follows a table of contents.
func (o *outline) fromSummary(parsed *summary) error {
	if len(parsed.entries) > o.limits.Pages {
		return fault.New(fault.LimitExceeded, "%s has more than %d entries", o.summaryPath, o.limits.Pages)
	}
	destinations := o.destinations(parsed)
	shift := o.addReadme(destinations)
	for index := range parsed.entries {
		found := &parsed.entries[index]
		if found.depth >= o.limits.PageDepth {
			return fault.New(fault.LimitExceeded, "%s line %d: pages are nested deeper than %d levels", o.summaryPath, found.line+1, o.limits.PageDepth)
		}
		next := o.node(found, destinations[index], index)
		next.entry, next.parent = index, -1
		if found.parent >= 0 {
			next.parent = found.parent + shift
		}
		o.nodes = append(o.nodes, next)
	}
	o.setSlugs(parsed)
	return nil
}

// addReadme puts the first page before all others if the table of contents does
// not name it. It returns the number of nodes that it added.
func (o *outline) addReadme(destinations []destination) int {
	if o.readme == o.summaryPath || o.kind(o.readme) != fileText {
		return 0
	}
	for _, found := range destinations {
		if found.page == o.readme {
			return 0
		}
	}
	o.nodes = append(o.nodes, node{kind: content.PageDocument, path: o.readme, parent: -1, entry: -1})
	return 1
}

// destination is where an entry of the table of contents leads.
type destination struct {
	page    string // the Markdown file, if it is one
	anchor  string
	inside  bool      // the link has a fragment, be it empty
	primary bool      // the entry is the page, others only lead to it
	other   reference // if it is no page
	group   bool      // it leads nowhere
	problem string
}

// destinations resolves all entries. Of those that name the same file, the
// first without a fragment is the page.
func (o *outline) destinations(parsed *summary) []destination {
	resolved := make([]destination, len(parsed.entries))
	primary := map[string]int{}
	for index := range parsed.entries {
		found := &parsed.entries[index]
		if found.kind != entryLink {
			continue
		}
		resolved[index] = o.resolve(found.destination)
		page := resolved[index].page
		if page == "" {
			continue
		}
		previous, named := primary[page]
		if !named || resolved[previous].inside && !resolved[index].inside {
			primary[page] = index
		}
	}
	for _, index := range primary {
		resolved[index].primary = true
	}
	return resolved
}

// resolve tells where a link of the table of contents leads. Its path is
// relative to the file that it stands in; if nothing is there, to the content
// root.
func (o *outline) resolve(target string) destination {
	target = strings.ReplaceAll(strings.TrimSpace(target), "\x00", "%00")
	name, suffix := splitDestination(target)
	switch {
	case target == "":
		return destination{group: true}
	case hasScheme(target):
		return destination{other: reference{kind: "url", url: target}}
	case name == "":
		return destination{group: true, problem: fmt.Sprintf("%q names no page", target)}
	}
	if kind, ok := applicationKind(target); ok {
		return destination{other: reference{kind: kind, url: target}}
	}
	candidates := o.candidates(name)
	if len(candidates) == 0 {
		return destination{group: true, problem: fmt.Sprintf("%q is no path below the content root", target)}
	}
	for _, candidate := range candidates {
		switch kind := o.kind(candidate); {
		case candidate == o.summaryPath:
			return destination{group: true, problem: "the table of contents cannot be a page"}
		case kind == fileText:
			return destination{page: candidate, anchor: fragmentOf(suffix), inside: strings.Contains(suffix, "#")}
		case kind == fileOther:
			return destination{other: reference{kind: "file", path: candidate}}
		}
	}
	return o.resolveMissing(target, candidates[0], suffix)
}

func (o *outline) resolveMissing(target, candidate, suffix string) destination {
	problem := fmt.Sprintf("%q does not exist", target)
	if !isMarkdown(candidate) {
		return destination{other: reference{kind: "url", url: target}, problem: problem}
	}
	return destination{page: candidate, anchor: fragmentOf(suffix), inside: strings.Contains(suffix, "#"), problem: problem}
}

// candidates returns the paths that a link may mean, the likeliest first.
func (o *outline) candidates(name string) []string {
	var candidates []string
	for _, directory := range []string{directoryOf(o.summaryPath), ""} {
		for _, spelling := range []string{unescapePercent(name), name} {
			joined, ok := joinRelative(directory, spelling)
			if !ok {
				continue
			}
			for _, candidate := range pageCandidates(joined, strings.HasSuffix(spelling, "/")) {
				if o.limits.checkPath(candidate) == nil && !slices.Contains(candidates, candidate) {
					candidates = append(candidates, candidate)
				}
			}
		}
	}
	return candidates
}

// pageCandidates returns the files that a path may mean: itself, the page of
// the directory, the path without its extension.
func pageCandidates(name string, directory bool) []string {
	switch {
	case name == "":
		return []string{readmeName}
	case directory:
		return []string{path.Join(name, readmeName), name + ".md"}
	case path.Ext(name) == "":
		return []string{name + ".md", path.Join(name, readmeName), name}
	case isMarkdown(name):
		return []string{name}
	default: // the extension may be part of the name: "version-1.2"
		return []string{name, name + ".md", path.Join(name, readmeName)}
	}
}

// node describes the page of one entry.
func (o *outline) node(found *entry, to destination, index int) node {
	line := found.line + 1
	if to.problem != "" && (to.primary || to.page == "") {
		o.report(line, SeverityError, to.problem)
	}
	switch {
	case found.kind == entryComputed:
		return o.computed(found)
	case found.kind != entryLink || to.group:
		return node{kind: content.PageGroup, title: found.title}
	case to.page == "":
		return node{kind: content.PageLink, title: found.title, link: to.other}
	case to.primary:
		return node{kind: content.PageDocument, title: found.title, path: to.page}
	case to.anchor != "":
		return node{kind: content.PageLink, title: found.title, link: reference{kind: "anchor", path: to.page, anchor: to.anchor}}
	case to.inside:
		return node{kind: content.PageLink, title: found.title, link: reference{kind: "page", path: to.page}}
	default:
		o.report(line, SeverityWarning, fmt.Sprintf("%s is named more than once: entry %d is a link to the page", to.page, index+1))
		return node{kind: content.PageLink, title: found.title, link: reference{kind: "page", path: to.page}}
	}
}

// computedSource is the YAML of a computed page in a table of contents.
type computedSource struct {
	Type         string                    `json:"type" yaml:"type"`
	Title        string                    `json:"title,omitempty" yaml:"title,omitempty"`
	Props        map[string]any            `json:"props,omitempty" yaml:"props,omitempty"`
	Dependencies map[string]map[string]any `json:"dependencies,omitempty" yaml:"dependencies,omitempty"`
}

// computed reads a block of YAML in the table of contents.
func (o *outline) computed(found *entry) node {
	source, err := parseComputed(found.block)
	if err != nil {
		o.report(found.line+1, SeverityError, "the block does not describe a computed page: "+err.Error())
		return node{kind: content.PageGroup, title: "Computed page"}
	}
	return node{
		kind: content.PageComputed, title: source.title(),
		computed: &content.Computed{Type: source.Type, Props: source.Props, Dependencies: source.Dependencies},
	}
}

// nullEscape is the character 0 in JSON. Databases do not store it in text.
const nullEscape = `\u0000`

// parseComputed goes by way of JSON, because that is how pages are stored.
func parseComputed(block string) (*computedSource, error) {
	var free any
	if err := yaml.Unmarshal([]byte(block), &free); err != nil {
		return nil, fmt.Errorf("invalid YAML")
	}
	encoded, err := json.Marshal(free)
	if err != nil {
		return nil, fmt.Errorf("a value has no JSON form")
	}
	if bytes.Contains(encoded, []byte(nullEscape)) {
		return nil, fmt.Errorf("a text holds the character 0")
	}
	var source computedSource
	if err := json.Unmarshal(encoded, &source); err != nil {
		return nil, fmt.Errorf("a field has the wrong type")
	}
	if source.Type == "" {
		return nil, fmt.Errorf("type is missing")
	}
	return &source, nil
}

// title is the title that the block states, or what the page is made from.
func (c *computedSource) title() string {
	if title := cleanTitle(c.Title); title != "" {
		return title
	}
	if reference, ok := c.Dependencies["spec"]["ref"].(map[string]any); ok {
		if name, ok := reference["spec"].(string); ok && cleanTitle(name) != "" {
			return cleanTitle(name)
		}
	}
	return titleText(c.Type[strings.LastIndexByte(c.Type, ':')+1:])
}

// setSlugs gives every node a slug that its siblings do not have.
func (o *outline) setSlugs(parsed *summary) {
	siblings := map[int]*names{}
	for index := range o.nodes {
		next := &o.nodes[index]
		if siblings[next.parent] == nil {
			siblings[next.parent] = newNames()
		}
		slug := slugOf(next.title)
		switch {
		case next.kind == content.PageDocument:
			slug = slugOfPath(next.path)
		case parsed != nil && next.entry >= 0 && parsed.entries[next.entry].anchor != "":
			slug = slugOf(parsed.entries[next.entry].anchor)
		}
		next.slug = siblings[next.parent].unique(slug, "")
	}
}

// directory is a directory that holds pages.
type directory struct {
	readme      string // path, if there is one
	pages       map[string]string
	directories map[string]*directory
}

// fromDirectories follows the directories: a README.md is the page of its
// directory, "name.md" beside "name/" is the page of that directory if it has
// no README.md, and other directories are groups. Hidden directories hold no
// pages.
func (o *outline) fromDirectories(paths []string) error {
	if len(paths) > o.limits.Pages {
		return fault.New(fault.LimitExceeded, "the repository has more than %d pages", o.limits.Pages)
	}
	top := newDirectory()
	for _, name := range paths {
		if name != o.readme && !isHidden(name) {
			top.add(name)
		}
	}
	if slices.Contains(paths, o.readme) {
		o.nodes = append(o.nodes, node{kind: content.PageDocument, path: o.readme, parent: -1, entry: -1})
	}
	if top.readme != "" {
		top.pages[path.Base(top.readme)] = top.readme
	}
	o.addDirectory(top, -1)
	o.setSlugs(nil)
	return nil
}

func newDirectory() *directory {
	return &directory{pages: map[string]string{}, directories: map[string]*directory{}}
}

// isHidden tells whether the path leads through a directory whose name starts
// with a dot, or to such a file.
func isHidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.Contains(name, "/.")
}

func (d *directory) add(name string) {
	parts := strings.Split(name, "/")
	current := d
	for _, part := range parts[:len(parts)-1] {
		if current.directories[part] == nil {
			current.directories[part] = newDirectory()
		}
		current = current.directories[part]
	}
	if isReadme(name) && current.readme == "" {
		current.readme = name
		return
	}
	current.pages[parts[len(parts)-1]] = name
}

func (o *outline) addDirectory(current *directory, parent int) {
	beside := map[string]bool{} // directories whose page is "name.md"
	for _, name := range current.names() {
		if page, ok := current.pages[name]; ok {
			o.nodes = append(o.nodes, node{kind: content.PageDocument, path: page, parent: parent, entry: -1})
			stem := strings.TrimSuffix(name, path.Ext(name))
			if !beside[stem] {
				beside[stem] = true
				o.addBeside(current.directories[stem], len(o.nodes)-1)
			}
			continue
		}
		child := current.directories[name]
		if beside[name] && child.readme == "" {
			continue
		}
		group := node{kind: content.PageGroup, title: titleOfName(name), parent: parent, entry: -1}
		if child.readme != "" {
			group = node{kind: content.PageDocument, path: child.readme, parent: parent, entry: -1}
		}
		o.nodes = append(o.nodes, group)
		o.addDirectory(child, len(o.nodes)-1)
	}
}

// addBeside adds the pages of the directory that belongs to a page.
func (o *outline) addBeside(child *directory, index int) {
	if child != nil && child.readme == "" {
		o.addDirectory(child, index)
	}
}

// names returns pages and directories in order; a page before the directory of
// the same name.
func (d *directory) names() []string {
	names := make([]string, 0, len(d.pages)+len(d.directories))
	for name := range d.pages {
		names = append(names, name)
	}
	for name := range d.directories {
		if _, clash := d.pages[name]; !clash {
			names = append(names, name)
		}
	}
	stem := func(name string) string {
		if _, page := d.pages[name]; page {
			return strings.TrimSuffix(name, path.Ext(name)) + "\x00"
		}
		return name + "\x00/"
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(stem(a), stem(b)) })
	return names
}

// titleOfName makes a title out of the name of a file or directory.
func titleOfName(name string) string {
	title := strings.Join(strings.FieldsFunc(name, func(character rune) bool {
		return character == '-' || character == '_' || unicode.IsSpace(character)
	}), " ")
	first, size := utf8.DecodeRuneInString(title)
	if size == 0 {
		return name
	}
	return string(unicode.ToUpper(first)) + title[size:]
}

// titleOfPath makes a title out of the path of a page.
func titleOfPath(name string) string {
	if isReadme(name) && directoryOf(name) != "" {
		return titleOfName(path.Base(directoryOf(name)))
	}
	base := path.Base(name)
	return titleOfName(strings.TrimSuffix(base, path.Ext(base)))
}
