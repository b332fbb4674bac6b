package document

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEvaluate(t *testing.T) {
	t.Parallel()
	source := "Use {{ space.vars.version }} for <code class=\"expression\">visitor.claims.name</code> {{ broken( }}.\n\n" +
		"{% if visitor.claims.pro %}\nPro text.\n{% endif %}\n\n{% if space.vars.beta %}\nBeta text.\n{% endif %}\n"
	document := Parse([]byte(source), References{})
	before, err := Render(document, References{})
	require.NoError(t, err)
	variables := map[string]any{
		"space":   map[string]any{"vars": map[string]any{"version": "3.0"}},
		"visitor": map[string]any{"claims": map[string]any{"name": "Ann", "pro": true}},
	}
	all, err := Render(Evaluate(document, variables, EvaluateAll), References{})
	require.NoError(t, err)
	assert.Equal(t, "Use 3.0 for Ann <code class=\"expression\">broken(</code>.\n\nPro text.\n", string(all))

	some, err := Render(Evaluate(document, variables, EvaluateDeterministic), References{})
	require.NoError(t, err)
	assert.Equal(t, "Use 3.0 for <code class=\"expression\">visitor.claims.name</code> <code class=\"expression\">broken(</code>.\n\n"+
		"{% if visitor.claims.pro %}\nPro text.\n{% endif %}\n", string(some))
	after, err := Render(document, References{})
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after), "the document must not change")
}
