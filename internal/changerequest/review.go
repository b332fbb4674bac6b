package changerequest

import (
	"context"
	"slices"
	"strings"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	entchangerequest "octavo/ent/changerequest"
	"octavo/ent/predicate"
	"octavo/ent/requestedreviewer"
	entreview "octavo/ent/review"
	"octavo/internal/access"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/identifier"
	"octavo/internal/pagination"
)

// NewReview is a verdict to be given.
type NewReview struct {
	Status enum.ReviewStatus
	// Comment posts the comment that goes with it, in the transaction that
	// records the review; nil is none.
	Comment func(ctx context.Context, on *ChangeRequest, reviewID string) error
}

// SubmitReview records the caller's verdict on the content as it is now, and
// answers a request for it. It needs the role review in the space, and nobody
// reviews a change request of their own: FORBIDDEN. An archived or merged one
// is not reviewed: NOT_ALLOWED.
//
// A person may review again; their latest verdict is the one that counts (see
// UnmetRules).
func (s *Service) SubmitReview(ctx context.Context, id string, verdict NewReview) (*Review, error) {
	if _, err := s.Require(ctx, id, access.ScopeWrite, access.Review); err != nil {
		return nil, err
	}
	if !slices.Contains(verdict.Status.Values(), string(verdict.Status)) {
		return nil, fault.Invalid("status", "%q is not one of %s", verdict.Status, strings.Join(verdict.Status.Values(), ", "))
	}
	var submitted *ent.Review
	err := s.database.Write(ctx, func(ctx context.Context) error {
		_, locked, err := s.Lock(ctx, id, access.ScopeWrite, access.Review)
		if err != nil {
			return err
		}
		if submitted, err = s.submit(ctx, locked, verdict.Status); err != nil || verdict.Comment == nil {
			return err
		}
		return verdict.Comment(ctx, locked, submitted.ID)
	})
	if err != nil {
		return nil, err
	}
	return &Review{Review: submitted}, nil
}

func (s *Service) submit(ctx context.Context, locked *ChangeRequest, status enum.ReviewStatus) (*ent.Review, error) {
	if locked.Own {
		return nil, fault.Denied("one's own change request is reviewed by others")
	}
	if err := locked.requireActive(); err != nil {
		return nil, err
	}
	requestedBy, err := s.answerRequest(ctx, locked.ID)
	if err != nil {
		return nil, err
	}
	client := s.database.Client(ctx)
	submitted, err := client.Review.Create().
		SetOrganizationID(locked.OrganizationID).SetChangeRequestID(locked.ID).SetRevisionID(locked.RevisionID).
		SetReviewerID(access.From(ctx).UserID).SetStatus(status).SetNillableRequestedByID(requestedBy).Save(ctx)
	if err != nil {
		return nil, err
	}
	return submitted, s.save(ctx, client.ChangeRequest.UpdateOneID(locked.ID))
}

// answerRequest takes away the request for the caller's review, and returns who
// had made it, or nil when nobody had.
func (s *Service) answerRequest(ctx context.Context, id string) (requestedBy *string, err error) {
	client := s.database.Client(ctx)
	pending, err := client.RequestedReviewer.Query().
		Where(requestedreviewer.ChangeRequestID(id), requestedreviewer.UserID(access.From(ctx).UserID)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &pending.RequestedByID, client.RequestedReviewer.DeleteOne(pending).Exec(ctx)
}

// Review returns a review of a change request that the caller may read;
// NOT_FOUND for one of another.
func (s *Service) Review(ctx context.Context, changeRequest *ChangeRequest, id string) (*Review, error) {
	if !isID(identifier.Review, id) {
		return nil, fault.Missing("review")
	}
	found, err := s.reviews(ctx, entreview.ID(id), entreview.ChangeRequestID(changeRequest.ID))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fault.Missing("review")
	}
	return found[0], nil
}

// ReviewsByID returns reviews by their ids, in two statements. Those of change
// requests that the caller may not read are left out.
func (s *Service) ReviewsByID(ctx context.Context, ids []string) (map[string]*Review, error) {
	rows, err := s.reviews(ctx, entreview.IDIn(ids...))
	if err != nil {
		return nil, err
	}
	return readableParts(ctx, s, rows,
		func(row *Review) string { return row.ID }, func(row *Review) string { return row.ChangeRequestID })
}

// readableParts returns, by their ids, what belongs to change requests that the
// caller may read.
func readableParts[Part any](ctx context.Context, s *Service, parts []*Part, id, parent func(*Part) string) (map[string]*Part, error) {
	parents := make([]string, len(parts))
	for index, part := range parts {
		parents[index] = parent(part)
	}
	readable, err := s.ByID(ctx, parents)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*Part, len(parts))
	for _, part := range parts {
		if readable[parent(part)] != nil {
			found[id(part)] = part
		}
	}
	return found, nil
}

// Reviews asks for one page of the reviews of a change request, newest first.
// It is comparable, so that a loader can gather several.
type Reviews struct {
	changeRequestID string
	age             age
	window          pagination.Window
}

// age limits reviews to those of the current content, or to all others.
type age struct{ limited, outdated bool }

// NewReviews returns a list of reviews; outdated limits it to those that are,
// or are not. It returns BAD_USER_INPUT for a page that cannot be.
func NewReviews(changeRequestID string, outdated *bool, arguments pagination.Arguments) (Reviews, error) {
	window, err := arguments.Window(pagination.Key{Name: "reviews", Order: enum.Descending})
	list := Reviews{changeRequestID: changeRequestID, window: window}
	if outdated != nil {
		list.age = age{limited: true, outdated: *outdated}
	}
	return list, err
}

// ReviewsOf returns lists of reviews of change requests that the caller may
// read, in one statement for all that ask for the same page in the same way.
func (s *Service) ReviewsOf(ctx context.Context, lists []Reviews) (map[Reviews]pagination.Page[*Review], error) {
	return pagination.Gather(lists, Reviews.split, Reviews.Of, func(list Reviews, parents []string) (map[string]pagination.Page[*Review], error) {
		column := entreview.FieldChangeRequestID
		found, err := s.reviews(ctx, list.age.matches, list.window.Each(entreview.Table, column, parents, list.age.matches))
		if err != nil {
			return nil, err
		}
		query := s.database.Client(ctx).Review.Query().Where(pagination.Among(column, parents), list.age.matches)
		return pagination.Pages(list.window, parents, found,
			func(item *Review) string { return item.ChangeRequestID },
			func(item *Review) (string, string) { return "", item.ID },
			func(ctx context.Context) (map[string]int, error) {
				return countByChangeRequest(ctx, query.GroupBy(column).Aggregate(ent.Count()).Scan)
			}), nil
	})
}

// ParentID is the id of the change request whose reviews they are.
func (r Reviews) ParentID() string { return r.changeRequestID }

func (r Reviews) split() (Reviews, string) {
	parent := r.changeRequestID
	r.changeRequestID = ""
	return r, parent
}

// Of asks for the same page of the reviews of another change request.
func (r Reviews) Of(parent string) Reviews {
	r.changeRequestID = parent
	return r
}

// matches limits a query on the table of reviews.
func (a age) matches(selector *sql.Selector) {
	if !a.limited {
		return
	}
	current := sql.Dialect(selector.Dialect()).Table(entchangerequest.Table).As("reviewed")
	selector.Join(current).On(selector.C(entreview.FieldChangeRequestID), current.C(entchangerequest.FieldID))
	compare := sql.ColumnsEQ
	if a.outdated {
		compare = sql.ColumnsNEQ
	}
	selector.Where(compare(selector.C(entreview.FieldRevisionID), current.C(entchangerequest.FieldRevisionID)))
}

// reviews reads reviews with whether each is outdated.
func (s *Service) reviews(ctx context.Context, conditions ...predicate.Review) ([]*Review, error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return nil, err
	}
	query := s.database.Client(ctx).Review.Query().Where(conditions...)
	query.Modify(selectOutdated)
	rows, err := query.All(ctx)
	if err != nil {
		return nil, err
	}
	found := make([]*Review, len(rows))
	for index, row := range rows {
		outdated, err := number(row, outdatedColumn)
		if err != nil {
			return nil, err
		}
		found[index] = &Review{Review: row, Outdated: outdated == 1}
	}
	return found, nil
}

// selectOutdated adds to a query on reviews whether the content has changed
// since.
func selectOutdated(selector *sql.Selector) {
	current := sql.Dialect(selector.Dialect()).Table(entchangerequest.Table).As("head")
	selector.AppendSelectExprAs(sql.ExprFunc(func(builder *sql.Builder) {
		builder.WriteString("(SELECT CASE WHEN ").Ident(current.C(entchangerequest.FieldRevisionID)).WriteString(" <> ").
			Ident(selector.C(entreview.FieldRevisionID)).WriteString(" THEN 1 ELSE 0 END FROM ").
			Ident(entchangerequest.Table).WriteString(" AS ").Ident("head").WriteString(" WHERE ").Ident(current.C(entchangerequest.FieldID)).WriteString(" = ").
			Ident(selector.C(entreview.FieldChangeRequestID)).WriteString(")")
	}), outdatedColumn)
}
