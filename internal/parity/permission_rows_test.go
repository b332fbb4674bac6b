package parity

import (
	"slices"
	"testing"

	"octavo/internal/access"
	"octavo/internal/apptest"
)

// permissionRows are those of spaces and of collections.
var permissionRows = slices.Concat(permissionRowsOf("space", "Space"), permissionRowsOf("collection", "Collection"))

// permissionRowsOf are the rows of a kind of resource.
func permissionRowsOf(kind, name string) []row {
	resource, permitted := "{"+kind+"Id}", map[string]string{kind + "Id": "restricted" + name}
	one := kind + "(id: $" + kind + "Id)"
	return []row{
		{
			operation: "inviteTo" + name, field: "grantPermissions", selection: " { resource { __typename } } ", minimum: access.Admin,
			body:  object{"role": "review", "users": []any{"{guestId}"}, "teams": []any{"{teamId}"}},
			input: object{"resource": resource, "role": "REVIEW", "users": []any{"{guestId}"}, "teams": []any{"{teamId}"}}, effect: "listPermissionsAggregateIn" + name,
		},
		{
			operation: "listUserPermissionsIn" + name, field: one + ".userPermissions", selection: connection(userPermission),
			minimum: access.Read, with: permitted, needs: "read; guests admin",
		},
		{
			operation: "updateUserPermissionIn" + name, field: "updatePermission", selection: " { resource { __typename } } ", minimum: access.Admin,
			body:  object{"role": nil},
			input: object{"resource": resource, "principal": object{"user": "{userId}"}, "role": nil},
			with:  permitted, effect: "listUserPermissionsIn" + name,
		},
		{
			operation: "removeUserFrom" + name, field: "removePermission", selection: " { deleted: removed } ", minimum: access.Admin,
			input: object{"resource": resource, "principal": object{"user": "{userId}"}}, with: permitted, effect: "listUserPermissionsIn" + name,
		},
		{
			operation: "listTeamPermissionsIn" + name, field: one + ".teamPermissions", selection: connection(teamPermission),
			minimum: access.Read, with: permitted, needs: "read; guests admin",
		},
		{
			operation: "updateTeamPermissionIn" + name, field: "updatePermission", selection: " { resource { __typename } } ", minimum: access.Admin,
			body:  object{"role": "edit"},
			input: object{"resource": resource, "principal": object{"team": "{teamId}"}, "role": "EDIT"},
			with:  permitted, effect: "listTeamPermissionsIn" + name,
		},
		{
			operation: "removeTeamFrom" + name, field: "removePermission", selection: " { deleted: removed } ", minimum: access.Admin,
			input: object{"resource": resource, "principal": object{"team": "{teamId}"}}, with: permitted, effect: "listTeamPermissionsIn" + name,
		},
		{
			operation: "listPermissionsAggregateIn" + name, query: "limit=1000", field: one + ".effectivePermissions", selection: connection(userPermission),
			minimum: access.Read, with: permitted, needs: "read; guests admin",
		},
	}
}

const userPermission = " { permission: role user " + user + " } "

const teamPermission = " { permission: role team " + team + " } "

// makeRestricted is a space or collection that grants something to the reviewer and to
// their team.
func makeRestricted(open func(t testing.TB, f *fixture) string) func(t testing.TB, f *fixture) string {
	return func(t testing.TB, f *fixture) string {
		t.Helper()
		id := open(t, f)
		f.mutate(t, apptest.Admin, "grantPermissions", object{"resource": id, "role": "REVIEW", "users": []any{"{userId}"}, "teams": []any{"{teamId}"}}, "{ resource { __typename } }")
		return id
	}
}

// growGranted grants the resource to so many more people.
func growGranted(kind string) growth {
	return func(t *testing.T, f *fixture, count int) {
		t.Helper()
		people := make([]any, count)
		for index := range people {
			people[index], _ = newPerson(t, f)
		}
		f.mutate(t, apptest.Admin, "grantPermissions", object{"resource": "{" + kind + "Id}", "role": "READ", "users": people}, "{ resource { __typename } }")
	}
}

// growGrantedTeams grants the resource to so many more teams.
func growGrantedTeams(kind string) growth {
	return func(t *testing.T, f *fixture, count int) {
		t.Helper()
		teams := make([]any, count)
		for index := range teams {
			teams[index] = makeTeam(t, f)
		}
		f.mutate(t, apptest.Admin, "grantPermissions", object{"resource": "{" + kind + "Id}", "role": "READ", "teams": teams}, "{ resource { __typename } }")
	}
}
