package reader_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/app"
	"octavo/internal/apptest"
	"octavo/internal/enum"
)

// TestPagesAreGivenAsTheyAreAskedFor: compressed, in part, or not at all when
// the client has them.
func TestPagesAreGivenAsTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	docs := publish(t, apptest.New(t), enum.SitePublic)
	plain := docs.get(t, "/setup", "Accept-Encoding", "identity")
	tag := plain.Header.Get("ETag")
	assert.Empty(t, plain.Header.Get("Content-Encoding"))
	assert.Equal(t, fmt.Sprint(len(plain.text)), plain.Header.Get("Content-Length"))
	compressed := docs.get(t, "/setup", "Accept-Encoding", "br, gzip;q=0.5")
	assert.Equal(t, "gzip", compressed.Header.Get("Content-Encoding"))
	assert.Contains(t, strings.Join(compressed.Header.Values("Vary"), ", "), "Accept-Encoding")
	assert.Equal(t, fmt.Sprint(len(compressed.text)), compressed.Header.Get("Content-Length"))
	opened, err := gzip.NewReader(bytes.NewReader([]byte(compressed.text)))
	require.NoError(t, err)
	text, err := io.ReadAll(opened)
	require.NoError(t, err)
	assert.Equal(t, plain.text, string(text))
	assert.NotEqual(t, tag, compressed.Header.Get("ETag"), "other bytes have another tag")
	for name, test := range map[string]struct {
		header []string
		status int
		length int
	}{
		"Known":           {[]string{"If-None-Match", tag, "Accept-Encoding", "identity"}, http.StatusNotModified, 0},
		"KnownCompressed": {[]string{"If-None-Match", compressed.Header.Get("ETag"), "Accept-Encoding", "gzip"}, http.StatusNotModified, 0},
		"KnownAmong":      {[]string{"If-None-Match", `"x", W/` + tag, "Accept-Encoding", "identity"}, http.StatusNotModified, 0},
		"Unknown":         {[]string{"If-None-Match", `"x"`, "Accept-Encoding", "identity"}, http.StatusOK, len(plain.text)},
		"Part":            {[]string{"Range", "bytes=0-9", "Accept-Encoding", "gzip"}, http.StatusPartialContent, 10},
		"NoGzip":          {[]string{"Accept-Encoding", "gzip; q=0.0"}, http.StatusOK, len(plain.text)},
		"Precondition":    {[]string{"If-Match", `"x"`, "Accept-Encoding", "identity"}, http.StatusPreconditionFailed, 0},
	} {
		found := docs.get(t, "/setup", test.header...)
		assert.Equal(t, test.status, found.StatusCode, name)
		assert.Len(t, found.text, test.length, name)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodHead, docs.URL+"/sites/"+docs.Basename+"/setup", nil)
	require.NoError(t, err)
	request.Header.Set("Accept-Encoding", "identity")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.EqualValues(t, len(plain.text), response.ContentLength)
	assert.Equal(t, tag, response.Header.Get("ETag"))
}

// TestAPreviewLeavesNothingForOthers: what it tells search engines is for itself.
func TestAPreviewLeavesNothingForOthers(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	docs := publish(t, server, enum.SitePublic)
	address, err := server.App.Sites.PreviewURL(server.Context(t, apptest.Admin), docs.ID, "", "")
	require.NoError(t, err)
	_, query, _ := strings.Cut(address, "?")
	arrived := docs.get(t, "/setup?"+query)
	require.Len(t, arrived.Cookies(), 1)
	previewed := docs.get(t, "/setup", "Cookie", arrived.Cookies()[0].String())
	assert.Contains(t, previewed.text, `name="robots" content="noindex`)
	assert.NotContains(t, docs.get(t, "/setup").text, `name="robots"`)
}

// TestPagesAreShownWithoutMemory: the memory for them may be none at all.
func TestPagesAreShownWithoutMemory(t *testing.T) {
	t.Parallel()
	apptest.EachConfigured(t, func(config *app.Config) { config.Limits.PageCacheBytes = 0 }, func(t *testing.T, server *apptest.Server) {
		docs := publish(t, server, enum.SitePublic)
		first := docs.get(t, "/setup", "Accept-Encoding", "identity")
		assert.Equal(t, http.StatusOK, first.StatusCode)
		assert.Equal(t, http.StatusNotModified, docs.get(t, "/setup", "If-None-Match", first.Header.Get("ETag"), "Accept-Encoding", "identity").StatusCode)
	})
}

// TestLargeSpacesShowTheWayToThePage: the navigation of thousands of pages does
// not stand in every one of them, and leads to each of them all the same.
func TestLargeSpacesShowTheWayToThePage(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	var pages []page
	for part := range 25 {
		above := fmt.Sprintf("part-%d", part)
		pages = append(pages, page{path: above, title: fmt.Sprintf("Part %d", part), markdown: "Text.\n"})
		for number := range 50 {
			pages = append(pages, page{path: fmt.Sprintf("%s/page-%d", above, number), title: fmt.Sprintf("Page %d of %d", number, part), markdown: "Text.\n"})
		}
	}
	docs := publishSpace(t, server, makeSpace(t, server, "Large", pages))
	link := func(path string) string { return `href="/sites/` + docs.Basename + `/` + path + `"` }
	for _, path := range []string{"/part-7", "/part-7/page-3"} {
		shown := docs.get(t, path).text
		for _, want := range []string{"part-24", "part-7/page-49"} {
			assert.Contains(t, shown, link(want), path)
		}
		assert.NotContains(t, shown, link("part-8/page-5"), path)
	}
}
