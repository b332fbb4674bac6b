package content

import (
	"maps"
	"slices"
)

// ChangeKind tells what a Change is about.
type ChangeKind string

// The kinds of changes.
const (
	PageCreated            ChangeKind = "page_created"
	PageEdited             ChangeKind = "page_edited"
	PageDeleted            ChangeKind = "page_deleted"
	PageMoved              ChangeKind = "page_moved"
	FileCreated            ChangeKind = "file_created"
	FileEdited             ChangeKind = "file_edited"
	FileDeleted            ChangeKind = "file_deleted"
	ReusableContentCreated ChangeKind = "reusable_content_created"
	ReusableContentEdited  ChangeKind = "reusable_content_edited"
	ReusableContentDeleted ChangeKind = "reusable_content_deleted"
	VariablesEdited        ChangeKind = "variables_edited"
)

// Change is one difference between two trees that a reader would name.
type Change struct {
	Kind ChangeKind
	// Page, for the kinds about pages, is the page as it is afterwards, or as
	// it was when it was deleted.
	Page *ChangedPage
	// ParentBefore and ParentAfter, of PageMoved, are the pages above; nil for
	// the root. They are the same page when the page moved among its siblings.
	ParentBefore *ChangedPage
	ParentAfter  *ChangedPage
	// File and ReusableContent are as Page.
	File            *File
	ReusableContent *ReusableContent
	// Attributes, of the edited kinds, are what differs; each differs. Of
	// VariablesEdited they are the variables by name.
	Attributes []AttributeChange
}

// ChangedPage names a page in one of the two trees.
type ChangedPage struct {
	ID    string
	Type  PageType
	Title string
	Path  string // empty for a page without a path, such as a link
}

// AttributeChange is a property before and after; nil stands for none. The
// attribute "document" holds a Hash; the others hold text, true, numbers,
// *Layout, *Cover, *Computed, *Dimensions or maps.
type AttributeChange struct {
	Name   string
	Before any
	After  any
}

// Dimensions of an image in pixels.
type Dimensions struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// documentAttribute is the name under which the text of a page is compared.
const documentAttribute = "document"

// Diff returns what differs from one tree to the other: pages in the order of
// the tree they are in, deleted pages after the others, then files, reusable
// contents and variables. Equal trees differ in nothing, and the time of the
// last change alone is no difference. A page that was edited and moved gives
// two changes.
func Diff(from, to *Tree) []Change {
	if from == to {
		return nil
	}
	changes := diffPages(from, to)
	changes = append(changes, diffFiles(from.Files, to.Files)...)
	changes = append(changes, diffReusableContents(from.ReusableContents, to.ReusableContents)...)
	if variables := diffVariables(from.Variables, to.Variables); len(variables) > 0 {
		changes = append(changes, Change{Kind: VariablesEdited, Attributes: variables})
	}
	return changes
}

// differingPages returns the parts of both lists between their common
// beginning and their common end.
func differingPages(from, to []*Page) (fromPart, toPart []*Page) {
	for len(from) > 0 && len(to) > 0 && equalPages(from[0], to[0]) {
		from, to = from[1:], to[1:]
	}
	for len(from) > 0 && len(to) > 0 && equalPages(from[len(from)-1], to[len(to)-1]) {
		from, to = from[:len(from)-1], to[:len(to)-1]
	}
	return from, to
}

func diffPages(from, to *Tree) []Change {
	fromPart, toPart := differingPages(from.Pages, to.Pages)
	if len(fromPart) == 0 && len(toPart) == 0 {
		return nil
	}
	before, after := pagesByID(fromPart), pagesByID(toPart)
	moved := movedPages(fromPart, toPart, before)
	fromIndex, toIndex := from.Index(), to.Index()
	var changes []Change
	for _, page := range toPart {
		old := before[page.ID]
		if old == nil {
			changes = append(changes, Change{Kind: PageCreated, Page: changedPage(toIndex, page.ID)})
			continue
		}
		if attributes := diffPage(old, page); len(attributes) > 0 {
			changes = append(changes, Change{Kind: PageEdited, Page: changedPage(toIndex, page.ID), Attributes: attributes})
		}
		if moved[page.ID] {
			changes = append(changes, Change{
				Kind: PageMoved, Page: changedPage(toIndex, page.ID),
				ParentBefore: changedPage(fromIndex, old.Parent), ParentAfter: changedPage(toIndex, page.Parent),
			})
		}
	}
	for _, page := range fromPart {
		if after[page.ID] == nil {
			changes = append(changes, Change{Kind: PageDeleted, Page: changedPage(fromIndex, page.ID)})
		}
	}
	return changes
}

func pagesByID(pages []*Page) map[string]*Page {
	byID := make(map[string]*Page, len(pages))
	for _, page := range pages {
		byID[page.ID] = page
	}
	return byID
}

func changedPage(index *Index, id string) *ChangedPage {
	page := index.Page(id)
	if page == nil {
		return nil
	}
	return &ChangedPage{ID: page.ID, Type: page.Type, Title: page.Title, Path: index.Path(page)}
}

func diffPage(before, after *Page) []AttributeChange {
	if before == after {
		return nil
	}
	var attributes []AttributeChange
	if !equalMetadata(before, after) {
		for _, field := range plainAndCompositeFields {
			attributes = appendDifference(attributes, field.name, field.read(before), field.read(after))
		}
	}
	attributes = appendDifference(attributes, documentAttribute, hashValue(before.Body), hashValue(after.Body))
	return appendDifference(attributes, "gitOID", present(before.GitOID, before.GitOID != ""), present(after.GitOID, after.GitOID != ""))
}

func appendDifference(attributes []AttributeChange, name string, before, after any) []AttributeChange {
	if equalValues(before, after) {
		return attributes
	}
	return append(attributes, AttributeChange{Name: name, Before: before, After: after})
}

func hashValue(hash Hash) any {
	return present(hash, hash != "")
}

// movedPages returns the pages that stand below another page than before, and
// the fewest that have to be moved among their siblings to get from one order
// to the other.
func movedPages(from, to []*Page, before map[string]*Page) map[string]bool {
	moved := map[string]bool{}
	positions := make(map[string]int, len(from))
	for position, page := range from {
		positions[page.ID] = position
	}
	stayed := map[string][]string{} // by parent, in the order of to
	for _, page := range to {
		old := before[page.ID]
		switch {
		case old == nil:
		case old.Parent != page.Parent:
			moved[page.ID] = true
		default:
			stayed[page.Parent] = append(stayed[page.Parent], page.ID)
		}
	}
	for _, siblings := range stayed {
		for _, id := range outOfOrder(siblings, positions) {
			moved[id] = true
		}
	}
	return moved
}

// outOfOrder returns the fewest ids without which the positions of the rest
// rise.
func outOfOrder(ids []string, positions map[string]int) []string {
	inOrder := risingIndexes(len(ids), func(index int) int { return positions[ids[index]] })
	var moved []string
	for index, id := range ids {
		if len(inOrder) > 0 && inOrder[0] == index {
			inOrder = inOrder[1:]
			continue
		}
		moved = append(moved, id)
	}
	return moved
}

// risingIndexes returns the indexes, of 0 to count-1, of a longest sequence in
// which value rises.
func risingIndexes(count int, value func(index int) int) []int {
	// ends[length] is the index at which the best sequence of length+1 ends;
	// previous links each index to the one before it there.
	var ends []int
	previous := make([]int, count)
	for index := range count {
		length, _ := slices.BinarySearchFunc(ends, value(index), func(end, wanted int) int {
			return value(end) - wanted
		})
		previous[index] = -1
		if length > 0 {
			previous[index] = ends[length-1]
		}
		if length == len(ends) {
			ends = append(ends, index)
		} else {
			ends[length] = index
		}
	}
	if len(ends) == 0 {
		return nil
	}
	rising := make([]int, len(ends))
	index := ends[len(ends)-1]
	for position := len(ends) - 1; position >= 0; position-- {
		rising[position] = index
		index = previous[index]
	}
	return rising
}

func diffFiles(from, to []*File) []Change {
	var changes []Change
	eachByID(from, to, fileID, func(before, after *File) {
		switch {
		case before == nil:
			changes = append(changes, Change{Kind: FileCreated, File: after})
		case after == nil:
			changes = append(changes, Change{Kind: FileDeleted, File: before})
		case !equalFiles(before, after):
			changes = append(changes, Change{Kind: FileEdited, File: after, Attributes: diffFile(before, after)})
		}
	})
	return changes
}

func diffFile(before, after *File) []AttributeChange {
	var attributes []AttributeChange
	attributes = appendDifference(attributes, "name", before.Name, after.Name)
	attributes = appendDifference(attributes, "contentType", before.ContentType, after.ContentType)
	attributes = appendDifference(attributes, "size", before.Size, after.Size)
	attributes = appendDifference(attributes, "content", hashValue(before.Content), hashValue(after.Content))
	attributes = appendDifference(attributes, "dimensions", dimensions(before), dimensions(after))
	return appendDifference(attributes, "gitPath", before.GitPath, after.GitPath)
}

func dimensions(file *File) any {
	return present(&Dimensions{Width: file.Width, Height: file.Height}, file.Width != 0 || file.Height != 0)
}

func diffReusableContents(from, to []*ReusableContent) []Change {
	var changes []Change
	eachByID(from, to, reusableContentID, func(before, after *ReusableContent) {
		switch {
		case before == nil:
			changes = append(changes, Change{Kind: ReusableContentCreated, ReusableContent: after})
		case after == nil:
			changes = append(changes, Change{Kind: ReusableContentDeleted, ReusableContent: before})
		case *before != *after:
			changes = append(changes, Change{
				Kind: ReusableContentEdited, ReusableContent: after, Attributes: diffReusableContent(before, after),
			})
		}
	})
	return changes
}

func diffReusableContent(before, after *ReusableContent) []AttributeChange {
	var attributes []AttributeChange
	attributes = appendDifference(attributes, "title", before.Title, after.Title)
	attributes = appendDifference(attributes, documentAttribute, hashValue(before.Body), hashValue(after.Body))
	return appendDifference(attributes, "gitPath", before.GitPath, after.GitPath)
}

func diffVariables(from, to map[string]any) []AttributeChange {
	var attributes []AttributeChange
	for _, name := range unionOfKeys(from, to) {
		attributes = appendDifference(attributes, name, from[name], to[name])
	}
	return attributes
}

// unionOfKeys returns the keys of all maps, sorted.
func unionOfKeys[Value any](lists ...map[string]Value) []string {
	union := map[string]bool{}
	for _, list := range lists {
		for key := range list {
			union[key] = true
		}
	}
	return slices.Sorted(maps.Keys(union))
}

// eachByID walks two lists sorted by id side by side. visit gets nil for an
// entry that one of them lacks, and is not called for one they share.
func eachByID[Entry any](from, to []*Entry, identify func(*Entry) string, visit func(before, after *Entry)) {
	for len(from) > 0 || len(to) > 0 {
		order := 0
		switch {
		case len(from) == 0:
			order = 1
		case len(to) == 0:
			order = -1
		default:
			order = compareStrings(identify(from[0]), identify(to[0]))
		}
		switch {
		case order < 0:
			visit(from[0], nil)
			from = from[1:]
		case order > 0:
			visit(nil, to[0])
			to = to[1:]
		default:
			if from[0] != to[0] {
				visit(from[0], to[0])
			}
			from, to = from[1:], to[1:]
		}
	}
}
