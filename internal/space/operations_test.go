package space_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/ent/member"
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/space"
	"octavo/internal/structure"
)

func create(t *testing.T, server *apptest.Server, title string) string {
	t.Helper()
	return server.As(apptest.Admin).REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces",
		map[string]any{"title": title}).Object(t, http.StatusCreated)["id"].(string)
}

func TestUpdateSpace(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		id := create(t, server, "Guide")
		long := "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"
		for _, test := range []struct {
			name    string
			caller  apptest.Caller
			body    map[string]any
			status  int
			message string
		}{
			{"Title", apptest.Creator, map[string]any{"title": "Manual", "emoji": "1f4d8", "language": "pt-br"}, 200, ""},
			{"RemoveLanguage", apptest.Creator, map[string]any{"language": nil}, 200, ""},
			{"Settings", apptest.Admin, map[string]any{"defaultLevel": "create", "editMode": "live", "mergeRules": map[string]any{"type": "none"}}, 200, ""},
			{"Nothing", apptest.Creator, map[string]any{}, 200, ""},
			{"SettingsNeedAdmin", apptest.Reviewer, map[string]any{"defaultLevel": "admin"}, 403, "this needs the role admin in the space"},
			{"LevelDecidesForMembers", apptest.Editor, map[string]any{"emoji": "1f4d8"}, 200, ""},
			{"Lower", apptest.Admin, map[string]any{"defaultLevel": "read"}, 200, ""},
			{"NowEveryoneReads", apptest.Creator, map[string]any{"title": "x"}, 403, "this needs the role create in the space"},
			{"NoAccess", apptest.Admin, map[string]any{"defaultLevel": nil}, 200, ""},
			{"NowNobodySees", apptest.Creator, map[string]any{"title": "x"}, 404, "space not found"},
			{"Back", apptest.Admin, map[string]any{"defaultLevel": "create"}, 200, ""},
			{"ReadTokenMayNot", apptest.ReadToken, map[string]any{"title": "x"}, 403, `the access token lacks the scope "write"`},
			{"StrangerSeesNothing", apptest.Stranger, map[string]any{"title": "x"}, 404, "space not found"},
			{"TitleTooLong", apptest.Admin, map[string]any{"title": long}, 400, "title: at most 50 characters, got 52"},
			{"UnknownLanguage", apptest.Admin, map[string]any{"language": "xx"}, 400, `language: "xx" is not a language code that is supported`},
			{"UnknownLevel", apptest.Admin, map[string]any{"defaultLevel": "king"}, 400, `defaultLevel: "king" is not one of admin, create, review, edit, comment, read, inherit`},
			{"UnknownMode", apptest.Admin, map[string]any{"editMode": "wild"}, 400, `editMode: "wild" is not one of live, locked`},
			{"WrongType", apptest.Admin, map[string]any{"title": 7}, 400, "title: a string is expected, got a number"},
			{"UnknownRule", apptest.Admin, map[string]any{"mergeRules": map[string]any{"type": "rules", "rules": []any{map[string]any{"rule": "luck"}}}}, 400, `mergeRules.rules.rule: "luck" is not a merge rule`},
		} {
			t.Run(test.name, func(t *testing.T) {
				response := server.As(test.caller).REST(t, http.MethodPatch, "/spaces/"+id, test.body)
				body := response.Object(t, test.status)
				if test.message != "" {
					assert.Equal(t, test.message, body["error"].(map[string]any)["message"])
				}
			})
		}
		updated := server.As(apptest.Reader).REST(t, http.MethodGet, "/spaces/"+id, nil).Object(t, http.StatusOK)
		assert.Equal(t, "Manual", updated["title"])
		assert.Equal(t, "1f4d8", updated["emoji"])
		assert.Equal(t, "live", updated["editMode"])
		assert.Equal(t, "create", updated["defaultLevel"])
		assert.NotContains(t, updated, "language")
	})
}

func TestMergeRulesNameMembers(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		path, field := "/spaces/"+create(t, server, "Guide"), "mergeRules.rules.users: "
		reviewer, editor, stranger := server.As(apptest.Reviewer).UserID, server.As(apptest.Editor).UserID, server.As(apptest.Stranger).UserID
		ctx := access.System(t.Context(), "test")
		require.NoError(t, server.App.Database.Client(ctx).Member.Update().Where(member.UserID(editor)).SetDisabled(true).Exec(ctx))
		for _, test := range []struct {
			name    string
			users   []string
			message string
		}{
			{"Members", []string{reviewer, server.As(apptest.Guest).UserID, reviewer}, ""},
			{"StrangerAmongThem", []string{reviewer, stranger}, `"` + stranger + `" is not an active member of the organization`},
			{"DisabledMember", []string{editor}, `"` + editor + `" is not an active member of the organization`},
			{"Nobody", []string{"usr_00000000000000000000000000"}, `"usr_00000000000000000000000000" is not an active member of the organization`},
			{"NoID", []string{"a\x00b"}, `"a\x00b" is not the id of a user`},
		} {
			t.Run(test.name, func(t *testing.T) {
				rules := map[string]any{"type": "rules", "rules": []any{map[string]any{"rule": "require_one_of_specific_reviewers", "users": test.users}}}
				answer := server.As(apptest.Admin).REST(t, http.MethodPatch, path, map[string]any{"mergeRules": rules})
				if test.message == "" {
					answer.Object(t, http.StatusOK)
					return
				}
				assert.Equal(t, field+test.message, answer.Object(t, http.StatusBadRequest)["error"].(map[string]any)["message"])
			})
		}
		kept := server.As(apptest.Admin).REST(t, http.MethodGet, path, nil).Object(t, http.StatusOK)["mergeRules"].(map[string]any)["rules"].([]any)
		assert.Equal(t, []any{reviewer, server.As(apptest.Guest).UserID, reviewer}, kept[0].(map[string]any)["users"], "what was refused changed nothing")
	})
}

func TestDeleteRestorePurge(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		id := create(t, server, "Guide")
		admin, path := server.As(apptest.Admin), "/spaces/"+id
		assert.Equal(t, 200, admin.REST(t, http.MethodPost, path+"/restore", nil).Status)
		assert.Equal(t, 403, server.As(apptest.Reader).REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, 204, server.As(apptest.Stranger).REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, 205, admin.REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, 204, admin.REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, 404, server.As(apptest.Reader).REST(t, http.MethodGet, path, nil).Status)
		assert.Contains(t, admin.REST(t, http.MethodGet, path, nil).Object(t, 200), "deletedAt")
		assert.Equal(t, 404, admin.REST(t, http.MethodPatch, path, map[string]any{"title": "x"}).Status)
		list := admin.REST(t, http.MethodGet, "/orgs/"+server.OrganizationID+"/spaces", nil).Object(t, 200)
		assert.Empty(t, list["items"])

		assert.Equal(t, 404, server.As(apptest.Reader).REST(t, http.MethodPost, path+"/restore", nil).Status)
		assert.NotContains(t, admin.REST(t, http.MethodPost, path+"/restore", nil).Object(t, 200), "deletedAt")
		assert.Equal(t, 205, admin.REST(t, http.MethodDelete, path, nil).Status)

		purged, err := server.App.Spaces.Purge(t.Context(), time.Now())
		require.NoError(t, err)
		assert.Equal(t, 0, purged, "a space is kept for 7 days")
		purged, err = server.App.Spaces.Purge(t.Context(), time.Now().Add(space.Retention))
		require.NoError(t, err)
		assert.Equal(t, 1, purged)
		assert.Equal(t, 404, admin.REST(t, http.MethodPost, path+"/restore", nil).Status)
		left, err := server.App.Database.Client(t.Context()).Revision.Query().Count(access.System(t.Context(), "test"))
		require.NoError(t, err)
		assert.Zero(t, left)
	})
}

func TestDuplicateWritesNoContent(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		id := create(t, server, "A title of forty-eight characters, just about it")
		ctx := access.System(t.Context(), "test")
		before, err := server.App.Database.Client(ctx).ContentObject.Query().Count(ctx)
		require.NoError(t, err)
		response := server.As(apptest.Creator).REST(t, http.MethodPost, "/spaces/"+id+"/duplicate", nil)
		copied := response.Object(t, http.StatusCreated)
		assert.Equal(t, "A title of forty-eight characters, just abo (copy)", copied["title"])
		assert.Equal(t, copied["urls"].(map[string]any)["location"], response.Header.Get("Location"))
		after, err := server.App.Database.Client(ctx).ContentObject.Query().Count(ctx)
		require.NoError(t, err)
		assert.Equal(t, before, after)
		assert.Equal(t, 403, server.As(apptest.Reviewer).REST(t, http.MethodPost, "/spaces/"+id+"/duplicate", nil).Status)
	})
}

func collectionOf(t *testing.T, server *apptest.Server, organizationID string, caller apptest.Caller) string {
	t.Helper()
	ctx := server.Context(t, caller)
	client := server.App.Database.Client(ctx)
	made, err := client.Collection.Create().SetOrganizationID(organizationID).SetTitle("Group").SetPosition("i").Save(ctx)
	require.NoError(t, err)
	require.NoError(t, client.CollectionAncestor.Create().SetOrganizationID(organizationID).
		SetCollectionID(made.ID).SetAncestorID(made.ID).SetDistance(0).Exec(ctx))
	return made.ID
}

func TestMoveSpace(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		first, second, third := create(t, server, "1"), create(t, server, "2"), create(t, server, "3")
		collection := collectionOf(t, server, server.OrganizationID, apptest.Admin)
		foreign := collectionOf(t, server, server.OtherOrganizationID, apptest.Stranger)
		before := func(id string) map[string]any {
			return map[string]any{"position": map[string]any{"before": map[string]any{"type": "space", "space": id}}}
		}
		after := func(id string) map[string]any {
			return map[string]any{"position": map[string]any{"after": map[string]any{"type": "space", "space": id}}}
		}
		for _, test := range []struct {
			name   string
			caller apptest.Caller
			body   map[string]any
			status int
			code   string
		}{
			{"Before", apptest.Creator, before(first), 200, ""},
			{"BeforeAgain", apptest.Creator, before(first), 409, "NO_CHANGE"},
			{"After", apptest.Creator, after(first), 200, ""},
			{"AfterAgain", apptest.Creator, after(first), 409, "NO_CHANGE"},
			{"Nothing", apptest.Creator, map[string]any{}, 409, "NO_CHANGE"},
			{"BesideItself", apptest.Creator, before(third), 400, "INVALID_POSITION"},
			{"BesideUnknown", apptest.Creator, before("spc_unknown"), 400, "INVALID_POSITION"},
			{"Both", apptest.Creator, map[string]any{"position": map[string]any{
				"before": map[string]any{"type": "space", "space": first}, "after": map[string]any{"type": "space", "space": second}}}, 400, ""},
			{"UnknownCollection", apptest.Creator, map[string]any{"parent": "col_unknown"}, 404, ""},
			{"ForeignCollection", apptest.Creator, map[string]any{"parent": foreign}, 404, ""},
			{"Editor", apptest.Editor, before(second), 403, ""},
			{"Stranger", apptest.Stranger, before(second), 404, ""},
			{"IntoCollection", apptest.Creator, map[string]any{"parent": collection}, 200, ""},
			{"IntoCollectionAgain", apptest.Creator, map[string]any{"parent": collection}, 409, ""},
			{"BesideSomethingElsewhere", apptest.Creator, before(first), 400, ""},
			{"ToTheTop", apptest.Creator, map[string]any{"parent": nil}, 200, ""},
		} {
			t.Run(test.name, func(t *testing.T) {
				response := server.As(test.caller).REST(t, http.MethodPost, "/spaces/"+third+"/move", test.body)
				require.Equal(t, test.status, response.Status, "%s", response.Body)
			})
		}
	})
}

func TestConcurrentMovesKeepOneOrder(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ids := make([]string, 6)
		for index := range ids {
			ids[index] = create(t, server, fmt.Sprint(index))
		}
		ctx := server.Context(t, apptest.Admin)
		var group sync.WaitGroup
		for round := range 30 {
			group.Go(func() {
				moved, beside := ids[round%6], ids[(round*5+1)%6]
				if moved == beside {
					return
				}
				// A move to where the space stands already is refused; every
				// other one succeeds.
				if _, err := server.App.Spaces.Move(ctx, moved, structure.Move{Before: beside}); err != nil {
					assert.ErrorContains(t, err, "stands there already")
				}
			})
		}
		group.Wait()
		rows, err := server.App.Database.Client(ctx).Space.Query().All(ctx)
		require.NoError(t, err)
		seen := map[string]bool{}
		for _, row := range rows {
			assert.False(t, seen[row.Position], "two spaces share the position %s", row.Position)
			seen[row.Position] = true
		}
		require.Len(t, seen, 6)
	})
}

func TestTransferSpace(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		id := create(t, server, "Guide")
		path, admin := "/spaces/"+id+"/transfer", server.As(apptest.Admin)
		ctx := access.System(t.Context(), "test")
		assert.Equal(t, 409, admin.REST(t, http.MethodPost, path, map[string]any{"organization": server.OrganizationID}).Status)
		assert.Equal(t, 404, admin.REST(t, http.MethodPost, path, map[string]any{"organization": server.OtherOrganizationID}).Status)
		member := server.App.Database.Client(ctx).Member.Create().SetOrganizationID(server.OtherOrganizationID).SetUserID(admin.UserID)
		require.NoError(t, member.SetRole(access.Create).Exec(ctx))
		assert.Equal(t, 404, server.As(apptest.Creator).REST(t, http.MethodPost, "/spaces/unknown/transfer", map[string]any{"organization": "x"}).Status)
		assert.Equal(t, 403, server.As(apptest.Creator).REST(t, http.MethodPost, path, map[string]any{"organization": server.OtherOrganizationID}).Status)
		client := server.App.Database.Client(ctx)
		require.NoError(t, client.Space.UpdateOneID(id).SetGitSync([]byte(`{"state":"running"}`)).Exec(ctx))
		assert.Equal(t, 412, admin.REST(t, http.MethodPost, path, map[string]any{"organization": server.OtherOrganizationID}).Status)
		require.NoError(t, client.Space.UpdateOneID(id).ClearGitSync().Exec(ctx))
		transferred := admin.REST(t, http.MethodPost, path, map[string]any{"organization": server.OtherOrganizationID}).Object(t, 200)
		assert.Equal(t, server.OtherOrganizationID, transferred["organization"])
		assert.Equal(t, 404, server.As(apptest.Reader).REST(t, http.MethodGet, "/spaces/"+id, nil).Status)
		assert.Equal(t, 200, server.As(apptest.Stranger).REST(t, http.MethodGet, "/spaces/"+id, nil).Status)
		revisions, err := client.Revision.Query().All(ctx)
		require.NoError(t, err)
		for _, revision := range revisions {
			assert.Equal(t, server.OtherOrganizationID, revision.OrganizationID)
		}
	})
}

func TestSpacesAreListedInTheirOrder(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		first, second, third := create(t, server, "1"), create(t, server, "2"), create(t, server, "3")
		move := map[string]any{"position": map[string]any{"before": map[string]any{"type": "space", "space": first}}}
		server.As(apptest.Admin).REST(t, http.MethodPost, "/spaces/"+third+"/move", move).JSON(t, http.StatusOK, nil)
		var listed []string
		for page := "?limit=2"; page != ""; {
			var list struct {
				Items []struct{ ID string }
				Next  *struct{ Page string }
			}
			server.As(apptest.Reader).REST(t, http.MethodGet, "/orgs/"+server.OrganizationID+"/spaces"+page, nil).JSON(t, http.StatusOK, &list)
			for _, item := range list.Items {
				listed = append(listed, item.ID)
			}
			page = ""
			if list.Next != nil {
				page = "?limit=2&page=" + list.Next.Page
			}
		}
		assert.Equal(t, []string{third, first, second}, listed)
	})
}
