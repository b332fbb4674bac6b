package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5"
	"github.com/oapi-codegen/nullable"

	"octavo/graph/model"
	"octavo/internal/access"
	"octavo/internal/collection"
	"octavo/internal/fault"
	"octavo/internal/invite"
	"octavo/internal/space"
	"octavo/rest/wire"
)

func (a *API) invites(router chi.Router) {
	const invites, links = "/orgs/{organizationId}/invites", "/orgs/{organizationId}/link-invites"
	router.Post(invites, a.handle(a.inviteUsersToOrganization))
	router.Post(invites+"/{inviteId}", a.handle(a.joinOrganizationWithInvite))
	router.Get(links, a.handle(a.listOrganizationInviteLinks))
	router.Post(links, a.handle(a.createOrganizationInvite))
	router.Get(links+"/{inviteId}", a.handle(a.getOrganizationInviteLink))
	router.Patch(links+"/{inviteId}", a.handle(a.updateOrganizationInviteByID))
	router.Delete(links+"/{inviteId}", a.handle(a.deleteOrganizationInviteByID))
}

func (a *API) inviteUsersToOrganization(writer http.ResponseWriter, request *http.Request) error {
	var body wire.InviteUsersToOrganization
	if err := decode(request, &body); err != nil {
		return err
	}
	role, err := decodeRole(body.Role)
	if err != nil {
		return err
	}
	people, err := decodeInvited(body.Emails)
	if err != nil {
		return err
	}
	payload, err := a.mutation().InviteUsersToOrganization(request.Context(), model.InviteUsersToOrganizationInput{
		Organization: parameter(request, "organizationId"), Emails: people, Role: role, Sso: present(body.SSO),
	})
	return answer(writer, request, http.StatusOK, payload, err, a.renderInvited)
}

// decodeInvited reads addresses, each alone or with a role.
func decodeInvited(emails []json.RawMessage) ([]*model.InvitedPersonInput, error) {
	people := make([]*model.InvitedPersonInput, len(emails))
	for index, each := range emails {
		people[index] = new(model.InvitedPersonInput)
		if json.Unmarshal(each, &people[index].Email) == nil {
			continue
		}
		var person wire.InvitedPerson
		if err := json.Unmarshal(each, &person); err != nil {
			return nil, fault.Invalid("emails", "%d is neither an address nor one with a role", index)
		}
		role, err := decodeRole(person.Role)
		if err != nil {
			return nil, err
		}
		people[index].Email, people[index].Role = person.Email, role
	}
	return people, nil
}

func (a *API) renderInvited(ctx context.Context, payload *model.InviteUsersToOrganizationPayload) (wire.InvitedUsers, error) {
	rendered := wire.InvitedUsers{
		Users: make([]string, len(payload.Users)), Invited: len(payload.Invites), FailedSSOEmails: append([]string{}, payload.FailedSSOEmails...),
	}
	for index, person := range payload.Users {
		rendered.Users[index] = person.ID
	}
	for _, each := range payload.Invites {
		url, err := a.resolvers.Invite().URL(ctx, each)
		if err != nil {
			return rendered, err
		}
		rendered.Invites = append(rendered.Invites, wire.EmailInvite{ID: each.Handle(), Email: *each.Email, URL: url})
	}
	return rendered, nil
}

func (a *API) joinOrganizationWithInvite(writer http.ResponseWriter, request *http.Request) error {
	_, err := a.mutation().JoinOrganizationWithInvite(request.Context(), model.JoinOrganizationWithInviteInput{
		Organization: present(new(parameter(request, "organizationId"))), Invite: parameter(request, "inviteId"),
	})
	if err != nil {
		return err
	}
	WriteJSON(writer, http.StatusOK, struct{}{})
	return nil
}

func (a *API) listOrganizationInviteLinks(writer http.ResponseWriter, request *http.Request) error {
	return answerPage(writer, request, a.organization, a.resolvers.Organization().LinkInvites, a.renderInvite)
}

func (a *API) createOrganizationInvite(writer http.ResponseWriter, request *http.Request) error {
	var body wire.CreateInvite
	if err := decode(request, &body); err != nil {
		return err
	}
	input := model.CreateOrganizationInviteInput{
		Organization: parameter(request, "organizationId"), ExpiresAt: present(body.ExpiresAt), MaximumUses: present(body.MaximumUses),
	}
	given := body.Role
	switch {
	case body.Space != nil && body.Collection != nil:
		return fault.Invalid("collection", "an invite leads to a space or to a collection, not to both")
	case body.Space != nil:
		input.Resource, given = present(body.Space), body.Level
	case body.Collection != nil:
		input.Resource, given = present(body.Collection), body.Level
	}
	var err error
	if input.Role, err = decodeRole(given); err != nil {
		return err
	}
	payload, err := a.mutation().CreateOrganizationInvite(request.Context(), input)
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusCreated, payload.Invite, nil, a.renderInvite)
}

func (a *API) getOrganizationInviteLink(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.foundInvite(request)
	return answer(writer, request, http.StatusOK, found, err, a.renderInvite)
}

// foundInvite is the one that the path names.
func (a *API) foundInvite(request *http.Request) (*invite.Invite, error) {
	found, err := a.organization(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Organization().Invite(request.Context(), found, parameter(request, "inviteId"))
}

func (a *API) updateOrganizationInviteByID(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateInvite
	if err := decode(request, &body); err != nil {
		return err
	}
	role, err := decodeInviteRole(body.Role, body.Level)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UpdateOrganizationInvite(request.Context(), model.UpdateOrganizationInviteInput{
		Organization: parameter(request, "organizationId"), Invite: parameter(request, "inviteId"),
		Role: role, ExpiresAt: omittable(body.ExpiresAt),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Invite, nil, a.renderInvite)
}

// decodeInviteRole reads the role in an organization, or else the level in
// content: the wire has two names for what is one.
func decodeInviteRole(role, level nullable.Nullable[wire.MemberRole]) (graphql.Omittable[*access.Role], error) {
	if role.IsSpecified() {
		return decodeRole(role)
	}
	return decodeRole(level)
}

func (a *API) deleteOrganizationInviteByID(writer http.ResponseWriter, request *http.Request) error {
	payload, err := a.mutation().DeleteOrganizationInvite(request.Context(), model.DeleteOrganizationInviteInput{
		Organization: parameter(request, "organizationId"), Invite: parameter(request, "inviteId"),
	})
	if absent(err) {
		deleted(writer, false)
		return nil
	}
	if err != nil {
		return err
	}
	deleted(writer, payload.Deleted)
	return nil
}

// renderInvite renders an invite in the form for what it leads to.
func (a *API) renderInvite(ctx context.Context, found *invite.Invite) (any, error) {
	url, err := a.resolvers.Invite().URL(ctx, found)
	if err != nil {
		return nil, err
	}
	resource, err := a.resolvers.Invite().Resource(ctx, found)
	if err != nil {
		return nil, err
	}
	switch resource := resource.(type) {
	case *space.Space:
		rendered := wire.SpaceInvite{
			Object: "invite", ID: found.Handle(), URL: url, Level: nullableRole(found.Role), Redundant: found.Redundant,
			Uses: found.Uses, MaximumUses: found.MaximumUses, ExpiresAt: found.ExpiresAt,
		}
		err = into(ctx, &rendered.Space, resource, nil, a.renderSpace)
		return rendered, err
	case *collection.Collection:
		rendered := wire.CollectionInvite{
			Object: "invite", ID: found.Handle(), URL: url, Level: nullableRole(found.Role), Redundant: found.Redundant,
			Uses: found.Uses, MaximumUses: found.MaximumUses, ExpiresAt: found.ExpiresAt,
		}
		err = into(ctx, &rendered.Collection, resource, nil, a.renderCollection)
		return rendered, err
	default:
		return wire.OrganizationInvite{
			Object: "invite", ID: found.Handle(), URL: url, Role: nullableRole(found.Role), Redundant: found.Redundant,
			Uses: found.Uses, MaximumUses: found.MaximumUses, ExpiresAt: found.ExpiresAt,
		}, nil
	}
}

// nullableRole renders a role where null is written too.
func nullableRole(role access.Role) nullable.Nullable[wire.MemberRole] {
	if role == access.None {
		return nullable.NewNullNullable[wire.MemberRole]()
	}
	return nullable.NewNullableWithValue(wire.MemberRole(role.String()))
}
