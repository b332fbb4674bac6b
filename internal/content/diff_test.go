package content

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	from := guide(t)
	from.tree.Files = []*File{{ID: "f1", Name: "a.png"}, {ID: "f2", Name: "b.png"}}
	from.tree.ReusableContents = []*ReusableContent{{ID: "r1", Title: "Note"}, {ID: "r2", Title: "Old"}}
	from.tree.Variables = map[string]any{"a": "1", "b": true}
	to := from.branch()
	to.tree.Files = []*File{{ID: "f1", Name: "a.png", Width: 2, Height: 3, Content: HashOf(nil)}, {ID: "f3", Name: "c.png"}}
	to.tree.ReusableContents = []*ReusableContent{{ID: "r1", Title: "Hint"}, {ID: "r3", Title: "New"}}
	to.tree.Variables = map[string]any{"a": "2", "c": 1.0}
	to.apply(
		UpdatePage{Page: "install", Into: Set("faq"), Metadata: PageMetadata{Title: Set("Set up"), Icon: Set("bolt")}},
		DeletePage{Page: "upgrade"},
		UpdatePage{Page: "home", At: ptr(2)},
	).page("new", "guides", "# New\n")

	changed := func(id string, pageType PageType, title, path string) *ChangedPage {
		return &ChangedPage{ID: id, Type: pageType, Title: title, Path: path}
	}
	assert.Equal(t, []Change{
		{Kind: PageCreated, Page: changed("new", PageDocument, "New", "guides/new")},
		{
			Kind: PageEdited, Page: changed("install", PageDocument, "Set up", "more/faq/install"),
			Attributes: []AttributeChange{
				{"title", "Install", "Set up"}, {"icon", nil, "bolt"},
				{"document", from.tree.Page("install").Body, to.tree.Page("install").Body},
			},
		},
		{
			Kind: PageMoved, Page: changed("install", PageDocument, "Set up", "more/faq/install"),
			ParentBefore: changed("guides", PageDocument, "Guides", "guides"), ParentAfter: changed("faq", PageDocument, "FAQ", "more/faq"),
		},
		{Kind: PageMoved, Page: changed("home", PageDocument, "Home", "home")},
		{Kind: PageDeleted, Page: changed("upgrade", PageDocument, "Upgrade", "guides/upgrade")},
		{
			Kind: FileEdited, File: to.tree.Files[0],
			Attributes: []AttributeChange{{"content", nil, HashOf(nil)}, {"dimensions", nil, &Dimensions{Width: 2, Height: 3}}},
		},
		{Kind: FileDeleted, File: from.tree.Files[1]},
		{Kind: FileCreated, File: to.tree.Files[1]},
		{Kind: ReusableContentEdited, ReusableContent: to.tree.ReusableContents[0], Attributes: []AttributeChange{{"title", "Note", "Hint"}}},
		{Kind: ReusableContentDeleted, ReusableContent: from.tree.ReusableContents[1]},
		{Kind: ReusableContentCreated, ReusableContent: to.tree.ReusableContents[1]},
		{Kind: VariablesEdited, Attributes: []AttributeChange{{"a", "1", "2"}, {"b", true, nil}, {"c", nil, 1.0}}},
	}, Diff(from.tree, to.tree))
}

func TestTimesAloneAreNoDifference(t *testing.T) {
	t.Parallel()
	from := guide(t)
	to := from.branch().change("home", func(page *Page) { page.UpdatedAt = testTime.Add(time.Hour) })
	assert.Empty(t, Diff(from.tree, to.tree))
}

func TestDiffMovesTheFewestPages(t *testing.T) {
	t.Parallel()
	from := newBuilder(t)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		from.page(id, "", "text\n")
	}
	to := from.branch().apply(UpdatePage{Page: "e", At: ptr(0)}, UpdatePage{Page: "b", At: ptr(4)})
	var moved []string
	for _, change := range Diff(from.tree, to.tree) {
		moved = append(moved, change.Page.ID)
	}
	assert.Equal(t, []string{"e", "b"}, moved)
}

func TestLineStatistics(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name           string
		before, after  string
		added, removed int
	}{
		{"nothing", "a\nb\n", "a\nb\n", 0, 0},
		{"changed line", "a\nb\nc\n", "a\nB\nc\n", 1, 1},
		{"appended", "a\n", "a\nb\nc\n", 2, 0},
		{"removed", "a\nb\nc\n", "c\n", 0, 2},
		{"from nothing", "", "a\nb", 2, 0},
		{"moved block", "a\nb\nc\nd\n", "c\nd\na\nb\n", 2, 2},
		{"without a line end", "a", "a\n", 1, 1},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			bodies := NewMemory(nil)
			statistics, err := CompareLines(bodies, bodies.Add([]byte(row.before)), bodies.Add([]byte(row.after)))
			require.NoError(t, err)
			assert.Equal(t, LineStatistics{Added: row.added, Removed: row.removed}, statistics)
		})
	}
	base := guide(t)
	changed := base.branch().apply(UpdatePage{Page: "install", Metadata: PageMetadata{Icon: Set("bolt"), Title: Set("X")}})
	changes := Diff(base.tree, changed.tree)
	require.Len(t, changes, 1)
	statistics, err := changes[0].LineStatistics(changed.bodies)
	require.NoError(t, err)
	assert.Equal(t, LineStatistics{Added: 2, Removed: 1}, statistics)
	_, err = changes[0].LineStatistics(NewMemory(nil))
	require.ErrorContains(t, err, "missing")
	statistics, err = (&Change{Kind: PageMoved}).LineStatistics(nil)
	require.NoError(t, err)
	assert.Zero(t, statistics)
}

// TestHunksTurnOneIntoTheOther carries out the hunks between random sequences
// that are made of few different tokens.
func TestHunksTurnOneIntoTheOther(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	sequence := func() []string {
		var tokens []string
		for range random.IntN(8) {
			tokens = append(tokens, string(rune('a'+random.IntN(4))), strings.Repeat("\n", 1+random.IntN(2)))
		}
		return tokens
	}
	for range 20_000 {
		base, side := sequence(), sequence()
		hunks := blockHunks(base, side)
		var rebuilt []string
		position := 0
		for number, hunk := range hunks {
			require.True(t, hunk.baseStart < hunk.baseEnd || hunk.sideStart < hunk.sideEnd)
			require.True(t, number == 0 || hunk.baseStart > position, "%q %q", base, side)
			rebuilt = append(append(rebuilt, base[position:hunk.baseStart]...), side[hunk.sideStart:hunk.sideEnd]...)
			position = hunk.baseEnd
		}
		rebuilt = append(rebuilt, base[position:]...)
		require.True(t, slices.Equal(side, rebuilt), "%q %q %v", base, side, hunks)
	}
}

func TestHunksBeginWithABlockWhereTheyCan(t *testing.T) {
	t.Parallel()
	base, side := []string{"a", "\n", "b", "\n\n"}, []string{"b", "\n\n", "a", "\n\n"}
	assert.Equal(t, []hunk{{0, 2, 0, 0}, {4, 4, 2, 4}}, blockHunks(base, side))
	base, side = []string{"a", "\n\n", "c", "\n\n", "b", "\n\n"}, []string{"c", "\n\n"}
	assert.Equal(t, []hunk{{0, 2, 0, 0}, {4, 6, 2, 2}}, blockHunks(base, side))
}

func TestLargeTextsAreComparedInTime(t *testing.T) {
	t.Parallel()
	repeated := func(line string, count int) []string { return slices.Repeat([]string{line}, count) }
	numbered := func(prefix string, count int) []string {
		lines := make([]string, count)
		for position := range lines {
			lines[position] = prefix + strings.Repeat("x", position%97)
		}
		return lines
	}
	for name, texts := range map[string][2][]string{
		"all alike":      {repeated("a", 200_000), repeated("a", 150_000)},
		"nothing common": {repeated("a", 200_000), repeated("b", 200_000)},
		"few different":  {numbered("a", 50_000), numbered("a", 49_000)},
		"mixed":          {append(numbered("a", 20_000), numbered("b", 20_000)...), append(numbered("b", 20_000), numbered("a", 20_000)...)},
	} {
		started := time.Now()
		diffTokens(texts[0], texts[1])
		assert.Less(t, time.Since(started), 5*time.Second, name)
	}
}
