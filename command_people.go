package main

import (
	"context"
	"fmt"
	"io"

	"octavo/internal/access"
	"octavo/internal/app"
	"octavo/internal/organization"
	"octavo/internal/user"
)

type userCommand struct {
	Create userCreateCommand `cmd:"" help:"Add a person."`
}

type userCreateCommand struct {
	Email string `required:"" help:"E-mail address; taken as verified."`
	Name  string `required:"" help:"Display name, 1 to 64 characters."`

	Organization string `help:"Id of an organization to make them a member of."`
	Role         string `help:"Their role in it: admin, create, review, edit, comment or read. None makes them a guest."`
}

// Run adds a person.
func (c *userCreateCommand) Run(ctx context.Context, settings *Settings, out io.Writer) error {
	role, err := access.ParseRole(c.Role)
	if err != nil {
		return err
	}
	return settings.with(ctx, "user create", func(ctx context.Context, opened *app.App) error {
		created, err := opened.Users.Create(ctx, user.New{DisplayName: c.Name, Email: c.Email, EmailVerified: true})
		if err != nil {
			return err
		}
		if c.Organization != "" {
			if err := opened.Organizations.AddMember(ctx, c.Organization, created.ID, role); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintln(out, created.ID)
		return err
	})
}

type organizationCommand struct {
	Create organizationCreateCommand `cmd:"" help:"Make an organization."`
}

type organizationCreateCommand struct {
	Title    string `required:"" help:"Title, 2 to 255 characters."`
	Admin    string `required:"" help:"E-mail address or id of its first administrator."`
	Hostname string `help:"Host name of public content, 3 to 32 characters."`
}

// Run makes an organization.
func (c *organizationCreateCommand) Run(ctx context.Context, settings *Settings, out io.Writer) error {
	return settings.with(ctx, "organization create", func(ctx context.Context, opened *app.App) error {
		admin, err := findUser(ctx, opened, c.Admin)
		if err != nil {
			return err
		}
		made := organization.New{Title: c.Title}
		if c.Hostname != "" {
			made.Hostname = &c.Hostname
		}
		created, err := opened.Organizations.CreateFor(ctx, admin.ID, made)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, created.ID)
		return err
	})
}
