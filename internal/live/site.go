package live

import (
	"context"

	"octavo/internal/event"
	"octavo/internal/site"
)

// Site sends a site each time it, its structure or its publication has changed.
// NOT_FOUND when the caller may not read it.
func (s *Service) Site(ctx context.Context, id string) (<-chan *site.Site, error) {
	about := topic[*site.Site]{
		filter: func(happened event.Event) bool {
			return happened.Type == event.SiteUpdated && happened.SubjectID == id
		},
		readable: func(ctx context.Context) error {
			_, err := s.Sites.Get(ctx, id)
			return err
		},
		read: func(ctx context.Context, _ event.Event) (*site.Site, error) { return s.Sites.Get(ctx, id) },
	}
	if err := about.readable(ctx); err != nil {
		return nil, err
	}
	return stream(ctx, s, about)
}
