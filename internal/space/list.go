package space

import (
	"context"
	stdsql "database/sql"
	"slices"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/database"
	"octavo/internal/pagination"
)

var listKey = pagination.Key{Name: "spaces", Column: entspace.FieldPosition}

// InOrganization lists the spaces of an organization that the caller may read,
// in their order.
func (s *Service) InOrganization(ctx context.Context, organizationID string, arguments pagination.Arguments) (pagination.Page[*Space], error) {
	var none pagination.Page[*Space]
	if _, err := access.Member(ctx, organizationID, access.ScopeRead); err != nil {
		return none, err
	}
	window, err := arguments.Window(listKey)
	if err != nil {
		return none, err
	}
	found, err := read(spacesInOrganization.Query(ctx, s.database, window.Shape(), append(window.Names(), organizationID)...))
	if err != nil {
		return none, err
	}
	return pagination.NewPage(window, found, place, s.counter(organizationID, access.From(ctx))), nil
}

// countsKept bounds the counts of spaces in memory.
const countsKept = 10_000

// countKey says whose count of which spaces is kept, and what it is right for.
type countKey struct {
	organizationID, userID string
	role                   access.Role
	version                database.Version
}

// counter counts the spaces of an organization that the viewer may read. For
// those whose grants decide, a count costs more than the page it goes with: it
// is kept until the next change of who may read which spaces.
func (s *Service) counter(organizationID string, viewer *access.Viewer) func(context.Context) (int, error) {
	count := func(ctx context.Context) (int, error) {
		return s.count(ctx, organizationID, viewer)
	}
	role, member := viewer.RoleIn(organizationID)
	if !member || role == access.Admin {
		return count
	}
	return func(ctx context.Context) (int, error) {
		if s.database.InTransaction(ctx) {
			return count(ctx)
		}
		version, err := s.database.Version(ctx)
		if err != nil {
			return 0, err
		}
		key := countKey{organizationID, viewer.UserID, role, version}
		if known, is := s.counts.Get(key); is {
			return known, nil
		}
		counted, err := count(ctx)
		if err == nil {
			s.counts.Add(key, counted, 1)
		}
		return counted, err
	}
}

func withRoles(rows []*ent.Space) ([]*Space, error) {
	found := make([]*Space, len(rows))
	for index, row := range rows {
		var err error
		if found[index], err = withRole(row); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (s *Service) count(ctx context.Context, organizationID string, viewer *access.Viewer) (count int, err error) {
	rows, err := countInOrganization.Query(access.WithViewer(ctx, viewer), s.database, slices.Index(viewer.Organizations(), organizationID), organizationID)
	if err != nil {
		return 0, err
	}
	err = rows.Each(func(row *stdsql.Rows) error { return row.Scan(&count) })
	return count, err
}

// place of a space in a list.
func place(item *Space) (position, id string) { return item.Position, item.ID }

// List asks for one page of the spaces in a collection. It is comparable, so
// that a loader can gather several.
type List struct {
	collectionID string
	window       pagination.Window
}

// InCollection lists the spaces right in a collection, in their order.
func InCollection(id string, arguments pagination.Arguments) (List, error) {
	window, err := arguments.Window(listKey)
	return List{collectionID: id, window: window}, err
}

// CollectionID is that of the collection.
func (l List) CollectionID() string { return l.collectionID }

// Of is the same list of another collection.
func (l List) Of(collectionID string) List { return List{collectionID: collectionID, window: l.window} }

// InCollections returns lists of collections that the caller may read, in one
// statement for all that ask for the same page. Spaces that the caller may not
// read, and deleted ones, are left out.
func (s *Service) InCollections(ctx context.Context, lists []List) (map[List]pagination.Page[*Space], error) {
	split := func(list List) (List, string) { return list.Of(""), list.collectionID }
	return pagination.Gather(lists, split, List.Of, func(list List, ids []string) (map[string]pagination.Page[*Space], error) {
		return s.inCollections(ctx, ids, list.window)
	})
}

func (s *Service) inCollections(ctx context.Context, ids []string, window pagination.Window) (map[string]pagination.Page[*Space], error) {
	found, err := s.Within(ctx, ids, false, window)
	if err != nil {
		return nil, err
	}
	return pagination.Pages(window, ids, found, func(item *Space) string { return *item.CollectionID }, place,
		func(ctx context.Context) (map[string]int, error) { return s.CountWithin(ctx, ids, false) }), nil
}

// Within returns the spaces that the caller may read on the page of each
// parent, in one statement: right in collections that they may read, or, where
// top is set, at the top of organizations that they belong to.
func (s *Service) Within(ctx context.Context, parents []string, top bool, window pagination.Window) ([]*Space, error) {
	viewer, err := access.Allow(ctx, access.ScopeRead)
	if err != nil {
		return nil, err
	}
	column, conditions := within(viewer, top)
	query := s.query(ctx, viewer).Where(window.Each(entspace.Table, column, parents, conditions...))
	for _, condition := range conditions {
		query.Where(condition)
	}
	rows, err := query.All(ctx)
	if err != nil {
		return nil, err
	}
	return withRoles(rows)
}

// within is the column that names the parent of a space, and what else decides
// whether the space is listed below it.
func within(viewer *access.Viewer, top bool) (column string, conditions []func(*sql.Selector)) {
	conditions = []func(*sql.Selector){viewer.WhereRole(access.Read), entspace.DeletedAtIsNil()}
	if top {
		return entspace.FieldOrganizationID, append(conditions, entspace.CollectionIDIsNil())
	}
	return entspace.FieldCollectionID, conditions
}

// CountWithin counts the spaces of each parent of Within, in one statement.
func (s *Service) CountWithin(ctx context.Context, parents []string, top bool) (map[string]int, error) {
	var counted []struct {
		// Only the one that the rows are grouped by is set.
		CollectionID   string `json:"collection_id"`
		OrganizationID string `json:"organization_id"`
		Count          int    `json:"count"`
	}
	column, conditions := within(access.From(ctx), top)
	query := s.database.Client(ctx).Space.Query().Where(pagination.Among(column, parents))
	for _, condition := range conditions {
		query.Where(condition)
	}
	if err := query.GroupBy(column).Aggregate(ent.Count()).Scan(ctx, &counted); err != nil {
		return nil, err
	}
	counts := make(map[string]int, len(counted))
	for _, row := range counted {
		counts[row.CollectionID+row.OrganizationID] = row.Count
	}
	return counts, nil
}
