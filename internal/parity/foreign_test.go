package parity

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
)

// belongings are one of each thing of an organization.
type belongings struct{ organization, space, collection, team, member, invite string }

// belong makes one of each in an organization, by its administrator.
func belong(t *testing.T, server *apptest.Server, caller apptest.Caller, organization string) belongings {
	t.Helper()
	made := func(method, path string, body object) string {
		return server.As(caller).REST(t, method, "/orgs/"+organization+path, body).Object(t, http.StatusCreated)["id"].(string)
	}
	return belongings{
		organization: organization, member: server.As(caller).UserID,
		space: made(http.MethodPost, "/spaces", object{"title": "Guide"}), collection: made(http.MethodPost, "/collections", object{"title": "Shelf"}),
		team: made(http.MethodPut, "/teams", object{"title": "Pilots"}), invite: made(http.MethodPost, "/link-invites", object{"role": "read"}),
	}
}

// foreign are requests about what is one's own that name something of another
// organization, and what each answers.
func foreign(own, other belongings) []struct {
	name, method, path string
	body               object
	status             int
} {
	organization := "/orgs/" + own.organization
	space, collection := "/spaces/"+own.space, "/collections/"+own.collection
	team, otherTeam := organization+"/teams/"+own.team, organization+"/teams/"+other.team
	otherMember, links := organization+"/members/"+other.member, organization+"/link-invites"
	return []struct {
		name, method, path string
		body               object
		status             int
	}{
		{"ASpaceInACollection", http.MethodPost, organization + "/spaces", object{"title": "New", "parent": other.collection}, 404},
		{"ACollectionInACollection", http.MethodPost, organization + "/collections", object{"title": "New", "parent": other.collection}, 404},
		{"MoveASpaceInto", http.MethodPost, space + "/move", object{"parent": other.collection}, 404},
		{"MoveASpaceBeside", http.MethodPost, space + "/move", object{"position": object{"before": object{"type": "space", "space": other.space}}}, 400},
		{"MoveACollectionInto", http.MethodPost, collection + "/move", object{"parent": other.collection}, 404},
		{"MoveACollectionBeside", http.MethodPost, collection + "/move", object{"position": object{"after": object{"type": "collection", "collection": other.collection}}}, 400},
		{"GrantASpaceToATeam", http.MethodPost, space + "/permissions", object{"role": "read", "teams": []string{other.team}}, 404},
		{"GrantASpaceToAMember", http.MethodPost, space + "/permissions", object{"role": "read", "users": []string{other.member}}, 404},
		{"GrantACollectionToATeam", http.MethodPost, collection + "/permissions", object{"role": "read", "teams": []string{own.team, other.team}}, 404},
		{"GrantACollectionToAMember", http.MethodPost, collection + "/permissions", object{"role": "read", "users": []string{own.member, other.member}}, 404},
		{"ChangeAGrantOfATeam", http.MethodPatch, space + "/permissions/teams/" + other.team, object{"role": "read"}, 404},
		{"ChangeAGrantOfAMember", http.MethodPatch, collection + "/permissions/users/" + other.member, object{"role": "read"}, 404},
		{"RemoveAGrantOfATeam", http.MethodDelete, space + "/permissions/teams/" + other.team, nil, 204},
		{"RemoveAGrantOfAMember", http.MethodDelete, collection + "/permissions/users/" + other.member, nil, 204},
		{"SeeATeam", http.MethodGet, otherTeam, nil, 404},
		{"SeeThePeopleOfATeam", http.MethodGet, otherTeam + "/members", nil, 404},
		{"ChangeATeam", http.MethodPatch, otherTeam, object{"title": "Ours"}, 404},
		{"ChangeThePeopleOfATeam", http.MethodPut, otherTeam + "/members", object{"add": []string{own.member}}, 404},
		{"AddToATeam", http.MethodPut, otherTeam + "/members/" + own.member, object{"role": "owner"}, 404},
		{"DeleteATeam", http.MethodDelete, otherTeam, nil, 204},
		{"FormATeam", http.MethodPut, organization + "/teams", object{"title": "New", "members": []string{other.member}}, 404},
		{"AddAStrangerToATeam", http.MethodPut, team + "/members/" + other.member, object{"role": "member"}, 404},
		{"AddStrangersToATeam", http.MethodPut, team + "/members", object{"add": []string{own.member, other.member}}, 404},
		{"TakeAStrangerFromATeam", http.MethodDelete, team + "/members/" + other.member, nil, 204},
		{"SeeAMember", http.MethodGet, otherMember, nil, 404},
		{"ChangeAMember", http.MethodPatch, otherMember, object{"role": "read"}, 404},
		{"MarkAMember", http.MethodPost, otherMember + "/sso", nil, 404},
		{"RemoveAMember", http.MethodDelete, otherMember, nil, 204},
		{"SpacesOfAMember", http.MethodGet, otherMember + "/spaces", nil, 404},
		{"TeamsOfAMember", http.MethodGet, otherMember + "/teams", nil, 404},
		{"InviteToASpace", http.MethodPost, links, object{"space": other.space, "level": "read"}, 404},
		{"InviteToACollection", http.MethodPost, links, object{"collection": other.collection, "level": "read"}, 404},
		{"SeeAnInvite", http.MethodGet, links + "/" + other.invite, nil, 404},
		{"ChangeAnInvite", http.MethodPatch, links + "/" + other.invite, object{"role": "admin"}, 404},
		{"RevokeAnInvite", http.MethodDelete, links + "/" + other.invite, nil, 204},
		{"AcceptAnInvite", http.MethodPost, organization + "/invites/" + other.invite, nil, 404},
	}
}

// TestWhatIsAnothersIsNotFound names what belongs to another organization, as
// somebody who does not see that and as an administrator of both.
func TestWhatIsAnothersIsNotFound(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		own := belong(t, server, apptest.Admin, server.OrganizationID)
		other := belong(t, server, apptest.Stranger, server.OtherOrganizationID)
		ctx := access.System(t.Context(), "test")
		client := server.App.Database.Client(ctx)
		try := func(t *testing.T) {
			t.Helper()
			before := client.AuditEntry.Query().CountX(ctx)
			for _, request := range foreign(own, other) {
				answer := server.As(apptest.Admin).REST(t, request.method, request.path, request.body)
				assert.Equal(t, request.status, answer.Status, "%s: %s", request.name, answer.Body)
			}
			assert.Equal(t, before, client.AuditEntry.Query().CountX(ctx), "nothing changed")
		}
		try(t)
		require.NoError(t, client.Member.Create().SetOrganizationID(server.OtherOrganizationID).
			SetUserID(server.As(apptest.Admin).UserID).SetRole(access.Admin).Exec(ctx))
		try(t)
	})
}
