package space

import (
	stdsql "database/sql"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	"octavo/ent/predicate"
	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/database"
	"octavo/internal/pagination"
)

// What nearly every request reads is asked by statements that are written once.

// spacesByID finds the spaces whose ids are the names.
var spacesByID = database.NewStatement(ent.TypeSpace, func(_ struct{}, stencil database.Stencil) *sql.Selector {
	return selectSpaces(stencil, entspace.IDIn(stencil.Names...))
})

// spacesInOrganization finds a page of the spaces of an organization that the
// caller may read. The names are those of the window and the organization's id.
var spacesInOrganization = database.NewStatement(ent.TypeSpace, func(window pagination.Window, stencil database.Stencil) *sql.Selector {
	selector := selectSpaces(stencil, entspace.OrganizationID(stencil.Names[pagination.WindowNames]),
		entspace.DeletedAtIsNil(), stencil.Viewer.WhereRole(access.Read))
	window.Named(stencil.Names).Apply(selector)
	return selector
})

// countInOrganization counts the spaces of an organization that the caller may
// read: of the organization at a place among the caller's, or, if it is none of
// them, of the one whose id is the name.
var countInOrganization = database.NewStatement(ent.TypeSpace, func(place int, stencil database.Stencil) *sql.Selector {
	id := stencil.Names[0]
	if place >= 0 {
		id = stencil.Viewer.Organizations()[place]
	}
	selector := from(stencil, entspace.OrganizationID(id), entspace.DeletedAtIsNil(), stencil.Viewer.WhereRoleInAll(id, access.Read))
	return selector.Select(sql.Count(selector.C(entspace.FieldID)))
})

// selectSpaces selects spaces with the caller's role in each.
func selectSpaces(stencil database.Stencil, conditions ...predicate.Space) *sql.Selector {
	selector := from(stencil, conditions...)
	selector.Select(selector.Columns(entspace.Columns...)...)
	stencil.Viewer.SelectRole(selector)
	return selector
}

func from(stencil database.Stencil, conditions ...predicate.Space) *sql.Selector {
	dialect := sql.Dialect(stencil.Dialect)
	selector := dialect.Select().From(dialect.Table(entspace.Table))
	for _, condition := range conditions {
		condition(selector)
	}
	return selector
}

// read scans what selectSpaces selected.
func read(rows database.Rows, err error) ([]*Space, error) {
	if err != nil {
		return nil, err
	}
	var found []*Space
	err = rows.Each(func(row *stdsql.Rows) error {
		space := &Space{Space: new(ent.Space)}
		found = append(found, space)
		return row.Scan(append(space.Targets(), &space.Role)...)
	})
	return found, err
}
