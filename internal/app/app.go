// Package app puts the parts of Octavo together: services on a database,
// behind one HTTP handler.
package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"octavo/graph"
	"octavo/internal/address"
	"octavo/internal/blob"
	"octavo/internal/changerequest"
	"octavo/internal/database"
	"octavo/internal/download"
	"octavo/internal/loader"
	"octavo/internal/organization"
	"octavo/internal/outbound"
	"octavo/internal/revision"
	"octavo/internal/secret"
	"octavo/internal/space"
	"octavo/internal/user"
)

// Config of an application.
type Config struct {
	// DatabaseURL is the path of a SQLite file or a postgres:// address.
	DatabaseURL string
	// DataDir is the directory of files.
	DataDir string
	// BaseURL is the address under which clients reach the server.
	BaseURL string
	Logger  *slog.Logger
	Version graph.Version
}

// App is a running application without a listener.
type App struct {
	Database       *database.Database
	Users          *user.Service
	Organizations  *organization.Service
	Spaces         *space.Service
	Revisions      *revision.Store
	ChangeRequests *changerequest.Service

	config   Config
	resolver *graph.Resolver
}

// New opens the database, brings its schema up to date and wires the services.
func New(ctx context.Context, config Config) (*App, error) {
	opened, err := database.Open(ctx, config.DatabaseURL, database.Options{})
	if err != nil {
		return nil, err
	}
	app := assemble(config, opened)
	applied, err := opened.Migrate(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w (close: %v)", err, opened.Close())
	}
	for _, name := range applied {
		config.Logger.InfoContext(ctx, "migrated the database", "step", name)
	}
	return app, nil
}

func assemble(config Config, opened *database.Database) *App {
	revisions := revision.NewStore(opened)
	app := &App{
		Database: opened, Revisions: revisions,
		Users: user.NewService(opened), Organizations: organization.NewService(opened),
		Spaces: space.NewService(opened, revisions), config: config,
	}
	app.ChangeRequests = changerequest.NewService(opened, app.Spaces, revisions)
	app.resolver = &graph.Resolver{
		Addresses: address.NewBook(config.BaseURL), Version: config.Version,
		Users: app.Users, Organizations: app.Organizations, Spaces: app.Spaces, Revisions: revisions,
		ChangeRequests: app.ChangeRequests,
	}
	return app
}

// Close ends the application.
func (a *App) Close() error { return a.Database.Close() }

func (a *App) loaderSources() loader.Sources {
	return loader.Sources{
		Users: a.Users, Organizations: a.Organizations, Spaces: a.Spaces, Revisions: a.Revisions,
		ChangeRequests: a.ChangeRequests,
	}
}

// Handler serves everything over HTTP.
func (a *App) Handler() http.Handler { return a.routes() }
