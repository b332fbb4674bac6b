package rest

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"octavo/internal/access"
	"octavo/internal/space"
	"octavo/rest/wire"
)

func (a *API) spaces(router chi.Router) {
	router.Get("/spaces/{spaceId}", a.handle(a.getSpaceByID))
}

func (a *API) getSpaceByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.space(request)
	return answer(writer, request, http.StatusOK, found, err, a.renderSpace)
}

// space is the one that the path names.
func (a *API) space(request *http.Request) (*space.Space, error) {
	return a.query().Space(request.Context(), parameter(request, "spaceId"))
}

func (a *API) renderSpace(ctx context.Context, found *space.Space) (wire.Space, error) {
	urls, err := a.resolvers.Space().Urls(ctx, found)
	if err != nil {
		return wire.Space{}, err
	}
	rendered := wire.Space{
		Object: "space", ID: found.ID, Title: found.Title, Emoji: found.Emoji,
		Visibility: wire.Visibility(found.Visibility), EditMode: unlessEmpty(wire.EditMode(found.EditMode)),
		CreatedAt: found.CreatedAt, UpdatedAt: found.UpdatedAt, DeletedAt: found.DeletedAt,
		MergeRules: renderMergeRules(found.MergeRules), Organization: found.OrganizationID, Parent: found.CollectionID,
		Language: (*wire.Language)(found.Language), Revision: found.RevisionID,
		DefaultLevel: renderDefaultLevel(found.DefaultLevel), Comments: found.OpenComments,
		ChangeRequests: found.ChangeRequestCount, ChangeRequestsOpen: found.OpenChangeRequestCount,
		ChangeRequestsDraft: found.DraftChangeRequestCount,
		URLs: wire.SpaceURLs{
			Location: urls.Location, App: urls.App, Published: urls.Published, Public: urls.Public, Icon: urls.Icon,
		},
		Permissions: renderSpacePermissions(found.Permissions()),
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
