package parity

import (
	"slices"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/fault"
)

// others are the members who did not write what the fixture's commenter wrote.
var others = []apptest.Caller{apptest.Admin, apptest.Creator, apptest.Reviewer, apptest.Editor, apptest.Reader}

var commentRows = slices.Concat(
	commentsOn(commentNames{
		parent: "space(id: $spaceId)", list: "listCommentsInSpace", post: "postCommentInSpace", get: "getCommentInSpace",
		update: "updateCommentInSpace", remove: "deleteCommentInSpace", replies: "listCommentRepliesInSpace",
		reply: "postCommentReplyInSpace", getReply: "getCommentReplyInSpace", updateReply: "updateCommentReplyInSpace",
		removeReply: "deleteCommentReplyInSpace", commenters: "listCommentersInSpace",
	}),
	commentsOn(commentNames{
		parent: oneChangeRequest, list: "listCommentsInChangeRequest", post: "postCommentInChangeRequest", get: "getCommentInChangeRequest",
		update: "updateCommentInChangeRequest", remove: "deleteCommentInChangeRequest", replies: "listCommentRepliesInChangeRequest",
		reply: "postCommentReplyInChangeRequest", getReply: "getCommentReplyInChangeRequest", updateReply: "updateCommentReplyInChangeRequest",
		removeReply: "deleteCommentReplyInChangeRequest", commenters: "listCommentersInChangeRequest",
		with:   map[string]string{"commentId": "changeRequestComment", "commentReplyId": "changeRequestReply"},
		postTo: object{"changeRequest": "{changeRequestId}"},
	}),
)

// commentNames are the operations on the comments on something.
type commentNames struct {
	parent, list, post, get, update, remove, replies, reply, getReply, updateReply, removeReply, commenters string
	with                                                                                                    map[string]string
	postTo                                                                                                  object
}

func commentsOn(names commentNames) []row {
	post := object{"space": "{spaceId}", "page": welcomeID, "body": object{"markdown": "A **question**."}}
	for name, value := range names.postTo {
		post[name] = value
	}
	authorOrAdmin := everyone(fault.Forbidden, apptest.Creator, apptest.Reviewer, apptest.Editor)
	changed := object{"body": object{"markdown": "Changed."}, "addedReactions": []any{"1f389"}}
	table := []row{
		{
			operation: names.list, field: names.parent + ".comments(filter: {status: OPEN}, order: ASC)", query: "status=open&order=asc",
			selection: connection(comment), minimum: access.Read,
		},
		{
			operation: names.post, field: "postComment", selection: " { comment " + comment + " } ", at: "comment", minimum: access.Comment,
			body: object{"page": welcomeID, "body": object{"markdown": "A **question**."}}, input: post, effect: names.get, creates: "commentId",
		},
		{operation: names.get, field: "comment(id: $commentId)", selection: comment, minimum: access.Read},
		{
			operation: names.update, field: "updateComment", selection: " { comment " + comment + " } ", at: "comment", minimum: access.Comment,
			body:  object{"body": changed["body"], "addedReactions": changed["addedReactions"], "resolved": true},
			input: object{"comment": "{commentId}", "body": changed["body"], "addedReactions": changed["addedReactions"], "resolved": true},
			codes: everyone(fault.Forbidden, others...), effect: names.get,
			needs: "comment: the author; edit resolves anybody's, comment reacts to anybody's",
		},
		{
			operation: names.remove, field: "deleteComment", selection: " { deleted } ", input: object{"comment": "{commentId}"},
			minimum: access.Comment, codes: authorOrAdmin, needs: "comment: the author; or admin", effect: names.list,
		},
		{
			operation: names.replies, field: "comment(id: $commentId).replies", selection: connection(reply), minimum: access.Read,
		},
		{
			operation: names.reply, field: "postCommentReply", selection: " { commentReply " + reply + " } ", at: "commentReply", minimum: access.Comment,
			body:   object{"body": object{"document": replyDocument}},
			input:  object{"comment": "{commentId}", "body": object{"document": replyDocument}},
			effect: names.getReply, creates: "commentReplyId",
		},
		{operation: names.getReply, field: "commentReply(id: $commentReplyId)", selection: reply, minimum: access.Read},
		{
			operation: names.updateReply, field: "updateCommentReply", selection: " { commentReply " + reply + " } ", at: "commentReply",
			body: changed, input: object{"commentReply": "{commentReplyId}", "body": changed["body"], "addedReactions": changed["addedReactions"]},
			minimum: access.Comment, codes: everyone(fault.Forbidden, others...), effect: names.getReply,
			needs: "comment: the author; comment reacts to anybody's",
		},
		{
			operation: names.removeReply, field: "deleteCommentReply", selection: " { deleted } ", input: object{"commentReply": "{commentReplyId}"},
			minimum: access.Comment, codes: authorOrAdmin, needs: "comment: the author; or admin", effect: names.replies,
		},
		{operation: names.commenters, field: names.parent + ".commenters", selection: connection(member), minimum: access.Read},
	}
	for index := range table {
		table[index].with = names.with
	}
	return table
}

var replyDocument = object{
	"object": "document", "data": object{}, "nodes": []any{object{
		"object": "block", "type": "paragraph", "isVoid": false, "data": object{}, "nodes": []any{object{
			"object": "text", "leaves": []any{object{"object": "leaf", "text": "Thanks", "marks": []any{}}},
		}},
	}},
}
