package reader_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/customization"
	"octavo/internal/enum"
	"octavo/internal/organization"
	"octavo/internal/site"
	"octavo/internal/space"
)

// probe is a request of which the answer is compared.
type probe struct{ host, path, cookie string }

// stage is a site that steps change, one after the other.
type stage struct {
	*published
	t      *testing.T
	ctx    context.Context
	second string // a space that is not on the site
	cookie string // of a visitor with claims
	probes []probe
	// What steps have made.
	siteSpace, section, group, other, redirect, link, changeRequest string
}

// step changes what a site shows.
type step struct {
	// mutation is the name of the operation.
	mutation string
	do       func(s *stage) error
}

// steps are in an order in which each finds what it needs.
var steps = []step{
	{"updateSite", func(s *stage) error { return s.update(site.Changes{Title: new("Handbook")}) }},
	{"updateSiteAdaptiveSchema", func(s *stage) error {
		return second(s.App.Sites.SetAdaptiveSchema(s.ctx, s.ID, json.RawMessage(`{"type": "object", "additionalProperties": false, "properties": {"gamma": {"type": "boolean", "description": "Gamma"}}}`)))
	}},
	{"updateSiteAdaptiveSchema", func(s *stage) error {
		return second(s.App.Sites.SetAdaptiveSchema(s.ctx, s.ID, json.RawMessage(schema)))
	}},
	{"updateSite", func(s *stage) error { return s.update(site.Changes{AdaptiveContent: new(false)}) }},
	{"updateSite", func(s *stage) error { return s.update(site.Changes{AdaptiveContent: new(true)}) }},
	{"addSpaceToSite", func(s *stage) error {
		added, err := s.App.Sites.AddSpace(s.ctx, site.NewSiteSpace{SiteID: s.ID, SpaceID: s.second})
		s.siteSpace = added.ID
		return err
	}},
	{"updateSiteSpace", func(s *stage) error {
		return second(s.App.Sites.UpdateSiteSpace(s.ctx, s.siteSpace, site.SiteSpaceChanges{Path: new("variant")}))
	}},
	{"updateSiteSpace", func(s *stage) error {
		return second(s.App.Sites.UpdateSiteSpace(s.ctx, s.siteSpace, site.SiteSpaceChanges{Condition: new("visitor.claims.beta == true")}))
	}},
	{"updateSiteSpace", func(s *stage) error {
		return second(s.App.Sites.UpdateSiteSpace(s.ctx, s.siteSpace, site.SiteSpaceChanges{Condition: new("")}))
	}},
	{"moveSiteSpace", func(s *stage) error {
		return second(s.App.Sites.MoveSiteSpace(s.ctx, s.siteSpace, site.Position{Before: s.structure().SiteSpaces[0].ID}))
	}},
	{"overrideSiteSpaceCustomization", func(s *stage) error {
		return second(s.App.Sites.Override(s.ctx, s.siteSpace, json.RawMessage(`{"title":"Variant"}`)))
	}},
	{"deleteSiteSpaceCustomization", func(s *stage) error { return second(s.App.Sites.ClearOverride(s.ctx, s.siteSpace)) }},
	{"updateSiteCustomization", func(s *stage) error {
		settings := map[string]any{}
		if err := json.Unmarshal(customization.Defaults(), &settings); err != nil {
			return err
		}
		settings["title"] = "Customized"
		encoded, err := json.Marshal(settings)
		if err != nil {
			return err
		}
		return second(s.App.Sites.Customize(s.ctx, s.ID, encoded))
	}},
	{"updateSpace", func(s *stage) error {
		return second(s.App.Spaces.Update(s.ctx, s.second, space.Changes{Title: new("Variant two")}))
	}},
	{"updateSpaceContent", func(s *stage) error { return s.edit("/spaces/"+s.second+"/content", "Changed at once.") }},
	{"importGitRepository", nil}, {"applyTemplateToSpace", nil}, // these write content as an edit does
	{"mergeChangeRequest", func(s *stage) error {
		created := s.As(apptest.Admin).REST(s.t, http.MethodPost, "/spaces/"+s.second+"/change-requests", map[string]any{"subject": "Edit"}).Object(s.t, http.StatusCreated)
		s.changeRequest = "/spaces/" + s.second + "/change-requests/" + created["id"].(string)
		if err := s.edit(s.changeRequest+"/content", "Merged at once."); err != nil {
			return err
		}
		s.As(apptest.Admin).REST(s.t, http.MethodPost, s.changeRequest+"/merge", map[string]any{}).JSON(s.t, http.StatusOK, nil)
		return nil
	}},
	{"deleteSpace", func(s *stage) error { return second(s.App.Spaces.Delete(s.ctx, s.second)) }},
	{"restoreSpace", func(s *stage) error { return second(s.App.Spaces.Restore(s.ctx, s.second)) }},
	{"createSiteRedirect", func(s *stage) error {
		created, err := s.App.Sites.CreateRedirect(s.ctx, s.ID, "/old", site.Destination{Kind: enum.RedirectURL, URL: new("https://example.com/one")})
		s.redirect = created.ID
		return err
	}},
	{"updateSiteRedirect", func(s *stage) error {
		return second(s.App.Sites.UpdateRedirect(s.ctx, s.redirect, nil, &site.Destination{Kind: enum.RedirectURL, URL: new("https://example.com/two")}))
	}},
	{"deleteSiteRedirect", func(s *stage) error { return second(s.App.Sites.DeleteRedirect(s.ctx, s.redirect)) }},
	{"deleteSiteSpace", func(s *stage) error { return second(s.App.Sites.RemoveSpace(s.ctx, s.siteSpace)) }},

	{"addSectionToSite", func(s *stage) error {
		added, err := s.App.Sites.AddSection(s.ctx, site.NewSection{SiteID: s.ID, SpaceID: s.second, Title: "Second"})
		s.section = added.ID
		return err
	}},
	{"updateSiteSection", func(s *stage) error {
		return second(s.App.Sites.UpdateSection(s.ctx, s.section, site.SectionChanges{Title: new("Part two"), Path: new("part")}))
	}},
	{"updateSiteSection", func(s *stage) error {
		return second(s.App.Sites.UpdateSection(s.ctx, s.section, site.SectionChanges{Condition: new("visitor.claims.beta == true")}))
	}},
	{"updateSiteSection", func(s *stage) error {
		return second(s.App.Sites.UpdateSection(s.ctx, s.section, site.SectionChanges{Condition: new("")}))
	}},
	{"moveSiteSection", func(s *stage) error {
		return second(s.App.Sites.MoveSection(s.ctx, s.section, site.Position{Before: s.structure().Sections[0].ID}))
	}},
	{"addSectionGroupToSite", func(s *stage) error {
		added, err := s.App.Sites.AddGroup(s.ctx, site.NewGroup{SiteID: s.ID, Title: "Group", SectionIDs: []string{s.section}})
		s.group = added.ID
		return err
	}},
	{"updateSiteSectionGroup", func(s *stage) error {
		return second(s.App.Sites.UpdateGroup(s.ctx, s.group, site.GroupChanges{Title: new("Renamed")}))
	}},
	{"moveSiteSectionGroup", func(s *stage) error {
		for _, section := range s.structure().Sections {
			if section.ID != s.section {
				s.other = section.ID
			}
		}
		to := site.Position{Before: s.other}
		if _, is := s.structure().Top[0].(*site.Group); is {
			to = site.Position{After: s.other}
		}
		return second(s.App.Sites.MoveGroup(s.ctx, s.group, to))
	}},
	{"addSectionToGroup", func(s *stage) error { return second(s.App.Sites.AddSectionToGroup(s.ctx, s.group, s.other)) }},
	{"removeSectionFromGroup", func(s *stage) error {
		return second(s.App.Sites.RemoveSectionFromGroup(s.ctx, s.group, s.other))
	}},
	{"sortSiteStructure", func(s *stage) error {
		return second(s.App.Sites.Sort(s.ctx, s.ID, s.other, site.Position{After: s.section}))
	}},
	{"deleteSiteSectionGroup", func(s *stage) error { return second(s.App.Sites.RemoveGroup(s.ctx, s.group)) }},
	{"updateSite", func(s *stage) error { return s.update(site.Changes{DefaultSectionID: &s.section}) }},
	{"deleteSiteSection", func(s *stage) error { return second(s.App.Sites.RemoveSection(s.ctx, s.section)) }},
	{"addSpaceToSite", func(s *stage) error {
		return second(s.App.Sites.AddSpace(s.ctx, site.NewSiteSpace{SiteID: s.ID, SpaceID: s.second}))
	}},
	{"transferSpace", func(s *stage) error {
		ctx := access.System(s.ctx, "test")
		return s.App.Database.Write(ctx, func(ctx context.Context) error {
			return s.App.Spaces.HandOver(ctx, []string{s.second}, s.OtherOrganizationID)
		})
	}},

	{"updateSite", func(s *stage) error { return s.update(site.Changes{Hostname: new("docs.example.com")}) }},
	{"updateSite", func(s *stage) error { return s.update(site.Changes{Proxy: new("www.example.com/help/docs")}) }},
	{"updateSite", func(s *stage) error { return s.update(site.Changes{Proxy: new(""), Hostname: new("")}) }},
	{"updateOrganization", func(s *stage) error {
		return second(s.App.Organizations.Update(s.ctx, s.OrganizationID, organization.Changes{Hostname: new("acmedocs")}))
	}},
	{"updateSite", func(s *stage) error {
		s.probes = nil
		s.look("renamed")
		return s.update(site.Changes{Basename: new("renamed")})
	}},

	{"updateSite", func(s *stage) error { return s.update(site.Changes{Visibility: new(enum.SiteUnlisted)}) }},
	{"updateSite", func(s *stage) error { return s.update(site.Changes{Visibility: new(enum.SiteShareLink)}) }},
	{"createSiteShareLink", func(s *stage) error {
		created, err := s.App.Sites.CreateShareLink(s.ctx, s.ID, "new")
		s.link = created.ID
		s.probes = append(s.probes, probe{path: "/sites/renamed/" + created.Key + "/setup"})
		return err
	}},
	{"updateSiteShareLink", func(s *stage) error {
		return second(s.App.Sites.UpdateShareLink(s.ctx, s.link, nil, new(false)))
	}},
	{"updateSiteShareLink", func(s *stage) error {
		return second(s.App.Sites.UpdateShareLink(s.ctx, s.link, nil, new(true)))
	}},
	{"deleteSiteShareLink", func(s *stage) error { return second(s.App.Sites.DeleteShareLink(s.ctx, s.link)) }},
	{"updateSite", func(s *stage) error { return s.update(site.Changes{Visibility: new(enum.SiteVisitorAuth)}) }},
	{"updateSitePublishingAuth", func(s *stage) error {
		return second(s.App.Sites.UpdatePublishingAuth(s.ctx, s.ID, enum.BackendCustom, new("https://login.example.com/")))
	}},
	{"regenerateSitePublishingAuth", func(s *stage) error { return second(s.App.Sites.RegeneratePublishingAuth(s.ctx, s.ID)) }},
	{"updateSite", func(s *stage) error { return s.update(site.Changes{Visibility: new(enum.SitePublic)}) }},
	{"unpublishSite", func(s *stage) error { return second(s.App.Sites.Unpublish(s.ctx, s.ID)) }},
	{"publishSite", func(s *stage) error { return second(s.App.Sites.Publish(s.ctx, s.ID)) }},
	{"deleteSite", func(s *stage) error { return second(s.App.Sites.Delete(s.ctx, s.ID)) }},
}

// silent are mutations that change nothing that sites show.
var silent = map[string]string{
	"createSite": "it is not published", "trackEventsInSite": "counts visits", "createSpace": "it is on no site", "duplicateSpace": "it is on no site",
	"moveSpace": "collections are for members", "exportToGitRepository": "content stays as it is",
	"createOrganization": "it has no site", "deleteOrganization": "it has no site any more", "joinOrganization": "people are not shown",
	"updateOrganizationAgentInstructions": "for members only",
}

func second[Value any](_ Value, err error) error { return err }

func (s *stage) update(changes site.Changes) error {
	return second(s.App.Sites.Update(s.ctx, s.ID, changes))
}

func (s *stage) structure() *site.Structure {
	found, err := s.App.Sites.Structure(s.ctx, s.ID)
	require.NoError(s.t, err)
	return found
}

func (s *stage) edit(path, text string) error {
	s.As(apptest.Admin).REST(s.t, http.MethodPost, path, map[string]any{"changes": []any{map[string]any{
		"operation": "update_page", "page": "pag_setup", "document": map[string]any{"markdown": text + "\n"},
	}}}).JSON(s.t, http.StatusOK, nil)
	return nil
}

// look asks for pages of the site from now on, by its basename.
func (s *stage) look(basename string) {
	for _, path := range []string{"", "/setup", "/setup.md", "/second", "/variant", "/part", "/part/setup/linux", "/old", "/llms.txt"} {
		s.probes = append(s.probes, probe{path: "/sites/" + basename + path})
	}
	for _, path := range []string{"/setup", "/variant", "/part"} {
		s.probes = append(s.probes, probe{path: "/sites/" + basename + path, cookie: s.cookie})
	}
}

// ask returns what a server answers to each probe.
func (s *stage) ask(server *apptest.Server) map[string]string {
	answers := make(map[string]string, len(s.probes))
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, each := range s.probes {
		request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, server.URL+each.path, nil)
		require.NoError(s.t, err)
		if each.host != "" {
			request.Host = each.host
		}
		if each.cookie != "" {
			request.Header.Set("Cookie", each.cookie)
		}
		response, err := client.Do(request)
		require.NoError(s.t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(s.t, err)
		require.NoError(s.t, response.Body.Close())
		header := response.Header
		answers[fmt.Sprint(each)] = fmt.Sprintln(response.StatusCode, header["Location"], header["Etag"], header["X-Robots-Tag"], header["Cache-Control"], string(body))
	}
	return answers
}

// TestEveryChangeShowsAtOnceOnEveryServer changes a site in every way that
// shows. Servers that have the site in memory answer the next request as one
// does that has nothing in memory.
func TestEveryChangeShowsAtOnceOnEveryServer(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		docs := publish(t, server, enum.SitePublic)
		acts := &stage{published: docs, t: t, ctx: server.Context(t, apptest.Admin), second: makeSpace(t, server, "Second", guide[1:3])}
		acts.cookie = "octavo-visitor-token=" + docs.token(t, map[string]any{"beta": true})
		acts.look(docs.Basename)
		acts.probes = append(acts.probes, probe{host: "docs.example.com", path: "/setup"}, probe{host: "www.example.com", path: "/help/docs/setup"},
			probe{host: "acmedocs.127.0.0.1", path: "/" + docs.Basename + "/setup"})
		replica := server.Beside(t)
		acts.run(t, replica)
	})
}

func (s *stage) run(t *testing.T, replica *apptest.Server) {
	before := s.ask(replica)
	for number, step := range steps {
		if step.do == nil {
			continue
		}
		require.NoError(t, step.do(s), "%d %s", number, step.mutation)
		after := s.ask(replica)
		assert.NotEqual(t, before, after, "%d %s shows nothing", number, step.mutation)
		want := s.ask(s.Beside(t))
		for _, answers := range []map[string]string{after, s.ask(s.Server)} {
			for each := range want {
				require.Equal(t, want[each], answers[each], "%d %s: %s", number, step.mutation, each)
			}
		}
		before = after
	}
}

// TestEveryChangeIsTried: an operation that is new shows at once, or it says why
// it shows nothing.
func TestEveryChangeIsTried(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{}
	for _, step := range steps {
		tried[step.mutation] = true
	}
	for _, noun := range []string{"site", "space", "organization"} {
		source, err := os.ReadFile("../../graph/schema/" + noun + ".graphqls")
		require.NoError(t, err)
		block := regexp.MustCompile(`(?s)extend type Mutation \{(.*?)\n\}`).FindSubmatch(source)
		require.NotNil(t, block, noun)
		for _, match := range regexp.MustCompile(`(?m)^  (\w+)\(`).FindAllSubmatch(block[1], -1) {
			_, quiet := silent[string(match[1])]
			assert.True(t, tried[string(match[1])] != quiet, "%s is neither tried nor silent, or both", match[1])
		}
	}
}
