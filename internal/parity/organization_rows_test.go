package parity

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/fault"
	organizations "octavo/internal/organization"
)

// inCompany: what is done to an organization is done to one of the row's own.
var inCompany = map[string]string{"organizationId": "companyId"}

var (
	agentInstructions = ` { instructions: document updatedAt updatedBy { id } urls { location } } `
	subdomain         = ` { subdomain target { type organization } isActive } `
	memberTeam        = ` { __typename role team ` + team + ` } `
	memberSpace       = ` { permission space ` + space + ` } `
)

var organizationRows = []row{
	{
		operation: "updateOrganizationById", field: "updateOrganization", selection: " { organization " + organization + " } ", at: "organization",
		minimum: access.Admin, with: inCompany,
		body: object{
			"title": "Renamed", "emailDomains": []any{"Example.com", "example.com"}, "defaultRole": nil,
			// Invite links stay open: other rows make some at the same time.
			"logo": "https://example.com/logo.png", "sso": true, "ai": true, "inviteLinks": true,
		},
		input: object{
			"organization": "{organizationId}", "title": "Renamed", "emailDomains": []any{"Example.com", "example.com"}, "defaultRole": nil,
			"logo": "https://example.com/logo.png", "sso": true, "ai": true, "inviteLinks": true,
		},
		codes: everyone(fault.Forbidden, apptest.Guest), needs: "admin in the organization", effect: "getOrganizationById",
	},
	{
		operation: "joinOrganization", field: "joinOrganization", selection: " { organization { id } } ",
		input: object{"organization": "{organizationId}"}, with: map[string]string{"organizationId": "joinableId"},
		codes: everyone(ok, apptest.Guest, apptest.Stranger), needs: "anyone with a verified e-mail address in one of its domains",
	},
	{
		operation: "getOrganizationAgentInstructions", field: "organization(id: $organizationId).agentInstructions", selection: agentInstructions,
		minimum: access.Read, codes: everyone(fault.Forbidden, apptest.Guest), needs: "read in the organization",
	},
	{
		operation: "updateOrganizationAgentInstructions", field: "updateOrganizationAgentInstructions",
		selection: " { agentInstructions " + agentInstructions + " } ", at: "agentInstructions", minimum: access.Admin, with: inCompany,
		body: object{"instructions": shortDocument}, input: object{"organization": "{organizationId}", "document": shortDocument},
		codes: everyone(fault.Forbidden, apptest.Guest), needs: "admin in the organization", effect: "getOrganizationAgentInstructions",
	},
	{
		operation: "listMembersInOrganizationById", field: "organization(id: $organizationId).members", selection: connection(member),
		minimum: access.Read, codes: everyone(fault.Forbidden, apptest.Guest), needs: "read in the organization",
	},
	{
		operation: "getMemberInOrganizationById", field: "organization(id: $organizationId).member(user: $userId)", selection: member,
		minimum: access.Read, needs: "read in the organization, or the member",
	},
	{
		operation: "removeMemberFromOrganizationById", field: "removeMemberFromOrganization", selection: " { deleted } ", minimum: access.Admin,
		input: object{"organization": "{organizationId}", "user": "{userId}"}, with: inCompany,
		codes: everyone(ok, apptest.Reviewer), needs: "admin in the organization, or the member", effect: "listMembersInOrganizationById",
	},
	{
		operation: "updateMemberInOrganizationById", field: "updateMemberInOrganization", selection: " { member " + member + " } ", at: "member",
		minimum: access.Admin, with: inCompany, body: object{"role": nil},
		input: object{"organization": "{organizationId}", "user": "{userId}", "role": nil},
		needs: "admin in the organization", effect: "getMemberInOrganizationById",
	},
	{
		operation: "setUserAsSSOMemberForOrganization", field: "setUserAsSSOMemberForOrganization", selection: " { member " + member + " } ", at: "member",
		minimum: access.Admin, with: inCompany, input: object{"organization": "{organizationId}", "user": "{userId}"},
		needs: "admin in the organization", effect: "getMemberInOrganizationById",
	},
	{
		operation: "updateOrganizationMemberLastSeenAt", field: "updateOrganizationMemberLastSeenAt", selection: " { member { id } } ",
		as:    func(object) any { return object{} }, // the wire says no more than that it was noted
		input: object{"organization": "{organizationId}"}, with: inCompany,
		codes: everyone(ok, apptest.Guest), needs: "member of the organization", effect: "listMembersInOrganizationById",
	},
	{
		operation: "listSpacesForOrganizationMember", field: "organization(id: $organizationId).memberSpaces(user: $userId)",
		selection: connection(memberSpace), minimum: access.Admin,
		codes: everyone(ok, apptest.Reviewer), needs: "admin in the organization, or the member",
	},
	{
		operation: "listTeamsForOrganizationMember", field: `organization(id: $organizationId).memberTeams(user: $userId, title: "ROOM")`, query: "title=ROOM",
		selection: connection(memberTeam), minimum: access.Read, needs: anyRole,
	},
	{
		operation: "getSubdomain", field: "subdomain(subdomain: $subdomain)", selection: subdomain,
		needs: "any token", codes: everyone(ok, apptest.Stranger, apptest.Guest),
	},
}

var shortDocument = object{
	"object": "document", "data": object{},
	"nodes": []any{object{
		"object": "block", "type": "paragraph", "isVoid": false, "data": object{},
		"nodes": []any{object{"object": "text", "leaves": []any{object{"object": "leaf", "text": "Be brief.", "marks": []any{}}}}},
	}},
}

// makeCompany is another organization with the same people in the same roles.
func makeCompany(t testing.TB, f *fixture) string {
	t.Helper()
	ctx := access.System(t.Context(), "fixture")
	made, err := f.App.Organizations.CreateFor(ctx, f.As(apptest.Admin).UserID, organizations.New{Title: "Company"})
	require.NoError(t, err)
	for _, caller := range []apptest.Caller{apptest.Creator, apptest.Reviewer, apptest.Editor, apptest.Commenter, apptest.Reader, apptest.Guest} {
		require.NoError(t, f.App.Organizations.AddMember(ctx, made.ID, f.As(caller).UserID, rankOf(caller)))
	}
	return made.ID
}

// makeJoinable is an organization of the stranger that lets the other people
// join.
func makeJoinable(t testing.TB, f *fixture) string {
	t.Helper()
	made, err := f.App.Organizations.CreateFor(access.System(t.Context(), "fixture"), f.As(apptest.Stranger).UserID, organizations.New{Title: "Open"})
	require.NoError(t, err)
	_, err = f.App.Organizations.Update(f.Context(t, apptest.Stranger), made.ID, organizations.Changes{EmailDomains: &[]string{"example.com"}})
	require.NoError(t, err)
	return made.ID
}

func makeSubdomain(t testing.TB, f *fixture) string {
	t.Helper()
	hostname := "h-" + uuid.NewString()[24:]
	_, err := f.App.Organizations.CreateFor(access.System(t.Context(), "fixture"), f.As(apptest.Stranger).UserID,
		organizations.New{Title: "Public", Hostname: &hostname})
	require.NoError(t, err)
	return hostname
}

func makePerson(t testing.TB, f *fixture) string {
	t.Helper()
	id, _ := newPerson(t, f)
	return id
}

// makeMembersTeam is a team that the member is in.
func makeMembersTeam(t testing.TB, f *fixture) string {
	t.Helper()
	return f.created(t, apptest.Admin, "createOrganizationTeam",
		object{"organization": "{organizationId}", "title": "Engine room", "members": []any{"{userId}"}}, "team")
}
