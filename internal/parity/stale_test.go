package parity

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/fault"
)

const staleRevision = "rev_00000000000000000000000001"

// TestStaleRevisionsAreRefused expects another revision than the current one:
// If-Match in REST, expectedRevision in GraphQL.
func TestStaleRevisionsAreRefused(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		for _, operation := range []string{
			"updateSpaceContent", "applyTemplateToSpace", "updateChangeRequestContent", "mergeChangeRequest",
			"updateChangeRequest", "resolveChangeRequestConflicts", "revertChangeRequest",
		} {
			t.Run(operation, func(t *testing.T) {
				t.Parallel()
				row, known := rowOf(operation)
				require.True(t, known)
				row.header = []string{"If-Match", `"` + staleRevision + `"`}
				row.input = maps.Clone(row.input)
				row.input["expectedRevision"] = staleRevision
				f := newFixture(server, row.with)
				row.prepared(t, f)
				before := row.state(t, f)
				assert.Equal(t, fault.Conflict.Status(), row.overREST(t, f, apptest.Admin).status, "REST")
				assert.Equal(t, fault.Conflict, row.overGraphQL(t, f, apptest.Admin).code, "GraphQL")
				assert.Equal(t, before, row.state(t, f), "what was refused was done")
			})
		}
	})
}
