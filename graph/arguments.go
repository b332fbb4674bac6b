package graph

import (
	"context"

	"octavo/ent"
	"octavo/graph/model"
	"octavo/internal/collection"
	"octavo/internal/loader"
	"octavo/internal/pagination"
	"octavo/internal/revision"
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
