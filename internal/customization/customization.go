// Package customization knows how a site can be made to look and behave: which
// settings there are, what each may be, and what it is when nothing is said.
//
// Settings are kept as the REST API has them, so that what a site stores is what
// clients wrote. A site stores a whole customization; a site space stores what
// it overrides.
package customization

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"

	"octavo/internal/fault"
)

// maximumSize bounds a customization, in bytes.
const maximumSize = 256 << 10

//go:embed defaults.json
var defaults []byte

// Defaults are the settings of a site that says nothing.
func Defaults() json.RawMessage { return defaults }

// Parse checks the settings of a site and completes them with the defaults.
// Members that are not known are left out. BAD_USER_INPUT names the first one
// that is wrong.
func Parse(settings json.RawMessage) (json.RawMessage, error) {
	given, err := read(settings, false)
	if err != nil {
		return nil, err
	}
	return Merge(defaults, given)
}

// ParseOverride checks what a site space overrides: any of the settings of a
// site that can be overridden; null overrides nothing. It returns what it
// overrides after the change: earlier is what it overrode before, which may be
// empty.
func ParseOverride(earlier, changes json.RawMessage) (json.RawMessage, error) {
	given, err := read(changes, true)
	if err != nil {
		return nil, err
	}
	if len(earlier) == 0 {
		earlier = json.RawMessage("{}")
	}
	merged, err := Merge(earlier, given)
	if err != nil {
		return nil, err
	}
	var settings map[string]any
	if err := json.Unmarshal(merged, &settings); err != nil {
		return nil, err
	}
	withoutNulls(settings)
	return json.Marshal(settings)
}

// read checks settings and returns what is known of them.
func read(settings json.RawMessage, partial bool) (json.RawMessage, error) {
	if len(settings) > maximumSize {
		return nil, fault.New(fault.LimitExceeded, "the customization is larger than %d bytes", maximumSize)
	}
	var value any
	if err := json.Unmarshal(settings, &value); err != nil {
		return nil, fault.New(fault.BadUserInput, "the customization is not JSON: %s", err)
	}
	known, err := whole.check("customization", value, partial)
	if err != nil {
		return nil, err
	}
	return json.Marshal(known)
}

// Merge lays settings over others: groups of settings are merged, everything
// else is replaced. null takes the place of what it is laid over.
func Merge(below, above json.RawMessage) (json.RawMessage, error) {
	if len(above) == 0 {
		return below, nil
	}
	var base, over map[string]any
	if err := json.Unmarshal(below, &base); err != nil {
		return nil, fmt.Errorf("read a customization: %w", err)
	}
	if err := json.Unmarshal(above, &over); err != nil {
		return nil, fmt.Errorf("read a customization: %w", err)
	}
	return json.Marshal(lay(whole, base, over))
}

func lay(schema group, base, over map[string]any) map[string]any {
	merged := maps.Clone(base)
	if merged == nil {
		merged = map[string]any{}
	}
	for name, value := range over {
		below, isGroup := schema.members[name].schema.(group)
		object, isObject := value.(map[string]any)
		if isGroup && isObject {
			under, _ := base[name].(map[string]any)
			merged[name] = lay(below, under, object)
			continue
		}
		merged[name] = value
	}
	return merged
}

// withoutNulls removes what overrides nothing, empty groups included.
func withoutNulls(settings map[string]any) {
	for name, value := range settings {
		below, isObject := value.(map[string]any)
		_, isGroup := whole.members[name].schema.(group)
		if isObject && isGroup {
			for inner, innerValue := range below {
				if nested, is := innerValue.(map[string]any); is && inner == "sidebar" {
					maps.DeleteFunc(nested, func(_ string, value any) bool { return value == nil })
				}
			}
			maps.DeleteFunc(below, func(_ string, value any) bool {
				nested, is := value.(map[string]any)
				return value == nil || is && len(nested) == 0
			})
		}
		if value == nil || isGroup && len(below) == 0 {
			delete(settings, name)
		}
	}
}
