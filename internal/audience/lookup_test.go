package audience_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/content"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/site"
	"octavo/internal/space"
)

type object = map[string]any

// published is a site with two sections, one of which has two variants, and a
// variant and pages that only some visitors see.
type published struct {
	*apptest.Server
	site                        *site.Site
	guide, next, reference, vip string // spaces
	nextID                      string // of the site space
	secretPage, openPage        string
}

func (p *published) space(t *testing.T, title string, pages ...*content.Page) string {
	t.Helper()
	bodies := content.NewMemory(nil)
	tree := &content.Tree{}
	for _, page := range pages {
		page.Type, page.Body = content.PageDocument, bodies.Add([]byte("# "+page.Title+"\n\nOf "+title+"."+page.Description+"\n"))
		page.Description = ""
		tree.Pages = append(tree.Pages, page)
	}
	made, err := p.App.Spaces.Create(p.Context(t, apptest.Creator), space.New{
		OrganizationID: p.OrganizationID, Title: title, Tree: tree, Bodies: bodies.Added(),
	})
	require.NoError(t, err)
	return made.ID
}

func newPublished(t *testing.T, server *apptest.Server) *published {
	t.Helper()
	p := &published{Server: server, secretPage: "pag_00000000000000000000000002", openPage: "pag_00000000000000000000000003"}
	home := func(id string) *content.Page { return &content.Page{ID: id, Title: "Home", Slug: "home"} }
	p.guide = p.space(t, "Guide", home("pag_00000000000000000000000001"),
		&content.Page{ID: p.secretPage, Title: "Secret", Slug: "secret", Condition: "visitor.claims.vip == true"},
		&content.Page{ID: p.openPage, Title: "Open", Slug: "open", Description: "\n\n{% if visitor.claims.vip == true %}\nFor the few.\n{% endif %}"})
	p.next, p.reference = p.space(t, "Next", home("pag_00000000000000000000000011")), p.space(t, "Reference", home("pag_00000000000000000000000021"))
	p.vip = p.space(t, "Vip", home("pag_00000000000000000000000031"))
	ctx, sites := p.Context(t, apptest.Admin), p.App.Sites
	made, err := sites.Create(ctx, site.New{OrganizationID: p.OrganizationID, Title: "Docs", SpaceIDs: []string{p.guide}})
	require.NoError(t, err)
	added, err := sites.AddSpace(ctx, site.NewSiteSpace{SiteID: made.ID, SpaceID: p.next})
	require.NoError(t, err)
	p.nextID = added.ID
	_, err = sites.AddSection(ctx, site.NewSection{SiteID: made.ID, SpaceID: p.reference, Title: "Reference"})
	require.NoError(t, err)
	hidden, err := sites.AddSection(ctx, site.NewSection{SiteID: made.ID, SpaceID: p.vip, Title: "Vip"})
	require.NoError(t, err)
	condition := new("visitor.claims.vip == true")
	_, err = sites.UpdateSection(ctx, hidden.ID, site.SectionChanges{Condition: condition})
	require.NoError(t, err)
	schema := `{"type":"object","additionalProperties":false,"properties":{"vip":{"type":"boolean","description":"Sees more"}}}`
	_, err = sites.SetAdaptiveSchema(ctx, made.ID, json.RawMessage(schema))
	require.NoError(t, err)
	_, err = sites.Update(ctx, made.ID, site.Changes{Basename: new("docs"), AdaptiveContent: new(true)})
	require.NoError(t, err)
	p.site, err = sites.Publish(ctx, made.ID)
	require.NoError(t, err)
	return p
}

func (p *published) visible(t *testing.T, visibility enum.SiteVisibility) {
	t.Helper()
	_, err := p.App.Sites.Update(p.Context(t, apptest.Admin), p.site.ID, site.Changes{Visibility: &visibility})
	require.NoError(t, err)
}

func (p *published) lookup(t *testing.T, caller apptest.Caller, address string, visitor object) apptest.Response {
	t.Helper()
	if strings.HasPrefix(address, "/") {
		address = p.URL + address
	}
	return p.As(caller).REST(t, http.MethodPost, "/urls/published", object{"url": address, "visitor": visitor})
}

// visitorToken is one that the site's key signed.
func (p *published) visitorToken(t *testing.T, claims jwt.MapClaims) string {
	t.Helper()
	auth, err := p.App.Sites.PublishingAuth(p.Context(t, apptest.Admin), p.site.ID)
	require.NoError(t, err)
	claims["exp"] = time.Now().Add(time.Hour).Unix()
	signed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(auth.PrivateKey))
	require.NoError(t, err)
	return signed
}

func TestAddressesLeadToSiteSpaces(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		p := newPublished(t, server)
		for path, expected := range map[string][]any{ // space, base path, pathname, complete
			"/sites/docs":                      {p.guide, "/sites/docs/", "", false},
			"/sites/docs/":                     {p.guide, "/sites/docs/", "", false},
			"/sites/docs/open":                 {p.guide, "/sites/docs/", "open", true},
			"/sites/docs/open/b%20c":           {p.guide, "/sites/docs/", "open/b%20c", true},
			"/sites/docs/next":                 {p.next, "/sites/docs/next/", "", true},
			"/sites/docs/next/home":            {p.next, "/sites/docs/next/", "home", true},
			"/sites/docs/reference":            {p.reference, "/sites/docs/reference/", "", true},
			"/sites/docs/reference/home?q=1":   {p.reference, "/sites/docs/reference/", "home", true},
			"/sites/docs/vip/home":             {p.guide, "/sites/docs/", "vip/home", true}, // hidden from this visitor
			"https://localhost/sites/docs/vip": {p.guide, "/sites/docs/", "vip", true},
		} {
			found := p.lookup(t, apptest.Anonymous, path, nil).Object(t, http.StatusOK)
			assert.Equal(t, expected, []any{found["space"], found["basePath"], found["pathname"], found["complete"]}, path)
			assert.Equal(t, "/sites/docs/", found["siteBasePath"], path)
			assert.NotEmpty(t, found["siteSection"], path)
		}
		found := p.lookup(t, apptest.Anonymous, "/sites/docs/vip/home", object{"jwtToken": p.visitorToken(t, jwt.MapClaims{"vip": true})}).Object(t, http.StatusOK)
		assert.Equal(t, p.vip, found["space"])
		assert.Equal(t, p.URL+"/sites/docs/vip/home", found["canonicalUrl"])

		for _, path := range []string{"/sites/nothing", "/", "/sites/", "https://elsewhere.example.com/sites/docs", "/sites/docs/~/changes/1", "/sites/docs/~/revisions/rev_x/open"} {
			assert.Equal(t, http.StatusNotFound, p.lookup(t, apptest.Anonymous, path, nil).Status, path)
		}
		assert.Equal(t, http.StatusBadRequest, p.lookup(t, apptest.Anonymous, "docs", nil).Status)
	})
}

func TestSitesAreFoundAtHostsOfTheirOwn(t *testing.T) {
	t.Parallel()
	p := newPublished(t, apptest.New(t))
	ctx := p.Context(t, apptest.Admin)
	proxy := new("example.com/deep/docs")
	_, err := p.App.Sites.Update(ctx, p.site.ID, site.Changes{Proxy: proxy})
	require.NoError(t, err)
	found := p.lookup(t, apptest.Anonymous, "https://example.com/deep/docs/next/home", nil).Object(t, http.StatusOK)
	assert.Equal(t, []any{p.next, "/deep/docs/next/", "https://example.com/deep/docs/next/home"}, []any{found["space"], found["basePath"], found["canonicalUrl"]})

	none, hostname := new(""), new("docs.acme.example.com")
	_, err = p.App.Sites.Update(ctx, p.site.ID, site.Changes{Proxy: none, Hostname: hostname})
	require.NoError(t, err)
	found = p.lookup(t, apptest.Anonymous, "https://docs.acme.example.com/next", nil).Object(t, http.StatusOK)
	assert.Equal(t, []any{p.next, "/next/", "/"}, []any{found["space"], found["basePath"], found["siteBasePath"]})
	elsewhere := p.lookup(t, apptest.Anonymous, "/sites/docs/next/home", nil).Object(t, http.StatusOK)
	assert.Equal(t, object{"target": "content", "redirect": "https://docs.acme.example.com/next/home"}, elsewhere)
}

func TestRedirectsOfASiteAreAnsweredWherePagesAreNot(t *testing.T) {
	t.Parallel()
	p := newPublished(t, apptest.New(t))
	ctx := p.Context(t, apptest.Admin)
	for source, to := range map[string]site.Destination{
		"/old": {Kind: enum.RedirectSiteSpace, SiteSpaceID: &p.nextID}, "/open": {Kind: enum.RedirectURL, URL: new("https://example.com/")},
		"/out": {Kind: enum.RedirectURL, URL: new("https://example.com/")},
	} {
		_, err := p.App.Sites.CreateRedirect(ctx, p.site.ID, source, to)
		require.NoError(t, err)
	}
	assert.Equal(t, object{"target": "content", "redirect": p.URL + "/sites/docs/next"}, p.lookup(t, apptest.Anonymous, "/sites/docs/old", nil).Object(t, http.StatusOK))
	assert.Equal(t, object{"target": "external", "redirect": "https://example.com/"}, p.lookup(t, apptest.Anonymous, "/sites/docs/out", nil).Object(t, http.StatusOK))
	assert.Equal(t, "open", p.lookup(t, apptest.Anonymous, "/sites/docs/open", nil).Object(t, http.StatusOK)["pathname"], "a page stands there")
}

func TestVisitorsWithoutATokenAreSentForOne(t *testing.T) {
	t.Parallel()
	p := newPublished(t, apptest.New(t))
	p.visible(t, enum.SiteVisitorAuth)
	assert.Equal(t, http.StatusNotFound, p.lookup(t, apptest.Anonymous, "/sites/docs/next", nil).Status)
	fallback := new("https://login.example.com/?app=docs")
	_, err := p.App.Sites.UpdatePublishingAuth(p.Context(t, apptest.Admin), p.site.ID, enum.BackendCustom, fallback)
	require.NoError(t, err)
	sent := object{"target": "external", "redirect": "https://login.example.com/?app=docs&location=%2Fnext"}
	assert.Equal(t, sent, p.lookup(t, apptest.Anonymous, "/sites/docs/next", nil).Object(t, http.StatusOK))
	assert.Equal(t, http.StatusNotFound, p.lookup(t, apptest.Anonymous, "/sites/docs/next", object{"jwtToken": "x"}).Status)
	body := object{"url": p.URL + "/sites/docs/next", "visitor": object{"jwtToken": "x"}, "redirectOnError": true}
	assert.Equal(t, sent, p.As(apptest.Anonymous).REST(t, http.MethodPost, "/urls/published", body).Object(t, http.StatusOK))
	found := p.lookup(t, apptest.Anonymous, "/sites/docs/next", object{"jwtToken": p.visitorToken(t, jwt.MapClaims{})}).Object(t, http.StatusOK)
	assert.Equal(t, p.next, found["space"])
}

func (p *published) reader(t *testing.T, path string, visitor object) *apptest.Client {
	t.Helper()
	return p.With(p.lookup(t, apptest.Anonymous, path, visitor).Object(t, http.StatusOK)["apiToken"].(string))
}

// headOf is the path of the published revision of a space.
func headOf(t *testing.T, client *apptest.Client, spaceID string) string {
	t.Helper()
	return "/spaces/" + spaceID + "/revisions/" + client.REST(t, http.MethodGet, "/spaces/"+spaceID, nil).Object(t, http.StatusOK)["revision"].(string)
}

func TestASiteTokenReadsWhatItsVisitorMaySee(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		p := newPublished(t, server)
		vip := p.reader(t, "/sites/docs", object{"jwtToken": p.visitorToken(t, jwt.MapClaims{"vip": true})})
		anybody := p.reader(t, "/sites/docs", object{"unsignedClaims": object{"vip": true}})
		for client, sees := range map[*apptest.Client]bool{vip: true, anybody: false} {
			status := map[bool]int{true: http.StatusOK, false: http.StatusNotFound}[sees]
			head := headOf(t, client, p.guide)
			assert.Equal(t, status, client.REST(t, http.MethodGet, "/spaces/"+p.vip, nil).Status)
			assert.Equal(t, status, client.REST(t, http.MethodGet, head+"/page/"+p.secretPage+"/document", nil).Status)
			assert.Equal(t, status, client.REST(t, http.MethodGet, head+"/path/secret", nil).Status)
			read := client.REST(t, http.MethodGet, head, nil)
			assert.Equal(t, sees, strings.Contains(string(read.Body), "Secret"), "%s", read.Body)
			for _, path := range []string{head + "/page/" + p.openPage + "/document?evaluated=deterministic-only", head + "/page/" + p.openPage + "?format=markdown"} {
				body := string(client.REST(t, http.MethodGet, path, nil).Body)
				assert.Equal(t, sees, strings.Contains(body, "For the few"), body)
				assert.NotContains(t, body, "visitor.claims")
			}
			profile := client.REST(t, http.MethodGet, "/orgs/"+p.OrganizationID+"/sites/"+p.site.ID+"/published", nil).Object(t, http.StatusOK)
			sections := profile["structure"].(object)["structure"].([]any)
			assert.Len(t, sections, map[bool]int{true: 3, false: 2}[sees])
		}
		for _, path := range []string{
			"/orgs/" + p.OrganizationID, "/orgs", "/user", "/orgs/" + p.OrganizationID + "/spaces", "/orgs/" + p.OrganizationID + "/members",
			"/spaces/" + p.guide + "/change-requests", "/spaces/" + p.guide + "/comments", "/spaces/" + p.guide + "/links", "/spaces/" + p.guide + "/search?query=open",
			"/orgs/" + p.OrganizationID + "/sites/" + p.site.ID + "/publishing/preview", "/orgs/" + p.OrganizationID + "/sites/" + p.site.ID + "/share-links",
		} {
			assert.Equal(t, http.StatusForbidden, vip.REST(t, http.MethodGet, path, nil).Status, path)
		}
	})
}

func TestASiteTokenReadsNothingButWhatIsPublished(t *testing.T) {
	t.Parallel()
	p := newPublished(t, apptest.New(t))
	visitor := p.reader(t, "/sites/docs", nil)
	before := headOf(t, visitor, p.guide)
	branch := p.As(apptest.Editor).REST(t, http.MethodPost, "/spaces/"+p.guide+"/change-requests", object{"subject": "Draft"}).Object(t, http.StatusCreated)
	number := "/sites/docs/~/changes/" + branch["id"].(string)
	assert.Equal(t, http.StatusNotFound, p.lookup(t, apptest.Anonymous, number, nil).Status)
	assert.Equal(t, http.StatusForbidden, visitor.REST(t, http.MethodGet, "/spaces/"+p.guide+"/change-requests/"+branch["id"].(string), nil).Status)
	p.As(apptest.Editor).REST(t, http.MethodPost, "/spaces/"+p.guide+"/change-requests/"+branch["id"].(string)+"/content",
		object{"changes": []any{object{"operation": "update_page", "page": p.openPage, "title": "Opened"}}}).Object(t, http.StatusOK)

	found := p.lookup(t, apptest.Reader, number+"/open", nil).Object(t, http.StatusOK)
	assert.Equal(t, []any{branch["id"], "/sites/docs/~/changes/" + branch["id"].(string) + "/", "open"}, []any{found["changeRequest"], found["basePath"], found["pathname"]})
	member := p.With(found["apiToken"].(string))
	draft := member.REST(t, http.MethodGet, "/spaces/"+p.guide+"/change-requests/"+branch["id"].(string), nil).Object(t, http.StatusOK)["revision"].(string)
	assert.Equal(t, http.StatusOK, member.REST(t, http.MethodGet, "/spaces/"+p.guide+"/revisions/"+draft, nil).Status)
	assert.Equal(t, http.StatusNotFound, visitor.REST(t, http.MethodGet, "/spaces/"+p.guide+"/revisions/"+draft, nil).Status)

	assert.Equal(t, http.StatusOK, p.As(apptest.Reviewer).REST(t, http.MethodPost, "/spaces/"+p.guide+"/change-requests/"+branch["id"].(string)+"/merge", nil).Status)
	assert.Equal(t, http.StatusNotFound, visitor.REST(t, http.MethodGet, before, nil).Status, "what is no more published")
	assert.NotEqual(t, before, headOf(t, visitor, p.guide))
}

func TestSiteTokensEndWithWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		p := newPublished(t, server)
		ctx, sites := p.Context(t, apptest.Admin), p.App.Sites
		works := func(client *apptest.Client, status int) {
			t.Helper()
			assert.Equal(t, status, client.REST(t, http.MethodGet, "/spaces/"+p.next, nil).Status)
		}
		public := p.reader(t, "/sites/docs", nil)
		works(public, http.StatusOK)
		p.visible(t, enum.SiteShareLink)
		works(public, http.StatusUnauthorized)
		link, err := sites.CreateShareLink(ctx, p.site.ID, "friends")
		require.NoError(t, err)
		assert.Equal(t, http.StatusNotFound, p.lookup(t, apptest.Anonymous, "/sites/docs/next", nil).Status)
		found := p.lookup(t, apptest.Anonymous, "/sites/docs/"+link.Key+"/next/home", nil).Object(t, http.StatusOK)
		assert.Equal(t, []any{link.Key, "/sites/docs/" + link.Key + "/next/", "home"}, []any{found["shareKey"], found["basePath"], found["pathname"]})
		friend := p.With(found["apiToken"].(string))
		works(friend, http.StatusOK)
		_, err = sites.UpdateShareLink(ctx, link.ID, nil, new(false))
		require.NoError(t, err)
		works(friend, http.StatusUnauthorized)

		p.visible(t, enum.SiteVisitorAuth)
		signed := p.reader(t, "/sites/docs", object{"jwtToken": p.visitorToken(t, jwt.MapClaims{})})
		works(signed, http.StatusOK)
		_, err = sites.RegeneratePublishingAuth(ctx, p.site.ID)
		require.NoError(t, err)
		works(signed, http.StatusUnauthorized)

		p.visible(t, enum.SitePublic)
		works(public, http.StatusOK)
		_, err = sites.RemoveSpace(ctx, p.nextID)
		require.NoError(t, err)
		works(public, http.StatusNotFound)
		_, err = sites.Unpublish(ctx, p.site.ID)
		require.NoError(t, err)
		works(public, http.StatusUnauthorized)
	})
}

func TestSiteTokensOfOtherKeysAreNone(t *testing.T) {
	t.Parallel()
	p := newPublished(t, apptest.New(t))
	forged, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"kind": "site", "organization": p.OrganizationID, "site": p.site.ID, "exp": time.Now().Add(time.Hour).Unix(),
	}).SignedString([]byte("guessed"))
	require.NoError(t, err)
	assert.Equal(t, http.StatusUnauthorized, p.With(forged).REST(t, http.MethodGet, "/spaces/"+p.guide, nil).Status)
	assert.Equal(t, http.StatusUnauthorized, p.With(p.visitorToken(t, jwt.MapClaims{"kind": "site"})).REST(t, http.MethodGet, "/spaces/"+p.guide, nil).Status)
	result := p.reader(t, "/sites/docs", nil).GraphQL(t, "query($id: ID!) { space(id: $id) { id organization { id title } members: userPermissions { totalCount } } }", object{"id": p.guide})
	assert.Equal(t, string(fault.Forbidden), result.Code())
}

func TestTokensStayEqualUntilTheSiteChanges(t *testing.T) {
	t.Parallel()
	p := newPublished(t, apptest.New(t))
	token := func() any {
		return p.lookup(t, apptest.Anonymous, "/sites/docs", nil).Object(t, http.StatusOK)["apiToken"]
	}
	before := token()
	claims := jwt.MapClaims{}
	_, _, err := jwt.NewParser().ParseUnverified(before.(string), claims)
	require.NoError(t, err)
	assert.Equal(t, []any{"site", p.OrganizationID, p.site.ID, p.guide}, []any{claims["kind"], claims["organization"], claims["site"], claims["space"]})
	assert.Greater(t, claims["exp"].(float64), float64(time.Now().Add(30*time.Minute).Unix()))
	_, err = p.App.Sites.Update(p.Context(t, apptest.Admin), p.site.ID, site.Changes{Title: new("Renamed")})
	require.NoError(t, err)
	assert.NotEqual(t, before, token())
}

func TestASearchOfASiteFindsWhatIsSeen(t *testing.T) {
	t.Parallel()
	p := newPublished(t, apptest.New(t))
	path := "/orgs/" + p.OrganizationID + "/sites/" + p.site.ID + "/search"
	find := func(client *apptest.Client, body object) []any {
		var ids []any
		for _, each := range client.REST(t, http.MethodPost, path, body).Object(t, http.StatusOK)["items"].([]any) {
			for _, page := range each.(object)["pages"].([]any) {
				ids = append(ids, page.(object)["id"])
			}
		}
		return ids
	}
	anybody := p.reader(t, "/sites/docs", nil)
	vip := p.reader(t, "/sites/docs", object{"jwtToken": p.visitorToken(t, jwt.MapClaims{"vip": true})})
	assert.NotContains(t, find(anybody, object{"query": "secret", "mode": "all"}), p.secretPage)
	assert.Contains(t, find(vip, object{"query": "secret", "mode": "all"}), p.secretPage)
	assert.Empty(t, find(anybody, object{"query": "few", "mode": "all"}))
	assert.Equal(t, []any{p.openPage}, find(vip, object{"query": "few", "mode": "all"}))
	assert.Len(t, find(anybody, object{"query": "home", "mode": "all"}), 3)
	assert.Len(t, find(anybody, object{"query": "home", "scope": object{"mode": "default"}}), 2)
	assert.Len(t, find(anybody, object{"query": "home", "mode": "current", "siteSpaceId": p.nextID}), 3)
	assert.Len(t, find(anybody, object{"query": "home", "siteSpaceIds": []any{p.nextID}}), 1)
	assert.Empty(t, find(anybody, object{"query": "home", "siteSpaceIds": []any{"ssp_unknown"}}))
	assert.Contains(t, find(p.As(apptest.Reader), object{"query": "home", "mode": "all"}), "pag_00000000000000000000000031")
	assert.Equal(t, http.StatusBadRequest, anybody.REST(t, http.MethodPost, path, object{"query": "x"}).Status)
	assert.Equal(t, http.StatusNotFound, p.As(apptest.Stranger).REST(t, http.MethodPost, path, object{"query": "x", "mode": "all"}).Status)
	first := anybody.REST(t, http.MethodPost, path+"?limit=1", object{"query": "home", "mode": "all"}).Object(t, http.StatusOK)
	after := first["next"].(object)["page"].(string)
	second := anybody.REST(t, http.MethodPost, path+"?limit=2&page="+after, object{"query": "home", "mode": "all"}).Object(t, http.StatusOK)
	assert.NotEqual(t, first["items"], second["items"])
}
