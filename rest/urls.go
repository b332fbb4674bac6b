package rest

import (
	"context"
	"fmt"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5"

	"octavo/graph/model"
	"octavo/internal/audience"
	"octavo/rest/wire"
)

func (a *API) urls(router chi.Router) {
	router.Get("/urls/published", a.handle(a.getPublishedContentByURL))
	router.Post("/urls/published", a.handle(a.resolvePublishedContentByURL))
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
