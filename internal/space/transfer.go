package space

import (
	"context"
	"encoding/json"
	"slices"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	"octavo/ent/changerequest"
	"octavo/ent/comment"
	"octavo/ent/commentreply"
	"octavo/ent/contributor"
	"octavo/ent/member"
	"octavo/ent/predicate"
	"octavo/ent/requestedreviewer"
	"octavo/ent/review"
	"octavo/ent/revision"
	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/structure"
)

// Transfer hands a space over to another organization, where it stands last at
// the top: with its history, change requests and comments; with its grants to
// people who are members there, and without those to others and to teams. The caller
// stays an administrator of it. It keeps the default level that the collections around it gave it. It needs the
// role admin in the space and create in the other organization. It returns
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
		return s.transfer(ctx, locked.Space, organizationID)
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

func (s *Service) transfer(ctx context.Context, transferred *ent.Space, organizationID string) error {
	place, err := s.lastPosition(ctx, organizationID, nil)
	if err != nil {
		return err
	}
	level, err := s.structure.Level(ctx, transferred.CollectionID)
	if err != nil {
		return err
	}
	if err := s.HandOver(ctx, []string{transferred.ID}, organizationID); err != nil {
		return err
	}
	update := s.database.Client(ctx).Space.UpdateOneID(transferred.ID).ClearCollectionID().SetPosition(place)
	if transferred.DefaultLevel == access.Inherit {
		update.SetDefaultLevel(level)
	}
	if transferred.Visibility == enum.VisibilityInCollection {
		update.SetVisibility(enum.VisibilityPrivate)
	}
	if err := update.Exec(ctx); err != nil {
		return err
	}
	return s.structure.KeepAdministrator(ctx, transferred.ID, organizationID)
}

// gitRuns tells whether a git import or export of the space is under way.
func gitRuns(space *ent.Space) bool {
	var sync struct{ State string }
	if err := json.Unmarshal(space.GitSync, &sync); err != nil {
		return false // there never was any
	}
	return sync.State == "pending" || sync.State == "running"
}

// handOverBatch bounds the spaces that one statement names.
const handOverBatch = 500

// HandOver gives spaces with all that belongs to them to another organization,
// in the transaction in progress, in which both organizations are locked. Where
// the spaces stand is left to the caller. It returns NOT_ALLOWED while a git
// import or export of one of them runs.
func (s *Service) HandOver(ctx context.Context, ids []string, organizationID string) error {
	for batch := range slices.Chunk(slices.Sorted(slices.Values(ids)), handOverBatch) {
		for _, id := range batch {
			if err := s.database.Lock(ctx, entspace.Table, id); err != nil {
				return err
			}
		}
		locked, err := s.database.Client(ctx).Space.Query().Where(entspace.IDIn(batch...)).All(ctx)
		if err != nil {
			return err
		}
		if err := s.handOver(ctx, locked, organizationID); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) handOver(ctx context.Context, spaces []*ent.Space, organizationID string) error {
	ids := make([]string, len(spaces))
	changes := make([]audit.Change, 0, 2*len(spaces))
	for index, each := range spaces {
		if gitRuns(each) {
			return fault.New(fault.NotAllowed, "the space %s cannot be transferred while its git import or export runs", each.ID)
		}
		ids[index] = each.ID
		for _, owner := range []string{each.OrganizationID, organizationID} {
			changes = append(changes, audit.Change{
				OrganizationID: owner, Action: audit.SpaceTransferred, SubjectID: each.ID,
				Before: map[string]any{"organization": each.OrganizationID, "title": each.Title, "parent": each.CollectionID},
				After:  map[string]any{"organization": organizationID},
			})
		}
	}
	if err := s.depart(ctx, ids); err != nil {
		return err
	}
	err := s.database.Client(ctx).Space.Update().Where(entspace.IDIn(ids...)).
		SetOrganizationID(organizationID).SetUpdatedAt(now()).Exec(ctx)
	if err != nil {
		return err
	}
	if err := s.structure.HandOverGrants(ctx, ids, organizationID); err != nil {
		return err
	}
	if err := s.handOverContents(ctx, ids, organizationID); err != nil {
		return err
	}
	if err := s.keepMergeRules(ctx, spaces, organizationID); err != nil {
		return err
	}
	return audit.Record(ctx, s.database, changes...)
}

// handOverContents gives every row below spaces to their new organization.
// Reviews are not asked any more of people who are no members of it.
func (s *Service) handOverContents(ctx context.Context, ids []string, organizationID string) error {
	client, ofSpaces := s.database.Client(ctx), changerequest.SpaceIDIn(ids...)
	_, err := client.RequestedReviewer.Delete().Where(requestedreviewer.HasChangeRequestWith(ofSpaces), askedOfStrangers(organizationID)).Exec(ctx)
	if err != nil {
		return err
	}
	for _, update := range []interface{ Exec(context.Context) error }{
		client.Reaction.Update().Where(reactionIn(ids)).SetOrganizationID(organizationID),
		client.CommentReply.Update().Where(commentreply.HasCommentWith(comment.SpaceIDIn(ids...))).SetOrganizationID(organizationID),
		client.Comment.Update().Where(comment.SpaceIDIn(ids...)).SetOrganizationID(organizationID),
		client.Review.Update().Where(review.HasChangeRequestWith(ofSpaces)).SetOrganizationID(organizationID),
		client.RequestedReviewer.Update().Where(requestedreviewer.HasChangeRequestWith(ofSpaces)).SetOrganizationID(organizationID),
		client.Contributor.Update().Where(contributor.HasChangeRequestWith(ofSpaces)).SetOrganizationID(organizationID),
		client.ChangeRequest.Update().Where(ofSpaces).SetOrganizationID(organizationID),
		client.Revision.Update().Where(revision.SpaceIDIn(ids...)).SetOrganizationID(organizationID),
	} {
		if err := update.Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

func askedOfStrangers(organizationID string) predicate.RequestedReviewer {
	return func(selector *sql.Selector) {
		selector.Where(sql.NotIn(selector.C(requestedreviewer.FieldUserID), structure.Members(selector, organizationID)))
	}
}

// keepMergeRules takes people out of the merge rules of spaces who are no
// members of the organization. A rule that is left without anybody asks for any
// review instead, so that nothing is merged unseen; nobody bypasses the rules in
// their place.
func (s *Service) keepMergeRules(ctx context.Context, spaces []*ent.Space, organizationID string) error {
	for _, each := range spaces {
		named := each.MergeRules.Users()
		if len(named) == 0 {
			continue
		}
		members, err := s.database.Client(ctx).Member.Query().
			Where(member.OrganizationID(organizationID), member.UserIDIn(named...)).Select(member.FieldUserID).Strings(ctx)
		if err != nil {
			return err
		}
		rules := each.MergeRules.Among(members)
		if err := s.database.Client(ctx).Space.UpdateOneID(each.ID).SetMergeRules(rules).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
