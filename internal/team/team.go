// Package team keeps teams: named groups of members, to whom spaces and
// collections are granted together.
package team

import (
	"context"
	"maps"
	"strings"
	"unicode/utf8"

	"octavo/ent"
	"octavo/ent/member"
	"octavo/ent/predicate"
	entteam "octavo/ent/team"
	"octavo/ent/teammember"
	"octavo/internal/access"
	"octavo/internal/database"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/pagination"
)

const (
	maximumTitle = 64
	// maximumPeople bounds the people that one request adds, changes or removes.
	maximumPeople = 500
)

// Team is a team that the caller may see: members of its organization do,
// guests do not.
type Team struct {
	*ent.Team
	// admin tells whether the caller manages the team.
	admin bool
	// named tells that the caller learns of the team by what is granted to it,
	// and sees no more of it.
	named bool
}

// Permissions are what the caller, with the token that they came with, may do
// with a team.
type Permissions struct{ View, Admin bool }

// Permissions of the caller, by the same rules that guard the operations.
func (t *Team) Permissions(ctx context.Context) Permissions {
	return Permissions{View: !t.named, Admin: t.admin && access.From(ctx).HasScope(access.ScopeAdmin)}
}

// Service keeps teams.
type Service struct{ database *database.Database }

// NewService returns the service of a database.
func NewService(opened *database.Database) *Service { return &Service{database: opened} }

// Get returns a team of an organization; NOT_FOUND for guests and strangers.
func (s *Service) Get(ctx context.Context, organizationID, id string) (*Team, error) {
	found, err := s.ByID(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	if found[id] == nil || found[id].OrganizationID != organizationID {
		return nil, fault.Missing("team")
	}
	return found[id], nil
}

// ByID returns teams by their ids, in two statements. Those that the caller may
// not see are left out.
func (s *Service) ByID(ctx context.Context, ids []string) (map[string]*Team, error) {
	found, err := s.Named(ctx, ids)
	maps.DeleteFunc(found, func(_ string, team *Team) bool { return team.named })
	return found, err
}

// Named returns teams to whom something is granted, for loaders whose callers
// may see who has access; guests among them do not see who is in the teams.
func (s *Service) Named(ctx context.Context, ids []string) (map[string]*Team, error) {
	viewer, err := access.Allow(ctx, access.ScopeRead)
	if err != nil {
		return nil, err
	}
	rows, err := s.database.Client(ctx).Team.Query().Where(entteam.IDIn(ids...)).All(ctx)
	if err != nil {
		return nil, err
	}
	teams, err := s.as(ctx, viewer, rows)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*Team, len(teams))
	for _, each := range teams {
		found[each.ID] = each
	}
	return found, nil
}

// as are the teams as the viewer sees them.
func (s *Service) as(ctx context.Context, viewer *access.Viewer, rows []*ent.Team) ([]*Team, error) {
	owned, err := s.owned(ctx, viewer.UserID, rows)
	if err != nil {
		return nil, err
	}
	teams := make([]*Team, len(rows))
	for index, row := range rows {
		role, _ := viewer.RoleIn(row.OrganizationID)
		if viewer.IsSystem() {
			role = access.Admin
		}
		teams[index] = &Team{Team: row, admin: role >= access.Admin || owned[row.ID], named: role < access.Read}
	}
	return teams, nil
}

// owned tells which of the teams a person owns, in one statement.
func (s *Service) owned(ctx context.Context, userID string, rows []*ent.Team) (map[string]bool, error) {
	owned := make(map[string]bool, len(rows))
	if len(rows) == 0 {
		return owned, nil
	}
	ids := make([]string, len(rows))
	for index, row := range rows {
		ids[index] = row.ID
	}
	memberships, err := s.database.Client(ctx).TeamMember.Query().
		Where(teammember.TeamIDIn(ids...), teammember.UserID(userID), teammember.RoleEQ(enum.TeamOwner)).All(ctx)
	for _, membership := range memberships {
		owned[membership.TeamID] = true
	}
	return owned, err
}

// Filter limits a list of teams; empty fields do not.
type Filter struct {
	// OwnerID is the member of the organization who must be able to manage the
	// teams.
	OwnerID string
	// Title is part of the title, in whatever case.
	Title string
}

// List returns teams of an organization, oldest first. It needs the role read
// in the organization: NOT_FOUND for strangers, FORBIDDEN for guests. An owner
// who is no member is NOT_FOUND.
func (s *Service) List(ctx context.Context, organizationID string, filter Filter, arguments pagination.Arguments) (pagination.Page[*Team], error) {
	var none pagination.Page[*Team]
	if err := access.Require(ctx, organizationID, access.ScopeRead, access.Read); err != nil {
		return none, err
	}
	window, err := arguments.Window(pagination.Key{Name: "teams"})
	if err != nil {
		return none, err
	}
	conditions, err := s.conditions(ctx, organizationID, filter)
	if err != nil {
		return none, err
	}
	query := s.database.Client(ctx).Team.Query().Where(conditions...)
	rows, err := query.Clone().Where(window.Apply).All(ctx)
	if err != nil {
		return none, err
	}
	teams, err := s.as(ctx, access.From(ctx), rows)
	if err != nil {
		return none, err
	}
	return pagination.NewPage(window, teams, func(item *Team) (string, string) { return "", item.ID }, query.Count), nil
}

func (s *Service) conditions(ctx context.Context, organizationID string, filter Filter) ([]predicate.Team, error) {
	conditions := []predicate.Team{entteam.OrganizationID(organizationID)}
	if filter.Title != "" {
		conditions = append(conditions, entteam.FoldedTitleContains(fold(filter.Title)))
	}
	if filter.OwnerID == "" {
		return conditions, nil
	}
	owner, err := s.database.Client(ctx).Member.Query().Where(member.OrganizationID(organizationID), named(filter.OwnerID)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("member")
	}
	if err != nil {
		return nil, err
	}
	if owner.Role >= access.Admin {
		return conditions, nil
	}
	return append(conditions, entteam.HasTeamMembersWith(teammember.UserID(owner.UserID), teammember.RoleEQ(enum.TeamOwner))), nil
}

func fold(text string) string { return strings.ToLower(text) }

func validateTitle(title string) error {
	if length := utf8.RuneCountInString(strings.TrimSpace(title)); length < 1 || utf8.RuneCountInString(title) > maximumTitle {
		return fault.Invalid("title", "1 to %d characters, got %d", maximumTitle, utf8.RuneCountInString(title))
	}
	return nil
}
