package rest

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"octavo/internal/content"
	"octavo/internal/revision"
	"octavo/rest/wire"
)

func (a *API) content(router chi.Router) {
	router.Get("/spaces/{spaceId}/content/pages", a.handle(a.listPages))
}

func (a *API) listPages(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.mainRevision(request)
	if err != nil {
		return err
	}
	pages, err := a.renderPages(request, found)
	if err != nil {
		return err
	}
	WriteJSON(writer, http.StatusOK, wire.PageTree{Pages: pages})
	return nil
}

// mainRevision is the main content of the space that the path names.
func (a *API) mainRevision(request *http.Request) (*revision.Revision, error) {
	found, err := a.space(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Space().Revision(request.Context(), found)
}

func (a *API) renderPages(request *http.Request, found *revision.Revision) ([]wire.Page, error) {
	pages, err := a.resolvers.Revision().Pages(request.Context(), found)
	if err != nil {
		return nil, err
	}
	rendered := make([]wire.Page, len(pages))
	for index, page := range pages {
		if rendered[index], err = a.renderPageTree(request, page); err != nil {
			return nil, err
		}
	}
	return rendered, nil
}

func (a *API) renderPageTree(request *http.Request, page *revision.Page) (wire.Page, error) {
	ctx := request.Context()
	resolver := a.resolvers.Page()
	path, err := resolver.Path(ctx, page)
	if err != nil {
		return wire.Page{}, err
	}
	children, err := resolver.Pages(ctx, page)
	if err != nil {
		return wire.Page{}, err
	}
	rendered := wire.Page{
		ID: page.ID, Title: page.Title, Type: wire.PageType(page.Type), Slug: new(page.Slug), Path: &path,
		Pages: make([]wire.Page, len(children)),
	}
	for index, child := range children {
		if rendered.Pages[index], err = a.renderPageTree(request, child); err != nil {
			return wire.Page{}, err
		}
	}
	if page.Type == content.PageLink {
		rendered.Pages = nil
	}
	return rendered, nil
}
