package revision

import (
	"context"
	"strconv"

	"octavo/internal/access"
	"octavo/internal/content"
	"octavo/internal/pagination"
)

// Change is one difference between two revisions, as package content tells it,
// with the pages and files it speaks of.
type Change struct {
	Type content.ChangeKind
	// Page, File and ReusableContent are as they are after the change, or as
	// they were before they were deleted.
	Page            *Page
	File            *File
	ReusableContent *ReusableContent
	Attributes      []content.AttributeChange
	// MovedFrom and MovedTo are the pages above, nil for the top.
	MovedFrom *Page
	MovedTo   *Page
	// AddedLines and RemovedLines count lines of text of an edited page.
	AddedLines   int
	RemovedLines int
}

// Changes lists what differs from one revision to another; without the first,
// everything is new. Texts are read for the changes of the page alone.
func (s *Store) Changes(ctx context.Context, from, to *Revision, arguments pagination.Arguments) (pagination.Page[*Change], error) {
	var none pagination.Page[*Change]
	before, err := s.side(ctx, from)
	if err != nil {
		return none, err
	}
	after, err := s.side(ctx, to)
	if err != nil {
		return none, err
	}
	differences := content.Diff(before.tree, after.tree)
	numbers := make([]int, len(differences))
	for index := range numbers {
		numbers[index] = index
	}
	window, err := pagination.Slice(arguments, "changes "+before.id()+" "+after.id(), numbers, strconv.Itoa)
	if err != nil {
		return none, err
	}
	shown := make([]content.Change, len(window.Items))
	for index, number := range window.Items {
		shown[index] = differences[number]
	}
	changes, err := s.describe(ctx, shown, before, after)
	if err != nil {
		return none, err
	}
	return pagination.Page[*Change]{
		Items: changes, Info: window.Info, Count: window.Count,
		Cursor: cursorsOf(changes, window),
	}, nil
}

// ChangesSince lists what a revision changed, compared with another of its
// space, or else with its first parent. The first revision of a space made
// everything in it.
func (s *Store) ChangesSince(ctx context.Context, to *Revision, since *string, arguments pagination.Arguments) (pagination.Page[*Change], error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return pagination.Page[*Change]{}, err
	}
	if since == nil && len(to.Parents) > 0 {
		since = &to.Parents[0]
	}
	if since == nil {
		return s.Changes(ctx, nil, to, arguments)
	}
	from, err := s.InSpace(ctx, to.SpaceID, *since)
	if err != nil {
		return pagination.Page[*Change]{}, err
	}
	return s.Changes(ctx, from, to, arguments)
}

func cursorsOf(changes []*Change, window pagination.Page[int]) func(*Change) string {
	cursors := make(map[*Change]string, len(changes))
	for index, change := range changes {
		cursors[change] = window.Cursor(window.Items[index])
	}
	return func(change *Change) string { return cursors[change] }
}

// Describe tells what differs from a revision's content to a tree that need not
// be stored. bodies holds the texts of the tree; what it shows of the tree
// counts as content of the revision.
func (s *Store) Describe(from *Revision, before, after *content.Tree, bodies content.Bodies) ([]*Change, error) {
	return describe(content.Diff(before, after), side{from, before}, side{from, after}, bodies)
}

// side is one of the two contents that are compared.
type side struct {
	revision *Revision
	tree     *content.Tree
}

func (s side) id() string {
	if s.revision == nil {
		return ""
	}
	return s.revision.ID
}

func (s *Store) side(ctx context.Context, revision *Revision) (side, error) {
	if revision == nil {
		return side{tree: &content.Tree{}}, nil
	}
	tree, err := s.Tree(ctx, revision.Revision)
	return side{revision, tree}, err
}

// describe reads the texts that are compared in one go.
func (s *Store) describe(ctx context.Context, differences []content.Change, before, after side) ([]*Change, error) {
	var texts []content.Hash
	for index := range differences {
		for _, attribute := range differences[index].Attributes {
			for _, value := range []any{attribute.Before, attribute.After} {
				if hash, isText := value.(content.Hash); isText && differences[index].File == nil {
					texts = append(texts, hash)
				}
			}
		}
	}
	if _, err := s.Bodies(ctx, texts); err != nil {
		return nil, err
	}
	return describe(differences, before, after, s.Reader(ctx))
}

func describe(differences []content.Change, before, after side, bodies content.Bodies) ([]*Change, error) {
	changes := make([]*Change, len(differences))
	for index := range differences {
		described, err := before.describe(&differences[index], after, bodies)
		if err != nil {
			return nil, err
		}
		changes[index] = described
	}
	return changes, nil
}

func (s side) describe(difference *content.Change, after side, bodies content.Bodies) (*Change, error) {
	there := after
	switch difference.Kind {
	case content.PageDeleted, content.FileDeleted, content.ReusableContentDeleted:
		there = s
	}
	lines, err := difference.LineStatistics(bodies)
	if err != nil {
		return nil, err
	}
	described := &Change{
		Type: difference.Kind, Page: there.page(difference.Page), Attributes: difference.Attributes,
		MovedFrom: s.page(difference.ParentBefore), MovedTo: after.page(difference.ParentAfter),
		AddedLines: lines.Added, RemovedLines: lines.Removed,
	}
	if difference.File != nil {
		described.File = &File{File: difference.File, Revision: there.revision, Tree: there.tree}
	}
	if difference.ReusableContent != nil {
		described.ReusableContent = &ReusableContent{ReusableContent: difference.ReusableContent, Revision: there.revision, Tree: there.tree}
	}
	return described, nil
}

func (s side) page(changed *content.ChangedPage) *Page {
	if changed == nil {
		return nil
	}
	return &Page{Page: s.tree.Index().Page(changed.ID), Revision: s.revision, Tree: s.tree}
}
