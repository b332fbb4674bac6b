package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"octavo/ent"
)

// transaction is what a context carries while one is in progress.
type transaction struct {
	database    *Database
	client      *ent.Client
	raw         *sql.Tx
	afterCommit []func()
}

type transactionKey struct{}

func transactionFrom(ctx context.Context, database *Database) *transaction {
	current, ok := ctx.Value(transactionKey{}).(*transaction)
	if !ok || current.database != database {
		return nil
	}
	return current
}

// Write runs the function in a transaction: all that it does through the
// context that it is given is kept when it returns nil, and nothing is when it
// returns an error or panics. Inside a transaction Write joins it.
//
// Rows that decide what is written are locked in one order: organization,
// space, change request, comment.
func (d *Database) Write(ctx context.Context, write func(ctx context.Context) error) error {
	if transactionFrom(ctx, d) != nil {
		return write(ctx)
	}
	begun, err := d.driver.Tx(ctx)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	inner := begun.(*transactionDriver)
	current := &transaction{database: d, client: newClient(inner, d.hooks), raw: inner.raw}
	if err := run(context.WithValue(ctx, transactionKey{}, current), inner.raw, write); err != nil {
		return err
	}
	for _, callback := range current.afterCommit {
		callback()
	}
	return nil
}

func run(ctx context.Context, raw *sql.Tx, write func(ctx context.Context) error) error {
	committed := false
	defer func() {
		if !committed {
			// The transaction failed already; what made it fail is what counts.
			_ = raw.Rollback()
		}
	}()
	if err := write(ctx); err != nil {
		return err
	}
	committed = true
	if err := raw.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// AfterCommit runs the callback once the transaction in progress is committed,
// and never if it is not. Without a transaction it runs at once.
func (d *Database) AfterCommit(ctx context.Context, callback func()) {
	current := transactionFrom(ctx, d)
	if current == nil {
		callback()
		return
	}
	current.afterCommit = append(current.afterCommit, callback)
}

// Transaction returns the transaction in progress for libraries that write
// with their own statements.
func (d *Database) Transaction(ctx context.Context) (*sql.Tx, error) {
	current := transactionFrom(ctx, d)
	if current == nil {
		return nil, errors.New("no transaction is in progress")
	}
	return current.raw, nil
}

// noKeyUpdate lets others insert rows that refer to the locked one: checking a
// foreign key needs no more than that its target stays.
const noKeyUpdate entsql.LockStrength = "NO KEY UPDATE"

// Lock locks a row of a table until the transaction in progress ends. Rows that
// do not exist lock nothing. On SQLite a transaction that writes is alone
// already.
func (d *Database) Lock(ctx context.Context, table, id string) error {
	current := transactionFrom(ctx, d)
	if current == nil {
		return errors.New("a row can be locked in a transaction only")
	}
	if d.Dialect == dialect.SQLite {
		return nil
	}
	query, arguments := entsql.Dialect(d.Dialect).Select("id").From(entsql.Table(table)).
		Where(entsql.EQ("id", id)).For(noKeyUpdate).Query()
	rows, err := current.client.QueryContext(ctx, query, arguments...)
	if err != nil {
		return fmt.Errorf("lock a row of %s: %w", table, err)
	}
	return errors.Join(rows.Err(), rows.Close())
}
