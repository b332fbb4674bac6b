package organization

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	"octavo/ent/member"
	"octavo/ent/permission"
	"octavo/ent/space"
	"octavo/ent/teammember"
	"octavo/internal/access"
)

// Membership names somebody in an organization.
type Membership struct{ OrganizationID, UserID string }

// SpacesOf counts the spaces in which people have a permission of their own,
// which no access is not, in one statement, for loaders whose callers may see the members.
func (s *Service) SpacesOf(ctx context.Context, memberships []Membership) (map[Membership]int, error) {
	var rows []struct {
		OrganizationID string `json:"organization_id"`
		UserID         string `json:"principal_id"`
		Count          int    `json:"count"`
	}
	err := s.database.Client(ctx).Permission.Query().
		Where(permission.PrincipalIDIn(people(memberships)...), permission.RoleGT(access.None), onActiveSpaces).
		GroupBy(permission.FieldOrganizationID, permission.FieldPrincipalID).Aggregate(ent.Count()).Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	counts := zeros(memberships)
	for _, row := range rows {
		counts[Membership{row.OrganizationID, row.UserID}] = row.Count
	}
	return counts, nil
}

// onActiveSpaces leaves out permissions on collections and deleted spaces.
func onActiveSpaces(selector *sql.Selector) {
	spaces := sql.Dialect(selector.Dialect()).Table(space.Table)
	selector.Where(sql.In(selector.C(permission.FieldResourceID),
		sql.Dialect(selector.Dialect()).Select(spaces.C(space.FieldID)).From(spaces).Where(sql.IsNull(spaces.C(space.FieldDeletedAt)))))
}

// TeamsOf counts the teams that people belong to, in one statement, for loaders
// whose callers may see the members.
func (s *Service) TeamsOf(ctx context.Context, memberships []Membership) (map[Membership]int, error) {
	var rows []struct {
		OrganizationID string `json:"organization_id"`
		UserID         string `json:"user_id"`
		Count          int    `json:"count"`
	}
	err := s.database.Client(ctx).TeamMember.Query().Where(teammember.UserIDIn(people(memberships)...)).
		GroupBy(teammember.FieldOrganizationID, teammember.FieldUserID).Aggregate(ent.Count()).Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	counts := zeros(memberships)
	for _, row := range rows {
		counts[Membership{row.OrganizationID, row.UserID}] = row.Count
	}
	return counts, nil
}

func people(memberships []Membership) []string {
	ids := make([]string, len(memberships))
	for index, membership := range memberships {
		ids[index] = membership.UserID
	}
	return ids
}

func zeros(memberships []Membership) map[Membership]int {
	counts := make(map[Membership]int, len(memberships))
	for _, membership := range memberships {
		counts[membership] = 0
	}
	return counts
}

// MembersOf returns the memberships of people, in one statement, for loaders
// whose callers may see the members.
func (s *Service) MembersOf(ctx context.Context, memberships []Membership) (map[Membership]*ent.Member, error) {
	rows, err := s.database.Client(ctx).Member.Query().Where(member.UserIDIn(people(memberships)...)).All(ctx)
	if err != nil {
		return nil, err
	}
	found := make(map[Membership]*ent.Member, len(rows))
	for _, row := range rows {
		found[Membership{row.OrganizationID, row.UserID}] = row
	}
	return found, nil
}
