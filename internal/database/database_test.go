package database_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/ent"
	"octavo/ent/organization"
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/database"
)

func system(t *testing.T) context.Context {
	t.Helper()
	return access.System(t.Context(), "test")
}

func TestMigrationsMakeWhatTheSchemaDescribes(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		var pending bytes.Buffer
		require.NoError(t, server.App.Database.WritePending(t.Context(), &pending))
		var statements []string
		for line := range strings.Lines(pending.String()) {
			if !strings.HasPrefix(line, "PRAGMA") {
				statements = append(statements, line)
			}
		}
		assert.Empty(t, statements, "ent/schema and ent/migrate/versions differ")
	})
}

func TestManyProgramsMigrateOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new.db")
	var applied atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			opened, err := database.Open(t.Context(), path, database.Options{})
			if !assert.NoError(t, err) {
				return
			}
			names, err := opened.Migrate(t.Context())
			assert.NoError(t, err)
			applied.Add(int64(len(names)))
			assert.NoError(t, opened.Close())
		})
	}
	group.Wait()
	opened, err := database.Open(t.Context(), path, database.Options{})
	require.NoError(t, err)
	steps, err := opened.Migrations(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, len(steps), applied.Load())
	for _, step := range steps {
		assert.False(t, step.AppliedAt.IsZero(), step.Name)
	}
	require.NoError(t, opened.Close())
}

func TestADatabaseOfAnotherVersionIsRefused(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		opened := server.App.Database
		_, err := opened.Pool().ExecContext(t.Context(), "INSERT INTO schema_migrations (name, checksum, applied_at) VALUES ('9999_future', '', '2030-01-01T00:00:00Z')")
		require.NoError(t, err)
		_, err = opened.Migrate(t.Context())
		assert.ErrorContains(t, err, "9999_future")
		_, err = opened.Pool().ExecContext(t.Context(), "DELETE FROM schema_migrations WHERE name = '9999_future'")
		require.NoError(t, err)
		_, err = opened.Pool().ExecContext(t.Context(), "UPDATE schema_migrations SET checksum = 'other' WHERE name = '0001_initial'")
		require.NoError(t, err)
		_, err = opened.Migrate(t.Context())
		assert.ErrorContains(t, err, "another version of 0001_initial")
	})
}

func TestWriteKeepsAllOrNothing(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		opened, ctx := server.App.Database, system(t)
		exists := func(title string) bool {
			found, err := opened.Client(ctx).Organization.Query().Where(organization.Title(title)).Exist(ctx)
			require.NoError(t, err)
			return found
		}
		failure := errors.New("no")
		var called bool
		err := opened.Write(ctx, func(ctx context.Context) error {
			opened.AfterCommit(ctx, func() { called = true })
			if err := opened.Client(ctx).Organization.Create().SetTitle("Half").Exec(ctx); err != nil {
				return err
			}
			return failure
		})
		assert.ErrorIs(t, err, failure)
		assert.False(t, exists("Half"))
		assert.False(t, called, "nothing was committed")

		assert.Panics(t, func() {
			_ = opened.Write(ctx, func(ctx context.Context) error {
				_ = opened.Client(ctx).Organization.Create().SetTitle("Panicked").Exec(ctx)
				panic("no")
			})
		})
		assert.False(t, exists("Panicked"))

		err = opened.Write(ctx, func(ctx context.Context) error {
			opened.AfterCommit(ctx, func() { called = true })
			return opened.Write(ctx, func(ctx context.Context) error {
				return opened.Client(ctx).Organization.Create().SetTitle("Whole").Exec(ctx)
			})
		})
		require.NoError(t, err)
		assert.True(t, exists("Whole"))
		assert.True(t, called)
	})
}

func TestLockMakesWritersWait(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		opened, ctx := server.App.Database, system(t)
		made := opened.Client(ctx).Organization.Create().SetTitle("0").SaveX(ctx)
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				assert.NoError(t, opened.Write(ctx, func(ctx context.Context) error {
					if err := opened.Lock(ctx, organization.Table, made.ID); err != nil {
						return err
					}
					current, err := opened.Client(ctx).Organization.Get(ctx, made.ID)
					if err != nil {
						return err
					}
					var number int
					if _, err := fmt.Sscan(current.Title, &number); err != nil {
						return err
					}
					return opened.Client(ctx).Organization.UpdateOne(current).SetTitle(fmt.Sprint(number + 1)).Exec(ctx)
				}))
			})
		}
		group.Wait()
		assert.Equal(t, "20", opened.Client(ctx).Organization.GetX(ctx, made.ID).Title)
		assert.Error(t, opened.Lock(ctx, organization.Table, made.ID), "a lock needs a transaction")
	})
}

func TestTenantFence(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		client := server.App.Database.Client(t.Context())
		count := func(ctx context.Context) int {
			found, err := client.Organization.Query().Count(ctx)
			require.NoError(t, err)
			return found
		}
		assert.Equal(t, 0, count(t.Context()), "without a viewer there is nothing")
		assert.Equal(t, 1, count(server.Context(t, apptest.Reader)))
		assert.Equal(t, 1, count(server.Context(t, apptest.Stranger)))
		assert.Equal(t, 2, count(system(t)))

		stranger := server.Context(t, apptest.Stranger)
		_, err := client.Organization.UpdateOneID(server.OrganizationID).SetTitle("Mine").Save(stranger)
		assert.True(t, ent.IsNotFound(err), "%v", err)
		changed, err := client.Organization.Update().SetTitle("Mine").Save(stranger)
		require.NoError(t, err)
		assert.Equal(t, 1, changed)
		deleted, err := client.Member.Delete().Exec(t.Context())
		require.NoError(t, err)
		assert.Zero(t, deleted)
		err = client.Team.Create().SetOrganizationID(server.OrganizationID).SetTitle("Spies").Exec(stranger)
		assert.ErrorContains(t, err, "does not belong to")
		assert.Equal(t, "Acme", client.Organization.GetX(system(t), server.OrganizationID).Title)
	})
}
