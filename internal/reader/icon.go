package reader

import (
	"cmp"
	"html"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"octavo/internal/hypertext"
	"octavo/internal/site"
)

// iconOf draws the icon of a site that brings no picture: its emoji, or the
// first letter of its title in its colour.
func iconOf(visited *visit, settings *customization) string {
	const start = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">`
	if emoji := hypertext.Emoji(settings.Favicon.Emoji); emoji != "" {
		return start + `<text x="16" y="26" font-size="27" text-anchor="middle">` + html.EscapeString(emoji) + `</text></svg>`
	}
	color := cmp.Or(readable(settings.Styling.PrimaryColor.Light, lightBackground), "#1d5fd1")
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(cmp.Or(settings.Title, visited.Structure.Site.Title, "·")))
	return start + `<rect width="32" height="32" rx="7" fill="` + color + `"/><text x="16" y="23" font-family="system-ui,sans-serif" font-size="20" font-weight="700" text-anchor="middle" fill="` +
		opposite(color) + `">` + html.EscapeString(strings.ToUpper(string(first))) + `</text></svg>`
}

// iconAddress is where that icon is.
func iconAddress(visited *visit, shown *site.SiteSpace, settings *customization) string {
	query := url.Values{"s": {shown.ID}, "v": {digestOf(iconOf(visited, settings))[:8]}}
	return visited.base + "/" + functions + "/icon.svg?" + query.Encode()
}

func (h *Handler) icon(writer http.ResponseWriter, visited *visit) error {
	shown, err := visited.Structure.SiteSpace(visited.request.URL.Query().Get("s"))
	if err != nil {
		return err
	}
	settings, err := settingsOf(shown)
	if err != nil {
		return err
	}
	writer.Header().Set("Content-Type", "image/svg+xml")
	writer.Header().Set("Cache-Control", "private, max-age=86400")
	_, _ = writer.Write([]byte(iconOf(visited, settings))) // the client may have gone
	return nil
}
