package audience

import (
	"context"
	"slices"

	"octavo/internal/access"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/pagination"
	"octavo/internal/search"
	"octavo/internal/site"
)

// SiteQuery is what is looked for on a site.
type SiteQuery struct {
	// Text of at most search.QueryLimit characters.
	Text string
	Mode enum.SiteSearchMode
	// SiteSpaces are the ids that the mode asks for.
	SiteSpaces []string
	After      string
	// Limit bounds the pages that are found: 1 to 1000.
	Limit int
}

// Found are pages that match, by their spaces.
type Found struct {
	Spaces []*search.SpaceHit
	// Next is the cursor of what is behind them; nil when there is nothing.
	Next *string
}

// SearchSite finds listed pages of a site that the caller may read: visitors what
// they see of it, members what they may read of the structure. The space of the
// best page comes first. BAD_USER_INPUT for a query that is blank or too long,
// and for a mode that lacks its site spaces.
func (f *Finder) SearchSite(ctx context.Context, arranged *site.Structure, query SiteQuery) (*Found, error) {
	if _, err := access.AllowContent(ctx); err != nil {
		return nil, err
	}
	if query.Limit < 1 || query.Limit > pagination.MaximumSize {
		return nil, fault.Invalid("first", "%d is not between 1 and %d", query.Limit, pagination.MaximumSize)
	}
	visit := &Visit{Structure: arranged, Claims: map[string]any{}}
	if visitor := access.VisitorFrom(ctx); visitor != nil {
		visit.Claims = visitor.Claims
	}
	among, err := query.among(arranged)
	if err != nil {
		return nil, err
	}
	hits, next, err := f.Search(ctx, visit, Query{Text: query.Text, After: query.After, Limit: query.Limit, SiteSpaces: among})
	if err != nil {
		return nil, err
	}
	found := &Found{}
	if next != "" {
		found.Next = &next
	}
	for _, hit := range hits {
		found.add(hit)
	}
	return found, nil
}

// among are the ids of the site spaces to look in; none means all.
func (q SiteQuery) among(arranged *site.Structure) ([]string, error) {
	if q.Mode == enum.SearchAll {
		return nil, nil
	}
	if err := enum.Check("mode", q.Mode); err != nil {
		return nil, err
	}
	if q.Mode == enum.SearchSpecific {
		if len(q.SiteSpaces) == 0 {
			return nil, fault.Invalid("siteSpaces", "the mode specific needs at least one")
		}
		return q.SiteSpaces, nil
	}
	among := slices.Clone(q.SiteSpaces)
	for _, each := range arranged.SiteSpaces {
		if each.Default {
			among = append(among, each.ID)
		}
	}
	return among, nil
}

func (f *Found) add(hit *Hit) {
	shown := hit.SiteSpace().Space
	for _, each := range f.Spaces {
		if each.ID == shown.ID {
			each.Pages = append(each.Pages, hit.PageHit)
			return
		}
	}
	f.Spaces = append(f.Spaces, &search.SpaceHit{ID: shown.ID, Title: shown.Title, Pages: []*search.PageHit{hit.PageHit}})
}
