package adaptive_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/adaptive"
	"octavo/internal/condition"
	"octavo/internal/fault"
)

const source = `{
	"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": false,
	"properties": {
		"isBetaUser": {"type": "boolean", "description": "In the beta"},
		"name": {"type": "string", "description": "Name"},
		"plan": {"type": "string", "description": "Plan", "enum": ["free", "pro \"plus\""]},
		"seats": {"type": "number", "description": "Seats"},
		"groups": {"type": "array", "description": "Group", "items": {"type": "string", "description": "One", "enum": ["a", "b"]}},
		"team-flags": {"type": "object", "description": "Flags", "additionalProperties": false, "properties": {"x": {"type": "boolean", "description": "Flag x"}}},
		"unsigned": {"type": "object", "description": "Unsigned claims of the site visitor.", "additionalProperties": false,
			"properties": {"language": {"type": "string", "description": "Language", "enum": ["fr"]}}}
	}
}`

func TestTemplatesAreConditionsThatHoldForTheirVisitors(t *testing.T) {
	t.Parallel()
	schema, err := adaptive.Parse("jsonSchema", []byte(source))
	require.NoError(t, err)
	templates := schema.Templates()
	assert.Equal(t, []adaptive.Template{
		{Description: "Group: a", Condition: `visitor.claims.groups.includes("a")`},
		{Description: "Group: b", Condition: `visitor.claims.groups.includes("b")`},
		{Description: "In the beta", Condition: `visitor.claims.isBetaUser == true`},
		{Description: "Plan: free", Condition: `visitor.claims.plan == "free"`},
		{Description: `Plan: pro "plus"`, Condition: `visitor.claims.plan == "pro \"plus\""`},
		{Description: "Flag x", Condition: `visitor.claims["team-flags"].x == true`},
		{Description: "Language: fr", Condition: `visitor.claims.unsigned.language == "fr"`},
	}, templates)
	claims := map[string]any{
		"groups": []any{"a", "b"}, "isBetaUser": true, "team-flags": map[string]any{"x": true},
		"unsigned": map[string]any{"language": "fr"},
	}
	for _, template := range templates {
		parsed, err := condition.Parse("condition", template.Condition)
		require.NoError(t, err, template.Condition)
		claims["plan"] = strings.TrimPrefix(template.Description, "Plan: ")
		assert.True(t, parsed.Holds(map[string]any{"visitor": map[string]any{"claims": claims}}), template.Condition)
		assert.False(t, parsed.Holds(map[string]any{"visitor": map[string]any{"claims": map[string]any{}}}), template.Condition)
	}
}

func TestAcceptKeepsWhatTheSchemaKnows(t *testing.T) {
	t.Parallel()
	schema, err := adaptive.Parse("jsonSchema", []byte(source))
	require.NoError(t, err)
	accepted := schema.Accept(
		map[string]any{"isBetaUser": true, "plan": "gold", "exp": 12.0, "seats": "many", "unsigned": map[string]any{"language": "fr"}},
		map[string]any{"language": "de", "isBetaUser": true})
	assert.Equal(t, map[string]any{"isBetaUser": true, "unsigned": map[string]any{}}, accepted,
		"a visitor cannot state what has to be signed, nor sign what they state")
	assert.Equal(t, map[string]any{"unsigned": map[string]any{"language": "fr"}}, schema.Accept(nil, map[string]any{"language": "fr"}))
	require.NoError(t, schema.Check("claims", map[string]any{"isBetaUser": false}))
	require.ErrorContains(t, schema.Check("claims", map[string]any{"isBetaUser": "no"}), "claims")
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	claims := func(claim string) string {
		return `{"type": "object", "additionalProperties": false, "properties": {"x": ` + claim + `}}`
	}
	deep := `{"type": "boolean", "description": ""}`
	for range 12 {
		deep = `{"type": "object", "description": "", "additionalProperties": false, "properties": {"x": ` + deep + `}}`
	}
	for name, test := range map[string]struct{ source, place string }{
		"NotJSON":              {"{", "JSON"},
		"List":                 {"[]", "schema"},
		"OtherDraft":           {`{"$schema": "https://json-schema.org/draft/2020-12/schema"}`, "$schema"},
		"AdditionalProperties": {`{"type": "object", "properties": {}}`, "additionalProperties"},
		"FileReference":        {claims(`{"$ref": "file:///etc/passwd", "type": "string", "description": ""}`), "x.$ref"},
		"RemoteReference":      {claims(`{"$ref": "http://127.0.0.1/", "type": "boolean", "description": ""}`), "x.$ref"},
		"ReferenceAtTheRoot":   {`{"type": "object", "additionalProperties": false, "properties": {}, "$ref": "file:///etc/passwd"}`, "$ref"},
		"Kind":                 {claims(`{"type": "integer", "description": ""}`), "x.type"},
		"NoDescription":        {claims(`{"type": "boolean"}`), "x.description"},
		"EmptyEnum":            {claims(`{"type": "string", "description": "", "enum": []}`), "x.enum"},
		"ListOfLists":          {claims(`{"type": "array", "description": "", "items": {"type": "array", "description": "", "items": {"type": "string", "description": ""}}}`), "items"},
		"Pattern":              {claims(`{"type": "string", "description": "", "pattern": "(a+)+"}`), "x.pattern"},
		"Unsigned":             {`{"type": "object", "additionalProperties": false, "properties": {"unsigned": {"type": "boolean", "description": ""}}}`, "unsigned"},
		"Deep":                 {claims(deep), "nested"},
		"Large":                {claims(`"` + strings.Repeat("x", adaptive.MaximumSize) + `"`), "bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := adaptive.Parse("jsonSchema", []byte(test.source))
			require.Error(t, err)
			assert.Equal(t, fault.BadUserInput, fault.CodeOf(err))
			assert.ErrorContains(t, err, test.place)
		})
	}
}
