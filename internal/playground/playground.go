// Package playground serves two pages to try the server from: a GraphQL editor
// at /playground and a REST reference at /reference.
//
// Their own markup and scripts are part of this package. The editor and the
// reference viewer themselves are npm packages, named with version and hash in
// lock.json and brought into the embedded folder assets by
//
//	go run ./internal/playground/fetch
//
// before a release is built. A binary built without them works as well: its
// pages load the same files, held to the same hashes, from a public address.
package playground

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"time"
)

// Example is a query offered in a tab of its own.
type Example struct {
	// Title is shown as a comment above the query.
	Title string `json:"title"`
	// Query is the GraphQL document.
	Query string `json:"query"`
	// Variables are the values of the query's variables; nil for none.
	Variables map[string]any `json:"variables,omitempty"`
}

// Options tell the pages where the server's APIs are.
type Options struct {
	// GraphQL is the path of the GraphQL endpoint, such as "/graphql".
	GraphQL string
	// OpenAPI is the path of the OpenAPI document, such as "/v1/openapi.json".
	OpenAPI string
	// Examples fill the tabs of an editor that is opened for the first time.
	Examples []Example
}

//go:embed pages
var pageFiles embed.FS

// The folder holds nothing but a placeholder until the fetch command has run.
//
//go:embed all:assets
var assetFiles embed.FS

var templates = template.Must(template.ParseFS(pageFiles, "pages/*.html"))

// New returns the handler of GET /playground, of everything below it, and of
// GET /reference. Its pages refer to each other by relative addresses, so that
// they work behind a proxy that adds a path prefix.
func New(options Options) http.Handler {
	return newHandler(options, subtree(assetFiles, "assets"))
}

func newHandler(options Options, assets fs.FS) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /playground", page{
		template: "playground.html",
		files:    editorFiles,
		// The editor's dialogs hide the page's scroll bar with a style element.
		inlineStyles:  true,
		configuration: editorConfiguration{Endpoint: relative(options.GraphQL), Examples: options.Examples},
	}.handler(assets))
	mux.Handle("GET /reference", page{
		template:      "reference.html",
		files:         referenceFiles,
		configuration: referenceConfiguration{Document: relative(options.OpenAPI)},
	}.handler(assets))
	mux.Handle("GET /playground/pages/", ownFiles())
	mux.Handle("GET /playground/assets/", packageFiles(assets))
	return mux
}

type editorConfiguration struct {
	Endpoint string    `json:"endpoint"`
	Examples []Example `json:"examples"`
}

type referenceConfiguration struct {
	Document string `json:"document"`
}

type page struct {
	template string
	// files are what the page loads of the packages.
	files         []string
	inlineStyles  bool
	configuration any
}

// handler renders the page once: nothing in it depends on the request.
func (p page) handler(assets fs.FS) http.Handler {
	sources := locate(p.files, assets)
	var body bytes.Buffer
	err := templates.ExecuteTemplate(&body, p.template, map[string]any{
		"Styles":        sources.ending(".css"),
		"Scripts":       sources.ending(".js"),
		"Configuration": p.configuration,
	})
	if err != nil {
		panic("playground: render " + p.template + ": " + err.Error())
	}
	policy := p.contentSecurityPolicy(sources)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Referrer-Policy", "no-referrer")
		serve(w, r, p.template, body.Bytes())
	})
}

// contentSecurityPolicy admits the page's own files, the package directories
// that it loads from elsewhere, and connections to the server itself.
func (p page) contentSecurityPolicy(sources sources) string {
	origins := strings.Join(append([]string{"'self'"}, sources.directories()...), " ")
	styles := origins
	if p.inlineStyles {
		styles += " 'unsafe-inline'"
	}
	return strings.Join([]string{
		"default-src 'none'",
		"script-src " + origins,
		"style-src " + styles,
		"img-src 'self' data:",
		"font-src data:",
		"connect-src 'self'",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	}, "; ")
}

func ownFiles() http.Handler {
	pages := subtree(pageFiles, "pages")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/playground/pages/")
		content, err := fs.ReadFile(pages, name)
		if err != nil || strings.HasSuffix(name, ".html") {
			http.NotFound(w, r)
			return
		}
		serve(w, r, name, content)
	})
}

func packageFiles(assets fs.FS) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/playground/assets/")
		content, err := fs.ReadFile(assets, name)
		if err != nil || !locked(name) {
			http.NotFound(w, r)
			return
		}
		// The address holds the version, so that its content never changes.
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		serve(w, r, name, content)
	})
}

// serve answers with content, and with 304 where the caller has it already.
func serve(w http.ResponseWriter, r *http.Request, name string, content []byte) {
	hash := sha256.Sum256(content)
	header := w.Header()
	header.Set("ETag", `"`+hex.EncodeToString(hash[:16])+`"`)
	header.Set("X-Content-Type-Options", "nosniff")
	if header.Get("Cache-Control") == "" {
		header.Set("Cache-Control", "no-cache")
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}

// relative makes a path of the server relative to its root, where both pages are.
func relative(path string) string {
	return strings.TrimPrefix(path, "/")
}

func subtree(files fs.FS, directory string) fs.FS {
	tree, err := fs.Sub(files, directory)
	if err != nil {
		panic("playground: " + err.Error())
	}
	return tree
}
