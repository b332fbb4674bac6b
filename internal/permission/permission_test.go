package permission_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/ent/auditentry"
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/audit"
)

type object = map[string]any

func TestGrantsHoldAtOnceAndAreRecordedOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		admin, guest := server.As(apptest.Admin), server.As(apptest.Guest)
		id := admin.REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", nil).Object(t, http.StatusCreated)["id"].(string)
		path := "/spaces/" + id + "/permissions"
		grant := object{"role": "edit", "users": []any{guest.UserID}}
		require.Equal(t, http.StatusNoContent, admin.REST(t, http.MethodPost, path, grant).Status)
		require.Equal(t, http.StatusNoContent, admin.REST(t, http.MethodPost, path, grant).Status)
		assert.Equal(t, http.StatusOK, guest.REST(t, http.MethodGet, "/spaces/"+id, nil).Status)
		assert.Equal(t, http.StatusForbidden, guest.REST(t, http.MethodGet, path+"/users", nil).Status)

		foreign := object{"role": "edit", "users": []any{server.As(apptest.Reader).UserID, server.As(apptest.Stranger).UserID}}
		assert.Equal(t, http.StatusNotFound, admin.REST(t, http.MethodPost, path, foreign).Status)
		assert.Equal(t, http.StatusBadRequest, admin.REST(t, http.MethodPost, path, object{"users": []any{guest.UserID}}).Status)
		assert.EqualValues(t, 1, admin.REST(t, http.MethodGet, path+"/users", nil).Object(t, http.StatusOK)["count"])

		require.Equal(t, http.StatusResetContent, admin.REST(t, http.MethodDelete, path+"/users/"+guest.UserID, nil).Status)
		assert.Equal(t, http.StatusNoContent, admin.REST(t, http.MethodDelete, path+"/users/"+guest.UserID, nil).Status)
		assert.Equal(t, http.StatusNotFound, guest.REST(t, http.MethodGet, "/spaces/"+id, nil).Status)

		ctx := access.System(t.Context(), "test")
		for _, action := range []audit.Action{audit.PermissionGranted, audit.PermissionRemoved} {
			count := server.App.Database.Client(ctx).AuditEntry.Query().Where(auditentry.SubjectID(id), auditentry.Action(string(action))).CountX(ctx)
			assert.Equal(t, 1, count, "%s", action)
		}
	})
}

func TestNoRoleClosesASpaceInACollectionThatIsOpen(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		admin, guest := server.As(apptest.Admin), server.As(apptest.Guest)
		organization := "/orgs/" + server.OrganizationID
		shelf := admin.REST(t, http.MethodPost, organization+"/collections", object{"title": "Shelf"}).Object(t, http.StatusCreated)["id"].(string)
		id := admin.REST(t, http.MethodPost, organization+"/spaces", object{"parent": shelf}).Object(t, http.StatusCreated)["id"].(string)
		require.Equal(t, http.StatusNoContent, admin.REST(t, http.MethodPost, "/collections/"+shelf+"/permissions", object{"role": "read", "users": []any{guest.UserID}}).Status)
		assert.Equal(t, http.StatusOK, guest.REST(t, http.MethodGet, "/spaces/"+id, nil).Status)
		source := admin.Query(t, `query($id: ID!) { space(id: $id) { effectivePermissions(role: READ) { nodes { user { id } source { kind resource { ... on Collection { id } ... on Organization { id } } } } } } }`, object{"id": id})
		assert.Contains(t, source["space"].(object)["effectivePermissions"].(object)["nodes"],
			object{"user": object{"id": guest.UserID}, "source": object{"kind": "USER", "resource": object{"id": shelf}}})

		require.Equal(t, http.StatusNoContent, admin.REST(t, http.MethodPost, "/spaces/"+id+"/permissions", object{"role": nil, "users": []any{guest.UserID}}).Status)
		assert.Equal(t, http.StatusNotFound, guest.REST(t, http.MethodGet, "/spaces/"+id, nil).Status)
		assert.Equal(t, http.StatusOK, guest.REST(t, http.MethodGet, "/collections/"+shelf, nil).Status)
	})
}
