package reader

import (
	"cmp"
	"net/url"
	"strings"

	"octavo/internal/audience"
	"octavo/internal/content"
	"octavo/internal/site"
)

// place is what a path of a site leads to.
type place struct {
	siteSpace *site.SiteSpace
	content   *audience.Content
	// path below the address of the site space, without slashes at its ends.
	path string
}

// locate finds the site space that a path lies in. A site may have none that
// the visitor can see; the place is nil then.
func (h *Handler) locate(visited *visit, path string) (*place, error) {
	segments := strings.Split(path, "/")
	location := visited.Structure.Locate(segments)
	siteSpace, rest := location.SiteSpace, strings.Join(segments[location.Segments:], "/")
	if siteSpace == nil {
		return nil, nil
	}
	read, err := h.Content.Content(visited.request.Context(), visited.Visit, siteSpace)
	if err != nil {
		return nil, err
	}
	return &place{siteSpace: siteSpace, content: read, path: rest}, nil
}

// address of a site space below the base of the visit.
func (v *visit) siteSpaceAddress(shown *site.SiteSpace) string {
	location := v.base
	if shown.Section != nil && !shown.Section.Default {
		location += "/" + url.PathEscape(shown.Section.Path)
	}
	if !shown.Default {
		location += "/" + url.PathEscape(shown.Path)
	}
	return cmp.Or(location, "/")
}

// pageAddress is the path of a page for a link on the same site.
func (v *visit) pageAddress(from *audience.Content, page *content.Page) string {
	location := v.siteSpaceAddress(from.SiteSpace)
	path := from.Path(page)
	if path == "" {
		return location
	}
	return strings.TrimSuffix(location, "/") + "/" + escapePath(path)
}

func escapePath(path string) string {
	segments := strings.Split(path, "/")
	for index, segment := range segments {
		segments[index] = url.PathEscape(segment)
	}
	return strings.Join(segments, "/")
}

// absolute is the address of a path of the visit for those who are elsewhere.
func (v *visit) absolute(path string) string {
	below := strings.TrimPrefix(strings.TrimPrefix(path, v.base), "/")
	published := v.Structure.PublishedURL()
	base := v.Structure.Site.Address
	if published != nil {
		base = *published
	}
	if below == "" {
		return base
	}
	return strings.TrimSuffix(base, "/") + "/" + below
}
