package space

import (
	"context"

	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/content"
	"octavo/internal/enum"
	"octavo/internal/revision"
)

// New is a space to be made.
type New struct {
	OrganizationID string
	// CollectionID is the collection to put it in.
	CollectionID *string
	Title        string
	Emoji        string
	Language     *string
	EditMode     enum.EditMode
	// Tree is what it starts with; nil is empty content.
	Tree *content.Tree
	// Bodies are the texts that the tree names.
	Bodies map[content.Hash][]byte
}

// Create makes a space at the end of its collection. It needs the role create
// in the collection, or in the organization for one at the top.
func (s *Service) Create(ctx context.Context, space New) (*Space, error) {
	if err := s.structure.RequireParent(ctx, space.OrganizationID, space.CollectionID); err != nil {
		return nil, err
	}
	if err := space.validate(); err != nil {
		return nil, err
	}
	if space.Tree == nil {
		space.Tree = &content.Tree{}
	}
	var created *ent.Space
	err := s.database.Write(ctx, func(ctx context.Context) error {
		var err error
		created, err = s.insert(ctx, space)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, created.ID)
}

// insert writes the space and its first revision. The two name each other, so
// the space is written with the id that the revision will get.
func (s *Service) insert(ctx context.Context, space New) (*ent.Space, error) {
	if err := s.structure.Lock(ctx, space.OrganizationID); err != nil {
		return nil, err
	}
	if err := s.structure.RequireParent(ctx, space.OrganizationID, space.CollectionID); err != nil {
		return nil, err
	}
	place, err := s.lastPosition(ctx, space.OrganizationID, space.CollectionID)
	if err != nil {
		return nil, err
	}
	create := s.database.Client(ctx).Space.Create().
		SetOrganizationID(space.OrganizationID).SetNillableCollectionID(space.CollectionID).
		SetTitle(space.Title).SetEmoji(space.Emoji).SetNillableLanguage(space.Language).
		SetPosition(place).SetRevisionID(pendingRevision)
	if space.EditMode != "" {
		create.SetEditMode(space.EditMode)
	}
	created, err := create.Save(ctx)
	if err != nil {
		return nil, err
	}
	first, err := s.revisions.Write(ctx, revision.Draft{
		Space: created, Type: enum.RevisionEdits, Parents: []string{},
		AuthorID: access.From(ctx).UserID, Tree: space.Tree, Bodies: space.Bodies,
	})
	if err != nil {
		return nil, err
	}
	created, err = s.database.Client(ctx).Space.UpdateOne(created).SetRevisionID(first.ID).Save(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.recordCreation(ctx, created); err != nil {
		return nil, err
	}
	return created, s.announce(ctx, created, &content.Tree{}, space.Tree, first)
}

// pendingRevision stands in a space's row until its first revision is written,
// within one transaction.
const pendingRevision = "pending"

func (n New) validate() error {
	if err := validateTitle(n.Title); err != nil {
		return err
	}
	if err := validateEmoji(n.Emoji); err != nil {
		return err
	}
	if n.EditMode != "" {
		if err := enum.Check("editMode", n.EditMode); err != nil {
			return err
		}
	}
	if n.Language != nil {
		return validateLanguage(*n.Language)
	}
	return nil
}
