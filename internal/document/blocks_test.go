package document

import (
	"testing"

	"github.com/stretchr/testify/assert"
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

func TestNodesHaveTheKeysOfTheirBlocks(t *testing.T) {
	t.Parallel()
	for name, page := range samples(t) {
		_, body := SplitFrontMatter(page)
		blocks := map[string]bool{}
		for _, block := range Blocks(body) {
			require.False(t, blocks[block.Key], "%s: two blocks have the key %s", name, block.Key)
			blocks[block.Key] = true
		}
		nodes := map[string]bool{}
		for _, node := range Parse(body, References{}).Nodes {
			require.False(t, nodes[node.Key], "%s: two nodes have the key %s", name, node.Key)
			nodes[node.Key] = true
			require.True(t, blocks[BlockKey(node.Key)], "%s: no block has the key %s", name, node.Key)
		}
	}
}

func TestKeysFollowTheText(t *testing.T) {
	t.Parallel()
	keys := func(body string) []string {
		var found []string
		for _, block := range Blocks([]byte(body)) {
			found = append(found, block.Key)
		}
		return found
	}
	before := keys("One\n\nTwo\n\nOne\n")
	assert.Equal(t, before[0]+"-2", before[2])
	assert.Equal(t, []string{before[1], before[0]}, keys("Two\n\n\n\nOne"), "neither the place nor blank lines count")
	assert.Equal(t, before, keys("One\r\n\r\nTwo\r\n\r\nOne\r\n"), "nor do line ends")
	assert.NotEqual(t, before[1], keys("Two!")[0])
}
