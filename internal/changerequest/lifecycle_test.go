package changerequest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/changerequest"
	"octavo/internal/database"
	"octavo/internal/pagination"
)

// fixture is a server with a space.
type fixture struct {
	*apptest.Server
	space string
}

func each(t *testing.T, test func(t *testing.T, f fixture)) {
	t.Helper()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		f := fixture{Server: server}
		f.space = f.makeSpace(t, "Guide")
		test(t, f)
	})
}

func (f fixture) makeSpace(t *testing.T, title string) string {
	t.Helper()
	made := f.As(apptest.Creator).REST(t, http.MethodPost, "/orgs/"+f.OrganizationID+"/spaces", map[string]any{"title": title})
	return made.Object(t, http.StatusCreated)["id"].(string)
}

func (f fixture) path(parts ...string) string {
	return "/spaces/" + f.space + "/change-requests" + strings.Join(append([]string{""}, parts...), "/")
}

// open makes an open change request as a caller.
func (f fixture) open(t *testing.T, caller apptest.Caller, subject string) (id string) {
	t.Helper()
	id = f.draft(t, caller, subject)
	f.setStatus(t, caller, id, "open").Object(t, http.StatusOK)
	return id
}

func (f fixture) draft(t *testing.T, caller apptest.Caller, subject string) (id string) {
	t.Helper()
	made := f.As(caller).REST(t, http.MethodPost, f.path(), map[string]any{"subject": subject})
	return made.Object(t, http.StatusCreated)["id"].(string)
}

func (f fixture) setStatus(t *testing.T, caller apptest.Caller, id, status string) apptest.Response {
	t.Helper()
	return f.As(caller).REST(t, http.MethodPatch, f.path(id), map[string]any{"status": status})
}

func (f fixture) counters(t *testing.T) (all, open, drafts any) {
	t.Helper()
	space := f.As(apptest.Reader).REST(t, http.MethodGet, "/spaces/"+f.space, nil).Object(t, http.StatusOK)
	return space["changeRequests"], space["changeRequestsOpen"], space["changeRequestsDraft"]
}

// numbers are those of the change requests that a list shows.
func numbers(t *testing.T, response apptest.Response) []int {
	t.Helper()
	var list struct{ Items []struct{ Number int } }
	response.JSON(t, http.StatusOK, &list)
	found := []int{}
	for _, item := range list.Items {
		found = append(found, item.Number)
	}
	return found
}

func TestChangeRequestBranchesOffTheMainContent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		head := f.As(apptest.Reader).REST(t, http.MethodGet, "/spaces/"+f.space, nil).Object(t, http.StatusOK)["revision"]
		response := f.As(apptest.Editor).REST(t, http.MethodPost, f.path(), map[string]any{"subject": "Typos", "unknown": 1})
		made := response.Object(t, http.StatusCreated)
		id := made["id"].(string)
		assert.Equal(t, f.URL+"/v1"+f.path(id), response.Header.Get("Location"))
		assert.Equal(t, made["urls"].(map[string]any)["location"], response.Header.Get("Location"))
		assert.Subset(t, made, map[string]any{
			"object": "change-request", "number": 1.0, "status": "draft", "subject": "Typos", "comments": 0.0,
			"outdated": false, "space": f.space, "revision": head, "revisionInitial": head,
		})
		assert.Equal(t, f.As(apptest.Editor).UserID, made["createdBy"].(map[string]any)["id"])
		for _, name := range []string{id, "1"} {
			assert.Equal(t, made, f.As(apptest.Reader).REST(t, http.MethodGet, f.path(name), nil).Object(t, http.StatusOK), name)
		}
		second := f.As(apptest.Editor).REST(t, http.MethodPost, f.path(), map[string]any{}).Object(t, http.StatusCreated)
		assert.EqualValues(t, 2, second["number"])
		assert.Empty(t, second["subject"])
	})
}

func TestChangeRequestsAreMadeByThoseWhoMayEdit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		made := 0
		for caller, status := range map[apptest.Caller]int{
			apptest.Admin: 201, apptest.Creator: 201, apptest.Reviewer: 201, apptest.Editor: 201,
			apptest.Commenter: 403, apptest.Reader: 403, apptest.ReadToken: 403,
			apptest.Guest: 404, apptest.Stranger: 404, apptest.Anonymous: 401,
		} {
			response := f.As(caller).REST(t, http.MethodPost, f.path(), map[string]any{"subject": "x"})
			assert.Equal(t, status, response.Status, "%s", caller)
			if response.Status == http.StatusCreated {
				made++
			}
		}
		all, open, drafts := f.counters(t)
		assert.Equal(t, []any{float64(made), 0.0, float64(made)}, []any{all, open, drafts})
	})
}

func TestChangeRequestIsShownToThoseWhoMayReadTheSpace(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		id := f.open(t, apptest.Editor, "x")
		for caller, status := range map[apptest.Caller]int{
			apptest.Admin: 200, apptest.Reader: 200, apptest.ReadToken: 200,
			apptest.Guest: 404, apptest.Stranger: 404, apptest.Anonymous: 401,
		} {
			for _, path := range []string{f.path(id), f.path("1"), f.path(), f.path(id, "reviews"), f.path(id, "requested-reviewers"), f.path(id, "contributors")} {
				assert.Equal(t, status, f.As(caller).REST(t, http.MethodGet, path, nil).Status, "%s %s", caller, path)
			}
		}
		other := f
		other.space = f.makeSpace(t, "Other")
		for _, name := range []string{id, "1", "2", "0", "-1", "99999999999999999999", "crq_x", "%00", "x"} {
			assert.Equal(t, http.StatusNotFound, f.As(apptest.Admin).REST(t, http.MethodGet, other.path(name), nil).Status, "%s", name)
		}
	})
}

func TestStatusOfChangeRequestChanges(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		id := f.draft(t, apptest.Editor, "x")
		for _, step := range []struct {
			status       string
			open, drafts float64
		}{
			{"open", 1, 0}, {"open", 1, 0}, {"draft", 0, 1}, {"archived", 0, 0}, {"archived", 0, 0},
			{"open", 1, 0}, {"archived", 0, 0}, {"draft", 0, 1},
		} {
			changed := f.setStatus(t, apptest.Editor, id, step.status).Object(t, http.StatusOK)
			assert.Equal(t, step.status, changed["status"])
			all, open, drafts := f.counters(t)
			assert.Equal(t, []any{1.0, step.open, step.drafts}, []any{all, open, drafts}, step.status)
		}
	})
}

func TestMergedChangeRequestIsFinal(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		id := f.open(t, apptest.Editor, "x")
		assert.Equal(t, "BAD_USER_INPUT", f.As(apptest.Admin).GraphQL(t,
			`mutation($id: ID!) { updateChangeRequest(input: {changeRequest: $id, status: MERGED}) { changeRequest { id } } }`,
			map[string]any{"id": id}).Code())
		assert.Equal(t, http.StatusBadRequest, f.setStatus(t, apptest.Admin, id, "merged").Status)
		merge(t, f, id)
		for _, body := range []map[string]any{{"status": "open"}, {"subject": "y"}, {"description": nil}, {}} {
			refused := f.As(apptest.Admin).REST(t, http.MethodPatch, f.path(id), body)
			assert.Equal(t, http.StatusPreconditionFailed, refused.Status, "%s", refused.Body)
			assert.Contains(t, string(refused.Body), "change request #1 is merged")
		}
		reviewed := f.As(apptest.Reviewer).REST(t, http.MethodPost, f.path(id, "reviews"), map[string]any{"status": "approved"})
		assert.Equal(t, http.StatusPreconditionFailed, reviewed.Status)
		found := f.As(apptest.Reviewer).REST(t, http.MethodGet, f.path(id), nil).Object(t, http.StatusOK)
		assert.Equal(t, false, found["outdated"])
	})
}

// merge merges an open change request that changes a page.
func merge(t *testing.T, f fixture, id string) {
	t.Helper()
	insertPage(t, f, id)
	data := f.As(apptest.Admin).Query(t,
		`mutation($id: ID!) { mergeChangeRequest(input: {changeRequest: $id}) { result } }`, map[string]any{"id": id})
	require.Equal(t, map[string]any{"mergeChangeRequest": map[string]any{"result": "MERGE"}}, data)
}

func insertPage(t *testing.T, f fixture, id string) {
	t.Helper()
	f.As(apptest.Admin).Query(t, `mutation($id: ID!) {
		updateChangeRequestContent(input: {changeRequest: $id, changes: [{insertPage: {title: "Page", document: {markdown: "text"}}}]}) { revision { id } }
	}`, map[string]any{"id": id})
}

func TestArchivedChangeRequestIsChangedWhenReopened(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		id := f.draft(t, apptest.Editor, "x")
		patch := func(body map[string]any) int {
			return f.As(apptest.Editor).REST(t, http.MethodPatch, f.path(id), body).Status
		}
		assert.Equal(t, http.StatusOK, patch(map[string]any{"status": "archived"}))
		assert.Equal(t, http.StatusPreconditionFailed, patch(map[string]any{"subject": "y"}))
		assert.Equal(t, http.StatusPreconditionFailed, patch(map[string]any{"subject": "y", "status": "archived"}))
		assert.Equal(t, http.StatusPreconditionFailed, patch(map[string]any{"description": nil}))
		assert.Equal(t, http.StatusOK, patch(map[string]any{"subject": "y", "status": "open"}))
		found := f.As(apptest.Reader).REST(t, http.MethodGet, f.path(id), nil).Object(t, http.StatusOK)
		assert.Equal(t, []any{"y", "open"}, []any{found["subject"], found["status"]})
	})
}

var paragraph = map[string]any{"object": "document", "data": map[string]any{}, "nodes": []any{map[string]any{
	"object": "block", "type": "paragraph", "data": map[string]any{}, "nodes": []any{map[string]any{
		"object": "text", "leaves": []any{map[string]any{"object": "leaf", "text": "Why", "marks": []any{}}}}}}}}

func TestSubjectAndDescriptionAreChecked(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		id := f.draft(t, apptest.Editor, "x")
		deep := strings.Repeat(`{"object":"block","type":"blockquote","nodes":[`, 3000) + strings.Repeat(`]}`, 3000)
		for name, row := range map[string]struct {
			body   any
			status int
		}{
			"hundred characters":   {map[string]any{"subject": strings.Repeat("ü", 100)}, 200},
			"no subject":           {map[string]any{"subject": ""}, 200},
			"too long":             {map[string]any{"subject": strings.Repeat("ü", 101)}, 400},
			"two lines":            {map[string]any{"subject": "a\nb"}, 400},
			"null character":       {map[string]any{"subject": "a\x00b"}, 400},
			"document":             {map[string]any{"description": paragraph}, 200},
			"no document":          {map[string]any{"description": nil}, 200},
			"another object":       {map[string]any{"description": map[string]any{"object": "block"}}, 400},
			"text":                 {map[string]any{"description": "text"}, 400},
			"unknown block":        {map[string]any{"description": map[string]any{"object": "document", "nodes": []any{map[string]any{"object": "block", "type": "nothing"}}}}, 400},
			"null in a document":   {map[string]any{"description": map[string]any{"object": "document", "data": map[string]any{"x": "\x00"}, "nodes": []any{}}}, 400},
			"nested beyond reason": {map[string]any{"description": rawJSON(`{"object":"document","nodes":[` + deep + `]}`)}, 413},
			"unknown status":       {map[string]any{"status": "closed"}, 400},
		} {
			response := f.As(apptest.Editor).REST(t, http.MethodPatch, f.path(id), row.body)
			assert.Equal(t, row.status, response.Status, "%s: %s", name, response.Body)
		}
		f.As(apptest.Editor).REST(t, http.MethodPatch, f.path(id), map[string]any{"description": paragraph}).Object(t, http.StatusOK)
		found := f.As(apptest.Editor).REST(t, http.MethodPatch, f.path(id), map[string]any{"subject": "kept"}).Object(t, http.StatusOK)
		assert.Equal(t, paragraph, found["description"])
		found = f.As(apptest.Editor).REST(t, http.MethodPatch, f.path(id), map[string]any{"description": nil}).Object(t, http.StatusOK)
		assert.NotContains(t, found, "description")
		assert.Equal(t, "kept", found["subject"])
		refused := f.As(apptest.Editor).REST(t, http.MethodPost, f.path(), map[string]any{"subject": strings.Repeat("x", 101)})
		assert.Equal(t, http.StatusBadRequest, refused.Status)
	})
}

type rawJSON string

// MarshalJSON implements json.Marshaler.
func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

func TestChangeRequestIsOutdatedWhenTheMainContentMovesOn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		first, second := f.open(t, apptest.Editor, "first"), f.open(t, apptest.Editor, "second")
		merge(t, f, first)
		found := f.As(apptest.Reader).REST(t, http.MethodGet, f.path(second), nil).Object(t, http.StatusOK)
		assert.Equal(t, true, found["outdated"])
		f.As(apptest.Admin).Query(t, `mutation($id: ID!) { updateChangeRequestFromMain(input: {changeRequest: $id}) { result } }`, map[string]any{"id": second})
		found = f.As(apptest.Reader).REST(t, http.MethodGet, f.path(second), nil).Object(t, http.StatusOK)
		assert.Equal(t, false, found["outdated"])
		assert.NotEmpty(t, found["revisionMergedAncestor"])
		all, open, drafts := f.counters(t)
		assert.Equal(t, []any{2.0, 1.0, 0.0}, []any{all, open, drafts})
	})
}

func TestListsAreFiltered(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		f.open(t, apptest.Editor, "one")
		two := f.open(t, apptest.Admin, "two")
		f.draft(t, apptest.Editor, "three")
		four := f.draft(t, apptest.Editor, "four")
		f.setStatus(t, apptest.Editor, four, "archived").Object(t, http.StatusOK)
		f.As(apptest.Admin).REST(t, http.MethodPost, f.path(two, "requested-reviewers"), map[string]any{"users": []string{f.As(apptest.Reviewer).UserID}}).Object(t, http.StatusOK)
		insertPage(t, f, two)
		editor, admin, reviewer := f.As(apptest.Editor).UserID, f.As(apptest.Admin).UserID, f.As(apptest.Reviewer).UserID
		for _, base := range []string{f.path(), "/orgs/" + f.OrganizationID + "/change-requests"} {
			for query, expected := range map[string][]int{
				"":                                     {2, 1},
				"?status=open":                         {2, 1},
				"?status=draft":                        {3},
				"?status=archived":                     {4},
				"?status=merged":                       {},
				"?creator=" + editor:                   {1},
				"?creator=" + admin:                    {2},
				"?creator=nobody":                      {},
				"?contributor=" + admin:                {2},
				"?contributor=" + editor:               {},
				"?requestedReviewer=" + reviewer:       {2},
				"?requestedReviewer=" + editor:         {},
				"?conversationsIssuesCluster=x":        {},
				"?creator=" + editor + "&status=draft": {3},
			} {
				response := f.As(apptest.Reader).REST(t, http.MethodGet, base+query, nil)
				assert.Equal(t, expected, numbers(t, response), "%s%s", base, query)
				assert.EqualValues(t, len(expected), response.Object(t, http.StatusOK)["count"], "%s%s", base, query)
			}
			for _, query := range []string{"?status=closed", "?creator=%00", "?limit=1001", "?limit=x", "?page=x"} {
				assert.Equal(t, http.StatusBadRequest, f.As(apptest.Reader).REST(t, http.MethodGet, base+query, nil).Status, "%s%s", base, query)
			}
		}
	})
}

func TestListsArePaged(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		for range 5 {
			f.open(t, apptest.Editor, "x")
		}
		for _, base := range []string{f.path(), "/orgs/" + f.OrganizationID + "/change-requests"} {
			var seen []int
			for page := ""; ; {
				response := f.As(apptest.Reader).REST(t, http.MethodGet, base+"?limit=2&page="+page, nil)
				seen = append(seen, numbers(t, response)...)
				next, more := response.Object(t, http.StatusOK)["next"].(map[string]any)
				if !more {
					break
				}
				page = next["page"].(string)
			}
			assert.Equal(t, []int{5, 4, 3, 2, 1}, seen)
		}
	})
}

func TestOrganizationListsReadableSpacesOnly(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		hidden := f
		hidden.space = f.makeSpace(t, "Hidden")
		f.open(t, apptest.Editor, "seen")
		hidden.open(t, apptest.Editor, "hidden")
		ctx := f.Context(t, apptest.Admin)
		require.NoError(t, f.App.Database.Client(ctx).Space.UpdateOneID(hidden.space).SetDefaultLevel(0).Exec(ctx))
		list := f.As(apptest.Reader).REST(t, http.MethodGet, "/orgs/"+f.OrganizationID+"/change-requests", nil).Object(t, http.StatusOK)
		assert.EqualValues(t, 1, list["count"])
		assert.Equal(t, "seen", list["items"].([]any)[0].(map[string]any)["subject"])
		assert.Equal(t, http.StatusNotFound, f.As(apptest.Reader).REST(t, http.MethodGet, hidden.path(), nil).Status)
	})
}

const nested = `query($id: ID!) { organization(id: $id) { spaces(first: 20) { nodes { title
	changeRequests(first: 2) { totalCount pageInfo { hasNextPage } nodes { number subject outdated createdBy { displayName }
		requestedReviewers { totalCount nodes { user { displayName } requestedBy { displayName } } }
		reviews { totalCount nodes { status outdated reviewer { displayName } comment { id } } }
		contributors { totalCount nodes { count action user { displayName } } } } } } } } }`

func TestNestedListsCostTheSameForManySpaces(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		run := func() (int64, []any) {
			var counter atomic.Int64
			body, err := json.Marshal(map[string]any{"query": nested, "variables": map[string]any{"id": f.OrganizationID}})
			require.NoError(t, err)
			request := httptest.NewRequestWithContext(database.CountStatements(t.Context(), &counter), http.MethodPost, "/graphql", bytes.NewReader(body))
			request.Header.Set("Authorization", "Bearer "+f.As(apptest.Admin).Token)
			request.Header.Set("Content-Type", "application/json")
			recorder := httptest.NewRecorder()
			f.App.Handler().ServeHTTP(recorder, request)
			var result apptest.Result
			require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &result))
			require.Empty(t, result.Errors)
			return counter.Load(), result.Data["organization"].(map[string]any)["spaces"].(map[string]any)["nodes"].([]any)
		}
		// On a busy machine a loader may give up waiting for look-ups that would
		// have joined it: the best of several runs shows the cost, about. What a
		// batch costs exactly is tested below.
		statements := func() (int64, []any) {
			lowest, spaces := run()
			for range 9 {
				count, _ := run()
				lowest = min(lowest, count)
			}
			return lowest, spaces
		}
		populate := func(space string) {
			f := fixture{Server: f.Server, space: space}
			for number := range 3 {
				id := f.open(t, apptest.Editor, fmt.Sprint(space, number))
				f.As(apptest.Editor).REST(t, http.MethodPost, f.path(id, "requested-reviewers"), map[string]any{"users": []string{f.As(apptest.Admin).UserID}}).Object(t, http.StatusOK)
				f.As(apptest.Reviewer).REST(t, http.MethodPost, f.path(id, "reviews"), map[string]any{"status": "approved", "comment": map[string]any{"markdown": "Good"}}).Object(t, http.StatusCreated)
			}
		}
		populate(f.space)
		populate(f.makeSpace(t, "Second"))
		two, _ := statements()
		for index := range 6 {
			populate(f.makeSpace(t, fmt.Sprint(index)))
		}
		eight, spaces := statements()
		assert.Less(t, eight, two+6, "six more spaces cost less than a statement each")
		require.Len(t, spaces, 8)
		for _, space := range spaces {
			list := space.(map[string]any)["changeRequests"].(map[string]any)
			assert.EqualValues(t, "3", fmt.Sprint(list["totalCount"]))
			assert.Equal(t, true, list["pageInfo"].(map[string]any)["hasNextPage"])
			nodes := list["nodes"].([]any)
			require.Len(t, nodes, 2)
			assert.Equal(t, []string{"3", "2"}, []string{fmt.Sprint(nodes[0].(map[string]any)["number"]), fmt.Sprint(nodes[1].(map[string]any)["number"])})
			for _, list := range []string{"requestedReviewers", "reviews", "contributors"} {
				assert.Equal(t, "1", fmt.Sprint(nodes[0].(map[string]any)[list].(map[string]any)["totalCount"]), list)
			}
		}
	})
}

func TestOneStatementReadsTheListsOfManyParents(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		var counter atomic.Int64
		ctx := database.CountStatements(f.Context(t, apptest.Reader), &counter)
		spaces, ids := []changerequest.List{}, []string{}
		for index := range 20 {
			f := fixture{Server: f.Server, space: f.makeSpace(t, fmt.Sprint(index))}
			ids = append(ids, f.open(t, apptest.Editor, "x"), f.open(t, apptest.Editor, "y"))
			list, err := changerequest.NewList(f.space, changerequest.Filter{}, pagination.Arguments{First: new(1)})
			require.NoError(t, err)
			spaces = append(spaces, list)
		}
		pages, err := f.App.ChangeRequests.InSpaces(ctx, spaces)
		require.NoError(t, err)
		assert.EqualValues(t, 1, counter.Load())
		require.Len(t, pages, 20)
		for _, page := range pages {
			require.Len(t, page.Items, 1)
			assert.Equal(t, "y", page.Items[0].Subject)
			assert.True(t, page.Info.HasNextPage)
			count, err := page.Count(ctx)
			require.NoError(t, err)
			assert.Equal(t, 2, count)
		}
		assert.EqualValues(t, 2, counter.Load())
		people, reviews := []changerequest.Participants{}, []changerequest.Reviews{}
		for _, id := range ids {
			list, err := changerequest.NewParticipants(id, "contributors", pagination.Arguments{})
			require.NoError(t, err)
			people = append(people, list)
			outdated := false
			given, err := changerequest.NewReviews(id, &outdated, pagination.Arguments{})
			require.NoError(t, err)
			reviews = append(reviews, given)
		}
		_, err = f.App.ChangeRequests.ContributorsOf(ctx, people)
		require.NoError(t, err)
		_, err = f.App.ChangeRequests.RequestedReviewersOf(ctx, people)
		require.NoError(t, err)
		_, err = f.App.ChangeRequests.ReviewsOf(ctx, reviews)
		require.NoError(t, err)
		assert.EqualValues(t, 5, counter.Load())
	})
}

func TestConcurrentCreationCountsUp(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		const makers = 20
		ctx := f.Context(t, apptest.Editor)
		var group sync.WaitGroup
		made, errs := make([]int, makers), make([]error, makers)
		for index := range makers {
			group.Go(func() {
				created, err := f.App.ChangeRequests.Create(ctx, changerequest.New{SpaceID: f.space})
				if errs[index] = err; err == nil {
					made[index] = created.Number
				}
			})
		}
		group.Wait()
		expected := make([]int, makers)
		for index := range makers {
			require.NoError(t, errs[index])
			expected[index] = index + 1
		}
		assert.ElementsMatch(t, expected, made)
		all, open, drafts := f.counters(t)
		assert.Equal(t, []any{20.0, 0.0, 20.0}, []any{all, open, drafts})
	})
}
