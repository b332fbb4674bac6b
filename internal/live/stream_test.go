package live

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/database"
	"octavo/internal/event"
	"octavo/internal/fault"
	"octavo/internal/user"
)

// newService returns a service on a database of its own, what it logs, and the
// context of a caller.
func newService(t *testing.T, limits Limits) (service *Service, logged *bytes.Buffer, ctx context.Context) {
	t.Helper()
	opened, err := database.Open(t.Context(), filepath.Join(t.TempDir(), "octavo.db"), database.Options{})
	require.NoError(t, err)
	_, err = opened.Migrate(t.Context())
	require.NoError(t, err)
	logged = new(bytes.Buffer)
	logger := slog.New(slog.NewTextHandler(logged, nil))
	service = NewService(Parts{Events: event.NewBus(opened, logger), Users: user.NewService(opened), Logger: logger, Limits: limits})
	t.Cleanup(func() {
		service.Events.Close()
		require.NoError(t, opened.Close())
	})
	system := access.System(t.Context(), "test")
	reader, err := service.Users.Create(system, user.New{DisplayName: "Reader", Email: "reader@example.com"})
	require.NoError(t, err)
	_, secret, err := service.Users.CreateTokenOf(system, reader.ID, user.NewToken{Name: "test"})
	require.NoError(t, err)
	viewer, err := service.Users.Authenticate(t.Context(), secret)
	require.NoError(t, err)
	return service, logged, access.WithViewer(t.Context(), viewer)
}

func about(readable func(context.Context) error) topic[int] {
	return topic[int]{
		filter: func(event.Event) bool { return true }, readable: readable,
		read: func(context.Context, event.Event) (int, error) { return 0, nil },
	}
}

// ended returns why a stream ended.
func ended(t *testing.T, ctx context.Context, items <-chan int) error {
	t.Helper()
	for item := range items {
		assert.Fail(t, "the stream goes on", "%d", item)
	}
	return Ending(ctx)
}

func TestPanicEndsOneStream(t *testing.T) {
	t.Parallel()
	service, logged, ctx := newService(t, Limits{})
	going, err := stream(WithSession(ctx), service, about(func(context.Context) error { return nil }))
	require.NoError(t, err)
	session := WithSession(ctx)
	items, err := stream(session, service, about(func(context.Context) error { panic("a secret") }))
	require.NoError(t, err)
	reason := ended(t, session, items)
	assert.Equal(t, fault.Internal, fault.CodeOf(reason))
	assert.NotContains(t, reason.Error(), "secret")
	assert.Contains(t, logged.String(), "a secret")
	assert.Contains(t, logged.String(), "stream_test.go", "the log says where")
	select {
	case _, open := <-going:
		assert.True(t, open, "the other stream has ended")
	default:
	}
}

func TestEndedStreamsDoNotCount(t *testing.T) {
	t.Parallel()
	service, _, ctx := newService(t, Limits{PerCaller: 1})
	for range 3 {
		session := WithSession(ctx)
		reason := errors.New("over")
		items, err := stream(session, service, about(func(context.Context) error { return reason }))
		require.NoError(t, err)
		assert.Equal(t, reason, ended(t, session, items))
	}
	assert.Empty(t, service.open.byUser)
	stopping, stop := context.WithCancel(ctx)
	items, err := stream(WithSession(stopping), service, about(func(context.Context) error { return nil }))
	require.NoError(t, err)
	_, err = stream(WithSession(ctx), service, about(func(context.Context) error { return nil }))
	assert.Equal(t, fault.LimitExceeded, fault.CodeOf(err))
	stop()
	require.NoError(t, ended(t, stopping, items))
	_, err = stream(WithSession(ctx), service, about(func(context.Context) error { return nil }))
	require.NoError(t, err)
}
