// Package node finds any resource by its id: the prefix of an id tells its kind.
package node

import (
	"context"
	"slices"

	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/changerequest"
	"octavo/internal/collection"
	"octavo/internal/comment"
	"octavo/internal/fault"
	"octavo/internal/identifier"
	"octavo/internal/organization"
	"octavo/internal/revision"
	"octavo/internal/site"
	"octavo/internal/space"
	"octavo/internal/team"
	"octavo/internal/user"
)

// maximumIDs is how many resources may be asked for at once.
const maximumIDs = 100

// Node is a resource: a pointer to the type that the package of its kind
// returns.
type Node any

// Sources are the services that know the resources.
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
	AuditLog       *audit.Service
}

// Service finds resources.
type Service struct {
	sources Sources
	finders map[identifier.Prefix]finder
}

// finder returns the resources of one kind that the caller may see, in a number
// of statements that does not depend on how many there are.
type finder func(ctx context.Context, ids []string) (map[string]Node, error)

// NewService returns a service that asks the sources.
func NewService(sources Sources) *Service {
	service := &Service{sources: sources}
	service.finders = map[identifier.Prefix]finder{
		identifier.AccessToken:       finderOf(sources.Users.TokensByID),
		identifier.AuditEntry:        finderOf(sources.AuditLog.ByID),
		identifier.ChangeRequest:     finderOf(sources.ChangeRequests.ByID),
		identifier.Collection:        finderOf(sources.Collections.ByID),
		identifier.Comment:           finderOf(sources.Comments.ByID),
		identifier.CommentReply:      finderOf(sources.Comments.RepliesByID),
		identifier.Member:            finderOf(sources.Organizations.MembersByID),
		identifier.Organization:      finderOf(sources.Organizations.ByID),
		identifier.RequestedReviewer: finderOf(sources.ChangeRequests.RequestedReviewersByID),
		identifier.Review:            finderOf(sources.ChangeRequests.ReviewsByID),
		identifier.Revision:          finderOf(service.revisions),
		identifier.Site:              finderOf(sources.Sites.ByID),
		identifier.SiteSection:       finderOf(sources.Sites.SectionsByID),
		identifier.SiteSectionGroup:  finderOf(sources.Sites.GroupsByID),
		identifier.SiteSpace:         finderOf(sources.Sites.SiteSpacesByID),
		identifier.Space:             finderOf(sources.Spaces.ByID),
		identifier.Team:              finderOf(sources.Teams.ByID),
		identifier.TeamMember:        finderOf(sources.Teams.MembersByID),
		identifier.User:              finderOf(sources.Users.Visible),
	}
	return service
}

func finderOf[Item any](find func(context.Context, []string) (map[string]*Item, error)) finder {
	return func(ctx context.Context, ids []string) (map[string]Node, error) {
		items, err := find(ctx, ids)
		if err != nil {
			return nil, err
		}
		found := make(map[string]Node, len(items))
		for id, item := range items {
			found[id] = item
		}
		return found, nil
	}
}

// ByID returns resources by their ids, for loaders; nil for each that does not
// exist or may not be seen.
func (s *Service) ByID(ctx context.Context, ids []string) (map[string]Node, error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return nil, err
	}
	found := make(map[string]Node, len(ids))
	kinds := map[identifier.Prefix][]string{}
	for _, id := range ids {
		found[id] = nil
		if kind, ok := identifier.Split(id); ok {
			kinds[kind] = append(kinds[kind], id)
		}
	}
	for kind, ofKind := range kinds {
		if s.finders[kind] == nil {
			continue
		}
		items, err := s.finders[kind](ctx, ofKind)
		if err != nil {
			return nil, err
		}
		for id, item := range items {
			found[id] = item
		}
	}
	return found, nil
}

// List returns resources in the order of their ids; nil for each that does not
// exist or may not be seen. BAD_USER_INPUT for more than 100.
func (s *Service) List(ctx context.Context, ids []string) ([]Node, error) {
	if len(ids) > maximumIDs {
		return nil, fault.Invalid("ids", "at most %d ids, got %d", maximumIDs, len(ids))
	}
	distinct := slices.Clone(ids)
	slices.Sort(distinct)
	found, err := s.ByID(ctx, slices.Compact(distinct))
	if err != nil {
		return nil, err
	}
	nodes := make([]Node, len(ids))
	for index, id := range ids {
		nodes[index] = found[id]
	}
	return nodes, nil
}

// revisions are seen by those who may read their space.
func (s *Service) revisions(ctx context.Context, ids []string) (map[string]*revision.Revision, error) {
	found, err := s.sources.Revisions.ByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	spaceIDs := make([]string, 0, len(found))
	for _, each := range found {
		spaceIDs = append(spaceIDs, each.SpaceID)
	}
	readable, err := s.sources.Spaces.ByID(ctx, spaceIDs)
	if err != nil {
		return nil, err
	}
	for id, each := range found {
		if readable[each.SpaceID] == nil {
			delete(found, id)
		}
	}
	return found, nil
}
