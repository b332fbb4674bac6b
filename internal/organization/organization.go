// Package organization keeps organizations: who owns content, and its members.
package organization

import (
	"context"
	stdsql "database/sql"
	"regexp"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	entorganization "octavo/ent/organization"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/database"
	"octavo/internal/fault"
	"octavo/internal/pagination"
)

// Organization is an organization that the caller belongs to.
type Organization struct {
	*ent.Organization
	// Role of the caller in it.
	Role access.Role
}

const (
	minimumTitle    = 2
	maximumTitle    = 255
	minimumHostname = 3
	maximumHostname = 32
)

var (
	hostnamePattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)
	domainPattern   = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$`)
)

// Service keeps organizations.
type Service struct{ database *database.Database }

// NewService returns the service of a database.
func NewService(opened *database.Database) *Service { return &Service{database: opened} }

// Get returns an organization that the caller belongs to; NOT_FOUND otherwise.
func (s *Service) Get(ctx context.Context, id string) (*Organization, error) {
	role, err := access.Member(ctx, id, access.ScopeRead)
	if err != nil {
		return nil, err
	}
	found, err := s.rows(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fault.Missing("organization")
	}
	return &Organization{Organization: found[0], Role: role}, nil
}

// ByID returns organizations by their ids, for loaders. Those that the caller
// does not belong to are left out.
func (s *Service) ByID(ctx context.Context, ids []string) (map[string]*Organization, error) {
	viewer, err := access.AllowContent(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.rows(ctx, ids...)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*Organization, len(rows))
	for _, row := range rows {
		if viewer.Visitor != nil {
			// Visitors of sites are told the id of the organization, which they have.
			row = &ent.Organization{ID: row.ID}
		}
		found[row.ID] = withRole(viewer, row)
	}
	return found, nil
}

// organizationsByID finds the organizations whose ids are the names.
var organizationsByID = database.NewStatement(ent.TypeOrganization, func(_ struct{}, stencil database.Stencil) *sql.Selector {
	dialect := sql.Dialect(stencil.Dialect)
	selector := dialect.Select().From(dialect.Table(entorganization.Table))
	entorganization.IDIn(stencil.Names...)(selector)
	return selector.Select(selector.Columns(entorganization.Columns...)...)
})

func (s *Service) rows(ctx context.Context, ids ...string) ([]*ent.Organization, error) {
	rows, err := organizationsByID.Query(ctx, s.database, struct{}{}, ids...)
	if err != nil {
		return nil, err
	}
	var found []*ent.Organization
	err = rows.Each(func(row *stdsql.Rows) error {
		organization := new(ent.Organization)
		found = append(found, organization)
		return row.Scan(organization.Targets()...)
	})
	return found, err
}

// List returns the caller's organizations, oldest first.
func (s *Service) List(ctx context.Context, arguments pagination.Arguments) (pagination.Page[*Organization], error) {
	var none pagination.Page[*Organization]
	viewer, err := access.Allow(ctx, access.ScopeRead)
	if err != nil {
		return none, err
	}
	window, err := arguments.Window(pagination.Key{Name: "organizations"})
	if err != nil {
		return none, err
	}
	query := s.database.Client(ctx).Organization.Query()
	rows, err := query.Clone().Where(window.Apply).All(ctx)
	if err != nil {
		return none, err
	}
	found := make([]*Organization, len(rows))
	for index, row := range rows {
		found[index] = withRole(viewer, row)
	}
	return pagination.NewPage(window, found,
		func(item *Organization) (string, string) { return "", item.ID }, query.Count), nil
}

func withRole(viewer *access.Viewer, row *ent.Organization) *Organization {
	role, _ := viewer.RoleIn(row.ID)
	if viewer.IsSystem() {
		role = access.Admin
	}
	return &Organization{Organization: row, Role: role}
}

// New is an organization to be made.
type New struct {
	Title    string
	Hostname *string
}

// Create makes an organization with the caller as its first administrator.
func (s *Service) Create(ctx context.Context, organization New) (*Organization, error) {
	viewer, err := access.Allow(ctx, access.ScopeAdmin)
	if err != nil {
		return nil, err
	}
	return s.CreateFor(ctx, viewer.UserID, organization)
}

// CreateFor makes an organization with any person as its first administrator:
// the operator's command.
func (s *Service) CreateFor(ctx context.Context, userID string, organization New) (*Organization, error) {
	if err := organization.validate(); err != nil {
		return nil, err
	}
	ctx = access.System(ctx, "nobody belongs to an organization that is being made")
	var created *ent.Organization
	err := s.database.Write(ctx, func(ctx context.Context) error {
		client := s.database.Client(ctx)
		var err error
		created, err = client.Organization.Create().SetTitle(organization.Title).SetNillableHostname(organization.Hostname).Save(ctx)
		if ent.IsConstraintError(err) && organization.Hostname != nil {
			return hostnameTaken(*organization.Hostname)
		}
		if err != nil {
			return err
		}
		if err := client.Member.Create().SetOrganizationID(created.ID).SetUserID(userID).SetRole(access.Admin).Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, s.database,
			audit.Change{
				OrganizationID: created.ID, Action: audit.OrganizationCreated, SubjectID: created.ID,
				After: map[string]any{"title": created.Title, "hostname": created.Hostname},
			},
			audit.Change{
				OrganizationID: created.ID, Action: audit.MemberAdded, SubjectID: userID, After: map[string]any{"role": access.Admin},
			})
	})
	if err != nil {
		return nil, err
	}
	return &Organization{Organization: created, Role: access.Admin}, nil
}

func (n New) validate() error {
	if err := validateTitle(n.Title); err != nil || n.Hostname == nil {
		return err
	}
	return validateHostname(*n.Hostname)
}

// Permissions are what the caller, with the token that they came with, may do in
// an organization.
type Permissions struct {
	View, Admin, OwnTeam, CreateContent, CreateOpenAPISpec, IngestConversations, ViewBilling bool
	ListMembers, ListTeams, ListIntegrations, ListInstallations, InstallIntegration          bool
}

// Permissions of the caller. Guests see the organization and nothing of its
// people. What the server has no operation for nobody may do: billing,
// integrations, OpenAPI specifications, conversations.
func (o *Organization) Permissions(ctx context.Context) Permissions {
	viewer := access.From(ctx)
	may := func(scope access.Scope, minimum access.Role) bool { return viewer.May(scope, o.Role, minimum) }
	member := may(access.ScopeRead, access.Read)
	return Permissions{
		View: true, Admin: may(access.ScopeAdmin, access.Admin), OwnTeam: may(access.ScopeAdmin, access.Admin),
		CreateContent: may(access.ScopeWrite, access.Create), ListMembers: member, ListTeams: member,
	}
}
