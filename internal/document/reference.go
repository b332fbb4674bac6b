package document

import "strings"

// References turns Markdown destinations into content references and back.
// Either function may be nil, and either may answer with nothing; then the
// destination itself is kept, as {kind: url, url: destination}, but for the
// forms /pages/<id>, /files/<id>, /users/<id>, /spaces/<id>, /collections/<id>
// and mention://<kind>s/<id>.
type References struct {
	// FromDestination returns the content reference of a link destination;
	// image says that it is that of an image.
	FromDestination func(destination string, image bool) map[string]any
	// ToDestination returns the Markdown destination of a content reference.
	ToDestination func(reference map[string]any) string
}

// referenceRoots gives the kind of reference of each kind of internal address.
var referenceRoots = map[string]string{
	"pages": "page", "files": "file", "users": "user", "spaces": "space", "collections": "collection",
}

func (r References) from(destination string, image bool) map[string]any {
	if r.FromDestination != nil {
		if reference := r.FromDestination(destination, image); reference != nil {
			return reference
		}
	}
	if reference := internalReference(destination); reference != nil {
		return reference
	}
	return map[string]any{"kind": "url", "url": destination}
}

// internalReference understands the addresses by id; nil for any other.
func internalReference(destination string) map[string]any {
	rest, mention := strings.CutPrefix(destination, "mention://")
	if !mention {
		var rooted bool
		if rest, rooted = strings.CutPrefix(destination, "/"); !rooted {
			return nil
		}
	}
	root, id, found := strings.Cut(rest, "/")
	kind := referenceRoots[root]
	if kind == "" && root == "reusable-contents" {
		return plainReference("reusable-content", "reusableContent", id)
	}
	if !found || kind == "" {
		return nil
	}
	id, anchor, anchored := strings.Cut(id, "#")
	if !isIdentifier(id) {
		return nil
	}
	if anchored && (kind != "page" || anchor == "") {
		return nil
	}
	if anchored {
		return map[string]any{"kind": "anchor", "anchor": anchor, "page": id}
	}
	// Users are mentioned and everything else is linked, so that each
	// reference has one address.
	if mention != (kind == "user") {
		return nil
	}
	return map[string]any{"kind": kind, kind: id}
}

func plainReference(kind, key, id string) map[string]any {
	if !isIdentifier(id) {
		return nil
	}
	return map[string]any{"kind": kind, key: id}
}

func isIdentifier(id string) bool {
	if id == "" {
		return false
	}
	for _, character := range id {
		if !isWord(character) && character != '-' && character != '.' {
			return false
		}
	}
	return true
}

func (r References) to(reference map[string]any) string {
	if r.ToDestination != nil {
		if destination := r.ToDestination(reference); destination != "" {
			return destination
		}
	}
	value := func(key string) string {
		text, _ := reference[key].(string)
		return text
	}
	switch kind := value("kind"); kind {
	case "url":
		return value("url")
	case "user":
		return "mention://users/" + value("user")
	case "page", "file", "space", "collection":
		return "/" + kind + "s/" + value(kind)
	case "reusable-content":
		return "/reusable-contents/" + value("reusableContent")
	case "anchor":
		if value("page") == "" {
			return "#" + value("anchor")
		}
		return "/pages/" + value("page") + "#" + value("anchor")
	case "openapi":
		return value("spec")
	}
	return ""
}
