package comment_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/content"
	"octavo/internal/database"
	"octavo/internal/space"
)

const pageID = "pag_welcome"

// discussed is a server with a space of one page, on which the editor has a
// permission of their own, and a change request of it.
type discussed struct {
	*apptest.Server
	spaceID, changeRequestID string
	// onSpace and onChangeRequest lead to what is commented on.
	onSpace, onChangeRequest string
}

func discuss(t testing.TB, server *apptest.Server) *discussed {
	t.Helper()
	body := []byte("# Welcome\n")
	made, err := server.App.Spaces.Create(server.Context(t, apptest.Admin), space.New{
		OrganizationID: server.OrganizationID, Title: "Guide",
		Tree: &content.Tree{Pages: []*content.Page{
			{ID: pageID, Type: content.PageDocument, Title: "Welcome", Slug: "welcome", Body: content.HashOf(body)},
		}},
		Bodies: map[content.Hash][]byte{content.HashOf(body): body},
	})
	require.NoError(t, err)
	ctx := server.Context(t, apptest.Admin)
	require.NoError(t, server.App.Database.Client(ctx).Permission.Create().SetOrganizationID(server.OrganizationID).
		SetResourceID(made.ID).SetPrincipalID(server.As(apptest.Editor).UserID).SetRole(access.Edit).Exec(ctx))
	path := "/spaces/" + made.ID
	branch := server.As(apptest.Editor).REST(t, http.MethodPost, path+"/change-requests", map[string]any{"subject": "Change"}).Object(t, http.StatusCreated)
	return &discussed{
		Server: server, spaceID: made.ID, changeRequestID: branch["id"].(string), onSpace: path,
		onChangeRequest: fmt.Sprintf("%s/change-requests/%v", path, branch["number"]),
	}
}

// eachParent runs a test on the main content and on a change request, on every
// database.
func eachParent(t *testing.T, test func(t *testing.T, on *discussed, parent string)) {
	t.Helper()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		on := discuss(t, server)
		for name, parent := range map[string]string{"OnSpace": on.onSpace, "OnChangeRequest": on.onChangeRequest} {
			t.Run(name, func(t *testing.T) { test(t, on, parent) })
		}
	})
}

func markdown(text string) map[string]any {
	return map[string]any{"body": map[string]any{"markdown": text}}
}

func (d *discussed) post(t testing.TB, caller apptest.Caller, parent string, body map[string]any) string {
	t.Helper()
	return d.As(caller).REST(t, http.MethodPost, parent+"/comments", body).Object(t, http.StatusOK)["id"].(string)
}

func (d *discussed) reply(t testing.TB, caller apptest.Caller, parent, thread, text string) string {
	t.Helper()
	return d.As(caller).REST(t, http.MethodPost, parent+"/comments/"+thread+"/replies", markdown(text)).Object(t, http.StatusOK)["id"].(string)
}

func message(body map[string]any) string {
	return body["error"].(map[string]any)["message"].(string)
}

func ids(list map[string]any) []string {
	found := []string{}
	for _, item := range list["items"].([]any) {
		found = append(found, item.(map[string]any)["id"].(string))
	}
	return found
}

func TestCommentIsPostedShownChangedAndDeleted(t *testing.T) {
	t.Parallel()
	eachParent(t, func(t *testing.T, on *discussed, parent string) {
		author, editor := on.As(apptest.Commenter), on.As(apptest.Editor)
		posted := author.REST(t, http.MethodPost, parent+"/comments", map[string]any{
			"body": map[string]any{"markdown": "Is **this** so?"}, "page": pageID, "node": "block-1",
			"tableCell": map[string]any{"record": "row", "definition": "column"},
		}).Object(t, http.StatusOK)
		path := parent + "/comments/" + posted["id"].(string)
		assert.Equal(t, "open", posted["status"])
		assert.Equal(t, map[string]any{"markdown": "Is **this** so?"}, posted["body"])
		assert.Equal(t, author.UserID, posted["postedBy"].(map[string]any)["id"])
		assert.NotContains(t, posted, "editedAt")
		target := posted["target"].(map[string]any)
		assert.Equal(t, on.spaceID, target["space"])
		assert.Equal(t, map[string]any{"id": pageID}, target["page"])
		assert.Equal(t, map[string]any{"id": "block-1"}, target["node"])
		assert.Equal(t, map[string]any{"record": "row", "definition": "column"}, target["tableCell"])
		if parent == on.onChangeRequest {
			assert.Equal(t, on.changeRequestID, target["changeRequest"])
		} else {
			assert.NotContains(t, target, "changeRequest")
		}
		location := posted["urls"].(map[string]any)["location"].(string)
		assert.Equal(t, posted["id"], on.As(apptest.Reader).REST(t, http.MethodGet, strings.TrimPrefix(location, on.URL+"/v1"), nil).Object(t, http.StatusOK)["id"])
		assert.EqualValues(t, 1, openComments(t, on, parent))

		changed := author.REST(t, http.MethodPut, path, markdown("Sure?")).Object(t, http.StatusOK)
		assert.Equal(t, map[string]any{"markdown": "Sure?"}, changed["body"])
		assert.Contains(t, changed, "editedAt")

		resolved := editor.REST(t, http.MethodPut, path, map[string]any{"resolved": true}).Object(t, http.StatusOK)
		assert.Equal(t, "resolved", resolved["status"])
		assert.Equal(t, editor.UserID, resolved["resolvedBy"].(map[string]any)["id"])
		again := author.REST(t, http.MethodPut, path, map[string]any{"resolved": true}).Object(t, http.StatusOK)
		assert.Equal(t, resolved["resolvedAt"], again["resolvedAt"], "resolving twice changes nothing")
		assert.EqualValues(t, 0, openComments(t, on, parent))
		reopened := author.REST(t, http.MethodPut, path, map[string]any{"resolved": false}).Object(t, http.StatusOK)
		assert.Equal(t, "open", reopened["status"])
		assert.NotContains(t, reopened, "resolvedAt")
		assert.EqualValues(t, 1, openComments(t, on, parent))

		assert.Equal(t, http.StatusResetContent, author.REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, http.StatusNoContent, author.REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, "comment not found", message(author.REST(t, http.MethodGet, path, nil).Object(t, http.StatusNotFound)))
		assert.EqualValues(t, 0, openComments(t, on, parent))
	})
}

// openComments is the counter that the API shows.
func openComments(t testing.TB, on *discussed, parent string) any {
	t.Helper()
	return on.As(apptest.Admin).REST(t, http.MethodGet, parent, nil).Object(t, http.StatusOK)["comments"]
}

func TestCommentIsRefused(t *testing.T) {
	t.Parallel()
	eachParent(t, func(t *testing.T, on *discussed, parent string) {
		for _, test := range []struct {
			name    string
			caller  apptest.Caller
			body    map[string]any
			status  int
			message string
		}{
			{"Empty", apptest.Commenter, map[string]any{"body": map[string]any{}}, 200, ""},
			{"ReaderMayNot", apptest.Reader, markdown("x"), 403, "this needs the role comment in the space"},
			{"ReadTokenMayNot", apptest.ReadToken, markdown("x"), 403, `the access token lacks the scope "write"`},
			{"GuestSeesNothing", apptest.Guest, markdown("x"), 404, "space not found"},
			{"StrangerSeesNothing", apptest.Stranger, markdown("x"), 404, "space not found"},
			{"AnonymousMayNot", apptest.Anonymous, markdown("x"), 401, "an access token is required"},
			{"Longest", apptest.Commenter, markdown(strings.Repeat("é", 50_000)), 200, ""},
			{"TooLong", apptest.Commenter, markdown(strings.Repeat("é", 50_001)), 400, "body.markdown: at most 50000 characters, got 50001"},
			{"NullCharacter", apptest.Commenter, markdown("a\x00b"), 400, "body.markdown: the null character is not allowed"},
			{"BothForms", apptest.Commenter, map[string]any{"body": map[string]any{"markdown": "x", "document": paragraph("x")}}, 400, "body: give markdown or a document, not both"},
			{"UnknownPage", apptest.Commenter, map[string]any{"body": map[string]any{}, "page": "pag_none"}, 400, `page: the content has no page "pag_none"`},
			{"NodeWithoutPage", apptest.Commenter, map[string]any{"body": map[string]any{}, "node": "n"}, 400, "page: a block is named together with its page"},
			{"CellWithoutPage", apptest.Commenter, map[string]any{"body": map[string]any{}, "tableCell": map[string]any{"record": "r", "definition": "d"}}, 400, "page: a cell is named together with its page"},
			{"LongNode", apptest.Commenter, map[string]any{"body": map[string]any{}, "page": pageID, "node": strings.Repeat("n", 257)}, 400, "node: at most 256 characters, got 257"},
			{"EmptyRecord", apptest.Commenter, map[string]any{"body": map[string]any{}, "page": pageID, "tableCell": map[string]any{"record": "", "definition": "d"}}, 400, "tableCell.record: the name is empty"},
			{"UnknownBlock", apptest.Commenter, map[string]any{"body": map[string]any{"document": map[string]any{"object": "document", "data": map[string]any{}, "nodes": []any{map[string]any{"object": "block", "type": "wall"}}}}}, 400, ""},
			{"NullInDocument", apptest.Commenter, map[string]any{"body": map[string]any{"document": paragraph("a\x00b")}}, 400, "body.document: the null character is not allowed"},
			{"WrongObject", apptest.Commenter, map[string]any{"body": map[string]any{"document": map[string]any{"object": "page", "nodes": []any{}}}}, 400, `body.document.object: document is expected, got "page"`},
			{"DocumentTooLarge", apptest.Commenter, map[string]any{"body": map[string]any{"document": paragraph(strings.Repeat("x", 1<<20))}}, 413, ""},
			{"TextOfDocumentTooLong", apptest.Commenter, map[string]any{"body": map[string]any{"document": paragraph(strings.Repeat("x", 50_001))}}, 400, ""},
			{"TooDeep", apptest.Commenter, map[string]any{"body": map[string]any{"document": json.RawMessage(strings.Repeat(`{"nodes":[`, 200) + strings.Repeat("]}", 200))}}, 413, "body.document: the JSON may nest 144 deep"},
			{"WrongType", apptest.Commenter, map[string]any{"body": "x"}, 400, ""},
		} {
			t.Run(test.name, func(t *testing.T) {
				answer := on.As(test.caller).REST(t, http.MethodPost, parent+"/comments", test.body).Object(t, test.status)
				if test.message != "" {
					assert.Equal(t, test.message, message(answer))
				}
			})
		}
	})
}

func paragraph(text string) map[string]any {
	return map[string]any{"object": "document", "data": map[string]any{}, "nodes": []any{
		map[string]any{"object": "block", "type": "paragraph", "data": map[string]any{}, "nodes": []any{
			map[string]any{"object": "text", "leaves": []any{map[string]any{"object": "leaf", "text": text, "marks": []any{}}}},
		}},
	}}
}

func TestPermissionsSayWhatTheOperationsDo(t *testing.T) {
	t.Parallel()
	eachParent(t, func(t *testing.T, on *discussed, parent string) {
		for _, caller := range []apptest.Caller{apptest.Admin, apptest.Creator, apptest.Reviewer, apptest.Editor, apptest.Commenter, apptest.Reader} {
			for _, author := range []apptest.Caller{caller, apptest.Commenter, apptest.Admin} {
				if author == apptest.Reader {
					continue
				}
				t.Run(string(caller)+"On"+string(author), func(t *testing.T) {
					thread := on.post(t, author, parent, markdown("x"))
					path := parent + "/comments/" + thread
					for _, subject := range []string{path + "/replies/" + on.reply(t, author, parent, thread, "y"), path} {
						client := on.As(caller)
						may := client.REST(t, http.MethodGet, subject, nil).Object(t, http.StatusOK)["permissions"].(map[string]any)
						assert.Equal(t, true, may["view"])
						assertAllowed(t, may["edit"], client.REST(t, http.MethodPut, subject, markdown("z")).Status)
						assertAllowed(t, may["reply"], client.REST(t, http.MethodPost, path+"/replies", markdown("z")).Status)
						assertAllowed(t, may["reply"], client.REST(t, http.MethodPut, subject, map[string]any{"addedReactions": []string{"1f44d"}}).Status)
						assertAllowed(t, may["delete"], client.REST(t, http.MethodDelete, subject, nil).Status)
					}
				})
			}
		}
	})
}

func assertAllowed(t *testing.T, permission any, status int) {
	t.Helper()
	assert.Equal(t, permission, status/100 == 2, "%d", status)
	assert.Contains(t, []int{200, 205, 403}, status)
}

func TestThreadIsResolvedByItsAuthorOrAnEditor(t *testing.T) {
	t.Parallel()
	eachParent(t, func(t *testing.T, on *discussed, parent string) {
		path := parent + "/comments/" + on.post(t, apptest.Admin, parent, markdown("x"))
		for caller, status := range map[apptest.Caller]int{
			apptest.Commenter: 403, apptest.Reader: 403, apptest.Editor: 200, apptest.Admin: 200,
			apptest.ReadToken: 403, apptest.Stranger: 404, apptest.Anonymous: 401,
		} {
			assert.Equal(t, status, on.As(caller).REST(t, http.MethodPut, path, map[string]any{"resolved": true}).Status, "%s", caller)
		}
		both := map[string]any{"resolved": false, "body": map[string]any{"markdown": "not mine"}}
		on.As(apptest.Editor).REST(t, http.MethodPut, path, both).Object(t, http.StatusForbidden)
		assert.Equal(t, "resolved", on.As(apptest.Editor).REST(t, http.MethodGet, path, nil).Object(t, 200)["status"], "all or nothing")
	})
}

func TestBodyIsAnsweredInTheFormatAskedFor(t *testing.T) {
	t.Parallel()
	eachParent(t, func(t *testing.T, on *discussed, parent string) {
		author := on.As(apptest.Commenter)
		fromMarkdown := parent + "/comments/" + on.post(t, apptest.Commenter, parent, markdown("Hello"))
		fromDocument := parent + "/comments/" + on.post(t, apptest.Commenter, parent, map[string]any{"body": map[string]any{"document": paragraph("Hello")}})
		body := func(path string) map[string]any {
			return author.REST(t, http.MethodGet, path, nil).Object(t, http.StatusOK)["body"].(map[string]any)
		}
		assert.Equal(t, map[string]any{"markdown": "Hello"}, body(fromMarkdown))
		assert.Equal(t, "Hello", strings.TrimSpace(body(fromDocument + "?format=markdown")["markdown"].(string)))
		for _, path := range []string{fromMarkdown + "?format=document", fromDocument, fromDocument + "?format=document"} {
			nodes := body(path)["document"].(map[string]any)["nodes"].([]any)
			require.Len(t, nodes, 1)
			assert.Equal(t, "paragraph", nodes[0].(map[string]any)["type"])
			assert.NotContains(t, body(path), "markdown")
		}
		assert.Equal(t, `format: "html" is not one of document, markdown`, message(author.REST(t, http.MethodGet, fromMarkdown+"?format=html", nil).Object(t, 400)))

		author.REST(t, http.MethodPut, fromDocument, markdown("Now Markdown")).Object(t, http.StatusOK)
		assert.Equal(t, map[string]any{"markdown": "Now Markdown"}, body(fromDocument))
		author.REST(t, http.MethodPut, fromMarkdown, map[string]any{"body": map[string]any{}}).Object(t, http.StatusOK)
		assert.Equal(t, map[string]any{"markdown": ""}, body(fromMarkdown))
		for _, item := range author.REST(t, http.MethodGet, parent+"/comments?format=document", nil).Object(t, 200)["items"].([]any) {
			assert.Contains(t, item.(map[string]any)["body"], "document")
		}
	})
}

func TestRepliesAreListedOldestFirst(t *testing.T) {
	t.Parallel()
	eachParent(t, func(t *testing.T, on *discussed, parent string) {
		thread := on.post(t, apptest.Admin, parent, markdown("x"))
		path := parent + "/comments/" + thread
		first, second := on.reply(t, apptest.Commenter, parent, thread, "one"), on.reply(t, apptest.Editor, parent, thread, "two")
		third := on.reply(t, apptest.Commenter, parent, thread, "three")
		reader := on.As(apptest.Reader)
		list := reader.REST(t, http.MethodGet, path+"/replies?limit=2", nil).Object(t, http.StatusOK)
		assert.Equal(t, []string{first, second}, ids(list))
		assert.EqualValues(t, 3, list["count"])
		rest := reader.REST(t, http.MethodGet, path+"/replies?page="+list["next"].(map[string]any)["page"].(string), nil).Object(t, http.StatusOK)
		assert.Equal(t, []string{third}, ids(rest))
		assert.NotContains(t, rest, "next")

		shown := reader.REST(t, http.MethodGet, path, nil).Object(t, http.StatusOK)
		assert.EqualValues(t, 3, shown["replies"])
		repliers := shown["repliers"].([]any)
		require.Len(t, repliers, 2)
		latest := repliers[0].(map[string]any)
		assert.EqualValues(t, 2, latest["count"])
		assert.Equal(t, on.As(apptest.Commenter).UserID, latest["user"].(map[string]any)["id"])
		assert.Equal(t, reader.REST(t, http.MethodGet, path+"/replies/"+third, nil).Object(t, 200)["postedAt"], latest["updatedAt"])

		assert.Equal(t, 403, on.As(apptest.Editor).REST(t, http.MethodDelete, path+"/replies/"+first, nil).Status)
		assert.Equal(t, 205, on.As(apptest.Commenter).REST(t, http.MethodDelete, path+"/replies/"+first, nil).Status)
		assert.Equal(t, 204, on.As(apptest.Commenter).REST(t, http.MethodDelete, path+"/replies/"+first, nil).Status)
		assert.Equal(t, "comment reply not found", message(reader.REST(t, http.MethodGet, path+"/replies/"+first, nil).Object(t, 404)))
		assert.EqualValues(t, 2, reader.REST(t, http.MethodGet, path, nil).Object(t, 200)["replies"])
		assert.Equal(t, 403, reader.REST(t, http.MethodPost, path+"/replies", markdown("x")).Status)
		assert.Equal(t, 404, on.As(apptest.Stranger).REST(t, http.MethodPost, path+"/replies", markdown("x")).Status)
	})
}

func TestReplyResolvesItsThreadOnChangeRequestsOnly(t *testing.T) {
	t.Parallel()
	eachParent(t, func(t *testing.T, on *discussed, parent string) {
		thread := on.post(t, apptest.Admin, parent, markdown("x"))
		path := parent + "/comments/" + thread + "/replies/" + on.reply(t, apptest.Editor, parent, thread, "y")
		on.As(apptest.Editor).REST(t, http.MethodPut, path, map[string]any{"resolved": true}).Object(t, http.StatusOK)
		expected := "open"
		if parent == on.onChangeRequest {
			expected = "resolved"
		}
		assert.Equal(t, expected, on.As(apptest.Reader).REST(t, http.MethodGet, parent+"/comments/"+thread, nil).Object(t, 200)["status"])
	})
}

func TestCommentIsFoundUnderItsParentOnly(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		on := discuss(t, server)
		elsewhere := discuss(t, server)
		onSpace, onBranch := on.post(t, apptest.Admin, on.onSpace, markdown("x")), on.post(t, apptest.Admin, on.onChangeRequest, markdown("x"))
		toSpace, toBranch := on.reply(t, apptest.Admin, on.onSpace, onSpace, "y"), on.reply(t, apptest.Admin, on.onChangeRequest, onBranch, "y")
		other := on.post(t, apptest.Admin, on.onSpace, markdown("x"))
		byID := on.onSpace + "/change-requests/" + on.changeRequestID
		admin := on.As(apptest.Admin)
		assert.Equal(t, 200, admin.REST(t, http.MethodGet, byID+"/comments/"+onBranch+"/replies/"+toBranch, nil).Status, "by id as well as by number")
		for _, path := range []string{
			on.onChangeRequest + "/comments/" + onSpace, on.onSpace + "/comments/" + onBranch,
			elsewhere.onSpace + "/comments/" + onSpace, elsewhere.onChangeRequest + "/comments/" + onBranch,
			on.onSpace + "/change-requests/99/comments/" + onBranch, "/spaces/spc_none/comments/" + onSpace,
			on.onSpace + "/comments/" + other + "/replies/" + toSpace, on.onSpace + "/comments/" + onBranch + "/replies/" + toBranch,
			on.onSpace + "/comments/" + toSpace, on.onSpace + "/comments/" + onSpace + "/replies/" + onSpace,
			on.onSpace + "/comments/%00", on.onSpace + "/comments/cmt_1",
		} {
			assert.Equal(t, 404, admin.REST(t, http.MethodGet, path, nil).Status, "GET %s", path)
			assert.Equal(t, 404, admin.REST(t, http.MethodPut, path, markdown("z")).Status, "PUT %s", path)
			assert.Equal(t, 204, admin.REST(t, http.MethodDelete, path, nil).Status, "DELETE %s", path)
		}
		assert.Equal(t, 404, admin.REST(t, http.MethodPost, on.onSpace+"/change-requests/99/comments", markdown("x")).Status)
		assert.Equal(t, 404, admin.REST(t, http.MethodPost, elsewhere.onSpace+"/comments/"+onSpace+"/replies", markdown("x")).Status)
		assert.Equal(t, 404, admin.REST(t, http.MethodGet, elsewhere.onSpace+"/comments/"+onSpace+"/replies", nil).Status)
	})
}

func TestListIsFilteredAndOrdered(t *testing.T) {
	t.Parallel()
	eachParent(t, func(t *testing.T, on *discussed, parent string) {
		first := on.post(t, apptest.Admin, parent, markdown("1"))
		second := on.post(t, apptest.Commenter, parent, map[string]any{"body": map[string]any{}, "page": pageID})
		third := on.post(t, apptest.Editor, parent, markdown("3"))
		on.As(apptest.Admin).REST(t, http.MethodPut, parent+"/comments/"+first, map[string]any{"resolved": true}).Object(t, http.StatusOK)
		admin, commenter := on.As(apptest.Admin).UserID, on.As(apptest.Commenter).UserID
		reader := on.As(apptest.Reader)
		for query, expected := range map[string][]string{
			"":                     {third, second, first},
			"order=asc":            {first, second, third},
			"order=desc":           {third, second, first},
			"status=all":           {third, second, first},
			"status=open":          {third, second},
			"status=resolved":      {first},
			"targetPage=" + pageID: {second},
			"targetPage=none":      {},
			"authors=" + admin:     {first},
			"authors=" + admin + "&authors=" + commenter: {second, first},
			"authors=nobody":                       {},
			"authors=" + admin + "&status=open":    {},
			"limit=0":                              {},
			"limit=2":                              {third, second},
			"status=open&order=asc&limit=1":        {second},
			"authors=" + commenter + "&limit=1000": {second},
		} {
			assert.Equal(t, expected, ids(reader.REST(t, http.MethodGet, parent+"/comments?"+query, nil).Object(t, http.StatusOK)), "%s", query)
		}
		page := reader.REST(t, http.MethodGet, parent+"/comments?limit=2", nil).Object(t, http.StatusOK)
		assert.EqualValues(t, 3, page["count"])
		cursor := page["next"].(map[string]any)["page"].(string)
		on.As(apptest.Editor).REST(t, http.MethodDelete, parent+"/comments/"+third, nil)
		assert.Equal(t, []string{first}, ids(reader.REST(t, http.MethodGet, parent+"/comments?page="+cursor, nil).Object(t, http.StatusOK)), "what goes meanwhile is not skipped over")
		for query, expected := range map[string]string{
			"order=up":                        `order: "up" is not one of asc, desc`,
			"status=closed":                   `status: "closed" is not one of all, open, resolved`,
			"limit=1001":                      "limit: 1001 is not between 0 and 1000",
			"order=asc&page=" + cursor:        "page: the cursor belongs to another list or order",
			"targetPage=%00":                  "targetPage: the null character is not allowed",
			"targetPage=%ff":                  "targetPage: the text is not valid UTF-8",
			strings.Repeat("authors=a&", 101): "authors: at most 100, got 101",
		} {
			assert.Equal(t, expected, message(reader.REST(t, http.MethodGet, parent+"/comments?"+query, nil).Object(t, http.StatusBadRequest)), "%s", query)
		}
		assert.Equal(t, 404, on.As(apptest.Stranger).REST(t, http.MethodGet, parent+"/comments", nil).Status)
		assert.Equal(t, 401, on.As(apptest.Anonymous).REST(t, http.MethodGet, parent+"/comments", nil).Status)
	})
}

func TestReactionsAreAddedOnceAndTakenBack(t *testing.T) {
	t.Parallel()
	eachParent(t, func(t *testing.T, on *discussed, parent string) {
		thread := on.post(t, apptest.Admin, parent, markdown("x"))
		path := parent + "/comments/" + thread
		for _, subject := range []string{path, path + "/replies/" + on.reply(t, apptest.Admin, parent, thread, "y")} {
			react := func(caller apptest.Caller, added, removed []string) apptest.Response {
				return on.As(caller).REST(t, http.MethodPut, subject, map[string]any{"addedReactions": added, "removedReactions": removed})
			}
			react(apptest.Commenter, []string{"1f44d", "🎉", "1f44d"}, nil).Object(t, http.StatusOK)
			react(apptest.Commenter, []string{"1f44d"}, nil).Object(t, http.StatusOK)
			shown := react(apptest.Editor, []string{"1f44d"}, []string{"🎉"}).Object(t, http.StatusOK)
			reactions := shown["reactions"].([]any)
			require.Len(t, reactions, 2)
			thumb := reactions[0].(map[string]any)
			assert.Equal(t, "1f44d", thumb["emoji"])
			assert.EqualValues(t, 2, thumb["count"])
			assert.Equal(t, on.As(apptest.Commenter).UserID, thumb["users"].([]any)[0].(map[string]any)["user"].(map[string]any)["id"])
			assert.Equal(t, "🎉", reactions[1].(map[string]any)["emoji"], "nobody takes back the reaction of another")
			assert.NotContains(t, shown, "editedAt")
			shown = react(apptest.Commenter, []string{"🎉"}, []string{"1f44d", "🎉"}).Object(t, http.StatusOK)
			require.Len(t, shown["reactions"], 2, "what is added and removed stays")
			assert.EqualValues(t, 1, shown["reactions"].([]any)[0].(map[string]any)["count"])

			many := make([]string, 21)
			for index := range many {
				many[index] = fmt.Sprintf("e%d", index)
			}
			assert.Equal(t, "addedReactions: at most 20 reactions, got 21", message(react(apptest.Admin, many, nil).Object(t, 400)))
			assert.Equal(t, "removedReactions: at most 20 reactions, got 21", message(react(apptest.Admin, nil, many).Object(t, 400)))
			assert.Equal(t, "addedReactions: at most 50 characters, got 51", message(react(apptest.Admin, []string{strings.Repeat("x", 51)}, nil).Object(t, 400)))
			assert.Equal(t, "addedReactions: an emoji is empty", message(react(apptest.Admin, []string{""}, nil).Object(t, 400)))
			assert.Equal(t, "addedReactions: the null character is not allowed", message(react(apptest.Admin, []string{"\x00"}, nil).Object(t, 400)))
			for batch := range 3 {
				distinct := make([]string, 16)
				for index := range distinct {
					distinct[index] = fmt.Sprintf("d%d-%d", batch, index)
				}
				react(apptest.Admin, distinct, nil).Object(t, http.StatusOK)
			}
			assert.Equal(t, "addedReactions: at most 50 different emojis", message(react(apptest.Admin, []string{"one more"}, nil).Object(t, http.StatusRequestEntityTooLarge)))
			react(apptest.Editor, []string{"d0-0"}, nil).Object(t, http.StatusOK)
			assert.Equal(t, 403, react(apptest.Reader, []string{"1f44d"}, nil).Status)
		}
	})
}

func TestCommentsOfADeletedSpaceAreGoneUntilItIsRestored(t *testing.T) {
	t.Parallel()
	eachParent(t, func(t *testing.T, on *discussed, parent string) {
		thread := on.post(t, apptest.Admin, parent, markdown("x"))
		reply := on.reply(t, apptest.Admin, parent, thread, "y")
		admin := on.As(apptest.Admin)
		require.Equal(t, 205, admin.REST(t, http.MethodDelete, on.onSpace, nil).Status)
		for _, path := range []string{"/comments", "/commenters", "/comments/" + thread, "/comments/" + thread + "/replies", "/comments/" + thread + "/replies/" + reply} {
			assert.Equal(t, 404, admin.REST(t, http.MethodGet, parent+path, nil).Status, "%s", path)
		}
		assert.Equal(t, 404, admin.REST(t, http.MethodPost, parent+"/comments", markdown("x")).Status)
		assert.Equal(t, 204, admin.REST(t, http.MethodDelete, parent+"/comments/"+thread, nil).Status)
		admin.REST(t, http.MethodPost, on.onSpace+"/restore", nil).Object(t, http.StatusOK)
		assert.Equal(t, 200, admin.REST(t, http.MethodGet, parent+"/comments/"+thread, nil).Status)
	})
}

func TestCommentersAreTheMembersWhoTookPart(t *testing.T) {
	t.Parallel()
	eachParent(t, func(t *testing.T, on *discussed, parent string) {
		thread := on.post(t, apptest.Admin, parent, markdown("x"))
		on.post(t, apptest.Admin, parent, markdown("x"))
		on.reply(t, apptest.Editor, parent, thread, "y")
		on.post(t, apptest.Commenter, parent, markdown("x"))
		reader := on.As(apptest.Reader)
		list := reader.REST(t, http.MethodGet, parent+"/commenters", nil).Object(t, http.StatusOK)
		users := map[string]map[string]any{}
		for _, item := range list["items"].([]any) {
			member := item.(map[string]any)
			users[member["user"].(map[string]any)["id"].(string)] = member
		}
		require.Len(t, users, 3)
		assert.EqualValues(t, 3, list["count"])
		assert.EqualValues(t, 1, users[on.As(apptest.Editor).UserID]["spaces"])
		assert.EqualValues(t, 0, users[on.As(apptest.Editor).UserID]["teams"])
		assert.Equal(t, "comment", users[on.As(apptest.Commenter).UserID]["role"])
		page := reader.REST(t, http.MethodGet, parent+"/commenters?limit=2", nil).Object(t, http.StatusOK)
		rest := reader.REST(t, http.MethodGet, parent+"/commenters?page="+url.QueryEscape(page["next"].(map[string]any)["page"].(string)), nil).Object(t, http.StatusOK)
		assert.Len(t, ids(rest), 1)
		assert.Equal(t, 404, on.As(apptest.Stranger).REST(t, http.MethodGet, parent+"/commenters", nil).Status)
	})
}

// statements counts those of a request.
func statements(t testing.TB, on *discussed, caller apptest.Caller, method, path, body string) int64 {
	t.Helper()
	var counter atomic.Int64
	request := httptest.NewRequestWithContext(database.CountStatements(t.Context(), &counter), method, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+on.As(caller).Token)
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	on.App.Handler().ServeHTTP(recorder, request)
	require.Equal(t, http.StatusOK, recorder.Code, "%s", recorder.Body)
	require.NotContains(t, recorder.Body.String(), `"errors"`)
	return counter.Load()
}

// fill writes comments with what can be loaded with them, each by others.
func fill(t testing.TB, on *discussed, parent string, count int) {
	t.Helper()
	callers := []apptest.Caller{apptest.Admin, apptest.Creator, apptest.Reviewer, apptest.Editor, apptest.Commenter}
	for index := range count {
		thread := on.post(t, callers[index%5], parent, markdown("x"))
		path := parent + "/comments/" + thread
		on.reply(t, callers[(index+1)%5], parent, thread, "y")
		on.As(callers[(index+2)%5]).REST(t, http.MethodPut, path, map[string]any{"addedReactions": []string{"a"}}).Object(t, http.StatusOK)
		if index%2 == 0 {
			on.As(apptest.Admin).REST(t, http.MethodPut, path, map[string]any{"resolved": true}).Object(t, http.StatusOK)
		}
	}
}

func TestListCostsAConstantNumberOfStatements(t *testing.T) {
	t.Parallel()
	eachParent(t, func(t *testing.T, on *discussed, parent string) {
		fill(t, on, parent, 100)
		// The caller (3), the space, the change request, the comments, their
		// number, authors, reactions, repliers, and the people that those name
		// and the authors were not; people may come in two batches.
		const limit = 14
		few := statements(t, on, apptest.Commenter, http.MethodGet, "/v1"+parent+"/comments?limit=5", "")
		many := statements(t, on, apptest.Commenter, http.MethodGet, "/v1"+parent+"/comments?limit=100", "")
		t.Logf("%d statements for 5 comments, %d for 100", few, many)
		assert.LessOrEqual(t, few, int64(limit))
		assert.LessOrEqual(t, many, int64(limit))
		commenters := statements(t, on, apptest.Commenter, http.MethodGet, "/v1"+parent+"/commenters", "")
		t.Logf("%d statements for the commenters", commenters)
		assert.LessOrEqual(t, commenters, int64(limit))
	})
}

func TestNestedListsAreReadTogether(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		first, second := discuss(t, server), discuss(t, server)
		fill(t, first, first.onSpace, 7)
		fill(t, second, second.onSpace, 3)
		fill(t, second, second.onChangeRequest, 2)
		document := `query($id: ID!) { organization(id: $id) { spaces(first: 2) { nodes { id openComments
			comments(first: 2, order: ASC) { totalCount pageInfo { hasNextPage } nodes {
				id status postedBy { id } body { markdown document } target { space { id } changeRequest { id } page }
				repliers { user { id } } reactions { count users { user { id } } }
				replies(first: 1) { totalCount nodes { id comment { id } reactions { emoji } postedBy { id } } } } }
			commenters(first: 5) { totalCount nodes { user { id } spaceCount teamCount } }
			changeRequests(first: 1, filter: {status: DRAFT}) { nodes { openComments comments(first: 2) { totalCount nodes { id target { changeRequest { id } } } } commenters(first: 1) { totalCount } } }
		} } } }`
		data := server.As(apptest.Reader).Query(t, document, map[string]any{"id": server.OrganizationID})
		spaces := data["organization"].(map[string]any)["spaces"].(map[string]any)["nodes"].([]any)
		require.Len(t, spaces, 2)
		expected := map[string]float64{first.spaceID: 7, second.spaceID: 3}
		for _, item := range spaces {
			node := item.(map[string]any)
			comments := node["comments"].(map[string]any)
			assert.Equal(t, expected[node["id"].(string)], comments["totalCount"])
			assert.Len(t, comments["nodes"], 2)
			assert.Equal(t, true, comments["pageInfo"].(map[string]any)["hasNextPage"])
			for _, one := range comments["nodes"].([]any) {
				thread := one.(map[string]any)
				assert.Equal(t, node["id"], thread["target"].(map[string]any)["space"].(map[string]any)["id"])
				replies := thread["replies"].(map[string]any)
				assert.EqualValues(t, 1, replies["totalCount"])
				assert.Equal(t, thread["id"], replies["nodes"].([]any)[0].(map[string]any)["comment"].(map[string]any)["id"])
			}
			branch := node["changeRequests"].(map[string]any)["nodes"].([]any)[0].(map[string]any)
			if node["id"] == second.spaceID {
				assert.EqualValues(t, 2, branch["comments"].(map[string]any)["totalCount"])
				assert.EqualValues(t, 1, branch["openComments"])
			} else {
				assert.EqualValues(t, 0, branch["comments"].(map[string]any)["totalCount"])
			}
		}
		body := fmt.Sprintf(`{"query":%q,"variables":{"id":%q}}`, strings.Join(strings.Fields(document), " "), server.OrganizationID)
		counted := statements(t, first, apptest.Reader, http.MethodPost, "/graphql", body)
		t.Logf("%d statements", counted)
		assert.LessOrEqual(t, counted, int64(40))
	})
}

func TestMutationsOverGraphQL(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		on := discuss(t, server)
		client := on.As(apptest.Commenter)
		posted := client.Query(t, `mutation($space: ID!, $document: Document!) {
			postComment(input: {space: $space, changeRequest: "1", page: "pag_welcome", body: {document: $document}}) {
				comment { id body { isDocument markdown } target { changeRequest { number } } permissions { edit reply delete } } } }`,
			map[string]any{"space": on.spaceID, "document": paragraph("Hello")})["postComment"].(map[string]any)["comment"].(map[string]any)
		assert.Equal(t, true, posted["body"].(map[string]any)["isDocument"])
		assert.EqualValues(t, 1, posted["target"].(map[string]any)["changeRequest"].(map[string]any)["number"])
		id := posted["id"].(string)
		replied := client.Query(t, `mutation($id: ID!) { postCommentReply(input: {comment: $id, body: {markdown: "y"}}) { commentReply { id comment { replyCount } } } }`,
			map[string]any{"id": id})["postCommentReply"].(map[string]any)["commentReply"].(map[string]any)
		assert.EqualValues(t, 1, replied["comment"].(map[string]any)["replyCount"])
		data := client.Query(t, `mutation($id: ID!) { updateCommentReply(input: {commentReply: $id, resolved: true, addedReactions: ["a"]}) { commentReply { reactions { emoji count } comment { status resolvedBy { id } } } } }`,
			map[string]any{"id": replied["id"]})["updateCommentReply"].(map[string]any)["commentReply"].(map[string]any)
		assert.Equal(t, []any{map[string]any{"emoji": "a", "count": 1.0}}, data["reactions"])
		assert.Equal(t, map[string]any{"status": "RESOLVED", "resolvedBy": map[string]any{"id": client.UserID}}, data["comment"])
		for _, test := range []struct {
			document string
			caller   apptest.Caller
			code     string
		}{
			{`mutation { deleteComment(input: {comment: "` + id + `"}) { deleted } }`, apptest.Editor, "FORBIDDEN"},
			{`mutation { deleteComment(input: {comment: "` + id + `"}) { deleted } }`, apptest.ReadToken, "FORBIDDEN"},
			{`mutation { deleteComment(input: {comment: "` + id + `"}) { deleted } }`, apptest.Anonymous, "UNAUTHENTICATED"},
			{`mutation { updateComment(input: {comment: "` + id + `", body: {markdown: "z"}}) { comment { id } } }`, apptest.Stranger, "NOT_FOUND"},
			{`{ comment(id: "` + id + `") { id } }`, apptest.Guest, "NOT_FOUND"},
			{`{ commentReply(id: "` + replied["id"].(string) + `") { id } }`, apptest.Stranger, "NOT_FOUND"},
			{`{ comment(id: "\u0000") { id } }`, apptest.Admin, "NOT_FOUND"},
		} {
			assert.Equal(t, test.code, on.As(test.caller).GraphQL(t, test.document, nil).Code(), "%s as %s", test.document, test.caller)
		}
		deleted := client.Query(t, `mutation($id: ID!) { first: deleteComment(input: {comment: $id}) { deleted } again: deleteComment(input: {comment: $id}) { deleted } }`, map[string]any{"id": id})
		assert.Equal(t, map[string]any{"first": map[string]any{"deleted": true}, "again": map[string]any{"deleted": false}}, deleted)
	})
}
