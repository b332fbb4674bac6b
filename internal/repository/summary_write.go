package repository

import (
	"html"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"octavo/internal/content"
)

// line is an entry that the table of contents is to have.
type line struct {
	page      *content.Page
	title     string
	link      string // destination; "" for none
	linkDirty bool   // the link is not the one that the entry has
	entry     int    // the entry that described the page, or -1
	parent    int    // index of the parent line, or -1
	heading   bool
	column    int // where the list item was written
}

// contents returns the table of contents of the tree; nil when there is to be
// none.
func (l *layout) contents() []byte {
	if l.isDescribed() {
		return l.summarySource
	}
	return l.renderSummary()
}

// isDescribed tells whether what the repository says about its pages still
// holds. Then nothing needs to be written.
func (l *layout) isDescribed() bool {
	if l.tree.Repository == nil || len(l.nodes) != len(l.tree.Pages) {
		return false
	}
	for index := range l.nodes {
		if l.pages[index] != index || !l.describes(&l.nodes[index], l.tree.Pages[index]) {
			return false
		}
	}
	return true
}

// describes tells whether a node still says everything about its page.
func (l *layout) describes(described *node, page *content.Page) bool {
	if described.kind != page.Type || described.title != titleText(page.Title) || l.parentID(described) != page.Parent {
		return false
	}
	switch page.Type {
	case content.PageDocument:
		return described.path == l.written[page.ID]
	case content.PageLink:
		return described.link.key() == l.reference(page).key()
	case content.PageComputed:
		return computedKey(described.computed) == computedKey(page.Computed)
	default:
		return true
	}
}

// titleText returns a title as a table of contents can hold it.
func titleText(title string) string {
	title = cleanTitle(title)
	if title == "" {
		return "Untitled"
	}
	return title
}

// reference returns the target of a link page in terms of the paths written.
func (l *layout) reference(page *content.Page) reference {
	return pathLookup{
		page: func(id string) string { return l.written[id] },
		file: func(id string) string { return l.files[id] },
	}.referenceOf(page.Target)
}

func (l *layout) renderSummary() []byte {
	source := l.summary
	if source == nil {
		source = parseSummary([]byte("# Table of contents\n\n"))
	}
	writer := &summaryWriter{source: source, lines: l.wanted(source)}
	return writer.write()
}

// wanted returns the entries that the tree asks for.
func (l *layout) wanted(source *summary) []line {
	lines := make([]line, 0, len(l.tree.Pages))
	position := make(map[string]int, len(l.tree.Pages))
	for index, page := range l.tree.Pages {
		if index == 0 && l.isImplied(page) {
			continue
		}
		next := line{page: page, title: titleText(page.Title), entry: -1, parent: -1}
		if described, known := l.nodeOf[page.ID]; known && l.summary != nil {
			next.entry = l.nodes[described].entry
		}
		if parent, known := position[page.Parent]; known && page.Parent != "" {
			next.parent = parent
		}
		l.setLink(&next)
		position[page.ID] = len(lines)
		lines = append(lines, next)
	}
	setHeadings(lines, source)
	return lines
}

// isImplied tells whether a page is the first one without being named.
func (l *layout) isImplied(page *content.Page) bool {
	named := slices.ContainsFunc(l.tree.Pages, func(other *content.Page) bool {
		return other.Type == content.PageLink && field(other.Target, "page") == page.ID
	})
	described, known := l.nodeOf[page.ID]
	return !named && known && l.summary != nil && l.nodes[described].entry < 0 && !l.parents[page.ID] && l.describes(&l.nodes[described], page)
}

// setLink sets where the entry leads, as it stands in the table of contents.
func (l *layout) setLink(next *line) {
	directory := directoryOf(l.summaryPath)
	page := next.page
	described, known := l.nodeOf[page.ID]
	switch page.Type {
	case content.PageDocument:
		next.link = linkTo(directory, l.written[page.ID])
		next.linkDirty = !known || l.nodes[described].path != l.written[page.ID]
	case content.PageLink:
		target := l.reference(page)
		next.link = target.destination(directory)
		next.linkDirty = !known || l.nodes[described].link.key() != target.key()
		if target.kind == "page" && l.index[field(page.Target, "page")] > l.index[page.ID] {
			// The first entry that names a file without a fragment is its page.
			next.link += "#"
			next.linkDirty = next.linkDirty || next.entry < 0 || !strings.HasSuffix(l.summary.entries[next.entry].destination, "#")
		}
	case content.PageComputed:
		next.linkDirty = !known || computedKey(l.nodes[described].computed) != computedKey(page.Computed)
	}
}

// setHeadings decides which groups are headings. Everything after a heading
// belongs to it, so a group can be one only if nothing but groups follows it at
// the top.
func setHeadings(lines []line, source *summary) {
	last := -1
	for index := range lines {
		if lines[index].parent < 0 && lines[index].page.Type != content.PageGroup {
			last = index
		}
	}
	before := false
	for index := last + 1; index < len(lines); index++ {
		next := &lines[index]
		if next.parent >= 0 || next.page.Type != content.PageGroup {
			continue
		}
		next.heading = before || next.entry < 0 || source.entries[next.entry].kind == entryHeading
		before = next.heading
	}
}

// summaryWriter writes a table of contents around the lines of the one that it
// came in as. Entries that kept their order stay in place, with the lines
// between them; others are written where the tree wants them.
type summaryWriter struct {
	source   *summary
	lines    []line
	position int // the first line of the source that was not dealt with
	output   []string
	open     []int // lines whose children may follow, as the parser sees it
	skipped  bool  // an entry was left out since the last line
	// moved tells that the last entry did not stand there before.
	moved       bool
	lastHeading bool
}

func (w *summaryWriter) write() []byte {
	staying := w.staying()
	for index := range w.lines {
		next := &w.lines[index]
		if staying[index] {
			w.copyBetween(w.source.entries[next.entry].line)
			w.separate(next)
			w.emit(index)
			w.position = w.source.entries[next.entry].line + w.source.entries[next.entry].lines
			w.moved = false
			continue
		}
		if len(w.open) == 0 && !w.moved || w.lastHeading && !w.moved {
			w.copyBetween(w.nextEntryLine())
		}
		w.moved = true
		w.separate(next)
		w.emit(index)
	}
	w.copyBetween(len(w.source.lines))
	return []byte(w.source.mark + strings.Join(w.output, ""))
}

// staying finds the most entries that need not be moved: the longest run of
// lines whose entries are in order.
func (w *summaryWriter) staying() map[int]bool {
	var tails []int // index of the line that ends the best run of each length
	previous := make([]int, len(w.lines))
	for index := range w.lines {
		entry := w.lines[index].entry
		if entry < 0 {
			continue
		}
		length, _ := slices.BinarySearchFunc(tails, entry, func(tail, entry int) int {
			return w.lines[tail].entry - entry
		})
		previous[index] = -1
		if length > 0 {
			previous[index] = tails[length-1]
		}
		if length == len(tails) {
			tails = append(tails, index)
			continue
		}
		tails[length] = index
	}
	staying := map[int]bool{}
	if len(tails) == 0 {
		return staying
	}
	for index := tails[len(tails)-1]; index >= 0; index = previous[index] {
		staying[index] = true
	}
	return staying
}

// nextEntryLine returns where the entry after the current position stands.
func (w *summaryWriter) nextEntryLine() int {
	for index := range w.source.entries {
		if w.source.entries[index].line >= w.position {
			return w.source.entries[index].line
		}
	}
	// Nothing can be put behind a block that never ends.
	return max(w.position, w.source.unclosed)
}

// copyBetween copies the lines before end that are no entries: blank lines,
// comments, text. Lines that end a group are left out, since the headings say
// where groups end.
func (w *summaryWriter) copyBetween(end int) {
	for w.position < end {
		if count := w.entryAt(w.position); count > 0 {
			w.position += count
			w.skipped = true
			continue
		}
		current := w.source.lines[w.position]
		double := w.skipped && isBlank(current) && w.endsBlank()
		if !double && !w.source.breaks[w.position] {
			w.append(current)
			w.skipped = false
		}
		w.position++
	}
}

// entryAt returns the number of lines of the entry that starts at the line, 0
// if none does.
func (w *summaryWriter) entryAt(position int) int {
	index, found := slices.BinarySearchFunc(w.source.entries, position, func(found entry, position int) int {
		return found.line - position
	})
	if !found {
		return 0
	}
	return w.source.entries[index].lines
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

func (w *summaryWriter) endsBlank() bool {
	return len(w.output) == 0 || isBlank(w.output[len(w.output)-1])
}

// append adds one line; the line before gets a line ending if it had none.
func (w *summaryWriter) append(text string) {
	if last := len(w.output) - 1; last >= 0 && !strings.HasSuffix(w.output[last], "\n") {
		w.output[last] += w.newline()
	}
	w.output = append(w.output, text)
}

// newline returns the line ending of the file.
func (w *summaryWriter) newline() string {
	if len(w.source.lines) > 0 && strings.HasSuffix(w.source.lines[0], "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// separate puts a blank line around headings where something was inserted.
func (w *summaryWriter) separate(next *line) {
	inserted := w.moved && (next.heading || w.lastHeading)
	if inserted && !w.endsBlank() {
		w.append(w.newline())
	}
}

// emit writes one entry.
func (w *summaryWriter) emit(index int) {
	next := &w.lines[index]
	w.lastHeading = next.heading
	w.skipped = false
	if next.heading {
		w.open = []int{index}
		next.column = -2
		w.append(w.headingLine(next))
		return
	}
	w.setColumn(index)
	w.open = append(w.open, index)
	for _, text := range w.itemLines(next) {
		w.append(text)
	}
}

// headingLine returns the heading of a group.
func (w *summaryWriter) headingLine(next *line) string {
	if next.entry < 0 || w.source.entries[next.entry].kind != entryHeading || w.isTitle(next) {
		return "## " + escapeHeading(next.title) + w.newline()
	}
	found := &w.source.entries[next.entry]
	source := w.source.lines[found.line]
	if found.title == next.title {
		return source
	}
	return source[:found.raw.start] + escapeHeading(next.title) + source[found.raw.end:]
}

// isTitle tells whether a heading would become that of the whole table of
// contents.
func (w *summaryWriter) isTitle(next *line) bool {
	source := strings.TrimLeft(w.source.lines[w.source.entries[next.entry].line], " ")
	return next == &w.lines[0] && !strings.HasPrefix(source, "##")
}

// setColumn chooses the indentation of a list item: its own if that makes it
// the child of its parent, else that of the item before it, else one step more
// than the parent's.
func (w *summaryWriter) setColumn(index int) {
	next := &w.lines[index]
	if next.entry >= 0 && w.source.entries[next.entry].kind != entryHeading {
		next.column = w.source.entries[next.entry].columns
		if w.parentAt(next.column) == next.parent {
			w.close(next.column)
			return
		}
	}
	next.column = 0
	if next.parent >= 0 && !w.lines[next.parent].heading {
		next.column = w.lines[next.parent].column + w.step()
	}
	for _, sibling := range w.open {
		if !w.lines[sibling].heading && w.lines[sibling].parent == next.parent {
			next.column = w.lines[sibling].column
		}
	}
	w.close(next.column)
}

// parentAt returns the line that an item at the column would stand below.
func (w *summaryWriter) parentAt(column int) int {
	for index := len(w.open) - 1; index >= 0; index-- {
		if column >= w.lines[w.open[index]].column+2 {
			return w.open[index]
		}
	}
	return -1
}

// close ends the lists that an item at the column ends.
func (w *summaryWriter) close(column int) {
	for len(w.open) > 0 && column < w.lines[w.open[len(w.open)-1]].column+2 {
		w.open = w.open[:len(w.open)-1]
	}
}

// step returns the indentation that the file uses for one level.
func (w *summaryWriter) step() int {
	for index := range w.source.entries {
		found := &w.source.entries[index]
		if found.kind == entryHeading || found.parent < 0 || w.source.entries[found.parent].kind == entryHeading {
			continue
		}
		return found.columns - w.source.entries[found.parent].columns
	}
	return 2
}

// itemLines returns the lines of a list item.
func (w *summaryWriter) itemLines(next *line) []string {
	if next.entry < 0 || !w.fits(next) {
		return w.newItem(next)
	}
	found := &w.source.entries[next.entry]
	lines := slices.Clone(w.source.lines[found.line : found.line+found.lines])
	if found.kind != entryComputed {
		lines[0] = revise(lines[0], found, next)
	}
	if next.column != found.columns {
		w.indent(lines, next.column)
	}
	return lines
}

// fits tells whether the entry's line can be used again for the page.
func (w *summaryWriter) fits(next *line) bool {
	found := &w.source.entries[next.entry]
	switch found.kind {
	case entryHeading:
		return false
	case entryComputed:
		return next.page.Computed != nil && !next.linkDirty && found.closed && titleOfBlock(found.block) == next.title
	case entryText:
		return next.link == ""
	default:
		return next.page.Computed == nil
	}
}

func titleOfBlock(block string) string {
	source, err := parseComputed(block)
	if err != nil {
		return ""
	}
	return source.title()
}

// revise puts a new title and a new destination into the line of an entry.
func revise(source string, found *entry, next *line) string {
	// A link without text is titled by its destination.
	untitled := found.kind == entryLink && next.linkDirty && plainText(source[found.raw.start:found.raw.end]) == ""
	if next.linkDirty && found.kind == entryLink {
		replacement := escapeDestination(next.link)
		at := found.rawDestination
		if found.angled {
			at.start--
			at.end++
		}
		source = source[:at.start] + replacement + source[at.end:]
	}
	if found.title == next.title && !untitled {
		return source
	}
	title := escapeTitle(next.title)
	if found.kind == entryText {
		title = escapeStart(title)
	}
	return source[:found.raw.start] + title + source[found.raw.end:]
}

// indent gives the lines of an item another indentation.
func (w *summaryWriter) indent(lines []string, column int) {
	indentation := w.indentation(column)
	old := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], " \t"))]
	for index := range lines {
		if rest, found := strings.CutPrefix(lines[index], old); found {
			lines[index] = indentation + rest
		}
	}
}

// indentation writes columns the way the file does: with tabs or with spaces.
func (w *summaryWriter) indentation(column int) string {
	for index := range w.source.entries {
		if strings.HasPrefix(w.source.lines[w.source.entries[index].line], "\t") {
			return strings.Repeat("\t", column/4) + strings.Repeat(" ", column%4)
		}
	}
	return strings.Repeat(" ", column)
}

// bullet returns the mark of list items in the file.
func (w *summaryWriter) bullet() string {
	for index := range w.source.entries {
		found := &w.source.entries[index]
		if found.kind == entryHeading {
			continue
		}
		mark := strings.TrimLeft(w.source.lines[found.line], " \t")[:1]
		if strings.Contains("*-+", mark) {
			return mark
		}
	}
	return "*"
}

// newItem writes an item that the file did not have.
func (w *summaryWriter) newItem(next *line) []string {
	start := w.indentation(next.column) + w.bullet() + " "
	switch {
	case next.page.Computed != nil:
		return w.computedItem(next, start)
	case next.link == "":
		return []string{start + escapeStart(escapeTitle(next.title)) + w.newline()}
	default:
		return []string{start + "[" + escapeTitle(next.title) + "](" + escapeDestination(next.link) + ")" + w.newline()}
	}
}

// computedItem writes a computed page as a block of YAML.
func (w *summaryWriter) computedItem(next *line, start string) []string {
	computed := next.page.Computed
	source := computedSource{Type: computed.Type, Props: computed.Props, Dependencies: computed.Dependencies}
	if source.title() != next.title {
		source.Title = next.title
	}
	// JSON values always have a YAML form.
	encoded, _ := yaml.Marshal(source)
	indentation := strings.Repeat(" ", next.column+2)
	mark := "```"
	for strings.Contains(string(encoded), mark) {
		mark += "`"
	}
	lines := []string{start + mark + "yaml" + w.newline()}
	for _, text := range splitLines(string(encoded)) {
		lines = append(lines, indentation+trimEnding(text)+w.newline())
	}
	return append(lines, indentation+mark+w.newline())
}

var (
	titleEscaper = strings.NewReplacer(
		`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `\<`,
	)
	blockStart   = regexp.MustCompile(`^([0-9]{1,9})([.)])`)
	plainEscaper = strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "%0A", "\r", "%0D", `\`, "%5C")
)

// escapeTitle writes plain text as inline Markdown.
func escapeTitle(title string) string {
	escaped := titleEscaper.Replace(title)
	if html.UnescapeString(title) != title {
		escaped = strings.ReplaceAll(escaped, "&", `\&`)
	}
	return escaped
}

// escapeHeading writes plain text as that of a heading: marks at its end would
// close it.
func escapeHeading(title string) string {
	return strings.ReplaceAll(escapeTitle(title), "#", `\#`)
}

// escapeStart keeps text at the start of a list item from opening a block.
func escapeStart(text string) string {
	if strings.ContainsAny(text[:1], "-+>~#") {
		return `\` + text
	}
	return blockStart.ReplaceAllString(text, `$1\$2`)
}

// escapeDestination writes a link's destination: in angle brackets when it
// holds spaces or parentheses.
func escapeDestination(destination string) string {
	escaped := plainEscaper.Replace(destination)
	if html.UnescapeString(escaped) != escaped {
		escaped = strings.ReplaceAll(escaped, "&", "&amp;")
	}
	if escaped == "" || strings.ContainsAny(escaped, " \t()\"'") {
		return "<" + escaped + ">"
	}
	return escaped
}
