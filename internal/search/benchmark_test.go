package search_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/pagination"
)

// BenchmarkSearch searches 5,000 pages with 15,000 sections in 20 spaces, as a
// reader, for words of different frequency, and 10 pages of another
// organization beside them.
func BenchmarkSearch(b *testing.B) {
	for _, name := range []string{"sqlite", "postgres"} {
		b.Run(name, func(b *testing.B) {
			server, ok := apptest.NewOn(b, name)
			if !ok {
				b.Logf("%s is not there", name)
				return
			}
			var spaceID string
			begun := time.Now()
			for number := range 20 {
				spaceID = newSpace(b, server, server.OrganizationID, apptest.Admin, fmt.Sprint("Space ", number), benchmarkPages(number)...)
			}
			b.Logf("%s: 5,000 pages imported and indexed in %s", name, time.Since(begun).Round(time.Millisecond))
			ctx := server.Context(b, apptest.Reader)
			for _, query := range []struct{ name, text string }{
				{"Rare", "unique 17x113"}, {"Tenth", "kind 3"}, {"Begun", "config"}, {"Everywhere", "the server"}, {"Phrase", "max_connections"},
			} {
				b.Run("Organization"+query.name, func(b *testing.B) {
					for b.Loop() {
						found, err := server.App.SearchIndex.Organization(ctx, server.OrganizationID, query.text, pagination.Arguments{})
						require.NoError(b, err)
						require.NotEmpty(b, found.Items)
					}
				})
			}
			newSpace(b, server, server.OtherOrganizationID, apptest.Stranger, "Small", benchmarkPages(20)[:10]...)
			stranger := server.Context(b, apptest.Stranger)
			b.Run("SmallOrganizationEverywhere", func(b *testing.B) {
				for b.Loop() {
					found, err := server.App.SearchIndex.Organization(stranger, server.OtherOrganizationID, "the server", pagination.Arguments{})
					require.NoError(b, err)
					require.Len(b, found.Items, 1)
				}
			})
			b.Run("SpaceEverywhere", func(b *testing.B) {
				for b.Loop() {
					found, err := server.App.SearchIndex.Space(ctx, spaceID, "the server", pagination.Arguments{})
					require.NoError(b, err)
					require.Len(b, found.Items, pagination.DefaultSize)
				}
			})
		})
	}
}

func benchmarkPages(space int) []page {
	pages := make([]page, 250)
	for number := range pages {
		pages[number] = page{
			path: fmt.Sprintf("p%03d", number), title: fmt.Sprintf("Page %d of kind %d", number, number%10),
			markdown: fmt.Sprintf("The server does what is written here, and unique %dx%d is written once.\n\n"+
				"## Configuration\n\nThe server reads its settings from the environment. Set `max_connections` to %d, which is the number of connections that the server opens at once.\n\n"+
				"## Operation\n\nThe server writes a log. Each line has a level, a time and a message about what the server did and why.\n", space, number, number),
		}
	}
	return pages
}
