package main

import "github.com/99designs/gqlgen/codegen"

// The kinds of field.
const (
	// resolved fields are gqlgen's: their resolvers may ask the database.
	resolved = "resolved"
	// leaves hold a scalar or an enumeration that the object has in memory;
	// optional ones may be null.
	leaf     = "leaf"
	optional = "optional"
	// composites hold an object or a list that the object has in memory.
	composite = "composite"
)

// kindOf tells how a field is answered.
func kindOf(field *codegen.Field) string {
	if !isPlain(field) {
		return resolved
	}
	reference := field.TypeReference
	isList := reference.GQL.Elem != nil
	if isList || !reference.Definition.IsLeafType() {
		return composite
	}
	if !reference.GQL.NonNull {
		return optional
	}
	// What marshals to null where null is not allowed is an error of the field,
	// which only a context can name.
	if reference.IsNilable() || reference.Marshaler == nil || reference.IsContext || reference.HasEnumValues() || reference.IsTargetNilable() {
		return composite
	}
	return leaf
}

// isPlain tells whether a field is read from the object without arguments and
// without a chance to fail.
func isPlain(field *codegen.Field) bool {
	if field.Object.Root || field.Object.Stream || field.IsReserved() || field.IsResolver || field.IsBatch() ||
		len(field.Args) > 0 || field.HasDirectives() || field.HasHaser || field.TypeReference.IsRoot {
		return false
	}
	return field.IsVariable() || field.IsMethod() && field.NoErr && !field.VOkFunc
}

type replacement struct{ old, new string }

var replacements = map[string][]replacement{
	"generated!.gotpl": {{
		old: `{{ reserveImport "github.com/99designs/gqlgen/graphql" }}`,
		new: `{{ reserveImport "github.com/99designs/gqlgen/graphql" }}
{{ reserveImport "octavo/graph/execution" }}`,
	}},
	"field.gotpl": {{
		old: `	{{- else}}
		return graphql.ResolveField{{- if $object.Stream }}Stream{{- end }}(`,
		new: `	{{- else if eq (kind $field) "composite" }}
		fc, err := ec.{{ $field.FieldContextFunc }}(ctx, field)
		if err != nil {
			return graphql.Null
		}
		ctx = graphql.WithFieldContext(ctx, fc)
		defer func() {
			if r := recover(); r != nil {
				ec.Error(ctx, ec.Recover(ctx, r))
				ret = graphql.Null
			}
		}()
		return ec.{{ $field.TypeReference.MarshalFunc }}(ctx, field.Selections, {{ template "plainValue" $field }})
	{{- else if eq (kind $field) "optional" }}
		return ec.{{ $field.TypeReference.MarshalFunc }}(ctx, field.Selections, {{ template "plainValue" $field }})
	{{- else}}
		{{- if eq (kind $field) "leaf" }}
		if plain := {{ $field.TypeReference.Marshaler | call }}(
			{{- with $field.TypeReference.CastType }}{{ . | ref }}({{ end }}{{ template "plainValue" $field }}{{ if $field.TypeReference.CastType }}){{ end }}); plain != graphql.Null {
			return plain
		}
		{{- end }}
		return graphql.ResolveField{{- if $object.Stream }}Stream{{- end }}(`,
	}, {
		old: `{{ define "fieldDefinition" }}`,
		new: `{{ define "plainValue" }}
	{{- .GoReceiverName}}.{{.GoFieldName}}{{ if .IsMethod }}({{ .CallArgs }}){{ end }}
{{- end }}

{{ define "fieldDefinition" }}`,
	}},
	"object.gotpl": {{
		old: `	out := graphql.NewFieldSet(fields)`,
		new: `	{{- if $object.Root }}
	out := graphql.NewFieldSet(fields)
	{{- else }}
	out := execution.NewFieldSet(fields)
	{{- end }}`,
	}, {
		old: `			{{- if $field.IsConcurrent }}
				field := field`,
		new: `			{{- if and $field.IsConcurrent (eq (kind $field) "resolved") }}
				field := field`,
	}, {
		old: `						return innerFunc(ctx, out)
					{{- end -}}`,
		new: `						return innerFunc(ctx, &out.FieldSet)
					{{- end -}}`,
	}},
	"type.gotpl": {{
		old: `ret := graphql.MarshalSliceConcurrently(ctx, len(v), {{ $.Config.Exec.WorkerLimit }}, {{ $.Config.OmitPanicHandler }}, func(`,
		new: `ret := execution.MarshalList(ctx, len(v), func(`,
	}},
}
