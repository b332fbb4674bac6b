package document

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSplitFrontMatter(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ source, front, body string }{
		{"---\nicon: a\n---\n\n# T\n", "---\nicon: a\n---\n", "\n# T\n"},
		{"---\r\nicon: a\r\n---\r\nbody", "---\r\nicon: a\r\n---\r\n", "body"},
		{"---\n---\nbody", "---\n---\n", "body"},
		{"---\nnot closed\n", "", "---\nnot closed\n"},
		{"# T\n\n---\na: b\n---\n", "", "# T\n\n---\na: b\n---\n"},
		{"", "", ""},
		{"---\na: b\n---", "---\na: b\n---", ""},
	} {
		front, body := SplitFrontMatter([]byte(row.source))
		assert.Equal(t, row.front, string(front), "%q", row.source)
		assert.Equal(t, row.body, string(body), "%q", row.source)
	}
}

const fullFrontMatter = `---
description: >-
  Folded text that
  goes on.
icon: bullhorn
cover: ../.gitbook/assets/cover.png
coverY: -12.5
hidden: true
noIndex: true
vars:
  version: 1.2.3
  number: 4
if: visitor.claims.pro
layout:
  width: wide
  cover:
    visible: true
    size: hero
  title:
    visible: false
  tableOfContents:
    visible: true
custom: [1, 2]
---
`

func TestParseFrontMatter(t *testing.T) {
	t.Parallel()
	metadata, err := ParseFrontMatter([]byte(fullFrontMatter))
	require.NoError(t, err)
	assert.Equal(t, "Folded text that goes on.", *metadata.Description)
	assert.Equal(t, "bullhorn", *metadata.Icon)
	assert.Equal(t, "../.gitbook/assets/cover.png", *metadata.Cover)
	assert.InDelta(t, -12.5, *metadata.CoverY, 0)
	assert.True(t, *metadata.Hidden)
	assert.True(t, *metadata.NoIndex)
	assert.Nil(t, metadata.NoRobotsIndex)
	assert.Equal(t, map[string]any{"version": "1.2.3", "number": 4}, metadata.Vars)
	assert.Equal(t, "visitor.claims.pro", *metadata.If)
	assert.Equal(t, "wide", *metadata.Layout.Width)
	assert.Equal(t, "hero", *metadata.Layout.CoverSize)
	assert.False(t, *metadata.Layout.Title)
	assert.Nil(t, metadata.Layout.Outline)
	assert.Equal(t, map[string]any{"custom": []any{1, 2}}, metadata.Extra)

	for _, malformed := range []string{"---\na: [\n---\n", "---\n- a\n---\n", "---\na: 1\na: 2\n---\n", "---\ncoverY: high\n---\n"} {
		_, err := ParseFrontMatter([]byte(malformed))
		assert.ErrorContains(t, err, "line ", "%q", malformed)
	}
	empty, err := ParseFrontMatter([]byte("---\n---\n"))
	require.NoError(t, err)
	assert.Equal(t, Metadata{}, empty)
}

func TestUpdateFrontMatterChangesOnlyTheLinesOfTheKeys(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, source string
		changes      MetadataChanges
		expected     string
	}{
		{"replace", "---\n# note\nicon:   a   # why\nhidden: true\n---\nbody", MetadataChanges{"icon": "b"}, "---\n# note\nicon: b\nhidden: true\n---\nbody"},
		{"same value", "---\nicon:   'a'\n---\nbody", MetadataChanges{"icon": "a"}, "---\nicon:   'a'\n---\nbody"},
		{"add", "---\nicon: a\n---\nbody", MetadataChanges{"hidden": true}, "---\nicon: a\nhidden: true\n---\nbody"},
		{"remove folded", "---\ndescription: >-\n  one\n  two\n\n# keep\nicon: a\n---\nbody", MetadataChanges{"description": nil}, "---\n\n# keep\nicon: a\n---\nbody"},
		{"remove last", "---\nicon: a\n---\n\n# T\n", MetadataChanges{"icon": nil}, "# T\n"},
		{"make", "# T\n", MetadataChanges{"icon": "a"}, "---\nicon: a\n---\n\n# T\n"},
		{"nothing", "# T\n", MetadataChanges{"icon": nil}, "# T\n"},
		{"windows", "---\r\nicon: a\r\nhidden: true\r\n---\r\nbody", MetadataChanges{"icon": "b"}, "---\r\nicon: b\r\nhidden: true\r\n---\r\nbody"},
		{"nested", "---\nlayout:\n  title:\n    visible: true\nicon: a\n---\n", MetadataChanges{"layout": map[string]any{"width": "wide"}}, "---\nlayout:\n  width: wide\nicon: a\n---\n"},
	} {
		updated, err := UpdateFrontMatter([]byte(row.source), row.changes)
		require.NoError(t, err, row.name)
		assert.Equal(t, row.expected, string(updated), row.name)
	}
	_, err := UpdateFrontMatter([]byte("---\na: [\n---\n"), MetadataChanges{"icon": "b"})
	require.Error(t, err)
	_, err = UpdateFrontMatter([]byte("---\na: b\n---\n"), MetadataChanges{"icon": func() {}})
	require.Error(t, err)
}
