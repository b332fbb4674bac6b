package content

// settleNames gives pages slugs that differ from their siblings', and paths in
// the repository that differ from each other, where only the merge made them
// alike.
func (p *pageMerge) settleNames(pages []*Page) ([]*Page, error) {
	children := map[string][]*Page{}
	for _, page := range pages {
		children[page.Parent] = append(children[page.Parent], page)
	}
	if err := p.settleSlugs("", children[""]); err != nil {
		return nil, err
	}
	for _, page := range pages {
		if err := p.settleSlugs(page.ID, children[page.ID]); err != nil {
			return nil, err
		}
	}
	for position, page := range pages {
		pages[position] = p.pages[page.ID]
	}
	return pages, settlePaths(p.merger, pages, pagePaths)
}

func (p *pageMerge) settleSlugs(parent string, siblings []*Page) error {
	if len(siblings) < 2 {
		return nil
	}
	taken := make(map[string]bool, len(siblings))
	for _, page := range siblings {
		taken[page.Slug] = true
	}
	if len(taken) == len(siblings) {
		return nil
	}
	owners := map[string]*Page{}
	for _, page := range siblings {
		if page.Slug == "" {
			continue
		}
		owner := owners[page.Slug]
		if owner == nil {
			owners[page.Slug] = page
			continue
		}
		if sharedBefore(p.ours, parent, owner, page) || sharedBefore(p.theirs, parent, owner, page) {
			continue
		}
		keeper, err := p.settleSlug(owner, page, taken)
		if err != nil {
			return err
		}
		owners[page.Slug] = keeper
	}
	return nil
}

// sharedBefore tells whether the two pages had one slug in one place in the
// tree already, which only an import can bring about.
func sharedBefore(tree *Tree, parent string, a, b *Page) bool {
	first, second := tree.Index().Page(a.ID), tree.Index().Page(b.ID)
	return first != nil && second != nil && first.Parent == parent && second.Parent == parent && first.Slug == second.Slug
}

// settleSlug renames one of two pages and returns the one that keeps its slug.
func (p *pageMerge) settleSlug(a, b *Page, taken map[string]bool) (*Page, error) {
	ours, theirs := a, b
	if !p.hadSlug(a) && p.hadSlug(b) {
		ours, theirs = b, a
	}
	settled, err := p.settle(Conflict{
		Kind: ConflictSlug, Page: theirs.ID, Field: "slug",
		Ours: ours.ID, Theirs: theirs.ID, Choices: []Choice{ChooseOurs, ChooseTheirs, ChooseCustom},
	})
	if err != nil {
		return nil, err
	}
	keeper, renamed := ours, theirs
	slug := firstFreeSlug(theirs.Slug, taken)
	switch settled.choice {
	case ChooseTheirs:
		keeper, renamed = theirs, ours
	case ChooseCustom:
		text, _ := settled.resolution.Value.(string)
		if problem := checkSlug(text); problem != "" {
			return nil, settled.invalid("value", "%s", problem)
		}
		if taken[text] {
			return nil, settled.invalid("value", "another page in this place has the slug %q", text)
		}
		slug = text
	}
	taken[slug] = true
	changed := *renamed
	changed.Slug = slug
	p.pages[renamed.ID] = &changed
	return keeper, nil
}

// hadSlug tells whether ours has the page with its slug in its place.
func (p *pageMerge) hadSlug(page *Page) bool {
	ours := p.versions[page.ID].ours
	return ours != nil && ours.Parent == page.Parent && ours.Slug == page.Slug
}

// pathAccess says how the entries of one kind keep their path.
type pathAccess[Entry any] struct {
	id       func(*Entry) string
	path     func(*Entry) string
	without  func(*Entry) *Entry
	list     func(*Tree) []*Entry
	conflict func(id string) Conflict
}

var pagePaths = pathAccess[Page]{
	id:   pageID,
	path: func(page *Page) string { return page.GitPath },
	without: func(page *Page) *Page {
		changed := *page
		changed.GitPath, changed.GitOID = "", ""
		return &changed
	},
	list:     func(tree *Tree) []*Page { return tree.Pages },
	conflict: func(id string) Conflict { return Conflict{Page: id} },
}

var filePaths = pathAccess[File]{
	id:   fileID,
	path: func(file *File) string { return file.GitPath },
	without: func(file *File) *File {
		changed := *file
		changed.GitPath, changed.GitOID = "", ""
		return &changed
	},
	list:     func(tree *Tree) []*File { return tree.Files },
	conflict: func(id string) Conflict { return Conflict{File: id} },
}

var reusableContentPaths = pathAccess[ReusableContent]{
	id:   reusableContentID,
	path: func(item *ReusableContent) string { return item.GitPath },
	without: func(item *ReusableContent) *ReusableContent {
		changed := *item
		changed.GitPath, changed.GitOID = "", ""
		return &changed
	},
	list:     func(tree *Tree) []*ReusableContent { return tree.ReusableContents },
	conflict: func(id string) Conflict { return Conflict{ReusableContent: id} },
}

// settlePaths takes the path from one of two entries that would be written to
// the same file of a repository: an export gives it another.
func settlePaths[Entry any](m *merger, entries []*Entry, access pathAccess[Entry]) error {
	owners := make(map[string]int, len(entries))
	for position, entry := range entries {
		path := access.path(entry)
		if path == "" {
			continue
		}
		owner, taken := owners[path]
		if !taken {
			owners[path] = position
			continue
		}
		keeper, err := settlePath(m, entries, owner, position, access)
		if err != nil {
			return err
		}
		owners[path] = keeper
	}
	return nil
}

// settlePath returns the position of the entry that keeps the path.
func settlePath[Entry any](m *merger, entries []*Entry, a, b int, access pathAccess[Entry]) (int, error) {
	inOurs := pathsByID(access, m.ours)
	inTheirs := pathsByID(access, m.theirs)
	path := access.path(entries[a])
	first, second := access.id(entries[a]), access.id(entries[b])
	if inOurs[first] == path && inOurs[second] == path || inTheirs[first] == path && inTheirs[second] == path {
		return a, nil
	}
	ours, theirs := a, b
	if inOurs[first] != path && inOurs[second] == path {
		ours, theirs = b, a
	}
	conflict := access.conflict(access.id(entries[theirs]))
	conflict.Kind, conflict.Field, conflict.Choices = ConflictPath, "gitPath", sideChoices
	conflict.Ours, conflict.Theirs = access.id(entries[ours]), access.id(entries[theirs])
	settled, err := m.settle(conflict)
	if err != nil {
		return 0, err
	}
	keeper := pick(settled.choice, ours, ours, theirs, ours)
	loser := a + b - keeper
	entries[loser] = access.without(entries[loser])
	return keeper, nil
}

func pathsByID[Entry any](access pathAccess[Entry], tree *Tree) map[string]string {
	paths := map[string]string{}
	for _, entry := range access.list(tree) {
		paths[access.id(entry)] = access.path(entry)
	}
	return paths
}
