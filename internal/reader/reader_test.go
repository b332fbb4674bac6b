package reader_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/content"
	"octavo/internal/enum"
	"octavo/internal/pagination"
	"octavo/internal/site"
	"octavo/internal/space"
)

// page is a page of a space to be made; its id is made of its path.
type page struct {
	path, title, markdown, condition string
	hidden                           bool
}

var guide = []page{
	{path: "welcome", title: "Welcome", markdown: "# Welcome\n\nRead [the setup](/pages/pag_setup) and [the secret](/pages/pag_secret).\n\n## First steps\n\nText.\n\n{% if visitor.claims.beta %}\nBetaonly words.\n{% endif %}\n\n## Next steps\n\nMore.\n"},
	{path: "setup", title: "Setup", markdown: "Install it. It is called needle.\n\n## Headings\n\nOne.\n\n## Headings\n\nTwo.\n"},
	{path: "setup/linux", title: "On Linux", markdown: "Use the package.\n"},
	{path: "secret", title: "Secretpage", markdown: "Hiddenneedle for beta testers.\n", condition: "visitor.claims.beta == true"},
	{path: "secret/below", title: "Belowsecret", markdown: "Below.\n"},
	{path: "unlisted", title: "Unlistedpage", markdown: "Not in any list.\n", hidden: true},
	{path: "news", title: "News", markdown: "{% updates format=\"full\" %}\n{% update date=\"2026-11-20\" %}\n## Version two\n\nFaster [setup](/pages/pag_setup).\n{% endupdate %}\n{% endupdates %}\n"},
}

const schema = `{"type": "object", "additionalProperties": false, "properties": {"beta": {"type": "boolean", "description": "Beta"},
	"unsigned": {"type": "object", "description": "Unsigned claims of the site visitor.", "additionalProperties": false, "properties": {"beta": {"type": "boolean", "description": "Beta"}}}}}`

func makeSpace(t testing.TB, server *apptest.Server, title string, pages []page) string {
	t.Helper()
	tree, bodies := &content.Tree{}, map[content.Hash][]byte{}
	for _, page := range pages {
		hash := content.HashOf([]byte(page.markdown))
		bodies[hash] = []byte(page.markdown)
		parent, slug := "", page.path
		if slash := strings.LastIndex(page.path, "/"); slash >= 0 {
			parent, slug = "pag_"+page.path[:slash], page.path[slash+1:]
		}
		tree.Pages = append(tree.Pages, &content.Page{
			ID: "pag_" + page.path, Parent: parent, Type: content.PageDocument, Title: page.title, Slug: slug, Body: hash,
			Hidden: page.hidden, Condition: page.condition, UpdatedAt: time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC),
		})
	}
	made, err := server.App.Spaces.Create(server.Context(t, apptest.Admin), space.New{
		OrganizationID: server.OrganizationID, Title: title, EditMode: enum.EditLive, Tree: tree, Bodies: bodies,
	})
	require.NoError(t, err)
	return made.ID
}

// published is a site that is read, with what its visitors need.
type published struct {
	*apptest.Server
	*site.Site
	key, shareKey string
}

// publish makes a site of a guide, for visitors of the given kind.
func publish(t testing.TB, server *apptest.Server, visibility enum.SiteVisibility) *published {
	t.Helper()
	ctx := server.Context(t, apptest.Admin)
	sites := server.App.Sites
	made, err := sites.Create(ctx, site.New{
		OrganizationID: server.OrganizationID, Title: "Docs", Visibility: visibility, SpaceIDs: []string{makeSpace(t, server, "Guide", guide)},
	})
	require.NoError(t, err)
	_, err = sites.Update(ctx, made.ID, site.Changes{AdaptiveContent: new(true)})
	require.NoError(t, err)
	_, err = sites.SetAdaptiveSchema(ctx, made.ID, json.RawMessage(schema))
	require.NoError(t, err)
	link, err := sites.CreateShareLink(ctx, made.ID, "test")
	require.NoError(t, err)
	auth, err := sites.PublishingAuth(ctx, made.ID)
	require.NoError(t, err)
	made, err = sites.Publish(ctx, made.ID)
	require.NoError(t, err)
	return &published{Server: server, Site: made, key: auth.PrivateKey, shareKey: link.Key}
}

// publishSpace makes a public site of a space.
func publishSpace(t testing.TB, server *apptest.Server, spaceID string) *published {
	t.Helper()
	ctx := server.Context(t, apptest.Admin)
	made, err := server.App.Sites.Create(ctx, site.New{OrganizationID: server.OrganizationID, Title: "Docs", Visibility: enum.SitePublic, SpaceIDs: []string{spaceID}})
	require.NoError(t, err)
	made, err = server.App.Sites.Publish(ctx, made.ID)
	require.NoError(t, err)
	return &published{Server: server, Site: made}
}

// token is one that the site's key signs.
func (p *published) token(t testing.TB, claims map[string]any) string {
	t.Helper()
	all := jwt.MapClaims{"exp": time.Now().Add(time.Hour).Unix()}
	for name, value := range claims {
		all[name] = value
	}
	signed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, all).SignedString([]byte(p.key))
	require.NoError(t, err)
	return signed
}

type answer struct {
	*http.Response
	text string
}

// get asks for a path below the site.
func (p *published) get(t testing.TB, path string, header ...string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/sites/"+url.PathEscape(p.Basename)+path, nil)
	require.NoError(t, err)
	for index := 0; index+1 < len(header); index += 2 {
		if header[index] == "Host" {
			request.Host = header[index+1]
			request.URL.Path = path
			continue
		}
		request.Header.Set(header[index], header[index+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return answer{response, string(body)}
}

// surfaces are all forms in which content leaves a site.
var surfaces = []string{
	"", "/setup", "/setup/linux", "/welcome.md", "/setup.md", "/secret", "/secret.md", "/unlisted", "/llms.txt", "/llms-full.txt", "/sitemap.xml", "/robots.txt",
	"/news/rss.xml", "/~octavo/search?q=needle", "/~octavo/search.json?q=needle", "/~octavo/theme.css", "/nowhere",
}

func TestPagesAreReadByEverybody(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		docs := publish(t, server, enum.SitePublic)
		home := docs.get(t, "")
		require.Equal(t, http.StatusOK, home.StatusCode, home.text)
		for _, want := range []string{
			"<h1>Welcome</h1>", `<a href="/sites/` + docs.Basename + `/setup">the setup</a>`, `<link rel="canonical" href="` + docs.Address + `">`,
			`<a href="/sites/` + docs.Basename + `/setup/linux"`, `href="#first-steps"`, `rel="next" href="/sites/` + docs.Basename + `/setup"`,
			`<time datetime="2026-11-20T08:00:00Z">`,
		} {
			assert.Contains(t, home.text, want)
		}
		assert.Contains(t, home.text, "the secret.", "a link to what the visitor may not see is its text")
		assert.NotContains(t, home.text, "Secretpage")
		assert.NotContains(t, home.text, "Unlistedpage", "hidden pages stand in no list")
		assert.Equal(t, http.StatusOK, docs.get(t, "/unlisted").StatusCode, "but they can be read")
		assert.Equal(t, http.StatusMovedPermanently, docs.get(t, "/welcome").StatusCode, "the home page has one address")
		assert.Contains(t, docs.get(t, "/setup/linux").text, `<ol><li><a href="/sites/`+docs.Basename+`/setup">Setup</a></li></ol>`)
		markdown := docs.get(t, "/setup.md")
		assert.Equal(t, "text/markdown; charset=utf-8", markdown.Header.Get("Content-Type"))
		assert.Equal(t, "# Setup\n\n"+guide[1].markdown, markdown.text, "byte for byte")
		assert.Contains(t, docs.get(t, "/llms.txt").text, "- [On Linux]("+docs.Address+"/setup/linux.md)")
		assert.Contains(t, docs.get(t, "/sitemap.xml").text, "<loc>"+docs.Address+"/setup/linux</loc>")
		assert.Contains(t, docs.get(t, "/robots.txt").text, "Sitemap: "+docs.Address+"/sitemap.xml")
		feed := docs.get(t, "/news/rss.xml")
		assert.Contains(t, feed.text, "<title>Version two</title>")
		assert.Contains(t, feed.text, `&lt;a href=&#34;`+docs.Address+`/setup&#34; `, "links of a feed are absolute")
		assert.Contains(t, feed.text, "<pubDate>Fri, 20 Nov 2026 00:00:00 +0000</pubDate>")
		assert.Equal(t, http.StatusNotFound, docs.get(t, "/setup/rss.xml").StatusCode, "a page without updates has no feed")
		missing := docs.get(t, "/old/linux")
		assert.Equal(t, http.StatusNotFound, missing.StatusCode)
		assert.Contains(t, missing.text, `<li><a href="/sites/`+docs.Basename+`/setup/linux">On Linux</a></li>`, "suggestions")
		found := docs.get(t, "/~octavo/search.json?q=needle")
		assert.JSONEq(t, `{"results":[{"title":"Setup","address":"/sites/`+docs.Basename+`/setup","excerpt":"Install it. It is called needle."}]}`, found.text)
		assert.Contains(t, docs.get(t, "/~octavo/search?q=needle").text, "Install it. It is called needle.")
		assert.Equal(t, http.StatusMethodNotAllowed, post(t, docs))
	})
}

func post(t *testing.T, docs *published) (status int) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, docs.URL+"/sites/"+docs.Basename, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}

// TestNothingLeaks asks every surface of a site for what a visitor may not see.
func TestNothingLeaks(t *testing.T) {
	t.Parallel()
	secrets := []string{"Secretpage", "Hiddenneedle", "Betaonly", "Belowsecret"}
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		docs := publish(t, server, enum.SitePublic)
		beta := "octavo-visitor-token=" + docs.token(t, map[string]any{"beta": true})
		forged := "octavo-visitor-claims=" + url.QueryEscape("visitor.beta=true")
		more := append(surfaces, "/secret/below", "/~octavo/search.json?q=Hiddenneedle", "/~octavo/search.json?q=Betaonly", "/~octavo/search?q=Secretpage", "/secret?visitor.beta=true")
		for _, path := range more {
			for name, cookies := range map[string]string{"Nobody": "", "Forged": forged, "OtherKey": "octavo-visitor-token=" + otherToken(t)} {
				found := docs.get(t, path, "Cookie", cookies)
				for _, secret := range secrets {
					if strings.Contains(path, secret) {
						// The page of a search shows what was looked for.
						assert.Equal(t, 1, max(1, strings.Count(found.text, secret)), path)
						assert.NotContains(t, found.text, "result-title", "%s %s", name, path)
						continue
					}
					assert.NotContains(t, found.text, secret, "%s %s", name, path)
				}
			}
		}
		for _, path := range []string{"/secret", "/secret.md", "/secret/below"} {
			assert.Equal(t, http.StatusNotFound, docs.get(t, path).StatusCode, path)
			assert.Equal(t, http.StatusOK, docs.get(t, path, "Cookie", beta).StatusCode, path)
		}
		for path, secret := range map[string]string{
			"": "Betaonly", "/welcome.md": "Betaonly", "/llms.txt": "Secretpage", "/llms-full.txt": "Hiddenneedle",
			"/~octavo/search.json?q=Hiddenneedle": "Hiddenneedle", "/~octavo/search.json?q=Betaonly": "Betaonly",
		} {
			assert.Contains(t, docs.get(t, path, "Cookie", beta).text, secret, "%s: those who may see it do", path)
		}
	})
}

func otherToken(t *testing.T) string {
	t.Helper()
	signed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"beta": true, "exp": time.Now().Add(time.Hour).Unix()}).SignedString([]byte("another key"))
	require.NoError(t, err)
	return signed
}

// TestAudience asks every surface of a site of each visibility as each kind of
// visitor.
func TestAudience(t *testing.T) {
	t.Parallel()
	type visitors map[string]bool // by name, whether they are let in
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		for visibility, let := range map[enum.SiteVisibility]visitors{
			enum.SitePublic:      {"nobody": true, "token": true, "badToken": true, "member": true, "stranger": true, "guest": true},
			enum.SiteUnlisted:    {"nobody": true, "token": true, "badToken": true, "member": true, "stranger": true, "guest": true},
			enum.SiteShareLink:   {"nobody": false, "key": true, "token": false, "badToken": false, "member": true, "stranger": false, "guest": false},
			enum.SiteVisitorAuth: {"nobody": false, "key": false, "token": true, "badToken": false, "member": true, "stranger": false, "guest": false},
		} {
			t.Run(string(visibility), func(t *testing.T) {
				t.Parallel()
				docs := publish(t, server, visibility)
				for visitor, admitted := range let {
					prefix, header := docs.as(t, visitor)
					for _, path := range surfaces {
						found := docs.get(t, prefix+path, header...)
						shows := strings.Contains(found.text, "Setup") || strings.Contains(found.text, "needle") || strings.Contains(found.text, "Version two")
						if !admitted {
							assert.Equal(t, http.StatusNotFound, found.StatusCode, "%s %s", visitor, path)
							assert.False(t, shows, "%s %s", visitor, path)
							assert.NotContains(t, found.text, "Docs", "not even the title: %s %s", visitor, path)
							continue
						}
						if visibility != enum.SitePublic && found.StatusCode == http.StatusOK {
							assert.Contains(t, found.Header.Get("X-Robots-Tag"), "noindex", "%s %s", visitor, path)
						}
					}
					if admitted {
						assert.Equal(t, http.StatusOK, docs.get(t, prefix+"/setup", header...).StatusCode, visitor)
					}
				}
				if visibility != enum.SitePublic {
					prefix, header := docs.as(t, "member")
					assert.Equal(t, http.StatusNotFound, docs.get(t, prefix+"/sitemap.xml", header...).StatusCode)
				}
			})
		}
	})
}

// as gives a path prefix and headers of a kind of visitor.
func (p *published) as(t *testing.T, visitor string) (prefix string, header []string) {
	t.Helper()
	bearer := func(caller apptest.Caller) []string { return []string{"Authorization", "Bearer " + p.As(caller).Token} }
	switch visitor {
	case "key":
		return "/" + p.shareKey, nil
	case "token":
		return "", []string{"Cookie", "octavo-visitor-token=" + p.token(t, nil)}
	case "badToken":
		return "", []string{"Cookie", "octavo-visitor-token=" + otherToken(t)}
	case "member":
		return "", bearer(apptest.Reader)
	case "stranger":
		return "", bearer(apptest.Stranger)
	case "guest":
		return "", bearer(apptest.Guest)
	}
	return "", nil
}

func TestVisitorTokens(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	docs := publish(t, server, enum.SiteVisitorAuth)
	ctx := server.Context(t, apptest.Admin)
	past, future := time.Now().Add(-time.Hour).Unix(), time.Now().Add(time.Hour).Unix()
	sign := func(method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
		signed, err := jwt.NewWithClaims(method, claims).SignedString(key)
		require.NoError(t, err)
		return signed
	}
	for name, test := range map[string]struct {
		token string
		let   bool
	}{
		"Valid":       {docs.token(t, nil), true},
		"Expired":     {docs.token(t, map[string]any{"exp": past}), false},
		"NeverEnds":   {sign(jwt.SigningMethodHS256, []byte(docs.key), jwt.MapClaims{"sub": "x"}), false},
		"NotYet":      {docs.token(t, map[string]any{"nbf": future}), false},
		"OtherKey":    {otherToken(t), false},
		"NoAlgorithm": {sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, jwt.MapClaims{"exp": future}), false},
		"HS512":       {sign(jwt.SigningMethodHS512, []byte(docs.key), jwt.MapClaims{"exp": future}), false},
		"NoToken":     {"x.y.z", false},
	} {
		t.Run(name, func(t *testing.T) {
			found := docs.get(t, "/setup?jwt_token="+url.QueryEscape(test.token)+"&x=1")
			if !test.let {
				assert.Equal(t, http.StatusNotFound, found.StatusCode)
				assert.Empty(t, found.Cookies())
				return
			}
			require.Equal(t, http.StatusFound, found.StatusCode, "the token leaves the address")
			assert.Equal(t, "/sites/"+docs.Basename+"/setup?x=1", found.Header.Get("Location"))
			require.Len(t, found.Cookies(), 1)
			kept := found.Cookies()[0]
			assert.True(t, kept.HttpOnly)
			assert.Equal(t, "/sites/"+docs.Basename+"/", kept.Path)
			assert.Equal(t, http.StatusOK, docs.get(t, "/setup", "Cookie", kept.Name+"="+kept.Value).StatusCode)
		})
	}
	_, err := server.App.Sites.UpdatePublishingAuth(ctx, docs.ID, enum.BackendCustom, new("https://login.example.com/start?a=1"))
	require.NoError(t, err)
	sent := docs.get(t, "/setup/linux")
	assert.Equal(t, http.StatusFound, sent.StatusCode)
	assert.Equal(t, "https://login.example.com/start?a=1&location=%2Fsetup%2Flinux", sent.Header.Get("Location"))
	valid := docs.token(t, nil)
	_, err = server.App.Sites.RegeneratePublishingAuth(ctx, docs.ID)
	require.NoError(t, err)
	assert.Equal(t, http.StatusFound, docs.get(t, "/setup", "Cookie", "octavo-visitor-token="+valid).StatusCode, "a new key ends the old tokens")
}

func TestWhatChangesShowsAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		docs := publish(t, server, enum.SitePublic)
		replica := *docs
		replica.Server = server.Beside(t)
		ctx := server.Context(t, apptest.Admin)
		before := docs.get(t, "/setup")
		tag := before.Header.Get("ETag")
		assert.Equal(t, http.StatusNotModified, docs.get(t, "/setup", "If-None-Match", tag).StatusCode)
		assert.Equal(t, tag, replica.get(t, "/setup").Header.Get("ETag"), "replicas agree")

		spaceID := ""
		arranged, err := server.App.Sites.Structure(ctx, docs.ID)
		require.NoError(t, err)
		spaceID = arranged.SiteSpaces[0].SpaceID
		changed := server.As(apptest.Admin).Query(t, `mutation($input: UpdateSpaceContentInput!) { updateSpaceContent(input: $input) { space { id } } }`, map[string]any{
			"input": map[string]any{"space": spaceID, "changes": []any{map[string]any{"updatePage": map[string]any{"page": "pag_setup", "document": map[string]any{"markdown": "# Setup\n\nChangedwords.\n"}}}}},
		})
		require.NotNil(t, changed)
		for _, each := range []*published{docs, &replica} {
			after := each.get(t, "/setup", "If-None-Match", tag)
			assert.Equal(t, http.StatusOK, after.StatusCode)
			assert.Contains(t, after.text, "Changedwords.")
		}
		server.As(apptest.Admin).Query(t, `mutation($input: UpdateSpaceContentInput!) { updateSpaceContent(input: $input) { space { id } } }`, map[string]any{
			"input": map[string]any{"space": spaceID, "changes": []any{map[string]any{"updatePage": map[string]any{"page": "pag_setup", "slug": "install"}}}},
		})
		moved := docs.get(t, "/setup/linux")
		assert.Equal(t, http.StatusMovedPermanently, moved.StatusCode, "the old addresses lead to the new ones")
		assert.Equal(t, "/sites/"+docs.Basename+"/install/linux", moved.Header.Get("Location"))
		_, err = server.App.Sites.Unpublish(ctx, docs.ID)
		require.NoError(t, err)
		for _, each := range []*published{docs, &replica} {
			assert.Equal(t, http.StatusNotFound, each.get(t, "/setup", "If-None-Match", tag).StatusCode)
		}
	})
}

func TestShareLinksEndAtOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		docs := publish(t, server, enum.SiteShareLink)
		ctx := server.Context(t, apptest.Admin)
		home := docs.get(t, "/"+docs.shareKey)
		require.Equal(t, http.StatusOK, home.StatusCode)
		assert.Contains(t, home.text, `href="/sites/`+docs.Basename+"/"+docs.shareKey+`/setup"`, "links keep the key")
		links, err := server.App.Sites.ShareLinks(ctx, docs.ID, paginated())
		require.NoError(t, err)
		_, err = server.App.Sites.UpdateShareLink(ctx, links.Items[0].ID, nil, new(false))
		require.NoError(t, err)
		for _, path := range surfaces {
			assert.Equal(t, http.StatusNotFound, docs.get(t, "/"+docs.shareKey+path).StatusCode, path)
		}
	})
}

func TestUnpublishedSitesAreForMembersAndPreviews(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	docs := publish(t, server, enum.SitePublic)
	ctx := server.Context(t, apptest.Admin)
	_, err := server.App.Sites.Unpublish(ctx, docs.ID)
	require.NoError(t, err)
	address, err := server.App.Sites.PreviewURL(ctx, docs.ID, "", `{"beta": true}`)
	require.NoError(t, err)
	parsed, err := url.Parse(address)
	require.NoError(t, err)
	for visitor, let := range map[string]bool{"nobody": false, "token": false, "member": true, "stranger": false, "guest": false} {
		_, header := docs.as(t, visitor)
		found := docs.get(t, "/setup", header...)
		assert.Equal(t, let, found.StatusCode == http.StatusOK, visitor)
		if let {
			assert.Contains(t, found.Header.Get("X-Robots-Tag"), "noindex")
			assert.Contains(t, found.Header.Get("Cache-Control"), "private")
		}
	}
	arrived := docs.get(t, "/secret?"+parsed.RawQuery)
	require.Equal(t, http.StatusFound, arrived.StatusCode)
	kept := arrived.Cookies()[0]
	assert.Contains(t, docs.get(t, "/secret", "Cookie", kept.Name+"="+kept.Value).text, "Hiddenneedle", "a preview has the claims that it was made for")
	assert.Equal(t, http.StatusNotFound, docs.get(t, "/secret", "Cookie", kept.Name+"=x").StatusCode)
}

func TestSafeAnswers(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	docs := publish(t, server, enum.SitePublic)
	for _, path := range append(surfaces, "//evil.example", "/%2f%2fevil.example", "/..%2f..", "/%00", "/"+strings.Repeat("x", 5000), "/~octavo/files/x/y/z", "/~octavo/unknown", "/~octavo/assets/x") {
		found := docs.get(t, path)
		assert.Less(t, found.StatusCode, 500, path)
		policy := found.Header.Get("Content-Security-Policy")
		assert.Contains(t, policy, "default-src 'none'", path)
		assert.NotContains(t, policy, "unsafe", path)
		assert.Equal(t, "nosniff", found.Header.Get("X-Content-Type-Options"), path)
		assert.NotRegexp(t, `^(https?:)?//evil`, found.Header.Get("Location"), path)
		assert.NotRegexp(t, `(src|href)="(https?:)?//[^"]*\.(js|css|png|woff2?)`, found.text, "nothing is loaded from elsewhere: %s", path)
	}
}

func paginated() pagination.Arguments { return pagination.Arguments{} }
