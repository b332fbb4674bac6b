// Package permission keeps what spaces and collections grant to users and to
// teams, and tells who may do what there and why.
//
// The nearest grant decides: what a space grants itself comes before what the
// collections around it grant, and a nearer collection before a farther one. Of
// several grants of the same resource to the same person, their own and their
// teams', the highest counts. A grant of no role is a grant as well: it closes a
// space to somebody to whom the collection around it is open.
package permission

import (
	"context"

	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/collection"
	"octavo/internal/database"
	"octavo/internal/fault"
	"octavo/internal/identifier"
	"octavo/internal/space"
)

// Service keeps permissions.
type Service struct {
	database    *database.Database
	spaces      *space.Service
	collections *collection.Service
}

// NewService returns the service of a database.
func NewService(opened *database.Database, spaces *space.Service, collections *collection.Service) *Service {
	return &Service{database: opened, spaces: spaces, collections: collections}
}

// Resource is a space or collection that the caller may read, as far as
// permissions are concerned. It is comparable.
type Resource struct {
	ID, OrganizationID string
	// Role of the caller in it.
	Role access.Role
	// around is the collection that a space is in, or a collection itself: the
	// nearest of those whose grants and levels reach the resource. It may be
	// empty.
	around string
	// level is the default level of a space.
	level access.Role
}

// OnSpace is a space as a resource.
func OnSpace(found *space.Space) Resource {
	resource := Resource{ID: found.ID, OrganizationID: found.OrganizationID, Role: found.Role, level: found.DefaultLevel}
	if found.CollectionID != nil {
		resource.around = *found.CollectionID
	}
	return resource
}

// OnCollection is a collection as a resource.
func OnCollection(found *collection.Collection) Resource {
	return Resource{ID: found.ID, OrganizationID: found.OrganizationID, Role: found.Role, around: found.ID}
}

// Principal is a user or a team.
type Principal struct{ UserID, TeamID string }

// id of the principal; empty when it names nobody that could be one.
func (p Principal) id() string {
	if kind, _ := identifier.Split(p.UserID); kind == identifier.User {
		return p.UserID
	}
	if kind, _ := identifier.Split(p.TeamID); kind == identifier.Team {
		return p.TeamID
	}
	return ""
}

// Granted is what a resource grants to a user or team.
type Granted struct{ *ent.Permission }

// Require returns an active space or a collection in which the caller has at least
// the given role and whose token has the scope: NOT_FOUND when they may not
// even read it, FORBIDDEN when they may.
func (s *Service) Require(ctx context.Context, id string, scope access.Scope, minimum access.Role) (Resource, error) {
	if _, err := access.Allow(ctx, scope); err != nil {
		return Resource{}, err
	}
	switch kind, _ := identifier.Split(id); kind {
	case identifier.Space:
		found, err := s.spaces.Require(ctx, id, scope, minimum)
		if err != nil {
			return Resource{}, err
		}
		return OnSpace(found), nil
	case identifier.Collection:
		found, err := s.collections.Require(ctx, id, scope, minimum)
		if err != nil {
			return Resource{}, err
		}
		return OnCollection(found), nil
	default:
		return Resource{}, fault.Missing("space or collection")
	}
}

// mayList checks that the caller may see who has access: its administrators,
// and whoever sees the people of the organization. Guests do not.
func (r Resource) mayList(ctx context.Context) error {
	role, err := access.Member(ctx, r.OrganizationID, access.ScopeRead)
	if err != nil {
		return err
	}
	if role < access.Read && r.Role < access.Admin {
		return fault.Denied("guests do not see who has access")
	}
	return nil
}
