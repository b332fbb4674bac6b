package invite

import (
	"context"
	"time"

	"octavo/ent"
	entinvite "octavo/ent/invite"
	entorganization "octavo/ent/organization"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/fault"
	"octavo/internal/identifier"
)

const maximumUses = 100_000

// NewLink is a link to be made.
type NewLink struct {
	OrganizationID string
	// ResourceID of a space or collection; nil for the organization.
	ResourceID *string
	// Role that it gives there. None makes guests of the organization, and is
	// nothing that one can be invited to a space or collection with. It has to
	// be given.
	Role *access.Role
	// ExpiresAt is when it ends; nil is never.
	ExpiresAt *time.Time
	// MaximumUses is how many people may join by it; nil is any number.
	MaximumUses *int
}

// Create makes a link by which people join. It needs the role admin in what it
// leads to, so that nobody gives more than they have. It returns NOT_ALLOWED
// when the organization has links switched off.
func (s *Service) Create(ctx context.Context, link NewLink) (*Invite, error) {
	if err := s.require(ctx, link.OrganizationID, link.ResourceID); err != nil {
		return nil, err
	}
	if err := link.validate(); err != nil {
		return nil, err
	}
	var created *Invite
	err := s.database.Write(ctx, func(ctx context.Context) error {
		owner, err := s.lock(ctx, link.OrganizationID)
		if err != nil {
			return err
		}
		if !owner.InviteLinks {
			return fault.New(fault.NotAllowed, "the organization has invite links switched off")
		}
		created, err = s.create(ctx, ent.Invite{
			OrganizationID: link.OrganizationID, ResourceID: link.ResourceID, Role: *link.Role,
			ExpiresAt: link.ExpiresAt, MaximumUses: link.MaximumUses,
		})
		return err
	})
	return created, err
}

func (l NewLink) validate() error {
	if err := validateRole(l.ResourceID, l.Role); err != nil {
		return err
	}
	if l.MaximumUses != nil && (*l.MaximumUses < 1 || *l.MaximumUses > maximumUses) {
		return fault.Invalid("maximumUses", "1 to %d, got %d", maximumUses, *l.MaximumUses)
	}
	return validateEnd(l.ExpiresAt)
}

func validateRole(resourceID *string, role *access.Role) error {
	switch {
	case role == nil && resourceID == nil:
		return fault.Invalid("role", "it is missing; null makes guests")
	case resourceID != nil && (role == nil || *role == access.None):
		return fault.Invalid("role", "an invite to a space or collection gives at least %s", access.Read)
	}
	return nil
}

func validateEnd(at *time.Time) error {
	if at != nil && !at.After(time.Now()) {
		return fault.Invalid("expiresAt", "%s is in the past", at.Format(time.RFC3339))
	}
	return nil
}

// lock makes the people and settings of an organization stay as they are until
// the transaction ends, and returns it.
func (s *Service) lock(ctx context.Context, organizationID string) (*ent.Organization, error) {
	if err := s.database.Lock(ctx, entorganization.Table, organizationID); err != nil {
		return nil, err
	}
	found, err := s.database.Client(ctx).Organization.Get(ctx, organizationID)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("organization")
	}
	return found, err
}

// create writes an invite of the caller with a fresh secret.
func (s *Service) create(ctx context.Context, fields ent.Invite) (*Invite, error) {
	id := identifier.New(identifier.Invite)
	secret := newSecret(id)
	create := s.database.Client(ctx).Invite.Create().SetID(id).SetHash(hashOf(secret)).
		SetOrganizationID(fields.OrganizationID).SetCreatedBy(access.From(ctx).UserID).
		SetNillableResourceID(fields.ResourceID).SetNillableEmail(fields.Email).SetRole(fields.Role).
		SetSSO(fields.SSO).SetNillableMaximumUses(fields.MaximumUses).
		SetNillableDelivery(fields.Delivery)
	if fields.ExpiresAt != nil {
		create.SetExpiresAt(fields.ExpiresAt.UTC().Truncate(time.Microsecond))
	}
	row, err := create.Save(ctx)
	if err != nil {
		return nil, err
	}
	return &Invite{Invite: row, Secret: secret, Redundant: row.Email == nil}, audit.Record(ctx, s.database, audit.Change{
		OrganizationID: row.OrganizationID, Action: audit.InviteCreated, SubjectID: row.ID, After: described(row),
	})
}

func described(row *ent.Invite) map[string]any {
	return map[string]any{
		"email": row.Email, "resource": row.ResourceID, "role": row.Role, "maximumUses": row.MaximumUses, "expiresAt": row.ExpiresAt,
	}
}

// Changes to an invite; nil leaves a field as it is.
type Changes struct {
	Role *access.Role
	// ExpiresAt ends the invite at another time; the zero time never.
	ExpiresAt *time.Time
}

// Update changes an invite: those who accept it from now on get the new role.
// It needs the role admin in what it leads to.
func (s *Service) Update(ctx context.Context, organizationID, handle string, changes Changes) (*Invite, error) {
	if _, err := s.Get(ctx, organizationID, handle); err != nil {
		return nil, err
	}
	var updated *Invite
	err := s.database.Write(ctx, func(ctx context.Context) error {
		if _, err := s.lock(ctx, organizationID); err != nil {
			return err
		}
		found, err := s.Get(ctx, organizationID, handle)
		if err != nil {
			return err
		}
		updated, err = s.update(ctx, found, changes)
		return err
	})
	return updated, err
}

func (s *Service) update(ctx context.Context, found *Invite, changes Changes) (*Invite, error) {
	update := s.database.Client(ctx).Invite.UpdateOneID(found.ID)
	if changes.Role != nil {
		if err := validateRole(found.ResourceID, changes.Role); err != nil {
			return nil, err
		}
		update.SetRole(*changes.Role)
	}
	switch at := changes.ExpiresAt; {
	case at == nil:
	case at.IsZero():
		update.ClearExpiresAt()
	default:
		if err := validateEnd(at); err != nil {
			return nil, err
		}
		update.SetExpiresAt(at.UTC().Truncate(time.Microsecond))
	}
	row, err := update.Save(ctx)
	if err != nil {
		return nil, err
	}
	return &Invite{Invite: row, Redundant: found.Redundant}, audit.Record(ctx, s.database, audit.Change{
		OrganizationID: row.OrganizationID, Action: audit.InviteUpdated, SubjectID: row.ID,
		Before: described(found.Invite), After: described(row),
	})
}

// Revoke ends an invite for good, and tells whether there was one. It needs the
// role admin in what it leads to; who joined by it stays.
func (s *Service) Revoke(ctx context.Context, organizationID, handle string) (existed bool, err error) {
	err = s.database.Write(ctx, func(ctx context.Context) error {
		found, err := s.Get(ctx, organizationID, handle)
		if fault.CodeOf(err) == fault.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		count, err := s.revoke(ctx, []*ent.Invite{found.Invite})
		existed = count > 0
		return err
	})
	return existed, err
}

// revoke ends invites, and returns how many had not ended yet.
func (s *Service) revoke(ctx context.Context, rows []*ent.Invite) (revoked int, err error) {
	for _, row := range rows {
		count, err := s.database.Client(ctx).Invite.Update().Where(entinvite.ID(row.ID), entinvite.RevokedAtIsNil()).
			SetRevokedAt(time.Now().UTC().Truncate(time.Microsecond)).Save(ctx)
		if err != nil {
			return revoked, err
		}
		if count == 0 {
			continue
		}
		revoked++
		if err := audit.Record(ctx, s.database, audit.Change{
			OrganizationID: row.OrganizationID, Action: audit.InviteRevoked, SubjectID: row.ID, Before: described(row),
		}); err != nil {
			return revoked, err
		}
	}
	return revoked, nil
}
