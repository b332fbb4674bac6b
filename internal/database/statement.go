package database

import (
	"context"
	"database/sql"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"
	lru "github.com/hashicorp/golang-lru/v2"

	"octavo/internal/access"
)

// textsPerStatement bounds the texts that are kept of one statement: there is
// one for each shape that it is asked in.
const textsPerStatement = 128

// Statement reads rows of one Ent type for what is read often. Ent writes the
// text of a query anew each time, which costs more than running a short one;
// that of a Statement is written once for each shape that differs in more than
// names, and used again with others.
//
// Like all reads through Ent it is limited to the caller's organizations.
type Statement[Shape comparable] struct {
	typeName string
	write    func(shape Shape, stencil Stencil) *entsql.Selector
	texts    *lru.Cache[textKey[Shape], *text]
}

// Stencil is what the text of a statement is written from: names that stand
// for those of whoever asks.
type Stencil struct {
	Dialect string
	// Viewer has the roles of the caller.
	Viewer *access.Viewer
	// Names are as many as Query is given.
	Names []string
}

type textKey[Shape comparable] struct {
	shape           Shape
	dialect, viewer string
	names           int
}

// text is a statement whose arguments are names, by their place, or values that
// all who ask have in common.
type text struct {
	query     string
	arguments []argument
}

type argument struct {
	place int // -1 for a value
	value any
}

// NewStatement returns the statement that a function writes for a shape. Two
// questions of one shape must differ in their names alone.
func NewStatement[Shape comparable](typeName string, write func(shape Shape, stencil Stencil) *entsql.Selector) *Statement[Shape] {
	texts, err := lru.New[textKey[Shape], *text](textsPerStatement)
	if err != nil {
		panic(err) // the size is not positive
	}
	return &Statement[Shape]{typeName: typeName, write: write, texts: texts}
}

// Query runs the statement for the caller. The rows must be read with Each.
func (s *Statement[Shape]) Query(ctx context.Context, database *Database, shape Shape, names ...string) (Rows, error) {
	viewer := access.From(ctx)
	all := append(viewer.Names(), names...)
	key := textKey[Shape]{shape: shape, dialect: database.Dialect, viewer: viewer.Shape(), names: len(names)}
	known, kept := s.texts.Get(key)
	if !kept {
		known = s.text(database.Dialect, shape, viewer, len(all))
		s.texts.Add(key, known)
	}
	arguments := make([]any, len(known.arguments))
	for index, argument := range known.arguments {
		if arguments[index] = argument.value; argument.place >= 0 {
			arguments[index] = all[argument.place]
		}
	}
	rows, err := database.Client(ctx).QueryContext(ctx, known.query, arguments...) //nolint:rowserrcheck // Rows.Each checks it.
	return Rows{rows}, err
}

func (s *Statement[Shape]) text(dialect string, shape Shape, viewer *access.Viewer, count int) *text {
	places, names := make(map[any]int, count), make([]string, count)
	for index := range names {
		// No value in a statement holds a zero byte: PostgreSQL has none.
		names[index] = fmt.Sprintf("\x00%04d", index)
		places[names[index]] = index
	}
	alike := viewer.Stencil(names)
	selector := s.write(shape, Stencil{Dialect: dialect, Viewer: alike, Names: names[len(viewer.Names()):]})
	if column, owned := ownedTypes[s.typeName]; owned && !viewer.IsSystem() {
		inOrganizations(alike, column)(selector)
	}
	query, values := selector.Query()
	made := &text{query: query, arguments: make([]argument, len(values))}
	for index, value := range values {
		made.arguments[index] = argument{place: -1, value: value}
		if place, is := placeOf(places, value); is {
			made.arguments[index] = argument{place: place}
		}
	}
	return made
}

func placeOf(places map[any]int, value any) (int, bool) {
	name, isText := value.(string)
	if !isText {
		return 0, false
	}
	place, is := places[name]
	return place, is
}

// Rows answer a Statement.
type Rows struct{ rows *sql.Rows }

// Each calls a function for each row, and closes the rows.
func (r Rows) Each(do func(row *sql.Rows) error) error {
	defer r.rows.Close()
	for r.rows.Next() {
		if err := do(r.rows); err != nil {
			return err
		}
	}
	return r.rows.Err()
}
