package audience

import (
	"context"

	"octavo/internal/access"
	"octavo/internal/content"
	"octavo/internal/document"
	"octavo/internal/revision"
	"octavo/internal/site"
)

// Content is what a visitor may read of a site space.
type Content struct {
	SiteSpace *site.SiteSpace
	Revision  *revision.Revision
	Tree      *content.Tree

	visit *Visit
	// readable holds the ids of the pages that the visitor may read; of these,
	// listed holds those that stand in navigation, search and lists of pages.
	readable, listed map[string]bool
}

// Reader reads the content of sites for visitors.
type Reader struct{ revisions *revision.Store }

// NewReader returns a reader of revisions.
func NewReader(revisions *revision.Store) *Reader { return &Reader{revisions: revisions} }

// Content returns what the visitor may read of a site space of their structure.
func (r *Reader) Content(ctx context.Context, visit *Visit, shown *site.SiteSpace) (*Content, error) {
	ctx = access.System(ctx, "the audience of a site reads it")
	head, err := r.head(ctx, shown)
	if err != nil {
		return nil, err
	}
	tree, err := r.revisions.Tree(ctx, head.Revision)
	if err != nil {
		return nil, err
	}
	found := &Content{SiteSpace: shown, Revision: head, Tree: tree, visit: visit, readable: map[string]bool{}, listed: map[string]bool{}}
	// Every page comes behind the one above it.
	for _, page := range tree.Pages {
		above := page.Parent == ""
		if !above && !found.readable[page.Parent] || !visit.Holds(&page.Condition, found.variables(page)) {
			continue
		}
		found.readable[page.ID] = true
		found.listed[page.ID] = !page.Hidden && (above || found.listed[page.Parent])
	}
	return found, nil
}

func (r *Reader) head(ctx context.Context, shown *site.SiteSpace) (*revision.Revision, error) {
	row := shown.Space
	if kept := r.revisions.Kept(row.OrganizationID, row.ID, row.RevisionID); kept != nil {
		return kept, nil
	}
	return r.revisions.InSpace(ctx, row.ID, row.RevisionID)
}

// Document returns the text of a page as the visitor may read it: conditional
// blocks that are not theirs are left out, expressions have their values.
func (r *Reader) Document(ctx context.Context, from *Content, page *content.Page) (*document.Document, error) {
	ctx = access.System(ctx, "the audience of a site reads it")
	parsed, err := r.revisions.Read(ctx, from.page(page))
	if err != nil {
		return nil, err
	}
	return document.Evaluate(parsed, from.visit.Variables(from.variables(page)), document.EvaluateStrictly), nil
}

// source is the whole Markdown of a page.
func (r *Reader) source(ctx context.Context, page *content.Page) ([]byte, error) {
	return r.revisions.Body(access.System(ctx, "the audience of a site reads it"), page.Body)
}

// Markdown returns the text of a page as the visitor may read it, as Markdown.
func (r *Reader) Markdown(ctx context.Context, from *Content, page *content.Page) ([]byte, error) {
	ctx = access.System(ctx, "the audience of a site reads it")
	return r.revisions.ReadMarkdown(ctx, from.page(page), from.visit.Variables(from.variables(page)))
}

// Reusable returns a reusable content as the visitor may read it; nil when there
// is none.
func (r *Reader) Reusable(ctx context.Context, from *Content, id string) (*document.Document, error) {
	for _, item := range from.Tree.ReusableContents {
		if item.ID != id {
			continue
		}
		ctx = access.System(ctx, "the audience of a site reads it")
		parsed, err := r.revisions.ReadReusable(ctx, &revision.ReusableContent{ReusableContent: item, Revision: from.Revision, Tree: from.Tree})
		if err != nil {
			return nil, err
		}
		return document.Evaluate(parsed, from.visit.Variables(from.variables(nil)), document.EvaluateStrictly), nil
	}
	return nil, nil
}

func (c *Content) page(page *content.Page) *revision.Page {
	return &revision.Page{Page: page, Revision: c.Revision, Tree: c.Tree}
}

// variables are what expressions of a page read beside the visitor's claims.
func (c *Content) variables(page *content.Page) map[string]any {
	variables := map[string]any{"space": map[string]any{"vars": c.Tree.Variables}}
	if page != nil {
		variables["page"] = map[string]any{"vars": page.Variables}
	}
	return variables
}

// Page returns a page that the visitor may read, or nil.
func (c *Content) Page(id string) *content.Page {
	if !c.readable[id] {
		return nil
	}
	return c.Tree.Index().Page(id)
}

// ByPath returns the page at a path that the visitor may read, or nil.
func (c *Content) ByPath(path string) *content.Page {
	found := c.Tree.Index().ByPath(path)
	if found == nil || !c.readable[found.ID] {
		return nil
	}
	return found
}

// IsListed tells whether a page stands in navigation, search and lists.
func (c *Content) IsListed(id string) bool { return c.listed[id] }

// Listed returns the listed pages below a page, or at the top for "".
func (c *Content) Listed(parent string) []*content.Page {
	var pages []*content.Page
	for _, page := range c.Tree.Index().Children(parent) {
		if c.listed[page.ID] {
			pages = append(pages, page)
		}
	}
	return pages
}

// Reading returns the listed pages that have a text, in reading order.
func (c *Content) Reading() []*content.Page {
	var pages []*content.Page
	for _, page := range c.Tree.Pages {
		if c.listed[page.ID] && HasText(page) {
			pages = append(pages, page)
		}
	}
	return pages
}

// Home is the page that the address of the site space shows, or nil when the
// visitor may read none.
func (c *Content) Home() *content.Page {
	if reading := c.Reading(); len(reading) > 0 {
		return reading[0]
	}
	return nil
}

// Moved returns the page that stood at a path before, if the visitor may read
// it, or nil.
func (c *Content) Moved(path string) *content.Page {
	found := c.Tree.Redirected(path)
	if found == nil {
		return nil
	}
	return c.Page(found.ID)
}

// Path of a page below the address of its site space; empty for the home page.
func (c *Content) Path(page *content.Page) string {
	if home := c.Home(); home != nil && home.ID == page.ID {
		return ""
	}
	return c.Tree.Index().Path(page)
}

// HasText tells whether a page is read as such: groups and links are not.
func HasText(page *content.Page) bool {
	return page.Type == content.PageDocument || page.Type == content.PageComputed
}
