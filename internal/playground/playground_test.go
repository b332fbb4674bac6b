package playground

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var options = Options{
	GraphQL: "/graphql",
	OpenAPI: "/v1/openapi.json",
	Examples: []Example{
		{Title: "Who am I", Query: "query Me { viewer { id } }"},
		{Title: "A </script> in a title", Query: "query One($id: ID!) { node(id: $id) { id } }", Variables: map[string]any{"id": "spc_1"}},
	},
}

// fetched returns a folder that holds every locked file, its path as content.
func fetched() fstest.MapFS {
	files := fstest.MapFS{".gitkeep": {}}
	for _, owner := range Packages() {
		for _, file := range owner.Files {
			name := path.Join(owner.Directory(), file.Path)
			files[name] = &fstest.MapFile{Data: []byte(name)}
		}
	}
	return files
}

func get(t *testing.T, handler http.Handler, target string) *httptest.ResponseRecorder {
	t.Helper()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil))
	return recorder
}

func TestPages(t *testing.T) {
	t.Parallel()
	pages := []struct{ address, title, script string }{
		{"/playground", "<title>GraphQL · Octavo</title>", "playground/pages/playground.js"},
		{"/reference", "<title>REST reference · Octavo</title>", "playground/pages/reference.js"},
	}
	for _, page := range pages {
		t.Run(page.address, func(t *testing.T) {
			t.Parallel()
			response := get(t, New(options), page.address)

			require.Equal(t, http.StatusOK, response.Code)
			assert.Equal(t, "text/html; charset=utf-8", response.Header().Get("Content-Type"))
			assert.Equal(t, "nosniff", response.Header().Get("X-Content-Type-Options"))
			assert.Equal(t, "no-referrer", response.Header().Get("Referrer-Policy"))
			assert.Equal(t, "no-cache", response.Header().Get("Cache-Control"))
			assert.Contains(t, response.Body.String(), page.title)
			assert.Contains(t, response.Body.String(), `<script type="module" src="`+page.script+`">`)
			assert.Contains(t, response.Body.String(), `<input id="token" type="password"`)
		})
	}
}

func TestConfigurationOfThePages(t *testing.T) {
	t.Parallel()
	handler := New(options)

	var editor editorConfiguration
	readConfiguration(t, get(t, handler, "/playground"), &editor)
	assert.Equal(t, "graphql", editor.Endpoint)
	assert.Equal(t, options.Examples, editor.Examples)

	var reference referenceConfiguration
	readConfiguration(t, get(t, handler, "/reference"), &reference)
	assert.Equal(t, "v1/openapi.json", reference.Document)
}

var configurationElement = regexp.MustCompile(`(?s)<script type="application/json" id="configuration">(.*?)</script>`)

func readConfiguration(t *testing.T, page *httptest.ResponseRecorder, configuration any) {
	t.Helper()
	match := configurationElement.FindStringSubmatch(page.Body.String())
	require.NotNil(t, match, "the page holds its configuration")
	require.NoError(t, json.Unmarshal([]byte(match[1]), configuration))
}

func TestPagesLoadEmbeddedFiles(t *testing.T) {
	t.Parallel()
	handler := newHandler(options, fetched())
	for _, address := range []string{"/playground", "/reference"} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			page := get(t, handler, address)

			assert.NotContains(t, page.Body.String(), "https://")
			assert.NotContains(t, page.Header().Get("Content-Security-Policy"), "https:")
			for _, file := range loaded(t, page) {
				response := get(t, handler, "/"+file.address)
				require.Equal(t, http.StatusOK, response.Code, file.address)
				assert.Equal(t, strings.TrimPrefix(file.address, "playground/assets/"), response.Body.String())
				assert.Equal(t, "public, max-age=31536000, immutable", response.Header().Get("Cache-Control"))
			}
		})
	}
}

func TestPagesLoadPublicFilesWhereNoneAreEmbedded(t *testing.T) {
	t.Parallel()
	handler := newHandler(options, fstest.MapFS{".gitkeep": {}})
	for _, address := range []string{"/playground", "/reference"} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			page := get(t, handler, address)
			policy := page.Header().Get("Content-Security-Policy")

			for _, file := range loaded(t, page) {
				require.True(t, strings.HasPrefix(file.address, publicAddress), file.address)
				directory := regexp.MustCompile(`^https://[^/]+/npm/[^/]+/`).FindString(file.address)
				assert.Contains(t, policy, directory)
				assert.Equal(t, lockedIntegrity(t, file.address), file.integrity)
			}
			assert.NotRegexp(t, `https://[^/ ]+/npm/?[ ;]`, policy, "no address wider than a package")
		})
	}
}

type loadedFile struct{ address, integrity string }

var loadedElement = regexp.MustCompile(`(?:src|href)="([^"]+)" integrity="([^"]+)" crossorigin="anonymous"`)

func loaded(t *testing.T, page *httptest.ResponseRecorder) []loadedFile {
	t.Helper()
	var files []loadedFile
	for _, match := range loadedElement.FindAllStringSubmatch(page.Body.String(), -1) {
		integrity := strings.ReplaceAll(match[2], "&#43;", "+")
		files = append(files, loadedFile{address: match[1], integrity: integrity})
	}
	require.NotEmpty(t, files)
	return files
}

func lockedIntegrity(t *testing.T, address string) string {
	t.Helper()
	for _, owner := range Packages() {
		for _, file := range owner.Files {
			if address == publicAddress+path.Join(owner.Directory(), file.Path) {
				return file.Integrity
			}
		}
	}
	require.Fail(t, "not in lock.json", address)
	return ""
}

func TestContentSecurityPolicy(t *testing.T) {
	t.Parallel()
	handler := newHandler(options, fetched())
	rows := map[string]string{
		"/playground": "'self' 'unsafe-inline'",
		"/reference":  "'self'",
	}
	for address, styles := range rows {
		policy := get(t, handler, address).Header().Get("Content-Security-Policy")
		assert.Equal(t, "default-src 'none'; script-src 'self'; style-src "+styles+"; "+
			"img-src 'self' data:; font-src data:; connect-src 'self'; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'", policy, address)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	handler := newHandler(options, fetched())
	rows := []struct {
		address     string
		status      int
		contentType string
	}{
		{"/playground/pages/playground.js", http.StatusOK, "text/javascript; charset=utf-8"},
		{"/playground/pages/reference.js", http.StatusOK, "text/javascript; charset=utf-8"},
		{"/playground/pages/token.js", http.StatusOK, "text/javascript; charset=utf-8"},
		{"/playground/pages/page.js", http.StatusOK, "text/javascript; charset=utf-8"},
		{"/playground/pages/page.css", http.StatusOK, "text/css; charset=utf-8"},
		{"/playground/pages/layout.html", http.StatusNotFound, "text/plain; charset=utf-8"},
		{"/playground/pages/", http.StatusNotFound, "text/plain; charset=utf-8"},
		{"/playground/pages/none.js", http.StatusNotFound, "text/plain; charset=utf-8"},
		{"/playground/assets/graphiql@4.1.2/graphiql.min.css", http.StatusOK, "text/css; charset=utf-8"},
		{"/playground/assets/.gitkeep", http.StatusNotFound, "text/plain; charset=utf-8"},
		{"/playground/assets/", http.StatusNotFound, "text/plain; charset=utf-8"},
		{"/playground/assets/graphiql@4.1.2", http.StatusNotFound, "text/plain; charset=utf-8"},
		{"/playground/assets/..%2fpages/page.css", http.StatusNotFound, "text/plain; charset=utf-8"},
		{"/playground/none", http.StatusNotFound, "text/plain; charset=utf-8"},
	}
	for _, row := range rows {
		t.Run(row.address, func(t *testing.T) {
			t.Parallel()
			recorder := get(t, handler, row.address)
			assert.Equal(t, row.status, recorder.Code)
			assert.Equal(t, row.contentType, recorder.Header().Get("Content-Type"))
		})
	}
}

func TestUnchangedContentIsNotSentAgain(t *testing.T) {
	t.Parallel()
	handler := newHandler(options, fetched())
	for _, address := range []string{"/playground", "/reference", "/playground/pages/page.css", "/playground/assets/graphiql@4.1.2/graphiql.min.js"} {
		first := get(t, handler, address)
		require.Equal(t, http.StatusOK, first.Code, address)
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		request.Header.Set("If-None-Match", first.Header().Get("ETag"))
		second := httptest.NewRecorder()
		handler.ServeHTTP(second, request)
		assert.Equal(t, http.StatusNotModified, second.Code, address)
		assert.Empty(t, second.Body.String(), address)
	}
}

func TestPagesAreReadOnly(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/playground", strings.NewReader("{}"))
	New(options).ServeHTTP(recorder, request)
	assert.Equal(t, http.StatusMethodNotAllowed, recorder.Code)
}

// The lock is data that the fetch command and the browser both rely on.
func TestLock(t *testing.T) {
	t.Parallel()
	for _, owner := range Packages() {
		assert.Regexp(t, `^\d+\.\d+\.\d+$`, owner.Version, owner.Name)
		assert.Regexp(t, `^sha512-[A-Za-z0-9+/]{86}==$`, owner.Integrity, owner.Name)
		for _, file := range owner.Files {
			assert.Regexp(t, `^sha384-[A-Za-z0-9+/]{64}$`, file.Integrity, file.Path)
			assert.True(t, fs.ValidPath(file.Path), file.Path)
		}
		assert.True(t, slices.ContainsFunc(owner.Files, func(file File) bool { return file.Path == "LICENSE" }), owner.Name)
	}
}
