package condition_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/condition"
	"octavo/internal/fault"
)

func TestHolds(t *testing.T) {
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
		parsed, err := condition.Parse("condition", row.condition)
		require.NoError(t, err, row.condition)
		assert.Equal(t, row.holds, parsed.Holds(variables), row.condition)
	}
}

func TestParseNamesThePlace(t *testing.T) {
	t.Parallel()
	_, err := condition.Parse("condition", `visitor.claims.plan === "pro" ? "a" : "b"`)
	require.NoError(t, err)
	for _, expression := range []string{"", "a ===", `"open`, "a; b", "all(1..1000000, true)", "let x = 1; x", "a | b", string(make([]byte, 2000))} {
		_, err := condition.Parse("condition", expression)
		require.Error(t, err, "%q", expression)
		assert.Equal(t, fault.BadUserInput, fault.CodeOf(err), "%q", expression)
	}
	for expression, place := range map[string]string{
		"a === ]": "character 7:", "a === b && c === ]": "character 18:", `x == "a`: "character 6:", "now()": "character 1:",
	} {
		_, err := condition.Parse("condition", expression)
		assert.ErrorContains(t, err, place, expression)
		assert.ErrorContains(t, err, "condition")
	}
}

func TestIsDeterministic(t *testing.T) {
	t.Parallel()
	for expression, deterministic := range map[string]bool{
		"space.vars.beta": true, "page.vars.version.startsWith('2')": true, "visitor.claims.pro": false, "space.vars.beta && visitor.claims.pro": false,
	} {
		parsed, err := condition.Parse("condition", expression)
		require.NoError(t, err)
		assert.Equal(t, deterministic, parsed.IsDeterministic(), expression)
	}
}
