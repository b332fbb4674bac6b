package app

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/cors"
	"github.com/riandyrn/otelchi"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/trace"

	"octavo/graph"
	"octavo/internal/access"
	"octavo/internal/audience"
	"octavo/internal/download"
	"octavo/internal/fault"
	"octavo/internal/loader"
	"octavo/internal/playground"
	"octavo/internal/reader"
	"octavo/rest"
)

// compression is the level of gzip for answers.
const compression = 5

func (a *App) routes() http.Handler {
	router := chi.NewRouter()
	router.Use(identify, otelchi.Middleware("octavo", otelchi.WithChiRoutes(router), otelchi.WithFilter(traced)),
		a.observe, a.recoverPanics, a.hosts)
	router.Get("/healthz", healthy)
	router.Get("/readyz", a.ready)
	router.Handle("/metrics", a.metrics.handler())
	router.With(a.authenticate, a.limitRate()).Handle(download.Prefix+"/*", download.NewHandler(a.downloads, a.Files, a.Spaces, a.Revisions, a.refuse))
	router.Group(a.sites)
	router.Group(a.pages)
	router.Group(a.apis)
	return router
}

// traced tells whether spans go anywhere: without a collector, finding out what
// to say of a request costs more than the rest of the middleware.
func traced(*http.Request) bool {
	_, collected := otel.GetTracerProvider().(*trace.TracerProvider)
	return collected
}

// apis are GraphQL and REST: both behind the same middleware, so that neither
// knows a caller or a limit that the other does not.
func (a *App) apis(router chi.Router) {
	router.Use(a.crossOrigin(), middleware.Compress(compression, "application/json", "application/graphql-response+json"))
	if a.config.Limits.BodyBytes > 0 {
		router.Use(middleware.RequestSize(a.config.Limits.BodyBytes))
	}
	router.Use(a.bounded, a.authenticate, a.limitRate(), loader.Middleware(a.loaderSources()))
	router.Handle("/graphql", graph.NewHandler(a.resolver, graph.Options{
		Limits: a.config.Limits.GraphQL, Sources: a.loaderSources(), Logger: a.config.Logger,
		Authenticate: a.actAs, Renew: a.actOn, Origins: a.config.Origins,
	}))
	router.Mount("/v1", rest.NewHandler(a.resolver, a.config.Logger))
}

// sites are the published sites below the server's own host.
func (a *App) sites(router chi.Router) {
	router.Use(a.forReaders()...)
	router.Handle(reader.Prefix+"/*", a.readers)
	router.Handle(reader.AssetPrefix+"*", a.readers)
}

// hosts serves the sites that are read at hosts of their own.
func (a *App) hosts(next http.Handler) http.Handler { return a.readers.Hosts(next, a.forReaders()) }

// forReaders is the middleware of published sites, which compress by themselves
// what they send.
func (a *App) forReaders() chi.Middlewares {
	return chi.Middlewares{a.bounded, a.authenticate, a.limitRate()}
}

func (a *App) pages(router chi.Router) {
	pages := playground.New(playground.Options{GraphQL: "/graphql", OpenAPI: "/v1/openapi.json", Examples: playground.Examples()})
	router.Handle("/playground", pages)
	router.Handle("/playground/*", pages)
	router.Handle("/reference", pages)
	router.Get("/invites/{secret}", a.Invites.ServeHTTP)
}

func (a *App) crossOrigin() func(http.Handler) http.Handler {
	return cors.Handler(cors.Options{
		AllowedOrigins: append([]string{}, a.config.Origins...),
		AllowOriginFunc: func(_ *http.Request, origin string) bool {
			return slices.Contains(a.config.Origins, origin) || slices.Contains(a.config.Origins, "*")
		},
		AllowedMethods: []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowedHeaders: []string{"Authorization", "Content-Type", "If-Match", "If-None-Match", requestIDHeader},
		ExposedHeaders: []string{"ETag", "Location", requestIDHeader, "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"},
		MaxAge:         600,
	})
}

// actAs returns a context in which the owner of a token acts.
func (a *App) actAs(ctx context.Context, secret string) (context.Context, error) {
	authenticate := a.Users.Authenticate
	if audience.IsToken(secret) {
		authenticate = a.siteTokens.Open
	}
	viewer, err := authenticate(ctx, secret)
	if err != nil {
		return nil, err
	}
	return access.WithViewer(ctx, viewer), nil
}

// actOn returns a context in which the caller acts with the rights that they
// have now.
func (a *App) actOn(ctx context.Context) (context.Context, error) {
	caller := access.From(ctx)
	if caller.Visitor != nil {
		return a.actAs(ctx, caller.Visitor.Token)
	}
	if caller.TokenID == "" {
		return ctx, nil
	}
	viewer, err := a.Users.Renew(ctx)
	if err != nil {
		return nil, err
	}
	return access.WithViewer(ctx, viewer), nil
}

// authenticate finds out who calls. A request without a token is nobody's; one
// with a token that is not valid is refused.
func (a *App) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		secret, given := bearer(request)
		if !given {
			next.ServeHTTP(writer, request)
			return
		}
		ctx, err := a.actAs(request.Context(), secret)
		if err != nil {
			a.refuse(writer, request, err)
			return
		}
		next.ServeHTTP(writer, request.WithContext(ctx))
	})
}

func bearer(request *http.Request) (secret string, given bool) {
	scheme, secret, found := strings.Cut(request.Header.Get("Authorization"), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimSpace(secret), true
}

func (a *App) refuse(writer http.ResponseWriter, request *http.Request, err error) {
	code := fault.CodeOf(err)
	message := fault.Shown(code)
	var known *fault.Error
	if errors.As(err, &known) {
		message = known.Message
	}
	if code == fault.Internal {
		a.config.Logger.ErrorContext(request.Context(), "unexpected error", "error", err, "method", request.Method, "path", request.URL.Path)
	}
	if code == fault.Unauthenticated {
		writer.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
	}
	showError(writer, code, message)
}

func healthy(writer http.ResponseWriter, _ *http.Request) { writer.WriteHeader(http.StatusOK) }

func (a *App) ready(writer http.ResponseWriter, request *http.Request) {
	if err := a.Database.Ping(request.Context()); err != nil {
		a.config.Logger.WarnContext(request.Context(), "not ready", "error", err)
		writer.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	writer.WriteHeader(http.StatusOK)
}
