package customization_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/customization"
)

func TestWhatIsLeftOutHasItsDefault(t *testing.T) {
	t.Parallel()
	parsed, err := customization.Parse(json.RawMessage(`{"styling":{"theme":"bold"},"unknown":1}`))
	require.NoError(t, err)
	expected, err := customization.Merge(customization.Defaults(), json.RawMessage(`{"styling":{"theme":"bold"}}`))
	require.NoError(t, err)
	assert.JSONEq(t, string(expected), string(parsed))
}

func TestWrongValuesAreNamed(t *testing.T) {
	t.Parallel()
	for settings, field := range map[string]string{
		`[]`:                                "customization",
		`{"title":"x"}`:                     "customization.title",
		`{"styling":{"theme":"loud"}}`:      "customization.styling.theme",
		`{"styling":{"primaryColor":"#1"}}`: "customization.styling.primaryColor",
		`{"styling":{"primaryColor":{"light":"red","dark":"#000"}}}`: "customization.styling.primaryColor.light",
		`{"styling":{"tint":{}}}`:                                    "customization.styling.tint.color",
		`{"header":{"links":[{"title":"a","links":[],"to":{"kind":"url","url":"javascript:alert(1)"}}]}}`: "customization.header.links.to.url",
		`{"announcement":{"enabled":true,"message":"x","style":"info"}}`:                                  "customization.announcement.message",
		`{"pdf":{"enabled":null}}`: "customization.pdf.enabled",
		`{"favicon":{"icon":{"light":"ftp://x","dark":"https://example.com"}}}`: "",
	} {
		_, err := customization.Parse(json.RawMessage(settings))
		if field == "" {
			assert.NoError(t, err, settings)
			continue
		}
		require.Error(t, err, settings)
		assert.Contains(t, err.Error(), field+": ", settings)
	}
}

func TestAnOverrideKeepsWhatItSays(t *testing.T) {
	t.Parallel()
	first, err := customization.ParseOverride(nil, json.RawMessage(`{"title":"Variant","styling":{"theme":"bold","sidebar":{"list":"pill"}}}`))
	require.NoError(t, err)
	second, err := customization.ParseOverride(first, json.RawMessage(`{"title":null,"styling":{"theme":null},"footer":{"copyright":"Acme"}}`))
	require.NoError(t, err)
	assert.JSONEq(t, `{"styling":{"sidebar":{"list":"pill"}},"footer":{"copyright":"Acme"}}`, string(second))
	last, err := customization.ParseOverride(second, json.RawMessage(`{"styling":{"sidebar":{"list":null}},"footer":{"copyright":null}}`))
	require.NoError(t, err)
	assert.JSONEq(t, `{}`, string(last))
}
