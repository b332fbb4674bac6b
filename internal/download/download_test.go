package download_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/address"
	"octavo/internal/apptest"
	"octavo/internal/content"
	"octavo/internal/download"
	"octavo/internal/identifier"
	"octavo/internal/revision"
	"octavo/internal/secret"
	"octavo/internal/space"
)

// library is a space with files.
type library struct {
	*apptest.Server
	spaceID, revisionID string
	files               map[string]*revision.File
}

// withFiles makes a space that holds the given files.
func withFiles(t *testing.T, server *apptest.Server, files map[string]string) *library {
	t.Helper()
	ctx := server.Context(t, apptest.Admin)
	tree := &content.Tree{}
	for name, data := range files {
		stored, err := server.App.Files.Put(ctx, name, strings.NewReader(data), 1<<20)
		require.NoError(t, err)
		tree.Files = append(tree.Files, &content.File{
			ID: identifier.New(identifier.File), Name: name, ContentType: stored.ContentType, Size: stored.Size, Content: stored.Hash,
		})
	}
	made, err := server.App.Spaces.Create(ctx, space.New{OrganizationID: server.OrganizationID, Title: "Files", Tree: tree})
	require.NoError(t, err)
	head, err := server.App.Revisions.Load(ctx, made.RevisionID)
	require.NoError(t, err)
	found := &library{Server: server, spaceID: made.ID, revisionID: head.ID, files: map[string]*revision.File{}}
	for _, file := range tree.Files {
		found.files[file.Name] = &revision.File{File: file, Revision: head, Tree: tree}
	}
	return found
}

// signer is like the server's, with a clock of the test's own.
func (l *library) signer(t *testing.T, now time.Time) *download.Signer {
	t.Helper()
	key, err := secret.Key(t.Context(), l.App.Database, secret.Downloads)
	require.NoError(t, err)
	return download.NewSigner(address.NewBook(l.URL), key, func() time.Time { return now })
}

type answer struct {
	status int
	header http.Header
	body   string
}

func get(t *testing.T, method, address, token string, header ...string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	require.NoError(t, err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	for index := 0; index < len(header); index += 2 {
		request.Header.Set(header[index], header[index+1])
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return answer{status: response.StatusCode, header: response.Header, body: string(body)}
}

func TestTheAddressOfAFileLeadsToIt(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		files := withFiles(t, server, map[string]string{"a b/ü?#.txt": "hello world"})
		data := server.As(apptest.Reader).Query(t, `query($id: ID!, $file: ID!) { space(id: $id) { revision { file(id: $file) { downloadURL } } } }`,
			map[string]any{"id": files.spaceID, "file": files.files["a b/ü?#.txt"].ID})
		address := data["space"].(map[string]any)["revision"].(map[string]any)["file"].(map[string]any)["downloadURL"].(string)
		found := get(t, http.MethodGet, address, "")
		require.Equal(t, http.StatusOK, found.status, found.body)
		assert.Equal(t, "hello world", found.body)
		assert.Equal(t, "text/plain; charset=utf-8", found.header.Get("Content-Type"))
		assert.Equal(t, "nosniff", found.header.Get("X-Content-Type-Options"))
		assert.True(t, strings.HasPrefix(found.header.Get("Content-Disposition"), "attachment; filename*=utf-8''"), found.header)
		assert.Regexp(t, `^private, max-age=\d{6,7}, immutable$`, found.header.Get("Cache-Control"))

		part := get(t, http.MethodGet, address, "", "Range", "bytes=6-")
		assert.Equal(t, http.StatusPartialContent, part.status)
		assert.Equal(t, "world", part.body)
		head := get(t, http.MethodHead, address, "")
		assert.Equal(t, http.StatusOK, head.status)
		assert.Equal(t, "11", head.header.Get("Content-Length"))
		assert.Empty(t, head.body)
		same := get(t, http.MethodGet, address, "", "If-None-Match", found.header.Get("ETag"))
		assert.Equal(t, http.StatusNotModified, same.status)
		assert.Equal(t, http.StatusMethodNotAllowed, get(t, http.MethodPost, address, "").status)
	})
}

func TestASignedAddressIsValidAsItIsAndForAWhile(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	files := withFiles(t, server, map[string]string{"a.txt": "one", "b.txt": "two"})
	now := time.Now()
	valid := files.signer(t, now).URL(files.files["a.txt"])
	other := files.files["b.txt"]
	changed := func(name, value string) string {
		parsed, err := url.Parse(valid)
		require.NoError(t, err)
		query := parsed.Query()
		query.Set(name, value)
		parsed.RawQuery = query.Encode()
		return parsed.String()
	}
	for name, row := range map[string]struct {
		address string
		status  int
	}{
		"as it is":        {valid, http.StatusOK},
		"a week old":      {files.signer(t, now.AddDate(0, 0, -6)).URL(files.files["a.txt"]), http.StatusOK},
		"expired":         {files.signer(t, now.AddDate(0, 0, -15)).URL(files.files["a.txt"]), http.StatusForbidden},
		"other content":   {changed("hash", string(other.Content)), http.StatusForbidden},
		"other type":      {changed("type", "text/html"), http.StatusForbidden},
		"later expiry":    {changed("expires", "99999999999"), http.StatusForbidden},
		"more parameters": {changed("more", "1"), http.StatusForbidden},
		"other signature": {changed("signature", "x"), http.StatusForbidden},
		"empty signature": {changed("signature", ""), http.StatusForbidden},
		"other file":      {strings.Replace(valid, files.files["a.txt"].ID, other.ID, 1), http.StatusForbidden},
		"other name":      {strings.Replace(valid, "/a.txt", "/a.html", 1), http.StatusForbidden},
		"no signature":    {strings.Split(valid, "?")[0], http.StatusUnauthorized},
		"not a file":      {server.URL + "/files/x", http.StatusNotFound},
		"too deep":        {server.URL + "/files/a/b/c/d", http.StatusNotFound},
		"climbing":        {server.URL + "/files/..%2f..%2fetc/passwd/x", http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := get(t, http.MethodGet, row.address, "")
			assert.Equal(t, row.status, found.status, found.body)
		})
	}
}

func TestAddressesStayTheSameForAWhile(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	files := withFiles(t, server, map[string]string{"a.txt": "one"})
	file := files.files["a.txt"]
	monday := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	assert.Equal(t, files.signer(t, monday).URL(file), files.signer(t, monday.AddDate(0, 0, 6)).URL(file))
	assert.NotEqual(t, files.signer(t, monday).URL(file), files.signer(t, monday.AddDate(0, 0, 7)).URL(file))
}

func TestFilesAreReadByThoseWhoMayReadTheSpace(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		files := withFiles(t, server, map[string]string{"a.txt": "one"})
		address := server.URL + "/files/" + files.spaceID + "/" + files.files["a.txt"].ID + "/a.txt"
		statuses := map[apptest.Caller]int{
			apptest.Guest: http.StatusNotFound, apptest.Stranger: http.StatusNotFound, apptest.Anonymous: http.StatusUnauthorized,
		}
		for _, caller := range apptest.Callers {
			expected := statuses[caller]
			if expected == 0 {
				expected = http.StatusOK
			}
			found := get(t, http.MethodGet, address, server.As(caller).Token)
			assert.Equal(t, expected, found.status, caller)
			if expected == http.StatusOK {
				assert.Equal(t, "one", found.body)
				assert.Equal(t, "private, no-cache", found.header.Get("Cache-Control"))
			}
		}
		reader := server.As(apptest.Reader).Token
		assert.Equal(t, http.StatusOK, get(t, http.MethodGet, address+"?revision="+files.revisionID, reader).status)
		assert.Equal(t, http.StatusNotFound, get(t, http.MethodGet, address+"?revision="+identifier.New(identifier.Revision), reader).status)
		assert.Equal(t, http.StatusNotFound, get(t, http.MethodGet, server.URL+"/files/"+files.spaceID+"/"+identifier.New(identifier.File)+"/a", reader).status)
		assert.Equal(t, http.StatusUnauthorized, get(t, http.MethodGet, address, "no token of anybody").status)
	})
}

func TestOnlyWhatIsSafeIsShownInPlace(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	files := withFiles(t, server, map[string]string{
		"a.html": "<html><script>alert(1)</script>", "a.svg": "<svg><script>alert(1)</script></svg>",
		"a.png": "\x89PNG\r\n\x1a\n", "a.pdf": "%PDF-1.7", "a.js": "alert(1)", "a.xml": "<?xml version='1.0'?><x/>",
	})
	reader := server.As(apptest.Reader).Token
	for name, row := range map[string]struct {
		contentType, disposition string
		sandboxed                bool
	}{
		"a.html": {"text/html; charset=utf-8", "attachment", true},
		"a.js":   {"text/javascript; charset=utf-8", "attachment", true},
		"a.xml":  {"application/xml", "attachment", true},
		"a.svg":  {"image/svg+xml", "inline", true},
		"a.png":  {"image/png", "inline", false},
		"a.pdf":  {"application/pdf", "inline", false},
	} {
		found := get(t, http.MethodGet, server.URL+"/files/"+files.spaceID+"/"+files.files[name].ID+"/"+name, reader)
		require.Equal(t, http.StatusOK, found.status, name)
		assert.Equal(t, row.contentType, found.header.Get("Content-Type"), name)
		assert.Equal(t, row.disposition+"; filename="+name, found.header.Get("Content-Disposition"), name)
		assert.Equal(t, row.sandboxed, strings.Contains(found.header.Get("Content-Security-Policy"), "sandbox"), name)
		assert.Contains(t, found.header.Get("Content-Security-Policy"), "default-src 'none'", name)
		assert.Equal(t, "nosniff", found.header.Get("X-Content-Type-Options"), name)
	}
}
