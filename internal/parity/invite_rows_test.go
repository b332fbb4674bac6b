package parity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/fault"
	invites "octavo/internal/invite"
)

const (
	invite = ` { __typename id url role redundant uses maximumUses expiresAt resource {
		__typename ... on Space ` + space + ` ... on Collection ` + collection + ` } } `
	invitedUsers = ` { users { id } invites { id email url } failedSSOEmails } `
)

// byGuests: guests see the organization.
var byGuests = everyone(fault.Forbidden, apptest.Guest)

const administrator = "admin in what it leads to"

var inviteRows = []row{
	{
		operation: "inviteUsersToOrganization", field: "inviteUsersToOrganization", selection: invitedUsers, minimum: access.Admin, as: wireInvited,
		body:  object{"emails": []any{"Somebody@example.com", object{"email": "read@example.com", "role": "read"}}, "role": "edit"},
		input: object{"organization": "{organizationId}", "emails": []any{object{"email": "Somebody@example.com"}, object{"email": "read@example.com", "role": "READ"}}, "role": "EDIT"},
		codes: byGuests, needs: "admin in the organization",
	},
	{
		operation: "joinOrganizationWithInvite", field: "joinOrganizationWithInvite", selection: " { organization { __typename } } ",
		input: object{"organization": "{organizationId}", "invite": "{inviteId}"}, as: func(object) any { return nil },
		// In an organization of its own: whoever joins is a member from then on.
		with:  map[string]string{"organizationId": "joinableId", "inviteId": "joinableInviteId"},
		codes: everyone(ok, apptest.Stranger, apptest.Guest), needs: "the secret of the invite, or the address that it is for",
	},
	{
		operation: "listOrganizationInviteLinks", field: "organization(id: $organizationId).linkInvites", selection: connection(invite),
		minimum: access.Admin, codes: merge(byGuests, everyone(fault.Forbidden, apptest.ReadToken)), needs: "admin in the organization",
	},
	{
		operation: "createOrganizationInvite", field: "createOrganizationInvite", selection: " { invite " + invite + " } ", at: "invite", minimum: access.Admin,
		body:  object{"level": "read", "space": "{spaceId}"},
		input: object{"organization": "{organizationId}", "resource": "{spaceId}", "role": "READ"},
		needs: administrator, effect: "getOrganizationInviteLink", creates: "inviteId",
	},
	{
		operation: "getOrganizationInviteLink", field: "organization(id: $organizationId).invite(id: $inviteId)", selection: invite,
		minimum: access.Admin, codes: merge(byGuests, everyone(fault.Forbidden, apptest.ReadToken)), needs: administrator,
	},
	{
		operation: "updateOrganizationInviteById", field: "updateOrganizationInvite", selection: " { invite " + invite + " } ", at: "invite", minimum: access.Admin,
		body: object{"role": "comment"}, input: object{"organization": "{organizationId}", "invite": "{inviteId}", "role": "COMMENT"},
		codes: byGuests, needs: administrator, effect: "getOrganizationInviteLink",
	},
	{
		operation: "deleteOrganizationInviteById", field: "deleteOrganizationInvite", selection: " { deleted } ", minimum: access.Admin,
		input: object{"organization": "{organizationId}", "invite": "{inviteId}"}, codes: byGuests, needs: administrator,
	},
}

// wireInvited: the wire says how many were invited too.
func wireInvited(payload object) any {
	payload["invited"] = float64(len(payload["invites"].([]any)))
	return payload
}

// wireInvite: the role stands beside what it is the role in.
func wireInvite(found object) any {
	switch resource, _ := found["resource"].(object); {
	case resource == nil:
	case resource["parents"] != nil || resource["revision"] != nil:
		found["space"], found["level"] = resource, found["role"]
		delete(found, "role")
	default:
		found["collection"], found["level"] = resource, found["role"]
		delete(found, "role")
	}
	delete(found, "resource")
	return found
}

// makeInvite is the secret of a link for editors.
func makeJoinableInvite(t testing.TB, f *fixture) string {
	t.Helper()
	made, err := f.App.Invites.Create(f.Context(t, apptest.Stranger), invites.NewLink{OrganizationID: f.value(t, "joinableId"), Role: new(access.Edit)})
	require.NoError(t, err)
	return made.Secret
}

func makeInvite(t testing.TB, f *fixture) string {
	t.Helper()
	return f.created(t, apptest.Admin, "createOrganizationInvite", object{"organization": "{organizationId}", "role": "EDIT"}, "invite")
}
