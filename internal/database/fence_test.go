package database

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A table that nobody thought about when it was added would be open to all.
func TestEveryTypeIsFencedOrOpenOnPurpose(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../ent/mutation.go")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^\tType(\w+)\s+= "(\w+)"$`).FindAllStringSubmatch(string(source), -1)
	require.NotEmpty(t, found)
	for _, match := range found {
		_, owned := ownedTypes[match[2]]
		_, open := openTypes[match[2]]
		assert.True(t, owned != open, "%s is in neither or in both of the lists", match[2])
	}
	assert.Len(t, found, len(ownedTypes)+len(openTypes))
}
