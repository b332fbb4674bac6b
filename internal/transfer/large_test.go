package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/database"
	"octavo/internal/repository"
	"octavo/internal/space"
	"octavo/internal/transfer"
)

// large is a repository of count pages in chapters of thirty, each with a link
// to the page before it.
func large(count int) map[string]string {
	var summary bytes.Buffer
	summary.WriteString("# Table of contents\n\n* [Start](README.md)\n")
	texts := map[string]string{"README.md": "# Start\n"}
	for number := 1; number < count; number++ {
		chapter, name, before := number/30, fmt.Sprintf("page-%04d.md", number), "../README.md"
		if number > 1 {
			before = fmt.Sprintf("../chapter-%03d/page-%04d.md", (number-1)/30, number-1)
		}
		path, indent := fmt.Sprintf("chapter-%03d/%s", chapter, name), "  "
		if number == 1 || number%30 == 0 {
			indent = ""
		}
		fmt.Fprintf(&summary, "%s* [Page %d](%s)\n", indent, number, path)
		texts[path] = fmt.Sprintf("---\ndescription: The page with the number %d\n---\n\n# Page %d\n\nBefore it stands [another](%s).\n\n"+
			"## Settings\n\n| Key | Value |\n| --- | ----- |\n| number | %d |\n\n```yaml\nnumber: %d\n```\n", number, number, before, number, number)
	}
	texts["SUMMARY.md"] = summary.String()
	return texts
}

func TestThousandsOfPagesBecomeOneRevision(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		importOf := func(texts map[string]string) (string, int64) {
			var counter atomic.Int64
			ctx := database.CountStatements(server.Context(t, apptest.Creator), &counter)
			imported, err := server.App.Transfers.ImportNew(ctx, space.New{OrganizationID: server.OrganizationID, Title: "Large"}, transfer.Source{FS: files(texts)})
			require.NoError(t, err)
			assert.Empty(t, imported.Report.Problems)
			return imported.SpaceID, counter.Load()
		}
		_, few := importOf(large(300))
		texts := large(3_000)
		spaceID, many := importOf(texts)
		assert.Less(t, many-few, int64(2_700/20), "pages are read and written many at once")
		assert.Len(t, tree(t, server, spaceID).Pages, 3_000)
		assert.Equal(t, texts, exported(t, server, spaceID))
	})
}

func TestAnImportThatIsBrokenOffLeavesNothing(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaces := func() int {
			ctx := access.System(t.Context(), "test")
			count, err := server.App.Database.Client(ctx).Space.Query().Where(entspace.OrganizationID(server.OrganizationID)).Count(ctx)
			require.NoError(t, err)
			return count
		}
		before := spaces()
		ctx, cancel := context.WithCancelCause(server.Context(t, apptest.Creator))
		var steps []transfer.Step
		broken := errors.New("broken off")
		_, err := server.App.Transfers.ImportNew(ctx, space.New{OrganizationID: server.OrganizationID, Title: "Large"}, transfer.Source{
			FS: files(large(600)),
			Progress: func(step transfer.Step, done, total int) {
				assert.LessOrEqual(t, done, total)
				if len(steps) == 0 || steps[len(steps)-1] != step {
					steps = append(steps, step)
				}
				if step == transfer.StepWrite {
					cancel(broken)
				}
			},
		})
		require.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, transfer.StepRead, steps[0])
		assert.Equal(t, transfer.StepWrite, steps[len(steps)-1])
		assert.Equal(t, before, spaces())
	})
}

// BenchmarkImport takes a repository of 3,000 pages over, into a database and
// into memory alone.
func BenchmarkImport(b *testing.B) {
	source := files(large(3_000))
	b.Run("memory", func(b *testing.B) {
		for b.Loop() {
			read, err := repository.Import(b.Context(), repository.Source{FS: source}, repository.Options{})
			require.NoError(b, err)
			require.Len(b, read.Tree.Pages, 3_000)
		}
	})
	for _, name := range []string{"sqlite", "postgres"} {
		server, there := apptest.NewOn(b, name)
		if !there {
			continue
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := server.App.Transfers.ImportNew(server.Context(b, apptest.Creator),
					space.New{OrganizationID: server.OrganizationID, Title: "Large"}, transfer.Source{FS: source})
				require.NoError(b, err)
			}
		})
	}
}
