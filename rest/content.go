package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"octavo/internal/access"
	"octavo/internal/cache"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/revision"
	"octavo/rest/wire"
)

// pageTreeCacheSize bounds the encoded page trees kept in memory, in bytes.
const pageTreeCacheSize = 64 << 20

// pageTreeKey names the page tree of a revision, which never changes, in one
// of its forms.
type pageTreeKey struct {
	revisionID string
	metadata   bool
	// visitor is the same for visitors of sites who see the same pages; empty for
	// all others.
	visitor string
}

// visitorKey tells callers apart who may see different pages.
func visitorKey(ctx context.Context) string {
	if visitor := access.VisitorFrom(ctx); visitor != nil {
		return visitor.Key
	}
	return ""
}

func newPageTreeCache() *cache.Cache[pageTreeKey, []byte] {
	return cache.New[pageTreeKey, []byte](pageTreeCacheSize)
}

func (a *API) content(router chi.Router) {
	router.Get("/spaces/{spaceId}/links", a.handle(a.listSpaceLinks))
	a.contentOf(router, "/spaces/{spaceId}/content", a.mainRevision)
	router.Get("/spaces/{spaceId}/change-requests/{changeRequestId}/links", a.handle(a.listChangeRequestLinks))
	a.contentOf(router, "/spaces/{spaceId}/change-requests/{changeRequestId}/content", a.branchRevision)
}

// contentOf routes the operations that read the current content of something;
// find returns its revision.
func (a *API) contentOf(router chi.Router, prefix string, find revisionFinder) {
	a.reads(router, prefix, find)
	router.Get(prefix+"/files/{fileId}/backlinks", a.handle(a.listFileBacklinks(find)))
	router.Get(prefix+"/page/{pageId}/backlinks", a.handle(a.listPageBacklinks(find)))
	router.Get(prefix+"/page/{pageId}/links", a.handle(a.listPageLinks(find)))
}

// reads routes the operations that every state of content has.
func (a *API) reads(router chi.Router, prefix string, find revisionFinder) {
	router.Get(prefix, a.read(find, a.getRevision))
	router.Get(prefix+"/pages", a.read(find, a.listPages))
	router.Get(prefix+"/files", a.read(find, a.listFiles))
	router.Get(prefix+"/files/{fileId}", a.read(find, a.getFile))
	router.Get(prefix+"/page/{pageId}", a.read(find, a.getPage))
	router.Get(prefix+"/path/{pagePath}", a.read(find, a.getPageByPath))
	router.Get(prefix+"/reusable-contents/{reusableContentId}", a.read(find, a.getReusableContent))
}

// revisionFinder returns the revision that a request is about, if the caller
// may read it.
type revisionFinder func(request *http.Request) (*revision.Revision, error)

// reading reads the parameters of a request and finds what it asks for. What it
// returns renders the body: a value to encode, or JSON that is encoded already.
type reading func(request *http.Request, found *revision.Revision) (render func() (any, error), err error)

// encoded is JSON, in pieces that follow each other: what is in memory already is
// not copied.
type encoded [][]byte

// read serves a reading of content. The revision is its version: who has it
// already is not sent it again. Access is checked before that, every time.
func (a *API) read(find revisionFinder, prepare reading) http.HandlerFunc {
	return a.handle(func(writer http.ResponseWriter, request *http.Request) error {
		found, err := find(request)
		if err != nil {
			return err
		}
		render, err := prepare(request, found)
		if err != nil {
			return err
		}
		tag := `"` + found.ID + visitorKey(request.Context()) + `"`
		if matches(request.Header.Values("If-None-Match"), tag) {
			setVersion(writer, tag)
			writer.WriteHeader(http.StatusNotModified)
			return nil
		}
		body, err := render()
		if err != nil {
			return err
		}
		setVersion(writer, tag)
		if made, ready := body.(encoded); ready {
			writeEncoded(writer, made)
			return nil
		}
		WriteJSON(writer, http.StatusOK, body)
		return nil
	})
}

// setVersion lets the caller alone keep the answer, and ask each time whether
// it still holds: access may end.
func setVersion(writer http.ResponseWriter, tag string) {
	writer.Header().Set("ETag", tag)
	writer.Header().Set("Cache-Control", "private, no-cache")
	writer.Header().Add("Vary", "Authorization")
}

// matches tells whether one of the tags of If-None-Match is the given one.
func matches(headers []string, tag string) bool {
	for _, header := range headers {
		for candidate := range strings.SplitSeq(header, ",") {
			candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
			if candidate == tag || candidate == "*" {
				return true
			}
		}
	}
	return false
}

func writeEncoded(writer http.ResponseWriter, body encoded) {
	writer.Header().Set("Content-Type", "application/json; charset=utf-8")
	for _, piece := range body {
		// A client that is gone cannot be told.
		_, _ = writer.Write(piece)
	}
}

// mainRevision is the main content of the space that the path names.
func (a *API) mainRevision(request *http.Request) (*revision.Revision, error) {
	found, err := a.space(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Space().Revision(request.Context(), found)
}

// branchRevision is the content of the change request that the path names.
func (a *API) branchRevision(request *http.Request) (*revision.Revision, error) {
	found, err := a.changeRequest(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.ChangeRequest().Revision(request.Context(), found)
}

// shown are the parameters that every reading of content has.
type shown struct {
	// metadata tells whether what git knows is shown.
	metadata bool
}

func shownBy(request *http.Request) (shown, error) {
	metadata, err := flag(request, "metadata", true)
	if err != nil {
		return shown{}, err
	}
	// No source makes content yet: computed pages are shown as they are with
	// either value.
	_, err = flag(request, "computed", true)
	return shown{metadata: metadata}, err
}

func (a *API) getRevision(request *http.Request, found *revision.Revision) (func() (any, error), error) {
	shown, err := shownBy(request)
	if err != nil {
		return nil, err
	}
	return func() (any, error) { return a.encodeRevision(request.Context(), found, shown) }, nil
}

func (a *API) listPages(request *http.Request, found *revision.Revision) (func() (any, error), error) {
	shown, err := shownBy(request)
	if err != nil {
		return nil, err
	}
	return func() (any, error) {
		pages, err := a.encodePages(request.Context(), found, shown)
		return encoded{[]byte(`{"pages":`), pages, []byte("}")}, err
	}, nil
}

// encodePages returns the page tree of a revision. It is rendered once for all
// callers: nothing in it depends on who asks, but for visitors of sites.
func (a *API) encodePages(ctx context.Context, found *revision.Revision, shown shown) ([]byte, error) {
	key := pageTreeKey{found.ID, shown.metadata, visitorKey(ctx)}
	if kept, ok := a.pageTrees.Get(key); ok {
		return kept, nil
	}
	pages, err := a.resolvers.Revision().Pages(ctx, found)
	if err != nil {
		return nil, err
	}
	rendered, err := a.renderPages(ctx, pages, shown)
	if err != nil {
		return nil, err
	}
	made, err := json.Marshal(rendered)
	if err != nil {
		return nil, err
	}
	a.pageTrees.Add(key, made, int64(len(made)))
	return made, nil
}

func (a *API) listFiles(request *http.Request, found *revision.Revision) (func() (any, error), error) {
	shown, err := shownBy(request)
	if err != nil {
		return nil, err
	}
	first, after, err := window(request)
	if err != nil {
		return nil, err
	}
	page, err := a.resolvers.Revision().Files(request.Context(), found, first, after, nil, nil)
	if err != nil {
		return nil, err
	}
	return func() (any, error) {
		return list(request.Context(), page, func(ctx context.Context, file *revision.File) (wire.File, error) {
			return a.renderFile(ctx, file, shown)
		})
	}, nil
}

func (a *API) getFile(request *http.Request, found *revision.Revision) (func() (any, error), error) {
	shown, err := shownBy(request)
	if err != nil {
		return nil, err
	}
	file, err := a.resolvers.Revision().File(request.Context(), found, parameter(request, "fileId"))
	if err != nil {
		return nil, err
	}
	return func() (any, error) { return a.renderFile(request.Context(), file, shown) }, nil
}

func (a *API) getPage(request *http.Request, found *revision.Revision) (func() (any, error), error) {
	page, err := a.resolvers.Revision().Page(request.Context(), found, parameter(request, "pageId"))
	if err != nil {
		return nil, err
	}
	return a.pageWithText(request, page)
}

func (a *API) getPageByPath(request *http.Request, found *revision.Revision) (func() (any, error), error) {
	path, err := pagePath(request)
	if err != nil {
		return nil, err
	}
	page, err := a.resolvers.Revision().PageByPath(request.Context(), found, path)
	if err != nil {
		return nil, err
	}
	return a.pageWithText(request, page)
}

// pagePath is the path of a page, whose slashes were sent encoded: a request
// with encoded slashes is routed by the path as it was sent.
func pagePath(request *http.Request) (string, error) {
	path := parameter(request, "pagePath")
	if request.URL.RawPath == "" {
		return path, nil
	}
	unescaped, err := url.PathUnescape(path)
	if err != nil {
		return "", fault.Invalid("pagePath", "%q is not a path", path)
	}
	return unescaped, nil
}

// pageWithText prepares a page with its text in the form that the request asks
// for.
func (a *API) pageWithText(request *http.Request, page *revision.Page) (func() (any, error), error) {
	shown, err := shownBy(request)
	if err != nil {
		return nil, err
	}
	format, err := textFormat(request)
	if err != nil {
		return nil, err
	}
	evaluation, err := evaluated(request)
	if err != nil {
		return nil, err
	}
	return func() (any, error) {
		ctx := request.Context()
		rendered, err := a.renderPage(ctx, page, shown)
		if err != nil {
			return nil, err
		}
		switch format {
		case "markdown":
			rendered.Markdown, err = a.resolvers.Page().Markdown(ctx, page, &evaluation)
		case "document":
			rendered.Document, err = a.resolvers.Page().Document(ctx, page, &evaluation)
		}
		return rendered, err
	}, nil
}

// textFormat is the form of the text; empty asks for none.
func textFormat(request *http.Request) (string, error) {
	format := optional(request, "format")
	if format == nil {
		return "", nil
	}
	if *format != "document" && *format != "markdown" {
		return "", fault.Invalid("format", "%q is not one of document, markdown", *format)
	}
	return *format, nil
}

func evaluated(request *http.Request) (enum.Evaluation, error) {
	asked := optional(request, "evaluated")
	if asked == nil {
		return enum.EvaluateNone, nil
	}
	switch *asked {
	case "true":
		return enum.EvaluateAll, nil
	case "false":
		return enum.EvaluateNone, nil
	case "deterministic-only":
		return enum.EvaluateDeterministic, nil
	default:
		return "", fault.Invalid("evaluated", "%q is not one of true, false, deterministic-only", *asked)
	}
}

func (a *API) getReusableContent(request *http.Request, found *revision.Revision) (func() (any, error), error) {
	shown, err := shownBy(request)
	if err != nil {
		return nil, err
	}
	item, err := a.resolvers.Revision().ReusableContent(request.Context(), found, parameter(request, "reusableContentId"))
	if err != nil {
		return nil, err
	}
	return func() (any, error) { return renderReusableContent(item, shown), nil }, nil
}
