package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"octavo/graph/model"
	"octavo/internal/loader"
	"octavo/internal/site"
	"octavo/internal/space"
)

// siteStructure is how a site is arranged, with the addresses that the key of a
// share link gives it.
func (r *Resolver) siteStructure(ctx context.Context, of *site.Site, shareKey *string) (*site.Structure, error) {
	arranged, err := loader.From(ctx).SiteStructure.Load(ctx, of.ID)
	if err != nil {
		return nil, err
	}
	return r.Sites.WithShareKey(ctx, arranged, shareKey)
}

// publishedURL is where a space is published; nil where that needs a key and
// none, or a wrong one, is given.
func (r *Resolver) publishedURL(ctx context.Context, of *space.Space, shareKey *string) (*string, error) {
	published, err := loader.From(ctx).Publication.Load(ctx, of.ID)
	if err != nil || published == nil {
		return nil, err
	}
	key := orEmpty(shareKey)
	if valid, err := r.Sites.CheckShareKey(ctx, published.Site.ID, key); err != nil || !valid {
		return published.URL(""), err
	}
	return published.URL(key), nil
}

func siteFilter(filter *model.SiteFilter) site.Filter {
	if filter == nil {
		return site.Filter{}
	}
	return site.Filter{
		SpaceID: valueOf(filter.Space), Title: valueOf(filter.Title), Published: filter.Published.Value(), Types: filter.Types.Value(),
	}
}

func siteSpaceFilter(filter *model.SiteSpaceFilter) *bool {
	if filter == nil {
		return nil
	}
	return filter.Default.Value()
}

func sitePosition(position *model.SitePositionInput) site.Position {
	if position == nil {
		return site.Position{}
	}
	return site.Position{Before: valueOf(position.Before), After: valueOf(position.After)}
}

func siteDestination(input *model.SiteRedirectDestinationInput) *site.Destination {
	if input == nil {
		return nil
	}
	return &site.Destination{
		Kind: input.Kind, SiteSectionID: input.SiteSectionID.Value(), SiteSpaceID: input.SiteSpaceID.Value(),
		PageID: input.PageID.Value(), URL: input.URL.Value(),
	}
}

// orEmpty is the text, or the empty one when there is none.
func orEmpty(text *string) string { return orDefault(text, "") }

// orDefault is what an argument says, or the default when it is left out.
func orDefault[T any](given *T, otherwise T) T {
	if given == nil {
		return otherwise
	}
	return *given
}

// statedClaims are those of an object that the caller gave; anything else states
// none.
func statedClaims(given graphql.Omittable[any]) map[string]any {
	claims, _ := given.Value().(map[string]any)
	return claims
}
