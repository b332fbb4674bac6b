package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"octavo/internal/app"
	"octavo/internal/repository"
)

type exportCommand struct {
	Directory string `arg:"" help:"Directory to write to; it is made if it does not exist."`
	Space     string `required:"" help:"Id of the space."`
	Force     bool   `help:"Write to a directory that is not empty, over files of the same names. Other files stay."`
}

// Run writes the main content of the space as a repository.
func (c *exportCommand) Run(ctx context.Context, settings *Settings, out io.Writer) error {
	return settings.with(ctx, "export", func(ctx context.Context, opened *app.App) (err error) {
		if _, err := opened.Spaces.Get(ctx, c.Space); err != nil {
			return err
		}
		directory, err := repository.CreateDirectory(c.Directory)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, directory.Close()) }()
		if err := c.checkEmpty(directory.FS()); err != nil {
			return err
		}
		written := 0
		err = opened.Transfers.Export(ctx, c.Space, func(path string, mode fs.FileMode, source io.Reader) error {
			written++
			return directory.Write(path, mode, source)
		})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%d files written to %s\n", written, c.Directory)
		return err
	})
}

func (c *exportCommand) checkEmpty(directory fs.FS) error {
	if c.Force {
		return nil
	}
	entries, err := fs.ReadDir(directory, ".")
	if err != nil {
		return fmt.Errorf("read %s: %w", c.Directory, err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty; --force writes to it all the same", c.Directory)
	}
	return nil
}
