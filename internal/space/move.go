package space

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"octavo/ent"
	"octavo/ent/changerequest"
	"octavo/ent/collection"
	"octavo/ent/comment"
	"octavo/ent/commentreply"
	"octavo/ent/contributor"
	"octavo/ent/permission"
	"octavo/ent/predicate"
	"octavo/ent/requestedreviewer"
	"octavo/ent/review"
	"octavo/ent/revision"
	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/fault"
	"octavo/internal/position"
)

// Move says where a space goes.
type Move struct {
	// Parent is the collection to move it into; a pointer to the empty text is
	// the top of the organization, nil is where it is.
	Parent *string
	// Before and After are ids of a space or collection beside which to put
	// it; at most one is given. Without either it goes to the end when the
	// parent changes.
	Before, After string
}

// siblings are the spaces and collections of one parent, in order.
type siblings []sibling

type sibling struct{ id, position string }

// Move puts a space into a collection, to a position, or both. It needs the
// role create in the space and in the organization. It returns NOT_FOUND for
// an unknown collection, INVALID_POSITION for a position beside something that
// is not there, and NO_CHANGE when the space stands there already.
func (s *Service) Move(ctx context.Context, id string, move Move) (*Space, error) {
	if move.Before != "" && move.After != "" {
		return nil, fault.Invalid("position", "give before or after, not both")
	}
	found, err := s.Require(ctx, id, access.ScopeWrite, access.Create)
	if err != nil {
		return nil, err
	}
	if err := access.Require(ctx, found.OrganizationID, access.ScopeWrite, access.Create); err != nil {
		return nil, err
	}
	err = s.database.Write(ctx, func(ctx context.Context) error {
		parent := found.CollectionID
		if move.Parent != nil {
			parent = unlessEmpty(*move.Parent)
		}
		if err := s.lockSiblings(ctx, found.OrganizationID, parent); err != nil {
			return err
		}
		locked, err := s.Lock(ctx, id, access.ScopeWrite, access.Create)
		if err != nil {
			return err
		}
		return s.place(ctx, locked, parent, move)
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

func (s *Service) place(ctx context.Context, moved *Space, parent *string, move Move) error {
	around, err := s.siblings(ctx, moved.OrganizationID, parent)
	if err != nil {
		return err
	}
	stays := equal(parent, moved.CollectionID)
	if stays && around.stands(moved.ID, move) {
		return fault.New(fault.NoChange, "the space stands there already")
	}
	around = slices.DeleteFunc(around, func(other sibling) bool { return other.id == moved.ID })
	place, err := around.place(move)
	if err != nil {
		return err
	}
	update := s.database.Client(ctx).Space.UpdateOne(moved.Space).SetPosition(place).SetUpdatedAt(now())
	if parent == nil {
		update.ClearCollectionID()
	} else {
		update.SetCollectionID(*parent)
	}
	return update.Exec(ctx)
}

// lockSiblings makes changes to the order below a parent wait for each other,
// and checks that the parent is there.
func (s *Service) lockSiblings(ctx context.Context, organizationID string, parent *string) error {
	if err := s.database.Lock(ctx, "organizations", organizationID); err != nil {
		return err
	}
	if parent == nil {
		return nil
	}
	exists, err := s.database.Client(ctx).Collection.Query().
		Where(collection.ID(*parent), collection.OrganizationID(organizationID)).Exist(ctx)
	if err == nil && !exists {
		return fault.Missing("collection")
	}
	return err
}

func (s *Service) siblings(ctx context.Context, organizationID string, parent *string) (siblings, error) {
	client := s.database.Client(ctx)
	inSpace, inCollection := []predicate.Space{entspace.CollectionIDIsNil()}, []predicate.Collection{collection.ParentIDIsNil()}
	if parent != nil {
		inSpace, inCollection = []predicate.Space{entspace.CollectionID(*parent)}, []predicate.Collection{collection.ParentID(*parent)}
	}
	var found siblings
	spaces, err := client.Space.Query().Where(entspace.OrganizationID(organizationID)).Where(inSpace...).
		Select(entspace.FieldID, entspace.FieldPosition).All(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range spaces {
		found = append(found, sibling{row.ID, row.Position})
	}
	collections, err := client.Collection.Query().Where(collection.OrganizationID(organizationID)).Where(inCollection...).
		Select(collection.FieldID, collection.FieldPosition).All(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range collections {
		found = append(found, sibling{row.ID, row.Position})
	}
	slices.SortFunc(found, func(a, b sibling) int {
		return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(a.id, b.id))
	})
	return found, nil
}

// last is the key of the last sibling, or empty.
func (s siblings) last() string {
	if len(s) == 0 {
		return ""
	}
	return s[len(s)-1].position
}

// stands tells whether a sibling is already where a move would put it.
func (s siblings) stands(id string, move Move) bool {
	index := s.index(id)
	switch {
	case move.Before != "":
		return index >= 0 && index+1 < len(s) && s[index+1].id == move.Before
	case move.After != "":
		return index > 0 && s[index-1].id == move.After
	}
	return index >= 0
}

func (s siblings) index(id string) int {
	return slices.IndexFunc(s, func(other sibling) bool { return other.id == id })
}

func (s siblings) place(move Move) (string, error) {
	switch {
	case move.Before != "":
		return s.beside(move.Before, true)
	case move.After != "":
		return s.beside(move.After, false)
	}
	return position.After(s.last()), nil
}

// beside is a key right before or right after a sibling.
func (s siblings) beside(id string, before bool) (string, error) {
	index := s.index(id)
	if index < 0 {
		return "", fault.New(fault.InvalidPosition, "position: %s is not a space or collection there", id)
	}
	if !before {
		index++
	}
	low, high := "", ""
	if index > 0 {
		low = s[index-1].position
	}
	if index < len(s) {
		high = s[index].position
	}
	return position.Between(low, high), nil
}

func equal(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func unlessEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Transfer hands a space over to another organization, with its history,
// change requests and comments, and without its grants. It needs the role
// admin in the space and create in the other organization. It returns
// NOT_FOUND for an organization that the caller does not belong to, NO_CHANGE
// for the one that the space is in, and NOT_ALLOWED while a git import or
// export of the space runs.
func (s *Service) Transfer(ctx context.Context, id, organizationID string) (*Space, error) {
	found, err := s.Require(ctx, id, access.ScopeWrite, access.Admin)
	if err != nil {
		return nil, err
	}
	if err := access.Require(ctx, organizationID, access.ScopeWrite, access.Create); err != nil {
		return nil, err
	}
	if organizationID == found.OrganizationID {
		return nil, fault.New(fault.NoChange, "the space belongs to the organization already")
	}
	err = s.database.Write(ctx, func(ctx context.Context) error {
		for _, organization := range slices.Sorted(slices.Values([]string{found.OrganizationID, organizationID})) {
			if err := s.database.Lock(ctx, "organizations", organization); err != nil {
				return err
			}
		}
		locked, err := s.Lock(ctx, id, access.ScopeWrite, access.Admin)
		if err != nil {
			return err
		}
		if locked.OrganizationID != found.OrganizationID {
			return fault.New(fault.Conflict, "the space was transferred meanwhile")
		}
		if locked.gitRuns() {
			return fault.New(fault.NotAllowed, "the space cannot be transferred while its git import or export runs")
		}
		return s.handOver(ctx, locked, organizationID)
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

// gitRuns tells whether a git import or export of the space is under way.
func (s *Space) gitRuns() bool {
	var sync struct{ State string }
	if err := json.Unmarshal(s.GitSync, &sync); err != nil {
		return false // there never was any
	}
	return sync.State == "pending" || sync.State == "running"
}

func (s *Service) handOver(ctx context.Context, transferred *Space, organizationID string) error {
	place, err := s.lastPosition(ctx, organizationID, nil)
	if err != nil {
		return err
	}
	client := s.database.Client(ctx)
	err = client.Space.UpdateOne(transferred.Space).SetOrganizationID(organizationID).ClearCollectionID().
		SetPosition(place).SetUpdatedAt(now()).Exec(ctx)
	if err != nil {
		return err
	}
	if _, err := client.Permission.Delete().Where(permission.ResourceID(transferred.ID)).Exec(ctx); err != nil {
		return err
	}
	return s.handOverContents(ctx, client, transferred.ID, organizationID)
}

// handOverContents gives every row below a space to its new organization.
func (s *Service) handOverContents(ctx context.Context, client *ent.Client, id, organizationID string) error {
	ofSpace := changerequest.SpaceID(id)
	steps := []func() (int, error){
		func() (int, error) {
			return client.Reaction.Update().Where(reactionIn([]string{id})).SetOrganizationID(organizationID).Save(ctx)
		},
		func() (int, error) {
			return client.CommentReply.Update().Where(commentreply.HasCommentWith(comment.SpaceID(id))).SetOrganizationID(organizationID).Save(ctx)
		},
		func() (int, error) {
			return client.Comment.Update().Where(comment.SpaceID(id)).SetOrganizationID(organizationID).Save(ctx)
		},
		func() (int, error) {
			return client.Review.Update().Where(review.HasChangeRequestWith(ofSpace)).SetOrganizationID(organizationID).Save(ctx)
		},
		func() (int, error) {
			return client.RequestedReviewer.Update().Where(requestedreviewer.HasChangeRequestWith(ofSpace)).SetOrganizationID(organizationID).Save(ctx)
		},
		func() (int, error) {
			return client.Contributor.Update().Where(contributor.HasChangeRequestWith(ofSpace)).SetOrganizationID(organizationID).Save(ctx)
		},
		func() (int, error) {
			return client.ChangeRequest.Update().Where(ofSpace).SetOrganizationID(organizationID).Save(ctx)
		},
		func() (int, error) {
			return client.Revision.Update().Where(revision.SpaceID(id)).SetOrganizationID(organizationID).Save(ctx)
		},
	}
	for _, step := range steps {
		if _, err := step(); err != nil {
			return err
		}
	}
	return nil
}
