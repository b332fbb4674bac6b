package content

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// builder makes trees for tests. Ids are given by the test, so that the
// expected results can be written down.
type builder struct {
	t      testing.TB
	bodies *Memory
	tree   *Tree
}

func newBuilder(t testing.TB) *builder {
	return &builder{t: t, bodies: NewMemory(nil), tree: &Tree{}}
}

// page adds a document at the end of its parent's children.
func (b *builder) page(id, parent, markdown string) *builder {
	page := &Page{ID: id, Parent: parent, Type: PageDocument, Title: id, Slug: id, CreatedAt: testTime, UpdatedAt: testTime}
	read, _, err := readMetadata(page, []byte(markdown), fileNames{})
	require.NoError(b.t, err)
	read.Body = b.bodies.Add([]byte(markdown))
	return b.add(read)
}

func (b *builder) add(page *Page) *builder {
	position := place(b.tree.Pages, page.Parent, -1)
	b.tree.Pages = append(b.tree.Pages[:position:position], append([]*Page{page}, b.tree.Pages[position:]...)...)
	return b
}

// branch returns a builder that goes on from this tree.
func (b *builder) branch() *builder {
	return &builder{t: b.t, bodies: b.bodies, tree: b.tree.Clone()}
}

// apply carries out operations and keeps the new bodies.
func (b *builder) apply(operations ...Operation) *builder {
	b.t.Helper()
	tree, added, _, err := Apply(b.tree, b.bodies, operations, ApplyOptions{Now: testTime})
	require.NoError(b.t, err)
	for _, data := range added.Added() {
		b.bodies.Add(data)
	}
	b.tree = tree
	return b
}

// change replaces a page by a changed copy, without any check.
func (b *builder) change(id string, edit func(page *Page)) *builder {
	for position, page := range b.tree.Pages {
		if page.ID == id {
			changed := *page
			edit(&changed)
			b.tree.Pages[position] = &changed
			return b
		}
	}
	b.t.Fatalf("there is no page %s", id)
	return nil
}

func (b *builder) body(id string) string {
	b.t.Helper()
	return bodyOf(b.t, b.tree, b.bodies, id)
}

func bodyOf(t testing.TB, tree *Tree, bodies Bodies, id string) string {
	t.Helper()
	page := tree.Page(id)
	require.NotNil(t, page, "page %s", id)
	data, err := bodies.Body(page.Body)
	require.NoError(t, err)
	return string(data)
}

func merge(t testing.TB, base, ours, theirs *builder, resolutions ...Resolution) *MergeResult {
	t.Helper()
	result, err := Merge(base.tree, ours.tree, theirs.tree, base.bodies, MergeOptions{Resolutions: resolutions})
	require.NoError(t, err)
	requireValid(t, result.Tree, result.Bodies)
	return result
}

// requireValid checks what must hold of every tree: ids are unique, pages
// stand in pre-order below pages that can hold them, slugs of siblings differ,
// lists are sorted, and all bodies can be read.
func requireValid(t testing.TB, tree *Tree, bodies Bodies) {
	t.Helper()
	seen := map[string]*Page{}
	slugs := map[string]bool{}
	var open []string
	for _, page := range tree.Pages {
		require.NotContains(t, seen, page.ID)
		for len(open) > 0 && open[len(open)-1] != page.Parent {
			open = open[:len(open)-1]
		}
		if page.Parent != "" {
			require.NotEmpty(t, open, "page %s does not follow its parent %s", page.ID, page.Parent)
			require.True(t, holdsPages(seen[page.Parent].Type), "page %s stands below a %s", page.ID, seen[page.Parent].Type)
		}
		open = append(open, page.ID)
		seen[page.ID] = page
		require.NotEmpty(t, page.Title, "page %s has no title", page.ID)
		if page.Slug != "" {
			require.NotContains(t, slugs, page.Parent+"/"+page.Slug, "slug of page %s", page.ID)
			slugs[page.Parent+"/"+page.Slug] = true
		}
		_, err := bodies.Body(page.Body)
		require.NoError(t, err)
	}
	for position := 1; position < len(tree.Files); position++ {
		require.Less(t, tree.Files[position-1].ID, tree.Files[position].ID)
	}
	for position := 1; position < len(tree.ReusableContents); position++ {
		require.Less(t, tree.ReusableContents[position-1].ID, tree.ReusableContents[position].ID)
	}
}

func outline(tree *Tree) string {
	text := ""
	depth := map[string]string{"": ""}
	for _, page := range tree.Pages {
		text += depth[page.Parent] + page.ID + "\n"
		depth[page.ID] = depth[page.Parent] + " "
	}
	return text
}

func conflictKinds(result *MergeResult) []ConflictKind {
	var kinds []ConflictKind
	for _, conflict := range result.Conflicts {
		kinds = append(kinds, conflict.Kind)
	}
	return kinds
}

func pageIDs(pages []*Page) []string {
	ids := make([]string, len(pages))
	for position, page := range pages {
		ids[position] = page.ID
	}
	return ids
}
