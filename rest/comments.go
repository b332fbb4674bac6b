package rest

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5"

	"octavo/ent"
	"octavo/graph/model"
	"octavo/internal/comment"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/rest/wire"
)

// comments mounts the same operations below spaces and below change requests.
func (a *API) comments(router chi.Router) {
	for _, parent := range []string{"/spaces/{spaceId}", "/spaces/{spaceId}/change-requests/{changeRequestId}"} {
		router.Get(parent+"/commenters", a.handle(a.listCommenters))
		router.Get(parent+"/comments", a.handle(a.listComments))
		router.Post(parent+"/comments", a.handle(a.postComment))
		router.Get(parent+"/comments/{commentId}", a.handle(a.getComment))
		router.Put(parent+"/comments/{commentId}", a.handle(a.updateComment))
		router.Delete(parent+"/comments/{commentId}", a.handle(a.deleteComment))
		router.Get(parent+"/comments/{commentId}/replies", a.handle(a.listCommentReplies))
		router.Post(parent+"/comments/{commentId}/replies", a.handle(a.postCommentReply))
		router.Get(parent+"/comments/{commentId}/replies/{commentReplyId}", a.handle(a.getCommentReply))
		router.Put(parent+"/comments/{commentId}/replies/{commentReplyId}", a.handle(a.updateCommentReply))
		router.Delete(parent+"/comments/{commentId}/replies/{commentReplyId}", a.handle(a.deleteCommentReply))
	}
}

func (a *API) listComments(writer http.ResponseWriter, request *http.Request) error {
	format, err := textFormat(request)
	if err != nil {
		return err
	}
	filter, err := commentFilter(request)
	if err != nil {
		return err
	}
	order := enum.Order(orElse(optional(request, "order"), string(enum.Descending)))
	if onChangeRequest(request) {
		return answerPage(writer, request, a.changeRequest, sorted(a.resolvers.ChangeRequest().Comments, filter, &order), a.commentRenderer(format))
	}
	return answerPage(writer, request, a.space, sorted(a.resolvers.Space().Comments, filter, &order), a.commentRenderer(format))
}

// allStatuses is the value of status that leaves the list as it is.
const allStatuses = "all"

func commentFilter(request *http.Request) (*model.CommentFilter, error) {
	filter := &model.CommentFilter{TargetPage: present(optional(request, "targetPage"))}
	if authors, given := request.URL.Query()["authors"]; given {
		filter.Authors = graphql.OmittableOf(authors)
	}
	text := orElse(optional(request, "status"), allStatuses)
	if text == allStatuses {
		return filter, nil
	}
	status := enum.CommentStatus(text)
	if enum.Check("status", status) != nil {
		return nil, fault.Invalid("status", "%q is not one of all, open, resolved", text)
	}
	filter.Status = present(&status)
	return filter, nil
}

func (a *API) postComment(writer http.ResponseWriter, request *http.Request) error {
	var body wire.PostComment
	if err := decode(request, &body); err != nil {
		return err
	}
	input := model.PostCommentInput{
		Space: parameter(request, "spaceId"), Page: present(body.Page), Node: present(body.Node), Body: decodeText(body.Body),
	}
	if onChangeRequest(request) {
		input.ChangeRequest = present(new(parameter(request, "changeRequestId")))
	}
	if body.TableCell != nil {
		input.TableCell = present(&model.CommentTableCellInput{Record: body.TableCell.Record, Definition: body.TableCell.Definition})
	}
	payload, err := a.mutation().PostComment(request.Context(), input)
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Comment, nil, a.commentRenderer(asWritten))
}

func (a *API) getComment(writer http.ResponseWriter, request *http.Request) error {
	format, err := textFormat(request)
	if err != nil {
		return err
	}
	found, err := a.comment(request)
	return answer(writer, request, http.StatusOK, found, err, a.commentRenderer(format))
}

func (a *API) updateComment(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateComment
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.comment(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UpdateComment(request.Context(), model.UpdateCommentInput{
		Comment: found.ID, Body: decodeChangedText(body.Body), Resolved: present(body.Resolved),
		AddedReactions: graphql.OmittableOf(body.AddedReactions), RemovedReactions: graphql.OmittableOf(body.RemovedReactions),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Comment, nil, a.commentRenderer(asWritten))
}

func (a *API) deleteComment(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.comment(request)
	var input model.DeleteCommentInput
	switch {
	case err == nil:
		input.Comment = found.ID
	case !absent(err): // deleting nothing still takes a token that may delete
		return err
	}
	payload, err := a.mutation().DeleteComment(request.Context(), input)
	if err != nil {
		return err
	}
	deleted(writer, payload.Deleted)
	return nil
}

func (a *API) listCommentReplies(writer http.ResponseWriter, request *http.Request) error {
	format, err := textFormat(request)
	if err != nil {
		return err
	}
	return answerPage(writer, request, a.comment, a.resolvers.Comment().Replies, a.replyRenderer(format))
}

func (a *API) postCommentReply(writer http.ResponseWriter, request *http.Request) error {
	var body wire.PostCommentReply
	if err := decode(request, &body); err != nil {
		return err
	}
	format, err := textFormat(request)
	if err != nil {
		return err
	}
	found, err := a.comment(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().PostCommentReply(request.Context(), model.PostCommentReplyInput{
		Comment: found.ID, Body: decodeText(body.Body),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.CommentReply, nil, a.replyRenderer(format))
}

func (a *API) getCommentReply(writer http.ResponseWriter, request *http.Request) error {
	format, err := textFormat(request)
	if err != nil {
		return err
	}
	found, err := a.commentReply(request)
	return answer(writer, request, http.StatusOK, found, err, a.replyRenderer(format))
}

// updateCommentReply changes a reply. On a change request the body may resolve
// the thread too; below a space it says nothing of that.
func (a *API) updateCommentReply(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateComment
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.commentReply(request)
	if err != nil {
		return err
	}
	input := model.UpdateCommentReplyInput{
		CommentReply: found.ID, Body: decodeChangedText(body.Body),
		AddedReactions: graphql.OmittableOf(body.AddedReactions), RemovedReactions: graphql.OmittableOf(body.RemovedReactions),
	}
	if onChangeRequest(request) {
		input.Resolved = present(body.Resolved)
	}
	payload, err := a.mutation().UpdateCommentReply(request.Context(), input)
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.CommentReply, nil, a.replyRenderer(asWritten))
}

func (a *API) deleteCommentReply(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.commentReply(request)
	var input model.DeleteCommentReplyInput
	switch {
	case err == nil:
		input.CommentReply = found.ID
	case !absent(err): // deleting nothing still takes a token that may delete
		return err
	}
	payload, err := a.mutation().DeleteCommentReply(request.Context(), input)
	if err != nil {
		return err
	}
	deleted(writer, payload.Deleted)
	return nil
}

func (a *API) listCommenters(writer http.ResponseWriter, request *http.Request) error {
	if onChangeRequest(request) {
		return answerPage(writer, request, a.changeRequest, a.resolvers.ChangeRequest().Commenters, a.renderMember)
	}
	return answerPage(writer, request, a.space, a.resolvers.Space().Commenters, a.renderMember)
}

func onChangeRequest(request *http.Request) bool { return parameter(request, "changeRequestId") != "" }

// comment is the one that the path names; one that is elsewhere is not found.
func (a *API) comment(request *http.Request) (*comment.Comment, error) {
	found, err := a.query().Comment(request.Context(), parameter(request, "commentId"))
	if err != nil {
		return nil, err
	}
	if found.SpaceID != parameter(request, "spaceId") || (found.ChangeRequestID != nil) != onChangeRequest(request) {
		return nil, fault.Missing("comment")
	}
	if found.ChangeRequestID == nil {
		return found, nil
	}
	branch, err := a.changeRequest(request)
	if err != nil {
		return nil, err
	}
	if branch.ID != *found.ChangeRequestID {
		return nil, fault.Missing("comment")
	}
	return found, nil
}

// commentReply is the one that the path names; one that is elsewhere is not
// found.
func (a *API) commentReply(request *http.Request) (*comment.Reply, error) {
	thread, err := a.comment(request)
	if err != nil {
		return nil, err
	}
	found, err := a.query().CommentReply(request.Context(), parameter(request, "commentReplyId"))
	if err != nil {
		return nil, err
	}
	if found.CommentID != thread.ID {
		return nil, fault.Missing("comment reply")
	}
	return found, nil
}

// The forms of a text.
const (
	asWritten  = ""
	asDocument = "document"
	asMarkdown = "markdown"
)

func decodeText(text wire.Text) *model.CommentBodyInput {
	decoded := &model.CommentBodyInput{Markdown: present(text.Markdown)}
	if len(text.Document) > 0 {
		decoded.Document = graphql.OmittableOf(text.Document)
	}
	return decoded
}

func decodeChangedText(text *wire.Text) graphql.Omittable[*model.CommentBodyInput] {
	if text == nil {
		return graphql.Omittable[*model.CommentBodyInput]{}
	}
	return present(decodeText(*text))
}

func renderText(body comment.Body, format string) (wire.Text, error) {
	if format == asMarkdown || format == asWritten && !body.IsDocument() {
		return wire.Text{Markdown: &body.Markdown}, nil
	}
	document, err := body.Document()
	return wire.Text{Document: document}, err
}

func (a *API) commentRenderer(format string) func(context.Context, *comment.Comment) (wire.Comment, error) {
	return func(ctx context.Context, found *comment.Comment) (wire.Comment, error) {
		return a.renderComment(ctx, found, format)
	}
}

func (a *API) renderComment(ctx context.Context, found *comment.Comment, format string) (wire.Comment, error) {
	rendered := wire.Comment{
		Object: "comment", ID: found.ID, PostedAt: found.PostedAt(), EditedAt: found.EditedAt, Replies: found.ReplyCount,
		Target: renderCommentTarget(found.Target()), Permissions: renderCommentPermissions(found.Permissions(ctx)),
		Status: wire.CommentStatus(found.Status()), ResolvedAt: found.ResolvedAt,
	}
	var err error
	if rendered.Body, err = renderText(found.Body(), format); err != nil {
		return rendered, err
	}
	urls, err := a.resolvers.Comment().Urls(ctx, found)
	if err != nil {
		return rendered, err
	}
	rendered.URLs = wire.LocationURLs{Location: urls.Location}
	return rendered, a.renderPeople(ctx, found, &rendered)
}

// renderPeople renders who took part in a discussion.
func (a *API) renderPeople(ctx context.Context, found *comment.Comment, rendered *wire.Comment) error {
	resolver := a.resolvers.Comment()
	author, err := resolver.PostedBy(ctx, found)
	if err := into(ctx, &rendered.PostedBy, author, err, a.renderUser); err != nil {
		return err
	}
	rendered.ResolvedBy, err = a.renderPerson(ctx, func() (*ent.User, error) { return resolver.ResolvedBy(ctx, found) })
	if err != nil {
		return err
	}
	reactions, err := resolver.Reactions(ctx, found)
	if err := intoEach(ctx, &rendered.Reactions, reactions, err, a.renderReaction); err != nil {
		return err
	}
	repliers, err := resolver.Repliers(ctx, found)
	return intoEach(ctx, &rendered.Repliers, repliers, err, a.renderReplier)
}

func renderCommentTarget(target comment.Target) wire.CommentTarget {
	rendered := wire.CommentTarget{
		Space: target.SpaceID, ChangeRequest: target.ChangeRequestID, Review: target.Review, Revision: target.Revision,
		Page: pointer(target.Page), Node: pointer(target.Node),
	}
	if target.TableCell != nil {
		rendered.TableCell = &wire.TableCell{Record: target.TableCell.Record, Definition: target.TableCell.Definition}
	}
	return rendered
}

func pointer(id *string) *wire.Pointer {
	if id == nil {
		return nil
	}
	return &wire.Pointer{ID: *id}
}

func renderCommentPermissions(may comment.Permissions) wire.CommentPermissions {
	return wire.CommentPermissions{View: may.View, Edit: may.Edit, Reply: &may.Reply, Delete: may.Delete}
}

func (a *API) replyRenderer(format string) func(context.Context, *comment.Reply) (wire.CommentReply, error) {
	return func(ctx context.Context, found *comment.Reply) (wire.CommentReply, error) {
		return a.renderReply(ctx, found, format)
	}
}

func (a *API) renderReply(ctx context.Context, found *comment.Reply, format string) (wire.CommentReply, error) {
	rendered := wire.CommentReply{
		Object: "comment-reply", ID: found.ID, PostedAt: found.PostedAt(), EditedAt: found.EditedAt,
		Permissions: renderCommentPermissions(found.Permissions(ctx)),
	}
	resolver := a.resolvers.CommentReply()
	var err error
	if rendered.Body, err = renderText(found.Body(), format); err != nil {
		return rendered, err
	}
	urls, err := resolver.Urls(ctx, found)
	if err != nil {
		return rendered, err
	}
	rendered.URLs = wire.LocationURLs{Location: urls.Location}
	author, err := resolver.PostedBy(ctx, found)
	if err := into(ctx, &rendered.PostedBy, author, err, a.renderUser); err != nil {
		return rendered, err
	}
	reactions, err := resolver.Reactions(ctx, found)
	return rendered, intoEach(ctx, &rendered.Reactions, reactions, err, a.renderReaction)
}

func (a *API) renderReaction(ctx context.Context, found *comment.Reaction) (wire.Reaction, error) {
	users, err := each(ctx, found.Users, a.renderReactor)
	return wire.Reaction{Emoji: found.Emoji, Count: found.Count(), Users: users}, err
}

func (a *API) renderReactor(ctx context.Context, found *comment.Reactor) (wire.Reactor, error) {
	rendered := wire.Reactor{ReactedAt: found.ReactedAt}
	person, err := a.resolvers.ReactionUser().User(ctx, found)
	err = into(ctx, &rendered.User, person, err, a.renderUser)
	return rendered, err
}

func (a *API) renderReplier(ctx context.Context, found *comment.Replier) (wire.Replier, error) {
	rendered := wire.Replier{Count: found.Count, UpdatedAt: found.UpdatedAt}
	person, err := a.resolvers.Replier().User(ctx, found)
	err = into(ctx, &rendered.User, person, err, a.renderUser)
	return rendered, err
}
