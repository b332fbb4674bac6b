package content

import "octavo/internal/fault"

func (o RevertPage) apply(e *editor) (*AppliedOperation, error) {
	source := o.Source
	if source == nil {
		source = e.options.RevertSource
	}
	if source == nil {
		return nil, e.invalid("revision", "there is no revision to go back to")
	}
	id := o.Page
	if announced := e.announcedPages[id]; announced != "" {
		id = announced
	}
	wanted, current := source.Page(id), e.tree.Page(id)
	if o.Blocks != nil && (wanted != nil || current != nil) {
		return e.revertBlocks(wanted, current, o.Blocks)
	}
	switch {
	case wanted == nil && current == nil:
		return nil, e.invalid("page", "there is no page %q", o.Page)
	case wanted == nil:
		return &AppliedOperation{Deleted: e.remove(id)}, nil
	case current == nil:
		return e.restore(wanted, source)
	}
	return e.goBack(wanted, current, source)
}

// restore brings back a page that was deleted, below the nearest of its
// ancestors that is still there.
func (e *editor) restore(wanted *Page, source *Tree) (*AppliedOperation, error) {
	restored := *wanted
	restored.UpdatedAt = e.options.Now
	restored.Parent = e.survivingParent(wanted, source)
	if err := e.settleSlug(&restored, Option[string]{}); err != nil {
		return nil, err
	}
	e.insertAt(&restored, e.indexAfterNeighbours(&restored, source))
	return &AppliedOperation{Inserted: []string{restored.ID}}, nil
}

// goBack gives a page the state that it has in source.
func (e *editor) goBack(wanted, current *Page, source *Tree) (*AppliedOperation, error) {
	parent := e.survivingParent(wanted, source)
	if parent != "" && isBelow(e.tree.Pages, parent, current.ID) {
		err := e.invalid("page", "the page it stood below is now below it")
		err.Code = fault.InvalidPosition
		return nil, err
	}
	reverted := *wanted
	reverted.Parent = parent
	if err := e.settleSlug(&reverted, Option[string]{}); err != nil {
		return nil, err
	}
	reverted.Parent = current.Parent
	edited := e.replace(&reverted)
	moved := parent != current.Parent && e.move(&reverted, parent, e.indexAfterNeighbours(&Page{ID: reverted.ID, Parent: parent}, source))
	if !edited && !moved {
		return nil, nil
	}
	return &AppliedOperation{Updated: []string{reverted.ID}}, nil
}

// survivingParent returns the id of the nearest ancestor that the page has in
// source and that the tree still has, empty for the root.
func (e *editor) survivingParent(page *Page, source *Tree) string {
	parent := page.Parent
	for parent != "" {
		if found := e.tree.Page(parent); found != nil && holdsPages(found.Type) {
			return parent
		}
		above := source.Page(parent)
		if above == nil {
			return ""
		}
		parent = above.Parent
	}
	return ""
}

// indexAfterNeighbours returns the index, among the pages below page.Parent,
// behind the nearest page that stands before this one in source.
func (e *editor) indexAfterNeighbours(page *Page, source *Tree) int {
	before := map[string]bool{}
	for _, sibling := range source.Pages {
		if sibling.ID == page.ID {
			break
		}
		before[sibling.ID] = true
	}
	index, behind := 0, 0
	for _, sibling := range e.tree.Pages {
		if sibling.Parent != page.Parent || sibling.ID == page.ID {
			continue
		}
		index++
		if before[sibling.ID] {
			behind = index
		}
	}
	return behind
}
