package permission_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
)

// reach is a guest with a space that they reach by way of a grant, at several
// servers on one database.
type reach struct {
	*apptest.Server
	// member is the guest, at each server.
	member                  []*apptest.Client
	memberID                string
	team, collection, space string
}

// newReach lets the guest read a space by a team that is granted a collection.
func newReach(t *testing.T, server *apptest.Server) *reach {
	t.Helper()
	made := &reach{Server: server, memberID: server.As(apptest.Guest).UserID}
	for _, each := range []*apptest.Server{server, server.Beside(t)} {
		made.member = append(made.member, each.As(apptest.Guest))
	}
	organization := "/orgs/" + server.OrganizationID
	made.team = made.done(t, http.MethodPut, organization+"/teams", object{"title": "Pilots", "members": []string{made.memberID}}, http.StatusCreated)
	made.collection = made.done(t, http.MethodPost, organization+"/collections", object{"title": "Charts"}, http.StatusCreated)
	made.space = made.done(t, http.MethodPost, organization+"/spaces", object{"title": "Baltic", "parent": made.collection, "editMode": "live"}, http.StatusCreated)
	made.done(t, http.MethodPost, "/spaces/"+made.space+"/content", object{"changes": []object{{
		"operation": "insert_page", "title": "Lights", "document": object{"markdown": "Where the lighthouse is.\n"},
	}}}, http.StatusOK)
	made.done(t, http.MethodPost, "/collections/"+made.collection+"/permissions", object{"role": "read", "teams": []string{made.team}}, http.StatusNoContent)
	return made
}

// done has the administrator do something at the first server.
func (r *reach) done(t *testing.T, method, path string, body any, status int) (id string) {
	t.Helper()
	answer := r.As(apptest.Admin).REST(t, method, path, body)
	require.Equal(t, status, answer.Status, "%s %s: %s", method, path, answer.Body)
	if status == http.StatusCreated {
		id, _ = answer.Object(t, status)["id"].(string)
	}
	return id
}

// sees tells whether the guest reaches the space, which has to be the same by
// every way there is.
func (r *reach) sees(t *testing.T, client *apptest.Client) (reached bool) {
	t.Helper()
	ways := map[string]bool{}
	for _, path := range []string{"", "/content", "/content/pages", "/search?query=lighthouse", "/comments", "/change-requests"} {
		ways[path] = client.REST(t, http.MethodGet, "/spaces/"+r.space+path, nil).Status == http.StatusOK
	}
	ways["collection"] = client.REST(t, http.MethodGet, "/collections/"+r.collection, nil).Status == http.StatusOK
	result := client.GraphQL(t, `query ($space: ID!, $organization: ID!) { node(id: $space) { id }
		organization(id: $organization) { spaces { totalCount nodes { id } } search(query: "lighthouse") { totalCount } } }`,
		object{"space": r.space, "organization": r.OrganizationID})
	ways["node"] = result.Data["node"] != nil
	organization, _ := result.Data["organization"].(object)
	for _, list := range []string{"spaces", "search"} {
		connection, _ := organization[list].(object)
		ways[list] = connection["totalCount"] == float64(1)
	}
	reached = ways[""]
	for way, open := range ways {
		assert.Equal(t, reached, open, "%q", way)
	}
	return reached
}

// TestWhatIsTakenAwayIsGoneOnEveryReplica has every server warm with requests of
// somebody, takes their way to a space away at one of them, and asks all of them
// again at once.
func TestWhatIsTakenAwayIsGoneOnEveryReplica(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		take func(t *testing.T, r *reach)
	}{
		{"MemberRemoved", func(t *testing.T, r *reach) {
			r.done(t, http.MethodDelete, "/orgs/"+r.OrganizationID+"/members/"+r.memberID, nil, http.StatusResetContent)
		}},
		{"MemberTakenFromTheTeam", func(t *testing.T, r *reach) {
			r.done(t, http.MethodDelete, "/orgs/"+r.OrganizationID+"/teams/"+r.team+"/members/"+r.memberID, nil, http.StatusResetContent)
		}},
		{"TeamDeleted", func(t *testing.T, r *reach) {
			r.done(t, http.MethodDelete, "/orgs/"+r.OrganizationID+"/teams/"+r.team, nil, http.StatusResetContent)
		}},
		{"GrantRemoved", func(t *testing.T, r *reach) {
			r.done(t, http.MethodDelete, "/collections/"+r.collection+"/permissions/teams/"+r.team, nil, http.StatusResetContent)
		}},
		{"TokenRevoked", func(t *testing.T, r *reach) {
			ctx := access.System(t.Context(), "test")
			tokens, err := r.App.Database.Client(ctx).User.Query().QueryAccessTokens().All(ctx)
			require.NoError(t, err)
			for _, token := range tokens {
				if token.UserID == r.memberID {
					_, err := r.App.Users.RevokeToken(ctx, token.ID)
					require.NoError(t, err)
				}
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			apptest.Each(t, func(t *testing.T, server *apptest.Server) {
				r := newReach(t, server)
				for range 2 {
					for _, client := range r.member {
						require.True(t, r.sees(t, client))
					}
				}
				test.take(t, r)
				// The server that did not do it first.
				assert.False(t, r.sees(t, r.member[1]))
				assert.False(t, r.sees(t, r.member[0]))
			})
		})
	}
}

// TestWhatIsLeftDecidesOnEveryReplica takes a member's role and a grant of their
// own away, one after the other: what is left decides, on every server.
func TestWhatIsLeftDecidesOnEveryReplica(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		r := newReach(t, server)
		both := func(expected bool) {
			t.Helper()
			for _, client := range []*apptest.Client{r.member[1], r.member[0]} {
				assert.Equal(t, expected, r.sees(t, client))
			}
		}
		both(true)
		r.done(t, http.MethodPost, "/spaces/"+r.space+"/permissions", object{"role": "read", "users": []string{r.memberID}}, http.StatusNoContent)
		r.done(t, http.MethodDelete, "/collections/"+r.collection+"/permissions/teams/"+r.team, nil, http.StatusResetContent)
		for _, client := range r.member {
			assert.Equal(t, http.StatusOK, client.REST(t, http.MethodGet, "/spaces/"+r.space, nil).Status, "by the grant of their own")
		}
		r.done(t, http.MethodDelete, "/spaces/"+r.space+"/permissions/users/"+r.memberID, nil, http.StatusResetContent)
		both(false)
		r.done(t, http.MethodPatch, "/orgs/"+server.OrganizationID+"/members/"+r.memberID, object{"role": "read"}, http.StatusOK)
		both(true)
		r.done(t, http.MethodPatch, "/orgs/"+server.OrganizationID+"/members/"+r.memberID, object{"role": nil}, http.StatusOK)
		both(false)
	})
}
