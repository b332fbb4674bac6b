package parity

import (
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/fault"
)

var spaceRows = []row{
	{
		operation: "listSpacesInOrganizationById", field: "organization(id: $organizationId).spaces", selection: connection(space),
		needs: "member of the organization", codes: anyMember,
	},
	{
		operation: "createSpace", field: "createSpace", selection: " { space " + space + " } ", at: "space", minimum: access.Create,
		body:  object{"title": "Handbook", "emoji": "1f4d8", "language": "en", "editMode": "locked"},
		input: object{"organization": "{organizationId}", "title": "Handbook", "emoji": "1f4d8", "language": "en", "editMode": "LOCKED"},
		codes: everyone(fault.Forbidden, apptest.Guest), needs: "create in the parent, or in the organization", effect: "getSpaceById", creates: "spaceId",
	},
	{
		operation: "getSpaceById", field: "space(id: $spaceId)", selection: space, minimum: access.Read, visitors: true,
	},
	{
		operation: "updateSpaceById", field: "updateSpace", selection: " { space " + space + " } ", at: "space", minimum: access.Admin,
		body:  object{"title": "Renamed", "emoji": "1f4d8", "language": "fr", "editMode": "live", "defaultLevel": "edit"},
		input: object{"space": "{spaceId}", "title": "Renamed", "emoji": "1f4d8", "language": "fr", "editMode": "LIVE", "defaultLevel": "EDIT"},
		needs: "create; admin for editMode, defaultLevel and mergeRules", effect: "getSpaceById",
	},
	{
		operation: "deleteSpaceById", field: "deleteSpace", selection: " { deleted } ", minimum: access.Create,
		input: object{"space": "{spaceId}"}, effect: "getSpaceById",
	},
	{
		operation: "duplicateSpace", field: "duplicateSpace", selection: " { space " + space + " } ", at: "space", minimum: access.Create,
		input: object{"space": "{spaceId}"}, needs: "read, and create in the collection around it or in the organization", effect: "getSpaceById", creates: "spaceId",
	},
	{
		operation: "restoreSpace", field: "restoreSpace", selection: " { space " + space + " } ", at: "space", minimum: access.Create,
		input: object{"space": "{spaceId}"}, with: map[string]string{"spaceId": "deletedSpaceId"}, effect: "getSpaceById",
		// A deleted space is seen by those who may restore it.
		codes: everyone(fault.NotFound, apptest.Reviewer, apptest.Editor, apptest.Commenter, apptest.Reader),
	},
	{
		operation: "moveSpace", field: "moveSpace", selection: " { space " + space + " } ", at: "space", minimum: access.Create,
		body:  object{"parent": "{collectionId}", "position": object{"before": object{"type": "space", "space": "{templateId}"}}},
		input: object{"space": "{spaceId}", "parent": "{collectionId}", "position": object{"before": "{templateId}"}},
		needs: "create in the space and where it goes", effect: "getSpaceById",
	},
	{
		operation: "transferSpace", field: "transferSpace", selection: " { space " + space + " } ", at: "space", minimum: access.Admin,
		body: object{"organization": "{branchId}"}, input: object{"space": "{spaceId}", "organization": "{branchId}"},
		needs: "admin, and create in the other organization", effect: "getSpaceById",
	},
	{
		operation: "listSpaceLinks", field: "space(id: $spaceId).links", minimum: access.Read,
		selection: links,
	},
	{
		operation: "searchSpaceContent", field: `space(id: $spaceId).search(query: "linux")`, query: "query=linux",
		selection: connection(pageHit), minimum: access.Read,
	},
	{
		operation: "importGitRepository", field: "importGitRepository", selection: " { space { id } } ", minimum: access.Create,
		body:   object{"url": "https://example.com/docs.git", "ref": "refs/heads/main"},
		input:  object{"space": "{spaceId}", "url": "https://example.com/docs.git", "ref": "refs/heads/main"},
		effect: "getSpaceGitInfo",
	},
	{
		operation: "exportToGitRepository", field: "exportToGitRepository", selection: " { space { id } } ", minimum: access.Create,
		body:   object{"url": "https://example.com/docs.git", "ref": "refs/heads/main", "commitMessage": "Export"},
		input:  object{"space": "{spaceId}", "url": "https://example.com/docs.git", "ref": "refs/heads/main", "commitMessage": "Export"},
		effect: "getSpaceGitInfo",
	},
	{
		operation: "getSpaceGitInfo", field: "space(id: $spaceId).gitSync", selection: gitSync, minimum: access.Read, visitors: true,
	},
}

var links = " { nodes " + link + " totalCount pageInfo { hasNextPage endCursor } stats { total broken { total changeRequest } } } "
