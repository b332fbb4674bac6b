package content

import "slices"

// subtreeEnd returns the position after the last descendant of the page at
// start.
func subtreeEnd(pages []*Page, start int) int {
	inside := map[string]bool{pages[start].ID: true}
	end := start + 1
	for end < len(pages) && inside[pages[end].Parent] {
		inside[pages[end].ID] = true
		end++
	}
	return end
}

// place returns the position in pages at which a page has to be inserted to
// become the child of parent with the given index; an index of -1 or beyond
// the last child appends.
func place(pages []*Page, parent string, index int) int {
	start, end := 0, len(pages)
	if parent != "" {
		above := slices.IndexFunc(pages, func(page *Page) bool { return page.ID == parent })
		start, end = above+1, subtreeEnd(pages, above)
	}
	if index < 0 {
		return end
	}
	for position := start; position < end; position++ {
		if pages[position].Parent != parent {
			continue
		}
		if index == 0 {
			return position
		}
		index--
	}
	return end
}

func childCount(pages []*Page, parent string) int {
	count := 0
	for _, page := range pages {
		if page.Parent == parent {
			count++
		}
	}
	return count
}

// checkParent tells whether pages may stand below the page named by an
// operation's field, and returns its id.
func (e *editor) checkParent(field, name string, child PageType) (string, error) {
	if name == "" {
		return "", nil
	}
	parent, err := e.page(field, name)
	if err != nil {
		return "", err
	}
	if !holdsPages(parent.Type) {
		return "", e.misplaced(field, "a %s page has no pages below it", parent.Type)
	}
	if child == PageGroup {
		return "", e.misplaced(field, "a group stands at the root only")
	}
	return parent.ID, nil
}

// holdsPages tells whether pages of the type can have others below them.
func holdsPages(pageType PageType) bool {
	return pageType == PageDocument || pageType == PageGroup
}

// checkIndex returns the index for place: at, or -1 to append. siblings is the
// number of other pages below the parent.
func (e *editor) checkIndex(at *int, siblings int) (int, error) {
	if at == nil {
		return -1, nil
	}
	if *at < 0 || *at > siblings {
		return 0, e.misplaced("at", "%d is outside 0 to %d", *at, siblings)
	}
	return *at, nil
}

// insertAt puts the page below its parent.
func (e *editor) insertAt(page *Page, index int) {
	e.tree.Pages = slices.Insert(e.tree.Pages, place(e.tree.Pages, page.Parent, index), page)
}

// move puts the page and everything below it under parent at the index, and
// tells whether anything came to stand elsewhere.
func (e *editor) move(page *Page, parent string, index int) bool {
	before := slices.Clone(e.tree.Pages)
	start := e.position(page.ID)
	end := subtreeEnd(before, start)
	moved := slices.Clone(before[start:end])
	if moved[0].Parent != parent {
		changed := *moved[0]
		changed.Parent = parent
		moved[0] = &changed
	}
	rest := slices.Delete(e.tree.Pages, start, end)
	e.tree.Pages = slices.Insert(rest, place(rest, parent, index), moved...)
	return !slices.Equal(before, e.tree.Pages)
}

// isBelow tells whether the page with the given id is ancestor itself or one
// of its descendants.
func isBelow(pages []*Page, id, ancestor string) bool {
	start := slices.IndexFunc(pages, func(page *Page) bool { return page.ID == ancestor })
	return slices.ContainsFunc(pages[start:subtreeEnd(pages, start)], func(page *Page) bool { return page.ID == id })
}
