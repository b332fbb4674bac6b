package parity

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/fault"
)

// page is a row for one page of its list.
func (r row) page(size, cursor string) row {
	path := splitFields(r.field)
	last := &path[len(path)-1]
	asked := "first: " + size
	query, err := url.ParseQuery(r.query)
	if err != nil {
		panic(err) // the table is wrong
	}
	query.Set("limit", size)
	if cursor != "" {
		asked += `, after: "` + cursor + `"`
		query.Set("page", cursor)
	}
	r.query = query.Encode()
	if arguments, given := strings.CutSuffix(*last, ")"); given {
		*last = arguments + ", " + asked + ")"
	} else {
		*last += "(" + asked + ")"
	}
	r.field = strings.Join(path, ".")
	return r
}

func TestPagesOfListsAreTheSame(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		for _, operation := range slices.SortedFunc(maps.Keys(growths), organizationsFirst) {
			row, known := rowOf(operation)
			require.True(t, known)
			if !strings.HasPrefix(row.selection, " { nodes ") {
				continue // answers with all of it
			}
			t.Run(operation, func(t *testing.T) {
				f := newFixture(server, row.with)
				growths[operation](t, f, 5)
				row.pagedThrough(t, f)
				row.refusesPage(t, f, "1001", "")
				row.refusesPage(t, f, "-1", "")
				row.refusesPage(t, f, "2", "no cursor")
			})
		}
	})
}

// pagedThrough reads the list two items at a time, by the cursors of either API.
func (r row) pagedThrough(t *testing.T, f *fixture) {
	t.Helper()
	read, cursor := 0, ""
	for {
		page := r.page("2", cursor)
		rest, graphql := page.overREST(t, f, apptest.Admin), page.overGraphQL(t, f, apptest.Admin)
		require.Equal(t, http.StatusOK, rest.status)
		require.Equal(t, ok, graphql.code)
		require.Empty(t, differences("", rest.payload, graphql.payload))
		list := rest.payload.(object)
		read += len(list["items"].([]any))
		next, more := list["next"].(object)
		if !more {
			assert.EqualValues(t, list["count"], read, "items on all pages")
			assert.GreaterOrEqual(t, read, 5)
			return
		}
		require.Len(t, list["items"], 2)
		cursor = next["page"].(string)
	}
}

func (r row) refusesPage(t *testing.T, f *fixture, size, cursor string) {
	t.Helper()
	page := r.page(size, cursor)
	page.selection = " { totalCount } " // whose cost is within its limit for any size
	assert.Equal(t, http.StatusBadRequest, page.overREST(t, f, apptest.Admin).status, "REST: %s %s", size, cursor)
	assert.Equal(t, fault.BadUserInput, page.overGraphQL(t, f, apptest.Admin).code, "GraphQL: %s %s", size, cursor)
}
