package content

import (
	"bytes"
	"slices"
	"strings"

	"octavo/internal/document"
)

// mergePageBody merges the source of a page after its metadata. What the
// source says about the metadata is brought to the merged metadata in all three
// versions first, so that it is never in conflict a second time.
func (p *pageMerge) mergePageBody(merged *Page, found versions[Page]) error {
	if merged.Type != PageDocument {
		merged.Body = ""
		return nil
	}
	if body, agreed := agreedValue(found.base.Body, found.ours.Body, found.theirs.Body, equalText[Hash]); agreed {
		return p.takeBody(merged, body, found)
	}
	base, err := p.project(found.base, merged)
	if err != nil {
		return err
	}
	ours, err := p.project(found.ours, merged)
	if err != nil {
		return err
	}
	theirs, err := p.project(found.theirs, merged)
	if err != nil {
		return err
	}
	source, err := p.mergeSource(Conflict{Kind: ConflictBody, Page: merged.ID}, base, ours, theirs)
	if err != nil {
		return err
	}
	merged.Body = p.bodies.Add(source)
	return nil
}

// takeBody gives the merged page the body that the sides agree on, changed in
// what it says about the metadata where that differs.
func (p *pageMerge) takeBody(merged *Page, body Hash, found versions[Page]) error {
	merged.Body = body
	var owner *Page
	for _, version := range []*Page{found.ours, found.theirs} {
		if version.Body != body {
			continue
		}
		if statesSame(version, merged, fileNames{}) {
			return nil
		}
		owner = version
	}
	source, err := p.project(owner, merged)
	if err != nil {
		return err
	}
	if body == "" && len(source) == 0 {
		return nil
	}
	merged.Body = p.bodies.Add(source)
	return nil
}

// project returns the source of a version with the metadata of the merged
// page.
func (p *pageMerge) project(version, merged *Page) ([]byte, error) {
	source, err := p.bodies.Body(version.Body)
	if err != nil {
		return nil, err
	}
	if projected, err := writeMetadata(source, version, merged, fileNames{}); err == nil {
		return projected, nil
	}
	// Front matter that cannot be read is merged as it stands.
	return source, nil
}

// mergeBody merges the text of something that is no page.
func (m *merger) mergeBody(conflict Conflict, base, ours, theirs Hash) (Hash, error) {
	if body, agreed := agreedValue(base, ours, theirs, equalText[Hash]); agreed {
		return body, nil
	}
	var sources [3][]byte
	for position, hash := range []Hash{base, ours, theirs} {
		source, err := m.bodies.Body(hash)
		if err != nil {
			return "", err
		}
		sources[position] = source
	}
	merged, err := m.mergeSource(conflict, sources[0], sources[1], sources[2])
	if err != nil {
		return "", err
	}
	return m.bodies.Add(merged), nil
}

func (m *merger) mergeSource(conflict Conflict, base, ours, theirs []byte) ([]byte, error) {
	if source, agreed := agreedValue(base, ours, theirs, bytes.Equal); agreed {
		return source, nil
	}
	baseFront, baseRest := document.SplitFrontMatter(base)
	oursFront, oursRest := document.SplitFrontMatter(ours)
	theirsFront, theirsRest := document.SplitFrontMatter(theirs)
	front, err := m.mergeFrontMatter(conflict, baseFront, oursFront, theirsFront)
	if err != nil {
		return nil, err
	}
	rest, err := m.mergeBlocks(conflict, baseRest, oursRest, theirsRest)
	if err != nil {
		return nil, err
	}
	return slices.Concat(front, rest), nil
}

// mergeBlocks merges Markdown without front matter.
func (m *merger) mergeBlocks(conflict Conflict, base, ours, theirs []byte) ([]byte, error) {
	if rest, agreed := agreedValue(base, ours, theirs, bytes.Equal); agreed {
		return rest, nil
	}
	baseText, oursText, theirsText := splitBlocks(base), splitBlocks(ours), splitBlocks(theirs)
	regions := mergeTokens(baseText.tokens, oursText.tokens, theirsText.tokens,
		blockHunks(baseText.tokens, oursText.tokens), blockHunks(baseText.tokens, theirsText.tokens), false)
	writer := blockWriter{gap: baseText.gap}
	counted := 0
	for _, part := range regions {
		if part.conflict == nil {
			writer.write(part.settled)
			continue
		}
		conflict.Block += countBlocks(baseText.tokens[counted:part.conflict.start])
		counted = part.conflict.start
		text, err := m.settleBlocks(conflict, *part.conflict)
		if err != nil {
			return nil, err
		}
		writer.write(text)
	}
	return writer.finish(mergeEndings(baseText, oursText, theirsText)), nil
}

// settleBlocks merges blocks that both sides changed and returns the tokens
// that take their place.
func (m *merger) settleBlocks(conflict Conflict, sides tokenConflict) ([]string, error) {
	switch {
	case slices.Equal(sides.ours, sides.theirs), sameBlocks(sides.base, sides.theirs):
		return sides.ours, nil
	case sameBlocks(sides.base, sides.ours):
		return sides.theirs, nil
	}
	lines := mergeLines(strings.Join(sides.base, ""), strings.Join(sides.ours, ""), strings.Join(sides.theirs, ""))
	if lines.clean {
		return blockTokens(lines.ours), nil
	}
	conflict.Base, conflict.Ours, conflict.Theirs = trimBlock(lines.base), trimBlock(lines.ours), trimBlock(lines.theirs)
	conflict.Choices = textChoices
	settled, err := m.settle(conflict)
	if err != nil {
		return nil, err
	}
	text := pick(settled.choice, lines.base, lines.ours, lines.theirs, "")
	switch settled.choice {
	case ChooseBoth:
		text = joinBlocks(lines.ours, lines.theirs)
	case ChooseCustom:
		if settled.resolution.Markdown == nil {
			return nil, settled.invalid("markdown", "the text is missing")
		}
		if problem := checkText(*settled.resolution.Markdown, DefaultBodyLimit); problem != "" {
			return nil, settled.invalid("markdown", "%s", problem)
		}
		text = endLike(*settled.resolution.Markdown, lines.base, lines.ours, lines.theirs)
	}
	return blockTokens(text), nil
}

// trimBlock cuts the line ends and blank lines off the end, which part a block
// from the next and are not its own.
func trimBlock(text string) string {
	return strings.TrimRight(text, "\r\n")
}

// joinBlocks puts text behind other text with a blank line in between.
func joinBlocks(first, second string) string {
	if trimBlock(first) == "" || trimBlock(second) == "" || strings.HasPrefix(strings.TrimLeft(second, "\r"), "\n") {
		return first + second
	}
	end := lineEnd(first + second)
	return trimBlock(first) + end + end + second
}

// endLike returns text with the longest of the ends that the models have.
func endLike(text string, models ...string) string {
	content, ending := trimBlock(text), ""
	if content == "" {
		return ""
	}
	for _, model := range models {
		if end := model[len(trimBlock(model)):]; len(end) > len(ending) {
			ending = end
		}
	}
	return content + ending
}

// blockText is Markdown as the tokens that are merged: its blocks, and the line
// ends and blank lines between them. A block is the same token wherever it
// stands: what follows the last block is kept apart, and stands in the tokens
// as a gap like any other.
type blockText struct {
	tokens []string
	gap    string
	ending string
}

func splitBlocks(source []byte) blockText {
	text := string(source)
	end := lineEnd(text)
	split := blockText{gap: end + end}
	content := trimBlock(text)
	if content == "" {
		return split
	}
	split.tokens = append(blockTokens(content), split.gap)
	split.ending = text[len(content):]
	return split
}

// mergeEndings merges what follows the last blocks. A text without blocks has
// nothing to say about it.
func mergeEndings(base, ours, theirs blockText) string {
	if len(ours.tokens) == 0 {
		ours.ending = base.ending
	}
	if len(theirs.tokens) == 0 {
		theirs.ending = base.ending
	}
	if ending, agreed := agreedValue(base.ending, ours.ending, theirs.ending, equalText[string]); agreed {
		return ending
	}
	if len(ours.ending) != len(theirs.ending) {
		return longest(ours.ending, theirs.ending)
	}
	return max(ours.ending, theirs.ending)
}

func longest(a, b string) string {
	if len(a) > len(b) {
		return a
	}
	return b
}

// blockTokens cuts Markdown into its blocks and what is between them.
func blockTokens(text string) []string {
	var tokens []string
	for _, block := range document.Blocks([]byte(text)) {
		whole := text[block.Start:block.End]
		content := strings.TrimLeft(whole, "\r\n")
		trimmed := trimBlock(content)
		for _, token := range []string{whole[:len(whole)-len(content)], trimmed, content[len(trimmed):]} {
			if token != "" {
				tokens = append(tokens, token)
			}
		}
	}
	return tokens
}

func isSeparator(token string) bool {
	return strings.Trim(token, "\r\n") == ""
}

func countBlocks(tokens []string) int {
	count := 0
	for _, token := range tokens {
		if !isSeparator(token) {
			count++
		}
	}
	return count
}

// sameBlocks tells whether two sequences differ in blank lines only.
func sameBlocks(a, b []string) bool {
	return slices.Equal(slices.DeleteFunc(slices.Clone(a), isSeparator), slices.DeleteFunc(slices.Clone(b), isSeparator))
}

// blockHunks aligns two sequences of blocks. An inserted or deleted stretch
// that could begin with the blank lines before it or end with those behind it
// is taken to do the latter, on both sides alike.
func blockHunks(base, side []string) []hunk {
	hunks := diffTokens(base, side)
	for position := range hunks {
		limit := len(base)
		if position+1 < len(hunks) {
			limit = hunks[position+1].baseStart
		}
		hunks[position] = slideOverSeparator(hunks[position], base, side, limit)
	}
	return hunks
}

func slideOverSeparator(h hunk, base, side []string, limit int) hunk {
	if h.baseEnd >= limit || !isSeparator(base[h.baseEnd]) {
		return h
	}
	inserted := h.baseStart == h.baseEnd && side[h.sideStart] == base[h.baseEnd]
	deleted := h.sideStart == h.sideEnd && base[h.baseStart] == base[h.baseEnd]
	if inserted || deleted {
		return hunk{h.baseStart + 1, h.baseEnd + 1, h.sideStart + 1, h.sideEnd + 1}
	}
	return h
}

// blockWriter joins tokens, with a gap where two blocks come together that
// stood apart in the versions they are from.
type blockWriter struct {
	text       strings.Builder
	gap        string
	afterBlock bool
}

func (w *blockWriter) write(tokens []string) {
	for _, token := range tokens {
		block := !isSeparator(token)
		if block && w.afterBlock {
			w.text.WriteString(w.gap)
		}
		w.text.WriteString(token)
		w.afterBlock = block
	}
}

// finish returns the text with the ending in place of what follows its last
// block.
func (w *blockWriter) finish(ending string) []byte {
	content := trimBlock(w.text.String())
	if content == "" {
		return nil
	}
	return []byte(content + ending)
}

// lineEnd returns how the lines of the text end.
func lineEnd(text string) string {
	if end := strings.IndexByte(text, '\n'); end > 0 && text[end-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
