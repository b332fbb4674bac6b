package access

import (
	"fmt"

	"octavo/internal/fault"
)

// Role is what a person may do with content, from less to more. Every role
// includes those below it. The zero Role is that of a guest: none.
//
// It is stored as a number so that the database can take the highest of several.
type Role int8

// The roles, in their order.
const (
	None    Role = 0 // a guest: sees what was granted to them, nothing else
	Read    Role = 1
	Comment Role = 2
	Edit    Role = 3
	Review  Role = 4
	Create  Role = 5
	Admin   Role = 6
)

// Inherit is the level of a space or collection that states none of its own.
// It is a Role only so that levels and roles share a column type; nobody has it.
const Inherit Role = -1

var roleNames = map[Role]string{
	Inherit: "inherit", None: "", Read: "read", Comment: "comment", Edit: "edit",
	Review: "review", Create: "create", Admin: "admin",
}

// String returns the name of the role as clients write it; empty for None.
func (r Role) String() string { return roleNames[r] }

// ParseRole reads the name of a role. The empty name is None. It returns a
// BAD_USER_INPUT error for anything that is not a role.
func ParseRole(name string) (Role, error) {
	for role, known := range roleNames {
		if known == name && role != Inherit {
			return role, nil
		}
	}
	return None, fault.Invalid("role", "%q is not one of admin, create, review, edit, comment, read", name)
}

// ParseLevel reads the default level of a space or collection: the name of a
// role, the empty name for no access, or inherit.
func ParseLevel(name string) (Role, error) {
	if name == roleNames[Inherit] {
		return Inherit, nil
	}
	role, err := ParseRole(name)
	if err != nil {
		return None, fault.Invalid("defaultLevel", "%q is not one of admin, create, review, edit, comment, read, inherit", name)
	}
	return role, nil
}

// MarshalText makes roles readable in logs and JSON.
func (r Role) MarshalText() ([]byte, error) {
	name, ok := roleNames[r]
	if !ok {
		return nil, fmt.Errorf("role %d does not exist", int8(r))
	}
	return []byte(name), nil
}

// UnmarshalText is the inverse of MarshalText.
func (r *Role) UnmarshalText(text []byte) error {
	role, err := ParseLevel(string(text))
	if err != nil {
		return err
	}
	*r = role
	return nil
}
