package space

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/pagination"
)

// MemberSpace is a space that a member of its organization may read.
type MemberSpace struct {
	// Permission is the member's role in it.
	Permission access.Role
	Space      *Space
}

// memberColumn is the name under which the member's role is selected.
const memberColumn = "member_role"

// OfMember lists the spaces that a member of an organization may read, with
// their role in each, in the order in which the spaces were made. Members see
// their own, administrators everybody's: FORBIDDEN otherwise.
func (s *Service) OfMember(ctx context.Context, member *ent.Member, order enum.Order, arguments pagination.Arguments) (pagination.Page[*MemberSpace], error) {
	var none pagination.Page[*MemberSpace]
	role, err := access.Member(ctx, member.OrganizationID, access.ScopeRead)
	if err != nil {
		return none, err
	}
	viewer := access.From(ctx)
	if viewer.UserID != member.UserID && role < access.Admin {
		return none, fault.Denied("this needs the role %s in the organization: the spaces are somebody else's", access.Admin)
	}
	window, err := arguments.Window(pagination.Key{Name: "memberSpaces", Order: order})
	if err != nil {
		return none, err
	}
	person := viewerOf(member)
	query := s.query(ctx, viewer, entspace.OrganizationID(member.OrganizationID), entspace.DeletedAtIsNil(), person.WhereRole(access.Read)).Where(window.Apply)
	query.Modify(func(selector *sql.Selector) { person.SelectRoleAs(memberColumn, selector) })
	rows, err := query.All(ctx)
	if err != nil {
		return none, err
	}
	found := make([]*MemberSpace, len(rows))
	for index, row := range rows {
		if found[index], err = ofMember(row); err != nil {
			return none, err
		}
	}
	return pagination.NewPage(window, found, func(item *MemberSpace) (string, string) { return "", item.Space.ID },
		s.counter(member.OrganizationID, person)), nil
}

// viewerOf is the member as a caller; nobody when their membership is disabled.
func viewerOf(member *ent.Member) *access.Viewer {
	if member.Disabled {
		return &access.Viewer{}
	}
	return &access.Viewer{UserID: member.UserID, Memberships: map[string]access.Role{member.OrganizationID: member.Role}}
}

func ofMember(row *ent.Space) (*MemberSpace, error) {
	found, err := withRole(row)
	if err != nil {
		return nil, err
	}
	value, err := row.Value(memberColumn)
	if err != nil {
		return nil, err
	}
	number, isNumber := value.(int64)
	if !isNumber {
		return nil, fmt.Errorf("the member's role in space %s is a %T", row.ID, value)
	}
	return &MemberSpace{Permission: access.Role(number), Space: found}, nil
}
