package app

import (
	"context"

	"octavo/docs"
	"octavo/internal/access"
	"octavo/internal/organization"
	"octavo/internal/space"
	"octavo/internal/transfer"
	"octavo/internal/user"
)

// FirstStart is what the first start of a server made.
type FirstStart struct {
	UserID, OrganizationID, SpaceID string
	// Token is the access token of the administrator.
	Token string
}

// Bootstrap makes, on a database without users, an administrator with an access
// token, a first organization and a first space with Octavo's own
// documentation. On any other database it does nothing and returns nil. A
// given token is used instead of a generated one.
func (a *App) Bootstrap(ctx context.Context, token string) (*FirstStart, error) {
	ctx = access.System(ctx, "first start")
	var first *FirstStart
	err := a.Database.Write(ctx, func(ctx context.Context) error {
		exists, err := a.Database.Client(ctx).User.Query().Exist(ctx)
		if err != nil || exists {
			return err
		}
		first, err = a.firstStart(ctx, token)
		return err
	})
	return first, err
}

func (a *App) firstStart(ctx context.Context, token string) (*FirstStart, error) {
	administrator, err := a.Users.Create(ctx, user.New{DisplayName: "Administrator", Email: "admin@localhost", EmailVerified: true})
	if err != nil {
		return nil, err
	}
	_, secret, err := a.Users.CreateTokenOf(ctx, administrator.ID, user.NewToken{Name: "first start", Secret: token})
	if err != nil {
		return nil, err
	}
	made, err := a.Organizations.CreateFor(ctx, administrator.ID, organization.New{Title: "My organization"})
	if err != nil {
		return nil, err
	}
	ctx = access.WithViewer(ctx, &access.Viewer{
		UserID: administrator.ID, Memberships: map[string]access.Role{made.ID: access.Admin},
	})
	manual := space.New{OrganizationID: made.ID, Title: "Octavo documentation", Emoji: "1f4d6"}
	imported, err := a.Transfers.ImportNew(ctx, manual, transfer.Source{FS: docs.Files})
	if err != nil {
		return nil, err
	}
	return &FirstStart{UserID: administrator.ID, OrganizationID: made.ID, SpaceID: imported.SpaceID, Token: secret}, nil
}
