package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// wordLimit bounds the characters of a word that count. Longer ones, such as
// encoded data, are cut in texts and queries alike.
const wordLimit = 64

// token is a word as both databases index it: letters, digits and marks, in
// lower case, without accents. Scripts that put no spaces between words become
// overlapping pairs of characters, and each run of them ends with its last
// character alone: any part of a run is then a sequence of pairs, and a single
// character begins one.
type token struct {
	text string
	// start and end are the bytes of the source that it was made from.
	start, end int
	// single is where the first character of a pair ends; 0 for words.
	single int
	// tail marks the character that ends a run of pairs.
	tail bool
}

// ideographic tells whether the token comes from a script without spaces.
func (t token) ideographic() bool { return t.single > 0 }

// tokens yields the words of a text, in order.
func tokens(text string) iter.Seq[token] {
	return func(yield func(token) bool) {
		scanner := scanner{yield: yield}
		for start := 0; start < len(text) && !scanner.stopped; {
			end := start + characterLength(text[start:])
			for _, character := range fold(text[start:end]) {
				scanner.add(character, start, end)
			}
			start = end
		}
		scanner.finish()
	}
}

// characterLength is how many bytes the character at the beginning of the text
// has, with the marks that belong to it.
func characterLength(text string) int {
	if text[0] < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) {
		return 1
	}
	return norm.NFKD.NextBoundaryInString(text, true)
}

// scanner gathers folded characters into tokens.
type scanner struct {
	yield   func(token) bool
	stopped bool

	word       strings.Builder
	characters int
	start, end int

	// pending is the last character of a run of pairs.
	pending token
	paired  bool
}

func (s *scanner) add(character rune, start, end int) {
	switch {
	case isIgnored(character):
	case isIdeographic(character):
		s.finishWord()
		s.pair(character, start, end)
	case unicode.IsLetter(character) || unicode.IsNumber(character) || unicode.IsMark(character):
		s.finishPairs()
		s.extend(character, start, end)
	default:
		s.finish()
	}
}

func (s *scanner) extend(character rune, start, end int) {
	if s.characters == 0 {
		s.start = start
	}
	s.end = end
	if s.characters < wordLimit {
		s.word.WriteRune(character)
		s.characters++
	}
}

func (s *scanner) pair(character rune, start, end int) {
	current := token{text: string(character), start: start, end: end, single: end}
	if s.pending.text != "" {
		s.emit(token{text: s.pending.text + current.text, start: s.pending.start, end: end, single: s.pending.end})
		s.paired = true
	}
	s.pending = current
}

func (s *scanner) finish() {
	s.finishWord()
	s.finishPairs()
}

func (s *scanner) finishWord() {
	if s.characters == 0 {
		return
	}
	s.emit(token{text: s.word.String(), start: s.start, end: s.end})
	s.word.Reset()
	s.characters = 0
}

func (s *scanner) finishPairs() {
	if s.pending.text == "" {
		return
	}
	s.pending.tail = s.paired
	s.emit(s.pending)
	s.pending, s.paired = token{}, false
}

func (s *scanner) emit(made token) {
	if !s.stopped {
		s.stopped = !s.yield(made)
	}
}

// letters maps those that Unicode does not decompose to how people type them.
var letters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ħ': "h", 'ŧ': "t",
	'ı': "i", 'ς': "σ",
}

// fold takes case, accents and differences of width from one character.
func fold(character string) string {
	if len(character) == 1 && character[0] < utf8.RuneSelf {
		return string(unicode.ToLower(rune(character[0])))
	}
	base := strings.Map(func(part rune) rune {
		if isAccent(part) {
			return -1
		}
		return part
	}, norm.NFKD.String(character))
	var folded strings.Builder
	for _, part := range norm.NFC.String(base) {
		part = unicode.ToLower(part)
		if spelled, known := letters[part]; known {
			folded.WriteString(spelled)
			continue
		}
		folded.WriteRune(part)
	}
	return folded.String()
}

// isAccent tells whether a mark can be left out. The vowels of Indian scripts
// and the voicing of Japanese ones cannot.
func isAccent(mark rune) bool {
	if mark == '\u3099' || mark == '\u309a' || !unicode.Is(unicode.Mn, mark) {
		return false
	}
	return unicode.In(mark, unicode.Inherited, unicode.Hebrew)
}

// isIgnored tells whether a character is nothing but a hint for typesetting,
// such as a soft hyphen. A zero-width space separates words.
func isIgnored(character rune) bool {
	return character != '\u200b' && unicode.Is(unicode.Cf, character)
}

const prolongedSound = 'ー'

func isIdeographic(character rune) bool {
	if character < unicode.MaxLatin1 {
		return false
	}
	return character == prolongedSound || unicode.In(character, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Hangul, unicode.Bopomofo, unicode.Yi, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && !unicode.IsPunct(character)
}

// textLimit bounds the bytes of words that are indexed of one section; a
// tsvector holds 1 MiB.
const textLimit = 512 << 10

// indexed returns the words of a text as the databases keep them: separated by
// single spaces, with one at both ends; nothing for a text without words.
func indexed(text string) string {
	var words strings.Builder
	for found := range tokens(text) {
		if words.Len()+len(found.text) >= textLimit {
			break
		}
		if words.Len() == 0 {
			words.WriteByte(' ')
		}
		words.WriteString(found.text)
		words.WriteByte(' ')
	}
	return words.String()
}
