package secret_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/secret"
)

func TestAKeyIsMadeOnceHoweverManyAsk(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		keys := make([][]byte, 8)
		var group sync.WaitGroup
		for index := range keys {
			group.Go(func() {
				key, err := secret.Key(t.Context(), server.App.Database, "a name of the test")
				assert.NoError(t, err)
				keys[index] = key
			})
		}
		group.Wait()
		assert.Len(t, keys[0], 32)
		for _, key := range keys {
			assert.Equal(t, keys[0], key)
		}
		other, err := secret.Key(t.Context(), server.App.Database, "another name")
		require.NoError(t, err)
		assert.NotEqual(t, keys[0], other)
	})
}

func TestABoxOpensWhatItSealedOnly(t *testing.T) {
	t.Parallel()
	box, err := secret.NewBox(make([]byte, 32))
	require.NoError(t, err)
	other, err := secret.NewBox(append(make([]byte, 31), 1))
	require.NoError(t, err)
	sealed := box.Seal("user:password")
	assert.NotContains(t, string(sealed), "password")
	opened, err := box.Open(sealed)
	require.NoError(t, err)
	assert.Equal(t, "user:password", opened)
	for _, wrong := range [][]byte{other.Seal("x"), sealed[1:], nil} {
		_, err := box.Open(wrong)
		assert.Error(t, err)
	}
}
