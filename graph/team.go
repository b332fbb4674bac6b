package graph

import (
	"octavo/graph/model"
	"octavo/internal/enum"
	"octavo/internal/team"
)

func teamFilter(filter *model.TeamFilter) team.Filter {
	if filter == nil {
		return team.Filter{}
	}
	return team.Filter{OwnerID: valueOf(filter.Owner), Title: valueOf(filter.Title)}
}

func teamRoles(memberships []*model.TeamMembershipInput) map[string]enum.TeamRole {
	roles := make(map[string]enum.TeamRole, len(memberships))
	for _, membership := range memberships {
		roles[membership.Member] = membership.Role
	}
	return roles
}
