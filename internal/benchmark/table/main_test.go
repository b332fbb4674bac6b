package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTable(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, write(strings.NewReader(`goos: linux
BenchmarkOperations/sqlite/space/by-hand-2 	 100	 34061 ns/op	 40000 cpu-ns/op	 13721 B/op	 159 allocs/op
BenchmarkOperations/sqlite/space/graphql-2 	 100	 293410 ns/op	 130000 cpu-ns/op	 47608 B/op	 765 allocs/op
PASS
`), &out))
	assert.Contains(t, out.String(), "| sqlite | space | 40 | – | – | 130 | 3.2 |\n")
}
