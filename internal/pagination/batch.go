package pagination

import (
	"cmp"
	"context"
	"sync"

	"entgo.io/ent/dialect/sql"
)

// Each limits a query to one page of the list of each parent: the rows of the
// table that meet the conditions and whose column holds the parent's id. A
// single parent's page is cut by LIMIT, which an index serves; those of several
// by the places of the rows in their lists, in the same statement.
func (w Window) Each(table, column string, parents []string, conditions ...func(*sql.Selector)) func(*sql.Selector) {
	return func(selector *sql.Selector) {
		if len(parents) == 1 {
			selector.Where(sql.EQ(selector.C(column), parents[0]))
			w.Apply(selector)
			return
		}
		selector.Where(sql.In(selector.C("id"), w.places(selector.Dialect(), table, column, parents, conditions)))
		w.order(selector)
	}
}

// places selects the ids of the rows on the pages.
func (w Window) places(dialectName, table, column string, parents []string, conditions []func(*sql.Selector)) *sql.Selector {
	dialect := sql.Dialect(dialectName)
	from := dialect.Table(table).As("candidate")
	candidates := dialect.Select(from.C("id")).From(from)
	candidates.Where(among(candidates, column, parents))
	for _, condition := range conditions {
		condition(candidates)
	}
	w.Filter(candidates)
	place := sql.RowNumber().PartitionBy(from.C(column)).OrderBy(w.OrderTerms(candidates)...)
	candidates.AppendSelectExprAs(place, "place")
	// Conditions name their columns by the candidates when they are written:
	// it is a copy that gets the name.
	ranked := candidates.Clone().As("ranked")
	return dialect.Select(ranked.C("id")).From(ranked).Where(sql.LTE(ranked.C("place"), w.Size+1))
}

// Among limits a query to the rows of the parents.
func Among(column string, parents []string) func(*sql.Selector) {
	return func(selector *sql.Selector) { selector.Where(among(selector, column, parents)) }
}

func among(selector *sql.Selector, column string, parents []string) *sql.Predicate {
	ids := make([]any, len(parents))
	for index, parent := range parents {
		ids[index] = parent
	}
	return sql.In(selector.C(column), ids...)
}

// Pages makes the page of each parent out of the rows that a query limited by
// Each found. position is that of NewPage. countAll counts the whole list of
// each parent; it is asked at most once, when a client wants any count.
func Pages[T any](window Window, parents []string, rows []T, parent func(T) string,
	position func(T) (value, id string), countAll func(ctx context.Context) (map[string]int, error),
) map[string]Page[T] {
	byParent := make(map[string][]T, len(parents))
	for _, row := range rows {
		byParent[parent(row)] = append(byParent[parent(row)], row)
	}
	counts := &sharedCounts{countAll: countAll}
	pages := make(map[string]Page[T], len(parents))
	for _, id := range parents {
		pages[id] = NewPage(window, byParent[id], position,
			func(ctx context.Context) (int, error) { return counts.of(ctx, id) })
	}
	return pages
}

// Gather reads lists that differ in their parents alone together: split returns a
// list without its parent, which lists that are alike share, and the parent; of
// is its inverse.
func Gather[L comparable, T any](lists []L, split func(L) (L, string), of func(L, string) L,
	read func(list L, parents []string) (map[string]Page[T], error),
) (map[L]Page[T], error) {
	alike := map[L][]string{}
	for _, list := range lists {
		same, parent := split(list)
		alike[same] = append(alike[same], parent)
	}
	pages := make(map[L]Page[T], len(lists))
	for list, parents := range alike {
		found, err := read(list, parents)
		if err != nil {
			return nil, err
		}
		for parent, page := range found {
			pages[of(list, parent)] = page
		}
	}
	return pages, nil
}

// sharedCounts are the counts of several lists, made at the first call that
// succeeds.
type sharedCounts struct {
	countAll func(ctx context.Context) (map[string]int, error)
	lock     sync.Mutex
	counts   map[string]int
}

func (s *sharedCounts) of(ctx context.Context, parent string) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.counts == nil {
		counts, err := s.countAll(ctx)
		if err != nil {
			return 0, err
		}
		s.counts = counts
	}
	return s.counts[parent], nil
}

// Place is where an item stands in a list: its sort value and its id.
type Place struct{ Value, ID string }

// Compare orders items of several queries limited by the window as each query
// orders its own.
func (w Window) Compare(one, other Place) int {
	order := cmp.Or(cmp.Compare(one.Value, other.Value), cmp.Compare(one.ID, other.ID))
	if w.descending() {
		return -order
	}
	return order
}
