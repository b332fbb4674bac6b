package parity

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/graph/scalar"
)

// differences lists where what REST answered and what GraphQL answered, in the
// form of the wire, are not the same.
//
// A text may stand for the object with that id, and the value of an enumeration
// for its name in GraphQL. A list is a connection. A field that one of them
// lacks is empty in the other.
func differences(path string, rest, graphql any) []string {
	if pointed, is := pointer(graphql); is {
		if text, isText := rest.(string); isText {
			return unequal(path, text, pointed)
		}
	}
	switch rest := rest.(type) {
	case object:
		return objectDifferences(path, rest, graphql)
	case []any:
		return listDifferences(path, rest, graphql)
	case string:
		name, isText := graphql.(string)
		if isText && (scalar.Name(rest) == name || withoutSignature(rest) == withoutSignature(name)) {
			return nil
		}
	}
	if empty(rest) && empty(graphql) {
		return nil
	}
	return unequal(path, rest, graphql)
}

func unequal(path string, rest, graphql any) []string {
	if rest == graphql {
		return nil
	}
	return []string{fmt.Sprintf("%s: REST %#v, GraphQL %#v", path, rest, graphql)}
}

// pointer is the id of an object that shows nothing else.
func pointer(value any) (id string, is bool) {
	fields, isObject := value.(object)
	if !isObject || len(fields) != 1 {
		return "", false
	}
	id, is = fields["id"].(string)
	return id, is
}

// signature is what changes with time in the address of a file.
var signature = regexp.MustCompile(`^(https?://[^?]+/(?:files|sites)/[^?]+)\?.*$`)

func withoutSignature(text string) string { return signature.ReplaceAllString(text, "$1") }

func empty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case bool:
		return !value
	case float64:
		return value == 0
	case string:
		return value == ""
	case []any:
		return len(value) == 0
	case object:
		for _, field := range value {
			if !empty(field) {
				return false
			}
		}
		return true
	}
	return false
}

func listDifferences(path string, rest []any, graphql any) []string {
	if connection, is := graphql.(object); is {
		graphql = connection["nodes"]
	}
	items, is := graphql.([]any)
	if !is && !empty(graphql) {
		return []string{fmt.Sprintf("%s: a list in REST, %T in GraphQL", path, graphql)}
	}
	if len(rest) != len(items) {
		return []string{fmt.Sprintf("%s: %d items in REST, %d in GraphQL", path, len(rest), len(items))}
	}
	var found []string
	for index := range rest {
		found = append(found, differences(fmt.Sprintf("%s[%d]", path, index), rest[index], items[index])...)
	}
	return found
}

func objectDifferences(path string, rest object, graphql any) []string {
	if id, is := graphql.(string); is {
		graphql = object{"id": id}
	}
	fields, is := graphql.(object)
	if !is {
		if empty(rest) && empty(graphql) {
			return nil
		}
		return []string{fmt.Sprintf("%s: an object in REST, %#v in GraphQL", path, graphql)}
	}
	if fields["pageInfo"] != nil {
		fields = wireList(fields)
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		value, known := fields[name]
		switch {
		case !known && (restAlone(name, rest[name]) || empty(rest[name])):
		case name == "defaultLevel" && rest[name] == nil && value == "NONE":
		default:
			found = append(found, differences(path+"."+name, rest[name], value)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if _, known := rest[name]; !known && !empty(fields[name]) && !leftOut(rest, name) {
			found = append(found, fmt.Sprintf("%s.%s: only GraphQL has it: %#v", path, name, fields[name]))
		}
	}
	return found
}

// wireList is a connection as a list of the wire.
func wireList(connection object) object {
	list := maps.Clone(connection)
	list["items"], list["count"] = connection["nodes"], connection["totalCount"]
	info := connection["pageInfo"].(object)
	if info["hasNextPage"] == true {
		list["next"] = object{"page": info["endCursor"]}
	}
	for _, name := range []string{"nodes", "totalCount", "pageInfo"} {
		delete(list, name)
	}
	return list
}

// restAlone tells whether a field says to clients of REST what the type of an
// object says in GraphQL, or is the same for everybody.
func restAlone(name string, value any) bool {
	switch name {
	case "object":
		return true
	case "kind":
		return slices.Contains([]any{"sheet", "group", "link", "user"}, value)
	case "origin":
		return value.(object)["type"] == "organization"
	case "trial":
		return assert.ObjectsAreEqual(object{"status": "notapplicable", "count": 0.0}, value)
	}
	return false
}

// pageFieldsOfType are the fields that a page of a type has on the wire, of
// those that a document has too.
var pageFieldsOfType = map[any][]string{
	"group":    {"slug", "path", "noIndex", "noRobotsIndex", "pages"},
	"link":     {},
	"computed": {},
}

// leftOut tells whether a page that is no document is shown without the field:
// in GraphQL all pages are of one type.
func leftOut(rest object, name string) bool {
	kept, isPage := pageFieldsOfType[rest["type"]]
	return isPage && slices.Contains([]string{
		"slug", "path", "noIndex", "noRobotsIndex", "pages", "createdAt", "updatedAt", "description", "layout", "urls", "git",
	}, name) && !slices.Contains(kept, name)
}

var (
	identifiers   = regexp.MustCompile(`\b([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}\b`)
	times         = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	secrets       = regexp.MustCompile(`\b[A-Z2-7]{26}\b`)
	basenames     = regexp.MustCompile(`\bparitysite(-[0-9a-z]+)*\b`)
	inviteSecrets = regexp.MustCompile(`(\binv_[0-9a-hjkmnp-tv-z]{26})\.[\w-]{43}`)
	signatures    = regexp.MustCompile(`(/files/[^?"]+)\?[^"]*`)
)

// normal is an answer without what differs between equal fixtures: ids, times
// and signatures. Ids that are the same on both sides keep their names.
func normal(t testing.TB, known *fixture, value any) string {
	t.Helper()
	encoded, err := json.MarshalIndent(value, "", " ")
	require.NoError(t, err)
	text := times.ReplaceAllString(string(encoded), "<time>")
	text = signatures.ReplaceAllString(text, "$1")
	text = basenames.ReplaceAllString(secrets.ReplaceAllString(text, "<secret>"), "<basename>")
	text = known.named(text)
	text = inviteSecrets.ReplaceAllString(text, "$1.secret")
	return identifiers.ReplaceAllString(text, "$1")
}

func TestComparisonSeesEveryDifference(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		rest, graphql any
		differ        string
	}{
		{"Equal", object{"a": "b", "n": 1.0}, object{"a": "b", "n": 1.0}, ""},
		{"Text", object{"a": "b"}, object{"a": "c"}, ".a: "},
		{"Number", object{"a": 1.0}, object{"a": 2.0}, ".a: "},
		{"Enumeration", object{"a": "in-collection"}, object{"a": "IN_COLLECTION"}, ""},
		{"OtherEnumeration", object{"a": "in-collection"}, object{"a": "PRIVATE"}, ".a: "},
		{"Pointer", object{"a": "spc_1"}, object{"a": object{"id": "spc_1"}}, ""},
		{"OtherPointer", object{"a": "spc_1"}, object{"a": object{"id": "spc_2"}}, ".a: "},
		{"PointerOnTheWire", object{"a": object{"id": "pag_1"}}, object{"a": "pag_1"}, ""},
		{"OnlyREST", object{"a": "b"}, object{}, ".a: "},
		{"OnlyGraphQL", object{}, object{"a": "b"}, ".a: only GraphQL"},
		{"EmptyIsAbsent", object{}, object{"a": false, "b": nil, "c": []any{}, "d": ""}, ""},
		{"Kind", object{"object": "space"}, object{}, ""},
		{"Shorter", object{"a": []any{1.0}}, object{"a": []any{}}, ".a: 1 items"},
		{"Item", object{"a": []any{1.0}}, object{"a": []any{2.0}}, ".a[0]: "},
		{"NoAccess", object{"defaultLevel": nil}, object{"defaultLevel": "NONE"}, ""},
		{"List", object{"items": []any{"x"}, "count": 2.0, "next": object{"page": "c"}}, connectionOf("x", 2, "c"), ""},
		{"Count", object{"items": []any{"x"}, "count": 3.0, "next": object{"page": "c"}}, connectionOf("x", 2, "c"), ".count: "},
		{"Next", object{"items": []any{"x"}, "count": 2.0}, connectionOf("x", 2, "c"), ".next: only GraphQL"},
		{"Cursor", object{"items": []any{"x"}, "count": 2.0, "next": object{"page": "d"}}, connectionOf("x", 2, "c"), ".next.page: "},
		{"GroupWithoutLayout", object{"type": "group"}, object{"type": "GROUP", "layout": object{"width": "wide"}}, ""},
		{"DocumentWithoutLayout", object{"type": "document"}, object{"type": "DOCUMENT", "layout": object{"width": "wide"}}, ".layout: only GraphQL"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			found := strings.Join(differences("", test.rest, test.graphql), "\n")
			if test.differ == "" {
				assert.Empty(t, found)
				return
			}
			assert.Contains(t, found, test.differ)
		})
	}
}

func connectionOf(item any, count float64, cursor string) object {
	return object{"nodes": []any{item}, "totalCount": count, "pageInfo": object{"hasNextPage": true, "endCursor": cursor}}
}
