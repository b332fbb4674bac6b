package space

import (
	"context"
	"encoding/json"

	"octavo/ent"
	"octavo/ent/changerequest"
	"octavo/ent/comment"
	"octavo/ent/commentreply"
	"octavo/ent/contributor"
	"octavo/ent/permission"
	"octavo/ent/requestedreviewer"
	"octavo/ent/review"
	"octavo/ent/revision"
	"octavo/internal/access"
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
	} else {
		update.SetCollectionID(*parent)
	}
	return update.Exec(ctx)
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
		if err := s.structure.Lock(ctx, found.OrganizationID, organizationID); err != nil {
			return err
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
	if err := s.depart(ctx, []string{transferred.ID}); err != nil {
		return err
	}
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
