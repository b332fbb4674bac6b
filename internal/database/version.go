package database

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"entgo.io/ent/dialect"
)

// Version names a state of what sites show: equal versions, of one process, say
// that nothing of it was committed in between. The zero value is none.
type Version struct{ connection, change int64 }

// Version returns the version of now: whatever was committed, by any process,
// before the call is in it. It changes with every commit to the tables of which
// migration 0008 says that they are shown, on SQLite with every commit at all.
// What is read after the call is at least as new as the version.
//
// Calls at the same time share their reading of the database.
func (d *Database) Version(ctx context.Context) (Version, error) { return d.version.get(ctx) }

// VersionOfAll returns the version where it changes with every commit, whatever
// was written, as on SQLite. ok is false elsewhere, and in a transaction, which
// sees more than the version tells of.
func (d *Database) VersionOfAll(ctx context.Context) (version Version, ok bool, err error) {
	if d.Dialect != dialect.SQLite || d.InTransaction(ctx) {
		return Version{}, false, nil
	}
	version, err = d.Version(ctx)
	return version, err == nil, err
}

// InTransaction tells whether the context has a transaction in progress, whose
// changes nobody else sees yet.
func (d *Database) InTransaction(ctx context.Context) bool { return transactionFrom(ctx, d) != nil }

// versionRead lets callers at the same time share the reading of the version.
// Each gets one whose reading began after its call: a call that comes while the
// version is being read waits for the next reading, with all others that do.
type versionRead struct {
	read func(ctx context.Context) (Version, error)

	mutex            sync.Mutex
	running, waiting *reading
}

// reading is one reading of the version.
type reading struct {
	version Version
	err     error
	ended   bool // under the mutex of the versionRead
	done    chan struct{}
}

var errReadingFailed = errors.New("the version could not be read")

func (r *versionRead) get(ctx context.Context) (Version, error) {
	for {
		mine, before, leads := r.join()
		if leads {
			r.lead(ctx, mine, before)
			return mine.version, mine.err
		}
		select {
		case <-mine.done:
		case <-ctx.Done():
			return Version{}, ctx.Err()
		}
		// Whoever led it may have gone away; that is no reason to fail here.
		if !errors.Is(mine.err, context.Canceled) && !errors.Is(mine.err, context.DeadlineExceeded) {
			return mine.version, mine.err
		}
	}
}

// join returns the reading that a call takes part in, and, for the one who leads
// it, the reading that has to end before.
func (r *versionRead) join() (mine, before *reading, leads bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.waiting != nil {
		return r.waiting, nil, false
	}
	mine = &reading{err: errReadingFailed, done: make(chan struct{})}
	if r.running == nil {
		r.running = mine
		return mine, nil, true
	}
	r.waiting = mine
	return mine, r.running, true
}

func (r *versionRead) lead(ctx context.Context, mine, before *reading) {
	defer r.end(mine)
	if before != nil {
		select {
		case <-before.done:
		case <-ctx.Done():
			mine.err = ctx.Err()
			return
		}
		r.mutex.Lock()
		r.running, r.waiting = mine, nil
		r.mutex.Unlock()
	}
	mine.version, mine.err = r.read(ctx)
}

// end lets those go who wait for the reading, and the next one begin.
func (r *versionRead) end(ended *reading) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	ended.ended = true
	if r.waiting == ended {
		r.waiting = nil
	}
	if r.waiting == nil && r.running != nil && r.running.ended {
		r.running = nil
	}
	close(ended.done)
}

// newVersionRead reads the version as the database does.
func newVersionRead(driver *driver) *versionRead {
	if driver.name == dialect.SQLite {
		return &versionRead{read: (&fileVersion{pool: driver.watch}).read}
	}
	return &versionRead{read: func(ctx context.Context) (version Version, err error) {
		err = driver.read.QueryRowContext(ctx, `SELECT "number" FROM "shown_changes" WHERE "id" = $1`, 1).Scan(&version.change)
		return version, err
	}}
}

// fileVersion asks SQLite, on a connection that nothing else uses, whether any
// other connection, of whatever process, has committed. The number that SQLite
// answers means something on that connection only.
type fileVersion struct {
	pool        *sql.DB
	connection  *sql.Conn
	statement   *sql.Stmt
	connections int64
}

// read is called by one at a time.
func (f *fileVersion) read(ctx context.Context) (Version, error) {
	// Nothing here waits, so nobody has to be able to end it.
	ctx = context.WithoutCancel(ctx)
	if f.connection == nil {
		if err := f.connect(ctx); err != nil {
			return Version{}, err
		}
	}
	version := Version{connection: f.connections}
	if err := f.statement.QueryRowContext(ctx).Scan(&version.change); err != nil {
		closing := f.connection.Close()
		f.connection = nil
		return Version{}, errors.Join(err, closing)
	}
	return version, nil
}

func (f *fileVersion) connect(ctx context.Context) error {
	connection, err := f.pool.Conn(ctx)
	if err != nil {
		return err
	}
	statement, err := connection.PrepareContext(ctx, "PRAGMA data_version")
	if err != nil {
		return errors.Join(err, connection.Close())
	}
	f.connection, f.statement, f.connections = connection, statement, f.connections+1
	return nil
}
