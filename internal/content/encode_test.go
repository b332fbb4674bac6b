package content

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var testTime = time.Date(2024, 5, 17, 9, 30, 0, 123456000, time.UTC)

// largeTree returns a tree of count pages in groups of about fifty, with ids
// that rise as those of real pages do.
func largeTree(count int) *Tree {
	tree := &Tree{}
	parent := ""
	for number := range count {
		id := fmt.Sprintf("pag_%024x", number*7919)
		page := &Page{
			ID: id, Parent: parent, Type: PageDocument,
			Title: fmt.Sprintf("Page number %d", number), Slug: fmt.Sprintf("page-%d", number),
			GitPath: fmt.Sprintf("guides/page-%d.md", number), GitOID: fmt.Sprintf("%040x", number),
			Body: HashOf(fmt.Append(nil, "# Page ", number)), Description: "What this page is about, in a sentence.",
			CreatedAt: testTime, UpdatedAt: testTime,
		}
		if number%50 == 0 {
			page.Parent, parent = "", id
		}
		tree.Pages = append(tree.Pages, page)
	}
	return tree
}

func richTree() *Tree {
	layout := DefaultLayout()
	layout.Width = "wide"
	return &Tree{
		Pages: []*Page{
			{ID: "pag_1", Type: PageGroup, Title: "Guides & <more>", Slug: "guides", CreatedAt: testTime.Add(321), UpdatedAt: testTime.In(time.FixedZone("", 7200))},
			{
				ID: "pag_2", Parent: "pag_1", Type: PageDocument, Title: "Install", Slug: "install", Body: HashOf([]byte("x")),
				Layout: &layout, Cover: &Cover{Ref: map[string]any{"kind": "file", "file": "fil_1"}, YPos: -12.5, Height: 300},
				Variables: map[string]any{"b": "text", "a": 1.5, "c": true}, Hidden: true, NoRobots: true,
			},
			{ID: "pag_3", Type: PageLink, Title: "Site", Target: map[string]any{"url": "https://example.org", "kind": "url"}},
			{ID: "pag_4", Type: PageComputed, Title: "API", Computed: &Computed{
				Type: "builtin:openapi", Props: map[string]any{"doc": "models"}, Dependencies: map[string]map[string]any{"spec": {"kind": "openapi"}},
			}},
		},
		Files:            []*File{{ID: "fil_1", Name: "ü.png", ContentType: "image/png", Size: 12, Content: HashOf(nil), Width: 3, Height: 4, CreatedAt: testTime}},
		ReusableContents: []*ReusableContent{{ID: "rus_1", Title: "Note", Body: HashOf([]byte("note"))}},
		Variables:        map[string]any{"version": "1.2", "beta": false},
		Repository:       &Repository{Root: "docs", Redirects: map[string]string{"old": "new.md"}, Unplaced: []RepositoryFile{{Path: "x.md", Body: HashOf([]byte("x"))}}},
	}
}

func encode(t testing.TB, tree *Tree) (Object, map[Hash][]byte) {
	t.Helper()
	root, chunks, err := tree.Encode()
	require.NoError(t, err)
	data := map[Hash][]byte{}
	for _, chunk := range chunks {
		require.Equal(t, HashOf(chunk.Data), chunk.Hash)
		require.NotContains(t, data, chunk.Hash, "a chunk is returned twice")
		data[chunk.Hash] = chunk.Data
	}
	return root, data
}

func decode(t testing.TB, root Object, chunks map[Hash][]byte) *Tree {
	t.Helper()
	decoded, err := DecodeRoot(root.Data)
	require.NoError(t, err)
	tree, err := decoded.Tree(chunks)
	require.NoError(t, err)
	return tree
}

func TestEncodedTreeDecodesToItself(t *testing.T) {
	t.Parallel()
	for name, tree := range map[string]*Tree{"empty": {}, "rich": richTree(), "large": largeTree(3000)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, chunks := encode(t, tree)
			decoded := decode(t, root, chunks)
			again, chunksAgain := encode(t, decoded)
			assert.Equal(t, string(root.Data), string(again.Data))
			assert.Equal(t, chunks, chunksAgain)
			assert.True(t, equalTrees(tree, decoded))
			assert.Len(t, decoded.Pages, len(tree.Pages))
		})
	}
}

func TestEncodeKeepsTheTreeAndRoundsTimes(t *testing.T) {
	t.Parallel()
	tree := richTree()
	root, chunks := encode(t, tree)
	assert.Equal(t, richTree(), tree, "the tree was changed")
	page := decode(t, root, chunks).Page("pag_1")
	assert.Equal(t, testTime, page.CreatedAt)
	assert.Equal(t, testTime, page.UpdatedAt)
}

func TestDecodeRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	_, err := DecodeRoot([]byte("{"))
	require.Error(t, err)
	_, err = DecodeRoot([]byte(`{"version":99}`))
	require.ErrorContains(t, err, "version 99")
	root, chunks := encode(t, richTree())
	decoded, err := DecodeRoot(root.Data)
	require.NoError(t, err)
	assert.Len(t, decoded.Chunks(), len(chunks))
	_, err = decoded.Tree(nil)
	require.ErrorContains(t, err, "missing")
	broken := map[Hash][]byte{}
	for hash := range chunks {
		broken[hash] = []byte("[]\n")
	}
	_, err = decoded.Tree(broken)
	require.ErrorContains(t, err, "decode chunk")
}

func TestChunksFollowTheSizeOfAChange(t *testing.T) {
	t.Parallel()
	tree := largeTree(10_000)
	_, chunks := encode(t, tree)
	generator := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		position := generator.IntN(len(tree.Pages))
		rows := []struct {
			name   string
			limit  int
			change func(changed *Tree)
		}{
			{"edit", 1, func(changed *Tree) {
				page := *changed.Pages[position]
				page.Title = "Another title"
				changed.Pages[position] = &page
			}},
			{"insert", 3, func(changed *Tree) {
				page := &Page{ID: "pag_new", Type: PageDocument, Title: "New", Slug: "new"}
				changed.Pages = slices.Insert(changed.Pages, position, page)
			}},
			{"delete", 3, func(changed *Tree) { changed.Pages = slices.Delete(changed.Pages, position, position+1) }},
			{"move", 7, func(changed *Tree) {
				start := position / 50 * 50
				moved := slices.Clone(changed.Pages[start : start+50])
				changed.Pages = slices.Insert(slices.Delete(changed.Pages, start, start+50), (start+4000)%9000, moved...)
			}},
		}
		for _, row := range rows {
			changed := tree.Clone()
			row.change(changed)
			_, after := encode(t, changed)
			fresh := 0
			for hash := range after {
				if _, shared := chunks[hash]; !shared {
					fresh++
				}
			}
			assert.LessOrEqual(t, fresh, row.limit, "%s at %d", row.name, position)
			assert.Positive(t, fresh, "%s at %d", row.name, position)
		}
	}
}

func TestEncodeSinceSharesWithThePreviousTree(t *testing.T) {
	t.Parallel()
	tree := largeTree(2000)
	tree.Files = richTree().Files
	root, chunks := encode(t, tree)
	previousRoot, err := DecodeRoot(root.Data)
	require.NoError(t, err)
	changed := tree.Clone()
	page := *changed.Pages[700]
	page.Title = "Another title"
	changed.Pages[700] = &page
	changed.Pages = slices.Delete(changed.Pages, 1200, 1210)

	whole, _ := encode(t, changed)
	changedRoot, fresh, err := changed.EncodeSince(tree, previousRoot)
	require.NoError(t, err)
	assert.Equal(t, string(whole.Data), string(changedRoot.Data))
	assert.Len(t, fresh, 2)

	decodedRoot, err := DecodeRoot(changedRoot.Data)
	require.NoError(t, err)
	needed := map[Hash][]byte{}
	for _, chunk := range fresh {
		assert.NotContains(t, chunks, chunk.Hash)
		needed[chunk.Hash] = chunk.Data
	}
	assert.ElementsMatch(t, slices.Collect(maps.Keys(needed)), decodedRoot.ChunksSince(previousRoot))
	decoded, err := decodedRoot.TreeSince(tree, previousRoot, needed)
	require.NoError(t, err)
	assert.True(t, equalTrees(changed, decoded))
	assert.Same(t, tree.Pages[0], decoded.Pages[0])
	assert.NotSame(t, tree.Pages[700], decoded.Pages[700])

	_, fresh, err = decoded.EncodeSince(decoded, decodedRoot)
	require.NoError(t, err)
	assert.Empty(t, fresh)
}

func TestChunksHaveTheirSize(t *testing.T) {
	t.Parallel()
	chunks := cutIntoChunks(largeTree(20_000).Pages, pageID)
	total := 0
	for position, chunk := range chunks {
		total += len(chunk)
		assert.LessOrEqual(t, len(chunk), chunkMaximum)
		if position < len(chunks)-1 {
			assert.GreaterOrEqual(t, len(chunk), chunkMinimum)
		}
	}
	assert.Equal(t, 20_000, total)
	assert.InDelta(t, 64, total/len(chunks), 12)
	assert.Empty(t, cutIntoChunks([]*Page(nil), pageID))
}

func TestIndex(t *testing.T) {
	t.Parallel()
	tree := richTree()
	index := tree.Index()
	assert.Same(t, index, tree.Index(), "the index is made once")
	assert.NotSame(t, index, tree.Clone().Index())
	install := index.Page("pag_2")
	require.NotNil(t, install)
	assert.Equal(t, "guides/install", index.Path(install))
	assert.Same(t, install, index.ByPath("guides/install"))
	assert.Nil(t, index.ByPath("install"))
	assert.Nil(t, index.Page("pag_9"))
	assert.Equal(t, 1, index.Position("pag_2"))
	assert.Equal(t, -1, index.Position("pag_9"))
	assert.Empty(t, index.Path(index.Page("pag_3")), "links have no path")
	assert.Equal(t, []string{"pag_1", "pag_3", "pag_4"}, pageIDs(index.Children("")))
	assert.Equal(t, []string{"pag_1"}, pageIDs(index.Ancestors("pag_2")))
	assert.Equal(t, "guides-1", index.UniqueSlug("", "guides", ""))
	assert.Equal(t, "guides", index.UniqueSlug("", "guides", "pag_1"))
	assert.Equal(t, "guides", index.UniqueSlug("pag_1", "guides", ""))
}

func TestIndexIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	tree := largeTree(500)
	found := make(chan *Index, 16)
	for range cap(found) {
		go func() { found <- tree.Index() }()
	}
	first := <-found
	for range cap(found) - 1 {
		assert.Same(t, first, <-found)
	}
}

func BenchmarkEncode(b *testing.B) {
	tree := largeTree(10_000)
	b.ReportAllocs()
	for b.Loop() {
		root, _, err := tree.Encode()
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(root.Data)), "root-bytes")
	}
}

func BenchmarkEncodeSince(b *testing.B) {
	tree := largeTree(10_000)
	object, _ := encode(b, tree)
	root, err := DecodeRoot(object.Data)
	require.NoError(b, err)
	changed := tree.Clone()
	page := *changed.Pages[5000]
	page.Title = "Another title"
	changed.Pages[5000] = &page
	b.ReportAllocs()
	for b.Loop() {
		_, fresh, err := changed.EncodeSince(tree, root)
		if err != nil || len(fresh) != 1 {
			b.Fatal(err, len(fresh))
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	root, chunks := encode(b, largeTree(10_000))
	b.ReportAllocs()
	for b.Loop() {
		decode(b, root, chunks)
	}
}

func BenchmarkIndex(b *testing.B) {
	tree := largeTree(10_000)
	b.ReportAllocs()
	for b.Loop() {
		newIndex(tree.Pages)
	}
}
