package reader_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/app"
	"octavo/internal/apptest"
	"octavo/internal/enum"
)

const (
	pngBytes  = "\x89PNG\r\n\x1a\n and more"
	woffBytes = "wOF2 and more"
)

// otherHost serves pictures, and counts what it is asked for.
func otherHost(t *testing.T) (address string, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	host := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		asked.Add(1)
		answer := map[string][2]string{
			"/logo.svg": {"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`},
			"/logo.png": {"text/html", pngBytes}, "/font.woff2": {"application/octet-stream", woffBytes}, "/page.html": {"image/png", "<html><script>alert(1)</script></html>"},
			"/large.png": {"image/png", pngBytes + string(make([]byte, 3<<20))},
		}[request.URL.Path]
		if answer[0] == "" {
			http.NotFound(writer, request)
			return
		}
		writer.Header().Set("Content-Type", answer[0])
		_, _ = writer.Write([]byte(answer[1]))
	}))
	t.Cleanup(host.Close)
	return host.URL, asked
}

// customize lays settings over the defaults.
func (p *published) customize(t *testing.T, settings string) {
	t.Helper()
	var merged, over map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(p.Customization(), &merged))
	require.NoError(t, json.Unmarshal([]byte(settings), &over))
	for name, value := range over {
		merged[name] = value
	}
	encoded, err := json.Marshal(merged)
	require.NoError(t, err)
	_, err = p.App.Sites.Customize(p.Context(t, apptest.Admin), p.ID, encoded)
	require.NoError(t, err)
}

var elsewherePattern = regexp.MustCompile(`(?:src|href|content)="[^"]*(/~octavo/elsewhere/[0-9a-f]+)"`)

func TestPicturesOfTheCustomizationComeFromTheSite(t *testing.T) {
	t.Parallel()
	apptest.EachConfigured(t, reachPrivate, func(t *testing.T, server *apptest.Server) { checkPictures(t, publish(t, server, enum.SitePublic)) })
}

// reachPrivate lets a server reach the hosts of a test.
func reachPrivate(config *app.Config) { config.AllowPrivateNetwork = true }

func checkPictures(t *testing.T, docs *published) {
	t.Helper()
	host, asked := otherHost(t)
	docs.customize(t, `{
		"header": {"preset": "default", "links": [], "logo": {"light": "`+host+`/logo.svg", "dark": "`+host+`/logo.png"}},
		"favicon": {"icon": {"light": "`+host+`/logo.png", "dark": "`+host+`/logo.png"}},
		"footer": {"groups": [], "logo": {"light": "`+host+`/page.html", "dark": "`+host+`/large.png"}},
		"socialPreview": {"url": "`+host+`/missing.png"}}`)
	home := docs.get(t, "")
	assert.NotContains(t, home.text, host, "readers ask no other host")
	assert.Zero(t, asked.Load(), "nothing is asked for before a reader does")
	found := map[string]answer{}
	for _, match := range elsewherePattern.FindAllStringSubmatch(home.text, -1) {
		found[match[1]] = docs.get(t, match[1])
	}
	require.Len(t, found, 5)
	types := map[string]int{}
	for path, shown := range found {
		if shown.StatusCode != http.StatusOK {
			types[http.StatusText(shown.StatusCode)]++
			continue
		}
		types[shown.Header.Get("Content-Type")]++
		assert.Equal(t, "nosniff", shown.Header.Get("X-Content-Type-Options"))
		assert.Contains(t, shown.Header.Get("Content-Security-Policy"), "sandbox", path)
		assert.Contains(t, shown.Header.Get("Content-Security-Policy"), "default-src 'none'", path)
	}
	assert.Equal(t, map[string]int{"image/svg+xml": 1, "image/png": 1, "Not Found": 3}, types, "the bytes decide")
	before := asked.Load()
	for path := range found {
		docs.get(t, path)
	}
	assert.Equal(t, before, asked.Load(), "answers are kept, failures too")
	assert.Equal(t, http.StatusNotFound, docs.get(t, "/~octavo/elsewhere/000000000000000000000000").StatusCode)
}

func TestFontsOfTheCustomization(t *testing.T) {
	t.Parallel()
	apptest.EachConfigured(t, reachPrivate, func(t *testing.T, server *apptest.Server) { checkFonts(t, publish(t, server, enum.SitePublic)) })
}

func checkFonts(t *testing.T, docs *published) {
	t.Helper()
	theme := func() string {
		match := regexp.MustCompile(`href="[^"]*(/~octavo/theme\.css\?[^"]*)"`).FindStringSubmatch(docs.get(t, "").text)
		require.NotNil(t, match)
		return docs.get(t, regexp.MustCompile(`&amp;`).ReplaceAllString(match[1], "&")).text
	}
	assert.Contains(t, theme(), `--site-font: "Inter",;`)
	assert.Contains(t, theme(), `--site-mono: "IBM Plex Mono",;`)
	host, _ := otherHost(t)
	styling := func(family string) string {
		return `{"styling": {"theme": "clean", "primaryColor": {"light": "#346ddb", "dark": "#346ddb"}, "infoColor": {"light": "#787878", "dark": "#787878"},
			"successColor": {"light": "#007b65", "dark": "#00a88a"}, "warningColor": {"light": "#b86200", "dark": "#f2a33c"}, "dangerColor": {"light": "#c9302c", "dark": "#fb5e58"},
			"corners": "rounded", "depth": "subtle", "links": "default", "monospaceFont": "DMMono", "background": "plain", "icons": "regular",
			"sidebar": {"background": "default", "list": "default"}, "search": "prominent",
			"font": {"id": "f", "custom": true, "fontFamily": "` + family + `", "fontFaces": [{"weight": 400, "sources": [{"url": "` + host + `/font.woff2", "format": "woff2"}]}]}}}`
	}
	docs.customize(t, styling("Harbour Sans"))
	sheet := theme()
	assert.Contains(t, sheet, `@font-face { font-family: "Harbour Sans"; font-weight: 400;`)
	assert.NotContains(t, sheet, host)
	path := regexp.MustCompile(`elsewhere/[0-9a-f]+`).FindString(sheet)
	font := docs.get(t, "/~octavo/"+path)
	assert.Equal(t, woffBytes, font.text)
	assert.Equal(t, "font/woff2", font.Header.Get("Content-Type"))
	docs.customize(t, styling(`x\"; } * { color: red`))
	assert.NotContains(t, theme(), "color: red", "a name does not leave its quotes")
}

func TestPicturesOnAPrivateNetworkAreNotFetched(t *testing.T) {
	t.Parallel()
	docs := publish(t, apptest.New(t), enum.SitePublic)
	host, asked := otherHost(t)
	docs.customize(t, `{"favicon": {"icon": {"light": "`+host+`/logo.png", "dark": "`+host+`/logo.png"}}}`)
	path := elsewherePattern.FindStringSubmatch(docs.get(t, "").text)
	require.NotNil(t, path)
	assert.Equal(t, http.StatusNotFound, docs.get(t, path[1]).StatusCode)
	assert.Zero(t, asked.Load())
}

func TestAnIconIsMadeWhereNoneIsGiven(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	docs := publish(t, server, enum.SitePublic)
	icon := func() answer {
		match := regexp.MustCompile(`<link rel="icon" href="[^"]*(/~octavo/icon\.svg\?[^"]*)"`).FindStringSubmatch(docs.get(t, "").text)
		require.NotNil(t, match)
		return docs.get(t, regexp.MustCompile(`&amp;`).ReplaceAllString(match[1], "&"))
	}
	assert.Contains(t, icon().text, ">D</text>", "the first letter of Docs")
	assert.Equal(t, "image/svg+xml", icon().Header.Get("Content-Type"))
	docs.customize(t, `{"favicon": {"emoji": "2693"}}`)
	assert.Contains(t, icon().text, "⚓")
}
