package collection

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	entcollection "octavo/ent/collection"
	"octavo/internal/access"
	"octavo/internal/pagination"
)

// List asks for one page of the collections of an organization or collection,
// in their order. It is comparable, so that a loader can gather several.
type List struct {
	parentID string
	// column holds the id of the parent.
	column string
	// top leaves out what is inside of a collection.
	top    bool
	window pagination.Window
}

var listKey = pagination.Key{Name: "collections", Column: entcollection.FieldPosition}

// InOrganization lists the collections of an organization: all of them, or
// those at its top. Within one list collections of several parents are ordered
// by their places below each.
func InOrganization(organizationID string, nested bool, arguments pagination.Arguments) (List, error) {
	window, err := arguments.Window(listKey)
	return List{parentID: organizationID, column: entcollection.FieldOrganizationID, top: !nested, window: window}, err
}

// InCollection lists the collections that are right below another.
func InCollection(id string, arguments pagination.Arguments) (List, error) {
	window, err := arguments.Window(listKey)
	return List{parentID: id, column: entcollection.FieldParentID, window: window}, err
}

// Lists returns lists of organizations that the caller belongs to and of
// collections that they may read, in one statement for all that ask for the
// same page in the same way. Collections that the caller may not read are left
// out.
func (s *Service) Lists(ctx context.Context, lists []List) (map[List]pagination.Page[*Collection], error) {
	return pagination.Gather(lists, List.split, List.Of, func(list List, parents []string) (map[string]pagination.Page[*Collection], error) {
		return s.read(ctx, list, parents)
	})
}

// split returns the list without its parent, and the parent.
func (l List) split() (List, string) { return l.Of(""), l.parentID }

// ParentID is that of the organization or collection.
func (l List) ParentID() string { return l.parentID }

// Of is the same list of another parent of the same kind.
func (l List) Of(parent string) List {
	l.parentID = parent
	return l
}

func (s *Service) read(ctx context.Context, list List, parents []string) (map[string]pagination.Page[*Collection], error) {
	viewer, err := access.Allow(ctx, access.ScopeRead)
	if err != nil {
		return nil, err
	}
	found, err := s.rows(ctx, viewer, list, parents)
	if err != nil {
		return nil, err
	}
	return pagination.Pages(list.window, parents, found, list.parentOf,
		func(item *Collection) (string, string) { return item.Position, item.ID }, s.counter(viewer, list, parents)), nil
}

// rows are those of the page of each parent.
func (s *Service) rows(ctx context.Context, viewer *access.Viewer, list List, parents []string) ([]*Collection, error) {
	readable := viewer.WhereCollectionRole(access.Read)
	query := s.database.Client(ctx).Collection.Query().Where(
		list.matches, readable, list.window.Each(entcollection.Table, list.column, parents, list.matches, readable))
	query.Modify(viewer.SelectCollectionRole)
	rows, err := query.All(ctx)
	if err != nil {
		return nil, err
	}
	found := make([]*Collection, len(rows))
	for index, row := range rows {
		if found[index], err = withRole(row); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (l List) matches(selector *sql.Selector) {
	if l.top {
		selector.Where(sql.IsNull(selector.C(entcollection.FieldParentID)))
	}
}

func (l List) parentOf(item *Collection) string {
	if l.column == entcollection.FieldParentID {
		return *item.ParentID
	}
	return item.OrganizationID
}

// counter counts the lists of all parents in one statement.
func (s *Service) counter(viewer *access.Viewer, list List, parents []string) func(context.Context) (map[string]int, error) {
	return func(ctx context.Context) (map[string]int, error) {
		var counted []struct {
			// Only the one that the rows are grouped by is set.
			ParentID       string `json:"parent_id"`
			OrganizationID string `json:"organization_id"`
			Count          int    `json:"count"`
		}
		err := s.database.Client(ctx).Collection.Query().
			Where(pagination.Among(list.column, parents), list.matches, viewer.WhereCollectionRole(access.Read)).
			GroupBy(list.column).Aggregate(ent.Count()).Scan(ctx, &counted)
		if err != nil {
			return nil, err
		}
		counts := make(map[string]int, len(counted))
		for _, row := range counted {
			counts[row.ParentID+row.OrganizationID] = row.Count
		}
		return counts, nil
	}
}
