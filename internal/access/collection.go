package access

import (
	"entgo.io/ent/dialect/sql"
)

// Effective role in a collection: administrators of the organization are
// administrators; then what the nearest collection grants to the caller or one
// of their teams, the collection itself being the nearest; for members the
// nearest default level that is stated, or else their role in the organization.
// It is the role that a space in the collection gives to those to whom the space
// itself grants nothing and whose default level it does not state.

// SelectCollectionRole adds the caller's effective role in each selected
// collection to a query on the table of collections.
func (v *Viewer) SelectCollectionRole(selector *sql.Selector) {
	selector.AppendSelectExprAs(v.collectionRole(selector), RoleColumn)
}

// WhereCollectionRole limits a query on the table of collections to those in
// which the caller has at least the given role.
func (v *Viewer) WhereCollectionRole(minimum Role) func(*sql.Selector) {
	return func(selector *sql.Selector) { selector.Where(reaches(v.collectionRole(selector), minimum)) }
}

func (v *Viewer) collectionRole(collections columns) sql.Querier {
	return v.role(collections, func(builder *sql.Builder, role Role) {
		id := collections.C("id")
		builder.WriteString("COALESCE(")
		v.nearestGrant(builder, id)
		if role != None {
			builder.WriteString(", ")
			nearestLevel(builder, id)
		}
		builder.WriteString(", ").Arg(int64(role)).WriteString(")")
	})
}
