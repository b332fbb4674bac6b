package graph

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"octavo/graph/generated"
	"octavo/internal/fault"
	"octavo/internal/loader"
)

const (
	queryCacheSize     = 1000
	persistedCacheSize = 1000
	keepAlive          = 15 * time.Second
)

// NewHandler serves the GraphQL API.
func NewHandler(resolver *Resolver, sources loader.Sources, logger *slog.Logger) http.Handler {
	server := handler.New(generated.NewExecutableSchema(generated.Config{Resolvers: resolver}))
	server.AddTransport(transport.Websocket{KeepAlivePingInterval: keepAlive})
	server.AddTransport(transport.SSE{})
	server.AddTransport(transport.Options{})
	server.AddTransport(transport.GET{})
	server.AddTransport(transport.POST{})
	server.SetQueryCache(lru.New[*ast.QueryDocument](queryCacheSize))
	server.Use(extension.Introspection{})
	server.Use(extension.AutomaticPersistedQuery{Cache: lru.New[string](persistedCacheSize)})
	server.AroundRootFields(func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
		if graphql.GetOperationContext(ctx).Operation.Operation == ast.Mutation {
			ctx = loader.With(ctx, sources)
		}
		return next(ctx)
	})
	server.SetErrorPresenter(presenter(logger))
	server.SetRecoverFunc(recoverer(logger))
	return server
}

// presenter shows an error of the domain with its code, and hides any other
// behind INTERNAL after logging it once.
func presenter(logger *slog.Logger) graphql.ErrorPresenterFunc {
	return func(ctx context.Context, err error) *gqlerror.Error {
		shown := graphql.DefaultErrorPresenter(ctx, err)
		var known *fault.Error
		if errors.As(err, &known) {
			shown.Message = known.Message
			shown.Extensions = extensions(known)
			return shown
		}
		if _, isRequestError := err.(*gqlerror.Error); isRequestError && shown.Unwrap() == nil {
			return shown
		}
		code := fault.CodeOf(err)
		if code == fault.Internal {
			logger.ErrorContext(ctx, "unexpected error", "error", err, "path", shown.Path.String())
		}
		shown.Message = fault.Shown(code)
		shown.Extensions = map[string]any{"code": string(code)}
		return shown
	}
}

func extensions(known *fault.Error) map[string]any {
	shown := map[string]any{"code": string(known.Code)}
	if known.Field != "" {
		shown["field"] = known.Field
	}
	for key, value := range known.Details {
		shown[key] = value
	}
	return shown
}

func recoverer(logger *slog.Logger) graphql.RecoverFunc {
	return func(ctx context.Context, panicked any) error {
		logger.ErrorContext(ctx, "panic in a resolver", "panic", panicked)
		return errors.New("panic in a resolver")
	}
}
