package content

import (
	"runtime"
	"strconv"
	"sync"
	"weak"
)

// Index answers questions about the shape of a tree without searching it. It
// is made once per tree and may be used by many goroutines.
type Index struct {
	pages     []*Page
	positions map[string]int
	children  map[string][]*Page
	paths     map[string]string
	byPath    map[string]*Page
}

// indexes holds the index of every tree that is still in use. The keys are
// weak: an index goes when its tree does.
var indexes sync.Map // weak.Pointer[Tree] → func() *Index

// Index returns the index of the tree, making it at the first call. The tree
// must not be changed afterwards: a Clone has an index of its own.
func (t *Tree) Index() *Index {
	key := weak.Make(t)
	if build, found := indexes.Load(key); found {
		return build.(func() *Index)()
	}
	// The pages are captured instead of the tree: an index that held its own
	// tree would keep it alive for ever.
	pages := t.Pages
	build, loaded := indexes.LoadOrStore(key, sync.OnceValue(func() *Index { return newIndex(pages) }))
	if !loaded {
		runtime.AddCleanup(t, func(key weak.Pointer[Tree]) { indexes.Delete(key) }, key)
	}
	return build.(func() *Index)()
}

func newIndex(pages []*Page) *Index {
	index := &Index{
		pages:     pages,
		positions: make(map[string]int, len(pages)),
		children:  map[string][]*Page{},
		paths:     make(map[string]string, len(pages)),
		byPath:    make(map[string]*Page, len(pages)),
	}
	for position, page := range pages {
		index.add(position, page)
	}
	return index
}

func (i *Index) add(position int, page *Page) {
	i.positions[page.ID] = position
	i.children[page.Parent] = append(i.children[page.Parent], page)
	if page.Slug == "" {
		return
	}
	path := page.Slug
	if above := i.paths[page.Parent]; above != "" {
		path = above + "/" + page.Slug
	}
	i.paths[page.ID] = path
	if _, taken := i.byPath[path]; !taken {
		i.byPath[path] = page
	}
}

// Page returns the page with the given id, or nil.
func (i *Index) Page(id string) *Page {
	position, found := i.positions[id]
	if !found {
		return nil
	}
	return i.pages[position]
}

// Position returns where the page stands in Tree.Pages, or -1.
func (i *Index) Position(id string) int {
	position, found := i.positions[id]
	if !found {
		return -1
	}
	return position
}

// Children returns the pages directly below the page with the given id, in
// order; those of the root for the empty id. The slice must not be changed.
func (i *Index) Children(parent string) []*Page {
	return i.children[parent]
}

// Path returns the slugs of the page's ancestors and its own, joined by
// slashes, such as "guides/install". Groups count. It is empty for a page
// without a slug, such as a link.
func (i *Index) Path(page *Page) string {
	return i.paths[page.ID]
}

// ByPath returns the page with the given path, or nil. Of several pages with
// one path, which only an import can make, it is the first.
func (i *Index) ByPath(path string) *Page {
	return i.byPath[path]
}

// Ancestors returns the pages above the page with the given id, nearest first.
func (i *Index) Ancestors(id string) []*Page {
	var ancestors []*Page
	for page := i.Page(id); page != nil && page.Parent != ""; {
		page = i.Page(page.Parent)
		if page != nil {
			ancestors = append(ancestors, page)
		}
	}
	return ancestors
}

// UniqueSlug returns wanted, or wanted with the first of the endings -1, -2 …
// that no other page below parent has. except is the id of the page that the
// slug is for, if it has one already.
func (i *Index) UniqueSlug(parent, wanted, except string) string {
	taken := map[string]bool{}
	for _, sibling := range i.children[parent] {
		if sibling.ID != except {
			taken[sibling.Slug] = true
		}
	}
	return firstFreeSlug(wanted, taken)
}

// firstFreeSlug returns wanted, or wanted with the first of the endings -1,
// -2 … that is not taken. It stays within SlugLimit.
func firstFreeSlug(wanted string, taken map[string]bool) string {
	slug := wanted
	for number := 1; taken[slug]; number++ {
		ending := "-" + strconv.Itoa(number)
		slug = truncateText(wanted, SlugLimit-len(ending)) + ending
	}
	return slug
}
