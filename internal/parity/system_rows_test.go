package parity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/fault"
)

// anyMember: guests are members of their organization too.
var anyMember = everyone(ok, apptest.Guest)

var systemRows = []row{
	{
		operation: "getApiInformation", field: "version", selection: " { version build } ",
		needs: "anyone", codes: toEverybody,
	},
	{
		operation: "getAuthenticatedUser", field: "viewer", selection: user,
		needs: "any token", codes: everyone(ok, apptest.Stranger, apptest.Guest),
	},
	{
		operation: "getUserById", field: "user(id: $userId)", selection: user,
		needs: "member of an organization of theirs", codes: anyMember, visitors: true,
	},
	{
		operation: "updateUserById", field: "updateUser", selection: " { user " + user + " } ", at: "user",
		body: object{"displayName": "Guest of honour"}, input: object{"user": "{userId}", "displayName": "Guest of honour"},
		with: map[string]string{"userId": "guestId"}, prepare: renameGuest, effect: "getUserById",
		needs: "the person", codes: merge(
			everyone(fault.Forbidden, apptest.Admin, apptest.Creator, apptest.Reviewer, apptest.Editor, apptest.Commenter, apptest.Reader),
			everyone(ok, apptest.Guest)),
	},
	{
		operation: "listOrganizationsForAuthenticatedUser", field: "organizations", selection: connection(organization),
		needs: "any token", codes: everyone(ok, apptest.Stranger, apptest.Guest),
	},
	{
		operation: "getOrganizationById", field: "organization(id: $organizationId)", selection: organization,
		needs: "member of the organization", codes: anyMember,
	},
	{
		operation: "searchOrganizationContent", field: `organization(id: $organizationId).search(query: "linux")`, query: "query=linux",
		selection: connection(spaceHit), needs: "member of the organization", codes: anyMember,
	},
}

// renameGuest gives the guest the name that an attempt changes.
func renameGuest(t *testing.T, f *fixture) {
	t.Helper()
	ctx := access.System(t.Context(), "fixture")
	require.NoError(t, f.App.Database.Client(ctx).User.UpdateOneID(f.As(apptest.Guest).UserID).SetDisplayName("The guest").Exec(ctx))
}
