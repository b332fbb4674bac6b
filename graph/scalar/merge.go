package scalar

import (
	"github.com/99designs/gqlgen/graphql"

	"octavo/internal/content"
	"octavo/internal/edit"
)

// MarshalConflictKind writes a value as GraphQL has it.
func MarshalConflictKind(value content.ConflictKind) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalConflictKind reads a value as GraphQL has it.
func UnmarshalConflictKind(value any) (content.ConflictKind, error) {
	return unmarshalEnumeration[content.ConflictKind](value)
}

// MarshalConflictChoice writes a value as GraphQL has it.
func MarshalConflictChoice(value content.Choice) graphql.Marshaler { return marshalEnumeration(value) }

// UnmarshalConflictChoice reads a value as GraphQL has it.
func UnmarshalConflictChoice(value any) (content.Choice, error) {
	return unmarshalEnumeration[content.Choice](value)
}

// MarshalRevisionChangeType writes a value as GraphQL has it.
func MarshalRevisionChangeType(value content.ChangeKind) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalRevisionChangeType reads a value as GraphQL has it.
func UnmarshalRevisionChangeType(value any) (content.ChangeKind, error) {
	return unmarshalEnumeration[content.ChangeKind](value)
}

// MarshalPageOutcomeKind writes a value as GraphQL has it.
func MarshalPageOutcomeKind(value edit.OutcomeKind) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalPageOutcomeKind reads a value as GraphQL has it.
func UnmarshalPageOutcomeKind(value any) (edit.OutcomeKind, error) {
	return unmarshalEnumeration[edit.OutcomeKind](value)
}
