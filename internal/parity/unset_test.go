package parity

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"octavo/internal/apptest"
)

// What is not set is null in GraphQL; the wire of REST requires the emoji of a
// space.
func TestUnsetTextsAreNull(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		f := newFixture(server, nil)
		id := f.value(t, "spaceId")
		data := server.As(apptest.Reader).Query(t, `query($id: ID!, $page: ID!) { space(id: $id) {
			emoji icon revision { page(id: $page) { emoji icon description } }
		} }`, object{"id": id, "page": installID})
		assert.Equal(t, object{
			"emoji": nil, "icon": nil,
			"revision": object{"page": object{"emoji": nil, "icon": nil, "description": nil}},
		}, data["space"])
		assert.Empty(t, server.As(apptest.Reader).REST(t, http.MethodGet, "/spaces/"+id, nil).Object(t, http.StatusOK)["emoji"])
		f.mutate(t, apptest.Creator, "updateSpace", object{"space": id, "emoji": "1f4d8"}, "{ space { emoji } }")
		f.mutate(t, apptest.Creator, "updateSpace", object{"space": id, "emoji": nil}, "{ space { emoji } }")
		data = server.As(apptest.Reader).Query(t, `query($id: ID!) { space(id: $id) { emoji } }`, object{"id": id})
		assert.Equal(t, object{"emoji": nil}, data["space"])
	})
}
