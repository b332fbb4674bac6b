package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/alecthomas/kong"

	"octavo/graph"
	"octavo/internal/access"
	"octavo/internal/app"
	"octavo/internal/audit"
	"octavo/internal/live"
	"octavo/internal/mail"
)

// commandLine is everything that can be said on the command line; each setting
// can be given in the environment too.
type commandLine struct {
	Settings

	Serve        serveCommand        `cmd:"" default:"withargs" help:"Serve the APIs (the default)."`
	Token        tokenCommand        `cmd:"" help:"Make, list and revoke access tokens."`
	User         userCommand         `cmd:"" help:"Add people."`
	Organization organizationCommand `cmd:"" help:"Make organizations."`
	Audit        auditCommand        `cmd:"" help:"Write audit logs."`
	Import       importCommand       `cmd:"" help:"Import a repository of documentation into a space."`
	Export       exportCommand       `cmd:"" help:"Write a space to a directory, as a repository."`
	Migrate      migrateCommand      `cmd:"" help:"Look at the schema of the database, or bring it up to date."`
	Search       searchCommand       `cmd:"" help:"Repair the search."`
	Version      versionCommand      `cmd:"" help:"Print the version."`
}

// Settings that all commands share.
type Settings struct {
	DataDir             string `env:"OCTAVO_DATA_DIR" default:"data" help:"Directory of the embedded database and files."`
	DatabaseURL         string `env:"OCTAVO_DATABASE_URL" help:"Path of a SQLite file, or a postgres:// address. Default: octavo.db in the data directory."`
	BlobURL             string `env:"OCTAVO_BLOB_URL" help:"Where files are kept: a directory, or s3://[key:secret@]bucket[/prefix]?endpoint=URL&region=NAME&path_style=true. Default: files in the data directory."`
	BaseURL             string `env:"OCTAVO_BASE_URL" help:"Address under which clients reach the server. Default: http:// and the listen address."`
	AllowPrivateNetwork bool   `env:"OCTAVO_ALLOW_PRIVATE_NETWORK" help:"Let requests to addresses that users name reach private networks."`
	LogLevel            string `env:"OCTAVO_LOG_LEVEL" default:"info" enum:"debug,info,warn,error" help:"Least level to log: debug, info, warn or error."`
	LogFormat           string `env:"OCTAVO_LOG_FORMAT" default:"text" enum:"text,json" help:"Format of the log: text or json."`
}

// Validate checks the settings before a command runs.
func (s *Settings) Validate() error {
	if s.DatabaseURL == "" {
		s.DatabaseURL = filepath.Join(s.DataDir, "octavo.db")
	}
	if s.BaseURL == "" {
		return nil
	}
	parsed, err := url.Parse(s.BaseURL)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.Host == "" {
		return fmt.Errorf("OCTAVO_BASE_URL: %q is not an http or https address", s.BaseURL)
	}
	return nil
}

func (s *Settings) logger(out io.Writer) *slog.Logger {
	var level slog.Level
	// The values were checked by the command line.
	_ = level.UnmarshalText([]byte(s.LogLevel))
	options := &slog.HandlerOptions{Level: level}
	if s.LogFormat == "json" {
		return slog.New(app.LogHandler(slog.NewJSONHandler(out, options)))
	}
	return slog.New(app.LogHandler(slog.NewTextHandler(out, options)))
}

// config of the application; a command that does not serve leaves the limits
// of requests out.
func (s *Settings) config(logger *slog.Logger) app.Config {
	return app.Config{
		DatabaseURL: s.DatabaseURL, DataDir: s.DataDir, BlobURL: s.BlobURL, AllowPrivateNetwork: s.AllowPrivateNetwork,
		BaseURL: s.BaseURL, Logger: logger, Version: buildVersion(),
	}
}

// with runs a command of the operator on the database, as Octavo itself, while
// a server may be running on it.
func (s *Settings) with(ctx context.Context, command string, run func(ctx context.Context, opened *app.App) error) (err error) {
	opened, err := app.New(ctx, s.config(s.logger(os.Stderr)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	ctx = audit.WithOrigin(ctx, audit.Origin{UserAgent: "octavo " + command})
	return run(access.System(ctx, "command "+command), opened)
}

// run carries out a command line.
func run(ctx context.Context, arguments []string, out io.Writer) error {
	var line commandLine
	parser, err := kong.New(&line, kong.Name("octavo"), kong.Description("Documentation management service."),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.BindTo(out, (*io.Writer)(nil)), kong.Bind(&line.Settings), kong.UsageOnError())
	if err != nil {
		return err
	}
	command, err := parser.Parse(arguments)
	if err != nil {
		return err
	}
	return command.Run()
}

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(out io.Writer) error {
	built := buildVersion()
	_, err := fmt.Fprintln(out, "octavo", built.Version, built.Build)
	return err
}

func buildVersion() graph.Version {
	built := graph.Version{Version: version, Build: "unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return built
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			built.Build = setting.Value
		}
	}
	return built
}

type serveCommand struct {
	Addr        string        `env:"OCTAVO_ADDR" default:"127.0.0.1:8080" help:"Address to listen on."`
	AdminToken  string        `env:"OCTAVO_ADMIN_TOKEN" help:"Access token of the first administrator, at least 16 characters, instead of a generated one; used at the first start only."`
	CORSOrigins []string      `env:"OCTAVO_CORS_ORIGINS" help:"Origins whose pages may call the APIs, comma separated; * is any. Default: none but the server's own."`
	RateLimit   int           `env:"OCTAVO_RATE_LIMIT" default:"6000" help:"Requests that one caller may make in a minute; 0 is no limit."`
	Timeout     time.Duration `env:"OCTAVO_REQUEST_TIMEOUT" default:"1m" help:"How long one request may take, streams excepted; 0 is no limit."`
	BodyLimit   int64         `env:"OCTAVO_BODY_LIMIT" default:"33554432" help:"Bytes that the body of a request may have; 0 is no limit."`
	PageCache   int64         `env:"OCTAVO_PAGE_CACHE" default:"67108864" help:"Bytes of memory that pages of published sites may take once they are rendered; 0 keeps none."`
	StreamLimit int           `name:"subscription-limit" env:"OCTAVO_SUBSCRIPTION_LIMIT" default:"100" help:"GraphQL subscriptions that one caller may have open at a server; 0 is no limit."`
	Recheck     time.Duration `name:"subscription-check" env:"OCTAVO_SUBSCRIPTION_CHECK" default:"1m" help:"How often the rights behind an open subscription are looked at when nothing happens; 0 is never."`
	CostLimit   int           `env:"OCTAVO_GRAPHQL_COST_LIMIT" default:"100000" help:"Most that a GraphQL operation may cost: one for each object that it may return."`
	DepthLimit  int           `env:"OCTAVO_GRAPHQL_DEPTH_LIMIT" default:"20" help:"How deep the selections of a GraphQL operation may be nested."`
	FieldLimit  int           `env:"OCTAVO_GRAPHQL_FIELD_LIMIT" default:"2000" help:"Fields, aliases included, that a GraphQL operation may select."`
	SMTPURL     string        `name:"smtp-url" env:"OCTAVO_SMTP_URL" help:"Mail server that invites go out by: smtp://[user:password@]host[:587][?starttls=required|opportunistic|never] or smtps://[user:password@]host[:465]. Default: none; invites are handed to whoever makes them."`
	SMTPFrom    string        `name:"smtp-from" env:"OCTAVO_SMTP_FROM" help:"Who messages are from: an e-mail address, or Name <address>."`
	TokenLimit  int           `env:"OCTAVO_GRAPHQL_TOKEN_LIMIT" default:"10000" help:"Tokens that a GraphQL document may have."`

	mail *mail.Sender
}

// Validate checks the settings of the server before it starts.
func (c *serveCommand) Validate() (err error) {
	if c.mail, err = mail.NewSender(mail.Settings{Address: c.SMTPURL, From: c.SMTPFrom}); err != nil {
		return err
	}
	return c.validateLimits()
}

func (c *serveCommand) validateLimits() error {
	for name, limit := range map[string]int64{
		"OCTAVO_RATE_LIMIT": int64(c.RateLimit), "OCTAVO_REQUEST_TIMEOUT": int64(c.Timeout), "OCTAVO_BODY_LIMIT": c.BodyLimit,
		"OCTAVO_PAGE_CACHE":         c.PageCache,
		"OCTAVO_SUBSCRIPTION_LIMIT": int64(c.StreamLimit), "OCTAVO_SUBSCRIPTION_CHECK": int64(c.Recheck),
	} {
		if limit < 0 {
			return fmt.Errorf("%s: a limit is not negative", name)
		}
	}
	for name, limit := range map[string]int{
		"OCTAVO_GRAPHQL_COST_LIMIT": c.CostLimit, "OCTAVO_GRAPHQL_DEPTH_LIMIT": c.DepthLimit,
		"OCTAVO_GRAPHQL_FIELD_LIMIT": c.FieldLimit, "OCTAVO_GRAPHQL_TOKEN_LIMIT": c.TokenLimit,
	} {
		if limit < 1 {
			return fmt.Errorf("%s: at least 1 is needed", name)
		}
	}
	return nil
}

func (c *serveCommand) limits() app.Limits {
	return app.Limits{
		RequestsPerMinute: c.RateLimit, RequestTime: c.Timeout, BodyBytes: c.BodyLimit, PageCacheBytes: c.PageCache,
		GraphQL: graph.Limits{Cost: c.CostLimit, Depth: c.DepthLimit, Fields: c.FieldLimit, Tokens: c.TokenLimit},
		Streams: live.Limits{PerCaller: c.StreamLimit, Recheck: c.Recheck},
	}
}

const (
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
	drainTimeout      = 20 * time.Second
)

// garbageTarget lets the heap grow to five times what is in use before it is
// collected: a fifth of the work for a list is collecting. GOGC and GOMEMLIMIT
// decide where they are set.
const garbageTarget = 400

// memoryTarget is where collecting becomes eager again, in bytes.
const memoryTarget = 1 << 30

func tuneCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbageTarget)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryTarget)
	}
}

// Run serves until the context ends, then lets requests in progress finish.
func (c *serveCommand) Run(ctx context.Context, settings *Settings, out io.Writer) error {
	tuneCollector()
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("OCTAVO_ADDR: %w", err)
	}
	if settings.BaseURL == "" {
		settings.BaseURL = "http://" + listener.Addr().String()
	}
	logger := settings.logger(os.Stderr)
	stopTracing, err := startTracing(ctx)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	config := settings.config(logger)
	config.Limits, config.Origins, config.Mail = c.limits(), c.CORSOrigins, c.mail
	opened, err := app.New(ctx, config)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() {
		if err := errors.Join(opened.Close(), stopTracing(context.WithoutCancel(ctx))); err != nil {
			logger.Error("closing", "error", err)
		}
	}()
	first, err := opened.Bootstrap(ctx, c.AdminToken)
	if err != nil {
		return errors.Join(fmt.Errorf("first start: %w", err), listener.Close())
	}
	if err := opened.Start(ctx); err != nil {
		return errors.Join(err, listener.Close())
	}
	c.welcome(out, settings.BaseURL, first)
	return serve(ctx, listener, opened, logger)
}

func (c *serveCommand) welcome(out io.Writer, base string, first *app.FirstStart) {
	fmt.Fprintf(out, "GraphQL        %s/graphql\nPlayground     %s/playground\nREST           %s/v1\nREST reference %s/reference\n", base, base, base, base)
	if first == nil {
		return
	}
	fmt.Fprintf(out, "\nOrganization   %s\nSpace          %s\n", first.OrganizationID, first.SpaceID)
	if c.AdminToken == "" {
		fmt.Fprintf(out, "Access token   %s\n               (shown once; send it as Authorization: Bearer TOKEN)\n", first.Token)
	}
}

func serve(ctx context.Context, listener net.Listener, opened *app.App, logger *slog.Logger) error {
	server := &http.Server{
		Handler: opened.Handler(), ReadHeaderTimeout: readHeaderTimeout, IdleTimeout: idleTimeout,
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
	// Streams would keep the server from stopping.
	server.RegisterOnShutdown(opened.Events.Close)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	logger.Info("shutting down")
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		return fmt.Errorf("requests were cut off: %w", err)
	}
	return nil
}
