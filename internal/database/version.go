package database

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"time"

	"entgo.io/ent/dialect"
)

// Version names a state of what sites show and of who may read which spaces:
// equal versions, of one process, say that nothing of it was committed in
// between. The zero value is none.
type Version struct{ connection, change int64 }

// Version returns the version of now: whatever was committed, by any process,
// before the call is in it. It changes with every commit to the tables of which
// migrations 0008 and 0011 say so, on SQLite with every commit at all.
// What is read after the call is at least as new as the version.
//
// Calls at the same time share their reading of the database.
func (d *Database) Version(ctx context.Context) (Version, error) { return d.version.get(ctx) }

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

// watcher reads a number on a connection that nothing else uses: on SQLite what
// it says means something on one connection only, and neither database has the
// reading of it wait for other work.
type watcher struct {
	connector sqldriver.Connector
	query     string
	// time bounds one reading; 0 is for a database that does not wait.
	time time.Duration

	mutex       sync.Mutex
	closed      bool
	connection  sqldriver.Conn
	statement   askedStatement
	connections int64
}

// askedStatement is what the statements of both drivers offer.
type askedStatement interface {
	sqldriver.Stmt
	sqldriver.StmtQueryContext
}

// watchTime bounds one reading from PostgreSQL.
const watchTime = 10 * time.Second

var errClosed = errors.New("the database is closed")

func newWatcher(name string, connector sqldriver.Connector) *watcher {
	if name == dialect.SQLite {
		// The number changes when another connection, of whatever process, has committed.
		return &watcher{connector: connector, query: "PRAGMA data_version"}
	}
	return &watcher{connector: connector, query: `SELECT "number" FROM "shown_changes"`, time: watchTime}
}

// read returns the version. A connection that fails is made anew, and with it
// every version is another one.
func (w *watcher) read(ctx context.Context) (Version, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.closed {
		return Version{}, errClosed
	}
	// Whoever asks may go away; the connection stays good for the others.
	ctx = context.WithoutCancel(ctx)
	if w.time > 0 {
		bounded, cancel := context.WithTimeout(ctx, w.time)
		defer cancel()
		ctx = bounded
	}
	if w.connection != nil {
		if change, err := w.ask(ctx); err == nil {
			return Version{w.connections, change}, nil
		}
		w.leave()
	}
	if err := w.connect(ctx); err != nil {
		return Version{}, fmt.Errorf("watch the database: %w", err)
	}
	change, err := w.ask(ctx)
	if err != nil {
		w.leave()
		return Version{}, fmt.Errorf("watch the database: %w", err)
	}
	return Version{w.connections, change}, nil
}

func (w *watcher) connect(ctx context.Context) error {
	connection, err := w.connector.Connect(ctx)
	if err != nil {
		return err
	}
	prepared, err := connection.Prepare(w.query)
	if err != nil {
		return errors.Join(err, connection.Close())
	}
	statement, is := prepared.(askedStatement)
	if !is {
		return errors.Join(errors.New("the driver's statement lacks an expected method"), connection.Close())
	}
	w.connection, w.statement, w.connections = connection, statement, w.connections+1
	return nil
}

func (w *watcher) ask(ctx context.Context) (change int64, err error) {
	rows, err := w.statement.QueryContext(ctx, nil)
	if err != nil {
		return 0, err
	}
	var row [1]sqldriver.Value
	if err := rows.Next(row[:]); err != nil {
		return 0, errors.Join(err, rows.Close())
	}
	change, is := row[0].(int64)
	if !is {
		err = fmt.Errorf("the answer is a %T", row[0])
	}
	return change, errors.Join(err, rows.Close())
}

// leave gives up a connection that failed already.
func (w *watcher) leave() {
	_ = w.statement.Close()
	_ = w.connection.Close()
	w.connection, w.statement = nil, nil
}

func (w *watcher) close() error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.closed = true
	if w.connection == nil {
		return nil
	}
	closing := errors.Join(w.statement.Close(), w.connection.Close())
	w.connection, w.statement = nil, nil
	return closing
}
