// Package graph is the GraphQL API: schema, resolvers, and how errors and
// limits are shown. Resolvers unpack, make one call into the domain, and wrap.
// The REST API calls the same resolvers, outside of any GraphQL execution: they
// never read the execution's context.
package graph

import (
	"octavo/internal/address"
	"octavo/internal/audience"
	"octavo/internal/audit"
	"octavo/internal/changerequest"
	"octavo/internal/collection"
	"octavo/internal/comment"
	"octavo/internal/download"
	"octavo/internal/embed"
	"octavo/internal/invite"
	"octavo/internal/linkgraph"
	"octavo/internal/live"
	"octavo/internal/node"
	"octavo/internal/organization"
	"octavo/internal/permission"
	"octavo/internal/revision"
	"octavo/internal/search"
	"octavo/internal/site"
	"octavo/internal/space"
	"octavo/internal/team"
	"octavo/internal/template"
	"octavo/internal/transfer"
	"octavo/internal/user"
)

// Resolver is the root of the GraphQL API.
type Resolver struct {
	Addresses      address.Book
	Downloads      *download.Signer
	Version        Version
	Users          *user.Service
	Organizations  *organization.Service
	Teams          *team.Service
	Invites        *invite.Service
	AuditLogs      *audit.Service
	Spaces         *space.Service
	Collections    *collection.Service
	SearchIndex    *search.Index
	Transfers      *transfer.Service
	Revisions      *revision.Store
	ChangeRequests *changerequest.Service
	Templates      *template.Service
	LinkGraph      *linkgraph.Service
	Comments       *comment.Service
	Sites          *site.Service
	Published      *audience.Locator
	SiteFinder     *audience.Finder
	Embeds         *embed.Service
	Live           *live.Service
	AnyNode        *node.Service
	Permissions    *permission.Service
}

// Version names the program that answers.
type Version struct{ Version, Build string }
