package rest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/content"
	"octavo/internal/document"
	"octavo/internal/space"
)

const (
	welcomeID = "pag_00000000000000000000000001"
	guidesID  = "pag_00000000000000000000000002"
	installID = "pag_00000000000000000000000003"
	siteID    = "pag_00000000000000000000000004"
	againID   = "pag_00000000000000000000000005"
	apiID     = "pag_00000000000000000000000006"
	logoID    = "fil_00000000000000000000000001"
	noteID    = "rus_00000000000000000000000001"
	absentID  = "pag_0000000000000000000000000z"
)

// sample is a space with a page of every type.
type sample struct {
	*apptest.Server
	space, revision string
}

const welcomeSource = `---
description: Start here
---

# Welcome

Version {{ space.vars.version }} for {{ visitor.claims.name }}.

See [install](guides/install.md#linux) or [by id](/pages/` + installID + `), and ![a logo](.gitbook/assets/logo.png).

{% include ".gitbook/includes/note.md" %}
`

const installSource = `# Install

## Linux

[home](../README.md) and [home again](../README.md)
`

func newSample(t *testing.T, server *apptest.Server) sample {
	t.Helper()
	bodies := content.NewMemory(nil)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tree := &content.Tree{
		Variables: map[string]any{"version": "2.1"},
		Pages: []*content.Page{
			{
				ID: welcomeID, Type: content.PageDocument, Title: "Welcome", Slug: "welcome", GitPath: "README.md", GitOID: "abc",
				Body: bodies.Add([]byte(welcomeSource)), Description: "Start here", Emoji: "1f44b", CreatedAt: at, UpdatedAt: at,
				Cover: &content.Cover{Ref: map[string]any{"kind": "file", "file": logoID}, YPos: -12.5},
			},
			{ID: guidesID, Type: content.PageGroup, Title: "Guides", Slug: "guides", CreatedAt: at, UpdatedAt: at},
			{
				ID: installID, Parent: guidesID, Type: content.PageDocument, Title: "Install", Slug: "install", GitPath: "guides/install.md",
				Body: bodies.Add([]byte(installSource)), Hidden: true, CreatedAt: at, UpdatedAt: at,
			},
			{
				ID: siteID, Parent: guidesID, Type: content.PageLink, Title: "Site", CreatedAt: at, UpdatedAt: at,
				Target: map[string]any{"kind": "url", "url": "https://example.com/"},
			},
			{
				ID: againID, Type: content.PageLink, Title: "Install again", CreatedAt: at, UpdatedAt: at,
				Target: map[string]any{"kind": "anchor", "page": installID, "anchor": "linux"},
			},
			{
				ID: apiID, Type: content.PageComputed, Title: "API", CreatedAt: at, UpdatedAt: at,
				Computed: &content.Computed{
					Type: "builtin:openapi", Props: map[string]any{"doc": "models"},
					Dependencies: map[string]map[string]any{"spec": {"ref": map[string]any{"kind": "openapi", "spec": "petstore"}}},
				},
			},
		},
		Files: []*content.File{{
			ID: logoID, Name: "logo.png", ContentType: "image/png", Size: 3, Content: content.HashOf([]byte("png")),
			Width: 8, Height: 4, GitPath: ".gitbook/assets/logo.png", GitOID: "def", CreatedAt: at,
		}},
		ReusableContents: []*content.ReusableContent{{
			ID: noteID, Title: "Note", GitPath: ".gitbook/includes/note.md", GitOID: "123", Body: bodies.Add([]byte("Mind **this**.\n")),
		}},
	}
	made, err := server.App.Spaces.Create(server.Context(t, apptest.Creator), space.New{
		OrganizationID: server.OrganizationID, Title: "Sample", Tree: tree, Bodies: bodies.Added(),
	})
	require.NoError(t, err)
	return sample{Server: server, space: made.ID, revision: made.RevisionID}
}

// get reads below the space as a reader.
func (s sample) get(t *testing.T, path string, header ...string) apptest.Response {
	t.Helper()
	return s.As(apptest.Reader).REST(t, http.MethodGet, "/spaces/"+s.space+path, nil, header...)
}

// expect compares an answer with JSON in which {url} and {space} stand for the
// addresses of the test.
func (s sample) expect(t *testing.T, expected string, answer apptest.Response) {
	t.Helper()
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	expected = strings.NewReplacer("{url}", s.URL, "{space}", s.space).Replace(expected)
	require.JSONEq(t, expected, string(answer.Body))
}

const defaultLayout = `{"width": "default", "cover": true, "coverSize": "hero", "title": true, "description": true,
	"tableOfContents": true, "outline": true, "pagination": true, "metadata": true}`

const welcomePage = `"id": "` + welcomeID + `", "title": "Welcome", "type": "document", "kind": "sheet", "emoji": "1f44b",
	"slug": "welcome", "path": "welcome", "description": "Start here", "pages": [],
	"createdAt": "2026-01-02T03:04:05Z", "updatedAt": "2026-01-02T03:04:05Z",
	"urls": {"app": "{url}/app/spaces/{space}/pages/` + welcomeID + `"},
	"cover": {"ref": {"kind": "file", "file": "` + logoID + `"}, "yPos": -12.5, "height": 240},
	"layout": ` + defaultLayout

const welcomeGit = `, "git": {"oid": "abc", "path": "README.md"}`

const pageTree = `[
	{` + welcomePage + welcomeGit + `},
	{"id": "` + guidesID + `", "title": "Guides", "type": "group", "kind": "group", "slug": "guides", "path": "guides", "pages": [
		{"id": "` + installID + `", "title": "Install", "type": "document", "kind": "sheet", "slug": "install", "path": "guides/install",
			"pages": [], "hidden": true, "createdAt": "2026-01-02T03:04:05Z", "updatedAt": "2026-01-02T03:04:05Z",
			"urls": {"app": "{url}/app/spaces/{space}/pages/` + installID + `"}, "git": {"oid": "", "path": "guides/install.md"},
			"layout": ` + defaultLayout + `},
		{"id": "` + siteID + `", "title": "Site", "type": "link", "kind": "link",
			"target": {"kind": "url", "url": "https://example.com/"}, "href": "https://example.com/"}
	]},
	{"id": "` + againID + `", "title": "Install again", "type": "link", "kind": "link",
		"target": {"kind": "anchor", "page": "` + installID + `", "anchor": "linux"},
		"href": "{url}/app/spaces/{space}/pages/` + installID + `#linux"},
	{"id": "` + apiID + `", "title": "API", "type": "computed", "computed": {"type": "builtin:openapi", "props": {"doc": "models"},
		"dependencies": {"spec": {"ref": {"kind": "openapi", "spec": "petstore"}}}}}
]`

func TestPageTreeHasEveryTypeOfPage(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		sample := newSample(t, server)
		for _, path := range []string{"/content/pages", "/revisions/" + sample.revision + "/pages"} {
			sample.expect(t, `{"pages": `+pageTree+`}`, sample.get(t, path))
			sample.expect(t, `{"pages": `+pageTree+`}`, sample.get(t, path+"?computed=false"))
		}
		assert.NotContains(t, string(sample.get(t, "/content/pages?metadata=false").Body), `"git"`)
	})
}

func TestRevisionHoldsPagesFilesAndReusableContents(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		sample := newSample(t, server)
		for range 2 { // from memory the second time
			for _, path := range []string{"/content", "/revisions/" + sample.revision} {
				answer := sample.get(t, path)
				var revision struct {
					ID, Type         string
					Parents          []string
					Pages            json.RawMessage
					Files            []map[string]any
					ReusableContents []map[string]any
					Variables        map[string]any
				}
				answer.JSON(t, http.StatusOK, &revision)
				assert.Equal(t, sample.revision, revision.ID)
				assert.Equal(t, "edits", revision.Type)
				assert.Empty(t, revision.Parents)
				sample.expect(t, pageTree, apptest.Response{Status: answer.Status, Body: revision.Pages})
				assert.Equal(t, map[string]any{"version": "2.1"}, revision.Variables)
				require.Len(t, revision.Files, 1)
				assert.Equal(t, map[string]any{"oid": "def", "path": ".gitbook/assets/logo.png"}, revision.Files[0]["git"])
				assert.Equal(t, map[string]any{"width": 8.0, "height": 4.0}, revision.Files[0]["dimensions"])
				assert.Equal(t, "Note", revision.ReusableContents[0]["title"])
			}
		}
		bare := sample.get(t, "/content?metadata=false").Object(t, http.StatusOK)
		assert.NotContains(t, bare["files"].([]any)[0], "git")
	})
}

func TestPageComesWithTheTextThatWasAskedFor(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		sample := newSample(t, server)
		expression := func(text string) string {
			return `{"object": "inline", "type": "expression", "isVoid": true, "data": {"expression": "` + text + `"}}`
		}
		text := func(text string) string {
			return `{"object": "text", "leaves": [{"object": "leaf", "text": "` + text + `", "marks": []}]}`
		}
		link := func(label, reference string) string {
			return `{"object": "inline", "type": "link", "isVoid": false, "data": {"ref": ` + reference + `}, "nodes": [` + text(label) + `]}`
		}
		_, source, _ := strings.Cut(welcomeSource, "# Welcome\n\n")
		blocks := document.Blocks([]byte(source))
		key := func(block int) string { return `"key": "` + blocks[block].Key + `", ` }
		page := func(first string) string {
			return `{"object": "document", "data": {"schemaVersion": 8}, "nodes": [
			{"object": "block", ` + key(0) + `"type": "paragraph", "isVoid": false, "data": {}, "nodes": [` + first + `]},
			{"object": "block", ` + key(1) + `"type": "paragraph", "isVoid": false, "data": {}, "nodes": [` + text("See ") + `,
				` + link("install", `{"kind": "anchor", "page": "`+installID+`", "anchor": "linux"}`) + `,` + text(" or ") + `,
				` + link("by id", `{"kind": "page", "page": "`+installID+`"}`) + `,` + text(", and ") + `,
				{"object": "inline", "type": "inline-image", "isVoid": true,
					"data": {"ref": {"kind": "file", "file": "` + logoID + `"}, "alt": "a logo"}},` + text(".") + `]},
			{"object": "block", ` + key(2) + `"type": "reusable-content", "isVoid": true,
				"data": {"ref": {"kind": "reusable-content", "reusableContent": "` + noteID + `"}}}]}`
		}
		// A text that is evaluated is written anew, in canonical Markdown.
		known := strings.NewReplacer(
			"{{ space.vars.version }}", "2.1", "{{ visitor.claims.name }}", `<code class="expression">visitor.claims.name</code>`)
		for _, row := range []struct{ query, member, value string }{
			{"format=markdown", "markdown", source},
			{"format=markdown&evaluated=false", "markdown", source},
			{"format=markdown&evaluated=deterministic-only", "markdown", known.Replace(source)},
		} {
			encoded, err := json.Marshal(row.value)
			require.NoError(t, err)
			expected := `{` + welcomePage + welcomeGit + `, "` + row.member + `": ` + string(encoded) + `}`
			sample.expect(t, expected, sample.get(t, "/content/page/"+welcomeID+"?"+row.query))
			sample.expect(t, expected, sample.get(t, "/revisions/"+sample.revision+"/path/welcome?"+row.query))
		}
		plain := text("Version ") + `,` + expression("space.vars.version") + `,` + text(" for ") + `,` + expression("visitor.claims.name") + `,` + text(".")
		evaluated := text("Version 2.1 for ") + `,` + expression("visitor.claims.name") + `,` + text(".")
		for query, paragraph := range map[string]string{
			"": plain, "&evaluated=deterministic-only": evaluated, "&evaluated=true": text("Version 2.1 for ."),
		} {
			expected := `{` + welcomePage + welcomeGit + `, "document": ` + page(paragraph) + `}`
			sample.expect(t, expected, sample.get(t, "/content/page/"+welcomeID+"?format=document"+query))
			sample.expect(t, page(paragraph), sample.get(t, "/revisions/"+sample.revision+"/page/"+welcomeID+"/document?"+query))
		}
		sample.expect(t, `{`+welcomePage+`}`, sample.get(t, "/content/page/"+welcomeID+"?metadata=false"))
	})
}

func TestContentReadsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		sample, other := newSample(t, server), newSample(t, server)
		revision := "/revisions/" + sample.revision
		for path, status := range map[string]int{
			"/content/page/" + absentID:                               404,
			"/content/path/guides%2Finstall":                          200,
			"/content/path/guides":                                    200,
			"/content/path/nowhere":                                   404,
			"/content/path/100%25":                                    404,
			"/content/files/" + logoID:                                200,
			"/content/files/fil_nothing":                              404,
			"/content/files?limit=1":                                  200,
			"/content/files?limit=1001":                               400,
			"/content/files?page=nonsense":                            400,
			"/content/reusable-contents/" + noteID:                    200,
			"/content/reusable-contents/rus_nothing":                  404,
			"/content?metadata=perhaps":                               400,
			"/content/pages?computed=perhaps":                         400,
			"/content/page/" + welcomeID + "?format=html":             400,
			"/content/page/" + welcomeID + "?evaluated=sometimes":     400,
			"/content/page/" + welcomeID + "/links?status=unknown":    400,
			"/content/page/" + absentID + "/links":                    404,
			"/content/page/" + absentID + "/backlinks":                404,
			"/content/files/fil_nothing/backlinks":                    404,
			"/links?limit=-1":                                         400,
			"/revisions/" + other.revision:                            404,
			"/revisions/rev_nothing/pages":                            404,
			revision + "/page/" + guidesID + "/document":              404,
			revision + "/page/" + absentID + "/document":              404,
			revision + "/reusable-contents/" + noteID + "/document":   200,
			revision + "/reusable-contents/rus_nothing/document":      404,
			revision + "/reusable-contents/" + noteID:                 200,
			revision + "/files":                                       200,
			revision + "/files/" + logoID:                             200,
			revision + "/page/" + installID + "?format=document":      200,
			revision + "/path/guides%2Finstall?format=markdown":       200,
			revision + "/page/" + installID + "/document?evaluated=1": 400,
		} {
			assert.Equal(t, status, sample.get(t, path).Status, path)
		}
	})
}

func TestContentIsShownToThoseWhoMayReadTheSpace(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		sample := newSample(t, server)
		paths := []string{
			"/content", "/content/pages", "/content/page/" + welcomeID, "/content/page/" + welcomeID + "/links",
			"/content/files/" + logoID + "/backlinks", "/links", "/revisions/" + sample.revision,
		}
		tag := `"` + sample.revision + `"`
		check := func(caller apptest.Caller, status int) {
			for _, path := range paths {
				answer := server.As(caller).REST(t, http.MethodGet, "/spaces/"+sample.space+path, nil)
				assert.Equal(t, status, answer.Status, "%s %s", caller, path)
				if status != http.StatusOK {
					answer = server.As(caller).REST(t, http.MethodGet, "/spaces/"+sample.space+path, nil, "If-None-Match", tag)
					assert.Equal(t, status, answer.Status, "%s %s with its version", caller, path)
				}
			}
		}
		for caller, status := range map[apptest.Caller]int{
			apptest.Admin: 200, apptest.Reader: 200, apptest.ReadToken: 200,
			apptest.Guest: 404, apptest.Stranger: 404, apptest.Anonymous: 401,
		} {
			check(caller, status)
		}
		server.As(apptest.Admin).REST(t, http.MethodDelete, "/spaces/"+sample.space, nil)
		check(apptest.Reader, http.StatusNotFound)
	})
}

func TestUnchangedContentIsNotSentAgain(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	sample := newSample(t, server)
	tag := `"` + sample.revision + `"`
	for _, path := range []string{"/content", "/content/pages", "/content/files", "/content/page/" + welcomeID, "/revisions/" + sample.revision} {
		first := sample.get(t, path)
		assert.Equal(t, tag, first.Header.Get("ETag"), path)
		assert.Equal(t, "private, no-cache", first.Header.Get("Cache-Control"), path)
		for condition, status := range map[string]int{tag: 304, "W/" + tag: 304, `"other", ` + tag: 304, "*": 304, `"other"`: 200} {
			answer := sample.get(t, path, "If-None-Match", condition)
			assert.Equal(t, status, answer.Status, "%s %s", path, condition)
			assert.Equal(t, tag, answer.Header.Get("ETag"))
			assert.Equal(t, status == 304, len(answer.Body) == 0)
		}
	}
	assert.Empty(t, sample.get(t, "/content/page/"+absentID, "If-None-Match", tag).Header.Get("ETag"))
}
