package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5"

	"octavo/ent"
	"octavo/graph/model"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/site"
	"octavo/rest/wire"
)

func (a *API) sites(router chi.Router) {
	router.Get("/orgs/{organizationId}/sites", a.handle(a.listSites))
	router.Post("/orgs/{organizationId}/sites", a.handle(a.createSite))
	const prefix = "/orgs/{organizationId}/sites/{siteId}"
	router.Get(prefix, a.handle(a.getSiteByID))
	router.Patch(prefix, a.handle(a.updateSiteByID))
	router.Delete(prefix, a.handle(a.deleteSiteByID))
	router.Post(prefix+"/publish", a.handle(a.publishSite))
	router.Post(prefix+"/unpublish", a.handle(a.unpublishSite))
	router.Get(prefix+"/published", a.handle(a.getPublishedContentSite))
	router.Get(prefix+"/adaptive-schema", a.handle(a.getSiteAdaptiveSchema))
	router.Put(prefix+"/adaptive-schema", a.handle(a.updateSiteAdaptiveSchema))
	router.Get(prefix+"/adaptive-schema/template-conditions", a.handle(a.listSiteAdaptiveTemplateConditions))
	router.Get(prefix+"/customization", a.handle(a.getSiteCustomizationByID))
	router.Put(prefix+"/customization", a.handle(a.updateSiteCustomizationByID))
	router.Get(prefix+"/integration-scripts", a.handle(a.listSiteIntegrationScripts))
	router.Get(prefix+"/permissions/aggregate", a.handle(a.listPermissionsAggregateInSite))
	router.Post(prefix+"/insights/events", a.handle(a.trackEventsInSiteByID))
	a.siteStructure(router, prefix)
	a.sitePublishing(router, prefix)
}

func (a *API) listSites(writer http.ResponseWriter, request *http.Request) error {
	first, after, err := window(request)
	if err != nil {
		return err
	}
	filter, err := siteFilter(request)
	if err != nil {
		return err
	}
	found, err := a.organization(request)
	if err != nil {
		return err
	}
	page, err := a.resolvers.Organization().Sites(request.Context(), found, filter, first, after, nil, nil)
	return answerList(writer, request, page, err, a.renderSite)
}

func siteFilter(request *http.Request) (*model.SiteFilter, error) {
	published, err := optionalFlag(request, "published")
	if err != nil {
		return nil, err
	}
	filter := &model.SiteFilter{
		Space: present(optional(request, "space")), Title: present(optional(request, "title")), Published: present(published),
	}
	var types []enum.SiteType
	for _, name := range request.URL.Query()["type"] {
		types = append(types, enum.SiteType(name))
	}
	filter.Types = graphql.OmittableOf(types)
	return filter, nil
}

// optionalFlag reads a boolean query parameter; nil when it is absent.
func optionalFlag(request *http.Request, name string) (*bool, error) {
	text := optional(request, name)
	if text == nil {
		return nil, nil
	}
	value, err := strconv.ParseBool(*text)
	if err != nil {
		return nil, fault.Invalid(name, "%q is not true or false", *text)
	}
	return &value, nil
}

func (a *API) createSite(writer http.ResponseWriter, request *http.Request) error {
	var body wire.CreateSite
	if err := decode(request, &body); err != nil {
		return err
	}
	payload, err := a.mutation().CreateSite(request.Context(), model.CreateSiteInput{
		Organization: parameter(request, "organizationId"), Type: present((*enum.SiteType)(body.Type)), Title: present(body.Title),
		Visibility: present((*enum.SiteVisibility)(body.Visibility)), Spaces: graphql.OmittableOf(body.Spaces),
	})
	if err != nil {
		return err
	}
	rendered, err := a.renderSite(request.Context(), payload.Site)
	if err != nil {
		return err
	}
	writer.Header().Set("Location", rendered.URLs.Location)
	WriteJSON(writer, http.StatusCreated, rendered)
	return nil
}

func (a *API) getSiteByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.site(request)
	return answer(writer, request, http.StatusOK, found, err, a.renderSite)
}

func (a *API) updateSiteByID(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateSite
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.site(request)
	if err != nil {
		return err
	}
	input := model.UpdateSiteInput{
		Site: found.ID, Title: present(body.Title), Visibility: present((*enum.SiteVisibility)(body.Visibility)),
		Basename: present(body.Basename), AgentsContext: present((*enum.AgentsContext)(body.AgentsContext)),
		DefaultSiteSpace: present(body.DefaultSiteSpace), DefaultSiteSection: present(body.DefaultSiteSection),
		Proxy: omittable(body.Proxy), Hostname: omittable(body.Hostname),
	}
	if body.AdaptiveContent != nil {
		input.AdaptiveContent = present(&body.AdaptiveContent.Enabled)
	}
	payload, err := a.mutation().UpdateSite(request.Context(), input)
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Site, nil, a.renderSite)
}

func (a *API) deleteSiteByID(writer http.ResponseWriter, request *http.Request) error {
	return a.deleteOfSite(writer, request, a.site, func(ctx context.Context, found *site.Site) (bool, error) {
		payload, err := a.mutation().DeleteSite(ctx, model.DeleteSiteInput{Site: found.ID})
		if err != nil {
			return false, err
		}
		return payload.Deleted, nil
	})
}

// deleteOfSite answers the deletion of something that the path names.
func (a *API) deleteOfSite(writer http.ResponseWriter, request *http.Request, find func(*http.Request) (*site.Site, error), remove func(context.Context, *site.Site) (bool, error)) error {
	found, err := find(request)
	if absent(err) {
		deleted(writer, false)
		return nil
	}
	if err != nil {
		return err
	}
	existed, err := remove(request.Context(), found)
	if err != nil {
		return err
	}
	deleted(writer, existed)
	return nil
}

func (a *API) publishSite(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.site(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().PublishSite(request.Context(), model.PublishSiteInput{Site: found.ID})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Site, nil, a.renderSite)
}

func (a *API) unpublishSite(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.site(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UnpublishSite(request.Context(), model.UnpublishSiteInput{Site: found.ID})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Site, nil, a.renderSite)
}

func (a *API) getPublishedContentSite(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.shownSite(request)
	if err != nil {
		return err
	}
	profile, err := a.resolvers.Site().Profile(request.Context(), found, optional(request, "shareKey"))
	return answer(writer, request, http.StatusOK, profile, err, a.renderPublishedSite)
}

func (a *API) renderPublishedSite(ctx context.Context, profile *model.PublishedSite) (wire.PublishedSite, error) {
	rendered := wire.PublishedSite{Object: "published-content-site", Scripts: []wire.SiteIntegrationScript{}}
	var err error
	if rendered.Site, err = a.renderSite(ctx, profile.Site); err != nil {
		return rendered, err
	}
	if rendered.Structure, err = a.renderSiteStructure(ctx, profile.Structure); err != nil {
		return rendered, err
	}
	if rendered.Customizations.Site, err = json.Marshal(profile.Customizations.Site); err != nil {
		return rendered, err
	}
	encoded, err := json.Marshal(profile.Customizations.SiteSpaces)
	if err != nil {
		return rendered, err
	}
	return rendered, json.Unmarshal(encoded, &rendered.Customizations.SiteSpaces)
}

func (a *API) getSiteAdaptiveSchema(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.site(request)
	return answer(writer, request, http.StatusOK, found, err, renderAdaptiveSchema)
}

func renderAdaptiveSchema(_ context.Context, found *site.Site) (wire.SiteAdaptiveSchema, error) {
	schema := found.Schema()
	if schema == nil {
		return wire.SiteAdaptiveSchema{}, fault.Missing("adaptive schema")
	}
	return wire.SiteAdaptiveSchema{Object: "site-adaptive-schema", JSONSchema: schema.JSONSchema, UpdatedAt: schema.UpdatedAt}, nil
}

func (a *API) updateSiteAdaptiveSchema(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateSiteAdaptiveSchema
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.site(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UpdateSiteAdaptiveSchema(request.Context(), model.UpdateSiteAdaptiveSchemaInput{
		Site: found.ID, JSONSchema: body.JSONSchema,
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Site, nil, renderAdaptiveSchema)
}

func (a *API) listSiteAdaptiveTemplateConditions(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.site(request)
	if err != nil {
		return err
	}
	conditions, err := found.TemplateConditions()
	if err != nil {
		return err
	}
	rendered := wire.SiteTemplateConditions{Items: make([]wire.SiteTemplateCondition, len(conditions))}
	for index, each := range conditions {
		rendered.Items[index] = wire.SiteTemplateCondition{Description: each.Description, Condition: each.Condition}
	}
	WriteJSON(writer, http.StatusOK, rendered)
	return nil
}

func (a *API) getSiteCustomizationByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.site(request)
	return answer(writer, request, http.StatusOK, found, err, renderSiteCustomization)
}

func renderSiteCustomization(_ context.Context, found *site.Site) (json.RawMessage, error) {
	return found.Customization(), nil
}

func (a *API) updateSiteCustomizationByID(writer http.ResponseWriter, request *http.Request) error {
	var body json.RawMessage
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.site(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UpdateSiteCustomization(request.Context(), model.UpdateSiteCustomizationInput{Site: found.ID, Customization: body})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Site, nil, renderSiteCustomization)
}

func (a *API) listSiteIntegrationScripts(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.site(request)
	if err != nil {
		return err
	}
	scripts, err := a.resolvers.Site().IntegrationScripts(request.Context(), found)
	if err != nil {
		return err
	}
	rendered := make([]wire.SiteIntegrationScript, len(scripts))
	for index, each := range scripts {
		rendered[index] = wire.SiteIntegrationScript{Script: each.Script, ContentSecurityPolicy: each.ContentSecurityPolicy, Cookies: each.Cookies}
	}
	WriteJSON(writer, http.StatusOK, rendered)
	return nil
}

func (a *API) listPermissionsAggregateInSite(writer http.ResponseWriter, request *http.Request) error {
	first, after, err := window(request)
	if err != nil {
		return err
	}
	found, err := a.site(request)
	if err != nil {
		return err
	}
	page, err := a.resolvers.Site().Readers(request.Context(), found, first, after, nil, nil)
	return answerList(writer, request, page, err, a.renderSitePermission)
}

func (a *API) renderSitePermission(ctx context.Context, found *ent.Member) (wire.SitePermission, error) {
	person, err := a.renderPerson(ctx, func() (*ent.User, error) { return a.resolvers.Member().User(ctx, found) })
	if err != nil {
		return wire.SitePermission{}, err
	}
	rendered := wire.SitePermission{Permission: wire.SitePermissionPermission(found.Role.String()), User: *person}
	rendered.Origin.Type, rendered.Origin.Organization = "organization", found.OrganizationID
	return rendered, nil
}

func (a *API) trackEventsInSiteByID(writer http.ResponseWriter, request *http.Request) error {
	var body wire.TrackSiteEvents
	if err := decode(request, &body); err != nil {
		return err
	}
	_, err := a.mutation().TrackEventsInSite(request.Context(), model.TrackEventsInSiteInput{
		Site: parameter(request, "siteId"), Events: body.Events,
	})
	if err != nil {
		return err
	}
	writer.WriteHeader(http.StatusNoContent)
	return nil
}

// site is the one that the path names.
func (a *API) site(request *http.Request) (*site.Site, error) {
	found, err := a.organization(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Organization().Site(request.Context(), found, parameter(request, "siteId"))
}

// shownSite is site for operations that visitors of sites do, who know nothing of
// the organization.
func (a *API) shownSite(request *http.Request) (*site.Site, error) {
	found, err := a.query().Site(request.Context(), parameter(request, "siteId"))
	if err == nil && found.OrganizationID != parameter(request, "organizationId") {
		return nil, fault.Missing("site")
	}
	return found, err
}

func (a *API) renderSite(ctx context.Context, found *site.Site) (wire.Site, error) {
	urls, err := a.resolvers.Site().Urls(ctx, found)
	if err != nil {
		return wire.Site{}, err
	}
	proxy, err := a.resolvers.Site().Proxy(ctx, found)
	if err != nil {
		return wire.Site{}, err
	}
	icon, err := found.Icon()
	if err != nil {
		return wire.Site{}, err
	}
	rendered := wire.Site{
		Object: "site", ID: found.ID, Type: wire.SiteType(found.Type), Title: found.Title, Icon: icon, Hostname: found.Hostname,
		Basename: &found.Basename, Visibility: wire.SiteVisibility(found.Visibility), Published: found.Published,
		SiteSpaces: found.SiteSpaceCount, CreatedAt: found.CreatedAt, AgentsContext: wire.SiteAgentsContext(found.AgentsContext),
		AdaptiveContent: &wire.SiteAdaptiveContent{Enabled: found.AdaptiveContent}, Features: []wire.SiteFeature{},
		URLs: wire.SiteURLs{Location: urls.Location, App: urls.App, Published: urls.Published},
	}
	if proxy != nil {
		rendered.Proxy = &wire.SiteProxy{Origin: proxy.Origin, Target: proxy.Target}
	}
	return rendered, nil
}
