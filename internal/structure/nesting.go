package structure

import (
	"context"

	"octavo/ent"
	"octavo/ent/collectionancestor"
	"octavo/internal/fault"
)

// MaximumDepth is how many collections may be inside of each other: a
// collection at the top of an organization is one.
const MaximumDepth = 10

// insertBatch bounds the rows that one statement inserts.
const insertBatch = 1000

// Nest puts a collection that has just been made into another, or at the top of
// the organization where parent is nil. It returns BAD_USER_INPUT where that
// would be deeper than MaximumDepth.
func (s *Structure) Nest(ctx context.Context, organizationID, id string, parent *string) error {
	if err := s.ancestor(ctx, organizationID, id, id, 0).Exec(ctx); err != nil {
		return err
	}
	return s.attach(ctx, organizationID, []*ent.CollectionAncestor{{CollectionID: id}}, parent)
}

// Renest moves a collection, with all that are in it, into another or to the
// top of the organization. It returns INVALID_POSITION for a parent that is the
// collection itself or inside of it, and BAD_USER_INPUT beyond MaximumDepth.
func (s *Structure) Renest(ctx context.Context, organizationID, id string, parent *string) error {
	below, err := s.Below(ctx, id)
	if err != nil {
		return err
	}
	ids := make([]string, len(below))
	for index, row := range below {
		ids[index] = row.CollectionID
		if parent != nil && row.CollectionID == *parent {
			return fault.New(fault.InvalidPosition, "parent: a collection cannot be moved into itself or into one that is inside of it")
		}
	}
	_, err = s.database.Client(ctx).CollectionAncestor.Delete().
		Where(collectionancestor.CollectionIDIn(ids...), collectionancestor.AncestorIDNotIn(ids...)).Exec(ctx)
	if err != nil {
		return err
	}
	return s.attach(ctx, organizationID, below, parent)
}

// Below are a collection, at distance 0, and all collections inside of it.
func (s *Structure) Below(ctx context.Context, id string) ([]*ent.CollectionAncestor, error) {
	return s.database.Client(ctx).CollectionAncestor.Query().
		Where(collectionancestor.AncestorID(id)).Order(collectionancestor.ByDistance()).All(ctx)
}

// above are a collection, at distance 0, and those that it is in.
func (s *Structure) above(ctx context.Context, id *string) ([]*ent.CollectionAncestor, error) {
	if id == nil {
		return nil, nil
	}
	return s.database.Client(ctx).CollectionAncestor.Query().Where(collectionancestor.CollectionID(*id)).All(ctx)
}

// attach writes the ancestors that a collection and those inside of it get
// by being put into a parent.
func (s *Structure) attach(ctx context.Context, organizationID string, below []*ent.CollectionAncestor, parent *string) error {
	above, err := s.above(ctx, parent)
	if err != nil {
		return err
	}
	var creates []*ent.CollectionAncestorCreate
	for _, lower := range below {
		if depth := len(above) + lower.Distance + 1; depth > MaximumDepth {
			return fault.Invalid("parent", "collections are nested at most %d deep, this would be %d", MaximumDepth, depth)
		}
		for _, upper := range above {
			creates = append(creates, s.ancestor(ctx, organizationID, lower.CollectionID, upper.AncestorID, upper.Distance+1+lower.Distance))
		}
	}
	return s.insert(ctx, creates)
}

func (s *Structure) ancestor(ctx context.Context, organizationID, id, ancestorID string, distance int) *ent.CollectionAncestorCreate {
	return s.database.Client(ctx).CollectionAncestor.Create().SetOrganizationID(organizationID).
		SetCollectionID(id).SetAncestorID(ancestorID).SetDistance(distance)
}

func (s *Structure) insert(ctx context.Context, creates []*ent.CollectionAncestorCreate) error {
	for len(creates) > 0 {
		batch := creates[:min(insertBatch, len(creates))]
		creates = creates[len(batch):]
		if err := s.database.Client(ctx).CollectionAncestor.CreateBulk(batch...).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
