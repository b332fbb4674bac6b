// Package site keeps docs sites: spaces arranged in sections and groups, shown
// to an audience.
package site

import (
	"context"
	"net/url"

	"entgo.io/ent/dialect/sql"
	"golang.org/x/sync/singleflight"

	"octavo/ent"
	"octavo/ent/member"
	"octavo/ent/predicate"
	entsite "octavo/ent/site"
	"octavo/ent/sitespace"
	"octavo/internal/access"
	"octavo/internal/address"
	"octavo/internal/audit"
	"octavo/internal/cache"
	"octavo/internal/database"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/pagination"
	"octavo/internal/revision"
	"octavo/internal/secret"
	"octavo/internal/space"
)

// Site is a site that the caller may read: a member of its organization with
// the role read or more. Those with create change and publish it; its keys need
// admin.
type Site struct {
	*ent.Site
	// Role of the caller in it: that in its organization.
	Role access.Role
	// Address is where it is read when it is published, without a slash at the
	// end.
	Address string
}

// PublishedURL is where the site is read, with the key of a share link where
// its visibility asks for one; nil when it is not published or no key is given.
func (s *Site) PublishedURL(shareKey string) *string {
	if !s.Published {
		return nil
	}
	if s.Visibility != enum.SiteShareLink {
		return &s.Address
	}
	if shareKey == "" {
		return nil
	}
	return new(s.Address + "/" + shareKey)
}

// Listener is told, in the transaction that changes it, that a site or
// something in it has changed. An error undoes the change.
type Listener func(ctx context.Context, changed *ent.Site) error

// Service keeps sites.
type Service struct {
	database  *database.Database
	spaces    *space.Service
	revisions *revision.Store
	addresses address.Book
	keys      *secret.Box
	previews  []byte
	// host is that of the server itself.
	host      string
	listeners []Listener
	found     *cache.Cache[Lookup, kept]
	finding   singleflight.Group
}

// Parts are what a service is made of.
type Parts struct {
	Database  *database.Database
	Spaces    *space.Service
	Revisions *revision.Store
	Addresses address.Book
	// Keys seals the keys of sites and share links.
	Keys *secret.Box
	// Previews signs the addresses of previews.
	Previews []byte
}

// NewService returns the service of a database.
func NewService(parts Parts) *Service {
	service := &Service{
		database: parts.Database, spaces: parts.Spaces, revisions: parts.Revisions, addresses: parts.Addresses,
		keys: parts.Keys, previews: parts.Previews, found: cache.New[Lookup, kept](servedCacheSize),
	}
	// An address that cannot be read is that of no host.
	if base, err := url.Parse(parts.Addresses.Base()); err == nil {
		service.host = HostOf(base.Host)
	}
	parts.Spaces.OnDeparture(service.spacesLeft)
	return service
}

// OnChanged registers a listener. It is called while the program is put
// together, before any site changes.
func (s *Service) OnChanged(listener Listener) { s.listeners = append(s.listeners, listener) }

func (s *Service) announce(ctx context.Context, changed *ent.Site) error {
	for _, listener := range s.listeners {
		if err := listener(ctx, changed); err != nil {
			return err
		}
	}
	return nil
}

// Get returns a site that the caller may read; NOT_FOUND otherwise.
func (s *Service) Get(ctx context.Context, id string) (*Site, error) {
	found, err := s.ByID(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	if found[id] == nil {
		return nil, fault.Missing("site")
	}
	return found[id], nil
}

// InOrganization returns a site of the given organization; NOT_FOUND when it
// belongs to another one.
func (s *Service) InOrganization(ctx context.Context, organizationID, id string) (*Site, error) {
	found, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if found.OrganizationID != organizationID {
		return nil, fault.Missing("site")
	}
	return found, nil
}

// ByID returns sites by their ids, for loaders. Those that the caller may not
// read are left out.
func (s *Service) ByID(ctx context.Context, ids []string) (map[string]*Site, error) {
	viewer, err := access.AllowContent(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.database.Client(ctx).Site.Query().Where(entsite.IDIn(ids...)).All(ctx)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*Site, len(rows))
	for _, row := range rows {
		if known := s.seen(viewer, row); known.Role >= access.Read {
			found[row.ID] = known
		}
	}
	return found, nil
}

func (s *Service) seen(viewer *access.Viewer, row *ent.Site) *Site {
	role, _ := viewer.RoleIn(row.OrganizationID)
	switch {
	case viewer.IsSystem():
		role = access.Admin
	case viewer.Visitor != nil && viewer.Visitor.SiteID == row.ID:
		role = access.Read
	}
	return &Site{Site: row, Role: role, Address: s.addressOf(row)}
}

// addressOf is a host name of the site's own, where a proxy serves it, or a
// path of this server.
func (s *Service) addressOf(row *ent.Site) string {
	switch {
	case row.Proxy != nil:
		return "https://" + *row.Proxy
	case row.Hostname != nil:
		return "https://" + *row.Hostname
	}
	return s.addresses.Site(row.Basename)
}

// Filter chooses sites of an organization.
type Filter struct {
	// SpaceID keeps those that show the space.
	SpaceID string
	// Title keeps those whose title has it, whatever the case.
	Title     string
	Published *bool
	// Types keeps those of any of them; empty keeps all.
	Types []enum.SiteType
}

// List lists the sites of an organization that the caller may read, oldest
// first. Guests see none.
func (s *Service) List(ctx context.Context, organizationID string, filter Filter, arguments pagination.Arguments) (pagination.Page[*Site], error) {
	var none pagination.Page[*Site]
	role, err := access.Member(ctx, organizationID, access.ScopeRead)
	if err != nil {
		return none, err
	}
	window, err := arguments.Window(pagination.Key{Name: "sites"})
	if err != nil {
		return none, err
	}
	conditions, err := s.conditions(ctx, filter)
	if err != nil {
		return none, err
	}
	query := s.database.Client(ctx).Site.Query().Where(entsite.OrganizationID(organizationID)).Where(conditions...)
	if role < access.Read {
		query.Where(func(selector *sql.Selector) { selector.Where(sql.False()) })
	}
	rows, err := query.Clone().Where(window.Apply).All(ctx)
	if err != nil {
		return none, err
	}
	found := make([]*Site, len(rows))
	for index, row := range rows {
		found[index] = s.seen(access.From(ctx), row)
	}
	return pagination.NewPage(window, found, func(item *Site) (string, string) { return "", item.ID }, query.Count), nil
}

func (s *Service) conditions(ctx context.Context, filter Filter) ([]predicate.Site, error) {
	var conditions []predicate.Site
	if filter.SpaceID != "" {
		condition, err := s.showing(ctx, filter.SpaceID)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, condition)
	}
	if filter.Title != "" {
		conditions = append(conditions, entsite.TitleContainsFold(filter.Title))
	}
	if filter.Published != nil {
		conditions = append(conditions, entsite.Published(*filter.Published))
	}
	for _, kind := range filter.Types {
		if err := enum.Check("type", kind); err != nil {
			return nil, err
		}
	}
	if len(filter.Types) > 0 {
		conditions = append(conditions, entsite.TypeIn(filter.Types...))
	}
	return conditions, nil
}

// showing finds the sites with a space; none for one that the caller may not
// read.
func (s *Service) showing(ctx context.Context, spaceID string) (predicate.Site, error) {
	_, err := s.spaces.Require(ctx, spaceID, access.ScopeRead, access.Read)
	if fault.CodeOf(err) == fault.NotFound {
		return func(selector *sql.Selector) { selector.Where(sql.False()) }, nil
	}
	return func(selector *sql.Selector) {
		table := sql.Dialect(selector.Dialect()).Table(sitespace.Table)
		selector.Where(sql.In(selector.C(entsite.FieldID),
			sql.Dialect(selector.Dialect()).Select(table.C(sitespace.FieldSiteID)).From(table).Where(sql.EQ(table.C(sitespace.FieldSpaceID), spaceID))))
	}, err
}

// Readers lists the members of the organization who may read the site, in the
// order in which they joined.
func (s *Service) Readers(ctx context.Context, of *Site, arguments pagination.Arguments) (pagination.Page[*ent.Member], error) {
	var none pagination.Page[*ent.Member]
	if _, err := s.requireReader(ctx, of.ID); err != nil {
		return none, err
	}
	window, err := arguments.Window(pagination.Key{Name: "readers"})
	if err != nil {
		return none, err
	}
	query := s.database.Client(ctx).Member.Query().
		Where(member.OrganizationID(of.OrganizationID), member.RoleGTE(access.Read), member.Disabled(false))
	rows, err := query.Clone().Where(window.Apply).All(ctx)
	if err != nil {
		return none, err
	}
	return pagination.NewPage(window, rows, func(item *ent.Member) (string, string) { return "", item.ID }, query.Count), nil
}

// require returns a site in which the caller has at least the role: NOT_FOUND
// when they may not even read it, FORBIDDEN when they may.
func (s *Service) require(ctx context.Context, id string, scope access.Scope, minimum access.Role) (*Site, error) {
	if _, err := access.Allow(ctx, scope); err != nil {
		return nil, err
	}
	found, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if found.Role < minimum {
		return nil, fault.Denied("this needs the role %s in the organization", minimum)
	}
	return found, nil
}

// change lets the caller change a site that is locked until the transaction
// ends, records what the function says was done, and tells the listeners. A
// change without an action did nothing. Sites are locked after spaces.
func (s *Service) change(ctx context.Context, id string, scope access.Scope, minimum access.Role, apply func(ctx context.Context, locked *Site) (audit.Change, error)) error {
	return s.database.Write(ctx, func(ctx context.Context) error {
		if err := s.database.Lock(ctx, entsite.Table, id); err != nil {
			return err
		}
		locked, err := s.require(ctx, id, scope, minimum)
		if err != nil {
			return err
		}
		done, err := apply(ctx, locked)
		if err != nil || done.Action == "" {
			return err
		}
		done.OrganizationID = locked.OrganizationID
		if done.SubjectID == "" {
			done.SubjectID = id
		}
		if err := audit.Record(ctx, s.database, done); err != nil {
			return err
		}
		return s.announce(ctx, locked.Site)
	})
}
