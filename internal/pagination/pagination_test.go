package pagination_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/pagination"
)

func items(count int) []string {
	made := make([]string, count)
	for index := range made {
		made[index] = fmt.Sprintf("id%02d", index)
	}
	return made
}

func same(item string) string { return item }

func TestPagesForwardAndBackwardShowEverythingOnce(t *testing.T) {
	t.Parallel()
	all := items(23)
	for _, size := range []int{1, 5, 22, 23, 24} {
		var forward []string
		arguments := pagination.Arguments{First: &size}
		for {
			page, err := pagination.Slice(arguments, "list", all, same)
			require.NoError(t, err)
			assert.Equal(t, len(forward) > 0, page.Info.HasPreviousPage)
			forward = append(forward, page.Items...)
			if !page.Info.HasNextPage {
				break
			}
			arguments.After = page.Info.EndCursor
		}
		assert.Equal(t, all, forward)

		var backward []string
		arguments = pagination.Arguments{Last: &size}
		for {
			page, err := pagination.Slice(arguments, "list", all, same)
			require.NoError(t, err)
			backward = append(page.Items, backward...)
			if !page.Info.HasPreviousPage {
				break
			}
			arguments.Before = page.Info.StartCursor
		}
		assert.Equal(t, all, backward)
	}
}

func TestBadArgumentsAreNamed(t *testing.T) {
	t.Parallel()
	number := func(value int) *int { return &value }
	text := func(value string) *string { return &value }
	other, err := pagination.Slice(pagination.Arguments{}, "other", items(1), same)
	require.NoError(t, err)
	for _, test := range []struct {
		name      string
		arguments pagination.Arguments
		field     string
	}{
		{"Negative", pagination.Arguments{First: number(-1)}, "first"},
		{"TooMany", pagination.Arguments{Last: number(1001)}, "last"},
		{"BothDirections", pagination.Arguments{First: number(1), Last: number(1)}, "last"},
		{"NotBase64", pagination.Arguments{After: text("!!")}, "after"},
		{"NotACursor", pagination.Arguments{Before: text("aGVsbG8")}, "before"},
		{"OtherList", pagination.Arguments{After: other.Info.EndCursor}, "after"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := test.arguments.Window(pagination.Key{Name: "list", Order: enum.Descending})
			var known *fault.Error
			require.ErrorAs(t, err, &known)
			assert.Equal(t, fault.BadUserInput, known.Code)
			assert.Equal(t, test.field, known.Field)
		})
	}
}

func TestCursorOfAnotherOrderIsRefused(t *testing.T) {
	t.Parallel()
	ascending, err := pagination.Arguments{}.Window(pagination.Key{Name: "list", Order: enum.Ascending})
	require.NoError(t, err)
	page := pagination.NewPage(ascending, []string{"a"}, func(item string) (string, string) { return "", item }, nil)
	_, err = pagination.Arguments{After: page.Info.EndCursor}.Window(pagination.Key{Name: "list", Order: enum.Descending})
	assert.ErrorContains(t, err, "another list or order")
}
