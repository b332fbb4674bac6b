package repository

import (
	"path"
	"strings"

	"octavo/internal/content"
)

// Status tells whether the target of a link is there.
type Status string

// The statuses. InApp is something that the application holds outside the
// tree: whether it is there, the tree cannot tell.
const (
	StatusOK     Status = "ok"
	StatusBroken Status = "broken"
	StatusInApp  Status = "in-app"
)

// Target is what a link leads to. Kind is that of a content reference: page,
// anchor, file, url, space, user, collection, reusable-content.
type Target struct {
	Kind            string
	Page            string // id, for page and anchor
	File            string // id
	Anchor          string // without "#"
	URL             string // for url; for a broken link the path that it asks for
	Space           string // id; for page and anchor that of another space
	User            string // id
	Collection      string // id
	ReusableContent string // id
	Status          Status
}

// LinkOptions say what a tree does not know.
type LinkOptions struct {
	// Anchors returns the anchors of a page of the tree. Without it every
	// anchor counts as present.
	Anchors func(page *content.Page) map[string]bool
	// Space is the id of the space that the tree belongs to: links to its pages
	// by the path of the space are links within the tree.
	Space string
	// ApplicationURL is the address of the application. Links below it are
	// treated like the paths of the application.
	ApplicationURL string
}

// Links resolves the links of one tree. It is safe for concurrent use if
// LinkOptions.Anchors is.
type Links struct {
	layout   *layout
	options  LinkOptions
	pages    map[string]*content.Page // by path
	files    map[string]*content.File
	reusable map[string]*content.ReusableContent
	pageIDs  map[string]*content.Page
	fileIDs  map[string]*content.File
	// routes are the paths under which readers see the pages.
	routes map[string]*content.Page
}

// NewLinks indexes the tree. The cost is that of visiting every page and file
// once.
func NewLinks(tree *content.Tree, options LinkOptions) *Links {
	options.ApplicationURL = strings.TrimSuffix(options.ApplicationURL, "/")
	r := &Links{
		layout: newPlacement(tree), options: options,
		pages: map[string]*content.Page{}, files: map[string]*content.File{},
		reusable: map[string]*content.ReusableContent{},
		pageIDs:  map[string]*content.Page{}, fileIDs: map[string]*content.File{},
		routes: map[string]*content.Page{},
	}
	for _, page := range tree.Pages {
		r.pageIDs[page.ID] = page
		if name := r.layout.current[page.ID]; name != "" {
			r.pages[name] = page
		}
	}
	for _, file := range tree.Files {
		r.fileIDs[file.ID] = file
		r.files[r.layout.files[file.ID]] = file
	}
	for _, reusable := range tree.ReusableContents {
		r.reusable[r.layout.reusable[reusable.ID]] = reusable
	}
	r.addRoutes()
	return r
}

// addRoutes notes the path of slugs of each page.
func (r *Links) addRoutes() {
	routes := make(map[string]string, len(r.layout.tree.Pages))
	for _, page := range r.layout.tree.Pages {
		route := path.Join(routes[page.Parent], page.Slug)
		routes[page.ID] = route
		if _, taken := r.routes[route]; !taken {
			r.routes[route] = page
		}
	}
}

// Path returns the path, below the content root, that relative links in the
// page start from; "" for pages that are no documents.
func (r *Links) Path(page *content.Page) string {
	return r.layout.current[page.ID]
}

// Resolve tells what a link of a page leads to. destination is that of a
// Markdown link, without escapes and entities. from may be nil for text that
// stands in no page; relative links then start at the content root.
func (r *Links) Resolve(from *content.Page, destination string) Target {
	base := ""
	if from != nil {
		base = r.layout.current[from.ID]
	}
	return r.resolve(from, base, strings.TrimSpace(destination))
}

// ResolveReusable is Resolve for a link that stands in a reusable content.
func (r *Links) ResolveReusable(from *content.ReusableContent, destination string) Target {
	return r.resolve(nil, r.layout.reusable[from.ID], strings.TrimSpace(destination))
}

func (r *Links) resolve(from *content.Page, base, destination string) Target {
	if inside, ok := r.insideApplication(destination); ok {
		if target, known := r.applicationTarget(inside); known {
			return target
		}
		return Target{Kind: "url", URL: destination, Status: StatusInApp}
	}
	if hasScheme(destination) {
		return Target{Kind: "url", URL: destination, Status: StatusOK}
	}
	if target, known := r.applicationTarget(destination); known {
		return target
	}
	name, suffix := splitDestination(destination)
	anchor := fragmentOf(suffix)
	if name == "" {
		return r.ownAnchor(from, destination, anchor)
	}
	return r.byPath(directoryOf(base), name, anchor)
}

// insideApplication returns the path of a URL of the application.
func (r *Links) insideApplication(destination string) (string, bool) {
	if r.options.ApplicationURL == "" {
		return "", false
	}
	inside, found := strings.CutPrefix(destination, r.options.ApplicationURL)
	if !found || inside != "" && !strings.ContainsAny(inside[:1], "/?#") {
		return "", false
	}
	return inside, true
}

// applicationTarget resolves paths such as /pages/<id>.
func (r *Links) applicationTarget(destination string) (Target, bool) {
	kind, _, id, rest, ok := application(destination)
	if !ok {
		return Target{}, false
	}
	_, suffix := splitDestination(rest)
	anchor := fragmentOf(suffix)
	switch kind {
	case "page":
		return r.pageTarget(r.pageIDs[id], id, anchor), true
	case "file":
		status := StatusOK
		if r.fileIDs[id] == nil {
			status = StatusBroken
		}
		return Target{Kind: kind, File: id, Status: status}, true
	case "space":
		return r.spaceTarget(id, rest, anchor), true
	case "user":
		return Target{Kind: kind, User: id, Status: StatusInApp}, true
	case "collection":
		return Target{Kind: kind, Collection: id, Status: StatusInApp}, true
	default:
		return r.reusableTarget(id), true
	}
}

func (r *Links) reusableTarget(id string) Target {
	for _, reusable := range r.layout.tree.ReusableContents {
		if reusable.ID == id {
			return Target{Kind: "reusable-content", ReusableContent: id, Status: StatusOK}
		}
	}
	return Target{Kind: "reusable-content", ReusableContent: id, Status: StatusBroken}
}

// spaceTarget resolves what follows the id of a space: perhaps one of its
// pages.
func (r *Links) spaceTarget(space, rest, anchor string) Target {
	kind, _, page, _, ok := application(rest)
	switch {
	case !ok || kind != "page":
		return Target{Kind: "space", Space: space, Status: StatusInApp}
	case space == r.options.Space:
		return r.pageTarget(r.pageIDs[page], page, anchor)
	case anchor != "":
		return Target{Kind: "anchor", Space: space, Page: page, Anchor: anchor, Status: StatusInApp}
	default:
		return Target{Kind: "page", Space: space, Page: page, Status: StatusInApp}
	}
}

// pageTarget is a page, or an anchor of it; page is nil if there is none with
// the id.
func (r *Links) pageTarget(page *content.Page, id, anchor string) Target {
	target := Target{Kind: "page", Page: id, Status: StatusOK}
	if anchor != "" {
		target.Kind, target.Anchor = "anchor", anchor
	}
	if page == nil || anchor != "" && r.options.Anchors != nil && !r.options.Anchors(page)[anchor] {
		target.Status = StatusBroken
	}
	return target
}

// ownAnchor resolves a link to a place in the same page.
func (r *Links) ownAnchor(from *content.Page, destination, anchor string) Target {
	if destination == "" {
		return Target{Kind: "url", Status: StatusBroken}
	}
	if from == nil {
		return Target{Kind: "url", URL: destination, Status: StatusOK}
	}
	return r.pageTarget(from, from.ID, anchor)
}

// byPath resolves a path of the repository.
func (r *Links) byPath(directory, name, anchor string) Target {
	var asked string
	for _, spelling := range []string{unescapePercent(name), name} {
		joined, ok := joinRelative(directory, spelling)
		if !ok {
			continue
		}
		if target, found := r.lookUp(joined, anchor); found {
			return target
		}
		if asked == "" {
			asked = joined
		}
	}
	if strings.HasPrefix(name, "/") {
		if page := r.routed(asked); page != nil {
			return r.pageTarget(page, page.ID, anchor)
		}
	}
	if asked == "" {
		asked = name
	}
	kind := "file"
	if isMarkdown(asked) || path.Ext(asked) == "" {
		kind = "page"
	}
	return Target{Kind: kind, URL: asked, Anchor: anchor, Status: StatusBroken}
}

// lookUp finds what a path below the content root means: a page, a file, the
// page of a directory, or a page whose extension is left out.
func (r *Links) lookUp(name, anchor string) (Target, bool) {
	if page := r.pages[name]; page != nil {
		return r.pageTarget(page, page.ID, anchor), true
	}
	if file := r.files[name]; file != nil {
		return Target{Kind: "file", File: file.ID, Status: StatusOK}, true
	}
	if reusable := r.reusable[name]; reusable != nil {
		return Target{Kind: "reusable-content", ReusableContent: reusable.ID, Status: StatusOK}, true
	}
	for _, candidate := range []string{path.Join(name, readmeName), path.Join(name, "readme.md"), name + ".md"} {
		if page := r.pages[candidate]; page != nil {
			return r.pageTarget(page, page.ID, anchor), true
		}
	}
	return Target{}, false
}

// routed finds the page that readers see under a path, or that the path is
// redirected to.
func (r *Links) routed(route string) *content.Page {
	if page := r.routes[route]; page != nil {
		return page
	}
	if page := r.layout.tree.Redirected(route); page != nil {
		return page
	}
	if origin := r.layout.tree.Repository; origin != nil {
		return r.pages[origin.Redirects[route]]
	}
	return nil
}

// Destination writes a target as the destination of a Markdown link in a page,
// before the escaping that the syntax around it asks for: a relative path for
// what has one in the repository, the application's path or the URL for the
// rest. from may be nil, as in Resolve.
func (r *Links) Destination(from *content.Page, target Target) string {
	directory := ""
	if from != nil {
		directory = directoryOf(r.layout.current[from.ID])
	}
	switch target.Kind {
	case "url":
		return target.URL
	case "page", "anchor":
		return r.pageDestination(from, directory, target)
	case "file":
		if name := r.layout.files[target.File]; name != "" {
			return linkTo(directory, name)
		}
		return orPath(target.URL, "/files/", target.File)
	case "reusable-content":
		if name := r.layout.reusable[target.ReusableContent]; name != "" {
			return linkTo(directory, name)
		}
		return "/reusable-contents/" + target.ReusableContent
	case "space":
		return "/spaces/" + target.Space
	case "user":
		return "/users/" + target.User
	case "collection":
		return "/collections/" + target.Collection
	default:
		return target.URL
	}
}

func (r *Links) pageDestination(from *content.Page, directory string, target Target) string {
	fragment := ""
	if target.Anchor != "" {
		fragment = "#" + escapePercent(target.Anchor)
	}
	name := r.layout.current[target.Page]
	switch {
	case target.Space != "":
		return "/spaces/" + target.Space + "/pages/" + target.Page + fragment
	case from != nil && from.ID == target.Page && fragment != "":
		return fragment
	case name != "":
		return linkTo(directory, name) + fragment
	default:
		return orPath(target.URL, "/pages/", target.Page) + fragment
	}
}

// orPath returns the path that a broken link asked for, or the path of the
// application for an id.
func orPath(asked, prefix, id string) string {
	if id == "" {
		return "/" + asked
	}
	return prefix + id
}
