package database_test

import (
	"context"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"entgo.io/ent/dialect"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/ent"
	"octavo/internal/apptest"
	"octavo/internal/database"
)

func TestTheVersionChangesWithEveryCommitOfAnyProcess(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		opened, ctx := server.App.Database, system(t)
		other := server.Beside(t).App.Database
		version := func() database.Version {
			found, err := opened.Version(ctx)
			require.NoError(t, err)
			return found
		}
		seen := map[database.Version]bool{version(): true}
		assert.True(t, seen[version()], "nothing has happened")
		for _, writer := range []*database.Database{opened, other, opened, other} {
			before := version()
			err := writer.Write(ctx, func(ctx context.Context) error {
				for range 3 {
					if err := writer.Client(ctx).Organization.Create().SetTitle("Made").Exec(ctx); err != nil {
						return err
					}
				}
				assert.Equal(t, before, version(), "nothing is committed yet")
				return nil
			})
			require.NoError(t, err)
			assert.False(t, seen[version()], "a version comes once")
			seen[version()] = true
		}
		made := opened.Client(ctx).Organization.Create().SetTitle("Alone").SaveX(ctx)
		assert.False(t, seen[version()], "a write without a transaction counts")
		before := version()
		_ = opened.Write(ctx, func(ctx context.Context) error {
			opened.Client(ctx).Organization.UpdateOne(made).SetTitle("Other").ExecX(ctx)
			return assert.AnError
		})
		assert.Equal(t, before, version(), "nothing was committed")
	})
}

// TestAVersionIsAsNewAsItsCall has many callers share readings while somebody
// writes: each has to see what was committed before it called.
func TestAVersionIsAsNewAsItsCall(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		opened, ctx := server.App.Database, system(t)
		made := opened.Client(ctx).Organization.Create().SetTitle("0").SaveX(ctx)
		var mutex sync.Mutex
		latest, err := opened.Version(ctx)
		require.NoError(t, err)
		outdated := map[database.Version]bool{}
		stop := make(chan struct{})
		var group sync.WaitGroup
		for range 16 {
			group.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					mutex.Lock()
					known := len(outdated)
					mutex.Unlock()
					found, err := opened.Version(ctx)
					if !assert.NoError(t, err) {
						return
					}
					mutex.Lock()
					// Outdated after the call began is no fault.
					assert.False(t, outdated[found] && len(outdated) == known, "an old version")
					mutex.Unlock()
					cancelled, cancel := context.WithCancel(ctx)
					cancel()
					_, _ = opened.Version(cancelled) // whoever leaves spoils nothing for others
				}
			})
		}
		for number := range 100 {
			opened.Client(ctx).Organization.UpdateOne(made).SetTitle(strconv.Itoa(number + 1)).ExecX(ctx)
			mutex.Lock()
			outdated[latest] = true
			mutex.Unlock()
			latest, err = opened.Version(ctx)
			require.NoError(t, err)
			assert.False(t, outdated[latest])
		}
		close(stop)
		group.Wait()
	})
}

// notShown are the Ent types whose changes no page of a site shows, or that are
// read for each page that does, and that do not decide who may read which spaces. A table that nobody thought about would be shown
// as it was.
var notShown = map[string]string{
	ent.TypeUser: "names of people in a page are looked up again after ten minutes", ent.TypeAccessToken: "read with each request",
	ent.TypeMember: "read with each request", ent.TypeTeam: "its members decide what it may read",
	ent.TypeRevision: "immutable", ent.TypeContentObject: "immutable", ent.TypeChangeRequest: "for members only",
	ent.TypeContributor: "for members only", ent.TypeReview: "for members only", ent.TypeRequestedReviewer: "for members only",
	ent.TypeComment: "for members only", ent.TypeCommentReply: "for members only", ent.TypeReaction: "for members only",
	ent.TypeEvent: "for the server only", ent.TypeSecret: "immutable", ent.TypeInvite: "for members only", ent.TypeAuditEntry: "for members only",
	ent.TypeSiteRedirect: "read for each path that has no page",
}

func TestEveryTableIsShownOrNotOnPurpose(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		if server.App.Database.Dialect == dialect.SQLite {
			return // every commit counts
		}
		rows, err := server.App.Database.Pool().QueryContext(t.Context(),
			"SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgfoid = 'count_shown_change'::regproc AND tgdeferrable AND tginitdeferred AND tgtype & 28 = 28")
		require.NoError(t, err)
		shown := map[string]bool{}
		for rows.Next() {
			var table string
			require.NoError(t, rows.Scan(&table))
			shown[table] = true
		}
		require.NoError(t, rows.Err())
		require.NoError(t, rows.Close())
		source, err := os.ReadFile("../../ent/mutation.go")
		require.NoError(t, err)
		for _, match := range regexp.MustCompile(`(?m)^\tType\w+\s+= "(\w+)"$`).FindAllStringSubmatch(string(source), -1) {
			_, hidden := notShown[match[1]]
			assert.True(t, shown[tableOf(t, match[1])] != hidden, "%s is shown and not, or neither", match[1])
		}
	})
}

// tableOf is the table of an Ent type.
func tableOf(t *testing.T, name string) string {
	t.Helper()
	source, err := os.ReadFile("../../ent/" + strings.ToLower(name) + "/" + strings.ToLower(name) + ".go")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^\tTable = "(\w+)"$`).FindSubmatch(source)
	require.NotNil(t, found, name)
	return string(found[1])
}
