package content

import (
	"cmp"
	"slices"
	"strings"
)

// region is a stretch of a merged sequence of tokens: settled, or in conflict.
type region struct {
	settled []string
	// conflict is nil when the region is settled.
	conflict *tokenConflict
}

// tokenConflict holds what each side has where both changed the same tokens.
type tokenConflict struct {
	start              int // position in base
	base, ours, theirs []string
}

// sideHunk is a hunk and the tokens it brings.
type sideHunk struct {
	hunk
	tokens []string
	theirs bool
	shared bool // both sides have it
}

// mergeTokens merges two sides of a sequence. Changes that overlap are in
// conflict unless they are alike; with apart, so are changes that touch.
func mergeTokens(base, ours, theirs []string, hunksOurs, hunksTheirs []hunk, apart bool) []region {
	hunks := collectHunks(ours, theirs, hunksOurs, hunksTheirs)
	var regions []region
	position := 0
	for len(hunks) > 0 {
		count := groupLength(hunks, apart)
		group := hunks[:count]
		hunks = hunks[count:]
		start, end := extent(group)
		regions = settle(regions, base[position:start])
		position = end
		if len(group) == 1 {
			regions = settle(regions, rewrite(base, start, end, group))
			continue
		}
		if onlyDeletes(group) {
			continue
		}
		fromOurs, fromTheirs := bySide(group)
		regions = append(regions, region{conflict: &tokenConflict{
			start:  start,
			base:   base[start:end],
			ours:   rewrite(base, start, end, fromOurs),
			theirs: rewrite(base, start, end, fromTheirs),
		}})
	}
	return settle(regions, base[position:])
}

// settle adds settled tokens to the regions.
func settle(regions []region, tokens []string) []region {
	if len(tokens) == 0 {
		return regions
	}
	if count := len(regions); count > 0 && regions[count-1].conflict == nil {
		regions[count-1].settled = append(regions[count-1].settled, tokens...)
		return regions
	}
	return append(regions, region{settled: slices.Clone(tokens)})
}

// collectHunks returns the hunks of both sides in the order of base, those
// that are alike once.
func collectHunks(ours, theirs []string, hunksOurs, hunksTheirs []hunk) []sideHunk {
	fromOurs, fromTheirs := splitHunks(ours, hunksOurs), splitHunks(theirs, hunksTheirs)
	type place struct {
		start, end int
	}
	byPlace := make(map[place]int, len(fromOurs))
	for position, hunk := range fromOurs {
		byPlace[place{hunk.baseStart, hunk.baseEnd}] = position
	}
	hunks := fromOurs
	for _, hunk := range fromTheirs {
		position, found := byPlace[place{hunk.baseStart, hunk.baseEnd}]
		if found && slices.Equal(hunks[position].tokens, hunk.tokens) {
			hunks[position].shared = true
			continue
		}
		hunk.theirs = true
		hunks = append(hunks, hunk)
	}
	slices.SortStableFunc(hunks, func(a, b sideHunk) int {
		return cmp.Or(a.baseStart-b.baseStart, a.baseEnd-b.baseEnd)
	})
	return hunks
}

// splitHunks takes a replacement of tokens by as many others apart, token by
// token, so that what both sides did to one of them is seen.
func splitHunks(side []string, hunks []hunk) []sideHunk {
	var split []sideHunk
	for _, h := range hunks {
		length := h.baseEnd - h.baseStart
		if length != h.sideEnd-h.sideStart {
			split = append(split, sideHunk{hunk: h, tokens: side[h.sideStart:h.sideEnd]})
			continue
		}
		for offset := range length {
			base, position := h.baseStart+offset, h.sideStart+offset
			split = append(split, sideHunk{
				hunk:   hunk{base, base + 1, position, position + 1},
				tokens: side[position : position+1],
			})
		}
	}
	return split
}

// groupLength returns how many of the first hunks belong together.
func groupLength(hunks []sideHunk, apart bool) int {
	for count := 1; count < len(hunks); count++ {
		joined := slices.ContainsFunc(hunks[:count], func(member sideHunk) bool {
			return contests(member, hunks[count], apart)
		})
		if !joined {
			return count
		}
	}
	return len(hunks)
}

// contests tells whether two hunks are of different sides and change the same
// part of base.
func contests(a, b sideHunk, apart bool) bool {
	if a.shared || b.shared || a.theirs == b.theirs {
		return false
	}
	start, end := max(a.baseStart, b.baseStart), min(a.baseEnd, b.baseEnd)
	if apart {
		return start <= end
	}
	if a.baseStart == a.baseEnd && b.baseStart == b.baseEnd {
		return a.baseStart == b.baseStart
	}
	if a.baseStart == a.baseEnd || b.baseStart == b.baseEnd {
		insertion, changed := a, b
		if b.baseStart == b.baseEnd {
			insertion, changed = b, a
		}
		return changed.baseStart < insertion.baseStart && insertion.baseStart < changed.baseEnd
	}
	return start < end
}

func extent(group []sideHunk) (start, end int) {
	start, end = group[0].baseStart, group[0].baseEnd
	for _, hunk := range group {
		end = max(end, hunk.baseEnd)
	}
	return start, end
}

// onlyDeletes tells whether the sides agree in that everything goes.
func onlyDeletes(group []sideHunk) bool {
	return !slices.ContainsFunc(group, func(hunk sideHunk) bool { return len(hunk.tokens) > 0 })
}

func bySide(group []sideHunk) (ours, theirs []sideHunk) {
	for _, hunk := range group {
		if hunk.shared || !hunk.theirs {
			ours = append(ours, hunk)
		}
		if hunk.shared || hunk.theirs {
			theirs = append(theirs, hunk)
		}
	}
	return ours, theirs
}

// rewrite returns base[start:end] with the hunks carried out.
func rewrite(base []string, start, end int, hunks []sideHunk) []string {
	var tokens []string
	for _, hunk := range hunks {
		tokens = append(append(tokens, base[start:hunk.baseStart]...), hunk.tokens...)
		start = hunk.baseEnd
	}
	return append(tokens, base[start:end]...)
}

// lineMerge is the merge of a text line by line: what each side has with the
// lines that only the other changed brought in. The three are equal when
// nothing is in conflict.
type lineMerge struct {
	base, ours, theirs string
	clean              bool
}

func mergeLines(base, ours, theirs string) lineMerge {
	baseLines, oursLines, theirsLines := splitLines([]byte(base)), splitLines([]byte(ours)), splitLines([]byte(theirs))
	regions := mergeTokens(baseLines, oursLines, theirsLines,
		diffTokens(baseLines, oursLines), diffTokens(baseLines, theirsLines), true)
	var fromBase, fromOurs, fromTheirs strings.Builder
	merged := lineMerge{clean: true}
	write := func(builder *strings.Builder, lines []string) {
		for _, line := range lines {
			builder.WriteString(line)
		}
	}
	for _, part := range regions {
		if part.conflict == nil {
			write(&fromBase, part.settled)
			write(&fromOurs, part.settled)
			write(&fromTheirs, part.settled)
			continue
		}
		merged.clean = false
		write(&fromBase, part.conflict.base)
		write(&fromOurs, part.conflict.ours)
		write(&fromTheirs, part.conflict.theirs)
	}
	merged.base, merged.ours, merged.theirs = fromBase.String(), fromOurs.String(), fromTheirs.String()
	return merged
}
