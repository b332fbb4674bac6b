package hypertext

import "octavo/internal/mathml"

// math writes a formula; one that is not understood is shown as it is written.
func (w *writer) math(formula string, display bool) {
	converted, err := mathml.Convert(formula, display)
	if err != nil {
		element := "span"
		if display {
			element = "div"
		}
		w.element(element, "math-source", func() { w.element("code", "", func() { w.text(formula) }) })
		return
	}
	if display {
		w.open("div", "class", "math", "tabindex", "0", "role", "region", "aria-label", "Formula")
		w.raw(converted)
		w.close("div")
		return
	}
	w.raw(converted)
}
