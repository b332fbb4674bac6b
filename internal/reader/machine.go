package reader

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"time"

	"octavo/internal/audience"
	"octavo/internal/content"
	"octavo/internal/fault"
	"octavo/internal/hypertext"
	"octavo/internal/site"
)

const (
	plainText = "text/plain; charset=utf-8"
	markdown  = "text/markdown; charset=utf-8"
	// maximumFull bounds llms-full.txt, in bytes.
	maximumFull = 20 << 20
)

// machine makes what programs ask of a site as a whole; nil for any other path.
func (h *Handler) machine(visited *visit, path string) (*written, error) {
	switch path {
	case "robots.txt":
		return robots(visited), nil
	case "sitemap.xml":
		return h.sitemap(visited)
	case "llms.txt":
		return h.llms(visited)
	case "llms-full.txt":
		return h.llmsFull(visited)
	}
	return nil, nil
}

func robots(visited *visit) *written {
	rules := "User-agent: *\nDisallow: /\n"
	if visited.Indexable() {
		rules = "User-agent: *\nDisallow: " + visited.base + "/" + functions + "/search\nSitemap: " + visited.absolute(visited.base+"/sitemap.xml") + "\n"
	}
	return &written{status: http.StatusOK, contentType: plainText, body: []byte(rules)}
}

// everything is the content of each site space that the visitor sees, in order.
func (h *Handler) everything(visited *visit, each func(shown *site.SiteSpace, read *audience.Content) error) error {
	for _, shown := range visited.Structure.SiteSpaces {
		read, err := h.Content.Content(visited.request.Context(), visited.Visit, shown)
		if err != nil {
			return err
		}
		if err := each(shown, read); err != nil {
			return err
		}
	}
	return nil
}

type sitemapSet struct {
	XMLName xml.Name     `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	URLs    []sitemapURL `xml:"url"`
}

type sitemapURL struct {
	Location string `xml:"loc"`
	Modified string `xml:"lastmod,omitempty"`
}

// sitemap lists the pages that search engines may index: none of a site that is
// not public.
func (h *Handler) sitemap(visited *visit) (*written, error) {
	if !visited.Indexable() {
		return nil, fault.Missing("page")
	}
	var set sitemapSet
	err := h.everything(visited, func(_ *site.SiteSpace, read *audience.Content) error {
		for _, page := range read.Reading() {
			if page.NoIndex || page.NoRobots {
				continue
			}
			entry := sitemapURL{Location: visited.absolute(visited.pageAddress(read, page))}
			if !page.UpdatedAt.IsZero() {
				entry.Modified = page.UpdatedAt.UTC().Format(time.RFC3339)
			}
			set.URLs = append(set.URLs, entry)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return encodeXML(set, "application/xml; charset=utf-8")
}

func encodeXML(value any, contentType string) (*written, error) {
	body, err := xml.MarshalIndent(value, "", " ")
	if err != nil {
		return nil, err
	}
	return &written{status: http.StatusOK, contentType: contentType, body: append([]byte(xml.Header), body...)}, nil
}

// markdownAddress is where the source of a page is.
func (v *visit) markdownAddress(from *audience.Content, page *content.Page) string {
	address := strings.TrimSuffix(v.siteSpaceAddress(from.SiteSpace), "/")
	return address + "/" + escapePath(from.Tree.Index().Path(page)) + ".md"
}

// llms lists the pages for language models (llmstxt.org).
func (h *Handler) llms(visited *visit) (*written, error) {
	var list strings.Builder
	fmt.Fprintf(&list, "# %s\n", oneLine(visited.Structure.Site.Title))
	err := h.everything(visited, func(shown *site.SiteSpace, read *audience.Content) error {
		fmt.Fprintf(&list, "\n## %s\n\n", oneLine(headingOf(shown)))
		for _, page := range read.Reading() {
			fmt.Fprintf(&list, "- [%s](%s)", escapeLinkText(page.Title), visited.absolute(visited.markdownAddress(read, page)))
			if page.Description != "" {
				fmt.Fprintf(&list, ": %s", oneLine(page.Description))
			}
			list.WriteByte('\n')
		}
		return nil
	})
	return &written{status: http.StatusOK, contentType: plainText, body: []byte(list.String())}, err
}

func headingOf(shown *site.SiteSpace) string {
	if shown.Section == nil || len(shown.Section.SiteSpaces) > 1 {
		return shown.Space.Title
	}
	return shown.Section.Title
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func escapeLinkText(text string) string {
	return strings.NewReplacer("[", `\[`, "]", `\]`).Replace(oneLine(text))
}

// llmsFull is the text of all pages.
func (h *Handler) llmsFull(visited *visit) (*written, error) {
	var full strings.Builder
	err := h.everything(visited, func(_ *site.SiteSpace, read *audience.Content) error {
		for _, page := range read.Reading() {
			text, err := h.pageMarkdown(visited, read, page)
			if err != nil {
				return err
			}
			if full.Len()+len(text) > maximumFull {
				return nil
			}
			full.WriteString(text)
			full.WriteString("\n\n")
		}
		return nil
	})
	return &written{status: http.StatusOK, contentType: plainText, body: []byte(full.String())}, err
}

func (h *Handler) pageMarkdown(visited *visit, read *audience.Content, page *content.Page) (string, error) {
	text, err := h.Content.Markdown(visited.request.Context(), read, page)
	if err != nil {
		return "", err
	}
	heading := "# " + oneLine(page.Title) + "\n"
	if page.Description != "" {
		heading += "\n" + oneLine(page.Description) + "\n"
	}
	return heading + "\n" + strings.TrimLeft(string(text), "\n"), nil
}

// form is another shape of a page.
type form struct{ kind, path string }

// formOf reads a path such as guides/install.md or updates/rss.xml.
func formOf(path string) (form, bool) {
	if page, is := strings.CutSuffix(path, ".md"); is {
		return form{"markdown", page}, true
	}
	if path == "rss.xml" {
		return form{"feed", ""}, true
	}
	if page, is := strings.CutSuffix(path, "/rss.xml"); is {
		return form{"feed", page}, true
	}
	return form{}, false
}

func (h *Handler) writeForm(visited *visit, found *place, wanted form) (*written, error) {
	page := found.page(wanted.path)
	if page == nil && wanted.kind == "markdown" && wanted.path == "index" {
		page = found.content.Home()
	}
	if page == nil || !HasOwnPage(page) {
		return h.missingPage(visited, found, wanted.path)
	}
	if wanted.kind == "feed" {
		return h.feed(visited, found, page)
	}
	text, err := h.pageMarkdown(visited, found.content, page)
	return &written{status: http.StatusOK, contentType: markdown, body: []byte(text)}, err
}

type rss struct {
	XMLName xml.Name   `xml:"rss"`
	Version string     `xml:"version,attr"`
	Channel rssChannel `xml:"channel"`
}

type rssChannel struct {
	Title       string    `xml:"title"`
	Link        string    `xml:"link"`
	Description string    `xml:"description"`
	Items       []rssItem `xml:"item"`
}

type rssItem struct {
	Title       string `xml:"title"`
	Link        string `xml:"link"`
	GUID        string `xml:"guid"`
	Published   string `xml:"pubDate,omitempty"`
	Description string `xml:"description"`
}

// fromAfar makes the addresses of sources absolute, for texts that are read
// outside of the site.
func (v *visit) fromAfar(sources hypertext.Sources) hypertext.Sources {
	links, files := sources.Link, sources.File
	sources.Link = func(reference map[string]any) *hypertext.Link {
		found := links(reference)
		if found == nil || found.Address == "" {
			return found
		}
		far := *found
		far.Address = v.absolute(found.Address)
		return &far
	}
	sources.File = func(reference map[string]any) *hypertext.File {
		found := files(reference)
		if found == nil {
			return nil
		}
		far := *found
		far.Address = v.absolute(found.Address)
		return &far
	}
	return sources
}

// feed is the updates of a page, as RSS 2.0.
func (h *Handler) feed(visited *visit, found *place, page *content.Page) (*written, error) {
	text, err := h.Content.Document(visited.request.Context(), found.content, page)
	if err != nil {
		return nil, err
	}
	rendered := hypertext.Render(text, visited.fromAfar(h.sources(visited, found, page)))
	if len(rendered.Updates) == 0 {
		return h.missingPage(visited, found, found.path)
	}
	address := visited.absolute(visited.pageAddress(found.content, page))
	channel := rssChannel{Title: page.Title, Link: address, Description: page.Description}
	for _, update := range rendered.Updates {
		item := rssItem{Title: update.Title, Link: address + "#" + update.ID, GUID: address + "#" + update.ID, Description: string(update.HTML)}
		if day, err := time.Parse(time.DateOnly, update.Date); err == nil {
			item.Published = day.UTC().Format(time.RFC1123Z)
		}
		channel.Items = append(channel.Items, item)
	}
	return encodeXML(rss{Version: "2.0", Channel: channel}, "application/rss+xml; charset=utf-8")
}
