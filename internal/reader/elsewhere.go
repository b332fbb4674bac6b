package reader

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"

	"octavo/internal/cache"
	"octavo/internal/fault"
	"octavo/internal/outbound"
)

const (
	// elsewhereSize bounds all that is kept of other hosts in memory, in bytes.
	elsewhereSize = 32 << 20
	// maximumElsewhere bounds one logo, icon or font, in bytes.
	maximumElsewhere = 2 << 20
	// elsewhereTime is for how long it is used before it is asked for again, and
	// failureTime for how long nothing is asked that could not be had.
	elsewhereTime = time.Hour
	failureTime   = time.Minute
	// maximumFetch bounds the time of one request, and maximumFetches how many
	// there are at once.
	maximumFetch   = 10 * time.Second
	maximumFetches = 8
)

// elsewhere fetches the logos, icons and fonts that a customization names by
// their addresses, so that readers ask no host but that of the site.
type elsewhere struct {
	outbound *outbound.Client
	kept     *cache.Cache[string, *fetched]
	flights  singleflight.Group
	slots    chan struct{}
}

// fetched is what an address answered; body is nil when that cannot be shown.
type fetched struct {
	contentType string
	body        []byte
	until       time.Time
}

func newElsewhere(client *outbound.Client) *elsewhere {
	return &elsewhere{outbound: client, kept: cache.New[string, *fetched](elsewhereSize), slots: make(chan struct{}, maximumFetches)}
}

// digestOf names an address in a path.
func digestOf(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:12])
}

// elsewhereAddress is where the visitor finds what lies at an address of the
// customization; empty for none.
func elsewhereAddress(visited *visit, address string) string {
	if address == "" {
		return ""
	}
	return visited.base + "/" + functions + "/elsewhere/" + digestOf(address)
}

// addresses are all that the customization names for its own pages. Nothing else
// is ever fetched.
func (c *customization) addresses() []string {
	named := append(fontAddresses(c), c.SocialPreview.URL)
	for _, pair := range []*themed{c.Header.Logo, c.Footer.Logo, c.Favicon.Icon} {
		if pair != nil {
			named = append(named, pair.Light, pair.Dark)
		}
	}
	return slices.DeleteFunc(named, func(address string) bool { return address == "" })
}

// serveElsewhere serves what one of the customizations of the site names.
func (h *Handler) serveElsewhere(writer http.ResponseWriter, visited *visit, digest string) error {
	for _, shown := range visited.Structure.SiteSpaces {
		settings, err := settingsOf(shown)
		if err != nil {
			return err
		}
		for _, address := range settings.addresses() {
			if digestOf(address) == digest {
				return h.sendElsewhere(writer, visited, address)
			}
		}
	}
	return fault.Missing("file")
}

func (h *Handler) sendElsewhere(writer http.ResponseWriter, visited *visit, address string) error {
	found, err := h.remote.get(visited.request.Context(), address)
	if err != nil {
		return err
	}
	if found.body == nil {
		return fault.Missing("file")
	}
	header := writer.Header()
	header.Set("Content-Type", found.contentType)
	header.Set("Cache-Control", "private, max-age=3600")
	// An SVG image that is opened by itself runs nothing and asks nobody.
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	http.ServeContent(writer, visited.request, "", time.Time{}, bytes.NewReader(found.body))
	return nil
}

// get returns what an address answers. The request goes on when the visitor who
// asked leaves, since others may wait for the same.
func (e *elsewhere) get(ctx context.Context, address string) (*fetched, error) {
	known, found := e.kept.Get(address)
	if found && time.Now().Before(known.until) {
		return known, nil
	}
	flight := e.flights.DoChan(address, func() (any, error) { return e.fetch(context.WithoutCancel(ctx), address, known), nil })
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case result := <-flight:
		answer, _ := result.Val.(*fetched)
		return answer, result.Err
	}
}

// fetch asks for an address. What was known before stays when it does not answer.
func (e *elsewhere) fetch(ctx context.Context, address string, before *fetched) *fetched {
	ctx, cancel := context.WithTimeout(ctx, maximumFetch)
	defer cancel()
	made := &fetched{until: time.Now().Add(failureTime)}
	if before != nil {
		made.contentType, made.body = before.contentType, before.body
	}
	select {
	case <-ctx.Done():
		return made
	case e.slots <- struct{}{}:
	}
	defer func() { <-e.slots }()
	answer, err := e.outbound.Get(ctx, address, maximumElsewhere)
	if err == nil {
		if contentType := shownType(answer); contentType != "" {
			made = &fetched{contentType, answer.Body, time.Now().Add(elsewhereTime)}
		}
	}
	e.kept.Add(address, made, int64(len(made.body)+len(address)+256))
	return made
}

// shownTypes are the types that bytes show themselves to be of and that a page
// may load.
var shownTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/x-icon", "font/woff", "font/woff2"}

// shownType is the type of what was answered, told by its bytes; only SVG, which
// is text, takes the word of who answered. Empty for what a page does not show.
func shownType(answer *outbound.Response) string {
	sniffed := http.DetectContentType(answer.Body)
	if slices.Contains(shownTypes, sniffed) {
		return sniffed
	}
	declared, _, _ := strings.Cut(answer.ContentType, ";")
	beginning := answer.Body[:min(len(answer.Body), 1024)]
	if strings.TrimSpace(declared) == "image/svg+xml" && bytes.Contains(beginning, []byte("<svg")) {
		return "image/svg+xml"
	}
	return ""
}

// pictures fills in the logos, the icon and the picture for previews.
func pictures(shown *view, visited *visit, settings *customization) {
	if logo := settings.Header.Logo; logo != nil {
		shown.Site.LogoLight, shown.Site.LogoDark = pair(visited, logo)
	}
	if icon := settings.Favicon.Icon; icon != nil {
		shown.Site.Favicon, shown.Site.FaviconDark = pair(visited, icon)
	}
	if logo := settings.Footer.Logo; logo != nil && shown.Footer != nil {
		shown.Footer.LogoLight, shown.Footer.LogoDark = pair(visited, logo)
	}
	if preview := elsewhereAddress(visited, settings.SocialPreview.URL); preview != "" {
		shown.SocialImage = visited.absolute(preview)
	}
}

// pair are the addresses for light and dark pages; the second is empty when both
// are the same.
func pair(visited *visit, given *themed) (light, dark string) {
	light, dark = elsewhereAddress(visited, given.Light), elsewhereAddress(visited, given.Dark)
	if dark == light {
		return light, ""
	}
	return light, dark
}
