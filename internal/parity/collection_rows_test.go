package parity

import (
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
}
