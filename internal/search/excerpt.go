package search

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// excerptLength is how many characters of a text are shown.
	excerptLength = 240
	// excerptLead is how many of them precede the first match.
	excerptLead = 60
	ellipsis    = "…"
)

// span is a part of a text, in bytes.
type span struct{ start, end int }

// excerpt returns the text around the first match as HTML: what matches stands
// between <em> and </em>, and nothing else is markup. Without a match it is the
// beginning of the text.
func excerpt(text string, phrases []phrase) string {
	window, marks := locate(text, phrases)
	var made strings.Builder
	if window.start > 0 {
		made.WriteString(ellipsis)
	}
	at := window.start
	for _, mark := range merge(marks) {
		if mark.start >= window.end {
			break
		}
		mark.end = min(mark.end, window.end)
		made.WriteString(escape(text[at:mark.start]))
		made.WriteString("<em>" + escape(text[mark.start:mark.end]) + "</em>")
		at = mark.end
	}
	made.WriteString(escape(text[at:window.end]))
	if window.end < len(text) {
		made.WriteString(ellipsis)
	}
	return strings.TrimSpace(made.String())
}

// Excerpt is what a search for the query shows of a text that it finds.
// BAD_USER_INPUT for a query that nobody can search for.
func Excerpt(text, query string) (string, error) {
	parsed, err := parse(query)
	if err != nil {
		return "", err
	}
	return excerpt(text, parsed.phrases), nil
}

// PlainExcerpt is the text of an excerpt, as it stands in the section: without
// marks, markup and what stands for the text left out.
func PlainExcerpt(excerpt string) string {
	unmarked := strings.NewReplacer("<em>", "", "</em>", "").Replace(excerpt)
	return html.UnescapeString(strings.TrimSuffix(strings.TrimPrefix(unmarked, ellipsis), ellipsis))
}

// locate finds the part of the text to show and the matches from its first one
// on.
func locate(text string, phrases []phrase) (window span, marks []span) {
	window = span{0, len(text)}
	longest := 0
	for _, phrase := range phrases {
		longest = max(longest, len(phrase.words))
	}
	var seen []token
	for found := range tokens(text) {
		if len(marks) > 0 && found.start >= window.end {
			break
		}
		if len(seen) > 2*longest {
			seen = append(seen[:0], seen[len(seen)-longest:]...)
		}
		seen = append(seen, found)
		for _, phrase := range phrases {
			covered, matches := phrase.endsAt(seen)
			if !matches {
				continue
			}
			if len(marks) == 0 {
				window = around(text, covered)
			}
			if covered.start >= window.start {
				marks = append(marks, covered)
			}
		}
	}
	if len(marks) == 0 {
		window = around(text, span{})
	}
	return window, marks
}

// around returns the part of the text to show for a match, between words where
// the script has spaces.
func around(text string, match span) span {
	start := match.start
	for range excerptLead {
		if start == 0 {
			break
		}
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	if start > 0 {
		if space := strings.IndexFunc(text[start:match.start], unicode.IsSpace); space >= 0 {
			start += space
		}
	}
	end := start
	for range excerptLength {
		if end == len(text) {
			break
		}
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	end = max(end, match.end)
	if end < len(text) {
		if space := strings.LastIndexFunc(text[match.end:end], unicode.IsSpace); space > 0 {
			end = match.end + space
		}
	}
	return span{start, end}
}

// merge joins the parts that overlap. They come ordered by their end.
func merge(marks []span) []span {
	var merged []span
	for _, mark := range marks {
		for len(merged) > 0 && mark.start <= merged[len(merged)-1].end {
			mark.start = min(mark.start, merged[len(merged)-1].start)
			mark.end = max(mark.end, merged[len(merged)-1].end)
			merged = merged[:len(merged)-1]
		}
		merged = append(merged, mark)
	}
	return merged
}

// escape returns a text as HTML, on one line.
func escape(text string) string {
	return html.EscapeString(strings.Map(func(character rune) rune {
		if unicode.IsSpace(character) {
			return ' '
		}
		return character
	}, text))
}
