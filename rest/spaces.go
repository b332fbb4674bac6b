package rest

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5"
	"github.com/oapi-codegen/nullable"

	"octavo/graph/model"
	"octavo/internal/access"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/mergerule"
	"octavo/internal/space"
	"octavo/rest/wire"
)

func (a *API) spaces(router chi.Router) {
	router.Get("/spaces/{spaceId}", a.handle(a.getSpaceByID))
	router.Delete("/spaces/{spaceId}", a.handle(a.deleteSpaceByID))
	router.Patch("/spaces/{spaceId}", a.handle(a.updateSpaceByID))
	router.Post("/spaces/{spaceId}/duplicate", a.handle(a.duplicateSpace))
	router.Post("/spaces/{spaceId}/restore", a.handle(a.restoreSpace))
	router.Post("/spaces/{spaceId}/move", a.handle(a.moveSpace))
	router.Post("/spaces/{spaceId}/transfer", a.handle(a.transferSpace))
}

func (a *API) getSpaceByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.space(request)
	shareKey := optional(request, "shareKey")
	return answer(writer, request, http.StatusOK, found, err, func(ctx context.Context, found *space.Space) (wire.Space, error) {
		return a.renderSharedSpace(ctx, found, shareKey)
	})
}

func (a *API) deleteSpaceByID(writer http.ResponseWriter, request *http.Request) error {
	payload, err := a.mutation().DeleteSpace(request.Context(), model.DeleteSpaceInput{Space: parameter(request, "spaceId")})
	if err != nil {
		return err
	}
	deleted(writer, payload.Deleted)
	return nil
}

func (a *API) updateSpaceByID(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateSpace
	if err := decode(request, &body); err != nil {
		return err
	}
	level, err := decodeDefaultLevel(body.DefaultLevel)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UpdateSpace(request.Context(), model.UpdateSpaceInput{
		Space: parameter(request, "spaceId"), Title: present(body.Title), Emoji: omittable(body.Emoji), Icon: omittable(body.Icon),
		EditMode: present((*enum.EditMode)(body.EditMode)), DefaultLevel: level,
		Language: omittableText(body.Language), MergeRules: present(decodeMergeRules(body.MergeRules)),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Space, nil, a.renderSpace)
}

func (a *API) duplicateSpace(writer http.ResponseWriter, request *http.Request) error {
	payload, err := a.mutation().DuplicateSpace(request.Context(), model.DuplicateSpaceInput{Space: parameter(request, "spaceId")})
	if err != nil {
		return err
	}
	return a.answerCreatedSpace(writer, request, payload.Space)
}

// answerCreatedSpace answers with a new space and where it is.
func (a *API) answerCreatedSpace(writer http.ResponseWriter, request *http.Request, created *space.Space) error {
	rendered, err := a.renderSpace(request.Context(), created)
	if err != nil {
		return err
	}
	writer.Header().Set("Location", rendered.URLs.Location)
	WriteJSON(writer, http.StatusCreated, rendered)
	return nil
}

func (a *API) restoreSpace(writer http.ResponseWriter, request *http.Request) error {
	payload, err := a.mutation().RestoreSpace(request.Context(), model.RestoreSpaceInput{Space: parameter(request, "spaceId")})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Space, nil, a.renderSpace)
}

func (a *API) moveSpace(writer http.ResponseWriter, request *http.Request) error {
	var body wire.MoveSpace
	if err := decode(request, &body); err != nil {
		return err
	}
	position, err := decodePosition(body.Position)
	if err != nil {
		return err
	}
	payload, err := a.mutation().MoveSpace(request.Context(), model.MoveSpaceInput{
		Space: parameter(request, "spaceId"), Parent: omittable(body.Parent), Position: present(position),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Space, nil, a.renderSpace)
}

func (a *API) transferSpace(writer http.ResponseWriter, request *http.Request) error {
	var body wire.TransferSpace
	if err := decode(request, &body); err != nil {
		return err
	}
	payload, err := a.mutation().TransferSpace(request.Context(), model.TransferSpaceInput{
		Space: parameter(request, "spaceId"), Organization: body.Organization,
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Space, nil, a.renderSpace)
}

// decodePosition reads a position beside a space or a collection.
func decodePosition(position *wire.ContentPosition) (*model.SpacePositionInput, error) {
	if position == nil {
		return nil, nil
	}
	var decoded model.SpacePositionInput
	for _, side := range []struct {
		pointer *wire.ContentPointer
		into    *graphql.Omittable[*string]
	}{{position.Before, &decoded.Before}, {position.After, &decoded.After}} {
		if side.pointer == nil {
			continue
		}
		id := side.pointer.Space
		if side.pointer.Collection != nil {
			id = side.pointer.Collection
		}
		if id == nil {
			return nil, fault.Invalid("position", "the id of a space or collection is missing")
		}
		*side.into = present(id)
	}
	return &decoded, nil
}

func decodeDefaultLevel(level nullable.Nullable[wire.DefaultLevel]) (graphql.Omittable[*access.Role], error) {
	if !level.IsSpecified() {
		return graphql.Omittable[*access.Role]{}, nil
	}
	if level.IsNull() {
		return present(new(access.None)), nil
	}
	parsed, err := access.ParseLevel(string(level.MustGet()))
	return present(&parsed), err
}

func decodeMergeRules(rules *wire.MergeRules) *model.MergeRulesInput {
	if rules == nil {
		return nil
	}
	decoded := make([]*model.MergeRuleInput, len(rules.Rules))
	for index, rule := range rules.Rules {
		decoded[index] = &model.MergeRuleInput{
			Rule: mergerule.Kind(rule.Rule), Users: graphql.OmittableOf(rule.Users), Expression: present(rule.Expression),
		}
	}
	return &model.MergeRulesInput{Type: mergerule.Type(rules.Type), Rules: graphql.OmittableOf(decoded)}
}

// space is the one that the path names.
func (a *API) space(request *http.Request) (*space.Space, error) {
	return a.query().Space(request.Context(), parameter(request, "spaceId"))
}

func (a *API) renderSpace(ctx context.Context, found *space.Space) (wire.Space, error) {
	return a.renderSharedSpace(ctx, found, nil)
}

// renderSharedSpace is renderSpace with the key of a share link.
func (a *API) renderSharedSpace(ctx context.Context, found *space.Space, shareKey *string) (wire.Space, error) {
	visibility, err := a.resolvers.Space().Visibility(ctx, found)
	if err != nil {
		return wire.Space{}, err
	}
	urls, err := a.resolvers.Space().Urls(ctx, found, shareKey)
	if err != nil {
		return wire.Space{}, err
	}
	git, err := a.resolvers.Space().GitSync(ctx, found)
	if err != nil {
		return wire.Space{}, err
	}
	parent, err := a.resolvers.Space().Parent(ctx, found)
	if err != nil {
		return wire.Space{}, err
	}
	rendered := wire.Space{
		Object: "space", ID: found.ID, Title: found.Title, Emoji: found.Emoji,
		Visibility: wire.Visibility(visibility), EditMode: unlessEmpty(wire.EditMode(found.EditMode)),
		CreatedAt: found.CreatedAt, UpdatedAt: found.UpdatedAt, DeletedAt: found.DeletedAt,
		MergeRules: renderMergeRules(found.MergeRules), Organization: found.OrganizationID, Parent: idOf(parent),
		Language: (*wire.Language)(found.Language), Revision: found.RevisionID,
		DefaultLevel: renderDefaultLevel(found.DefaultLevel), Comments: found.OpenComments,
		ChangeRequests: found.ChangeRequestCount, ChangeRequestsOpen: found.OpenChangeRequestCount,
		ChangeRequestsDraft: found.DraftChangeRequestCount,
		URLs: wire.SpaceURLs{
			Location: urls.Location, App: urls.App, Published: urls.Published, Public: urls.Public, Icon: urls.Icon,
		},
		Permissions: renderSpacePermissions(found.Permissions(ctx)), GitSync: renderGitSync(git),
	}
	return rendered, nil
}

func renderSpacePermissions(may space.Permissions) wire.SpacePermissions {
	return wire.SpacePermissions{
		View: may.View, Access: may.Access, Admin: may.Admin, ViewInviteLinks: may.ViewInviteLinks, Edit: may.Edit,
		TriggerGitSync: may.TriggerGitSync, Comment: may.Comment, Merge: may.Merge, Review: may.Review,
		InstallIntegration: may.InstallIntegration,
	}
}

func renderDefaultLevel(level access.Role) *wire.DefaultLevel {
	return (*wire.DefaultLevel)(unlessEmpty(level.String()))
}
