package audience

import (
	"context"

	"octavo/internal/access"
	"octavo/internal/cache"
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
	*share
}

// share is what of a tree some visitors may read.
type share struct {
	// readable holds the ids of the pages that the visitor may read; of these,
	// listed holds those that stand in navigation, search and lists of pages.
	readable, listed map[string]bool
	// reading are the listed pages that have a text, in reading order.
	reading []*content.Page
	// conditional tells that other visitors may read something else.
	conditional bool
}

// shareKey names the share of a tree that visitors with the same claims have;
// without claims it also is that of all visitors, where there are no conditions.
type shareKey struct{ root, claims string }

const (
	// shareCacheSize bounds the shares of trees in memory, in bytes.
	shareCacheSize = 32 << 20
	// shareWeight is about what a page takes in a share.
	shareWeight = 160
)

// Reader reads the content of sites for visitors.
type Reader struct {
	revisions *revision.Store
	shares    *cache.Cache[shareKey, *share]
}

// NewReader returns a reader of revisions.
func NewReader(revisions *revision.Store) *Reader {
	return &Reader{revisions: revisions, shares: cache.New[shareKey, *share](shareCacheSize)}
}

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
	found := &Content{SiteSpace: shown, Revision: head, Tree: tree, visit: visit}
	found.share = r.share(found)
	return found, nil
}

// share returns what the visitor may read of a tree, from memory where that is
// known.
func (r *Reader) share(of *Content) *share {
	everybody := shareKey{root: of.Revision.Root}
	key := shareKey{of.Revision.Root, of.visit.claimsKey()}
	if known, is := r.shares.Get(everybody); is && (!known.conditional || key == everybody) {
		return known
	}
	if known, is := r.shares.Get(key); is {
		return known
	}
	made := of.choose()
	if !made.conditional {
		key = everybody
	}
	r.shares.Add(key, made, int64(len(of.Tree.Pages)*shareWeight+len(key.claims)))
	return made
}

// choose finds what the visitor may read.
func (c *Content) choose() *share {
	count := len(c.Tree.Pages)
	chosen := &share{readable: make(map[string]bool, count), listed: make(map[string]bool, count)}
	// Every page comes behind the one above it.
	for _, page := range c.Tree.Pages {
		chosen.conditional = chosen.conditional || page.Condition != ""
		above := page.Parent == ""
		if !above && !chosen.readable[page.Parent] || page.Condition != "" && !c.visit.Holds(&page.Condition, c.variables(page)) {
			continue
		}
		chosen.readable[page.ID] = true
		chosen.listed[page.ID] = !page.Hidden && (above || chosen.listed[page.Parent])
		if chosen.listed[page.ID] && HasText(page) {
			chosen.reading = append(chosen.reading, page)
		}
	}
	return chosen
}

func (r *Reader) head(ctx context.Context, shown *site.SiteSpace) (*revision.Revision, error) {
	row := shown.Space
	if kept := r.revisions.Kept(ctx, row.OrganizationID, row.ID, row.RevisionID); kept != nil {
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

// Reading returns the listed pages that have a text, in reading order. The slice
// must not be changed.
func (c *Content) Reading() []*content.Page { return c.reading }

// Home is the page that the address of the site space shows, or nil when the
// visitor may read none.
func (c *Content) Home() *content.Page {
	if len(c.reading) > 0 {
		return c.reading[0]
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
