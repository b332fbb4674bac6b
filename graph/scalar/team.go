package scalar

import (
	"github.com/99designs/gqlgen/graphql"

	"octavo/internal/enum"
)

// MarshalTeamRole writes a value as GraphQL has it.
func MarshalTeamRole(value enum.TeamRole) graphql.Marshaler { return marshalEnumeration(value) }

// UnmarshalTeamRole reads a value as GraphQL has it.
func UnmarshalTeamRole(value any) (enum.TeamRole, error) {
	return unmarshalEnumeration[enum.TeamRole](value)
}
