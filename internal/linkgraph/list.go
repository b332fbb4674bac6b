package linkgraph

import (
	"context"
	"slices"

	"octavo/internal/access"
	"octavo/internal/collection"
	"octavo/internal/content"
	"octavo/internal/enum"
	"octavo/internal/pagination"
	"octavo/internal/revision"
)

// Link is a target and the places that lead to it.
type Link struct {
	Status   enum.LinkStatus
	Relation enum.LinkRelation
	// BrokenByChange tells that the target is missing from the change request
	// and was not from the content that it started from.
	BrokenByChange bool

	edge    *edge
	places  []place
	content contentOf
	outside *outside
}

// contentOf is the content that links stand in.
type contentOf struct {
	revision *revision.Revision
	tree     *content.Tree
}

// Stats counts the links of a list, whatever its filter.
type Stats struct {
	Total  int
	Broken BrokenStats
}

// BrokenStats counts the links whose target is missing.
type BrokenStats struct {
	Total int
	// ChangeRequest counts those that the change request broke; nil outside of
	// one.
	ChangeRequest *int
}

// Filter leaves links out of a list.
type Filter struct {
	Status enum.LinkStatus
	// BrokenContext keeps, of the broken links, those that the change request
	// broke or those that were broken before.
	BrokenContext enum.BrokenContext
}

// List is a page of links.
type List struct {
	pagination.Page[*Link]
	Stats Stats
}

// Location is something in content, or that content links to. Which fields are
// set depends on the kind.
type Location struct {
	Kind            enum.ReferenceKind
	OrganizationID  string
	SpaceID         string
	Revision        *revision.Revision
	Page            *revision.Page
	File            *revision.File
	ReusableContent *revision.ReusableContent
	Anchor          *string
	URL             *string
	UserID          string
	Collection      *collection.Collection

	id string
}

// OfRevision lists the links of a revision that the caller may read. base is
// what broken links are compared with; it is nil outside of change requests.
func (s *Service) OfRevision(ctx context.Context, of, base *revision.Revision, filter Filter, arguments pagination.Arguments) (List, error) {
	return s.list(ctx, of, base, "", filter, arguments)
}

// OfPage lists the links of one page.
func (s *Service) OfPage(ctx context.Context, page *revision.Page, base *revision.Revision, filter Filter, arguments pagination.Arguments) (List, error) {
	return s.list(ctx, page.Revision, base, page.ID, filter, arguments)
}

func (s *Service) list(ctx context.Context, of, base *revision.Revision, pageID string, filter Filter, arguments pagination.Arguments) (List, error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return List{}, err
	}
	tree, err := s.revisions.Tree(ctx, of.Revision)
	if err != nil {
		return List{}, err
	}
	graphs := make([]*graph, 0, 2)
	for _, one := range []*revision.Revision{of, base} {
		if one == nil {
			continue
		}
		graph, err := s.graph(ctx, one)
		if err != nil {
			return List{}, err
		}
		graphs = append(graphs, graph)
	}
	outside, err := s.outside(ctx, graphs...)
	if err != nil {
		return List{}, err
	}
	links := linksOf(graphs[0], pageID, contentOf{of, tree}, outside)
	stats := Stats{Total: len(links)}
	if base != nil {
		stats.Broken.ChangeRequest = new(markBroken(links, linksOf(graphs[1], pageID, contentOf{}, outside)))
	}
	for _, link := range links {
		if link.Status == enum.LinkBroken {
			stats.Broken.Total++
		}
	}
	links = slices.DeleteFunc(links, func(link *Link) bool { return !filter.admits(link) })
	page, err := pagination.Slice(arguments, "links", links, func(link *Link) string { return link.edge.id })
	return List{Page: page, Stats: stats}, err
}

// linksOf selects the links of a page, or all without one.
func linksOf(graph *graph, pageID string, of contentOf, outside *outside) []*Link {
	links := make([]*Link, 0, len(graph.edges))
	for _, edge := range graph.edges {
		places := edge.places
		if pageID != "" {
			places = edge.placesIn(pageID)
		}
		if len(places) == 0 {
			continue
		}
		links = append(links, &Link{
			Status: outside.status(edge), Relation: edge.relation, edge: edge, places: places, content: of, outside: outside,
		})
	}
	return links
}

func (e *edge) placesIn(pageID string) []place {
	var places []place
	for _, at := range e.places {
		if at.page != nil && at.page.ID == pageID {
			places = append(places, at)
		}
	}
	return places
}

// markBroken marks the links that are broken and were not before, and counts
// them.
func markBroken(links, before []*Link) int {
	wasBroken := make(map[string]bool, len(before))
	for _, link := range before {
		wasBroken[link.edge.id] = link.Status == enum.LinkBroken
	}
	count := 0
	for _, link := range links {
		if link.Status == enum.LinkBroken && !wasBroken[link.edge.id] {
			link.BrokenByChange = true
			count++
		}
	}
	return count
}

func (f Filter) admits(link *Link) bool {
	if f.Status != "" && link.Status != f.Status {
		return false
	}
	switch f.BrokenContext {
	case enum.BrokenByChangeRequest:
		return link.BrokenByChange
	case enum.BrokenInSpace:
		return link.Status == enum.LinkBroken && !link.BrokenByChange
	default:
		return true
	}
}

// PageBacklinks lists the places that link to a page, but for those in the page
// itself.
func (s *Service) PageBacklinks(ctx context.Context, page *revision.Page, arguments pagination.Arguments) (pagination.Page[*Location], error) {
	return s.backlinks(ctx, contentOf{page.Revision, page.Tree}, arguments, func(to target) bool {
		return to.Space == "" && to.Page == page.ID
	}, page.ID)
}

// FileBacklinks lists the places that show or link to a file.
func (s *Service) FileBacklinks(ctx context.Context, file *revision.File, arguments pagination.Arguments) (pagination.Page[*Location], error) {
	return s.backlinks(ctx, contentOf{file.Revision, file.Tree}, arguments, func(to target) bool { return to.File == file.ID }, "")
}

func (s *Service) backlinks(ctx context.Context, of contentOf, arguments pagination.Arguments, leads func(target) bool, except string) (pagination.Page[*Location], error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return pagination.Page[*Location]{}, err
	}
	graph, err := s.graph(ctx, of.revision)
	if err != nil {
		return pagination.Page[*Location]{}, err
	}
	var locations []*Location
	seen := map[place]bool{}
	for _, edge := range graph.edges {
		if !leads(edge.target) {
			continue
		}
		for _, at := range edge.places {
			if seen[at] || at.page != nil && at.page.ID == except {
				continue
			}
			seen[at] = true
			locations = append(locations, of.location(at))
		}
	}
	return pagination.Slice(arguments, "backlinks", locations, func(location *Location) string { return location.id })
}

// location of a place in the content.
func (c contentOf) location(at place) *Location {
	location := c.own()
	if at.anchor != "" {
		location.Anchor = new(at.anchor)
	}
	if at.reusable != nil {
		location.Kind = enum.ReferenceReusableContent
		location.ReusableContent = &revision.ReusableContent{ReusableContent: at.reusable, Revision: c.revision, Tree: c.tree}
		location.id = at.reusable.ID + "#" + at.anchor
		return location
	}
	location.Kind = enum.ReferencePage
	location.Page = &revision.Page{Page: at.page, Revision: c.revision, Tree: c.tree}
	location.id = at.page.ID + "#" + at.anchor
	return location
}

func (c contentOf) own() *Location {
	return &Location{OrganizationID: c.revision.OrganizationID, SpaceID: c.revision.SpaceID, Revision: c.revision}
}

// Locations are the places that lead to the target.
func (l *Link) Locations() []*Location {
	locations := make([]*Location, len(l.places))
	for index, at := range l.places {
		locations[index] = l.content.location(at)
	}
	return locations
}

// Target is the content reference of the target. A path at which there is
// nothing is an address.
func (l *Link) Target() *revision.Reference {
	to := l.edge.target
	if to.spec != "" {
		return &revision.Reference{Kind: enum.ReferenceOpenAPI, Spec: &to.spec}
	}
	if reference := revision.TargetReference(to.Target); reference != nil {
		return revision.ReferenceOf(reference)
	}
	return &revision.Reference{Kind: enum.ReferenceURL, URL: &to.written}
}

// TargetLocation is the target itself. What is missing is shown as the address
// that asks for it.
func (l *Link) TargetLocation() *Location {
	to := l.edge.target
	if l.Status == enum.LinkBroken {
		return &Location{Kind: enum.ReferenceURL, URL: &to.written}
	}
	switch {
	case to.spec != "":
		return nil
	case to.Space != "":
		space := l.outside.spaces[to.Space]
		return &Location{Kind: enum.ReferenceSpace, OrganizationID: space.OrganizationID, SpaceID: space.ID}
	case to.User != "":
		return &Location{Kind: enum.ReferenceUser, UserID: to.User}
	case to.Collection != "":
		found := l.outside.collections[to.Collection]
		return &Location{Kind: enum.ReferenceCollection, OrganizationID: found.OrganizationID, Collection: found}
	default:
		return l.ownTarget()
	}
}

// ownTarget is a target within the content.
func (l *Link) ownTarget() *Location {
	to, in := l.edge.target, l.content
	location := in.own()
	switch {
	case to.Page != "":
		location.Kind = enum.ReferencePage
		location.Page = &revision.Page{Page: in.tree.Index().Page(to.Page), Revision: in.revision, Tree: in.tree}
		if to.Anchor != "" {
			location.Anchor = &to.Anchor
		}
	case to.File != "":
		location.Kind = enum.ReferenceFile
		location.File = &revision.File{File: in.tree.File(to.File), Revision: in.revision, Tree: in.tree}
	case to.ReusableContent != "":
		location.Kind = enum.ReferenceReusableContent
		location.ReusableContent = in.reusableContent(to.ReusableContent)
	default:
		return &Location{Kind: enum.ReferenceURL, URL: &to.written}
	}
	return location
}

func (c contentOf) reusableContent(id string) *revision.ReusableContent {
	for _, item := range c.tree.ReusableContents {
		if item.ID == id {
			return &revision.ReusableContent{ReusableContent: item, Revision: c.revision, Tree: c.tree}
		}
	}
	return nil
}
