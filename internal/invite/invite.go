// Package invite lets people who are no members join an organization, or come
// to a space or collection of it as guests: by a link that whoever has it may
// use, or by one that is sent to an e-mail address and is for its owner alone.
package invite

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"time"

	"octavo/ent"
	entinvite "octavo/ent/invite"
	"octavo/ent/predicate"
	"octavo/internal/access"
	"octavo/internal/address"
	"octavo/internal/database"
	"octavo/internal/fault"
	"octavo/internal/identifier"
	"octavo/internal/mail"
	"octavo/internal/pagination"
	"octavo/internal/permission"
	"octavo/internal/secret"
	"octavo/internal/user"
)

// secretBytes are the random ones of a secret, 43 characters in base 64.
const secretBytes = 32

// Invite is an invite that the caller may see.
type Invite struct {
	*ent.Invite
	// Secret of an invite that was made just now; it cannot be read again. That
	// of an invite that goes out by e-mail is told to nobody else.
	Secret string
	// Redundant tells whether the caller has already what the invite gives.
	Redundant bool
}

// Handle names the invite to whoever is to accept it: the secret where it is
// known, or else the id.
func (i *Invite) Handle() string {
	if i.Secret != "" {
		return i.Secret
	}
	return i.ID
}

// Services are what invites lead to.
type Services struct {
	Database    *database.Database
	Users       *user.Service
	Permissions *permission.Service
	Addresses   address.Book
	// Mail sends invites to e-mail addresses. Without it whoever invites hands
	// them on.
	Mail *mail.Sender
	// Box seals secrets while their messages wait.
	Box *secret.Box
	// Post hands a delivery to the queue, in the transaction of the context.
	Post func(ctx context.Context, delivery Delivery) error
}

// Service keeps invites.
type Service struct {
	Services
	database *database.Database
}

// NewService returns a service that invites to what the services keep.
func NewService(services Services) *Service {
	return &Service{Services: services, database: services.Database}
}

// newSecret makes the secret of an invite: its id, a dot, and what nobody can
// guess.
func newSecret(id string) string {
	random := make([]byte, secretBytes)
	// rand.Read never fails.
	_, _ = rand.Read(random)
	return id + "." + base64.RawURLEncoding.EncodeToString(random)
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// idOf is the id in a secret or an id.
func idOf(handle string) string {
	id, _, _ := strings.Cut(handle, ".")
	return id
}

// opens tells whether a handle is the secret of an invite.
func opens(handle string, row *ent.Invite) bool {
	return subtle.ConstantTimeCompare([]byte(hashOf(handle)), []byte(row.Hash)) == 1
}

// usable limits a query to the invites that can be accepted at a time.
func usable(at time.Time) predicate.Invite {
	return entinvite.And(
		entinvite.RevokedAtIsNil(),
		entinvite.Or(entinvite.ExpiresAtIsNil(), entinvite.ExpiresAtGT(at)),
		entinvite.Or(entinvite.MaximumUsesIsNil(), usesLeft),
	)
}

// Get returns an invite that was not revoked, by its id or its secret. It needs
// the role admin in what it leads to: NOT_FOUND for those who do not see that,
// FORBIDDEN for those who do.
func (s *Service) Get(ctx context.Context, organizationID, handle string) (*Invite, error) {
	if _, err := access.Member(ctx, organizationID, access.ScopeAdmin); err != nil {
		return nil, err
	}
	row, err := s.database.Client(ctx).Invite.Query().
		Where(entinvite.ID(idOf(handle)), entinvite.OrganizationID(organizationID), entinvite.RevokedAtIsNil()).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("invite")
	}
	if err != nil {
		return nil, err
	}
	if err := s.require(ctx, organizationID, row.ResourceID); err != nil {
		return nil, err
	}
	if handle != row.ID && !opens(handle, row) {
		return nil, fault.Missing("invite")
	}
	// Its administrators have all that it can give.
	return &Invite{Invite: row, Redundant: true}, nil
}

// require checks that the caller is an administrator of the organization, or of
// the space or collection in it.
func (s *Service) require(ctx context.Context, organizationID string, resourceID *string) error {
	if resourceID == nil {
		return access.Require(ctx, organizationID, access.ScopeAdmin, access.Admin)
	}
	if _, err := access.Member(ctx, organizationID, access.ScopeAdmin); err != nil {
		return err
	}
	resource, err := s.Permissions.Require(ctx, *resourceID, access.ScopeAdmin, access.Admin)
	if err != nil {
		return err
	}
	if resource.OrganizationID != organizationID {
		return missingResource(*resourceID)
	}
	return nil
}

func missingResource(id string) error {
	if kind, _ := identifier.Split(id); kind == identifier.Space {
		return fault.Missing("space")
	}
	return fault.Missing("collection")
}

// Kind tells links from invites to e-mail addresses.
type Kind string

// The kinds of invite.
const (
	Link  Kind = "link"
	Email Kind = "email"
)

// List returns the invites of a kind that were not revoked, oldest first. It
// needs the role admin in the organization.
func (s *Service) List(ctx context.Context, organizationID string, kind Kind, arguments pagination.Arguments) (pagination.Page[*Invite], error) {
	var none pagination.Page[*Invite]
	if err := access.Require(ctx, organizationID, access.ScopeAdmin, access.Admin); err != nil {
		return none, err
	}
	window, err := arguments.Window(pagination.Key{Name: "invites/" + string(kind)})
	if err != nil {
		return none, err
	}
	ofKind := entinvite.EmailIsNil()
	if kind == Email {
		ofKind = entinvite.EmailNotNil()
	}
	query := s.database.Client(ctx).Invite.Query().
		Where(entinvite.OrganizationID(organizationID), entinvite.RevokedAtIsNil(), ofKind)
	rows, err := query.Clone().Where(window.Apply).All(ctx)
	if err != nil {
		return none, err
	}
	found := make([]*Invite, len(rows))
	for index, row := range rows {
		found[index] = &Invite{Invite: row, Redundant: true}
	}
	return pagination.NewPage(window, found,
		func(item *Invite) (string, string) { return "", item.ID }, query.Count), nil
}
