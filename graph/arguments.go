package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"octavo/ent"
	"octavo/graph/model"
	"octavo/internal/collection"
	"octavo/internal/loader"
	"octavo/internal/pagination"
	"octavo/internal/revision"
	"octavo/internal/structure"
)

func arguments(first *int, after *string, last *int, before *string) pagination.Arguments {
	return pagination.Arguments{First: first, After: after, Last: last, Before: before}
}

// optionalUser loads a person who may not be there.
func optionalUser(ctx context.Context, id *string) (*ent.User, error) {
	if id == nil {
		return nil, nil
	}
	return loader.From(ctx).User.Load(ctx, *id)
}

// optionalRevision loads a revision that may not be there.
func optionalRevision(ctx context.Context, id *string) (*revision.Revision, error) {
	if id == nil {
		return nil, nil
	}
	return loader.From(ctx).Revision.Load(ctx, *id)
}

// optionalCollection loads a collection that may not be there, or that the
// viewer may not read.
func optionalCollection(ctx context.Context, id *string) (*collection.Collection, error) {
	if id == nil {
		return nil, nil
	}
	return loader.From(ctx).Collection.Load(ctx, *id)
}

// collections loads a list of collections.
func collections(ctx context.Context, list collection.List, err error) (*model.CollectionConnection, error) {
	if err != nil {
		return nil, err
	}
	page, err := loader.From(ctx).Collections.Load(ctx, list)
	if err != nil {
		return nil, err
	}
	return model.NewCollectionConnection(page), nil
}

// children loads a list of spaces and collections.
func children(ctx context.Context, list collection.Children, err error) (*model.StructureConnection, error) {
	if err != nil {
		return nil, err
	}
	page, err := loader.From(ctx).Children.Load(ctx, list)
	if err != nil {
		return nil, err
	}
	return model.NewStructureConnection(page), nil
}

// structureMove reads where a space or collection goes.
func structureMove(parent graphql.Omittable[*string], position graphql.Omittable[*model.SpacePositionInput]) structure.Move {
	move := structure.Move{Parent: given(parent)}
	if beside := position.Value(); beside != nil {
		move.Before, move.After = valueOf(beside.Before), valueOf(beside.After)
	}
	return move
}
