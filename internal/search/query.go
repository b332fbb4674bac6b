package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"octavo/internal/fault"
)

// QueryLimit is how many characters a query may have.
const QueryLimit = 512

// phrase is a sequence of words that a section must contain one after the
// other.
type phrase struct {
	words []string
	// prefix says that the last word may go on.
	prefix bool
}

// query is what a section must contain: every phrase.
type query struct {
	phrases []phrase
	// whole is the query as a title would be indexed.
	whole string
}

// parse reads what a person searches for: words, each of which must be found,
// the last of them perhaps begun only; and phrases between quotation marks. What
// holds no letter or digit asks for nothing. BAD_USER_INPUT for a query that is
// blank or too long.
func parse(text string) (query, error) {
	if length := utf8.RuneCountInString(text); length > QueryLimit {
		return query{}, fault.Invalid("query", "at most %d characters, got %d", QueryLimit, length)
	}
	if strings.TrimSpace(text) == "" {
		return query{}, fault.Invalid("query", "it is empty")
	}
	parsed := query{whole: indexed(text)}
	parts := strings.Split(strings.NewReplacer("“", `"`, "”", `"`, "„", `"`).Replace(text), `"`)
	for index, part := range parts {
		quoted := index%2 == 1 && index < len(parts)-1
		if quoted {
			parsed.add(part, false)
			continue
		}
		words := strings.Fields(part)
		for number, word := range words {
			parsed.add(word, index == len(parts)-1 && number == len(words)-1)
		}
	}
	return parsed, nil
}

// add requires the words of a text in their order. A name such as
// max_connections or net.http is several words.
func (q *query) add(text string, prefix bool) {
	found := slices.Collect(tokens(text))
	if len(found) == 0 {
		return
	}
	last := found[len(found)-1]
	if last.tail {
		found = found[:len(found)-1]
	}
	added := phrase{prefix: last.ideographic() && !last.tail || prefix && !last.ideographic()}
	for _, word := range found {
		added.words = append(added.words, word.text)
	}
	if !slices.ContainsFunc(q.phrases, added.equal) {
		q.phrases = append(q.phrases, added)
	}
}

func (p phrase) equal(other phrase) bool {
	return p.prefix == other.prefix && slices.Equal(p.words, other.words)
}

// pattern is the part of indexed words that has the phrase in it.
func (p phrase) pattern() string {
	pattern := " " + strings.Join(p.words, " ")
	if p.prefix {
		return pattern
	}
	return pattern + " "
}

// term is one word that the database looks up.
type term struct {
	word   string
	prefix bool
}

// terms are the words of all phrases.
func (q query) terms() []term {
	var terms []term
	for _, phrase := range q.phrases {
		for index, word := range phrase.words {
			added := term{word, phrase.prefix && index == len(phrase.words)-1}
			if !slices.Contains(terms, added) {
				terms = append(terms, added)
			}
		}
	}
	return terms
}

// endsAt returns the part of the source that the phrase covers when it ends
// with the last of the tokens.
func (p phrase) endsAt(seen []token) (covered span, found bool) {
	if len(seen) < len(p.words) {
		return span{}, false
	}
	tail := seen[len(seen)-len(p.words):]
	last := len(tail) - 1
	for index, word := range p.words {
		if tail[index].text != word && (!p.prefix || index != last || !strings.HasPrefix(tail[index].text, word)) {
			return span{}, false
		}
	}
	covered = span{tail[0].start, tail[last].end}
	if tail[last].ideographic() && utf8.RuneCountInString(p.words[last]) == 1 {
		covered.end = tail[last].single
	}
	return covered, true
}
