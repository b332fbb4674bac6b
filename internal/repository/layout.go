package repository

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"octavo/internal/content"
)

// layout says where everything in a tree stands in the repository.
type layout struct {
	tree  *content.Tree
	index map[string]int // page id → index in tree.Pages
	// current are the paths that the relative links of the pages start from and
	// lead to; written are the paths of an export. They differ for pages that
	// an edit moved.
	current, written map[string]string
	files            map[string]string // file id → path
	reusable         map[string]string // reusable content id → path

	// summary is the table of contents as it came in, nil if there was none.
	summary       *summary
	summarySource []byte
	summaryPath   string
	readme        string
	// nodes are the pages that the repository described when it came in; pages
	// holds for each the index of the page that it became, or -1.
	nodes   []node
	pages   []int
	nodeOf  map[string]int // page id → index in nodes
	parents map[string]bool
}

// newPlacement finds the current paths of a tree.
func newPlacement(tree *content.Tree) *layout {
	l := &layout{
		tree: tree, index: make(map[string]int, len(tree.Pages)),
		current: map[string]string{}, written: map[string]string{},
		files: map[string]string{}, reusable: map[string]string{},
		nodeOf: map[string]int{}, parents: map[string]bool{},
		summaryPath: defaultSummaryPath, readme: readmeName,
	}
	if tree.Repository != nil && tree.Repository.SummaryPath != "" {
		l.summaryPath = tree.Repository.SummaryPath
	}
	for index, page := range tree.Pages {
		l.index[page.ID] = index
		l.parents[page.Parent] = true
	}
	l.placeCurrent()
	return l
}

// newLayout finds the current paths of a tree and those that an export writes.
// bodies must hold the table of contents and the configuration of
// tree.Repository, and the pages.
func newLayout(tree *content.Tree, bodies content.Bodies) (*layout, error) {
	l := newPlacement(tree)
	if err := l.readConfiguration(bodies); err != nil {
		return nil, err
	}
	if err := l.describe(bodies); err != nil {
		return nil, err
	}
	l.placeWritten()
	return l, nil
}

// readConfiguration reads what the repository said about itself.
func (l *layout) readConfiguration(bodies content.Bodies) error {
	origin := l.tree.Repository
	if origin == nil {
		return nil
	}
	if origin.Configuration != "" {
		source, err := bodies.Body(origin.Configuration)
		if err != nil {
			return fmt.Errorf("read %s: %w", origin.ConfigurationPath, err)
		}
		parsed := parseConfiguration(source, func(int, string) {}) // reported at import
		l.readme, l.summaryPath = parsed.readme, parsed.summary
	}
	if origin.SummaryPath == "" {
		return nil
	}
	l.summaryPath = origin.SummaryPath
	source, err := bodies.Body(origin.Summary)
	if err != nil {
		return fmt.Errorf("read %s: %w", origin.SummaryPath, err)
	}
	l.summarySource = source
	l.summary = parseSummary(source)
	return nil
}

// placeCurrent gives everything the path it came from, and a new one to what
// never was in a repository.
func (l *layout) placeCurrent() {
	claimed := map[string]bool{configurationName: true}
	if origin := l.tree.Repository; origin == nil || origin.SummaryPath != "" {
		claimed[l.summaryPath] = true
	}
	claim := func(name string) bool {
		free := name != "" && !claimed[name]
		claimed[name] = true
		return free
	}
	for _, name := range l.unplaced() {
		claim(name)
	}
	for _, file := range l.tree.Files {
		if claim(file.GitPath) {
			l.files[file.ID] = file.GitPath
		}
	}
	for _, reusable := range l.tree.ReusableContents {
		if claim(reusable.GitPath) {
			l.reusable[reusable.ID] = reusable.GitPath
		}
	}
	for _, page := range l.tree.Pages {
		if page.Type == content.PageDocument && claim(page.GitPath) {
			l.current[page.ID] = page.GitPath
		}
	}
	l.placeNew(claimed)
}

// placeNew gives a path to what has none.
func (l *layout) placeNew(claimed map[string]bool) {
	taken := newNames()
	for name := range claimed {
		taken.take(name)
	}
	for _, file := range l.tree.Files {
		if l.files[file.ID] == "" {
			name := fileName(file.Name)
			extension := path.Ext(name)
			l.files[file.ID] = taken.unique(taken.directory(assetsDirectory)+"/"+strings.TrimSuffix(name, extension), extension)
		}
	}
	for _, reusable := range l.tree.ReusableContents {
		if l.reusable[reusable.ID] == "" {
			l.reusable[reusable.ID] = taken.unique(taken.directory(includesDirectory)+"/"+slugOf(reusable.Title), ".md")
		}
	}
	for _, page := range l.tree.Pages {
		if page.Type == content.PageDocument && l.current[page.ID] == "" {
			l.current[page.ID] = l.derive(page, l.current, taken)
		}
	}
}

// fileName makes a safe name for a file out of the name it was uploaded with.
func fileName(name string) string {
	name = strings.Map(func(character rune) rune {
		if isControl(character) || strings.ContainsRune(`/\:*?"<>|`, character) {
			return '-'
		}
		return character
	}, strings.ToValidUTF8(name, "-"))
	name = strings.TrimLeft(strings.TrimSpace(name), ".")
	if name == "" {
		return "file"
	}
	return name
}

// unplaced returns the paths, below the content root, of the Markdown files
// that are no pages.
func (l *layout) unplaced() []string {
	if l.tree.Repository == nil {
		return nil
	}
	names := make([]string, len(l.tree.Repository.Unplaced))
	for index, file := range l.tree.Repository.Unplaced {
		names[index] = belowRoot(l.tree.Repository.Root, file.Path)
	}
	return names
}

// belowRoot turns a path below the top of the repository into one below the
// content root.
func belowRoot(root, name string) string {
	if root == "" {
		return name
	}
	return strings.TrimPrefix(name, root+"/")
}

// describe rebuilds the outline that the import saw from what is left of it.
func (l *layout) describe(bodies content.Bodies) error {
	if l.tree.Repository == nil {
		return nil
	}
	kinds := map[string]fileKind{}
	for _, name := range l.unplaced() {
		kinds[name] = fileText
	}
	for _, file := range l.tree.Files {
		kinds[file.GitPath] = fileOther
	}
	for _, reusable := range l.tree.ReusableContents {
		kinds[reusable.GitPath] = fileText
	}
	var pages []string
	for _, page := range l.tree.Pages {
		if page.GitPath != "" && l.current[page.ID] == page.GitPath {
			kinds[page.GitPath] = fileText
			pages = append(pages, page.GitPath)
		}
	}
	found := &outline{
		kind:        func(name string) fileKind { return kinds[name] },
		summaryPath: l.summaryPath, readme: l.readme, limits: DefaultLimits(),
		report: func(int, Severity, string) {}, // reported at import
	}
	found.limits.Pages, found.limits.PageDepth = unlimited, unlimited // held at import
	if err := l.outline(found, pages); err != nil {
		return err
	}
	l.nodes = found.nodes
	l.match()
	return l.fillTitles(bodies)
}

const unlimited = int(^uint(0) >> 1)

func (l *layout) outline(found *outline, pages []string) error {
	if l.summary != nil {
		return found.fromSummary(l.summary)
	}
	return found.fromDirectories(pages)
}

// match finds which page each node became.
func (l *layout) match() {
	lookup := pathLookup{
		page: func(id string) string { return l.current[id] },
		file: func(id string) string { return l.files[id] },
	}
	l.pages = matchShapes(shapesOfNodes(l.nodes), shapesOfPages(l.tree.Pages, lookup))
	for index, page := range l.pages {
		if page >= 0 {
			l.nodeOf[l.tree.Pages[page].ID] = index
		}
	}
}

// fillTitles sets the titles that the repository left to the pages themselves.
func (l *layout) fillTitles(bodies content.Bodies) error {
	for index := range l.nodes {
		next := &l.nodes[index]
		if next.title != "" || l.pages[index] < 0 {
			continue
		}
		page := l.tree.Pages[l.pages[index]]
		if page.Body == "" {
			next.title = titleOfPath(next.path)
			continue
		}
		source, err := bodies.Body(page.Body)
		if err != nil {
			return fmt.Errorf("read page %s: %w", page.ID, err)
		}
		next.title = pageTitle(source, next.path)
	}
	return nil
}

// placeWritten decides where each page is written: see the package comment.
func (l *layout) placeWritten() {
	taken := l.fixedNames()
	for _, page := range l.tree.Pages {
		if page.Type == content.PageDocument && l.keeps(page) {
			l.written[page.ID] = l.current[page.ID]
			taken.take(l.written[page.ID])
		}
	}
	for _, page := range l.tree.Pages {
		if page.Type == content.PageDocument && l.written[page.ID] == "" {
			l.written[page.ID] = l.derive(page, l.written, taken)
		}
	}
}

// fixedNames returns the paths that no edit of pages changes.
func (l *layout) fixedNames() *names {
	taken := newNames()
	taken.take(l.summaryPath)
	taken.take(configurationName)
	for _, name := range l.unplaced() {
		taken.take(name)
	}
	for _, name := range l.files {
		taken.take(name)
	}
	for _, name := range l.reusable {
		taken.take(name)
	}
	return taken
}

// keeps tells whether a page stays where it is.
func (l *layout) keeps(page *content.Page) bool {
	current := l.current[page.ID]
	if page.GitPath == "" || page.GitPath != current {
		return false
	}
	if current == l.readme {
		return true
	}
	same := sameSlug(slugOfPath(current), page.Slug)
	described, known := l.nodeOf[page.ID]
	if !known {
		return same
	}
	node := &l.nodes[described]
	if !same && slugOf(page.Slug) != node.slug {
		return false
	}
	return l.parentID(node) == page.Parent || l.isWithin(current, page)
}

// parentID returns the id of the page that the node's parent became.
func (l *layout) parentID(described *node) string {
	if described.parent < 0 {
		return ""
	}
	parent := l.pages[described.parent]
	if parent < 0 {
		return "-" // deleted: no page has this id
	}
	return l.tree.Pages[parent].ID
}

// isWithin tells whether the file already is in the directory of its parent.
func (l *layout) isWithin(current string, page *content.Page) bool {
	directory := directoryOf(current)
	if isReadme(current) {
		directory = directoryOf(directory)
	}
	return directory == l.childDirectory(page.Parent, l.current)
}

var numberSuffix = regexp.MustCompile(`^-[0-9]+$`)

// sameSlug tells whether a slug is that of the path, perhaps with the number
// that told it from a sibling.
func sameSlug(ofPath, slug string) bool {
	suffix, found := strings.CutPrefix(slugOf(slug), ofPath)
	return found && (suffix == "" || numberSuffix.MatchString(suffix))
}

// derive makes the path of a page from its slug and the path of its parent.
func (l *layout) derive(page *content.Page, paths map[string]string, taken *names) string {
	if l.tree.Repository == nil && l.index[page.ID] == 0 {
		return taken.unique(strings.TrimSuffix(readmeName, ".md"), ".md")
	}
	stem := path.Join(taken.directory(l.childDirectory(page.Parent, paths)), slugOf(page.Slug))
	if l.parents[page.ID] {
		return taken.unique(stem, "/"+readmeName)
	}
	return taken.unique(stem, ".md")
}

// childDirectory returns the directory of the children of a page.
func (l *layout) childDirectory(id string, paths map[string]string) string {
	var slugs []string
	for id != "" {
		index, known := l.index[id]
		if !known {
			break
		}
		page := l.tree.Pages[index]
		if name := paths[id]; name != "" {
			return path.Join(directoryOfChildren(name), path.Join(slugs...))
		}
		slugs = append([]string{slugOf(page.Slug)}, slugs...)
		id = page.Parent
	}
	return path.Join(slugs...)
}

// directoryOfChildren returns the directory that belongs to the file of a page.
func directoryOfChildren(name string) string {
	if isReadme(name) {
		return directoryOf(name)
	}
	return strings.TrimSuffix(name, path.Ext(name))
}
