package app

import (
	"context"
	"log/slog"
	"sync"

	"octavo/internal/database"
	"octavo/internal/transfer"
)

// background does work behind requests, in this process.
type background struct {
	database *database.Database
	logger   *slog.Logger
	ctx      context.Context
	cancel   context.CancelFunc
	group    sync.WaitGroup
}

func newBackground(opened *database.Database, logger *slog.Logger) *background {
	ctx, cancel := context.WithCancel(context.Background())
	return &background{database: opened, logger: logger, ctx: ctx, cancel: cancel}
}

// start performs a run once the transaction of the context is committed.
func (b *background) start(perform func(context.Context, transfer.Run) error) transfer.Start {
	return func(ctx context.Context, run transfer.Run) error {
		b.database.AfterCommit(ctx, func() {
			b.group.Go(func() {
				if err := perform(b.ctx, run); err != nil {
					b.logger.Error("git run failed", "operation", run.Operation, "space", run.SpaceID, "error", err)
				}
			})
		})
		return nil
	}
}

// close stops what is under way and waits until it has stopped.
func (b *background) close() {
	b.cancel()
	b.group.Wait()
}
