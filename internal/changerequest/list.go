package changerequest

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	entchangerequest "octavo/ent/changerequest"
	"octavo/ent/contributor"
	"octavo/ent/requestedreviewer"
	"octavo/internal/access"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/pagination"
)

// Filter limits a list of change requests; empty fields let everything pass.
type Filter struct {
	// Status is open when empty.
	Status enum.ChangeRequestStatus
	// CreatorID, ContributorID and RequestedReviewerID are users.
	CreatorID, ContributorID, RequestedReviewerID string
	// IssuesClusterID is the cluster of conversations that it answers.
	IssuesClusterID string
}

// List asks for one page of the change requests of a space or organization,
// newest first. It is comparable, so that a loader can gather several.
type List struct {
	parentID string
	filter   Filter
	window   pagination.Window
}

// NewList returns a list of a space or organization. It returns BAD_USER_INPUT
// for a page that cannot be.
func NewList(parentID string, filter Filter, arguments pagination.Arguments) (List, error) {
	// Ids sort by time.
	window, err := arguments.Window(pagination.Key{Name: "changeRequests", Order: enum.Descending})
	if err != nil {
		return List{}, err
	}
	if filter.Status == "" {
		filter.Status = enum.StatusOpen
	}
	return List{parentID: parentID, filter: filter, window: window}, filter.validate()
}

// validate refuses what no id can be and no database can look for.
func (f Filter) validate() error {
	for field, value := range map[string]string{
		"creator": f.CreatorID, "contributor": f.ContributorID,
		"requestedReviewer": f.RequestedReviewerID, "conversationsIssuesCluster": f.IssuesClusterID,
	} {
		if strings.ContainsFunc(value, unicode.IsControl) {
			return fault.Invalid(field, "%q is not an id", value)
		}
	}
	if !slices.Contains(f.Status.Values(), string(f.Status)) {
		return fault.Invalid("status", "%q is not one of %s", f.Status, strings.Join(f.Status.Values(), ", "))
	}
	return nil
}

// InSpaces returns lists of spaces that the caller may read, in one statement
// for all that ask for the same page in the same way.
func (s *Service) InSpaces(ctx context.Context, lists []List) (map[List]pagination.Page[*ChangeRequest], error) {
	return s.pages(ctx, entchangerequest.FieldSpaceID, lists)
}

// InOrganizations is InSpaces for all spaces of organizations.
func (s *Service) InOrganizations(ctx context.Context, lists []List) (map[List]pagination.Page[*ChangeRequest], error) {
	return s.pages(ctx, entchangerequest.FieldOrganizationID, lists)
}

func (s *Service) pages(ctx context.Context, column string, lists []List) (map[List]pagination.Page[*ChangeRequest], error) {
	return pagination.Gather(lists, List.split, List.Of, func(list List, parents []string) (map[string]pagination.Page[*ChangeRequest], error) {
		return s.read(ctx, column, parents, list)
	})
}

// ParentID is the id of the space or organization whose list it is.
func (l List) ParentID() string { return l.parentID }

// Of returns the same list of another space or organization.
func (l List) Of(parentID string) List {
	l.parentID = parentID
	return l
}

// split returns the list without its parent, which lists that are alike share,
// and the parent.
func (l List) split() (List, string) {
	parent := l.parentID
	l.parentID = ""
	return l, parent
}

// read returns the same page of the list of each parent.
func (s *Service) read(ctx context.Context, column string, parents []string, list List) (map[string]pagination.Page[*ChangeRequest], error) {
	viewer, err := access.Allow(ctx, access.ScopeRead)
	if err != nil {
		return nil, err
	}
	shape := listShape{column: column, filter: list.filter, window: list.window.Shape()}
	rows, err := readStanding(viewer)(listedChangeRequests.Query(ctx, s.database, shape, append(list.window.Names(), parents...)...))
	if err != nil {
		return nil, err
	}
	return pagination.Pages(list.window, parents, rows,
		func(item *ChangeRequest) string { return parentOf(column, item.ChangeRequest) },
		func(item *ChangeRequest) (string, string) { return "", item.ID },
		s.counter(viewer, column, parents, list.filter)), nil
}

func parentOf(column string, row *ent.ChangeRequest) string {
	if column == entchangerequest.FieldSpaceID {
		return row.SpaceID
	}
	return row.OrganizationID
}

// counter counts the lists of all parents in one statement.
func (s *Service) counter(viewer *access.Viewer, column string, parents []string, filter Filter) func(context.Context) (map[string]int, error) {
	return func(ctx context.Context) (map[string]int, error) {
		var counted []struct {
			// Only the one that the rows are grouped by is set.
			SpaceID        string `json:"space_id"`
			OrganizationID string `json:"organization_id"`
			Count          int    `json:"count"`
		}
		err := s.database.Client(ctx).ChangeRequest.Query().
			Where(pagination.Among(column, parents), filter.matches, readable(viewer)).
			GroupBy(column).Aggregate(ent.Count()).Scan(ctx, &counted)
		if err != nil {
			return nil, err
		}
		counts := make(map[string]int, len(counted))
		for _, row := range counted {
			counts[row.SpaceID+row.OrganizationID] = row.Count
		}
		return counts, nil
	}
}

// matches limits a query to what the filter lets pass.
func (f Filter) matches(selector *sql.Selector) {
	selector.Where(sql.EQ(selector.C(entchangerequest.FieldStatus), string(f.Status)))
	if f.CreatorID != "" {
		selector.Where(sql.EQ(selector.C(entchangerequest.FieldCreatorID), f.CreatorID))
	}
	if f.IssuesClusterID != "" {
		selector.Where(sql.EQ(selector.C(entchangerequest.FieldIssuesClusterID), f.IssuesClusterID))
	}
	if f.ContributorID != "" {
		named(selector, contributor.Table, contributor.FieldChangeRequestID, contributor.FieldUserID, f.ContributorID)
	}
	if f.RequestedReviewerID != "" {
		named(selector, requestedreviewer.Table, requestedreviewer.FieldChangeRequestID, requestedreviewer.FieldUserID, f.RequestedReviewerID)
	}
}

// named limits a query to the change requests beside which a table names a
// person.
func named(selector *sql.Selector, table, changeRequest, user, userID string) {
	beside := sql.Dialect(selector.Dialect()).Table(table)
	selector.Where(sql.In(selector.C(entchangerequest.FieldID),
		sql.Dialect(selector.Dialect()).Select(beside.C(changeRequest)).From(beside).Where(sql.EQ(beside.C(user), userID))))
}

// countByChangeRequest scans how many rows each change request has.
func countByChangeRequest(ctx context.Context, scan func(context.Context, any) error) (map[string]int, error) {
	var counted []struct {
		ChangeRequestID string `json:"change_request_id"`
		Count           int    `json:"count"`
	}
	if err := scan(ctx, &counted); err != nil {
		return nil, err
	}
	counts := make(map[string]int, len(counted))
	for _, row := range counted {
		counts[row.ChangeRequestID] = row.Count
	}
	return counts, nil
}
