package mathml_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/mathml"
)

// row is what a formula becomes inside of its math element.
func row(t *testing.T, formula string, display bool) string {
	t.Helper()
	converted, err := mathml.Convert(formula, display)
	require.NoError(t, err, formula)
	_, content, _ := strings.Cut(converted, "<semantics><mrow>")
	content, _, _ = strings.Cut(content, "</mrow><annotation")
	return content
}

func TestConvert(t *testing.T) {
	t.Parallel()
	for formula, want := range map[string]string{
		"x^2":              "<msup><mi>x</mi><mrow><mn>2</mn></mrow></msup>",
		"a_{ij}":           "<msub><mi>a</mi><mrow><mrow><mi>i</mi><mi>j</mi></mrow></mrow></msub>",
		"x_1^2":            "<msubsup><mi>x</mi><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></msubsup>",
		"f''":              "<msup><mi>f</mi><mrow><mo>′′</mo></mrow></msup>",
		`\frac12`:          "<mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>",
		`\frac{1}{2}`:      "<mfrac><mrow><mrow><mn>1</mn></mrow></mrow><mrow><mrow><mn>2</mn></mrow></mrow></mfrac>",
		`\sqrt[3]{x}`:      "<mroot><mrow><mrow><mi>x</mi></mrow></mrow><mrow><mn>3</mn></mrow></mroot>",
		`\alpha \leq 3.5`:  "<mi>α</mi><mo>≤</mo><mn>3.5</mn>",
		`a < b`:            "<mi>a</mi><mo>&lt;</mo><mi>b</mi>",
		`\text{if } x`:     "<mtext>if </mtext><mi>x</mi>",
		`\mathbb{R}`:       "<mi>ℝ</mi>",
		`\left( x \right]`: `<mrow><mo stretchy="true">(</mo><mi>x</mi><mo stretchy="true">]</mo></mrow>`,
		`\begin{pmatrix} a & b \\ c & d \end{pmatrix}`: "<mrow><mo>(</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr>" +
			"<mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable><mo>)</mo></mrow>",
	} {
		assert.Equal(t, want, row(t, formula, false), formula)
	}
	assert.Contains(t, row(t, `\sum_{i=1}^n i`, true), "<munderover><mo>∑</mo>")
	assert.Contains(t, row(t, `\sum_{i=1}^n i`, false), "<msubsup><mo>∑</mo>")
}

func TestTheResultIsWellFormed(t *testing.T) {
	t.Parallel()
	for _, formula := range []string{
		`e^{i\pi} + 1 = 0`, `\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}`, `f(x) = \begin{cases} 1 & x > 0 \\ 0 & \text{otherwise} \end{cases}`,
		`\begin{aligned} a &= b + c \\ &= d \end{aligned}`, `\vec{v} \cdot \hat{n} \not= 0`, `\overset{!}{=} \underbrace{a+b}_{n}`, `\{ x \mid x \in \mathbf{A} \}`,
		`\binom{n}{k}`, `<script>alert(1)</script>`, `\text{<b>"&}`,
	} {
		for _, display := range []bool{true, false} {
			converted, err := mathml.Convert(formula, display)
			require.NoError(t, err, formula)
			decoder := xml.NewDecoder(strings.NewReader(converted))
			for {
				token, err := decoder.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err, converted)
				if element, is := token.(xml.StartElement); is {
					assert.True(t, strings.HasPrefix(element.Name.Local, "m") || element.Name.Local == "semantics" || element.Name.Local == "annotation", element.Name.Local)
				}
			}
		}
	}
}

func TestWhatIsNotUnderstoodIsAnError(t *testing.T) {
	t.Parallel()
	for formula, message := range map[string]string{
		`\frac{1}`: "argument is missing", `{x`: "} is missing", `x}`: "nothing to close", `\unknown`: `\unknown is not known`,
		`\begin{foo}\end{foo}`: "foo is not known", `\begin{matrix} a`: `\end is missing`, `\left( x`: `\right is missing`,
		`a & b`: "outside of a matrix", `x^1^2`: "second superscript", `\text{x`: "} is missing",
		strings.Repeat("{", 100): "nested", strings.Repeat("x", 20_000): "bytes",
	} {
		_, err := mathml.Convert(formula, true)
		assert.ErrorContains(t, err, message, formula)
	}
}

func FuzzConvert(f *testing.F) {
	f.Add(`\frac{a}{b}^2_{x}`)
	f.Add(`\begin{matrix} a & b \\ \end{matrix}`)
	f.Fuzz(func(t *testing.T, formula string) {
		converted, err := mathml.Convert(formula, true)
		if err == nil && strings.Contains(converted, "<script") {
			t.Fatal("markup passed through")
		}
	})
}
