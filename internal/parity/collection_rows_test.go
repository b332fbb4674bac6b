package parity

import (
	"testing"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/fault"
)

var collectionRows = []row{
	{
		operation: "listCollectionsInOrganizationById", field: "organization(id: $organizationId).collections", selection: connection(collection),
		needs: "member of the organization", codes: anyMember,
	},
	{
		operation: "createCollection", field: "createCollection", selection: " { collection " + collection + " } ", at: "collection", minimum: access.Create,
		body:  object{"title": "Handbooks", "parent": "{collectionId}"},
		input: object{"organization": "{organizationId}", "title": "Handbooks", "parent": "{collectionId}"},
		codes: everyone(fault.NotFound, apptest.Guest), needs: "create in the parent, or in the organization",
		effect: "getCollectionById", creates: "collectionId",
	},
	{
		operation: "getCollectionById", field: "collection(id: $collectionId)", selection: collection, minimum: access.Read,
	},
	{
		operation: "updateCollectionById", field: "updateCollection", selection: " { collection " + collection + " } ", at: "collection", minimum: access.Admin,
		body:  object{"title": "Shelves", "description": "All of them", "defaultLevel": "edit"},
		input: object{"collection": "{collectionId}", "title": "Shelves", "description": "All of them", "defaultLevel": "EDIT"},
		needs: "create; admin for defaultLevel", effect: "getCollectionById",
	},
	{
		operation: "listSpacesInCollectionById", field: "collection(id: $collectionId).spaces", selection: connection(space), minimum: access.Read,
	},
	{
		operation: "deleteCollectionById", field: "deleteCollection", selection: " { deleted } ", minimum: access.Admin,
		input: object{"collection": "{collectionId}"},
		// What was in it is still there.
		effect: "getSpaceById", with: map[string]string{"spaceId": "templateId"},
		prepare: func(t *testing.T, f *fixture) { f.value(t, "templateId") },
	},
	{
		operation: "moveCollection", field: "moveCollection", selection: " { collection " + collection + " } ", at: "collection", minimum: access.Create,
		body:  object{"parent": "{bookcaseId}"},
		input: object{"collection": "{collectionId}", "parent": "{bookcaseId}"},
		needs: "create in the collection and where it goes", effect: "getCollectionById",
	},
	{
		operation: "transferCollection", field: "transferCollection", selection: " { collection " + collection + " } ", at: "collection", minimum: access.Admin,
		body: object{"organization": "{branchId}"}, input: object{"collection": "{collectionId}", "organization": "{branchId}"},
		needs: "admin, and create in the other organization", effect: "getCollectionById",
	},
}
