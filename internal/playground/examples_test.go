package playground

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

func TestExamplesFitTheSchema(t *testing.T) {
	t.Parallel()
	schema := loadSchema(t)
	names := make(map[string]bool)
	for _, example := range Examples() {
		document, errs := gqlparser.LoadQueryWithRules(schema, example.Query, rules.NewDefaultRules())
		require.Empty(t, errs, example.Title)
		require.Len(t, document.Operations, 1, example.Title)
		operation := document.Operations[0]
		assert.NotEmpty(t, operation.Name, "the name is the title of the tab: %s", example.Title)
		assert.False(t, names[operation.Name], "%s stands twice", operation.Name)
		names[operation.Name] = true
		_, err := validator.VariableValues(schema, operation, example.Variables)
		require.NoError(t, err, example.Title)
	}
}

func loadSchema(t *testing.T) *ast.Schema {
	t.Helper()
	paths, err := filepath.Glob("../../graph/schema/*.graphqls")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	var sources []*ast.Source
	for _, path := range paths {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		sources = append(sources, &ast.Source{Name: path, Input: string(content)})
	}
	schema, err := gqlparser.LoadSchema(sources...)
	require.NoError(t, err)
	return schema
}
