package collection_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/database"
)

const nestedStructure = `query($id: ID!) { organization(id: $id) { structure { totalCount nodes {
	... on Space { id parent { id } }
	... on Collection {
		id ancestors { id } spaces { nodes { id } totalCount } collections { nodes { id } totalCount }
		children(first: 5) { totalCount nodes { ... on Space { id } ... on Collection { id parent { id } ancestors { id } children(first: 5) { nodes { ... on Space { id } } } } } }
	}
} } } }`

func TestStatementsDoNotGrowWithTheStructure(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		handler := server.App.Handler()
		grow := func(count int) {
			for range count {
				outer := makeCollection(t, server, "Outer", nil)
				inner := makeCollection(t, server, "Inner", &outer)
				makeSpace(t, server, "Above", &outer)
				makeSpace(t, server, "Below", &inner)
			}
		}
		statements := func() int64 {
			var counter atomic.Int64
			body, err := json.Marshal(object{"query": nestedStructure, "variables": object{"id": server.OrganizationID}})
			require.NoError(t, err)
			request := httptest.NewRequestWithContext(database.CountStatements(t.Context(), &counter), http.MethodPost, "/graphql", bytes.NewReader(body))
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Authorization", "Bearer "+server.As(apptest.Creator).Token)
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, request)
			require.Equal(t, http.StatusOK, recorder.Code)
			require.False(t, strings.Contains(recorder.Body.String(), `"errors"`), "%s", recorder.Body)
			return counter.Load()
		}
		grow(2)
		few := statements()
		grow(18)
		assert.Equal(t, few, statements())
	})
}
