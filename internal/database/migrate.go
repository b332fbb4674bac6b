package database

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"entgo.io/ent/dialect"
	entschema "entgo.io/ent/dialect/sql/schema"

	"octavo/ent/migrate"
	"octavo/ent/migrate/versions"
)

// Migration is one step of the schema.
type Migration struct {
	// Name of its file without the ending, such as 0001_initial.
	Name string
	// AppliedAt is zero when the database does not have it yet.
	AppliedAt time.Time

	statements string
	checksum   string
}

const migrationsTable = `CREATE TABLE IF NOT EXISTS schema_migrations (
	name varchar(255) PRIMARY KEY,
	checksum varchar(64) NOT NULL,
	applied_at varchar(40) NOT NULL
)`

// migrationLock is the key of the advisory lock that migrating replicas take.
const migrationLock = 0x6f637461766f

// Migrations lists the steps of this program for the database, applied or not.
func (d *Database) Migrations(ctx context.Context) ([]Migration, error) {
	connection, err := d.driver.write.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	return migrationsOn(ctx, connection, d.directory())
}

// Migrate brings the schema up to date, one transaction for each step, and
// returns the names of the steps that it applied. Of several programs that
// migrate at once one does, and the others wait for it. It refuses a database
// that has steps which this program does not know, or knows otherwise.
func (d *Database) Migrate(ctx context.Context) (applied []string, err error) {
	connection, err := d.driver.write.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	for {
		name, err := d.migrateOne(ctx, connection)
		if err != nil {
			return applied, fmt.Errorf("migrate the database: %w", err)
		}
		if name == "" {
			return applied, nil
		}
		applied = append(applied, name)
	}
}

// migrateOne applies the first pending step, if there is one, under a lock.
func (d *Database) migrateOne(ctx context.Context, connection *sql.Conn) (name string, err error) {
	begin, end := d.lockStatements()
	if err := executeAll(ctx, connection, begin); err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			_, rollbackErr := connection.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
			err = errors.Join(err, rollbackErr)
		}
		if d.Dialect == dialect.SQLite {
			_, pragmaErr := connection.ExecContext(context.WithoutCancel(ctx), "PRAGMA foreign_keys = on")
			err = errors.Join(err, pragmaErr)
		}
	}()
	pending, err := firstPending(ctx, connection, d.directory())
	if err != nil {
		return "", err
	}
	if pending != nil {
		if err := d.apply(ctx, connection, pending); err != nil {
			return "", fmt.Errorf("step %s: %w", pending.Name, err)
		}
		name = pending.Name
	}
	return name, executeAll(ctx, connection, end)
}

// lockStatements begin and end a step. SQLite checks foreign keys while tables
// are rebuilt unless the check is off, and it can be turned off only outside
// of a transaction.
func (d *Database) lockStatements() (begin, end []string) {
	if d.Dialect == dialect.SQLite {
		return []string{"PRAGMA foreign_keys = off", "BEGIN IMMEDIATE", migrationsTable}, []string{"COMMIT"}
	}
	return []string{"BEGIN", fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", migrationLock), migrationsTable}, []string{"COMMIT"}
}

func (d *Database) apply(ctx context.Context, connection *sql.Conn, step *Migration) error {
	if _, err := connection.ExecContext(ctx, step.statements); err != nil {
		return err
	}
	if d.Dialect == dialect.SQLite {
		if err := checkForeignKeys(ctx, connection); err != nil {
			return err
		}
	}
	placeholders := "?, ?, ?"
	if d.Dialect == dialect.Postgres {
		placeholders = "$1, $2, $3"
	}
	_, err := connection.ExecContext(ctx, "INSERT INTO schema_migrations (name, checksum, applied_at) VALUES ("+placeholders+")",
		step.Name, step.checksum, time.Now().UTC().Format(time.RFC3339Nano))
	return err
}

func checkForeignKeys(ctx context.Context, connection *sql.Conn) error {
	rows, err := connection.QueryContext(ctx, "PRAGMA foreign_key_check")
	if err != nil {
		return err
	}
	defer rows.Close()
	if rows.Next() {
		return errors.New("rows would be left that refer to missing rows")
	}
	return rows.Err()
}

func executeAll(ctx context.Context, connection *sql.Conn, statements []string) error {
	for _, statement := range statements {
		if _, err := connection.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", strings.Fields(statement)[0], err)
		}
	}
	return nil
}

func firstPending(ctx context.Context, connection *sql.Conn, directory string) (*Migration, error) {
	steps, err := migrationsOn(ctx, connection, directory)
	if err != nil {
		return nil, err
	}
	for index := range steps {
		if steps[index].AppliedAt.IsZero() {
			return &steps[index], nil
		}
	}
	return nil, nil
}

func migrationsOn(ctx context.Context, connection *sql.Conn, directory string) ([]Migration, error) {
	steps, err := embeddedMigrations(directory)
	if err != nil {
		return nil, err
	}
	if _, err := connection.ExecContext(ctx, migrationsTable); err != nil {
		return nil, err
	}
	rows, err := connection.QueryContext(ctx, "SELECT name, checksum, applied_at FROM schema_migrations ORDER BY name")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name, checksum, appliedAt string
		if err := rows.Scan(&name, &checksum, &appliedAt); err != nil {
			return nil, err
		}
		if err := markApplied(steps, name, checksum, appliedAt); err != nil {
			return nil, err
		}
	}
	return steps, rows.Err()
}

func markApplied(steps []Migration, name, checksum, appliedAt string) error {
	for index := range steps {
		if steps[index].Name != name {
			continue
		}
		if steps[index].checksum != checksum {
			return fmt.Errorf("the database was migrated with another version of %s", name)
		}
		var err error
		steps[index].AppliedAt, err = time.Parse(time.RFC3339Nano, appliedAt)
		return err
	}
	return fmt.Errorf("the database has the step %s, which this version of octavo does not know: use a newer one", name)
}

func embeddedMigrations(directory string) ([]Migration, error) {
	names, err := fs.Glob(versions.Files, directory+"/*.sql")
	if err != nil {
		return nil, err
	}
	steps := make([]Migration, 0, len(names))
	for _, name := range names {
		statements, err := versions.Files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(statements)
		steps = append(steps, Migration{
			Name:       strings.TrimSuffix(path.Base(name), ".sql"),
			statements: string(statements),
			checksum:   hex.EncodeToString(sum[:]),
		})
	}
	return steps, nil
}

func (d *Database) directory() string {
	if d.Dialect == dialect.SQLite {
		return "sqlite"
	}
	return "postgres"
}

// WritePending writes the statements that would bring the tables of a migrated
// database to what package ent/schema describes: nothing when the migrations
// are complete.
func (d *Database) WritePending(ctx context.Context, out io.Writer) error {
	// The tool looks at rows of its own kind.
	return migrate.NewSchema(entsql.OpenDB(d.Dialect, d.Pool())).WriteTo(ctx, out,
		entschema.WithDropColumn(true), entschema.WithDropIndex(true), entschema.WithForeignKeys(true))
}
