package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/transport"
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

// writeOnce drops what gqlgen writes after the response was written already.
type writeOnce struct {
	http.ResponseWriter
	written bool
}

// Write passes the body on, unless there is one.
func (w *writeOnce) Write(body []byte) (int, error) {
	if w.written {
		return len(body), nil
	}
	return w.ResponseWriter.Write(body)
}

// direct executes an operation and writes its response as it is.
type direct struct {
	graphql.GraphExecutor
	writer *writeOnce
}

// DispatchOperation runs an operation.
func (d direct) DispatchOperation(ctx context.Context, operation *graphql.OperationContext) (graphql.ResponseHandler, context.Context) {
	respond, ctx := d.GraphExecutor.DispatchOperation(ctx, operation)
	return func(ctx context.Context) *graphql.Response {
		response := respond(ctx)
		body, err := encodeResponse(response)
		if err != nil {
			// gqlgen encodes it in its own way, or fails loudly.
			return response
		}
		// A client that is gone cannot be told.
		_, _ = d.writer.Write(body)
		d.writer.written = true
		return &graphql.Response{}
	}, ctx
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
	body = append(body, `"data":`...)
	if len(response.Data) == 0 {
		body = append(body, "null"...)
	} else {
		body = append(body, response.Data...)
	}
	if len(response.Extensions) > 0 {
		extensions, err := json.Marshal(response.Extensions)
		if err != nil {
			return nil, err
		}
		body = append(append(body, `,"extensions":`...), extensions...)
	}
	return append(body, '}'), nil
}
