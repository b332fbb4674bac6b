// Package collection keeps collections: they order spaces and other
// collections, and give those inside of them their permissions.
package collection

import (
	"context"
	"unicode/utf8"

	"octavo/ent"
	entcollection "octavo/ent/collection"
	"octavo/internal/access"
	"octavo/internal/database"
	"octavo/internal/fault"
	"octavo/internal/space"
	"octavo/internal/structure"
)

const (
	maximumTitle       = 50
	maximumDescription = 100
)

// Collection is a collection that the caller may read.
type Collection struct {
	*ent.Collection
	// Role of the caller in it.
	Role access.Role
}

// Service keeps collections.
type Service struct {
	database  *database.Database
	structure *structure.Structure
	spaces    *space.Service
}

// NewService returns the service of a database and of the spaces in it.
func NewService(opened *database.Database, spaces *space.Service) *Service {
	return &Service{database: opened, structure: structure.New(opened), spaces: spaces}
}

// Get returns a collection that the caller may read; NOT_FOUND otherwise.
func (s *Service) Get(ctx context.Context, id string) (*Collection, error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return nil, err
	}
	found, err := s.ByID(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	if found[id] == nil {
		return nil, fault.Missing("collection")
	}
	return found[id], nil
}

// ByID returns collections by their ids, in one statement. Those that the
// caller may not read are left out.
func (s *Service) ByID(ctx context.Context, ids []string) (map[string]*Collection, error) {
	// Visitors of sites see spaces that are in collections, and no collections.
	viewer, err := access.AllowContent(ctx)
	if err != nil {
		return nil, err
	}
	query := s.database.Client(ctx).Collection.Query().
		Where(entcollection.IDIn(ids...), viewer.WhereCollectionRole(access.Read))
	query.Modify(viewer.SelectCollectionRole)
	rows, err := query.All(ctx)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*Collection, len(rows))
	for _, row := range rows {
		if found[row.ID], err = withRole(row); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func withRole(row *ent.Collection) (*Collection, error) {
	role, err := access.RoleOf(row)
	return &Collection{Collection: row, Role: role}, err
}

// Require returns a collection in which the caller has at least the given role
// and whose token has the scope: NOT_FOUND when they may not even read it,
// FORBIDDEN when they may.
func (s *Service) Require(ctx context.Context, id string, scope access.Scope, minimum access.Role) (*Collection, error) {
	if _, err := access.Allow(ctx, scope); err != nil {
		return nil, err
	}
	found, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if found.Role < minimum {
		return nil, fault.Denied("this needs the role %s in the collection", minimum)
	}
	return found, nil
}

// lock is Require in a transaction, after waiting for other changes to the
// structure of the collection's organization.
func (s *Service) lock(ctx context.Context, id string, minimum access.Role) (*Collection, error) {
	found, err := s.Require(ctx, id, access.ScopeWrite, minimum)
	if err != nil {
		return nil, err
	}
	if err := s.structure.Lock(ctx, found.OrganizationID); err != nil {
		return nil, err
	}
	locked, err := s.Require(ctx, id, access.ScopeWrite, minimum)
	if err == nil && locked.OrganizationID != found.OrganizationID {
		return nil, fault.New(fault.Conflict, "the collection was transferred meanwhile")
	}
	return locked, err
}

// Permissions are what the caller, with the token that they came with, may do
// with a collection.
type Permissions struct{ View, Admin, ViewInviteLinks, Create bool }

// Permissions of the caller, by the same rules that guard the operations.
func (c *Collection) Permissions(ctx context.Context) Permissions {
	viewer := access.From(ctx)
	return Permissions{
		View: c.Role >= access.Read, Admin: viewer.May(access.ScopeWrite, c.Role, access.Admin),
		ViewInviteLinks: viewer.May(access.ScopeAdmin, c.Role, access.Admin),
		Create:          viewer.May(access.ScopeWrite, c.Role, access.Create),
	}
}

func validateTitle(title string) error {
	if length := utf8.RuneCountInString(title); length > maximumTitle {
		return fault.Invalid("title", "at most %d characters, got %d", maximumTitle, length)
	}
	return nil
}

func validateDescription(description string) error {
	if length := utf8.RuneCountInString(description); length > maximumDescription {
		return fault.Invalid("description", "at most %d characters, got %d", maximumDescription, length)
	}
	return nil
}
