package rest

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"octavo/ent"
	"octavo/graph/model"
	"octavo/internal/enum"
	"octavo/internal/space"
	"octavo/rest/wire"
)

// members are below an organization.
func (a *API) members(router chi.Router) {
	router.Get("/members", a.handle(a.listMembersInOrganizationByID))
	router.Get("/members/{userId}", a.handle(a.getMemberInOrganizationByID))
	router.Delete("/members/{userId}", a.handle(a.removeMemberFromOrganizationByID))
	router.Patch("/members/{userId}", a.handle(a.updateMemberInOrganizationByID))
	router.Post("/members/{userId}/sso", a.handle(a.setUserAsSSOMemberForOrganization))
	router.Get("/members/{userId}/spaces", a.handle(a.listSpacesForOrganizationMember))
	router.Get("/members/{userId}/teams", a.handle(a.listTeamsForOrganizationMember))
	router.Post("/ping", a.handle(a.updateOrganizationMemberLastSeenAt))
}

func (a *API) listMembersInOrganizationByID(writer http.ResponseWriter, request *http.Request) error {
	first, after, err := window(request)
	if err != nil {
		return err
	}
	order, err := listOrder(request)
	if err != nil {
		return err
	}
	sort := enum.MemberSort(orElse(optional(request, "sort"), string(enum.MemberJoinedAt)))
	if err := enum.Check("sort", sort); err != nil {
		return err
	}
	found, err := a.organization(request)
	if err != nil {
		return err
	}
	filter := &model.MemberFilter{
		Role: present((*enum.MemberRole)(optional(request, "role"))), Search: present(optional(request, "search")),
	}
	page, err := a.resolvers.Organization().Members(request.Context(), found, filter, &sort, &order, first, after, nil, nil)
	return answerList(writer, request, page, err, a.renderMember)
}

// listOrder is the order that the query names, or the latest first.
func listOrder(request *http.Request) (enum.Order, error) {
	order := enum.Order(orElse(optional(request, "order"), string(enum.Descending)))
	return order, enum.Check("order", order)
}

func (a *API) getMemberInOrganizationByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.organization(request)
	if err != nil {
		return err
	}
	member, err := a.resolvers.Organization().Member(request.Context(), found, parameter(request, "userId"))
	return answer(writer, request, http.StatusOK, member, err, a.renderMember)
}

func (a *API) removeMemberFromOrganizationByID(writer http.ResponseWriter, request *http.Request) error {
	payload, err := a.mutation().RemoveMemberFromOrganization(request.Context(), model.RemoveMemberFromOrganizationInput{
		Organization: parameter(request, "organizationId"), User: parameter(request, "userId"),
	})
	if err != nil {
		return err
	}
	deleted(writer, payload.Deleted)
	return nil
}

func (a *API) updateMemberInOrganizationByID(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateMember
	if err := decode(request, &body); err != nil {
		return err
	}
	role, err := decodeRole(body.Role)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UpdateMemberInOrganization(request.Context(), model.UpdateMemberInOrganizationInput{
		Organization: parameter(request, "organizationId"), User: parameter(request, "userId"), Role: role,
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Member, nil, a.renderMember)
}

func (a *API) setUserAsSSOMemberForOrganization(writer http.ResponseWriter, request *http.Request) error {
	payload, err := a.mutation().SetUserAsSSOMemberForOrganization(request.Context(), model.SetUserAsSSOMemberForOrganizationInput{
		Organization: parameter(request, "organizationId"), User: parameter(request, "userId"),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Member, nil, a.renderMember)
}

func (a *API) updateOrganizationMemberLastSeenAt(writer http.ResponseWriter, request *http.Request) error {
	_, err := a.mutation().UpdateOrganizationMemberLastSeenAt(request.Context(), model.UpdateOrganizationMemberLastSeenAtInput{
		Organization: parameter(request, "organizationId"),
	})
	if err != nil {
		return err
	}
	WriteJSON(writer, http.StatusOK, wire.Ping{})
	return nil
}

func (a *API) listSpacesForOrganizationMember(writer http.ResponseWriter, request *http.Request) error {
	first, after, err := window(request)
	if err != nil {
		return err
	}
	order, err := listOrder(request)
	if err != nil {
		return err
	}
	found, err := a.organization(request)
	if err != nil {
		return err
	}
	page, err := a.resolvers.Organization().MemberSpaces(request.Context(), found, parameter(request, "userId"), &order, first, after, nil, nil)
	return answerList(writer, request, page, err, a.renderMemberSpace)
}

func (a *API) listTeamsForOrganizationMember(writer http.ResponseWriter, request *http.Request) error {
	first, after, err := window(request)
	if err != nil {
		return err
	}
	found, err := a.organization(request)
	if err != nil {
		return err
	}
	page, err := a.resolvers.Organization().MemberTeams(request.Context(), found, parameter(request, "userId"), optional(request, "title"), first, after, nil, nil)
	return answerList(writer, request, page, err, a.renderMemberTeam)
}

func (a *API) renderMemberTeam(ctx context.Context, found *ent.TeamMember) (wire.MemberTeam, error) {
	rendered := wire.MemberTeam{Member: wire.TeamMembership{Role: wire.TeamRole(found.Role)}}
	team, err := a.resolvers.TeamMember().Team(ctx, found)
	err = into(ctx, &rendered.Team, team, err, a.renderTeam)
	return rendered, err
}

func (a *API) renderMemberSpace(ctx context.Context, found *space.MemberSpace) (wire.MemberSpace, error) {
	rendered, err := a.renderSpace(ctx, found.Space)
	return wire.MemberSpace{Permission: wire.MemberSpacePermission(found.Permission.String()), Space: rendered}, err
}

func (a *API) renderMember(ctx context.Context, found *ent.Member) (wire.Member, error) {
	rendered := wire.Member{
		Object: "member", ID: found.UserID, Role: renderRole(found.Role), Disabled: found.Disabled,
		JoinedAt: found.JoinedAt, LastSeenAt: found.LastSeenAt, SSO: found.SSO,
	}
	resolver := a.resolvers.Member()
	person, err := resolver.User(ctx, found)
	if err := into(ctx, &rendered.User, person, err, a.renderUser); err != nil {
		return rendered, err
	}
	if rendered.Spaces, err = resolver.SpaceCount(ctx, found); err != nil {
		return rendered, err
	}
	rendered.Teams, err = resolver.TeamCount(ctx, found)
	return rendered, err
}
