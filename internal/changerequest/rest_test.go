package changerequest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/edit"
)

func change(operation string, more map[string]any) map[string]any {
	more["operation"] = operation
	return map[string]any{"changes": []any{more}}
}

func TestContentIsEditedAndMergedOverREST(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID, pages := newSpace(t, server, "# One\n\nFirst.\n")
		changeRequest := newChangeRequest(t, server, spaceID)
		admin, path := server.As(apptest.Admin), "/spaces/"+spaceID+"/change-requests/1"
		document := map[string]any{"object": "document", "data": map[string]any{}, "nodes": []any{map[string]any{
			"object": "block", "type": "paragraph", "nodes": []any{map[string]any{
				"object": "text", "leaves": []any{map[string]any{"object": "leaf", "text": "As a document.", "marks": []any{}}},
			}},
		}}}
		full := admin.REST(t, http.MethodPost, path+"/content?compat=false", map[string]any{"changes": []any{
			map[string]any{"operation": "insert_page", "title": "New", "ref": "new", "document": map[string]any{"document": document}},
			map[string]any{"operation": "insert_files", "files": []any{map[string]any{"name": "note.txt", "contentType": "text/plain", "base64": "aGVsbG8="}}},
			map[string]any{"operation": "update_page", "page": pages[0], "document": map[string]any{"markdown": "# One\n\nOurs.\n"}},
		}})
		body := full.Object(t, http.StatusOK)
		outcomes := body["changes"].([]any)
		require.Len(t, outcomes, 2)
		assert.Equal(t, "created_page", outcomes[0].(map[string]any)["object"])
		assert.Equal(t, "new", outcomes[0].(map[string]any)["ref"])
		assert.Equal(t, "updated_page", outcomes[1].(map[string]any)["object"])
		assert.EqualValues(t, 5, body["insertedFiles"].([]any)[0].(map[string]any)["size"])
		head := body["changeRequest"].(map[string]any)["revision"].(string)
		assert.Equal(t, `"`+head+`"`, full.Header.Get("ETag"))

		changes := admin.REST(t, http.MethodGet, path+"/changes?limit=1", nil).Object(t, http.StatusOK)
		assert.Len(t, changes["changes"], 1)
		assert.EqualValues(t, 2, changes["more"])

		stale := admin.REST(t, http.MethodPost, path+"/content", change("delete_page", map[string]any{"page": pages[0]}), "If-Match", `"rev_other"`).Object(t, http.StatusConflict)
		assert.Equal(t, head, stale["error"].(map[string]any)["revision"])
		assert.Equal(t, http.StatusBadRequest, admin.REST(t, http.MethodPost, path+"/merge", nil, "If-Match", "no quotes").Status)

		live := admin.REST(t, http.MethodPost, "/spaces/"+spaceID+"/content",
			change("update_page", map[string]any{"page": pages[0], "document": map[string]any{"markdown": "# One\n\nTheirs.\n"}})).Object(t, http.StatusOK)
		assert.NotEmpty(t, live["revision"])
		assert.Equal(t, map[string]any{"revision": head, "result": "conflicts"},
			admin.REST(t, http.MethodPost, path+"/merge", nil).Object(t, http.StatusOK))
		preview := admin.REST(t, http.MethodGet, path+"/merge-preview", nil).Object(t, http.StatusOK)
		assert.Equal(t, false, preview["mergeable"])
		conflicts := admin.REST(t, http.MethodGet, path+"/conflicts", nil).Object(t, http.StatusOK)
		require.Len(t, conflicts["items"], 1)
		conflict := conflicts["items"].([]any)[0].(map[string]any)
		assert.Equal(t, map[string]any{"markdown": "Ours."}, conflict["ours"])
		resolved := admin.REST(t, http.MethodPost, path+"/conflicts/resolve", map[string]any{"resolutions": []any{
			map[string]any{"conflict": conflict["id"], "choice": "both"},
		}}).Object(t, http.StatusOK)
		assert.Equal(t, "update", resolved["result"])
		assert.Equal(t, resolved["revision"], admin.REST(t, http.MethodPost, path+"/update", nil).Object(t, http.StatusOK)["revision"])
		result := admin.REST(t, http.MethodPost, path+"/merge", nil).Object(t, http.StatusOK)
		assert.Equal(t, "merge", result["result"])
		assert.Equal(t, "# One\n\nOurs.\n\nTheirs.\n", mainText(t, server, spaceID, pages[0]))

		semantic := admin.REST(t, http.MethodGet, "/spaces/"+spaceID+"/revisions/"+result["revision"].(string)+"/changes", nil).Object(t, http.StatusOK)
		assert.Equal(t, changeRequest, semantic["mergedFrom"].(map[string]any)["id"])
		assert.Equal(t, http.StatusPreconditionFailed, admin.REST(t, http.MethodPost, path+"/merge", nil).Status)
		reverted := admin.REST(t, http.MethodPost, path+"/revert", nil).Object(t, http.StatusOK)
		assert.Equal(t, "rollback", reverted["result"])
		assert.Equal(t, "# One\n\nTheirs.\n", mainText(t, server, spaceID, pages[0]))
		assert.Equal(t, http.StatusConflict, admin.REST(t, http.MethodPost, path+"/revert", nil).Status)
	})
}

func TestAPageIsFoundWhereItWas(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID, pages := newSpace(t, server, "# One\n")
		changeRequest := newChangeRequest(t, server, spaceID)
		admin := server.As(apptest.Admin)
		admin.REST(t, http.MethodPost, "/spaces/"+spaceID+"/change-requests/1/content",
			change("update_page", map[string]any{"page": pages[0], "slug": "first"})).Object(t, http.StatusOK)
		merged(t, server, changeRequest)
		for _, path := range []string{"first", "one"} {
			page := admin.REST(t, http.MethodGet, "/spaces/"+spaceID+"/content/path/"+path, nil).Object(t, http.StatusOK)
			assert.Equal(t, pages[0], page["id"])
			assert.Equal(t, "first", page["path"])
		}
		found := admin.Query(t, `query($id: ID!) { space(id: $id) { revision {
			pageByPath(path: "one") { id } redirects { totalCount nodes { path page { id } } }
		} } }`, map[string]any{"id": spaceID})["space"].(map[string]any)["revision"]
		one := map[string]any{"id": pages[0]}
		assert.Equal(t, map[string]any{"pageByPath": one, "redirects": map[string]any{
			"totalCount": float64(1), "nodes": []any{map[string]any{"path": "one", "page": one}},
		}}, found)
	})
}

func TestConflictsOfARevertAreAnswered(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID, pages := newSpace(t, server, "# One\n\nFirst.\n")
		admin := server.As(apptest.Admin)
		mergeAndChange := func() (changeRequest string) {
			changeRequest = newChangeRequest(t, server, spaceID)
			edited(t, server, changeRequest, write(pages[0], "# One\n\nMerged.\n"))
			merged(t, server, changeRequest)
			_, _, err := server.App.Spaces.EditContent(server.Context(t, apptest.Admin), spaceID, []edit.Change{write(pages[0], "# One\n\nLater.\n")}, nil)
			require.NoError(t, err)
			return changeRequest
		}
		path := "/spaces/" + spaceID + "/change-requests/" + mergeAndChange() + "/revert"
		reported := admin.REST(t, http.MethodPost, path, nil).Object(t, http.StatusOK)
		assert.Equal(t, "conflicts", reported["result"])
		conflict := reported["conflicts"].([]any)[0].(map[string]any)["id"]
		answered := admin.REST(t, http.MethodPost, path, map[string]any{"resolutions": []any{
			map[string]any{"conflict": conflict, "choice": "custom", "value": map[string]any{"markdown": "Both."}},
		}}).Object(t, http.StatusOK)
		assert.Equal(t, "rollback", answered["result"])
		assert.Equal(t, "# One\n\nBoth.\n", mainText(t, server, spaceID, pages[0]))

		const revert = `mutation($id: ID!, $answers: [ConflictResolutionInput!]) {
			revertMerge(input: {changeRequest: $id, resolutions: $answers}) { result conflicts { id } }
		}`
		variables := map[string]any{"id": mergeAndChange()}
		outcome := admin.Query(t, revert, variables)["revertMerge"].(map[string]any)
		variables["answers"] = []any{map[string]any{"conflict": outcome["conflicts"].([]any)[0].(map[string]any)["id"], "choice": "THEIRS"}}
		outcome = admin.Query(t, revert, variables)["revertMerge"].(map[string]any)
		assert.Equal(t, map[string]any{"result": "ROLLBACK", "conflicts": []any{}}, outcome)
		assert.Equal(t, "# One\n\nBoth.\n", mainText(t, server, spaceID, pages[0]))
	})
}

// TestSingleBlocksAreReverted names blocks by the keys that the document of the
// page has.
func TestSingleBlocksAreReverted(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID, pages := newSpace(t, server, "# One\n\nFirst.\n\nSecond.\n")
		changeRequest := newChangeRequest(t, server, spaceID)
		edited(t, server, changeRequest, write(pages[0], "# One\n\nFirst!\n\nSecond!\n\nThird!\n"))
		admin, path := server.As(apptest.Admin), "/spaces/"+spaceID+"/change-requests/1/content"
		keys := func(expected int) []any {
			document := admin.REST(t, http.MethodGet, path+"/page/"+pages[0]+"?format=document", nil).Object(t, http.StatusOK)["document"].(map[string]any)
			var keys []any
			for _, node := range document["nodes"].([]any) {
				keys = append(keys, node.(map[string]any)["key"])
			}
			require.Len(t, keys, expected)
			return keys
		}
		markdown := func() any {
			return admin.REST(t, http.MethodGet, path+"/page/"+pages[0]+"?format=markdown", nil).Object(t, http.StatusOK)["markdown"]
		}
		admin.REST(t, http.MethodPost, path, change("revert_page", map[string]any{"page": pages[0], "block": keys(3)[1:2]})).Object(t, http.StatusOK)
		assert.Equal(t, "First!\n\nSecond.\n\nThird!\n", markdown())
		admin.Query(t, `mutation($id: ID!, $page: ID!, $blocks: [String!]!) {
			updateChangeRequestContent(input: {changeRequest: $id, changes: [{revertPage: {page: $page, blocks: $blocks}}]}) { revision { id } }
		}`, map[string]any{"id": changeRequest, "page": pages[0], "blocks": keys(3)[2:]})
		assert.Equal(t, "First!\n\nSecond.\n", markdown())
		for _, block := range [][]any{{}, {"unknown"}} {
			refused := admin.REST(t, http.MethodPost, path, change("revert_page", map[string]any{"page": pages[0], "block": block}))
			assert.Equal(t, http.StatusBadRequest, refused.Status)
		}
	})
}

func TestMergeOverGraphQLShowsConflicts(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID, pages := newSpace(t, server, "# One\n\nFirst.\n")
		changeRequest := newChangeRequest(t, server, spaceID)
		admin := server.As(apptest.Admin)
		data := admin.Query(t, `mutation($id: ID!, $page: ID!) {
			updateChangeRequestContent(input: {changeRequest: $id, changes: [
				{updatePage: {page: $page, document: {markdown: "# One\n\nOurs.\n"}, emoji: "1f600"}}
				{insertPage: {document: {markdown: "# Two\n"}, into: $page, ref: "two"}}
			]}) { pages { kind ref page { title parent { id } } } files { id } revision { id changes { totalCount nodes { type addedLines page { title } attributes { name before after } } } } }
		}`, map[string]any{"id": changeRequest, "page": pages[0]})["updateChangeRequestContent"].(map[string]any)
		assert.Equal(t, map[string]any{"kind": "CREATED", "ref": "two", "page": map[string]any{
			"title": "Two", "parent": map[string]any{"id": pages[0]},
		}}, data["pages"].([]any)[1])
		_, _, err := server.App.Spaces.EditContent(server.Context(t, apptest.Admin), spaceID, []edit.Change{write(pages[0], "# One\n\nTheirs.\n")}, nil)
		require.NoError(t, err)
		merge := admin.Query(t, `mutation($id: ID!) { mergeChangeRequest(input: {changeRequest: $id}) {
			result conflicts { kind page { id } block base ours theirs choices } changeRequest { status mergePreview { mergeable unmetRules { rule } conflicts { id } changes { type } } }
		} }`, map[string]any{"id": changeRequest})["mergeChangeRequest"].(map[string]any)
		assert.Equal(t, "CONFLICTS", merge["result"])
		assert.Equal(t, map[string]any{
			"kind": "BODY_BLOCK", "page": map[string]any{"id": pages[0]}, "block": float64(1),
			"base": "First.", "ours": "Ours.", "theirs": "Theirs.",
			"choices": []any{"OURS", "THEIRS", "BASE", "BOTH", "CUSTOM"},
		}, merge["conflicts"].([]any)[0])
		revisions := admin.Query(t, `query($id: ID!) { space(id: $id) { revisions(first: 2) { totalCount nodes { type } pageInfo { hasNextPage } } } }`, map[string]any{"id": spaceID})
		assert.Equal(t, map[string]any{"revisions": map[string]any{
			"totalCount": float64(3), "nodes": []any{map[string]any{"type": "EDITS"}, map[string]any{"type": "EDITS"}}, "pageInfo": map[string]any{"hasNextPage": true},
		}}, revisions["space"])
	})
}
