package graph

import (
	"context"

	"octavo/ent"
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
