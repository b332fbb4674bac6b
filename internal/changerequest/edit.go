package changerequest

import (
	"context"
	"fmt"
	"time"

	"octavo/ent"
	entchangerequest "octavo/ent/changerequest"
	"octavo/internal/access"
	"octavo/internal/content"
	"octavo/internal/edit"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/revision"
	"octavo/internal/space"
)

// EditContent edits the content of a change request: all of the changes or
// none. It needs the role edit. NOT_ALLOWED for a change request that is merged
// or archived; CONFLICT, with the detail revision, when another revision than
// the expected one is current.
func (s *Service) EditContent(ctx context.Context, id string, changes []edit.Change, expected *string) (*ChangeRequest, *edit.Result, error) {
	found, err := s.Require(ctx, id, access.ScopeWrite, access.Edit)
	if err != nil {
		return nil, nil, err
	}
	if err := found.requireActive(); err != nil {
		return nil, nil, err
	}
	operations, err := s.spaces.PrepareEdit(ctx, found.SpaceID, changes)
	if err != nil {
		return nil, nil, err
	}
	var result *edit.Result
	err = s.database.Write(ctx, func(ctx context.Context) error {
		home, locked, err := s.lockActive(ctx, id, access.Edit, expected)
		if err != nil {
			return err
		}
		result, err = s.apply(ctx, home, locked, operations)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	found, err = s.Get(ctx, id)
	return found, result, err
}

// requireActive returns NOT_ALLOWED for a change request whose content is
// final or put aside.
func (c *ChangeRequest) requireActive() error {
	if c.Status == enum.StatusDraft || c.Status == enum.StatusOpen {
		return nil
	}
	return fault.New(fault.NotAllowed, "the change request is %s: only a draft or open one can be changed", c.Status).
		With("status", string(c.Status))
}

// lockActive locks the space and the change request, and checks that its
// content may be written and is at the expected revision.
func (s *Service) lockActive(ctx context.Context, id string, minimum access.Role, expected *string) (*space.Space, *ChangeRequest, error) {
	home, locked, err := s.Lock(ctx, id, access.ScopeWrite, minimum)
	if err != nil {
		return nil, nil, err
	}
	if err := locked.requireActive(); err != nil {
		return nil, nil, err
	}
	return home, locked, space.CheckExpected(expected, locked.RevisionID)
}

func (s *Service) apply(ctx context.Context, home *space.Space, locked *ChangeRequest, operations []content.Operation) (*edit.Result, error) {
	trees, err := s.contents(ctx, locked.RevisionID, locked.InitialRevisionID)
	if err != nil {
		return nil, err
	}
	before, initial := trees[locked.RevisionID], trees[locked.InitialRevisionID]
	after, bodies, applied, err := content.Apply(before, s.revisions.Reader(ctx), operations,
		content.ApplyOptions{Now: time.Now(), RevertSource: initial})
	if err != nil {
		return nil, err
	}
	made, err := s.advance(ctx, home.Space, locked.ChangeRequest, revision.Draft{
		Type: enum.RevisionEdits, Parents: []string{locked.RevisionID}, Tree: after, Bodies: bodies.Added(),
	}, nil)
	if err != nil {
		return nil, err
	}
	return edit.NewResult(before, after, made, applied), nil
}

// RewriteContent replaces the content of a change request by what the function
// makes of it, under the conditions of EditContent.
func (s *Service) RewriteContent(ctx context.Context, id string, expected *string, rewrite space.Rewrite) (*revision.Revision, error) {
	var made *revision.Revision
	err := s.database.Write(ctx, func(ctx context.Context) error {
		home, locked, err := s.lockActive(ctx, id, access.Edit, expected)
		if err != nil {
			return err
		}
		trees, err := s.contents(ctx, locked.RevisionID)
		if err != nil {
			return err
		}
		after, bodies, err := rewrite(trees[locked.RevisionID])
		if err != nil {
			return err
		}
		made, err = s.advance(ctx, home.Space, locked.ChangeRequest, revision.Draft{
			Type: enum.RevisionEdits, Parents: []string{locked.RevisionID}, Tree: after, Bodies: bodies,
		}, nil)
		return err
	})
	return made, err
}

// advance writes the draft and makes it the head of a change request whose rows
// are locked, and the caller one of its contributors. ancestor, if any, is the
// main content that the draft brought in.
func (s *Service) advance(ctx context.Context, home *ent.Space, locked *ent.ChangeRequest, draft revision.Draft, ancestor *string) (*revision.Revision, error) {
	draft.Space, draft.ChangeRequestID, draft.AuthorID = home, &locked.ID, access.From(ctx).UserID
	made, err := s.revisions.Write(ctx, draft)
	if err != nil {
		return nil, err
	}
	changes := s.database.Client(ctx).ChangeRequest.UpdateOneID(locked.ID).
		Where(entchangerequest.RevisionID(locked.RevisionID)).
		SetRevisionID(made.ID).SetNillableAncestorRevisionID(ancestor)
	if err := s.save(ctx, changes); err != nil {
		return nil, err
	}
	if err := s.Contribute(ctx, locked, draft.AuthorID); err != nil {
		return nil, err
	}
	return &revision.Revision{Revision: made}, nil
}

// trees reads the content of revisions that were found, by their ids.
func (s *Service) trees(ctx context.Context, found map[string]*revision.Revision, ids ...string) (map[string]*content.Tree, error) {
	trees := make(map[string]*content.Tree, len(ids))
	for _, id := range ids {
		if found[id] == nil {
			return nil, fmt.Errorf("revision %s is missing", id)
		}
		// They are branches of one content.
		tree, err := s.revisions.TreeNear(ctx, found[id].Revision, found[ids[0]].Revision)
		if err != nil {
			return nil, err
		}
		trees[id] = tree
	}
	return trees, nil
}

// contents reads the content of revisions by their ids.
func (s *Service) contents(ctx context.Context, ids ...string) (map[string]*content.Tree, error) {
	found, err := s.revisions.ByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	return s.trees(ctx, found, ids...)
}
