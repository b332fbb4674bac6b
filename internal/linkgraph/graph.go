package linkgraph

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"sync"

	"octavo/internal/content"
	"octavo/internal/document"
	"octavo/internal/enum"
	"octavo/internal/repository"
)

// graph is what a tree alone says about its links. It is immutable.
type graph struct {
	// edges are in the order in which a reader meets their targets first.
	edges []*edge
	// The ids outside of the tree that it links to, sorted.
	spaces, users, collections []string
}

// edge is a target with every place that leads to it.
type edge struct {
	// id tells the edge from the others of its tree, and is the same in each
	// tree that links to the same target.
	id       string
	target   target
	relation enum.LinkRelation
	// status counts what lies outside of the tree as in-app.
	status enum.LinkStatus
	places []place
}

// target is what a link leads to.
type target struct {
	repository.Target
	// spec is the slug of an OpenAPI specification.
	spec string
	// written is the destination as the content states it.
	written string
}

// place is where a link stands: in a page or in a reusable content.
type place struct {
	page     *content.Page
	reusable *content.ReusableContent
	// anchor of the heading above; empty before the first one.
	anchor string
}

// text is what a body says by itself, whatever tree it is part of.
type text struct {
	links   []document.Link
	anchors func() map[string]bool
}

func readText(body []byte) *text {
	return &text{
		links:   document.Links(body),
		anchors: sync.OnceValue(func() map[string]bool { return anchorsOf(document.Parse(body, document.References{}).Nodes) }),
	}
}

// anchorsOf returns the anchors that nodes offer to links.
func anchorsOf(nodes []*document.Node) map[string]bool {
	anchors := map[string]bool{}
	var visit func(nodes []*document.Node)
	visit = func(nodes []*document.Node) {
		for _, node := range nodes {
			if anchor, _ := node.Meta["id"].(string); anchor != "" {
				anchors[anchor] = true
			}
			visit(node.Nodes)
			visit(node.Fragments)
		}
	}
	visit(nodes)
	return anchors
}

// builder makes the graph of a tree.
type builder struct {
	links *repository.Links
	graph *graph
	edges map[string]*edge
}

// newGraph finds the links of a tree; texts holds what its bodies say, by the id
// of the page or reusable content. Links below applicationURL lead into the
// application.
func newGraph(tree *content.Tree, texts map[string]*text, applicationURL string) *graph {
	anchors := func(page *content.Page) map[string]bool {
		if found := texts[page.ID]; found != nil {
			return found.anchors()
		}
		return nil
	}
	b := &builder{
		links: repository.NewLinks(tree, repository.LinkOptions{Anchors: anchors, ApplicationURL: applicationURL}),
		graph: &graph{}, edges: map[string]*edge{},
	}
	for _, page := range tree.Pages {
		b.page(page, texts[page.ID])
	}
	for _, item := range tree.ReusableContents {
		for _, link := range texts[item.ID].linksOf() {
			b.link(place{reusable: item, anchor: link.Node}, link, func(destination string) repository.Target {
				return b.links.ResolveReusable(item, destination)
			})
		}
	}
	for _, ids := range []*[]string{&b.graph.spaces, &b.graph.users, &b.graph.collections} {
		slices.Sort(*ids)
		*ids = slices.Compact(*ids)
	}
	return b.graph
}

func (t *text) linksOf() []document.Link {
	if t == nil {
		return nil
	}
	return t.links
}

// page adds the links of a page: those of its metadata, then those of its text.
func (b *builder) page(page *content.Page, found *text) {
	if page.Cover != nil {
		b.reference(page, page.Cover.Ref, enum.RelationReference)
		b.reference(page, page.Cover.RefDark, enum.RelationReference)
	}
	b.reference(page, page.Target, enum.RelationReference)
	if page.Computed != nil {
		for _, name := range slices.Sorted(maps.Keys(page.Computed.Dependencies)) {
			reference, _ := page.Computed.Dependencies[name]["ref"].(map[string]any)
			b.reference(page, reference, enum.RelationDependsOn)
		}
	}
	for _, link := range found.linksOf() {
		b.link(place{page: page, anchor: link.Node}, link, func(destination string) repository.Target {
			return b.links.Resolve(page, destination)
		})
	}
}

// link adds a link of a text. Content cannot be made without what it includes
// and without the specifications that it shows.
func (b *builder) link(at place, link document.Link, resolve func(destination string) repository.Target) {
	relation := enum.RelationReference
	if link.Kind == document.LinkInclude || link.Kind == document.LinkOpenAPI {
		relation = enum.RelationDependsOn
	}
	if link.Kind == document.LinkOpenAPI && !strings.ContainsAny(link.Destination, "./:") {
		b.add(at, specification(link.Destination), relation)
		return
	}
	// A mention writes the path of the application as an address of its own.
	destination := link.Destination
	if path, found := strings.CutPrefix(destination, "mention:/"); found {
		destination = path
	}
	b.add(at, target{Target: resolve(destination), written: link.Destination}, relation)
}

func specification(slug string) target {
	return target{Target: repository.Target{Kind: string(enum.ReferenceOpenAPI), Status: repository.StatusInApp}, spec: slug, written: slug}
}

// reference adds a content reference of a page's metadata.
func (b *builder) reference(page *content.Page, reference map[string]any, relation enum.LinkRelation) {
	if slug, _ := reference["spec"].(string); slug != "" {
		b.add(place{page: page}, specification(slug), relation)
		return
	}
	destination := destinationOf(reference)
	if destination == "" {
		return
	}
	b.add(place{page: page}, target{Target: b.links.Resolve(page, destination), written: destination}, relation)
}

// destinationOf writes a content reference as the address that stands for it.
func destinationOf(reference map[string]any) string {
	field := func(name string) string {
		value, _ := reference[name].(string)
		return value
	}
	within := ""
	if space := field("space"); space != "" {
		within = "/spaces/" + space
	}
	switch enum.ReferenceKind(field("kind")) {
	case enum.ReferenceURL:
		return field("url")
	case enum.ReferencePage:
		return within + "/pages/" + field("page")
	case enum.ReferenceAnchor:
		return within + "/pages/" + field("page") + "#" + field("anchor")
	case enum.ReferenceFile:
		return "/files/" + field("file")
	case enum.ReferenceSpace:
		return within
	case enum.ReferenceUser:
		return "/users/" + field("user")
	case enum.ReferenceCollection:
		return "/collections/" + field("collection")
	case enum.ReferenceReusableContent:
		return within + "/reusable-contents/" + field("reusableContent")
	default:
		return ""
	}
}

func (b *builder) add(at place, to target, relation enum.LinkRelation) {
	b.note(to)
	id := edgeID(to, relation)
	known := b.edges[id]
	if known == nil {
		known = &edge{id: id, target: to, relation: relation, status: enum.LinkStatus(to.Status)}
		b.edges[id] = known
		b.graph.edges = append(b.graph.edges, known)
	}
	if !slices.Contains(known.places, at) {
		known.places = append(known.places, at)
	}
}

// note gathers the ids that the tree cannot judge.
func (b *builder) note(to target) {
	if to.Space != "" {
		b.graph.spaces = append(b.graph.spaces, to.Space)
	}
	if to.User != "" {
		b.graph.users = append(b.graph.users, to.User)
	}
	if to.Collection != "" {
		b.graph.collections = append(b.graph.collections, to.Collection)
	}
}

func edgeID(to target, relation enum.LinkRelation) string {
	parts := []string{
		string(relation), to.Kind, to.Space, to.Page, to.Anchor, to.File, to.User, to.Collection, to.ReusableContent, to.URL, to.spec,
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:12])
}
