package organization

import (
	"context"

	"octavo/ent"
	entorganization "octavo/ent/organization"
	"octavo/internal/access"
	"octavo/internal/fault"
)

// Subdomain is the name under which the public content of an organization is
// found.
type Subdomain struct {
	Subdomain      string
	OrganizationID string
	IsActive       bool
}

// Subdomain returns the one with the given name, to anybody with a token: what
// it leads to is public. NOT_FOUND when no organization has it.
func (s *Service) Subdomain(ctx context.Context, name string) (*Subdomain, error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return nil, err
	}
	ctx = access.System(ctx, "anybody may ask where a subdomain leads")
	id, err := s.database.Client(ctx).Organization.Query().Where(entorganization.Hostname(name)).OnlyID(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("subdomain")
	}
	if err != nil {
		return nil, err
	}
	return &Subdomain{Subdomain: name, OrganizationID: id, IsActive: true}, nil
}
