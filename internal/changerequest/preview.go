package changerequest

import (
	"context"

	"octavo/internal/access"
	"octavo/internal/content"
	"octavo/internal/pagination"
	"octavo/internal/revision"
)

// Preview tells what a merge would do.
type Preview struct {
	// Mergeable tells whether a merge by the caller would succeed.
	Mergeable  bool
	UnmetRules []*UnmetRule
	Conflicts  []*Conflict
	// Changes are those that the merge would make to the main content; where
	// there are conflicts the main content stays.
	Changes []*revision.Change
	// Revision is the content of the change request, MainRevision the main
	// content that the preview speaks of.
	Revision     *revision.Revision
	MainRevision *revision.Revision
}

// MergePreview tells what a merge of the change request, which the caller may
// read, would do now. Of a change request that is merged nothing is left to do.
func (s *Service) MergePreview(ctx context.Context, changeRequest *ChangeRequest) (*Preview, error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return nil, err
	}
	home, err := s.spaces.Get(ctx, changeRequest.SpaceID)
	if err != nil {
		return nil, err
	}
	sides, err := s.mainSides(ctx, home, changeRequest)
	if err != nil {
		return nil, err
	}
	preview := &Preview{Revision: sides.ours.Revision, MainRevision: sides.theirs.Revision}
	active := changeRequest.requireActive() == nil
	if !active && changeRequest.MergedRevisionID != nil {
		return preview, nil
	}
	if preview.UnmetRules, err = s.UnmetRules(ctx, home, changeRequest); err != nil {
		return nil, err
	}
	if err := s.foresee(ctx, sides, preview); err != nil {
		return nil, err
	}
	preview.Mergeable = changeRequest.Permissions(ctx).Merge && len(preview.UnmetRules) == 0 && len(preview.Conflicts) == 0
	return preview, nil
}

// foresee fills in conflicts and changes.
func (s *Service) foresee(ctx context.Context, sides *sides, preview *Preview) error {
	bodies := s.revisions.Reader(ctx)
	merged, err := sides.merge(bodies, nil)
	if err != nil {
		return err
	}
	preview.Conflicts = sides.conflicts(merged.Conflicts)
	if len(merged.Conflicts) > 0 {
		if merged, err = sides.merge(bodies, forMain(merged.Conflicts)); err != nil {
			return err
		}
	}
	texts := content.NewMemory(bodies)
	for _, text := range merged.Bodies.Added() {
		texts.Add(text)
	}
	preview.Changes, err = s.revisions.Describe(sides.theirs.Revision, sides.theirs.tree, merged.Tree, texts)
	return err
}

// forMain settles every conflict for the main content.
func forMain(conflicts []content.Conflict) []content.Resolution {
	resolutions := make([]content.Resolution, len(conflicts))
	for index, conflict := range conflicts {
		resolutions[index] = content.Resolution{Conflict: conflict.ID, Choice: content.ChooseTheirs}
	}
	return resolutions
}

// Changes lists what a change request changes, compared with the main content
// that it started from or was last updated from.
func (s *Service) Changes(ctx context.Context, changeRequest *ChangeRequest, arguments pagination.Arguments) (pagination.Page[*revision.Change], error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return pagination.Page[*revision.Change]{}, err
	}
	found, err := s.revisions.ByID(ctx, []string{changeRequest.baseID(), changeRequest.RevisionID})
	if err != nil {
		return pagination.Page[*revision.Change]{}, err
	}
	return s.revisions.Changes(ctx, found[changeRequest.baseID()], found[changeRequest.RevisionID], arguments)
}
