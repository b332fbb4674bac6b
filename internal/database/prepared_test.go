package database_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
)

// Statements stay prepared on their connection: what is read must never depend
// on an earlier use, on one that is still being read, or on the schema of then.
func TestPreparedStatementsAreUsedAgain(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		pool := server.App.Database.Pool()
		connection, err := pool.Conn(t.Context())
		require.NoError(t, err)
		run := func(statement string, arguments ...any) {
			_, err := connection.ExecContext(t.Context(), statement, arguments...)
			require.NoError(t, err)
		}
		run("CREATE TABLE numbers (value INTEGER)")
		for number := range 600 {
			run(fmt.Sprintf("INSERT INTO numbers (value) SELECT %d WHERE 1 = $1", number), 1)
		}
		const query = "SELECT value FROM numbers WHERE value >= $1 ORDER BY value"
		for first := range 3 {
			outer, err := connection.QueryContext(t.Context(), query, first)
			require.NoError(t, err)
			require.True(t, outer.Next())
			var seen int
			require.NoError(t, outer.Scan(&seen))
			assert.Equal(t, first, seen)
			require.NoError(t, outer.Err())
			require.NoError(t, outer.Close())
		}
		run("ALTER TABLE numbers ADD COLUMN name TEXT")
		var value int
		require.NoError(t, connection.QueryRowContext(t.Context(), query, 7).Scan(&value))
		assert.Equal(t, 7, value)
		run("DROP TABLE numbers")
		assert.ErrorContains(t, connection.QueryRowContext(t.Context(), query, 7).Scan(&value), "numbers")
		require.NoError(t, connection.Close())
	})
}

// A statement that is being read is run beside itself without harm.
func TestAStatementRunsBesideItself(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	connection, err := server.App.Database.Pool().Conn(t.Context())
	require.NoError(t, err)
	const query = "WITH RECURSIVE n(v) AS (SELECT ? UNION ALL SELECT v + 1 FROM n WHERE v < 9) SELECT v FROM n"
	outer, err := connection.QueryContext(t.Context(), query, 5)
	require.NoError(t, err)
	var sum int
	for outer.Next() {
		var one, other int
		require.NoError(t, outer.Scan(&one))
		require.NoError(t, connection.QueryRowContext(t.Context(), query, one).Scan(&other))
		assert.Equal(t, one, other)
		sum += one
	}
	require.NoError(t, outer.Err())
	assert.Equal(t, 5+6+7+8+9, sum)
	require.NoError(t, outer.Close())
	require.NoError(t, connection.Close())
}
