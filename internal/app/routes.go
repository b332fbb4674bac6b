package app

import (
	"errors"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"octavo/graph"
	"octavo/internal/access"
	"octavo/internal/download"
	"octavo/internal/fault"
	"octavo/internal/loader"
	"octavo/internal/playground"
	"octavo/rest"
	"octavo/rest/wire"
)

// bodyLimit bounds a request's body, in bytes.
const bodyLimit = 32 << 20

func (a *App) routes() http.Handler {
	router := chi.NewRouter()
	router.Use(middleware.RequestID, middleware.RequestSize(bodyLimit))
	router.Get("/healthz", healthy)
	router.Get("/readyz", a.ready)
	router.Group(func(router chi.Router) {
		router.Use(a.authenticate, loader.Middleware(a.loaderSources()))
		router.Handle("/graphql", graph.NewHandler(a.resolver, a.loaderSources(), a.config.Logger))
		router.Mount("/v1", rest.NewHandler(a.resolver, a.config.Logger))
	})
	router.With(a.authenticate).Handle(download.Prefix+"/*", download.NewHandler(a.downloads, a.Files, a.Spaces, a.Revisions, a.refuse))
	pages := playground.New(playground.Options{GraphQL: "/graphql", OpenAPI: "/v1/openapi.json"})
	router.Handle("/playground", pages)
	router.Handle("/playground/*", pages)
	router.Handle("/reference", pages)
	return router
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
		viewer, err := a.Users.Authenticate(request.Context(), secret)
		if err != nil {
			a.refuse(writer, request, err)
			return
		}
		next.ServeHTTP(writer, request.WithContext(access.WithViewer(request.Context(), viewer)))
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
	rest.WriteJSON(writer, code.Status(), wire.Error{Error: wire.ErrorDetail{Code: code.Status(), Message: message}})
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
