package changerequest

import (
	"context"

	"octavo/ent"
	"octavo/ent/contributor"
	"octavo/ent/requestedreviewer"
	"octavo/internal/access"
	"octavo/internal/pagination"
)

// Participants asks for one page of the people of a change request: those who
// were asked for a review, or those who took part; first come first. It is
// comparable, so that a loader can gather several.
type Participants struct {
	changeRequestID string
	window          pagination.Window
}

// NewParticipants returns a list of people; name is that of the list, which
// its cursors carry. It returns BAD_USER_INPUT for a page that cannot be.
func NewParticipants(changeRequestID, name string, arguments pagination.Arguments) (Participants, error) {
	window, err := arguments.Window(pagination.Key{Name: name})
	return Participants{changeRequestID: changeRequestID, window: window}, err
}

// ParentID is the id of the change request whose people they are.
func (p Participants) ParentID() string { return p.changeRequestID }

func (p Participants) split() (Participants, string) {
	return Participants{window: p.window}, p.changeRequestID
}

// Of asks for the same page of the people of another change request.
func (p Participants) Of(parent string) Participants {
	return Participants{changeRequestID: parent, window: p.window}
}

// RequestedReviewersOf returns lists of those who were asked for a review of
// change requests that the caller may read, in one statement for all that ask
// for the same page.
func (s *Service) RequestedReviewersOf(ctx context.Context, lists []Participants) (map[Participants]pagination.Page[*ent.RequestedReviewer], error) {
	return pagination.Gather(lists, Participants.split, Participants.Of, func(list Participants, parents []string) (map[string]pagination.Page[*ent.RequestedReviewer], error) {
		if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
			return nil, err
		}
		column, query := requestedreviewer.FieldChangeRequestID, s.database.Client(ctx).RequestedReviewer.Query()
		rows, err := query.Clone().Where(list.window.Each(requestedreviewer.Table, column, parents)).All(ctx)
		if err != nil {
			return nil, err
		}
		return pagination.Pages(list.window, parents, rows,
			func(item *ent.RequestedReviewer) string { return item.ChangeRequestID },
			func(item *ent.RequestedReviewer) (string, string) { return "", item.ID },
			func(ctx context.Context) (map[string]int, error) {
				return countByChangeRequest(ctx, query.Where(pagination.Among(column, parents)).GroupBy(column).Aggregate(ent.Count()).Scan)
			}), nil
	})
}

// RequestedReviewersByID returns requests for reviews by their ids, in two
// statements. Those of change requests that the caller may not read are left
// out.
func (s *Service) RequestedReviewersByID(ctx context.Context, ids []string) (map[string]*ent.RequestedReviewer, error) {
	rows, err := s.database.Client(ctx).RequestedReviewer.Query().Where(requestedreviewer.IDIn(ids...)).All(ctx)
	if err != nil {
		return nil, err
	}
	return readableParts(ctx, s, rows,
		func(row *ent.RequestedReviewer) string { return row.ID },
		func(row *ent.RequestedReviewer) string { return row.ChangeRequestID })
}

// ContributorsOf returns lists of those who edited or discussed change requests
// that the caller may read, in one statement for all that ask for the same
// page. Somebody who did both is listed for each.
func (s *Service) ContributorsOf(ctx context.Context, lists []Participants) (map[Participants]pagination.Page[*ent.Contributor], error) {
	return pagination.Gather(lists, Participants.split, Participants.Of, func(list Participants, parents []string) (map[string]pagination.Page[*ent.Contributor], error) {
		if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
			return nil, err
		}
		column, query := contributor.FieldChangeRequestID, s.database.Client(ctx).Contributor.Query()
		rows, err := query.Clone().Where(list.window.Each(contributor.Table, column, parents)).All(ctx)
		if err != nil {
			return nil, err
		}
		return pagination.Pages(list.window, parents, rows,
			func(item *ent.Contributor) string { return item.ChangeRequestID },
			func(item *ent.Contributor) (string, string) { return "", item.ID },
			func(ctx context.Context) (map[string]int, error) {
				return countByChangeRequest(ctx, query.Where(pagination.Among(column, parents)).GroupBy(column).Aggregate(ent.Count()).Scan)
			}), nil
	})
}
