package rest

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5"

	"octavo/ent"
	"octavo/graph/model"
	"octavo/internal/enum"
	"octavo/internal/team"
	"octavo/rest/wire"
)

func (a *API) teams(router chi.Router) {
	const teams, one = "/orgs/{organizationId}/teams", "/orgs/{organizationId}/teams/{teamId}"
	router.Get(teams, a.handle(a.listTeamsInOrganizationByID))
	router.Put(teams, a.handle(a.createOrganizationTeam))
	router.Get(one, a.handle(a.getTeamInOrganizationByID))
	router.Patch(one, a.handle(a.updateTeamInOrganizationByID))
	router.Delete(one, a.handle(a.removeTeamFromOrganizationByID))
	router.Get(one+"/members", a.handle(a.listTeamMembersInOrganizationByID))
	router.Put(one+"/members", a.handle(a.updateMembersInOrganizationTeam))
	router.Put(one+"/members/{userId}", a.handle(a.addMemberToOrganizationTeamByID))
	router.Delete(one+"/members/{userId}", a.handle(a.deleteMemberFromOrganizationTeamByID))
}

func (a *API) listTeamsInOrganizationByID(writer http.ResponseWriter, request *http.Request) error {
	first, after, err := window(request)
	if err != nil {
		return err
	}
	found, err := a.organization(request)
	if err != nil {
		return err
	}
	filter := &model.TeamFilter{Owner: present(optional(request, "owner")), Title: present(optional(request, "title"))}
	page, err := a.resolvers.Organization().Teams(request.Context(), found, filter, first, after, nil, nil)
	return answerList(writer, request, page, err, a.renderTeam)
}

func (a *API) createOrganizationTeam(writer http.ResponseWriter, request *http.Request) error {
	var body wire.CreateTeam
	if err := decode(request, &body); err != nil {
		return err
	}
	payload, err := a.mutation().CreateOrganizationTeam(request.Context(), model.CreateOrganizationTeamInput{
		Organization: parameter(request, "organizationId"), Title: body.Title, Members: graphql.OmittableOf(body.Members),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusCreated, payload.Team, nil, a.renderTeam)
}

func (a *API) getTeamInOrganizationByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.team(request)
	return answer(writer, request, http.StatusOK, found, err, a.renderTeam)
}

func (a *API) updateTeamInOrganizationByID(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateTeam
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.team(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UpdateTeamInOrganization(request.Context(), model.UpdateTeamInOrganizationInput{Team: found.ID, Title: body.Title})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Team, nil, a.renderTeam)
}

func (a *API) removeTeamFromOrganizationByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.team(request)
	if absent(err) {
		deleted(writer, false)
		return nil
	}
	if err != nil {
		return err
	}
	payload, err := a.mutation().RemoveTeamFromOrganization(request.Context(), model.RemoveTeamFromOrganizationInput{Team: found.ID})
	if err != nil {
		return err
	}
	deleted(writer, payload.Deleted)
	return nil
}

func (a *API) listTeamMembersInOrganizationByID(writer http.ResponseWriter, request *http.Request) error {
	first, after, err := window(request)
	if err != nil {
		return err
	}
	found, err := a.team(request)
	if err != nil {
		return err
	}
	page, err := a.resolvers.Team().Members(request.Context(), found, first, after, nil, nil)
	return answerList(writer, request, page, err, a.renderTeamMember)
}

func (a *API) updateMembersInOrganizationTeam(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateTeamMembers
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.team(request)
	if err != nil {
		return err
	}
	memberships := make([]*model.TeamMembershipInput, 0, len(body.Memberships))
	for person, membership := range body.Memberships {
		memberships = append(memberships, &model.TeamMembershipInput{Member: person, Role: enum.TeamRole(membership.Role)})
	}
	_, err = a.mutation().UpdateMembersInOrganizationTeam(request.Context(), model.UpdateMembersInOrganizationTeamInput{
		Team: found.ID, Add: graphql.OmittableOf(body.Add), Memberships: graphql.OmittableOf(memberships), Remove: graphql.OmittableOf(body.Remove),
	})
	return done(writer, err)
}

func (a *API) addMemberToOrganizationTeamByID(writer http.ResponseWriter, request *http.Request) error {
	var body wire.PutTeamMember
	if err := decode(request, &body); err != nil {
		return err
	}
	found, err := a.team(request)
	if err != nil {
		return err
	}
	_, err = a.mutation().AddMemberToOrganizationTeam(request.Context(), model.AddMemberToOrganizationTeamInput{
		Team: found.ID, Member: parameter(request, "userId"), Role: present((*enum.TeamRole)(body.Role)),
	})
	return done(writer, err)
}

func (a *API) deleteMemberFromOrganizationTeamByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.team(request)
	if absent(err) {
		deleted(writer, false)
		return nil
	}
	if err != nil {
		return err
	}
	payload, err := a.mutation().DeleteMemberFromOrganizationTeam(request.Context(), model.DeleteMemberFromOrganizationTeamInput{
		Team: found.ID, Member: parameter(request, "userId"),
	})
	if err != nil {
		return err
	}
	deleted(writer, payload.Deleted)
	return nil
}

// done answers with nothing what has no more to say than that it was done.
func done(writer http.ResponseWriter, err error) error {
	if err == nil {
		writer.WriteHeader(http.StatusNoContent)
	}
	return err
}

// team is the one that the path names.
func (a *API) team(request *http.Request) (*team.Team, error) {
	found, err := a.organization(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Organization().Team(request.Context(), found, parameter(request, "teamId"))
}

func (a *API) renderTeam(ctx context.Context, found *team.Team) (wire.Team, error) {
	may := found.Permissions(ctx)
	rendered := wire.Team{
		Object: "team", ID: found.ID, Title: found.Title, CreatedAt: found.CreatedAt,
		Permissions: wire.TeamPermissions{View: may.View, Admin: may.Admin},
	}
	resolver := a.resolvers.Team()
	err := together(
		func() (err error) {
			rendered.Members, err = resolver.MemberCount(ctx, found)
			return err
		},
		func() (err error) {
			rendered.Spaces, err = resolver.SpaceCount(ctx, found)
			return err
		},
	)
	return rendered, err
}

// renderTeamMember renders a membership, which whoever sees it may see.
func (a *API) renderTeamMember(ctx context.Context, found *ent.TeamMember) (wire.TeamMember, error) {
	rendered := wire.TeamMember{
		Team: wire.TeamMembership{Role: wire.TeamRole(found.Role)}, Permissions: wire.TeamMemberPermissions{View: true},
	}
	member, err := a.resolvers.TeamMember().Member(ctx, found)
	err = into(ctx, &rendered.Organization, member, err, a.renderMember)
	return rendered, err
}
