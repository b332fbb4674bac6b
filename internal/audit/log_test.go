package audit_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/audit"
	"octavo/internal/database"
	"octavo/internal/pagination"
)

const readLog = `query($id: ID!, $filter: AuditFilter) { organization(id: $id) { auditLog(filter: $filter) {
	totalCount nodes { action subject actor { displayName } token before after address userAgent createdAt }
} } }`

type object = map[string]any

// entries are those of the log that a filter leaves, newest first.
func entries(t *testing.T, server *apptest.Server, filter object) []any {
	t.Helper()
	data := server.As(apptest.Admin).Query(t, readLog, object{"id": server.OrganizationID, "filter": filter})
	log := data["organization"].(object)["auditLog"].(object)
	assert.Len(t, log["nodes"], int(log["totalCount"].(float64)))
	return log["nodes"].([]any)
}

func actions(entries []any) []string {
	found := []string{}
	for _, entry := range entries {
		found = append(found, entry.(object)["action"].(string))
	}
	return found
}

func TestTheLogTellsWhatBecameOfASpace(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		creator, admin := server.As(apptest.Creator), server.As(apptest.Admin)
		id := creator.REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", object{"title": "Old"}).Object(t, 201)["id"].(string)
		rules := object{"type": "rules", "rules": []any{object{"rule": "require_at_least_one_review"}}}
		admin.REST(t, http.MethodPatch, "/spaces/"+id, object{"title": "New", "mergeRules": rules}).JSON(t, 200, nil)
		admin.REST(t, http.MethodPatch, "/spaces/"+id, object{"title": "New"}).JSON(t, 200, nil)
		creator.REST(t, http.MethodDelete, "/spaces/"+id, nil).JSON(t, 205, nil)
		creator.REST(t, http.MethodPost, "/spaces/"+id+"/restore", nil).JSON(t, 200, nil)
		copied := creator.REST(t, http.MethodPost, "/spaces/"+id+"/duplicate", nil).Object(t, 201)["id"].(string)

		log := entries(t, server, object{"subject": id})
		require.Equal(t, []string{"space.restored", "space.deleted", "space.updated", "space.created"}, actions(log), "what changed nothing is not noted")
		updated := log[2].(object)
		assert.Equal(t, object{"displayName": "The admin"}, updated["actor"])
		assert.NotEmpty(t, updated["token"])
		assert.Equal(t, "127.0.0.1", updated["address"])
		assert.Equal(t, "Old", updated["before"].(object)["title"])
		assert.NotContains(t, updated["before"], "emoji", "only what changed")
		assert.Equal(t, "rules", updated["after"].(object)["mergeRules"].(object)["type"])
		assert.Nil(t, log[1].(object)["after"])
		assert.Equal(t, []string{"space.created"}, actions(entries(t, server, object{"subject": copied})))
	})
}

func TestTheLogIsFiltered(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		teams := "/orgs/" + server.OrganizationID + "/teams"
		id := server.As(apptest.Admin).REST(t, http.MethodPut, teams, object{"title": "One"}).Object(t, 201)["id"].(string)
		server.As(apptest.Admin).REST(t, http.MethodPatch, teams+"/"+id, object{"title": "Two"}).JSON(t, 200, nil)
		renamed := entries(t, server, object{"subject": id})[0].(object)
		at := renamed["createdAt"].(string)
		assert.Equal(t, []string{"team.updated"}, actions(entries(t, server, object{"action": "team.updated"})))
		assert.Equal(t, []string{"team.updated"}, actions(entries(t, server, object{"after": at})), "the time itself counts")
		assert.NotContains(t, actions(entries(t, server, object{"before": at})), "team.updated")
		assert.Equal(t, []string{"team.updated", "team.created"}, actions(entries(t, server, object{"actor": server.As(apptest.Admin).UserID, "subject": id})))
		assert.Empty(t, entries(t, server, object{"actor": server.As(apptest.Reader).UserID}))

		for caller, code := range map[apptest.Caller]string{
			apptest.Creator: "FORBIDDEN", apptest.Guest: "FORBIDDEN", apptest.Stranger: "NOT_FOUND",
			apptest.Anonymous: "UNAUTHENTICATED", apptest.ReadToken: "FORBIDDEN", apptest.WriteToken: "FORBIDDEN",
		} {
			assert.Equal(t, code, server.As(caller).GraphQL(t, readLog, object{"id": server.OrganizationID}).Code(), "%s", caller)
		}
	})
}

func TestTheLogTakesAsManyStatementsForManyEntriesAsForFew(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		record(t, server, 40)
		statements := func(first int) int64 {
			var counter atomic.Int64
			ctx := database.CountStatements(server.Context(t, apptest.Admin), &counter)
			page, err := server.App.AuditLog.List(ctx, server.OrganizationID, audit.Filter{}, pagination.Arguments{First: &first})
			require.NoError(t, err)
			require.Len(t, page.Items, first)
			return counter.Load()
		}
		assert.Equal(t, statements(2), statements(40))
	})
}

// record notes so many changes of the first organization.
func record(t *testing.T, server *apptest.Server, count int) {
	t.Helper()
	changes := make([]audit.Change, count)
	for index := range changes {
		changes[index] = audit.Change{
			OrganizationID: server.OrganizationID, Action: audit.TeamUpdated, SubjectID: "tea_" + strconv.Itoa(index), After: object{"index": index},
		}
	}
	require.NoError(t, server.App.Database.Write(server.Context(t, apptest.Admin), func(ctx context.Context) error {
		return audit.Record(ctx, server.App.Database, changes...)
	}))
}

func TestExportGivesEveryEntryOnceInOrder(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		record(t, server, 1100) // more than two batches
		ctx := access.System(t.Context(), "test")
		var lines []audit.Line
		collect := func(line audit.Line) error {
			lines = append(lines, line)
			return nil
		}
		require.NoError(t, server.App.AuditLog.Export(ctx, server.OrganizationID, audit.Filter{Action: audit.TeamUpdated}, collect))
		require.Len(t, lines, 1100)
		seen := map[string]bool{}
		for index, line := range lines {
			seen[line.SubjectID] = true
			assert.True(t, index == 0 || lines[index-1].ID < line.ID)
			assert.Equal(t, server.OrganizationID, line.OrganizationID)
		}
		assert.Len(t, seen, 1100)
		assert.Equal(t, "null", string(lines[0].Before))

		lines = nil
		soon := time.Now().Add(time.Hour)
		require.NoError(t, server.App.AuditLog.Export(ctx, server.OrganizationID, audit.Filter{Since: &soon}, collect))
		assert.Empty(t, lines)
		failure := errors.New("the pipe is closed")
		assert.ErrorIs(t, server.App.AuditLog.Export(ctx, server.OrganizationID, audit.Filter{}, func(audit.Line) error { return failure }), failure)
	})
}
