// Package loader batches the look-ups of one request: what many items refer to
// is read in one statement, whichever API asks.
package loader

import (
	"context"
	"net/http"
	"time"

	"github.com/vikstrous/dataloadgen"

	"octavo/ent"
	"octavo/internal/changerequest"
	"octavo/internal/collection"
	"octavo/internal/comment"
	"octavo/internal/node"
	"octavo/internal/organization"
	"octavo/internal/pagination"
	"octavo/internal/permission"
	"octavo/internal/revision"
	"octavo/internal/space"
	"octavo/internal/team"
	"octavo/internal/user"
)

// wait is how long a look-up waits for others to join it.
const wait = 500 * time.Microsecond

// Sources are what the loaders read from.
type Sources struct {
	Users          *user.Service
	Organizations  *organization.Service
	Teams          *team.Service
	Spaces         *space.Service
	Collections    *collection.Service
	Revisions      *revision.Store
	ChangeRequests *changerequest.Service
	Comments       *comment.Service
	Nodes          *node.Service
	Permissions    *permission.Service
}

// Loaders belong to one request.
type Loaders struct {
	User         *dataloadgen.Loader[string, *ent.User]
	Organization *dataloadgen.Loader[string, *organization.Organization]
	Space        *dataloadgen.Loader[string, *space.Space]
	Revision     *dataloadgen.Loader[string, *revision.Revision]
	// Collection is nil for one that the caller may not read.
	Collection    *dataloadgen.Loader[string, *collection.Collection]
	ChangeRequest *dataloadgen.Loader[string, *changerequest.ChangeRequest]
	// Node is nil for what does not exist or may not be seen.
	Node *dataloadgen.Loader[string, node.Node]

	// Pages of lists.
	SpacesInCollection           *dataloadgen.Loader[space.List, pagination.Page[*space.Space]]
	Collections                  *dataloadgen.Loader[collection.List, pagination.Page[*collection.Collection]]
	ChangeRequestsOfSpace        *dataloadgen.Loader[changerequest.List, pagination.Page[*changerequest.ChangeRequest]]
	ChangeRequestsOfOrganization *dataloadgen.Loader[changerequest.List, pagination.Page[*changerequest.ChangeRequest]]
	Reviews                      *dataloadgen.Loader[changerequest.Reviews, pagination.Page[*changerequest.Review]]
	RequestedReviewers           *dataloadgen.Loader[changerequest.Participants, pagination.Page[*ent.RequestedReviewer]]
	Contributors                 *dataloadgen.Loader[changerequest.Participants, pagination.Page[*ent.Contributor]]
	Comments                     *dataloadgen.Loader[comment.Listing, pagination.Page[*comment.Comment]]
	Replies                      *dataloadgen.Loader[comment.ReplyListing, pagination.Page[*comment.Reply]]
	Commenters                   *dataloadgen.Loader[comment.Commenters, []*ent.Member]
	Granted                      *dataloadgen.Loader[permission.List, pagination.Page[*permission.Granted]]
	// ReviewComment is by the id of the review; nil for one without.
	ReviewComment *dataloadgen.Loader[string, *comment.Comment]
	Reactions     *dataloadgen.Loader[string, []*comment.Reaction]
	Repliers      *dataloadgen.Loader[string, []*comment.Replier]

	MemberSpaces *dataloadgen.Loader[organization.Membership, int]
	MemberTeams  *dataloadgen.Loader[organization.Membership, int]
	// Member is nil for somebody who does not belong to the organization.
	Member *dataloadgen.Loader[organization.Membership, *ent.Member]

	Team        *dataloadgen.Loader[string, *team.Team]
	TeamMembers *dataloadgen.Loader[team.Members, pagination.Page[*ent.TeamMember]]
	// TeamSize and TeamSpaces are by the id of the team.
	TeamSize   *dataloadgen.Loader[string, int]
	TeamSpaces *dataloadgen.Loader[string, int]
}

func newLoaders(sources Sources) *Loaders {
	return &Loaders{
		User:          mapped(sources.Users.Named),
		Organization:  mapped(sources.Organizations.ByID),
		Space:         mapped(sources.Spaces.ByID),
		Revision:      mapped(sources.Revisions.ByID),
		Collection:    mapped(orNil(sources.Collections.ByID)),
		ChangeRequest: mapped(sources.ChangeRequests.ByID),
		Node:          mapped(sources.Nodes.ByID),

		SpacesInCollection:           mapped(sources.Spaces.InCollections),
		Collections:                  mapped(sources.Collections.Lists),
		ChangeRequestsOfSpace:        mapped(sources.ChangeRequests.InSpaces),
		ChangeRequestsOfOrganization: mapped(sources.ChangeRequests.InOrganizations),
		Reviews:                      mapped(sources.ChangeRequests.ReviewsOf),
		RequestedReviewers:           mapped(sources.ChangeRequests.RequestedReviewersOf),
		Contributors:                 mapped(sources.ChangeRequests.ContributorsOf),
		Comments:                     mapped(sources.Comments.Lists),
		Replies:                      mapped(sources.Comments.ReplyLists),
		Commenters:                   mapped(sources.Comments.Commenters),
		Granted:                      mapped(sources.Permissions.Lists),
		ReviewComment:                mapped(sources.Comments.OfReviews),
		Reactions:                    mapped(sources.Comments.ReactionsTo),
		Repliers:                     mapped(sources.Comments.Repliers),

		MemberSpaces: mapped(sources.Organizations.SpacesOf),
		MemberTeams:  mapped(sources.Organizations.TeamsOf),
		Member:       mapped(sources.Organizations.MembersOf),

		Team:        mapped(sources.Teams.ByID),
		TeamMembers: mapped(sources.Teams.MembersOf),
		TeamSize:    mapped(sources.Teams.CountMembers),
		TeamSpaces:  mapped(sources.Teams.CountSpaces),
	}
}

func mapped[Key comparable, Value any](fetch func(ctx context.Context, keys []Key) (map[Key]Value, error)) *dataloadgen.Loader[Key, Value] {
	return dataloadgen.NewMappedLoader(fetch, dataloadgen.WithWait(wait))
}

// orNil completes what a source finds: nil for each key that it leaves out.
func orNil[Value any](fetch func(ctx context.Context, ids []string) (map[string]*Value, error)) func(context.Context, []string) (map[string]*Value, error) {
	return func(ctx context.Context, ids []string) (map[string]*Value, error) {
		found, err := fetch(ctx, ids)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if _, known := found[id]; !known {
				found[id] = nil
			}
		}
		return found, nil
	}
}

type loadersKey struct{}

// With returns a context with fresh loaders. A mutation begins with its own, so
// that what it returns is read after what it wrote.
func With(ctx context.Context, sources Sources) context.Context {
	return context.WithValue(ctx, loadersKey{}, newLoaders(sources))
}

// From returns the loaders of the request.
func From(ctx context.Context) *Loaders { return ctx.Value(loadersKey{}).(*Loaders) }

// Middleware gives each request loaders of its own.
func Middleware(sources Sources) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
			next.ServeHTTP(writer, request.WithContext(With(request.Context(), sources)))
		})
	}
}
