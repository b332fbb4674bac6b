package graph

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/gorilla/websocket"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"octavo/graph/generated"
	"octavo/internal/fault"
	"octavo/internal/live"
	"octavo/internal/loader"
)

const (
	queryCacheSize     = 1000
	persistedCacheSize = 1000
	keepAlive          = 15 * time.Second
)

// Options of the GraphQL API.
type Options struct {
	Limits  Limits
	Sources loader.Sources
	Logger  *slog.Logger
	// Authenticate returns a context in which the owner of a token acts. It
	// serves clients that send the token when they open a web socket.
	Authenticate func(ctx context.Context, secret string) (context.Context, error)
	// Renew returns a context in which the caller has the rights of this moment.
	// It serves operations on a web socket, which may be open for long.
	Renew func(ctx context.Context) (context.Context, error)
	// Origins are the other origins from which browsers may open web sockets.
	Origins []string
}

// NewHandler serves the GraphQL API. No transport takes a mutation from a
// request that a browser sends across origins without asking first.
func NewHandler(resolver *Resolver, options Options) http.Handler {
	server := handler.New(generated.NewExecutableSchema(generated.Config{Resolvers: resolver}))
	server.AddTransport(transport.Websocket{
		KeepAlivePingInterval: keepAlive,
		InitFunc:              options.open,
		Upgrader:              websocket.Upgrader{CheckOrigin: options.checkOrigin, Subprotocols: []string{"graphql-transport-ws"}},
	})
	server.AddTransport(transport.SSE{KeepAlivePingInterval: keepAlive})
	server.AddTransport(transport.Options{})
	server.AddTransport(transport.GET{})
	server.AddTransport(post{})
	server.SetQueryCache(lru.New[*ast.QueryDocument](queryCacheSize))
	server.SetParserTokenLimit(options.Limits.Tokens)
	server.Use(extension.Introspection{})
	server.Use(extension.AutomaticPersistedQuery{Cache: lru.New[string](persistedCacheSize)})
	server.Use(costLimit{limits: options.Limits})
	server.AroundRootFields(func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
		if graphql.GetOperationContext(ctx).Operation.Operation == ast.Mutation {
			ctx = loader.With(ctx, options.Sources)
		}
		return next(ctx)
	})
	server.AroundOperations(func(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
		ctx, err := options.renewed(ctx)
		if err != nil {
			return graphql.OneShot(&graphql.Response{Errors: gqlerror.List{presenter(options.Logger)(ctx, err)}})
		}
		if isSubscription(ctx) {
			ctx = live.WithSession(ctx)
		}
		return next(ctx)
	})
	server.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		if !isSubscription(ctx) {
			return next(ctx)
		}
		if response := next(loader.With(ctx, options.Sources)); response != nil {
			return response
		}
		return lastResponse(ctx)
	})
	server.SetErrorPresenter(presenter(options.Logger))
	server.SetRecoverFunc(recoverer(options.Logger))
	return server
}

// lastResponse tells a subscriber why there will be no more, if that was not
// the subscriber's own wish.
func lastResponse(ctx context.Context) *graphql.Response {
	reason := live.Ending(ctx)
	if reason == nil {
		return nil
	}
	graphql.AddError(ctx, reason)
	return &graphql.Response{Errors: graphql.GetErrors(ctx)}
}

// isSubscription is false for operations that were refused before they were
// understood.
func isSubscription(ctx context.Context) bool {
	if !graphql.HasOperationContext(ctx) {
		return false
	}
	definition := graphql.GetOperationContext(ctx).Operation
	return definition != nil && definition.Operation == ast.Subscription
}

// open authenticates a web socket by the token in its first message, if there
// is one: browsers cannot send a header.
func (o Options) open(ctx context.Context, payload transport.InitPayload) (context.Context, *transport.InitPayload, error) {
	ctx = context.WithValue(ctx, socketKey{}, true)
	scheme, secret, found := strings.Cut(payload.Authorization(), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return ctx, nil, nil
	}
	authenticated, err := o.Authenticate(ctx, strings.TrimSpace(secret))
	return authenticated, nil, err
}

// socketKey marks the contexts of web sockets.
type socketKey struct{}

// renewed is the context of an operation: on a web socket with the rights that
// the caller has now, not with those from when it was opened. The context that
// comes with an error is that of the operation too.
func (o Options) renewed(ctx context.Context) (context.Context, error) {
	if ctx.Value(socketKey{}) == nil {
		return ctx, nil
	}
	renewed, err := o.Renew(ctx)
	if err != nil {
		return ctx, err
	}
	return renewed, nil
}

// checkOrigin lets a browser open a web socket from the server's own origin and
// from those that are configured.
func (o Options) checkOrigin(request *http.Request) bool {
	origin := request.Header.Get("Origin")
	if origin == "" || slices.Contains(o.Origins, origin) || slices.Contains(o.Origins, "*") {
		return true
	}
	parsed, err := url.Parse(origin)
	return err == nil && strings.EqualFold(parsed.Host, request.Host)
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
		var refused *gqlerror.Error
		if errors.As(err, &refused) && refused.Unwrap() == nil {
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
