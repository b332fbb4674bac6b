package graph

import "octavo/internal/pagination"

func arguments(first *int, after *string, last *int, before *string) pagination.Arguments {
	return pagination.Arguments{First: first, After: after, Last: last, Before: before}
}
