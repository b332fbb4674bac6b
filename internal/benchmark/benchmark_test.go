package benchmark

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
)

// operation is measured three times: by hand, by REST, by GraphQL.
type operation struct {
	name   string
	byHand func(fixture *fixture, same statements) http.Handler
	path   func(fixture *fixture) string
	query  string
	input  func(fixture *fixture) map[string]any
	body   func(fixture *fixture) map[string]any // of a POST by REST
	noREST bool
	writes bool
	// prepare makes what one call uses up; it is not measured.
	prepare func(fixture *fixture, b *testing.B)
	contain string // what every answer holds
	// differs are the fields of an answer that are new each time.
	differs []string
}

var operations = []operation{
	{
		name: "space", byHand: oneSpaceByHand,
		path:    func(f *fixture) string { return "/v1/spaces/" + f.spaces[0] },
		query:   `query($id: ID!) { space(id: $id) { ` + spaceFields + ` } }`,
		input:   func(f *fixture) map[string]any { return map[string]any{"id": f.spaces[0]} },
		contain: "Space 0",
	},
	{
		name: "spaces-50", byHand: fiftySpacesByHand,
		path:    func(f *fixture) string { return "/v1/orgs/" + f.server.OrganizationID + "/spaces?limit=50" },
		query:   `query($id: ID!) { organization(id: $id) { spaces(first: 50) { totalCount pageInfo { hasNextPage endCursor } nodes { ` + spaceFields + ` } } } }`,
		input:   func(f *fixture) map[string]any { return map[string]any{"id": f.server.OrganizationID} },
		contain: "Space 49",
	},
	{
		name: "spaces-20-change-requests-10", byHand: changeRequestsByHand, noREST: true,
		query: `query($id: ID!) { organization(id: $id) { title spaces(first: 20) { nodes { id title changeRequests(first: 10) {
			nodes { id number subject status createdAt openComments createdBy { id displayName } } } } } } }`,
		input:   func(f *fixture) map[string]any { return map[string]any{"id": f.server.OrganizationID} },
		contain: "Change 199",
	},
	{
		name: "tree-500", byHand: treeByHand,
		path:    func(f *fixture) string { return "/v1/spaces/" + f.spaces[0] + "/content/pages" },
		query:   `query($id: ID!) { space(id: $id) { revision { pages { ` + pageFields + ` pages { ` + pageFields + ` } } } } }`,
		input:   func(f *fixture) map[string]any { return map[string]any{"id": f.spaces[0]} },
		contain: "Page 499",
	},
	{
		name: "comments-100", byHand: commentsByHand,
		path: func(f *fixture) string { return "/v1/spaces/" + f.spaces[1] + "/comments?limit=100&format=markdown" },
		query: `query($id: ID!) { space(id: $id) { comments(first: 100) { totalCount nodes { id status postedAt postedBy { id displayName } replyCount
			body { markdown } reactions { emoji count users { user { id displayName } reactedAt } } permissions { view edit reply delete } } } } }`,
		input:   func(f *fixture) map[string]any { return map[string]any{"id": f.spaces[1]} },
		contain: "Comment 99",
	},
	{
		name: "search-organization", byHand: searchByHand,
		path:    func(f *fixture) string { return "/v1/orgs/" + f.server.OrganizationID + "/search?query=page+49" },
		query:   `query($id: ID!) { organization(id: $id) { search(query: "page 49") { totalCount nodes { id title pages { id title path sections { id title path body } } } } } }`,
		input:   func(f *fixture) map[string]any { return map[string]any{"id": f.server.OrganizationID} },
		contain: "Page 498",
	},
	{
		name: "create-comment", byHand: createCommentByHand, writes: true,
		path:    func(f *fixture) string { return "/v1/spaces/" + f.spaces[2] + "/comments" },
		body:    func(*fixture) map[string]any { return map[string]any{"body": map[string]any{"markdown": "Well said."}} },
		query:   `mutation($space: ID!) { postComment(input: { space: $space, body: { markdown: "Well said." } }) { comment { id postedAt body { markdown } } } }`,
		input:   func(f *fixture) map[string]any { return map[string]any{"space": f.spaces[2]} },
		contain: "Well said.", differs: []string{"id", "postedAt", "urls"},
	},
	{
		name: "merge", byHand: mergeByHand, writes: true, prepare: (*fixture).proposal,
		path: func(f *fixture) string {
			return "/v1/spaces/" + f.spaces[30] + "/change-requests/" + f.proposed + "/merge"
		},
		body:    func(*fixture) map[string]any { return map[string]any{} },
		query:   `mutation($id: ID!) { mergeChangeRequest(input: { changeRequest: $id }) { result revision { id } } }`,
		input:   func(f *fixture) map[string]any { return map[string]any{"id": f.proposed} },
		contain: "revision", differs: []string{"revision"},
	},
}

const (
	spaceFields = `id title emoji visibility createdAt updatedAt editMode language defaultLevel
		openComments changeRequestCount openChangeRequestCount draftChangeRequestCount mergeRules { type }
		urls { location app } permissions { view access admin viewInviteLinks edit triggerGitSync comment merge review installIntegration }`
	pageFields = `id title type slug path createdAt updatedAt`
)

func BenchmarkOperations(b *testing.B) {
	for _, database := range []string{"sqlite", "postgres"} {
		server, there := apptest.NewOn(b, database)
		if !there {
			continue
		}
		fixture := newFixture(b, server, database)
		for _, operation := range operations {
			b.Run(database+"/"+operation.name, func(b *testing.B) { operation.run(b, fixture) })
		}
	}
}

func (o operation) run(b *testing.B, fixture *fixture) {
	application := fixture.server.App.Handler()
	byREST := func() *http.Request {
		if o.body != nil {
			return fixture.request(http.MethodPost, o.path(fixture), encode(o.body(fixture)))
		}
		return fixture.request(http.MethodGet, o.path(fixture), nil)
	}
	byGraphQL := func() *http.Request {
		return fixture.request(http.MethodPost, "/graphql", encode(map[string]any{"query": o.query, "variables": o.input(fixture)}))
	}
	original := byREST
	if o.noREST {
		original = byGraphQL
	}
	b.Run("by-hand", func(b *testing.B) {
		if o.prepare != nil {
			o.prepare(fixture, b)
		}
		// What SQLite keeps in memory between requests is there already.
		application.ServeHTTP(httptest.NewRecorder(), original())
		if o.prepare != nil {
			o.prepare(fixture, b)
		}
		handler := o.byHand(fixture, fixture.same(b, original()))
		o.compare(b, fixture, handler, application, original)
		o.measure(b, fixture, handler, func() *http.Request { return fixture.request(http.MethodGet, "/", nil) })
	})
	if !o.noREST {
		b.Run("rest", func(b *testing.B) { o.measure(b, fixture, application, byREST) })
	}
	b.Run("graphql", func(b *testing.B) { o.measure(b, fixture, application, byGraphQL) })
}

// compare checks that the handler by hand answers what the application does:
// every field, and of a write all but what is new each time.
func (o operation) compare(b *testing.B, fixture *fixture, byHand, application http.Handler, original func() *http.Request) {
	b.Helper()
	answers := make([]any, 2)
	for index, handler := range []http.Handler{byHand, application} {
		if o.prepare != nil {
			o.prepare(fixture, b)
		}
		request := original()
		if index == 0 {
			request = fixture.request(http.MethodGet, "/", nil)
		}
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, request)
		require.Less(b, response.Code, http.StatusBadRequest, response.Body.String())
		require.NoError(b, json.Unmarshal(response.Body.Bytes(), &answers[index]))
		if top, isObject := answers[index].(map[string]any); isObject {
			delete(top, "extensions") // the cost of an operation
			for _, each := range o.differs {
				require.Contains(b, top, each)
				delete(top, each)
			}
		}
	}
	require.Equal(b, answers[1], answers[0])
}

func encode(value any) []byte {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return encoded
}

// batch is how many requests are made ready before their time is taken: taking
// it for each alone would add to a short one what taking it costs.
const batch = 50

// measure calls a handler and reports the processor time of a call: that of
// the whole process while it serves, without what makes requests ready.
func (o operation) measure(b *testing.B, fixture *fixture, handler http.Handler, request func() *http.Request) {
	b.Helper()
	size := batch
	prepare := func() {}
	if o.prepare != nil {
		size, prepare = 1, func() { o.prepare(fixture, b) }
	}
	prepare()
	check(b, handler, request(), o.contain)
	var used time.Duration
	for done := 0; done < b.N; done += size {
		prepare()
		ready := make([]*http.Request, min(size, b.N-done))
		for index := range ready {
			ready[index] = request()
		}
		begin := processorTime(b)
		for _, asked := range ready {
			response := httptest.NewRecorder()
			handler.ServeHTTP(response, asked)
			if response.Code >= http.StatusBadRequest {
				b.Fatal(response.Body.String())
			}
		}
		used += processorTime(b) - begin
	}
	b.ReportMetric(float64(used)/float64(b.N), "cpu-ns/op")
}

func check(b *testing.B, handler http.Handler, request *http.Request, contain string) {
	b.Helper()
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	require.Less(b, response.Code, http.StatusBadRequest, response.Body.String())
	require.True(b, strings.Contains(response.Body.String(), contain), "%.300s", response.Body)
	require.False(b, strings.Contains(response.Body.String(), `"errors"`), "%.300s", response.Body)
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func (f *fixture) request(method, path string, body []byte) *http.Request {
	request := httptest.NewRequest(method, path, bytes.NewReader(body))
	request.Host = f.host
	request.Header.Set("Authorization", "Bearer "+f.token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return request
}

// placeholders turns ? into $1, $2, … where the database wants it.
func (f *fixture) placeholders(query string) string {
	if f.database == "sqlite" {
		return query
	}
	for number := 1; strings.Contains(query, "?"); number++ {
		query = strings.Replace(query, "?", fmt.Sprintf("$%d", number), 1)
	}
	return query
}
