// Package scalar translates scalars and enumerations between GraphQL and the
// domain.
package scalar

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/99designs/gqlgen/graphql"

	"octavo/internal/access"
)

// enumeration is a domain enumeration whose values are those of the REST API.
type enumeration interface {
	~string
	Values() []string
}

// Name returns the name that GraphQL gives to a value of the REST API:
// in-collection is IN_COLLECTION, internalDocs is INTERNAL_DOCS.
func Name(value string) string {
	var name strings.Builder
	previous := 'A'
	for _, character := range value {
		switch {
		case character == '-':
			name.WriteByte('_')
		case unicode.IsUpper(character) && unicode.IsLower(previous):
			name.WriteByte('_')
			name.WriteRune(character)
		default:
			name.WriteRune(unicode.ToUpper(character))
		}
		previous = character
	}
	return name.String()
}

// named keeps what values of enumerations are marshaled to. Values come from
// the domain, never from clients: there are few.
var named sync.Map

func marshalEnumeration[T enumeration](value T) graphql.Marshaler {
	if value == "" {
		return graphql.Null
	}
	if known, is := named.Load(string(value)); is {
		return known.(graphql.Marshaler)
	}
	made := quoted(Name(string(value)))
	named.Store(string(value), made)
	return made
}

func unmarshalEnumeration[T enumeration](value any) (T, error) {
	var none T
	name, isText := value.(string)
	if !isText {
		return none, fmt.Errorf("an enumeration value is expected, got %T", value)
	}
	for _, known := range none.Values() {
		if Name(known) == name {
			return T(known), nil
		}
	}
	return none, fmt.Errorf("%q is not a valid value", name)
}

func quoted(text string) graphql.Marshaler {
	text = strconv.Quote(text)
	return graphql.WriterFunc(func(writer io.Writer) {
		// The writer is a buffer of the response; it does not fail.
		_, _ = io.WriteString(writer, text)
	})
}

// MarshalRole writes a role; a guest's is null.
func MarshalRole(role access.Role) graphql.Marshaler {
	if role == access.None {
		return graphql.Null
	}
	return quoted(strings.ToUpper(role.String()))
}

// UnmarshalRole reads a role.
func UnmarshalRole(value any) (access.Role, error) {
	name, isText := value.(string)
	if !isText {
		return access.None, fmt.Errorf("a role is expected, got %T", value)
	}
	return access.ParseRole(strings.ToLower(name))
}

const noAccess = "NONE"

// MarshalDefaultLevel writes a default level, no access included.
func MarshalDefaultLevel(level access.Role) graphql.Marshaler {
	if level == access.None {
		return quoted(noAccess)
	}
	return quoted(strings.ToUpper(level.String()))
}

// UnmarshalDefaultLevel reads a default level.
func UnmarshalDefaultLevel(value any) (access.Role, error) {
	name, isText := value.(string)
	if !isText {
		return access.None, fmt.Errorf("a level is expected, got %T", value)
	}
	if name == noAccess {
		return access.None, nil
	}
	return access.ParseLevel(strings.ToLower(name))
}
