package parity

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/rest/contract"
)

var update = flag.Bool("update", false, "write the page of operations")

const pageHead = `---
description: Every REST operation with the GraphQL field that it calls and the role that it needs
---

# Operations

Each operation answers the same over both APIs, to each kind of caller; a test compares them. The role is the caller's in the space unless it says otherwise ([who may do what](access.md)); writing needs a token with the scope ` + "`write`" + `. What a caller may not read is not found.

`

// TestOperationsPage holds docs/guide/operations.md to the table and the
// contract; go generate ./internal/parity writes it.
func TestOperationsPage(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "docs", "guide", "operations.md")
	made := operationsPage(t)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(made), 0o644))
	}
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(written), made, "run go generate ./internal/parity")
}

func operationsPage(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	text.WriteString(pageHead)
	text.WriteString("| Operation | REST | GraphQL | Role | Success |\n| --- | --- | --- | --- | --- |\n")
	for _, operation := range contract.Operations() {
		row, known := rowOf(operation.ID)
		require.True(t, known, operation.ID)
		fmt.Fprintf(&text, "| `%s` | `%s %s` | `%s` | %s | %s |\n",
			operation.ID, operation.Method, operation.Path, operation.GraphQL, row.role(), statuses(operation.Success))
	}
	return text.String()
}

func statuses(codes []int) string {
	texts := make([]string, len(codes))
	for index, code := range codes {
		texts[index] = fmt.Sprint(code)
	}
	return strings.Join(texts, ", ")
}
