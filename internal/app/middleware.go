package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/httprate"
	"github.com/google/uuid"

	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/fault"
	"octavo/rest"
	"octavo/rest/wire"
)

// requestIDHeader carries the id of a request in both directions.
const requestIDHeader = "X-Request-Id"

// LogHandler adds the id of the request to each line that is logged for it.
func LogHandler(next slog.Handler) slog.Handler { return requestLog{next} }

type requestLog struct{ slog.Handler }

// Handle logs a line.
func (r requestLog) Handle(ctx context.Context, record slog.Record) error {
	if id := middleware.GetReqID(ctx); id != "" {
		record.AddAttrs(slog.String("request_id", id))
	}
	return r.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (r requestLog) WithAttrs(attributes []slog.Attr) slog.Handler {
	return requestLog{r.Handler.WithAttrs(attributes)}
}

// WithGroup implements slog.Handler.
func (r requestLog) WithGroup(name string) slog.Handler { return requestLog{r.Handler.WithGroup(name)} }

// requestIDPattern is what Octavo takes as an id from a proxy before it.
var requestIDPattern = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// identify gives each request an id, or keeps the one that a proxy gave, and
// tells the client under which id its request is logged.
func identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		id := request.Header.Get(requestIDHeader)
		if !requestIDPattern.MatchString(id) {
			id = uuid.NewString()
		}
		writer.Header().Set(requestIDHeader, id)
		ctx := context.WithValue(request.Context(), middleware.RequestIDKey, id)
		ctx = audit.WithOrigin(ctx, audit.Origin{Address: clientAddress(request), UserAgent: request.UserAgent(), RequestID: id})
		next.ServeHTTP(writer, request.WithContext(ctx))
	})
}

// observe logs and measures each request.
func (a *App) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		begin := time.Now()
		recorded := middleware.NewWrapResponseWriter(writer, request.ProtoMajor)
		defer func() {
			took := time.Since(begin)
			route := routeOf(request)
			status := strconv.Itoa(recorded.Status())
			a.metrics.requests.WithLabelValues(request.Method, route, status).Observe(took.Seconds())
			if a.config.Logger.Enabled(request.Context(), slog.LevelDebug) {
				a.config.Logger.DebugContext(request.Context(), "request", "method", request.Method, "route", route,
					"status", recorded.Status(), "bytes", recorded.BytesWritten(), "duration", took)
			}
		}()
		next.ServeHTTP(recorded, request)
	})
}

// routeOf is the pattern that the request matched: paths hold ids, which
// neither metrics nor logs want.
func routeOf(request *http.Request) string {
	if pattern := chi.RouteContext(request.Context()).RoutePattern(); pattern != "" {
		return pattern
	}
	return "unmatched"
}

// recoverPanics answers 500 when a handler panics, and logs where.
func (a *App) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		defer func() {
			panicked := recover()
			if panicked == nil {
				return
			}
			if err, is := panicked.(error); is && errors.Is(err, http.ErrAbortHandler) {
				panic(panicked)
			}
			a.config.Logger.ErrorContext(request.Context(), "panic", "panic", panicked, "stack", string(debug.Stack()))
			showError(writer, fault.Internal, fault.Shown(fault.Internal))
		}()
		next.ServeHTTP(writer, request)
	})
}

// bounded ends the work for a request after a time, except for streams.
func (a *App) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		if a.config.Limits.RequestTime == 0 || streams(request) {
			next.ServeHTTP(writer, request)
			return
		}
		ctx, cancel := context.WithTimeout(request.Context(), a.config.Limits.RequestTime)
		defer cancel()
		next.ServeHTTP(writer, request.WithContext(ctx))
	})
}

func streams(request *http.Request) bool {
	return request.Header.Get("Upgrade") != "" || strings.Contains(request.Header.Get("Accept"), "text/event-stream")
}

// limitRate bounds the requests of each caller in a minute, by user or, for
// nobody, by address.
func (a *App) limitRate() func(http.Handler) http.Handler {
	if a.config.Limits.RequestsPerMinute == 0 {
		return func(next http.Handler) http.Handler { return next }
	}
	return httprate.LimitBy(a.config.Limits.RequestsPerMinute, time.Minute, callerKey,
		httprate.WithLimitHandler(func(writer http.ResponseWriter, _ *http.Request) {
			showError(writer, fault.RateLimited, "too many requests; X-RateLimit-Reset says when to go on")
		}))
}

func callerKey(request *http.Request) (string, error) {
	if viewer := access.From(request.Context()); viewer.UserID != "" {
		return viewer.UserID, nil
	}
	return httprate.CanonicalizeIP(clientAddress(request)), nil
}

// clientAddress is the address of the client without its port.
func clientAddress(request *http.Request) string {
	address, _, err := net.SplitHostPort(request.RemoteAddr)
	if err != nil {
		return request.RemoteAddr
	}
	return address
}

func showError(writer http.ResponseWriter, code fault.Code, message string) {
	rest.WriteJSON(writer, code.Status(), wire.Error{Error: wire.ErrorDetail{Code: code.Status(), Message: message}})
}
