package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestATemplateThatDoesNotFitStopsTheGeneration(t *testing.T) {
	t.Parallel()
	_, err := change("type.gotpl", []byte("another version"))
	require.ErrorContains(t, err, "type.gotpl holds 0 times, not once")
	same, err := change("input.gotpl", []byte("unchanged"))
	require.NoError(t, err)
	assert.Equal(t, "unchanged", string(same))
}

func TestTheTemplatesOfTheVersionInUseFit(t *testing.T) {
	t.Parallel()
	changed, err := changedTemplates()
	require.NoError(t, err)
	for name := range replacements {
		_, err := changed.Open(name)
		assert.NoError(t, err)
	}
}
