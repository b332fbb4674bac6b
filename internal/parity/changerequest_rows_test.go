package parity

import (
	"octavo/internal/access"
)

const oneChangeRequest = "space(id: $spaceId).changeRequest(id: $changeRequestId)"

var (
	onConflicting = map[string]string{"changeRequestId": "conflictingId"}
	onBehind      = map[string]string{"changeRequestId": "behindId"}
	onMerged      = map[string]string{"changeRequestId": "mergedId"}
)

var changeRequestRows = []row{
	{
		operation: "listChangeRequestsForOrganization", field: "organization(id: $organizationId).changeRequests", selection: connection(changeRequest),
		needs: "member of the organization", codes: anyMember,
	},
	{
		operation: "listChangeRequestsForSpace", field: "space(id: $spaceId).changeRequests(filter: {status: DRAFT})", query: "status=draft",
		selection: connection(changeRequest), minimum: access.Read,
	},
	{
		operation: "createChangeRequest", field: "createChangeRequest", selection: " { changeRequest " + changeRequest + " } ", at: "changeRequest",
		body: object{"subject": "Fix"}, input: object{"space": "{spaceId}", "subject": "Fix"}, minimum: access.Edit,
		effect: "getChangeRequestById", creates: "changeRequestId",
	},
	{operation: "getChangeRequestById", field: oneChangeRequest, selection: changeRequest, minimum: access.Read},
	{
		operation: "updateChangeRequestById", field: "updateChangeRequest", selection: " { changeRequest " + changeRequest + " } ", at: "changeRequest",
		body: object{"subject": "Best guides", "status": "draft"}, input: object{"changeRequest": "{changeRequestId}", "subject": "Best guides", "status": "DRAFT"},
		minimum: access.Edit, effect: "getChangeRequestById",
	},
	{
		operation: "mergeChangeRequest", field: "mergeChangeRequest", selection: merged, input: object{"changeRequest": "{changeRequestId}"},
		minimum: access.Review, effect: "getChangeRequestById", needs: "review, and the merge rules are met",
	},
	{
		operation: "updateChangeRequest", field: "updateChangeRequestFromMain", selection: merged, input: object{"changeRequest": "{changeRequestId}"},
		minimum: access.Edit, with: onBehind, effect: "getChangeRequestById",
	},
	{
		operation: "listChangeRequestLinks", field: oneChangeRequest + ".links(filter: {status: BROKEN})", query: "status=broken",
		selection: links, minimum: access.Read,
	},
	{operation: "getContributorsByChangeRequestId", field: oneChangeRequest + ".contributors", selection: connection(contributor), minimum: access.Read},
	{operation: "getReviewsByChangeRequestId", field: oneChangeRequest + ".reviews", selection: connection(review), minimum: access.Read},
	{
		operation: "submitChangeRequestReview", field: "submitChangeRequestReview", selection: " { review " + review + " } ", at: "review",
		body: object{"status": "changes-requested"}, input: object{"changeRequest": "{changeRequestId}", "status": "CHANGES_REQUESTED"},
		minimum: access.Review, needs: "review, and not who made the change request", effect: "getReviewsByChangeRequestId",
	},
	{operation: "getChangeRequestReviewById", field: oneChangeRequest + ".review(id: $reviewId)", selection: review, minimum: access.Read},
	{
		operation: "getRequestedReviewersByChangeRequestId", field: oneChangeRequest + ".requestedReviewers", selection: connection(requestedReviewer),
		minimum: access.Read,
	},
	{
		operation: "requestReviewersForChangeRequest", field: "requestReviewersForChangeRequest", selection: " { users: requestedReviewers " + requestedReviewer + " } ",
		body: object{"users": []any{"{userId}"}}, input: object{"changeRequest": "{changeRequestId}", "users": []any{"{userId}"}},
		minimum: access.Edit, effect: "getRequestedReviewersByChangeRequestId",
	},
	{
		operation: "removeRequestedReviewerFromChangeRequest", field: "removeRequestedReviewerFromChangeRequest", selection: " { deleted: removed } ",
		input: object{"changeRequest": "{changeRequestId}", "user": "{userId}"}, with: map[string]string{"userId": "requestedId"},
		minimum: access.Edit, effect: "getRequestedReviewersByChangeRequestId",
	},
	{
		operation: "updateChangeRequestContent", field: "updateChangeRequestContent", query: "compat=false", minimum: access.Edit,
		body: object{"changes": wireEdits}, input: object{"changeRequest": "{changeRequestId}", "changes": edits},
		selection: " { changeRequest " + changeRequest + outcomes + " } ", as: outcomesBelow("changeRequest"), effect: "getRevisionOfChangeRequestById",
	},
	{
		operation: "getChangeRequestChanges", field: oneChangeRequest + ".changes(first: 10)", selection: changes, minimum: access.Read,
	},
	{
		operation: "listChangeRequestConflicts", field: oneChangeRequest, with: onConflicting, minimum: access.Read, as: conflictsOf,
		selection: " { revision { id } mergePreview { mainRevision { id } conflicts " + conflict + " } } ",
		graphql:   "Query.space.changeRequest.mergePreview.conflicts",
	},
	{
		operation: "resolveChangeRequestConflicts", field: "resolveConflicts", selection: merged, with: onConflicting, minimum: access.Edit,
		body:   object{"resolutions": []any{object{"conflict": "{conflictId}", "choice": "custom", "value": object{"value": "Both"}}}},
		input:  object{"changeRequest": "{changeRequestId}", "resolutions": []any{object{"conflict": "{conflictId}", "choice": "CUSTOM", "value": "Both"}}},
		effect: "listPagesInChangeRequest",
	},
	{
		operation: "previewChangeRequestMerge", field: oneChangeRequest + ".mergePreview", with: onConflicting, minimum: access.Read,
		selection: " { mergeable unmetRules { rule message } conflicts " + conflict + " changes " + change + " } ",
	},
	{
		operation: "revertChangeRequest", field: "revertMerge", selection: " { revision { id } result conflicts " + conflict + " } ",
		input: object{"changeRequest": "{changeRequestId}"}, with: onMerged, minimum: access.Review, effect: "listPages",
	},
}
