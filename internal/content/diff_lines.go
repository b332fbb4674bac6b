package content

import (
	"bytes"

	"github.com/epiclabs-io/diff3"
)

// LineStatistics are the numbers of lines that a change of text adds and
// removes.
type LineStatistics struct {
	Added   int
	Removed int
}

// LineStatistics compares the text before and after the change. A created or
// deleted page counts with none: its text is not part of the change.
func (c *Change) LineStatistics(bodies Bodies) (LineStatistics, error) {
	for _, attribute := range c.Attributes {
		if attribute.Name != documentAttribute || c.Kind == VariablesEdited {
			continue
		}
		before, _ := attribute.Before.(Hash)
		after, _ := attribute.After.(Hash)
		return CompareLines(bodies, before, after)
	}
	return LineStatistics{}, nil
}

// CompareLines counts the lines that differ between two bodies. The empty Hash
// stands for no text.
func CompareLines(bodies Bodies, before, after Hash) (LineStatistics, error) {
	if before == after {
		return LineStatistics{}, nil
	}
	old, err := bodyOrNothing(bodies, before)
	if err != nil {
		return LineStatistics{}, err
	}
	current, err := bodyOrNothing(bodies, after)
	if err != nil {
		return LineStatistics{}, err
	}
	var statistics LineStatistics
	for _, hunk := range diffTokens(splitLines(old), splitLines(current)) {
		statistics.Removed += hunk.baseEnd - hunk.baseStart
		statistics.Added += hunk.sideEnd - hunk.sideStart
	}
	return statistics, nil
}

func bodyOrNothing(bodies Bodies, hash Hash) ([]byte, error) {
	if hash == "" {
		return nil, nil
	}
	return bodies.Body(hash)
}

// splitLines cuts text after each line feed.
func splitLines(text []byte) []string {
	var lines []string
	for line := range bytes.Lines(text) {
		lines = append(lines, string(line))
	}
	return lines
}

// hunk says that base[baseStart:baseEnd] became side[sideStart:sideEnd].
type hunk struct {
	baseStart, baseEnd int
	sideStart, sideEnd int
}

// alignmentLimit bounds the work of aligning two stretches of text that share
// no unique line: beyond this product of their lengths one counts as a
// replacement of the other.
const alignmentLimit = 1 << 20

// alignmentDepth bounds how often a stretch between two unique lines is
// searched for further ones.
const alignmentDepth = 64

// diffTokens returns the hunks that turn base into side, in order. It first
// pairs what is equal at both ends, then what occurs exactly once on both
// sides, and aligns by the longest common subsequence only in between: that
// keeps paragraphs together and the time within bounds.
func diffTokens(base, side []string) []hunk {
	var aligner aligner
	aligner.align(base, side, 0, 0, alignmentDepth)
	return aligner.hunks
}

type aligner struct {
	hunks []hunk
}

// align works on parts of base and side that begin at the given offsets.
func (a *aligner) align(base, side []string, baseOffset, sideOffset, depth int) {
	for len(base) > 0 && len(side) > 0 && base[0] == side[0] {
		base, side = base[1:], side[1:]
		baseOffset++
		sideOffset++
	}
	for len(base) > 0 && len(side) > 0 && base[len(base)-1] == side[len(side)-1] {
		base, side = base[:len(base)-1], side[:len(side)-1]
	}
	if len(base) == 0 || len(side) == 0 {
		a.add(baseOffset, len(base), sideOffset, len(side))
		return
	}
	var anchors []pair
	if depth > 0 {
		anchors = uniquePairs(base, side)
	}
	if len(anchors) == 0 {
		a.alignShort(base, side, baseOffset, sideOffset)
		return
	}
	baseStart, sideStart := 0, 0
	for _, anchor := range anchors {
		a.align(base[baseStart:anchor.base], side[sideStart:anchor.side], baseOffset+baseStart, sideOffset+sideStart, depth-1)
		baseStart, sideStart = anchor.base+1, anchor.side+1
	}
	a.align(base[baseStart:], side[sideStart:], baseOffset+baseStart, sideOffset+sideStart, depth-1)
}

func (a *aligner) alignShort(base, side []string, baseOffset, sideOffset int) {
	if len(base)*len(side) > alignmentLimit {
		a.add(baseOffset, len(base), sideOffset, len(side))
		return
	}
	for _, part := range diff3.DiffComm(base, side) {
		if len(part.Common) > 0 {
			baseOffset += len(part.Common)
			sideOffset += len(part.Common)
			continue
		}
		a.add(baseOffset, len(part.File1), sideOffset, len(part.File2))
		baseOffset += len(part.File1)
		sideOffset += len(part.File2)
	}
}

// add records a hunk, joined with the one before when nothing lies between.
func (a *aligner) add(baseStart, baseLength, sideStart, sideLength int) {
	if baseLength == 0 && sideLength == 0 {
		return
	}
	added := hunk{baseStart, baseStart + baseLength, sideStart, sideStart + sideLength}
	if count := len(a.hunks); count > 0 {
		last := &a.hunks[count-1]
		if last.baseEnd == added.baseStart && last.sideEnd == added.sideStart {
			last.baseEnd, last.sideEnd = added.baseEnd, added.sideEnd
			return
		}
	}
	a.hunks = append(a.hunks, added)
}

type pair struct {
	base, side int
}

// uniquePairs returns the longest rising sequence of tokens that occur once in
// base and once in side.
func uniquePairs(base, side []string) []pair {
	type occurrence struct {
		inBase, inSide int
		side           int
	}
	occurrences := make(map[string]*occurrence, len(base))
	for _, token := range base {
		if found := occurrences[token]; found != nil {
			found.inBase++
		} else {
			occurrences[token] = &occurrence{inBase: 1}
		}
	}
	for position, token := range side {
		if found := occurrences[token]; found != nil {
			found.inSide++
			found.side = position
		}
	}
	var pairs []pair
	for position, token := range base {
		if found := occurrences[token]; found.inBase == 1 && found.inSide == 1 {
			pairs = append(pairs, pair{position, found.side})
		}
	}
	return longestRise(pairs)
}

// longestRise returns the longest part of pairs, sorted by base, in which side
// rises too.
func longestRise(pairs []pair) []pair {
	keep := risingIndexes(len(pairs), func(index int) int { return pairs[index].side })
	rising := make([]pair, 0, len(keep))
	for _, index := range keep {
		rising = append(rising, pairs[index])
	}
	return rising
}
