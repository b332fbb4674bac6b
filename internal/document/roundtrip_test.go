package document

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDocumentsSurviveMarkdown(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		document := newGenerator(seed).document()
		encoded, err := json.Marshal(document)
		require.NoError(t, err)
		var decoded Document
		require.NoError(t, json.Unmarshal(encoded, &decoded))
		written, err := Render(&decoded, References{})
		require.NoError(t, err)
		parsed := Parse(written, References{})
		expected := strings.Join(simplified(decoded.Nodes), "\n")
		actual := strings.Join(simplified(parsed.Nodes), "\n")
		if expected != actual {
			require.Equal(t, expected, actual, fmt.Sprintf("seed %d, written as\n%s\n", seed, written))
		}
		rewritten, err := Render(parsed, References{})
		require.NoError(t, err)
		require.Equal(t, string(written), string(rewritten), "seed %d", seed)
	}
}
