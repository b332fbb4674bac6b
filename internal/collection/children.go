package collection

import (
	"context"
	"slices"

	"octavo/ent/collectionancestor"
	"octavo/internal/access"
	"octavo/internal/pagination"
	"octavo/internal/space"
)

// Item is something that stands in the structure of an organization: a
// *space.Space or a *Collection.
type Item any

// Children asks for one page of what is in a collection or at the top of an
// organization: spaces and collections in their common order. It is comparable,
// so that a loader can gather several.
type Children struct {
	parentID string
	// top says that the parent is an organization.
	top    bool
	window pagination.Window
}

var childrenKey = pagination.Key{Name: "structure", Column: "position"}

// ChildrenOf lists what is right in a collection.
func ChildrenOf(id string, arguments pagination.Arguments) (Children, error) {
	window, err := arguments.Window(childrenKey)
	return Children{parentID: id, window: window}, err
}

// Top lists what is at the top of an organization.
func Top(organizationID string, arguments pagination.Arguments) (Children, error) {
	window, err := arguments.Window(childrenKey)
	return Children{parentID: organizationID, top: true, window: window}, err
}

// Structure returns lists of organizations that the caller belongs to and of
// collections that they may read, in two statements for all that ask for the
// same page: one for the spaces, one for the collections. What the caller may
// not read is left out.
func (s *Service) Structure(ctx context.Context, lists []Children) (map[Children]pagination.Page[Item], error) {
	return pagination.Gather(lists, Children.split, Children.Of, func(list Children, parents []string) (map[string]pagination.Page[Item], error) {
		return s.children(ctx, list, parents)
	})
}

// split returns the list without its parent, and the parent.
func (c Children) split() (Children, string) { return c.Of(""), c.parentID }

// ParentID is that of the collection or organization.
func (c Children) ParentID() string { return c.parentID }

// Of is the same list of another parent of the same kind.
func (c Children) Of(parent string) Children {
	c.parentID = parent
	return c
}

func (s *Service) children(ctx context.Context, list Children, parents []string) (map[string]pagination.Page[Item], error) {
	viewer, err := access.Allow(ctx, access.ScopeRead)
	if err != nil {
		return nil, err
	}
	spaces, err := s.spaces.Within(ctx, parents, list.top, list.window)
	if err != nil {
		return nil, err
	}
	inside := list.collections()
	collections, err := s.rows(ctx, viewer, inside, parents)
	if err != nil {
		return nil, err
	}
	items := make([]Item, 0, len(spaces)+len(collections))
	for _, each := range spaces {
		items = append(items, each)
	}
	for _, each := range collections {
		items = append(items, each)
	}
	slices.SortFunc(items, func(one, other Item) int { return list.window.Compare(place(one), place(other)) })
	count := func(ctx context.Context) (map[string]int, error) {
		counts, err := s.spaces.CountWithin(ctx, parents, list.top)
		if err != nil {
			return nil, err
		}
		collections, err := s.counter(viewer, inside, parents)(ctx)
		for id, more := range collections {
			counts[id] += more
		}
		return counts, err
	}
	return pagination.Pages(list.window, parents, items, list.parentOf,
		func(item Item) (string, string) { return place(item).Value, place(item).ID }, count), nil
}

// collections is the list of the collections among the children.
func (c Children) collections() List {
	if c.top {
		return List{column: "organization_id", top: true, window: c.window}
	}
	return List{column: "parent_id", window: c.window}
}

func place(item Item) pagination.Place {
	if found, is := item.(*space.Space); is {
		return pagination.Place{Value: found.Position, ID: found.ID}
	}
	found, _ := item.(*Collection)
	return pagination.Place{Value: found.Position, ID: found.ID}
}

func (c Children) parentOf(item Item) string {
	switch found := item.(type) {
	case *space.Space:
		if c.top {
			return found.OrganizationID
		}
		return *found.CollectionID
	case *Collection:
		return c.collections().parentOf(found)
	}
	return ""
}

// Ancestors returns the collections around collections that the caller may
// read, from the top down, in two statements. Those that the caller may not read
// are left out.
func (s *Service) Ancestors(ctx context.Context, ids []string) (map[string][]*Collection, error) {
	rows, err := s.database.Client(ctx).CollectionAncestor.Query().
		Where(collectionancestor.CollectionIDIn(ids...), collectionancestor.DistanceGT(0)).
		Order(collectionancestor.ByDistance()).All(ctx)
	if err != nil {
		return nil, err
	}
	around := make([]string, len(rows))
	for index, row := range rows {
		around[index] = row.AncestorID
	}
	found, err := s.ByID(ctx, around)
	if err != nil {
		return nil, err
	}
	paths := make(map[string][]*Collection, len(ids))
	for _, id := range ids {
		paths[id] = []*Collection{}
	}
	for _, row := range slices.Backward(rows) {
		if ancestor := found[row.AncestorID]; ancestor != nil {
			paths[row.CollectionID] = append(paths[row.CollectionID], ancestor)
		}
	}
	return paths, nil
}
