package template_test

import "octavo/internal/document"

func linksOf(text []byte) []string {
	_, body := document.SplitFrontMatter(text)
	var destinations []string
	for _, link := range document.Links(body) {
		destinations = append(destinations, link.Destination)
	}
	return destinations
}
