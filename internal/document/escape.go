package document

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineContext says where a piece of inline Markdown is written.
type lineContext struct {
	// start says that the piece begins a line.
	start bool
	// end says that the piece ends its block.
	end bool
	// single says that the piece may not hold a line feed.
	single bool
	// cell says that the piece stands in a cell of a pipe table.
	cell bool
	// link says that the piece is the text of a link.
	link bool
}

var (
	lineStartMark = regexp.MustCompile(`^(?:#{1,6}(?:[ \t]|$)|[-+](?:[ \t]|$)|[-=:|>]|\$\$)`)
	lineStartItem = regexp.MustCompile(`^(\d{1,9})([.)])(?:[ \t]|$)`)
	linkedText    = regexp.MustCompile(`^(?i:(https?|ftp)(:)//|www(\.))`)
)

// escapeText writes text so that it is read as the same text.
func escapeText(text string, around lineContext) string {
	var escaped strings.Builder
	escaped.Grow(len(text) + 8)
	lineStart := around.start
	for index := 0; index < len(text); {
		rest := text[index:]
		if lineStart {
			if length := escapeLineStart(&escaped, rest); length > 0 {
				index += length
				lineStart = false
				continue
			}
		}
		character, size := utf8.DecodeRuneInString(rest)
		last := index+size == len(text)
		switch {
		case character == '\n':
			if around.single || (around.end && last) || (around.start && index == 0) ||
				strings.HasSuffix(escaped.String()[max(0, escaped.Len()-2):], `\`) {
				escaped.WriteString("<br>")
			} else {
				escaped.WriteString("\\\n")
				lineStart = true
				index += size
				continue
			}
		case character == ' ':
			if lineStart || (around.end && last) || strings.HasPrefix(rest[1:], "\n") {
				escaped.WriteString("&#x20;")
			} else {
				escaped.WriteByte(' ')
			}
		case character == '\u00a0':
			escaped.WriteString("&nbsp;")
		case character != '\n' && (lineStart || last || strings.HasPrefix(rest[size:], "\n")) && unicode.IsSpace(character):
			escaped.WriteString("&#x" + strings.ToUpper(hexadecimal(character)) + ";")
		case character == '\t':
			escaped.WriteString("&#x9;")
		case character == '\r':
			escaped.WriteString("&#xD;")
		case character == '\v' || character == '\f' || character == '\u0085' || character == '\u2028' || character == '\u2029':
			escaped.WriteString("&#x" + strings.ToUpper(hexadecimal(character)) + ";")
		case character == utf8.RuneError && size == 1:
			escaped.WriteString("\uFFFD")
		case needsEscape(character, rest, around):
			escaped.WriteByte('\\')
			escaped.WriteString(rest[:size])
		case last && character == '!':
			escaped.WriteString(`\!`)
		case (character == 'h' || character == 'H' || character == 'f' || character == 'F' || character == 'w' || character == 'W') && linkedText.MatchString(rest):
			match := linkedText.FindStringSubmatchIndex(rest)
			mark := max(match[4], match[6])
			escaped.WriteString(rest[:mark] + `\` + rest[mark:mark+1])
			index += mark + 1
			lineStart = false
			continue
		default:
			escaped.WriteString(rest[:size])
		}
		lineStart = false
		index += size
	}
	return escaped.String()
}

func hexadecimal(character rune) string {
	const digits = "0123456789abcdef"
	var reversed []byte
	for character > 0 {
		reversed = append([]byte{digits[character%16]}, reversed...)
		character /= 16
	}
	return string(reversed)
}

// escapeLineStart escapes what would begin a block and returns how many bytes
// of the text it wrote.
func escapeLineStart(escaped *strings.Builder, text string) int {
	if match := lineStartItem.FindStringSubmatch(text); match != nil {
		escaped.WriteString(match[1] + `\` + match[2])
		return len(match[1]) + 1
	}
	switch text[0] {
	case '#', '-', '+', '=', ':', '|', '>', '$':
	default:
		return 0
	}
	if strings.HasPrefix(text, ":") && !strings.HasPrefix(text, ":-") {
		return 0
	}
	if strings.HasPrefix(text, "-") && !startsListOrRule(text) {
		return 0
	}
	if !lineStartMark.MatchString(text) {
		return 0
	}
	escaped.WriteString(`\` + text[:1])
	return 1
}

// startsListOrRule says whether a line that begins with a hyphen is more than
// text: an item, a rule, an underline of a heading or of a table's head.
func startsListOrRule(text string) bool {
	if len(text) == 1 || text[1] == ' ' || text[1] == '\t' || text[1] == '\n' {
		return true
	}
	line, _, _ := strings.Cut(text, "\n")
	return strings.Trim(line, "-: |\t") == ""
}

// needsEscape says whether a character would begin or end something in any
// place of a text.
func needsEscape(character rune, rest string, around lineContext) bool {
	switch character {
	case '\\', '`', '*', '_', '[', '~':
		return true
	case ']':
		return true
	case '|':
		return around.cell
	case '<':
		return len(rest) == 1 || isAlphanumeric(rest[1]) || strings.IndexByte("/!?", rest[1]) >= 0
	case '&':
		return len(rest) == 1 || entity.MatchString(rest[:min(len(rest), 40)])
	case '{':
		return len(rest) == 1 || rest[1] == '{' || rest[1] == '%'
	case '$':
		return len(rest) == 1 || rest[1] == '$'
	case ':':
		return emojiOf(emojiName([]byte(rest[:min(len(rest), 80)]))) != "" || len(rest) == 1
	case '@':
		return true
	}
	return false
}

var (
	attributeEscapes = strings.NewReplacer(
		"&", "&#x26;", `"`, "&#x22;", "<", "&#x3C;", ">", "&#x3E;", "\n", "&#xA;", "\r", "&#xD;")
	titleEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", `\&`, "\n", "&#xA;", "\r", "&#xD;")
	// markdownEscapes are for what stands in an element in the midst of
	// Markdown, where it is read before the element is.
	markdownEscapes    = strings.NewReplacer("|", "&#x7C;", "\\", "&#x5C;")
	elementTextEscapes = strings.NewReplacer(
		"&", "&#x26;", "<", "&#x3C;", ">", "&#x3E;", "\n", "&#xA;", "\r", "&#xD;", "|", "&#x7C;", "\\", "&#x5C;")
)

// escapeAttribute writes the value of an attribute in double quotes.
func escapeAttribute(value string) string { return attributeEscapes.Replace(value) }

var htmlTextEscapes = strings.NewReplacer("&", "&#x26;", "<", "&#x3C;", ">", "&#x3E;", "\r", "&#xD;", "\t", "&#x9;")

// escapeHTML writes text as HTML text; line feeds become <br>.
func escapeHTML(text string) string {
	return strings.ReplaceAll(htmlTextEscapes.Replace(text), "\n", "<br>")
}

// writeDestination writes the destination of a link.
func writeDestination(destination string) string {
	if destination == "" {
		return ""
	}
	var escaped bytes.Buffer
	angled := strings.ContainsAny(destination, " \t()<>") || hasControl(destination)
	for index := range len(destination) {
		character := destination[index]
		switch {
		case character == '\n':
			escaped.WriteString("&#xA;")
			continue
		case character == '\r':
			escaped.WriteString("&#xD;")
			continue
		case character == '\\' && (index+1 == len(destination) || isPunctuationByte(destination[index+1])):
			escaped.WriteByte('\\')
		case character == '<' || character == '>':
			escaped.WriteByte('\\')
		case character == '&' && entity.MatchString(destination[index:min(len(destination), index+40)]):
			escaped.WriteByte('\\')
		}
		escaped.WriteByte(character)
	}
	if angled {
		return "<" + escaped.String() + ">"
	}
	return escaped.String()
}

func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(character rune) bool { return character < 0x20 || character == 0x7f })
}

func isPunctuationByte(character byte) bool {
	return character > ' ' && character < 0x7f && !isAlphanumeric(character)
}

// writeTitle writes the title of a link with a space before it.
func writeTitle(title string) string {
	if title == "" {
		return ""
	}
	return ` "` + titleEscapes.Replace(title) + `"`
}

// isSpaceRune and isPunctuation follow CommonMark's rules for delimiters.
func isSpaceRune(character rune) bool {
	return character == 0 || unicode.IsSpace(character) || unicode.Is(unicode.Zs, character)
}

func isPunctuation(character rune) bool {
	return unicode.IsPunct(character) || unicode.IsSymbol(character)
}
