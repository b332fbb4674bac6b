package parity

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
)

const publishedContent = ` {
	... on PublishedContentRedirect { target redirect }
	... on PublishedSiteContent {
		organization site siteSection siteSpace space changeRequest revision pathname basePath siteBasePath
		canonicalUrl: canonicalURL complete shareKey apiToken
	}
} `

var urlRows = []row{
	{
		operation: "resolvePublishedContentByUrl", field: "publishedContent(url: $publishedURL)", selection: publishedContent,
		body: object{"url": "{publishedURL}"}, needs: "anyone", visitors: true, codes: toEverybody,
	},
	{
		operation: "getPublishedContentByUrl", field: "publishedContent(url: $publishedURL)", selection: publishedContent,
		query: "url={publishedURL}", needs: "anyone", visitors: true, codes: toEverybody,
	},
	{
		operation: "getEmbedByUrl", field: `embed(url: "https://127.0.0.1:1/a")`, query: "url=https://127.0.0.1:1/a", selection: embedded,
		as: asLink, needs: "any token", visitors: true, codes: everyone(ok, apptest.Stranger, apptest.Guest),
	},
	{
		operation: "getEmbedByUrlInSpace", field: `space(id: $spaceId).embed(url: "https://127.0.0.1:1/a")`, query: "url=https://127.0.0.1:1/a",
		selection: embedded, as: asLink, minimum: access.Read, visitors: true,
	},
	{
		operation: "searchSiteContent", field: `site(id: $siteId).search(query: "linux")`, body: object{"query": "linux", "mode": "all"},
		selection: " { items: spaces " + spaceHit + " } ", minimum: access.Read, visitors: true, with: map[string]string{"siteId": "publishedSiteId"},
	},
}

const embedded = " { title site icon } "

func asLink(answer object) any {
	answer["type"] = "link"
	return answer
}

// makePublishedURL is the address of a page of a published site.
func makePublishedURL(t testing.TB, f *fixture) string {
	t.Helper()
	data := f.As(apptest.Admin).Query(t, "query($id: ID!) { site(id: $id) { urls { published } } }", object{"id": f.value(t, "publishedSiteId")})
	return data["site"].(object)["urls"].(object)["published"].(string) + "/guides/install"
}

// makeSiteToken is the token of a visitor of the published site.
func makeSiteToken(t testing.TB, f *fixture) string {
	t.Helper()
	found := f.As(apptest.Anonymous).REST(t, http.MethodGet, "/urls/published?url="+url.QueryEscape(f.value(t, "publishedURL")), nil).Object(t, http.StatusOK)
	require.Equal(t, f.value(t, "spaceId"), found["space"])
	return found["apiToken"].(string)
}
