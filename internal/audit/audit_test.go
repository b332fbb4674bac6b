package audit_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/ent/auditentry"
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/audit"
)

func TestAChangeAndItsEntryAreOne(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		opened := server.App.Database
		ctx := audit.WithOrigin(server.Context(t, apptest.Admin), audit.Origin{Address: "192.0.2.1", UserAgent: "test", RequestID: "r1"})
		change := audit.Change{
			OrganizationID: server.OrganizationID, Action: audit.TeamUpdated, SubjectID: "tea_1",
			Before: map[string]any{"title": "Old"}, After: map[string]any{"title": "New"},
		}
		require.Error(t, audit.Record(ctx, opened, change), "outside of a transaction")
		failure := errors.New("the change fails")
		require.ErrorIs(t, opened.Write(ctx, func(ctx context.Context) error {
			return errors.Join(audit.Record(ctx, opened, change), failure)
		}), failure)
		require.NoError(t, opened.Write(ctx, func(ctx context.Context) error { return audit.Record(ctx, opened, change) }))

		entry, err := opened.Client(ctx).AuditEntry.Query().Where(auditentry.SubjectID("tea_1")).Only(ctx)
		require.NoError(t, err)
		assert.Equal(t, server.As(apptest.Admin).UserID, *entry.ActorID)
		assert.JSONEq(t, `{"title":"Old"}`, string(entry.Before))
		assert.JSONEq(t, `{"title":"New"}`, string(entry.After))
		assert.Equal(t, []string{"192.0.2.1", "test", "r1"}, []string{entry.Address, entry.UserAgent, entry.RequestID})
	})
}

func TestEntriesAreNeverChangedOrDeleted(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := access.System(t.Context(), "test")
		client := server.App.Database.Client(ctx)
		count := client.AuditEntry.Query().CountX(ctx)
		require.Positive(t, count)
		for _, statement := range []string{"UPDATE audit_entries SET actor_id = 'x'", "DELETE FROM audit_entries"} {
			_, err := client.ExecContext(ctx, statement)
			require.ErrorContains(t, err, "append-only", statement)
		}
		assert.Equal(t, count, client.AuditEntry.Query().CountX(ctx))
	})
}
