package event_test

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"testing"
	"time"

	_ "github.com/lib/pq" // registers the driver
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	entevent "octavo/ent/event"
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/event"
)

const patience = 20 * time.Second

func everything(event.Event) bool { return true }

func system(t *testing.T) context.Context {
	t.Helper()
	return access.System(t.Context(), "test")
}

func about(server *apptest.Server, subject string) event.Event {
	return event.Event{
		OrganizationID: server.OrganizationID, Type: event.SpaceContentUpdated, SubjectID: subject,
		Place: event.Place{SpaceID: subject, ChangeRequestID: "crq"},
	}
}

func publish(t *testing.T, server *apptest.Server, subjects ...string) {
	t.Helper()
	require.NoError(t, server.App.Database.Write(system(t), func(ctx context.Context) error {
		for _, subject := range subjects {
			if err := server.App.Events.Publish(ctx, about(server, subject)); err != nil {
				return err
			}
		}
		return nil
	}))
}

func next(t *testing.T, events <-chan event.Event) (happened event.Event, open bool) {
	t.Helper()
	select {
	case happened, open = <-events:
		return happened, open
	case <-time.After(patience):
		require.Fail(t, "no event came")
		return happened, open
	}
}

func requireNext(t *testing.T, events <-chan event.Event) event.Event {
	t.Helper()
	happened, open := next(t, events)
	require.True(t, open)
	return happened
}

func TestEventsComeWithTheCommit(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		events, err := server.App.Events.Subscribe(t.Context(), everything)
		require.NoError(t, err)
		undone := errors.New("undone")
		require.ErrorIs(t, server.App.Database.Write(system(t), func(ctx context.Context) error {
			require.NoError(t, server.App.Events.Publish(ctx, about(server, "undone")))
			return undone
		}), undone)
		require.NoError(t, server.App.Database.Write(system(t), func(ctx context.Context) error {
			require.NoError(t, server.App.Events.Publish(ctx, about(server, "done")))
			assert.Empty(t, events, "nothing comes before the commit")
			return nil
		}))
		got := requireNext(t, events)
		expected := about(server, "done")
		expected.ID = got.ID
		assert.Equal(t, expected, got)
		stored, err := server.App.Database.Client(system(t)).Event.Query().Where(entevent.SubjectIDIn("done", "undone")).Only(system(t))
		require.NoError(t, err)
		assert.Equal(t, got.ID, stored.ID)
	})
}

func TestEventsArePublishedInTransactionsOnly(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	require.ErrorContains(t, server.App.Events.Publish(system(t), about(server, "s")), "no transaction")
}

func TestSlowSubscriberIsCutOffAndHoldsUpNobody(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		const sent = 200
		slow, err := server.App.Events.Subscribe(t.Context(), everything)
		require.NoError(t, err)
		quick, err := server.App.Events.Subscribe(t.Context(), everything)
		require.NoError(t, err)
		for index := range sent {
			publish(t, server, strconv.Itoa(index))
			assert.Equal(t, strconv.Itoa(index), requireNext(t, quick).SubjectID)
		}
		received := 0
		for range slow {
			received++
		}
		assert.Equal(t, 64, received)
		assert.Equal(t, 1, server.App.Events.Subscribers())
	})
}

func TestSubscriptionEndsWithItsContext(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx, cancel := context.WithCancel(t.Context())
		events, err := server.App.Events.Subscribe(ctx, everything)
		require.NoError(t, err)
		cancel()
		_, open := next(t, events)
		assert.False(t, open)
		assert.Zero(t, server.App.Events.Subscribers())
	})
}

func TestFilterDecidesWhatComes(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		events, err := server.App.Events.Subscribe(t.Context(), func(happened event.Event) bool { return happened.SubjectID == "mine" })
		require.NoError(t, err)
		publish(t, server, "yours", "mine", "theirs")
		publish(t, server, "mine")
		assert.Equal(t, "mine", requireNext(t, events).SubjectID)
		assert.Equal(t, "mine", requireNext(t, events).SubjectID)
		assert.Empty(t, events)
	})
}

// The connection that listens is cut; what happens until it is back comes
// later, each event once.
func TestNothingIsMissedWhenTheConnectionIsLost(t *testing.T) {
	t.Parallel()
	server, there := apptest.NewOn(t, "postgres")
	if !there {
		return
	}
	events, err := server.App.Events.Subscribe(t.Context(), everything)
	require.NoError(t, err)
	publish(t, server, "before")
	assert.Equal(t, "before", requireNext(t, events).SubjectID)
	administration, err := sql.Open("postgres", server.App.Database.URL)
	require.NoError(t, err)
	defer administration.Close()
	for round := range 3 {
		var cut int
		require.NoError(t, administration.QueryRowContext(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE datname = current_database() AND query LIKE 'LISTEN%'`).Scan(&cut))
		require.Equal(t, 1, cut)
		subject := "round " + strconv.Itoa(round)
		publish(t, server, subject)
		assert.Equal(t, subject, requireNext(t, events).SubjectID)
	}
}

func TestPurgeRemovesOldEvents(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		subjects := make([]string, 1100)
		for index := range subjects {
			subjects[index] = strconv.Itoa(index)
		}
		publish(t, server, subjects...)
		border := time.Now()
		publish(t, server, "new")
		purged, err := server.App.Events.Purge(t.Context(), border)
		require.NoError(t, err)
		assert.Equal(t, len(subjects), purged)
		left, err := server.App.Database.Client(system(t)).Event.Query().Only(system(t))
		require.NoError(t, err)
		assert.Equal(t, "new", left.SubjectID)
	})
}
