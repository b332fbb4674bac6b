package organization

import (
	"context"

	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/fault"
)

// Delete removes an organization for good, with everything in it: spaces,
// collections, sites, teams, memberships and invites. What only its content
// used is collected later; its audit log stays. It needs the role admin, and the
// title of the organization as a confirmation. It returns false when there is
// no such organization.
func (s *Service) Delete(ctx context.Context, id, title string) (existed bool, err error) {
	err = access.Require(ctx, id, access.ScopeAdmin, access.Admin)
	if fault.CodeOf(err) == fault.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = s.database.Write(ctx, func(ctx context.Context) error {
		found, err := s.lock(ctx, id)
		if err != nil {
			return err
		}
		if title != found.Title {
			return fault.Invalid("title", "%q is not the title of the organization, which confirms its deletion", title)
		}
		existed = true
		client := s.database.Client(ctx)
		if err := client.Organization.DeleteOne(found).Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, s.database, audit.Change{
			OrganizationID: id, Action: audit.OrganizationDeleted, SubjectID: id,
			Before: map[string]any{"title": found.Title, "hostname": found.Hostname},
		})
	})
	return existed, err
}
