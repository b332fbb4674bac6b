package space_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
)

func TestSpaceIsShownToThoseWhoMayReadIt(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		created := server.As(apptest.Creator).REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", map[string]any{"title": "Guide"}).Object(t, http.StatusCreated)
		id := created["id"].(string)
		for caller, status := range map[apptest.Caller]int{
			apptest.Admin: 200, apptest.Creator: 200, apptest.Reader: 200, apptest.Guest: 404,
			apptest.Stranger: 404, apptest.Anonymous: 401, apptest.ReadToken: 200,
		} {
			assert.Equal(t, status, server.As(caller).REST(t, http.MethodGet, "/spaces/"+id, nil).Status, "%s", caller)
		}
		data := server.As(apptest.Reader).Query(t, `query($id: ID!) { space(id: $id) { title permissions { edit } } }`, map[string]any{"id": id})
		require.Equal(t, map[string]any{"space": map[string]any{"title": "Guide", "permissions": map[string]any{"edit": false}}}, data)
	})
}

func TestGrantsDecideBeforeDefaults(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		id := server.As(apptest.Admin).REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", nil).Object(t, http.StatusCreated)["id"].(string)
		ctx := server.Context(t, apptest.Admin)
		err := server.App.Database.Client(ctx).Permission.Create().SetOrganizationID(server.OrganizationID).
			SetResourceID(id).SetPrincipalID(server.As(apptest.Guest).UserID).SetRole(4).Exec(ctx)
		require.NoError(t, err)
		space := server.As(apptest.Guest).REST(t, http.MethodGet, "/spaces/"+id, nil).Object(t, http.StatusOK)
		assert.Equal(t, true, space["permissions"].(map[string]any)["merge"])
		list := server.As(apptest.Guest).REST(t, http.MethodGet, "/orgs/"+server.OrganizationID+"/spaces", nil).Object(t, http.StatusOK)
		assert.EqualValues(t, 1, list["count"])
	})
}
