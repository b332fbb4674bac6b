package audience

import (
	"context"
	"slices"
	"strings"

	"octavo/internal/content"
	"octavo/internal/document"
	"octavo/internal/pagination"
	"octavo/internal/search"
	"octavo/internal/site"
)

// maximumRounds bounds how often more hits are looked for when a visitor may not
// see those that were found.
const maximumRounds = 5

// Query is what a visitor looks for.
type Query struct {
	// Text of at most search.QueryLimit characters.
	Text string
	// After is the cursor that the hits before ended with; empty at first.
	After string
	// Limit bounds the pages that are found.
	Limit int
	// SiteSpaces are the ids of those to look in; none means all.
	SiteSpaces []string
}

// Hit is a page of the site that matches.
type Hit struct {
	*search.PageHit
	Page    *content.Page
	Content *Content
}

// Finder finds pages of sites for visitors.
type Finder struct {
	index  *search.Index
	reader *Reader
}

// NewFinder returns a finder on an index.
func NewFinder(index *search.Index, reader *Reader) *Finder {
	return &Finder{index: index, reader: reader}
}

// Search finds listed pages that the visitor may see, best first, and the cursor
// of what is behind them, if anything may be. A page matches by what the visitor
// may read of it. BAD_USER_INPUT for a query that is blank or too long.
func (f *Finder) Search(ctx context.Context, visit *Visit, query Query) (hits []*Hit, next string, err error) {
	contents, err := f.contents(ctx, visit, query.SiteSpaces)
	if err != nil || len(contents) == 0 {
		return nil, "", err
	}
	spaceIDs := make([]string, 0, len(contents))
	for id := range contents {
		spaceIDs = append(spaceIDs, id)
	}
	slices.Sort(spaceIDs)
	next = query.After
	for range maximumRounds {
		arguments := pagination.Arguments{First: new(query.Limit)}
		if next != "" {
			arguments.After = &next
		}
		page, err := f.index.Among(ctx, spaceIDs, query.Text, arguments)
		if err != nil {
			return nil, "", err
		}
		for _, found := range page.Items {
			hit, err := f.visible(ctx, contents[found.SpaceID], found)
			if err != nil {
				return nil, "", err
			}
			if hit == nil {
				continue
			}
			hits = append(hits, hit)
			if len(hits) == query.Limit {
				return hits, page.Cursor(found), nil
			}
		}
		if !page.Info.HasNextPage {
			return hits, "", nil
		}
		next = *page.Info.EndCursor
	}
	return hits, next, nil
}

// contents are what the visitor may read of the site spaces, by space. A space
// that the site shows more than once counts where it stands first.
func (f *Finder) contents(ctx context.Context, visit *Visit, among []string) (map[string]*Content, error) {
	contents := map[string]*Content{}
	for _, shown := range visit.Structure.SiteSpaces {
		if contents[shown.SpaceID] != nil || len(among) > 0 && !slices.Contains(among, shown.ID) {
			continue
		}
		read, err := f.reader.Content(ctx, visit, shown)
		if err != nil {
			return nil, err
		}
		contents[shown.SpaceID] = read
	}
	return contents, nil
}

// visible is the hit as far as the visitor may see it, or nil.
func (f *Finder) visible(ctx context.Context, from *Content, found *search.PageHit) (*Hit, error) {
	page := from.Page(found.ID)
	if page == nil || !from.IsListed(page.ID) || page.NoIndex {
		return nil, nil
	}
	hit := &Hit{PageHit: found, Page: page, Content: from}
	source, err := f.reader.source(ctx, page)
	if err != nil {
		return nil, err
	}
	if !isAdaptive(source) {
		return hit, nil
	}
	read, err := f.reader.Markdown(ctx, from, page)
	if err != nil {
		return nil, err
	}
	return hit.limited(read), nil
}

// isAdaptive tells whether a text may differ between readers.
func isAdaptive(source []byte) bool {
	text := string(source)
	return strings.Contains(text, "{%") && strings.Contains(text, "if") || strings.Contains(text, "{{") || strings.Contains(text, `class="expression"`)
}

// limited leaves out the sections whose excerpts are not in what the visitor
// reads; nil when nothing is left that matched.
func (h *Hit) limited(read []byte) *Hit {
	if len(h.Sections) == 0 {
		return h // its title matches
	}
	var text strings.Builder
	anchors := map[string]bool{"": true}
	for _, section := range document.Sections(read) {
		anchors[section.Anchor] = true
		text.WriteString(" " + section.Text)
	}
	readable := oneLine(text.String())
	limited := *h.PageHit
	limited.Sections = nil
	for _, section := range h.Sections {
		if anchors[section.Anchor] && strings.Contains(readable, oneLine(search.PlainExcerpt(section.Body))) {
			limited.Sections = append(limited.Sections, section)
		}
	}
	if len(limited.Sections) == 0 {
		return nil
	}
	return &Hit{PageHit: &limited, Page: h.Page, Content: h.Content}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// SiteSpace is where the hit stands.
func (h *Hit) SiteSpace() *site.SiteSpace { return h.Content.SiteSpace }
