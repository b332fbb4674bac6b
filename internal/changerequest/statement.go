package changerequest

import (
	stdsql "database/sql"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	entchangerequest "octavo/ent/changerequest"
	"octavo/ent/predicate"
	"octavo/internal/access"
	"octavo/internal/database"
	"octavo/internal/pagination"
)

// What nearly every request reads is asked by statements that are written once.

// changeRequestsByID finds the change requests whose ids are the names.
var changeRequestsByID = database.NewStatement(ent.TypeChangeRequest, func(_ struct{}, stencil database.Stencil) *sql.Selector {
	return selectChangeRequests(stencil, entchangerequest.IDIn(stencil.Names...))
})

// listShape tells lists apart that are read by different statements.
type listShape struct {
	column string
	filter Filter
	window pagination.Window
}

// listedChangeRequests finds a page of each list of several parents. The names
// are those of the window and the ids of the parents.
var listedChangeRequests = database.NewStatement(ent.TypeChangeRequest, func(shape listShape, stencil database.Stencil) *sql.Selector {
	window, parents := shape.window.Named(stencil.Names), stencil.Names[pagination.WindowNames:]
	return selectChangeRequests(stencil, shape.filter.matches,
		window.Each(entchangerequest.Table, shape.column, parents, shape.filter.matches, readable(stencil.Viewer)))
})

// selectChangeRequests selects the change requests that the caller may read,
// with what depends on their spaces.
func selectChangeRequests(stencil database.Stencil, conditions ...predicate.ChangeRequest) *sql.Selector {
	dialect := sql.Dialect(stencil.Dialect)
	selector := dialect.Select().From(dialect.Table(entchangerequest.Table))
	for _, condition := range append(conditions, readable(stencil.Viewer)) {
		condition(selector)
	}
	selector.Select(selector.Columns(entchangerequest.Columns...)...)
	selectStanding(stencil.Viewer)(selector)
	return selector
}

// readStanding scans what selectChangeRequests selected.
func readStanding(viewer *access.Viewer) func(database.Rows, error) ([]*ChangeRequest, error) {
	return func(rows database.Rows, err error) ([]*ChangeRequest, error) {
		if err != nil {
			return nil, err
		}
		var found []*ChangeRequest
		err = rows.Each(func(row *stdsql.Rows) error {
			one := &ChangeRequest{ChangeRequest: new(ent.ChangeRequest)}
			found = append(found, one)
			err := row.Scan(append(one.Targets(), &one.Role, &one.Outdated)...)
			one.Own = one.CreatorID == viewer.UserID
			return err
		})
		return found, err
	}
}
