package permission

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	"octavo/ent/collection"
	"octavo/ent/collectionancestor"
	"octavo/ent/member"
	"octavo/ent/permission"
	"octavo/ent/predicate"
	"octavo/ent/teammember"
	"octavo/internal/access"
	"octavo/internal/pagination"
)

// SourceKind tells what somebody has their role by.
type SourceKind string

// The kinds of source, in the order in which they decide.
const (
	// Administrator of the organization.
	Administrator SourceKind = "administrator"
	// UserGrant is a grant to themselves.
	UserGrant SourceKind = "user"
	// TeamGrant is a grant to a team of theirs.
	TeamGrant SourceKind = "team"
	// Level is the default level of a space or collection.
	Level SourceKind = "level"
	// Membership is their role in the organization.
	Membership SourceKind = "membership"
)

// Values lists the kinds.
func (SourceKind) Values() []string {
	return []string{string(Administrator), string(UserGrant), string(TeamGrant), string(Level), string(Membership)}
}

// Effective is what somebody may do with a resource, and why.
type Effective struct {
	*ent.Member
	// Role is at least read.
	Role   access.Role
	Source Source
}

// Source is why somebody has a role.
type Source struct {
	Kind SourceKind
	// ResourceID is that of the space, collection or organization that says so.
	ResourceID string
	// TeamID is that of the team to whom it is granted, for TeamGrant; the
	// oldest where there are several.
	TeamID string
}

// container is the resource itself or a collection around it.
type container struct {
	id    string
	level access.Role
}

// Effective lists everybody who reaches a resource, in the order in which they
// joined the organization; with a role only those who have just that. It takes
// three statements, and one more to count. It returns FORBIDDEN for guests who
// are not administrators of the resource.
func (s *Service) Effective(ctx context.Context, resource Resource, role *access.Role, arguments pagination.Arguments) (pagination.Page[*Effective], error) {
	var none pagination.Page[*Effective]
	if err := resource.mayList(ctx); err != nil {
		return none, err
	}
	window, err := arguments.Window(pagination.Key{Name: "effectivePermissions"})
	if err != nil {
		return none, err
	}
	containers, err := s.containers(ctx, resource)
	if err != nil {
		return none, err
	}
	reach := reach{resource: resource, containers: containers, role: role}
	query := s.database.Client(ctx).Member.Query().
		Where(member.OrganizationID(resource.OrganizationID), member.Disabled(false), predicate.Member(reach.join))
	page := query.Clone().Where(window.Apply)
	page.Modify(func(selector *sql.Selector) {
		selector.AppendSelectExprAs(sql.Raw("COALESCE(g.place, -1)"), placeColumn)
	})
	rows, err := page.All(ctx)
	if err != nil {
		return none, err
	}
	found := make([]*Effective, len(rows))
	for index, row := range rows {
		if found[index], err = reach.read(row); err != nil {
			return none, err
		}
	}
	if err := s.nameTeams(ctx, resource, found); err != nil {
		return none, err
	}
	return pagination.NewPage(window, found,
		func(item *Effective) (string, string) { return "", item.Member.ID }, query.Count), nil
}

// containers are the resource and the collections around it, nearest first.
func (s *Service) containers(ctx context.Context, resource Resource) ([]container, error) {
	var found []container
	if resource.around != resource.ID {
		found = append(found, container{resource.ID, resource.level})
	}
	if resource.around == "" {
		return found, nil
	}
	ancestors, err := s.database.Client(ctx).CollectionAncestor.Query().
		Where(collectionancestor.CollectionID(resource.around)).Order(collectionancestor.ByDistance()).
		WithAncestor(func(query *ent.CollectionQuery) { query.Select(collection.FieldID, collection.FieldDefaultLevel) }).All(ctx)
	if err != nil {
		return nil, err
	}
	for _, each := range ancestors {
		found = append(found, container{each.AncestorID, each.Edges.Ancestor.DefaultLevel})
	}
	return found, nil
}

// reach writes who reaches a resource.
//
// The rules are those of package access, for all members at once. Each grant
// has a place: the nearer, then the higher, then their own before their teams'
// comes first, and the first of somebody's grants decides. So that one number
// says all, a place is 16 × the distance + 2 × (7 − the role) + 1 for a team.
type reach struct {
	resource   Resource
	containers []container
	role       *access.Role
}

// placeColumn is the name under which the deciding place is selected.
const placeColumn = "place"

// join limits a query on the table of members to those who reach the resource.
func (r reach) join(selector *sql.Selector) {
	dialect := sql.Dialect(selector.Dialect())
	toUsers := dialect.Table(permission.Table).As("p")
	own := dialect.Select().From(toUsers).Where(r.granted(toUsers)).
		AppendSelectExprAs(sql.Raw(toUsers.C(permission.FieldPrincipalID)), "user_id").
		AppendSelectExprAs(r.place(toUsers, 0), placeColumn)
	toTeams, membership := dialect.Table(permission.Table).As("p"), dialect.Table(teammember.Table).As("t")
	through := dialect.Select().From(toTeams).
		Join(membership).On(membership.C(teammember.FieldTeamID), toTeams.C(permission.FieldPrincipalID)).
		Where(r.granted(toTeams)).
		AppendSelectExprAs(sql.Raw(membership.C(teammember.FieldUserID)), "user_id").
		AppendSelectExprAs(r.place(toTeams, 1), placeColumn)
	all := own.UnionAll(through).As("a")
	first := dialect.Select().From(all).GroupBy(all.C("user_id")).
		AppendSelectExprAs(sql.Raw(all.C("user_id")), "user_id").
		AppendSelectExprAs(sql.Raw(sql.Min(all.C(placeColumn))), placeColumn).As("g")
	selector.LeftJoin(first).On(first.C("user_id"), selector.C(member.FieldUserID))
	selector.Where(sql.P(func(builder *sql.Builder) {
		r.write(builder, selector.C(member.FieldRole), first.C(placeColumn))
		if r.role != nil {
			builder.WriteString(" = ").Arg(int64(*r.role)).WriteString(" AND ")
			r.write(builder, selector.C(member.FieldRole), first.C(placeColumn))
		}
		builder.WriteString(" >= ").Arg(int64(access.Read))
	}))
}

func (r reach) granted(permissions *sql.SelectTable) *sql.Predicate {
	ids := make([]any, len(r.containers))
	for index, each := range r.containers {
		ids[index] = each.id
	}
	return sql.In(permissions.C(permission.FieldResourceID), ids...)
}

// place is the SQL expression of a grant's.
func (r reach) place(permissions *sql.SelectTable, last int) sql.Querier {
	return sql.ExprFunc(func(builder *sql.Builder) {
		builder.WriteString("CASE ").Ident(permissions.C(permission.FieldResourceID))
		for distance, each := range r.containers {
			builder.WriteString(" WHEN ").Arg(each.id).WriteString(fmt.Sprintf(" THEN %d", distance*16+14+last))
		}
		builder.WriteString(" END - 2 * ").Ident(permissions.C(permission.FieldRole))
	})
}

// write writes the SQL expression of a member's role.
func (r reach) write(builder *sql.Builder, role, place string) {
	builder.WriteString(fmt.Sprintf("CASE WHEN %s = %d THEN %d", role, access.Admin, access.Admin))
	builder.WriteString(fmt.Sprintf(" WHEN %s IS NOT NULL THEN 7 - (%s %% 16) / 2", place, place))
	if level, _ := r.level(); level != access.Inherit {
		builder.WriteString(fmt.Sprintf(" WHEN %s > %d THEN %d", role, access.None, level))
	}
	builder.WriteString(fmt.Sprintf(" ELSE %s END", role))
}

// level is the default level that holds, with what states it; Inherit when
// nothing does.
func (r reach) level() (access.Role, string) {
	for _, each := range r.containers {
		if each.level != access.Inherit {
			return each.level, each.id
		}
	}
	return access.Inherit, ""
}

// read makes out what write wrote, and why.
func (r reach) read(row *ent.Member) (*Effective, error) {
	if row.Role == access.Admin {
		return &Effective{row, row.Role, Source{Kind: Administrator, ResourceID: row.OrganizationID}}, nil
	}
	value, err := row.Value(placeColumn)
	if err != nil {
		return nil, err
	}
	if place, isNumber := value.(int64); isNumber && place >= 0 {
		source := Source{Kind: UserGrant, ResourceID: r.containers[place/16].id}
		if place%2 == 1 {
			source.Kind = TeamGrant
		}
		return &Effective{row, access.Role(7 - place%16/2), source}, nil
	}
	if level, id := r.level(); level != access.Inherit {
		return &Effective{row, level, Source{Kind: Level, ResourceID: id}}, nil
	}
	return &Effective{row, row.Role, Source{Kind: Membership, ResourceID: row.OrganizationID}}, nil
}

// nameTeams finds the teams by which people have their roles, in one statement.
func (s *Service) nameTeams(ctx context.Context, resource Resource, people []*Effective) error {
	type deciding struct {
		userID, resourceID string
		role               access.Role
	}
	asked := map[deciding]*Effective{}
	var userIDs []string
	resourceIDs := map[string]bool{}
	for _, each := range people {
		if each.Source.Kind == TeamGrant {
			asked[deciding{each.UserID, each.Source.ResourceID, each.Role}] = each
			userIDs, resourceIDs[each.Source.ResourceID] = append(userIDs, each.UserID), true
		}
	}
	if len(asked) == 0 {
		return nil
	}
	var rows []struct {
		UserID     string      `json:"user_id"`
		ResourceID string      `json:"resource_id"`
		Role       access.Role `json:"role"`
		TeamID     string      `json:"team_id"`
	}
	err := s.database.Client(ctx).TeamMember.Query().Where(teammember.OrganizationID(resource.OrganizationID), teammember.UserIDIn(userIDs...)).
		Modify(func(selector *sql.Selector) {
			grants := sql.Dialect(selector.Dialect()).Table(permission.Table).As("p")
			selector.Join(grants).On(grants.C(permission.FieldPrincipalID), selector.C(teammember.FieldTeamID))
			ids := make([]any, 0, len(resourceIDs))
			for id := range resourceIDs {
				ids = append(ids, id)
			}
			selector.Where(sql.In(grants.C(permission.FieldResourceID), ids...))
			by := []string{selector.C(teammember.FieldUserID), grants.C(permission.FieldResourceID), grants.C(permission.FieldRole)}
			selector.Select(append(by, sql.As(sql.Min(selector.C(teammember.FieldTeamID)), "team_id"))...).GroupBy(by...)
		}).Scan(ctx, &rows)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if each := asked[deciding{row.UserID, row.ResourceID, row.Role}]; each != nil {
			each.Source.TeamID = row.TeamID
		}
	}
	return nil
}
