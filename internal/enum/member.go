package enum

// MemberRole selects members by their role.
type MemberRole string

// MemberGuest selects those without a role.
const MemberGuest MemberRole = "guest"

// Values lists the roles.
func (MemberRole) Values() []string {
	return []string{"admin", "create", "review", "edit", "comment", "read", string(MemberGuest)}
}

// MemberSort is what members are sorted by.
type MemberSort string

// The sorts.
const (
	MemberJoinedAt   MemberSort = "joinedAt"
	MemberLastSeenAt MemberSort = "lastSeenAt"
)

// Values lists the sorts.
func (MemberSort) Values() []string {
	return []string{string(MemberJoinedAt), string(MemberLastSeenAt)}
}
