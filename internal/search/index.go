// Package search finds words in the main content of spaces. What is indexed and
// how it is ranked is decided here, and the databases look up words only, so
// that all of them give the same results.
package search

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	entspace "octavo/ent/space"
	"octavo/internal/content"
	"octavo/internal/database"
	"octavo/internal/document"
	"octavo/internal/revision"
)

const (
	pagesTable    = "search_pages"
	sectionsTable = "search_sections"
	// pagesPerBatch bounds the pages whose texts are in memory at once.
	pagesPerBatch = 200
	// sectionsPerStatement and bytesPerStatement bound one INSERT.
	sectionsPerStatement = 200
	bytesPerStatement    = 4 << 20
	// scopeMark begins the words that stand for a space and for an organization.
	// No text has a word with it.
	scopeMark = "§"
)

// Index is the full-text index of all spaces. It is safe for concurrent use.
type Index struct {
	database  *database.Database
	revisions *revision.Store
}

// NewIndex returns the index in a database.
func NewIndex(opened *database.Database, revisions *revision.Store) *Index {
	return &Index{database: opened, revisions: revisions}
}

// ContentChanged is the space.ContentListener that keeps the index right.
func (i *Index) ContentChanged(ctx context.Context, space *ent.Space, before, after *content.Tree, _ *ent.Revision) error {
	return i.update(ctx, space, before, after)
}

// update makes the index of a space follow its main content, in the
// transaction of the change. It reads and writes the pages that differ only.
func (i *Index) update(ctx context.Context, space *ent.Space, before, after *content.Tree) error {
	changed := compare(before, after)
	for batch := range slices.Chunk(changed.removed, pagesPerBatch) {
		if err := i.remove(ctx, space.ID, batch); err != nil {
			return err
		}
	}
	for batch := range slices.Chunk(changed.relocated, pagesPerBatch) {
		if _, err := i.place(ctx, space.ID, after.Index(), batch); err != nil {
			return err
		}
	}
	for batch := range slices.Chunk(changed.rewritten, pagesPerBatch) {
		if err := i.rewrite(ctx, space, after.Index(), batch); err != nil {
			return err
		}
	}
	return nil
}

// Rebuild makes the index of a space anew, for repair. It checks no
// permission.
func (i *Index) Rebuild(ctx context.Context, spaceID string) error {
	return i.database.Write(ctx, func(ctx context.Context) error {
		if err := i.database.Lock(ctx, entspace.Table, spaceID); err != nil {
			return err
		}
		space, err := i.database.Client(ctx).Space.Get(ctx, spaceID)
		if err != nil {
			return err
		}
		head, err := i.revisions.Load(ctx, space.RevisionID)
		if err != nil {
			return err
		}
		tree, err := i.revisions.Tree(ctx, head.Revision)
		if err != nil {
			return err
		}
		if err := i.execute(ctx, i.from(pagesTable).Where(sql.EQ("space_id", spaceID))); err != nil {
			return err
		}
		return i.update(ctx, space, &content.Tree{}, tree)
	})
}

// changes are the pages to which the index must do something.
type changes struct {
	removed []string
	// relocated have another path or other pages above them, and the same text.
	relocated []*content.Page
	rewritten []*content.Page
}

// compare finds them in one pass over both trees.
func compare(before, after *content.Tree) changes {
	var found changes
	if before == after {
		return found
	}
	old, current := before.Index(), after.Index()
	// moved holds the pages under which everything has another place.
	moved := map[string]bool{}
	for _, page := range after.Pages {
		was := old.Page(page.ID)
		if was == page && !moved[page.Parent] {
			continue
		}
		elsewhere := was == nil || moved[page.Parent] || was.Parent != page.Parent || was.Slug != page.Slug
		moved[page.ID] = elsewhere || was.Title != page.Title
		switch {
		case !isIndexed(page):
		case was == nil || !isIndexed(was) || was.Body != page.Body || was.Title != page.Title:
			found.rewritten = append(found.rewritten, page)
		case elsewhere:
			found.relocated = append(found.relocated, page)
		}
	}
	for _, page := range before.Pages {
		if now := current.Page(page.ID); isIndexed(page) && (now == nil || !isIndexed(now)) {
			found.removed = append(found.removed, page.ID)
		}
	}
	return found
}

// isIndexed tells whether a page can be found: those that have content of
// their own. Hidden pages can: they are missing from navigation, not secret.
func isIndexed(page *content.Page) bool {
	return page.Type == content.PageDocument || page.Type == content.PageComputed
}

func (i *Index) remove(ctx context.Context, spaceID string, pageIDs []string) error {
	return i.execute(ctx, i.from(pagesTable).Where(sql.And(sql.EQ("space_id", spaceID), in("page_id", pageIDs))))
}

// place writes titles and places of pages and returns the ids of their rows by
// their own.
func (i *Index) place(ctx context.Context, spaceID string, index *content.Index, pages []*content.Page) (map[string]int64, error) {
	insert := sql.Dialect(i.database.Dialect).Insert(pagesTable).Columns("space_id", "page_id", "title", "path", "ancestors")
	for _, page := range pages {
		ancestors, err := json.Marshal(titlesAbove(index, page))
		if err != nil {
			return nil, err
		}
		insert.Values(spaceID, page.ID, storable(page.Title), storable(index.Path(page)), string(ancestors))
	}
	insert.OnConflict(sql.ConflictColumns("space_id", "page_id"), sql.ResolveWithNewValues()).Returning("id", "page_id")
	rows := make(map[string]int64, len(pages))
	err := i.query(ctx, insert, func(scan func(...any) error) error {
		var id int64
		var pageID string
		if err := scan(&id, &pageID); err != nil {
			return err
		}
		rows[pageID] = id
		return nil
	})
	return rows, err
}

// titlesAbove are the titles of the pages above a page, from the top.
func titlesAbove(index *content.Index, page *content.Page) []string {
	titles := []string{}
	for _, above := range slices.Backward(index.Ancestors(page.ID)) {
		titles = append(titles, storable(above.Title))
	}
	return titles
}

// rewrite replaces the sections of pages.
func (i *Index) rewrite(ctx context.Context, space *ent.Space, index *content.Index, pages []*content.Page) error {
	rows, err := i.place(ctx, space.ID, index, pages)
	if err != nil {
		return err
	}
	ids := make([]int64, len(pages))
	hashes := make([]content.Hash, len(pages))
	for number, page := range pages {
		ids[number], hashes[number] = rows[page.ID], page.Body
	}
	if err := i.execute(ctx, i.from(sectionsTable).Where(in("page", ids))); err != nil {
		return err
	}
	bodies, err := i.revisions.Bodies(ctx, hashes)
	if err != nil {
		return err
	}
	writer := sectionWriter{index: i, scope: " " + scopeWord(space.ID) + " " + scopeWord(space.OrganizationID) + " "}
	for _, page := range pages {
		if err := writer.add(ctx, rows[page.ID], page, bodies[page.Body]); err != nil {
			return err
		}
	}
	return writer.flush(ctx)
}

// sectionsOf splits a page for the index. The heading that states the page's
// title is no section of its own, and a page without any text has one section
// without text, which its title is found by.
func sectionsOf(page *content.Page, source []byte) []document.Section {
	_, body := document.SplitFrontMatter(source)
	sections := document.Sections(body)
	if len(sections) == 0 {
		return []document.Section{{}}
	}
	if first := &sections[0]; first.Level == 1 && strings.Join(strings.Fields(first.Title), " ") == strings.Join(strings.Fields(page.Title), " ") {
		*first = document.Section{Text: first.Text}
	}
	return sections
}

// sectionWriter gathers rows into statements.
type sectionWriter struct {
	index  *Index
	scope  string
	insert *sql.InsertBuilder
	rows   int
	bytes  int
}

func (w *sectionWriter) add(ctx context.Context, row int64, page *content.Page, source []byte) error {
	titleWords := indexed(page.Title)
	for position, section := range sectionsOf(page, source) {
		if w.insert == nil {
			w.insert = sql.Dialect(w.index.database.Dialect).Insert(sectionsTable).Columns(
				"page", "position", "anchor", "heading", "body", "scope", "title_words", "heading_words", "body_words")
		}
		bodyWords := indexed(section.Text)
		w.insert.Values(row, position, storable(section.Anchor), storable(section.Title), storable(section.Text),
			w.scope, titleWords, indexed(section.Title), bodyWords)
		w.rows++
		w.bytes += len(section.Text) + len(bodyWords)
		if w.rows >= sectionsPerStatement || w.bytes >= bytesPerStatement {
			if err := w.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *sectionWriter) flush(ctx context.Context) error {
	if w.insert == nil {
		return nil
	}
	err := w.index.execute(ctx, w.insert)
	w.insert, w.rows, w.bytes = nil, 0, 0
	return err
}

// scopeWord is the word that all sections of a space or organization have: with
// it, the database intersects a search with what is searched.
func scopeWord(id string) string {
	return scopeMark + strings.ReplaceAll(id, "_", "")
}

// storable returns a text that every database takes.
func storable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
}

func (i *Index) from(table string) *sql.DeleteBuilder {
	return sql.Dialect(i.database.Dialect).Delete(table)
}

func in[T any](column string, values []T) *sql.Predicate {
	arguments := make([]any, len(values))
	for index, value := range values {
		arguments[index] = value
	}
	return sql.In(column, arguments...)
}

func (i *Index) execute(ctx context.Context, statement sql.Querier) error {
	text, arguments := statement.Query()
	if _, err := i.database.Client(ctx).ExecContext(ctx, text, arguments...); err != nil {
		return fmt.Errorf("write the search index: %w", err)
	}
	return nil
}

// query runs a statement and calls each with every row.
func (i *Index) query(ctx context.Context, statement sql.Querier, each func(scan func(...any) error) error) error {
	text, arguments := statement.Query()
	rows, err := i.database.Client(ctx).QueryContext(ctx, text, arguments...)
	if err != nil {
		return fmt.Errorf("query the search index: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return fmt.Errorf("read the search index: %w", err)
		}
	}
	return rows.Err()
}

func (i *Index) isSQLite() bool { return i.database.Dialect == dialect.SQLite }
