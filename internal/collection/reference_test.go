package collection_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
)

// written puts a page into a live space.
func written(t *testing.T, server *apptest.Server, id, markdown string) {
	t.Helper()
	server.As(apptest.Admin).REST(t, http.MethodPost, "/spaces/"+id+"/content", object{"changes": []object{{
		"operation": "insert_page", "title": "Lights", "document": object{"markdown": markdown},
	}}}).Object(t, http.StatusOK)
}

// linked is the status of the one link of a space, as somebody sees it.
func linked(t *testing.T, client *apptest.Client, id string) any {
	t.Helper()
	links := client.REST(t, http.MethodGet, "/spaces/"+id+"/links", nil).Object(t, http.StatusOK)["items"].([]any)
	require.Len(t, links, 1)
	return links[0].(object)["status"]
}

// TestReferencesAreRightAfterATransfer hands over a space that another one
// refers to, with a change request and a comment that are open, and goes on
// with both.
func TestReferencesAreRightAfterATransfer(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := access.System(t.Context(), "test")
		admin, reader, stranger := server.As(apptest.Admin), server.As(apptest.Reader), server.As(apptest.Stranger)
		made := func(title string) string {
			return admin.REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", object{"title": title, "editMode": "live"}).Object(t, http.StatusCreated)["id"].(string)
		}
		moved, staying := made("Moved"), made("Staying")
		written(t, server, staying, "See [it](/spaces/"+moved+").\n")
		written(t, server, moved, "Back to [it](/spaces/"+staying+") by the lighthouse.\n")
		branch := "/spaces/" + moved + "/change-requests"
		branch += "/" + admin.REST(t, http.MethodPost, branch, object{"subject": "More"}).Object(t, http.StatusCreated)["id"].(string)
		admin.REST(t, http.MethodPost, branch+"/content", object{"changes": []object{{
			"operation": "insert_page", "title": "Pier", "document": object{"markdown": "A pier with a crane.\n"},
		}}}).Object(t, http.StatusOK)
		server.As(apptest.Commenter).REST(t, http.MethodPost, "/spaces/"+moved+"/comments", object{"body": object{"markdown": "Is it lit?"}}).Object(t, http.StatusOK)
		assert.Equal(t, "ok", linked(t, reader, staying))
		assert.Equal(t, "ok", linked(t, reader, moved))

		require.NoError(t, server.App.Database.Client(ctx).Member.Create().SetOrganizationID(server.OtherOrganizationID).
			SetUserID(admin.UserID).SetRole(access.Create).Exec(ctx))
		admin.REST(t, http.MethodPost, "/spaces/"+moved+"/transfer", object{"organization": server.OtherOrganizationID}).Object(t, http.StatusOK)

		assert.Equal(t, "broken", linked(t, reader, staying), "they cannot see it any more")
		assert.Equal(t, "ok", linked(t, admin, staying))
		assert.Equal(t, "broken", linked(t, stranger, moved), "they never saw the other one")
		for organization, client := range map[string]*apptest.Client{server.OrganizationID: reader, server.OtherOrganizationID: stranger} {
			listed := client.REST(t, http.MethodGet, "/orgs/"+organization+"/spaces", nil).Object(t, http.StatusOK)
			assert.EqualValues(t, 1, listed["count"])
			assert.EqualValues(t, 1, client.REST(t, http.MethodGet, "/orgs/"+organization+"/search?query=it", nil).Object(t, http.StatusOK)["count"])
		}

		shown := stranger.REST(t, http.MethodGet, "/spaces/"+moved, nil).Object(t, http.StatusOK)
		assert.EqualValues(t, []any{1.0, 1.0}, []any{shown["comments"], shown["changeRequests"]})
		assert.Equal(t, true, shown["permissions"].(object)["admin"])
		comments := stranger.REST(t, http.MethodGet, "/spaces/"+moved+"/comments", nil).Object(t, http.StatusOK)["items"].([]any)
		require.Len(t, comments, 1)
		assert.Equal(t, server.As(apptest.Commenter).UserID, comments[0].(object)["postedBy"].(object)["id"])
		stranger.REST(t, http.MethodPost, "/spaces/"+moved+"/comments/"+comments[0].(object)["id"].(string)+"/replies", object{"body": object{"markdown": "It is."}}).Object(t, http.StatusOK)
		stranger.REST(t, http.MethodPost, branch+"/merge", nil).Object(t, http.StatusOK)
		assert.EqualValues(t, 1, stranger.REST(t, http.MethodGet, "/orgs/"+server.OtherOrganizationID+"/search?query=crane", nil).Object(t, http.StatusOK)["count"])
		assert.EqualValues(t, 0, admin.REST(t, http.MethodGet, "/orgs/"+server.OrganizationID+"/search?query=crane", nil).Object(t, http.StatusOK)["count"])
		assert.Equal(t, http.StatusNotFound, reader.REST(t, http.MethodGet, branch, nil).Status)
	})
}

// TestReferencesAreRightAfterADeletion deletes a space that another one refers
// to, and takes it back.
func TestReferencesAreRightAfterADeletion(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		admin, reader := server.As(apptest.Admin), server.As(apptest.Reader)
		shelf := makeCollection(t, server, "Shelf", nil)
		made := func(fields object) string {
			return admin.REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", fields).Object(t, http.StatusCreated)["id"].(string)
		}
		gone := made(object{"title": "Gone", "editMode": "live", "parent": shelf})
		staying := made(object{"title": "Staying", "editMode": "live"})
		written(t, server, staying, "See [it](/spaces/"+gone+").\n")
		written(t, server, gone, "A lighthouse.\n")
		server.As(apptest.Commenter).REST(t, http.MethodPost, "/spaces/"+gone+"/comments", object{"body": object{"markdown": "Is it lit?"}}).Object(t, http.StatusOK)
		state := func() []any {
			path := "/orgs/" + server.OrganizationID
			return []any{
				linked(t, reader, staying),
				reader.REST(t, http.MethodGet, path+"/spaces", nil).Object(t, http.StatusOK)["count"],
				reader.REST(t, http.MethodGet, path+"/search?query=lighthouse", nil).Object(t, http.StatusOK)["count"],
				reader.REST(t, http.MethodGet, "/collections/"+shelf+"/spaces", nil).Object(t, http.StatusOK)["count"],
				reader.REST(t, http.MethodGet, "/spaces/"+gone+"/comments", nil).Status,
			}
		}
		before := state()
		assert.Equal(t, []any{"ok", 2.0, 1.0, 1.0, http.StatusOK}, before)
		assert.Equal(t, http.StatusResetContent, admin.REST(t, http.MethodDelete, "/spaces/"+gone, nil).Status)
		assert.Equal(t, []any{"broken", 1.0, 0.0, 0.0, http.StatusNotFound}, state())
		admin.REST(t, http.MethodPost, "/spaces/"+gone+"/restore", nil).Object(t, http.StatusOK)
		assert.Equal(t, before, state())

		// Deleting the collection leaves the space, and what refers to it.
		assert.Equal(t, http.StatusResetContent, admin.REST(t, http.MethodDelete, "/collections/"+shelf, nil).Status)
		assert.Equal(t, "ok", linked(t, reader, staying))
		assert.EqualValues(t, 1, reader.REST(t, http.MethodGet, "/spaces/"+gone, nil).Object(t, http.StatusOK)["comments"])
		assert.EqualValues(t, 1, reader.REST(t, http.MethodGet, "/orgs/"+server.OrganizationID+"/search?query=lighthouse", nil).Object(t, http.StatusOK)["count"])
	})
}
