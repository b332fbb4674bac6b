package benchmark

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/database"
)

// The handlers by hand run the very statements that the application runs for
// the same request: they are taken down while it answers one. What surrounds
// them is written for one operation alone, with net/http, database/sql and
// encoding/json: prepared statements, rows scanned into structs, and nothing
// that another operation would need.

// statements are those of one request, in their order.
type statements []*statement

// statement is prepared with the arguments that it had.
type statement struct {
	*sql.Stmt
	text      string
	arguments []any
}

// same takes down the statements of a request while the application answers it.
func (f *fixture) same(b *testing.B, request *http.Request) statements {
	b.Helper()
	var taken statements
	ctx := database.WatchStatements(request.Context(), func(text string, arguments []any) {
		taken = append(taken, &statement{text: text, arguments: arguments})
	})
	response := httptest.NewRecorder()
	f.server.App.Handler().ServeHTTP(response, request.WithContext(ctx))
	require.Less(b, response.Code, http.StatusBadRequest, response.Body.String())
	for _, each := range taken {
		prepared, err := f.pool.Prepare(each.text)
		require.NoError(b, err, each.text)
		each.Stmt = prepared
	}
	return taken
}

var unquoted = strings.NewReplacer("`", "", `"`, "")

// with returns the first statement that has a piece of text.
func (s statements) with(piece string) *statement {
	found := s.perhaps(piece)
	if found == nil {
		panic("no statement has " + piece)
	}
	return found
}

// perhaps is with, and nil where there is none: the databases lock and notify
// in different ways.
func (s statements) perhaps(piece string) *statement {
	if found := s.all(piece); len(found) > 0 {
		return found[0]
	}
	return nil
}

// all returns the statements that have a piece of text.
func (s statements) all(piece string) statements {
	var found statements
	for _, each := range s {
		if strings.Contains(unquoted.Replace(each.text), piece) {
			found = append(found, each)
		}
	}
	return found
}

// query calls a function for each row, in a transaction if there is one.
func (s *statement) query(ctx context.Context, transaction *sql.Tx, arguments []any, scan func(row *sql.Rows) error) error {
	prepared := s.Stmt
	if transaction != nil {
		prepared = transaction.StmtContext(ctx, prepared)
	}
	rows, err := prepared.QueryContext(ctx, arguments...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// asked runs the statement with the arguments that it had.
func (s *statement) asked(ctx context.Context, scan func(row *sql.Rows) error) error {
	return s.query(ctx, nil, s.arguments, scan)
}

func nothing(*sql.Rows) error { return nil }

// execute runs a statement of a transaction with some arguments replaced.
func (s *statement) execute(ctx context.Context, transaction *sql.Tx, replaced map[int]any) error {
	arguments := append([]any{}, s.arguments...)
	for index, value := range replaced {
		arguments[index] = value
	}
	_, err := transaction.StmtContext(ctx, s.Stmt).ExecContext(ctx, arguments...)
	return err
}

type caller struct {
	userID string
	roles  map[string]access.Role
}

// byHand authenticates a request, serves it and writes the answer.
func (s statements) byHand(serve func(ctx context.Context, caller caller) (any, error)) http.Handler {
	tokens := s.with("FROM access_tokens")
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		_, token, _ := strings.Cut(request.Header.Get("Authorization"), " ")
		sum := sha256.Sum256([]byte(token))
		who := caller{roles: map[string]access.Role{}}
		err := tokens.query(request.Context(), nil, []any{hex.EncodeToString(sum[:])}, who.scan)
		if err == nil && who.userID == "" {
			err = errors.New("the token is not valid")
		}
		if err != nil {
			http.Error(writer, err.Error(), http.StatusUnauthorized)
			return
		}
		answer, err := serve(request.Context(), who)
		if err != nil {
			http.Error(writer, err.Error(), http.StatusInternalServerError)
			return
		}
		body, err := json.Marshal(answer)
		if err != nil {
			http.Error(writer, err.Error(), http.StatusInternalServerError)
			return
		}
		writer.Header().Set("Content-Type", "application/json")
		_, _ = writer.Write(body)
	})
}

func (c *caller) scan(row *sql.Rows) error {
	var id, organizationID string
	var scopes []byte
	var expires sql.NullTime
	var role access.Role
	if err := row.Scan(&id, &c.userID, &scopes, &expires, &organizationID, &role); err != nil {
		return err
	}
	var allowed []string
	if err := json.Unmarshal(scopes, &allowed); err != nil {
		return err
	}
	if expires.Valid && !expires.Time.After(time.Now()) {
		return errors.New("the token has expired")
	}
	c.roles[organizationID] = role
	return nil
}
