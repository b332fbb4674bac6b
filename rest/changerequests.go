package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5"
	"github.com/oapi-codegen/nullable"

	"octavo/ent"
	"octavo/graph/model"
	"octavo/internal/changerequest"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/rest/wire"
)

func (a *API) changeRequests(router chi.Router) {
	router.Get("/orgs/{organizationId}/change-requests", a.handle(a.listChangeRequestsForOrganization))
	router.Get("/spaces/{spaceId}/change-requests", a.handle(a.listChangeRequestsForSpace))
	router.Post("/spaces/{spaceId}/change-requests", a.handle(a.createChangeRequest))
	const one = "/spaces/{spaceId}/change-requests/{changeRequestId}"
	router.Get(one, a.handle(a.getChangeRequestByID))
	router.Patch(one, a.handle(a.updateChangeRequestByID))
	router.Get(one+"/contributors", a.handle(a.getContributorsByChangeRequestID))
	router.Get(one+"/reviews", a.handle(a.getReviewsByChangeRequestID))
	router.Post(one+"/reviews", a.handle(a.submitChangeRequestReview))
	router.Get(one+"/reviews/{reviewId}", a.handle(a.getChangeRequestReviewByID))
	router.Get(one+"/requested-reviewers", a.handle(a.getRequestedReviewersByChangeRequestID))
	router.Post(one+"/requested-reviewers", a.handle(a.requestReviewersForChangeRequest))
	router.Delete(one+"/requested-reviewers/{userId}", a.handle(a.removeRequestedReviewerFromChangeRequest))
}

func (a *API) listChangeRequestsForOrganization(writer http.ResponseWriter, request *http.Request) error {
	return answerPage(writer, request, a.organization, narrowed(a.resolvers.Organization().ChangeRequests, changeRequestFilter(request)), a.renderChangeRequest)
}

func (a *API) listChangeRequestsForSpace(writer http.ResponseWriter, request *http.Request) error {
	return answerPage(writer, request, a.space, narrowed(a.resolvers.Space().ChangeRequests, changeRequestFilter(request)), a.renderChangeRequest)
}

func changeRequestFilter(request *http.Request) *model.ChangeRequestFilter {
	return &model.ChangeRequestFilter{
		Status:                     present((*enum.ChangeRequestStatus)(optional(request, "status"))),
		Creator:                    present(optional(request, "creator")),
		Contributor:                present(optional(request, "contributor")),
		RequestedReviewer:          present(optional(request, "requestedReviewer")),
		ConversationsIssuesCluster: present(optional(request, "conversationsIssuesCluster")),
	}
}

func (a *API) createChangeRequest(writer http.ResponseWriter, request *http.Request) error {
	var body wire.CreateChangeRequest
	if err := decode(request, &body); err != nil {
		return err
	}
	input := model.CreateChangeRequestInput{Space: parameter(request, "spaceId"), Subject: present(body.Subject)}
	if body.Template != nil {
		files, err := templateFiles(body.Template.Params)
		if err != nil {
			return err
		}
		input.Template, input.TemplateFiles = present(&body.Template.ID), graphql.OmittableOf[any](files)
	}
	payload, err := a.mutation().CreateChangeRequest(request.Context(), input)
	if err != nil {
		return err
	}
	rendered, err := a.renderChangeRequest(request.Context(), payload.ChangeRequest)
	if err != nil {
		return err
	}
	writer.Header().Set("Location", rendered.URLs.Location)
	WriteJSON(writer, http.StatusCreated, rendered)
	return nil
}

// templateFiles are the files that a template is filled in with: ids by name.
func templateFiles(params *wire.TemplateParams) (map[string]any, error) {
	if params == nil {
		return nil, nil
	}
	files := make(map[string]any, len(params.ContentRefs))
	for name, reference := range params.ContentRefs {
		if reference.Kind != "file" || reference.File == nil {
			return nil, fault.Invalid("template.params.contentRefs."+name, "a reference of the kind file is expected")
		}
		files[name] = *reference.File
	}
	return files, nil
}

func (a *API) getChangeRequestByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.changeRequest(request)
	return answer(writer, request, http.StatusOK, found, err, a.renderChangeRequest)
}

// changeRequest is the one that the path names, by its id or its number.
func (a *API) changeRequest(request *http.Request) (*changerequest.ChangeRequest, error) {
	found, err := a.space(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Space().ChangeRequest(request.Context(), found, parameter(request, "changeRequestId"))
}

func (a *API) updateChangeRequestByID(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateChangeRequest
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.changeRequest(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UpdateChangeRequest(request.Context(), model.UpdateChangeRequestInput{
		ChangeRequest: found.ID, Subject: present(body.Subject), Description: omittableDocument(body.Description),
		Status: present((*enum.ChangeRequestStatus)(body.Status)),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.ChangeRequest, nil, a.renderChangeRequest)
}

// omittableDocument is an optional document that may be null.
func omittableDocument(value nullable.Nullable[wire.NullableDocument]) graphql.Omittable[json.RawMessage] {
	switch {
	case !value.IsSpecified():
		return graphql.Omittable[json.RawMessage]{}
	case value.IsNull():
		return graphql.OmittableOf[json.RawMessage](nil)
	default:
		return graphql.OmittableOf(value.MustGet())
	}
}

func (a *API) getContributorsByChangeRequestID(writer http.ResponseWriter, request *http.Request) error {
	return answerPage(writer, request, a.changeRequest, a.resolvers.ChangeRequest().Contributors, a.renderContributor)
}

func (a *API) getReviewsByChangeRequestID(writer http.ResponseWriter, request *http.Request) error {
	var outdated *bool
	if optional(request, "outdated") != nil {
		value, err := flag(request, "outdated", false)
		if err != nil {
			return err
		}
		outdated = &value
	}
	format, err := textFormat(request)
	if err != nil {
		return err
	}
	return answerPage(writer, request, a.changeRequest, narrowed(a.resolvers.ChangeRequest().Reviews, outdated), a.reviewRenderer(format))
}

func (a *API) submitChangeRequestReview(writer http.ResponseWriter, request *http.Request) error {
	var body wire.SubmitReview
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.changeRequest(request)
	if err != nil {
		return err
	}
	input := model.SubmitChangeRequestReviewInput{ChangeRequest: found.ID, Status: enum.ReviewStatus(body.Status)}
	if body.Comment != nil {
		input.Comment = present(&model.CommentBodyInput{
			Markdown: present(body.Comment.Markdown), Document: graphql.OmittableOf(body.Comment.Document),
		})
	}
	payload, err := a.mutation().SubmitChangeRequestReview(request.Context(), input)
	if err != nil {
		return err
	}
	rendered, err := a.renderReview(request.Context(), payload.Review, asWritten)
	if err != nil {
		return err
	}
	writer.Header().Set("Location", rendered.URLs.Location)
	WriteJSON(writer, http.StatusCreated, rendered)
	return nil
}

func (a *API) getChangeRequestReviewByID(writer http.ResponseWriter, request *http.Request) error {
	format, err := textFormat(request)
	if err != nil {
		return err
	}
	found, err := a.changeRequest(request)
	if err != nil {
		return err
	}
	review, err := a.resolvers.ChangeRequest().Review(request.Context(), found, parameter(request, "reviewId"))
	return answer(writer, request, http.StatusOK, review, err, a.reviewRenderer(format))
}

func (a *API) getRequestedReviewersByChangeRequestID(writer http.ResponseWriter, request *http.Request) error {
	return answerPage(writer, request, a.changeRequest, a.resolvers.ChangeRequest().RequestedReviewers, a.renderRequestedReviewer)
}

func (a *API) requestReviewersForChangeRequest(writer http.ResponseWriter, request *http.Request) error {
	var body wire.RequestReviewers
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.changeRequest(request)
	if err != nil {
		return err
	}
	input := model.RequestReviewersForChangeRequestInput{
		ChangeRequest: found.ID, Users: body.Users, Subject: present(body.Subject),
	}
	if body.Description != nil {
		input.Description = graphql.OmittableOf(body.Description)
	}
	payload, err := a.mutation().RequestReviewersForChangeRequest(request.Context(), input)
	if err != nil {
		return err
	}
	users, err := each(request.Context(), payload.RequestedReviewers, a.renderRequestedReviewer)
	if err != nil {
		return err
	}
	WriteJSON(writer, http.StatusOK, wire.RequestedReviewers{Users: users})
	return nil
}

func (a *API) removeRequestedReviewerFromChangeRequest(writer http.ResponseWriter, request *http.Request) error {
	input := model.RemoveRequestedReviewerFromChangeRequestInput{User: parameter(request, "userId")}
	found, err := a.changeRequest(request)
	switch {
	case err == nil:
		input.ChangeRequest = found.ID
	case !absent(err): // removing nothing still takes a token that may remove
		return err
	}
	payload, err := a.mutation().RemoveRequestedReviewerFromChangeRequest(request.Context(), input)
	if absent(err) {
		deleted(writer, false)
		return nil
	}
	if err != nil {
		return err
	}
	deleted(writer, payload.Removed)
	return nil
}

func (a *API) renderChangeRequest(ctx context.Context, found *changerequest.ChangeRequest) (wire.ChangeRequest, error) {
	creator, err := a.renderPerson(ctx, func() (*ent.User, error) { return a.resolvers.ChangeRequest().CreatedBy(ctx, found) })
	if err != nil {
		return wire.ChangeRequest{}, err
	}
	urls, err := a.resolvers.ChangeRequest().Urls(ctx, found)
	if err != nil {
		return wire.ChangeRequest{}, err
	}
	return wire.ChangeRequest{
		Object: "change-request", ID: found.ID, Number: found.Number, Status: wire.ChangeRequestStatus(found.Status),
		Subject: found.Subject, Description: found.Description, CreatedBy: *creator,
		CreatedAt: found.CreatedAt, UpdatedAt: found.UpdatedAt, Space: found.SpaceID,
		Revision: found.RevisionID, RevisionInitial: found.InitialRevisionID,
		RevisionMergedAncestor: found.AncestorRevisionID, RevisionMerged: found.MergedRevisionID,
		Comments: found.OpenComments, Outdated: found.Outdated, ConversationsIssuesCluster: found.IssuesClusterID,
		URLs: wire.ChangeRequestURLs{Location: urls.Location, App: urls.App},
	}, nil
}

// renderPerson renders a person whom a resolver returns; nil for none.
func (a *API) renderPerson(ctx context.Context, resolve func() (*ent.User, error)) (*wire.User, error) {
	person, err := resolve()
	if err != nil || person == nil {
		return nil, err
	}
	rendered, err := a.renderUser(ctx, person)
	return &rendered, err
}

func (a *API) renderContributor(ctx context.Context, found *ent.Contributor) (wire.Contributor, error) {
	person, err := a.renderPerson(ctx, func() (*ent.User, error) { return a.resolvers.Contributor().User(ctx, found) })
	if err != nil {
		return wire.Contributor{}, err
	}
	return wire.Contributor{
		User: *person, UpdatedAt: found.UpdatedAt, Count: found.Count, ActionType: wire.ContributorActionType(found.Action),
	}, nil
}

func (a *API) reviewRenderer(format string) func(context.Context, *changerequest.Review) (wire.Review, error) {
	return func(ctx context.Context, found *changerequest.Review) (wire.Review, error) {
		return a.renderReview(ctx, found, format)
	}
}

func (a *API) renderReview(ctx context.Context, found *changerequest.Review, format string) (wire.Review, error) {
	resolver := a.resolvers.Review()
	reviewer, err := a.renderPerson(ctx, func() (*ent.User, error) { return resolver.Reviewer(ctx, found) })
	if err != nil {
		return wire.Review{}, err
	}
	requestedBy, err := a.renderPerson(ctx, func() (*ent.User, error) { return resolver.RequestedBy(ctx, found) })
	if err != nil {
		return wire.Review{}, err
	}
	urls, err := resolver.Urls(ctx, found)
	if err != nil {
		return wire.Review{}, err
	}
	comment, err := resolver.Comment(ctx, found)
	if err != nil {
		return wire.Review{}, err
	}
	rendered := wire.Review{
		Object: "change-request-review", ID: found.ID, Revision: found.RevisionID, Reviewer: *reviewer,
		RequestedBy: requestedBy, Status: wire.ReviewStatus(found.Status), Outdated: found.Outdated,
		CreatedAt: found.CreatedAt, UpdatedAt: found.CreatedAt, URLs: wire.LocationURLs{Location: urls.Location},
	}
	if comment != nil {
		rendered.Comment = new(wire.Comment)
		*rendered.Comment, err = a.renderComment(ctx, comment, format)
	}
	return rendered, err
}

func (a *API) renderRequestedReviewer(ctx context.Context, found *ent.RequestedReviewer) (wire.RequestedReviewer, error) {
	resolver := a.resolvers.RequestedReviewer()
	person, err := a.renderPerson(ctx, func() (*ent.User, error) { return resolver.User(ctx, found) })
	if err != nil {
		return wire.RequestedReviewer{}, err
	}
	requestedBy, err := a.renderPerson(ctx, func() (*ent.User, error) { return resolver.RequestedBy(ctx, found) })
	if err != nil {
		return wire.RequestedReviewer{}, err
	}
	return wire.RequestedReviewer{
		Object: "change-request-requested-reviewer", Kind: "user", Revision: found.RevisionID,
		CreatedAt: found.CreatedAt, User: *person, RequestedBy: *requestedBy,
	}, nil
}
