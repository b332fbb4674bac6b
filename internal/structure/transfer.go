package structure

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"octavo/ent/collectionancestor"
	"octavo/ent/invite"
	"octavo/ent/member"
	"octavo/ent/permission"
	"octavo/internal/access"
	"octavo/internal/audit"
)

// Level is the default level that a collection gives to what states none: that
// of the nearest one that states any, or Inherit.
func (s *Structure) Level(ctx context.Context, id *string) (access.Role, error) {
	if id == nil {
		return access.Inherit, nil
	}
	around, err := s.database.Client(ctx).CollectionAncestor.Query().Where(collectionancestor.CollectionID(*id)).
		Order(collectionancestor.ByDistance()).WithAncestor().All(ctx)
	if err != nil {
		return access.Inherit, err
	}
	for _, row := range around {
		if level := row.Edges.Ancestor.DefaultLevel; level != access.Inherit {
			return level, nil
		}
	}
	return access.Inherit, nil
}

// HandOverGrants gives what spaces and collections grant to the organization
// that takes them over: grants to its members stay, those to others and to
// teams, and all invites, go.
func (s *Structure) HandOverGrants(ctx context.Context, resourceIDs []string, organizationID string) error {
	client := s.database.Client(ctx)
	if err := s.RemoveInvites(ctx, resourceIDs); err != nil {
		return err
	}
	_, err := client.Permission.Delete().Where(permission.ResourceIDIn(resourceIDs...), toStrangers(organizationID)).Exec(ctx)
	if err != nil {
		return err
	}
	return client.Permission.Update().Where(permission.ResourceIDIn(resourceIDs...)).SetOrganizationID(organizationID).Exec(ctx)
}

// KeepAdministrator grants the role admin in a space or collection that was
// transferred to the caller, who had it, unless they administrate the whole
// organization: what keeps its default level may be closed to them there.
func (s *Structure) KeepAdministrator(ctx context.Context, resourceID, organizationID string) error {
	viewer, client := access.From(ctx), s.database.Client(ctx)
	if role, _ := viewer.RoleIn(organizationID); role == access.Admin || viewer.IsSystem() {
		return nil
	}
	_, err := client.Permission.Delete().Where(permission.ResourceID(resourceID), permission.PrincipalID(viewer.UserID)).Exec(ctx)
	if err != nil {
		return err
	}
	err = client.Permission.Create().SetOrganizationID(organizationID).
		SetResourceID(resourceID).SetPrincipalID(viewer.UserID).SetRole(access.Admin).Exec(ctx)
	if err != nil {
		return err
	}
	return audit.Record(ctx, s.database, audit.Change{
		OrganizationID: organizationID, Action: audit.PermissionGranted, SubjectID: resourceID,
		After: map[string]any{"principal": viewer.UserID, "role": access.Admin},
	})
}

// RemoveInvites removes the invites that lead to spaces and collections.
func (s *Structure) RemoveInvites(ctx context.Context, resourceIDs []string) error {
	_, err := s.database.Client(ctx).Invite.Delete().Where(invite.ResourceIDIn(resourceIDs...)).Exec(ctx)
	return err
}

// toStrangers limits a query on permissions to those of whoever is not a member
// of the organization, and of teams.
func toStrangers(organizationID string) func(*sql.Selector) {
	return func(selector *sql.Selector) {
		selector.Where(sql.NotIn(selector.C(permission.FieldPrincipalID), Members(selector, organizationID)))
	}
}

// Members selects the ids of the members of an organization, for a condition in
// another statement.
func Members(selector *sql.Selector, organizationID string) *sql.Selector {
	members := sql.Dialect(selector.Dialect()).Table(member.Table)
	return sql.Dialect(selector.Dialect()).Select(members.C(member.FieldUserID)).From(members).
		Where(sql.EQ(members.C(member.FieldOrganizationID), organizationID))
}
