package team_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/ent/auditentry"
	"octavo/ent/permission"
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/audit"
	"octavo/internal/space"
)

type object = map[string]any

// form makes a team and returns the path of it.
func form(t *testing.T, server *apptest.Server, body object) (id, path string) {
	t.Helper()
	teams := "/orgs/" + server.OrganizationID + "/teams"
	id = server.As(apptest.Admin).REST(t, http.MethodPut, teams, body).Object(t, http.StatusCreated)["id"].(string)
	return id, teams + "/" + id
}

// roles are those of the members of a team, by e-mail address.
func roles(t *testing.T, server *apptest.Server, path string) map[string]string {
	t.Helper()
	listed := server.As(apptest.Reader).REST(t, http.MethodGet, path+"/members", nil).Object(t, http.StatusOK)
	found := map[string]string{}
	for _, item := range listed["items"].([]any) {
		person := item.(object)["organization"].(object)["user"].(object)["email"].(string)
		found[strings.TrimSuffix(person, "@example.com")] = item.(object)["team"].(object)["role"].(string)
	}
	assert.Len(t, found, int(listed["count"].(float64)))
	return found
}

func TestCreate(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		teams := "/orgs/" + server.OrganizationID + "/teams"
		reader, guest := server.As(apptest.Reader).UserID, server.As(apptest.Guest).UserID
		many := make([]string, 501)
		for index := range many {
			many[index] = reader
		}
		for _, test := range []struct {
			name   string
			caller apptest.Caller
			body   object
			status int
		}{
			{"OK", apptest.Admin, object{"title": strings.Repeat("é", 64), "members": []string{reader, guest, reader, "Read@example.com"}}, 201},
			{"TitleEmpty", apptest.Admin, object{"title": " "}, 400},
			{"TitleMissing", apptest.Admin, object{}, 400},
			{"TitleTooLong", apptest.Admin, object{"title": strings.Repeat("e", 65)}, 400},
			{"TooManyMembers", apptest.Admin, object{"title": "Crowd", "members": many}, 400},
			{"Foreign", apptest.Admin, object{"title": "Spies", "members": []string{reader, server.As(apptest.Stranger).UserID}}, 404},
			{"Unknown", apptest.Admin, object{"title": "Spies", "members": []string{"nobody@example.com"}}, 404},
			{"Creator", apptest.Creator, object{"title": "Mine"}, 403},
			{"Guest", apptest.Guest, object{"title": "Mine"}, 403},
			{"Stranger", apptest.Stranger, object{"title": "Mine"}, 404},
			{"WriteToken", apptest.WriteToken, object{"title": "Mine"}, 403},
		} {
			t.Run(test.name, func(t *testing.T) {
				assert.Equal(t, test.status, server.As(test.caller).REST(t, http.MethodPut, teams, test.body).Status)
			})
		}
		listed := server.As(apptest.Reader).REST(t, http.MethodGet, teams, nil).Object(t, http.StatusOK)
		require.EqualValues(t, 1, listed["count"], "what was refused was not made")
		made := listed["items"].([]any)[0].(object)
		assert.EqualValues(t, 2, made["members"])
		assert.Equal(t, map[string]string{"read": "member", "guest": "member"}, roles(t, server, teams+"/"+made["id"].(string)))
	})
}

func TestListIsFiltered(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		_, engine := form(t, server, object{"title": "Engine room"})
		form(t, server, object{"title": "Äther 100%"})
		reviewer := server.As(apptest.Reviewer).UserID
		server.As(apptest.Admin).REST(t, http.MethodPut, engine+"/members/"+reviewer, object{"role": "owner"}).JSON(t, http.StatusNoContent, nil)
		for _, test := range []struct {
			name, query string
			status      int
			titles      []string
		}{
			{"All", "", 200, []string{"Engine room", "Äther 100%"}},
			{"TitleInOtherCase", "?title=ROOM", 200, []string{"Engine room"}},
			{"TitleNotInASCII", "?title=%C3%A4TH", 200, []string{"Äther 100%"}},
			{"NoWildcards", "?title=1%25%25", 200, []string{}},
			{"Wildcard", "?title=100%25", 200, []string{"Äther 100%"}},
			{"Owner", "?owner=" + reviewer, 200, []string{"Engine room"}},
			{"OwnerManagesAll", "?owner=" + server.As(apptest.Admin).UserID, 200, []string{"Engine room", "Äther 100%"}},
			{"OwnerOfNone", "?owner=" + server.As(apptest.Reader).UserID, 200, []string{}},
			{"OwnerForeign", "?owner=" + server.As(apptest.Stranger).UserID, 404, nil},
			{"LimitTooLarge", "?limit=1001", 400, nil},
		} {
			t.Run(test.name, func(t *testing.T) {
				response := server.As(apptest.Reader).REST(t, http.MethodGet, "/orgs/"+server.OrganizationID+"/teams"+test.query, nil)
				require.Equal(t, test.status, response.Status)
				if test.titles == nil {
					return
				}
				titles := []string{}
				for _, item := range response.Object(t, 200)["items"].([]any) {
					titles = append(titles, item.(object)["title"].(string))
				}
				assert.Equal(t, test.titles, titles)
			})
		}
	})
}

func TestAnOwnerManagesTheTeam(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		_, path := form(t, server, object{"title": "Engine room", "members": []string{"comment@example.com"}})
		server.As(apptest.Admin).REST(t, http.MethodPut, path+"/members/"+server.As(apptest.Reviewer).UserID, object{"role": "owner"}).JSON(t, http.StatusNoContent, nil)
		owner := server.As(apptest.Reviewer)
		assert.Equal(t, object{"admin": true, "view": true}, owner.REST(t, http.MethodGet, path, nil).Object(t, 200)["permissions"])
		assert.Equal(t, object{"admin": false, "view": true}, server.As(apptest.Commenter).REST(t, http.MethodGet, path, nil).Object(t, 200)["permissions"])
		assert.Equal(t, 403, server.As(apptest.Commenter).REST(t, http.MethodPatch, path, object{"title": "Ours"}).Status, "members do not")
		assert.Equal(t, 404, server.As(apptest.Guest).REST(t, http.MethodGet, path, nil).Status)

		assert.Equal(t, 204, owner.REST(t, http.MethodPut, path+"/members", object{
			"add":         []string{"edit@example.com", "read@example.com", "comment@example.com"},
			"memberships": object{"comment@example.com": object{"role": "owner"}},
			"remove":      []string{"read@example.com", "stranger@example.com"},
		}).Status)
		assert.Equal(t, map[string]string{"review": "owner", "comment": "owner", "edit": "member"}, roles(t, server, path))
		for name, body := range map[string]object{
			"Foreign":      {"add": []string{"read@example.com", "stranger@example.com"}},
			"ForeignOwner": {"memberships": object{"stranger@example.com": object{"role": "owner"}}},
		} {
			assert.Equal(t, 404, owner.REST(t, http.MethodPut, path+"/members", body).Status, name)
		}
		assert.Equal(t, 400, owner.REST(t, http.MethodPut, path+"/members", object{"memberships": object{"read@example.com": object{"role": "boss"}}}).Status)
		assert.Len(t, roles(t, server, path), 3, "all or nothing")

		editor := path + "/members/" + server.As(apptest.Editor).UserID
		assert.Equal(t, 204, owner.REST(t, http.MethodPut, editor, object{"role": "owner"}).Status)
		assert.Equal(t, 204, owner.REST(t, http.MethodPut, editor, nil).Status)
		assert.Equal(t, "owner", roles(t, server, path)["edit"], "without a role they keep theirs")
		assert.Equal(t, 205, owner.REST(t, http.MethodDelete, editor, nil).Status)
		assert.Equal(t, 204, owner.REST(t, http.MethodDelete, editor, nil).Status)
		assert.Equal(t, 205, owner.REST(t, http.MethodDelete, path+"/members/"+owner.UserID, nil).Status, "owners may leave")
		assert.Equal(t, 403, owner.REST(t, http.MethodPatch, path, object{"title": "Mine"}).Status)
	})
}

func TestDeletingATeamEndsWhatWasGrantedToIt(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		admin := server.As(apptest.Admin)
		id, path := form(t, server, object{"title": "Engine room", "members": []string{server.As(apptest.Guest).UserID}})
		ctx := access.System(t.Context(), "test")
		client := server.App.Database.Client(ctx)
		shelf := client.Collection.Create().SetOrganizationID(server.OrganizationID).SetTitle("Shelf").SetPosition("i").SaveX(ctx)
		client.CollectionAncestor.Create().SetOrganizationID(server.OrganizationID).SetCollectionID(shelf.ID).SetAncestorID(shelf.ID).SetDistance(0).ExecX(ctx)
		var last string
		for _, home := range []*string{nil, &shelf.ID, &shelf.ID} {
			made, err := server.App.Spaces.Create(server.Context(t, apptest.Admin), space.New{OrganizationID: server.OrganizationID, CollectionID: home, Title: "Sample"})
			require.NoError(t, err)
			last = made.ID
		}
		for _, resource := range []string{shelf.ID, last} { // the last lies in the collection
			client.Permission.Create().SetOrganizationID(server.OrganizationID).SetResourceID(resource).SetPrincipalID(id).SetRole(access.Edit).ExecX(ctx)
		}
		assert.EqualValues(t, 2, admin.REST(t, http.MethodGet, path, nil).Object(t, 200)["spaces"], "each counts once")
		assert.Equal(t, 200, server.As(apptest.Guest).REST(t, http.MethodGet, "/spaces/"+last, nil).Status)

		assert.Equal(t, 403, server.As(apptest.Creator).REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, 205, admin.REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, 204, admin.REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, 404, server.As(apptest.Guest).REST(t, http.MethodGet, "/spaces/"+last, nil).Status)
		assert.False(t, client.Permission.Query().Where(permission.PrincipalID(id)).ExistX(ctx))
		actions := client.AuditEntry.Query().Where(auditentry.SubjectID(id)).Order(auditentry.ByID()).Select(auditentry.FieldAction).StringsX(ctx)
		assert.Equal(t, []string{string(audit.TeamCreated), string(audit.TeamMemberAdded), string(audit.TeamDeleted)}, actions)
	})
}

func TestTeamsAndTheirPeopleInOneRequest(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		form(t, server, object{"title": "One", "members": []string{"read@example.com", "edit@example.com"}})
		form(t, server, object{"title": "Two", "members": []string{"edit@example.com"}})
		data := server.As(apptest.Reader).Query(t, `query($id: ID!) { organization(id: $id) { teams { nodes {
			title members(first: 1) { totalCount pageInfo { hasNextPage } nodes { role team { title } member { user { displayName } } } }
		} } } }`, object{"id": server.OrganizationID})
		nodes := data["organization"].(object)["teams"].(object)["nodes"].([]any)
		require.Len(t, nodes, 2)
		first := nodes[0].(object)["members"].(object)
		assert.EqualValues(t, 2, first["totalCount"])
		assert.Equal(t, true, first["pageInfo"].(object)["hasNextPage"])
		assert.Equal(t, []any{object{"role": "MEMBER", "team": object{"title": "Two"}, "member": object{"user": object{"displayName": "The edit"}}}},
			nodes[1].(object)["members"].(object)["nodes"])
	})
}
