// Package mathml writes formulas in the mathematics of TeX as MathML, which
// browsers show without scripts or fonts of their own.
//
// It understands what documentation uses of TeX: groups, scripts, fractions,
// roots, accents, delimiters, operators with limits, text, spaces, matrices and
// aligned equations, and the symbols of tables.go. Definitions are not among it.
package mathml

import (
	"fmt"
	"html"
	"strings"
	"unicode"
)

const (
	// MaximumLength bounds a formula, in bytes.
	MaximumLength = 10_000
	maximumDepth  = 50
)

// Convert returns a formula as a math element; display shows it as a block of
// its own. The error says what is not understood and where, in bytes from 1.
func Convert(formula string, display bool) (string, error) {
	if len(formula) > MaximumLength {
		return "", fmt.Errorf("a formula may have %d bytes, got %d", MaximumLength, len(formula))
	}
	parser := &parser{source: formula, display: display}
	content, err := parser.until("")
	if err != nil {
		return "", fmt.Errorf("byte %d: %w", parser.position+1, err)
	}
	mode := ""
	if display {
		mode = ` display="block"`
	}
	return fmt.Sprintf(`<math%s><semantics><mrow>%s</mrow><annotation encoding="application/x-tex">%s</annotation></semantics></math>`,
		mode, content, html.EscapeString(formula)), nil
}

type parser struct {
	source   string
	position int
	depth    int
	display  bool
	// cells says that & and \\ end a cell: inside of a matrix.
	cells bool
}

// until reads up to a closing token, which it consumes.
func (p *parser) until(closing string) (string, error) {
	if p.depth++; p.depth > maximumDepth {
		return "", fmt.Errorf("groups may be nested %d deep", maximumDepth)
	}
	defer func() { p.depth-- }()
	var row strings.Builder
	for {
		token := p.peek()
		if token == closing {
			p.next()
			return row.String(), nil
		}
		switch token {
		case "":
			return "", fmt.Errorf("%s is missing", closing)
		case "}", `\right`, `\end`:
			return "", fmt.Errorf("%s has nothing to close", token)
		case "&", `\\`:
			if p.cells && closing == "" {
				return row.String(), nil
			}
			if token == "&" {
				return "", fmt.Errorf("& stands outside of a matrix")
			}
		}
		element, err := p.scripted()
		if err != nil {
			return "", err
		}
		row.WriteString(element)
	}
}

// scripted reads an atom with its scripts.
func (p *parser) scripted() (string, error) {
	base := p.peek()
	element, err := p.atom()
	if err != nil {
		return "", err
	}
	stacked := p.display && limits[base] || base == `\underbrace` || base == `\overbrace`
	if p.peek() == `\limits` {
		p.next()
		stacked = true
	}
	var below, above string
	for {
		switch p.peek() {
		case "_":
			p.next()
			if below != "" {
				return "", fmt.Errorf("a second subscript")
			}
			below, err = p.argument()
		case "^":
			p.next()
			if above != "" {
				return "", fmt.Errorf("a second superscript")
			}
			above, err = p.argument()
		case "'":
			above += p.primes()
		default:
			return attach(element, below, above, stacked), nil
		}
		if err != nil {
			return "", err
		}
	}
}

func (p *parser) primes() string {
	count := 0
	for p.peek() == "'" {
		p.next()
		count++
	}
	return "<mo>" + strings.Repeat("′", count) + "</mo>"
}

func attach(base, below, above string, stacked bool) string {
	under, over, both := "msub", "msup", "msubsup"
	if stacked {
		under, over, both = "munder", "mover", "munderover"
	}
	switch {
	case below != "" && above != "":
		return wrap(both, base+group(below)+group(above))
	case below != "":
		return wrap(under, base+group(below))
	case above != "":
		return wrap(over, base+group(above))
	}
	return base
}

func wrap(element, content string) string {
	return "<" + element + ">" + content + "</" + element + ">"
}

func group(content string) string { return wrap("mrow", content) }

// argument reads what a command or a script takes: a group or one atom.
func (p *parser) argument() (string, error) {
	switch p.peek() {
	case "":
		return "", fmt.Errorf("an argument is missing")
	case "{":
		p.next()
		inner := *p
		inner.cells = false
		content, err := inner.until("}")
		p.position = inner.position
		return group(content), err
	}
	if token := p.peek(); unicode.IsDigit([]rune(token)[0]) {
		p.next()
		return "<mn>" + token + "</mn>", nil // without braces, one digit
	}
	return p.atom()
}

func (p *parser) atom() (string, error) {
	token := p.peek()
	switch {
	case token == "{":
		return p.argument()
	case token == "^" || token == "_" || token == "'":
		return "<mrow></mrow>", nil // a script of nothing
	}
	p.next()
	first := []rune(token)[0]
	switch {
	case first == '\\':
		return p.command(token)
	case unicode.IsDigit(first):
		return "<mn>" + token + p.digits() + "</mn>", nil
	case unicode.IsLetter(first):
		return "<mi>" + token + "</mi>", nil
	case token == "~":
		return `<mspace width="0.333em"></mspace>`, nil
	case token == "-":
		return "<mo>−</mo>", nil
	case strings.Contains("()[]|", token):
		return `<mo stretchy="false">` + token + "</mo>", nil
	}
	return "<mo>" + html.EscapeString(token) + "</mo>", nil
}

// digits reads the rest of a number.
func (p *parser) digits() string {
	begin := p.position
	for p.position < len(p.source) {
		character := p.source[p.position]
		decimal := character == '.' && p.position+1 < len(p.source) && p.source[p.position+1] >= '0' && p.source[p.position+1] <= '9'
		if (character < '0' || character > '9') && !decimal {
			break
		}
		p.position++
	}
	return p.source[begin:p.position]
}

// peek is the next token: a command, or a character; empty at the end.
func (p *parser) peek() string {
	for p.position < len(p.source) {
		character := p.source[p.position]
		if character == '%' {
			end := strings.IndexByte(p.source[p.position:], '\n')
			if end < 0 {
				p.position = len(p.source)
				return ""
			}
			p.position += end
			continue
		}
		if character != ' ' && character != '\n' && character != '\t' && character != '\r' {
			break
		}
		p.position++
	}
	rest := p.source[p.position:]
	if rest == "" {
		return ""
	}
	if rest[0] != '\\' || len(rest) == 1 {
		for index := range rest {
			if index > 0 {
				return rest[:index]
			}
		}
		return rest
	}
	end := 1
	for end < len(rest) && isLetter(rest[end]) {
		end++
	}
	if end == 1 {
		for index := range rest[1:] {
			if index > 0 {
				return rest[:1+index]
			}
		}
		return rest
	}
	return rest[:end]
}

func isLetter(character byte) bool {
	return character >= 'a' && character <= 'z' || character >= 'A' && character <= 'Z'
}

func (p *parser) next() { p.position += len(p.peek()) }

// verbatim reads the braces of a command that takes text.
func (p *parser) verbatim() (string, error) {
	if p.peek() != "{" {
		return "", fmt.Errorf("{ is missing")
	}
	p.next()
	depth := 1
	for index, character := range p.source[p.position:] {
		switch character {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			text := p.source[p.position : p.position+index]
			p.position += index + 1
			return text, nil
		}
	}
	return "", fmt.Errorf("} is missing")
}
