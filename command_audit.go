package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"octavo/internal/app"
	"octavo/internal/audit"
)

type auditCommand struct {
	Export auditExportCommand `cmd:"" help:"Write the audit log of an organization to the standard output, as JSON lines, oldest first."`
}

type auditExportCommand struct {
	Organization string    `required:"" help:"Id of the organization; it may be gone."`
	Since        time.Time `help:"Time of the first entry, such as 2026-01-02T15:04:05Z. Default: the beginning."`
	Until        time.Time `help:"Time before which entries end. Default: now."`
}

// Run writes the log.
func (c *auditExportCommand) Run(ctx context.Context, settings *Settings, out io.Writer) error {
	return settings.with(ctx, "audit export", func(ctx context.Context, opened *app.App) error {
		var filter audit.Filter
		if !c.Since.IsZero() {
			filter.Since = &c.Since
		}
		if !c.Until.IsZero() {
			filter.Until = &c.Until
		}
		buffer := bufio.NewWriter(out)
		encoder := json.NewEncoder(buffer)
		err := opened.AuditLog.Export(ctx, c.Organization, filter, func(line audit.Line) error { return encoder.Encode(line) })
		return errors.Join(err, buffer.Flush())
	})
}
