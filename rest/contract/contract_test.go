package contract_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/rest/contract"
	"octavo/rest/wire"
)

func TestServe(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder()
	contract.Serve(recorder, httptest.NewRequest(http.MethodGet, "/v1/openapi.json", nil))
	assert.Equal(t, http.StatusOK, recorder.Code)
	assert.Equal(t, string(contract.JSON()), recorder.Body.String())
	var served struct{ OpenAPI string }
	require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &served))
	assert.Equal(t, "3.0.3", served.OpenAPI)
}

func TestJSONIsACopy(t *testing.T) {
	t.Parallel()
	contract.JSON()[0] = '!'
	assert.Equal(t, byte('{'), contract.JSON()[0])
}

func TestOperations(t *testing.T) {
	t.Parallel()
	byID := map[string]contract.Operation{}
	for _, operation := range contract.Operations() {
		byID[operation.ID] = operation
	}
	for _, expected := range []contract.Operation{
		{ID: "getApiInformation", Method: "GET", Path: "/", GraphQL: "Query.version", Success: []int{200}},
		{ID: "createSpace", Method: "POST", Path: "/orgs/{organizationId}/spaces", GraphQL: "Mutation.createSpace", Success: []int{201}},
		{ID: "updateSpaceById", Method: "PATCH", Path: "/spaces/{spaceId}", GraphQL: "Mutation.updateSpace", Success: []int{200}},
		{ID: "deleteSpaceById", Method: "DELETE", Path: "/spaces/{spaceId}", GraphQL: "Mutation.deleteSpace", Success: []int{204, 205}},
		{ID: "updateCommentInSpace", Method: "PUT", Path: "/spaces/{spaceId}/comments/{commentId}", GraphQL: "Mutation.updateComment", Success: []int{200}},
		{ID: "updateSpaceContent", Method: "POST", Path: "/spaces/{spaceId}/content", GraphQL: "Mutation.updateSpaceContent", Success: []int{200}, Own: true},
	} {
		assert.Equal(t, expected, byID[expected.ID])
	}
}

// places tell operations apart that are the same to GraphQL: comments on spaces
// and change requests, grants to people and teams in spaces and collections.
var places = regexp.MustCompile(`((User|Team)?(Permission)?)?(In|To|From)(ChangeRequest|Space|Collection)$`)

// readByPost are the operations that read and have a body: what they ask for is
// more than a query says, or is not to stand in logs.
var readByPost = map[string]bool{"resolvePublishedContentByUrl": true, "searchSiteContent": true}

func TestOperationsFollowTheConventions(t *testing.T) {
	t.Parallel()
	field := regexp.MustCompile(`^(Query(\.[a-z][A-Za-z]+)+|Mutation\.[a-z][A-Za-z]+)$`)
	operations := contract.Operations()
	require.NotEmpty(t, operations)
	ids, mutations := map[string]bool{}, map[string]string{}
	for i, operation := range operations {
		assert.False(t, ids[operation.ID], "%s stands twice", operation.ID)
		ids[operation.ID] = true
		assert.Regexp(t, field, operation.GraphQL, operation.ID)
		isQuery := strings.HasPrefix(operation.GraphQL, "Query.")
		reads := operation.Method == http.MethodGet || readByPost[operation.ID]
		assert.Equal(t, reads, isQuery, "%s %s calls %s", operation.Method, operation.ID, operation.GraphQL)
		assert.NotEmpty(t, operation.Success, operation.ID)
		if operation.Method == http.MethodDelete {
			assert.Equal(t, []int{204, 205}, operation.Success, operation.ID)
		}
		if !isQuery {
			subject := places.ReplaceAllString(operation.ID, "")
			assert.Contains(t, []string{"", subject}, mutations[operation.GraphQL], "%s and %s share a mutation", operation.ID, mutations[operation.GraphQL])
			mutations[operation.GraphQL] = subject
		}
		if i > 0 {
			before := operations[i-1]
			assert.Less(t, before.Path+" "+before.Method, operation.Path+" "+operation.Method)
		}
	}
}

func TestEveryOperationIsFound(t *testing.T) {
	t.Parallel()
	parameter := regexp.MustCompile(`\{\w+\}`)
	for _, operation := range contract.Operations() {
		path := contract.Prefix + parameter.ReplaceAllString(operation.Path, "a%2Fb")
		request := httptest.NewRequest(operation.Method, path, nil)
		err := contract.ValidateResponse(request, &http.Response{StatusCode: 418}, nil)
		assert.ErrorContains(t, err, operation.Path+": status 418 is not in the contract", operation.ID)
	}
}

func TestValidateRequest(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, method, path, body, problem string }{
		{name: "no parameters", method: "GET", path: "/v1/spaces/spc_1"},
		{name: "the root", method: "GET", path: "/v1/"},
		{name: "the root without a slash", method: "GET", path: "/v1"},
		{name: "limit at its maximum", method: "GET", path: "/v1/orgs?limit=1000"},
		{name: "limit above its maximum", method: "GET", path: "/v1/orgs?limit=1001", problem: "limit"},
		{name: "negative limit", method: "GET", path: "/v1/orgs?limit=-1", problem: "limit"},
		{name: "unknown order", method: "GET", path: "/v1/spaces/spc_1/comments?order=up", problem: "order"},
		{name: "repeated parameter", method: "GET", path: "/v1/spaces/spc_1/comments?authors=usr_1&authors=usr_2"},
		{name: "search without words", method: "GET", path: "/v1/spaces/spc_1/search", problem: "query"},
		{name: "search for too much", method: "GET", path: "/v1/spaces/spc_1/search?query=" + strings.Repeat("x", 513), problem: "query"},
		{name: "evaluated", method: "GET", path: "/v1/spaces/spc_1/content/page/pag_1?evaluated=deterministic-only&metadata=false"},
		{name: "encoded slash in a page path", method: "GET", path: "/v1/spaces/spc_1/content/path/guides%2Flimits"},
		{name: "unknown path", method: "GET", path: "/v1/nothing", problem: "no matching operation"},
		{name: "outside of the API", method: "GET", path: "/spaces/spc_1", problem: "no matching operation"},
		{name: "unknown method", method: "PUT", path: "/v1/spaces/spc_1", problem: "no matching operation"},

		{name: "space", method: "POST", path: "/v1/orgs/org_1/spaces", body: `{"title":"Handbook","empty":true}`},
		{name: "space without a body", method: "POST", path: "/v1/orgs/org_1/spaces"},
		{name: "space with a long title", method: "POST", path: "/v1/orgs/org_1/spaces", body: `{"title":"` + strings.Repeat("x", 51) + `"}`, problem: "title"},
		{name: "null removes", method: "PATCH", path: "/v1/spaces/spc_1", body: `{"emoji":null,"language":null,"defaultLevel":null}`},
		{name: "a title cannot be removed", method: "PATCH", path: "/v1/spaces/spc_1", body: `{"title":null}`, problem: "title"},
		{name: "level", method: "PATCH", path: "/v1/spaces/spc_1", body: `{"defaultLevel":"inherit"}`},
		{name: "unknown level", method: "PATCH", path: "/v1/spaces/spc_1", body: `{"defaultLevel":"owner"}`, problem: "defaultLevel"},
		{name: "rules", method: "PATCH", path: "/v1/spaces/spc_1", body: `{"mergeRules":{"type":"rules","rules":[{"rule":"require_specific_reviewers","users":["usr_1"]}]}}`},
		{name: "rule without its users", method: "PATCH", path: "/v1/spaces/spc_1", body: `{"mergeRules":{"type":"rules","rules":[{"rule":"require_specific_reviewers"}]}}`, problem: "mergeRules"},
		{name: "merging by update", method: "PATCH", path: "/v1/spaces/spc_1/change-requests/1", body: `{"status":"merged"}`, problem: "status"},
		{name: "body where none belongs", method: "POST", path: "/v1/spaces/spc_1/restore", body: `{}`, problem: "not allowed"},
		{name: "missing body", method: "POST", path: "/v1/spaces/spc_1/comments", problem: "required"},
		{name: "broken body", method: "POST", path: "/v1/spaces/spc_1/comments", body: `{`, problem: "decode"},
		{name: "comment", method: "POST", path: "/v1/spaces/spc_1/comments", body: `{"body":{"markdown":"Yes."},"page":"pag_1"}`},
		{name: "comment twice said", method: "POST", path: "/v1/spaces/spc_1/comments", body: `{"body":{"markdown":"Yes.","document":{"object":"document","data":{},"nodes":[]}}}`, problem: "body"},
		{name: "edit", method: "POST", path: "/v1/spaces/spc_1/change-requests/1/content", body: `{"changes":[{"operation":"update_page","page":"pag_1","into":null,"at":0},{"operation":"insert_files","files":[{"name":"a.png","url":"https://example.com/a.png"}]}]}`},
		{name: "edit without changes", method: "POST", path: "/v1/spaces/spc_1/content", body: `{"changes":[]}`, problem: "changes"},
		{name: "too many changes", method: "POST", path: "/v1/spaces/spc_1/content", body: `{"changes":[` + strings.Repeat(`{"operation":"delete_page","page":"pag_1"},`, 50) + `{"operation":"delete_page","page":"pag_1"}]}`, problem: "changes"},
		{name: "edit without its page", method: "POST", path: "/v1/spaces/spc_1/content", body: `{"changes":[{"operation":"delete_page"}]}`, problem: "changes"},
		{name: "file with two sources", method: "POST", path: "/v1/spaces/spc_1/content", body: `{"changes":[{"operation":"insert_files","files":[{"name":"a.png","url":"https://example.com/a.png","base64":"aGk=","contentType":"image/png"}]}]}`, problem: "changes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			request := httptest.NewRequest(test.method, test.path, strings.NewReader(test.body))
			if test.body != "" {
				request.Header.Set("Content-Type", "application/json")
			}
			err := contract.ValidateRequest(request)
			if test.problem == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.problem)
		})
	}
}

func TestValidateResponse(t *testing.T) {
	t.Parallel()
	created := http.Header{"Location": {"http://127.0.0.1:8080/v1/spaces/spc_1"}}
	versioned := http.Header{"Etag": {`"rev_1"`}}
	space := "/v1/spaces/spc_1"
	pages := space + "/content/pages"
	missing := wire.Error{Error: wire.ErrorDetail{Code: 404, Message: "space not found"}}
	relative := aSpace()
	relative.URLs.App = "/relative"
	tests := []struct {
		name, method, path string
		status             int
		header             http.Header
		body               any
		problem            string
	}{
		{name: "space", method: "GET", path: space, status: 200, body: aSpace()},
		{name: "relative link", method: "GET", path: space, status: 200, body: relative, problem: "app"},
		{name: "no body", method: "GET", path: space, status: 200, problem: "Content-Type"},
		{name: "null", method: "GET", path: space, status: 200, body: json.RawMessage("null"), problem: "null"},
		{name: "another resource", method: "GET", path: space, status: 200, body: aUser(), problem: "object"},
		{name: "error", method: "GET", path: space, status: 404, body: missing},
		{name: "error without its body", method: "GET", path: space, status: 404, problem: "Content-Type"},
		{name: "unexpected status", method: "GET", path: space, status: 202, body: aSpace(), problem: "202 is not in the contract"},
		{name: "created", method: "POST", path: "/v1/orgs/org_1/spaces", status: 201, header: created, body: aSpace()},
		{name: "created without a location", method: "POST", path: "/v1/orgs/org_1/spaces", status: 201, body: aSpace(), problem: "Location"},
		{name: "deleted", method: "DELETE", path: space, status: 205},
		{name: "nothing to delete", method: "DELETE", path: space, status: 204},
		{name: "deleted with a body", method: "DELETE", path: space, status: 205, body: aSpace(), problem: "comes with a body"},
		{name: "a deletion never misses", method: "DELETE", path: space, status: 404, body: missing, problem: "404 is not in the contract"},
		{name: "last page of a list", method: "GET", path: "/v1/orgs/org_1/spaces", status: 200, body: wire.SpaceList{Items: []wire.Space{aSpace()}, Count: 1}},
		{name: "page of a list", method: "GET", path: "/v1/orgs/org_1/spaces", status: 200, body: wire.SpaceList{Items: []wire.Space{}, Count: 1, Next: &wire.NextPage{Page: "x"}}},
		{name: "list of null", method: "GET", path: "/v1/orgs/org_1/spaces", status: 200, body: wire.SpaceList{}, problem: "items"},
		{name: "pages", method: "GET", path: pages, status: 200, header: versioned, body: wire.PageTree{Pages: []wire.Page{aPage(wire.PageTypeGroup, wire.PageKindGroup, aPage(wire.PageTypeDocument, wire.PageKindSheet))}}},
		{name: "pages without a version", method: "GET", path: pages, status: 200, body: wire.PageTree{Pages: []wire.Page{}}, problem: "ETag"},
		{name: "pages with an unquoted version", method: "GET", path: pages, status: 200, header: http.Header{"Etag": {"rev_1"}}, body: wire.PageTree{Pages: []wire.Page{}}, problem: "ETag"},
		{name: "pages unchanged", method: "GET", path: pages, status: 304, header: versioned},
		{name: "page of two kinds", method: "GET", path: pages, status: 200, header: versioned, body: wire.PageTree{Pages: []wire.Page{aPage(wire.PageTypeDocument, wire.PageKindGroup)}}, problem: "pages"},
		{name: "group below a page", method: "GET", path: pages, status: 200, header: versioned, body: wire.PageTree{Pages: []wire.Page{aPage(wire.PageTypeDocument, wire.PageKindSheet, aPage(wire.PageTypeGroup, wire.PageKindGroup))}}, problem: "pages"},
		{name: "page at a path", method: "GET", path: space + "/content/path/a%2Fb", status: 200, header: versioned, body: aPage(wire.PageTypeDocument, wire.PageKindSheet)},
		{name: "open comment", method: "GET", path: space + "/comments/cmt_1", status: 200, body: aComment(wire.CommentStatusOpen)},
		{name: "resolved comment", method: "GET", path: space + "/comments/cmt_1", status: 200, body: resolved()},
		{name: "resolved by nobody", method: "GET", path: space + "/comments/cmt_1", status: 200, body: aComment(wire.CommentStatusResolved), problem: "match"},
		{name: "merged", method: "POST", path: space + "/change-requests/1/merge", status: 200, body: wire.MergeResult{Revision: "rev_1", Result: wire.MergeResultResultMerge}},
		{name: "unknown path", method: "GET", path: "/v1/nothing", status: 200, problem: "no matching operation"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			request := httptest.NewRequest(test.method, test.path, nil)
			response := &http.Response{StatusCode: test.status, Header: test.header.Clone()}
			var body []byte
			if test.body != nil {
				if response.Header == nil {
					response.Header = http.Header{}
				}
				response.Header.Set("Content-Type", "application/json; charset=utf-8")
				var err error
				body, err = json.Marshal(test.body)
				require.NoError(t, err)
			}
			err := contract.ValidateResponse(request, response, body)
			if test.problem == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.problem)
		})
	}
}

var moment = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func aUser() wire.User {
	return wire.User{Object: "user", ID: "usr_1", DisplayName: "Ada", URLs: wire.LocationURLs{Location: "http://127.0.0.1:8080/v1/users/usr_1"}}
}

func aSpace() wire.Space {
	return wire.Space{
		Object: "space", ID: "spc_1", Title: "Handbook", Organization: "org_1", Revision: "rev_1",
		Visibility: wire.VisibilityPrivate, CreatedAt: moment, UpdatedAt: moment,
		MergeRules: wire.MergeRules{Type: wire.MergeRulesTypeInherit},
		URLs:       wire.SpaceURLs{Location: "http://127.0.0.1:8080/v1/spaces/spc_1", App: "http://127.0.0.1:8080/spaces/spc_1"},
	}
}

func aPage(pageType wire.PageType, kind wire.PageKind, children ...wire.Page) wire.Page {
	slug := "a"
	return wire.Page{
		ID: "pag_1", Title: "A", Type: pageType, Kind: &kind, Slug: &slug, Path: &slug,
		Pages: append([]wire.Page{}, children...),
		URLs:  &wire.AppURLs{App: "http://127.0.0.1:8080/spaces/spc_1/a"},
		Layout: &wire.PageLayout{
			Width: wire.PageLayoutWidthDefault, CoverSize: wire.PageLayoutCoverSizeHero,
		},
	}
}

func aComment(status wire.CommentStatus) wire.Comment {
	said := "Yes."
	return wire.Comment{
		Object: "comment", ID: "cmt_1", PostedBy: aUser(), PostedAt: moment, Status: status,
		Reactions: []wire.Reaction{}, Repliers: []wire.Replier{}, Body: wire.Text{Markdown: &said},
		Target: wire.CommentTarget{Space: "spc_1", Revision: "rev_1"},
		URLs:   wire.LocationURLs{Location: "http://127.0.0.1:8080/v1/spaces/spc_1/comments/cmt_1"},
	}
}

func resolved() wire.Comment {
	comment, user := aComment(wire.CommentStatusResolved), aUser()
	comment.ResolvedAt, comment.ResolvedBy = &moment, &user
	return comment
}
