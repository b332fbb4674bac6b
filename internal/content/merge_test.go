package content

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/fault"
)

func ptr[Value any](value Value) *Value { return &value }

func setBody(text string) func(*builder) {
	return func(b *builder) {
		hash := b.bodies.Add([]byte(text))
		b.change("a", func(page *Page) { page.Body = hash })
	}
}

func TestMergeBodies(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name               string
		base, ours, theirs string
		merged             string
		conflicts          int
	}{
		{"different blocks", "one\n\ntwo\n\nthree\n", "ONE\n\ntwo\n\nthree\n", "one\n\ntwo\n\nTHREE\n", "ONE\n\ntwo\n\nTHREE\n", 0},
		{"adjacent blocks", "one\n\ntwo\n", "ONE\n\ntwo\n", "one\n\nTWO\n", "ONE\n\nTWO\n", 0},
		{"adjacent blocks without a blank line", "# one\ntwo\n", "# ONE\ntwo\n", "# one\nTWO\n", "# ONE\nTWO\n", 0},
		{"the same change", "one\n\ntwo\n", "ONE\n\ntwo\n", "ONE\n\nTWO\n", "ONE\n\nTWO\n", 0},
		{"lines apart in one block", "a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "A\nb\nc\nd\nE\n", 0},
		{"neighbouring lines of a paragraph", "a\nb\n", "A\nb\n", "a\nB\n", "A\nb\n", 1},
		{"one block", "one\n", "ours\n", "theirs\n", "ours\n", 1},
		{"append and edit the last", "one\n", "one\n\nnew\n", "ONE\n", "ONE\n\nnew\n", 0},
		{"append without a line end", "one", "one\n\nnew", "ONE", "ONE\n\nnew", 0},
		{"both append", "one\n", "one\n\nours\n", "one\n\ntheirs\n", "one\n\nours\n", 1},
		{"both append the same", "one\n", "one\n\nnew\n", "one\n\nnew\n\nmore\n", "one\n\nnew\n", 1},
		{"insert in front and edit", "one\n", "new\n\none\n", "ONE\n", "new\n\nONE\n", 0},
		{"delete and edit another", "one\n\ntwo\n\nthree\n", "one\n\nthree\n", "ONE\n\ntwo\n\nthree\n", "ONE\n\nthree\n", 0},
		{"delete and insert behind", "one\n\ntwo\n\nthree\n", "one\n\nthree\n", "one\n\ntwo\n\nnew\n\nthree\n", "one\n\nnew\n\nthree\n", 0},
		{"delete and edit the same", "one\n\ntwo\n\nthree\n", "one\n\nthree\n", "one\n\nTWO\n\nthree\n", "one\n\nthree\n", 1},
		{"line end at the end only", "one", "one\n", "one\n\nnew\n", "one\n\nnew\n", 0},
		{"blank lines and text", "one\n\ntwo\n", "one\n\n\n\ntwo\n", "one\n\nTWO\n", "one\n\n\n\nTWO\n", 0},
		{"two conflicts", "one\n\ntwo\n\nthree\n", "1\n\ntwo\n\n3\n", "I\n\ntwo\n\nIII\n", "1\n\ntwo\n\n3\n", 2},
		{"the same line and the next", "a\nb\n", "A\nb\n", "A\nB\n", "A\nB\n", 0},
		{"the same block and the next", "a\n\nb\n", "A\n\nb\n", "A\n\nB\n", "A\n\nB\n", 0},
		{"the same block twice", "x\n\nx\n\nx\n", "x\n\nx\n", "x\n\nx\n\nx\n\ny\n", "x\n\nx\n\ny\n", 0},
		{"code with blank lines", "```\na\n\nb\n```\n\ntext\n", "```\nA\n\nb\n```\n\ntext\n", "```\na\n\nB\n```\n\ntext\n", "```\nA\n\nB\n```\n\ntext\n", 0},
		{"items of a list", "* a\n* b\n* c\n", "* A\n* b\n* c\n", "* a\n* b\n* C\n", "* A\n* b\n* C\n", 0},
		{"both delete", "a\n\nb\n\nc\n", "a\n\nc\n", "a\n", "a\n", 0},
		{"all deleted and appended", "a\n", "", "a\n\nb\n", "b\n", 0},
		{"blocks that come together", "\n\na\n", "a\n", "x\n\na\n", "x\n\na\n", 0},
		{"a block that moves", "a\nb\n\nc\n", "b\n\na\n\nc\n", "a\nb\n\nC\n", "b\n\na\n\nC\n", 0},
		{"carriage returns", "one\r\n\r\ntwo\r\n", "ONE\r\n\r\ntwo\r\n", "one\r\n\r\nTWO\r\n", "ONE\r\n\r\nTWO\r\n", 0},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			base := newBuilder(t).page("a", "", row.base)
			ours, theirs := base.branch(), base.branch()
			setBody(row.ours)(ours)
			setBody(row.theirs)(theirs)
			result := merge(t, base, ours, theirs)
			assert.Len(t, result.Conflicts, row.conflicts)
			assert.Equal(t, row.merged, bodyOf(t, result.Tree, result.Bodies, "a"))
			swapped := merge(t, base, theirs, ours)
			assert.Len(t, swapped.Conflicts, row.conflicts)
			if row.conflicts == 0 {
				assert.Equal(t, row.merged, bodyOf(t, swapped.Tree, swapped.Bodies, "a"))
			}
		})
	}
}

func TestResolutionsOfABodyConflict(t *testing.T) {
	t.Parallel()
	base := newBuilder(t).page("a", "", "start\n\nl1\nl2\nl3\nl4\n\nend\n")
	ours, theirs := base.branch(), base.branch()
	setBody("start\n\nl1\nOURS\nl3\nl4\n\nend\n")(ours)
	setBody("start\n\nl1\nTHEIRS\nl3\nL4\n\nEND\n")(theirs)
	found := merge(t, base, ours, theirs)
	require.Len(t, found.Conflicts, 1)
	conflict := found.Conflicts[0]
	assert.Equal(t, Conflict{
		ID: conflict.ID, Kind: ConflictBody, Page: "a", Block: 1,
		Base: "l1\nl2\nl3\nL4", Ours: "l1\nOURS\nl3\nL4", Theirs: "l1\nTHEIRS\nl3\nL4", Choices: textChoices,
	}, conflict, "lines that one side changed are in all three")
	rows := []struct {
		resolution Resolution
		middle     string
	}{
		{Resolution{Choice: ChooseOurs}, "l1\nOURS\nl3\nL4"},
		{Resolution{Choice: ChooseTheirs}, "l1\nTHEIRS\nl3\nL4"},
		{Resolution{Choice: ChooseBase}, "l1\nl2\nl3\nL4"},
		{Resolution{Choice: ChooseBoth}, "l1\nOURS\nl3\nL4\n\nl1\nTHEIRS\nl3\nL4"},
		{Resolution{Choice: ChooseCustom, Markdown: ptr("custom\n\ntext\n\n\n")}, "custom\n\ntext"},
	}
	for _, row := range rows {
		t.Run(string(row.resolution.Choice), func(t *testing.T) {
			t.Parallel()
			row.resolution.Conflict = conflict.ID
			result := merge(t, base, ours, theirs, row.resolution)
			assert.Empty(t, result.Conflicts)
			assert.Len(t, result.Resolved, 1)
			assert.Equal(t, "start\n\n"+row.middle+"\n\nEND\n", bodyOf(t, result.Tree, result.Bodies, "a"))
		})
	}
}

func TestResolutionsThatDoNotFit(t *testing.T) {
	t.Parallel()
	base := newBuilder(t).page("a", "", "one\n").page("b", "", "two\n")
	ours, theirs := base.branch(), base.branch()
	setBody("ours\n")(ours)
	setBody("theirs\n")(theirs)
	ours.change("b", func(page *Page) { page.Title = "Ours" })
	theirs.change("b", func(page *Page) { page.Title = "Theirs" })
	found := merge(t, base, ours, theirs)
	require.Equal(t, []ConflictKind{ConflictBody, ConflictTitle}, conflictKinds(found))
	body, title := found.Conflicts[0].ID, found.Conflicts[1].ID
	rows := []struct {
		name        string
		resolutions []Resolution
		code        fault.Code
		field       string
	}{
		{"unknown", []Resolution{{Conflict: "unknown", Choice: ChooseOurs}}, fault.Conflict, "resolutions.0.conflict"},
		{"twice", []Resolution{{Conflict: body, Choice: ChooseOurs}, {Conflict: body, Choice: ChooseTheirs}}, fault.Conflict, "resolutions.1.conflict"},
		{"unknown choice", []Resolution{{Conflict: body, Choice: "mine"}}, fault.BadUserInput, "resolutions.0.choice"},
		{"both titles", []Resolution{{Conflict: title, Choice: ChooseBoth}}, fault.BadUserInput, "resolutions.0.choice"},
		{"no text", []Resolution{{Conflict: body, Choice: ChooseCustom}}, fault.BadUserInput, "resolutions.0.markdown"},
		{"NUL", []Resolution{{Conflict: body, Choice: ChooseCustom, Markdown: ptr("a\x00")}}, fault.BadUserInput, "resolutions.0.markdown"},
		{"empty title", []Resolution{{Conflict: title, Choice: ChooseCustom, Value: " "}}, fault.BadUserInput, "resolutions.0.value"},
		{"title of another type", []Resolution{{Conflict: title, Choice: ChooseCustom, Value: 1.0}}, fault.BadUserInput, "resolutions.0.value"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := Merge(base.tree, ours.tree, theirs.tree, base.bodies, MergeOptions{Resolutions: row.resolutions})
			requireFault(t, err, row.code, row.field)
		})
	}
	t.Run("nothing to merge", func(t *testing.T) {
		t.Parallel()
		_, err := Merge(base.tree, base.tree, theirs.tree, base.bodies, MergeOptions{Resolutions: []Resolution{{Conflict: body, Choice: ChooseOurs}}})
		requireFault(t, err, fault.Conflict, "resolutions.0.conflict")
	})
}

func requireFault(t testing.TB, err error, code fault.Code, field string) {
	t.Helper()
	var shown *fault.Error
	require.ErrorAs(t, err, &shown)
	assert.Equal(t, code, shown.Code, shown.Message)
	assert.Equal(t, field, shown.Field, shown.Message)
}

func TestMergeTrees(t *testing.T) {
	t.Parallel()
	type edit = func(b *builder)
	move := func(page, into string, at int) edit {
		return func(b *builder) {
			update := UpdatePage{Page: page}
			if at >= 0 {
				update.At = &at
			}
			switch into {
			case "":
				update.Into = Remove[string]()
			case "-":
			default:
				update.Into = Set(into)
			}
			b.apply(update)
		}
	}
	remove := func(page string) edit { return func(b *builder) { b.apply(DeletePage{Page: page}) } }
	insert := func(id, parent string) edit { return func(b *builder) { b.page(id, parent, "# "+id+"\n") } }
	text := func(page string) edit {
		return func(b *builder) { b.apply(UpdatePage{Page: page, Markdown: ptr("new text\n")}) }
	}
	both := func(edits ...edit) edit {
		return func(b *builder) {
			for _, edit := range edits {
				edit(b)
			}
		}
	}
	const start = "a\n a1\n a2\nb\n b1\nc\n"
	rows := []struct {
		name         string
		ours, theirs edit
		outline      string
		conflicts    []ConflictKind
	}{
		{"insert in two places", insert("x", "a"), insert("y", "b"), "a\n a1\n a2\n x\nb\n b1\n y\nc\n", nil},
		{"insert in one place", insert("y", "a"), insert("x", "a"), "a\n a1\n a2\n x\n y\nb\n b1\nc\n", nil},
		{"delete and insert elsewhere", remove("a"), insert("x", "b"), "b\n b1\n x\nc\n", nil},
		{"delete on both sides", remove("a"), remove("a1"), "b\n b1\nc\n", nil},
		{"move to two places", move("c", "a", 0), move("b1", "", 0), "b1\na\n c\n a1\n a2\nb\n", nil},
		{"move below what moves", move("c", "b", -1), move("b", "a", 1), "a\n a1\n b\n  b1\n  c\n a2\n", nil},
		{"reorder two", move("c", "-", 0), move("a", "-", 1), "c\nb\n b1\na\n a1\n a2\n", nil},
		{"swap on both sides", move("b", "-", 0), move("a", "-", 1), "b\n b1\na\n a1\n a2\nc\n", nil},
		{"move both", move("c", "a", -1), move("c", "b", -1), "a\n a1\n a2\n c\nb\n b1\n", []ConflictKind{ConflictMoved}},
		{"cycle", move("a", "b", -1), move("b", "a", -1), "b\n b1\n a\n  a1\n  a2\nc\n", []ConflictKind{ConflictCycle}},
		{"cycle through a new page", move("a", "b", -1), both(insert("x", "a"), move("b", "x", -1)), "b\n b1\n a\n  a1\n  a2\n  x\nc\n", []ConflictKind{ConflictCycle}},
		{"edit what theirs deleted", text("a1"), remove("a"), "a\n a1\nb\n b1\nc\n", []ConflictKind{ConflictEditedAndDeleted}},
		{"delete what theirs edited", remove("a"), text("a1"), "b\n b1\nc\n", []ConflictKind{ConflictDeletedAndEdited}},
		{"insert below what theirs deleted", insert("x", "a"), remove("a"), "a\n x\nb\n b1\nc\n", []ConflictKind{ConflictEditedAndDeleted}},
		{"delete below what theirs inserted", remove("a"), insert("x", "a1"), "b\n b1\nc\nx\n", []ConflictKind{ConflictDeletedAndEdited, ConflictDeletedAndEdited}},
		{"move out of what theirs deleted", move("a1", "b", -1), remove("a"), "b\n b1\n a1\nc\n", []ConflictKind{ConflictEditedAndDeleted}},
		{"move into what theirs deleted", move("c", "a", 0), remove("a"), "a\n c\nb\n b1\n", []ConflictKind{ConflictEditedAndDeleted}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			base := newBuilder(t)
			for _, page := range [][2]string{{"a", ""}, {"a1", "a"}, {"a2", "a"}, {"b", ""}, {"b1", "b"}, {"c", ""}} {
				base.page(page[0], page[1], "# "+page[0]+"\n")
			}
			require.Equal(t, start, outline(base.tree))
			ours, theirs := base.branch(), base.branch()
			row.ours(ours)
			row.theirs(theirs)
			result := merge(t, base, ours, theirs)
			assert.Equal(t, row.outline, outline(result.Tree))
			assert.Equal(t, row.conflicts, conflictKinds(result))
			swapped := merge(t, base, theirs, ours)
			if row.conflicts == nil {
				assert.Equal(t, row.outline, outline(swapped.Tree))
				assert.Empty(t, swapped.Conflicts)
				return
			}
			assert.NotEmpty(t, swapped.Conflicts)
			var resolutions []Resolution
			for _, conflict := range result.Conflicts {
				resolutions = append(resolutions, Resolution{Conflict: conflict.ID, Choice: ChooseTheirs})
			}
			resolved, err := Merge(base.tree, ours.tree, theirs.tree, base.bodies, MergeOptions{Resolutions: resolutions})
			if fault.CodeOf(err) == fault.Conflict {
				return // settling one conflict did away with another
			}
			require.NoError(t, err)
			requireValid(t, resolved.Tree, resolved.Bodies)
			assert.Equal(t, outline(swapped.Tree), outline(resolved.Tree))
		})
	}
}

func TestMergeOrder(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name               string
		base, ours, theirs string
		order              string
		agreed             bool
	}{
		{"one side", "abc", "cab", "abc", "cab", true},
		{"ends swap", "abc", "bca", "cab", "cba", true},
		{"different pairs", "abcd", "bacd", "abdc", "badc", true},
		{"insertions", "ab", "axb", "aby", "axby", true},
		{"insertions in one place", "ab", "ayb", "axb", "axyb", true},
		{"deletions", "abcd", "acd", "abd", "ad", true},
		{"insertion behind a deletion", "abc", "abxc", "ac", "axc", true},
		{"insertion and reorder", "abc", "abcx", "cab", "cxab", true},
		{"no order for both", "abcd", "bdac", "cabd", "bdac", false},
		{"nothing known", "", "ab", "ba", "ab", true},
	}
	letters := func(text string) []string {
		list := make([]string, len(text))
		for position, letter := range []byte(text) {
			list[position] = string(letter)
		}
		return list
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			members := setOf(letters(row.order))
			order, agreed := mergeOrder(letters(row.base), letters(row.ours), letters(row.theirs), members)
			assert.Equal(t, row.agreed, agreed)
			assert.Equal(t, letters(row.order), order)
			swapped, agreed := mergeOrder(letters(row.base), letters(row.theirs), letters(row.ours), members)
			assert.Equal(t, row.agreed, agreed)
			if agreed {
				assert.Equal(t, order, swapped)
			}
		})
	}
}

func TestOrderConflict(t *testing.T) {
	t.Parallel()
	base := newBuilder(t)
	for _, id := range []string{"a", "b", "c", "d"} {
		base.page(id, "", "text\n")
	}
	reorder := func(order ...int) *builder {
		branch := base.branch()
		for position, from := range order {
			branch.tree.Pages[position] = base.tree.Pages[from]
		}
		return branch
	}
	ours, theirs := reorder(1, 3, 0, 2).page("x", "", "text\n"), reorder(2, 0, 1, 3)
	found := merge(t, base, ours, theirs)
	require.Equal(t, []ConflictKind{ConflictOrder}, conflictKinds(found))
	for choice, expected := range map[Choice]string{
		ChooseOurs: "b\nd\na\nc\nx\n", ChooseTheirs: "c\nx\na\nb\nd\n", ChooseBase: "a\nb\nc\nx\nd\n",
	} {
		result := merge(t, base, ours, theirs, Resolution{Conflict: found.Conflicts[0].ID, Choice: choice})
		assert.Equal(t, expected, outline(result.Tree), string(choice))
	}
}

func TestMergeMetadata(t *testing.T) {
	t.Parallel()
	source := "---\ndescription: Old\nicon: bolt\ntags: [x]\n---\n\n# Title\n\ntext\n"
	base := newBuilder(t).page("a", "", source)
	base.tree.Variables = map[string]any{"x": "1", "y": "1"}
	ours := base.branch().apply(UpdatePage{Page: "a", Metadata: PageMetadata{Description: Set("New"), Hidden: Set(true)}})
	ours.tree.Variables = map[string]any{"x": "2", "y": "1", "z": true}
	theirs := base.branch().apply(UpdatePage{Page: "a", Metadata: PageMetadata{Title: Set("Renamed"), Icon: Remove[string]()}})
	theirs.tree.Variables = map[string]any{"x": "1"}
	result := merge(t, base, ours, theirs)
	assert.Empty(t, result.Conflicts)
	page := result.Tree.Page("a")
	assert.Equal(t, "New", page.Description)
	assert.Equal(t, "Renamed", page.Title)
	assert.True(t, page.Hidden)
	assert.Empty(t, page.Icon)
	assert.Equal(t, map[string]any{"x": "2", "z": true}, result.Tree.Variables)
	body := bodyOf(t, result.Tree, result.Bodies, "a")
	read, _, err := readMetadata(&Page{}, []byte(body), fileNames{})
	require.NoError(t, err)
	assert.Equal(t, "New", read.Description)
	assert.Equal(t, "Renamed", read.Title)
	assert.True(t, read.Hidden)
	assert.Empty(t, read.Icon)
	assert.Contains(t, body, "tags: [x]\n")
	assert.Contains(t, body, "# Renamed\n\ntext\n")
}

func TestMetadataConflicts(t *testing.T) {
	t.Parallel()
	base := newBuilder(t).page("a", "", "---\ndescription: Old\nown: 1\n---\n# Title\n\ntext\n")
	ours := base.branch()
	setBody("---\ndescription: Ours\nown: 2\n---\n# Ours\n\ntext\n")(ours)
	ours.change("a", func(page *Page) { page.Title, page.Description = "Ours", "Ours" })
	theirs := base.branch()
	setBody("---\ndescription: Theirs\nown: 3\n---\n# Theirs\n\ntext\n\nmore\n")(theirs)
	theirs.change("a", func(page *Page) { page.Title, page.Description = "Theirs", "Theirs" })
	found := merge(t, base, ours, theirs)
	require.Equal(t, []ConflictKind{ConflictTitle, ConflictField, ConflictField}, conflictKinds(found), "each once, though the text says it again")
	assert.Equal(t, "frontMatter.own", found.Conflicts[2].Field)
	assert.Equal(t, "---\ndescription: Ours\nown: 2\n---\n# Ours\n\ntext\n\nmore\n", bodyOf(t, found.Tree, found.Bodies, "a"))
	result := merge(t, base, ours, theirs,
		Resolution{Conflict: found.Conflicts[0].ID, Choice: ChooseCustom, Value: "Agreed"},
		Resolution{Conflict: found.Conflicts[1].ID, Choice: ChooseTheirs},
		Resolution{Conflict: found.Conflicts[2].ID, Choice: ChooseTheirs},
	)
	assert.Empty(t, result.Conflicts)
	assert.Equal(t, "Agreed", result.Tree.Page("a").Title)
	assert.Equal(t, "Theirs", result.Tree.Page("a").Description)
	assert.Equal(t, "---\ndescription: Theirs\nown: 3\n---\n# Agreed\n\ntext\n\nmore\n", bodyOf(t, result.Tree, result.Bodies, "a"))
}

func TestTheTextFollowsMergedMetadata(t *testing.T) {
	t.Parallel()
	base := newBuilder(t).page("a", "", "text\n")
	ours := base.branch().apply(UpdatePage{Page: "a", Metadata: PageMetadata{Title: Set("Renamed")}})
	assert.Equal(t, "text\n", ours.body("a"), "there is no heading to rename")
	theirs := base.branch()
	setBody("# a\n\ntext\n")(theirs)
	result := merge(t, base, ours, theirs)
	assert.Empty(t, result.Conflicts)
	assert.Equal(t, "# Renamed\n\ntext\n", bodyOf(t, result.Tree, result.Bodies, "a"))
}

func TestWaysOfWritingMetadataDoNotConflict(t *testing.T) {
	t.Parallel()
	base := newBuilder(t).page("a", "", "---\nicon: bolt\n---\ntext\n")
	side := func(description, text string) *builder {
		branch := base.branch()
		setBody("---\nicon: bolt\ndescription: " + description + "\n---\n" + text)(branch)
		return branch.change("a", func(page *Page) { page.Description = "New" })
	}
	ours, theirs := side("'New'", "text\n"), side(`"New"`, "TEXT\n")
	result, swapped := merge(t, base, ours, theirs), merge(t, base, theirs, ours)
	assert.Empty(t, result.Conflicts)
	assert.True(t, equalTrees(result.Tree, swapped.Tree))
	assert.Equal(t, "---\nicon: bolt\ndescription: 'New'\n---\nTEXT\n", bodyOf(t, result.Tree, result.Bodies, "a"))
}

func TestMergedPagesKeepTheirTimes(t *testing.T) {
	t.Parallel()
	base := newBuilder(t).page("a", "", "one\n\ntwo\n")
	ours, theirs := base.branch(), base.branch()
	setBody("ONE\n\ntwo\n")(ours)
	setBody("one\n\nTWO\n")(theirs)
	ours.change("a", func(page *Page) { page.UpdatedAt, page.GitOID = testTime.Add(time.Hour), "oid" })
	theirs.change("a", func(page *Page) { page.UpdatedAt = testTime.Add(2 * time.Hour) })
	ours.add(&Page{ID: "new", Type: PageDocument, Title: "New", Slug: "new", CreatedAt: testTime})
	theirs.add(&Page{ID: "new", Type: PageDocument, Title: "New", Slug: "new", CreatedAt: testTime.Add(-time.Hour), Hidden: true})
	for _, result := range []*MergeResult{merge(t, base, ours, theirs), merge(t, base, theirs, ours)} {
		assert.Equal(t, testTime.Add(-time.Hour), result.Tree.Page("new").CreatedAt)
		page := result.Tree.Page("a")
		assert.Equal(t, testTime, page.CreatedAt)
		assert.Equal(t, testTime.Add(2*time.Hour), page.UpdatedAt)
		assert.Empty(t, page.GitOID, "the merged text is no file of a repository")
	}
}

func TestPartsOfLayoutAndCoverMergeOnTheirOwn(t *testing.T) {
	t.Parallel()
	cover := func(url string, position float64) *Cover {
		return &Cover{Ref: map[string]any{"kind": "url", "url": url}, YPos: position}
	}
	base := newBuilder(t).page("a", "", "text\n")
	base.change("a", func(page *Page) { page.Cover = cover("https://example.org/1", 0) })
	wide, plain := DefaultLayout(), DefaultLayout()
	wide.Width, plain.Outline = "wide", false
	ours := base.branch().change("a", func(page *Page) {
		page.Layout, page.Cover, page.Variables = &wide, cover("https://example.org/2", 0), map[string]any{"x": "1"}
	})
	theirs := base.branch().change("a", func(page *Page) {
		page.Layout, page.Cover, page.Variables = &plain, cover("https://example.org/1", 7), map[string]any{"y": "1"}
	})
	result := merge(t, base, ours, theirs)
	assert.Empty(t, result.Conflicts)
	page := result.Tree.Page("a")
	expected := wide
	expected.Outline = false
	assert.Equal(t, &expected, page.Layout)
	assert.Equal(t, cover("https://example.org/2", 7), page.Cover)
	assert.Equal(t, map[string]any{"x": "1", "y": "1"}, page.Variables)
}

func TestClashesOfNames(t *testing.T) {
	t.Parallel()
	base := newBuilder(t).page("a", "", "text\n")
	add := func(id string) *builder {
		return base.branch().add(&Page{ID: id, Type: PageDocument, Title: "News", Slug: "news", GitPath: "news.md"})
	}
	ours, theirs := add("o"), add("t")
	found := merge(t, base, ours, theirs)
	require.Equal(t, []ConflictKind{ConflictSlug, ConflictPath}, conflictKinds(found))
	assert.Equal(t, "news", found.Tree.Page("o").Slug)
	assert.Equal(t, "news-1", found.Tree.Page("t").Slug)
	assert.Equal(t, "news.md", found.Tree.Page("o").GitPath)
	assert.Empty(t, found.Tree.Page("t").GitPath)
	result := merge(t, base, ours, theirs,
		Resolution{Conflict: found.Conflicts[0].ID, Choice: ChooseCustom, Value: "latest"},
		Resolution{Conflict: found.Conflicts[1].ID, Choice: ChooseTheirs})
	assert.Equal(t, "news", result.Tree.Page("o").Slug)
	assert.Equal(t, "latest", result.Tree.Page("t").Slug)
	assert.Empty(t, result.Tree.Page("o").GitPath)
	assert.Equal(t, "news.md", result.Tree.Page("t").GitPath)
	_, err := Merge(base.tree, ours.tree, theirs.tree, base.bodies, MergeOptions{Resolutions: []Resolution{
		{Conflict: found.Conflicts[0].ID, Choice: ChooseCustom, Value: "a"},
	}})
	requireFault(t, err, fault.BadUserInput, "resolutions.0.value")
}

func TestThePageOfOursKeepsItsSlugWhereverItStands(t *testing.T) {
	t.Parallel()
	base := newBuilder(t).page("a", "", "text\n")
	ours := base.branch().page("o", "", "# News\n").change("o", func(page *Page) { page.Slug = "news" })
	theirs := base.branch().page("t", "", "# News\n").change("t", func(page *Page) { page.Slug, page.GitPath = "news", "t.md" })
	theirs.apply(UpdatePage{Page: "t", At: ptr(0)})
	ours.change("o", func(page *Page) { page.GitPath = "t.md" })
	result := merge(t, base, ours, theirs)
	assert.Equal(t, "t\na\no\n", outline(result.Tree))
	assert.Equal(t, "news-1", result.Tree.Page("t").Slug)
	assert.Empty(t, result.Tree.Page("t").GitPath)
	assert.Equal(t, "t.md", result.Tree.Page("o").GitPath)
}

func TestNamesThatWereAlikeBeforeStayAlike(t *testing.T) {
	t.Parallel()
	base := newBuilder(t).page("a", "", "text\n").page("b", "", "text\n").page("c", "", "text\n")
	for _, id := range []string{"a", "b"} {
		base.change(id, func(page *Page) { page.Slug, page.GitPath = "same", "same.md" })
	}
	ours := base.branch().change("c", func(page *Page) { page.Emoji = "x" })
	theirs := base.branch().change("c", func(page *Page) { page.Icon = "x" })
	result, err := Merge(base.tree, ours.tree, theirs.tree, base.bodies, MergeOptions{})
	require.NoError(t, err)
	assert.Empty(t, result.Conflicts)
	for _, id := range []string{"a", "b"} {
		assert.Equal(t, "same", result.Tree.Page(id).Slug)
		assert.Equal(t, "same.md", result.Tree.Page(id).GitPath)
	}
}

func TestACycleThatNoSideCanUndoEnds(t *testing.T) {
	t.Parallel()
	base := newBuilder(t).page("a", "", "text\n").page("b", "", "text\n")
	p := newPageMerge(newMerger(base.tree, base.tree, base.tree, base.bodies, MergeOptions{}))
	for id, parent := range map[string]string{"a": "b", "b": "a"} {
		p.pages[id] = base.tree.Page(id)
		p.setParent(id, parent)
	}
	require.NoError(t, p.breakCycle([]string{"a", "b"}, map[string]bool{"a": true, "b": true}))
	assert.Nil(t, p.findCycle())
	assert.Equal(t, map[string]string{"a": "", "b": "a"}, p.parents)
	assert.Equal(t, "a", p.pages["b"].Parent)
}

func TestPropertiesThatAreGivenTwiceAreKept(t *testing.T) {
	t.Parallel()
	merged, conflicts := mergeTexts(t,
		"---\n# note\na: 1\na: 2\nb: 1\n---\ntext\n", "---\n# note\na: 1\na: 3\nb: 1\n---\ntext\n", "---\n# note\na: 1\na: 2\nb: 2\n---\ntext\n")
	assert.Zero(t, conflicts)
	assert.Equal(t, "---\n# note\na: 1\na: 3\nb: 2\n---\ntext\n", merged)
}

func TestMergeFilesAndReusableContents(t *testing.T) {
	t.Parallel()
	base := newBuilder(t).page("a", "", "text\n")
	note := func(text string) Hash { return base.bodies.Add([]byte(text)) }
	base.tree.Files = []*File{{ID: "f1", Name: "one.png", Content: note("1")}, {ID: "f2", Name: "two.png", Content: note("2")}}
	base.tree.ReusableContents = []*ReusableContent{{ID: "r1", Title: "Note", Body: note("a\n\nb\n")}}
	ours, theirs := base.branch(), base.branch()
	ours.tree.Files = []*File{{ID: "f1", Name: "uno.png", Content: note("1")}, {ID: "f3", Name: "three.png", Content: note("3"), GitPath: "x.png"}}
	theirs.tree.Files = []*File{
		{ID: "f1", Name: "one.png", Content: note("1b"), Size: 2}, {ID: "f2", Name: "two.png", Content: note("2b")},
		{ID: "f4", Name: "four.png", Content: note("4"), GitPath: "x.png"},
	}
	ours.tree.ReusableContents = []*ReusableContent{{ID: "r1", Title: "Note", Body: note("A\n\nb\n")}}
	theirs.tree.ReusableContents = []*ReusableContent{{ID: "r1", Title: "Hint", Body: note("a\n\nB\n")}}
	result := merge(t, base, ours, theirs)
	assert.Equal(t, []ConflictKind{ConflictDeletedAndEdited, ConflictPath}, conflictKinds(result))
	assert.Equal(t, &File{ID: "f1", Name: "uno.png", Content: note("1b"), Size: 2}, result.Tree.File("f1"))
	assert.Nil(t, result.Tree.File("f2"))
	assert.Equal(t, "x.png", result.Tree.File("f3").GitPath)
	assert.Empty(t, result.Tree.File("f4").GitPath)
	merged := result.Tree.ReusableContents[0]
	assert.Equal(t, "Hint", merged.Title)
	text, err := result.Bodies.Body(merged.Body)
	require.NoError(t, err)
	assert.Equal(t, "A\n\nB\n", string(text))
}

func TestMergeRepository(t *testing.T) {
	t.Parallel()
	base := newBuilder(t).page("a", "", "text\n")
	note := func(text string) Hash { return base.bodies.Add([]byte(text)) }
	base.tree.Repository = &Repository{Configuration: note("root: .\n"), Redirects: map[string]string{"x": "a.md"}}
	ours, theirs := base.branch(), base.branch()
	ours.tree.Repository = &Repository{Configuration: note("root: .\n"), Redirects: map[string]string{"x": "b.md"}, Unplaced: []RepositoryFile{{"n.md", note("n")}}}
	theirs.tree.Repository = &Repository{Configuration: note("root: docs\n"), Redirects: map[string]string{"x": "c.md", "y": "d.md"}}
	result := merge(t, base, ours, theirs)
	require.Equal(t, []ConflictKind{ConflictRepository}, conflictKinds(result))
	assert.Equal(t, "redirects.x", result.Conflicts[0].Field)
	assert.Equal(t, &Repository{
		Configuration: note("root: docs\n"), Redirects: map[string]string{"x": "b.md", "y": "d.md"},
		Unplaced: []RepositoryFile{{"n.md", note("n")}},
	}, result.Tree.Repository)
}

func TestConflictIDsAreStable(t *testing.T) {
	t.Parallel()
	base := newBuilder(t).page("a", "", "x\n\nsame\n\nx\n\nsame\n\nx\n")
	ours, theirs := base.branch(), base.branch()
	setBody("o\n\nsame\n\no\n\nsame\n\nx\n")(ours)
	setBody("t\n\nsame\n\nt\n\nsame\n\nx\n")(theirs)
	first, second := merge(t, base, ours, theirs), merge(t, base, ours, theirs)
	assert.Equal(t, first.Conflicts, second.Conflicts)
	require.Len(t, first.Conflicts, 2)
	assert.NotEqual(t, first.Conflicts[0].ID, first.Conflicts[1].ID, "conflicts that are alike are told apart")
	result := merge(t, base, ours, theirs, Resolution{Conflict: first.Conflicts[1].ID, Choice: ChooseTheirs})
	assert.Equal(t, "o\n\nsame\n\nt\n\nsame\n\nx\n", bodyOf(t, result.Tree, result.Bodies, "a"))
}

func TestMergeFailsWhenABodyIsMissing(t *testing.T) {
	t.Parallel()
	base := newBuilder(t).page("a", "", "text\n")
	ours, theirs := base.branch(), base.branch()
	ours.change("a", func(page *Page) { page.Body = HashOf([]byte("missing")) })
	setBody("theirs\n")(theirs)
	_, err := Merge(base.tree, ours.tree, theirs.tree, base.bodies, MergeOptions{})
	require.ErrorContains(t, err, "missing")
}

func BenchmarkMerge(b *testing.B) {
	bodies := NewMemory(nil)
	base := largeTree(10_000)
	for number := range base.Pages {
		bodies.Add(fmt.Append(nil, "# Page ", number))
	}
	change := func(step int) *Tree {
		changed := base.Clone()
		for _, position := range []int{100 * step, 5000 + step, 5050} {
			page := *changed.Pages[position]
			page.Body = bodies.Add(fmt.Appendf(nil, "# Page %d\n\nChanged by %d.\n", position, step))
			changed.Pages[position] = &page
		}
		return changed
	}
	ours, theirs := change(1), change(2)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Merge(base, ours, theirs, bodies, MergeOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDiff(b *testing.B) {
	from := largeTree(10_000)
	to := from.Clone()
	for _, position := range []int{10, 5000, 9000} {
		page := *to.Pages[position]
		page.Title = "Another title"
		to.Pages[position] = &page
	}
	b.ReportAllocs()
	for b.Loop() {
		if len(Diff(from, to)) != 3 {
			b.Fatal("three pages differ")
		}
	}
}
