package changerequest

import (
	"context"
	"strings"
	"time"

	"octavo/internal/access"
	"octavo/internal/content"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/mergerule"
	"octavo/internal/revision"
	"octavo/internal/space"
)

// Outcome is what came of a merge, an update or taking back a merge.
type Outcome struct {
	ChangeRequest *ChangeRequest
	Space         *space.Space
	// Revision is the new one, or with conflicts the one that stays.
	Revision  *revision.Revision
	Result    enum.MergeResult
	Conflicts []*Conflict
}

// Merge brings a change request into the main content. It needs the role
// review. With conflicts nothing is written and the outcome says which.
//
// Errors: NOT_ALLOWED for a change request that is merged or archived, and for
// merge rules that are not met, with the detail rules; CONFLICT when the change
// request is at another revision than the expected one.
func (s *Service) Merge(ctx context.Context, id string, expected *string) (*Outcome, error) {
	return s.write(ctx, func(ctx context.Context) (*Outcome, error) {
		home, locked, err := s.lockActive(ctx, id, access.Review, expected)
		if err != nil {
			return nil, err
		}
		if err := s.requireRules(ctx, home, locked); err != nil {
			return nil, err
		}
		return s.merge(ctx, home, locked)
	})
}

// write runs an operation in a transaction and shows the outcome as it stands
// after it.
func (s *Service) write(ctx context.Context, operation func(ctx context.Context) (*Outcome, error)) (*Outcome, error) {
	var outcome *Outcome
	err := s.database.Write(ctx, func(ctx context.Context) error {
		var err error
		outcome, err = operation(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	if outcome.ChangeRequest, err = s.Get(ctx, outcome.ChangeRequest.ID); err != nil {
		return nil, err
	}
	outcome.Space, err = s.spaces.Get(ctx, outcome.ChangeRequest.SpaceID)
	return outcome, err
}

// requireRules returns NOT_ALLOWED when merge rules are not met.
func (s *Service) requireRules(ctx context.Context, home *space.Space, locked *ChangeRequest) error {
	unmet, err := s.UnmetRules(ctx, home, locked)
	if err != nil || len(unmet) == 0 {
		return err
	}
	rules := make([]mergerule.Kind, len(unmet))
	messages := make([]string, len(unmet))
	for index, rule := range unmet {
		rules[index] = rule.Rule
		messages[index] = string(rule.Rule) + " (" + rule.Message + ")"
	}
	return fault.New(fault.NotAllowed, "merge rules are not met: %s", strings.Join(messages, ", ")).With("rules", rules)
}

func (s *Service) merge(ctx context.Context, home *space.Space, locked *ChangeRequest) (*Outcome, error) {
	sides, err := s.mainSides(ctx, home, locked)
	if err != nil {
		return nil, err
	}
	merged, err := sides.merge(s.revisions.Reader(ctx), nil)
	if err != nil {
		return nil, err
	}
	if len(merged.Conflicts) > 0 {
		return s.conflicting(ctx, locked, sides, merged, home.RevisionID)
	}
	draft := revision.Draft{
		MergedFromID: &locked.ID, Type: enum.RevisionMerge, Parents: []string{home.RevisionID, locked.RevisionID},
		AuthorID: access.From(ctx).UserID, Tree: merged.Tree, Bodies: merged.Bodies.Added(),
	}
	if merged.Tree == sides.ours.tree {
		draft.Root = sides.ours.Root
	}
	made, err := s.spaces.Advance(ctx, home.Space, draft)
	if err != nil {
		return nil, err
	}
	if err := s.setMerged(ctx, locked, made.ID); err != nil {
		return nil, err
	}
	return &Outcome{ChangeRequest: locked, Revision: made, Result: enum.ResultMerge}, nil
}

func (s *Service) setMerged(ctx context.Context, locked *ChangeRequest, revisionID string) error {
	changes := s.database.Client(ctx).ChangeRequest.UpdateOneID(locked.ID).
		SetMergedRevisionID(revisionID).SetMergedByID(access.From(ctx).UserID).
		SetMergedAt(time.Now().UTC().Truncate(time.Microsecond))
	if err := s.setStatus(ctx, locked.ChangeRequest, changes, enum.StatusMerged); err != nil {
		return err
	}
	return s.save(ctx, changes)
}

// conflicting is the outcome that leaves everything as it is.
func (s *Service) conflicting(ctx context.Context, locked *ChangeRequest, sides *sides, merged *content.MergeResult, current string) (*Outcome, error) {
	stays, err := s.revisions.Load(ctx, current)
	if err != nil {
		return nil, err
	}
	return &Outcome{
		ChangeRequest: locked, Revision: stays, Result: enum.ResultConflicts, Conflicts: sides.conflicts(merged.Conflicts),
	}, nil
}

// UpdateFromMain pulls the main content into a change request. It needs the
// role edit. With conflicts nothing is written and the outcome says which. A
// change request that is up to date stays as it is.
//
// Errors: NOT_ALLOWED for a change request that is merged or archived; CONFLICT
// when it is at another revision than the expected one.
func (s *Service) UpdateFromMain(ctx context.Context, id string, expected *string) (*Outcome, error) {
	return s.update(ctx, id, nil, expected)
}

// ResolveConflicts is UpdateFromMain with answers to its conflicts. Those that
// are left without an answer are reported, and nothing is written.
//
// Errors: those of UpdateFromMain; CONFLICT for an answer to a conflict that
// there is not any more, BAD_USER_INPUT for one that does not suit its conflict,
// LIMIT_EXCEEDED for too many.
func (s *Service) ResolveConflicts(ctx context.Context, id string, resolutions []content.Resolution, expected *string) (*Outcome, error) {
	if err := checkResolutions(resolutions); err != nil {
		return nil, err
	}
	return s.update(ctx, id, resolutions, expected)
}

// ResolutionLimit is how many conflicts one call settles.
const ResolutionLimit = 1000

func checkResolutions(resolutions []content.Resolution) error {
	if len(resolutions) <= ResolutionLimit {
		return nil
	}
	err := fault.Invalid("resolutions", "at most %d conflicts are settled at once, got %d", ResolutionLimit, len(resolutions))
	err.Code = fault.LimitExceeded
	return err
}

func (s *Service) update(ctx context.Context, id string, resolutions []content.Resolution, expected *string) (*Outcome, error) {
	return s.write(ctx, func(ctx context.Context) (*Outcome, error) {
		home, locked, err := s.lockActive(ctx, id, access.Edit, expected)
		if err != nil {
			return nil, err
		}
		sides, err := s.mainSides(ctx, home, locked)
		if err != nil {
			return nil, err
		}
		merged, err := sides.merge(s.revisions.Reader(ctx), resolutions)
		if err != nil {
			return nil, err
		}
		if len(merged.Conflicts) > 0 {
			return s.conflicting(ctx, locked, sides, merged, locked.RevisionID)
		}
		return s.pull(ctx, home, locked, sides, merged)
	})
}

func (s *Service) pull(ctx context.Context, home *space.Space, locked *ChangeRequest, sides *sides, merged *content.MergeResult) (*Outcome, error) {
	if sides.base.ID == sides.theirs.ID {
		return &Outcome{ChangeRequest: locked, Revision: sides.ours.Revision, Result: enum.ResultUpdate}, nil
	}
	made, err := s.advance(ctx, home.Space, locked.ChangeRequest, revision.Draft{
		Type: enum.RevisionUpdate, Parents: []string{locked.RevisionID, home.RevisionID},
		Tree: merged.Tree, Bodies: merged.Bodies.Added(),
	}, &home.RevisionID)
	if err != nil {
		return nil, err
	}
	return &Outcome{ChangeRequest: locked, Revision: made, Result: enum.ResultUpdate}, nil
}
