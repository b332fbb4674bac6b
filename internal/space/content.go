package space

import (
	"context"
	"fmt"
	"time"

	"octavo/ent"
	entrevision "octavo/ent/revision"
	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/content"
	"octavo/internal/edit"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/pagination"
	"octavo/internal/revision"
)

// ContentListener is told, in the transaction that changes it, that the main
// content of a space has become another; before is empty content for a space
// that has just been made. An error undoes the change.
type ContentListener func(ctx context.Context, space *ent.Space, before, after *content.Tree, made *ent.Revision) error

// OnContentChanged registers a listener. It is called while the program is put
// together, before any content changes.
func (s *Service) OnContentChanged(listener ContentListener) {
	s.contentListeners = append(s.contentListeners, listener)
}

// Advance writes the draft and makes it the main content of a space whose row
// is locked by the transaction in progress. Every change of main content goes
// through here. The first parent of the draft is the main content that it was
// made from; CONFLICT when that is not the main content any more.
func (s *Service) Advance(ctx context.Context, locked *ent.Space, draft revision.Draft) (*revision.Revision, error) {
	if len(draft.Parents) == 0 || draft.Parents[0] != locked.RevisionID {
		return nil, Moved(locked.RevisionID)
	}
	previous, err := s.revisions.Load(ctx, locked.RevisionID)
	if err != nil {
		return nil, err
	}
	before, err := s.revisions.Tree(ctx, previous.Revision)
	if err != nil {
		return nil, err
	}
	draft.Space = locked
	made, err := s.revisions.Write(ctx, draft)
	if err != nil {
		return nil, err
	}
	if err := s.setHead(ctx, locked, made.ID); err != nil {
		return nil, err
	}
	if err := s.announce(ctx, locked, before, draft.Tree, made); err != nil {
		return nil, err
	}
	return &revision.Revision{Revision: made}, nil
}

// announce tells the listeners.
func (s *Service) announce(ctx context.Context, space *ent.Space, before, after *content.Tree, made *ent.Revision) error {
	for _, listener := range s.contentListeners {
		if err := listener(ctx, space, before, after, made); err != nil {
			return err
		}
	}
	return nil
}

// setHead compares and swaps: the lock makes sure that it succeeds, and the
// comparison that nothing is lost should a caller have taken none.
func (s *Service) setHead(ctx context.Context, locked *ent.Space, head string) error {
	changed, err := s.database.Client(ctx).Space.Update().
		Where(entspace.ID(locked.ID), entspace.RevisionID(locked.RevisionID)).
		SetRevisionID(head).SetUpdatedAt(time.Now().UTC().Truncate(time.Microsecond)).Save(ctx)
	if err != nil {
		return fmt.Errorf("move the head of the space: %w", err)
	}
	if changed != 1 {
		return fmt.Errorf("the head of space %s moved while it was locked", locked.ID)
	}
	return nil
}

// Moved is the CONFLICT of a caller who expected content to be at another
// revision than the current one.
func Moved(current string) error {
	return fault.New(fault.Conflict, "the content is at revision %s now", current).With("revision", current)
}

// CheckExpected returns CONFLICT when a revision is expected and is not the
// current one.
func CheckExpected(expected *string, current string) error {
	if expected == nil || *expected == current {
		return nil
	}
	return Moved(current)
}

// PrepareEdit returns the operations that changes to a space's content stand
// for; see edit.Preparer.
func (s *Service) PrepareEdit(ctx context.Context, spaceID string, changes []edit.Change) ([]content.Operation, error) {
	return s.edits.Prepare(ctx, spaceID, changes)
}

// EditContent edits the main content of a space: all of the changes or none.
// It needs the role edit. NOT_ALLOWED when the space is locked: its content is
// edited in change requests.
func (s *Service) EditContent(ctx context.Context, id string, changes []edit.Change, expected *string) (*Space, *edit.Result, error) {
	found, err := s.Require(ctx, id, access.ScopeWrite, access.Edit)
	if err != nil {
		return nil, nil, err
	}
	if err := found.RequireLive(); err != nil {
		return nil, nil, err
	}
	operations, err := s.PrepareEdit(ctx, id, changes)
	if err != nil {
		return nil, nil, err
	}
	var result *edit.Result
	err = s.database.Write(ctx, func(ctx context.Context) error {
		locked, err := s.lockLive(ctx, id, expected)
		if err != nil {
			return err
		}
		result, err = s.apply(ctx, locked.Space, operations)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	found, err = s.Get(ctx, id)
	return found, result, err
}

// RequireLive returns NOT_ALLOWED unless main content is edited directly.
func (s *Space) RequireLive() error {
	if s.EditMode != enum.EditLive {
		return fault.New(fault.NotAllowed, "the edit mode of the space is locked: its content is edited in change requests")
	}
	return nil
}

// lockLive locks a space whose main content the caller is about to edit.
func (s *Service) lockLive(ctx context.Context, id string, expected *string) (*Space, error) {
	locked, err := s.Lock(ctx, id, access.ScopeWrite, access.Edit)
	if err != nil {
		return nil, err
	}
	if err := locked.RequireLive(); err != nil {
		return nil, err
	}
	return locked, CheckExpected(expected, locked.RevisionID)
}

func (s *Service) apply(ctx context.Context, locked *ent.Space, operations []content.Operation) (*edit.Result, error) {
	head, err := s.revisions.Load(ctx, locked.RevisionID)
	if err != nil {
		return nil, err
	}
	before, err := s.revisions.Tree(ctx, head.Revision)
	if err != nil {
		return nil, err
	}
	after, bodies, applied, err := content.Apply(before, s.revisions.Reader(ctx), operations, content.ApplyOptions{Now: time.Now()})
	if err != nil {
		return nil, err
	}
	made, err := s.Advance(ctx, locked, revision.Draft{
		Type: enum.RevisionEdits, Parents: []string{locked.RevisionID},
		AuthorID: access.From(ctx).UserID, Tree: after, Bodies: bodies.Added(),
	})
	if err != nil {
		return nil, err
	}
	return edit.NewResult(before, after, made, applied), nil
}

// Rewrite makes content out of what is there, with the texts that are new.
type Rewrite func(before *content.Tree) (after *content.Tree, bodies map[content.Hash][]byte, err error)

// RewriteContent replaces the main content of a live space by what the function
// makes of it. It needs the role edit.
func (s *Service) RewriteContent(ctx context.Context, id string, expected *string, rewrite Rewrite) (*Space, *revision.Revision, error) {
	var made *revision.Revision
	err := s.database.Write(ctx, func(ctx context.Context) error {
		locked, err := s.lockLive(ctx, id, expected)
		if err != nil {
			return err
		}
		made, err = s.rewrite(ctx, locked.Space, rewrite)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	found, err := s.Get(ctx, id)
	return found, made, err
}

func (s *Service) rewrite(ctx context.Context, locked *ent.Space, rewrite Rewrite) (*revision.Revision, error) {
	head, err := s.revisions.Load(ctx, locked.RevisionID)
	if err != nil {
		return nil, err
	}
	before, err := s.revisions.Tree(ctx, head.Revision)
	if err != nil {
		return nil, err
	}
	after, bodies, err := rewrite(before)
	if err != nil {
		return nil, err
	}
	return s.Advance(ctx, locked, revision.Draft{
		Type: enum.RevisionEdits, Parents: []string{locked.RevisionID},
		AuthorID: access.From(ctx).UserID, Tree: after, Bodies: bodies,
	})
}

// Revisions lists the main content of a space that the caller may read, newest
// first, the current one included. Content of change requests is left out, and
// so is what an import kept beside the main content.
func (s *Service) Revisions(ctx context.Context, space *Space, arguments pagination.Arguments) (pagination.Page[*revision.Revision], error) {
	var none pagination.Page[*revision.Revision]
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return none, err
	}
	window, err := arguments.Window(pagination.Key{Name: "revisions", Order: enum.Descending})
	if err != nil {
		return none, err
	}
	query := s.database.Client(ctx).Revision.Query().
		Where(entrevision.SpaceID(space.ID), entrevision.ChangeRequestIDIsNil(), entrevision.Aside(false))
	rows, err := query.Clone().Where(window.Apply).All(ctx)
	if err != nil {
		return none, err
	}
	found := make([]*revision.Revision, len(rows))
	for index, row := range rows {
		found[index] = &revision.Revision{Revision: row}
	}
	return pagination.NewPage(window, found,
		func(item *revision.Revision) (string, string) { return "", item.ID }, query.Count), nil
}
