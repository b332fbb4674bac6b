// Package user keeps people and the access tokens that act for them.
package user

import (
	"context"
	stdsql "database/sql"
	"net/mail"
	"strings"
	"unicode/utf8"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	"octavo/ent/member"
	"octavo/ent/predicate"
	entuser "octavo/ent/user"
	"octavo/internal/access"
	"octavo/internal/database"
	"octavo/internal/fault"
)

const (
	maximumDisplayName = 64
	maximumURL         = 2048
)

// Service keeps people and tokens.
type Service struct{ database *database.Database }

// NewService returns the service of a database.
func NewService(opened *database.Database) *Service { return &Service{database: opened} }

// New is a person to be added.
type New struct {
	DisplayName string
	Email       string
	// EmailVerified says that the address is known to be theirs.
	EmailVerified bool
}

// Create adds a person. Only Octavo itself does that: the operator's commands
// and single sign-on. It returns CONFLICT when the address is taken.
func (s *Service) Create(ctx context.Context, person New) (*ent.User, error) {
	if err := validateDisplayName(person.DisplayName); err != nil {
		return nil, err
	}
	address, err := mail.ParseAddress(person.Email)
	if err != nil || address.Address != person.Email {
		return nil, fault.Invalid("email", "%q is not an e-mail address", person.Email)
	}
	created, err := s.database.Client(ctx).User.Create().
		SetDisplayName(person.DisplayName).SetEmail(strings.ToLower(person.Email)).SetEmailVerified(person.EmailVerified).
		Save(ctx)
	if ent.IsConstraintError(err) {
		return nil, fault.New(fault.Conflict, "a user with the e-mail address %s exists already", person.Email)
	}
	return created, err
}

// Viewer returns the caller, or UNAUTHENTICATED.
func (s *Service) Viewer(ctx context.Context) (*ent.User, error) {
	viewer, err := access.Allow(ctx, access.ScopeRead)
	if err != nil {
		return nil, err
	}
	return s.database.Client(ctx).User.Get(ctx, viewer.UserID)
}

// Get returns a person who shares an organization with the caller, or the
// caller; NOT_FOUND otherwise.
func (s *Service) Get(ctx context.Context, id string) (*ent.User, error) {
	viewer, err := access.AllowContent(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.database.Client(ctx).User.Query().Where(entuser.ID(id), visible(viewer)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("user")
	}
	return found, err
}

// visible limits a query to the people whom the viewer may see.
func visible(viewer *access.Viewer) predicate.User {
	if viewer.IsSystem() {
		return entuser.And()
	}
	return entuser.Or(
		entuser.ID(viewer.UserID),
		entuser.HasMembersWith(member.OrganizationIDIn(viewer.Organizations()...)),
	)
}

// Visible returns, of the people with the given ids, those whom the caller may
// see, in one statement.
func (s *Service) Visible(ctx context.Context, ids []string) (map[string]*ent.User, error) {
	viewer, err := access.Allow(ctx, access.ScopeRead)
	if err != nil {
		return nil, err
	}
	found, err := s.database.Client(ctx).User.Query().Where(entuser.IDIn(ids...), visible(viewer)).All(ctx)
	return byID(found), err
}

// Named returns people by their ids, for showing who did what: whoever may see
// the deed may see the name. Ids that do not exist are left out.
func (s *Service) Named(ctx context.Context, ids []string) (map[string]*ent.User, error) {
	rows, err := usersByID.Query(ctx, s.database, struct{}{}, ids...)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*ent.User, len(ids))
	err = rows.Each(func(row *stdsql.Rows) error {
		person := new(ent.User)
		if err := row.Scan(person.Targets()...); err != nil {
			return err
		}
		found[person.ID] = person
		return nil
	})
	return found, err
}

// usersByID finds the people whose ids are the names.
var usersByID = database.NewStatement(ent.TypeUser, func(_ struct{}, stencil database.Stencil) *sql.Selector {
	dialect := sql.Dialect(stencil.Dialect)
	selector := dialect.Select().From(dialect.Table(entuser.Table))
	entuser.IDIn(stencil.Names...)(selector)
	return selector.Select(selector.Columns(entuser.Columns...)...)
})

func byID(people []*ent.User) map[string]*ent.User {
	found := make(map[string]*ent.User, len(people))
	for _, person := range people {
		found[person.ID] = person
	}
	return found
}

// Changes to a profile; nil leaves a field as it is.
type Changes struct {
	DisplayName *string
	// PhotoURL is removed by an empty text.
	PhotoURL *string
}

// Update changes the caller's own profile: FORBIDDEN for anybody else's that
// the caller can see, NOT_FOUND for one that they cannot.
func (s *Service) Update(ctx context.Context, id string, changes Changes) (*ent.User, error) {
	viewer, err := access.Allow(ctx, access.ScopeWrite)
	if err != nil {
		return nil, err
	}
	if id != viewer.UserID {
		if _, err := s.Get(ctx, id); err != nil {
			return nil, err
		}
		return nil, fault.Denied("a profile is changed by its owner only")
	}
	update := s.database.Client(ctx).User.UpdateOneID(id)
	if changes.DisplayName != nil {
		if err := validateDisplayName(*changes.DisplayName); err != nil {
			return nil, err
		}
		update.SetDisplayName(*changes.DisplayName)
	}
	if changes.PhotoURL != nil {
		if len(*changes.PhotoURL) > maximumURL {
			return nil, fault.Invalid("photoURL", "at most %d characters, got %d", maximumURL, len(*changes.PhotoURL))
		}
		update.SetPhotoURL(*changes.PhotoURL)
	}
	return update.Save(ctx)
}

func validateDisplayName(name string) error {
	length := utf8.RuneCountInString(strings.TrimSpace(name))
	if length < 1 || length > maximumDisplayName {
		return fault.Invalid("displayName", "1 to %d characters, got %d", maximumDisplayName, length)
	}
	return nil
}
