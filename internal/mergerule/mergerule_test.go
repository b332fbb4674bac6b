package mergerule_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/fault"
	"octavo/internal/mergerule"
)

func TestACustomRuleHasToBeAnExpression(t *testing.T) {
	t.Parallel()
	custom := func(expression string) mergerule.Rules {
		return mergerule.Rules{Type: mergerule.Explicit, Rules: []mergerule.Rule{{Rule: mergerule.Custom, Expression: expression}}}
	}
	require.NoError(t, custom("approvals >= 1").Validate())
	for _, malformed := range []string{"", "subject ==", "approve()"} {
		err := custom(malformed).Validate()
		assert.Equal(t, fault.BadUserInput, fault.CodeOf(err), malformed)
		assert.ErrorContains(t, err, "mergeRules.rules.expression", malformed)
	}
}
