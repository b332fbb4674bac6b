package content

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/document"
	"octavo/internal/fault"
)

// keyOf returns the key of the block with the text in the page.
func keyOf(t testing.TB, from *builder, id, text string) string {
	t.Helper()
	_, body := document.SplitFrontMatter([]byte(from.body(id)))
	rest := document.WithoutTitle(body, from.tree.Page(id).Title)
	for _, block := range document.Blocks(rest) {
		if trimBlock(strings.TrimLeft(string(rest[block.Start:block.End]), "\n")) == text {
			return block.Key
		}
	}
	t.Fatalf("page %s has no block %q", id, text)
	return ""
}

func TestRevertBlocks(t *testing.T) {
	t.Parallel()
	const before = "---\nicon: key\n---\n\n# Page\n\nFirst one.\n\nSecond one.\n\n\n## Part\nThird one.\n\n* a\n* b\n"
	rows := []struct {
		name  string
		after string
		// now and then are texts of blocks that are named by their keys.
		now, then []string
		expected  string
	}{
		{
			name:  "a changed block goes back, another stays",
			after: strings.NewReplacer("First", "1st", "Third", "3rd").Replace(before),
			now:   []string{"1st one."}, expected: strings.ReplaceAll(before, "Third", "3rd"),
		},
		{
			name:  "by the key that it had",
			after: strings.NewReplacer("First", "1st", "Third", "3rd").Replace(before),
			then:  []string{"First one."}, expected: strings.ReplaceAll(before, "Third", "3rd"),
		},
		{
			name:  "one of several that follow each other",
			after: strings.NewReplacer("First", "1st", "Second", "2nd").Replace(before),
			now:   []string{"2nd one."}, expected: strings.ReplaceAll(before, "First", "1st"),
		},
		{
			name:  "a new block goes away",
			after: strings.ReplaceAll(before, "Second one.\n", "Second one.\n\nNew.\n\nNewer.\n"),
			now:   []string{"New."}, expected: strings.ReplaceAll(before, "Second one.\n", "Second one.\n\nNewer.\n"),
		},
		{
			name:  "of a rewritten stretch the one that is alike",
			after: strings.ReplaceAll(before, "Second one.\n", "Something else.\n\nThe second one.\n"),
			now:   []string{"The second one."}, expected: strings.ReplaceAll(before, "Second one.\n", "Something else.\n\nSecond one.\n"),
		},
		{
			name:  "a deleted block comes back where it stood",
			after: strings.NewReplacer("First", "1st", "Second one.\n\n\n", "").Replace(before),
			then:  []string{"Second one."}, expected: strings.ReplaceAll(before, "First", "1st"),
		},
		{
			name:  "all of them",
			after: "---\nicon: key\n---\n\n# Page\n\nFirst.\n\nOther.\n\n## Part\n",
			now:   []string{"First.", "Other."}, then: []string{"Third one.", "* a\n* b"},
			expected: before,
		},
		{
			name:  "the page is empty now",
			after: "---\nicon: key\n---\n\n# Page\n",
			then:  []string{"First one.", "* a\n* b"}, expected: "---\nicon: key\n---\n\n# Page\n\nFirst one.\n\n* a\n* b\n",
		},
		{
			name:  "what is left is the title",
			after: "---\nicon: key\n---\n\n# Page\n\nNew.\n",
			now:   []string{"New."}, expected: "---\nicon: key\n---\n\n# Page\n",
		},
		{
			name:  "lines stay parted",
			after: strings.ReplaceAll(before, "## Part\nThird one.\n", "Text\n\nThird one!\n"),
			now:   []string{"Third one!"}, expected: strings.ReplaceAll(before, "## Part\n", "Text\n\n"),
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			source := newBuilder(t).page("p", "", before)
			edited := source.branch().change("p", func(page *Page) {
				page.Body = source.bodies.Add([]byte(row.after))
				page.Icon = "lock"
			})
			var names []string
			for _, text := range row.now {
				names = append(names, keyOf(t, edited, "p", text))
			}
			for _, text := range row.then {
				names = append(names, keyOf(t, source, "p", text))
			}
			tree, bodies, applied, err := Apply(edited.tree, edited.bodies, []Operation{RevertPage{Page: "p", Blocks: names}}, ApplyOptions{RevertSource: source.tree})
			require.NoError(t, err)
			assert.Equal(t, row.expected, bodyOf(t, tree, bodies, "p"))
			assert.Equal(t, []string{"p"}, applied[0].Updated)
			assert.Equal(t, "lock", tree.Page("p").Icon, "metadata stays")
		})
	}
}

func TestRevertBlocksRefuses(t *testing.T) {
	t.Parallel()
	source := newBuilder(t).page("p", "", "One.\n\nTwo.\n").page("gone", "", "Gone.\n").
		add(&Page{ID: "group", Type: PageGroup, Title: "Group", Slug: "group"})
	edited := source.branch().apply(
		UpdatePage{Page: "p", Markdown: new("One!\n\nTwo.\n")}, DeletePage{Page: "gone"},
		InsertPage{Ref: "made", Markdown: new("# Made\n\nText.\n")},
	)
	made := edited.tree.Pages[len(edited.tree.Pages)-1].ID
	known := keyOf(t, edited, "p", "One!")
	rows := []struct {
		name   string
		revert RevertPage
		code   fault.Code
		field  string
	}{
		{"no block", RevertPage{Page: "p", Blocks: []string{}}, fault.BadUserInput, "changes.0.block"},
		{"too many", RevertPage{Page: "p", Blocks: make([]string, BlockLimit+1)}, fault.BadUserInput, "changes.0.block"},
		{"unknown block", RevertPage{Page: "p", Blocks: []string{known, "x"}}, fault.BadUserInput, "changes.0.block.1"},
		{"unchanged block", RevertPage{Page: "p", Blocks: []string{keyOf(t, edited, "p", "Two.")}}, fault.NoChange, ""},
		{"deleted page", RevertPage{Page: "gone", Blocks: []string{known}}, fault.BadUserInput, "changes.0.block"},
		{"new page", RevertPage{Page: made, Blocks: []string{known}}, fault.BadUserInput, "changes.0.block"},
		{"group", RevertPage{Page: "group", Blocks: []string{known}}, fault.BadUserInput, "changes.0.block"},
		{"unknown page", RevertPage{Page: "x", Blocks: []string{known}}, fault.BadUserInput, "changes.0.page"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, _, _, err := Apply(edited.tree, edited.bodies, []Operation{row.revert}, ApplyOptions{RevertSource: source.tree})
			requireFault(t, err, row.code, row.field)
		})
	}
}

// TestRevertBlocksOfRandomEdits checks that naming every block leads back to
// what was, and naming one block leaves the others alone.
func TestRevertBlocksOfRandomEdits(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		before := randomBlocks(random, nil)
		after := randomBlocks(random, before)
		source := newBuilder(t).page("p", "", strings.Join(before, "\n\n")+"\n")
		edited := source.branch().change("p", func(page *Page) {
			page.Body = source.bodies.Add([]byte(strings.Join(after, "\n\n") + "\n"))
		})
		revert := func(names []string) string {
			tree, bodies, _, err := Apply(edited.tree, edited.bodies, []Operation{RevertPage{Page: "p", Source: source.tree, Blocks: names}}, ApplyOptions{})
			if fault.CodeOf(err) == fault.NoChange {
				return edited.body("p")
			}
			require.NoError(t, err)
			return bodyOf(t, tree, bodies, "p")
		}
		var now, all []string
		for _, from := range []*builder{edited, source} {
			for _, block := range document.Blocks([]byte(from.body("p"))) {
				all = append(all, block.Key)
			}
			if from == edited {
				now = all
			}
		}
		require.Equal(t, source.body("p"), revert(all), "seed %d", seed)
		position := random.IntN(len(now))
		reverted := strings.Split(strings.TrimSuffix(revert(now[position:position+1]), "\n"), "\n\n")
		remaining := len(reverted)
		for index, text := range after {
			if index == position {
				continue
			}
			require.Contains(t, reverted, text, "seed %d", seed)
			remaining--
		}
		require.LessOrEqual(t, remaining, 1, "seed %d", seed)
	}
}

// randomBlocks writes paragraphs, or changes some that were written.
func randomBlocks(random *rand.Rand, before []string) []string {
	var blocks []string
	for index := range max(1, len(before)) + random.IntN(3) {
		switch choice := random.IntN(5); {
		case index < len(before) && choice == 0:
			blocks = append(blocks, before[index]+" changed")
		case index < len(before) && choice == 1:
			continue
		case index < len(before) && choice > 2:
			blocks = append(blocks, before[index])
		default:
			blocks = append(blocks, fmt.Sprintf("Paragraph %d of %d", random.IntN(1000), len(before)))
		}
	}
	if len(blocks) == 0 {
		return []string{"Left over"}
	}
	return blocks
}
