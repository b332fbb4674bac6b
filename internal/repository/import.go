package repository

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"octavo/internal/content"
	"octavo/internal/fault"
	"octavo/internal/identifier"
)

// Source is a repository to import.
type Source struct {
	// FS holds the repository. It must not give access to anything outside it:
	// OpenDirectory, OpenZip and Clone make such file systems.
	FS fs.FS
	// Previous is the tree that the import replaces, nil for none. Pages and
	// files that are still at the path where an export of Previous would put
	// them keep their ids, and so do pages whose file moved unchanged.
	Previous       *content.Tree
	PreviousBodies content.Bodies // needed with Previous
	// GitOID returns the git object id of a file in FS if it is known without
	// reading the file, else "". A file that has the same id and path in
	// Previous is then not read again. May be nil.
	GitOID func(path string) string
	// Progress is told how many of the files were dealt with. May be nil.
	Progress func(done, total int)
}

// Options of an import.
type Options struct {
	Limits Limits
	Now    time.Time // for everything that is new or changed
	// Root is the directory of FS that holds .gitbook.yaml and that the root
	// named there is relative to; empty for the top of FS.
	Root string
}

// Result is what an import made.
type Result struct {
	Tree *content.Tree
	// Bodies are the texts of pages, reusable contents, unplaced files, the
	// table of contents and the configuration.
	Bodies map[content.Hash][]byte
	// Files are the contents of the files of the tree, except of those that
	// GitOID showed to be unchanged.
	Files  map[content.Hash]FileContent
	Report Report
}

type importer struct {
	source        Source
	options       Options
	limits        Limits
	result        *Result
	scanner       *scanner
	project       string // directory of .gitbook.yaml in FS, "." for the top
	root          string // content root in FS, "." for the top
	configuration configuration
	found         *scan
	outline       *outline
	previous      *layout
	done          int
	pageIDs       map[string]string // by path below the content root
	fileIDs       map[string]string
}

// Import reads a repository. Limits that are exceeded, files that cannot be
// read, and a table of contents that is not UTF-8 are errors; everything else
// that is wrong is reported, and the rest is imported.
func Import(ctx context.Context, source Source, options Options) (*Result, error) {
	i := &importer{
		source: source, options: options, limits: options.Limits.withDefaults(),
		result: &Result{
			Tree:   &content.Tree{Repository: &content.Repository{}},
			Bodies: map[content.Hash][]byte{}, Files: map[content.Hash]FileContent{},
		},
		pageIDs: map[string]string{}, fileIDs: map[string]string{},
	}
	i.scanner = &scanner{ctx: ctx, fs: source.FS, limits: i.limits, report: &i.result.Report}
	steps := []func() error{
		i.readConfiguration, i.scan, i.describe, i.readPrevious, i.readVariables,
		i.addFiles, i.addPages, i.addReusableContents, i.addRest,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	i.finish()
	return i.result, nil
}

// keep stores a text and returns its hash.
func (i *importer) keep(data []byte) content.Hash {
	hash := content.HashOf(data)
	i.result.Bodies[hash] = data
	return hash
}

// top returns the path below the top of FS of a path below the content root.
func (i *importer) top(name string) string { return path.Join(i.root, name) }

// readConfiguration finds the content root.
func (i *importer) readConfiguration() error {
	cleaned, ok := cleanRelative(i.options.Root)
	if !ok {
		return fault.Invalid("root", "%.200q leaves the repository", i.options.Root)
	}
	i.project = path.Clean(cleaned)
	if !isDirectory(i.source.FS, i.project) {
		return fault.Invalid("root", "%.200q is no directory of the repository", i.options.Root)
	}
	i.configuration = defaultConfiguration()
	name := path.Join(i.project, configurationName)
	info, err := fs.Stat(i.source.FS, name)
	if err == nil && info.Mode().IsRegular() {
		if err := i.parseConfiguration(name); err != nil {
			return err
		}
	}
	i.root = path.Join(i.project, i.configuration.root)
	if !isDirectory(i.source.FS, i.root) {
		i.result.Report.add(name, 0, SeverityError, fmt.Sprintf("root: %q is no directory; the directory of the file is used", i.configuration.root))
		i.root = i.project
	}
	if i.root != "." {
		i.result.Tree.Repository.Root = i.root
	}
	return nil
}

func isDirectory(files fs.FS, name string) bool {
	info, err := fs.Stat(files, name)
	return err == nil && info.IsDir()
}

func (i *importer) parseConfiguration(name string) error {
	data, err := i.scanner.read(name)
	if err != nil {
		return err
	}
	i.configuration = parseConfiguration(data, func(line int, message string) {
		i.result.Report.add(name, line, SeverityError, message)
	})
	i.result.Tree.Repository.ConfigurationPath = name
	i.result.Tree.Repository.Configuration = i.keep(data)
	return nil
}

// scan lists the files and reads the texts.
func (i *importer) scan() error {
	found, err := i.scanner.scan(i.root)
	if err != nil {
		return err
	}
	i.found = found
	if i.root == i.project && i.result.Tree.Repository.ConfigurationPath != "" {
		found.remove(configurationName)
	}
	return i.scanner.readTexts(i.root, found, i.progress)
}

// remove forgets a file that was dealt with.
func (s *scan) remove(name string) {
	delete(s.byPath, name)
	s.files = slices.DeleteFunc(s.files, func(file *scannedFile) bool { return file.path == name })
}

func (i *importer) progress() {
	i.done++
	if i.source.Progress != nil {
		i.source.Progress(i.done, len(i.found.files))
	}
}

// describe finds the pages and their order.
func (i *importer) describe() error {
	i.outline = &outline{
		kind: i.found.kind, summaryPath: i.configuration.summary, readme: i.configuration.readme,
		limits: i.limits,
	}
	i.outline.report = func(line int, severity Severity, message string) {
		i.result.Report.add(i.top(i.outline.summaryPath), line, severity, message)
	}
	file := i.found.byPath[i.configuration.summary]
	if file == nil {
		if i.configuration.summary != defaultSummaryPath {
			i.outline.report(0, SeverityError, "does not exist; the pages follow the directories")
		}
		return i.outline.fromDirectories(i.texts())
	}
	data, err := i.summary(file)
	if err != nil {
		return err
	}
	i.result.Tree.Repository.SummaryPath = file.path
	i.result.Tree.Repository.Summary = i.keep(data)
	return i.outline.fromSummary(parseSummary(data))
}

// summary returns the table of contents, whatever the name of its file.
func (i *importer) summary(file *scannedFile) ([]byte, error) {
	data := file.text
	if data == nil {
		var err error
		if data, err = i.scanner.read(i.top(file.path)); err != nil {
			return nil, err
		}
	}
	if !utf8.Valid(data) {
		return nil, fault.Invalid("summary", "%s is not valid UTF-8", i.top(file.path))
	}
	return data, nil
}

// texts returns the paths of all Markdown files.
func (i *importer) texts() []string {
	var names []string
	for _, file := range i.found.files {
		if file.text != nil {
			names = append(names, file.path)
		}
	}
	return names
}

// readPrevious finds the paths of the tree that is replaced.
func (i *importer) readPrevious() error {
	if i.source.Previous == nil {
		return nil
	}
	i.result.Tree.Variables = i.source.Previous.Variables
	previous, err := newLayout(i.source.Previous, i.source.PreviousBodies)
	if err != nil {
		return fmt.Errorf("read the tree before the import: %w", err)
	}
	i.previous = previous
	return nil
}

// addFiles takes over everything that is no text of the repository's own.
func (i *importer) addFiles() error {
	previous := i.previousFiles()
	for _, file := range i.found.files {
		if file.text != nil || file.path == i.result.Tree.Repository.SummaryPath {
			continue
		}
		if err := i.scanner.ctx.Err(); err != nil {
			return err
		}
		added, err := i.file(file, previous[file.path])
		if err != nil {
			return err
		}
		i.fileIDs[file.path] = added.ID
		i.result.Tree.Files = append(i.result.Tree.Files, added)
		i.progress()
	}
	slices.SortFunc(i.result.Tree.Files, func(a, b *content.File) int { return strings.Compare(a.ID, b.ID) })
	return nil
}

func (i *importer) previousFiles() map[string]*content.File {
	files := map[string]*content.File{}
	if i.previous == nil {
		return files
	}
	for _, file := range i.source.Previous.Files {
		files[i.previous.files[file.ID]] = file
	}
	return files
}

// file describes one file; previous is the one that was at its path, or nil.
func (i *importer) file(found *scannedFile, previous *content.File) (*content.File, error) {
	name := i.top(found.path)
	if previous != nil && previous.GitPath == found.path && previous.GitOID != "" && i.source.GitOID != nil && i.source.GitOID(name) == previous.GitOID {
		return previous, nil
	}
	known, err := describeFile(i.source.FS, name, found.size)
	if err != nil {
		return nil, err
	}
	i.result.Files[known.hash] = FileContent{Path: name, Size: found.size, Hash: known.hash, fs: i.source.FS}
	file := &content.File{
		Name: path.Base(found.path), ContentType: known.contentType, Size: found.size, Content: known.hash,
		Width: known.width, Height: known.height, GitPath: found.path, GitOID: known.oid, CreatedAt: i.options.Now,
	}
	if previous == nil {
		file.ID = identifier.New(identifier.File)
		return file, nil
	}
	file.ID, file.Name, file.CreatedAt = previous.ID, previous.Name, previous.CreatedAt
	if *file == *previous {
		return previous, nil
	}
	return file, nil
}

// addReusableContents takes over the texts that pages include.
func (i *importer) addReusableContents() error {
	previous := map[string]*content.ReusableContent{}
	if i.previous != nil {
		for _, reusable := range i.source.Previous.ReusableContents {
			previous[i.previous.reusable[reusable.ID]] = reusable
		}
	}
	for _, file := range i.found.files {
		if file.text == nil || !isInclude(file.path) || i.pageIDs[file.path] != "" {
			continue
		}
		reusable := &content.ReusableContent{
			Title: reusableTitle(file.text, file.path),
			Body:  i.keep(file.text), GitPath: file.path, GitOID: file.oid,
		}
		if before := previous[file.path]; before != nil {
			reusable.ID = before.ID
		} else {
			reusable.ID = identifier.New(identifier.ReusableContent)
		}
		i.result.Tree.ReusableContents = append(i.result.Tree.ReusableContents, reusable)
	}
	slices.SortFunc(i.result.Tree.ReusableContents, func(a, b *content.ReusableContent) int { return strings.Compare(a.ID, b.ID) })
	return nil
}

// addRest keeps the texts that nothing names, and checks the redirects.
func (i *importer) addRest() error {
	origin := i.result.Tree.Repository
	for _, file := range i.found.files {
		if file.text == nil || i.pageIDs[file.path] != "" || isInclude(file.path) || file.path == origin.SummaryPath {
			continue
		}
		name := i.top(file.path)
		origin.Unplaced = append(origin.Unplaced, content.RepositoryFile{Path: name, Body: i.keep(file.text)})
		i.result.Report.add(name, 0, SeverityWarning, "is not in the table of contents: it is kept and is no page")
	}
	origin.Redirects = i.configuration.redirects
	i.addRedirects()
	for source, target := range origin.Redirects {
		if !hasScheme(target) && i.found.kind(target) == fileAbsent {
			i.result.Report.add(origin.ConfigurationPath, i.configuration.redirectLines[source], SeverityWarning,
				fmt.Sprintf("the redirect of %q leads to %q, which does not exist", source, target))
		}
	}
	return nil
}

// addRedirects keeps those of the tree before, but for what the configuration
// does not say any more, and adds those that lead to pages.
func (i *importer) addRedirects() {
	tree, previous := i.result.Tree, i.source.Previous
	if previous == nil {
		previous = &content.Tree{}
	}
	said := map[string]string{}
	if previous.Repository != nil {
		said = previous.Repository.Redirects
	}
	for _, redirect := range previous.Redirects {
		_, wasSaid := said[redirect.Path]
		if _, isSaid := i.configuration.redirects[redirect.Path]; isSaid || !wasSaid {
			tree.Redirects = append(tree.Redirects, redirect)
		}
	}
	pages := map[string]string{}
	for source, target := range i.configuration.redirects {
		if id := i.pageIDs[target]; id != "" {
			pages[source] = id
		}
	}
	tree.Redirect(pages)
	content.FollowMoves(previous, tree)
}

func (i *importer) finish() {
	report := &i.result.Report
	report.Pages = len(i.result.Tree.Pages)
	report.Files = len(i.result.Tree.Files)
	report.Unplaced = len(i.result.Tree.Repository.Unplaced)
	report.sort()
}

// addPages makes the pages of the outline.
func (i *importer) addPages() error {
	nodes := i.outline.nodes
	before := i.previousPages()
	ids := make([]string, len(nodes))
	for index := range nodes {
		ids[index] = identifier.New(identifier.Page)
		if before[index] != nil {
			ids[index] = before[index].ID
		}
		if nodes[index].kind == content.PageDocument {
			i.pageIDs[nodes[index].path] = ids[index]
		}
	}
	slugs := i.slugs(before)
	for index := range nodes {
		page := &content.Page{CreatedAt: i.options.Now, UpdatedAt: i.options.Now}
		if before[index] != nil {
			*page = *before[index]
		}
		page.ID, page.Slug, page.Parent = ids[index], slugs[index], ""
		if parent := nodes[index].parent; parent >= 0 {
			page.Parent = ids[parent]
		}
		if err := i.fill(page, &nodes[index], before[index]); err != nil {
			return err
		}
		i.result.Tree.Pages = append(i.result.Tree.Pages, i.unchanged(page, before[index]))
	}
	return nil
}

// unchanged returns the page as it was if nothing about it changed, so that an
// import without changes makes the tree that was there.
func (i *importer) unchanged(page, before *content.Page) *content.Page {
	if before == nil {
		return page
	}
	if reflect.DeepEqual(page, before) {
		return before
	}
	page.UpdatedAt = i.options.Now
	return page
}

// previousPages returns, for each node, the page that it was, or nil.
func (i *importer) previousPages() []*content.Page {
	nodes := i.outline.nodes
	pages := make([]*content.Page, len(nodes))
	if i.previous == nil {
		return pages
	}
	lookup := pathLookup{
		page: func(id string) string { return i.previous.written[id] },
		file: func(id string) string { return i.previous.files[id] },
	}
	used := map[int]bool{}
	for index, match := range matchShapes(shapesOfNodes(nodes), shapesOfPages(i.source.Previous.Pages, lookup)) {
		if match >= 0 {
			pages[index] = i.source.Previous.Pages[match]
			used[match] = true
		}
	}
	i.followMoves(pages, used)
	return pages
}

// followMoves recognises files that moved without a change of content. What is
// there more than once is not followed.
func (i *importer) followMoves(pages []*content.Page, used map[int]bool) {
	moved := map[content.Hash]*content.Page{}
	for index, page := range i.source.Previous.Pages {
		if used[index] || page.Type != content.PageDocument || page.Body == "" {
			continue
		}
		if _, repeated := moved[page.Body]; repeated {
			moved[page.Body] = nil
			continue
		}
		moved[page.Body] = page
	}
	for index := range pages {
		next := &i.outline.nodes[index]
		file := i.found.byPath[next.path]
		if pages[index] != nil || next.kind != content.PageDocument || file == nil {
			continue
		}
		hash := content.HashOf(file.text)
		pages[index] = moved[hash]
		moved[hash] = nil
	}
}

// slugs returns the slugs of the nodes. A page that is where the tree before
// had it keeps its slug, which an edit may have set.
func (i *importer) slugs(before []*content.Page) []string {
	nodes := i.outline.nodes
	slugs := make([]string, len(nodes))
	siblings := map[int]*names{}
	for index := range nodes {
		parent := nodes[index].parent
		if siblings[parent] == nil {
			siblings[parent] = newNames()
		}
		if before[index] != nil && i.keepsSlug(&nodes[index], before[index]) {
			slugs[index] = siblings[parent].unique(before[index].Slug, "")
		}
	}
	for index := range nodes {
		if slugs[index] == "" {
			slugs[index] = siblings[nodes[index].parent].unique(nodes[index].slug, "")
		}
	}
	return slugs
}

func (i *importer) keepsSlug(described *node, before *content.Page) bool {
	if described.kind == content.PageDocument {
		return described.path == i.previous.written[before.ID]
	}
	return described.title == titleText(before.Title)
}

// fill sets what the repository says about a page.
func (i *importer) fill(page *content.Page, described *node, before *content.Page) error {
	page.Type, page.Title = described.kind, described.title
	switch described.kind {
	case content.PageLink:
		page.Target = i.target(described, before)
	case content.PageComputed:
		i.fillComputed(page, described, before)
	case content.PageDocument:
		return i.fillDocument(page, described, before)
	}
	return nil
}

// target returns the target of a link page. That of the page before is kept if
// the link still says the same, since it may hold more than a link can say.
func (i *importer) target(described *node, before *content.Page) map[string]any {
	if before != nil {
		lookup := pathLookup{
			page: func(id string) string { return i.previous.written[id] },
			file: func(id string) string { return i.previous.files[id] },
		}
		if lookup.referenceOf(before.Target).key() == described.link.key() {
			return before.Target
		}
	}
	return targetOf(described.link, i.pageIDs, i.fileIDs)
}

func (i *importer) fillComputed(page *content.Page, described *node, before *content.Page) {
	if before != nil && computedKey(before.Computed) == computedKey(described.computed) {
		return
	}
	page.Computed = described.computed
}

func (i *importer) fillDocument(page *content.Page, described *node, before *content.Page) error {
	page.GitPath = described.path
	file := i.found.byPath[described.path]
	if file == nil { // named but missing: a page without a body
		page.Body, page.GitOID = "", ""
		if page.Title == "" {
			page.Title = titleOfPath(described.path)
		}
		return nil
	}
	page.Body, page.GitOID = i.keep(file.text), file.oid
	if page.Title == "" {
		page.Title = pageTitle(file.text, file.path)
	}
	if before != nil && before.Body == page.Body {
		return nil
	}
	return i.fillMetadata(page, file, before)
}

// fillMetadata takes over the front matter of a page, unless it is that of the
// page before: then what an edit set beside it stays.
func (i *importer) fillMetadata(page *content.Page, file *scannedFile, before *content.Page) error {
	found, err := parseMetadata(file.text)
	if err != nil {
		i.result.Report.add(i.top(file.path), 1, SeverityError, "the front matter is ignored: "+err.Error())
		return nil //nolint:nilerr // The report tells it; the rest is imported.
	}
	if before != nil && before.Body != "" {
		source, err := i.source.PreviousBodies.Body(before.Body)
		if err != nil {
			return fmt.Errorf("read page %s: %w", before.ID, err)
		}
		same, err := parseMetadata(source)
		if err == nil && reflect.DeepEqual(same, found) {
			return nil
		}
	}
	i.applyMetadata(page, found)
	return nil
}
