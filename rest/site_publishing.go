package rest

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"octavo/graph/model"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/site"
	"octavo/rest/wire"
)

func (a *API) sitePublishing(router chi.Router, prefix string) {
	router.Get(prefix+"/share-links", a.handle(a.listSiteShareLinks))
	router.Post(prefix+"/share-links", a.handle(a.createSiteShareLink))
	router.Get(prefix+"/share-links/{shareLinkId}", a.handle(a.getSiteShareLinkByID))
	router.Patch(prefix+"/share-links/{shareLinkId}", a.handle(a.updateSiteShareLinkByID))
	router.Delete(prefix+"/share-links/{shareLinkId}", a.handle(a.deleteSiteShareLinkByID))

	router.Get(prefix+"/publishing/auth", a.handle(a.getSitePublishingAuthByID))
	router.Patch(prefix+"/publishing/auth", a.handle(a.updateSitePublishingAuthByID))
	router.Post(prefix+"/publishing/auth/regenerate", a.handle(a.regenerateSitePublishingAuthByID))
	router.Get(prefix+"/publishing/preview", a.handle(a.getSitePublishingPreviewByID))

	router.Get(prefix+"/redirects", a.handle(a.listSiteRedirects))
	router.Post(prefix+"/redirects", a.handle(a.createSiteRedirect))
	router.Patch(prefix+"/redirects/{siteRedirectId}", a.handle(a.updateSiteRedirectByID))
	router.Delete(prefix+"/redirects/{siteRedirectId}", a.handle(a.deleteSiteRedirectByID))
	router.Get(prefix+"/redirect", a.handle(a.getSiteRedirectBySource))
}

func (a *API) listSiteShareLinks(writer http.ResponseWriter, request *http.Request) error {
	first, after, err := window(request)
	if err != nil {
		return err
	}
	found, err := a.site(request)
	if err != nil {
		return err
	}
	page, err := a.resolvers.Site().ShareLinks(request.Context(), found, first, after, nil, nil)
	return answerList(writer, request, page, err, renderShareLink)
}

func (a *API) createSiteShareLink(writer http.ResponseWriter, request *http.Request) error {
	var body wire.CreateShareLink
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.site(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().CreateSiteShareLink(request.Context(), model.CreateSiteShareLinkInput{Site: found.ID, Name: body.Name})
	if err != nil {
		return err
	}
	return answerBelowSite(a, writer, request, "share-links", payload.ShareLink.ID, payload.ShareLink, renderShareLink)
}

// shareLink is the one that the path names.
func (a *API) shareLink(request *http.Request) (*site.ShareLink, error) {
	found, err := a.site(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Site().ShareLink(request.Context(), found, parameter(request, "shareLinkId"))
}

func (a *API) getSiteShareLinkByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.shareLink(request)
	return answer(writer, request, http.StatusOK, found, err, renderShareLink)
}

func (a *API) updateSiteShareLinkByID(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateShareLink
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.shareLink(request)
	if err != nil {
		return err
	}
	if body.Name == nil && body.Active == nil {
		return fault.New(fault.BadUserInput, "name or active is needed")
	}
	payload, err := a.mutation().UpdateSiteShareLink(request.Context(), model.UpdateSiteShareLinkInput{
		ShareLink: found.ID, Name: present(body.Name), Active: present(body.Active),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.ShareLink, nil, renderShareLink)
}

func (a *API) deleteSiteShareLinkByID(writer http.ResponseWriter, request *http.Request) error {
	return a.deleteOfSite(writer, request, siteOf(a.shareLink), func(ctx context.Context, _ *site.Site) (bool, error) {
		payload, err := a.mutation().DeleteSiteShareLink(ctx, model.DeleteSiteShareLinkInput{ShareLink: parameter(request, "shareLinkId")})
		if err != nil {
			return false, err
		}
		return payload.Deleted, nil
	})
}

func renderShareLink(_ context.Context, found *site.ShareLink) (wire.ShareLink, error) {
	return wire.ShareLink{
		Object: "share-link", ID: found.ID, CreatedAt: found.CreatedAt, Name: &found.Name, Active: &found.Active, Key: &found.Key,
		URLs: wire.PublishedURLs{Published: found.PublishedURL()},
	}, nil
}

func (a *API) getSitePublishingAuthByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.site(request)
	if err != nil {
		return err
	}
	auth, err := a.resolvers.Site().PublishingAuth(request.Context(), found)
	return answer(writer, request, http.StatusOK, auth, err, renderPublishingAuth)
}

func (a *API) updateSitePublishingAuthByID(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdatePublishingAuth
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.site(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UpdateSitePublishingAuth(request.Context(), model.UpdateSitePublishingAuthInput{
		Site: found.ID, Backend: enum.AuthBackend(body.Backend), FallbackURL: omittable(body.FallbackURL),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.PublishingAuth, nil, renderPublishingAuth)
}

func (a *API) regenerateSitePublishingAuthByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.site(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().RegenerateSitePublishingAuth(request.Context(), model.RegenerateSitePublishingAuthInput{Site: found.ID})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.PublishingAuth, nil, renderPublishingAuth)
}

func renderPublishingAuth(_ context.Context, found *site.PublishingAuth) (wire.PublishingAuth, error) {
	return wire.PublishingAuth{
		Object: "publishing-auth", Backend: wire.PublishingAuthBackend(found.Backend), PrivateKey: found.PrivateKey, FallbackURL: found.FallbackURL,
	}, nil
}

func (a *API) getSitePublishingPreviewByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.site(request)
	if err != nil {
		return err
	}
	preview, err := a.resolvers.Site().Preview(request.Context(), found, optional(request, "siteSpace"), optional(request, "claims"))
	if err != nil {
		return err
	}
	WriteJSON(writer, http.StatusOK, wire.SitePreview{URL: preview.URL})
	return nil
}

func (a *API) listSiteRedirects(writer http.ResponseWriter, request *http.Request) error {
	first, after, err := window(request)
	if err != nil {
		return err
	}
	found, err := a.site(request)
	if err != nil {
		return err
	}
	page, err := a.resolvers.Site().Redirects(request.Context(), found, optional(request, "search"), first, after, nil, nil)
	return answerList(writer, request, page, err, renderRedirect)
}

func (a *API) createSiteRedirect(writer http.ResponseWriter, request *http.Request) error {
	var body wire.CreateSiteRedirect
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.site(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().CreateSiteRedirect(request.Context(), model.CreateSiteRedirectInput{
		Site: found.ID, Source: body.Source, Destination: decodeDestination(&body.Destination),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusCreated, payload.Redirect, nil, renderRedirect)
}

func decodeDestination(destination *wire.SiteRedirectDestination) *model.SiteRedirectDestinationInput {
	if destination == nil {
		return nil
	}
	return &model.SiteRedirectDestinationInput{
		Kind: enum.RedirectKind(destination.Kind), SiteSectionID: present(destination.SiteSectionID),
		SiteSpaceID: present(destination.SiteSpaceID), PageID: present(destination.PageID), URL: present(destination.URL),
	}
}

func (a *API) updateSiteRedirectByID(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateSiteRedirect
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.redirect(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UpdateSiteRedirect(request.Context(), model.UpdateSiteRedirectInput{
		Redirect: found.ID, Source: present(body.Source), Destination: present(decodeDestination(body.Destination)),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Redirect, nil, renderRedirect)
}

func (a *API) deleteSiteRedirectByID(writer http.ResponseWriter, request *http.Request) error {
	find := func(request *http.Request) (*site.Site, error) {
		if _, err := a.redirect(request); err != nil {
			return nil, err
		}
		return a.site(request)
	}
	return a.deleteOfSite(writer, request, find, func(ctx context.Context, _ *site.Site) (bool, error) {
		payload, err := a.mutation().DeleteSiteRedirect(ctx, model.DeleteSiteRedirectInput{Redirect: parameter(request, "siteRedirectId")})
		if err != nil {
			return false, err
		}
		return payload.Deleted, nil
	})
}

// redirect is the one that the path names.
func (a *API) redirect(request *http.Request) (*site.Redirect, error) {
	found, err := a.site(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Site().Redirect(request.Context(), found, parameter(request, "siteRedirectId"))
}

func (a *API) getSiteRedirectBySource(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.shownSite(request)
	if err != nil {
		return err
	}
	target, err := a.resolvers.Site().RedirectBySource(request.Context(), found, request.URL.Query().Get("source"), optional(request, "shareKey"))
	return answer(writer, request, http.StatusOK, target, err, func(ctx context.Context, found *model.SiteRedirectTarget) (wire.SiteRedirectTarget, error) {
		redirect, err := renderRedirect(ctx, found.Redirect)
		return wire.SiteRedirectTarget{Redirect: redirect, Target: found.Target}, err
	})
}

func renderRedirect(_ context.Context, found *site.Redirect) (wire.SiteRedirect, error) {
	to := found.Destination
	return wire.SiteRedirect{
		Object: "site-redirect", ID: found.ID, Source: found.Source, Destination: wire.SiteRedirectDestination{
			Kind: wire.SiteRedirectDestinationKind(to.Kind), SiteSectionID: to.SiteSectionID, SiteSpaceID: to.SiteSpaceID, PageID: to.PageID, URL: to.URL,
		},
	}, nil
}
