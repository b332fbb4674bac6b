package document

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/fault"
)

func TestEvaluateCondition(t *testing.T) {
	t.Parallel()
	variables := map[string]any{
		"space":   map[string]any{"vars": map[string]any{"version": "2.1", "count": 3.0, "on": true, "off": false}},
		"visitor": map[string]any{"claims": map[string]any{"plan": "pro", "groups": []any{"a", "b"}, "zero": 0.0}},
	}
	for _, row := range []struct {
		condition string
		holds     bool
	}{
		{`visitor.claims.plan === "pro"`, true},
		{`visitor.claims.plan !== 'pro'`, false},
		{`visitor.claims.plan == "pro" && space.vars.on`, true},
		{`visitor.claims.missing.deeper === "x"`, false},
		{`!visitor.claims.missing`, true},
		{`missing`, false},
		{`visitor.claims.groups.includes("b")`, true},
		{`visitor.claims.groups.includes("c")`, false},
		{`space.vars.version.startsWith("2.")`, true},
		{`space.vars.version.endsWith("2")`, false},
		{`visitor.claims.plan.includes("r")`, true},
		{`space.vars.count > 2 ? true : false`, true},
		{`visitor.claims.zero || space.vars.off`, false},
		{`"a === b" === "a === b"`, true},
		{`visitor["claims"]["plan"] === "pro"`, true},
		{`visitor.claims.groups.length === 2`, true},
	} {
		holds, err := EvaluateCondition(row.condition, variables)
		require.NoError(t, err, row.condition)
		assert.Equal(t, row.holds, holds, row.condition)
	}
}

func TestCheckExpressionNamesThePlace(t *testing.T) {
	t.Parallel()
	require.NoError(t, CheckExpression(`visitor.claims.plan === "pro" ? "a" : "b"`))
	for _, expression := range []string{"", "a ===", `"open`, "a; b", "all(1..1000000, true)", "let x = 1; x", "a | b", string(make([]byte, 2000))} {
		err := CheckExpression(expression)
		require.Error(t, err, "%q", expression)
		assert.Equal(t, fault.BadUserInput, fault.CodeOf(err), "%q", expression)
	}
	assert.ErrorContains(t, CheckExpression("a === ]"), "character ")
}

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
