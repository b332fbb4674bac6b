// Package loader batches the look-ups of one request: what many items refer to
// is read in one statement, whichever API asks.
package loader

import (
	"context"
	"net/http"
	"sync/atomic"

	"octavo/ent"
	"octavo/internal/changerequest"
	"octavo/internal/collection"
	"octavo/internal/comment"
	"octavo/internal/node"
	"octavo/internal/organization"
	"octavo/internal/pagination"
	"octavo/internal/permission"
	"octavo/internal/revision"
	"octavo/internal/site"
	"octavo/internal/space"
	"octavo/internal/team"
	"octavo/internal/user"
)

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
	Sites          *site.Service
	Nodes          *node.Service
	Permissions    *permission.Service
}

// Loaders belong to one request.
type Loaders struct {
	User         *Loader[string, *ent.User]
	Organization *Loader[string, *organization.Organization]
	Space        *Loader[string, *space.Space]
	Revision     *Loader[string, *revision.Revision]
	// Collection is nil for one that the caller may not read.
	Collection    *Loader[string, *collection.Collection]
	ChangeRequest *Loader[string, *changerequest.ChangeRequest]
	// Node is nil for what does not exist or may not be seen.
	Node *Loader[string, node.Node]

	// Pages of lists.
	SpacesInCollection           *Loader[space.List, pagination.Page[*space.Space]]
	Children                     *Loader[collection.Children, pagination.Page[collection.Item]]
	Ancestors                    *Loader[string, []*collection.Collection]
	Collections                  *Loader[collection.List, pagination.Page[*collection.Collection]]
	ChangeRequestsOfSpace        *Loader[changerequest.List, pagination.Page[*changerequest.ChangeRequest]]
	ChangeRequestsOfOrganization *Loader[changerequest.List, pagination.Page[*changerequest.ChangeRequest]]
	Reviews                      *Loader[changerequest.Reviews, pagination.Page[*changerequest.Review]]
	RequestedReviewers           *Loader[changerequest.Participants, pagination.Page[*ent.RequestedReviewer]]
	Contributors                 *Loader[changerequest.Participants, pagination.Page[*ent.Contributor]]
	Comments                     *Loader[comment.Listing, pagination.Page[*comment.Comment]]
	Replies                      *Loader[comment.ReplyListing, pagination.Page[*comment.Reply]]
	Commenters                   *Loader[comment.Commenters, []*ent.Member]
	SiteStructure                *Loader[string, *site.Structure]
	// Publication is by the id of a space; nil for one that no published site
	// shows.
	Publication *Loader[string, *site.Publication]
	Granted     *Loader[permission.List, pagination.Page[*permission.Granted]]
	// ReviewComment is by the id of the review; nil for one without.
	ReviewComment *Loader[string, *comment.Comment]
	Reactions     *Loader[string, []*comment.Reaction]
	Repliers      *Loader[string, []*comment.Replier]

	MemberSpaces *Loader[organization.Membership, int]
	MemberTeams  *Loader[organization.Membership, int]
	// Member is nil for somebody who does not belong to the organization.
	Member *Loader[organization.Membership, *ent.Member]

	Team *Loader[string, *team.Team]
	// GrantedTeam is for what only those see who may see who has access.
	GrantedTeam *Loader[string, *team.Team]
	TeamMembers *Loader[team.Members, pagination.Page[*ent.TeamMember]]
	// TeamSize and TeamSpaces are by the id of the team.
	TeamSize   *Loader[string, int]
	TeamSpaces *Loader[string, int]

	met met
	// waits counts the look-ups that waited for others to join them.
	waits atomic.Int64
}

func newLoaders(sources Sources) *Loaders {
	return &Loaders{
		User:          mapped(sources.Users.Named),
		Organization:  mapped(sources.Organizations.ByID),
		Space:         mapped(sources.Spaces.ByID).learning(each((*Loaders).MetSpaces)),
		Revision:      mapped(sources.Revisions.ByID).learning(each((*Loaders).MetRevisions)),
		Collection:    mapped(orNil(sources.Collections.ByID)),
		ChangeRequest: mapped(sources.ChangeRequests.ByID).learning(each((*Loaders).MetChangeRequests)),
		Node:          mapped(sources.Nodes.ByID),

		SpacesInCollection: mapped(sources.Spaces.InCollections).
			learning(pages[space.List]((*Loaders).MetSpaces)).of((*met).spacesBeside),
		Children: mapped(sources.Collections.Structure).
			learning(pages[collection.Children]((*Loaders).metItems)).of((*met).childrenBeside),
		Ancestors: mapped(sources.Collections.Ancestors),
		Collections: mapped(sources.Collections.Lists).
			learning(pages[collection.List]((*Loaders).MetCollections)).of((*met).collectionsBeside),
		ChangeRequestsOfSpace: mapped(sources.ChangeRequests.InSpaces).
			learning(pages[changerequest.List]((*Loaders).MetChangeRequests)).of((*met).listsOfSpaces),
		ChangeRequestsOfOrganization: mapped(sources.ChangeRequests.InOrganizations).
			learning(pages[changerequest.List]((*Loaders).MetChangeRequests)),
		Reviews: mapped(sources.ChangeRequests.ReviewsOf).
			learning(pages[changerequest.Reviews]((*Loaders).MetReviews)).of(ofChangeRequests),
		RequestedReviewers: mapped(sources.ChangeRequests.RequestedReviewersOf).
			learning(pages[changerequest.Participants]((*Loaders).MetRequestedReviewers)).of(ofChangeRequests),
		Contributors: mapped(sources.ChangeRequests.ContributorsOf).
			learning(pages[changerequest.Participants]((*Loaders).MetContributors)).of(ofChangeRequests),
		Comments: mapped(sources.Comments.Lists).
			learning(pages[comment.Listing]((*Loaders).MetComments)).of((*met).listingsOnParents),
		Replies: mapped(sources.Comments.ReplyLists).
			learning(pages[comment.ReplyListing]((*Loaders).MetReplies)).of((*met).repliesBeside),
		Commenters:    mapped(sources.Comments.Commenters),
		SiteStructure: mapped(sources.Sites.Structures),
		Publication:   mapped(sources.Sites.Publications),
		Granted:       mapped(sources.Permissions.Lists),
		ReviewComment: mapped(sources.Comments.OfReviews).learning((*Loaders).metReviewComments),
		Reactions:     mapped(sources.Comments.ReactionsTo).learning((*Loaders).metReactions),
		Repliers:      mapped(sources.Comments.Repliers).learning((*Loaders).metRepliers),

		MemberSpaces: mapped(sources.Organizations.SpacesOf),
		MemberTeams:  mapped(sources.Organizations.TeamsOf),
		Member:       mapped(sources.Organizations.MembersOf),

		Team:        mapped(sources.Teams.ByID),
		GrantedTeam: mapped(sources.Teams.Named),
		TeamMembers: mapped(sources.Teams.MembersOf),
		TeamSize:    mapped(sources.Teams.CountMembers),
		TeamSpaces:  mapped(sources.Teams.CountSpaces),
	}
}

func mapped[Key comparable, Value any](fetch func(ctx context.Context, keys []Key) (map[Key]Value, error)) *Loader[Key, Value] {
	return &Loader[Key, Value]{fetch: fetch}
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

// Waited counts the look-ups of the request that had to wait for others to join
// them, since nobody expected them; nil where there are no loaders.
func Waited(ctx context.Context) *atomic.Int64 {
	loaders, some := ctx.Value(loadersKey{}).(*Loaders)
	if !some {
		return nil
	}
	return &loaders.waits
}

// Middleware gives each request loaders of its own.
func Middleware(sources Sources) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
			next.ServeHTTP(writer, request.WithContext(With(request.Context(), sources)))
		})
	}
}
