package collection

import (
	"context"

	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/structure"
)

// Move puts a collection, with all that is in it, into another one, to a
// position, or both. It needs the role create in the collection and where it
// goes. What states no default level gets that of the new surroundings. It
// returns NOT_FOUND for an unknown parent, INVALID_POSITION for a parent inside
// of the collection and for a position beside something that is not there,
// BAD_USER_INPUT where the nesting would be too deep, and NO_CHANGE when the
// collection stands there already.
func (s *Service) Move(ctx context.Context, id string, move structure.Move) (*Collection, error) {
	if err := move.Validate(); err != nil {
		return nil, err
	}
	found, err := s.Require(ctx, id, access.ScopeWrite, access.Create)
	if err != nil {
		return nil, err
	}
	if err := s.structure.RequireParent(ctx, found.OrganizationID, move.Into(found.ParentID)); err != nil {
		return nil, err
	}
	err = s.database.Write(ctx, func(ctx context.Context) error {
		locked, err := s.lock(ctx, id, access.Create)
		if err != nil {
			return err
		}
		return s.place(ctx, locked.Collection, move)
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

func (s *Service) place(ctx context.Context, moved *ent.Collection, move structure.Move) error {
	parent := move.Into(moved.ParentID)
	stays := structure.Equal(parent, moved.ParentID)
	if err := s.structure.RequireParent(ctx, moved.OrganizationID, parent); err != nil {
		return err
	}
	siblings, err := s.structure.Siblings(ctx, moved.OrganizationID, parent)
	if err != nil {
		return err
	}
	place, err := siblings.Place(moved.ID, stays, move)
	if err != nil {
		return err
	}
	if !stays {
		if err := s.structure.Renest(ctx, moved.OrganizationID, moved.ID, parent); err != nil {
			return err
		}
	}
	if err := s.put(ctx, moved, parent, place); err != nil {
		return err
	}
	return audit.Record(ctx, s.database, audit.Change{
		OrganizationID: moved.OrganizationID, Action: audit.CollectionMoved, SubjectID: moved.ID,
		Before: map[string]any{"parent": moved.ParentID, "position": moved.Position},
		After:  map[string]any{"parent": parent, "position": place},
	})
}

// put writes where a collection stands.
func (s *Service) put(ctx context.Context, moved *ent.Collection, parent *string, position string) error {
	update := s.database.Client(ctx).Collection.UpdateOne(moved).SetPosition(position)
	if parent == nil {
		update.ClearParentID()
	} else {
		update.SetParentID(*parent)
	}
	return update.Exec(ctx)
}
