package download

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"octavo/internal/access"
	"octavo/internal/blob"
	"octavo/internal/content"
	"octavo/internal/fault"
	"octavo/internal/revision"
	"octavo/internal/space"
)

// Prefix is the path below which files are served.
const Prefix = "/files"

// Handler serves files: GET /files/{space}/{file}/{name}. The address is signed
// by the Signer, or the caller may read the space; then the file is that of the
// main content, or of the revision that the parameter of that name says.
type Handler struct {
	signer    *Signer
	bucket    *blob.Bucket
	spaces    *space.Service
	revisions *revision.Store
	refuse    func(http.ResponseWriter, *http.Request, error)
}

// NewHandler returns the handler. refuse shows errors.
func NewHandler(signer *Signer, bucket *blob.Bucket, spaces *space.Service, revisions *revision.Store, refuse func(http.ResponseWriter, *http.Request, error)) *Handler {
	return &Handler{signer: signer, bucket: bucket, spaces: spaces, revisions: revisions, refuse: refuse}
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	if err := h.serve(writer, request); err != nil {
		h.refuse(writer, request, err)
	}
}

func (h *Handler) serve(writer http.ResponseWriter, request *http.Request) error {
	if request.Method != http.MethodGet && request.Method != http.MethodHead {
		writer.Header().Set("Allow", "GET, HEAD")
		writer.WriteHeader(http.StatusMethodNotAllowed)
		return nil
	}
	found, err := h.find(request)
	if err != nil {
		return err
	}
	return Send(writer, request, h.bucket, File{
		Hash: found.hash, ContentType: found.contentType, Name: found.name, Caching: found.caching(h.signer.now()),
	})
}

// File is a file that its reader may have.
type File struct {
	Hash        content.Hash
	ContentType string
	Name        string
	// Caching is the header Cache-Control.
	Caching string
}

// Send answers a request with a file, with headers that make it safe to open.
// NOT_FOUND when the bucket does not have it.
func Send(writer http.ResponseWriter, request *http.Request, bucket *blob.Bucket, file File) error {
	reader, err := bucket.Open(request.Context(), file.Hash)
	if err != nil {
		return err
	}
	// The answer is complete or broken off already.
	defer func() { _ = reader.Close() }()
	file.describe(writer.Header())
	http.ServeContent(writer, request, "", time.Time{}, reader)
	return nil
}

// served is a file that the caller may read.
type served struct {
	grant
	name string
}

func (h *Handler) find(request *http.Request) (*served, error) {
	path := request.URL.EscapedPath()
	spaceID, fileID, name, err := splitPath(path)
	if err != nil {
		return nil, err
	}
	query := request.URL.Query()
	if query.Has(signatureParameter) {
		granted, err := h.signer.open(path, query)
		return &served{grant: granted, name: name}, err
	}
	file, err := h.readable(request, spaceID, fileID)
	if err != nil {
		return nil, err
	}
	return &served{grant: grant{hash: file.Content, contentType: file.ContentType}, name: file.Name}, nil
}

func splitPath(path string) (spaceID, fileID, name string, err error) {
	segments := strings.Split(strings.TrimPrefix(path, Prefix+"/"), "/")
	if len(segments) != 3 {
		return "", "", "", fault.Missing("file")
	}
	for index, segment := range segments {
		if segments[index], err = url.PathUnescape(segment); err != nil {
			return "", "", "", fault.Missing("file")
		}
	}
	return segments[0], segments[1], segments[2], nil
}

// readable finds a file of a space that the caller may read.
func (h *Handler) readable(request *http.Request, spaceID, fileID string) (*revision.File, error) {
	ctx := request.Context()
	found, err := h.spaces.Require(ctx, spaceID, access.ScopeRead, access.Read)
	if err != nil {
		return nil, err
	}
	revisionID := found.RevisionID
	if wanted := request.URL.Query().Get("revision"); wanted != "" {
		revisionID = wanted
	}
	at, err := h.revisions.InSpace(ctx, found.ID, revisionID)
	if err != nil {
		return nil, err
	}
	return h.revisions.File(ctx, at, fileID)
}

// shown are the types that browsers show without running anything in them. All
// others are saved.
var shown = map[string]bool{
	"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/avif": true,
	"image/bmp": true, "image/x-icon": true, "image/svg+xml": true, "application/pdf": true,
	"video/mp4": true, "video/webm": true, "application/ogg": true,
	"audio/mpeg": true, "audio/wave": true, "audio/aiff": true, "audio/basic": true,
}

const (
	// isolated lets a picture that can hold scripts show itself and do nothing
	// else.
	isolated = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
	// inert is for everything else, should a browser take it for a page.
	inert = "default-src 'none'; media-src 'self'; object-src 'self'"
)

// describe sets the headers that make the file safe to open.
func (f File) describe(header http.Header) {
	contentType, disposition := f.ContentType, "attachment"
	family, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		contentType, family = "application/octet-stream", ""
	}
	if shown[family] {
		disposition = "inline"
	}
	policy := inert
	if family == "image/svg+xml" || disposition == "attachment" {
		policy = isolated
	}
	header.Set("Content-Type", contentType)
	header.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": f.Name}))
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("ETag", `"`+string(f.Hash)+`"`)
	header.Set("Cache-Control", f.Caching)
}

// caching: what a signed address leads to never changes; what a file of the
// main content is, does.
func (s *served) caching(now time.Time) string {
	if s.expires.IsZero() {
		return "private, no-cache"
	}
	return fmt.Sprintf("private, max-age=%d, immutable", int(s.expires.Sub(now).Seconds()))
}
