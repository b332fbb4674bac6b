package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/rest/wire"
)

func TestAbsentAndNullAreToldApart(t *testing.T) {
	t.Parallel()
	tests := []struct {
		body      string
		specified bool
		null      bool
		value     string
	}{
		{`{}`, false, false, ""},
		{`{"emoji":null}`, true, true, ""},
		{`{"emoji":""}`, true, false, ""},
		{`{"emoji":"1f4d8"}`, true, false, "1f4d8"},
	}
	for _, test := range tests {
		t.Run(test.body, func(t *testing.T) {
			t.Parallel()
			var update wire.UpdateSpace
			require.NoError(t, json.Unmarshal([]byte(test.body), &update))
			assert.Equal(t, test.specified, update.Emoji.IsSpecified())
			assert.Equal(t, test.null, update.Emoji.IsNull())
			if test.specified && !test.null {
				assert.Equal(t, test.value, update.Emoji.MustGet())
			}
		})
	}
}

func TestDocumentsPassThrough(t *testing.T) {
	t.Parallel()
	const document = `{"object":"document","data":{"schemaVersion":1},"nodes":[{"z":1,"a":2}]}`
	var update wire.UpdateChangeRequest
	require.NoError(t, json.Unmarshal([]byte(`{"description":`+document+`}`), &update))
	assert.Equal(t, document, string(update.Description.MustGet()))

	encoded, err := json.Marshal(wire.Text{Document: wire.Document(document)})
	require.NoError(t, err)
	assert.Equal(t, `{"document":`+document+`}`, string(encoded))
}

func TestEmptyListsAreSent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		value   any
		encoded string
	}{
		{"a page without children", wire.Page{ID: "pag_1", Title: "A", Type: wire.PageTypeDocument, Pages: []wire.Page{}}, `{"id":"pag_1","pages":[],"title":"A","type":"document"}`},
		{"a link has none", wire.Page{ID: "pag_1", Title: "A", Type: wire.PageTypeLink}, `{"id":"pag_1","title":"A","type":"link"}`},
		{"no rules", wire.MergeRules{Type: wire.MergeRulesTypeRules, Rules: []wire.MergeRule{}}, `{"rules":[],"type":"rules"}`},
		{"an empty list", wire.SpaceList{Items: []wire.Space{}}, `{"items":[],"count":0}`},
		{"a guest", wire.Member{}.Role, `null`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			encoded, err := json.Marshal(test.value)
			require.NoError(t, err)
			assert.JSONEq(t, test.encoded, string(encoded))
		})
	}
}
