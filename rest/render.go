package rest

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// together runs the parts of one rendering side by side, so that the look-ups
// of all items of a list meet in the same batches, whatever each item has.
func together(parts ...func() error) error {
	var group errgroup.Group
	for _, part := range parts {
		group.Go(part)
	}
	return group.Wait()
}

// into renders what a resolver returned to its place.
func into[T, W any](ctx context.Context, place *W, found T, err error, render func(context.Context, T) (W, error)) error {
	if err != nil {
		return err
	}
	*place, err = render(ctx, found)
	return err
}

// intoEach is into for a list.
func intoEach[T, W any](ctx context.Context, place *[]W, found []T, err error, render func(context.Context, T) (W, error)) error {
	if err != nil {
		return err
	}
	*place, err = each(ctx, found, render)
	return err
}

// orElse is the value, or another when there is none.
func orElse[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}
