package organization_test

import (
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/ent/member"
	"octavo/ent/permission"
	"octavo/ent/requestedreviewer"
	"octavo/ent/teammember"
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/audit"
	"octavo/internal/fault"
)

func emails(t *testing.T, client *apptest.Client, path, query string) []string {
	t.Helper()
	listed := client.REST(t, http.MethodGet, path+"?"+query, nil).Object(t, http.StatusOK)
	found := []string{}
	for _, item := range listed["items"].([]any) {
		found = append(found, item.(object)["user"].(object)["email"].(string))
	}
	return found
}

func TestListMembers(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		reader, path := server.As(apptest.Reader), "/orgs/"+server.OrganizationID+"/members"
		all := emails(t, reader, path, "order=asc")
		require.Len(t, all, 7)
		assert.Equal(t, "admin@example.com", all[0], "who joined first")
		assert.Equal(t, all[6], emails(t, reader, path, "")[0], "the latest first")
		assert.Equal(t, []string{"guest@example.com"}, emails(t, reader, path, "role=guest"))
		assert.Equal(t, []string{"review@example.com"}, emails(t, reader, path, "role=review"))
		assert.Equal(t, []string{"comment@example.com"}, emails(t, reader, path, "search=THE+COMM"), "by display name")
		assert.Len(t, emails(t, reader, path, "search=Example.COM"), 7, "by e-mail address")
		ctx := access.System(t.Context(), "test")
		server.App.Database.Client(ctx).User.UpdateOneID(reader.UserID).SetDisplayName("Élodie ΣΟΦΊΑ Жук").ExecX(ctx)
		for _, folded := range []string{"éLODIE", "Élodie", "σοφία", "ЖУК"} {
			assert.Equal(t, []string{"read@example.com"}, emails(t, reader, path, "search="+url.QueryEscape(folded)), folded)
		}
		for _, wild := range []string{"%", "_", `\`, "' OR 1=1 --"} {
			assert.Empty(t, emails(t, reader, path, "search="+url.QueryEscape(wild)), "%s is no pattern", wild)
		}
		for _, wrong := range []string{"role=owner", "sort=name", "order=up", "limit=1001", "page=x"} {
			assert.Equal(t, http.StatusBadRequest, reader.REST(t, http.MethodGet, path+"?"+wrong, nil).Status, wrong)
		}
		assert.Equal(t, http.StatusForbidden, server.As(apptest.Guest).REST(t, http.MethodGet, path, nil).Status)
		assert.Equal(t, http.StatusNotFound, server.As(apptest.Stranger).REST(t, http.MethodGet, path, nil).Status)
	})
}

func TestMembersBySeen(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ping, path := "/orgs/"+server.OrganizationID+"/ping", "/orgs/"+server.OrganizationID+"/members"
		assert.Empty(t, emails(t, server.As(apptest.Admin), path, "sort=lastSeenAt"), "nobody was seen")
		for _, caller := range []apptest.Caller{apptest.Reader, apptest.Guest, apptest.Admin, apptest.Reader} {
			assert.Empty(t, server.As(caller).REST(t, http.MethodPost, ping, nil).Object(t, http.StatusOK))
		}
		assert.Equal(t, http.StatusNotFound, server.As(apptest.Stranger).REST(t, http.MethodPost, ping, nil).Status)
		expected := []string{"read@example.com", "admin@example.com", "guest@example.com"}
		assert.Equal(t, expected, emails(t, server.As(apptest.Admin), path, "sort=lastSeenAt"))
		assert.Equal(t, []string{expected[2], expected[1], expected[0]}, emails(t, server.As(apptest.Admin), path, "sort=lastSeenAt&order=asc"))
		cursor := ""
		for _, email := range expected { // through pages of one
			listed := server.As(apptest.Admin).REST(t, http.MethodGet, path+"?sort=lastSeenAt&limit=1"+cursor, nil).Object(t, http.StatusOK)
			assert.Equal(t, email, listed["items"].([]any)[0].(object)["user"].(object)["email"])
			assert.EqualValues(t, 3, listed["count"])
			if next, more := listed["next"].(object); more {
				cursor = "&page=" + url.QueryEscape(next["page"].(string))
			}
		}
		assert.Equal(t, http.StatusBadRequest, server.As(apptest.Admin).REST(t, http.MethodGet, path+"?limit=1"+cursor, nil).Status, "a cursor of another order")
	})
}

func TestWhoSeesMembers(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		path := "/orgs/" + server.OrganizationID + "/members/"
		guest, reader := server.As(apptest.Guest), server.As(apptest.Reader)
		shown := guest.REST(t, http.MethodGet, path+guest.UserID, nil).Object(t, http.StatusOK)
		assert.Equal(t, guest.UserID, shown["id"])
		assert.Nil(t, shown["role"])
		assert.Equal(t, http.StatusNotFound, guest.REST(t, http.MethodGet, path+reader.UserID, nil).Status)
		assert.Equal(t, http.StatusNotFound, reader.REST(t, http.MethodGet, path+server.As(apptest.Stranger).UserID, nil).Status, "no member")
		foreign := "/orgs/" + server.OtherOrganizationID + "/members/" + server.As(apptest.Stranger).UserID
		for _, method := range []string{http.MethodGet, http.MethodPatch} {
			assert.Equal(t, http.StatusNotFound, server.As(apptest.Admin).REST(t, method, foreign, object{"role": "read"}).Status, "another organization")
		}
		assert.Equal(t, http.StatusNoContent, server.As(apptest.Admin).REST(t, http.MethodDelete, foreign, nil).Status)
		assert.Equal(t, http.StatusOK, server.As(apptest.Stranger).REST(t, http.MethodGet, foreign, nil).Status)
	})
}

func TestRolesOfMembers(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		admin, reader := server.As(apptest.Admin), server.As(apptest.Reader)
		path := "/orgs/" + server.OrganizationID + "/members/" + reader.UserID
		assert.Equal(t, "create", admin.REST(t, http.MethodPatch, path, object{"role": "create"}).Object(t, http.StatusOK)["role"])
		reader.REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", object{"title": "Mine"}).Object(t, http.StatusCreated)
		assert.Equal(t, "create", admin.REST(t, http.MethodPatch, path, object{}).Object(t, http.StatusOK)["role"], "nothing was asked for")
		assert.Nil(t, admin.REST(t, http.MethodPatch, path, object{"role": nil}).Object(t, http.StatusOK)["role"])
		assert.Empty(t, reader.REST(t, http.MethodGet, "/orgs/"+server.OrganizationID+"/spaces", nil).Object(t, http.StatusOK)["items"])
		for _, wrong := range []string{"owner", "inherit", "guest"} {
			assert.Equal(t, http.StatusBadRequest, admin.REST(t, http.MethodPatch, path, object{"role": wrong}).Status, wrong)
		}
		assert.Equal(t, true, admin.REST(t, http.MethodPost, path+"/sso", nil).Object(t, http.StatusOK)["sso"])
		assert.Equal(t, true, admin.REST(t, http.MethodPost, path+"/sso", nil).Object(t, http.StatusOK)["sso"])
		assert.Equal(t, []string{`{"role":"read"} {"role":"create"}`, `{"role":"create"} {"role":""}`, `{"sso":false} {"sso":true}`},
			entries(t, server, audit.MemberUpdated, reader.UserID))
	})
}

func TestTheLastAdministratorStays(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		admin, editor := server.As(apptest.Admin), server.As(apptest.Editor)
		path := "/orgs/" + server.OrganizationID + "/members/"
		assert.Equal(t, http.StatusPreconditionFailed, admin.REST(t, http.MethodPatch, path+admin.UserID, object{"role": "create"}).Status)
		assert.Equal(t, http.StatusPreconditionFailed, admin.REST(t, http.MethodDelete, path+admin.UserID, nil).Status)
		admin.REST(t, http.MethodPatch, path+editor.UserID, object{"role": "admin"}).Object(t, http.StatusOK)
		ctx := access.System(t.Context(), "test")
		server.App.Database.Client(ctx).Member.Update().Where(member.UserID(editor.UserID)).SetDisabled(true).ExecX(ctx)
		assert.Equal(t, http.StatusPreconditionFailed, admin.REST(t, http.MethodDelete, path+admin.UserID, nil).Status, "the other one is disabled")
		server.App.Database.Client(ctx).Member.Update().Where(member.UserID(editor.UserID)).SetDisabled(false).ExecX(ctx)
		assert.Equal(t, http.StatusResetContent, admin.REST(t, http.MethodDelete, path+admin.UserID, nil).Status, "an administrator may leave others behind")
	})
}

func TestAdministratorsWhoDemoteEachOther(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		everyone := []apptest.Caller{apptest.Admin, apptest.Creator, apptest.Reviewer, apptest.Editor}
		ctx := access.System(t.Context(), "test")
		client, services := server.App.Database.Client(ctx), server.App.Organizations
		for range 3 {
			for _, caller := range everyone {
				client.Member.Update().Where(member.OrganizationID(server.OrganizationID), member.UserID(server.As(caller).UserID)).SetRole(access.Admin).ExecX(ctx)
			}
			outcomes := make([]error, len(everyone))
			var group sync.WaitGroup
			for index, caller := range everyone {
				victim, asAdmin := server.As(everyone[(index+1)%len(everyone)]).UserID, server.Context(t, caller)
				group.Go(func() {
					_, outcomes[index] = services.UpdateMember(asAdmin, server.OrganizationID, victim, new(access.Read))
				})
			}
			group.Wait()
			left := client.Member.Query().Where(member.OrganizationID(server.OrganizationID), member.RoleEQ(access.Admin)).CountX(ctx)
			assert.Positive(t, left, "nobody administrates the organization")
			for _, err := range outcomes {
				if err != nil {
					assert.Contains(t, []fault.Code{fault.Forbidden, fault.NotAllowed}, fault.CodeOf(err), "%v", err)
				}
			}
		}
	})
}

func TestRemovingAMemberTakesWhatTheyWereGranted(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		admin, reviewer := server.As(apptest.Admin), server.As(apptest.Reviewer)
		made := admin.REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", object{"title": "Guide"}).Object(t, http.StatusCreated)["id"].(string)
		branch := server.As(apptest.Editor).REST(t, http.MethodPost, "/spaces/"+made+"/change-requests", object{"subject": "More"}).Object(t, http.StatusCreated)["id"].(string)
		reviewer.REST(t, http.MethodPost, "/spaces/"+made+"/comments", object{"body": object{"markdown": "Well."}}).Object(t, http.StatusOK)
		asked := server.As(apptest.Editor).REST(t, http.MethodPost, "/spaces/"+made+"/change-requests/"+branch+"/requested-reviewers", object{"users": []string{reviewer.UserID}})
		require.Equal(t, http.StatusOK, asked.Status)
		ctx := access.System(t.Context(), "test")
		client := server.App.Database.Client(ctx)
		team := client.Team.Create().SetOrganizationID(server.OrganizationID).SetTitle("Writers").SaveX(ctx)
		client.TeamMember.Create().SetOrganizationID(server.OrganizationID).SetTeamID(team.ID).SetUserID(reviewer.UserID).ExecX(ctx)
		client.Permission.Create().SetOrganizationID(server.OrganizationID).SetResourceID(made).SetPrincipalID(reviewer.UserID).SetRole(access.Admin).ExecX(ctx)

		path := "/orgs/" + server.OrganizationID + "/members/" + reviewer.UserID
		assert.Equal(t, http.StatusForbidden, server.As(apptest.Creator).REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, http.StatusResetContent, admin.REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, http.StatusNoContent, admin.REST(t, http.MethodDelete, path, nil).Status)
		assert.Zero(t, client.TeamMember.Query().Where(teammember.UserID(reviewer.UserID)).CountX(ctx))
		assert.Zero(t, client.Permission.Query().Where(permission.PrincipalID(reviewer.UserID)).CountX(ctx))
		assert.Zero(t, client.RequestedReviewer.Query().Where(requestedreviewer.UserID(reviewer.UserID)).CountX(ctx))
		comments := admin.REST(t, http.MethodGet, "/spaces/"+made+"/comments", nil).Object(t, http.StatusOK)["items"].([]any)
		require.Len(t, comments, 1, "what they wrote stays")
		assert.Equal(t, reviewer.UserID, comments[0].(object)["postedBy"].(object)["id"])
		assert.Len(t, entries(t, server, audit.MemberRemoved, reviewer.UserID), 1)
	})
}

func TestRemovedMembersReachNothingOnAnyServer(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		replica := server.Beside(t)
		admin, reader := server.As(apptest.Admin), replica.As(apptest.Reader)
		made := admin.REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", object{"title": "Guide", "editMode": "live"}).Object(t, http.StatusCreated)["id"].(string)
		path := "/spaces/" + made
		reader.REST(t, http.MethodGet, path, nil).Object(t, http.StatusOK)
		stream := reader.Subscribe(t, apptest.WebSocket, `subscription($space: ID!) { spaceContentUpdated(space: $space) { id } }`, object{"space": made})
		gone := admin.REST(t, http.MethodDelete, "/orgs/"+server.OrganizationID+"/members/"+reader.UserID, nil)
		require.Equal(t, http.StatusResetContent, gone.Status)
		assert.Equal(t, http.StatusNotFound, reader.REST(t, http.MethodGet, path, nil).Status, "at once")
		admin.REST(t, http.MethodPost, path+"/content", object{"changes": []object{{"operation": "insert_page", "title": "News", "document": object{"markdown": "Text.\n"}}}}).Object(t, http.StatusOK)
		stream.RequireEnd(t, "NOT_FOUND")
	})
}

func TestTeamsOfAMember(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		admin, reviewer, guest := server.As(apptest.Admin), server.As(apptest.Reviewer), server.As(apptest.Guest)
		for _, title := range []string{"Writers", "100% Pilots", "Writers of Ägina"} {
			admin.REST(t, http.MethodPut, "/orgs/"+server.OrganizationID+"/teams", object{"title": title, "members": []string{reviewer.UserID}}).Object(t, http.StatusCreated)
		}
		path := "/orgs/" + server.OrganizationID + "/members/" + reviewer.UserID + "/teams"
		titles := func(query string) (found []any) {
			for _, item := range server.As(apptest.Reader).REST(t, http.MethodGet, path+query, nil).Object(t, http.StatusOK)["items"].([]any) {
				assert.Equal(t, "member", item.(object)["member"].(object)["role"])
				found = append(found, item.(object)["team"].(object)["title"])
			}
			return found
		}
		assert.Equal(t, []any{"Writers", "100% Pilots", "Writers of Ägina"}, titles(""))
		assert.Equal(t, []any{"Writers", "Writers of Ägina"}, titles("?title=wRiTe"))
		assert.Equal(t, []any{"Writers of Ägina"}, titles("?title="+url.QueryEscape("ÄGINA")))
		assert.Equal(t, []any{"100% Pilots"}, titles("?title=%25"), "a wildcard is a character")
		assert.Equal(t, http.StatusNotFound, guest.REST(t, http.MethodGet, path, nil).Status)
		assert.Equal(t, http.StatusForbidden, guest.REST(t, http.MethodGet, "/orgs/"+server.OrganizationID+"/members/"+guest.UserID+"/teams", nil).Status)
	})
}

func TestSpacesOfAMember(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		admin, reader, guest := server.As(apptest.Admin), server.As(apptest.Reader), server.As(apptest.Guest)
		var ids []string
		for _, title := range []string{"First", "Second", "Third"} {
			ids = append(ids, admin.REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", object{"title": title}).Object(t, http.StatusCreated)["id"].(string))
		}
		ctx := access.System(t.Context(), "test")
		client := server.App.Database.Client(ctx)
		grant := func(spaceID, userID string, role access.Role) {
			client.Permission.Create().SetOrganizationID(server.OrganizationID).SetResourceID(spaceID).SetPrincipalID(userID).SetRole(role).ExecX(ctx)
		}
		grant(ids[1], reader.UserID, access.Edit)
		grant(ids[2], guest.UserID, access.Comment)
		client.Space.UpdateOneID(ids[0]).SetDefaultLevel(access.None).ExecX(ctx)
		listed := func(as *apptest.Client, userID, query string) (permissions, spaces []any) {
			items := as.REST(t, http.MethodGet, "/orgs/"+server.OrganizationID+"/members/"+userID+"/spaces"+query, nil).Object(t, http.StatusOK)["items"].([]any)
			for _, item := range items {
				permissions = append(permissions, item.(object)["permission"])
				spaces = append(spaces, item.(object)["space"].(object)["id"])
			}
			return permissions, spaces
		}
		permissions, spaces := listed(admin, reader.UserID, "?order=asc")
		assert.Equal(t, []any{"edit", "read"}, permissions)
		assert.Equal(t, []any{ids[1], ids[2]}, spaces)
		_, spaces = listed(reader, reader.UserID, "?limit=1")
		assert.Equal(t, []any{ids[2]}, spaces, "the latest first")
		permissions, spaces = listed(guest, guest.UserID, "")
		assert.Equal(t, []any{"comment"}, permissions)
		assert.Equal(t, []any{ids[2]}, spaces)
		permissions, _ = listed(admin, admin.UserID, "")
		assert.Equal(t, []any{"admin", "admin", "admin"}, permissions)
		assert.Equal(t, http.StatusForbidden, reader.REST(t, http.MethodGet, "/orgs/"+server.OrganizationID+"/members/"+admin.UserID+"/spaces", nil).Status)
		client.Member.Update().Where(member.UserID(guest.UserID)).SetDisabled(true).ExecX(ctx)
		permissions, _ = listed(admin, guest.UserID, "")
		assert.Empty(t, permissions, "a disabled membership reaches nothing")
	})
}
