package revision_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/content"
	"octavo/internal/edit"
)

// upload adds a file to a space.
func upload(ctx context.Context, server *apptest.Server, spaceID, text string) error {
	_, _, err := server.App.Spaces.EditContent(ctx, spaceID, []edit.Change{
		edit.InsertFiles{Files: []edit.NewFile{{Name: "a.txt", ContentType: "text/plain", Data: []byte(text)}}},
	}, nil)
	return err
}

func requireKept(t *testing.T, server *apptest.Server, kept bool, text string) {
	t.Helper()
	found, err := server.App.Files.Exists(t.Context(), content.HashOf([]byte(text)))
	require.NoError(t, err)
	require.Equal(t, kept, found, text)
}

func TestCollectFilesRemovesWhatNoRevisionNames(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx, later := server.Context(t, apptest.Admin), time.Now().Add(time.Hour)
		stays, err := fill(ctx, t, server, "a page")
		require.NoError(t, err)
		require.NoError(t, upload(ctx, server, stays, "used"))
		require.NoError(t, upload(ctx, server, stays, "of both"))
		goes, err := fill(ctx, t, server, "a page")
		require.NoError(t, err)
		require.NoError(t, upload(ctx, server, goes, "of both"))
		require.NoError(t, upload(ctx, server, goes, "of the other"))
		_, err = server.App.Files.Put(ctx, "b.txt", strings.NewReader("never named"), 100)
		require.NoError(t, err)

		collect := func(before time.Time) int {
			removed, err := server.App.Revisions.CollectFiles(ctx, server.App.Files, before)
			require.NoError(t, err)
			return removed
		}
		assert.Zero(t, collect(time.Now().Add(-time.Hour)), "what is young stays")
		assert.Equal(t, 1, collect(later))
		requireKept(t, server, false, "never named")
		require.NoError(t, remove(ctx, server, goes))
		assert.Equal(t, 1, collect(later))
		requireKept(t, server, false, "of the other")
		requireKept(t, server, true, "of both")
		requireKept(t, server, true, "used")
	})
}

// What is uploaded again becomes young: a collector that goes by the age spares
// it, whatever else it removes.
func TestCollectFilesSparesWhatIsUploadedMeanwhile(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := server.Context(t, apptest.Admin)
		var texts []string
		for number := range 10 {
			texts = append(texts, "file "+strconv.Itoa(number))
			_, err := server.App.Files.Put(ctx, "a.txt", strings.NewReader(texts[number]), 100)
			require.NoError(t, err)
		}
		border := time.Now().Add(10 * time.Millisecond)
		require.Eventually(t, func() bool { return time.Now().After(border.Add(10 * time.Millisecond)) }, time.Second, time.Millisecond)
		home, err := fill(ctx, t, server, "a page")
		require.NoError(t, err)
		var working sync.WaitGroup
		working.Go(func() {
			for range 5 {
				_, err := server.App.Revisions.CollectFiles(ctx, server.App.Files, border)
				assert.NoError(t, err)
			}
		})
		for _, text := range texts[:5] {
			working.Go(func() { assert.NoError(t, upload(ctx, server, home, text)) })
		}
		working.Wait()
		for index, text := range texts {
			requireKept(t, server, index < 5, text)
		}
	})
}
