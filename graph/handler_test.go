package graph_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/graph"
	"octavo/internal/app"
	"octavo/internal/apptest"
)

func TestOperationsBeyondTheLimitsAreRefused(t *testing.T) {
	t.Parallel()
	configure := func(config *app.Config) {
		config.Limits.GraphQL = graph.Limits{Cost: 500, Depth: 8, Fields: 40, Tokens: 400}
		config.Limits.BodyBytes = 20_000
	}
	apptest.EachConfigured(t, configure, func(t *testing.T, server *apptest.Server) {
		admin := server.As(apptest.Admin)
		deep := "{ organizations(first: 1) { nodes { spaces(first: 1) { nodes { organization { spaces(first: 1) { nodes { organization { title } } } } } } } } }"
		for _, test := range []struct {
			name, document string
			variables      map[string]any
			message        string
		}{
			{"Cost", "{ organizations(first: 10) { nodes { spaces(first: 100) { nodes { title urls { app } } } } } }", nil, "cost"},
			{"CostOfVariable", "query($n: Int) { organizations(first: $n) { nodes { spaces { nodes { title } } } } }", map[string]any{"n": 1000}, "cost"},
			{"CostOfDefaults", "{ organizations { nodes { spaces { nodes { title } } } } }", nil, "cost"},
			{"Depth", deep, nil, "depth"},
			{"Aliases", "{ " + repeat("a%d: viewer { id }", 30) + " }", nil, "number of fields"},
			{"FragmentsOfFragments", bomb(20), nil, "exceeds the limit"},
			{"Tokens", "{ " + repeat("a%d: __typename", 300) + " }", nil, "token"},
		} {
			t.Run(test.name, func(t *testing.T) {
				result := admin.GraphQL(t, test.document, test.variables)
				require.NotEmpty(t, result.Errors)
				assert.Contains(t, result.Errors[0].Message, test.message)
				assert.Empty(t, result.Data)
			})
		}
		t.Run("Body", func(t *testing.T) {
			result := admin.GraphQL(t, "{ viewer { id } } #"+strings.Repeat("x", 30_000), nil)
			require.NotEmpty(t, result.Errors)
		})
		result := admin.GraphQL(t, "{ organizations(first: 2) { nodes { title } } }", nil)
		require.Empty(t, result.Errors)
		assert.Equal(t, map[string]any{"requested": 3.0, "limit": 500.0}, result.Extensions["cost"])
	})
}

func repeat(format string, times int) string {
	var text strings.Builder
	for index := range times {
		fmt.Fprintf(&text, format+" ", index)
	}
	return text.String()
}

// bomb is a document whose fragments double at every level.
func bomb(levels int) string {
	var document strings.Builder
	document.WriteString("{ organizations(first: 1) { nodes { ...f0 } } }")
	for level := range levels {
		fmt.Fprintf(&document, " fragment f%d on Organization { ...f%d ...f%d }", level, level+1, level+1)
	}
	fmt.Fprintf(&document, " fragment f%d on Organization { urls { app } }", levels)
	return document.String()
}

func TestErrorsCarryCodesAndNoDetail(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		for _, test := range []struct {
			name, document string
			caller         apptest.Caller
			code           string
		}{
			{"Anonymous", "{ viewer { id } }", apptest.Anonymous, "UNAUTHENTICATED"},
			{"Missing", `{ space(id: "spc_none") { id } }`, apptest.Admin, "NOT_FOUND"},
			{"ReadToken", fmt.Sprintf(`mutation { createSpace(input: {organization: %q}) { space { id } } }`, server.OrganizationID), apptest.ReadToken, "FORBIDDEN"},
			{"Cursor", `{ organizations(after: "nonsense") { nodes { id } } }`, apptest.Admin, "BAD_USER_INPUT"},
			{"Size", `{ organizations(first: 1001) { nodes { id } } }`, apptest.Admin, "BAD_USER_INPUT"},
		} {
			t.Run(test.name, func(t *testing.T) {
				assert.Equal(t, test.code, server.As(test.caller).GraphQL(t, test.document, nil).Code())
			})
		}
	})
}

func TestMutationsNeedARequestThatBrowsersAskFor(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	mutation := `mutation{createOrganization(input:{title:"x y"}){organization{id}}}`
	for _, test := range []struct{ name, method, path, contentType, body string }{
		{"Get", http.MethodGet, "/graphql?query=" + mutation, "", ""},
		{"TextPlain", http.MethodPost, "/graphql", "text/plain", `{"query":"` + strings.ReplaceAll(mutation, `"`, `\"`) + `"}`},
		{"Form", http.MethodPost, "/graphql", "application/x-www-form-urlencoded", "query=" + mutation},
		{"Multipart", http.MethodPost, "/graphql", "multipart/form-data; boundary=x", "--x--"},
	} {
		t.Run(test.name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), test.method, server.URL+test.path, bytes.NewBufferString(test.body))
			require.NoError(t, err)
			request.Header.Set("Authorization", "Bearer "+server.As(apptest.Admin).Token)
			if test.contentType != "" {
				request.Header.Set("Content-Type", test.contentType)
			}
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			assert.NotEqual(t, http.StatusOK, response.StatusCode)
			assert.NotContains(t, string(body), `"organization":{`)
		})
	}
}

func TestResponsesAreWrittenAsTheyAre(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	post := func(accept, body string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/graphql", strings.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", accept)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(text)
	}
	status, body := post("application/json", `{"query":"{version{version}}"}`)
	assert.Equal(t, http.StatusOK, status)
	assert.JSONEq(t, `{"data":{"version":{"version":"test"}},"extensions":{"cost":{"requested":1,"limit":100000}}}`, body)
	status, body = post("application/json", `{"query":"{"}`)
	assert.Equal(t, http.StatusOK, status)
	assert.NotContains(t, body, `"data"`)
	status, body = post("application/graphql-response+json", `{"query":"{nonsense}"}`)
	assert.Equal(t, http.StatusBadRequest, status)
	assert.NotContains(t, body, `"data"`)
	status, body = post("application/json", `{"query":"{viewer{id}}"}`)
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, `"data":null`)
}
