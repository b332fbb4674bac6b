package graph

import (
	"octavo/graph/model"
	"octavo/internal/invite"
	"octavo/internal/pagination"
)

// people are those whom an input invites.
func people(input model.InviteUsersToOrganizationInput) invite.People {
	people := invite.People{OrganizationID: input.Organization, Role: given(input.Role), SSO: valueOf(input.Sso)}
	for _, each := range input.Emails {
		people.Emails = append(people.Emails, invite.Person{Email: each.Email, Role: given(each.Role)})
	}
	return people
}

// invites wraps a page of invites.
func invites(page pagination.Page[*invite.Invite], err error) (*model.InviteConnection, error) {
	if err != nil {
		return nil, err
	}
	return model.NewInviteConnection(page), nil
}
