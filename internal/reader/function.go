package reader

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"octavo/internal/content"
	"octavo/internal/download"
	"octavo/internal/fault"
)

// function answers what stands below the functions of a site.
func (h *Handler) function(writer http.ResponseWriter, visited *visit, name string) error {
	switch {
	case strings.HasPrefix(name, "assets/"):
		// Below the key of a share link, too.
		serveAsset(writer, visited.request, strings.TrimPrefix(name, "assets/"))
		return nil
	case name == "theme.css":
		return h.theme(writer, visited)
	case name == "icon.svg":
		return h.icon(writer, visited)
	case strings.HasPrefix(name, "elsewhere/"):
		return h.serveElsewhere(writer, visited, strings.TrimPrefix(name, "elsewhere/"))
	case name == "search":
		return h.searchPage(writer, visited)
	case name == "search.json":
		return h.searchJSON(writer, visited)
	case strings.HasPrefix(name, "files/"):
		return h.file(writer, visited, strings.TrimPrefix(name, "files/"))
	}
	return fault.Missing("page")
}

// file serves a file of a site space that the visitor sees.
func (h *Handler) file(writer http.ResponseWriter, visited *visit, path string) error {
	segments := strings.Split(path, "/")
	if len(segments) != 3 {
		return fault.Missing("file")
	}
	shown, err := visited.Structure.SiteSpace(segments[0])
	if err != nil {
		return err
	}
	read, err := h.Content.Content(visited.request.Context(), visited.Visit, shown)
	if err != nil {
		return err
	}
	known := fileOf(read.Tree, segments[1])
	if known == nil {
		return fault.Missing("file")
	}
	return h.send(writer, visited, known)
}

func (h *Handler) send(writer http.ResponseWriter, visited *visit, known *content.File) error {
	return download.Send(writer, visited.request, h.Files, download.File{
		Hash: known.Content, ContentType: known.ContentType, Name: known.Name, Caching: "private, max-age=3600",
	})
}

// theme is the part of the style sheet that the customization decides.
func (h *Handler) theme(writer http.ResponseWriter, visited *visit) error {
	shown, err := visited.Structure.SiteSpace(visited.request.URL.Query().Get("s"))
	if err != nil {
		return err
	}
	settings, err := settingsOf(shown)
	if err != nil {
		return err
	}
	writer.Header().Set("Content-Type", "text/css; charset=utf-8")
	writer.Header().Set("Cache-Control", "private, max-age=86400")
	_, _ = fmt.Fprint(writer, themeSheet(settings)) // the client may have gone
	return nil
}

// searched is what the page's script reads.
type searched struct {
	Results []searchedItem `json:"results"`
}

type searchedItem struct {
	Title   string `json:"title"`
	Place   string `json:"place,omitempty"`
	Address string `json:"address"`
	Excerpt string `json:"excerpt,omitempty"`
}

func (h *Handler) searchJSON(writer http.ResponseWriter, visited *visit) error {
	found, _, err := h.find(visited, visited.request.URL.Query().Get("q"), "")
	if err != nil {
		return err
	}
	answer := searched{Results: []searchedItem{}}
	for _, page := range found {
		answer.Results = append(answer.Results, searchedItem{page.Title, page.Place, page.Address, page.Excerpt})
		for _, section := range page.Sections {
			answer.Results = append(answer.Results, searchedItem{section.Title, page.Title, section.Address, section.Excerpt})
		}
	}
	writer.Header().Set("Content-Type", "application/json")
	writer.Header().Set("Cache-Control", "private, no-store")
	writer.Header().Set("X-Robots-Tag", "noindex")
	return json.NewEncoder(writer).Encode(answer)
}

func (h *Handler) searchPage(writer http.ResponseWriter, visited *visit) error {
	found, err := h.locate(visited, "")
	if err != nil {
		return err
	}
	if found == nil {
		return fault.Missing("page")
	}
	shown, err := h.frame(visited, found, nil)
	if err != nil {
		return err
	}
	query := visited.request.URL.Query()
	shown.Query = query.Get("q")
	shown.DocumentTitle, shown.Robots, shown.MainClass = shown.Words.Search, "noindex", mainClass(content.DefaultLayout(), shown)
	results, next, err := h.find(visited, shown.Query, query.Get("after"))
	if err != nil {
		return err
	}
	shown.Results = results
	shown.ResultsSummary = summaryOf(shown.Words, len(results))
	if next != "" {
		shown.NextResults = searchAddress(visited, shown.Query, next)
	}
	made, err := execute("search", shown, http.StatusOK)
	if err != nil {
		return err
	}
	writer.Header().Set("Content-Type", made.contentType)
	writer.Header().Set("Cache-Control", "private, no-store")
	writer.Header().Set("X-Robots-Tag", "noindex")
	_, _ = writer.Write(made.body) // the client may have gone
	return nil
}
