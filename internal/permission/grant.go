package permission

import (
	"context"
	"slices"

	"octavo/ent"
	"octavo/ent/collection"
	"octavo/ent/member"
	"octavo/ent/organization"
	"octavo/ent/permission"
	"octavo/ent/space"
	"octavo/ent/team"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/fault"
	"octavo/internal/identifier"
)

// MaximumPrincipals is how many users and teams one call may grant a role to.
const MaximumPrincipals = 500

// Grants are what Grant is to do.
type Grants struct {
	// UserIDs are members or guests of the organization, TeamIDs are teams of
	// it: 1 to 500 together.
	UserIDs, TeamIDs []string
	// Role that they get; None closes the resource to those who would reach it
	// by a collection around it or by a default level. It has to be given.
	Role *access.Role
}

// Grant gives users and teams a role in a space or collection; those who were
// granted another before have the new one from now on. It needs the role admin
// there, and therefore nobody grants more than they have. It returns NOT_FOUND
// for users and teams that do not belong to the organization; nobody is granted
// anything then.
func (s *Service) Grant(ctx context.Context, resourceID string, grants Grants) (Resource, error) {
	if _, err := s.Require(ctx, resourceID, access.ScopeAdmin, access.Admin); err != nil {
		return Resource{}, err
	}
	if err := grants.validate(); err != nil {
		return Resource{}, err
	}
	return s.change(ctx, resourceID, func(ctx context.Context, resource Resource) error {
		if err := s.requirePrincipals(ctx, resource.OrganizationID, grants); err != nil {
			return err
		}
		return s.grant(ctx, resource, slices.Concat(grants.UserIDs, grants.TeamIDs), *grants.Role)
	})
}

func (g Grants) validate() error {
	if count := len(g.UserIDs) + len(g.TeamIDs); count == 0 || count > MaximumPrincipals {
		return fault.Invalid("users", "1 to %d users and teams, got %d", MaximumPrincipals, count)
	}
	if g.Role == nil {
		return fault.Invalid("role", "it is missing; null is no access")
	}
	return nil
}

// Update changes the role of a user or team to whom the resource grants one
// already; NOT_FOUND for anybody else. It needs the role admin there. The role
// None does not remove the permission: see Grants; nil leaves it as it is.
func (s *Service) Update(ctx context.Context, resourceID string, principal Principal, role *access.Role) (Resource, error) {
	if _, err := s.Require(ctx, resourceID, access.ScopeAdmin, access.Admin); err != nil {
		return Resource{}, err
	}
	return s.change(ctx, resourceID, func(ctx context.Context, resource Resource) error {
		held, err := s.held(ctx, resource, []string{principal.id()})
		if err != nil {
			return err
		}
		if len(held) == 0 {
			return fault.Missing("permission")
		}
		if role == nil {
			return nil
		}
		return s.grant(ctx, resource, []string{principal.id()}, *role)
	})
}

// Remove takes back what a resource grants to a user or team, and tells whether
// there was anything. They keep what they have from elsewhere: a collection
// around it, a team, a default level. It needs the role admin there.
func (s *Service) Remove(ctx context.Context, resourceID string, principal Principal) (removed bool, err error) {
	_, err = s.Require(ctx, resourceID, access.ScopeAdmin, access.Admin)
	if fault.CodeOf(err) == fault.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = s.change(ctx, resourceID, func(ctx context.Context, resource Resource) error {
		held, err := s.held(ctx, resource, []string{principal.id()})
		if err != nil || len(held) == 0 {
			return err
		}
		removed = true
		if err := s.database.Client(ctx).Permission.DeleteOne(held[0]).Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, s.database, audit.Change{
			OrganizationID: resource.OrganizationID, Action: audit.PermissionRemoved, SubjectID: resource.ID,
			Before: shown(principal.id(), held[0].Role),
		})
	})
	return removed, err
}

// change runs a function in a transaction in which neither the people of the
// organization nor the resource can change.
func (s *Service) change(ctx context.Context, resourceID string, apply func(ctx context.Context, resource Resource) error) (Resource, error) {
	var locked Resource
	err := s.database.Write(ctx, func(ctx context.Context) error {
		found, err := s.Require(ctx, resourceID, access.ScopeAdmin, access.Admin)
		if err != nil {
			return err
		}
		if err := s.lock(ctx, found); err != nil {
			return err
		}
		if locked, err = s.Require(ctx, resourceID, access.ScopeAdmin, access.Admin); err != nil {
			return err
		}
		if locked.OrganizationID != found.OrganizationID {
			return fault.New(fault.Conflict, "it was transferred meanwhile")
		}
		return apply(ctx, locked)
	})
	return locked, err
}

func (s *Service) lock(ctx context.Context, resource Resource) error {
	if err := s.database.Lock(ctx, organization.Table, resource.OrganizationID); err != nil {
		return err
	}
	table := collection.Table
	if kind, _ := identifier.Split(resource.ID); kind == identifier.Space {
		table = space.Table
	}
	return s.database.Lock(ctx, table, resource.ID)
}

// requirePrincipals returns NOT_FOUND unless everybody belongs to the
// organization.
func (s *Service) requirePrincipals(ctx context.Context, organizationID string, grants Grants) error {
	client := s.database.Client(ctx)
	var people []string
	err := client.Member.Query().Where(member.OrganizationID(organizationID), member.UserIDIn(grants.UserIDs...)).
		Select(member.FieldUserID).Scan(ctx, &people)
	if err != nil {
		return err
	}
	if id, missing := firstMissing(grants.UserIDs, people); missing {
		return fault.Missing("member " + id)
	}
	teams, err := client.Team.Query().Where(team.OrganizationID(organizationID), team.IDIn(grants.TeamIDs...)).IDs(ctx)
	if err != nil {
		return err
	}
	if id, missing := firstMissing(grants.TeamIDs, teams); missing {
		return fault.Missing("team " + id)
	}
	return nil
}

func firstMissing(asked, known []string) (string, bool) {
	index := slices.IndexFunc(asked, func(id string) bool { return !slices.Contains(known, id) })
	if index < 0 {
		return "", false
	}
	return asked[index], true
}

// held are the permissions of users and teams on the resource itself.
func (s *Service) held(ctx context.Context, resource Resource, principalIDs []string) ([]*ent.Permission, error) {
	return s.database.Client(ctx).Permission.Query().
		Where(permission.ResourceID(resource.ID), permission.PrincipalIDIn(principalIDs...)).All(ctx)
}

// grant writes a role for users and teams, in a number of statements that does
// not depend on how many there are. What is so already stays as it is.
func (s *Service) grant(ctx context.Context, resource Resource, principalIDs []string, role access.Role) error {
	held, err := s.held(ctx, resource, principalIDs)
	if err != nil {
		return err
	}
	before := make(map[string]*ent.Permission, len(held))
	for _, each := range held {
		before[each.PrincipalID] = each
	}
	client := s.database.Client(ctx)
	var creates []*ent.PermissionCreate
	var updates []string
	var changes []audit.Change
	for _, id := range slices.Compact(slices.Sorted(slices.Values(principalIDs))) {
		change := audit.Change{OrganizationID: resource.OrganizationID, SubjectID: resource.ID, After: shown(id, role)}
		switch former := before[id]; {
		case former == nil:
			creates = append(creates, client.Permission.Create().
				SetOrganizationID(resource.OrganizationID).SetResourceID(resource.ID).SetPrincipalID(id).SetRole(role))
			change.Action = audit.PermissionGranted
		case former.Role != role:
			updates = append(updates, former.ID)
			change.Action, change.Before = audit.PermissionUpdated, shown(id, former.Role)
		default:
			continue
		}
		changes = append(changes, change)
	}
	if len(creates) > 0 {
		if err := client.Permission.CreateBulk(creates...).Exec(ctx); err != nil {
			return err
		}
	}
	if len(updates) > 0 {
		if err := client.Permission.Update().Where(permission.IDIn(updates...)).SetRole(role).Exec(ctx); err != nil {
			return err
		}
	}
	return audit.Record(ctx, s.database, changes...)
}

// shown is a permission in the audit log.
func shown(principalID string, role access.Role) map[string]any {
	principal := "user"
	if kind, _ := identifier.Split(principalID); kind == identifier.Team {
		principal = "team"
	}
	fields := map[string]any{principal: principalID, "role": nil}
	if role != access.None {
		fields["role"] = role.String()
	}
	return fields
}
