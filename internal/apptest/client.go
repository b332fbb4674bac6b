package apptest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"octavo/rest/contract"
)

// Client calls the server as one caller.
type Client struct {
	// Token is empty for nobody.
	Token string
	// UserID of the caller.
	UserID string
	server *Server
}

// Response is an answer of the REST API.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// REST calls an operation of the REST API, such as GET /spaces/…, with an
// optional JSON body, and checks the answer against the contract.
func (c *Client) REST(t testing.TB, method, path string, body any, header ...string) Response {
	t.Helper()
	var payload io.Reader = http.NoBody
	if body != nil {
		encoded, err := json.Marshal(body)
		require.NoError(t, err)
		payload = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, c.server.URL+contract.Prefix+path, payload)
	require.NoError(t, err)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for index := 0; index+1 < len(header); index += 2 {
		request.Header.Set(header[index], header[index+1])
	}
	return c.do(t, request)
}

func (c *Client) do(t testing.TB, request *http.Request) Response {
	t.Helper()
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	if strings.HasPrefix(request.URL.Path, contract.Prefix) {
		require.NoError(t, contract.ValidateResponse(request, response, body), "%s %s\n%s", request.Method, request.URL.Path, body)
	}
	return Response{Status: response.StatusCode, Header: response.Header, Body: body}
}

// JSON decodes the body of an answer with the expected status.
func (r Response) JSON(t testing.TB, status int, target any) {
	t.Helper()
	require.Equal(t, status, r.Status, "%s", r.Body)
	if target != nil {
		require.NoError(t, json.Unmarshal(r.Body, target))
	}
}

// Object decodes the body of an answer with the expected status as an object.
func (r Response) Object(t testing.TB, status int) map[string]any {
	t.Helper()
	var object map[string]any
	r.JSON(t, status, &object)
	return object
}

// Result is an answer of the GraphQL API.
type Result struct {
	Data       map[string]any
	Errors     []Error
	Extensions map[string]any
}

// Error is an error of the GraphQL API.
type Error struct {
	Message    string
	Path       []any
	Extensions map[string]any
}

// Code of the first error, or empty.
func (r Result) Code() string {
	if len(r.Errors) == 0 {
		return ""
	}
	code, _ := r.Errors[0].Extensions["code"].(string)
	return code
}

// GraphQL executes a document.
func (c *Client) GraphQL(t testing.TB, document string, variables map[string]any) Result {
	t.Helper()
	encoded, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.server.URL+"/graphql", bytes.NewReader(encoded))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	response := c.do(t, request)
	var result Result
	require.NoError(t, json.Unmarshal(response.Body, &result), "%s", response.Body)
	return result
}

// Query executes a document that must succeed, and returns its data.
func (c *Client) Query(t testing.TB, document string, variables map[string]any) map[string]any {
	t.Helper()
	result := c.GraphQL(t, document, variables)
	require.Empty(t, result.Errors)
	return result.Data
}
