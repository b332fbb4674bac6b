package rest

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"octavo/graph/model"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/linkgraph"
	"octavo/internal/organization"
	"octavo/internal/revision"
	"octavo/internal/space"
	"octavo/rest/wire"
)

func (a *API) listSpaceLinks(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.space(request)
	if err != nil {
		return err
	}
	asked, err := linksAsked(request)
	if err != nil {
		return err
	}
	page, err := a.resolvers.Space().Links(request.Context(), found, asked.filter, asked.first, asked.after, nil, nil)
	return a.answerLinks(writer, request, page, err)
}

func (a *API) listChangeRequestLinks(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.changeRequest(request)
	if err != nil {
		return err
	}
	asked, err := linksAsked(request)
	if err != nil {
		return err
	}
	page, err := a.resolvers.ChangeRequest().Links(request.Context(), found, asked.filter, asked.first, asked.after, nil, nil)
	return a.answerLinks(writer, request, page, err)
}

func (a *API) listPageLinks(find revisionFinder) handler {
	return func(writer http.ResponseWriter, request *http.Request) error {
		page, err := a.foundPage(request, find)
		if err != nil {
			return err
		}
		asked, err := linksAsked(request)
		if err != nil {
			return err
		}
		links, err := a.resolvers.Page().Links(request.Context(), page, asked.filter, asked.first, asked.after, nil, nil)
		return a.answerLinks(writer, request, links, err)
	}
}

func (a *API) foundPage(request *http.Request, find revisionFinder) (*revision.Page, error) {
	found, err := find(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Revision().Page(request.Context(), found, parameter(request, "pageId"))
}

func (a *API) listPageBacklinks(find revisionFinder) handler {
	return func(writer http.ResponseWriter, request *http.Request) error {
		found := func(request *http.Request) (*revision.Page, error) { return a.foundPage(request, find) }
		return answerPage(writer, request, found, a.resolvers.Page().Backlinks, a.newLocations().render)
	}
}

func (a *API) listFileBacklinks(find revisionFinder) handler {
	return func(writer http.ResponseWriter, request *http.Request) error {
		found := func(request *http.Request) (*revision.File, error) { return a.foundFile(request, find) }
		return answerPage(writer, request, found, a.resolvers.File().Backlinks, a.newLocations().render)
	}
}

func (a *API) foundFile(request *http.Request, find revisionFinder) (*revision.File, error) {
	found, err := find(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Revision().File(request.Context(), found, parameter(request, "fileId"))
}

// linkArguments are those of a list of links.
type linkArguments struct {
	filter *model.LinkFilter
	first  *int
	after  *string
}

func linksAsked(request *http.Request) (linkArguments, error) {
	first, after, err := window(request)
	if err != nil {
		return linkArguments{}, err
	}
	status, err := oneOf[enum.LinkStatus](request, "status")
	if err != nil {
		return linkArguments{}, err
	}
	broken, err := oneOf[enum.BrokenContext](request, "brokenContext")
	filter := &model.LinkFilter{Status: present(status), BrokenContext: present(broken)}
	return linkArguments{filter: filter, first: first, after: after}, err
}

// oneOf reads a query parameter whose values are those of an enumeration.
func oneOf[T interface {
	~string
	Values() []string
}](request *http.Request, name string) (*T, error) {
	asked := optional(request, name)
	if asked == nil {
		return nil, nil
	}
	value := T(*asked)
	if !slices.Contains(value.Values(), *asked) {
		return nil, fault.Invalid(name, "%q is not one of %v", *asked, value.Values())
	}
	return &value, nil
}

func (a *API) answerLinks(writer http.ResponseWriter, request *http.Request, page *model.LinkConnection, err error) error {
	if err != nil {
		return err
	}
	rendered, err := list(request.Context(), page, a.newLocations().renderLink)
	if err != nil {
		return err
	}
	WriteJSON(writer, http.StatusOK, wire.LinkUsageList{
		Items: rendered.Items, Count: rendered.Count, Next: rendered.Next,
		Stats: wire.LinkStats{Total: page.Stats.Total, Broken: wire.BrokenLinkStats{
			Total: page.Stats.Broken.Total, ChangeRequest: page.Stats.Broken.ChangeRequest,
		}},
	})
	return nil
}

// locations renders the places of one answer: what many of them lie in is
// rendered once.
type locations struct {
	api           *API
	organizations memo[*wire.Organization]
	spaces        memo[*wire.Space]
	versions      memo[*wire.VersionContext]
}

func (a *API) newLocations() *locations { return &locations{api: a} }

// memo keeps what was made under a key for as long as an answer is made.
type memo[T any] struct{ made sync.Map }

func (m *memo[T]) get(key string, render func() (T, error)) (T, error) {
	once, _ := m.made.LoadOrStore(key, sync.OnceValues(render))
	return once.(func() (T, error))()
}

func (l *locations) renderLink(ctx context.Context, link *linkgraph.Link) (wire.LinkUsage, error) {
	rendered := wire.LinkUsage{
		Relation: wire.LinkUsageRelation(link.Relation), Status: wire.LinkStatus(link.Status),
		LocationReferences: []wire.ContentLocation{},
	}
	if target := link.TargetLocation(); target != nil {
		location, err := l.render(ctx, target)
		if err != nil {
			return wire.LinkUsage{}, err
		}
		rendered.TargetReference = &location
	}
	for _, place := range link.Locations() {
		location, err := l.render(ctx, place)
		if err != nil {
			return wire.LinkUsage{}, err
		}
		rendered.LocationReferences = append(rendered.LocationReferences, location)
	}
	return rendered, nil
}

func (l *locations) render(ctx context.Context, location *linkgraph.Location) (wire.ContentLocation, error) {
	rendered := wire.ContentLocation{Kind: wire.ContentLocationKind(location.Kind), URL: location.URL}
	for _, complete := range []func(context.Context, *linkgraph.Location, *wire.ContentLocation) error{l.surroundings, l.object} {
		if err := complete(ctx, location, &rendered); err != nil {
			return wire.ContentLocation{}, err
		}
	}
	if location.Anchor != nil {
		rendered.InternalLocation = &wire.InternalLocation{Type: "anchor", Anchor: location.Anchor}
	}
	return rendered, nil
}

// surroundings renders what a location lies in.
func (l *locations) surroundings(ctx context.Context, location *linkgraph.Location, rendered *wire.ContentLocation) error {
	resolver := l.api.resolvers.ContentLocation()
	found, err := resolver.Organization(ctx, location)
	if err != nil {
		return err
	}
	if rendered.Organization, err = l.organization(ctx, found); err != nil {
		return err
	}
	around, err := resolver.Space(ctx, location)
	if err != nil {
		return err
	}
	if rendered.Space, err = l.space(ctx, around); err != nil {
		return err
	}
	rendered.VersionContext, err = l.version(ctx, location)
	return err
}

func (l *locations) organization(ctx context.Context, found *organization.Organization) (*wire.Organization, error) {
	if found == nil {
		return nil, nil
	}
	return l.organizations.get(found.ID, func() (*wire.Organization, error) {
		rendered, err := l.api.renderOrganization(ctx, found)
		return &rendered, err
	})
}

func (l *locations) space(ctx context.Context, found *space.Space) (*wire.Space, error) {
	if found == nil {
		return nil, nil
	}
	return l.spaces.get(found.ID, func() (*wire.Space, error) {
		rendered, err := l.api.renderSpace(ctx, found)
		return &rendered, err
	})
}

// version renders the content that a location lies in: a change request, or a
// revision without what it holds, which would be repeated at each location.
func (l *locations) version(ctx context.Context, location *linkgraph.Location) (*wire.VersionContext, error) {
	if location.Revision == nil {
		return nil, nil
	}
	return l.versions.get(location.Revision.ID+location.Revision.ReadIn, func() (*wire.VersionContext, error) {
		branch, err := l.api.resolvers.ContentLocation().ChangeRequest(ctx, location)
		if err != nil {
			return nil, err
		}
		if branch != nil {
			rendered, err := l.api.renderChangeRequest(ctx, branch)
			return &wire.VersionContext{Type: "changeRequest", ChangeRequest: &rendered}, err
		}
		rendered, err := l.api.renderRevision(ctx, location.Revision, shown{metadata: true})
		return &wire.VersionContext{Type: "revision", Revision: &rendered}, err
	})
}

// object renders the page, file or other thing itself.
func (l *locations) object(ctx context.Context, location *linkgraph.Location, rendered *wire.ContentLocation) error {
	switch {
	case location.Page != nil:
		page, err := l.api.renderOnePage(ctx, location.Page, shown{metadata: true})
		rendered.Page = &page
		return err
	case location.File != nil:
		file, err := l.api.renderFile(ctx, location.File, shown{metadata: true})
		rendered.File = &file
		return err
	case location.ReusableContent != nil:
		rendered.ReusableContent = new(renderReusableContent(location.ReusableContent, shown{metadata: true}))
		return nil
	case location.Collection != nil:
		collection, err := l.api.renderCollection(ctx, location.Collection)
		rendered.Collection = &collection
		return err
	default:
		return l.person(ctx, location, rendered)
	}
}

func (l *locations) person(ctx context.Context, location *linkgraph.Location, rendered *wire.ContentLocation) error {
	person, err := l.api.resolvers.ContentLocation().User(ctx, location)
	if person == nil || err != nil {
		return err
	}
	user, err := l.api.renderUser(ctx, person)
	rendered.User = &user
	return err
}
