package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"octavo/internal/database"
	"octavo/internal/job"
)

type migrateCommand struct {
	Status migrateStatusCommand `cmd:"" help:"List the steps of the schema and which of them the database has."`
	Up     migrateUpCommand     `cmd:"" help:"Bring the schema up to date. The server does that at its start, too."`
}

type migrateStatusCommand struct{}

// Run lists the steps.
func (migrateStatusCommand) Run(ctx context.Context, settings *Settings, out io.Writer) (err error) {
	opened, err := database.Open(ctx, settings.DatabaseURL, database.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	steps, err := opened.Migrations(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, step := range steps {
		applied := "pending"
		if !step.AppliedAt.IsZero() {
			applied = date(&step.AppliedAt)
		}
		fmt.Fprintf(table, "%s\t%s\n", step.Name, applied)
	}
	jobs, err := job.Steps(ctx, opened, settings.logger(os.Stderr))
	if err != nil {
		return err
	}
	for _, step := range jobs {
		applied := "pending"
		if step.Applied {
			applied = "applied"
		}
		fmt.Fprintf(table, "%s\t%s\n", step.Name, applied)
	}
	return table.Flush()
}

type migrateUpCommand struct{}

// Run applies what is pending.
func (migrateUpCommand) Run(ctx context.Context, settings *Settings, out io.Writer) (err error) {
	opened, err := database.Open(ctx, settings.DatabaseURL, database.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	applied, err := opened.Migrate(ctx)
	if err == nil {
		var jobs []string
		jobs, err = job.Migrate(ctx, opened, settings.logger(os.Stderr))
		applied = append(applied, jobs...)
	}
	for _, name := range applied {
		fmt.Fprintln(out, "applied", name)
	}
	if err == nil && len(applied) == 0 {
		fmt.Fprintln(out, "the schema is up to date")
	}
	return err
}
