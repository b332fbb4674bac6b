package position_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/position"
)

func TestBetween(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ low, high, want string }{
		{"", "", "i"},
		{"", "i", "9"},
		{"i", "", "r"},
		{"a", "b", "ai"},
		{"az", "b", "azi"},
		{"a", "a1", "a0i"},
		{"zz", "", "zzi"},
	} {
		got := position.Between(test.low, test.high)
		assert.Equal(t, test.want, got, "between %q and %q", test.low, test.high)
	}
}

func TestRandomInsertionsKeepOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	keys := []string{position.After("")}
	for range 3000 {
		index := random.IntN(len(keys) + 1)
		low, high := "", ""
		if index > 0 {
			low = keys[index-1]
		}
		if index < len(keys) {
			high = keys[index]
		}
		key := position.Between(low, high)
		require.NotEqual(t, byte('0'), key[len(key)-1])
		keys = slices.Insert(keys, index, key)
	}
	require.True(t, slices.IsSorted(keys))
	require.Len(t, slices.Compact(slices.Clone(keys)), len(keys))
}

func TestAfterIsBehindWhateverStandsLast(t *testing.T) {
	t.Parallel()
	last := ""
	for _, start := range []string{"", "5", "zzzz"} {
		last = start
		for range 100 {
			next := position.After(last)
			require.Greater(t, next, last)
			last = next
		}
		require.Less(t, len(last), 80)
	}
}

func TestSpreadKeepsKeysShort(t *testing.T) {
	t.Parallel()
	for _, bounds := range [][2]string{{"", ""}, {"a", "b"}, {"a", "a1"}, {"zz", ""}} {
		keys := position.Spread(bounds[0], bounds[1], 1000)
		require.True(t, slices.IsSorted(keys))
		require.Len(t, slices.Compact(slices.Clone(keys)), 1000)
		assert.Greater(t, keys[0], bounds[0])
		assert.True(t, bounds[1] == "" || keys[999] < bounds[1])
		for _, key := range keys {
			assert.LessOrEqual(t, len(key), 8)
		}
	}
	assert.Empty(t, position.Spread("a", "b", 0))
}
