package access

import (
	"fmt"

	"entgo.io/ent"
	"entgo.io/ent/dialect/sql"
)

// Effective role in a space, in the order in which it is decided:
//
//  1. Administrators of the organization are administrators of all its content.
//  2. What was granted on the space itself to the caller or one of their teams;
//     of several grants the highest.
//  3. What was granted on the nearest collection around it that grants
//     anything to them.
//  4. For members: the default level of the space, or of the nearest
//     collection that states one, or else their role in the organization.
//  5. Guests have nothing beyond their grants.
//
// The decision is made in the statement that reads the space, so that a list
// never loads what it may not show.

// RoleColumn is the name under which SelectRole selects the caller's role.
const RoleColumn = "viewer_role"

// SelectRole adds the caller's effective role in each selected space to a
// query on the table of spaces.
func (v *Viewer) SelectRole(selector *sql.Selector) {
	selector.AppendSelectExprAs(v.spaceRole(selector), RoleColumn)
}

// WhereRole limits a query on the table of spaces to those in which the caller
// has at least the given role.
func (v *Viewer) WhereRole(minimum Role) func(*sql.Selector) {
	return func(selector *sql.Selector) { selector.Where(v.atLeast(selector, minimum)) }
}

// SelectRoleIn is SelectRole for a query that joins the table of spaces.
func (v *Viewer) SelectRoleIn(spaces *sql.SelectTable, selector *sql.Selector) {
	selector.AppendSelectExprAs(v.spaceRole(spaces), RoleColumn)
}

// SelectRoleAs is SelectRole under another name, for the roles of several
// people in one statement.
func (v *Viewer) SelectRoleAs(name string, selector *sql.Selector) {
	selector.AppendSelectExprAs(v.spaceRole(selector), name)
}

// WhereRoleIn is WhereRole for a query that joins the table of spaces.
func (v *Viewer) WhereRoleIn(spaces *sql.SelectTable, minimum Role) func(*sql.Selector) {
	return func(selector *sql.Selector) { selector.Where(v.atLeast(spaces, minimum)) }
}

func (v *Viewer) atLeast(spaces columns, minimum Role) *sql.Predicate {
	return reaches(v.spaceRole(spaces), minimum)
}

func reaches(role sql.Querier, minimum Role) *sql.Predicate {
	return sql.P(func(builder *sql.Builder) { builder.Join(role).WriteString(" >= ").Arg(int64(minimum)) })
}

// RoleOf returns the role that SelectRole or SelectCollectionRole selected with
// a row.
func RoleOf(row interface {
	Value(column string) (ent.Value, error)
}) (Role, error) {
	value, err := row.Value(RoleColumn)
	if err != nil {
		return None, err
	}
	number, isNumber := value.(int64)
	if !isNumber {
		return None, fmt.Errorf("a role was read as a %T", value)
	}
	return Role(number), nil
}

// columns names the columns of the table of spaces in a statement.
type columns interface{ C(name string) string }

// spaceRole is the SQL expression of the rules above. Visitors of a site read
// what it shows them, and nothing else.
func (v *Viewer) spaceRole(spaces columns) sql.Querier {
	if v.Visitor != nil && !v.IsSystem() {
		return sql.ExprFunc(func(builder *sql.Builder) { v.Visitor.role(builder, spaces) })
	}
	return v.role(spaces, func(builder *sql.Builder, role Role) { v.memberRole(builder, spaces, role) })
}

// role writes rule 1, and lets another function write what follows from the
// role in each organization of which the caller is not an administrator.
func (v *Viewer) role(resources columns, memberRole func(*sql.Builder, Role)) sql.Querier {
	return sql.ExprFunc(func(builder *sql.Builder) {
		if v.IsSystem() || v.adminEverywhere() {
			builder.WriteString("6")
			return
		}
		if len(v.Memberships) == 0 {
			builder.WriteString("0")
			return
		}
		builder.WriteString("CASE")
		for _, id := range v.Organizations() {
			role := v.Memberships[id]
			builder.WriteString(" WHEN ").Ident(resources.C("organization_id")).WriteString(" = ").Arg(id).WriteString(" THEN ")
			if role == Admin {
				builder.WriteString("6")
				continue
			}
			memberRole(builder, role)
		}
		builder.WriteString(" ELSE 0 END")
	})
}

func (v *Viewer) adminEverywhere() bool {
	for _, role := range v.Memberships {
		if role != Admin {
			return false
		}
	}
	return len(v.Memberships) > 0
}

// memberRole writes rules 2 to 5.
func (v *Viewer) memberRole(builder *sql.Builder, spaces columns, role Role) {
	collection := spaces.C("collection_id")
	builder.WriteString("COALESCE((SELECT MAX(p.role) FROM permissions p WHERE p.resource_id = ").Ident(spaces.C("id"))
	v.principals(builder)
	builder.WriteString("), ")
	v.nearestGrant(builder, collection)
	builder.WriteString(", ")
	if role == None {
		builder.WriteString("0)")
		return
	}
	builder.WriteString("CASE WHEN ").Ident(spaces.C("default_level")).WriteString(" >= 0 THEN ").Ident(spaces.C("default_level"))
	builder.WriteString(" ELSE ")
	nearestLevel(builder, collection)
	builder.WriteString(" END, ").Arg(int64(role)).WriteString(")")
}

// nearestGrant writes rule 3 for the collection whose id is in the column.
func (v *Viewer) nearestGrant(builder *sql.Builder, collection string) {
	builder.WriteString("(SELECT MAX(p.role) FROM collection_ancestors a JOIN permissions p ON p.resource_id = a.ancestor_id WHERE a.collection_id = ").Ident(collection)
	v.principals(builder)
	builder.WriteString(" GROUP BY a.distance ORDER BY a.distance LIMIT 1)")
}

// nearestLevel writes the default level of the nearest collection that states
// one, the collection whose id is in the column included.
func nearestLevel(builder *sql.Builder, collection string) {
	builder.WriteString("(SELECT c.default_level FROM collection_ancestors a JOIN collections c ON c.id = a.ancestor_id WHERE a.collection_id = ").Ident(collection)
	builder.WriteString(" AND c.default_level >= 0 ORDER BY a.distance LIMIT 1)")
}

func (v *Viewer) principals(builder *sql.Builder) {
	builder.WriteString(" AND ")
	v.grantee(builder)
}

// grantee writes that a permission is granted to the caller or a team of theirs.
func (v *Viewer) grantee(builder *sql.Builder) {
	builder.WriteString("(p.principal_id = ").Arg(v.UserID)
	builder.WriteString(" OR p.principal_id IN (SELECT m.team_id FROM team_members m WHERE m.user_id = ").Arg(v.UserID)
	builder.WriteString("))")
}
