package search

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"entgo.io/ent/dialect/sql"

	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/pagination"
)

const (
	// PagesPerSpace bounds the pages that a search in an organization shows of
	// each space.
	PagesPerSpace = 10
	// SectionsPerPage bounds the sections that are shown of each page.
	SectionsPerPage = 5
	// scopesPerStatement bounds the spaces that a search names by their words.
	scopesPerStatement = 50
)

// SpaceHit is a space with the best of the pages in it that match.
type SpaceHit struct {
	ID    string
	Title string
	Pages []*PageHit

	rank int
}

// PageHit is a page that matches.
type PageHit struct {
	ID      string
	SpaceID string
	Title   string
	Path    string
	// Ancestors are the pages above it, from the top.
	Ancestors []Ancestor
	// Sections that match, best first; none when only the title does.
	Sections []*SectionHit

	row  int64
	rank int
}

// Ancestor is a page above one that matches.
type Ancestor struct{ Title string }

// SectionHit is a part of a page that matches.
type SectionHit struct {
	// ID is that of the page, with the anchor behind a number sign.
	ID      string
	SpaceID string
	PageID  string
	// Anchor is empty for what precedes the first heading.
	Anchor string
	// Title of the section, or of the page for what precedes the first heading.
	Title string
	// Path of the page, with the anchor.
	Path string
	// Body is the text around the match as HTML: what matches stands between
	// <em> and </em>, and nothing else is markup.
	Body string
}

// Space lists the pages of a space's main content that match, best first. The
// caller of this method has made sure that the viewer may read the space.
// BAD_USER_INPUT for a query that is blank or longer than QueryLimit.
func (i *Index) Space(ctx context.Context, spaceID, text string, arguments pagination.Arguments) (pagination.Page[*PageHit], error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return pagination.Page[*PageHit]{}, err
	}
	return list(ctx, i, text, arguments, ranked[*PageHit]{
		scope: spaceID, counted: "page",
		begin: func(query query) *statement { return i.statement(query, []string{spaceID}, nil) },
		read:  i.pages,
		rank:  func(hit *PageHit) int { return hit.rank },
	})
}

// Organization lists the spaces of an organization that the viewer may read and
// that have pages that match, best first. BAD_USER_INPUT for a query that is
// blank or longer than QueryLimit, NOT_FOUND for the organization of others.
func (i *Index) Organization(ctx context.Context, organizationID, text string, arguments pagination.Arguments) (pagination.Page[*SpaceHit], error) {
	if _, err := access.Member(ctx, organizationID, access.ScopeRead); err != nil {
		return pagination.Page[*SpaceHit]{}, err
	}
	return list(ctx, i, text, arguments, ranked[*SpaceHit]{
		scope: organizationID, counted: "space_id",
		begin: func(query query) *statement {
			return i.statement(query, []string{organizationID}, i.readable(ctx, organizationID))
		},
		read: i.spaces,
		rank: func(hit *SpaceHit) int { return hit.rank },
	})
}

// Among lists the pages of the main content of several spaces that match, best
// first. The caller of this method has made sure that the pages may be read, or
// sees to it. BAD_USER_INPUT for a query that is blank or longer than QueryLimit.
func (i *Index) Among(ctx context.Context, spaceIDs []string, text string, arguments pagination.Arguments) (pagination.Page[*PageHit], error) {
	ids := make([]any, len(spaceIDs))
	for index, id := range spaceIDs {
		ids[index] = id
	}
	scopes := spaceIDs
	if len(scopes) > scopesPerStatement {
		scopes = nil
	}
	among := func() *sql.Selector {
		dialect := sql.Dialect(i.database.Dialect)
		return dialect.Select(entspace.FieldID).From(dialect.Table(entspace.Table)).
			Where(sql.And(sql.In(entspace.FieldID, ids...), sql.IsNull(entspace.FieldDeletedAt)))
	}
	return list(ctx, i, text, arguments, ranked[*PageHit]{
		scope: strings.Join(spaceIDs, " "), counted: "page",
		begin: func(query query) *statement { return i.statement(query, scopes, among()) },
		read:  i.pages,
		rank:  func(hit *PageHit) int { return hit.rank },
	})
}

// ranked is a list of hits.
type ranked[T any] struct {
	// scope is what is searched: cursors of another one are refused.
	scope string
	// counted is the column of matches that tells the items apart.
	counted string
	begin   func(query query) *statement
	read    func(ctx context.Context, begin func() *statement, ranks pagination.Ranks) ([]T, error)
	rank    func(T) int
}

func list[T any](ctx context.Context, index *Index, text string, arguments pagination.Arguments, list ranked[T]) (pagination.Page[T], error) {
	var none pagination.Page[T]
	parsed, err := parse(text)
	if err != nil {
		return none, err
	}
	begin := func() *statement { return list.begin(parsed) }
	count := func(ctx context.Context) (int, error) { return index.count(ctx, begin(), list.counted) }
	ranks, err := arguments.Ranks(ctx, cursorName(list.scope, text), count)
	if err != nil {
		return none, err
	}
	hits, err := list.read(ctx, begin, ranks)
	if err != nil {
		return none, err
	}
	return pagination.NewRankedPage(ranks, hits, list.rank, count), nil
}

// cursorName ties cursors to what was searched where.
func cursorName(scope, text string) string {
	sum := sha256.Sum256([]byte(scope + "\x00" + text))
	return "search-" + hex.EncodeToString(sum[:8])
}

// readable selects the spaces of an organization that the viewer may read.
func (i *Index) readable(ctx context.Context, organizationID string) *sql.Selector {
	dialect := sql.Dialect(i.database.Dialect)
	selector := dialect.Select(entspace.FieldID).From(dialect.Table(entspace.Table)).Where(sql.And(
		sql.EQ(entspace.FieldOrganizationID, organizationID), sql.IsNull(entspace.FieldDeletedAt)))
	access.From(ctx).WhereRole(access.Read)(selector)
	return selector
}

func (i *Index) count(ctx context.Context, statement *statement, column string) (count int, err error) {
	if len(statement.query.phrases) == 0 {
		return 0, nil
	}
	statement.count(column)
	err = i.query(ctx, statement, func(scan func(...any) error) error { return scan(&count) })
	return count, err
}

// pages reads one page of the hits in a space.
func (i *Index) pages(ctx context.Context, begin func() *statement, ranks pagination.Ranks) ([]*PageHit, error) {
	statement := begin()
	if len(statement.query.phrases) == 0 {
		return nil, nil
	}
	statement.pages(ranks.Offset, ranks.Limit())
	var hits []*PageHit
	err := i.query(ctx, statement, func(scan func(...any) error) error {
		hit, err := readPage(scan)
		if err != nil {
			return err
		}
		hit.rank = ranks.Offset + len(hits)
		hits = append(hits, hit)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return hits, i.addSections(ctx, begin(), hits)
}

// spaces reads one page of the hits in an organization.
func (i *Index) spaces(ctx context.Context, begin func() *statement, ranks pagination.Ranks) ([]*SpaceHit, error) {
	statement := begin()
	if len(statement.query.phrases) == 0 {
		return nil, nil
	}
	statement.spaces(ranks.Offset, ranks.Limit(), PagesPerSpace)
	var hits []*SpaceHit
	var pages []*PageHit
	err := i.query(ctx, statement, func(scan func(...any) error) error {
		title := ""
		page, err := readPage(scan, &title)
		if err != nil {
			return err
		}
		if len(hits) == 0 || hits[len(hits)-1].ID != page.SpaceID {
			hits = append(hits, &SpaceHit{ID: page.SpaceID, Title: title, rank: ranks.Offset + len(hits)})
		}
		hit := hits[len(hits)-1]
		hit.Pages = append(hit.Pages, page)
		pages = append(pages, page)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return hits, i.addSections(ctx, begin(), pages)
}

// readPage reads the columns of a page, behind others if there are any.
func readPage(scan func(...any) error, others ...any) (*PageHit, error) {
	hit, ancestors := &PageHit{}, ""
	if err := scan(append(others, &hit.row, &hit.SpaceID, &hit.ID, &hit.Title, &hit.Path, &ancestors)...); err != nil {
		return nil, err
	}
	return hit, hit.setAncestors(ancestors)
}

func (h *PageHit) setAncestors(encoded string) error {
	var titles []string
	if err := json.Unmarshal([]byte(encoded), &titles); err != nil {
		return err
	}
	for _, title := range titles {
		h.Ancestors = append(h.Ancestors, Ancestor{Title: title})
	}
	return nil
}

// addSections gives pages the best of their sections.
func (i *Index) addSections(ctx context.Context, statement *statement, hits []*PageHit) error {
	if len(hits) == 0 {
		return nil
	}
	byRow := make(map[int64]*PageHit, len(hits))
	rows := make([]int64, len(hits))
	for index, hit := range hits {
		byRow[hit.row], rows[index] = hit, hit.row
	}
	statement.sections(rows, SectionsPerPage)
	return i.query(ctx, statement, func(scan func(...any) error) error {
		var row int64
		var anchor, heading, body string
		if err := scan(&row, &anchor, &heading, &body); err != nil {
			return err
		}
		byRow[row].addSection(anchor, heading, excerpt(body, statement.query.phrases))
		return nil
	})
}

func (h *PageHit) addSection(anchor, heading, body string) {
	section := &SectionHit{ID: h.ID, SpaceID: h.SpaceID, PageID: h.ID, Anchor: anchor, Title: heading, Path: h.Path, Body: body}
	if anchor != "" {
		section.ID += "#" + anchor
		section.Path += "#" + anchor
	}
	if heading == "" {
		section.Title = h.Title
	}
	h.Sections = append(h.Sections, section)
}
