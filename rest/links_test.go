package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/changerequest"
	"octavo/internal/content"
	"octavo/internal/database"
	"octavo/internal/edit"
	"octavo/internal/linkgraph"
	"octavo/internal/pagination"
	"octavo/internal/revision"
	"octavo/internal/space"
)

// linkOf describes an item of a list of links: relation, status, target, and
// the page or reusable content and the heading of each place.
func linkOf(t *testing.T, item any) string {
	t.Helper()
	link := item.(map[string]any)
	words := []string{link["relation"].(string), link["status"].(string)}
	target, _ := link["targetReference"].(map[string]any)
	words = append(words, locationOf(target), "from")
	for _, place := range link["locationReferences"].([]any) {
		words = append(words, locationOf(place.(map[string]any)))
	}
	return strings.Join(words, " ")
}

func locationOf(location map[string]any) string {
	if location == nil {
		return "nothing"
	}
	word := location["kind"].(string)
	for _, member := range []string{"page", "file", "user", "reusableContent"} {
		if object, ok := location[member].(map[string]any); ok {
			word += ":" + object["id"].(string)
		}
	}
	if url, ok := location["url"].(string); ok {
		word += ":" + url
	}
	if inside, ok := location["internalLocation"].(map[string]any); ok {
		word += "#" + inside["anchor"].(string)
	}
	return word
}

func linksIn(t *testing.T, answer apptest.Response) (links []string, stats map[string]any) {
	t.Helper()
	list := answer.Object(t, http.StatusOK)
	links = []string{}
	for _, item := range list["items"].([]any) {
		links = append(links, linkOf(t, item))
	}
	assert.EqualValues(t, len(links), list["count"])
	return links, list["stats"].(map[string]any)
}

func (s sample) spaceWith(t *testing.T, sources map[string]string) sample {
	t.Helper()
	bodies := content.NewMemory(nil)
	tree := &content.Tree{}
	for index, name := range []string{"one", "two"} {
		source, found := sources[name]
		if !found {
			continue
		}
		tree.Pages = append(tree.Pages, &content.Page{
			ID: []string{welcomeID, installID}[index], Type: content.PageDocument, Title: name, Slug: name, GitPath: name + ".md",
			Body: bodies.Add([]byte(source)), CreatedAt: time.Unix(0, 0).UTC(), UpdatedAt: time.Unix(0, 0).UTC(),
		})
	}
	made, err := s.App.Spaces.Create(s.Context(t, apptest.Creator), space.New{
		OrganizationID: s.OrganizationID, Title: "Links", Tree: tree, Bodies: bodies.Added(),
	})
	require.NoError(t, err)
	return sample{Server: s.Server, space: made.ID, revision: made.RevisionID}
}

func TestLinksOfEveryKindAreFoundAndJudged(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		sample := newSample(t, server)
		links, stats := linksIn(t, sample.get(t, "/links"))
		assert.Equal(t, []string{
			"reference ok file:" + logoID + " from page:" + welcomeID,
			"reference ok page:" + installID + "#linux from page:" + welcomeID + " page:" + againID,
			"reference ok page:" + installID + " from page:" + welcomeID,
			"dependsOn ok reusable-content:" + noteID + " from page:" + welcomeID,
			"reference ok page:" + welcomeID + " from page:" + installID + "#linux",
			"reference ok url:https://example.com/ from page:" + siteID,
			"dependsOn in-app nothing from page:" + apiID,
		}, links)
		assert.Equal(t, map[string]any{"total": 7.0, "broken": map[string]any{"total": 0.0}}, stats)

		links, stats = linksIn(t, sample.get(t, "/content/page/"+installID+"/links"))
		assert.Equal(t, []string{"reference ok page:" + welcomeID + " from page:" + installID + "#linux"}, links)
		assert.Equal(t, map[string]any{"total": 1.0, "broken": map[string]any{"total": 0.0}}, stats)
	})
}

func TestLinksOutOfTheContentAreJudgedForTheCaller(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		base := sample{Server: server}
		target := base.spaceWith(t, nil)
		hidden, err := server.App.Spaces.Create(server.Context(t, apptest.Stranger), space.New{OrganizationID: server.OtherOrganizationID, Title: "Theirs"})
		require.NoError(t, err)
		reader, stranger := server.As(apptest.Reader).UserID, server.As(apptest.Stranger).UserID
		from := base.spaceWith(t, map[string]string{"one": strings.Join([]string{
			"[theirs](/spaces/" + hidden.ID + ") [ours](/spaces/" + target.space + ")", "## People",
			"[@reader](mention://users/" + reader + " \"mention\") [@stranger](mention://users/" + stranger + " \"mention\")",
			"[gone](missing.md) [nowhere](#nowhere) [people](#people) [lost](/files/fil_00000000000000000000000009)",
			"[settings](" + server.URL + "/app/settings) [out](https://example.com)",
			"[collection](/collections/col_00000000000000000000000001)", "",
		}, "\n\n")})
		links, stats := linksIn(t, from.get(t, "/links"))
		place := " from page:" + welcomeID
		assert.Equal(t, []string{
			"reference broken url:/spaces/" + hidden.ID + place,
			"reference ok space" + place,
			"reference ok user:" + reader + place + "#people",
			"reference broken url:mention://users/" + stranger + place + "#people",
			"reference broken url:missing.md" + place + "#people",
			"reference broken url:#nowhere" + place + "#people",
			"reference ok page:" + welcomeID + "#people" + place + "#people",
			"reference broken url:/files/fil_00000000000000000000000009" + place + "#people",
			"reference in-app url:" + server.URL + "/app/settings" + place + "#people",
			"reference ok url:https://example.com" + place + "#people",
			"reference broken url:/collections/col_00000000000000000000000001" + place + "#people",
		}, links)
		assert.Equal(t, map[string]any{"total": 11.0, "broken": map[string]any{"total": 6.0}}, stats)

		for status, count := range map[string]int{"ok": 4, "broken": 6, "in-app": 1} {
			filtered, all := linksIn(t, from.get(t, "/links?status="+status))
			assert.Len(t, filtered, count, status)
			assert.Equal(t, stats, all)
		}
		server.As(apptest.Admin).REST(t, http.MethodDelete, "/spaces/"+target.space, nil)
		links, _ = linksIn(t, server.As(apptest.Admin).REST(t, http.MethodGet, "/spaces/"+from.space+"/links", nil))
		assert.Equal(t, "reference broken url:/spaces/"+target.space+place, links[1], "a deleted space is missing")
	})
}

func TestLinksComeInPages(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	sample := newSample(t, server)
	all, _ := linksIn(t, sample.get(t, "/links"))
	var paged []string
	path := "/links?limit=3"
	for range 3 {
		list := sample.get(t, path).Object(t, http.StatusOK)
		for _, item := range list["items"].([]any) {
			paged = append(paged, linkOf(t, item))
		}
		assert.EqualValues(t, len(all), list["count"])
		next, more := list["next"].(map[string]any)
		if !more {
			break
		}
		path = "/links?limit=3&page=" + next["page"].(string)
	}
	assert.Equal(t, all, paged)
}

func TestLocationsComeWithWhatTheyLieIn(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	sample := newSample(t, server)
	organization := server.As(apptest.Reader).REST(t, http.MethodGet, "/orgs/"+server.OrganizationID, nil).Object(t, http.StatusOK)
	around := sample.get(t, "").Object(t, http.StatusOK)
	places := sample.get(t, "/content/files/"+logoID+"/backlinks").Object(t, http.StatusOK)["items"].([]any)
	require.Len(t, places, 1)
	place := places[0].(map[string]any)
	assert.Equal(t, organization, place["organization"])
	assert.Equal(t, around, place["space"])
	assert.Equal(t, "page:"+welcomeID, locationOf(place))
	version := place["versionContext"].(map[string]any)
	assert.Equal(t, "revision", version["type"])
	assert.Equal(t, sample.revision, version["revision"].(map[string]any)["id"])
}

func TestBacklinksNameEachPlaceOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		sample := newSample(t, server)
		for path, expected := range map[string][]string{
			"/content/page/" + installID + "/backlinks": {"page:" + welcomeID, "page:" + againID},
			"/content/page/" + welcomeID + "/backlinks": {"page:" + installID + "#linux"},
			"/content/page/" + siteID + "/backlinks":    {},
			"/content/files/" + logoID + "/backlinks":   {"page:" + welcomeID},
		} {
			list := sample.get(t, path).Object(t, http.StatusOK)
			places := []string{}
			for _, item := range list["items"].([]any) {
				places = append(places, locationOf(item.(map[string]any)))
			}
			assert.Equal(t, expected, places, path)
			assert.EqualValues(t, len(expected), list["count"])
		}
	})
}

// TestLinksOfManyPagesTakeFewStatements: the tree, its texts and what lies
// outside are each read at once, whatever the number of pages and targets.
func TestLinksOfManyPagesTakeFewStatements(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		statements := func(pages int) int64 {
			bodies := content.NewMemory(nil)
			tree := &content.Tree{}
			for index := range pages {
				source := fmt.Sprintf("# Page %d\n\n[space](/spaces/spc_%026d) [user](mention://users/usr_%026d \"mention\") [next](page-%d.md)\n",
					index, index, index, index+1)
				tree.Pages = append(tree.Pages, &content.Page{
					ID: fmt.Sprintf("pag_%026d", index), Type: content.PageDocument, Title: fmt.Sprintf("Page %d", index),
					Slug: fmt.Sprintf("page-%d", index), GitPath: fmt.Sprintf("page-%d.md", index), Body: bodies.Add([]byte(source)),
					CreatedAt: time.Unix(0, 0).UTC(), UpdatedAt: time.Unix(0, 0).UTC(),
				})
			}
			ctx := server.Context(t, apptest.Creator)
			made, err := server.App.Spaces.Create(ctx, space.New{OrganizationID: server.OrganizationID, Title: "Many", Tree: tree, Bodies: bodies.Added()})
			require.NoError(t, err)
			// A service of its own has nothing in memory.
			revisions := revision.NewStore(server.App.Database, "")
			links := linkgraph.NewService(server.App.Database, revisions, server.App.Spaces, server.App.Collections, server.App.Users, "")
			main, err := revisions.Load(ctx, made.RevisionID)
			require.NoError(t, err)
			var counter atomic.Int64
			list, err := links.OfRevision(database.CountStatements(context.WithoutCancel(ctx), &counter), main, nil, linkgraph.Filter{}, pagination.Arguments{})
			require.NoError(t, err)
			assert.Equal(t, 3*pages, list.Stats.Total)
			assert.Equal(t, 2*pages+1, list.Stats.Broken.Total)
			return counter.Load()
		}
		few := statements(2)
		assert.LessOrEqual(t, few, int64(5), "root, tree, texts, spaces, users")
		assert.Equal(t, few, statements(200))
	})
}

func TestGraphQLReadsLinks(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	sample := newSample(t, server)
	data := server.As(apptest.Reader).Query(t, `query($id: ID!, $page: ID!) { space(id: $id) { revision { page(id: $page) {
		document(evaluated: DETERMINISTIC_ONLY) git { path } layout { width } cover { height ref { kind file } } parent { id }
		links(first: 1) { totalCount stats { total broken { total changeRequest } } nodes {
			status relation target { kind page anchor } targetLocation { kind page { path } } locations { kind anchor page { id } space { id } organization { id } changeRequest { id } }
		} }
		backlinks { nodes { page { id } } }
	} } } }`, map[string]any{"id": sample.space, "page": installID})
	page := data["space"].(map[string]any)["revision"].(map[string]any)["page"].(map[string]any)
	assert.NotEmpty(t, page["document"])
	delete(page, "document")
	assert.Equal(t, map[string]any{
		"git": map[string]any{"path": "guides/install.md"}, "layout": map[string]any{"width": "default"}, "cover": nil,
		"parent": map[string]any{"id": guidesID},
		"links": map[string]any{
			"totalCount": 1.0, "stats": map[string]any{"total": 1.0, "broken": map[string]any{"total": 0.0, "changeRequest": nil}},
			"nodes": []any{map[string]any{
				"status": "OK", "relation": "REFERENCE", "target": map[string]any{"kind": "PAGE", "page": welcomeID, "anchor": nil},
				"targetLocation": map[string]any{"kind": "PAGE", "page": map[string]any{"path": "welcome"}},
				"locations": []any{map[string]any{
					"kind": "PAGE", "anchor": "linux", "page": map[string]any{"id": installID}, "space": map[string]any{"id": sample.space},
					"organization": map[string]any{"id": server.OrganizationID}, "changeRequest": nil,
				}},
			}},
		},
		"backlinks": map[string]any{"nodes": []any{
			map[string]any{"page": map[string]any{"id": welcomeID}}, map[string]any{"page": map[string]any{"id": againID}},
		}},
	}, page)
}

func TestChangeRequestHasContentOfItsOwn(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		base := sample{Server: server}
		main := base.spaceWith(t, map[string]string{"one": "# one\n\n[gone](gone.md)\n", "two": "# two\n"})
		branch, err := server.App.ChangeRequests.Create(server.Context(t, apptest.Editor), changerequest.New{SpaceID: main.space, Subject: "Break it"})
		require.NoError(t, err)
		here := "/change-requests/" + branch.ID
		places := main.get(t, here+"/content/page/"+welcomeID+"/links").Object(t, http.StatusOK)["items"].([]any)[0].(map[string]any)["locationReferences"].([]any)
		version := places[0].(map[string]any)["versionContext"].(map[string]any)
		assert.Equal(t, "changeRequest", version["type"], "though its content is still that of the space")
		assert.Equal(t, branch.ID, version["changeRequest"].(map[string]any)["id"])

		ctx := server.Context(t, apptest.Editor)
		edited, _, err := server.App.ChangeRequests.EditContent(ctx, branch.ID, []edit.Change{
			edit.UpdatePage{
				UpdatePage: content.UpdatePage{Page: installID},
				Text:       edit.Text{Markdown: new("# two\n\n[lost](lost.md) and [gone](gone.md)\n")},
			},
		}, nil)
		require.NoError(t, err)
		for _, address := range []string{here, "/change-requests/1"} {
			for _, path := range []string{
				"", "/pages", "/files", "/page/" + installID + "?format=document", "/path/two?format=markdown",
				"/page/" + installID + "/links", "/page/" + welcomeID + "/backlinks",
			} {
				assert.Equal(t, http.StatusOK, main.get(t, address+"/content"+path).Status, path)
			}
			answer := main.get(t, address+"/content/path/two?format=markdown")
			assert.Equal(t, "[lost](lost.md) and [gone](gone.md)\n", answer.Object(t, http.StatusOK)["markdown"])
			assert.Equal(t, `"`+edited.RevisionID+`"`, answer.Header.Get("ETag"))
			assert.Equal(t, http.StatusNotModified, main.get(t, address+"/content", "If-None-Match", `"`+edited.RevisionID+`"`).Status)
			assert.Equal(t, http.StatusNotFound, main.get(t, address+"/content/files/"+logoID).Status)
			assert.Equal(t, http.StatusNotFound, main.get(t, address+"/content/files/"+logoID+"/backlinks").Status)
			assert.Equal(t, http.StatusNotFound, main.get(t, address+"/content/reusable-contents/"+noteID).Status)
		}
		assert.Equal(t, http.StatusNotFound, main.get(t, "/change-requests/2/content").Status)
		assert.Equal(t, http.StatusNotFound, base.spaceWith(t, nil).get(t, here+"/content").Status, "of another space")

		gone := "reference broken url:gone.md from page:" + welcomeID + " page:" + installID
		lost := "reference broken url:lost.md from page:" + installID
		for query, expected := range map[string][]string{
			"": {gone, lost}, "?brokenContext=change-request": {lost}, "?brokenContext=space": {gone}, "?status=ok": {},
		} {
			links, stats := linksIn(t, main.get(t, here+"/links"+query))
			assert.Equal(t, expected, links, query)
			assert.Equal(t, map[string]any{"total": 2.0, "broken": map[string]any{"total": 2.0, "changeRequest": 1.0}}, stats)
		}
		assert.Equal(t, http.StatusBadRequest, main.get(t, here+"/links?brokenContext=elsewhere").Status)

		outcome, err := server.App.ChangeRequests.Merge(server.Context(t, apptest.Admin), branch.ID, nil)
		require.NoError(t, err)
		revision := main.get(t, "/content").Object(t, http.StatusOK)
		assert.Equal(t, outcome.Revision.ID, revision["id"])
		assert.Equal(t, "merge", revision["type"])
		assert.Equal(t, branch.ID, revision["mergedFrom"].(map[string]any)["id"])
	})
}
