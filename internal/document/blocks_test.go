package document

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// requireBlocksJoin checks that the blocks of a body are the body again.
func requireBlocksJoin(t testing.TB, body []byte) {
	t.Helper()
	position := 0
	for _, block := range Blocks(body) {
		require.Equal(t, position, block.Start)
		require.Greater(t, block.End, block.Start)
		position = block.End
	}
	require.Equal(t, len(body), position)
}
