package parity

import (
	"testing"

	"github.com/google/uuid"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/fault"
)

const (
	site = ` {
		__typename id title type icon hostname basename proxy { origin target } visibility published siteSpaces: siteSpaceCount
		createdAt adaptiveContent agentsContext urls { location app published }
	} `
	siteSpaceFields = ` id title path section { id } space ` + space + ` default condition urls { published } `
	siteSpace       = ` { ` + siteSpaceFields + ` } `
	sectionFields   = ` id title description default path condition icon sectionGroup { id } siteSpaces ` + siteSpace + ` urls { published } `
	section         = ` { ` + sectionFields + ` } `
	groupFields     = ` id title icon sectionGroup { id } sections ` + section
	group           = ` { ` + groupFields + ` children { ... on SiteSection ` + section + ` ... on SiteSectionGroup { ` + groupFields + ` } } } `
	structureItem   = ` { ... on SiteSpace ` + siteSpace + ` ... on SiteSection ` + section + ` ... on SiteSectionGroup ` + group + ` } `
	structure       = ` { type structure: items ` + structureItem + ` } `
	shareLink       = ` { id name active createdAt key urls { published } } `
	redirect        = ` { id source destination { kind siteSectionId siteSpaceId pageId url } } `
	publishingAuth  = ` { backend privateKey fallbackURL } `

	oneSite = "organization(id: $organizationId).site(id: $siteId)"
)

// fieldOf is a field of the answer.
func fieldOf(name string) func(object) any {
	return func(answer object) any { return answer[name] }
}

// toEverybody is told to those who need no role.
var toEverybody = everyone(ok, append([]apptest.Caller{apptest.SiteToken}, apptest.Callers...)...)

var (
	aSchema = object{
		"type": "object", "additionalProperties": false,
		"properties": object{"beta": object{"type": "boolean", "description": "Tries what is new"}},
	}
	anEvent = object{"type": "page_view", "session": object{"visitorId": "v"}, "location": object{"url": "https://example.com/"}}
)

var siteRows = []row{
	{
		operation: "listSites", field: "organization(id: $organizationId).sites", selection: connection(site),
		needs: "member of the organization", codes: anyMember,
	},
	{
		operation: "createSite", field: "createSite", selection: " { site " + site + " } ", at: "site", minimum: access.Create,
		body:  object{"title": "Paritysite", "visibility": "unlisted", "spaces": []any{"{spaceId}"}},
		input: object{"organization": "{organizationId}", "title": "Paritysite", "visibility": "UNLISTED", "spaces": []any{"{spaceId}"}},
		codes: everyone(fault.Forbidden, apptest.Guest), needs: "create in the organization and the spaces", effect: "getSiteById", creates: "siteId",
	},
	{operation: "getSiteById", field: oneSite, selection: site, minimum: access.Read},
	{
		operation: "updateSiteById", field: "updateSite", selection: " { site " + site + " } ", at: "site", minimum: access.Create,
		body:   object{"title": "Renamed", "visibility": "share-link", "adaptiveContent": object{"enabled": true}, "agentsContext": "included"},
		input:  object{"site": "{siteId}", "title": "Renamed", "visibility": "SHARE_LINK", "adaptiveContent": true, "agentsContext": "INCLUDED"},
		effect: "getSiteById",
	},
	{
		operation: "deleteSiteById", field: "deleteSite", selection: " { deleted } ", minimum: access.Create, input: object{"site": "{siteId}"},
	},
	{
		operation: "publishSite", field: "publishSite", selection: " { site " + site + " } ", at: "site", minimum: access.Create,
		input: object{"site": "{siteId}"}, effect: "getSiteById",
	},
	{
		operation: "unpublishSite", field: "unpublishSite", selection: " { site " + site + " } ", at: "site", minimum: access.Create,
		input: object{"site": "{siteId}"}, with: map[string]string{"siteId": "publishedSiteId"}, effect: "getSiteById",
	},
	{
		operation: "getPublishedContentSite", field: "site(id: $siteId).profile", minimum: access.Read,
		visitors: true, with: map[string]string{"siteId": "publishedSiteId"},
		selection: " { site " + site + " structure " + structure + " customizations { site siteSpaces } scripts { script contentSecurityPolicy cookies } } ",
	},
	{operation: "getSiteAdaptiveSchema", field: oneSite + ".adaptiveSchema", selection: " { jsonSchema updatedAt } ", minimum: access.Read},
	{
		operation: "updateSiteAdaptiveSchema", field: "updateSiteAdaptiveSchema", selection: " { site { adaptiveSchema { jsonSchema updatedAt } } } ",
		at: "site", as: fieldOf("adaptiveSchema"), minimum: access.Create,
		body: object{"jsonSchema": object{"type": "object", "additionalProperties": false, "properties": object{}}}, effect: "getSiteAdaptiveSchema",
		input: object{"site": "{siteId}", "jsonSchema": object{"type": "object", "additionalProperties": false, "properties": object{}}},
	},
	{
		operation: "listSiteAdaptiveTemplateConditions", field: oneSite, selection: " { templateConditions { description condition } } ",
		as: func(answer object) any { return object{"items": answer["templateConditions"]} }, graphql: "Query.organization.site.templateConditions",
		minimum: access.Read,
	},
	{operation: "getSiteStructure", field: oneSite + ".structure", selection: structure, minimum: access.Read},
	{
		operation: "sortSiteStructure", field: "sortSiteStructure", selection: " { item " + structureItem + " } ", at: "item", minimum: access.Create,
		body: object{
			"item":     object{"type": "site-section", "id": "{siteSectionId}"},
			"position": object{"after": object{"type": "site-section", "id": "{otherSectionId}"}},
		},
		input:   object{"site": "{siteId}", "item": "{siteSectionId}", "position": object{"after": "{otherSectionId}"}},
		prepare: sectioned,
		effect:  "getSiteStructure",
	},
	{operation: "listSiteSpaces", field: oneSite + ".siteSpaces", selection: connection(siteSpace), minimum: access.Read},
	{
		operation: "addSpaceToSite", field: "addSpaceToSite", selection: " { siteSpace " + siteSpace + " } ", at: "siteSpace", minimum: access.Create,
		body: object{"spaceId": "{templateId}"}, input: object{"site": "{siteId}", "space": "{templateId}"},
		needs: "create in the organization and the space", effect: "getSiteSpaceById", creates: "siteSpaceId",
	},
	{operation: "getSiteSpaceById", field: oneSite + ".siteSpace(id: $siteSpaceId)", selection: siteSpace, minimum: access.Read},
	{
		operation: "updateSiteSpaceById", field: "updateSiteSpace", selection: " { siteSpace " + siteSpace + " } ", at: "siteSpace", minimum: access.Create,
		body:  object{"path": "latest", "condition": "visitor.claims.beta == true", "spaceId": "{templateId}"},
		input: object{"siteSpace": "{siteSpaceId}", "path": "latest", "condition": "visitor.claims.beta == true", "space": "{templateId}"},
		needs: "create, also in another space to show", effect: "getSiteSpaceById",
	},
	{
		operation: "deleteSiteSpaceById", field: "deleteSiteSpace", selection: " { deleted } ", minimum: access.Create,
		input: object{"siteSpace": "{siteSpaceId}"}, effect: "getSiteStructure",
	},
	{
		operation: "moveSiteSpace", field: "moveSiteSpace", selection: " { siteSpace " + siteSpace + " } ", at: "siteSpace", minimum: access.Create,
		body:  object{"position": object{"after": object{"type": "site-space", "siteSpace": "{otherSiteSpaceId}"}}},
		input: object{"siteSpace": "{siteSpaceId}", "position": object{"after": "{otherSiteSpaceId}"}}, effect: "getSiteStructure",
	},
	{
		operation: "getSiteSpaceCustomizationById", field: oneSite + ".siteSpace(id: $siteSpaceId).customization", minimum: access.Read,
	},
	{
		operation: "overrideSiteSpaceCustomizationById", field: "overrideSiteSpaceCustomization", selection: " { siteSpace { customization } } ",
		at: "siteSpace", as: fieldOf("customization"), minimum: access.Create,
		body:   object{"styling": object{"theme": "bold"}},
		input:  object{"siteSpace": "{siteSpaceId}", "customization": object{"styling": object{"theme": "bold"}}},
		effect: "getSiteSpaceCustomizationById",
	},
	{
		operation: "deleteSiteSpaceCustomizationById", field: "deleteSiteSpaceCustomization", selection: " { deleted } ", minimum: access.Create,
		input: object{"siteSpace": "{siteSpaceId}"}, prepare: overridden, effect: "getSiteSpaceCustomizationById",
	},
	{operation: "listSiteSections", field: oneSite + ".sections", selection: connection(section), minimum: access.Read},
	{
		operation: "addSectionToSite", field: "addSectionToSite", selection: " { section " + section + " } ", at: "section", minimum: access.Create,
		body:  object{"spaceId": "{templateId}", "title": "Reference", "icon": "book"},
		input: object{"site": "{siteId}", "space": "{templateId}", "title": "Reference", "icon": "book"},
		needs: "create in the organization and the space", effect: "getSiteSectionById", creates: "siteSectionId",
	},
	{operation: "getSiteSectionById", field: oneSite + ".section(id: $siteSectionId)", selection: section, minimum: access.Read},
	{
		operation: "updateSiteSectionById", field: "updateSiteSection", selection: " { section " + section + " } ", at: "section", minimum: access.Create,
		body:   object{"title": "Manuals", "path": "manuals", "condition": "visitor.claims.beta", "icon": "book", "description": "All of them"},
		input:  object{"section": "{siteSectionId}", "title": "Manuals", "path": "manuals", "condition": "visitor.claims.beta", "icon": "book", "description": "All of them"},
		effect: "getSiteSectionById",
	},
	{
		operation: "deleteSiteSectionById", field: "deleteSiteSection", selection: " { deleted } ", minimum: access.Create,
		input: object{"section": "{siteSectionId}"}, effect: "getSiteStructure",
	},
	{
		operation: "moveSiteSection", field: "moveSiteSection", selection: " { section " + section + " } ", at: "section", minimum: access.Create,
		body:  object{"position": object{"after": object{"type": "site-section", "siteSection": "{otherSectionId}"}}},
		input: object{"section": "{siteSectionId}", "position": object{"after": "{otherSectionId}"}}, effect: "getSiteStructure",
	},
	{operation: "listSiteSectionGroups", field: oneSite + ".sectionGroups", selection: connection(group), minimum: access.Read},
	{
		operation: "addSectionGroupToSite", field: "addSectionGroupToSite", selection: " { sectionGroup " + group + " } ", at: "sectionGroup", minimum: access.Create,
		body:   object{"title": "More", "icon": "plus", "sections": []any{"{siteSectionId}"}},
		input:  object{"site": "{siteId}", "title": "More", "icon": "plus", "sections": []any{"{siteSectionId}"}},
		effect: "getSiteSectionGroupById", creates: "siteSectionGroupId",
	},
	{operation: "getSiteSectionGroupById", field: oneSite + ".sectionGroup(id: $siteSectionGroupId)", selection: group, minimum: access.Read},
	{
		operation: "updateSiteSectionGroupById", field: "updateSiteSectionGroup", selection: " { sectionGroup " + group + " } ", at: "sectionGroup", minimum: access.Create,
		body:   object{"title": "Others", "icon": "minus"},
		input:  object{"sectionGroup": "{siteSectionGroupId}", "title": "Others", "icon": "minus"},
		effect: "getSiteSectionGroupById",
	},
	{
		operation: "deleteSiteSectionGroupById", field: "deleteSiteSectionGroup", selection: " { deleted } ", minimum: access.Create,
		input: object{"sectionGroup": "{siteSectionGroupId}"}, effect: "getSiteStructure",
	},
	{
		operation: "moveSiteSectionGroup", field: "moveSiteSectionGroup", selection: " { sectionGroup " + group + " } ", at: "sectionGroup", minimum: access.Create,
		body:   object{"position": object{"after": object{"type": "site-section", "id": "{otherSectionId}"}}},
		input:  object{"sectionGroup": "{siteSectionGroupId}", "position": object{"after": "{otherSectionId}"}},
		effect: "getSiteStructure",
	},
	{
		operation: "addSectionToGroup", field: "addSectionToGroup", selection: " { sectionGroup " + group + " } ", at: "sectionGroup", minimum: access.Create,
		body: object{"sectionId": "{otherSectionId}"}, input: object{"sectionGroup": "{siteSectionGroupId}", "section": "{otherSectionId}"},
		effect: "getSiteStructure",
	},
	{
		operation: "removeSectionFromGroup", field: "removeSectionFromGroup", selection: " { deleted } ", minimum: access.Create,
		input: object{"sectionGroup": "{siteSectionGroupId}", "section": "{siteSectionId}"}, effect: "getSiteStructure",
	},
	{operation: "getSiteCustomizationById", field: oneSite + ".customization", minimum: access.Read},
	{
		operation: "updateSiteCustomizationById", field: "updateSiteCustomization", selection: " { site { customization } } ",
		at: "site", as: fieldOf("customization"), minimum: access.Create,
		body:   object{"title": "Docs of Acme", "styling": object{"theme": "muted"}},
		input:  object{"site": "{siteId}", "customization": object{"title": "Docs of Acme", "styling": object{"theme": "muted"}}},
		effect: "getSiteCustomizationById",
	},
	{
		operation: "listSiteShareLinks", field: oneSite + ".shareLinks", selection: connection(shareLink), minimum: access.Create,
	},
	{
		operation: "createSiteShareLink", field: "createSiteShareLink", selection: " { shareLink " + shareLink + " } ", at: "shareLink", minimum: access.Create,
		body: object{"name": "Partners"}, input: object{"site": "{siteId}", "name": "Partners"}, effect: "getSiteShareLinkById", creates: "shareLinkId",
	},
	{operation: "getSiteShareLinkById", field: oneSite + ".shareLink(id: $shareLinkId)", selection: shareLink, minimum: access.Create},
	{
		operation: "updateSiteShareLinkById", field: "updateSiteShareLink", selection: " { shareLink " + shareLink + " } ", at: "shareLink", minimum: access.Create,
		body: object{"name": "Customers", "active": false}, input: object{"shareLink": "{shareLinkId}", "name": "Customers", "active": false},
		effect: "getSiteShareLinkById",
	},
	{
		operation: "deleteSiteShareLinkById", field: "deleteSiteShareLink", selection: " { deleted } ", minimum: access.Create,
		input: object{"shareLink": "{shareLinkId}"}, effect: "listSiteShareLinks",
	},
	{
		operation: "getSitePublishingAuthById", field: oneSite + ".publishingAuth", selection: publishingAuth, minimum: access.Admin,
		codes: everyone(fault.Forbidden, apptest.ReadToken),
	},
	{
		operation: "updateSitePublishingAuthById", field: "updateSitePublishingAuth", selection: " { publishingAuth " + publishingAuth + " } ",
		at: "publishingAuth", minimum: access.Admin,
		body:   object{"backend": "custom", "fallbackURL": "https://example.com/login"},
		input:  object{"site": "{siteId}", "backend": "CUSTOM", "fallbackURL": "https://example.com/login"},
		effect: "getSitePublishingAuthById",
	},
	{
		operation: "regenerateSitePublishingAuthById", field: "regenerateSitePublishingAuth", selection: " { publishingAuth " + publishingAuth + " } ",
		at: "publishingAuth", minimum: access.Admin, input: object{"site": "{siteId}"},
	},
	{operation: "getSitePublishingPreviewById", field: oneSite + ".preview", selection: " { url } ", minimum: access.Read},
	{
		operation: "listSiteIntegrationScripts", field: oneSite + ".integrationScripts",
		selection: " { script contentSecurityPolicy cookies } ", minimum: access.Read,
	},
	{operation: "listSiteRedirects", field: oneSite + ".redirects", selection: connection(redirect), minimum: access.Read},
	{
		operation: "createSiteRedirect", field: "createSiteRedirect", selection: " { redirect " + redirect + " } ", at: "redirect", minimum: access.Create,
		body:  object{"source": "/gone", "destination": object{"kind": "site-space", "siteSpaceId": "{siteSpaceId}"}},
		input: object{"site": "{siteId}", "source": "/gone", "destination": object{"kind": "SITE_SPACE", "siteSpaceId": "{siteSpaceId}"}}, effect: "listSiteRedirects",
	},
	{
		operation: "updateSiteRedirectById", field: "updateSiteRedirect", selection: " { redirect " + redirect + " } ", at: "redirect", minimum: access.Create,
		body:   object{"source": "/older", "destination": object{"kind": "url", "url": "https://example.com/"}},
		input:  object{"redirect": "{siteRedirectId}", "source": "/older", "destination": object{"kind": "URL", "url": "https://example.com/"}},
		effect: "listSiteRedirects",
	},
	{
		operation: "deleteSiteRedirectById", field: "deleteSiteRedirect", selection: " { deleted } ", minimum: access.Create,
		input: object{"redirect": "{siteRedirectId}"}, effect: "listSiteRedirects",
	},
	{
		operation: "getSiteRedirectBySource", field: "site(id: $siteId).redirectBySource(source: $redirectSource)", query: "source=/old",
		selection: " { redirect " + redirect + " target } ", minimum: access.Read, visitors: true, with: map[string]string{"siteId": "publishedSiteId"},
	},
	{
		operation: "listPermissionsAggregateInSite", query: "limit=1000", field: oneSite + ".readers", selection: connection(" { permission: role user " + user + " } "),
		minimum: access.Read,
	},
	{
		operation: "trackEventsInSiteById", field: "trackEventsInSite", selection: " { accepted } ",
		body: object{"events": []any{anEvent}}, input: object{"site": "{siteId}", "events": []any{anEvent}},
		with: map[string]string{"siteId": "publishedSiteId"}, needs: "anyone", codes: toEverybody,
	},
}

// overridden has the site space look otherwise than its site.
func overridden(t *testing.T, f *fixture) {
	t.Helper()
	f.mutate(t, apptest.Creator, "overrideSiteSpaceCustomization",
		object{"siteSpace": "{siteSpaceId}", "customization": object{"styling": object{"theme": "bold"}}}, "{ siteSpace { id } }")
}

// sectioned puts the section before the other one.
func sectioned(t *testing.T, f *fixture) {
	t.Helper()
	f.value(t, "siteSectionId")
}

// growRedirects adds redirects of other paths.
func growRedirects(t *testing.T, f *fixture, count int) {
	t.Helper()
	for range count {
		f.mutate(t, apptest.Creator, "createSiteRedirect", object{
			"site": "{siteId}", "source": "/" + uuid.NewString(), "destination": object{"kind": "URL", "url": "https://example.com/"},
		}, "{ redirect { id } }")
	}
}

// makeRedirectSource is the path of the redirect.
func makeSite(t testing.TB, f *fixture) string {
	t.Helper()
	id := f.created(t, apptest.Creator, "createSite",
		object{"organization": "{organizationId}", "title": "Paritysite", "spaces": []any{"{spaceId}"}}, "site")
	f.mutate(t, apptest.Creator, "updateSiteAdaptiveSchema", object{"site": id, "jsonSchema": aSchema}, "{ site { id } }")
	return id
}

func makePublishedSite(t testing.TB, f *fixture) string {
	t.Helper()
	id := makeSite(t, f)
	f.mutate(t, apptest.Creator, "publishSite", object{"site": id}, "{ site { id } }")
	f.mutate(t, apptest.Creator, "createSiteRedirect",
		object{"site": id, "source": "/old", "destination": object{"kind": "URL", "url": "https://example.com/"}}, "{ redirect { id } }")
	return id
}

func makeSiteSpace(t testing.TB, f *fixture) string {
	t.Helper()
	data := f.As(apptest.Admin).Query(t, "query($id: ID!) { site(id: $id) { siteSpaces(first: 1) { nodes { id } } } }", object{"id": f.value(t, "siteId")})
	return data["site"].(object)["siteSpaces"].(object)["nodes"].([]any)[0].(object)["id"].(string)
}

func makeOtherSiteSpace(t testing.TB, f *fixture) string {
	t.Helper()
	return f.created(t, apptest.Creator, "addSpaceToSite", object{"site": "{siteId}", "space": "{templateId}"}, "siteSpace")
}

func makeSection(title string) func(t testing.TB, f *fixture) string {
	return func(t testing.TB, f *fixture) string {
		t.Helper()
		return f.created(t, apptest.Creator, "addSectionToSite", object{"site": "{siteId}", "space": "{templateId}", "title": title}, "section")
	}
}

func makeSectionGroup(t testing.TB, f *fixture) string {
	t.Helper()
	return f.created(t, apptest.Creator, "addSectionGroupToSite",
		object{"site": "{siteId}", "title": "Everything", "sections": []any{"{siteSectionId}"}}, "sectionGroup")
}

func makeShareLink(t testing.TB, f *fixture) string {
	t.Helper()
	return f.created(t, apptest.Creator, "createSiteShareLink", object{"site": "{siteId}", "name": "Friends"}, "shareLink")
}

func makeRedirect(t testing.TB, f *fixture) string {
	t.Helper()
	return f.created(t, apptest.Creator, "createSiteRedirect",
		object{"site": "{siteId}", "source": "/old", "destination": object{"kind": "SITE_SPACE", "siteSpaceId": "{siteSpaceId}"}}, "redirect")
}
