package parity

import (
	"slices"

	"octavo/internal/access"
)

var contentRows = slices.Concat(
	readings(readingNames{
		prefix: "space(id: $spaceId).revision", revision: "getCurrentRevision", pages: "listPages", files: "listFiles", file: "getFileById",
		page: "getPageById", path: "getPageByPath", reusable: "getReusableContentById", visitors: true,
	}),
	readings(readingNames{
		prefix: "space(id: $spaceId).revisionById(id: $revisionId)", revision: "getRevisionById", pages: "listPagesInRevisionById",
		files: "listFilesInRevisionById", file: "getFileInRevisionById", page: "getPageInRevisionById", path: "getPageInRevisionByPath",
		reusable: "getReusableContentInRevisionById", visitors: true,
	}),
	readings(readingNames{
		prefix:   "space(id: $spaceId).changeRequest(id: $changeRequestId).revision",
		revision: "getRevisionOfChangeRequestById", pages: "listPagesInChangeRequest", files: "listFilesInChangeRequestById",
		file: "getFileInChangeRequestById", page: "getPageInChangeRequestById", path: "getPageInChangeRequestByPath",
		reusable: "getReusableContentInChangeRequestById",
	}),
	references("space(id: $spaceId).revision", "listSpaceFileBacklinks", "listSpacePageBacklinks", "listPageLinksInSpace"),
	references("space(id: $spaceId).changeRequest(id: $changeRequestId).revision",
		"listChangeRequestFileBacklinks", "listChangeRequestPageBacklinks", "listPageLinksInChangeRequest"),
	[]row{
		{
			operation: "updateSpaceContent", field: "updateSpaceContent", minimum: access.Edit, with: map[string]string{"spaceId": "liveSpaceId"},
			body: object{"changes": wireEdits}, input: object{"space": "{spaceId}", "changes": edits},
			selection: " { revision { id } space { urls { location } } " + outcomes + " } ", as: contentUpdate, effect: "getCurrentRevision",
		},
		{
			operation: "applyTemplateToSpace", field: "applyTemplateToSpace", minimum: access.Edit,
			body: object{"id": "{templateId}"}, input: object{"space": "{spaceId}", "template": "{templateId}"},
			with:      map[string]string{"spaceId": "liveSpaceId"},
			selection: " { revision { id } } ", effect: "getCurrentRevision",
		},
		{
			operation: "getPageDocumentInRevisionById", field: "space(id: $spaceId).revisionById(id: $revisionId).page(id: $pageId).document",
			minimum: access.Read, visitors: true,
		},
		{
			operation: "getReusableContentDocumentInRevisionById", minimum: access.Read, visitors: true,
			field: "space(id: $spaceId).revisionById(id: $revisionId).reusableContent(id: $reusableContentId).document",
		},
		{
			operation: "getRevisionSemanticChanges", field: "space(id: $spaceId).revisionById(id: $revisionId)", minimum: access.Read,
			selection: " { mergedFrom " + changeRequest + " changes(first: 10) " + changes + " } ", as: changesOf,
			graphql: "Query.space.revisionById.changes", with: map[string]string{"revisionId": "mergedRevisionId"},
		},
	},
)

// edits are one of each kind.
var edits = []any{
	object{"insertPage": object{"document": object{"markdown": "# New\n\nText.\n"}, "ref": "new", "emoji": "1f4d8"}},
	object{"updatePage": object{"page": installID, "title": "Set up"}},
	object{"revertPage": object{"page": installID, "revision": "{firstRevisionId}"}},
	object{"deletePage": object{"page": siteID}},
	object{"insertFiles": object{"files": []any{object{"name": "a.txt", "contentType": "text/plain", "base64": "aGVsbG8="}}}},
}

var wireEdits = []any{
	object{"operation": "insert_page", "document": object{"markdown": "# New\n\nText.\n"}, "ref": "new", "emoji": "1f4d8"},
	object{"operation": "update_page", "page": installID, "title": "Set up"},
	object{"operation": "revert_page", "page": installID, "revision": "{firstRevisionId}"},
	object{"operation": "delete_page", "page": siteID},
	object{"operation": "insert_files", "files": []any{object{"name": "a.txt", "contentType": "text/plain", "base64": "aGVsbG8="}}},
}

// contentUpdate is the answer to an edit of the main content.
func contentUpdate(payload object) any {
	wire := outcomesBelow("space")(payload).(object)
	delete(wire, "space")
	return wire
}

// readingNames are the operations that read one state of content.
type readingNames struct {
	prefix, revision, pages, files, file, page, path, reusable string
	// visitors tells that those of a site read it, too.
	visitors bool
}

func readings(names readingNames) []row {
	visitors := names.visitors
	return []row{
		{operation: names.revision, field: names.prefix, selection: revision, minimum: access.Read, visitors: visitors},
		{operation: names.pages, field: names.prefix, selection: " { pages " + page + " } ", graphql: queryPath(names.prefix, "pages"), minimum: access.Read, visitors: visitors},
		{operation: names.files, field: names.prefix + ".files", selection: connection(file), minimum: access.Read, visitors: visitors},
		{operation: names.file, field: names.prefix + ".file(id: $fileId)", selection: file, minimum: access.Read, visitors: visitors},
		{operation: names.page, field: names.prefix + ".page(id: $pageId)", query: "format=markdown", selection: pageWithMarkdown, minimum: access.Read, visitors: visitors},
		{operation: names.path, field: names.prefix + ".pageByPath(path: $pagePath)", query: "format=document", selection: pageWithDocument, minimum: access.Read, visitors: visitors},
		{operation: names.reusable, field: names.prefix + ".reusableContent(id: $reusableContentId)", selection: reusableContent, minimum: access.Read, visitors: visitors},
	}
}

func queryPath(prefix, below string) string { return row{field: prefix}.path() + "." + below }

func references(prefix, fileBacklinks, pageBacklinks, pageLinks string) []row {
	return []row{
		{operation: fileBacklinks, field: prefix + ".file(id: $fileId).backlinks", selection: connection(location), minimum: access.Read},
		{operation: pageBacklinks, field: prefix + ".page(id: $pageId).backlinks", selection: connection(location), minimum: access.Read},
		{operation: pageLinks, field: prefix + ".page(id: $pageId).links", selection: links, minimum: access.Read},
	}
}
