package content

import (
	"slices"
	"strings"
)

// Redirect leads from a path that is no longer that of a page to a page,
// wherever that stands.
type Redirect struct {
	// Path has no slash at its ends, such as "guides/setup".
	Path string `json:"path"`
	// Page is the id of the page.
	Page string `json:"page"`
}

// Redirected returns the page that a path leads to which is not that of a page
// itself, or nil.
func (t *Tree) Redirected(path string) *Page {
	position, found := findRedirect(t.Redirects, path)
	if !found {
		return nil
	}
	return t.Index().Page(t.Redirects[position].Page)
}

// FollowMoves makes the redirects of after, a tree that nobody else sees yet,
// those that its pages need: a page that stood at another path in before is
// reached by that one too. Redirects from what is the path of a page, and to
// pages that are gone, are left out.
func FollowMoves(before, after *Tree) {
	if samePaths(before.Pages, after.Pages) && equalLists(before.Redirects, after.Redirects, equalPointers[Redirect]) {
		return
	}
	then, now := newIndex(before.Pages), newIndex(after.Pages)
	redirects := slices.DeleteFunc(slices.Clone(after.Redirects), func(redirect *Redirect) bool {
		return now.Page(redirect.Page) == nil || now.ByPath(redirect.Path) != nil
	})
	var moved []*Redirect
	for _, page := range before.Pages {
		path := then.Path(page)
		if path == "" || now.Page(page.ID) == nil || now.ByPath(path) != nil {
			continue
		}
		moved = append(moved, &Redirect{Path: path, Page: page.ID})
	}
	after.Redirects = joinRedirects(redirects, moved)
}

// Redirect lets the paths lead to the pages with the given ids, whatever they
// led to before.
func (t *Tree) Redirect(pages map[string]string) {
	added := make([]*Redirect, 0, len(pages))
	for path, page := range pages {
		added = append(added, &Redirect{Path: path, Page: page})
	}
	t.Redirects = joinRedirects(t.Redirects, added)
}

// samePaths tells whether the pages are the same and in the same places.
func samePaths(before, after []*Page) bool {
	return slices.EqualFunc(before, after, func(a, b *Page) bool {
		return a == b || a.ID == b.ID && a.Parent == b.Parent && a.Slug == b.Slug
	})
}

// joinRedirects returns both lists, sorted by path. For a path that both have
// the second counts.
func joinRedirects(first, second []*Redirect) []*Redirect {
	joined := slices.Concat(second, first)
	slices.SortStableFunc(joined, func(a, b *Redirect) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(joined, func(a, b *Redirect) bool { return a.Path == b.Path })
}

func findRedirect(redirects []*Redirect, path string) (position int, found bool) {
	return slices.BinarySearchFunc(redirects, path, func(redirect *Redirect, path string) int {
		return strings.Compare(redirect.Path, path)
	})
}

func redirectPath(redirect *Redirect) string { return redirect.Path }

func storedRedirect(redirect *Redirect) *Redirect { return redirect }

// mergeRedirects takes what either side changed. Of two pages that a path was
// given to the one with the smaller id gets it: nobody is asked.
func (m *merger) mergeRedirects() []*Redirect {
	byPath := func(tree *Tree) map[string]string {
		pages := make(map[string]string, len(tree.Redirects))
		for _, redirect := range tree.Redirects {
			pages[redirect.Path] = redirect.Page
		}
		return pages
	}
	base, ours, theirs := byPath(m.base), byPath(m.ours), byPath(m.theirs)
	var merged []*Redirect
	for _, path := range unionOfKeys(base, ours, theirs) {
		page, agreed := agreedValue(base[path], ours[path], theirs[path], equalText[string])
		if !agreed {
			page = smallerID(ours[path], theirs[path])
		}
		if page != "" {
			merged = append(merged, &Redirect{Path: path, Page: page})
		}
	}
	return merged
}

func smallerID(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return min(a, b)
}
