package document

import (
	"slices"
	"strings"

	"octavo/internal/fault"
)

var columnTypes = []string{
	"text", "number", "checkbox", "files", "users", "rating", "select", "content-ref", "image",
}

func validateTable(node *Node, path string) error {
	view, ok := node.Data["view"].(map[string]any)
	if !ok {
		return fault.Invalid(path+".data.view", "must be an object")
	}
	if view["type"] != "grid" && view["type"] != "cards" {
		return fault.Invalid(path+".data.view.type", "must be one of grid, cards")
	}
	if size := view["cardSize"]; size != nil && size != "medium" && size != "large" {
		return fault.Invalid(path+".data.view.cardSize", "must be one of medium, large")
	}
	definition, ok := node.Data["definition"].(map[string]any)
	if !ok {
		return fault.Invalid(path+".data.definition", "must be an object")
	}
	if err := validateColumns(view, definition, path); err != nil {
		return err
	}
	records, ok := node.Data["records"].(map[string]any)
	if !ok {
		return fault.Invalid(path+".data.records", "must be an object")
	}
	for id, record := range records {
		fields, _ := record.(map[string]any)
		if _, ok := fields["values"].(map[string]any); !ok {
			return fault.Invalid(path+".data.records."+id+".values", "must be an object")
		}
	}
	return nil
}

func validateColumns(view, definition map[string]any, path string) error {
	columns, ok := view["columns"].([]any)
	if !ok {
		return fault.Invalid(path+".data.view.columns", "must be a list")
	}
	for _, column := range columns {
		id, _ := column.(string)
		if definition[id] == nil {
			return fault.Invalid(path+".data.view.columns", "%q is not in definition", id)
		}
	}
	for id, column := range definition {
		place := path + ".data.definition." + id
		fields, _ := column.(map[string]any)
		kind, _ := fields["type"].(string)
		if !slices.Contains(columnTypes, kind) {
			return fault.Invalid(place+".type", "must be one of %s", strings.Join(columnTypes, ", "))
		}
		if title, found := fields["title"]; found && anyText(title) != "" {
			return fault.Invalid(place+".title", "must be a string")
		}
		if options, found := fields["options"].([]any); found && !validOptions(options) {
			return fault.Invalid(place+".options", "must be a list of {value, label, color}")
		}
	}
	return nil
}

// validOptions says whether the options of a select column have what they need.
func validOptions(options []any) bool {
	for _, option := range options {
		fields, _ := option.(map[string]any)
		for _, key := range []string{"value", "label", "color"} {
			if _, ok := fields[key].(string); !ok {
				return false
			}
		}
	}
	return true
}
