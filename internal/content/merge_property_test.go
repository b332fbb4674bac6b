package content

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/document"
)

// history is one side of a random edit history. It keeps a model beside the
// tree: what every page should be.
type history struct {
	t      *testing.T
	random *rand.Rand
	name   string
	tree   *Tree
	bodies *Memory
	model  map[string]*modelPage
	marks  int
	// disjoint keeps the sides apart: this side changes only what it owns.
	disjoint bool
}

type modelPage struct {
	parent      string
	title       string
	description string
	icon        string
	blocks      []string
}

func (p modelPage) markdown() string {
	text := ""
	if p.description != "" {
		text += "description: " + p.description + "\n"
	}
	if p.icon != "" {
		text += "icon: " + p.icon + "\n"
	}
	if text != "" {
		text = "---\n" + text + "---\n\n"
	}
	return text + "# " + p.title + "\n\n" + strings.Join(p.blocks, "\n\n") + "\n"
}

const blocksPerPage = 6

func newHistory(t *testing.T, random *rand.Rand, pages int) *history {
	h := &history{t: t, random: random, name: "base", tree: &Tree{}, bodies: NewMemory(nil), model: map[string]*modelPage{}}
	for number := range pages {
		page := &modelPage{title: fmt.Sprintf("Title %d", number)}
		if number > 0 && random.IntN(3) > 0 {
			page.parent = h.tree.Pages[random.IntN(len(h.tree.Pages))].ID
		}
		for block := range blocksPerPage {
			page.blocks = append(page.blocks, fmt.Sprintf("Text %d of page %d.", block, number))
		}
		h.insert(page)
	}
	return h
}

func (h *history) branch(name string) *history {
	branch := *h
	branch.name = name
	branch.model = map[string]*modelPage{}
	for id, page := range h.model {
		copied := *page
		copied.blocks = slices.Clone(page.blocks)
		branch.model[id] = &copied
	}
	return &branch
}

// mark returns a word that occurs nowhere else.
func (h *history) mark() string {
	h.marks++
	return fmt.Sprintf("%s%dx", h.name, h.marks)
}

func (h *history) apply(operation Operation) *AppliedOperation {
	h.t.Helper()
	tree, added, applied, err := Apply(h.tree, h.bodies, []Operation{operation}, ApplyOptions{Now: testTime})
	require.NoError(h.t, err)
	require.Len(h.t, applied, 1)
	require.NotEmpty(h.t, Diff(h.tree, tree), "an edit makes a difference")
	for _, data := range added.Added() {
		h.bodies.Add(data)
	}
	h.tree = tree
	return &applied[0]
}

func (h *history) insert(page *modelPage) string {
	h.t.Helper()
	at := h.random.IntN(childCount(h.tree.Pages, page.parent) + 1)
	applied := h.apply(InsertPage{Into: page.parent, At: &at, Markdown: ptr(page.markdown())})
	// An id of our own makes the history the same for the same seed.
	position := h.tree.Index().Position(applied.Inserted[0])
	inserted := *h.tree.Pages[position]
	inserted.ID = fmt.Sprintf("pag_%s_%03d", h.name, len(h.model))
	for h.model[inserted.ID] != nil {
		inserted.ID += "+"
	}
	h.tree = h.tree.Clone()
	h.tree.Pages[position] = &inserted
	h.model[inserted.ID] = page
	return inserted.ID
}

// pick returns a page that this side may change.
func (h *history) pick() string {
	for range 100 {
		page := h.tree.Pages[h.random.IntN(len(h.tree.Pages))]
		if !h.disjoint || h.owns(page.ID) {
			return page.ID
		}
	}
	return ""
}

// owns shares the pages of the base out between the sides.
func (h *history) owns(id string) bool {
	return (HashOf([]byte(id))[0] < '8') == (h.name == "ours")
}

func (h *history) write(id string) {
	h.apply(UpdatePage{Page: id, Markdown: ptr(h.model[id].markdown())})
}

// step makes one random edit.
func (h *history) step() {
	id := h.pick()
	if id == "" {
		return
	}
	page := h.model[id]
	steps := []func(){
		func() { page.title = "Title " + h.mark(); h.write(id) },
		func() {
			page.title = "Title " + h.mark()
			h.apply(UpdatePage{Page: id, Metadata: PageMetadata{Title: Set(page.title)}})
		},
		func() {
			page.description = h.mark()
			h.apply(UpdatePage{Page: id, Metadata: PageMetadata{Description: Set(page.description)}})
		},
		func() {
			page.icon = h.mark()
			h.apply(UpdatePage{Page: id, Metadata: PageMetadata{Icon: Set(page.icon)}})
		},
		func() { h.editBlock(page); h.write(id) },
		func() { h.editBlock(page); h.write(id) },
		func() {
			position := h.random.IntN(len(page.blocks) + 1)
			page.blocks = slices.Insert(page.blocks, position, "Block "+h.mark()+".")
			h.write(id)
		},
		func() {
			if len(page.blocks) > 1 {
				position := h.random.IntN(len(page.blocks))
				page.blocks = slices.Delete(page.blocks, position, position+1)
				h.write(id)
			}
		},
		func() {
			parent := ""
			if h.disjoint || h.random.IntN(3) > 0 {
				parent = id
			}
			h.insert(&modelPage{parent: parent, title: "Page " + h.mark(), blocks: []string{"Block " + h.mark() + "."}})
		},
	}
	if !h.disjoint {
		steps = append(steps, func() { h.move(id) }, func() { h.move(id) }, func() { h.remove(id) })
	}
	steps[h.random.IntN(len(steps))]()
}

func (h *history) editBlock(page *modelPage) {
	position := h.random.IntN(len(page.blocks))
	page.blocks[position] = "Block " + h.mark() + "."
}

func (h *history) move(id string) {
	parent := ""
	if h.random.IntN(4) > 0 {
		parent = h.tree.Pages[h.random.IntN(len(h.tree.Pages))].ID
	}
	if parent != "" && isBelow(h.tree.Pages, parent, id) || parent == h.model[id].parent {
		return
	}
	update := UpdatePage{Page: id, Into: Remove[string](), At: ptr(h.random.IntN(childCount(h.tree.Pages, parent) + 1))}
	if parent != "" {
		update.Into = Set(parent)
	}
	h.apply(update)
	h.model[id].parent = parent
}

func (h *history) remove(id string) {
	start := h.tree.Index().Position(id)
	if len(h.tree.Pages)-(subtreeEnd(h.tree.Pages, start)-start) < 3 {
		return
	}
	for _, removed := range h.apply(DeletePage{Page: id}).Deleted {
		delete(h.model, removed)
	}
}

// checkModel compares the tree with the model.
func (h *history) checkModel() {
	h.t.Helper()
	requireValid(h.t, h.tree, h.bodies)
	require.Len(h.t, h.tree.Pages, len(h.model))
	for _, page := range h.tree.Pages {
		expected := h.model[page.ID]
		require.NotNil(h.t, expected)
		require.Equal(h.t, *expected, modelOf(h.t, page, h.bodies, expected.parent), "page %s", page.ID)
		require.Equal(h.t, expected.parent, page.Parent)
	}
}

// modelOf reads a page back, text and metadata from its source.
func modelOf(t *testing.T, page *Page, bodies Bodies, parent string) modelPage {
	t.Helper()
	source, err := bodies.Body(page.Body)
	require.NoError(t, err)
	read, _, err := readMetadata(&Page{}, source, fileNames{})
	require.NoError(t, err)
	require.Equal(t, page.Title, read.Title, "the source states the title")
	require.Equal(t, page.Description, read.Description, "the source states the description")
	require.Equal(t, page.Icon, read.Icon, "the source states the icon")
	blocks := strings.Split(strings.TrimRight(string(source), "\n"), "\n\n")
	for position, block := range blocks {
		if strings.HasPrefix(block, "# ") {
			blocks = blocks[position+1:]
			break
		}
	}
	return modelPage{parent: parent, title: page.Title, description: page.Description, icon: page.Icon, blocks: blocks}
}

// marksOf returns the words that the side brought and still has.
func (h *history) marksOf() map[string]string {
	marks := map[string]string{}
	for id, page := range h.model {
		text := page.title + " " + page.description + " " + page.icon + " " + strings.Join(page.blocks, " ")
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '.' }) {
			if strings.HasPrefix(word, h.name) && strings.HasSuffix(word, "x") {
				marks[word] = id
			}
		}
	}
	return marks
}

func seeds(t *testing.T, count int, check func(t *testing.T, random *rand.Rand)) {
	t.Helper()
	for seed := range uint64(count) {
		passed := t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			check(t, rand.New(rand.NewPCG(seed, 7)))
		})
		if !passed {
			return
		}
	}
}

func TestRandomHistoriesLoseNothing(t *testing.T) {
	t.Parallel()
	clean := 0
	seeds(t, 400, func(t *testing.T, random *rand.Rand) {
		base := newHistory(t, random, 4+random.IntN(12))
		base.checkModel()
		ours, theirs := base.branch("ours"), base.branch("theirs")
		for range 1 + random.IntN(8) {
			ours.step()
		}
		for range 1 + random.IntN(8) {
			theirs.step()
		}
		ours.checkModel()
		theirs.checkModel()
		checkIdentities(t, base, ours)
		result, err := Merge(base.tree, ours.tree, theirs.tree, base.bodies, MergeOptions{})
		require.NoError(t, err)
		requireValid(t, result.Tree, result.Bodies)
		for _, conflict := range result.Conflicts {
			if conflict.Kind == ConflictEditedAndDeleted {
				require.NotNil(t, result.Tree.Page(conflict.Page), "ours keeps %s", conflict.Page)
			}
		}
		conflicts, err := json.Marshal(result.Conflicts)
		require.NoError(t, err)
		checkNothingLost(t, result, string(conflicts), base, ours, theirs)
		checkNothingLost(t, result, string(conflicts), base, theirs, ours)

		swapped, err := Merge(base.tree, theirs.tree, ours.tree, base.bodies, MergeOptions{})
		require.NoError(t, err)
		requireValid(t, swapped.Tree, swapped.Bodies)
		require.Equal(t, len(result.Conflicts) == 0, len(swapped.Conflicts) == 0, "%v\n%v", result.Conflicts, swapped.Conflicts)
		if len(result.Conflicts) == 0 {
			clean++
			require.True(t, equalTrees(result.Tree, swapped.Tree), "%s\n%s", outline(result.Tree), outline(swapped.Tree))
			return
		}
		checkResolutions(t, base, ours, theirs, result)
	})
	assert.Greater(t, clean, 50, "merges without conflict")
}

func checkIdentities(t *testing.T, base, side *history) {
	t.Helper()
	for _, sides := range [][3]*Tree{
		{base.tree, side.tree, base.tree}, {base.tree, base.tree, side.tree}, {base.tree, side.tree, side.tree},
	} {
		result, err := Merge(sides[0], sides[1], sides[2], base.bodies, MergeOptions{})
		require.NoError(t, err)
		require.Empty(t, result.Conflicts)
		require.True(t, equalTrees(side.tree, result.Tree))
	}
}

// checkNothingLost looks for everything that side changed, in the result or in
// a conflict.
func checkNothingLost(t *testing.T, result *MergeResult, conflicts string, base, side, other *history) {
	t.Helper()
	text := strings.Builder{}
	for _, page := range result.Tree.Pages {
		body, err := result.Bodies.Body(page.Body)
		require.NoError(t, err)
		fmt.Fprintln(&text, page.Title, page.Description, page.Icon, string(body))
	}
	for mark, id := range side.marksOf() {
		if strings.Contains(text.String(), mark) {
			continue
		}
		require.Contains(t, conflicts, id, "%s of page %s is lost", mark, id)
	}
	for id := range side.model {
		if base.model[id] == nil {
			require.NotNil(t, result.Tree.Page(id), "the page %s that %s made is lost", id, side.name)
		}
	}
	for id, before := range base.model {
		if strings.Contains(conflicts, id) {
			continue
		}
		merged := result.Tree.Page(id)
		if side.model[id] == nil {
			if merged != nil {
				// It came back because a page that was kept stands below it.
				require.NotEmpty(t, conflicts)
			}
			continue
		}
		if other.model[id] == nil || merged == nil {
			continue
		}
		if after := side.model[id]; after.parent != before.parent && other.model[id].parent == before.parent && result.Tree.Page(after.parent) != nil {
			require.Equal(t, after.parent, merged.Parent, "the move of page %s is lost", id)
		}
		checkDeletedBlocks(t, result, merged, before, side.model[id], other.model[id])
	}
}

func checkDeletedBlocks(t *testing.T, result *MergeResult, merged *Page, before, side, other *modelPage) {
	t.Helper()
	read := modelOf(t, merged, result.Bodies, merged.Parent)
	for _, block := range before.blocks {
		kept := slices.Contains(side.blocks, block) && slices.Contains(other.blocks, block)
		require.Equal(t, kept, slices.Contains(read.blocks, block), "the block %q of page %s", block, merged.ID)
	}
}

// checkResolutions settles the conflicts one after another until none is left.
func checkResolutions(t *testing.T, base, ours, theirs *history, result *MergeResult) {
	t.Helper()
	var resolutions []Resolution
	for len(result.Conflicts) > 0 {
		require.Less(t, len(resolutions), 200)
		conflict := result.Conflicts[0]
		choice := conflict.Choices[base.random.IntN(len(conflict.Choices))]
		resolution := Resolution{Conflict: conflict.ID, Choice: choice, Markdown: ptr("Settled."), Value: "settled-" + conflict.ID}
		if conflict.Field == "icon" || strings.HasPrefix(conflict.Field, "variables") {
			resolution.Value = "settled"
		}
		resolutions = append(resolutions, resolution)
		next, err := Merge(base.tree, ours.tree, theirs.tree, base.bodies, MergeOptions{Resolutions: resolutions})
		require.NoError(t, err)
		requireValid(t, next.Tree, next.Bodies)
		require.Len(t, next.Resolved, len(resolutions))
		result = next
	}
}

func TestSidesThatTouchDifferentThingsNeverConflict(t *testing.T) {
	t.Parallel()
	seeds(t, 200, func(t *testing.T, random *rand.Rand) {
		base := newHistory(t, random, 6+random.IntN(10))
		ours, theirs := base.branch("ours"), base.branch("theirs")
		ours.disjoint, theirs.disjoint = true, true
		for range 1 + random.IntN(10) {
			ours.step()
		}
		for range 1 + random.IntN(10) {
			theirs.step()
		}
		result, err := Merge(base.tree, ours.tree, theirs.tree, base.bodies, MergeOptions{})
		require.NoError(t, err)
		require.Empty(t, result.Conflicts)
		expected := base.branch("merged")
		for _, side := range []*history{ours, theirs} {
			for id, page := range side.model {
				if base.model[id] == nil || side.owns(id) {
					expected.model[id] = page
				}
			}
		}
		expected.tree, expected.bodies = result.Tree, result.Bodies
		expected.checkModel()
	})
}

// TestSidesThatTouchDifferentPartsOfOnePage shares the title, the fields and
// the blocks of a page out between the sides.
func TestSidesThatTouchDifferentPartsOfOnePage(t *testing.T) {
	t.Parallel()
	seeds(t, 300, func(t *testing.T, random *rand.Rand) {
		base := newHistory(t, random, 1)
		id := base.tree.Pages[0].ID
		sides := []*history{base.branch("ours"), base.branch("theirs")}
		expected := base.branch("merged")
		merged := expected.model[id]
		edit := func(change func(side *history, page *modelPage)) {
			if random.IntN(3) == 0 {
				return
			}
			side := sides[random.IntN(2)]
			change(side, side.model[id])
		}
		edit(func(side *history, page *modelPage) { page.title = side.mark(); merged.title = page.title })
		edit(func(side *history, page *modelPage) { page.icon = side.mark(); merged.icon = page.icon })
		edit(func(side *history, page *modelPage) {
			page.description = side.mark()
			merged.description = page.description
		})
		for position := range blocksPerPage {
			edit(func(side *history, page *modelPage) {
				page.blocks[position] = "Block " + side.mark() + "."
				merged.blocks[position] = page.blocks[position]
			})
		}
		for _, side := range sides {
			if !slices.Equal(side.model[id].blocks, base.model[id].blocks) || side.model[id].markdown() != base.model[id].markdown() {
				side.write(id)
			}
		}
		for _, order := range [][2]*history{{sides[0], sides[1]}, {sides[1], sides[0]}} {
			result, err := Merge(base.tree, order[0].tree, order[1].tree, base.bodies, MergeOptions{})
			require.NoError(t, err)
			require.Empty(t, result.Conflicts)
			expected.tree, expected.bodies = result.Tree, result.Bodies
			expected.checkModel()
			_, expectedText := document.SplitFrontMatter([]byte(merged.markdown()))
			_, text := document.SplitFrontMatter([]byte(bodyOf(t, result.Tree, result.Bodies, id)))
			require.Equal(t, string(expectedText), string(text))
		}
	})
}

func TestDiffAgreesWithTheModel(t *testing.T) {
	t.Parallel()
	seeds(t, 200, func(t *testing.T, random *rand.Rand) {
		base := newHistory(t, random, 4+random.IntN(12))
		side := base.branch("ours")
		for range 1 + random.IntN(10) {
			side.step()
		}
		require.Empty(t, Diff(base.tree, base.tree.Clone()))
		changes := Diff(base.tree, side.tree)
		found := map[ChangeKind][]string{}
		for _, change := range changes {
			found[change.Kind] = append(found[change.Kind], change.Page.ID)
		}
		expected := map[ChangeKind][]string{}
		for id, page := range side.model {
			before := base.model[id]
			switch {
			case before == nil:
				expected[PageCreated] = append(expected[PageCreated], id)
			case before.markdown() != page.markdown():
				expected[PageEdited] = append(expected[PageEdited], id)
			}
			if before != nil && before.parent != page.parent {
				require.Contains(t, found[PageMoved], id)
			}
		}
		for id := range base.model {
			if side.model[id] == nil {
				expected[PageDeleted] = append(expected[PageDeleted], id)
			}
		}
		for _, kind := range []ChangeKind{PageCreated, PageEdited, PageDeleted} {
			require.ElementsMatch(t, expected[kind], found[kind], kind)
		}
	})
}
