package changerequest

import (
	"context"
	"fmt"

	"octavo/internal/access"
	"octavo/internal/content"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/revision"
	"octavo/internal/space"
)

// RevertMerge takes back what the merge of a change request changed, by a new
// revision of the main content. It needs the role review. What was changed
// since and differs from both states is a conflict: one without a resolution is
// reported, and nothing is written. In these ours is the main content and theirs
// what was there before the merge.
//
// Errors: NOT_ALLOWED for a change request that is not merged, NO_CHANGE when
// nothing of the merge is left or the resolutions keep all of it, CONFLICT when
// the main content is at another revision than the expected one or a resolution
// is for a conflict that there is not any more, BAD_USER_INPUT for one that does
// not suit its conflict, LIMIT_EXCEEDED for too many.
func (s *Service) RevertMerge(ctx context.Context, id string, resolutions []content.Resolution, expected *string) (*Outcome, error) {
	if err := checkResolutions(resolutions); err != nil {
		return nil, err
	}
	return s.write(ctx, func(ctx context.Context) (*Outcome, error) {
		home, locked, err := s.Lock(ctx, id, access.ScopeWrite, access.Review)
		if err != nil {
			return nil, err
		}
		if locked.MergedRevisionID == nil {
			return nil, fault.New(fault.NotAllowed, "the change request is %s: only a merged one can be taken back", locked.Status).
				With("status", string(locked.Status))
		}
		if err := space.CheckExpected(expected, home.RevisionID); err != nil {
			return nil, err
		}
		return s.revert(ctx, home, locked, resolutions)
	})
}

func (s *Service) revert(ctx context.Context, home *space.Space, locked *ChangeRequest, resolutions []content.Resolution) (*Outcome, error) {
	sides, err := s.revertSides(ctx, home, locked)
	if err != nil {
		return nil, err
	}
	merged, err := content.Merge(sides.base.tree, sides.ours.tree, sides.theirs.tree, s.revisions.Reader(ctx), content.MergeOptions{Resolutions: resolutions})
	if err != nil {
		return nil, err
	}
	if len(merged.Conflicts) > 0 {
		return s.conflicting(ctx, locked, sides, merged, home.RevisionID)
	}
	if len(content.Diff(sides.ours.tree, merged.Tree)) == 0 {
		return nil, fault.New(fault.NoChange, "nothing of the merge is left to take back")
	}
	made, err := s.spaces.Advance(ctx, home.Space, revision.Draft{
		Type: enum.RevisionRollback, Parents: []string{home.RevisionID},
		AuthorID: access.From(ctx).UserID, Tree: merged.Tree, Bodies: merged.Bodies.Added(),
	})
	if err != nil {
		return nil, err
	}
	return &Outcome{ChangeRequest: locked, Revision: made, Result: enum.ResultRollback}, nil
}

// revertSides lead from the merge (base) back to what was there before it
// (theirs).
func (s *Service) revertSides(ctx context.Context, home *space.Space, locked *ChangeRequest) (*sides, error) {
	merge, err := s.revisions.Load(ctx, *locked.MergedRevisionID)
	if err != nil {
		return nil, err
	}
	if len(merge.Parents) == 0 {
		return nil, fmt.Errorf("the merge %s has no parents", merge.ID)
	}
	return s.sides(ctx, merge.ID, home.RevisionID, merge.Parents[0])
}
