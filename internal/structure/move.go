package structure

import (
	"slices"

	"octavo/internal/fault"
)

// Move says where a space or collection goes.
type Move struct {
	// Parent is the collection to move it into; a pointer to the empty text is
	// the top of the organization, nil is where it is.
	Parent *string
	// Before and After are ids of a space or collection beside which to put
	// it; at most one is given. Without either it goes to the end when the
	// parent changes.
	Before, After string
}

// Validate returns BAD_USER_INPUT for a place before one sibling and after
// another.
func (m Move) Validate() error {
	if m.Before != "" && m.After != "" {
		return fault.Invalid("position", "give before or after, not both")
	}
	return nil
}

// Into is the parent that the move leads to, for something in the given one.
func (m Move) Into(current *string) *string {
	if m.Parent == nil {
		return current
	}
	if *m.Parent == "" {
		return nil
	}
	return m.Parent
}

// Place is the key that the move gives to something among the siblings that it
// leads to; among says whether it is one of them already. It returns NO_CHANGE
// when it stands there already, and INVALID_POSITION for a place beside
// something that is not there.
func (s Siblings) Place(id string, among bool, move Move) (string, error) {
	if among && s.stands(id, move) {
		return "", fault.New(fault.NoChange, "it stands there already")
	}
	others := slices.DeleteFunc(slices.Clone(s), func(other sibling) bool { return other.id == id })
	switch {
	case move.Before != "":
		return others.Beside(move.Before, true)
	case move.After != "":
		return others.Beside(move.After, false)
	}
	return others.Last(), nil
}

// stands tells whether a sibling is already where a move would put it.
func (s Siblings) stands(id string, move Move) bool {
	index := s.index(id)
	switch {
	case move.Before != "":
		return index >= 0 && index+1 < len(s) && s[index+1].id == move.Before
	case move.After != "":
		return index > 0 && s[index-1].id == move.After
	}
	return index >= 0
}

// Equal tells whether two parents are the same.
func Equal(one, other *string) bool {
	if one == nil || other == nil {
		return one == other
	}
	return *one == *other
}
