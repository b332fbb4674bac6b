// Package model holds what the GraphQL schema has beyond the domain's types.
package model
