package collection

import (
	"context"

	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/audit"
)

// New is a collection to be made.
type New struct {
	OrganizationID string
	// ParentID is the collection to put it in.
	ParentID *string
	Title    string
}

// Create makes a collection at the end of its parent. It needs the role create
// in the parent, or in the organization for one at the top. It returns
// NOT_FOUND for an unknown parent, and BAD_USER_INPUT for a title that is too
// long or a nesting that is too deep.
func (s *Service) Create(ctx context.Context, collection New) (*Collection, error) {
	if err := s.structure.RequireParent(ctx, collection.OrganizationID, collection.ParentID); err != nil {
		return nil, err
	}
	if err := validateTitle(collection.Title); err != nil {
		return nil, err
	}
	var created *ent.Collection
	err := s.database.Write(ctx, func(ctx context.Context) error {
		if err := s.structure.Lock(ctx, collection.OrganizationID); err != nil {
			return err
		}
		var err error
		created, err = s.insert(ctx, collection)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, created.ID)
}

func (s *Service) insert(ctx context.Context, collection New) (*ent.Collection, error) {
	if err := s.structure.RequireParent(ctx, collection.OrganizationID, collection.ParentID); err != nil {
		return nil, err
	}
	siblings, err := s.structure.Siblings(ctx, collection.OrganizationID, collection.ParentID)
	if err != nil {
		return nil, err
	}
	created, err := s.database.Client(ctx).Collection.Create().
		SetOrganizationID(collection.OrganizationID).SetNillableParentID(collection.ParentID).
		SetTitle(collection.Title).SetPosition(siblings.Last()).Save(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.structure.Nest(ctx, created.OrganizationID, created.ID, created.ParentID); err != nil {
		return nil, err
	}
	return created, audit.Record(ctx, s.database, audit.Change{
		OrganizationID: created.OrganizationID, Action: audit.CollectionCreated, SubjectID: created.ID,
		After: map[string]any{"title": created.Title, "parent": created.ParentID},
	})
}

// Changes to a collection; nil leaves a field as it is, an empty Description
// removes it.
type Changes struct {
	Title, Description *string
	DefaultLevel       *access.Role
}

// Update changes a collection. Its title and description need the role create,
// its default level needs admin.
func (s *Service) Update(ctx context.Context, id string, changes Changes) (*Collection, error) {
	if _, err := s.Require(ctx, id, access.ScopeWrite, changes.minimum()); err != nil {
		return nil, err
	}
	if err := changes.validate(); err != nil {
		return nil, err
	}
	err := s.database.Write(ctx, func(ctx context.Context) error {
		locked, err := s.lock(ctx, id, changes.minimum())
		if err != nil {
			return err
		}
		return s.change(ctx, locked.Collection, changes)
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

func (c Changes) minimum() access.Role {
	if c.DefaultLevel != nil {
		return access.Admin
	}
	return access.Create
}

func (c Changes) validate() error {
	if c.Title != nil {
		if err := validateTitle(*c.Title); err != nil {
			return err
		}
	}
	if c.Description != nil {
		return validateDescription(*c.Description)
	}
	return nil
}

func (s *Service) change(ctx context.Context, current *ent.Collection, changes Changes) error {
	before, after := changes.differences(current)
	if len(after) == 0 {
		return nil
	}
	update := s.database.Client(ctx).Collection.UpdateOne(current).SetNillableTitle(changes.Title).
		SetNillableDescription(changes.Description).SetNillableDefaultLevel(changes.DefaultLevel)
	if err := update.Exec(ctx); err != nil {
		return err
	}
	return audit.Record(ctx, s.database, audit.Change{
		OrganizationID: current.OrganizationID, Action: audit.CollectionUpdated, SubjectID: current.ID, Before: before, After: after,
	})
}

// differences are the fields that become others.
func (c Changes) differences(current *ent.Collection) (before, after map[string]any) {
	before, after = map[string]any{}, map[string]any{}
	if c.Title != nil && *c.Title != current.Title {
		before["title"], after["title"] = current.Title, *c.Title
	}
	if c.Description != nil && *c.Description != current.Description {
		before["description"], after["description"] = current.Description, *c.Description
	}
	if c.DefaultLevel != nil && *c.DefaultLevel != current.DefaultLevel {
		before["defaultLevel"], after["defaultLevel"] = current.DefaultLevel, *c.DefaultLevel
	}
	return before, after
}
