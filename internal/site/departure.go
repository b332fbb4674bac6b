package site

import (
	"context"

	"entgo.io/ent/dialect/sql"

	entsite "octavo/ent/site"
	"octavo/ent/sitespace"
	"octavo/internal/access"
)

// spacesLeft takes spaces that leave their organization, or are purged, off
// every site. A space that is only deleted stays on its sites, which do not show
// it until it is restored.
func (s *Service) spacesLeft(ctx context.Context, spaceIDs []string) error {
	ctx = access.System(ctx, "a space takes its place on sites with it")
	client := s.database.Client(ctx)
	siteIDs, err := client.SiteSpace.Query().Where(sitespace.SpaceIDIn(spaceIDs...)).Unique(true).
		Order(sitespace.BySiteID(sql.OrderAsc())).Select(sitespace.FieldSiteID).Strings(ctx)
	if err != nil {
		return err
	}
	for _, id := range siteIDs {
		if err := s.database.Lock(ctx, entsite.Table, id); err != nil {
			return err
		}
	}
	if _, err := client.SiteSpace.Delete().Where(sitespace.SpaceIDIn(spaceIDs...)).Exec(ctx); err != nil {
		return err
	}
	for _, id := range siteIDs {
		site, err := client.Site.Get(ctx, id)
		if err != nil {
			return err
		}
		if err := s.settle(ctx, site); err != nil {
			return err
		}
		if err := s.announce(ctx, site); err != nil {
			return err
		}
	}
	return nil
}
