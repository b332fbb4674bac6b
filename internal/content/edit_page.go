package content

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"octavo/internal/document"
	"octavo/internal/identifier"
)

func (o InsertPage) apply(e *editor) (*AppliedOperation, error) {
	page, err := e.newPage(o)
	if err != nil {
		return nil, err
	}
	if page.Parent, err = e.checkParent("into", o.Into, page.Type); err != nil {
		return nil, err
	}
	index, err := e.checkIndex(o.At, childCount(e.tree.Pages, page.Parent))
	if err != nil {
		return nil, err
	}
	if err := e.fill(page, &Page{}, o.Markdown, o.Metadata); err != nil {
		return nil, err
	}
	if page.Type == PageLink && len(page.Target) == 0 {
		return nil, e.invalid("target", "a link needs a target")
	}
	if err := e.settleSlug(page, o.Metadata.Slug); err != nil {
		return nil, err
	}
	e.insertAt(page, index)
	return &AppliedOperation{Ref: o.Ref, Inserted: []string{page.ID}}, nil
}

// newPage returns the empty page that o makes.
func (e *editor) newPage(o InsertPage) (*Page, error) {
	page := &Page{ID: e.announcedPages[o.Ref], Type: o.Type, CreatedAt: e.options.Now, UpdatedAt: e.options.Now}
	if page.ID == "" {
		page.ID = identifier.New(identifier.Page)
	}
	switch page.Type {
	case "":
		page.Type = PageDocument
	case PageDocument, PageGroup, PageLink:
	default:
		return nil, e.invalid("type", "a page that can be inserted is a document, a group or a link")
	}
	return page, nil
}

func (o UpdatePage) apply(e *editor) (*AppliedOperation, error) {
	page, err := e.page("page", o.Page)
	if err != nil {
		return nil, err
	}
	changed := *page
	if err := e.fill(&changed, page, o.Markdown, o.Metadata); err != nil {
		return nil, err
	}
	parent, index, err := e.destination(page, o)
	if err != nil {
		return nil, err
	}
	placed := changed
	placed.Parent = parent
	if o.Metadata.Slug.Given() || parent != page.Parent {
		if err := e.settleSlug(&placed, o.Metadata.Slug); err != nil {
			return nil, err
		}
		changed.Slug = placed.Slug
	}
	edited := e.replace(&changed)
	moved := (o.At != nil || parent != page.Parent) && e.move(&changed, parent, index)
	if !edited && !moved {
		return nil, nil
	}
	return &AppliedOperation{Updated: []string{page.ID}}, nil
}

// destination returns the parent and the index at which o wants the page.
func (e *editor) destination(page *Page, o UpdatePage) (parent string, index int, err error) {
	parent = page.Parent
	if o.Into.Given() {
		name := ""
		if o.Into.Value() != nil {
			name = *o.Into.Value()
		}
		if parent, err = e.checkParent("into", name, page.Type); err != nil {
			return "", 0, err
		}
		if parent != "" && isBelow(e.tree.Pages, parent, page.ID) {
			return "", 0, e.misplaced("into", "a page cannot stand below itself")
		}
	}
	siblings := childCount(e.tree.Pages, parent)
	if parent == page.Parent {
		siblings--
	}
	index, err = e.checkIndex(o.At, siblings)
	return parent, index, err
}

func (o DeletePage) apply(e *editor) (*AppliedOperation, error) {
	page, err := e.page("page", o.Page)
	if err != nil {
		return nil, err
	}
	return &AppliedOperation{Deleted: e.remove(page.ID)}, nil
}

// remove takes the page and its descendants out and returns their ids.
func (e *editor) remove(id string) []string {
	start := e.position(id)
	end := subtreeEnd(e.tree.Pages, start)
	var removed []string
	for _, page := range e.tree.Pages[start:end] {
		removed = append(removed, page.ID)
	}
	e.tree.Pages = slices.Delete(e.tree.Pages, start, end)
	return removed
}

// fill gives the page the metadata and the source that an operation brings.
// before is the page as it was, empty for one that is new.
func (e *editor) fill(page, before *Page, markdown *string, metadata PageMetadata) error {
	if markdown != nil && page.Type != PageDocument {
		return e.invalid("document", "a %s page has no document", page.Type)
	}
	if page.Type != PageDocument {
		if err := e.setMetadata(page, metadata, nil); err != nil {
			return err
		}
		return e.requireTitle(page)
	}
	source, err := e.source(before, markdown)
	if err != nil {
		return err
	}
	stated := map[string]bool{}
	if markdown != nil {
		read, found, err := e.read(page, before, source)
		if err != nil {
			return err
		}
		if err := e.checkMetadata(read, found); err != nil {
			return err
		}
		*page, stated = *read, found
	}
	written := *page
	if before.ID == "" {
		written = e.statedBy(source)
	}
	if err := e.setMetadata(page, metadata, stated); err != nil {
		return err
	}
	if err := e.requireTitle(page); err != nil {
		return err
	}
	if source, err = writeMetadata(source, &written, page, e.files()); err != nil {
		return e.invalid("document", "its front matter cannot be changed: %s", err)
	}
	if before.ID == "" && markdown == nil {
		source = document.ReplaceTitle(source, page.Title)
	}
	return e.setBody(page, before, source)
}

// read returns the page with the metadata of its new source. A heading that
// was no title before, and has not changed, does not become one.
func (e *editor) read(page, before *Page, source []byte) (read *Page, stated map[string]bool, err error) {
	read, stated, err = readMetadata(page, source, e.files())
	if err != nil {
		return nil, nil, e.invalid("document", "%s", err)
	}
	if before.ID == "" {
		return read, stated, nil
	}
	old, err := e.bodies.Body(before.Body)
	if err != nil {
		return nil, nil, err
	}
	_, oldBody := document.SplitFrontMatter(old)
	if read.Title == headingOf(oldBody) {
		read.Title, stated["title"] = before.Title, false
	}
	return read, stated, nil
}

// statedBy returns a page with nothing but what the source states, which is
// known to be readable.
func (e *editor) statedBy(source []byte) Page {
	read, _, err := readMetadata(&Page{}, source, e.files())
	if err != nil {
		return Page{}
	}
	return *read
}

// source returns the Markdown that an operation leads to before metadata is
// set: the page's own, or the new one, below the front matter and the title
// that the page has unless it brings its own.
func (e *editor) source(before *Page, markdown *string) ([]byte, error) {
	old, err := e.bodies.Body(before.Body)
	if err != nil || markdown == nil {
		return old, err
	}
	if err := e.checkSource(*markdown); err != nil {
		return nil, err
	}
	source := document.RewriteLinks([]byte(*markdown), func(link document.Link) (string, bool) {
		resolved := e.resolveLink(link.Destination)
		return resolved, resolved != link.Destination
	})
	if frontMatter, _ := document.SplitFrontMatter(source); len(frontMatter) > 0 {
		return e.resolveCover(source, frontMatter)
	}
	frontMatter, body := document.SplitFrontMatter(old)
	return slices.Concat(frontMatter, titleAbove(source, body, before.Title), source), nil
}

// titleAbove returns the heading that states the title of the page in its old
// body, with what is around it, unless the new one begins with a title: reading
// leaves the heading out, so that what was read can be written back.
func titleAbove(body, old []byte, title string) []byte {
	if document.BeginsWithTitle(body) {
		return nil
	}
	text := bytes.TrimLeft(old, "\r\n")
	below := document.WithoutTitle(text, title)
	if len(below) == len(text) {
		return nil
	}
	if len(below) == 0 && len(body) > 0 {
		return slices.Concat(bytes.TrimRight(old, "\r\n"), []byte("\n\n"))
	}
	return old[:len(old)-len(below)]
}

// resolveCover turns the refs of the batch that front matter names as images
// into the files themselves.
func (e *editor) resolveCover(source, frontMatter []byte) ([]byte, error) {
	found, err := document.ParseFrontMatter(frontMatter)
	if err != nil {
		return nil, e.invalid("document", "%s", err)
	}
	changes := document.MetadataChanges{}
	for key, image := range map[string]*string{"cover": found.Cover, "coverDark": found.CoverDark} {
		if resolved := e.resolveLink(valueOf(image)); resolved != valueOf(image) {
			changes[key] = resolved
		}
	}
	if len(changes) == 0 {
		return source, nil
	}
	if source, err = document.UpdateFrontMatter(source, changes); err != nil {
		return nil, e.invalid("document", "%s", err)
	}
	return source, nil
}

func (e *editor) checkSource(markdown string) error {
	if len(markdown) > e.options.BodyLimit {
		return limitExceeded(e.field("document"), "the source of a page is at most %d bytes", e.options.BodyLimit)
	}
	if !utf8.ValidString(markdown) {
		return e.invalid("document", "it is not valid UTF-8")
	}
	if strings.ContainsRune(markdown, 0) {
		return e.invalid("document", "it holds a NUL character")
	}
	return nil
}

func (e *editor) setBody(page, before *Page, source []byte) error {
	if len(source) > e.options.BodyLimit {
		return limitExceeded(e.field("document"), "the source of a page is at most %d bytes", e.options.BodyLimit)
	}
	if before.ID != "" && before.Body == "" && len(source) == 0 {
		return nil
	}
	page.Body = HashOf(source)
	if page.Body != before.Body {
		e.bodies.Add(source)
	}
	return nil
}

// resolveLink turns a link to a ref of the batch into one to the page or file
// itself.
func (e *editor) resolveLink(destination string) string {
	local, found := strings.CutPrefix(destination, "./")
	if !found {
		return destination
	}
	target, anchor, hasAnchor := strings.Cut(local, "#")
	if hasAnchor {
		anchor = "#" + anchor
	}
	if ref, isPage := strings.CutSuffix(target, ".md"); isPage && e.announcedPages[ref] != "" {
		return "/pages/" + e.announcedPages[ref] + anchor
	}
	if id := e.announcedFiles[target]; id != "" {
		return "/files/" + id + anchor
	}
	return destination
}

func (e *editor) files() fileNames {
	return fileNames{files: e.tree.Files}
}

func (e *editor) requireTitle(page *Page) error {
	if page.Title == "" && page.Type == PageDocument {
		page.Title = untitled
	}
	if page.Title == "" {
		return e.invalid("title", "a %s page needs a title", page.Type)
	}
	return nil
}

// settleSlug gives a page that has none the slug of its title, and makes the
// slug differ from those of the siblings: one that the caller chose is refused
// instead.
func (e *editor) settleSlug(page *Page, wanted Option[string]) error {
	if page.Type == PageLink || page.Type == PageComputed {
		return nil
	}
	if page.Slug == "" {
		page.Slug = Slug(page.Title)
	}
	taken := map[string]bool{}
	for _, sibling := range e.tree.Pages {
		if sibling.Parent == page.Parent && sibling.ID != page.ID {
			taken[sibling.Slug] = true
		}
	}
	if wanted.Given() && taken[page.Slug] {
		return e.invalid("slug", "another page in this place has the slug %q", page.Slug)
	}
	page.Slug = firstFreeSlug(page.Slug, taken)
	return nil
}
