package rest

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"octavo/internal/search"
	"octavo/rest/wire"
)

func (a *API) search(router chi.Router) {
	router.Get("/spaces/{spaceId}/search", a.handle(a.searchSpaceContent))
	router.Get("/orgs/{organizationId}/search", a.handle(a.searchOrganizationContent))
}

func (a *API) searchSpaceContent(writer http.ResponseWriter, request *http.Request) error {
	return answerPage(writer, request, a.space, narrowed(a.resolvers.Space().Search, request.URL.Query().Get("query")), a.renderPageHit)
}

func (a *API) searchOrganizationContent(writer http.ResponseWriter, request *http.Request) error {
	return answerPage(writer, request, a.organization, narrowed(a.resolvers.Organization().Search, request.URL.Query().Get("query")), a.renderSpaceHit)
}

func (a *API) renderSpaceHit(ctx context.Context, hit *search.SpaceHit) (wire.SearchSpace, error) {
	pages, err := each(ctx, hit.Pages, a.renderPageHit)
	return wire.SearchSpace{ID: hit.ID, Title: hit.Title, Pages: pages}, err
}

func (a *API) renderPageHit(ctx context.Context, hit *search.PageHit) (wire.SearchPage, error) {
	urls, err := a.resolvers.PageSearchHit().Urls(ctx, hit)
	if err != nil {
		return wire.SearchPage{}, err
	}
	sections, err := each(ctx, hit.Sections, a.renderSectionHit)
	if err != nil {
		return wire.SearchPage{}, err
	}
	ancestors := make([]wire.SearchAncestor, len(hit.Ancestors))
	for index, above := range hit.Ancestors {
		ancestors[index] = wire.SearchAncestor{Title: above.Title}
	}
	return wire.SearchPage{
		ID: hit.ID, Title: hit.Title, Path: hit.Path, Ancestors: ancestors, Sections: sections,
		URLs: wire.AppURLs{App: urls.App},
	}, nil
}

func (a *API) renderSectionHit(ctx context.Context, hit *search.SectionHit) (wire.SearchSection, error) {
	urls, err := a.resolvers.SectionSearchHit().Urls(ctx, hit)
	return wire.SearchSection{
		ID: hit.ID, Title: hit.Title, Path: hit.Path, Body: hit.Body, URLs: wire.AppURLs{App: urls.App},
	}, err
}
