package benchmark

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/comment"
	"octavo/internal/content"
	"octavo/internal/enum"
	"octavo/internal/identifier"
	"octavo/internal/space"
)

const (
	spaces         = 50
	changeRequests = 10 // in each of the first 20 spaces
	pages          = 500
	comments       = 100
)

// fixture is the data that all operations are measured on.
type fixture struct {
	server   *apptest.Server
	database string
	pool     *sql.DB // for the handlers by hand
	token    string
	host     string // the server's own
	spaces   []string
	// proposed is the id of a change request that waits to be merged.
	proposed string
	numbers  int
}

func newFixture(b *testing.B, server *apptest.Server, database string) *fixture {
	b.Helper()
	made := &fixture{server: server, database: database, token: server.As(apptest.Reviewer).Token, host: strings.TrimPrefix(server.URL, "http://")}
	name, address := "sqlite", "file:"+server.App.Database.URL+"?_pragma=busy_timeout(10000)&_pragma=mmap_size(268435456)&_txlock=immediate&_time_format=sqlite"
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
		if index == 0 || index == 30 {
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
	for index := range comments {
		f.discuss(b, ctx, index)
	}
}

// discuss posts a comment with a reaction, and to some a reply.
func (f *fixture) discuss(b *testing.B, ctx context.Context, index int) {
	b.Helper()
	author := f.server.Context(b, apptest.Callers[index%5])
	posted, err := f.server.App.Comments.Post(author, comment.New{
		SpaceID: f.spaces[1], Text: comment.Text{Markdown: new(fmt.Sprintf("Comment %d", index))},
	})
	require.NoError(b, err)
	_, err = f.server.App.Comments.Update(ctx, posted.ID, comment.Changes{Reactions: comment.Reactions{Added: []string{"1f44d", "1f389"}}})
	require.NoError(b, err)
	if index%3 == 0 {
		_, err = f.server.App.Comments.PostReply(author, posted.ID, comment.Text{Markdown: new("Indeed.")})
		require.NoError(b, err)
	}
}

// proposal makes a change request with one edited page, the head of whose
// branch starts from the main content of the moment.
func (f *fixture) proposal(b *testing.B) {
	b.Helper()
	f.numbers++
	admin, path := f.server.As(apptest.Admin), "/spaces/"+f.spaces[30]
	var tree struct{ Pages []struct{ ID string } }
	admin.REST(b, http.MethodGet, path+"/content/pages", nil).JSON(b, http.StatusOK, &tree)
	created := admin.REST(b, http.MethodPost, path+"/change-requests", map[string]any{"subject": "Edit"}).Object(b, http.StatusCreated)
	f.proposed = created["id"].(string)
	admin.REST(b, http.MethodPost, path+"/change-requests/"+f.proposed+"/content", map[string]any{"changes": []any{map[string]any{
		"operation": "update_page", "page": tree.Pages[f.numbers%len(tree.Pages)].ID,
		"document": map[string]any{"markdown": fmt.Sprintf("# Edited\n\nEdit %d.\n", f.numbers)},
	}}}).JSON(b, http.StatusOK, nil)
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
