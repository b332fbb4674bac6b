package comment

import (
	stdsql "database/sql"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	entcomment "octavo/ent/comment"
	"octavo/ent/commentreply"
	"octavo/ent/reaction"
	"octavo/internal/access"
	"octavo/internal/database"
	"octavo/internal/pagination"
)

// What nearly every request reads is asked by statements that are written once.

// listingShape tells listings apart that are read by different statements.
type listingShape struct {
	column    string
	selection selection
	onBranch  bool
	window    pagination.Window
}

// listedComments finds a page of the comments on each of several parents. The
// names are those of the window and the ids of the parents.
var listedComments = database.NewStatement(ent.TypeComment, func(shape listingShape, stencil database.Stencil) *sql.Selector {
	selector := from(stencil, entcomment.Table)
	conditions := selectors(shape.selection.conditions(shape.onBranch))
	for _, condition := range conditions {
		condition(selector)
	}
	shape.window.Named(stencil.Names).Each(entcomment.Table, shape.column, stencil.Names[pagination.WindowNames:], conditions...)(selector)
	return selector.Select(selector.Columns(entcomment.Columns...)...)
})

// commentsByID finds the comments whose ids are the names and that the caller
// may read, with the caller's role.
var commentsByID = database.NewStatement(ent.TypeComment, func(_ struct{}, stencil database.Stencil) *sql.Selector {
	selector := from(stencil, entcomment.Table)
	selector.Select(selector.Columns(entcomment.Columns...)...)
	entcomment.IDIn(stencil.Names...)(selector)
	readable(stencil.Viewer)(selector)
	return selector
})

// reactionsTo finds the reactions to the subjects whose ids are the names.
var reactionsTo = database.NewStatement(ent.TypeReaction, func(_ struct{}, stencil database.Stencil) *sql.Selector {
	selector := from(stencil, reaction.Table)
	reaction.SubjectIDIn(stencil.Names...)(selector)
	return selector.Select(selector.Columns(reaction.Columns...)...).OrderBy(selector.C(reaction.FieldID))
})

// repliersIn finds who replied in the threads whose ids are the names.
var repliersIn = database.NewStatement(ent.TypeCommentReply, func(_ struct{}, stencil database.Stencil) *sql.Selector {
	selector := from(stencil, commentreply.Table)
	latestReplies(stencil.Names)(selector)
	return selector
})

func from(stencil database.Stencil, table string) *sql.Selector {
	dialect := sql.Dialect(stencil.Dialect)
	return dialect.Select().From(dialect.Table(table))
}

// readComments scans comments, and the caller's role if it was selected too.
func readComments(viewer *access.Viewer) func(database.Rows, error) ([]*Comment, error) {
	return func(rows database.Rows, err error) ([]*Comment, error) {
		if err != nil {
			return nil, err
		}
		var columns []string
		var found []*Comment
		err = rows.Each(func(row *stdsql.Rows) (err error) {
			if columns == nil {
				if columns, err = row.Columns(); err != nil {
					return err
				}
			}
			one := &Comment{Comment: new(ent.Comment)}
			found = append(found, one)
			err = row.Scan(append(one.Targets(), &one.Role)[:len(columns)]...)
			one.Own = one.AuthorID == viewer.UserID
			return err
		})
		return found, err
	}
}
