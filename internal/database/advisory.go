package database

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect"
)

// Advisory names a lock that belongs to no row. Its value is the key under
// which PostgreSQL knows it.
type Advisory int64

// The advisory locks.
const (
	// LockContent is shared by those who write content and held alone by those
	// who remove it.
	LockContent Advisory = 0x6f6376_636f6e
	// LockQueue is held alone by those who bring the tables of the queue up to
	// date.
	LockQueue Advisory = 0x6f6376_717565
)

// Share takes an advisory lock together with others who share it, until the
// transaction in progress ends. On SQLite a transaction that writes is alone
// already.
func (d *Database) Share(ctx context.Context, lock Advisory) error {
	return d.advise(ctx, "SELECT pg_advisory_xact_lock_shared($1)", lock)
}

// Seize takes an advisory lock alone, until the transaction in progress ends.
func (d *Database) Seize(ctx context.Context, lock Advisory) error {
	return d.advise(ctx, "SELECT pg_advisory_xact_lock($1)", lock)
}

func (d *Database) advise(ctx context.Context, statement string, lock Advisory) error {
	if _, err := d.Transaction(ctx); err != nil {
		return fmt.Errorf("take an advisory lock: %w", err)
	}
	if d.Dialect == dialect.SQLite {
		return nil
	}
	if _, err := d.Client(ctx).ExecContext(ctx, statement, int64(lock)); err != nil {
		return fmt.Errorf("take an advisory lock: %w", err)
	}
	return nil
}
