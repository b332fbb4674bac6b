package content

import (
	"testing"

	"github.com/stretchr/testify/require"

	"octavo/internal/document"
)

func FuzzMergeBody(f *testing.F) {
	for _, seed := range [][3]string{
		{"", "", ""},
		{"one\n\ntwo\n", "ONE\n\ntwo\n", "one\n\nTWO\n"},
		{"# T\n\na\n\nb", "# T\r\n\r\na\r\n", "b\n\na\n\n\n"},
		{"---\na: 1\nb: 2\n---\ntext\n", "---\nb: 2\n---\ntext\n", "---\na: 3\nb: 2\n---\n\ntext\n"},
		{"---\n---\n", "---\nx\n---\n", "---\n- a\n---\nx"},
		{"```\na\n\nb\n```\n", "```\na\n\nc\n```\n", "```\nd\n"},
		{"* a\n* b\n", "* a\n\n* b\n", "* b\n* a\n"},
		{"a\n\na\n\na\n", "a\n\na\n", "b\n\na\n\na\n\na\n"},
		{"\n\n", "a", "\n"},
		{"", "---\n---", "---\n--- "},
		{"{% hint %}\na\n{% endhint %}\n", "{% hint %}\nb\n{% endhint %}\n", "a\n"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		text, conflicts := mergeTexts(t, base, ours, theirs)
		swapped, swappedConflicts := mergeTexts(t, base, theirs, ours)
		require.Equal(t, conflicts == 0, swappedConflicts == 0)
		if conflicts == 0 {
			require.Equal(t, text, swapped)
		}
		for _, side := range []string{ours, theirs} {
			for _, sides := range [][3]string{{base, side, side}, {base, side, base}, {base, base, side}, {side, side, side}} {
				merged, conflicts := mergeTexts(t, sides[0], sides[1], sides[2])
				require.Equal(t, side, merged)
				require.Zero(t, conflicts)
			}
		}
		for _, side := range []string{base, ours, theirs} {
			checkParts(t, side)
		}
	})
}

// checkParts checks that what a text is cut into is the text again: the
// identities above do not come that far.
func checkParts(t *testing.T, text string) {
	t.Helper()
	frontMatter, rest := document.SplitFrontMatter([]byte(text))
	parsed := parseFrontMatterText(frontMatter)
	joined := parsed.opening
	for _, entry := range parsed.entries {
		joined += entry.text
	}
	require.Equal(t, string(frontMatter), joined+parsed.closing)
	split := splitBlocks(rest)
	writer := blockWriter{gap: split.gap}
	writer.write(split.tokens)
	if trimBlock(string(rest)) != "" {
		require.Equal(t, string(rest), string(writer.finish(split.ending)))
	}
}

func mergeTexts(t *testing.T, base, ours, theirs string) (string, int) {
	t.Helper()
	m := newMerger(&Tree{}, &Tree{}, &Tree{}, nil, MergeOptions{})
	merged, err := m.mergeSource(Conflict{Kind: ConflictBody, ReusableContent: "x"}, []byte(base), []byte(ours), []byte(theirs))
	require.NoError(t, err)
	return string(merged), len(m.conflicts)
}
