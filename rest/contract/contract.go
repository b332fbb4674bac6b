// Package contract is the description of the REST API, for the server that
// publishes it and for the tests that hold the server to it.
package contract

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/go-chi/chi/v5"
)

// Prefix stands before the path of every operation.
const Prefix = "/v1"

//go:embed openapi.json
var document []byte

// JSON returns the contract as an OpenAPI 3.0 document. The caller may change
// the result.
func JSON() []byte { return bytes.Clone(document) }

// Operation is one operation of the REST API.
type Operation struct {
	ID     string
	Method string
	// Path is the template of the path after Prefix, such as
	// /spaces/{spaceId}.
	Path string
	// GraphQL is the field of the GraphQL API that does the same, such as
	// Query.space or Mutation.updateSpace.
	GraphQL string
	// Success holds the statuses of success in ascending order.
	Success []int
	// Own tells that the operation is an addition of this server, unknown to
	// existing clients.
	Own bool
}

// Operations lists every operation, sorted by path and method.
func Operations() []Operation {
	var operations []Operation
	for path, item := range load().document.Paths.Map() {
		for method, operation := range item.Operations() {
			operations = append(operations, describe(path, method, operation))
		}
	}
	slices.SortFunc(operations, func(a, b Operation) int {
		return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method)
	})
	return operations
}

func describe(path, method string, operation *openapi3.Operation) Operation {
	field, _ := operation.Extensions["x-graphql"].(string)
	own, _ := operation.Extensions["x-octavo"].(bool)
	return Operation{
		ID:      operation.OperationID,
		Method:  method,
		Path:    path,
		GraphQL: field,
		Success: successes(operation),
		Own:     own,
	}
}

func successes(operation *openapi3.Operation) []int {
	var statuses []int
	for text := range operation.Responses.Map() {
		if status, err := strconv.Atoi(text); err == nil && status/100 == 2 {
			statuses = append(statuses, status)
		}
	}
	slices.Sort(statuses)
	return statuses
}

// ValidateRequest says how a request departs from the contract: its path and
// method, its parameters, or its body, which stays readable. Tokens are not
// looked at.
func ValidateRequest(request *http.Request) error {
	input, err := match(request)
	if err != nil {
		return err
	}
	return openapi3filter.ValidateRequest(request.Context(), input)
}

// ValidateResponse says how a response departs from the contract: its status,
// its headers or its body, which has been read already. The body of the
// request is not looked at.
func ValidateResponse(request *http.Request, response *http.Response, body []byte) error {
	input, err := match(request)
	if err != nil {
		return err
	}
	declared := input.Route.Operation.Responses.Status(response.StatusCode)
	if declared == nil {
		return fmt.Errorf("%s %s: status %d is not in the contract", request.Method, input.Route.Path, response.StatusCode)
	}
	if len(declared.Value.Content) == 0 && len(body) > 0 {
		return fmt.Errorf("%s %s: status %d comes with a body", request.Method, input.Route.Path, response.StatusCode)
	}
	err = openapi3filter.ValidateResponse(request.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input,
		Status:                 response.StatusCode,
		Header:                 response.Header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options:                input.Options,
	})
	if err != nil {
		return fmt.Errorf("%s %s: status %d: %w", request.Method, input.Route.Path, response.StatusCode, err)
	}
	return nil
}

func match(request *http.Request) (*openapi3filter.RequestValidationInput, error) {
	route, parameters, err := load().FindRoute(request)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", request.Method, request.URL.Path, err)
	}
	return &openapi3filter.RequestValidationInput{
		Request:    request,
		PathParams: parameters,
		Route:      route,
		Options: &openapi3filter.Options{
			MultiError:                        true,
			RejectWhenRequestBodyNotSpecified: true,
			SkipSettingDefaults:               true,
			AuthenticationFunc:                openapi3filter.NoopAuthenticationFunc,
			SchemaValidationOptions:           []openapi3.SchemaValidationOption{openapi3.EnableFormatValidation()},
		},
	}, nil
}

// router finds the operation of a request as the server does: with chi, on the
// path as it was sent, so that an encoded slash stays within its segment.
type router struct {
	document *openapi3.T
	paths    *chi.Mux
}

// FindRoute implements routers.Router.
func (r *router) FindRoute(request *http.Request) (*routers.Route, map[string]string, error) {
	path, ok := strings.CutPrefix(request.URL.EscapedPath(), Prefix)
	if !ok {
		return nil, nil, routers.ErrPathNotFound
	}
	found := chi.NewRouteContext()
	template := r.paths.Find(found, request.Method, "/"+strings.TrimPrefix(path, "/"))
	if template == "" {
		return nil, nil, routers.ErrPathNotFound
	}
	parameters := make(map[string]string, len(found.URLParams.Keys))
	for i, name := range found.URLParams.Keys {
		value, err := url.PathUnescape(found.URLParams.Values[i])
		if err != nil {
			return nil, nil, err
		}
		parameters[name] = value
	}
	item := r.document.Paths.Value(template)
	return &routers.Route{
		Spec:      r.document,
		Path:      template,
		PathItem:  item,
		Method:    request.Method,
		Operation: item.GetOperation(request.Method),
	}, parameters, nil
}

// load reads the contract once. It panics on a document that is not valid:
// the document is part of the program, and its tests read it.
var load = sync.OnceValue(func() *router {
	loaded, err := read(document)
	if err != nil {
		panic(fmt.Sprintf("contract: %v", err))
	}
	return loaded
})

func read(data []byte) (*router, error) {
	parsed, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		return nil, err
	}
	err = parsed.Validate(context.Background(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaDefaultsValidation())
	if err != nil {
		return nil, err
	}
	if len(parsed.Servers) != 1 || parsed.Servers[0].URL != Prefix {
		return nil, errors.New("the server of the contract is not " + Prefix)
	}
	paths := chi.NewRouter()
	for path, item := range parsed.Paths.Map() {
		for method := range item.Operations() {
			paths.Method(method, path, http.NotFoundHandler())
		}
	}
	return &router{document: parsed, paths: paths}, nil
}

// Serve answers with the contract.
func Serve(writer http.ResponseWriter, _ *http.Request) {
	writer.Header().Set("Content-Type", "application/json; charset=utf-8")
	// A client that is gone cannot be told.
	_, _ = writer.Write(document)
}
