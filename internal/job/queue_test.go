package job_test

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/job"
	"octavo/internal/transfer"
)

const patience = 30 * time.Second

// record notes what was done, for tests to wait for.
type record struct {
	mutex sync.Mutex
	done  []string
	news  chan struct{}
}

func newRecord() *record { return &record{news: make(chan struct{}, 1000)} }

func (r *record) note(what string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.done = append(r.done, what)
	r.news <- struct{}{}
}

// wait returns what was done once there are as many.
func (r *record) wait(t *testing.T, count int) []string {
	t.Helper()
	for range count {
		select {
		case <-r.news:
		case <-time.After(patience):
			require.Fail(t, "jobs are not done")
		}
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return append([]string{}, r.done...)
}

func nothing(context.Context, time.Time) (int, error) { return 0, nil }

func open(t *testing.T, server *apptest.Server, work job.Work) *job.Queue {
	t.Helper()
	queue, err := job.New(server.App.Database, slog.New(slog.DiscardHandler), work)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, queue.Stop(context.Background())) })
	return queue
}

func ask(t *testing.T, server *apptest.Server, queue *job.Queue, outcome error, names ...string) {
	t.Helper()
	err := server.App.Database.Write(access.System(t.Context(), "test"), func(ctx context.Context) error {
		for _, name := range names {
			if err := queue.Transfer(ctx, transfer.Run{Request: transfer.Request{SpaceID: name}, SealedURL: []byte("sealed"), UserID: "usr"}); err != nil {
				return err
			}
		}
		return outcome
	})
	require.ErrorIs(t, err, outcome)
}

func TestJobsOutliveTheProcessThatAsked(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		asking := open(t, server, job.Work{})
		ask(t, server, asking, nil, "kept")
		ask(t, server, asking, errors.New("undone"), "undone")
		done := newRecord()
		doing := open(t, server, job.Work{PurgeSpaces: nothing, PurgeEvents: nothing, CollectFiles: nothing, Transfer: func(_ context.Context, run transfer.Run) error {
			assert.Equal(t, transfer.Run{Request: transfer.Request{SpaceID: run.SpaceID}, SealedURL: []byte("sealed"), UserID: "usr"}, run)
			done.note(run.SpaceID)
			return nil
		}})
		require.NoError(t, doing.Start(t.Context()))
		require.NoError(t, doing.Start(t.Context()), "starting twice is no error")
		assert.Equal(t, []string{"kept"}, done.wait(t, 1))
		ask(t, server, asking, nil, "later")
		assert.Equal(t, []string{"kept", "later"}, done.wait(t, 1), "what was undone is not done")
	})
}

func TestFailedJobsAreTriedAgain(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		done := newRecord()
		var failed atomic.Bool
		queue := open(t, server, job.Work{PurgeSpaces: nothing, PurgeEvents: nothing, CollectFiles: nothing, Transfer: func(_ context.Context, run transfer.Run) error {
			defer done.note(run.SpaceID)
			if failed.CompareAndSwap(false, true) {
				return errors.New("the repository does not answer")
			}
			return nil
		}})
		ask(t, server, queue, nil, "again")
		require.NoError(t, queue.Start(t.Context()))
		assert.Equal(t, []string{"again", "again"}, done.wait(t, 2))
	})
}

func TestReplicasShareTheJobs(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		done := newRecord()
		work := job.Work{PurgeSpaces: nothing, PurgeEvents: nothing, CollectFiles: nothing, Transfer: func(_ context.Context, run transfer.Run) error {
			done.note(run.SpaceID)
			return nil
		}}
		first, second := open(t, server, work), open(t, server.Beside(t), work)
		names := make([]string, 20)
		for index := range names {
			names[index] = strconv.Itoa(index)
		}
		ask(t, server, first, nil, names...)
		require.NoError(t, first.Start(t.Context()))
		require.NoError(t, second.Start(t.Context()))
		assert.ElementsMatch(t, names, done.wait(t, len(names)), "each is done once")
	})
}

func TestHousekeepingIsDoneAtTheStart(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		done := newRecord()
		noting := func(what string, age time.Duration, count int) func(context.Context, time.Time) (int, error) {
			return func(_ context.Context, at time.Time) (int, error) {
				assert.WithinDuration(t, time.Now().Add(-age), at, time.Minute)
				done.note(what)
				return count, nil
			}
		}
		queue := open(t, server, job.Work{
			PurgeSpaces: noting("spaces", 0, 1), PurgeEvents: noting("events", 7*24*time.Hour, 1),
			CollectContent: noting("content", 24*time.Hour, 0), CollectFiles: noting("files", 24*time.Hour, 0),
		})
		require.NoError(t, queue.Start(t.Context()))
		assert.ElementsMatch(t, []string{"spaces", "events", "content", "files"}, done.wait(t, 4))
	})
}
