package invite

import (
	"context"
	"time"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	entinvite "octavo/ent/invite"
	"octavo/ent/member"
	entpermission "octavo/ent/permission"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/fault"
	"octavo/internal/organization"
	"octavo/internal/user"
)

// usesLeft limits a query to the invites that were not accepted as often as
// they may be.
func usesLeft(selector *sql.Selector) {
	selector.Where(sql.ColumnsLT(selector.C(entinvite.FieldUses), selector.C(entinvite.FieldMaximumUses)))
}

// Accept gives the caller what an invite gives; it never takes anything. A link
// is named by its secret, an invite to the caller's verified e-mail address by
// its id too. Who has it all already uses nothing up. It returns NOT_ALLOWED for
// an invite that has expired or is used up, and NOT_FOUND for any other that
// the caller cannot accept. An empty organization is whichever the invite leads
// to. A secret that went out by e-mail alone verifies the address too.
func (s *Service) Accept(ctx context.Context, organizationID, handle string) (*organization.Organization, error) {
	viewer, err := access.Allow(ctx, access.ScopeAdmin)
	if err != nil {
		return nil, err
	}
	ctx = access.System(ctx, "nobody belongs to the organization that they are invited to")
	var joined *organization.Organization
	err = s.database.Write(ctx, func(ctx context.Context) error {
		person, err := s.database.Client(ctx).User.Get(ctx, viewer.UserID)
		if err != nil {
			return err
		}
		joined, err = s.accept(ctx, organizationID, handle, person)
		return err
	})
	return joined, err
}

// accept lets a person accept an invite in a transaction.
func (s *Service) accept(ctx context.Context, organizationID, handle string, person *ent.User) (*organization.Organization, error) {
	row, err := s.find(ctx, handle)
	if err != nil {
		return nil, err
	}
	if organizationID != "" && organizationID != row.OrganizationID {
		return nil, fault.Missing("invite")
	}
	owner, err := s.lock(ctx, row.OrganizationID)
	if err != nil {
		return nil, err
	}
	if row, err = s.find(ctx, handle); err != nil {
		return nil, err
	}
	if !addressed(row, handle, person) || (row.Email == nil && !owner.InviteLinks) {
		return nil, fault.Missing("invite")
	}
	joining, err := s.joining(ctx, row, person.ID)
	if err != nil {
		return nil, err
	}
	if !joining.redundant() {
		if err := s.use(ctx, row); err != nil {
			return nil, err
		}
		if err := s.join(ctx, joining); err != nil {
			return nil, err
		}
	}
	if err := s.verify(ctx, row, handle, person); err != nil {
		return nil, err
	}
	return &organization.Organization{Organization: owner, Role: joining.membership.Role}, nil
}

// verify takes the address of a person as theirs once they have proved it.
func (s *Service) verify(ctx context.Context, row *ent.Invite, handle string, person *ent.User) error {
	if person.EmailVerified || !proves(row, handle) {
		return nil
	}
	person.EmailVerified = true
	return s.database.Client(ctx).User.UpdateOneID(person.ID).SetEmailVerified(true).Exec(ctx)
}

// find returns an invite that was not revoked, by its id or secret.
func (s *Service) find(ctx context.Context, handle string) (*ent.Invite, error) {
	row, err := s.database.Client(ctx).Invite.Query().
		Where(entinvite.ID(idOf(handle)), entinvite.RevokedAtIsNil()).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("invite")
	}
	return row, err
}

// addressed tells whether a person may accept an invite by the handle.
func addressed(row *ent.Invite, handle string, person *ent.User) bool {
	if row.Email == nil {
		return opens(handle, row)
	}
	if person.Email != *row.Email {
		return false
	}
	return proves(row, handle) || (person.EmailVerified && (handle == row.ID || opens(handle, row)))
}

// proves tells whether a handle shows that whoever has it reads the mail of the
// address: it is a secret that went there and nowhere else.
func proves(row *ent.Invite, handle string) bool { return row.Delivery != nil && opens(handle, row) }

// ended tells whether an invite has expired or is used up.
func ended(row *ent.Invite) bool {
	return (row.ExpiresAt != nil && !row.ExpiresAt.After(time.Now())) || (row.MaximumUses != nil && row.Uses >= *row.MaximumUses)
}

// use counts one more use, unless the invite has ended.
func (s *Service) use(ctx context.Context, row *ent.Invite) error {
	used, err := s.database.Client(ctx).Invite.Update().
		Where(entinvite.ID(row.ID), usable(time.Now().UTC())).AddUses(1).Save(ctx)
	if err != nil {
		return err
	}
	if used == 0 {
		return fault.New(fault.NotAllowed, "the invite has expired or is used up")
	}
	return nil
}

// joining is somebody on their way in.
type joining struct {
	invite *ent.Invite
	// membership of theirs; its id is empty when they are not in the
	// organization yet.
	membership *ent.Member
	// held is the role that they have in what the invite leads to.
	held access.Role
}

// redundant tells whether they have already what the invite gives.
func (j joining) redundant() bool { return j.membership.ID != "" && j.held >= j.invite.Role }

// joining finds out what somebody has of what an invite gives. Those whose
// membership is disabled find no invite: it would not let them in.
func (s *Service) joining(ctx context.Context, row *ent.Invite, userID string) (joining, error) {
	found, err := s.database.Client(ctx).Member.Query().
		Where(member.OrganizationID(row.OrganizationID), member.UserID(userID)).Only(ctx)
	if ent.IsNotFound(err) {
		found, err = &ent.Member{OrganizationID: row.OrganizationID, UserID: userID}, nil
	}
	if err != nil {
		return joining{}, err
	}
	if found.Disabled {
		return joining{}, fault.Missing("invite")
	}
	held := found.Role
	if row.ResourceID != nil {
		held, err = s.held(ctx, row, found)
	}
	return joining{invite: row, membership: found, held: held}, err
}

// held is somebody's role in the space or collection that an invite leads to;
// NOT_FOUND when it is not there any more.
func (s *Service) held(ctx context.Context, row *ent.Invite, membership *ent.Member) (access.Role, error) {
	resource, err := s.Permissions.Require(ctx, *row.ResourceID, access.ScopeRead, access.Read)
	if err != nil || resource.OrganizationID != row.OrganizationID {
		return access.None, fault.Missing("invite")
	}
	viewer := &access.Viewer{UserID: membership.UserID, Memberships: map[string]access.Role{}}
	if membership.ID != "" {
		viewer.Memberships[row.OrganizationID] = membership.Role
	}
	resource, err = s.Permissions.Require(access.WithViewer(ctx, viewer), *row.ResourceID, access.ScopeRead, access.Read)
	if fault.CodeOf(err) == fault.NotFound {
		return access.None, nil
	}
	return resource.Role, err
}

// join gives somebody what their invite gives.
func (s *Service) join(ctx context.Context, joining joining) error {
	if err := s.enter(ctx, joining); err != nil {
		return err
	}
	if joining.invite.ResourceID == nil {
		return nil
	}
	return s.grant(ctx, joining)
}

// enter makes somebody a member, or gives a member a higher role.
func (s *Service) enter(ctx context.Context, joining joining) error {
	invite, membership := joining.invite, joining.membership
	role := access.None
	if invite.ResourceID == nil {
		role = invite.Role
	}
	if membership.ID != "" {
		return s.raise(ctx, membership, role)
	}
	created, err := s.database.Client(ctx).Member.Create().SetOrganizationID(invite.OrganizationID).SetUserID(membership.UserID).
		SetRole(role).SetSSO(invite.SSO).Save(ctx)
	if err != nil {
		return err
	}
	*membership = *created
	return audit.Record(ctx, s.database, audit.Change{
		OrganizationID: invite.OrganizationID, Action: audit.MemberJoined, SubjectID: membership.UserID,
		After: map[string]any{"role": role, "invite": invite.ID},
	})
}

// raise gives a member a role that is higher than theirs; no other.
func (s *Service) raise(ctx context.Context, membership *ent.Member, role access.Role) error {
	before := membership.Role
	if before >= role {
		return nil
	}
	if err := s.database.Client(ctx).Member.UpdateOneID(membership.ID).SetRole(role).Exec(ctx); err != nil {
		return err
	}
	membership.Role = role
	return audit.Record(ctx, s.database, audit.Change{
		OrganizationID: membership.OrganizationID, Action: audit.MemberUpdated, SubjectID: membership.UserID,
		Before: map[string]any{"role": before}, After: map[string]any{"role": role},
	})
}

// grant gives somebody the role in the space or collection.
func (s *Service) grant(ctx context.Context, joining joining) error {
	invite, userID := joining.invite, joining.membership.UserID
	client := s.database.Client(ctx)
	row, err := client.Permission.Query().
		Where(entpermission.ResourceID(*invite.ResourceID), entpermission.PrincipalID(userID)).Only(ctx)
	change := audit.Change{
		OrganizationID: invite.OrganizationID, Action: audit.PermissionGranted, SubjectID: *invite.ResourceID,
		After: map[string]any{"principal": userID, "role": invite.Role, "invite": invite.ID},
	}
	switch {
	case ent.IsNotFound(err):
		err = client.Permission.Create().SetOrganizationID(invite.OrganizationID).
			SetResourceID(*invite.ResourceID).SetPrincipalID(userID).SetRole(invite.Role).Exec(ctx)
	case err == nil:
		change.Action, change.Before = audit.PermissionUpdated, map[string]any{"principal": userID, "role": row.Role}
		err = client.Permission.UpdateOne(row).SetRole(invite.Role).Exec(ctx)
	}
	if err != nil {
		return err
	}
	return audit.Record(ctx, s.database, change)
}

// Account is one that AcceptAsNew made.
type Account struct {
	User *ent.User
	// Token is an access token of theirs; it cannot be read again.
	Token        string
	Organization *organization.Organization
}

// AcceptAsNew makes an account for somebody without one who has the secret of an
// invite to an e-mail address, and lets them accept it. The address counts as
// verified when the secret went out by e-mail alone. It returns CONFLICT when
// the address has an account: its owner accepts with a token of theirs.
func (s *Service) AcceptAsNew(ctx context.Context, secret, displayName string) (*Account, error) {
	const reason = "somebody without an account accepts an invite"
	ctx = access.System(access.WithViewer(ctx, &access.Viewer{}), reason)
	account := new(Account)
	err := s.database.Write(ctx, func(ctx context.Context) error {
		row, err := s.find(ctx, secret)
		if err != nil {
			return err
		}
		if row.Email == nil || !opens(secret, row) {
			return fault.Missing("invite")
		}
		account.User, err = s.Users.Create(ctx, user.New{DisplayName: displayName, Email: *row.Email, EmailVerified: true})
		if err != nil {
			return err
		}
		ctx = access.System(access.WithViewer(ctx, &access.Viewer{UserID: account.User.ID}), reason)
		if account.Organization, err = s.accept(ctx, row.OrganizationID, secret, account.User); err != nil {
			return err
		}
		if !proves(row, secret) {
			// Who made the invite knows its secret too: it opens this invite, and
			// proves the address to nobody else.
			account.User, err = s.database.Client(ctx).User.UpdateOneID(account.User.ID).SetEmailVerified(false).Save(ctx)
			if err != nil {
				return err
			}
		}
		_, account.Token, err = s.Users.CreateTokenOf(ctx, account.User.ID, user.NewToken{Name: "Invite"})
		return err
	})
	if err != nil {
		return nil, err
	}
	return account, nil
}
