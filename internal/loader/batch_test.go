package loader

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counted is a loader of lengths that remembers what it read together.
func counted() (*Loader[string, int], func() [][]string) {
	var mutex sync.Mutex
	var batches [][]string
	made := mapped(func(_ context.Context, keys []string) (map[string]int, error) {
		mutex.Lock()
		defer mutex.Unlock()
		batches = append(batches, slices.Sorted(slices.Values(keys)))
		found := map[string]int{}
		for _, key := range keys {
			if key != "none" {
				found[key] = len(key)
			}
		}
		return found, nil
	})
	return made, func() [][]string {
		mutex.Lock()
		defer mutex.Unlock()
		return batches
	}
}

func expect(loader *Loader[string, int], keys ...string) {
	loader.expect(func(yield func(string)) {
		for _, key := range keys {
			yield(key)
		}
	})
}

func TestWhatIsExpectedIsReadAtOnce(t *testing.T) {
	t.Parallel()
	loader, batches := counted()
	expect(loader, "a", "bb", "a", "none")
	for key, length := range map[string]int{"a": 1, "bb": 2} {
		value, err := loader.Load(t.Context(), key)
		require.NoError(t, err)
		assert.Equal(t, length, value)
	}
	_, err := loader.Load(t.Context(), "none")
	require.ErrorIs(t, err, ErrNotFound)
	assert.Equal(t, [][]string{{"a", "bb", "none"}}, batches())
}

// A short list within a long one is not made to cost what the long one would.
func TestTheSmallestGroupIsRead(t *testing.T) {
	t.Parallel()
	loader, batches := counted()
	expect(loader, "a", "b", "c", "d")
	expect(loader, "c", "d")
	expect(loader, "d", "e", "f")
	for _, key := range []string{"d", "c", "e", "a"} {
		_, err := loader.Load(t.Context(), key)
		require.NoError(t, err)
	}
	assert.Equal(t, [][]string{{"c", "d"}, {"e", "f"}, {"a", "b"}}, batches())
}

func TestWhatNobodyExpectedIsGathered(t *testing.T) {
	t.Parallel()
	loader, batches := counted()
	keys := []string{"a", "bb", "ccc", "dddd"}
	var group sync.WaitGroup
	for _, key := range append(keys, keys...) {
		group.Go(func() {
			value, err := loader.Load(t.Context(), key)
			assert.NoError(t, err)
			assert.Len(t, key, value)
		})
	}
	group.Wait()
	read := slices.Concat(batches()...)
	slices.Sort(read)
	assert.Equal(t, keys, read, "each is read once")
}

func TestAFailureIsThatOfAllWhoWait(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	loader := mapped(func(context.Context, []string) (map[string]int, error) { return nil, broken })
	expect(loader, "a", "b")
	for _, key := range []string{"a", "b"} {
		_, err := loader.Load(t.Context(), key)
		require.ErrorIs(t, err, broken)
	}
	panicking := mapped(func(context.Context, []string) (map[string]int, error) { panic("no") })
	expect(panicking, "a", "b")
	assert.Panics(t, func() { _, _ = panicking.Load(t.Context(), "a") })
	_, err := panicking.Load(t.Context(), "b")
	require.ErrorContains(t, err, "panicked", "nobody waits for ever")
}
