package cache_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"octavo/internal/cache"
)

func TestACacheStaysWithinItsLimit(t *testing.T) {
	t.Parallel()
	kept := cache.New[string, int](100)
	weights := map[string]int{}
	for number := range 1000 {
		key := strconv.Itoa(number % 50)
		weights[key] = number % 30
		kept.Add(key, number, int64(weights[key]))
		_, _ = kept.Get(strconv.Itoa(number % 7))
		total := 0
		for known, weight := range weights {
			if _, found := kept.Get(known); found {
				total += weight
			}
		}
		assert.LessOrEqual(t, total, 100)
	}
	kept.Add("large", 1, 101)
	_, found := kept.Get("large")
	assert.False(t, found, "alone it is beyond the limit")
}

func TestWhatWasUsedLastStays(t *testing.T) {
	t.Parallel()
	kept := cache.New[string, int](2)
	kept.Add("a", 1, 1)
	kept.Add("b", 2, 1)
	_, _ = kept.Get("a")
	kept.Add("c", 3, 1)
	_, found := kept.Get("b")
	assert.False(t, found)
	value, found := kept.Get("a")
	assert.True(t, found)
	assert.Equal(t, 1, value)
}
