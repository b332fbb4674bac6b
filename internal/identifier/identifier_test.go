package identifier_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"octavo/internal/identifier"
)

func TestIdsSortByTimeAndTellTheirKind(t *testing.T) {
	t.Parallel()
	ids := make([]string, 1000)
	for index := range ids {
		ids[index] = identifier.New(identifier.Space)
	}
	assert.True(t, slices.IsSorted(ids))
	assert.Len(t, slices.Compact(ids), 1000)
	prefix, ok := identifier.Split(ids[0])
	assert.True(t, ok)
	assert.Equal(t, identifier.Space, prefix)
}

func TestWhatIsNoIdIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "spc", "spc_", "spc_short", "space_01m7wh1vwqfnwvfahbzn5p6e2m", "spc_01M7WH1VWQFNWVFAHBZN5P6E2M", "spc_01m7wh1vwqfnwvfahbzn5p6e2'"} {
		_, ok := identifier.Split(text)
		assert.False(t, ok, text)
	}
}
