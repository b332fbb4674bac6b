// Package database opens the store of Octavo, SQLite or PostgreSQL, and owns
// transactions, the tenant fence and migrations.
package database

import (
	_ "octavo/ent/runtime" // registers the defaults of the schema

	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"entgo.io/ent/dialect"
	"modernc.org/sqlite"

	"octavo/ent"
)

// Database is an open store. It is safe for concurrent use.
type Database struct {
	// Dialect is dialect.SQLite or dialect.Postgres.
	Dialect string
	// URL is how it was opened.
	URL     string
	driver  *driver
	client  *ent.Client
	hooks   []ent.Hook
	version *versionRead
}

// Options of Open.
type Options struct {
	// MaximumConnections bounds the connections to PostgreSQL, or the readers
	// of SQLite. 0 means 16.
	MaximumConnections int
}

const defaultConnections = 16

// Open connects to a database. An address that begins with postgres:// or
// postgresql:// is PostgreSQL; anything else is the path of a SQLite file,
// which is made if it does not exist. Open does not migrate.
func Open(ctx context.Context, address string, options Options) (*Database, error) {
	if options.MaximumConnections == 0 {
		options.MaximumConnections = defaultConnections
	}
	opened, err := open(address, options)
	if err != nil {
		return nil, err
	}
	if err := opened.write.PingContext(ctx); err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	client := newClient(opened, nil)
	return &Database{Dialect: opened.name, URL: address, driver: opened, client: client, version: &versionRead{read: opened.watch.read}}, nil
}

func open(address string, options Options) (*driver, error) {
	if IsPostgres(address) {
		return openPostgres(address, options)
	}
	return openSQLite(strings.TrimPrefix(address, "sqlite://"), options)
}

// newClient returns an Ent client behind the tenant fence.
func newClient(driver dialect.Driver, hooks []ent.Hook) *ent.Client {
	client := ent.NewClient(ent.Driver(driver))
	client.Intercept(fenceReads())
	client.Use(fenceWrites)
	client.Use(hooks...)
	return client
}

// Use has every write from now on pass through a hook, within the tenant fence.
// It is for wiring, before the database is used.
func (d *Database) Use(hook ent.Hook) {
	d.hooks = append(d.hooks, hook)
	d.client = newClient(d.driver, d.hooks)
}

// IsPostgres tells whether the address is one of a PostgreSQL server.
func IsPostgres(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

func openPostgres(address string, options Options) (*driver, error) {
	connector, err := newPostgresConnector(address)
	if err != nil {
		return nil, fmt.Errorf("database URL: %w", err)
	}
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(options.MaximumConnections)
	pool.SetMaxIdleConns(options.MaximumConnections)
	return &driver{name: dialect.Postgres, read: pool, write: pool, watch: newWatcher(dialect.Postgres, connector)}, nil
}

// openSQLite opens one connection that writes beside a pool that reads: SQLite
// has a single writer, and waiting for it in Go is fair and cannot time out.
func openSQLite(path string, options Options) (*driver, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the database: %w", err)
	}
	if err := foldEverywhere(); err != nil {
		return nil, err
	}
	writing, err := newSQLiteConnector(sqliteAddress(path, url.Values{
		"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "cache_size(-32000)"},
		"_txlock": {"immediate"}, "_time_format": {"sqlite"},
	}))
	if err != nil {
		return nil, err
	}
	reading, err := newSQLiteConnector(sqliteAddress(path, url.Values{
		"_pragma":      {"busy_timeout(10000)", "query_only(1)", "foreign_keys(1)", "cache_size(-16000)", "mmap_size(268435456)"},
		"_time_format": {"sqlite"},
	}))
	if err != nil {
		return nil, err
	}
	writer, reader := sql.OpenDB(writing), sql.OpenDB(reading)
	writer.SetMaxOpenConns(1)
	reader.SetMaxOpenConns(options.MaximumConnections)
	reader.SetMaxIdleConns(options.MaximumConnections)
	return &driver{name: dialect.SQLite, read: reader, write: writer, watch: newWatcher(dialect.SQLite, reading)}, nil
}

// foldEverywhere has lower() know the letters of all languages, as that of
// PostgreSQL does; SQLite's own knows those of ASCII.
var foldEverywhere = sync.OnceValue(func() error {
	return sqlite.RegisterDeterministicScalarFunction("lower", 1, func(_ *sqlite.FunctionContext, arguments []sqldriver.Value) (sqldriver.Value, error) {
		if text, ok := arguments[0].(string); ok {
			return strings.ToLower(text), nil
		}
		return arguments[0], nil
	})
})

func sqliteAddress(path string, query url.Values) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query.Encode()
}

// Close closes all connections.
func (d *Database) Close() error { return d.client.Close() }

// Ping checks that the database answers.
func (d *Database) Ping(ctx context.Context) error { return d.driver.write.PingContext(ctx) }

// Pool returns the connections that write, for libraries that bring their own
// statements. Everything else goes through Client and Write.
func (d *Database) Pool() *sql.DB { return d.driver.write }

// Client returns the Ent client of the context: that of the transaction in
// progress, or else one that reads and writes without a transaction.
func (d *Database) Client(ctx context.Context) *ent.Client {
	if current := transactionFrom(ctx, d); current != nil {
		return current.client
	}
	return d.client
}
