package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"octavo/internal/app"
	"octavo/internal/space"
	"octavo/internal/transfer"
)

type importCommand struct {
	Source       string `arg:"" help:"A directory, a zip archive, or the http or https address of a git repository."`
	Space        string `xor:"target" required:"" help:"Id of the space to import into."`
	Organization string `xor:"target" required:"" help:"Id of the organization in which to make a space for the repository."`
	Title        string `help:"Title of the new space."`
	Ref          string `help:"Branch, tag or commit of a git repository. Default: its default branch."`
	Subdirectory string `help:"Directory of the content in the repository."`
	Force        bool   `help:"Where the space and the repository changed the same thing, take what the repository says."`
}

// Validate checks what belongs together.
func (c *importCommand) Validate() error {
	if c.Title != "" && c.Organization == "" {
		return errors.New("--title is for a new space, with --organization")
	}
	if c.Organization != "" && c.Title == "" {
		return errors.New("a new space needs a --title")
	}
	return nil
}

// Run imports the repository, also while the server runs.
func (c *importCommand) Run(ctx context.Context, settings *Settings, out io.Writer) error {
	return settings.with(ctx, "import", func(ctx context.Context, opened *app.App) (err error) {
		source, err := opened.Transfers.OpenSource(ctx, c.Source, c.Ref, c.Subdirectory)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, source.Close()) }()
		shown := newProgress(os.Stderr)
		source.Progress = shown.update
		imported, err := c.transfer(ctx, opened, source.Source)
		shown.end()
		if err != nil {
			return err
		}
		return report(out, imported)
	})
}

func (c *importCommand) transfer(ctx context.Context, opened *app.App, source transfer.Source) (*transfer.Imported, error) {
	if c.Space != "" {
		return opened.Transfers.Import(ctx, c.Space, source, transfer.Options{Force: c.Force})
	}
	return opened.Transfers.ImportNew(ctx, space.New{OrganizationID: c.Organization, Title: c.Title}, source)
}

// report says what an import did and could not place.
func report(out io.Writer, imported *transfer.Imported) error {
	for _, problem := range transfer.Describe(imported.Report) {
		fmt.Fprintln(out, problem)
	}
	found := imported.Report
	fmt.Fprintf(out, "%d pages, %d files, %d texts that are no pages\n", found.Pages, found.Files, found.Unplaced)
	if !imported.Changed {
		fmt.Fprintln(out, "the space had this content already")
	}
	_, err := fmt.Fprintf(out, "space %s\nrevision %s\n", imported.SpaceID, imported.RevisionID)
	return err
}

// refreshInterval is how often progress is shown.
const refreshInterval = 100 * time.Millisecond

// progress shows on a terminal how far an import is; elsewhere it shows nothing.
type progress struct {
	out   io.Writer
	shown time.Time
	dirty bool
}

func newProgress(file *os.File) *progress {
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return &progress{out: io.Discard}
	}
	return &progress{out: file}
}

var stepNames = map[transfer.Step]string{
	transfer.StepRead: "reading", transfer.StepStore: "storing files", transfer.StepWrite: "writing",
}

func (p *progress) update(step transfer.Step, done, total int) {
	if now := time.Now(); done == total || now.Sub(p.shown) >= refreshInterval {
		p.shown, p.dirty = now, true
		fmt.Fprintf(p.out, "\r\x1b[K%s %d/%d", stepNames[step], done, total)
	}
}

func (p *progress) end() {
	if p.dirty {
		fmt.Fprintln(p.out)
	}
}
