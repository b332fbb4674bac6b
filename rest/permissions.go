package rest

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5"
	"github.com/oapi-codegen/nullable"

	"octavo/graph/model"
	"octavo/internal/access"
	"octavo/internal/permission"
	"octavo/rest/wire"
)

// restricted is a kind of resource with permissions.
type restricted struct {
	path string
	// id is the parameter of the path.
	id string
	// What the resource of a request grants to users and to teams, and who reaches it.
	users, teams granting
	aggregate    func(request *http.Request, role *access.Role, first *int, after *string) (*model.EffectivePermissionConnection, error)
}

// granting lists what the resource of a request grants.
type granting func(request *http.Request, first *int, after *string) (*model.GrantedConnection, error)

// permissions mounts the same operations below each kind of resource.
func (a *API) permissions(router chi.Router) {
	for _, resource := range []restricted{
		{
			path: "/spaces/{spaceId}/permissions", id: "spaceId",
			users: a.userPermissionsOfSpace, teams: a.teamPermissionsOfSpace, aggregate: a.effectivePermissionsOfSpace,
		},
		{
			path: "/collections/{collectionId}/permissions", id: "collectionId",
			users: a.userPermissionsOfCollection, teams: a.teamPermissionsOfCollection, aggregate: a.effectivePermissionsOfCollection,
		},
	} {
		router.Post(resource.path, a.handle(a.invite(resource)))
		router.Get(resource.path+"/users", a.handle(listPermissions(resource.users, a.renderUserPermission)))
		router.Get(resource.path+"/teams", a.handle(listPermissions(resource.teams, a.renderTeamPermission)))
		for path, named := range map[string]principal{"/users/{userId}": user, "/teams/{teamId}": grantedTeam} {
			router.Patch(resource.path+path, a.handle(a.updatePermission(resource, named)))
			router.Delete(resource.path+path, a.handle(a.removePermission(resource, named)))
		}
		router.Get(resource.path+"/aggregate", a.handle(a.listPermissionsAggregate(resource)))
	}
}

func (a *API) invite(resource restricted) handler {
	return func(writer http.ResponseWriter, request *http.Request) error {
		var body wire.GrantPermissions
		if err := decode(request, &body); err != nil {
			return err
		}
		role, err := decodeRole(body.Role)
		if err != nil {
			return err
		}
		_, err = a.mutation().GrantPermissions(request.Context(), model.GrantPermissionsInput{
			Resource: parameter(request, resource.id), Role: role,
			Users: graphql.OmittableOf(body.Users), Teams: graphql.OmittableOf(body.Teams),
		})
		return changed(writer, err)
	}
}

func listPermissions[W any](list granting, render func(context.Context, *permission.Granted) (W, error)) handler {
	return func(writer http.ResponseWriter, request *http.Request) error {
		first, after, err := window(request)
		if err != nil {
			return err
		}
		page, err := list(request, first, after)
		return answerList(writer, request, page, err, render)
	}
}

func (a *API) listPermissionsAggregate(resource restricted) handler {
	return func(writer http.ResponseWriter, request *http.Request) error {
		first, after, err := window(request)
		if err != nil {
			return err
		}
		var role *access.Role
		if name := optional(request, "role"); name != nil {
			parsed, err := access.ParseRole(*name)
			if err != nil {
				return err
			}
			role = &parsed
		}
		page, err := resource.aggregate(request, role, first, after)
		return answerList(writer, request, page, err, a.renderEffectivePermission)
	}
}

func (a *API) updatePermission(resource restricted, principal principal) handler {
	return func(writer http.ResponseWriter, request *http.Request) error {
		var body wire.UpdatePermission
		if err := decode(request, &body); err != nil {
			return err
		}
		role, err := decodeRole(body.Role)
		if err != nil {
			return err
		}
		_, err = a.mutation().UpdatePermission(request.Context(), model.UpdatePermissionInput{
			Resource: parameter(request, resource.id), Principal: principal(request), Role: role,
		})
		return changed(writer, err)
	}
}

func (a *API) removePermission(resource restricted, principal principal) handler {
	return func(writer http.ResponseWriter, request *http.Request) error {
		payload, err := a.mutation().RemovePermission(request.Context(), model.RemovePermissionInput{
			Resource: parameter(request, resource.id), Principal: principal(request),
		})
		if err != nil {
			return err
		}
		deleted(writer, payload.Removed)
		return nil
	}
}

// principal is the user or team that the path of a request names.
type principal func(request *http.Request) *model.PrincipalInput

func user(request *http.Request) *model.PrincipalInput {
	return &model.PrincipalInput{User: present(new(parameter(request, "userId")))}
}

func grantedTeam(request *http.Request) *model.PrincipalInput {
	return &model.PrincipalInput{Team: present(new(parameter(request, "teamId")))}
}

func (a *API) userPermissionsOfSpace(request *http.Request, first *int, after *string) (*model.GrantedConnection, error) {
	found, err := a.space(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Space().UserPermissions(request.Context(), found, first, after, nil, nil)
}

func (a *API) teamPermissionsOfSpace(request *http.Request, first *int, after *string) (*model.GrantedConnection, error) {
	found, err := a.space(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Space().TeamPermissions(request.Context(), found, first, after, nil, nil)
}

func (a *API) effectivePermissionsOfSpace(request *http.Request, role *access.Role, first *int, after *string) (*model.EffectivePermissionConnection, error) {
	found, err := a.space(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Space().EffectivePermissions(request.Context(), found, role, first, after, nil, nil)
}

func (a *API) userPermissionsOfCollection(request *http.Request, first *int, after *string) (*model.GrantedConnection, error) {
	found, err := a.collection(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Collection().UserPermissions(request.Context(), found, first, after, nil, nil)
}

func (a *API) teamPermissionsOfCollection(request *http.Request, first *int, after *string) (*model.GrantedConnection, error) {
	found, err := a.collection(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Collection().TeamPermissions(request.Context(), found, first, after, nil, nil)
}

func (a *API) effectivePermissionsOfCollection(request *http.Request, role *access.Role, first *int, after *string) (*model.EffectivePermissionConnection, error) {
	found, err := a.collection(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Collection().EffectivePermissions(request.Context(), found, role, first, after, nil, nil)
}

// changed answers an operation that has nothing to show.
func changed(writer http.ResponseWriter, err error) error {
	if err != nil {
		return err
	}
	writer.WriteHeader(http.StatusNoContent)
	return nil
}

// decodeRole reads a role; null is none.
func decodeRole(role nullable.Nullable[wire.MemberRole]) (graphql.Omittable[*access.Role], error) {
	if !role.IsSpecified() {
		return graphql.Omittable[*access.Role]{}, nil
	}
	if role.IsNull() {
		return graphql.OmittableOf[*access.Role](nil), nil
	}
	parsed, err := access.ParseRole(string(role.MustGet()))
	return present(&parsed), err
}

func (a *API) renderUserPermission(ctx context.Context, found *permission.Granted) (wire.UserPermission, error) {
	rendered := wire.UserPermission{Permission: renderRole(found.Role)}
	person, err := a.resolvers.UserPermission().User(ctx, found)
	err = into(ctx, &rendered.User, person, err, a.renderUser)
	return rendered, err
}

func (a *API) renderTeamPermission(ctx context.Context, found *permission.Granted) (wire.TeamPermission, error) {
	rendered := wire.TeamPermission{Permission: renderRole(found.Role)}
	granted, err := a.resolvers.TeamPermission().Team(ctx, found)
	err = into(ctx, &rendered.Team, granted, err, a.renderTeam)
	return rendered, err
}

func (a *API) renderEffectivePermission(ctx context.Context, found *permission.Effective) (wire.UserPermission, error) {
	rendered := wire.UserPermission{Permission: renderRole(found.Role)}
	person, err := a.resolvers.EffectivePermission().User(ctx, found)
	err = into(ctx, &rendered.User, person, err, a.renderUser)
	return rendered, err
}
