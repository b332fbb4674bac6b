// Package apptest starts a whole server on a fresh database and hands out
// clients of both APIs for every kind of caller.
package apptest

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	_ "github.com/lib/pq" // registers the driver
	"github.com/stretchr/testify/require"

	"octavo/graph"
	"octavo/internal/access"
	"octavo/internal/app"
	"octavo/internal/database"
	"octavo/internal/job"
	"octavo/internal/organization"
	"octavo/internal/user"
)

// PostgresVariable names the environment variable with the address of a
// PostgreSQL server on which the tests may make databases. Without it they run
// on SQLite alone, unless RequireVariable is set.
const (
	PostgresVariable = "OCTAVO_TEST_POSTGRES_URL"
	RequireVariable  = "OCTAVO_REQUIRE_POSTGRES"
)

// Server is a running application with one organization.
type Server struct {
	App *app.App
	// URL of the server, without a slash at its end.
	URL string
	// OrganizationID is that of the organization that everyone but Stranger
	// belongs to.
	OrganizationID string
	// OtherOrganizationID is Stranger's.
	OtherOrganizationID string

	callers map[Caller]*Client
	config  app.Config
}

// Caller is a kind of caller.
type Caller string

// The kinds of caller.
const (
	Admin     Caller = "admin"
	Creator   Caller = "create"
	Reviewer  Caller = "review"
	Editor    Caller = "edit"
	Commenter Caller = "comment"
	Reader    Caller = "read"
	Guest     Caller = "guest"
	Stranger  Caller = "stranger"   // administrator of another organization
	Anonymous Caller = "anonymous"  // no token
	ReadToken Caller = "read-token" // the administrator with a token that may only read
)

// SiteToken is a visitor of a published site, by a site content token. It is not
// among Callers: each test says of which site.
const SiteToken Caller = "site-token"

// WriteToken is the administrator with a token that may write, and not change
// people, settings and tokens. It is not among Callers: where those differ from
// other writes is tried by itself.
const WriteToken Caller = "write-token"

// Callers lists every kind.
var Callers = []Caller{Admin, Creator, Reviewer, Editor, Commenter, Reader, Guest, Stranger, Anonymous, ReadToken}

var roles = map[Caller]access.Role{
	Admin: access.Admin, Creator: access.Create, Reviewer: access.Review, Editor: access.Edit,
	Commenter: access.Comment, Reader: access.Read, Guest: access.None,
}

// Each runs a test on every database that is there.
func Each(t *testing.T, test func(t *testing.T, server *Server)) {
	t.Helper()
	EachConfigured(t, func(*app.Config) {}, test)
}

// EachConfigured is Each with settings of the test's own.
func EachConfigured(t *testing.T, configure func(*app.Config), test func(t *testing.T, server *Server)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, start(t, freshSQLite(t), configure))
	})
	if os.Getenv(PostgresVariable) == "" {
		require.Empty(t, os.Getenv(RequireVariable), "%s is required and %s is not set", RequireVariable, PostgresVariable)
		return
	}
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, start(t, freshPostgres(t), configure))
	})
}

// New starts a server on SQLite, for tests that the database does not matter to.
func New(t testing.TB) *Server {
	t.Helper()
	return start(t, freshSQLite(t), func(*app.Config) {})
}

// NewOn starts a server on the named database, "sqlite" or "postgres", for
// benchmarks; ok is false when it is not there.
func NewOn(t testing.TB, name string) (server *Server, ok bool) {
	t.Helper()
	return NewConfiguredOn(t, name, func(*app.Config) {})
}

// NewConfiguredOn is NewOn with settings of the benchmark's own.
func NewConfiguredOn(t testing.TB, name string, configure func(*app.Config)) (server *Server, ok bool) {
	t.Helper()
	if name == "sqlite" {
		return start(t, freshSQLite(t), configure), true
	}
	if os.Getenv(PostgresVariable) == "" {
		return nil, false
	}
	return start(t, freshPostgres(t), configure), true
}

func start(t testing.TB, databaseURL string, configure func(*app.Config)) *Server {
	t.Helper()
	config := app.Config{
		DatabaseURL: databaseURL,
		DataDir:     t.TempDir(),
		Logger:      slog.New(slog.NewTextHandler(logWriter{t}, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Version:     graph.Version{Version: "test", Build: "test"},
		Limits:      app.Limits{BodyBytes: app.DefaultLimits.BodyBytes, PageCacheBytes: app.DefaultLimits.PageCacheBytes, GraphQL: graph.DefaultLimits},
	}
	configure(&config)
	server := run(t, config)
	server.populate(t)
	return server
}

// run starts a server that knows no callers.
func run(t testing.TB, config app.Config) *Server {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	if config.BaseURL == "" {
		config.BaseURL = "http://" + listener.Listener.Addr().String()
	}
	opened, err := app.New(t.Context(), config)
	require.NoError(t, err)
	listener.Config.Handler = opened.Handler()
	listener.Start()
	t.Cleanup(func() {
		opened.Events.Close()
		listener.Close()
		require.NoError(t, opened.Close())
	})
	return &Server{App: opened, URL: listener.URL, callers: map[Caller]*Client{}, config: config}
}

// Work has the server do the work behind requests from now on.
func (s *Server) Work(t testing.TB) {
	t.Helper()
	require.NoError(t, s.App.Start(t.Context()))
}

// Beside starts another server on the same database and files, as a replica.
func (s *Server) Beside(t testing.TB) *Server {
	t.Helper()
	replica := run(t, s.config)
	replica.OrganizationID, replica.OtherOrganizationID = s.OrganizationID, s.OtherOrganizationID
	for caller, client := range s.callers {
		replica.callers[caller] = &Client{Token: client.Token, UserID: client.UserID, server: replica}
	}
	return replica
}

func (s *Server) populate(t testing.TB) {
	t.Helper()
	ctx := access.System(t.Context(), "test")
	admin := s.person(t, ctx, Admin)
	made, err := s.App.Organizations.CreateFor(ctx, admin, organization.New{Title: "Acme"})
	require.NoError(t, err)
	s.OrganizationID = made.ID
	for caller, role := range roles {
		if caller == Admin {
			continue
		}
		id := s.person(t, ctx, caller)
		err := s.App.Database.Client(ctx).Member.Create().SetOrganizationID(made.ID).SetUserID(id).SetRole(role).Exec(ctx)
		require.NoError(t, err)
	}
	other, err := s.App.Organizations.CreateFor(ctx, s.person(t, ctx, Stranger), organization.New{Title: "Other"})
	require.NoError(t, err)
	s.OtherOrganizationID = other.ID
	s.callers[Anonymous] = &Client{server: s}
	s.limited(t, ctx, ReadToken, admin, access.ScopeRead)
	s.limited(t, ctx, WriteToken, admin, access.ScopeWrite)
}

// limited is a caller with a token for the scope.
func (s *Server) limited(t testing.TB, ctx context.Context, caller Caller, userID string, scope access.Scope) {
	t.Helper()
	_, secret, err := s.App.Users.CreateTokenOf(ctx, userID, user.NewToken{Name: string(caller), Scopes: []access.Scope{scope}})
	require.NoError(t, err)
	s.callers[caller] = &Client{server: s, Token: secret, UserID: userID}
}

func (s *Server) person(t testing.TB, ctx context.Context, caller Caller) (id string) {
	t.Helper()
	created, err := s.App.Users.Create(ctx, user.New{
		DisplayName: "The " + string(caller), Email: string(caller) + "@example.com", EmailVerified: true,
	})
	require.NoError(t, err)
	_, secret, err := s.App.Users.CreateTokenOf(ctx, created.ID, user.NewToken{Name: "test"})
	require.NoError(t, err)
	s.callers[caller] = &Client{server: s, Token: secret, UserID: created.ID}
	return created.ID
}

// As returns the client of a caller.
func (s *Server) As(caller Caller) *Client { return s.callers[caller] }

// Flags let a command of the operator work on the server's database and files.
func (s *Server) Flags() []string {
	return []string{"--database-url", s.config.DatabaseURL, "--data-dir", s.config.DataDir, "--base-url", s.URL, "--log-level", "error"}
}

// With returns the client of a token that a test has made.
func (s *Server) With(token string) *Client { return &Client{server: s, Token: token} }

// Context returns a context in which the caller acts, for calling the domain.
func (s *Server) Context(t testing.TB, caller Caller) context.Context {
	t.Helper()
	client := s.callers[caller]
	if client.Token == "" {
		return t.Context()
	}
	viewer, err := s.App.Users.Authenticate(t.Context(), client.Token)
	require.NoError(t, err)
	return access.WithViewer(t.Context(), viewer)
}

type logWriter struct{ t testing.TB }

// Write puts a line of the server's log into the test's.
func (w logWriter) Write(line []byte) (int, error) {
	// A request may outlive the test's body, never its cleanup.
	w.t.Log(strings.TrimSpace(string(line)))
	return len(line), nil
}

var sqliteTemplate = sync.OnceValues(func() ([]byte, error) {
	directory, err := os.MkdirTemp("", "octavo-template")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "octavo.db")
	if err := migrate(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func freshSQLite(t testing.TB) string {
	t.Helper()
	template, err := sqliteTemplate()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "octavo.db")
	require.NoError(t, os.WriteFile(path, template, 0o600))
	return path
}

var postgresTemplate = sync.OnceValues(func() (string, error) {
	name := "octavo_template_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	if err := execute("CREATE DATABASE " + name); err != nil {
		return "", err
	}
	return name, migrate(postgresAddress(name))
})

func freshPostgres(t testing.TB) string {
	t.Helper()
	template, err := postgresTemplate()
	require.NoError(t, err)
	name := "octavo_test_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	require.NoError(t, execute(fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s", name, template)))
	t.Cleanup(func() { require.NoError(t, execute("DROP DATABASE "+name+" WITH (FORCE)")) })
	return postgresAddress(name)
}

// templateLock: PostgreSQL copies a template for one database at a time.
var templateLock sync.Mutex

func execute(statement string) error {
	templateLock.Lock()
	defer templateLock.Unlock()
	server, err := sql.Open("postgres", os.Getenv(PostgresVariable))
	if err != nil {
		return err
	}
	defer server.Close()
	_, err = server.Exec(statement)
	return err
}

func postgresAddress(name string) string {
	parsed, err := url.Parse(os.Getenv(PostgresVariable))
	if err != nil {
		panic(fmt.Sprintf("%s: %v", PostgresVariable, err))
	}
	parsed.Path = "/" + name
	return parsed.String()
}

func migrate(address string) error {
	opened, err := database.Open(context.Background(), address, database.Options{})
	if err != nil {
		return err
	}
	if _, err := opened.Migrate(context.Background()); err != nil {
		return err
	}
	if _, err := job.Migrate(context.Background(), opened, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	return opened.Close()
}
