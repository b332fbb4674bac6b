package changerequest_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/content"
	"octavo/internal/database"
	"octavo/internal/edit"
	"octavo/internal/enum"
	"octavo/internal/space"
)

// largeSpace makes a live space with count pages of one paragraph.
func largeSpace(t testing.TB, server *apptest.Server, count int) (id string, pages []string) {
	t.Helper()
	tree, bodies := &content.Tree{}, map[content.Hash][]byte{}
	for number := range count {
		body := fmt.Appendf(nil, "# Page %d\n\nText %d.\n", number, number)
		page := &content.Page{
			ID: fmt.Sprintf("pag_%026d", number), Type: content.PageDocument, Title: fmt.Sprintf("Page %d", number),
			Slug: fmt.Sprintf("page-%d", number), Body: content.HashOf(body),
		}
		bodies[page.Body] = body
		tree.Pages, pages = append(tree.Pages, page), append(pages, page.ID)
	}
	made, err := server.App.Spaces.Create(server.Context(t, apptest.Admin),
		space.New{OrganizationID: server.OrganizationID, EditMode: enum.EditLive, Tree: tree, Bodies: bodies})
	require.NoError(t, err)
	return made.ID, pages
}

// rows counts the rows of all tables that an edit or a merge adds rows to.
func rows(t testing.TB, ctx context.Context, server *apptest.Server) int {
	t.Helper()
	total := 0
	for _, table := range []string{
		"content_objects", "revisions", "contributors", "change_requests", "events", "search_pages", "search_sections",
	} {
		total += count(t, ctx, server, table)
	}
	return total
}

func count(t testing.TB, ctx context.Context, server *apptest.Server, table string) (counted int) {
	t.Helper()
	found, err := server.App.Database.Client(ctx).QueryContext(ctx, "SELECT COUNT(*) FROM "+table)
	require.NoError(t, err)
	defer found.Close()
	require.True(t, found.Next())
	require.NoError(t, found.Scan(&counted))
	return counted
}

func TestCostFollowsTheSizeOfTheChange(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		const rowLimit = 20
		ctx := server.Context(t, apptest.Admin)
		statements := map[string][]int64{}
		measure := func(name string, operation func(ctx context.Context)) {
			var counter atomic.Int64
			before := rows(t, ctx, server)
			operation(database.CountStatements(ctx, &counter))
			assert.LessOrEqual(t, rows(t, ctx, server)-before, rowLimit, name)
			statements[name] = append(statements[name], counter.Load())
		}
		for _, size := range []int{100, 10_000} {
			spaceID, pages := largeSpace(t, server, size)
			changeRequest := newChangeRequest(t, server, spaceID)
			service := server.App.ChangeRequests
			measure("edit", func(ctx context.Context) {
				_, _, err := service.EditContent(ctx, changeRequest, []edit.Change{write(pages[size/2], "# Changed\n")}, nil)
				require.NoError(t, err)
			})
			measure("edit main", func(ctx context.Context) {
				_, _, err := server.App.Spaces.EditContent(ctx, spaceID, []edit.Change{write(pages[size/3], "# Changed too\n")}, nil)
				require.NoError(t, err)
			})
			measure("update", func(ctx context.Context) {
				outcome, err := service.UpdateFromMain(ctx, changeRequest, nil)
				require.NoError(t, err)
				require.Equal(t, enum.ResultUpdate, outcome.Result)
			})
			measure("merge", func(ctx context.Context) {
				outcome, err := service.Merge(ctx, changeRequest, nil)
				require.NoError(t, err)
				require.Equal(t, enum.ResultMerge, outcome.Result)
			})
			measure("revert", func(ctx context.Context) {
				_, err := service.RevertMerge(ctx, changeRequest, nil, nil)
				require.NoError(t, err)
			})
		}
		t.Log(statements)
		for name, counted := range statements {
			assert.LessOrEqual(t, counted[0], int64(statementLimit), name)
			assert.LessOrEqual(t, counted[1], counted[0], "%s costs no more in a large space", name)
		}
	})
}

// statementLimit bounds the statements of one write of content, locks and the
// answer included.
const statementLimit = 30

func BenchmarkMerge(b *testing.B) {
	for _, name := range []string{"sqlite", "postgres"} {
		b.Run(name, func(b *testing.B) {
			server, there := apptest.NewOn(b, name)
			if !there {
				return
			}
			spaceID, pages := largeSpace(b, server, 500)
			ctx := server.Context(b, apptest.Admin)
			b.ReportAllocs()
			for round := 0; b.Loop(); round++ {
				b.StopTimer()
				changeRequest := newChangeRequest(b, server, spaceID)
				edited(b, server, changeRequest, write(pages[round%250], fmt.Sprintf("# Ours %d\n", round)))
				_, _, err := server.App.Spaces.EditContent(ctx, spaceID, []edit.Change{write(pages[250+round%250], fmt.Sprintf("# Theirs %d\n", round))}, nil)
				require.NoError(b, err)
				b.StartTimer()
				outcome, err := server.App.ChangeRequests.Merge(ctx, changeRequest, nil)
				require.NoError(b, err)
				require.Equal(b, enum.ResultMerge, outcome.Result)
			}
		})
	}
}
