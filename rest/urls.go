package rest

import (
	"context"
	"fmt"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5"

	"octavo/graph/model"
	"octavo/internal/audience"
	"octavo/internal/embed"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/rest/wire"
)

func (a *API) urls(router chi.Router) {
	router.Get("/urls/published", a.handle(a.getPublishedContentByURL))
	router.Post("/urls/published", a.handle(a.resolvePublishedContentByURL))
	router.Get("/urls/embed", a.handle(a.getEmbedByURL))
	router.Get("/spaces/{spaceId}/embed", a.handle(a.getEmbedByURLInSpace))
	router.Post("/orgs/{organizationId}/sites/{siteId}/search", a.handle(a.searchSiteContent))
}

func (a *API) getPublishedContentByURL(writer http.ResponseWriter, request *http.Request) error {
	redirectOnError, err := flag(request, "redirectOnError", false)
	if err != nil {
		return err
	}
	visitor := &model.SiteVisitorInput{JwtToken: present(optional(request, "visitorAuthToken"))}
	found, err := a.query().PublishedContent(request.Context(), request.URL.Query().Get("url"), visitor, &redirectOnError)
	return answer(writer, request, http.StatusOK, found, err, renderPublishedContent)
}

func (a *API) resolvePublishedContentByURL(writer http.ResponseWriter, request *http.Request) error {
	var body wire.ResolvePublishedContent
	if err := decode(request, &body); err != nil {
		return err
	}
	visitor := &model.SiteVisitorInput{}
	if given := body.Visitor; given != nil {
		visitor.JwtToken = present(given.JwtToken)
		if given.UnsignedClaims != nil {
			visitor.UnsignedClaims = graphql.OmittableOf[any](given.UnsignedClaims)
		}
	}
	found, err := a.query().PublishedContent(request.Context(), body.URL, visitor, body.RedirectOnError)
	return answer(writer, request, http.StatusOK, found, err, renderPublishedContent)
}

func renderPublishedContent(_ context.Context, found audience.Answer) (wire.PublishedContentLookup, error) {
	switch found := found.(type) {
	case *audience.Redirect:
		return wire.PublishedContentLookup{Target: new(wire.PublishedContentLookupTarget(found.Target)), Redirect: &found.Address}, nil
	case *audience.Resolved:
		return wire.PublishedContentLookup{
			Organization: &found.OrganizationID, Site: &found.SiteID, SiteSection: found.SectionID, SiteSpace: &found.SiteSpaceID,
			Space: &found.SpaceID, ChangeRequest: found.ChangeRequestID, Revision: found.RevisionID, Pathname: &found.Pathname,
			BasePath: &found.BasePath, SiteBasePath: &found.SitePath, CanonicalURL: &found.Canonical, Complete: &found.Complete,
			ShareKey: found.ShareKey, APIToken: &found.Token,
		}, nil
	}
	return wire.PublishedContentLookup{}, fmt.Errorf("an address was answered with a %T", found)
}

func (a *API) getEmbedByURL(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.query().Embed(request.Context(), request.URL.Query().Get("url"))
	return answer(writer, request, http.StatusOK, found, err, renderEmbed)
}

func (a *API) getEmbedByURLInSpace(writer http.ResponseWriter, request *http.Request) error {
	space, err := a.space(request)
	if err != nil {
		return err
	}
	found, err := a.resolvers.Space().Embed(request.Context(), space, request.URL.Query().Get("url"))
	return answer(writer, request, http.StatusOK, found, err, renderEmbed)
}

func renderEmbed(_ context.Context, found *embed.Embed) (wire.Embed, error) {
	return wire.Embed{Type: wire.EmbedTypeLink, Title: found.Title, Site: found.Site, Icon: found.Icon}, nil
}

func (a *API) searchSiteContent(writer http.ResponseWriter, request *http.Request) error {
	var body wire.SearchSite
	if err := decode(request, &body); err != nil {
		return err
	}
	first, after, err := window(request)
	if err != nil {
		return err
	}
	mode, siteSpaces, err := searchScope(body)
	if err != nil {
		return err
	}
	site, err := a.shownSite(request)
	if err != nil {
		return err
	}
	found, err := a.resolvers.Site().Search(request.Context(), site, body.Query, &mode, siteSpaces, first, after)
	return answer(writer, request, http.StatusOK, found, err, a.renderSiteSearch)
}

// searchScope is where a search looks, by the scope or the older members of the
// body that say it.
func searchScope(body wire.SearchSite) (enum.SiteSearchMode, []string, error) {
	asked := wire.SiteSearchScope{SiteSpaceIds: body.SiteSpaceIds, CurrentSiteSpace: body.SiteSpaceID}
	if body.Mode != nil {
		asked.Mode = wire.SiteSearchScopeMode(*body.Mode)
	}
	if body.Scope != nil {
		asked = *body.Scope
	}
	given := asked.SiteSpaceIds
	if asked.CurrentSiteSpace != nil {
		given = append(given, *asked.CurrentSiteSpace)
	}
	switch asked.Mode {
	case "default":
		return enum.SearchCurrent, given, nil
	case "":
		if len(given) == 0 {
			return "", nil, fault.New(fault.BadUserInput, "scope or mode is needed")
		}
		return enum.SearchSpecific, given, nil
	}
	return enum.SiteSearchMode(asked.Mode), given, nil
}

func (a *API) renderSiteSearch(ctx context.Context, found *audience.Found) (wire.SiteSearch, error) {
	spaces, err := each(ctx, found.Spaces, a.renderSpaceHit)
	rendered := wire.SiteSearch{Items: spaces}
	if found.Next != nil {
		rendered.Next = &wire.NextPage{Page: *found.Next}
	}
	return rendered, err
}
