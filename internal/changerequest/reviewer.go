package changerequest

import (
	"context"
	"encoding/json"
	"slices"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	"octavo/ent/member"
	"octavo/ent/requestedreviewer"
	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/identifier"
	"octavo/internal/space"
)

// maximumReviewers is how many people may be asked for a review of a change
// request at the same time.
const maximumReviewers = 50

// ReviewRequest asks people for a review.
type ReviewRequest struct {
	// UserIDs are 1 to 50 people with the role review in the space.
	UserIDs []string
	// Subject and Description are set along with it, unless nil.
	Subject     *string
	Description *json.RawMessage
}

// RequestReviewers asks people for a review of the content as it is now; a
// draft becomes open. It needs the role edit in the space. Those who have been
// asked before stay asked. It returns everybody who is asked now.
//
// It returns BAD_USER_INPUT for people who could not give a review: those
// without the role review, and whoever made the change request; NOT_ALLOWED
// when it is archived or merged; LIMIT_EXCEEDED when more than 50 people would
// be asked.
func (s *Service) RequestReviewers(ctx context.Context, id string, request ReviewRequest) (*ChangeRequest, []*ent.RequestedReviewer, error) {
	if _, err := s.Require(ctx, id, access.ScopeWrite, access.Edit); err != nil {
		return nil, nil, err
	}
	if err := request.validate(); err != nil {
		return nil, nil, err
	}
	changes := Changes{Subject: request.Subject, Description: request.Description}
	var asked []*ent.RequestedReviewer
	err := s.database.Write(ctx, func(ctx context.Context) error {
		home, locked, err := s.Lock(ctx, id, access.ScopeWrite, access.Edit)
		if err != nil {
			return err
		}
		if asked, err = s.ask(ctx, home, locked, request.UserIDs); err != nil {
			return err
		}
		if locked.Status == enum.StatusDraft {
			opened := enum.StatusOpen
			changes.Status = &opened
		}
		return s.change(ctx, locked, changes)
	})
	if err != nil {
		return nil, nil, err
	}
	changed, err := s.Get(ctx, id)
	return changed, asked, err
}

func (r ReviewRequest) validate() error {
	if count := len(r.UserIDs); count == 0 || count > maximumReviewers {
		return fault.Invalid("users", "1 to %d people, got %d", maximumReviewers, count)
	}
	for _, userID := range r.UserIDs {
		if !isID(identifier.User, userID) {
			return fault.Invalid("users", "%q is not the id of a user", userID)
		}
	}
	return Changes{Subject: r.Subject, Description: r.Description}.validate()
}

func (s *Service) ask(ctx context.Context, home *space.Space, locked *ChangeRequest, userIDs []string) ([]*ent.RequestedReviewer, error) {
	if err := locked.requireActive(); err != nil {
		return nil, err
	}
	if err := s.checkReviewers(ctx, home, locked, userIDs); err != nil {
		return nil, err
	}
	client := s.database.Client(ctx)
	creates := make([]*ent.RequestedReviewerCreate, len(userIDs))
	for index, userID := range userIDs {
		creates[index] = client.RequestedReviewer.Create().
			SetOrganizationID(locked.OrganizationID).SetChangeRequestID(locked.ID).SetUserID(userID).
			SetRequestedByID(access.From(ctx).UserID).SetRevisionID(locked.RevisionID)
	}
	if err := client.RequestedReviewer.CreateBulk(creates...).
		OnConflictColumns(requestedreviewer.FieldChangeRequestID, requestedreviewer.FieldUserID).DoNothing().Exec(ctx); err != nil {
		return nil, err
	}
	asked, err := client.RequestedReviewer.Query().Where(requestedreviewer.ChangeRequestID(locked.ID)).
		Order(requestedreviewer.ByID()).All(ctx)
	if err == nil && len(asked) > maximumReviewers {
		return nil, fault.New(fault.LimitExceeded, "at most %d people can be asked for a review, this would be %d", maximumReviewers, len(asked))
	}
	return asked, err
}

// checkReviewers returns BAD_USER_INPUT for the first who could not give a
// review.
func (s *Service) checkReviewers(ctx context.Context, home *space.Space, locked *ChangeRequest, userIDs []string) error {
	if slices.Contains(userIDs, locked.CreatorID) {
		return fault.Invalid("users", "%s made the change request and cannot review it", locked.CreatorID)
	}
	roles, err := s.roles(ctx, home, userIDs)
	if err != nil {
		return err
	}
	for _, userID := range userIDs {
		if roles[userID] < access.Review {
			return fault.Invalid("users", "%q has no role review in the space", userID)
		}
	}
	return nil
}

// roles returns the roles of people in a space, in two statements; strangers
// have none.
func (s *Service) roles(ctx context.Context, home *space.Space, userIDs []string) (map[string]access.Role, error) {
	memberships, err := s.database.Client(ctx).Member.Query().
		Where(member.OrganizationID(home.OrganizationID), member.UserIDIn(userIDs...), member.Disabled(false)).All(ctx)
	if err != nil {
		return nil, err
	}
	query := s.database.Client(ctx).Space.Query().Where(entspace.ID(home.ID))
	query.Modify(func(selector *sql.Selector) {
		for _, membership := range memberships {
			person := &access.Viewer{UserID: membership.UserID, Memberships: map[string]access.Role{home.OrganizationID: membership.Role}}
			person.SelectRoleAs(membership.UserID, selector)
		}
	})
	row, err := query.Only(ctx)
	if err != nil {
		return nil, err
	}
	roles := make(map[string]access.Role, len(memberships))
	for _, membership := range memberships {
		role, err := number(row, membership.UserID)
		if err != nil {
			return nil, err
		}
		roles[membership.UserID] = access.Role(role)
	}
	return roles, nil
}

// RemoveReviewer withdraws the request for somebody's review, and tells whether
// there was one. Reviews that they gave stay. It needs the role edit in the
// space.
func (s *Service) RemoveReviewer(ctx context.Context, id, userID string) (*ChangeRequest, bool, error) {
	found, err := s.Require(ctx, id, access.ScopeWrite, access.Edit)
	if err != nil || !isID(identifier.User, userID) {
		return found, false, err
	}
	var removed int
	err = s.database.Write(ctx, func(ctx context.Context) error {
		_, locked, err := s.Lock(ctx, id, access.ScopeWrite, access.Edit)
		if err != nil {
			return err
		}
		client := s.database.Client(ctx)
		removed, err = client.RequestedReviewer.Delete().
			Where(requestedreviewer.ChangeRequestID(locked.ID), requestedreviewer.UserID(userID)).Exec(ctx)
		if err != nil || removed == 0 {
			return err
		}
		return s.save(ctx, client.ChangeRequest.UpdateOneID(locked.ID))
	})
	if err != nil {
		return nil, false, err
	}
	changed, err := s.Get(ctx, id)
	return changed, removed > 0, err
}
