package access

import (
	"entgo.io/ent/dialect/sql"
)

// WhereRoleInAll is WhereRole for a query that goes through all spaces of an
// organization, as a count does: what the caller was granted is gathered once
// and joined, instead of being looked up for each space. A list that ends after
// a page is better served by WhereRole.
func (v *Viewer) WhereRoleInAll(organizationID string, minimum Role) func(*sql.Selector) {
	role, member := v.RoleIn(organizationID)
	if v.IsSystem() || !member || role == Admin {
		return v.WhereRole(minimum)
	}
	return func(selector *sql.Selector) {
		spaces := selector.Table()
		own, around := v.grants(selector.Dialect()), v.nearestGrants(selector.Dialect())
		selector.LeftJoin(own).On(own.C("resource_id"), spaces.C("id"))
		selector.LeftJoin(around).On(around.C("collection_id"), spaces.C("collection_id"))
		level := func(*sql.Builder) {}
		if role != None {
			levels := nearestLevels(selector.Dialect(), organizationID)
			selector.LeftJoin(levels).On(levels.C("collection_id"), spaces.C("collection_id"))
			level = func(builder *sql.Builder) {
				builder.WriteString("CASE WHEN ").Ident(spaces.C("default_level")).WriteString(" >= 0 THEN ").Ident(spaces.C("default_level"))
				builder.WriteString(" ELSE ").Ident(levels.C("role")).WriteString(" END, ")
			}
		}
		selector.Where(reaches(sql.ExprFunc(func(builder *sql.Builder) {
			builder.WriteString("COALESCE(").Ident(own.C("role")).Comma().Ident(around.C("role")).Comma()
			level(builder)
			builder.Arg(int64(role)).WriteString(")")
		}), minimum))
	}
}

// grants are the highest roles that resources grant to the caller themselves.
func (v *Viewer) grants(dialect string) *sql.Selector {
	permissions := sql.Dialect(dialect).Table("permissions").As("p")
	return sql.Dialect(dialect).Select(permissions.C("resource_id"), sql.As(sql.Max(permissions.C("role")), "role")).
		From(permissions).Where(sql.P(v.grantee)).GroupBy(permissions.C("resource_id")).As("own_grants")
}

// nearestGrants are the roles that collections, or those around them, grant to
// the caller.
func (v *Viewer) nearestGrants(dialect string) *sql.Selector {
	permissions := sql.Dialect(dialect).Table("permissions").As("p")
	return nearest(dialect, permissions, permissions.C("resource_id"), permissions.C("role")).
		Where(sql.P(v.grantee)).As("nearest_grants")
}

// nearestLevels are the default levels of collections that state one, or are in
// one that does.
func nearestLevels(dialect, organizationID string) *sql.Selector {
	collections := sql.Dialect(dialect).Table("collections").As("c")
	return nearest(dialect, collections, collections.C("id"), collections.C("default_level")).
		Where(sql.And(sql.EQ(collections.C("organization_id"), organizationID), sql.GTE(collections.C("default_level"), 0))).
		As("nearest_levels")
}

// nearest selects what the nearest collection says, and the highest of what it
// says: as one number, 8 × the distance + 7 - the role, that is the least.
func nearest(dialect string, table *sql.SelectTable, id, role string) *sql.Selector {
	ancestors := sql.Dialect(dialect).Table("collection_ancestors").As("a")
	return sql.Dialect(dialect).Select(ancestors.C("collection_id")).
		AppendSelectExprAs(sql.Raw("7 - MIN("+ancestors.C("distance")+" * 8 + 7 - "+role+") % 8"), "role").
		From(ancestors).Join(table).On(id, ancestors.C("ancestor_id")).GroupBy(ancestors.C("collection_id"))
}
