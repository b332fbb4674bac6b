// Package wire holds the bodies of the REST API as Go structs, generated from
// the contract (openapi.yaml).
//
// A required slice must be made, even when it is empty: a nil slice encodes as
// null, which the contract refuses.
package wire

// List is one page of a list.
type List[T any] struct {
	Items []T `json:"items"`
	// Count is the number of items over all pages of the list.
	Count int `json:"count"`
	// Next is nil on the last page.
	Next *NextPage `json:"next,omitempty"`
}
