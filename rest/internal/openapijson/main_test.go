package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestConvert(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, yaml, json string }{
		{"order stays", "b: 1\na: 2\n", "{\n \"b\": 1,\n \"a\": 2\n}\n"},
		{"scalars keep their types", "[yes, \"yes\", 1.5, null, '200', true]", "[\n \"yes\",\n \"yes\",\n 1.5,\n null,\n \"200\",\n true\n]\n"},
		{"keys are strings", "200: {}\n", "{\n \"200\": {}\n}\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			converted, err := convert([]byte(test.yaml))
			require.NoError(t, err)
			assert.Equal(t, test.json, string(converted))
		})
	}
}

func TestConvertRefuses(t *testing.T) {
	t.Parallel()
	for name, document := range map[string]string{
		"nothing":     "",
		"an alias":    "a: &x 1\nb: *x\n",
		"broken YAML": "a: [",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := convert([]byte(document))
			assert.Error(t, err)
		})
	}
}

func TestTheServedContractIsFresh(t *testing.T) {
	t.Parallel()
	written, err := os.ReadFile("../../openapi.yaml")
	require.NoError(t, err)
	served, err := os.ReadFile("../../contract/openapi.json")
	require.NoError(t, err)
	converted, err := convert(written)
	require.NoError(t, err)
	assert.True(t, string(converted) == string(served), "openapi.yaml has changed: run go generate ./rest")
}
