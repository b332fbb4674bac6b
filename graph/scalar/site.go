package scalar

import (
	"github.com/99designs/gqlgen/graphql"

	"octavo/internal/enum"
)

// MarshalSiteType writes a value as GraphQL has it.
func MarshalSiteType(value enum.SiteType) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalSiteType reads a value as GraphQL has it.
func UnmarshalSiteType(value any) (enum.SiteType, error) {
	return unmarshalEnumeration[enum.SiteType](value)
}

// MarshalSiteVisibility writes a value as GraphQL has it.
func MarshalSiteVisibility(value enum.SiteVisibility) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalSiteVisibility reads a value as GraphQL has it.
func UnmarshalSiteVisibility(value any) (enum.SiteVisibility, error) {
	return unmarshalEnumeration[enum.SiteVisibility](value)
}

// MarshalAgentsContext writes a value as GraphQL has it.
func MarshalAgentsContext(value enum.AgentsContext) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalAgentsContext reads a value as GraphQL has it.
func UnmarshalAgentsContext(value any) (enum.AgentsContext, error) {
	return unmarshalEnumeration[enum.AgentsContext](value)
}

// MarshalAuthBackend writes a value as GraphQL has it.
func MarshalAuthBackend(value enum.AuthBackend) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalAuthBackend reads a value as GraphQL has it.
func UnmarshalAuthBackend(value any) (enum.AuthBackend, error) {
	return unmarshalEnumeration[enum.AuthBackend](value)
}

// MarshalSiteStructureType writes a value as GraphQL has it.
func MarshalSiteStructureType(value enum.SiteStructureType) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalSiteStructureType reads a value as GraphQL has it.
func UnmarshalSiteStructureType(value any) (enum.SiteStructureType, error) {
	return unmarshalEnumeration[enum.SiteStructureType](value)
}

// MarshalRedirectKind writes a value as GraphQL has it.
func MarshalRedirectKind(value enum.RedirectKind) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalRedirectKind reads a value as GraphQL has it.
func UnmarshalRedirectKind(value any) (enum.RedirectKind, error) {
	return unmarshalEnumeration[enum.RedirectKind](value)
}

// MarshalRedirectTarget writes a value as GraphQL has it.
func MarshalRedirectTarget(value enum.RedirectTarget) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalRedirectTarget reads a value as GraphQL has it.
func UnmarshalRedirectTarget(value any) (enum.RedirectTarget, error) {
	return unmarshalEnumeration[enum.RedirectTarget](value)
}

// MarshalSiteSearchMode writes a value as GraphQL has it.
func MarshalSiteSearchMode(value enum.SiteSearchMode) graphql.Marshaler {
	return marshalEnumeration(value)
}

// UnmarshalSiteSearchMode reads a value as GraphQL has it.
func UnmarshalSiteSearchMode(value any) (enum.SiteSearchMode, error) {
	return unmarshalEnumeration[enum.SiteSearchMode](value)
}
