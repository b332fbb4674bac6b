package permission

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	"octavo/ent/permission"
	"octavo/internal/access"
	"octavo/internal/identifier"
	"octavo/internal/pagination"
)

// List asks for one page of what a resource grants to users, or to teams, in
// the order in which it was granted. It is comparable.
type List struct {
	resourceID string
	kind       kind
	window     pagination.Window
}

// kind of those to whom a role is granted.
type kind identifier.Prefix

const (
	users kind = kind(identifier.User)
	teams kind = kind(identifier.Team)
)

// Users asks for what a resource grants to users. It returns FORBIDDEN for
// guests who are not administrators of the resource.
func Users(ctx context.Context, resource Resource, arguments pagination.Arguments) (List, error) {
	return newList(ctx, resource, users, "userPermissions", arguments)
}

// Teams is Users for teams.
func Teams(ctx context.Context, resource Resource, arguments pagination.Arguments) (List, error) {
	return newList(ctx, resource, teams, "teamPermissions", arguments)
}

func newList(ctx context.Context, resource Resource, of kind, name string, arguments pagination.Arguments) (List, error) {
	if err := resource.mayList(ctx); err != nil {
		return List{}, err
	}
	window, err := arguments.Window(pagination.Key{Name: name})
	return List{resourceID: resource.ID, kind: of, window: window}, err
}

// Lists returns lists that Users and Teams made, in one statement for all that
// ask for the same page.
func (s *Service) Lists(ctx context.Context, lists []List) (map[List]pagination.Page[*Granted], error) {
	alike := map[List][]string{}
	for _, list := range lists {
		same := List{kind: list.kind, window: list.window}
		alike[same] = append(alike[same], list.resourceID)
	}
	pages := make(map[List]pagination.Page[*Granted], len(lists))
	for list, resourceIDs := range alike {
		found, err := s.list(ctx, list, resourceIDs)
		if err != nil {
			return nil, err
		}
		for id, page := range found {
			pages[List{resourceID: id, kind: list.kind, window: list.window}] = page
		}
	}
	return pages, nil
}

// list reads the same page of the list of each resource.
func (s *Service) list(ctx context.Context, list List, resourceIDs []string) (map[string]pagination.Page[*Granted], error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return nil, err
	}
	query := s.database.Client(ctx).Permission.Query().Where(list.kind.only)
	rows, err := query.Clone().Where(list.window.Each(permission.Table, permission.FieldResourceID, resourceIDs, list.kind.only)).All(ctx)
	if err != nil {
		return nil, err
	}
	found := make([]*Granted, len(rows))
	for index, row := range rows {
		found[index] = &Granted{row}
	}
	return pagination.Pages(list.window, resourceIDs, found,
		func(item *Granted) string { return item.ResourceID },
		func(item *Granted) (string, string) { return "", item.ID },
		func(ctx context.Context) (map[string]int, error) {
			return counts(ctx, query.Where(pagination.Among(permission.FieldResourceID, resourceIDs)))
		}), nil
}

// only limits a query on the table of permissions to those of one kind.
func (k kind) only(selector *sql.Selector) {
	selector.Where(sql.HasPrefix(selector.C(permission.FieldPrincipalID), string(k)))
}

func counts(ctx context.Context, query *ent.PermissionQuery) (map[string]int, error) {
	var rows []struct {
		ResourceID string `json:"resource_id"`
		Count      int    `json:"count"`
	}
	if err := query.GroupBy(permission.FieldResourceID).Aggregate(ent.Count()).Scan(ctx, &rows); err != nil {
		return nil, err
	}
	found := make(map[string]int, len(rows))
	for _, row := range rows {
		found[row.ResourceID] = row.Count
	}
	return found, nil
}
