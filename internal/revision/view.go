package revision

import (
	"context"
	"encoding/json"
	"fmt"

	"octavo/ent"
	entrevision "octavo/ent/revision"
	"octavo/internal/content"
	"octavo/internal/fault"
	"octavo/internal/pagination"
)

// Revision is a revision of content that the caller may read.
type Revision struct {
	*ent.Revision
	// ReadIn is the id of the change request as whose content it is read; it is
	// empty for the content of the space.
	ReadIn string
}

// In returns the revision, read as the content of a change request.
func (r *Revision) In(changeRequestID string) *Revision {
	return &Revision{Revision: r.Revision, ReadIn: changeRequestID}
}

// GitCommit is the commit that the revision was imported from, or nil.
func (r *Revision) GitCommit() (*Git, error) {
	if len(r.Git) == 0 {
		return nil, nil
	}
	var commit Git
	if err := json.Unmarshal(r.Git, &commit); err != nil {
		return nil, fmt.Errorf("the commit of revision %s: %w", r.ID, err)
	}
	return &commit, nil
}

// Page is a page of a revision.
type Page struct {
	*content.Page
	Revision *Revision
	Tree     *content.Tree
}

// ShownEmoji is the emoji; nil when there is none.
func (p *Page) ShownEmoji() *string { return unlessEmpty(p.Emoji) }

// ShownIcon is the name of the icon; nil when there is none.
func (p *Page) ShownIcon() *string { return unlessEmpty(p.Icon) }

// ShownDescription is the description; nil when there is none.
func (p *Page) ShownDescription() *string { return unlessEmpty(p.Description) }

func unlessEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// File is a file of a revision.
type File struct {
	*content.File
	Revision *Revision
	Tree     *content.Tree
}

// ReusableContent is a piece of reusable content of a revision.
type ReusableContent struct {
	*content.ReusableContent
	Revision *Revision
	Tree     *content.Tree
}

// ByID returns revisions by their ids, for loaders whose callers have checked
// that the viewer may read the space.
func (s *Store) ByID(ctx context.Context, ids []string) (map[string]*Revision, error) {
	rows, err := s.database.Client(ctx).Revision.Query().Where(entrevision.IDIn(ids...)).All(ctx)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*Revision, len(rows))
	for _, row := range rows {
		if seen := shown(ctx, s.keep(row)); seen != nil {
			found[row.ID] = seen
		}
	}
	return found, nil
}

// InSpace returns a revision of a space that the viewer may read; NOT_FOUND for
// any other.
func (s *Store) InSpace(ctx context.Context, spaceID, id string) (*Revision, error) {
	found, err := s.database.Client(ctx).Revision.Query().
		Where(entrevision.ID(id), entrevision.SpaceID(spaceID)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("revision")
	}
	if err != nil {
		return nil, err
	}
	if seen := shown(ctx, s.keep(found)); seen != nil {
		return seen, nil
	}
	return nil, fault.Missing("revision")
}

// rowKey names a revision within an organization: all that ever changes about
// the row is the organization, when the space is handed over.
type rowKey struct{ organizationID, id string }

func (s *Store) keep(row *ent.Revision) *Revision {
	kept := &Revision{Revision: row}
	s.rows.Add(rowKey{row.OrganizationID, row.ID}, kept, rowWeight)
	return kept
}

// Kept returns a revision of a space of the organization if it is in memory and
// the caller may read it, else nil.
func (s *Store) Kept(ctx context.Context, organizationID, spaceID, id string) *Revision {
	if kept, found := s.rows.Get(rowKey{organizationID, id}); found && kept.SpaceID == spaceID {
		return shown(ctx, kept)
	}
	return nil
}

// Variables returns the variables of the space at a revision.
func (s *Store) Variables(ctx context.Context, revision *Revision) (map[string]any, error) {
	tree, err := s.Tree(ctx, revision.Revision)
	if err != nil {
		return nil, err
	}
	if tree.Variables == nil {
		return map[string]any{}, nil
	}
	return tree.Variables, nil
}

// Pages returns the top of the page tree.
func (s *Store) Pages(ctx context.Context, revision *Revision) ([]*Page, error) {
	tree, err := s.Tree(ctx, revision.Revision)
	if err != nil {
		return nil, err
	}
	return pagesBelow(revision, tree, ""), nil
}

// Page returns a page of the revision; NOT_FOUND if it has none with the id.
func (s *Store) Page(ctx context.Context, revision *Revision, id string) (*Page, error) {
	tree, err := s.Tree(ctx, revision.Revision)
	if err != nil {
		return nil, err
	}
	return onePage(revision, tree, tree.Index().Page(id))
}

// PageByPath returns the page at a path such as guides/install, or else the one
// that a redirect leads to from there; NOT_FOUND if there is none.
func (s *Store) PageByPath(ctx context.Context, revision *Revision, path string) (*Page, error) {
	tree, err := s.Tree(ctx, revision.Revision)
	if err != nil {
		return nil, err
	}
	page := tree.Index().ByPath(path)
	if page == nil {
		page = tree.Redirected(path)
	}
	return onePage(revision, tree, page)
}

func onePage(revision *Revision, tree *content.Tree, page *content.Page) (*Page, error) {
	if page == nil {
		return nil, fault.Missing("page")
	}
	return &Page{Page: page, Revision: revision, Tree: tree}, nil
}

func pagesBelow(revision *Revision, tree *content.Tree, parent string) []*Page {
	children := tree.Index().Children(parent)
	pages := make([]*Page, len(children))
	for index, child := range children {
		pages[index] = &Page{Page: child, Revision: revision, Tree: tree}
	}
	return pages
}

// Children returns the pages below the page, in order.
func (p *Page) Children() []*Page { return pagesBelow(p.Revision, p.Tree, p.ID) }

// Above returns the page above, or nil at the top.
func (p *Page) Above() *Page {
	above := p.Tree.Index().Page(p.Parent)
	if above == nil {
		return nil
	}
	return &Page{Page: above, Revision: p.Revision, Tree: p.Tree}
}

// Files lists the files of the revision, by id.
func (s *Store) Files(ctx context.Context, revision *Revision, arguments pagination.Arguments) (pagination.Page[*File], error) {
	tree, err := s.Tree(ctx, revision.Revision)
	if err != nil {
		return pagination.Page[*File]{}, err
	}
	files := make([]*File, len(tree.Files))
	for index, file := range tree.Files {
		files[index] = &File{File: file, Revision: revision, Tree: tree}
	}
	return pagination.Slice(arguments, "files", files, func(file *File) string { return file.ID })
}

// Redirect leads from a path that is no page's to a page of a revision.
type Redirect struct {
	Path string
	Page *Page
}

// Redirects lists the redirects of the revision, by path.
func (s *Store) Redirects(ctx context.Context, revision *Revision, arguments pagination.Arguments) (pagination.Page[*Redirect], error) {
	tree, err := s.Tree(ctx, revision.Revision)
	if err != nil {
		return pagination.Page[*Redirect]{}, err
	}
	var redirects []*Redirect
	for _, redirect := range tree.Redirects {
		if page := tree.Index().Page(redirect.Page); page != nil {
			redirects = append(redirects, &Redirect{Path: redirect.Path, Page: &Page{Page: page, Revision: revision, Tree: tree}})
		}
	}
	return pagination.Slice(arguments, "redirects", redirects, func(redirect *Redirect) string { return redirect.Path })
}

// File returns a file of the revision; NOT_FOUND if it has none with the id.
func (s *Store) File(ctx context.Context, revision *Revision, id string) (*File, error) {
	tree, err := s.Tree(ctx, revision.Revision)
	if err != nil {
		return nil, err
	}
	file := tree.File(id)
	if file == nil {
		return nil, fault.Missing("file")
	}
	return &File{File: file, Revision: revision, Tree: tree}, nil
}

// ReusableContents returns the reusable content of the revision.
func (s *Store) ReusableContents(ctx context.Context, revision *Revision) ([]*ReusableContent, error) {
	tree, err := s.Tree(ctx, revision.Revision)
	if err != nil {
		return nil, err
	}
	items := make([]*ReusableContent, len(tree.ReusableContents))
	for index, item := range tree.ReusableContents {
		items[index] = &ReusableContent{ReusableContent: item, Revision: revision, Tree: tree}
	}
	return items, nil
}

// ReusableContent returns a piece of it; NOT_FOUND if there is none with the id.
func (s *Store) ReusableContent(ctx context.Context, revision *Revision, id string) (*ReusableContent, error) {
	items, err := s.ReusableContents(ctx, revision)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		if item.ID == id {
			return item, nil
		}
	}
	return nil, fault.Missing("reusable content")
}

// Load is ByID for one revision that must exist.
func (s *Store) Load(ctx context.Context, id string) (*Revision, error) {
	found, err := s.ByID(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	if found[id] == nil {
		return nil, fmt.Errorf("revision %s is missing", id)
	}
	return found[id], nil
}
