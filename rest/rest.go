// Package rest is the /v1 API for clients that know it. Each handler decodes a
// request, calls the resolver that GraphQL calls, and renders what it returns
// as the wire struct of the contract (openapi.yaml).
package rest

import (
	"log/slog"
	"net/http"

	"github.com/go-chi/chi/v5"

	"octavo/graph/generated"
	"octavo/internal/cache"
	"octavo/rest/contract"
)

// API serves the REST operations.
type API struct {
	resolvers generated.ResolverRoot
	logger    *slog.Logger
	pageTrees *cache.Cache[pageTreeKey, []byte]
}

// NewHandler returns the handler of everything below /v1.
func NewHandler(resolvers generated.ResolverRoot, logger *slog.Logger) http.Handler {
	api := &API{resolvers: resolvers, logger: logger, pageTrees: newPageTreeCache()}
	router := chi.NewRouter()
	router.NotFound(api.handle(unknownPath))
	router.MethodNotAllowed(api.handle(unknownMethod))
	router.Get("/openapi.json", contract.Serve)
	api.system(router)
	api.users(router)
	api.organizations(router)
	api.teams(router)
	api.invites(router)
	api.spaces(router)
	api.permissions(router)
	api.collections(router)
	api.git(router)
	api.content(router)
	api.revisions(router)
	api.changeRequests(router)
	api.changeRequestContent(router)
	api.comments(router)
	api.templates(router)
	api.search(router)
	api.sites(router)
	api.urls(router)
	return router
}

func (a *API) query() generated.QueryResolver { return a.resolvers.Query() }

func (a *API) mutation() generated.MutationResolver { return a.resolvers.Mutation() }
