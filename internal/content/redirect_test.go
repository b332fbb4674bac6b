package content

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// redirects returns where each path of the tree that is no page's leads to.
func redirects(t testing.TB, tree *Tree) map[string]string {
	t.Helper()
	found := map[string]string{}
	last := ""
	for _, redirect := range tree.Redirects {
		require.Less(t, last, redirect.Path)
		last = redirect.Path
		page := tree.Clone().Redirected(redirect.Path)
		require.NotNil(t, page, redirect.Path)
		found[redirect.Path] = page.ID
	}
	return found
}

func slug(page, slug string) Operation {
	return UpdatePage{Page: page, Metadata: PageMetadata{Slug: Set(slug)}}
}

func TestPagesAreReachedByThePathsTheyHad(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name     string
		edits    [][]Operation
		expected map[string]string
	}{
		{"nothing moved", [][]Operation{{UpdatePage{Page: "faq", Markdown: ptr("# Questions\n")}}}, map[string]string{}},
		{"renamed", [][]Operation{{slug("install", "setup")}}, map[string]string{"guides/install": "install"}},
		{"with what is below", [][]Operation{{slug("guides", "manual")}}, map[string]string{
			"guides": "guides", "guides/install": "install", "guides/upgrade": "upgrade",
		}},
		{"moved", [][]Operation{{UpdatePage{Page: "install", Into: Remove[string](), At: ptr(0)}}}, map[string]string{"guides/install": "install"}},
		{"twice", [][]Operation{{slug("install", "setup")}, {slug("install", "start")}}, map[string]string{
			"guides/install": "install", "guides/setup": "install",
		}},
		{"and back", [][]Operation{{slug("install", "setup")}, {slug("install", "install")}}, map[string]string{"guides/setup": "install"}},
		{"another takes the path", [][]Operation{{slug("install", "setup")}, {slug("upgrade", "install")}}, map[string]string{"guides/upgrade": "upgrade"}},
		{"deleted", [][]Operation{{slug("install", "setup")}, {DeletePage{Page: "install"}}}, map[string]string{}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			edited := guide(t)
			for _, operations := range row.edits {
				edited.apply(operations...)
			}
			assert.Equal(t, row.expected, redirects(t, edited.tree))
			root, chunks, err := edited.tree.Encode()
			require.NoError(t, err)
			described, err := DecodeRoot(root.Data)
			require.NoError(t, err)
			data := map[Hash][]byte{}
			for _, chunk := range chunks {
				data[chunk.Hash] = chunk.Data
			}
			decoded, err := described.Tree(data)
			require.NoError(t, err)
			assert.Equal(t, row.expected, redirects(t, decoded))
		})
	}
}

func TestMergesKeepThePathsOfBothSides(t *testing.T) {
	t.Parallel()
	base := guide(t)
	ours := base.branch().apply(slug("install", "setup"))
	theirs := base.branch().apply(slug("guides", "manual")).apply(slug("faq", "questions"))
	expected := map[string]string{
		"guides": "guides", "guides/install": "install", "guides/setup": "install", "guides/upgrade": "upgrade",
		"manual/install": "install", "more/faq": "faq",
	}
	assert.Equal(t, expected, redirects(t, merge(t, base, ours, theirs).Tree))
	assert.Equal(t, expected, redirects(t, merge(t, base, theirs, ours).Tree))
}
