// Package structure keeps how spaces and collections stand to each other: their
// common order below a parent, and the nesting of collections. Changes to the
// structure of an organization wait for each other.
package structure

import (
	"cmp"
	"context"
	"slices"

	"octavo/ent"
	"octavo/ent/collection"
	"octavo/ent/organization"
	"octavo/ent/predicate"
	"octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/database"
	"octavo/internal/fault"
	"octavo/internal/position"
)

// Structure is that of all organizations of a database.
type Structure struct{ database *database.Database }

// New returns the structure of a database.
func New(opened *database.Database) *Structure { return &Structure{database: opened} }

// Lock makes other changes to the structure of the organizations wait until the
// transaction in progress ends.
func (s *Structure) Lock(ctx context.Context, organizationIDs ...string) error {
	for _, id := range slices.Sorted(slices.Values(organizationIDs)) {
		if err := s.database.Lock(ctx, organization.Table, id); err != nil {
			return err
		}
	}
	return nil
}

// RequireParent checks that the caller may put something into a collection, or
// at the top of an organization where parent is nil: it needs the role create
// there. It returns NOT_FOUND for what the caller does not see, a collection of
// another organization included.
func (s *Structure) RequireParent(ctx context.Context, organizationID string, parent *string) error {
	if parent == nil {
		return access.Require(ctx, organizationID, access.ScopeWrite, access.Create)
	}
	if _, err := access.Member(ctx, organizationID, access.ScopeWrite); err != nil {
		return err
	}
	query := s.database.Client(ctx).Collection.Query().
		Where(collection.ID(*parent), collection.OrganizationID(organizationID))
	query.Modify(access.From(ctx).SelectCollectionRole)
	found, err := query.Only(ctx)
	if ent.IsNotFound(err) {
		return fault.Missing("collection")
	}
	if err != nil {
		return err
	}
	role, err := access.RoleOf(found)
	switch {
	case err != nil:
		return err
	case role < access.Read:
		return fault.Missing("collection")
	case role < access.Create:
		return fault.Denied("this needs the role %s in the collection", access.Create)
	}
	return nil
}

// Siblings are the spaces and collections of one parent, in order. Deleted
// spaces keep their place for as long as they can be restored.
type Siblings []sibling

type sibling struct{ id, position string }

// Siblings reads what is in a collection, or at the top of an organization
// where parent is nil.
func (s *Structure) Siblings(ctx context.Context, organizationID string, parent *string) (Siblings, error) {
	client := s.database.Client(ctx)
	inSpace, inCollection := []predicate.Space{space.CollectionIDIsNil()}, []predicate.Collection{collection.ParentIDIsNil()}
	if parent != nil {
		inSpace, inCollection = []predicate.Space{space.CollectionID(*parent)}, []predicate.Collection{collection.ParentID(*parent)}
	}
	var found Siblings
	spaces, err := client.Space.Query().Where(space.OrganizationID(organizationID)).Where(inSpace...).
		Select(space.FieldID, space.FieldPosition).All(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range spaces {
		found = append(found, sibling{row.ID, row.Position})
	}
	collections, err := client.Collection.Query().Where(collection.OrganizationID(organizationID)).Where(inCollection...).
		Select(collection.FieldID, collection.FieldPosition).All(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range collections {
		found = append(found, sibling{row.ID, row.Position})
	}
	slices.SortFunc(found, func(a, b sibling) int {
		return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(a.id, b.id))
	})
	return found, nil
}

// Last is a key for one more sibling at the end.
func (s Siblings) Last() string {
	if len(s) == 0 {
		return position.After("")
	}
	return position.After(s[len(s)-1].position)
}

// Beside is a key right before or right after a sibling. It returns
// INVALID_POSITION when there is none with the id.
func (s Siblings) Beside(id string, before bool) (string, error) {
	index := s.index(id)
	if index < 0 {
		return "", fault.New(fault.InvalidPosition, "position: %s is not a space or collection there", id)
	}
	if !before {
		index++
	}
	low, high := s.around(index)
	return position.Between(low, high), nil
}

// IDs of the siblings, in order.
func (s Siblings) IDs() []string {
	ids := make([]string, len(s))
	for index, each := range s {
		ids[index] = each.id
	}
	return ids
}

// InPlaceOf returns keys for so many siblings, in order, where the one with the
// id stands, which is about to go.
func (s Siblings) InPlaceOf(id string, count int) []string {
	index := s.index(id)
	low, _ := s.around(index)
	_, high := s.around(index + 1)
	return position.Spread(low, high, count)
}

// around are the keys between which the sibling with an index would come to
// stand; empty at either end.
func (s Siblings) around(index int) (low, high string) {
	if index > 0 {
		low = s[index-1].position
	}
	if index < len(s) {
		high = s[index].position
	}
	return low, high
}

func (s Siblings) index(id string) int {
	return slices.IndexFunc(s, func(other sibling) bool { return other.id == id })
}
