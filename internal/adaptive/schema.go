// Package adaptive holds the schema that says which claims a site expects of
// its visitors, so that conditions can tell visitors apart.
//
// It is a JSON Schema of draft 7 and of a narrow form (facts: Site adaptive
// schema): an object of claims, each a boolean, text (perhaps of an
// enumeration), number, list of these, or object of claims. The property
// "unsigned" holds the claims that visitors may state of themselves.
package adaptive

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"octavo/internal/fault"
)

// MaximumSize bounds the source of a schema, in bytes.
const MaximumSize = 64 << 10

const (
	maximumDepth      = 8
	maximumClaims     = 200
	maximumEnum       = 100
	unsigned          = "unsigned"
	draft             = "http://json-schema.org/draft-07/schema#"
	resource          = "schema.json"
	unsignedSentence  = "Unsigned claims of the site visitor."
	additional        = "additionalProperties"
	maximumTextLength = 512
)

// Schema is a valid schema of visitor claims. It is safe for concurrent use.
type Schema struct {
	claims   *claim
	compiled *jsonschema.Schema
}

// claim is one property of the schema, or the schema itself.
type claim struct {
	description string
	kind        string
	enum        []string
	items       *claim
	properties  map[string]*claim
}

// Parse reads a schema. The error, a *fault.Error about the field, names the
// place in the schema that is at fault.
func Parse(field string, source []byte) (*Schema, error) {
	if len(source) > MaximumSize {
		return nil, fault.Invalid(field, "may have %d bytes, got %d", MaximumSize, len(source))
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(source))
	if err != nil {
		return nil, fault.Invalid(field, "is not JSON: %v", err)
	}
	reader := &reader{field: field}
	claims, err := reader.root(value)
	if err != nil {
		return nil, err
	}
	compiled, err := compile(value)
	if err != nil {
		return nil, fault.Invalid(field, "is not a schema of draft 7: %v", err)
	}
	return &Schema{claims: claims, compiled: compiled}, nil
}

// compile has the library check that the schema is one of draft 7. It reads
// nothing but the schema: neither files nor addresses.
func compile(value any) (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft7)
	compiler.UseLoader(refusing{})
	if err := compiler.AddResource(resource, value); err != nil {
		return nil, err
	}
	return compiler.Compile(resource)
}

// refusing loads nothing.
type refusing struct{}

// Load refuses every address.
func (refusing) Load(url string) (any, error) {
	return nil, fmt.Errorf("references to other documents are not followed: %s", url)
}

// Accept returns those of a visitor's claims that the schema knows and whose
// values fit it, the unsigned ones below "unsigned". What a visitor states
// beyond it is left out, so that it has no effect anywhere.
func (s *Schema) Accept(signed, stated map[string]any) map[string]any {
	accepted := s.accept(s.compiled, s.claims, signed)
	delete(accepted, unsigned)
	if own, known := s.claims.properties[unsigned]; known {
		accepted[unsigned] = s.accept(s.compiled.Properties[unsigned], own, stated)
	}
	return accepted
}

func (s *Schema) accept(compiled *jsonschema.Schema, known *claim, values map[string]any) map[string]any {
	accepted := map[string]any{}
	for name, value := range values {
		if _, expected := known.properties[name]; !expected {
			continue
		}
		if compiled.Properties[name].Validate(value) == nil {
			accepted[name] = value
		}
	}
	return accepted
}

// Check says which of the signed claims do not fit the schema, for those who
// issue them: BAD_USER_INPUT naming the first.
func (s *Schema) Check(field string, claims map[string]any) error {
	err := s.compiled.Validate(claims)
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		return fault.Invalid(field, "do not fit the site's schema: %s", firstCause(invalid))
	}
	return err
}

func firstCause(invalid *jsonschema.ValidationError) string {
	for len(invalid.Causes) > 0 {
		invalid = invalid.Causes[0]
	}
	return invalid.Error()
}

// reader checks the form of a schema.
type reader struct {
	field string
	count int
}

func (r *reader) refuse(place, format string, arguments ...any) error {
	return fault.Invalid(r.field, "%s: %s", place, fmt.Sprintf(format, arguments...))
}

func (r *reader) root(value any) (*claim, error) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, r.refuse("schema", "is not an object")
	}
	if named, given := object["$schema"]; given && named != draft {
		return nil, r.refuse("$schema", "may only be %s", draft)
	}
	without := maps.Clone(object)
	delete(without, "$schema")
	return r.object("schema", without, 0)
}

func (r *reader) object(place string, object map[string]any, depth int) (*claim, error) {
	if object["type"] != "object" {
		return nil, r.refuse(place+".type", `must be "object"`)
	}
	if object[additional] != false {
		return nil, r.refuse(place+"."+additional, "must be false")
	}
	if err := r.onlyKeys(place, object, "type", "description", "properties", additional); err != nil {
		return nil, err
	}
	properties, ok := object["properties"].(map[string]any)
	if !ok {
		return nil, r.refuse(place+".properties", "must be an object")
	}
	if depth > maximumDepth {
		return nil, r.refuse(place, "claims may be nested %d deep", maximumDepth)
	}
	read := &claim{kind: "object", properties: map[string]*claim{}}
	read.description, _ = object["description"].(string)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property, err := r.claim(place+".properties."+name, properties[name], depth+1)
		if err != nil {
			return nil, err
		}
		if depth == 0 && name == unsigned && (property.kind != "object" || property.description != unsignedSentence) {
			return nil, r.refuse(place+".properties."+name, "must be an object with the description %q", unsignedSentence)
		}
		read.properties[name] = property
	}
	return read, nil
}

func (r *reader) claim(place string, value any, depth int) (*claim, error) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, r.refuse(place, "is not an object")
	}
	if r.count++; r.count > maximumClaims {
		return nil, r.refuse(place, "a schema may have %d claims", maximumClaims)
	}
	description, ok := object["description"].(string)
	if !ok || len(description) > maximumTextLength {
		return nil, r.refuse(place+".description", "must be a text of at most %d bytes", maximumTextLength)
	}
	switch kind := object["type"]; kind {
	case "boolean", "number":
		read := &claim{kind: kind.(string), description: description}
		return read, r.onlyKeys(place, object, "type", "description")
	case "string":
		return r.text(place, description, object)
	case "array":
		return r.list(place, description, object, depth)
	case "object":
		return r.object(place, object, depth)
	default:
		return nil, r.refuse(place+".type", "must be boolean, string, number, array or object")
	}
}

func (r *reader) text(place, description string, object map[string]any) (*claim, error) {
	read := &claim{kind: "string", description: description}
	if err := r.onlyKeys(place, object, "type", "description", "enum"); err != nil {
		return nil, err
	}
	given, has := object["enum"]
	if !has {
		return read, nil
	}
	values, ok := given.([]any)
	if !ok || len(values) == 0 || len(values) > maximumEnum {
		return nil, r.refuse(place+".enum", "must be a list of 1 to %d texts", maximumEnum)
	}
	for _, value := range values {
		text, ok := value.(string)
		if !ok || len(text) > maximumTextLength {
			return nil, r.refuse(place+".enum", "must hold texts of at most %d bytes", maximumTextLength)
		}
		read.enum = append(read.enum, text)
	}
	return read, nil
}

func (r *reader) list(place, description string, object map[string]any, depth int) (*claim, error) {
	if err := r.onlyKeys(place, object, "type", "description", "items"); err != nil {
		return nil, err
	}
	items, err := r.claim(place+".items", object["items"], depth+1)
	if err != nil {
		return nil, err
	}
	if items.kind == "array" || items.kind == "object" {
		return nil, r.refuse(place+".items.type", "must be boolean, string or number")
	}
	return &claim{kind: "array", description: description, items: items}, nil
}

func (r *reader) onlyKeys(place string, object map[string]any, allowed ...string) error {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(allowed, key) {
			return r.refuse(place+"."+key, "is not allowed in a schema of visitor claims")
		}
	}
	return nil
}

// Template is a condition that the schema suggests.
type Template struct {
	Description string
	Condition   string
}

// Templates returns conditions on each claim that can tell visitors apart: one
// for a boolean, one for each value of an enumeration. They are sorted by the
// names of the claims.
func (s *Schema) Templates() []Template {
	return templates(nil, "visitor.claims", s.claims)
}

func templates(found []Template, path string, known *claim) []Template {
	switch known.kind {
	case "boolean":
		return append(found, Template{known.description, path + " == true"})
	case "string":
		for _, value := range known.enum {
			found = append(found, Template{describe(known, value), path + " == " + quote(value)})
		}
	case "array":
		for _, value := range known.items.enum {
			found = append(found, Template{describe(known, value), path + ".includes(" + quote(value) + ")"})
		}
	case "object":
		for _, name := range slices.Sorted(maps.Keys(known.properties)) {
			found = templates(found, path+member(name), known.properties[name])
		}
	}
	return found
}

func describe(known *claim, value string) string { return known.description + ": " + value }

// member writes the access to a property by its name.
func member(name string) string {
	for index, character := range name {
		letter := character == '_' || character >= 'a' && character <= 'z' || character >= 'A' && character <= 'Z'
		if !letter && (index == 0 || character < '0' || character > '9') {
			return "[" + quote(name) + "]"
		}
	}
	if name == "" {
		return `[""]`
	}
	return "." + name
}

func quote(text string) string {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	// Text can always be encoded.
	_ = encoder.Encode(text)
	return string(bytes.TrimSpace(quoted.Bytes()))
}
