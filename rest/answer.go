package rest

import (
	"context"
	"net/http"
)

// answer renders what a resolver returned.
func answer[T, W any](writer http.ResponseWriter, request *http.Request, status int, found T, err error, render func(context.Context, T) (W, error)) error {
	if err != nil {
		return err
	}
	rendered, err := render(request.Context(), found)
	if err != nil {
		return err
	}
	WriteJSON(writer, status, rendered)
	return nil
}

// answerList renders a connection as a list.
func answerList[T, W any](writer http.ResponseWriter, request *http.Request, page connection[T], err error, render func(context.Context, T) (W, error)) error {
	if err != nil {
		return err
	}
	rendered, err := list(request.Context(), page, render)
	if err != nil {
		return err
	}
	WriteJSON(writer, http.StatusOK, rendered)
	return nil
}

// lister lists what belongs to a parent: a resolver of the GraphQL API.
type lister[P, C any] func(ctx context.Context, parent P, first *int, after *string, last *int, before *string) (C, error)

// answerPage serves a list of what belongs to what the path names.
func answerPage[P, T, W any, C connection[T]](
	writer http.ResponseWriter, request *http.Request, parent func(*http.Request) (P, error),
	resolve lister[P, C], render func(context.Context, T) (W, error),
) error {
	first, after, err := window(request)
	if err != nil {
		return err
	}
	found, err := parent(request)
	if err != nil {
		return err
	}
	page, err := resolve(request.Context(), found, first, after, nil, nil)
	return answerList(writer, request, page, err, render)
}

// narrowed is a lister with its filter.
func narrowed[P, F, C any](
	resolve func(context.Context, P, F, *int, *string, *int, *string) (C, error), filter F,
) lister[P, C] {
	return func(ctx context.Context, parent P, first *int, after *string, last *int, before *string) (C, error) {
		return resolve(ctx, parent, filter, first, after, last, before)
	}
}

// sorted is a lister with its filter and order.
func sorted[P, F, O, C any](
	resolve func(context.Context, P, F, O, *int, *string, *int, *string) (C, error), filter F, order O,
) lister[P, C] {
	return func(ctx context.Context, parent P, first *int, after *string, last *int, before *string) (C, error) {
		return resolve(ctx, parent, filter, order, first, after, last, before)
	}
}
