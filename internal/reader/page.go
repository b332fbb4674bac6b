package reader

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"octavo/internal/access"
	"octavo/internal/audience"
	"octavo/internal/content"
	"octavo/internal/fault"
	"octavo/internal/hypertext"
)

// pageTime is for how long a rendered page is used: names of people in it may
// have changed since. What the page says never outlives its revision.
const pageTime = 10 * time.Minute

// pageKey tells apart everything that makes pages differ.
type pageKey struct{ stamp, visitor, base, path string }

// written is an answer that can be given again.
type written struct {
	status      int
	contentType string
	body        []byte
	// compressed is the body by gzip, where that is shorter.
	compressed []byte
	etag       string
	made       time.Time
}

// writtenWeight is about what an answer takes in memory beside its bytes.
const writtenWeight = 512

// finish makes ready to be given again and again what was written.
func (w *written) finish() error {
	w.made = time.Now()
	sum := sha256.New()
	sum.Write([]byte(w.contentType + "\n"))
	sum.Write(w.body)
	w.etag = hex.EncodeToString(sum.Sum(nil)[:16])
	shorter, err := compress(w.body)
	w.compressed = shorter
	return err
}

func (w *written) weight() int64 { return int64(len(w.body) + len(w.compressed) + writtenWeight) }

// answer gives the visitor what their path leads to.
func (h *Handler) answer(writer http.ResponseWriter, visited *visit) error {
	path, err := url.PathUnescape(visited.rest)
	if err != nil {
		return fault.Missing("page")
	}
	path = strings.Trim(path, "/")
	if name, is := strings.CutPrefix(path, functions+"/"); is {
		compressed(writer, visited.request, func(writer http.ResponseWriter) { err = h.function(writer, visited, name) })
		return err
	}
	return h.kept(writer, visited, path, func() (*written, error) { return h.write(visited, path) })
}

// kept answers with what was made before for the same visitor and content, or
// makes it.
func (h *Handler) kept(writer http.ResponseWriter, visited *visit, path string, produce func() (*written, error)) error {
	key := pageKey{stamp: visited.Structure.Stamp(), visitor: visited.Key(), base: visited.base, path: path}
	found, known := h.pages.Get(key)
	if !known || time.Since(found.made) > pageTime {
		made, err := h.make(visited, key, produce)
		var moved *movedTo
		if asMoved(err, &moved) {
			redirect(writer, visited.request, moved.address, moved.status)
			return nil
		}
		if err != nil {
			return err
		}
		found = made
	}
	h.give(writer, visited, found)
	return nil
}

// make makes an answer once for all who ask for it at the same time.
func (h *Handler) make(visited *visit, key pageKey, produce func() (*written, error)) (*written, error) {
	made, err, _ := h.making.Do(strings.Join([]string{key.stamp, key.visitor, key.base, key.path}, "\x00"), func() (any, error) {
		made, err := produce()
		if err != nil {
			return nil, err
		}
		if made.status == http.StatusOK {
			if err := made.finish(); err != nil {
				return nil, err
			}
			h.pages.Add(key, made, made.weight()+int64(len(key.visitor)+len(key.base)+len(key.path)))
		}
		return made, nil
	})
	ctx := visited.request.Context()
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		// Whoever made it for all has gone away.
		return h.make(visited, key, produce)
	}
	if err != nil {
		return nil, err
	}
	return made.(*written), nil
}

func (h *Handler) give(writer http.ResponseWriter, visited *visit, answer *written) {
	header := writer.Header()
	header.Set("Content-Type", answer.contentType)
	header.Set("Cache-Control", caching(visited))
	if !visited.Indexable() {
		header.Set("X-Robots-Tag", "noindex, nofollow")
	}
	if answer.status != http.StatusOK {
		compressed(writer, visited.request, func(writer http.ResponseWriter) {
			writer.WriteHeader(answer.status)
			if visited.request.Method != http.MethodHead {
				_, _ = writer.Write(answer.body) // the client may have gone
			}
		})
		return
	}
	body, etag := answer.body, answer.etag
	header.Add("Vary", "Accept-Encoding")
	if answer.compressed != nil && acceptsGzip(visited.request) {
		body, etag = answer.compressed, etag+"-gzip"
		header.Set("Content-Encoding", "gzip")
	}
	header.Set("ETag", `"`+etag+`"`)
	if isPartial(visited.request) {
		http.ServeContent(writer, visited.request, "", time.Time{}, bytes.NewReader(body))
		return
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	if visited.request.Method != http.MethodHead {
		_, _ = writer.Write(body) // the client may have gone
	}
}

// isPartial tells whether a client may want less than the whole.
func isPartial(request *http.Request) bool {
	for _, name := range []string{"If-None-Match", "If-Match", "Range", "If-Range"} {
		if len(request.Header[name]) > 0 {
			return true
		}
	}
	return false
}

// caching: a new revision shows at once, so every use asks whether there is one.
func caching(visited *visit) string {
	if visited.Indexable() && len(visited.Claims) == 0 {
		return "public, no-cache"
	}
	return "private, no-cache"
}

// movedTo is the error for a path that leads elsewhere.
type movedTo struct {
	address string
	status  int
}

// Error implements error.
func (m *movedTo) Error() string { return "moved to " + m.address }

func asMoved(err error, moved **movedTo) bool {
	found, is := err.(*movedTo) //nolint:errorlint // made here and never wrapped
	if is {
		*moved = found
	}
	return is
}

// write makes the answer for a path.
func (h *Handler) write(visited *visit, path string) (*written, error) {
	if made, err := h.machine(visited, path); made != nil || err != nil {
		return made, err
	}
	found, err := h.locate(visited, path)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return h.missingPage(visited, nil, path)
	}
	if form, is := formOf(found.path); is && found.content.ByPath(found.path) == nil {
		return h.writeForm(visited, found, form)
	}
	page := found.page(found.path)
	if page == nil {
		return h.elsewhere(visited, found, path)
	}
	if !HasOwnPage(page) {
		return nil, h.through(visited, found, page)
	}
	if address := visited.pageAddress(found.content, page); found.content.Path(page) == "" && found.path != "" {
		return nil, &movedTo{address, http.StatusMovedPermanently}
	}
	return h.writePage(visited, found, page)
}

// page is the one at a path below the site space; the empty path is the home
// page.
func (p *place) page(path string) *content.Page {
	if path == "" {
		return p.content.Home()
	}
	return p.content.ByPath(path)
}

// HasOwnPage tells whether a page is shown at its address: a group leads to the
// first page in it, a link to its target.
func HasOwnPage(page *content.Page) bool { return audience.HasText(page) }

// through is where a group or link leads.
func (h *Handler) through(visited *visit, found *place, page *content.Page) error {
	if page.Type == content.PageLink {
		sources := h.sources(visited, found, nil)
		if target := linkTarget(sources, page.Target); target != "" {
			return &movedTo{target, http.StatusFound}
		}
		return fault.Missing("page")
	}
	for _, below := range found.content.Tree.Pages {
		if below.Parent == page.ID && found.content.Page(below.ID) != nil && HasOwnPage(below) {
			return &movedTo{visited.pageAddress(found.content, below), http.StatusFound}
		}
	}
	return fault.Missing("page")
}

// elsewhere follows redirects, of the site and of pages that moved, or answers
// that there is no such page.
func (h *Handler) elsewhere(visited *visit, found *place, path string) (*written, error) {
	ctx := access.System(visited.request.Context(), "the audience of a site follows its redirects")
	_, target, err := h.Sites.RedirectOf(ctx, visited.Structure, "/"+path)
	if err == nil {
		return nil, &movedTo{visited.local(target), http.StatusFound}
	}
	if fault.CodeOf(err) != fault.NotFound {
		return nil, err
	}
	if page := found.content.Moved(found.path); page != nil && HasOwnPage(page) {
		return nil, &movedTo{visited.pageAddress(found.content, page), http.StatusMovedPermanently}
	}
	return h.missingPage(visited, found, path)
}

// local turns an address of the site into a path of the host that the visitor
// is on; other addresses stay.
func (v *visit) local(target string) string {
	base := v.absolute(v.base)
	if rest, is := strings.CutPrefix(target, base); is && (rest == "" || rest[0] == '/') {
		return v.base + "/" + strings.TrimPrefix(rest, "/")
	}
	return target
}

func (h *Handler) writePage(visited *visit, found *place, page *content.Page) (*written, error) {
	ctx := visited.request.Context()
	text, err := h.Content.Document(ctx, found.content, page)
	if err != nil {
		return nil, err
	}
	shown, err := h.frame(visited, found, page)
	if err != nil {
		return nil, err
	}
	sources := h.sources(visited, found, page)
	sources.NewWindow = shown.NewWindow
	rendered := hypertext.Render(text, sources)
	h.describePage(shown, visited, found, page)
	shown.Page.Body = rendered.HTML
	layout := layoutOf(page)
	if layout.Outline && len(rendered.Headings) > 1 {
		shown.Contents = rendered.Headings
	}
	shown.MainClass = mainClass(layout, shown)
	if len(rendered.Updates) > 0 {
		shown.FeedAddress = strings.TrimSuffix(visited.pageAddress(found.content, page), "/") + "/rss.xml"
	}
	return execute("page", shown, http.StatusOK)
}

func layoutOf(page *content.Page) content.Layout {
	if page.Layout == nil {
		return content.DefaultLayout()
	}
	return *page.Layout
}

func mainClass(layout content.Layout, shown *view) string {
	class := ""
	if layout.Width == "wide" {
		class = "wide"
	}
	if len(shown.Contents) == 0 {
		class += " without-contents"
	}
	if !shown.ShowSidebar {
		class += " without-sidebar"
	}
	return strings.TrimSpace(class)
}

func execute(kind string, shown *view, status int) (*written, error) {
	var page bytes.Buffer
	if err := templates[kind].ExecuteTemplate(&page, "layout", shown); err != nil {
		return nil, err
	}
	return &written{status: status, contentType: "text/html; charset=utf-8", body: page.Bytes()}, nil
}

func (h *Handler) missingPage(visited *visit, found *place, path string) (*written, error) {
	if found == nil {
		if first, err := h.locate(visited, ""); err == nil {
			found = first
		}
	}
	if found == nil {
		return nil, fault.Missing("page")
	}
	shown, err := h.frame(visited, found, nil)
	if err != nil {
		return nil, err
	}
	shown.DocumentTitle, shown.Robots, shown.Canonical = shown.Words.NotFound, "noindex", ""
	shown.MainClass = mainClass(content.DefaultLayout(), shown)
	shown.Suggestions = suggestions(visited, found, path)
	return execute("missing", shown, http.StatusNotFound)
}

// context of reads for the visitor, whom the audience has let in.
func (v *visit) reading() context.Context {
	return access.System(v.request.Context(), "the audience of a site reads it")
}
