package mathml

import "strings"

// letters are the commands that stand for identifiers.
var letters = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
	"theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π",
	"varpi": "ϖ", "rho": "ρ", "varrho": "ϱ", "sigma": "σ", "varsigma": "ς", "tau": "τ", "upsilon": "υ", "phi": "ϕ",
	"varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ",
	"Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "infty": "∞",
	"partial": "∂", "nabla": "∇", "hbar": "ℏ", "ell": "ℓ", "Re": "ℜ", "Im": "ℑ", "aleph": "ℵ", "emptyset": "∅",
	"varnothing": "∅", "imath": "ı", "jmath": "ȷ", "wp": "℘", "top": "⊤", "bot": "⊥", "angle": "∠", "degree": "°",
}

// symbols are the commands that stand for operators, relations and delimiters.
var symbols = map[string]string{
	"cdot": "⋅", "times": "×", "div": "÷", "pm": "±", "mp": "∓", "ast": "∗", "star": "⋆", "circ": "∘", "bullet": "•",
	"oplus": "⊕", "ominus": "⊖", "otimes": "⊗", "odot": "⊙", "cap": "∩", "cup": "∪", "sqcap": "⊓", "sqcup": "⊔",
	"wedge": "∧", "land": "∧", "vee": "∨", "lor": "∨", "neg": "¬", "lnot": "¬", "setminus": "∖", "leq": "≤", "le": "≤",
	"geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠", "ll": "≪", "gg": "≫", "approx": "≈", "equiv": "≡", "sim": "∼",
	"simeq": "≃", "cong": "≅", "propto": "∝", "prec": "≺", "succ": "≻", "preceq": "⪯", "succeq": "⪰", "doteq": "≐",
	"asymp": "≍", "models": "⊨", "vdash": "⊢", "dashv": "⊣", "perp": "⊥", "parallel": "∥", "mid": "∣", "nmid": "∤",
	"in": "∈", "notin": "∉", "ni": "∋", "subset": "⊂", "supset": "⊃", "subseteq": "⊆", "supseteq": "⊇",
	"nsubseteq": "⊈", "sqsubseteq": "⊑", "sqsupseteq": "⊒", "forall": "∀", "exists": "∃", "nexists": "∄",
	"therefore": "∴", "because": "∵", "to": "→", "rightarrow": "→", "leftarrow": "←", "gets": "←",
	"leftrightarrow": "↔", "Rightarrow": "⇒", "Leftarrow": "⇐", "Leftrightarrow": "⇔", "implies": "⟹", "impliedby": "⟸",
	"iff": "⟺", "longrightarrow": "⟶", "longleftarrow": "⟵", "mapsto": "↦", "longmapsto": "⟼", "uparrow": "↑",
	"downarrow": "↓", "updownarrow": "↕", "Uparrow": "⇑", "Downarrow": "⇓", "nearrow": "↗", "searrow": "↘",
	"hookrightarrow": "↪", "rightharpoonup": "⇀", "rightleftharpoons": "⇌", "leadsto": "⇝", "ldots": "…", "dots": "…",
	"cdots": "⋯", "vdots": "⋮", "ddots": "⋱", "prime": "′", "backslash": "\\", "lbrace": "{", "rbrace": "}", "{": "{",
	"}": "}", "lbrack": "[", "rbrack": "]", "langle": "⟨", "rangle": "⟩", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈",
	"rceil": "⌉", "lvert": "|", "rvert": "|", "vert": "|", "lVert": "‖", "rVert": "‖", "Vert": "‖", "|": "‖", "%": "%",
	"&": "&", "#": "#", "$": "$", "_": "_", "sum": "∑", "prod": "∏", "coprod": "∐", "int": "∫", "iint": "∬",
	"iiint": "∭", "oint": "∮", "bigcup": "⋃", "bigcap": "⋂", "bigoplus": "⨁", "bigotimes": "⨂", "bigvee": "⋁",
	"bigwedge": "⋀", "bigsqcup": "⨆", "triangle": "△", "square": "□", "Box": "□", "diamond": "⋄", "lozenge": "◊",
	"checkmark": "✓", "dagger": "†", "ddagger": "‡", "S": "§", "P": "¶", "colon": ":", "coloneqq": "≔", "surd": "√",
	"bmod": "mod",
}

// functions are the commands that stand for names of functions.
var functions = set(
	"sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "arcsin", "arccos", "arctan", "log", "ln", "lg", "exp", "det", "dim", "ker", "hom", "deg", "gcd", "arg", "max", "min", "sup", "inf", "lim", "limsup", "liminf", "Pr", "argmax", "argmin",
)

// limits are the commands whose scripts stand below and above in a block.
var limits = set(
	`\sum`, `\prod`, `\coprod`, `\bigcup`, `\bigcap`, `\bigoplus`, `\bigotimes`, `\bigvee`, `\bigwedge`, `\bigsqcup`,
	`\lim`, `\limsup`, `\liminf`, `\max`, `\min`, `\sup`, `\inf`, `\argmax`, `\argmin`, `\det`, `\gcd`, `\Pr`,
)

func set(names ...string) map[string]bool {
	members := map[string]bool{}
	for _, name := range names {
		members[name] = true
	}
	return members
}

// spaces are the widths of the commands that stand for space.
var spaces = map[string]string{
	",": "0.167em", ":": "0.222em", ">": "0.222em", ";": "0.278em", "!": "-0.167em", " ": "0.333em",
	"quad": "1em", "qquad": "2em", "enspace": "0.5em", "thinspace": "0.167em",
}

// accents are the commands that put something over or under their argument.
var accents = map[string]string{
	"hat": "^", "widehat": "^", "bar": "¯", "overline": "‾", "vec": "→", "overrightarrow": "→", "overleftarrow": "←",
	"dot": "˙", "ddot": "¨", "tilde": "~", "widetilde": "~", "check": "ˇ", "breve": "˘", "acute": "´", "grave": "`",
	"mathring": "˚", "overbrace": "⏞", "underbrace": "⏟", "underline": "_",
}

// alphabet is a style of letters.
type alphabet struct {
	upright bool
	// upper, lower and digit are the first characters of the alphabet; 0 where
	// it has none.
	upper, lower, digit rune
}

// variants are the commands that choose an alphabet.
var variants = map[string]alphabet{
	"mathrm": {upright: true}, "mathbf": {upper: 0x1D400, lower: 0x1D41A, digit: 0x1D7CE}, "boldsymbol": {upper: 0x1D468, lower: 0x1D482},
	"mathbb": {upper: 0x1D538, lower: 0x1D552, digit: 0x1D7D8}, "mathcal": {upper: 0x1D49C}, "mathscr": {upper: 0x1D49C},
	"mathfrak": {upper: 0x1D504, lower: 0x1D51E}, "mathsf": {upper: 0x1D5A0, lower: 0x1D5BA, digit: 0x1D7E2},
	"mathtt": {upper: 0x1D670, lower: 0x1D68A, digit: 0x1D7F6}, "mathit": {upper: 0x1D434, lower: 0x1D44E},
}

// exceptions are letters that stand outside of their alphabet in Unicode.
var exceptions = map[rune]rune{
	0x1D53A: 'ℂ', 0x1D53F: 'ℍ', 0x1D545: 'ℕ', 0x1D547: 'ℙ', 0x1D548: 'ℚ', 0x1D549: 'ℝ', 0x1D551: 'ℤ',
	0x1D49D: 'ℬ', 0x1D4A0: 'ℰ', 0x1D4A1: 'ℱ', 0x1D4A3: 'ℋ', 0x1D4A4: 'ℐ', 0x1D4A7: 'ℒ', 0x1D4A8: 'ℳ', 0x1D4AD: 'ℛ',
	0x1D506: 'ℭ', 0x1D50B: 'ℌ', 0x1D50C: 'ℑ', 0x1D515: 'ℜ', 0x1D51D: 'ℨ', 0x1D455: 'ℎ',
}

func (a alphabet) write(text string) string {
	return strings.Map(func(character rune) rune {
		written := character
		switch {
		case character >= 'A' && character <= 'Z' && a.upper != 0:
			written = a.upper + character - 'A'
		case character >= 'a' && character <= 'z' && a.lower != 0:
			written = a.lower + character - 'a'
		case character >= '0' && character <= '9' && a.digit != 0:
			written = a.digit + character - '0'
		}
		if exception, known := exceptions[written]; known {
			return exception
		}
		return written
	}, text)
}
