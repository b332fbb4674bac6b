package database

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/lib/pq"
	"modernc.org/sqlite"
)

// statementsPerConnection bounds the statements that one connection keeps
// prepared.
const statementsPerConnection = 256

// preparingConnector opens connections that prepare each statement once: an
// unprepared statement costs the database a parse every time, and lib/pq a
// second round trip.
type preparingConnector struct{ sqldriver.Connector }

func newPostgresConnector(address string) (sqldriver.Connector, error) {
	connector, err := pq.NewConnector(address)
	if err != nil {
		return nil, err
	}
	return preparingConnector{connector}, nil
}

func newSQLiteConnector(address string) (sqldriver.Connector, error) {
	connector, err := sqlite.NewConnector(address)
	if err != nil {
		return nil, err
	}
	return preparingConnector{connector}, nil
}

// Connect opens a connection.
func (c preparingConnector) Connect(ctx context.Context) (sqldriver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	inner, ok := opened.(fullConn)
	if !ok {
		return nil, errors.New("the driver's connection lacks an expected method")
	}
	statements, err := lru.NewWithEvict(statementsPerConnection, func(_ string, kept *preparedStatement) { kept.close() })
	if err != nil {
		return nil, err
	}
	return &preparingConn{fullConn: inner, statements: statements}, nil
}

// fullConn is what the connections of both drivers offer.
type fullConn interface {
	sqldriver.Conn
	sqldriver.ConnBeginTx
	sqldriver.ConnPrepareContext
	sqldriver.ExecerContext
	sqldriver.QueryerContext
	sqldriver.Pinger
	sqldriver.SessionResetter
	sqldriver.Validator
}

// preparingConn runs statements with arguments as prepared ones. database/sql
// never uses a connection from two goroutines at once.
type preparingConn struct {
	fullConn
	statements *lru.Cache[string, *preparedStatement]
}

// preparedStatement is kept open until it is evicted and its rows are read.
type preparedStatement struct {
	sqldriver.Stmt
	busy    int
	evicted bool
}

func (s *preparedStatement) close() {
	s.evicted = true
	if s.busy == 0 {
		// The server forgets the statement with the connection at the latest.
		_ = s.Stmt.Close()
	}
}

func (s *preparedStatement) release() {
	s.busy--
	if s.evicted && s.busy == 0 {
		_ = s.Stmt.Close()
	}
}

// CheckNamedValue lets the driver convert an argument as it wants to.
func (c *preparingConn) CheckNamedValue(argument *sqldriver.NamedValue) error {
	if checker, own := c.fullConn.(sqldriver.NamedValueChecker); own {
		return checker.CheckNamedValue(argument)
	}
	return sqldriver.ErrSkip
}

// Close closes the connection and, before it, what is prepared on it: SQLite
// keeps a connection open until its last statement is gone.
func (c *preparingConn) Close() error {
	c.statements.Purge()
	return c.fullConn.Close()
}

func (c *preparingConn) prepared(ctx context.Context, query string) (*preparedStatement, error) {
	if kept, ok := c.statements.Get(query); ok {
		return kept, nil
	}
	statement, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	kept := &preparedStatement{Stmt: statement}
	c.statements.Add(query, kept)
	return kept, nil
}

// QueryContext runs a query, prepared if it has arguments.
func (c *preparingConn) QueryContext(ctx context.Context, query string, arguments []sqldriver.NamedValue) (sqldriver.Rows, error) {
	if len(arguments) == 0 {
		return c.fullConn.QueryContext(ctx, query, arguments)
	}
	statement, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	if statement.busy > 0 {
		return c.fullConn.QueryContext(ctx, query, arguments)
	}
	rows, err := statement.Stmt.(sqldriver.StmtQueryContext).QueryContext(ctx, arguments)
	if err != nil {
		return nil, err
	}
	statement.busy++
	return &preparedRows{Rows: rows, statement: statement}, nil
}

// ExecContext runs a statement, prepared if it has arguments.
func (c *preparingConn) ExecContext(ctx context.Context, query string, arguments []sqldriver.NamedValue) (sqldriver.Result, error) {
	if len(arguments) == 0 {
		return c.fullConn.ExecContext(ctx, query, arguments)
	}
	statement, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	if statement.busy > 0 {
		return c.fullConn.ExecContext(ctx, query, arguments)
	}
	return statement.Stmt.(sqldriver.StmtExecContext).ExecContext(ctx, arguments)
}

// preparedRows gives its statement free when it is closed.
type preparedRows struct {
	sqldriver.Rows
	statement *preparedStatement
	closed    bool
}

// Close ends the rows.
func (r *preparedRows) Close() error {
	err := r.Rows.Close()
	if !r.closed {
		r.closed = true
		r.statement.release()
	}
	return err
}
