package rest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"
	"golang.org/x/sync/errgroup"

	"octavo/internal/fault"
	"octavo/internal/loader"
	"octavo/rest/wire"
)

// handler serves an operation; what it returns is shown as an error.
type handler func(writer http.ResponseWriter, request *http.Request) error

// handle turns a handler into one of package http.
func (a *API) handle(serve handler) http.HandlerFunc {
	return func(writer http.ResponseWriter, request *http.Request) {
		if err := serve(writer, request); err != nil {
			a.fail(writer, request, err)
		}
	}
}

// fail shows an error of the domain, and hides any other behind 500 after
// logging it once.
func (a *API) fail(writer http.ResponseWriter, request *http.Request, err error) {
	detail := wire.ErrorDetail{}
	var known *fault.Error
	if errors.As(err, &known) {
		known = inItsOwnTerms(request, known)
		detail.Code, detail.Message = known.Code.Status(), known.Message
		if known.Field != "" {
			detail.Field = &known.Field
		}
		if revision, ok := known.Details["revision"].(string); ok {
			detail.Revision = &revision
		}
	} else {
		code := fault.CodeOf(err)
		detail.Code, detail.Message = code.Status(), fault.Shown(code)
		if code == fault.Internal {
			a.logger.ErrorContext(request.Context(), "unexpected error", "error", err, "method", request.Method, "path", request.URL.Path)
		}
	}
	WriteJSON(writer, detail.Code, wire.Error{Error: detail})
}

// queryNames are the names that the query of a list has for the arguments of a
// connection.
var queryNames = map[string]string{"first": "limit", "after": "page"}

// inItsOwnTerms names the parameter that a caller of a list gave wrongly.
func inItsOwnTerms(request *http.Request, failed *fault.Error) *fault.Error {
	if name, has := queryNames[failed.Field]; has && request.Method == http.MethodGet {
		return failed.About(name)
	}
	return failed
}

// WriteJSON answers with a body.
func WriteJSON(writer http.ResponseWriter, status int, body any) {
	encoded, err := json.Marshal(body)
	if err != nil {
		// Wire structs always encode; a value that does not is a defect that
		// the contract tests show.
		http.Error(writer, `{"error":{"code":500,"message":"the answer could not be encoded"}}`, http.StatusInternalServerError)
		return
	}
	writer.Header().Set("Content-Type", "application/json; charset=utf-8")
	writer.WriteHeader(status)
	// A client that is gone cannot be told.
	_, _ = writer.Write(encoded)
}

func unknownPath(_ http.ResponseWriter, request *http.Request) error {
	return fault.New(fault.NotFound, "no operation at %s", request.URL.Path)
}

func unknownMethod(writer http.ResponseWriter, request *http.Request) error {
	WriteJSON(writer, http.StatusMethodNotAllowed, wire.Error{Error: wire.ErrorDetail{
		Code: http.StatusMethodNotAllowed, Message: "no operation " + request.Method + " at " + request.URL.Path,
	}})
	return nil
}

// deleted answers a DELETE: 205 when something went, 204 when there was
// nothing.
func deleted(writer http.ResponseWriter, existed bool) {
	if existed {
		writer.WriteHeader(http.StatusResetContent)
		return
	}
	writer.WriteHeader(http.StatusNoContent)
}

// absent tells whether the error says that a resource does not exist.
func absent(err error) bool { return err != nil && fault.CodeOf(err) == fault.NotFound }

// decode reads a JSON body. An empty one is allowed where every field is
// optional. Unknown fields are ignored: clients send what newer servers know.
func decode(request *http.Request, body any) error {
	kind := request.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(kind); kind != "" && (err != nil || media != "application/json") {
		return fault.New(fault.BadUserInput, "the Content-Type %q is not application/json", kind)
	}
	data, err := io.ReadAll(request.Body)
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return fault.New(fault.LimitExceeded, "the body is larger than %d bytes", tooLarge.Limit)
	}
	if err != nil {
		return fault.New(fault.BadUserInput, "the body could not be read")
	}
	if len(strings.TrimSpace(string(data))) == 0 {
		return nil
	}
	if !utf8.Valid(data) {
		return fault.New(fault.BadUserInput, "the body is not valid UTF-8")
	}
	if err := json.Unmarshal(data, body); err != nil {
		return malformed(err)
	}
	return nil
}

func malformed(err error) error {
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) && wrongType.Field != "" {
		return fault.Invalid(wrongType.Field, "a %s is expected, got a %s", wrongType.Type, wrongType.Value)
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fault.New(fault.BadUserInput, "the body is not JSON: %s at byte %d", syntax, syntax.Offset)
	}
	return fault.New(fault.BadUserInput, "the body does not fit: %s", err)
}

// window reads page and limit as the arguments of a connection.
func window(request *http.Request) (first *int, after *string, err error) {
	query := request.URL.Query()
	if text := query.Get("limit"); query.Has("limit") {
		size, err := strconv.Atoi(text)
		if err != nil {
			return nil, nil, fault.Invalid("limit", "%q is not a number", text)
		}
		first = &size
	}
	if cursor := query.Get("page"); cursor != "" {
		after = &cursor
	}
	return first, after, nil
}

// optional returns a query parameter, or nil when it is absent.
func optional(request *http.Request, name string) *string {
	if !request.URL.Query().Has(name) {
		return nil
	}
	value := request.URL.Query().Get(name)
	return &value
}

// flag reads a boolean query parameter.
func flag(request *http.Request, name string, otherwise bool) (bool, error) {
	text := optional(request, name)
	if text == nil {
		return otherwise, nil
	}
	value, err := strconv.ParseBool(*text)
	if err != nil {
		return false, fault.Invalid(name, "%q is not true or false", *text)
	}
	return value, nil
}

// parameter is a path parameter.
func parameter(request *http.Request, name string) string { return chi.URLParam(request, name) }

// connection is what all connections of the GraphQL API offer.
type connection[T any] interface {
	Nodes() []T
	NextPage() *string
	TotalCount(ctx context.Context) (int, error)
}

// list renders a connection as the wire's list.
func list[T, W any](ctx context.Context, page connection[T], render func(ctx context.Context, item T) (W, error)) (wire.List[W], error) {
	items, err := each(ctx, page.Nodes(), render)
	if err != nil {
		return wire.List[W]{}, err
	}
	count, err := page.TotalCount(ctx)
	if err != nil {
		return wire.List[W]{}, err
	}
	rendered := wire.List[W]{Items: items, Count: count}
	if next := page.NextPage(); next != nil {
		rendered.Next = &wire.NextPage{Page: *next}
	}
	return rendered, nil
}

// each renders items: in turn when the loaders know what all of them refer to,
// and otherwise side by side, so that it is loaded in batches, as under GraphQL.
func each[T, W any](ctx context.Context, items []T, render func(ctx context.Context, item T) (W, error)) ([]W, error) {
	rendered := make([]W, len(items))
	if loader.Foresees(items) {
		for index, item := range items {
			var err error
			if rendered[index], err = render(ctx, item); err != nil {
				return nil, err
			}
		}
		return rendered, nil
	}
	group, ctx := errgroup.WithContext(ctx)
	for index, item := range items {
		group.Go(func() error {
			var err error
			rendered[index], err = render(ctx, item)
			return err
		})
	}
	return rendered, group.Wait()
}
