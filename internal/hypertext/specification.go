package hypertext

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"octavo/internal/document"
)

const (
	// maximumSchemaDepth bounds how deep the fields of a schema are shown.
	maximumSchemaDepth = 5
	// maximumFields bounds the fields that are shown of one schema.
	maximumFields = 300
)

// specification writes what a block names of an OpenAPI document. A document
// that is not there or cannot be read shows the caption of the block.
func (w *writer) specification(node *document.Node) {
	api := w.openAPI(object(node, "ref"))
	switch {
	case api == nil:
		w.missingSpecification(node)
	case node.Type == "openapi-schemas":
		w.schemas(node, api)
	case node.Type == "openapi-webhook":
		w.webhook(node, api)
	default:
		w.operation(node, api)
	}
}

func (w *writer) missingSpecification(node *document.Node) {
	method, path := strings.ToUpper(text(node, "method")), text(node, "path")
	caption := captionOf(node)
	if method+path == "" && caption == "" {
		return
	}
	w.element("div", "api", func() {
		if method+path != "" {
			w.operationLine(method, path, false)
		}
		target := w.target(object(node, "ref"))
		if target == nil || caption == "" {
			w.element("p", "", func() { w.text(caption) })
			return
		}
		w.element("p", "", func() {
			w.openLink(target, "", "")
			w.text(caption)
			w.close("a")
		})
	})
}

func (w *writer) openAPI(reference map[string]any) *openapi3.T {
	if w.sources.Specification == nil || reference == nil {
		return nil
	}
	source := w.sources.Specification(reference)
	if len(source) == 0 {
		return nil
	}
	loader := openapi3.NewLoader()
	loader.IsExternalRefsAllowed = false
	api, err := loader.LoadFromData(source)
	if err != nil {
		return nil
	}
	return api
}

func (w *writer) operation(node *document.Node, api *openapi3.T) {
	method, path := strings.ToUpper(text(node, "method")), text(node, "path")
	item := api.Paths.Value(path)
	if item == nil || item.Operations()[method] == nil {
		w.missingSpecification(node)
		return
	}
	w.described(method, path, item, item.Operations()[method], serverOf(api))
}

func (w *writer) webhook(node *document.Node, api *openapi3.T) {
	name := text(node, "name")
	item := api.Webhooks[name]
	if item == nil {
		w.missingSpecification(node)
		return
	}
	operations := item.Operations()
	method := strings.ToUpper(text(node, "method"))
	if operations[method] == nil && len(operations) > 0 {
		method = slices.Sorted(maps.Keys(operations))[0]
	}
	if operations[method] != nil {
		w.described(method, name, item, operations[method], "")
	}
}

// serverOf is the first server of an API when readers can see where it is.
func serverOf(api *openapi3.T) string {
	if len(api.Servers) == 0 {
		return ""
	}
	parsed, err := url.Parse(api.Servers[0].URL)
	if err != nil || parsed.Host == "" {
		return ""
	}
	return strings.TrimSuffix(api.Servers[0].URL, "/")
}

func (w *writer) described(method, path string, item *openapi3.PathItem, operation *openapi3.Operation, server string) {
	w.open("section", "class", "api", "aria-label", method+" "+path)
	w.apiHeading(cmp.Or(operation.Summary, method+" "+path), document.Anchor(method+" "+path))
	w.operationLine(method, server+path, operation.Deprecated)
	w.description(operation.Description)
	w.parameters(append(slices.Clone(item.Parameters), operation.Parameters...))
	if operation.RequestBody != nil && operation.RequestBody.Value != nil {
		w.element("p", "api-part", func() { w.text("Body") })
		w.content(operation.RequestBody.Value.Content)
	}
	w.responses(operation.Responses)
	w.close("section")
}

// apiHeading writes the heading of an operation or schema, which the table of
// contents lists.
func (w *writer) apiHeading(title, anchor string) {
	id := w.unique(anchor)
	w.headings = append(w.headings, Heading{Level: 2, ID: id, Text: title})
	w.open("h2", "class", "api-summary", "id", id)
	w.text(title)
	w.close("h2")
}

func (w *writer) operationLine(method, path string, deprecated bool) {
	w.element("p", "api-line", func() {
		w.element("span", "api-method api-method-"+strings.ToLower(method), func() { w.text(method) })
		w.raw(" ")
		w.element("code", "", func() { w.text(path) })
		if deprecated {
			w.element("span", "api-deprecated", func() { w.text("Deprecated") })
		}
	})
}

// description writes Markdown.
func (w *writer) description(markdown string) {
	if strings.TrimSpace(markdown) == "" {
		return
	}
	inner := &writer{identifiers: map[string]int{}}
	inner.blocks(document.Parse([]byte(markdown), document.References{}).Nodes)
	w.element("div", "api-description", func() { w.raw(inner.output.String()) })
}

func (w *writer) parameters(parameters openapi3.Parameters) {
	for _, place := range []struct{ in, title string }{
		{"path", "Path parameters"}, {"query", "Query parameters"}, {"header", "Header parameters"}, {"cookie", "Cookies"},
	} {
		var here []*openapi3.Parameter
		for _, reference := range parameters {
			if reference.Value != nil && reference.Value.In == place.in {
				here = append(here, reference.Value)
			}
		}
		if len(here) == 0 {
			continue
		}
		w.element("p", "api-part", func() { w.text(place.title) })
		w.element("dl", "api-fields", func() {
			for _, parameter := range here {
				w.field(parameter.Name, schemaOf(parameter.Schema), parameter.Required, parameter.Description, 0, new(int))
			}
		})
	}
}

func schemaOf(reference *openapi3.SchemaRef) *openapi3.Schema {
	if reference == nil {
		return nil
	}
	return reference.Value
}

func (w *writer) content(content openapi3.Content) {
	for _, kind := range slices.Sorted(maps.Keys(content)) {
		w.element("p", "api-media", func() { w.element("code", "", func() { w.text(kind) }) })
		w.fields(schemaOf(content[kind].Schema), 0, new(int))
	}
}

func (w *writer) responses(responses *openapi3.Responses) {
	if responses == nil || responses.Len() == 0 {
		return
	}
	w.element("p", "api-part", func() { w.text("Responses") })
	all := responses.Map()
	for _, status := range slices.Sorted(maps.Keys(all)) {
		response := all[status].Value
		if response == nil {
			continue
		}
		w.element("details", "api-response", func() {
			w.raw("<summary>")
			w.element("code", "", func() { w.text(status) })
			if response.Description != nil {
				w.raw(" ")
				w.text(*response.Description)
			}
			w.raw("</summary>")
			w.content(response.Content)
		})
	}
}

func (w *writer) schemas(node *document.Node, api *openapi3.T) {
	if api.Components == nil {
		return
	}
	names, _ := node.Data["schemas"].([]any)
	for _, entry := range names {
		name, _ := entry.(string)
		schema := schemaOf(api.Components.Schemas[name])
		if schema == nil {
			continue
		}
		w.open("section", "class", "api", "aria-label", name)
		w.apiHeading(name, document.Anchor("schema "+name))
		w.description(schema.Description)
		w.fields(schema, 0, new(int))
		w.close("section")
	}
}

// fields writes the properties of a schema, or of the items of a list.
func (w *writer) fields(schema *openapi3.Schema, depth int, shown *int) {
	for nested := 0; schema != nil && schema.Items != nil && nested < maximumSchemaDepth; nested++ {
		schema = schema.Items.Value
	}
	properties, required := propertiesOf(schema, 0)
	if len(properties) == 0 || depth >= maximumSchemaDepth {
		return
	}
	w.element("dl", "api-fields", func() {
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if *shown++; *shown > maximumFields {
				return
			}
			property := properties[name]
			w.field(name, property, required[name], property.Description, depth, shown)
		}
	})
}

// propertiesOf are the properties of a schema and of all that it is made of.
func propertiesOf(schema *openapi3.Schema, depth int) (properties map[string]*openapi3.Schema, required map[string]bool) {
	properties, required = map[string]*openapi3.Schema{}, map[string]bool{}
	if schema == nil || depth > maximumSchemaDepth {
		return properties, required
	}
	for _, part := range schema.AllOf {
		inherited, needed := propertiesOf(part.Value, depth+1)
		maps.Copy(properties, inherited)
		maps.Copy(required, needed)
	}
	for name, property := range schema.Properties {
		if property.Value != nil {
			properties[name] = property.Value
		}
	}
	for _, name := range schema.Required {
		required[name] = true
	}
	return properties, required
}

func (w *writer) field(name string, schema *openapi3.Schema, required bool, description string, depth int, shown *int) {
	w.raw("<dt>")
	w.element("code", "", func() { w.text(name) })
	w.element("span", "api-type", func() { w.text(typeOf(schema, 0)) })
	if required {
		w.element("span", "api-required", func() { w.text("required") })
	}
	w.raw("</dt><dd>")
	w.description(cmp.Or(description, descriptionOf(schema)))
	w.values(schema)
	w.fields(schema, depth+1, shown)
	w.raw("</dd>")
}

// maximumValues bounds the values of an enumeration that are shown.
const maximumValues = 50

// values writes what a field may be, and what it is when nothing is said.
func (w *writer) values(schema *openapi3.Schema) {
	if schema == nil {
		return
	}
	allowed := schema.Enum
	if schema.Items != nil && schema.Items.Value != nil && len(allowed) == 0 {
		allowed = schema.Items.Value.Enum
	}
	w.valueLine("One of", allowed[:min(len(allowed), maximumValues)])
	if schema.Default != nil {
		w.valueLine("Default", []any{schema.Default})
	}
}

func (w *writer) valueLine(label string, values []any) {
	if len(values) == 0 {
		return
	}
	w.element("p", "api-values", func() {
		w.text(label + ": ")
		for index, value := range values {
			if index > 0 {
				w.raw(", ")
			}
			w.element("code", "", func() { w.text(fmt.Sprint(value)) })
		}
	})
}

func descriptionOf(schema *openapi3.Schema) string {
	if schema == nil {
		return ""
	}
	return schema.Description
}

// typeOf names the type of a schema for people.
func typeOf(schema *openapi3.Schema, depth int) string {
	switch {
	case schema == nil || depth > maximumSchemaDepth:
		return "any"
	case schema.Items != nil:
		return typeOf(schema.Items.Value, depth+1) + "[]"
	case len(schema.OneOf) > 0 || len(schema.AnyOf) > 0:
		return alternatives(append(slices.Clone(schema.OneOf), schema.AnyOf...), depth+1)
	case len(schema.Enum) > 0:
		return "enum"
	case schema.Type != nil && len(*schema.Type) > 0:
		name := strings.Join(*schema.Type, " | ")
		if schema.Format != "" {
			name += " · " + schema.Format
		}
		return name
	case len(schema.Properties) > 0 || len(schema.AllOf) > 0:
		return "object"
	}
	return "any"
}

func alternatives(schemas openapi3.SchemaRefs, depth int) string {
	var names []string
	for _, schema := range schemas {
		if name := "object"; schema.Value != nil && len(schema.Value.Properties) == 0 {
			names = append(names, typeOf(schema.Value, depth))
		} else if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(slices.Compact(names), " | ")
}
