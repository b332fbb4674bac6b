package invite

import (
	"context"
	"net/mail"
	"slices"
	"strings"
	"time"

	"octavo/ent"
	entinvite "octavo/ent/invite"
	"octavo/ent/member"
	entuser "octavo/ent/user"
	"octavo/internal/access"
	"octavo/internal/fault"
)

const (
	// maximumPeople bounds the people whom one request invites.
	maximumPeople = 100
	// maximumEmail bounds an e-mail address, in bytes.
	maximumEmail = 254
	// period is how long an invite to an e-mail address is open.
	period = 7 * 24 * time.Hour
)

// People are people to be invited to an organization.
type People struct {
	OrganizationID string
	// Emails are their addresses, 1 to 100. Of one that is given twice the last
	// counts.
	Emails []Person
	// Role of those for whom none is given; nil is the default role of the
	// organization.
	Role *access.Role
	// SSO makes them members who sign in through single sign-on.
	SSO bool
}

// Person is somebody to be invited.
type Person struct {
	Email string
	Role  *access.Role
}

// Invited says what became of People.
type Invited struct {
	// Users are members who had a lower role and have the new one now.
	Users []*ent.User
	// Invites were made for all who are no members, whether they have an account
	// or not.
	Invites []*Invite
	// WithoutSSO are addresses whose owners were invited, but not to sign in
	// through single sign-on, which the organization does not use.
	WithoutSSO []string
}

// InvitePeople invites people by their e-mail addresses. It needs the role admin
// in the organization. Nobody becomes a member before they accept, so that an
// invite tells nothing about who has an account. A new invite takes the place of
// an older one to the same address. With a mail server each goes out by e-mail,
// and its secret is told to nobody else.
func (s *Service) InvitePeople(ctx context.Context, people People) (*Invited, error) {
	if err := access.Require(ctx, people.OrganizationID, access.ScopeAdmin, access.Admin); err != nil {
		return nil, err
	}
	if count := len(people.Emails); count == 0 || count > maximumPeople {
		return nil, fault.Invalid("emails", "1 to %d addresses, got %d", maximumPeople, count)
	}
	var invited *Invited
	err := s.database.Write(ctx, func(ctx context.Context) error {
		owner, err := s.lock(ctx, people.OrganizationID)
		if err != nil {
			return err
		}
		roles, err := people.roles(owner)
		if err != nil {
			return err
		}
		invited, err = s.invite(ctx, owner, people, roles)
		return err
	})
	return invited, err
}

// wanted is the role that the owner of an address is to have.
type wanted struct {
	email string
	role  access.Role
}

// roles lists the addresses in the order in which they are given first.
func (p People) roles(owner *ent.Organization) ([]wanted, error) {
	var all []wanted
	for _, person := range p.Emails {
		email, err := normalEmail(person.Email)
		if err != nil {
			return nil, err
		}
		role := owner.DefaultRole
		if p.Role != nil {
			role = *p.Role
		}
		if person.Role != nil {
			role = *person.Role
		}
		index := slices.IndexFunc(all, func(each wanted) bool { return each.email == email })
		if index < 0 {
			all = append(all, wanted{email, role})
			continue
		}
		all[index].role = role
	}
	return all, nil
}

// normalEmail is an address as it is stored: in lower case, without a name.
func normalEmail(given string) (string, error) {
	trimmed := strings.TrimSpace(given)
	address, err := mail.ParseAddress(trimmed)
	if err != nil || address.Address != trimmed || len(trimmed) > maximumEmail {
		return "", fault.Invalid("emails", "%q is not an e-mail address", given)
	}
	return strings.ToLower(trimmed), nil
}

// invite raises those who are members and invites the others.
func (s *Service) invite(ctx context.Context, owner *ent.Organization, people People, roles []wanted) (*Invited, error) {
	members, err := s.members(ctx, owner.ID, roles)
	if err != nil {
		return nil, err
	}
	if err := s.supersede(ctx, owner.ID, roles); err != nil {
		return nil, err
	}
	invited := new(Invited)
	for _, each := range roles {
		if membership := members[each.email]; membership != nil {
			if membership.Role < each.role {
				invited.Users = append(invited.Users, membership.Edges.User)
			}
			if err := s.raise(ctx, membership, each.role); err != nil {
				return nil, err
			}
			continue
		}
		if people.SSO && !owner.SSO {
			invited.WithoutSSO = append(invited.WithoutSSO, each.email)
		}
		made, err := s.create(ctx, ent.Invite{
			OrganizationID: owner.ID, Email: &each.email, Role: each.role, SSO: people.SSO && owner.SSO,
			ExpiresAt: new(time.Now().Add(period)), MaximumUses: new(1), Delivery: s.delivery(),
		})
		if err != nil {
			return nil, err
		}
		if err := s.post(ctx, made); err != nil {
			return nil, err
		}
		invited.Invites = append(invited.Invites, made)
	}
	return invited, nil
}

// members are those whose addresses are invited, by address, in one statement.
func (s *Service) members(ctx context.Context, organizationID string, roles []wanted) (map[string]*ent.Member, error) {
	rows, err := s.database.Client(ctx).Member.Query().
		Where(member.OrganizationID(organizationID), member.HasUserWith(entuser.EmailIn(emails(roles)...))).WithUser().All(ctx)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*ent.Member, len(rows))
	for _, row := range rows {
		found[row.Edges.User.Email] = row
	}
	return found, nil
}

// supersede revokes the open invites to addresses that are invited anew.
func (s *Service) supersede(ctx context.Context, organizationID string, roles []wanted) error {
	older, err := s.database.Client(ctx).Invite.Query().
		Where(entinvite.OrganizationID(organizationID), entinvite.EmailIn(emails(roles)...), usable(time.Now().UTC())).All(ctx)
	if err != nil {
		return err
	}
	_, err = s.revoke(ctx, older)
	return err
}

func emails(roles []wanted) []string {
	all := make([]string, len(roles))
	for index, each := range roles {
		all[index] = each.email
	}
	return all
}
