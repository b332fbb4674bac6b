package pagination

import (
	"context"
	"strconv"

	"octavo/internal/fault"
)

// RankLimit is how many items of a ranked list can be paged through. Ranks
// cannot be searched for, so that the cost of a page grows with its number.
const RankLimit = 10_000

// Ranks is a validated request for one page of a list that is ordered by a
// rank: cursors hold the place in the order.
type Ranks struct {
	// Offset is the place of the first item, from 0.
	Offset int
	// Size is how many items the page may have.
	Size int
	key  Key
}

// Ranks checks the arguments against the list with the given name; cursors
// are refused with a list of another name. count is called for a page at the
// end of the list only.
func (a Arguments) Ranks(ctx context.Context, name string, count func(ctx context.Context) (int, error)) (Ranks, error) {
	window, err := a.Window(Key{Name: name})
	if err != nil {
		return Ranks{}, err
	}
	begin, end := 0, RankLimit
	if window.after.given {
		place, err := window.after.rank("after")
		if err != nil {
			return Ranks{}, err
		}
		begin = place + 1
	}
	if window.before.given {
		if end, err = window.before.rank("before"); err != nil {
			return Ranks{}, err
		}
	}
	if window.backward && !window.before.given {
		total, err := count(ctx)
		if err != nil {
			return Ranks{}, err
		}
		end = min(end, total)
	}
	if window.backward {
		begin = max(begin, end-window.Size)
	}
	return Ranks{Offset: begin, Size: max(0, min(window.Size, end-begin)), key: window.key}, nil
}

func (p position) rank(field string) (int, error) {
	place, err := strconv.Atoi(p.id)
	if err != nil || place < 0 || place >= RankLimit {
		return 0, fault.Invalid(field, "the cursor does not belong to this list")
	}
	return place, nil
}

// Limit is how many rows to read: one more than the page has, which tells
// whether there are more.
func (r Ranks) Limit() int { return r.Size + 1 }

// NewRankedPage makes the page out of at most Limit rows from Offset on. rank
// gives the place of an item.
func NewRankedPage[T any](ranks Ranks, rows []T, rank func(T) int, count func(ctx context.Context) (int, error)) Page[T] {
	more := len(rows) > ranks.Size
	if more {
		rows = rows[:ranks.Size]
	}
	page := Page[T]{Items: rows, Count: count, Cursor: func(item T) string { return ranks.key.encode("", strconv.Itoa(rank(item))) }}
	page.Info.HasNextPage = more && ranks.Offset+ranks.Size < RankLimit
	page.Info.HasPreviousPage = ranks.Offset > 0
	if len(rows) > 0 {
		first, last := page.Cursor(rows[0]), page.Cursor(rows[len(rows)-1])
		page.Info.StartCursor, page.Info.EndCursor = &first, &last
	}
	return page
}
