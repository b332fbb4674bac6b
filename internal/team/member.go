package team

import (
	"context"
	"maps"
	"slices"
	"strings"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	"octavo/ent/member"
	"octavo/ent/permission"
	"octavo/ent/predicate"
	"octavo/ent/space"
	entteam "octavo/ent/team"
	"octavo/ent/teammember"
	entuser "octavo/ent/user"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/identifier"
	"octavo/internal/pagination"
)

// Members asks for one page of the memberships in a team, in the order in which
// they were made. It is comparable, so that a loader can gather several.
type Members struct {
	teamID string
	window pagination.Window
}

// NewMembers returns the request for a page. It returns BAD_USER_INPUT for one
// that cannot be.
func NewMembers(team *Team, arguments pagination.Arguments) (Members, error) {
	if team.named {
		return Members{}, fault.Denied("guests do not see who is in a team")
	}
	window, err := arguments.Window(pagination.Key{Name: "teamMembers"})
	return Members{teamID: team.ID, window: window}, err
}

// MembersOf returns pages of the memberships in teams that the caller may see,
// in one statement for all that ask for the same page.
func (s *Service) MembersOf(ctx context.Context, asked []Members) (map[Members]pagination.Page[*ent.TeamMember], error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return nil, err
	}
	teams := map[pagination.Window][]string{}
	for _, one := range asked {
		teams[one.window] = append(teams[one.window], one.teamID)
	}
	found := make(map[Members]pagination.Page[*ent.TeamMember], len(asked))
	for window, ids := range teams {
		rows, err := s.database.Client(ctx).TeamMember.Query().
			Where(window.Each(teammember.Table, teammember.FieldTeamID, ids)).All(ctx)
		if err != nil {
			return nil, err
		}
		pages := pagination.Pages(window, ids, rows,
			func(row *ent.TeamMember) string { return row.TeamID },
			func(row *ent.TeamMember) (string, string) { return "", row.ID },
			func(ctx context.Context) (map[string]int, error) { return s.CountMembers(ctx, ids) })
		for id, page := range pages {
			found[Members{teamID: id, window: window}] = page
		}
	}
	return found, nil
}

// OfMember lists the memberships in teams of a member of an organization, in the
// order in which they were made. title is part of the title of the teams, in
// whatever case; empty is any. It needs the role read in the organization.
func (s *Service) OfMember(ctx context.Context, member *ent.Member, title string, arguments pagination.Arguments) (pagination.Page[*ent.TeamMember], error) {
	var none pagination.Page[*ent.TeamMember]
	if err := access.Require(ctx, member.OrganizationID, access.ScopeRead, access.Read); err != nil {
		return none, err
	}
	window, err := arguments.Window(pagination.Key{Name: "memberTeams"})
	if err != nil {
		return none, err
	}
	query := s.database.Client(ctx).TeamMember.Query().
		Where(teammember.OrganizationID(member.OrganizationID), teammember.UserID(member.UserID))
	if title != "" {
		query.Where(teammember.HasTeamWith(entteam.FoldedTitleContains(fold(title))))
	}
	rows, err := query.Clone().Where(window.Apply).All(ctx)
	if err != nil {
		return none, err
	}
	return pagination.NewPage(window, rows, func(row *ent.TeamMember) (string, string) { return "", row.ID }, query.Count), nil
}

// MembersByID returns memberships by their ids. Those in teams that the caller
// may not see are left out.
func (s *Service) MembersByID(ctx context.Context, ids []string) (map[string]*ent.TeamMember, error) {
	viewer, err := access.Allow(ctx, access.ScopeRead)
	if err != nil {
		return nil, err
	}
	rows, err := s.database.Client(ctx).TeamMember.Query().Where(teammember.IDIn(ids...)).All(ctx)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*ent.TeamMember, len(rows))
	for _, row := range rows {
		if role, _ := viewer.RoleIn(row.OrganizationID); role >= access.Read || viewer.IsSystem() {
			found[row.ID] = row
		}
	}
	return found, nil
}

// MemberChanges say who comes into a team and who leaves it. People are named
// by user id, member id or e-mail address.
type MemberChanges struct {
	// Add makes people members; those who are stay what they are.
	Add []string
	// Roles makes people members with a role, or gives them that role.
	Roles map[string]enum.TeamRole
	// Remove takes people out, also those who are to be added. Who is not in
	// the team is passed over.
	Remove []string
}

// ChangeMembers changes who is in a team, all or nothing. Somebody to be added
// who is no member of the organization is NOT_FOUND. At most 500 people are
// changed at once.
func (s *Service) ChangeMembers(ctx context.Context, id string, changes MemberChanges) (*Team, error) {
	if count := len(changes.Add) + len(changes.Roles) + len(changes.Remove); count > maximumPeople {
		return nil, fault.Invalid("add", "at most %d people at once, got %d", maximumPeople, count)
	}
	for _, role := range changes.Roles {
		if err := enum.Check("memberships", role); err != nil {
			return nil, err
		}
	}
	var changed *Team
	err := s.database.Write(ctx, func(ctx context.Context) error {
		var err error
		if changed, err = s.manage(ctx, id); err != nil {
			return err
		}
		return s.change(ctx, changed.Team, changes)
	})
	return changed, err
}

// PutMember makes somebody a member of a team, or gives them another role in
// it. Without a role who is in the team stays what they are.
func (s *Service) PutMember(ctx context.Context, id, person string, role *enum.TeamRole) (*ent.TeamMember, error) {
	changes := MemberChanges{Add: []string{person}}
	if role != nil {
		changes = MemberChanges{Roles: map[string]enum.TeamRole{person: *role}}
	}
	changed, err := s.ChangeMembers(ctx, id, changes)
	if err != nil {
		return nil, err
	}
	people, err := s.people(ctx, changed.OrganizationID, []string{person})
	if err != nil {
		return nil, err
	}
	return s.database.Client(ctx).TeamMember.Query().Where(teammember.TeamID(id), teammember.UserID(people[person])).Only(ctx)
}

// RemoveMember takes somebody out of a team. It returns false when they are not
// in it, or the caller sees no such team.
func (s *Service) RemoveMember(ctx context.Context, id, person string) (existed bool, err error) {
	err = s.database.Write(ctx, func(ctx context.Context) error {
		found, err := s.manage(ctx, id)
		if fault.CodeOf(err) == fault.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		people, err := s.people(ctx, found.OrganizationID, []string{person})
		if err != nil {
			return err
		}
		existed, err = s.database.Client(ctx).TeamMember.Query().
			Where(teammember.TeamID(id), teammember.UserID(people[person])).Exist(ctx)
		if err != nil || !existed {
			return err
		}
		return s.change(ctx, found.Team, MemberChanges{Remove: []string{person}})
	})
	return existed, err
}

// change applies changes to the members of a team that is locked.
func (s *Service) change(ctx context.Context, team *ent.Team, changes MemberChanges) error {
	people, err := s.people(ctx, team.OrganizationID, changes.named())
	if err != nil {
		return err
	}
	wanted, err := changes.resolve(people)
	if err != nil {
		return err
	}
	rows, err := s.database.Client(ctx).TeamMember.Query().
		Where(teammember.TeamID(team.ID), teammember.UserIDIn(slices.Collect(maps.Values(people))...)).All(ctx)
	if err != nil {
		return err
	}
	current := make(map[string]*ent.TeamMember, len(rows))
	for _, row := range rows {
		current[row.UserID] = row
	}
	return s.write(ctx, team, current, wanted)
}

// wish is what a person is to be in a team.
type wish struct {
	role   *enum.TeamRole
	remove bool
}

func (c MemberChanges) named() []string {
	return slices.Concat(c.Add, slices.Collect(maps.Keys(c.Roles)), c.Remove)
}

// resolve tells what each person is to be, by the id of the user.
func (c MemberChanges) resolve(people map[string]string) (map[string]wish, error) {
	wanted := map[string]wish{}
	for _, person := range c.Add {
		if people[person] == "" {
			return nil, fault.Missing("member " + person)
		}
		wanted[people[person]] = wish{}
	}
	for _, person := range slices.Sorted(maps.Keys(c.Roles)) {
		if people[person] == "" {
			return nil, fault.Missing("member " + person)
		}
		wanted[people[person]] = wish{role: new(c.Roles[person])}
	}
	for _, person := range c.Remove {
		if people[person] != "" {
			wanted[people[person]] = wish{remove: true}
		}
	}
	return wanted, nil
}

func (s *Service) write(ctx context.Context, team *ent.Team, current map[string]*ent.TeamMember, wanted map[string]wish) error {
	client := s.database.Client(ctx)
	var creates []*ent.TeamMemberCreate
	var removed []string
	var changes []audit.Change
	note := func(action audit.Action, before, after map[string]any) {
		changes = append(changes, audit.Change{
			OrganizationID: team.OrganizationID, Action: action, SubjectID: team.ID, Before: before, After: after,
		})
	}
	for _, userID := range slices.Sorted(maps.Keys(wanted)) {
		wish, found := wanted[userID], current[userID]
		switch {
		case wish.remove && found != nil:
			removed = append(removed, found.ID)
			note(audit.TeamMemberRemoved, described(userID, found.Role), nil)
		case wish.remove:
		case found == nil:
			role := enum.TeamMember
			if wish.role != nil {
				role = *wish.role
			}
			creates = append(creates, client.TeamMember.Create().
				SetOrganizationID(team.OrganizationID).SetTeamID(team.ID).SetUserID(userID).SetRole(role))
			note(audit.TeamMemberAdded, nil, described(userID, role))
		case wish.role != nil && *wish.role != found.Role:
			if err := client.TeamMember.UpdateOne(found).SetRole(*wish.role).Exec(ctx); err != nil {
				return err
			}
			note(audit.TeamMemberUpdated, described(userID, found.Role), described(userID, *wish.role))
		}
	}
	if len(removed) > 0 {
		if _, err := client.TeamMember.Delete().Where(teammember.IDIn(removed...)).Exec(ctx); err != nil {
			return err
		}
	}
	if len(creates) > 0 {
		if err := client.TeamMember.CreateBulk(creates...).Exec(ctx); err != nil {
			return err
		}
	}
	return audit.Record(ctx, s.database, changes...)
}

func described(userID string, role enum.TeamRole) map[string]any {
	return map[string]any{"user": userID, "role": role}
}

// people finds members of an organization by user id, member id or e-mail
// address, and returns the ids of their users, in one statement.
func (s *Service) people(ctx context.Context, organizationID string, names []string) (map[string]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	conditions := make([]predicate.Member, 0, 3)
	for _, kind := range slices.Sorted(maps.Keys(kinds(names))) {
		conditions = append(conditions, namedAs(kind, kinds(names)[kind]))
	}
	rows, err := s.database.Client(ctx).Member.Query().Where(member.OrganizationID(organizationID), member.Or(conditions...)).WithUser().All(ctx)
	if err != nil {
		return nil, err
	}
	known := make(map[string]string, 3*len(rows))
	for _, row := range rows {
		known[row.ID], known[row.UserID], known[row.Edges.User.Email] = row.UserID, row.UserID, row.UserID
	}
	found := make(map[string]string, len(names))
	for _, name := range names {
		if userID := known[canonical(name)]; userID != "" {
			found[name] = userID
		}
	}
	return found, nil
}

// kinds sorts names by what they are.
func kinds(names []string) map[identifier.Prefix][]string {
	sorted := map[identifier.Prefix][]string{}
	for _, name := range names {
		kind, _ := identifier.Split(name)
		sorted[kind] = append(sorted[kind], canonical(name))
	}
	return sorted
}

// canonical is a name as it is stored: e-mail addresses are in lower case.
func canonical(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

func namedAs(kind identifier.Prefix, names []string) predicate.Member {
	switch kind {
	case identifier.Member:
		return member.IDIn(names...)
	case identifier.User:
		return member.UserIDIn(names...)
	default:
		return member.HasUserWith(entuser.EmailIn(names...))
	}
}

// named finds a member by user id, member id or e-mail address.
func named(name string) predicate.Member {
	kind, _ := identifier.Split(name)
	return namedAs(kind, []string{canonical(name)})
}

// CountMembers counts the members of teams, in one statement, for loaders whose
// callers may see the teams.
func (s *Service) CountMembers(ctx context.Context, ids []string) (map[string]int, error) {
	var rows []struct {
		TeamID string `json:"team_id"`
		Count  int    `json:"count"`
	}
	err := s.database.Client(ctx).TeamMember.Query().Where(teammember.TeamIDIn(ids...)).
		GroupBy(teammember.FieldTeamID).Aggregate(ent.Count()).Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	counts := zeros(ids)
	for _, row := range rows {
		counts[row.TeamID] = row.Count
	}
	return counts, nil
}

// CountSpaces counts the spaces that were granted to teams, themselves or with
// a collection around them, in one statement, for loaders whose callers may see
// the teams.
func (s *Service) CountSpaces(ctx context.Context, ids []string) (map[string]int, error) {
	dialect := sql.Dialect(s.database.Dialect)
	granted := func(build func(grants, spaces *sql.SelectTable) *sql.Selector) *sql.Selector {
		grants, spaces := dialect.Table(permission.Table).As("p"), dialect.Table(space.Table).As("s")
		return build(grants, spaces).Where(sql.And(
			sql.In(grants.C(permission.FieldPrincipalID), values(ids)...),
			sql.GT(grants.C(permission.FieldRole), int64(access.None)),
			sql.IsNull(spaces.C(space.FieldDeletedAt)),
		))
	}
	themselves := granted(func(grants, spaces *sql.SelectTable) *sql.Selector {
		return dialect.Select(sql.As(grants.C(permission.FieldPrincipalID), "team"), sql.As(spaces.C(space.FieldID), "space")).
			From(grants).Join(spaces).On(spaces.C(space.FieldID), grants.C(permission.FieldResourceID))
	})
	within := granted(func(grants, spaces *sql.SelectTable) *sql.Selector {
		around := dialect.Table("collection_ancestors").As("a")
		return dialect.Select(sql.As(grants.C(permission.FieldPrincipalID), "team"), sql.As(spaces.C(space.FieldID), "space")).
			From(grants).Join(around).On(around.C("ancestor_id"), grants.C(permission.FieldResourceID)).
			Join(spaces).On(spaces.C(space.FieldCollectionID), around.C("collection_id"))
	})
	both := themselves.Union(within).As("granted")
	query, arguments := dialect.Select(both.C("team"), sql.Count("*")).From(both).GroupBy(both.C("team")).Query()
	rows, err := s.database.Client(ctx).QueryContext(ctx, query, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	counts := zeros(ids)
	for rows.Next() {
		var id string
		var count int
		if err := rows.Scan(&id, &count); err != nil {
			return nil, err
		}
		counts[id] = count
	}
	return counts, rows.Err()
}

func zeros(ids []string) map[string]int {
	counts := make(map[string]int, len(ids))
	for _, id := range ids {
		counts[id] = 0
	}
	return counts
}

func values(ids []string) []any {
	all := make([]any, len(ids))
	for index, id := range ids {
		all[index] = id
	}
	return all
}
