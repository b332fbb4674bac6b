package pagination

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRanks(t *testing.T) {
	t.Parallel()
	at := func(place int) *string { return new(Key{Name: "list"}.encode("", strconv.Itoa(place))) }
	for _, test := range []struct {
		name         string
		arguments    Arguments
		offset, size int
		failure      string
	}{
		{"Default", Arguments{}, 0, DefaultSize, ""},
		{"First", Arguments{First: new(5)}, 0, 5, ""},
		{"After", Arguments{First: new(5), After: at(4)}, 5, 5, ""},
		{"FirstBetween", Arguments{First: new(5), After: at(4), Before: at(7)}, 5, 2, ""},
		{"Last", Arguments{Last: new(5)}, 15, 5, ""},
		{"LastOfFewer", Arguments{Last: new(50)}, 0, 20, ""},
		{"LastBefore", Arguments{Last: new(5), Before: at(12)}, 7, 5, ""},
		{"LastBetween", Arguments{Last: new(5), After: at(9), Before: at(12)}, 10, 2, ""},
		{"NothingBetween", Arguments{First: new(5), After: at(12), Before: at(9)}, 13, 0, ""},
		{"UpToTheLimit", Arguments{First: new(50), After: at(RankLimit - 11)}, RankLimit - 10, 10, ""},
		{"BeyondTheLimit", Arguments{After: at(RankLimit)}, 0, 0, "after: the cursor does not belong to this list"},
		{"Negative", Arguments{Before: at(-1)}, 0, 0, "before: the cursor does not belong to this list"},
		{"NoPlace", Arguments{After: new(Key{Name: "list"}.encode("", "spc_1"))}, 0, 0, "after: the cursor does not belong to this list"},
		{"OtherList", Arguments{After: new(Key{Name: "other"}.encode("", "1"))}, 0, 0, "after: the cursor belongs to another list or order"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ranks, err := test.arguments.Ranks(t.Context(), "list", func(context.Context) (int, error) { return 20, nil })
			if test.failure != "" {
				require.EqualError(t, err, test.failure)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.offset, ranks.Offset)
			assert.Equal(t, test.size, ranks.Size)
		})
	}
}

func TestRankedPageEndsAtTheLimit(t *testing.T) {
	t.Parallel()
	ranks := Ranks{Offset: RankLimit - 2, Size: 2, key: Key{Name: "list"}}
	page := NewRankedPage(ranks, []int{RankLimit - 2, RankLimit - 1, RankLimit}, func(place int) int { return place }, nil)
	assert.Equal(t, []int{RankLimit - 2, RankLimit - 1}, page.Items)
	assert.False(t, page.Info.HasNextPage)
	assert.True(t, page.Info.HasPreviousPage)
}
