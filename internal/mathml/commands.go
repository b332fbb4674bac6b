package mathml

import (
	"fmt"
	"html"
	"strings"
)

// command writes what a command stands for; its name was read.
func (p *parser) command(name string) (string, error) {
	word := strings.TrimPrefix(name, `\`)
	if symbol, known := letters[word]; known {
		return "<mi>" + symbol + "</mi>", nil
	}
	if symbol, known := symbols[word]; known {
		return "<mo>" + html.EscapeString(symbol) + "</mo>", nil
	}
	if functions[word] {
		return "<mi>" + word + "</mi>", nil
	}
	if width, known := spaces[word]; known {
		return `<mspace width="` + width + `"></mspace>`, nil
	}
	if accent, known := accents[word]; known {
		return p.accent(word, accent)
	}
	if variant, known := variants[word]; known {
		return p.styled(variant)
	}
	return p.construct(word)
}

func (p *parser) construct(word string) (string, error) {
	switch word {
	case "frac", "dfrac", "tfrac", "cfrac":
		return p.two("mfrac", "")
	case "binom", "dbinom", "tbinom":
		fraction, err := p.two("mfrac", ` linethickness="0"`)
		return "<mrow><mo>(</mo>" + fraction + "<mo>)</mo></mrow>", err
	case "sqrt":
		return p.root()
	case "text", "textrm", "textit", "textbf", "mbox", "textsf", "texttt":
		text, err := p.verbatim()
		return "<mtext>" + html.EscapeString(text) + "</mtext>", err
	case "operatorname":
		text, err := p.verbatim()
		return "<mi>" + html.EscapeString(text) + "</mi>", err
	case "left":
		return p.delimited()
	case "begin":
		return p.environment()
	case "overset", "stackrel":
		return p.over("mover")
	case "underset":
		return p.over("munder")
	case "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr", "middle":
		delimiter, err := p.delimiter()
		return "<mo>" + delimiter + "</mo>", err
	case "displaystyle", "textstyle", "scriptstyle", "nolimits", "limits", "nonumber", "notag":
		return "", nil
	case "not":
		negated, err := p.atom()
		return strings.Replace(negated, "</mo>", "\u0338</mo>", 1), err
	case "\\":
		return `<mspace linebreak="newline"></mspace>`, nil
	case "tag", "label":
		_, err := p.verbatim()
		return "", err
	}
	return "", fmt.Errorf(`\%s is not known`, word)
}

func (p *parser) two(element, attributes string) (string, error) {
	first, err := p.argument()
	if err != nil {
		return "", err
	}
	second, err := p.argument()
	return "<" + element + attributes + ">" + group(first) + group(second) + "</" + element + ">", err
}

// over reads what stands over or under, then the base.
func (p *parser) over(element string) (string, error) {
	script, err := p.argument()
	if err != nil {
		return "", err
	}
	base, err := p.argument()
	return wrap(element, group(base)+group(script)), err
}

func (p *parser) root() (string, error) {
	if p.peek() != "[" {
		radicand, err := p.argument()
		return wrap("msqrt", radicand), err
	}
	p.next()
	inner := *p
	inner.cells = false
	degree, err := inner.until("]")
	p.position = inner.position
	if err != nil {
		return "", err
	}
	radicand, err := p.argument()
	return wrap("mroot", group(radicand)+group(degree)), err
}

func (p *parser) accent(word, accent string) (string, error) {
	base, err := p.argument()
	element := "mover"
	if strings.HasPrefix(word, "under") {
		element = "munder"
	}
	return "<" + element + ` accent="true">` + group(base) + "<mo>" + html.EscapeString(accent) + "</mo></" + element + ">", err
}

// styled writes the letters of an argument in another alphabet.
func (p *parser) styled(variant alphabet) (string, error) {
	text, err := p.verbatim()
	if err != nil {
		// A single letter needs no braces.
		text = p.peek()
		p.next()
	}
	if strings.ContainsAny(text, `\{}^_`) {
		inner := &parser{source: text, display: p.display, depth: p.depth}
		content, err := inner.until("")
		return group(content), err
	}
	if variant.upright {
		return `<mi mathvariant="normal">` + html.EscapeString(text) + "</mi>", nil
	}
	return "<mi>" + html.EscapeString(variant.write(text)) + "</mi>", nil
}

// delimited reads \left( … \right).
func (p *parser) delimited() (string, error) {
	opening, err := p.delimiter()
	if err != nil {
		return "", err
	}
	inner := *p
	inner.cells = false
	content, err := inner.until(`\right`)
	p.position = inner.position
	if err != nil {
		return "", err
	}
	closing, err := p.delimiter()
	return `<mrow><mo stretchy="true">` + opening + "</mo>" + content + `<mo stretchy="true">` + closing + "</mo></mrow>", err
}

func (p *parser) delimiter() (string, error) {
	token := p.peek()
	if token == "" {
		return "", fmt.Errorf("a delimiter is missing")
	}
	p.next()
	if token == "." {
		return "", nil
	}
	if word, command := strings.CutPrefix(token, `\`); command {
		symbol, known := symbols[word]
		if !known {
			return "", fmt.Errorf("%s is not a delimiter", token)
		}
		token = symbol
	}
	return html.EscapeString(token), nil
}

// environments gives the delimiters around each kind of matrix.
var environments = map[string][2]string{
	"matrix": {}, "smallmatrix": {}, "array": {}, "pmatrix": {"(", ")"}, "bmatrix": {"[", "]"}, "Bmatrix": {"{", "}"},
	"vmatrix": {"|", "|"}, "Vmatrix": {"‖", "‖"}, "cases": {"{", ""},
	"aligned": {}, "align": {}, "align*": {}, "split": {}, "gathered": {}, "gather": {}, "gather*": {}, "equation": {}, "equation*": {},
}

func (p *parser) environment() (string, error) {
	name, err := p.verbatim()
	if err != nil {
		return "", err
	}
	delimiters, known := environments[name]
	if !known {
		return "", fmt.Errorf("the environment %s is not known", name)
	}
	if name == "array" && p.peek() == "{" {
		if _, err := p.verbatim(); err != nil {
			return "", err
		}
	}
	rows, err := p.rows()
	if err != nil {
		return "", err
	}
	if closed, err := p.verbatim(); err != nil || closed != name {
		return "", fmt.Errorf(`\end{%s} is missing`, name)
	}
	columns := ""
	if strings.HasPrefix(name, "align") || name == "split" {
		columns = ` columnalign="right left"`
	}
	if name == "cases" {
		columns = ` columnalign="left"`
	}
	table := "<mtable" + columns + ">" + rows + "</mtable>"
	if delimiters == [2]string{} {
		return table, nil
	}
	return "<mrow><mo>" + delimiters[0] + "</mo>" + table + "<mo>" + delimiters[1] + "</mo></mrow>", nil
}

// rows reads the cells up to \end, which it consumes.
func (p *parser) rows() (string, error) {
	var table, row strings.Builder
	for {
		inner := *p
		inner.cells = true
		inner.source = p.source
		cell, end, err := inner.cell()
		p.position = inner.position
		if err != nil {
			return "", err
		}
		row.WriteString(wrap("mtd", cell))
		if end == "&" {
			continue
		}
		// A row that ends with \\ before \end is followed by an empty one.
		if end != `\end` || row.String() != "<mtd></mtd>" {
			table.WriteString(wrap("mtr", row.String()))
		}
		row.Reset()
		if end == `\end` {
			return table.String(), nil
		}
	}
}

// cell reads up to what ends a cell, which it consumes and returns.
func (p *parser) cell() (content, end string, err error) {
	if p.depth++; p.depth > maximumDepth {
		return "", "", fmt.Errorf("groups may be nested %d deep", maximumDepth)
	}
	var cell strings.Builder
	for {
		switch token := p.peek(); token {
		case "":
			return "", "", fmt.Errorf(`\end is missing`)
		case "&", `\\`, `\end`:
			p.next()
			p.depth--
			return cell.String(), token, nil
		case `\hline`:
			p.next()
			continue
		case "}", `\right`:
			return "", "", fmt.Errorf("%s has nothing to close", token)
		}
		element, err := p.scripted()
		if err != nil {
			return "", "", err
		}
		cell.WriteString(element)
	}
}
