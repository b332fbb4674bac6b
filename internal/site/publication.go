package site

import (
	"context"
	stdsql "database/sql"
	"slices"
	"strings"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	entsite "octavo/ent/site"
	"octavo/ent/sitespace"
	"octavo/internal/access"
	"octavo/internal/database"
	"octavo/internal/enum"
)

// Publication is how the public reaches a space: through the site with the most
// open visibility that shows it, the oldest of several.
type Publication struct {
	Site *Site
	path []string
}

// URL is where the space is read, with the key of a share link where one is
// needed; nil without it.
func (p *Publication) URL(shareKey string) *string {
	return below(p.Site.PublishedURL(shareKey), p.path...)
}

// Visibility of the space that follows.
func (p *Publication) Visibility() enum.SpaceVisibility {
	return enum.SpaceVisibility(p.Site.Visibility)
}

// Publications returns those of spaces, for loaders; nil for each that no
// published site shows.
func (s *Service) Publications(ctx context.Context, spaceIDs []string) (map[string]*Publication, error) {
	rows, err := s.publishedIn(ctx, spaceIDs)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*Publication, len(spaceIDs))
	for _, id := range spaceIDs {
		found[id] = nil
	}
	for _, row := range rows {
		candidate := &Publication{Site: s.seen(access.From(ctx), row.Edges.Site), path: pathOf(row)}
		if known := found[row.SpaceID]; known == nil || candidate.before(known) {
			found[row.SpaceID] = candidate
		}
	}
	return found, nil
}

// publishedIn finds the places of spaces in published sites.
func (s *Service) publishedIn(ctx context.Context, spaceIDs []string) ([]*ent.SiteSpace, error) {
	places, err := publishedPlaces.Query(ctx, s.database, struct{}{}, spaceIDs...)
	if err != nil {
		return nil, err
	}
	var ids []string
	err = places.Each(func(row *stdsql.Rows) error {
		var id string
		err := row.Scan(&id)
		ids = append(ids, id)
		return err
	})
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	query := s.database.Client(ctx).SiteSpace.Query().Where(sitespace.IDIn(ids...))
	if visitor := access.VisitorFrom(ctx); visitor != nil {
		query.Where(sitespace.SiteID(visitor.SiteID))
	}
	return query.WithSite().WithSection().All(ctx)
}

// publishedPlaces finds where published sites show the spaces whose ids are the
// names. Most spaces are shown by none.
var publishedPlaces = database.NewStatement(ent.TypeSiteSpace, func(_ struct{}, stencil database.Stencil) *sql.Selector {
	dialect := sql.Dialect(stencil.Dialect)
	selector := dialect.Select().From(dialect.Table(sitespace.Table))
	sitespace.And(sitespace.SpaceIDIn(stencil.Names...), sitespace.HasSiteWith(entsite.Published(true)))(selector)
	return selector.Select(selector.C(sitespace.FieldID))
})

// pathOf is the path of a site space below the address of its site.
func pathOf(row *ent.SiteSpace) []string {
	var path []string
	site, section := row.Edges.Site, row.Edges.Section
	chosen := site.DefaultSiteSpaceID
	if section != nil {
		chosen = section.DefaultSiteSpaceID
		if !equal(site.DefaultSectionID, &section.ID) {
			path = append(path, section.Path)
		}
	}
	if !equal(chosen, &row.ID) {
		path = append(path, row.Path)
	}
	return path
}

func (p *Publication) before(other *Publication) bool {
	values := enum.SiteVisibility("").Values()
	mine, theirs := slices.Index(values, string(p.Site.Visibility)), slices.Index(values, string(other.Site.Visibility))
	if mine != theirs {
		return mine < theirs
	}
	return strings.Compare(p.Site.ID, other.Site.ID) < 0
}

// OfSpace returns the site spaces that show a space, as far as the caller may
// see them, oldest first.
func (s *Service) OfSpace(ctx context.Context, spaceID string) ([]*SiteSpace, error) {
	ids, err := s.database.Client(ctx).SiteSpace.Query().Where(sitespace.SpaceID(spaceID)).Order(sitespace.ByID()).IDs(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.SiteSpacesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	ordered := make([]*SiteSpace, 0, len(found))
	for _, id := range ids {
		if found[id] != nil {
			ordered = append(ordered, found[id])
		}
	}
	return ordered, nil
}
