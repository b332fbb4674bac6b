package user_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/user"
)

func TestPeopleAreSeenByThoseWhoShareAnOrganization(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		reader := server.As(apptest.Reader)
		for caller, status := range map[apptest.Caller]int{
			apptest.Reader: 200, apptest.Admin: 200, apptest.Guest: 200, apptest.Stranger: 404, apptest.Anonymous: 401,
		} {
			assert.Equal(t, status, server.As(caller).REST(t, http.MethodGet, "/users/"+reader.UserID, nil).Status, "%s", caller)
		}
		me := reader.REST(t, http.MethodGet, "/user", nil).Object(t, http.StatusOK)
		assert.Equal(t, "read@example.com", me["email"])
		assert.Equal(t, "The read", me["displayName"])
	})
}

func TestAProfileIsChangedByItsOwner(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		reader := server.As(apptest.Reader)
		path := "/users/" + reader.UserID
		for _, test := range []struct {
			name   string
			caller apptest.Caller
			body   map[string]any
			status int
		}{
			{"OK", apptest.Reader, map[string]any{"displayName": "Ada", "photoURL": "https://example.com/ada.png"}, 200},
			{"RemovePhoto", apptest.Reader, map[string]any{"photoURL": nil}, 200},
			{"NameEmpty", apptest.Reader, map[string]any{"displayName": " "}, 400},
			{"NameTooLong", apptest.Reader, map[string]any{"displayName": string(make([]rune, 65))}, 400},
			{"Admin", apptest.Admin, map[string]any{"displayName": "x"}, 403},
			{"Stranger", apptest.Stranger, map[string]any{"displayName": "x"}, 404},
			{"Anonymous", apptest.Anonymous, map[string]any{"displayName": "x"}, 401},
		} {
			t.Run(test.name, func(t *testing.T) {
				assert.Equal(t, test.status, server.As(test.caller).REST(t, http.MethodPatch, path, test.body).Status)
			})
		}
		me := reader.REST(t, http.MethodGet, "/user", nil).Object(t, http.StatusOK)
		assert.Equal(t, "Ada", me["displayName"])
		assert.NotContains(t, me, "photoURL")
	})
}

const createToken = `mutation($input: CreateAccessTokenInput!) { createAccessToken(input: $input) { token accessToken { id name scopes hint } } }`

func TestAccessTokens(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		reader := server.As(apptest.Reader)
		made := reader.Query(t, createToken, map[string]any{"input": map[string]any{"name": "CI", "scopes": []string{"READ"}}})["createAccessToken"].(map[string]any)
		secret := made["token"].(string)
		token := made["accessToken"].(map[string]any)
		assert.Equal(t, []any{"READ"}, token["scopes"])
		assert.Equal(t, secret[len(secret)-4:], token["hint"])
		limited := *reader
		limited.Token = secret
		assert.Empty(t, limited.GraphQL(t, "{ viewer { id } }", nil).Errors)
		assert.Equal(t, "FORBIDDEN", limited.GraphQL(t, createToken, map[string]any{"input": map[string]any{"name": "more"}}).Code(), "a token never makes a stronger one")
		stored, err := server.App.Database.Client(t.Context()).AccessToken.Get(access.System(t.Context(), "test"), token["id"].(string))
		require.NoError(t, err)
		assert.NotContains(t, stored.Hash, secret)

		listed := reader.Query(t, "{ viewer { accessTokens { totalCount nodes { name } } } }", nil)["viewer"].(map[string]any)["accessTokens"].(map[string]any)
		assert.EqualValues(t, 2, listed["totalCount"])
		other := server.As(apptest.Admin).GraphQL(t, `query($id: ID!) { user(id: $id) { accessTokens { nodes { name } } } }`, map[string]any{"id": reader.UserID})
		assert.Equal(t, "FORBIDDEN", other.Code())

		revoke := `mutation($id: ID!) { revokeAccessToken(input: {accessToken: $id}) { accessToken { revokedAt } } }`
		assert.Equal(t, "NOT_FOUND", server.As(apptest.Admin).GraphQL(t, revoke, map[string]any{"id": token["id"]}).Code())
		reader.Query(t, revoke, map[string]any{"id": token["id"]})
		assert.Equal(t, http.StatusUnauthorized, limited.REST(t, http.MethodGet, "/user", nil).Status)
		for _, input := range []map[string]any{
			{"name": ""}, {"name": "x", "expiresAt": "2020-01-01T00:00:00Z"},
		} {
			assert.Equal(t, "BAD_USER_INPUT", reader.GraphQL(t, createToken, map[string]any{"input": input}).Code())
		}
	})
}

func TestAnExpiredTokenIsNoToken(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := access.System(t.Context(), "test")
		soon := time.Now().Add(time.Hour)
		created, secret, err := server.App.Users.CreateTokenOf(ctx, server.As(apptest.Reader).UserID, user.NewToken{Name: "short", ExpiresAt: &soon})
		require.NoError(t, err)
		_, err = server.App.Users.Authenticate(t.Context(), secret)
		require.NoError(t, err)
		require.NoError(t, server.App.Database.Client(ctx).AccessToken.UpdateOne(created).SetExpiresAt(time.Now().Add(-time.Second)).Exec(ctx))
		_, err = server.App.Users.Authenticate(t.Context(), secret)
		assert.ErrorContains(t, err, "not valid")
	})
}

func TestAMemberWhoIsDisabledHasNoReach(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := access.System(t.Context(), "test")
		_, err := server.App.Database.Client(ctx).Member.Update().SetDisabled(true).Save(server.Context(t, apptest.Reader))
		require.NoError(t, err)
		assert.Equal(t, http.StatusNotFound, server.As(apptest.Reader).REST(t, http.MethodGet, "/orgs/"+server.OrganizationID, nil).Status)
	})
}
