// Package app puts the parts of Octavo together: services on a database,
// behind one HTTP handler.
package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	"octavo/graph"
	"octavo/internal/address"
	"octavo/internal/audience"
	"octavo/internal/audit"
	"octavo/internal/blob"
	"octavo/internal/changerequest"
	"octavo/internal/collection"
	"octavo/internal/comment"
	"octavo/internal/database"
	"octavo/internal/download"
	"octavo/internal/edit"
	"octavo/internal/embed"
	"octavo/internal/event"
	"octavo/internal/invite"
	"octavo/internal/job"
	"octavo/internal/linkgraph"
	"octavo/internal/live"
	"octavo/internal/loader"
	"octavo/internal/mail"
	"octavo/internal/node"
	"octavo/internal/organization"
	"octavo/internal/outbound"
	"octavo/internal/permission"
	"octavo/internal/reader"
	"octavo/internal/revision"
	"octavo/internal/search"
	"octavo/internal/secret"
	"octavo/internal/site"
	"octavo/internal/space"
	"octavo/internal/team"
	"octavo/internal/template"
	"octavo/internal/transfer"
	"octavo/internal/user"
)

// Config of an application.
type Config struct {
	// DatabaseURL is the path of a SQLite file or a postgres:// address.
	DatabaseURL string
	// DataDir is the directory of everything that the server keeps beside a
	// database of its own.
	DataDir string
	// BlobURL is where files are kept: a directory or an s3:// address (see
	// package blob). Empty is the directory "files" in DataDir.
	BlobURL string
	// AllowPrivateNetwork lets requests to addresses that users name reach
	// private networks.
	AllowPrivateNetwork bool
	// BaseURL is the address under which clients reach the server.
	BaseURL string
	// Mail sends invites; nil where there is no mail server.
	Mail    *mail.Sender
	Logger  *slog.Logger
	Version graph.Version
	Limits  Limits
	// Origins are the origins other than the server's own whose pages may call
	// the APIs; "*" is any.
	Origins []string
}

// Limits of the server; the zero value of each but GraphQL means none.
type Limits struct {
	// RequestsPerMinute bounds the requests of one caller.
	RequestsPerMinute int
	// RequestTime bounds the work for one request, streams excepted.
	RequestTime time.Duration
	// BodyBytes bounds the body of a request.
	BodyBytes int64
	// PageCacheBytes bounds the memory for rendered pages of sites; none are kept
	// without.
	PageCacheBytes int64
	GraphQL        graph.Limits
	// Streams bound subscriptions.
	Streams live.Limits
}

// DefaultLimits are those of a server that is configured without any.
var DefaultLimits = Limits{
	RequestsPerMinute: 6000, RequestTime: time.Minute, BodyBytes: 32 << 20, PageCacheBytes: 64 << 20, GraphQL: graph.DefaultLimits,
	Streams: live.Limits{PerCaller: 100, Recheck: time.Minute},
}

// App is a running application without a listener.
type App struct {
	Database       *database.Database
	Users          *user.Service
	Organizations  *organization.Service
	Teams          *team.Service
	AuditLog       *audit.Service
	Invites        *invite.Service
	Spaces         *space.Service
	Collections    *collection.Service
	Revisions      *revision.Store
	ChangeRequests *changerequest.Service
	Comments       *comment.Service
	Permissions    *permission.Service
	Sites          *site.Service
	Files          *blob.Bucket
	Outbound       *outbound.Client
	Transfers      *transfer.Service
	SearchIndex    *search.Index
	Events         *event.Bus
	Jobs           *job.Queue

	siteTokens *audience.Tokens

	nodes     *node.Service
	downloads *download.Signer
	config    Config
	metrics   *metrics
	resolver  *graph.Resolver
	readers   *reader.Handler
}

// New opens the database, brings its schema up to date, opens the bucket of
// files and wires the services.
func New(ctx context.Context, config Config) (*App, error) {
	opened, err := database.Open(ctx, config.DatabaseURL, database.Options{})
	if err != nil {
		return nil, err
	}
	app, err := start(ctx, config, opened)
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return app, nil
}

func start(ctx context.Context, config Config, opened *database.Database) (*App, error) {
	applied, err := opened.Migrate(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range applied {
		config.Logger.InfoContext(ctx, "migrated the database", "step", name)
	}
	if _, err := job.Migrate(ctx, opened, config.Logger); err != nil {
		return nil, err
	}
	keys, err := readKeys(ctx, opened)
	if err != nil {
		return nil, err
	}
	if config.BlobURL == "" {
		config.BlobURL = filepath.Join(config.DataDir, "files")
	}
	files, err := blob.Open(ctx, config.BlobURL)
	if err != nil {
		return nil, err
	}
	return assemble(config, opened, files, keys)
}

// keys are what the server signs and seals with.
type keys struct {
	downloads   []byte
	previews    []byte
	siteTokens  []byte
	credentials *secret.Box
	sites       *secret.Box
}

func readKeys(ctx context.Context, opened *database.Database) (keys, error) {
	var read keys
	var err error
	if read.downloads, err = secret.Key(ctx, opened, secret.Downloads); err != nil {
		return keys{}, err
	}
	if read.previews, err = secret.Key(ctx, opened, secret.Previews); err != nil {
		return keys{}, err
	}
	if read.siteTokens, err = secret.Key(ctx, opened, secret.SiteTokens); err != nil {
		return keys{}, err
	}
	if read.credentials, err = readBox(ctx, opened, secret.Credentials); err != nil {
		return keys{}, err
	}
	read.sites, err = readBox(ctx, opened, secret.Sites)
	return read, err
}

func readBox(ctx context.Context, opened *database.Database, name secret.Name) (*secret.Box, error) {
	key, err := secret.Key(ctx, opened, name)
	if err != nil {
		return nil, err
	}
	return secret.NewBox(key)
}

func assemble(config Config, opened *database.Database, files *blob.Bucket, keys keys) (*App, error) {
	addresses := address.NewBook(config.BaseURL)
	revisions := revision.NewStore(opened, addresses.App())
	app := &App{
		Database: opened, Revisions: revisions,
		Users: user.NewService(opened), Organizations: organization.NewService(opened), Teams: team.NewService(opened), AuditLog: audit.NewService(opened),
		Files: files, Outbound: outbound.NewClient(outbound.Options{AllowPrivateNetwork: config.AllowPrivateNetwork}),
		downloads: download.NewSigner(addresses, keys.downloads, time.Now),
		config:    config, metrics: newMetrics(opened),
	}
	app.Spaces = space.NewService(opened, revisions, edit.NewPreparer(revisions, files, app.Outbound))
	app.Collections = collection.NewService(opened, app.Spaces)
	app.SearchIndex = search.NewIndex(opened, revisions)
	app.Spaces.OnContentChanged(app.SearchIndex.ContentChanged)
	app.ChangeRequests = changerequest.NewService(opened, app.Spaces, revisions)
	app.Transfers = transfer.NewService(transfer.Parts{
		Database: opened, Spaces: app.Spaces, Revisions: revisions, Files: files, Outbound: app.Outbound, Box: keys.credentials,
		Start: func(ctx context.Context, run transfer.Run) error { return app.Jobs.Transfer(ctx, run) },
	})
	app.Comments = comment.NewService(opened, app.Spaces, app.ChangeRequests, revisions)
	app.Permissions = permission.NewService(opened, app.Spaces, app.Collections)
	app.Invites = invite.NewService(invite.Services{
		Database: opened, Users: app.Users, Permissions: app.Permissions, Addresses: addresses, Mail: config.Mail, Box: keys.credentials,
		Post: func(ctx context.Context, delivery invite.Delivery) error { return app.Jobs.Deliver(ctx, delivery) },
	})
	app.Sites = site.NewService(site.Parts{
		Database: opened, Spaces: app.Spaces, Revisions: revisions, Addresses: addresses, Keys: keys.sites, Previews: keys.previews,
	})
	app.Events = event.NewBus(opened, config.Logger)
	app.publishEvents()
	var err error
	app.Jobs, err = job.New(opened, config.Logger, job.Work{
		PurgeSpaces: app.Spaces.Purge, PurgeEvents: app.Events.Purge, CollectContent: revisions.Collect,
		CollectFiles: func(ctx context.Context, before time.Time) (int, error) {
			return revisions.CollectFiles(ctx, files, before)
		},
		Transfer: app.Transfers.Perform, Deliver: app.Invites.Deliver,
	})
	if err != nil {
		return nil, err
	}
	app.nodes = node.NewService(node.Sources{
		Users: app.Users, Organizations: app.Organizations, Teams: app.Teams, Spaces: app.Spaces, Collections: app.Collections, Revisions: revisions,
		ChangeRequests: app.ChangeRequests, Comments: app.Comments, Sites: app.Sites, AuditLog: app.AuditLog,
	})
	app.resolver = &graph.Resolver{
		Addresses: addresses, Downloads: app.downloads, Version: config.Version,
		Users: app.Users, Organizations: app.Organizations, Teams: app.Teams, Spaces: app.Spaces, Collections: app.Collections, Revisions: revisions,
		ChangeRequests: app.ChangeRequests, Comments: app.Comments, Sites: app.Sites, Transfers: app.Transfers, AuditLogs: app.AuditLog,
		Invites:     app.Invites,
		Permissions: app.Permissions,
		Templates:   template.NewService(app.Spaces, app.ChangeRequests, revisions, files),
		SearchIndex: app.SearchIndex, AnyNode: app.nodes,
		Live: live.NewService(live.Parts{
			Events: app.Events, Users: app.Users, Spaces: app.Spaces, ChangeRequests: app.ChangeRequests, Comments: app.Comments, Sites: app.Sites,
			Logger: config.Logger, Limits: config.Limits.Streams,
		}),
		LinkGraph: linkgraph.NewService(opened, revisions, app.Spaces, app.Collections, app.Users, addresses.App()),
	}
	app.serveSites(addresses, keys)
	return app, nil
}

// serveSites makes what serves published sites: as pages, and for other
// renderers.
func (a *App) serveSites(addresses address.Book, keys keys) {
	content, visits := audience.NewReader(a.Revisions), audience.NewService(a.Sites)
	finder := audience.NewFinder(a.SearchIndex, content)
	a.siteTokens = audience.NewTokens(visits, a.Users, a.Spaces, keys.siteTokens)
	a.resolver.Published = audience.NewLocator(audience.LocatorParts{
		Sites: a.Sites, Audience: visits, Tokens: a.siteTokens, Content: content, Spaces: a.Spaces, Revisions: a.Revisions,
		ChangeRequests: a.ChangeRequests,
	})
	a.resolver.SiteFinder, a.resolver.Embeds = finder, embed.NewService(a.Outbound)
	a.readers = reader.NewHandler(reader.Parts{
		Sites: a.Sites, Audience: visits, Content: content, Finder: finder,
		Users: a.Users, Files: a.Files, Outbound: a.Outbound, Addresses: addresses, Logger: a.config.Logger,
		PageCacheBytes: a.config.Limits.PageCacheBytes,
	})
}

// Start begins to do the work behind requests, until Close.
func (a *App) Start(ctx context.Context) error { return a.Jobs.Start(context.WithoutCancel(ctx)) }

// Close ends the application, once what it does in the background has stopped.
func (a *App) Close() error {
	stopped := a.Jobs.Stop(context.Background())
	a.Events.Close()
	return errors.Join(stopped, a.Files.Close(), a.Database.Close())
}

func (a *App) loaderSources() loader.Sources {
	return loader.Sources{
		Users: a.Users, Organizations: a.Organizations, Teams: a.Teams, Spaces: a.Spaces, Collections: a.Collections, Revisions: a.Revisions,
		ChangeRequests: a.ChangeRequests, Comments: a.Comments, Nodes: a.nodes, Permissions: a.Permissions, Sites: a.Sites,
	}
}

// Handler serves everything over HTTP.
func (a *App) Handler() http.Handler { return a.routes() }
