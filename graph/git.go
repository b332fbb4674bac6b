package graph

import (
	"github.com/99designs/gqlgen/graphql"

	"octavo/internal/fault"
)

// gitProvider reads the one field of gitInfo.
func gitProvider(info graphql.Omittable[any]) (string, error) {
	if info.Value() == nil {
		return "", nil
	}
	fields, isObject := info.Value().(map[string]any)
	if !isObject {
		return "", fault.Invalid("gitInfo", "an object is expected")
	}
	if fields["provider"] == nil {
		return "", nil
	}
	provider, isText := fields["provider"].(string)
	if !isText {
		return "", fault.Invalid("gitInfo.provider", "a text is expected")
	}
	return provider, nil
}
