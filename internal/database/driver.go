package database

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync/atomic"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
)

// driver is Ent's way to the database. It sends queries to the readers and
// everything else to the writer, and counts statements where a test asks.
type driver struct {
	name  string
	read  *sql.DB
	write *sql.DB
	watch *watcher
}

var _ dialect.Driver = (*driver)(nil)

func (d *driver) Dialect() string { return d.name }

func (d *driver) Close() error {
	closing := errors.Join(d.watch.close(), d.write.Close())
	if d.read != d.write {
		closing = errors.Join(closing, d.read.Close())
	}
	return closing
}

func (d *driver) Query(ctx context.Context, query string, arguments, target any) error {
	tell(ctx, query, arguments)
	return ask(ctx, d.pool(query), query, arguments, target)
}

// pool is where a query runs: one that writes and returns rows is no read.
func (d *driver) pool(query string) *sql.DB {
	if strings.HasPrefix(query, "SELECT") || strings.HasPrefix(query, "WITH") {
		return d.read
	}
	return d.write
}

func (d *driver) Exec(ctx context.Context, query string, arguments, target any) error {
	tell(ctx, query, arguments)
	return entsql.Conn{ExecQuerier: d.write}.Exec(ctx, query, arguments, target)
}

// QueryContext serves hand-written statements.
func (d *driver) QueryContext(ctx context.Context, query string, arguments ...any) (*sql.Rows, error) {
	tell(ctx, query, arguments)
	return d.pool(query).QueryContext(ctx, query, arguments...)
}

// ExecContext serves hand-written statements.
func (d *driver) ExecContext(ctx context.Context, query string, arguments ...any) (sql.Result, error) {
	tell(ctx, query, arguments)
	return d.write.ExecContext(ctx, query, arguments...)
}

func (d *driver) Tx(ctx context.Context) (dialect.Tx, error) {
	transaction, err := d.write.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &transactionDriver{name: d.name, raw: transaction}, nil
}

// transactionDriver is the driver inside a transaction.
type transactionDriver struct {
	name string
	raw  *sql.Tx
}

var _ dialect.Tx = (*transactionDriver)(nil)

func (t *transactionDriver) Dialect() string { return t.name }

func (t *transactionDriver) Close() error { return nil }

func (t *transactionDriver) Commit() error { return t.raw.Commit() }

func (t *transactionDriver) Rollback() error { return t.raw.Rollback() }

func (t *transactionDriver) Tx(context.Context) (dialect.Tx, error) { return dialect.NopTx(t), nil }

func (t *transactionDriver) Query(ctx context.Context, query string, arguments, target any) error {
	tell(ctx, query, arguments)
	return ask(ctx, t.raw, query, arguments, target)
}

func (t *transactionDriver) Exec(ctx context.Context, query string, arguments, target any) error {
	tell(ctx, query, arguments)
	return entsql.Conn{ExecQuerier: t.raw}.Exec(ctx, query, arguments, target)
}

func (t *transactionDriver) QueryContext(ctx context.Context, query string, arguments ...any) (*sql.Rows, error) {
	tell(ctx, query, arguments)
	return t.raw.QueryContext(ctx, query, arguments...)
}

func (t *transactionDriver) ExecContext(ctx context.Context, query string, arguments ...any) (sql.Result, error) {
	tell(ctx, query, arguments)
	return t.raw.ExecContext(ctx, query, arguments...)
}

// ask runs a query of Ent. Ent asks for the types of all columns at each row
// that has a column of no field, such as the caller's role; they are made once.
func ask(ctx context.Context, connection entsql.ExecQuerier, query string, arguments, target any) error {
	if err := (entsql.Conn{ExecQuerier: connection}).Query(ctx, query, arguments, target); err != nil {
		return err
	}
	if rows, ok := target.(*entsql.Rows); ok {
		rows.ColumnScanner = &typedRows{ColumnScanner: rows.ColumnScanner}
	}
	return nil
}

// typedRows are rows that keep the types of their columns.
type typedRows struct {
	entsql.ColumnScanner
	types []*sql.ColumnType
}

// ColumnTypes returns the types of the columns.
func (r *typedRows) ColumnTypes() ([]*sql.ColumnType, error) {
	if r.types != nil {
		return r.types, nil
	}
	types, err := r.ColumnScanner.ColumnTypes()
	r.types = types
	return types, err
}

type watcherKey struct{}

// WatchStatements returns a context in which a function is told of every
// statement before it runs: benchmarks use it to run the very same.
func WatchStatements(ctx context.Context, watch func(query string, arguments []any)) context.Context {
	return context.WithValue(ctx, watcherKey{}, watch)
}

// CountStatements returns a context in which every statement adds one to the
// counter: tests use it to show that an operation's cost does not grow with
// the number of items.
func CountStatements(ctx context.Context, counter *atomic.Int64) context.Context {
	return WatchStatements(ctx, func(string, []any) { counter.Add(1) })
}

func tell(ctx context.Context, query string, arguments any) {
	if watch, watched := ctx.Value(watcherKey{}).(func(string, []any)); watched {
		values, _ := arguments.([]any) // what Ent passes always is
		watch(query, values)
	}
}
