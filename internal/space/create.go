package space

import (
	"context"
	"unicode/utf8"

	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/content"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/identifier"
	"octavo/internal/revision"
)

const maximumTitle = 50

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
// in the organization.
func (s *Service) Create(ctx context.Context, space New) (*Space, error) {
	if err := access.Require(ctx, space.OrganizationID, access.ScopeWrite, access.Create); err != nil {
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
	create := s.database.Client(ctx).Space.Create().
		SetOrganizationID(space.OrganizationID).SetNillableCollectionID(space.CollectionID).
		SetTitle(space.Title).SetEmoji(space.Emoji).SetNillableLanguage(space.Language).
		SetPosition(identifier.New(identifier.Space)).SetRevisionID(pendingRevision)
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
	return s.database.Client(ctx).Space.UpdateOne(created).SetRevisionID(first.ID).Save(ctx)
}

// pendingRevision stands in a space's row until its first revision is written,
// within one transaction.
const pendingRevision = "pending"

func (n New) validate() error {
	if length := utf8.RuneCountInString(n.Title); length > maximumTitle {
		return fault.Invalid("title", "at most %d characters, got %d", maximumTitle, length)
	}
	return nil
}
