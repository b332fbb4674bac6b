package space

import (
	"context"

	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/structure"
)

// Move puts a space into a collection, to a position, or both. It needs the
// role create in the space and where it goes. It returns NOT_FOUND for
// an unknown collection, INVALID_POSITION for a position beside something that
// is not there, and NO_CHANGE when the space stands there already.
func (s *Service) Move(ctx context.Context, id string, move structure.Move) (*Space, error) {
	if err := move.Validate(); err != nil {
		return nil, err
	}
	found, err := s.Require(ctx, id, access.ScopeWrite, access.Create)
	if err != nil {
		return nil, err
	}
	if err := s.structure.RequireParent(ctx, found.OrganizationID, move.Into(found.CollectionID)); err != nil {
		return nil, err
	}
	err = s.database.Write(ctx, func(ctx context.Context) error {
		if err := s.structure.Lock(ctx, found.OrganizationID); err != nil {
			return err
		}
		locked, err := s.Lock(ctx, id, access.ScopeWrite, access.Create)
		if err != nil {
			return err
		}
		if locked.OrganizationID != found.OrganizationID {
			return fault.New(fault.Conflict, "the space was transferred meanwhile")
		}
		return s.place(ctx, locked, move)
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

func (s *Service) place(ctx context.Context, moved *Space, move structure.Move) error {
	parent := move.Into(moved.CollectionID)
	if err := s.structure.RequireParent(ctx, moved.OrganizationID, parent); err != nil {
		return err
	}
	siblings, err := s.structure.Siblings(ctx, moved.OrganizationID, parent)
	if err != nil {
		return err
	}
	place, err := siblings.Place(moved.ID, structure.Equal(parent, moved.CollectionID), move)
	if err != nil {
		return err
	}
	update := s.database.Client(ctx).Space.UpdateOne(moved.Space).SetPosition(place).SetUpdatedAt(now())
	if parent == nil {
		update.ClearCollectionID()
		if moved.Visibility == enum.VisibilityInCollection {
			update.SetVisibility(enum.VisibilityPrivate)
		}
	} else {
		update.SetCollectionID(*parent)
	}
	if err := update.Exec(ctx); err != nil {
		return err
	}
	return audit.Record(ctx, s.database, audit.Change{
		OrganizationID: moved.OrganizationID, Action: audit.SpaceMoved, SubjectID: moved.ID,
		Before: map[string]any{"parent": moved.CollectionID, "position": moved.Position},
		After:  map[string]any{"parent": parent, "position": place},
	})
}
