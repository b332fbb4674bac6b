package parity

import (
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/fault"
)

const (
	team       = ` { id title createdAt members: memberCount spaces: spaceCount permissions { view admin } } `
	teamMember = ` { __typename role member ` + member + ` } `
)

// oneTeam of the organization.
const oneTeam = "organization(id: $organizationId).team(id: $teamId)"

// byTeamOwner are codes of writes that the owner of the fixture's team, its
// reviewer, does too.
var byTeamOwner = everyone(ok, apptest.Reviewer)

const teamManager = "admin in the organization, or owner of the team"

// anyRole is what guests lack.
const anyRole = "read in the organization"

var teamRows = []row{
	{
		operation: "listTeamsInOrganizationById", field: `organization(id: $organizationId).teams(filter: {title: "ROOM"})`, query: "title=ROOM",
		selection: connection(team), minimum: access.Read, codes: everyone(fault.Forbidden, apptest.Guest), needs: anyRole,
	},
	{
		operation: "createOrganizationTeam", field: "createOrganizationTeam", selection: " { team " + team + " } ", at: "team", minimum: access.Admin,
		body:  object{"title": "Bridge", "members": []any{"{userId}", "{guestId}", "{userId}"}},
		input: object{"organization": "{organizationId}", "title": "Bridge", "members": []any{"{userId}", "{guestId}", "{userId}"}},
		codes: everyone(fault.Forbidden, apptest.Guest), needs: "admin in the organization", effect: "getTeamInOrganizationById", creates: "teamId",
	},
	{
		operation: "getTeamInOrganizationById", field: oneTeam, selection: team, minimum: access.Read, needs: anyRole,
	},
	{
		operation: "updateTeamInOrganizationById", field: "updateTeamInOrganization", selection: " { team " + team + " } ", at: "team", minimum: access.Admin,
		body: object{"title": "Boiler room"}, input: object{"team": "{teamId}", "title": "Boiler room"},
		codes: byTeamOwner, needs: teamManager, effect: "getTeamInOrganizationById",
	},
	{
		operation: "removeTeamFromOrganizationById", field: "removeTeamFromOrganization", selection: " { deleted } ", minimum: access.Admin,
		input: object{"team": "{teamId}"}, codes: byTeamOwner, needs: teamManager,
	},
	{
		operation: "listTeamMembersInOrganizationById", field: oneTeam + ".members", selection: connection(teamMember), minimum: access.Read, needs: anyRole,
	},
	{
		operation: "updateMembersInOrganizationTeam", field: "updateMembersInOrganizationTeam", selection: " { team { id } } ", minimum: access.Admin,
		body: object{
			"add": []any{"{guestId}", "edit@example.com"}, "memberships": object{"comment@example.com": object{"role": "owner"}},
			"remove": []any{"edit@example.com", "{creatorId}"},
		},
		input: object{
			"team": "{teamId}", "add": []any{"{guestId}", "edit@example.com"}, "memberships": []any{object{"member": "comment@example.com", "role": "OWNER"}},
			"remove": []any{"edit@example.com", "{creatorId}"},
		},
		codes: byTeamOwner, needs: teamManager, effect: "getTeamInOrganizationById",
	},
	{
		operation: "addMemberToOrganizationTeamById", field: "addMemberToOrganizationTeam", selection: " { teamMember { id } } ", minimum: access.Admin,
		body: object{"role": "owner"}, input: object{"team": "{teamId}", "member": "{userId}", "role": "OWNER"},
		with: map[string]string{"userId": "guestId"}, codes: byTeamOwner, needs: teamManager, effect: "getTeamInOrganizationById",
	},
	{
		operation: "deleteMemberFromOrganizationTeamById", field: "deleteMemberFromOrganizationTeam", selection: " { deleted } ", minimum: access.Admin,
		input: object{"team": "{teamId}", "member": "{userId}"}, codes: byTeamOwner, needs: teamManager,
	},
}
