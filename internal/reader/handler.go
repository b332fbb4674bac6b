// Package reader serves published sites as pages: HTML that needs no scripts,
// and the same content for machines. Whatever it shows it asks of package
// audience, so that it shows nobody what is not theirs.
package reader

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"golang.org/x/sync/singleflight"

	"octavo/internal/address"
	"octavo/internal/audience"
	"octavo/internal/blob"
	"octavo/internal/cache"
	"octavo/internal/fault"
	"octavo/internal/outbound"
	"octavo/internal/site"
	"octavo/internal/user"
)

// Prefix is the path below which sites are served on the server's own host.
const Prefix = site.Prefix

// AssetPrefix is the path below which pages that belong to no site find their
// style sheet.
const AssetPrefix = "/" + functions + "/assets/"

// functions is the path segment below a site that no page has: search, files,
// style sheets.
const functions = "~octavo"

const (
	// maximumPath bounds the path of a request, in bytes.
	maximumPath = 4096
)

// The cookies of a site. They are set below its address only.
const (
	tokenCookie   = "octavo-visitor-token"
	statedCookie  = "octavo-visitor-claims"
	previewCookie = "octavo-preview"
)

// The query parameter that a visitor arrives with.
const tokenParameter = audience.TokenParameter

// Parts are what a handler is made of.
type Parts struct {
	Sites     *site.Service
	Audience  *audience.Service
	Content   *audience.Reader
	Finder    *audience.Finder
	Users     *user.Service
	Files     *blob.Bucket
	Outbound  *outbound.Client
	Addresses address.Book
	Logger    *slog.Logger
	// PageCacheBytes bounds the rendered pages in memory.
	PageCacheBytes int64
}

// Handler serves sites.
type Handler struct {
	Parts
	secure bool
	pages  *cache.Cache[pageKey, *written]
	making singleflight.Group

	remote *elsewhere
}

// NewHandler returns the handler of all sites.
func NewHandler(parts Parts) *Handler {
	base, err := url.Parse(parts.Addresses.Base())
	if err != nil {
		base = &url.URL{}
	}
	return &Handler{Parts: parts, secure: base.Scheme == "https", pages: cache.New[pageKey, *written](parts.PageCacheBytes), remote: newElsewhere(parts.Outbound)}
}

// ServeHTTP serves the sites below Prefix, and the files below AssetPrefix.
func (h *Handler) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	if asset, is := strings.CutPrefix(request.URL.Path, AssetPrefix); is {
		compressed(writer, request, func(writer http.ResponseWriter) { serveAsset(writer, request, asset) })
		return
	}
	basename, rest, _ := strings.Cut(strings.TrimPrefix(request.URL.EscapedPath(), Prefix+"/"), "/")
	name, err := url.PathUnescape(basename)
	if err != nil || name == "" {
		h.missing(writer, request)
		return
	}
	h.serve(writer, request, &hosted{Place: site.Place{Lookup: site.Lookup{Basename: name}, Base: Prefix + "/" + basename, Rest: rest}})
}

// Hosts serves the sites that have a host name of their own, that of their
// organization, or a path of another host behind a proxy, through the given
// middleware, and leaves all other requests to next.
func (h *Handler) Hosts(next http.Handler, through chi.Middlewares) http.Handler {
	served := through.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		if found, is := request.Context().Value(hostedKey{}).(*hosted); is {
			h.serve(writer, request, found)
		}
	})
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		if h.Sites.IsServer(request.Host) {
			next.ServeHTTP(writer, request)
			return
		}
		found, err := h.atHost(request)
		switch {
		case err != nil:
			h.failed(writer, request, err)
		case found == nil:
			next.ServeHTTP(writer, request)
		default:
			served.ServeHTTP(writer, request.WithContext(context.WithValue(request.Context(), hostedKey{}, found)))
		}
	})
}

type hostedKey struct{}

// hosted is where a request asks for a site.
type hosted struct {
	site.Place
	// structure is nil until the site was looked for.
	structure *site.Structure
}

// atHost finds the site of a request by its host; nil when there is none.
func (h *Handler) atHost(request *http.Request) (*hosted, error) {
	found, place, err := h.Sites.FindAt(request.Context(), request.Host, request.URL.EscapedPath())
	if fault.CodeOf(err) == fault.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &hosted{place, found}, nil
}

// visit is a request by somebody who was let in.
type visit struct {
	*audience.Visit
	request *http.Request
	// base is the path of the site, with the key of a share link where there is
	// one, without a slash at its end.
	base string
	// rest is the path below it, escaped.
	rest string
}

func (h *Handler) serve(writer http.ResponseWriter, request *http.Request, asked *hosted) {
	if request.Method != http.MethodGet && request.Method != http.MethodHead {
		writer.Header().Set("Allow", "GET, HEAD")
		writer.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	secured(writer.Header())
	if len(asked.Rest) > maximumPath {
		h.missing(writer, request)
		return
	}
	if asset, is := strings.CutPrefix(asked.Rest, functions+"/assets/"); is {
		compressed(writer, request, func(writer http.ResponseWriter) { serveAsset(writer, request, asset) })
		return
	}
	if asked.structure == nil {
		found, err := h.Sites.Find(request.Context(), asked.Lookup)
		if err != nil {
			h.failed(writer, request, err)
			return
		}
		asked.structure = found
	}
	query := queryOf(request)
	admitted, err := h.admit(request, query, asked)
	if err != nil {
		h.refused(writer, request, err, asked.Rest)
		return
	}
	if h.arrive(writer, admitted, query, asked.Base) {
		return
	}
	if err := h.answer(writer, admitted); err != nil {
		h.failed(writer, request, err)
	}
}

// queryOf is the query of a request; nil where there is none.
func queryOf(request *http.Request) url.Values {
	if request.URL.RawQuery == "" {
		return nil
	}
	return request.URL.Query()
}

// admit lets a visitor in by what they bring along.
func (h *Handler) admit(request *http.Request, query url.Values, asked *hosted) (*visit, error) {
	credentials := audience.Credentials{
		Token: firstOf(query.Get(tokenParameter), cookie(request, tokenCookie)), Preview: firstOf(query.Get(site.PreviewParameter), cookie(request, previewCookie)),
		Stated: statedBy(request, query),
	}
	found, base, rest := asked.structure, asked.Base, asked.Rest
	key, below, _ := strings.Cut(rest, "/")
	credentials.ShareKey = key
	admitted, err := h.Audience.Visit(request.Context(), found, credentials)
	if err != nil && credentials.Preview != "" {
		// The preview ended; perhaps the site can be read without.
		credentials.Preview = ""
		admitted, err = h.Audience.Visit(request.Context(), found, credentials)
	}
	if err != nil {
		return nil, err
	}
	if admitted.ShareKey != "" {
		base, rest = base+"/"+key, below
	}
	return &visit{Visit: admitted, request: request, base: base, rest: rest}, nil
}

func firstOf(values ...string) string {
	for _, value := range values {
		if value != "" {
			return value
		}
	}
	return ""
}

func cookie(request *http.Request, name string) string {
	if len(request.Header["Cookie"]) == 0 {
		return ""
	}
	found, err := request.Cookie(name)
	if err != nil {
		return ""
	}
	return found.Value
}

// statedBy are the claims that the visitor states now, or stated when they came.
func statedBy(request *http.Request, query url.Values) map[string]any {
	kept := cookie(request, statedCookie)
	if len(query) == 0 && kept == "" {
		return nil
	}
	if stated := audience.Stated(query); len(stated) > 0 {
		return stated
	}
	before, err := url.ParseQuery(kept)
	if err != nil {
		return nil
	}
	return audience.Stated(before)
}

// arrive keeps what the visitor brought along in cookies of the site, and sends
// them to the same address without it; it tells whether it did.
func (h *Handler) arrive(writer http.ResponseWriter, admitted *visit, query url.Values, base string) bool {
	path := base + "/"
	if stated := statedQuery(query); stated != "" {
		h.setCookie(writer, statedCookie, stated, path, time.Time{})
	}
	secret := false
	if token := query.Get(tokenParameter); token != "" {
		secret = true
		if !admitted.TokenExpires.IsZero() {
			h.setCookie(writer, tokenCookie, token, path, admitted.TokenExpires)
		}
	}
	if token := query.Get(site.PreviewParameter); token != "" {
		secret = true
		if admitted.Preview {
			h.setCookie(writer, previewCookie, token, path, time.Now().Add(site.PreviewTime))
		}
	}
	if !secret {
		return false
	}
	query.Del(tokenParameter)
	query.Del(site.PreviewParameter)
	target := url.URL{Path: admitted.request.URL.Path, RawPath: admitted.request.URL.RawPath, RawQuery: query.Encode()}
	redirect(writer, admitted.request, target.String(), http.StatusFound)
	return true
}

func statedQuery(query url.Values) string {
	stated := url.Values{}
	for name, values := range query {
		if strings.HasPrefix(name, "visitor.") {
			stated[name] = values[:1]
		}
	}
	return stated.Encode()
}

func (h *Handler) setCookie(writer http.ResponseWriter, name, value, path string, expires time.Time) {
	http.SetCookie(writer, &http.Cookie{
		Name: name, Value: value, Path: path, Expires: expires, HttpOnly: true, Secure: h.secure, SameSite: http.SameSiteLaxMode,
	})
}

// redirect sends the visitor to a path of the same host or an absolute address.
func redirect(writer http.ResponseWriter, request *http.Request, target string, status int) {
	writer.Header().Set("Cache-Control", "no-store")
	if strings.HasPrefix(target, "//") {
		// A path is never taken for another host.
		target = "/" + strings.TrimLeft(target, "/")
	}
	http.Redirect(writer, request, target, status)
}

// safety is what holds for every answer. The lists are shared by all of them:
// nothing changes a value in place.
var safety = map[string][]string{
	"Content-Security-Policy": {"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; font-src 'self'; " +
		"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"},
	"X-Content-Type-Options": {"nosniff"},
	"Referrer-Policy":        {"strict-origin-when-cross-origin"},
	"Vary":                   {"Cookie, Authorization"},
}

// secured sets what holds for every answer.
func secured(header http.Header) { maps.Copy(header, safety) }

// refused answers somebody who was not let in.
func (h *Handler) refused(writer http.ResponseWriter, request *http.Request, err error, rest string) {
	needs, is := audience.IsNeedsToken(err)
	if !is {
		h.failed(writer, request, err)
		return
	}
	target, parseErr := url.Parse(needs.FallbackURL)
	if parseErr != nil {
		h.missing(writer, request)
		return
	}
	query := target.Query()
	query.Set("location", "/"+rest)
	target.RawQuery = query.Encode()
	redirect(writer, request, target.String(), http.StatusFound)
}

// failed answers when a site cannot be shown.
func (h *Handler) failed(writer http.ResponseWriter, request *http.Request, err error) {
	if fault.CodeOf(err) == fault.NotFound || fault.CodeOf(err) == fault.Unauthenticated || fault.CodeOf(err) == fault.Forbidden {
		h.missing(writer, request)
		return
	}
	if !errors.Is(err, context.Canceled) {
		h.Logger.ErrorContext(request.Context(), "show a site", "error", err, "path", request.URL.Path)
	}
	notice(writer, http.StatusInternalServerError, "Something went wrong", "The page cannot be shown at the moment.")
}

// missing answers as if there were no site: it says nothing about any.
func (h *Handler) missing(writer http.ResponseWriter, _ *http.Request) {
	secured(writer.Header())
	notice(writer, http.StatusNotFound, "Page not found", "There is nothing at this address.")
}
