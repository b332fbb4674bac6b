package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"octavo/ent"
	entuser "octavo/ent/user"
	"octavo/internal/access"
	"octavo/internal/app"
	"octavo/internal/pagination"
	"octavo/internal/user"
)

type tokenCommand struct {
	Create tokenCreateCommand `cmd:"" help:"Make an access token for a user and print it once."`
	List   tokenListCommand   `cmd:"" help:"List the access tokens of a user."`
	Revoke tokenRevokeCommand `cmd:"" help:"End an access token at once."`
}

type tokenCreateCommand struct {
	User    string         `required:"" help:"E-mail address or id of the user."`
	Name    string         `default:"command line" help:"What the token is for, 1 to 100 characters."`
	Scopes  []access.Scope `help:"Scopes: read, write, admin. None means all."`
	Expires time.Duration  `help:"How long the token is valid, such as 720h. Default: for ever."`
}

// Run makes a token.
func (c *tokenCreateCommand) Run(ctx context.Context, settings *Settings, out io.Writer) error {
	return settings.with(ctx, "token create", func(ctx context.Context, opened *app.App) error {
		owner, err := findUser(ctx, opened, c.User)
		if err != nil {
			return err
		}
		token := user.NewToken{Name: c.Name, Scopes: c.Scopes}
		if c.Expires != 0 {
			token.ExpiresAt = new(time.Now().Add(c.Expires))
		}
		created, secret, err := opened.Users.CreateTokenOf(ctx, owner.ID, token)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s\n%s\n", created.ID, secret)
		return err
	})
}

type tokenListCommand struct {
	User string `required:"" help:"E-mail address or id of the user."`
}

// Run lists tokens.
func (c *tokenListCommand) Run(ctx context.Context, settings *Settings, out io.Writer) error {
	return settings.with(ctx, "token list", func(ctx context.Context, opened *app.App) error {
		owner, err := findUser(ctx, opened, c.User)
		if err != nil {
			return err
		}
		page, err := opened.Users.Tokens(ctx, owner.ID, pagination.Arguments{First: new(pagination.MaximumSize)})
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tNAME\tENDS IN\tSCOPES\tCREATED\tEXPIRES\tREVOKED")
		for _, token := range page.Items {
			fmt.Fprintf(table, "%s\t%s\t%s\t%v\t%s\t%s\t%s\n", token.ID, token.Name, token.Hint, token.Scopes,
				token.CreatedAt.Format(time.RFC3339), date(token.ExpiresAt), date(token.RevokedAt))
		}
		return table.Flush()
	})
}

type tokenRevokeCommand struct {
	Token string `arg:"" help:"Id of the token."`
}

// Run ends a token.
func (c *tokenRevokeCommand) Run(ctx context.Context, settings *Settings, out io.Writer) error {
	return settings.with(ctx, "token revoke", func(ctx context.Context, opened *app.App) error {
		revoked, err := opened.Users.RevokeToken(ctx, c.Token)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, "revoked", revoked.ID)
		return err
	})
}

// findUser finds a person by e-mail address or id.
func findUser(ctx context.Context, opened *app.App, name string) (*ent.User, error) {
	found, err := opened.Database.Client(ctx).User.Query().Where(entuser.Or(entuser.ID(name), entuser.Email(name))).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fmt.Errorf("there is no user with the e-mail address or id %q", name)
	}
	return found, err
}

func date(moment *time.Time) string {
	if moment == nil {
		return "-"
	}
	return moment.Format(time.RFC3339)
}
