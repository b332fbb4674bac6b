package main

import (
	"context"
	"fmt"
	"io"

	entspace "octavo/ent/space"
	"octavo/internal/app"
)

type searchCommand struct {
	Rebuild searchRebuildCommand `cmd:"" help:"Make the search index anew from the content, space by space."`
}

type searchRebuildCommand struct {
	Space string `help:"Id of the one space to do it for. Default: all that are not deleted."`
}

// Run makes the index anew.
func (c *searchRebuildCommand) Run(ctx context.Context, settings *Settings, out io.Writer) error {
	return settings.with(ctx, "search rebuild", func(ctx context.Context, opened *app.App) error {
		spaces, err := c.spaces(ctx, opened)
		if err != nil {
			return err
		}
		for _, id := range spaces {
			if err := opened.SearchIndex.Rebuild(ctx, id); err != nil {
				return fmt.Errorf("space %s: %w", id, err)
			}
			if _, err := fmt.Fprintln(out, id); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *searchRebuildCommand) spaces(ctx context.Context, opened *app.App) ([]string, error) {
	if c.Space == "" {
		return opened.Database.Client(ctx).Space.Query().Where(entspace.DeletedAtIsNil()).Order(entspace.ByID()).IDs(ctx)
	}
	found, err := opened.Spaces.Get(ctx, c.Space)
	if err != nil {
		return nil, err
	}
	return []string{found.ID}, nil
}
