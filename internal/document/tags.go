package document

import (
	"bytes"
	"regexp"
	"strings"
)

// tag is a {% name key="value" %} that stands alone on a line.
type tag struct {
	name string
	// argument is everything between the name and the closing mark.
	argument   string
	attributes []attribute
}

type attribute struct {
	// key is name in lower case.
	key, name, value string
	// start and end are the bytes of the value within the scanned text,
	// without its quotes; quote is 0 for a bare value.
	start, end int
	quote      byte
}

func (t *tag) get(key string) string {
	for _, attribute := range t.attributes {
		if attribute.key == key {
			return attribute.value
		}
	}
	return ""
}

// tagName finds {% name at the start of a line.
var tagName = regexp.MustCompile(`^\{%-?[ \t]*(@?[A-Za-z][\w./@-]*)`)

// scanTag reads the tag that line begins with. The line may end in blanks
// after the tag and in nothing else.
func scanTag(line []byte) (*tag, bool) {
	if !bytes.HasPrefix(line, []byte("{%")) {
		return nil, false
	}
	match := tagName.FindSubmatchIndex(line)
	if match == nil {
		return nil, false
	}
	trimmed := bytes.TrimRight(line, " \t\r\n")
	if !bytes.HasSuffix(trimmed, []byte("%}")) || len(trimmed)-2 < match[3] {
		return nil, false
	}
	argument := trimmed[match[3] : len(trimmed)-2]
	attributes, closed := scanAttributes(argument, match[3], `\`)
	if !closed || bytes.Contains(unquoted(argument, attributes, match[3]), []byte("%}")) {
		return nil, false
	}
	return &tag{
		name:       string(line[match[2]:match[3]]),
		argument:   strings.Trim(string(argument), " \t-"),
		attributes: attributes,
	}, true
}

// unquoted returns the bytes of the argument that lie outside of quotes.
func unquoted(argument []byte, attributes []attribute, offset int) []byte {
	var outside []byte
	last := 0
	for _, attribute := range attributes {
		if attribute.quote == 0 {
			continue
		}
		outside = append(outside, argument[last:attribute.start-offset]...)
		last = attribute.end - offset
	}
	return append(outside, argument[last:]...)
}

// scanAttributes reads key="value", key='value', key=value and lone keys.
// offset is added to positions; escape holds the character that escapes a
// quote, or nothing. closed is false when a quote is never closed.
func scanAttributes(source []byte, offset int, escape string) (attributes []attribute, closed bool) {
	position := 0
	for position < len(source) {
		if isBlank(source[position]) || source[position] == '/' {
			position++
			continue
		}
		start := position
		for position < len(source) && !isBlank(source[position]) && source[position] != '=' {
			if source[position] == '"' || source[position] == '\'' {
				// A quote without a key is part of a free argument.
				end := closingQuote(source, position, escape)
				if end < 0 {
					return attributes, false
				}
				attributes = append(attributes, attribute{
					value: unescapeValue(source[position+1:end], escape),
					start: offset + position + 1, end: offset + end, quote: source[position],
				})
				position = end
				start = end + 1
			}
			position++
		}
		name := string(source[start:position])
		key := strings.ToLower(name)
		if position >= len(source) || source[position] != '=' || key == "" {
			if key == "" && position < len(source) {
				position++
				continue
			}
			attributes = append(attributes, attribute{key: key, name: name, start: offset + position, end: offset + position})
			continue
		}
		position++
		if position < len(source) && (source[position] == '"' || source[position] == '\'') {
			end := closingQuote(source, position, escape)
			if end < 0 {
				return attributes, false
			}
			attributes = append(attributes, attribute{
				key: key, name: name, value: unescapeValue(source[position+1:end], escape),
				start: offset + position + 1, end: offset + end, quote: source[position],
			})
			position = end + 1
			continue
		}
		start = position
		for position < len(source) && !isBlank(source[position]) {
			position++
		}
		attributes = append(attributes, attribute{
			key: key, name: name, value: string(source[start:position]), start: offset + start, end: offset + position,
		})
	}
	return attributes, true
}

func closingQuote(source []byte, open int, escape string) int {
	for position := open + 1; position < len(source); position++ {
		if escape != "" && source[position] == escape[0] {
			position++
			continue
		}
		if source[position] == source[open] {
			return position
		}
	}
	return -1
}

func unescapeValue(value []byte, escape string) string {
	if escape == "" || !bytes.Contains(value, []byte(escape)) {
		return string(value)
	}
	var plain strings.Builder
	for position := 0; position < len(value); position++ {
		if value[position] == '\\' && position+1 < len(value) {
			switch value[position+1] {
			case '\\', '"', '\'':
				position++
			}
		}
		plain.WriteByte(value[position])
	}
	return plain.String()
}

var tagValueEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r\n", " ", "\n", " ", "\r", " ")

// writeTag writes a tag with the pairs of keys and values that are not empty.
func writeTag(name string, pairs ...string) string {
	var line strings.Builder
	line.WriteString("{% " + name)
	for index := 0; index+1 < len(pairs); index += 2 {
		if pairs[index+1] != "" {
			line.WriteString(" " + pairs[index] + `="` + tagValueEscapes.Replace(pairs[index+1]) + `"`)
		}
	}
	line.WriteString(" %}")
	return line.String()
}

func isBlank(character byte) bool {
	return character == ' ' || character == '\t' || character == '\n' || character == '\r'
}

// bodyKind tells what stands between a tag and its end.
type bodyKind int

const (
	bodyNone bodyKind = iota
	// bodyBlocks holds Markdown blocks and needs its end.
	bodyBlocks
	// bodyText holds a caption; both it and the end may be missing.
	bodyText
)

var tagBodies = map[string]bodyKind{
	"hint": bodyBlocks, "tabs": bodyBlocks, "tab": bodyBlocks, "stepper": bodyBlocks, "step": bodyBlocks,
	"columns": bodyBlocks, "column": bodyBlocks, "if": bodyBlocks, "code": bodyBlocks,
	"updates": bodyBlocks, "update": bodyBlocks,
	"content-ref": bodyText, "page-ref": bodyText, "embed": bodyText, "file": bodyText, "swagger": bodyText,
	"openapi": bodyText, "openapi-operation": bodyText, "openapi-schemas": bodyText, "openapi-webhook": bodyText,
	"include": bodyNone, "reusable": bodyNone,
}

// linePrefix is what may stand before a tag on its line: the marks of the
// quotes and lists that it stands in.
var linePrefix = regexp.MustCompile(`^[ \t]*(?:(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])[ \t]*)*`)

// prefixLength returns the length of linePrefix on a line.
func prefixLength(line []byte) int {
	blank := len(line) - len(bytes.TrimLeft(line, " \t"))
	if blank == len(line) || strings.IndexByte(">-+*0123456789", line[blank]) < 0 {
		return blank
	}
	return len(linePrefix.Find(line))
}

// pairing holds, by the position of an opening, that of its closing. It is
// made in one pass, so that the block parsers know where each block ends
// without looking ahead.
type pairing struct {
	ends map[int]int
	// closings marks the positions in ends.
	closings map[int]bool
}

// opening is a line that may open a block: its name, where it begins behind
// its prefix and where the next line does.
type opening struct {
	name          string
	position, end int
}

// pair finds the openings that have a closing: tags with a body, <details>,
// <table> and lines of $$.
func pair(source []byte) pairing {
	scan := pairScan{
		source: source, pairing: pairing{ends: map[int]int{}, closings: map[int]bool{}}, open: map[string]int{}, plain: -1,
	}
	for {
		for scan.next < len(source) {
			scan.line()
		}
		if scan.open["$$"] == 0 {
			return scan.pairing
		}
		scan.forgetMath()
	}
}

// pairScan is a pass over the lines of a source.
type pairScan struct {
	pairing
	source []byte
	// next is where the line to read begins.
	next int
	// fence is the mark of the code block that the line stands in.
	fence []byte
	// stack holds what is open, and open how many of each name.
	stack []opening
	open  map[string]int
	// plain is the position of the $$ that was found to close nowhere.
	plain int
}

// line reads the next line.
func (s *pairScan) line() {
	end := len(s.source)
	if newline := bytes.IndexByte(s.source[s.next:], '\n'); newline >= 0 {
		end = s.next + newline + 1
	}
	prefix := prefixLength(s.source[s.next:end])
	line, position := s.source[s.next+prefix:end], s.next+prefix
	s.next = end
	if s.fence != nil {
		if closesFence(line, s.fence) {
			s.fence = nil
		}
		return
	}
	if s.fence = opensFence(line); s.fence != nil {
		return
	}
	name, closing := pairName(line)
	if name == "" || position == s.plain {
		return
	}
	inMath := s.open["$$"] > 0
	switch {
	case name == "$$" && inMath:
		s.close(name, position)
	case !closing && !inMath:
		s.stack = append(s.stack, opening{name, position, end})
		s.open[name]++
	case closing && s.open[name] > 0 && inMath:
		s.forgetMath()
	case closing && s.open[name] > 0:
		s.close(name, position)
	}
}

func (s *pairScan) close(name string, position int) {
	for {
		last := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		s.open[last.name]--
		if last.name == name {
			s.ends[last.position] = position
			s.closings[position] = true
			return
		}
	}
}

// forgetMath goes back to the $$ that is open, the last thing on the stack:
// it ends nowhere, so it is text and what stands behind it counts. No other
// $$ lies in between, so that no line is read more than twice.
func (s *pairScan) forgetMath() {
	last := s.stack[len(s.stack)-1]
	s.stack = s.stack[:len(s.stack)-1]
	s.open[last.name]--
	s.plain, s.next, s.fence = last.position, last.end, nil
}

// pairName tells what a line opens or closes.
func pairName(line []byte) (name string, closing bool) {
	if len(line) < 2 {
		return "", false
	}
	switch {
	case line[0] == '{' && line[1] == '%':
		found, ok := scanTag(line)
		if !ok {
			return "", false
		}
		if tagBodies[found.name] != bodyNone {
			return found.name, false
		}
		if ended, isEnd := strings.CutPrefix(found.name, "end"); isEnd && tagBodies[ended] != bodyNone {
			return ended, true
		}
	case line[0] == '$' && line[1] == '$' && len(bytes.TrimSpace(line)) == 2:
		return "$$", false
	case line[0] == '<':
		return pairElement(line)
	}
	return "", false
}

var (
	detailsOpening = regexp.MustCompile(`^<details(?:[ \t]+open(?:="[^"]*")?)?[ \t]*>[ \t\r]*\n?$`)
	detailsClosing = regexp.MustCompile(`^</details>[ \t\r]*\n?$`)
)

func pairElement(line []byte) (name string, closing bool) {
	switch {
	case detailsOpening.Match(line):
		return "details", false
	case detailsClosing.Match(line):
		return "details", true
	}
	return "", false
}

func opensFence(line []byte) []byte {
	if len(line) < 3 || (line[0] != '`' && line[0] != '~') {
		return nil
	}
	width := 0
	for width < len(line) && line[width] == line[0] {
		width++
	}
	if width < 3 || (line[0] == '`' && bytes.IndexByte(line[width:], '`') >= 0) {
		return nil
	}
	return line[:width]
}

func closesFence(line, fence []byte) bool {
	trimmed := bytes.TrimRight(line, " \t\r\n")
	return len(trimmed) >= len(fence) && len(bytes.Trim(trimmed, string(fence[:1]))) == 0
}
