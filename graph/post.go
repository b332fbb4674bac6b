package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// post is gqlgen's POST transport, but for writing: the data of a response is
// finished JSON, and gqlgen would have encoding/json check and copy it once
// more, which is a tenth of the work for a list.
type post struct{ transport.POST }

// Do serves a request.
func (p post) Do(writer http.ResponseWriter, request *http.Request, executor graphql.GraphExecutor) {
	once := &writeOnce{ResponseWriter: writer}
	p.POST.Do(once, request, direct{GraphExecutor: executor, writer: once})
}

// writeOnce holds the status back until there is a body, and drops what gqlgen
// writes after the response was written already.
type writeOnce struct {
	http.ResponseWriter
	status    int
	malformed bool
	written   bool
}

// WriteHeader keeps the status. Clients that accept application/json alone get
// 200 for an operation that is refused, as the specification of GraphQL over
// HTTP advises; gqlgen would say 422.
func (w *writeOnce) WriteHeader(status int) {
	switch {
	case w.malformed:
		status = http.StatusBadRequest
	case status == http.StatusUnprocessableEntity && w.Header().Get("Content-Type") == "application/json":
		status = http.StatusOK
	}
	w.status = status
}

// Write passes the body on, unless there is one.
func (w *writeOnce) Write(body []byte) (int, error) {
	if w.written {
		return len(body), nil
	}
	w.written = true
	if w.status != 0 {
		w.ResponseWriter.WriteHeader(w.status)
	}
	return w.ResponseWriter.Write(body)
}

// direct writes responses as they are.
type direct struct {
	graphql.GraphExecutor
	writer *writeOnce
}

// CreateOperationContext understands a request. One without a query is
// malformed, whatever the client accepts.
func (d direct) CreateOperationContext(ctx context.Context, parameters *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	d.writer.malformed = parameters.Query == "" && parameters.Extensions["persistedQuery"] == nil
	return d.GraphExecutor.CreateOperationContext(ctx, parameters)
}

// DispatchOperation runs an operation.
func (d direct) DispatchOperation(ctx context.Context, operation *graphql.OperationContext) (graphql.ResponseHandler, context.Context) {
	respond, ctx := d.GraphExecutor.DispatchOperation(ctx, operation)
	return func(ctx context.Context) *graphql.Response { return d.write(respond(ctx)) }, ctx
}

// DispatchError answers an operation that is refused before it runs.
func (d direct) DispatchError(ctx context.Context, list gqlerror.List) *graphql.Response {
	return d.write(d.GraphExecutor.DispatchError(ctx, list))
}

func (d direct) write(response *graphql.Response) *graphql.Response {
	body, err := encodeResponse(response)
	if err != nil {
		// gqlgen encodes it in its own way, or fails loudly.
		return response
	}
	// A client that is gone cannot be told.
	_, _ = d.writer.Write(body)
	return &graphql.Response{}
}

// encodeResponse writes errors first, as the specification of GraphQL advises.
func encodeResponse(response *graphql.Response) ([]byte, error) {
	if response == nil || response.Label != "" || response.HasNext != nil || response.Path != nil {
		return nil, fmt.Errorf("not the response of a single result")
	}
	body := make([]byte, 0, len(response.Data)+256)
	body = append(body, '{')
	if len(response.Errors) > 0 {
		errors, err := json.Marshal(response.Errors)
		if err != nil {
			return nil, err
		}
		body = append(append(append(body, `"errors":`...), errors...), ',')
	}
	// An operation that never ran has no data, not even null.
	if len(response.Data) > 0 {
		body = append(append(append(body, `"data":`...), response.Data...), ',')
	}
	if len(response.Extensions) > 0 {
		extensions, err := json.Marshal(response.Extensions)
		if err != nil {
			return nil, err
		}
		body = append(append(append(body, `"extensions":`...), extensions...), ',')
	}
	return append(bytes.TrimSuffix(body, []byte(",")), '}'), nil
}
