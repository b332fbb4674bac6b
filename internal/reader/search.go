package reader

import (
	"html"
	"net/url"
	"strconv"
	"strings"

	"octavo/internal/audience"
	"octavo/internal/fault"
)

// resultsPerPage bounds the pages that one answer lists.
const resultsPerPage = 20

func searchAddress(visited *visit, query, after string) string {
	return visited.base + "/" + functions + "/search?" + url.Values{"q": {query}, "after": {after}}.Encode()
}

func summaryOf(words words, count int) string {
	if count == 0 {
		return words.NothingFound
	}
	return words.Results + ": " + strconv.Itoa(count)
}

// find lists the pages that the visitor may see and that match. What they may
// not see of a page is not searched.
func (h *Handler) find(visited *visit, text, after string) (found []result, next string, err error) {
	if strings.TrimSpace(text) == "" {
		return nil, "", nil
	}
	hits, next, err := h.Finder.Search(visited.request.Context(), visited.Visit, audience.Query{Text: text, After: after, Limit: resultsPerPage})
	if fault.CodeOf(err) == fault.BadUserInput {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	for _, hit := range hits {
		address := visited.pageAddress(hit.Content, hit.Page)
		shown := result{Title: hit.Page.Title, Place: placeOf(visited, hit), Address: address}
		for _, section := range hit.Sections {
			if section.Anchor == "" {
				shown.Excerpt = plain(section.Body)
				continue
			}
			shown.Sections = append(shown.Sections, result{
				Title: section.Title, Address: address + "#" + url.PathEscape(section.Anchor), Excerpt: plain(section.Body),
			})
		}
		found = append(found, shown)
	}
	return found, next, nil
}

func placeOf(visited *visit, hit *audience.Hit) string {
	var parts []string
	if len(visited.Structure.SiteSpaces) > 1 {
		parts = append(parts, headingOf(hit.Content.SiteSpace))
	}
	for _, above := range hit.Ancestors {
		parts = append(parts, above.Title)
	}
	return strings.Join(parts, " › ")
}

// plain is an excerpt without the marks of what matched; the page shows it as
// text.
func plain(excerpt string) string {
	return html.UnescapeString(strings.NewReplacer("<em>", "", "</em>", "").Replace(excerpt))
}
