package benchmark

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/content"
	"octavo/internal/enum"
	"octavo/internal/identifier"
	"octavo/internal/space"
)

const (
	spaces         = 50
	changeRequests = 10 // in each of the first 20 spaces
	pages          = 500
)

// fixture is the data that all operations are measured on.
type fixture struct {
	server   *apptest.Server
	database string
	pool     *sql.DB // for the handlers by hand
	token    string
	spaces   []string
}

func newFixture(b *testing.B, server *apptest.Server, database string) *fixture {
	b.Helper()
	made := &fixture{server: server, database: database, token: server.As(apptest.Editor).Token}
	name, address := "sqlite", "file:"+server.App.Database.URL+"?_pragma=busy_timeout(10000)&_pragma=mmap_size(268435456)&_pragma=query_only(1)&_time_format=sqlite"
	if database == "postgres" {
		name, address = "postgres", server.App.Database.URL
	}
	pool, err := sql.Open(name, address)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, pool.Close()) })
	made.pool = pool
	made.fill(b)
	return made
}

func (f *fixture) fill(b *testing.B) {
	b.Helper()
	ctx := f.server.Context(b, apptest.Admin)
	for index := range spaces {
		made := space.New{OrganizationID: f.server.OrganizationID, Title: fmt.Sprintf("Space %d", index), Emoji: "1f4d8"}
		if index == 0 {
			made.Tree, made.Bodies = tree()
		}
		created, err := f.server.App.Spaces.Create(ctx, made)
		require.NoError(b, err)
		f.spaces = append(f.spaces, created.ID)
	}
	client := f.server.App.Database.Client(access.System(ctx, "benchmark"))
	for index, id := range f.spaces[:20] {
		creates := make([]*ent.ChangeRequestCreate, changeRequests)
		for number := range creates {
			creates[number] = client.ChangeRequest.Create().SetOrganizationID(f.server.OrganizationID).SetSpaceID(id).
				SetNumber(number + 1).SetStatus(enum.StatusOpen).SetSubject(fmt.Sprintf("Change %d", index*changeRequests+number)).
				SetCreatorID(f.server.As(apptest.Callers[number%6]).UserID).SetRevisionID("rev_x").SetInitialRevisionID("rev_x")
		}
		require.NoError(b, client.ChangeRequest.CreateBulk(creates...).Exec(ctx))
	}
}

// tree has 500 pages in 20 parts.
func tree() (*content.Tree, map[content.Hash][]byte) {
	made, bodies := &content.Tree{}, map[content.Hash][]byte{}
	parent := ""
	for index := range pages {
		title := fmt.Sprintf("Page %d", index)
		body := []byte("# " + title + "\n\nThe text of a page.\n")
		hash := content.HashOf(body)
		bodies[hash] = body
		page := &content.Page{
			ID: identifier.New(identifier.Page), Type: content.PageDocument, Title: title,
			Slug: fmt.Sprintf("page-%d", index), Body: hash,
		}
		if index%25 == 0 {
			parent = page.ID
		} else {
			page.Parent = parent
		}
		made.Pages = append(made.Pages, page)
	}
	return made, bodies
}
