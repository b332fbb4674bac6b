package repository

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVariablesOfTheSpaceAreThoseOfTheirFile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, source string
		variables    map[string]any
		problems     []string
	}{
		{"Values", "version: 2\nname: Acme\nbeta: true\nratio: 0.5\n", map[string]any{"version": 2.0, "name": "Acme", "beta": true, "ratio": 0.5}, nil},
		{"Empty", "", nil, nil},
		{"List", "- a\n", nil, []string{"is not a YAML mapping and is ignored"}},
		{"Broken", "a: [\n", nil, []string{"is not a YAML mapping and is ignored"}},
		{"Nested", "a: {b: 1}\nc: 1\n", map[string]any{"c": 1.0}, []string{`"a" is ignored: the variable a is neither text, a number nor a boolean`}},
		{"Name", "a b: 1\nc: x\n", map[string]any{"c": "x"}, []string{`"a b" is ignored: a variable's name has up to 100 letters, digits and underscores, and begins with a letter`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			repository := map[string]string{"README.md": "# Start\n", ".gitbook/vars.yaml": test.source}
			result := importFS(t, files(repository))
			assert.Equal(t, test.variables, result.Tree.Variables)
			var problems []string
			for _, problem := range result.Report.Problems {
				assert.Equal(t, ".gitbook/vars.yaml", problem.Path)
				problems = append(problems, problem.Message)
			}
			assert.Equal(t, test.problems, problems)
		})
	}
}

func TestVariablesGoWithTheirFile(t *testing.T) {
	t.Parallel()
	first := importFS(t, files(map[string]string{"README.md": "# Start\n", ".gitbook/vars.yaml": "a: 1\n"}))
	require.Equal(t, map[string]any{"a": 1.0}, first.Tree.Variables)
	without := files(map[string]string{"README.md": "# Start\n"})
	second, err := Import(context.Background(), Source{FS: without, Previous: first.Tree, PreviousBodies: texts(first.Bodies)}, Options{Now: testTime})
	require.NoError(t, err)
	assert.Nil(t, second.Tree.Variables)

	first.Tree.Files = nil
	kept, err := Import(context.Background(), Source{FS: without, Previous: first.Tree, PreviousBodies: texts(first.Bodies)}, Options{Now: testTime})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"a": 1.0}, kept.Tree.Variables, "no file has ever stated them")
}
