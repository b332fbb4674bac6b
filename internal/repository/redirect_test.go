package repository

import (
	"context"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/content"
)

// redirectTitles returns the titles of the pages that paths are redirected to.
func redirectTitles(tree *content.Tree) map[string]string {
	found := map[string]string{}
	for _, redirect := range tree.Redirects {
		found[redirect.Path] = tree.Redirected(redirect.Path).Title
	}
	return found
}

func TestRedirectsFollowPages(t *testing.T) {
	t.Parallel()
	contents := maps.Clone(guide)
	contents[".gitbook.yaml"] = "# ours\nredirects:\n  old/linux: ./install/linux.md # kept\n  'old macos': \"install/macos.md\"\n" +
		"  reference/options: options.md\n  gone: nowhere.md\n  web: https://example.com\n"
	result := importFS(t, files(contents))
	assert.Equal(t, map[string]string{"old/linux": "Linux", "old macos": "macOS"}, redirectTitles(result.Tree),
		"reference/options is the path of a page itself")
	require.Equal(t, contents, exportResult(t, result.Tree, result))

	linux, macos := pageAt(t, result.Tree, "install/linux.md"), pageAt(t, result.Tree, "install/macos.md")
	moved, _, _, err := content.Apply(result.Tree, texts(result.Bodies), []content.Operation{
		content.UpdatePage{Page: linux.ID, Metadata: content.PageMetadata{Slug: content.Set("debian")}},
		content.UpdatePage{Page: macos.ID, Into: content.Remove[string]()},
	}, content.ApplyOptions{Now: testTime})
	require.NoError(t, err)
	expected := map[string]string{"old/linux": "Linux", "old macos": "macOS", "install/linux": "Linux", "install/macos": "macOS"}
	assert.Equal(t, expected, redirectTitles(moved))
	exported := exportResult(t, moved, result)
	assert.Equal(t, "-  old/linux: ./install/linux.md # kept\n-  'old macos': \"install/macos.md\"\n"+
		"+  old/linux: ./install/debian.md # kept\n+  'old macos': \"macos.md\"\n",
		changedLines(contents[".gitbook.yaml"], exported[".gitbook.yaml"]))

	again, err := Import(context.Background(), Source{FS: files(exported), Previous: moved, PreviousBodies: texts(result.Bodies)}, Options{Now: testTime})
	require.NoError(t, err)
	assert.Equal(t, expected, redirectTitles(again.Tree), "the paths that pages had stay with the tree")
	fresh := importFS(t, files(exported))
	assert.Equal(t, map[string]string{"old/linux": "Linux", "old macos": "macOS"}, redirectTitles(fresh.Tree))
}

func TestRedirectsOfARepositoryThatChanges(t *testing.T) {
	t.Parallel()
	contents := maps.Clone(guide)
	contents[".gitbook.yaml"] = "redirects:\n  a: install/linux.md\n  b: install/linux.md\n"
	before := importFS(t, files(contents))
	changed := maps.Clone(contents)
	changed[".gitbook.yaml"] = "redirects:\n  b: install/macos.md\n"
	changed["reference.md"] = changed["options.md"]
	delete(changed, "options.md")
	changed["SUMMARY.md"] = "* [Home](README.md)\n* [Install](install/README.md)\n  * [Linux](install/linux.md)\n  * [macOS](install/macos.md)\n* [Options](reference.md)\n"
	after, err := Import(context.Background(), Source{FS: files(changed), Previous: before.Tree, PreviousBodies: texts(before.Bodies)}, Options{Now: testTime})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"b": "macOS", "reference/options": "Options"}, redirectTitles(after.Tree),
		"what the configuration says no more is gone; a file that moved is found where it was")
}
