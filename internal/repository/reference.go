package repository

import (
	"strings"

	"octavo/internal/content"
	"octavo/internal/identifier"
)

// applicationPaths are the paths under which the application shows what it
// stores. They stand in Markdown as absolute paths, such as /spaces/<id>.
var applicationPaths = []struct {
	prefix string
	kind   string
	field  string
	id     identifier.Prefix
}{
	{"/pages/", "page", "page", identifier.Page},
	{"/files/", "file", "file", identifier.File},
	{"/spaces/", "space", "space", identifier.Space},
	{"/users/", "user", "user", identifier.User},
	{"/collections/", "collection", "collection", identifier.Collection},
	{"/reusable-contents/", "reusable-content", "reusableContent", identifier.ReusableContent},
}

// application reads the path of something that the application shows.
// field is the name of the id in a content reference.
func application(destination string) (kind, field, id, rest string, ok bool) {
	for _, known := range applicationPaths {
		after, found := strings.CutPrefix(destination, known.prefix)
		if !found {
			continue
		}
		id, rest := after, ""
		if end := strings.IndexAny(after, "/?#"); end >= 0 {
			id, rest = after[:end], after[end:]
		}
		if prefix, valid := identifier.Split(id); valid && prefix == known.id {
			return known.kind, known.field, id, rest, true
		}
	}
	return "", "", "", "", false
}

// applicationKind returns the kind of content reference that the path stands
// for.
func applicationKind(destination string) (kind string, ok bool) {
	if _, _, _, _, ok := application(destination); !ok {
		return "", false
	}
	return field(applicationReference(destination), "kind"), true
}

// applicationPath returns the path that stands for a content reference which
// has no file in the repository.
func applicationPath(target map[string]any) string {
	kind := field(target, "kind")
	start, end := "", ""
	if space := field(target, "space"); space != "" && kind != "space" {
		start = "/spaces/" + space
	}
	if kind == "anchor" {
		kind, end = "page", "#"+escapePercent(field(target, "anchor"))
	}
	for _, known := range applicationPaths {
		if known.kind == kind {
			return start + known.prefix + field(target, known.field) + end
		}
	}
	return ""
}

// applicationReference is the inverse of applicationPath.
func applicationReference(destination string) map[string]any {
	kind, name, id, rest, ok := application(destination)
	if !ok {
		return map[string]any{"kind": "url", "url": destination}
	}
	if kind == "space" {
		if inner, _, _, _, ok := application(rest); ok && inner != "space" {
			found := applicationReference(rest)
			found["space"] = id
			return found
		}
	}
	_, suffix := splitDestination(rest)
	if anchor := fragmentOf(suffix); kind == "page" && anchor != "" {
		return map[string]any{"kind": "anchor", "page": id, "anchor": anchor}
	}
	return map[string]any{"kind": kind, name: id}
}

// field returns a text field of a content reference.
func field(reference map[string]any, name string) string {
	value, _ := reference[name].(string) // another type counts as absent
	return value
}

// pathLookup gives the paths of pages and files by id; "" for unknown ids.
type pathLookup struct {
	page, file func(id string) string
}

// referenceOf expresses the target of a link page in terms of paths.
func (l pathLookup) referenceOf(target map[string]any) reference {
	kind := field(target, "kind")
	if field(target, "space") != "" && kind != "space" {
		return reference{kind: kind, url: applicationPath(target)}
	}
	switch kind {
	case "url":
		return reference{kind: kind, url: field(target, "url")}
	case "page":
		return orApplication(reference{kind: kind, path: l.page(field(target, "page"))}, target)
	case "anchor":
		return orApplication(reference{kind: kind, path: l.page(field(target, "page")), anchor: field(target, "anchor")}, target)
	case "file":
		return orApplication(reference{kind: kind, path: l.file(field(target, "file"))}, target)
	default:
		return reference{kind: kind, url: applicationPath(target)}
	}
}

// orApplication falls back to the path of the application for what does not
// exist in the tree.
func orApplication(found reference, target map[string]any) reference {
	if found.path != "" {
		return found
	}
	return reference{kind: found.kind, url: applicationPath(target)}
}

// targetOf is the inverse of referenceOf: pages and files are ids by path.
func targetOf(link reference, pages, files map[string]string) map[string]any {
	if link.kind != "url" && link.url != "" {
		return applicationReference(link.url)
	}
	switch link.kind {
	case "page":
		return map[string]any{"kind": "page", "page": pages[link.path]}
	case "anchor":
		return map[string]any{"kind": "anchor", "page": pages[link.path], "anchor": link.anchor}
	case "file":
		return map[string]any{"kind": "file", "file": files[link.path]}
	default:
		return map[string]any{"kind": "url", "url": link.url}
	}
}

// destination writes the link as it stands in a Markdown file in the given
// directory, before escaping.
func (r reference) destination(directory string) string {
	switch {
	case r.url != "":
		return r.url
	case r.anchor != "":
		return linkTo(directory, r.path) + "#" + escapePercent(r.anchor)
	default:
		return linkTo(directory, r.path)
	}
}

// linkTo returns the relative link from a directory to a file. It encodes only
// what would change its meaning; spaces and parentheses are left to the syntax
// around it.
func linkTo(directory, target string) string {
	link := pathEscaper.Replace(relativePath(directory, target))
	if hasScheme(link) {
		return "./" + link
	}
	return link
}

var pathEscaper = strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23")

// shapesOfPages returns the shapes of the pages of a tree.
func shapesOfPages(pages []*content.Page, lookup pathLookup) []shape {
	shapes := make([]shape, len(pages))
	index := make(map[string]int, len(pages))
	for position, page := range pages {
		index[page.ID] = position
	}
	for position, page := range pages {
		next := shape{kind: page.Type, title: page.Title, parent: -1}
		if parent, found := index[page.Parent]; found && page.Parent != "" {
			next.parent = parent
		}
		switch page.Type {
		case content.PageDocument:
			next.path = lookup.page(page.ID)
		case content.PageLink:
			next.target = lookup.referenceOf(page.Target).key()
		case content.PageComputed:
			next.target = computedKey(page.Computed)
		}
		shapes[position] = next
	}
	return shapes
}
