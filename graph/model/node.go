// Package model holds what the GraphQL schema has beyond the domain's types.
package model

// Node is anything with an id: one of the types that implement Node in the
// schema.
type Node any

// CommentAdded is a comment or a reply.
type CommentAdded any
