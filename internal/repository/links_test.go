package repository

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"octavo/internal/content"
	"octavo/internal/identifier"
)

func TestLinks(t *testing.T) {
	t.Parallel()
	space, otherSpace, user := identifier.New(identifier.Space), identifier.New(identifier.Space), identifier.New(identifier.User)
	collection, gone := identifier.New(identifier.Collection), identifier.New(identifier.Page)
	contents := map[string]string{
		".gitbook.yaml":               "redirects:\n  old/setup: guides/set up.md\n",
		"SUMMARY.md":                  "* [Home](README.md)\n* [Guides](guides/README.md)\n  * [Set up](<guides/set up.md>)\n  * [100%](guides/100%25.md)\n",
		"README.md":                   "",
		"guides/README.md":            "",
		"guides/set up.md":            "",
		"guides/100%.md":              "",
		"guides/unplaced.md":          "",
		"guides/data.csv":             "a,b\n",
		"pages/not-an-id.md":          "",
		".gitbook/includes/shared.md": "",
	}
	tree := importFS(t, files(contents)).Tree
	home, guides := pageAt(t, tree, "README.md").ID, pageAt(t, tree, "guides/README.md").ID
	setup, percent := pageAt(t, tree, "guides/set up.md").ID, pageAt(t, tree, "guides/100%.md").ID
	data, shared := tree.Files[0].ID, tree.ReusableContents[0].ID
	links := NewLinks(tree, LinkOptions{
		Space: space, ApplicationURL: "https://octavo.example/app/",
		Anchors: func(page *content.Page) map[string]bool { return map[string]bool{"top": page.ID == setup, "a b": true} },
	})
	tests := []struct {
		destination string
		want        Target
		written     string // "" when the destination is written as it was
	}{
		{"set%20up.md", Target{Kind: "page", Page: setup, Status: StatusOK}, "set up.md"},
		{"set up.md", Target{Kind: "page", Page: setup, Status: StatusOK}, ""},
		{"./set up.md?x=1#top", Target{Kind: "anchor", Page: setup, Anchor: "top", Status: StatusOK}, "set up.md#top"},
		{"set up.md#a%20b", Target{Kind: "anchor", Page: setup, Anchor: "a b", Status: StatusOK}, ""},
		{"set up.md#nowhere", Target{Kind: "anchor", Page: setup, Anchor: "nowhere", Status: StatusBroken}, ""},
		{"100%25.md", Target{Kind: "page", Page: percent, Status: StatusOK}, ""},
		{"100%.md", Target{Kind: "page", Page: percent, Status: StatusOK}, "100%25.md"},
		{"#a b", Target{Kind: "anchor", Page: guides, Anchor: "a b", Status: StatusOK}, "#a%20b"},
		{"../README.md", Target{Kind: "page", Page: home, Status: StatusOK}, ""},
		{"/guides/set up.md", Target{Kind: "page", Page: setup, Status: StatusOK}, "set up.md"},
		{"../", Target{Kind: "page", Page: home, Status: StatusOK}, "../README.md"},
		{"./", Target{Kind: "page", Page: guides, Status: StatusOK}, "README.md"},
		{"/guides", Target{Kind: "page", Page: guides, Status: StatusOK}, "README.md"},
		{"set up", Target{Kind: "page", Page: setup, Status: StatusOK}, "set up.md"},
		{"/guides/set-up", Target{Kind: "page", Page: setup, Status: StatusOK}, "set up.md"},
		{"/old/setup", Target{Kind: "page", Page: setup, Status: StatusOK}, "set up.md"},
		{"data.csv", Target{Kind: "file", File: data, Status: StatusOK}, ""},
		{"../.gitbook/includes/shared.md", Target{Kind: "reusable-content", ReusableContent: shared, Status: StatusOK}, ""},
		{"unplaced.md", Target{Kind: "page", URL: "guides/unplaced.md", Status: StatusBroken}, "/guides/unplaced.md"},
		{"nowhere.png#x", Target{Kind: "file", URL: "guides/nowhere.png", Anchor: "x", Status: StatusBroken}, "/guides/nowhere.png"},
		{"../../../etc/passwd", Target{Kind: "page", URL: "../../../etc/passwd", Status: StatusBroken}, "/../../../etc/passwd"},
		{"/pages/" + setup + "#top", Target{Kind: "anchor", Page: setup, Anchor: "top", Status: StatusOK}, "set up.md#top"},
		{"/pages/" + gone, Target{Kind: "page", Page: gone, Status: StatusBroken}, ""},
		{"/pages/not-an-id.md", Target{Kind: "page", URL: "pages/not-an-id.md", Status: StatusBroken}, ""},
		{"/files/" + data, Target{Kind: "file", File: data, Status: StatusOK}, "data.csv"},
		{"/reusable-contents/" + shared, Target{Kind: "reusable-content", ReusableContent: shared, Status: StatusOK}, "../.gitbook/includes/shared.md"},
		{"/spaces/" + otherSpace, Target{Kind: "space", Space: otherSpace, Status: StatusInApp}, ""},
		{"/spaces/" + otherSpace + "/pages/" + gone + "#x", Target{Kind: "anchor", Space: otherSpace, Page: gone, Anchor: "x", Status: StatusInApp}, ""},
		{"/spaces/" + space + "/pages/" + setup, Target{Kind: "page", Page: setup, Status: StatusOK}, "set up.md"},
		{"/users/" + user, Target{Kind: "user", User: user, Status: StatusInApp}, ""},
		{"https://octavo.example/app/collections/" + collection, Target{Kind: "collection", Collection: collection, Status: StatusInApp}, "/collections/" + collection},
		{"https://octavo.example/app/settings", Target{Kind: "url", URL: "https://octavo.example/app/settings", Status: StatusInApp}, ""},
		{"https://octavo.example/apps", Target{Kind: "url", URL: "https://octavo.example/apps", Status: StatusOK}, ""},
		{"mailto:a@example.com", Target{Kind: "url", URL: "mailto:a@example.com", Status: StatusOK}, ""},
		{"//example.com/x", Target{Kind: "url", URL: "//example.com/x", Status: StatusOK}, ""},
		{"", Target{Kind: "url", Status: StatusBroken}, ""},
	}
	from := tree.Page(guides)
	for _, test := range tests {
		t.Run(test.destination, func(t *testing.T) {
			t.Parallel()
			target := links.Resolve(from, test.destination)
			assert.Equal(t, test.want, target)
			want := test.written
			if want == "" {
				want = test.destination
			}
			written := links.Destination(from, target)
			if test.want.Status != StatusBroken || test.want.Page != "" {
				assert.Equal(t, want, written)
				assert.Equal(t, target, links.Resolve(from, written), "written links lead to the same")
			}
		})
	}
	t.Run("outside a page", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, Target{Kind: "page", Page: setup, Status: StatusOK}, links.Resolve(nil, "guides/set up.md"))
		assert.Equal(t, Target{Kind: "url", URL: "#x", Status: StatusOK}, links.Resolve(nil, "#x"))
		assert.Equal(t, Target{Kind: "page", Page: home, Status: StatusOK}, links.ResolveReusable(tree.ReusableContents[0], "../../README.md"))
		assert.Equal(t, "guides/set up.md", links.Destination(nil, Target{Kind: "page", Page: setup}))
	})
}

func TestLinksOfNewPages(t *testing.T) {
	t.Parallel()
	tree := importFS(t, files(guide)).Tree
	install := pageAt(t, tree, "install/README.md")
	fresh := &content.Page{ID: identifier.New(identifier.Page), Type: content.PageDocument, Title: "Windows", Slug: "windows", Parent: install.ID}
	tree.Pages = append(tree.Pages[:4:4], append([]*content.Page{fresh}, tree.Pages[4:]...)...)
	links := NewLinks(tree, LinkOptions{})
	assert.Equal(t, "install/windows.md", links.Path(fresh))
	assert.Equal(t, Target{Kind: "page", Page: fresh.ID, Status: StatusOK}, links.Resolve(install, "windows.md"))
	assert.Equal(t, Target{Kind: "page", Page: install.ID, Status: StatusOK}, links.Resolve(fresh, "./"))
}
