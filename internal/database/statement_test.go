package database_test

import (
	"context"
	stdsql "database/sql"
	"sync/atomic"
	"testing"

	"entgo.io/ent/dialect/sql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/ent"
	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/database"
	"octavo/internal/space"
)

// everySpace returns a statement that asks for spaces without limiting itself
// to any organization, and counts how often its text is written.
func everySpace(written *atomic.Int64) *database.Statement[string] {
	return database.NewStatement(ent.TypeSpace, func(column string, stencil database.Stencil) *sql.Selector {
		written.Add(1)
		dialect := sql.Dialect(stencil.Dialect)
		selector := dialect.Select().From(dialect.Table(entspace.Table))
		names := make([]any, len(stencil.Names))
		for index, name := range stencil.Names {
			names[index] = name
		}
		selector.Select(selector.Columns(entspace.Columns...)...).Where(sql.In(selector.C(column), names...))
		stencil.Viewer.SelectRole(selector)
		return selector
	})
}

func rolesOf(t *testing.T, ctx context.Context, server *apptest.Server, statement *database.Statement[string], ids ...string) map[string]access.Role {
	t.Helper()
	rows, err := statement.Query(ctx, server.App.Database, entspace.FieldID, ids...)
	require.NoError(t, err)
	found := map[string]access.Role{}
	require.NoError(t, rows.Each(func(row *stdsql.Rows) error {
		var one ent.Space
		var role access.Role
		err := row.Scan(append(one.Targets(), &role)...)
		found[one.ID] = role
		return err
	}))
	return found
}

func TestStatementsAreFencedAndKeepNobodysNames(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		made := func(caller apptest.Caller, organizationID string) string {
			created, err := server.App.Spaces.Create(server.Context(t, caller), space.New{OrganizationID: organizationID, Title: "One"})
			require.NoError(t, err)
			return created.ID
		}
		ours, theirs := made(apptest.Admin, server.OrganizationID), made(apptest.Stranger, server.OtherOrganizationID)
		var written atomic.Int64
		statement := everySpace(&written)
		for range 2 {
			for caller, expected := range map[apptest.Caller]map[string]access.Role{
				// Two callers of one shape: the second must not ask in the name of the first.
				apptest.Admin:    {ours: access.Admin},
				apptest.Stranger: {theirs: access.Admin},
				apptest.Reader:   {ours: access.Read},
				apptest.Editor:   {ours: access.Edit},
				apptest.Guest:    {ours: access.None},
			} {
				assert.Equal(t, expected, rolesOf(t, server.Context(t, caller), server, statement, ours, theirs), caller)
			}
		}
		assert.EqualValues(t, 4, written.Load(), "a text for each role")
		assert.Empty(t, rolesOf(t, context.Background(), server, statement, ours, theirs), "nobody")
		assert.Len(t, rolesOf(t, system(t), server, statement, ours, theirs), 2, "the system")
		onBehalf := access.System(server.Context(t, apptest.Reader), "test")
		assert.Len(t, rolesOf(t, onBehalf, server, statement, ours, theirs), 2, "the system on behalf of somebody")
		assert.Empty(t, rolesOf(t, system(t), server, statement), "of nothing")
	})
}

func TestRowsAreScannedAsEntScansThem(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		_, err := server.App.Spaces.Create(server.Context(t, apptest.Admin), space.New{OrganizationID: server.OrganizationID, Title: "One", Emoji: "1f4d8"})
		require.NoError(t, err)
		client := server.App.Database.Client(system(t))
		expected, err := client.Space.Query().Order(entspace.ByID()).All(system(t))
		require.NoError(t, err)
		dialect := sql.Dialect(server.App.Database.Dialect)
		query, _ := dialect.Select(entspace.Columns...).From(dialect.Table(entspace.Table)).OrderBy(entspace.FieldID).Query()
		rows, err := client.QueryContext(system(t), query)
		require.NoError(t, err)
		defer rows.Close()
		index := 0
		for ; rows.Next(); index++ {
			var scanned ent.Space
			require.NoError(t, rows.Scan(scanned.Targets()...))
			assert.Equal(t, expected[index].String(), scanned.String())
			assert.Equal(t, expected[index].MergeRules, scanned.MergeRules)
		}
		require.NoError(t, rows.Err())
		assert.Len(t, expected, index)
	})
}
