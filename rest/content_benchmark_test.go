package rest_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"octavo/rest/wire"

	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/content"
	"octavo/internal/space"
)

// BenchmarkPagesOfSpace compares reading a tree of 500 pages with a handler
// written by hand: three statements, as few as find the space and its pages,
// and one encoding.
func BenchmarkPagesOfSpace(b *testing.B) {
	for _, name := range []string{"sqlite", "postgres"} {
		server, present := apptest.NewOn(b, name)
		if !present {
			continue
		}
		spaceID := manyPages(b, server, 500)
		client := server.As(apptest.Reader)
		handler := server.App.Handler()
		serve := func(b *testing.B, handler http.Handler, method, path, body string) {
			b.Helper()
			b.ReportAllocs()
			for b.Loop() {
				request := httptest.NewRequestWithContext(b.Context(), method, path, strings.NewReader(body))
				request.Header.Set("Authorization", "Bearer "+client.Token)
				request.Header.Set("Content-Type", "application/json")
				answer := httptest.NewRecorder()
				handler.ServeHTTP(answer, request)
				if answer.Code != http.StatusOK {
					b.Fatalf("status %d: %s", answer.Code, answer.Body)
				}
			}
		}
		b.Run(name+"/by hand", func(b *testing.B) {
			serve(b, byHand(b, server, spaceID), http.MethodGet, "/v1/spaces/"+spaceID+"/content/pages", "")
		})
		for _, path := range []string{"/content/pages", "/content"} {
			b.Run(name+path, func(b *testing.B) { serve(b, handler, http.MethodGet, "/v1/spaces/"+spaceID+path, "") })
		}
		query, err := json.Marshal(map[string]any{
			"query":     `query($id: ID!) { space(id: $id) { revision { pages { id title slug path type layout { width } pages { id title slug path type layout { width } } } } } }`,
			"variables": map[string]any{"id": spaceID},
		})
		require.NoError(b, err)
		b.Run(name+"/graphql", func(b *testing.B) { serve(b, handler, http.MethodPost, "/graphql", string(query)) })
	}
}

func manyPages(b *testing.B, server *apptest.Server, count int) (spaceID string) {
	b.Helper()
	bodies := content.NewMemory(nil)
	tree := &content.Tree{}
	group := ""
	for index := range count {
		page := &content.Page{
			ID: fmt.Sprintf("pag_%026d", index), Parent: group, Type: content.PageDocument, Title: fmt.Sprintf("Page %d", index),
			Slug: fmt.Sprintf("page-%d", index), GitPath: fmt.Sprintf("page-%d.md", index), Description: "What this page is about.",
			Body: bodies.Add([]byte(fmt.Sprintf("# Page %d\n", index))), CreatedAt: time.Unix(0, 0).UTC(), UpdatedAt: time.Unix(0, 0).UTC(),
		}
		if index%20 == 0 {
			page.Parent, page.Type, page.Body, group = "", content.PageGroup, "", page.ID
		}
		tree.Pages = append(tree.Pages, page)
	}
	made, err := server.App.Spaces.Create(server.Context(b, apptest.Creator), space.New{
		OrganizationID: server.OrganizationID, Title: "Many", Tree: tree, Bodies: bodies.Added(),
	})
	require.NoError(b, err)
	return made.ID
}

// handPage is a page as a handler written by hand reads and shows it.
type handPage struct {
	ID          string            `json:"id"`
	Title       string            `json:"title"`
	Type        string            `json:"type"`
	Kind        string            `json:"kind,omitempty"`
	Slug        string            `json:"slug,omitempty"`
	Path        string            `json:"path,omitempty"`
	Description string            `json:"description,omitempty"`
	CreatedAt   string            `json:"createdAt,omitempty"`
	UpdatedAt   string            `json:"updatedAt,omitempty"`
	URLs        map[string]string `json:"urls,omitempty"`
	Layout      *wire.PageLayout  `json:"layout,omitempty"`
	Pages       []*handPage       `json:"pages"`
}

const handColumns = "id, title, type, kind, slug, path, description, created_at, updated_at"

func (p *handPage) columns() []any {
	return []any{&p.ID, &p.Title, &p.Type, &p.Kind, &p.Slug, &p.Path, &p.Description, &p.CreatedAt, &p.UpdatedAt}
}

// byHand answers from a table with one row per page.
func byHand(b *testing.B, server *apptest.Server, spaceID string) http.Handler {
	b.Helper()
	var tree struct{ Pages []*handPage }
	server.As(apptest.Reader).REST(b, http.MethodGet, "/spaces/"+spaceID+"/content/pages", nil).JSON(b, http.StatusOK, &tree)
	pool := server.App.Database.Pool()
	_, err := pool.ExecContext(b.Context(), `CREATE TABLE hand_pages (position INTEGER PRIMARY KEY, space_id TEXT, parent TEXT,
		id TEXT, title TEXT, type TEXT, kind TEXT, slug TEXT, path TEXT, description TEXT, created_at TEXT, updated_at TEXT)`)
	require.NoError(b, err)
	position := 0
	var store func(parent string, pages []*handPage)
	store = func(parent string, pages []*handPage) {
		for _, page := range pages {
			_, err := pool.ExecContext(b.Context(),
				"INSERT INTO hand_pages (position, space_id, parent, "+handColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
				append([]any{position, spaceID, parent}, page.columns()...)...)
			require.NoError(b, err)
			position++
			store(page.ID, page.Pages)
		}
	}
	store("", tree.Pages)
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		pages, err := readByHand(request.Context(), pool, spaceID, server.URL)
		if err != nil {
			http.Error(writer, err.Error(), http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(writer).Encode(map[string]any{"pages": pages}) // a recorder takes everything
	})
}

// readByHand looks the caller and the space up, then reads the pages.
func readByHand(ctx context.Context, pool *sql.DB, spaceID, url string) ([]*handPage, error) {
	var found string
	for _, query := range []string{"SELECT user_id FROM access_tokens LIMIT 1", "SELECT title FROM spaces LIMIT 1"} {
		if err := pool.QueryRowContext(ctx, query).Scan(&found); err != nil {
			return nil, err
		}
	}
	rows, err := pool.QueryContext(ctx, "SELECT parent, "+handColumns+" FROM hand_pages WHERE space_id = $1 ORDER BY position", spaceID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	layout := &wire.PageLayout{Width: "default", Cover: true, CoverSize: "hero", Title: true, Description: true,
		TableOfContents: true, Outline: true, Pagination: true, Metadata: true}
	byID := map[string]*handPage{"": {}}
	for rows.Next() {
		var parent string
		page := &handPage{Pages: []*handPage{}}
		if err := rows.Scan(append([]any{&parent}, page.columns()...)...); err != nil {
			return nil, err
		}
		if page.Type == "document" {
			page.Layout, page.URLs = layout, map[string]string{"app": url + "/app/spaces/" + spaceID + "/pages/" + page.ID}
		}
		byID[page.ID] = page
		byID[parent].Pages = append(byID[parent].Pages, page)
	}
	return byID[""].Pages, rows.Err()
}
