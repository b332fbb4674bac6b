package template

import (
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"octavo/internal/content"
	"octavo/internal/document"
	"octavo/internal/fault"
	"octavo/internal/identifier"
	"octavo/internal/repository"
	"octavo/internal/space"
)

// rewrite returns the function that adds the template to content.
func (s *source) rewrite(files map[string]string) space.Rewrite {
	return func(before *content.Tree) (*content.Tree, map[content.Hash][]byte, error) {
		if len(s.tree.Pages) == 0 && len(s.tree.Files) == 0 {
			return nil, nil, fault.New(fault.NoChange, "the template has no content")
		}
		if isEmpty(before) && len(files) == 0 {
			return s.tree, s.added, nil
		}
		return newGraft(s, before).run(files)
	}
}

func isEmpty(tree *content.Tree) bool {
	return len(tree.Pages) == 0 && len(tree.Files) == 0 && len(tree.ReusableContents) == 0 && tree.Repository == nil
}

// graft adds a template to content that is there. Everything that comes gets a
// new id and a new place in the repository, and links are led to those.
type graft struct {
	source *source
	after  *content.Tree
	ids    map[string]string // new ids by those of the template
	bodies map[content.Hash][]byte
}

func newGraft(source *source, before *content.Tree) *graft {
	return &graft{source: source, after: before.Clone(), ids: map[string]string{}, bodies: map[content.Hash][]byte{}}
}

func (g *graft) run(files map[string]string) (*content.Tree, map[content.Hash][]byte, error) {
	if err := g.replaceFiles(files); err != nil {
		return nil, nil, err
	}
	g.addFiles()
	g.addReusableContents()
	added := g.addPages()
	g.addVariables()
	if err := g.rewriteTexts(added); err != nil {
		return nil, nil, err
	}
	return g.after, g.bodies, nil
}

// replaceFiles leads what the template says of its files to files of the space.
func (g *graft) replaceFiles(files map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if g.after.File(files[name]) == nil {
			return fault.Invalid("files."+name, "the space has no file %.100q", files[name])
		}
		known := false
		for _, file := range g.source.tree.Files {
			if file.Name == name || strings.TrimSuffix(file.Name, path.Ext(file.Name)) == name {
				g.ids[file.ID], known = files[name], true
			}
		}
		if !known {
			return fault.Invalid("files."+name, "the template asks for no such file")
		}
	}
	return nil
}

func (g *graft) addFiles() {
	for _, file := range g.source.tree.Files {
		if g.ids[file.ID] != "" {
			continue
		}
		added := *file
		added.ID, added.GitPath, added.GitOID = identifier.New(identifier.File), "", ""
		g.ids[file.ID] = added.ID
		g.after.Files = append(g.after.Files, &added)
	}
	slices.SortFunc(g.after.Files, func(a, b *content.File) int { return strings.Compare(a.ID, b.ID) })
}

func (g *graft) addReusableContents() {
	for _, item := range g.source.tree.ReusableContents {
		added := *item
		added.ID, added.GitPath, added.GitOID = identifier.New(identifier.ReusableContent), "", ""
		g.ids[item.ID] = added.ID
		g.after.ReusableContents = append(g.after.ReusableContents, &added)
	}
	slices.SortFunc(g.after.ReusableContents, func(a, b *content.ReusableContent) int { return strings.Compare(a.ID, b.ID) })
}

// addPages appends the pages to the root and returns them by the pages that
// they come from.
func (g *graft) addPages() map[*content.Page]*content.Page {
	added := make(map[*content.Page]*content.Page, len(g.source.tree.Pages))
	for _, page := range g.source.tree.Pages {
		copied := *page
		copied.ID, copied.GitPath, copied.GitOID = identifier.New(identifier.Page), "", ""
		copied.Parent = g.ids[page.Parent]
		if copied.Parent == "" && copied.Slug != "" {
			copied.Slug = g.after.Clone().Index().UniqueSlug("", page.Slug, "")
		}
		g.ids[page.ID] = copied.ID
		added[page] = &copied
		g.after.Pages = append(g.after.Pages, &copied)
	}
	for _, page := range added {
		g.redirect(page)
	}
	return added
}

// redirect leads the references of a page to the new ids.
func (g *graft) redirect(page *content.Page) {
	page.Target = g.reference(page.Target)
	if page.Cover != nil {
		cover := *page.Cover
		cover.Ref, cover.RefDark = g.reference(cover.Ref), g.reference(cover.RefDark)
		page.Cover = &cover
	}
}

func (g *graft) reference(reference map[string]any) map[string]any {
	if len(reference) == 0 || reference["space"] != nil {
		return reference
	}
	led := maps.Clone(reference)
	for _, field := range []string{"page", "file", "reusableContent"} {
		if id, isText := reference[field].(string); isText && g.ids[id] != "" {
			led[field] = g.ids[id]
		}
	}
	return led
}

// addVariables keeps the values that are there.
func (g *graft) addVariables() {
	variables := maps.Clone(g.source.tree.Variables)
	if variables == nil {
		return
	}
	maps.Copy(variables, g.after.Variables)
	g.after.Variables = variables
}

// rewriteTexts leads the links of all texts that came to the new ids.
func (g *graft) rewriteTexts(pages map[*content.Page]*content.Page) error {
	from := repository.NewLinks(g.source.tree, repository.LinkOptions{})
	for page, added := range pages {
		if page.Body == "" {
			continue
		}
		text, err := g.source.bodies.Body(page.Body)
		if err != nil {
			return err
		}
		added.Body = g.keep(document.RewriteLinks(text, func(link document.Link) (string, bool) {
			return g.destination(from.Resolve(page, link.Destination))
		}))
	}
	for _, item := range g.source.tree.ReusableContents {
		if err := g.rewriteReusable(item, from); err != nil {
			return err
		}
	}
	return nil
}

func (g *graft) rewriteReusable(item *content.ReusableContent, from *repository.Links) error {
	text, err := g.source.bodies.Body(item.Body)
	if err != nil {
		return err
	}
	for _, added := range g.after.ReusableContents {
		if added.ID != g.ids[item.ID] {
			continue
		}
		added.Body = g.keep(document.RewriteLinks(text, func(link document.Link) (string, bool) {
			return g.destination(from.ResolveReusable(item, link.Destination))
		}))
	}
	return nil
}

// destination writes what a link leads to by its new id, as edits do; a link to
// anything that did not come along stays.
func (g *graft) destination(target repository.Target) (string, bool) {
	if target.Space != "" {
		return "", false
	}
	switch {
	case g.ids[target.Page] != "" && target.Anchor != "":
		return "/pages/" + g.ids[target.Page] + "#" + url.PathEscape(target.Anchor), true
	case g.ids[target.Page] != "":
		return "/pages/" + g.ids[target.Page], true
	case g.ids[target.File] != "":
		return "/files/" + g.ids[target.File], true
	case g.ids[target.ReusableContent] != "":
		return "/reusable-contents/" + g.ids[target.ReusableContent], true
	}
	return "", false
}

func (g *graft) keep(text []byte) content.Hash {
	hash := content.HashOf(text)
	g.bodies[hash] = text
	return hash
}
