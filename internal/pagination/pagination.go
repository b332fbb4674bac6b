// Package pagination cuts lists into pages by keyset: a page begins behind a
// row's key, so that its cost does not grow with its number and rows that come
// or go meanwhile are neither skipped nor shown twice.
package pagination

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"entgo.io/ent/dialect/sql"

	"octavo/internal/enum"
	"octavo/internal/fault"
)

// DefaultSize and MaximumSize bound the items of a page.
const (
	DefaultSize = 50
	MaximumSize = 1000
)

// Arguments are those of a Relay connection: First and After go forward, Last
// and Before backward.
type Arguments struct {
	First  *int
	After  *string
	Last   *int
	Before *string
}

// Key orders a list: by one NOT NULL column, then by id where that column is
// not the id itself.
type Key struct {
	// Name is written into cursors: a cursor of another key is refused.
	Name string
	// Column is the sort column; empty sorts by id alone. Its values must be
	// text that sorts as the database does.
	Column string
	Order  enum.Order
}

// Window is a validated request for one page. It is comparable: equal windows
// ask for the same page of a list.
type Window struct {
	// Size is how many items the page may have.
	Size     int
	key      Key
	backward bool
	after    position
	before   position
}

// position is that of a row in a list; the zero position is none.
type position struct {
	given     bool
	value, id string
}

// Info tells what lies around a page.
type Info struct {
	HasNextPage     bool
	HasPreviousPage bool
	StartCursor     *string
	EndCursor       *string
}

// Page is one page of a list.
type Page[T any] struct {
	Items []T
	Info  Info
	// Count counts the whole list; it is asked only when a client wants it.
	Count func(ctx context.Context) (int, error)
	// Cursor returns the cursor of an item.
	Cursor func(item T) string
}

// Window checks the arguments against the key. It returns BAD_USER_INPUT for
// sizes outside of 0 to 1000, for both directions at once, and for cursors
// that are malformed or come from a list in another order.
func (a Arguments) Window(key Key) (Window, error) {
	window := Window{Size: DefaultSize, key: key}
	if a.First != nil && a.Last != nil {
		return window, fault.Invalid("last", "give first or last, not both")
	}
	if a.Last != nil {
		window.backward = true
	}
	for field, size := range map[string]*int{"first": a.First, "last": a.Last} {
		if size == nil {
			continue
		}
		if *size < 0 || *size > MaximumSize {
			return window, fault.Invalid(field, "%d is not between 0 and %d", *size, MaximumSize)
		}
		window.Size = *size
	}
	var err error
	if window.after, err = key.decode("after", a.After); err != nil {
		return window, err
	}
	window.before, err = key.decode("before", a.Before)
	return window, err
}

// Apply orders the query, begins it where the page begins, and limits it to one
// row more than the page has, which tells whether there are more.
func (w Window) Apply(selector *sql.Selector) {
	w.Filter(selector)
	w.order(selector)
	selector.Limit(w.Size + 1)
}

// Filter begins the query where the page begins, without order or limit.
func (w Window) Filter(selector *sql.Selector) {
	if w.after.given {
		selector.Where(w.key.beyond(selector, w.after, w.key.Order == enum.Descending))
	}
	if w.before.given {
		selector.Where(w.key.beyond(selector, w.before, w.key.Order != enum.Descending))
	}
}

// Shape is the window without the place where it begins: what statements for
// windows that are alike have in common.
func (w Window) Shape() Window {
	return w.Named(make([]string, len(w.Names())))
}

// Names are the place where the window begins.
func (w Window) Names() []string {
	return []string{w.after.value, w.after.id, w.before.value, w.before.id}
}

// Named is the window at another place.
func (w Window) Named(names []string) Window {
	w.after.value, w.after.id, w.before.value, w.before.id = names[0], names[1], names[2], names[3]
	return w
}

// WindowNames is how many names a window has.
const WindowNames = 4

// OrderTerms are the terms of ORDER BY for the page.
func (w Window) OrderTerms(selector *sql.Selector) []string {
	direction := sql.Asc
	if w.descending() {
		direction = sql.Desc
	}
	if w.key.Column == "" {
		return []string{direction(selector.C("id"))}
	}
	return []string{direction(selector.C(w.key.Column)), direction(selector.C("id"))}
}

func (w Window) order(selector *sql.Selector) { selector.OrderBy(w.OrderTerms(selector)...) }

func (w Window) descending() bool { return (w.key.Order == enum.Descending) != w.backward }

// beyond is the condition on rows behind a position, in row-value form so that
// an index on the columns serves it.
func (k Key) beyond(selector *sql.Selector, at position, descending bool) *sql.Predicate {
	operator := " > "
	if descending {
		operator = " < "
	}
	return sql.P(func(builder *sql.Builder) {
		if k.Column == "" {
			builder.Ident(selector.C("id")).WriteString(operator).Arg(at.id)
			return
		}
		builder.WriteString("(").Ident(selector.C(k.Column)).Comma().Ident(selector.C("id")).WriteString(")").
			WriteString(operator).
			WriteString("(").Arg(at.value).Comma().Arg(at.id).WriteString(")")
	})
}

// NewPage makes the page out of the rows that a query limited by Apply found.
// position gives an item's sort value (ignored for lists by id) and id.
func NewPage[T any](window Window, rows []T, position func(T) (value, id string), count func(ctx context.Context) (int, error)) Page[T] {
	more := len(rows) > window.Size
	if more {
		rows = rows[:window.Size]
	}
	if window.backward {
		rows = slices.Clone(rows)
		slices.Reverse(rows)
	}
	page := Page[T]{Items: rows, Count: count, Cursor: func(item T) string { return window.key.encode(position(item)) }}
	page.Info.HasNextPage = more && !window.backward || window.backward && window.before.given
	page.Info.HasPreviousPage = more && window.backward || !window.backward && window.after.given
	if len(rows) > 0 {
		first, last := page.Cursor(rows[0]), page.Cursor(rows[len(rows)-1])
		page.Info.StartCursor, page.Info.EndCursor = &first, &last
	}
	return page
}

// Slice cuts a page out of a list that is in memory already, in its order.
// Cursors hold the id of an item; one whose item is gone is refused.
func Slice[T any](arguments Arguments, name string, items []T, id func(T) string) (Page[T], error) {
	window, err := arguments.Window(Key{Name: name})
	if err != nil {
		return Page[T]{}, err
	}
	begin, end := 0, len(items)
	if window.after.given {
		index := slices.IndexFunc(items, func(item T) bool { return id(item) == window.after.id })
		if index < 0 {
			return Page[T]{}, fault.Invalid("after", "the cursor does not belong to this list")
		}
		begin = index + 1
	}
	if window.before.given {
		index := slices.IndexFunc(items, func(item T) bool { return id(item) == window.before.id })
		if index < 0 {
			return Page[T]{}, fault.Invalid("before", "the cursor does not belong to this list")
		}
		end = max(begin, index)
	}
	rows := items[begin:end]
	if window.backward {
		rows = slices.Clone(rows)
		slices.Reverse(rows)
	}
	rows = rows[:min(len(rows), window.Size+1)]
	total := len(items)
	return NewPage(window, rows,
		func(item T) (string, string) { return "", id(item) },
		func(context.Context) (int, error) { return total, nil }), nil
}

func (k Key) encode(value, id string) string {
	if k.Column == "" {
		value = ""
	}
	return base64.RawURLEncoding.EncodeToString([]byte(k.Name + "\x00" + string(k.Order) + "\x00" + value + "\x00" + id))
}

func (k Key) decode(field string, cursor *string) (position, error) {
	if cursor == nil {
		return position{}, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(*cursor)
	if err != nil {
		return position{}, fault.Invalid(field, "%q is not a cursor", *cursor)
	}
	parts := strings.Split(string(text), "\x00")
	if len(parts) != 4 {
		return position{}, fault.Invalid(field, "%q is not a cursor", *cursor)
	}
	if parts[0] != k.Name || parts[1] != string(k.Order) {
		return position{}, fault.Invalid(field, "the cursor belongs to another list or order")
	}
	return position{given: true, value: parts[2], id: parts[3]}, nil
}
