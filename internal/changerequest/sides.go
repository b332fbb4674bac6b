package changerequest

import (
	"context"

	"octavo/internal/content"
	"octavo/internal/revision"
	"octavo/internal/space"
)

// Conflict is something that two sides changed differently, with the pages and
// files that it speaks of.
type Conflict struct {
	ID   string
	Kind content.ConflictKind
	// Page, File and ReusableContent are as ours has them, or else as theirs or
	// base has. For an order Page is the page above.
	Page            *revision.Page
	File            *revision.File
	ReusableContent *revision.ReusableContent
	// Field names the property, the variable or the part.
	Field *string
	// Block is the index of the first block of base that a conflict of text is
	// about.
	Block *int
	// Base, Ours and Theirs are the values as content.Conflict has them.
	Base, Ours, Theirs any
	// Choices are those that settle it.
	Choices []content.Choice
}

// side is content that takes part in a merge.
type side struct {
	*revision.Revision
	tree *content.Tree
}

// sides are the three of a merge.
type sides struct{ base, ours, theirs side }

// mainSides are those of a change request and the main content.
func (s *Service) mainSides(ctx context.Context, home *space.Space, changeRequest *ChangeRequest) (*sides, error) {
	return s.sides(ctx, changeRequest.baseID(), changeRequest.RevisionID, home.RevisionID)
}

// baseID is the main content that a change request has taken in.
func (c *ChangeRequest) baseID() string {
	if c.AncestorRevisionID != nil {
		return *c.AncestorRevisionID
	}
	return c.InitialRevisionID
}

// sides reads content by the ids of its revisions.
func (s *Service) sides(ctx context.Context, base, ours, theirs string) (*sides, error) {
	found, err := s.revisions.ByID(ctx, []string{base, ours, theirs})
	if err != nil {
		return nil, err
	}
	// The main content is the one that is most likely in memory.
	trees, err := s.trees(ctx, found, theirs, base, ours)
	if err != nil {
		return nil, err
	}
	return &sides{
		base: side{found[base], trees[base]}, ours: side{found[ours], trees[ours]}, theirs: side{found[theirs], trees[theirs]},
	}, nil
}

// merge is content.Merge, and free of cost when theirs has not moved.
func (s *sides) merge(bodies content.Bodies, resolutions []content.Resolution) (*content.MergeResult, error) {
	if s.base.ID == s.theirs.ID && len(resolutions) == 0 {
		return &content.MergeResult{Tree: s.ours.tree, Bodies: content.NewMemory(nil)}, nil
	}
	return content.Merge(s.base.tree, s.ours.tree, s.theirs.tree, bodies, content.MergeOptions{Resolutions: resolutions})
}

// conflicts shows what a merge of the sides reported.
func (s *sides) conflicts(found []content.Conflict) []*Conflict {
	shown := make([]*Conflict, len(found))
	for index := range found {
		conflict := &found[index]
		shown[index] = &Conflict{
			ID: conflict.ID, Kind: conflict.Kind, Page: s.page(conflict.Page), File: s.file(conflict.File),
			ReusableContent: s.reusableContent(conflict.ReusableContent),
			Base:            conflict.Base, Ours: conflict.Ours, Theirs: conflict.Theirs, Choices: conflict.Choices,
		}
		if conflict.Field != "" {
			shown[index].Field = &conflict.Field
		}
		if conflict.Kind == content.ConflictBody {
			shown[index].Block = &conflict.Block
		}
	}
	return shown
}

func (s *sides) inOrder() []side { return []side{s.ours, s.theirs, s.base} }

func (s *sides) page(id string) *revision.Page {
	for _, side := range s.inOrder() {
		if page := side.tree.Index().Page(id); page != nil {
			return &revision.Page{Page: page, Revision: side.Revision, Tree: side.tree}
		}
	}
	return nil
}

func (s *sides) file(id string) *revision.File {
	for _, side := range s.inOrder() {
		if file := side.tree.File(id); file != nil {
			return &revision.File{File: file, Revision: side.Revision, Tree: side.tree}
		}
	}
	return nil
}

func (s *sides) reusableContent(id string) *revision.ReusableContent {
	for _, side := range s.inOrder() {
		for _, item := range side.tree.ReusableContents {
			if item.ID == id {
				return &revision.ReusableContent{ReusableContent: item, Revision: side.Revision, Tree: side.tree}
			}
		}
	}
	return nil
}
