package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5"

	"octavo/graph/model"
	"octavo/internal/fault"
	"octavo/internal/identifier"
	"octavo/internal/site"
	"octavo/rest/wire"
)

func (a *API) siteStructure(router chi.Router, prefix string) {
	router.Get(prefix+"/structure", a.handle(a.getSiteStructure))
	router.Patch(prefix+"/structure/sort", a.handle(a.sortSiteStructure))

	router.Get(prefix+"/site-spaces", a.handle(a.listSiteSpaces))
	router.Post(prefix+"/site-spaces", a.handle(a.addSpaceToSite))
	siteSpace := prefix + "/site-spaces/{siteSpaceId}"
	router.Get(siteSpace, a.handle(a.getSiteSpaceByID))
	router.Patch(siteSpace, a.handle(a.updateSiteSpaceByID))
	router.Delete(siteSpace, a.handle(a.deleteSiteSpaceByID))
	router.Post(siteSpace+"/move", a.handle(a.moveSiteSpace))
	router.Get(siteSpace+"/customization", a.handle(a.getSiteSpaceCustomizationByID))
	router.Patch(siteSpace+"/customization", a.handle(a.overrideSiteSpaceCustomizationByID))
	router.Delete(siteSpace+"/customization", a.handle(a.deleteSiteSpaceCustomizationByID))

	router.Get(prefix+"/sections", a.handle(a.listSiteSections))
	router.Post(prefix+"/sections", a.handle(a.addSectionToSite))
	section := prefix + "/sections/{siteSectionId}"
	router.Get(section, a.handle(a.getSiteSectionByID))
	router.Patch(section, a.handle(a.updateSiteSectionByID))
	router.Delete(section, a.handle(a.deleteSiteSectionByID))
	router.Post(section+"/move", a.handle(a.moveSiteSection))

	router.Get(prefix+"/section-groups", a.handle(a.listSiteSectionGroups))
	router.Post(prefix+"/section-groups", a.handle(a.addSectionGroupToSite))
	group := prefix + "/section-groups/{siteSectionGroupId}"
	router.Get(group, a.handle(a.getSiteSectionGroupByID))
	router.Patch(group, a.handle(a.updateSiteSectionGroupByID))
	router.Delete(group, a.handle(a.deleteSiteSectionGroupByID))
	router.Post(group+"/move", a.handle(a.moveSiteSectionGroup))
	router.Post(group+"/sections", a.handle(a.addSectionToGroup))
	router.Delete(group+"/sections/{siteSectionId}", a.handle(a.removeSectionFromGroup))
}

func (a *API) getSiteStructure(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.site(request)
	if err != nil {
		return err
	}
	arranged, err := a.resolvers.Site().Structure(request.Context(), found, optional(request, "shareKey"))
	return answer(writer, request, http.StatusOK, arranged, err, a.renderSiteStructure)
}

func (a *API) sortSiteStructure(writer http.ResponseWriter, request *http.Request) error {
	var body wire.SortSiteStructure
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.site(request)
	if err != nil {
		return err
	}
	if err := checkKind(body.Item); err != nil {
		return err
	}
	payload, err := a.mutation().SortSiteStructure(request.Context(), model.SortSiteStructureInput{
		Site: found.ID, Item: body.Item.ID, Position: beside(idOfItem(body.Position.Before), idOfItem(body.Position.After)),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Item, nil, a.renderSiteItem)
}

// itemKinds are the prefixes of the ids of what a structure is made of.
var itemKinds = map[wire.SiteItemPointerType]identifier.Prefix{
	"site-space": identifier.SiteSpace, "site-section": identifier.SiteSection, "site-section-group": identifier.SiteSectionGroup,
}

// checkKind returns NOT_FOUND for a pointer whose id is one of another kind.
func checkKind(pointer wire.SiteItemPointer) error {
	if prefix, _ := identifier.Split(pointer.ID); itemKinds[pointer.Type] != prefix {
		return fault.Missing("item")
	}
	return nil
}

func idOfItem(pointer *wire.SiteItemPointer) *string {
	if pointer == nil {
		return nil
	}
	return &pointer.ID
}

// beside is a position from what stands before and after it.
func beside(before, after *string) *model.SitePositionInput {
	return &model.SitePositionInput{Before: present(before), After: present(after)}
}

func (a *API) listSiteSpaces(writer http.ResponseWriter, request *http.Request) error {
	first, after, err := window(request)
	if err != nil {
		return err
	}
	chosen, err := optionalFlag(request, "default")
	if err != nil {
		return err
	}
	found, err := a.site(request)
	if err != nil {
		return err
	}
	page, err := a.resolvers.Site().SiteSpaces(request.Context(), found, &model.SiteSpaceFilter{Default: present(chosen)},
		optional(request, "shareKey"), first, after, nil, nil)
	return answerList(writer, request, page, err, a.renderSiteSpace)
}

func (a *API) addSpaceToSite(writer http.ResponseWriter, request *http.Request) error {
	var body wire.AddSpaceToSite
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.site(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().AddSpaceToSite(request.Context(), model.AddSpaceToSiteInput{
		Site: found.ID, Space: body.SpaceID, Section: present(body.SectionID),
	})
	if err != nil {
		return err
	}
	return answerBelowSite(a, writer, request, "site-spaces", payload.SiteSpace.ID, payload.SiteSpace, a.renderSiteSpace)
}

// answerBelowSite answers with something new of a site and where it is.
func answerBelowSite[T, W any](a *API, writer http.ResponseWriter, request *http.Request, kind, id string, made T, render func(context.Context, T) (W, error)) error {
	found, err := a.site(request)
	if err != nil {
		return err
	}
	urls, err := a.resolvers.Site().Urls(request.Context(), found)
	if err != nil {
		return err
	}
	writer.Header().Set("Location", urls.Location+"/"+kind+"/"+id)
	return answer(writer, request, http.StatusCreated, made, nil, render)
}

// siteSpace is the one that the path names.
func (a *API) siteSpace(request *http.Request) (*site.SiteSpace, error) {
	found, err := a.site(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Site().SiteSpace(request.Context(), found, parameter(request, "siteSpaceId"))
}

func (a *API) getSiteSpaceByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.siteSpace(request)
	return answer(writer, request, http.StatusOK, found, err, a.renderSiteSpace)
}

func (a *API) updateSiteSpaceByID(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateSiteSpace
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.siteSpace(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UpdateSiteSpace(request.Context(), model.UpdateSiteSpaceInput{
		SiteSpace: found.ID, Path: present(body.Path), Condition: omittable(body.Condition), Space: present(body.SpaceID),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.SiteSpace, nil, a.renderSiteSpace)
}

func (a *API) deleteSiteSpaceByID(writer http.ResponseWriter, request *http.Request) error {
	return a.deleteOfSite(writer, request, siteOf(a.siteSpace), func(ctx context.Context, _ *site.Site) (bool, error) {
		payload, err := a.mutation().DeleteSiteSpace(ctx, model.DeleteSiteSpaceInput{SiteSpace: parameter(request, "siteSpaceId")})
		if err != nil {
			return false, err
		}
		return payload.Deleted, nil
	})
}

// ofSite is something in the structure of a site.
type ofSite interface{ Of() *site.Site }

// siteOf finds what the path names, and returns its site.
func siteOf[T ofSite](find func(*http.Request) (T, error)) func(*http.Request) (*site.Site, error) {
	return func(request *http.Request) (*site.Site, error) {
		found, err := find(request)
		if err != nil {
			return nil, err
		}
		return found.Of(), nil
	}
}

func (a *API) moveSiteSpace(writer http.ResponseWriter, request *http.Request) error {
	var body wire.MoveSiteSpace
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.siteSpace(request)
	if err != nil {
		return err
	}
	input := model.MoveSiteSpaceInput{SiteSpace: found.ID}
	if body.Position != nil {
		input.Position = graphql.OmittableOf(beside(pointed(body.Position.Before), pointed(body.Position.After)))
	}
	payload, err := a.mutation().MoveSiteSpace(request.Context(), input)
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.SiteSpace, nil, a.renderSiteSpace)
}

// pointed is the id in a pointer, if there is one.
func pointed[T wire.SiteSpacePointer | wire.SiteSectionPointer | wire.SiteSectionGroupPointer](pointer *T) *string {
	if pointer == nil {
		return nil
	}
	var id string
	switch pointer := any(*pointer).(type) {
	case wire.SiteSpacePointer:
		id = pointer.SiteSpace
	case wire.SiteSectionPointer:
		id = pointer.SiteSection
	case wire.SiteSectionGroupPointer:
		id = pointer.ID
	}
	return &id
}

func (a *API) getSiteSpaceCustomizationByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.siteSpace(request)
	return answer(writer, request, http.StatusOK, found, err, renderSiteSpaceCustomization)
}

func renderSiteSpaceCustomization(_ context.Context, found *site.SiteSpace) (json.RawMessage, error) {
	return found.Customization()
}

func (a *API) overrideSiteSpaceCustomizationByID(writer http.ResponseWriter, request *http.Request) error {
	var body json.RawMessage
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.siteSpace(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().OverrideSiteSpaceCustomization(request.Context(), model.OverrideSiteSpaceCustomizationInput{
		SiteSpace: found.ID, Customization: body,
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.SiteSpace, nil, renderSiteSpaceCustomization)
}

func (a *API) deleteSiteSpaceCustomizationByID(writer http.ResponseWriter, request *http.Request) error {
	return a.deleteOfSite(writer, request, siteOf(a.siteSpace), func(ctx context.Context, _ *site.Site) (bool, error) {
		payload, err := a.mutation().DeleteSiteSpaceCustomization(ctx, model.DeleteSiteSpaceCustomizationInput{SiteSpace: parameter(request, "siteSpaceId")})
		if err != nil {
			return false, err
		}
		return payload.Deleted, nil
	})
}

func (a *API) listSiteSections(writer http.ResponseWriter, request *http.Request) error {
	first, after, err := window(request)
	if err != nil {
		return err
	}
	found, err := a.site(request)
	if err != nil {
		return err
	}
	page, err := a.resolvers.Site().Sections(request.Context(), found, optional(request, "shareKey"), first, after, nil, nil)
	return answerList(writer, request, page, err, a.renderSiteSection)
}

func (a *API) addSectionToSite(writer http.ResponseWriter, request *http.Request) error {
	var body wire.AddSectionToSite
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.site(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().AddSectionToSite(request.Context(), model.AddSectionToSiteInput{
		Site: found.ID, Space: body.SpaceID, Title: omittable(body.Title), Icon: omittable(body.Icon),
	})
	if err != nil {
		return err
	}
	return answerBelowSite(a, writer, request, "sections", payload.Section.ID, payload.Section, a.renderSiteSection)
}

// section is the one that the path names.
func (a *API) section(request *http.Request) (*site.Section, error) {
	found, err := a.site(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Site().Section(request.Context(), found, parameter(request, "siteSectionId"))
}

func (a *API) getSiteSectionByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.section(request)
	return answer(writer, request, http.StatusOK, found, err, a.renderSiteSection)
}

func (a *API) updateSiteSectionByID(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateSiteSection
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.section(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UpdateSiteSection(request.Context(), model.UpdateSiteSectionInput{
		Section: found.ID, Title: present(body.Title), Path: present(body.Path), DefaultSiteSpace: present(body.DefaultSiteSpace),
		Condition: omittable(body.Condition), Icon: omittable(body.Icon), Description: omittable(body.Description),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Section, nil, a.renderSiteSection)
}

func (a *API) deleteSiteSectionByID(writer http.ResponseWriter, request *http.Request) error {
	return a.deleteOfSite(writer, request, siteOf(a.section), func(ctx context.Context, _ *site.Site) (bool, error) {
		payload, err := a.mutation().DeleteSiteSection(ctx, model.DeleteSiteSectionInput{Section: parameter(request, "siteSectionId")})
		if err != nil {
			return false, err
		}
		return payload.Deleted, nil
	})
}

func (a *API) moveSiteSection(writer http.ResponseWriter, request *http.Request) error {
	var body wire.MoveSiteSection
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.section(request)
	if err != nil {
		return err
	}
	input := model.MoveSiteSectionInput{Section: found.ID}
	if body.Position != nil {
		input.Position = graphql.OmittableOf(beside(pointed(body.Position.Before), pointed(body.Position.After)))
	}
	payload, err := a.mutation().MoveSiteSection(request.Context(), input)
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Section, nil, a.renderSiteSection)
}

func (a *API) listSiteSectionGroups(writer http.ResponseWriter, request *http.Request) error {
	first, after, err := window(request)
	if err != nil {
		return err
	}
	found, err := a.site(request)
	if err != nil {
		return err
	}
	page, err := a.resolvers.Site().SectionGroups(request.Context(), found, first, after, nil, nil)
	return answerList(writer, request, page, err, a.renderSiteSectionGroup)
}

func (a *API) addSectionGroupToSite(writer http.ResponseWriter, request *http.Request) error {
	var body wire.AddSectionGroupToSite
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.site(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().AddSectionGroupToSite(request.Context(), model.AddSectionGroupToSiteInput{
		Site: found.ID, Title: body.Title, Icon: omittable(body.Icon), Sections: graphql.OmittableOf(body.Sections), Parent: present(body.Parent),
	})
	if err != nil {
		return err
	}
	return answerBelowSite(a, writer, request, "section-groups", payload.SectionGroup.ID, payload.SectionGroup, a.renderSiteSectionGroup)
}

// sectionGroup is the one that the path names.
func (a *API) sectionGroup(request *http.Request) (*site.Group, error) {
	found, err := a.site(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Site().SectionGroup(request.Context(), found, parameter(request, "siteSectionGroupId"))
}

func (a *API) getSiteSectionGroupByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.sectionGroup(request)
	return answer(writer, request, http.StatusOK, found, err, a.renderSiteSectionGroup)
}

func (a *API) updateSiteSectionGroupByID(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateSiteSectionGroup
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.sectionGroup(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UpdateSiteSectionGroup(request.Context(), model.UpdateSiteSectionGroupInput{
		SectionGroup: found.ID, Title: present(body.Title), Icon: omittable(body.Icon),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.SectionGroup, nil, a.renderSiteSectionGroup)
}

func (a *API) deleteSiteSectionGroupByID(writer http.ResponseWriter, request *http.Request) error {
	return a.deleteOfSite(writer, request, siteOf(a.sectionGroup), func(ctx context.Context, _ *site.Site) (bool, error) {
		payload, err := a.mutation().DeleteSiteSectionGroup(ctx, model.DeleteSiteSectionGroupInput{SectionGroup: parameter(request, "siteSectionGroupId")})
		if err != nil {
			return false, err
		}
		return payload.Deleted, nil
	})
}

func (a *API) moveSiteSectionGroup(writer http.ResponseWriter, request *http.Request) error {
	var body wire.MoveSiteSectionGroup
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.sectionGroup(request)
	if err != nil {
		return err
	}
	input := model.MoveSiteSectionGroupInput{SectionGroup: found.ID}
	if body.Position != nil {
		input.Position = graphql.OmittableOf(beside(pointed(body.Position.Before), pointed(body.Position.After)))
	}
	payload, err := a.mutation().MoveSiteSectionGroup(request.Context(), input)
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.SectionGroup, nil, a.renderSiteSectionGroup)
}

func (a *API) addSectionToGroup(writer http.ResponseWriter, request *http.Request) error {
	var body wire.AddSectionToGroup
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.sectionGroup(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().AddSectionToGroup(request.Context(), model.AddSectionToGroupInput{SectionGroup: found.ID, Section: body.SectionID})
	if err != nil {
		return err
	}
	return answerBelowSite(a, writer, request, "section-groups", payload.SectionGroup.ID, payload.SectionGroup, a.renderSiteSectionGroup)
}

func (a *API) removeSectionFromGroup(writer http.ResponseWriter, request *http.Request) error {
	return a.deleteOfSite(writer, request, siteOf(a.sectionGroup), func(ctx context.Context, _ *site.Site) (bool, error) {
		payload, err := a.mutation().RemoveSectionFromGroup(ctx, model.RemoveSectionFromGroupInput{
			SectionGroup: parameter(request, "siteSectionGroupId"), Section: parameter(request, "siteSectionId"),
		})
		if err != nil {
			return false, err
		}
		return payload.Deleted, nil
	})
}

func (a *API) renderSiteStructure(ctx context.Context, found *site.Structure) (wire.SiteStructure, error) {
	items, err := each(ctx, found.Top, a.renderSiteItem)
	return wire.SiteStructure{Type: wire.SiteStructureType(found.Type()), Structure: items}, err
}

func (a *API) renderSiteItem(ctx context.Context, item site.Item) (any, error) {
	switch item := item.(type) {
	case *site.SiteSpace:
		return a.renderSiteSpace(ctx, item)
	case *site.Section:
		return a.renderSiteSection(ctx, item)
	case *site.Group:
		return a.renderSiteSectionGroup(ctx, item)
	}
	return nil, fmt.Errorf("a structure has a %T", item)
}

func (a *API) renderSiteSpace(ctx context.Context, found *site.SiteSpace) (wire.SiteSpace, error) {
	shown, err := a.renderSpace(ctx, found.Space)
	if err != nil {
		return wire.SiteSpace{}, err
	}
	return wire.SiteSpace{
		Object: "site-space", ID: found.ID, Path: found.Path, Section: found.SectionID, Space: shown, Title: found.Space.Title,
		Default: &found.Default, Condition: found.Condition,
		URLs: wire.PublishedURLs{Published: found.PublishedURL()},
	}, nil
}

func (a *API) renderSiteSection(ctx context.Context, found *site.Section) (wire.SiteSection, error) {
	siteSpaces, err := each(ctx, found.SiteSpaces, a.renderSiteSpace)
	return wire.SiteSection{
		Object: "site-section", ID: found.ID, Title: found.Title, Description: found.Description, Default: &found.Default,
		Path: found.Path, Condition: found.Condition, SectionGroup: found.GroupID, SiteSpaces: siteSpaces, Icon: found.Icon,
		URLs: wire.PublishedURLs{Published: found.PublishedURL()},
	}, err
}

func (a *API) renderSiteSectionGroup(ctx context.Context, found *site.Group) (wire.SiteSectionGroup, error) {
	rendered := wire.SiteSectionGroup{
		Object: "site-section-group", ID: found.ID, Title: found.Title, Icon: found.Icon, SectionGroup: found.ParentID,
	}
	var err error
	if rendered.Children, err = each(ctx, found.Children, a.renderSiteItem); err != nil {
		return rendered, err
	}
	rendered.Sections, err = each(ctx, found.Sections(), a.renderSiteSection)
	return rendered, err
}
