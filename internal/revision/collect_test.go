package revision_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/edit"
	"octavo/internal/enum"
	"octavo/internal/revision"
	"octavo/internal/space"
)

// fill makes a space with one page for each of the texts.
func fill(ctx context.Context, t *testing.T, server *apptest.Server, texts ...string) (id string, err error) {
	t.Helper()
	made, err := server.App.Spaces.Create(ctx, space.New{OrganizationID: server.OrganizationID, Title: "Guide", EditMode: enum.EditLive})
	if err != nil {
		return "", err
	}
	changes := make([]edit.Change, len(texts))
	for index := range texts {
		changes[index] = edit.InsertPage{Text: edit.Text{Markdown: &texts[index]}}
	}
	_, _, err = server.App.Spaces.EditContent(ctx, made.ID, changes, nil)
	return made.ID, err
}

// remove deletes a space and purges it at once.
func remove(ctx context.Context, server *apptest.Server, id string) error {
	if _, err := server.App.Spaces.Delete(ctx, id); err != nil {
		return err
	}
	_, err := server.App.Spaces.Purge(ctx, time.Now().Add(space.Retention+time.Minute))
	return err
}

// requireReadable reads everything that revisions reach, past all caches.
func requireReadable(t *testing.T, server *apptest.Server) {
	t.Helper()
	ctx := access.System(t.Context(), "test")
	store := revision.NewStore(server.App.Database, "")
	rows, err := server.App.Database.Client(ctx).Revision.Query().All(ctx)
	require.NoError(t, err)
	require.NotEmpty(t, rows)
	for _, row := range rows {
		tree, err := store.Tree(ctx, row)
		require.NoError(t, err)
		for _, page := range tree.Pages {
			if page.Body != "" {
				_, err := store.Body(ctx, page.Body)
				require.NoError(t, err)
			}
		}
	}
}

func objects(t *testing.T, server *apptest.Server) int {
	t.Helper()
	ctx := access.System(t.Context(), "test")
	count, err := server.App.Database.Client(ctx).ContentObject.Query().Count(ctx)
	require.NoError(t, err)
	return count
}

func TestCollectRemovesWhatNoRevisionReaches(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := server.Context(t, apptest.Admin)
		later := time.Now().Add(time.Hour)
		_, err := fill(ctx, t, server, "shared", "own")
		require.NoError(t, err)
		kept := objects(t, server)
		removed, err := server.App.Revisions.Collect(ctx, later)
		require.NoError(t, err)
		assert.Zero(t, removed, "everything is reached")
		gone, err := fill(ctx, t, server, "shared", "only there", "there too")
		require.NoError(t, err)
		all := objects(t, server)
		require.Greater(t, all, kept)
		require.NoError(t, remove(ctx, server, gone))
		removed, err = server.App.Revisions.Collect(ctx, time.Now().Add(-time.Hour))
		require.NoError(t, err)
		assert.Zero(t, removed, "what is young stays")
		removed, err = server.App.Revisions.Collect(ctx, later)
		require.NoError(t, err)
		assert.Equal(t, all-kept, removed)
		assert.Equal(t, kept, objects(t, server))
		requireReadable(t, server)
	})
}

// Writers use the same texts again and again, which nothing reaches in between:
// whatever the collector removes is never what a revision needs.
func TestCollectSparesWhatIsWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := server.Context(t, apptest.Admin)
		const writers, rounds = 3, 12
		stop := make(chan struct{})
		var collecting, writing sync.WaitGroup
		removed := 0
		collecting.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				count, err := server.App.Revisions.Collect(ctx, time.Now().Add(time.Hour))
				if !assert.NoError(t, err) {
					return
				}
				removed += count
			}
		})
		for range writers {
			writing.Go(func() {
				for round := range rounds {
					id, err := fill(ctx, t, server, "text "+strconv.Itoa(round%3), "another "+strconv.Itoa(round%2))
					if !assert.NoError(t, err) {
						return
					}
					if round%4 != 0 && !assert.NoError(t, remove(ctx, server, id)) {
						return
					}
				}
			})
		}
		writing.Wait()
		close(stop)
		collecting.Wait()
		assert.Positive(t, removed)
		requireReadable(t, server)
	})
}

// A writer has found an object that nothing reaches and has not committed yet:
// the collector waits for it, and then spares the object.
func TestCollectWaitsForWritersUnderWay(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := server.Context(t, apptest.Admin)
		gone, err := fill(ctx, t, server, "used again")
		require.NoError(t, err)
		require.NoError(t, remove(ctx, server, gone))
		before := server.App.Database.Pool().Stats().WaitCount
		collected := make(chan error, 1)
		require.NoError(t, server.App.Database.Write(ctx, func(transaction context.Context) error {
			if _, err := fill(transaction, t, server, "used again"); err != nil {
				return err
			}
			go func() {
				_, err := server.App.Revisions.Collect(ctx, time.Now().Add(time.Hour))
				collected <- err
			}()
			require.Eventually(t, func() bool {
				return len(collected) > 0 || waits(t, server, before)
			}, 20*time.Second, time.Millisecond)
			assert.Empty(t, collected, "the collector did not wait")
			return nil
		}))
		require.NoError(t, <-collected)
		requireReadable(t, server)
	})
}

// waits tells whether somebody waits for the content: on SQLite for the
// connection that writes.
func waits(t *testing.T, server *apptest.Server, before int64) bool {
	t.Helper()
	if server.App.Database.Dialect == dialect.SQLite {
		return server.App.Database.Pool().Stats().WaitCount > before
	}
	var count int
	require.NoError(t, server.App.Database.Pool().QueryRowContext(t.Context(), `SELECT count(*) FROM pg_locks
		WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&count))
	return count > 0
}
