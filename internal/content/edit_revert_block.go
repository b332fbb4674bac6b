package content

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"octavo/internal/document"
)

// BlockLimit is the number of blocks that one RevertPage names.
const BlockLimit = 1000

// revertBlocks gives the named blocks of a page the text that they have in its
// wanted state. A name is the key of a block as the page is now, or else as it
// was: one that has been changed goes back, one that is new goes away, one that
// was deleted comes back where it stood. Everything else stays as it is.
func (e *editor) revertBlocks(wanted, current *Page, names []string) (*AppliedOperation, error) {
	if len(names) == 0 || len(names) > BlockLimit {
		return nil, e.invalid("block", "1 to %d blocks are named; left out, the whole page is reverted", BlockLimit)
	}
	if wanted == nil || current == nil {
		return nil, e.invalid("block", "the page has to be there now and in the revision to go back to")
	}
	if wanted.Type != PageDocument || current.Type != PageDocument {
		return nil, e.invalid("block", "only a document has blocks")
	}
	was, err := e.blockPage(wanted)
	if err != nil {
		return nil, err
	}
	is, err := e.blockPage(current)
	if err != nil {
		return nil, err
	}
	steps := alignBlocks(was.blocks, is.blocks)
	for index, name := range names {
		if !markBlock(steps, document.BlockKey(name)) {
			return nil, e.invalid(fmt.Sprintf("block.%d", index), "the page has no block %q, neither now nor in the revision to go back to", name)
		}
	}
	changed := *current
	if err := e.setBody(&changed, current, is.with(joinSteps(steps, is.gap))); err != nil {
		return nil, err
	}
	if !e.replace(&changed) {
		return nil, nil
	}
	return &AppliedOperation{Updated: []string{current.ID}}, nil
}

// blockPage is the source of a page, cut into what states its metadata, its
// title included, and its blocks.
type blockPage struct {
	head   []byte
	blocks []pageBlock
	// ending is what follows the last block.
	ending string
	// gap parts two blocks that never stood side by side.
	gap string
}

// pageBlock is a block without the line ends and blank lines around it.
type pageBlock struct {
	key, kind, text string
	// gap is what follows the block up to the next one.
	gap string
}

func (e *editor) blockPage(page *Page) (*blockPage, error) {
	source, err := e.bodies.Body(page.Body)
	if err != nil {
		return nil, err
	}
	_, body := document.SplitFrontMatter(source)
	text := document.WithoutTitle(bytes.TrimLeft(body, "\r\n"), page.Title)
	text = bytes.TrimLeft(text, "\r\n")
	end := lineEnd(string(source))
	cut := &blockPage{head: source[:len(source)-len(text)], gap: end + end}
	for _, block := range document.Blocks(text) {
		whole := string(text[block.Start:block.End])
		trimmed := trimBlock(whole)
		cut.ending = whole[len(trimmed):]
		cut.blocks = append(cut.blocks, pageBlock{key: block.Key, kind: block.Kind, text: trimmed, gap: cut.ending})
	}
	if trimBlock(string(text)) == "" {
		cut.head, cut.blocks, cut.ending = source, nil, ""
	}
	return cut, nil
}

// with returns the source of the page with other blocks.
func (p *blockPage) with(text string) []byte {
	head, ending := string(p.head), p.ending
	if len(p.blocks) == 0 || text == "" {
		ending = p.gap[:len(p.gap)/2]
		head = trimBlock(head)
		if head != "" && text != "" {
			head += p.gap
		}
	}
	if head+text == "" {
		return nil
	}
	return []byte(head + text + ending)
}

// blockStep is a block in one of two states of a page, or the block of one that
// became that of the other; an index is -1 where it is missing.
type blockStep struct {
	was, is      *pageBlock
	wasAt, isAt  int
	named, equal bool
}

// alignBlocks pairs the blocks of two states of a page. What is equal is paired
// first. Of a stretch that was replaced by as many blocks each is paired with
// the one in its place, of any other those that are most alike.
func alignBlocks(was, is []pageBlock) []blockStep {
	texts := func(blocks []pageBlock) []string {
		list := make([]string, len(blocks))
		for index, block := range blocks {
			list[index] = block.text
		}
		return list
	}
	var steps []blockStep
	wasAt, isAt := 0, 0
	add := func(pairs ...pair) {
		for _, paired := range pairs {
			step := blockStep{wasAt: paired.base, isAt: paired.side}
			if paired.base >= 0 {
				step.was = &was[paired.base]
			}
			if paired.side >= 0 {
				step.is = &is[paired.side]
			}
			step.equal = step.was != nil && step.is != nil && step.was.text == step.is.text
			steps = append(steps, step)
		}
	}
	copyUntil := func(end int) {
		for ; wasAt < end; wasAt, isAt = wasAt+1, isAt+1 {
			add(pair{wasAt, isAt})
		}
	}
	for _, changed := range diffTokens(texts(was), texts(is)) {
		copyUntil(changed.baseStart)
		add(pairBlocks(was, is, changed)...)
		wasAt, isAt = changed.baseEnd, changed.sideEnd
	}
	copyUntil(len(was))
	return steps
}

// pairingLimit bounds the work of pairing the blocks of a stretch by their
// likeness: beyond this product of their numbers they are paired in order.
const pairingLimit = 1 << 12

// pairBlocks pairs the blocks of a hunk in their order.
func pairBlocks(was, is []pageBlock, changed hunk) []pair {
	rows, columns := changed.baseEnd-changed.baseStart, changed.sideEnd-changed.sideStart
	if rows == columns || rows*columns > pairingLimit {
		return pairInOrder(changed)
	}
	// best[r][c] is the largest sum of likenesses of the blocks from r and c on.
	best := make([][]float64, rows+1)
	for row := range best {
		best[row] = make([]float64, columns+1)
	}
	alike := make([][]float64, rows)
	for row := rows - 1; row >= 0; row-- {
		alike[row] = make([]float64, columns)
		for column := columns - 1; column >= 0; column-- {
			alike[row][column] = likeness(was[changed.baseStart+row], is[changed.sideStart+column])
			best[row][column] = max(best[row+1][column], best[row][column+1], alike[row][column]+best[row+1][column+1])
		}
	}
	var pairs []pair
	row, column := 0, 0
	for row < rows || column < columns {
		base, side := changed.baseStart+row, changed.sideStart+column
		inside := row < rows && column < columns
		switch {
		case inside && alike[row][column] > 0 && best[row][column] == alike[row][column]+best[row+1][column+1]:
			pairs = append(pairs, pair{base, side})
			row, column = row+1, column+1
		case column == columns, inside && best[row][column] == best[row+1][column]:
			pairs = append(pairs, pair{base, -1})
			row++
		default:
			pairs = append(pairs, pair{-1, side})
			column++
		}
	}
	return pairs
}

func pairInOrder(changed hunk) []pair {
	var pairs []pair
	for base, side := changed.baseStart, changed.sideStart; base < changed.baseEnd || side < changed.sideEnd; base, side = base+1, side+1 {
		paired := pair{-1, -1}
		if base < changed.baseEnd {
			paired.base = base
		}
		if side < changed.sideEnd {
			paired.side = side
		}
		pairs = append(pairs, paired)
	}
	return pairs
}

// leastLikeness is how alike two blocks are at least of which one became the
// other.
const leastLikeness = 0.4

// comparedLength is how many bytes of a block count for its likeness.
const comparedLength = 2000

// likeness is the share of runs of three characters that two blocks of
// the same kind have in common, up to 1; 0 when they have little in common.
func likeness(a, b pageBlock) float64 {
	if a.kind != b.kind {
		return 0
	}
	counts := map[[3]rune]int{}
	total, shared := 0, 0
	eachCharacterRun(a.text, func(characters [3]rune) {
		counts[characters]++
		total++
	})
	eachCharacterRun(b.text, func(characters [3]rune) {
		total++
		if counts[characters] > 0 {
			counts[characters]--
			shared++
		}
	})
	share := 2 * float64(shared) / float64(max(1, total))
	if share < leastLikeness {
		return 0
	}
	return share
}

func eachCharacterRun(text string, visit func([3]rune)) {
	var run [3]rune
	count := 0
	for _, character := range text[:min(len(text), comparedLength)] {
		run[0], run[1], run[2] = run[1], run[2], character
		if count++; count >= len(run) {
			visit(run)
		}
	}
}

// markBlock marks the step of the block with the key, as the page is now or
// else as it was, and tells whether there is one.
func markBlock(steps []blockStep, key string) bool {
	index := slices.IndexFunc(steps, func(step blockStep) bool { return step.is != nil && step.is.key == key })
	if index < 0 {
		index = slices.IndexFunc(steps, func(step blockStep) bool { return step.was != nil && step.was.key == key })
	}
	if index < 0 {
		return false
	}
	steps[index].named = true
	return true
}

// joinSteps writes the blocks of a page after the named ones went back. Between
// blocks that stood side by side in the same state stands what stood there,
// between others a blank line at least.
func joinSteps(steps []blockStep, gap string) string {
	var text strings.Builder
	var last *blockStep
	for index := range steps {
		step := &steps[index]
		if step.taken() == nil {
			continue
		}
		if last != nil {
			text.WriteString(gapBetween(last, step, gap))
		}
		text.WriteString(step.taken().text)
		last = step
	}
	return text.String()
}

// taken returns the block that the page gets, nil for none.
func (s *blockStep) taken() *pageBlock {
	if s.named {
		return s.was
	}
	return s.is
}

func gapBetween(first, second *blockStep, gap string) string {
	fromNow := func(step *blockStep) bool { return step.is != nil && (!step.named || step.equal) }
	fromThen := func(step *blockStep) bool { return step.was != nil && (step.named || step.equal) }
	switch {
	case fromNow(first) && fromNow(second) && first.isAt+1 == second.isAt:
		return first.is.gap
	case fromThen(first) && fromThen(second) && first.wasAt+1 == second.wasAt:
		return first.was.gap
	}
	return longest(first.taken().gap, gap)
}
