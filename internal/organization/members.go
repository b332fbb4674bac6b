package organization

import (
	"context"
	"time"
	"unicode/utf8"

	"octavo/ent"
	"octavo/ent/member"
	"octavo/ent/permission"
	"octavo/ent/predicate"
	"octavo/ent/requestedreviewer"
	"octavo/ent/teammember"
	"octavo/ent/user"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/pagination"
)

// maximumSearch bounds what members are searched for, in characters.
const maximumSearch = 512

// Listing says which members are listed, and how.
type Listing struct {
	// Role that they have; empty is any.
	Role enum.MemberRole
	// Search is what their display name or e-mail address contains, whatever
	// its case; empty is anything.
	Search string
	// Sort by MemberLastSeenAt leaves out those who were never seen.
	Sort  enum.MemberSort
	Order enum.Order
}

// Members lists the members of an organization: FORBIDDEN for guests.
func (s *Service) Members(ctx context.Context, organizationID string, listing Listing, arguments pagination.Arguments) (pagination.Page[*ent.Member], error) {
	var none pagination.Page[*ent.Member]
	if err := access.Require(ctx, organizationID, access.ScopeRead, access.Read); err != nil {
		return none, err
	}
	conditions, err := listing.conditions()
	if err != nil {
		return none, err
	}
	window, err := arguments.Window(listing.key())
	if err != nil {
		return none, err
	}
	query := s.database.Client(ctx).Member.Query().Where(member.OrganizationID(organizationID)).Where(conditions...)
	rows, err := query.Clone().Where(window.Apply).All(ctx)
	if err != nil {
		return none, err
	}
	return pagination.NewPage(window, rows, listing.position, query.Count), nil
}

// key: members join in the order of their ids.
func (l Listing) key() pagination.Key {
	if l.Sort == enum.MemberLastSeenAt {
		return pagination.Key{Name: "membersSeen", Column: member.FieldLastSeenAt, Order: l.Order}
	}
	return pagination.Key{Name: "members", Order: l.Order}
}

// databaseTime is a time as both databases read it and SQLite keeps it.
const databaseTime = "2006-01-02 15:04:05.999999999-07:00"

func (l Listing) position(item *ent.Member) (value, id string) {
	if l.Sort == enum.MemberLastSeenAt && item.LastSeenAt != nil {
		value = item.LastSeenAt.UTC().Format(databaseTime)
	}
	return value, item.ID
}

func (l Listing) conditions() ([]predicate.Member, error) {
	var conditions []predicate.Member
	if l.Role != "" {
		role, err := roleOf(l.Role)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, member.RoleEQ(role))
	}
	if length := utf8.RuneCountInString(l.Search); length > maximumSearch {
		return nil, fault.Invalid("search", "at most %d characters, got %d", maximumSearch, length)
	}
	if l.Search != "" {
		conditions = append(conditions, member.HasUserWith(user.Or(user.DisplayNameContainsFold(l.Search), user.EmailContainsFold(l.Search))))
	}
	if l.Sort == enum.MemberLastSeenAt {
		conditions = append(conditions, member.LastSeenAtNotNil())
	}
	return conditions, nil
}

func roleOf(selected enum.MemberRole) (access.Role, error) {
	if err := enum.Check("role", selected); err != nil || selected == enum.MemberGuest {
		return access.None, err
	}
	return access.ParseRole(string(selected))
}

// Member returns someone's membership; NOT_FOUND when the caller does not
// belong to the organization or the person does not. Guests see their own only.
func (s *Service) Member(ctx context.Context, organizationID, userID string) (*ent.Member, error) {
	role, err := access.Member(ctx, organizationID, access.ScopeRead)
	if err != nil {
		return nil, err
	}
	if role < access.Read && userID != access.From(ctx).UserID {
		return nil, fault.Missing("member")
	}
	return s.membership(ctx, organizationID, userID)
}

func (s *Service) membership(ctx context.Context, organizationID, userID string) (*ent.Member, error) {
	found, err := s.database.Client(ctx).Member.Query().
		Where(member.OrganizationID(organizationID), member.UserID(userID)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("member")
	}
	return found, err
}

// UpdateMember gives a member another role; None makes them a guest, nil changes
// nothing. It needs the role admin. NOT_ALLOWED for the last administrator.
func (s *Service) UpdateMember(ctx context.Context, organizationID, userID string, role *access.Role) (*ent.Member, error) {
	return s.change(ctx, organizationID, userID, func(ctx context.Context, found *ent.Member) (*ent.Member, audit.Change, error) {
		if role == nil || *role == found.Role {
			return found, audit.Change{}, nil
		}
		if err := s.checkOthersAdministrate(ctx, found); err != nil {
			return nil, audit.Change{}, err
		}
		updated, err := s.database.Client(ctx).Member.UpdateOne(found).SetRole(*role).Save(ctx)
		return updated, audit.Change{Before: map[string]any{"role": found.Role}, After: map[string]any{"role": *role}}, err
	})
}

// MarkSSO marks a member as one who signs in through single sign-on. It needs
// the role admin. Marking twice changes nothing.
func (s *Service) MarkSSO(ctx context.Context, organizationID, userID string) (*ent.Member, error) {
	return s.change(ctx, organizationID, userID, func(ctx context.Context, found *ent.Member) (*ent.Member, audit.Change, error) {
		if found.SSO {
			return found, audit.Change{}, nil
		}
		updated, err := s.database.Client(ctx).Member.UpdateOne(found).SetSSO(true).Save(ctx)
		return updated, audit.Change{Before: map[string]any{"sso": false}, After: map[string]any{"sso": true}}, err
	})
}

// change lets an administrator change a member. A change without fields is not
// recorded.
func (s *Service) change(ctx context.Context, organizationID, userID string,
	change func(ctx context.Context, found *ent.Member) (*ent.Member, audit.Change, error),
) (*ent.Member, error) {
	if _, err := access.Allow(ctx, access.ScopeAdmin); err != nil {
		return nil, err
	}
	if _, err := s.Member(ctx, organizationID, userID); err != nil {
		return nil, err
	}
	if err := access.Require(ctx, organizationID, access.ScopeAdmin, access.Admin); err != nil {
		return nil, err
	}
	var changed *ent.Member
	err := s.database.Write(ctx, func(ctx context.Context) error {
		if _, err := s.lock(ctx, organizationID); err != nil {
			return err
		}
		found, err := s.membership(ctx, organizationID, userID)
		if err != nil {
			return err
		}
		var entry audit.Change
		if changed, entry, err = change(ctx, found); err != nil || entry.After == nil {
			return err
		}
		entry.OrganizationID, entry.Action, entry.SubjectID = organizationID, audit.MemberUpdated, userID
		return audit.Record(ctx, s.database, entry)
	})
	return changed, err
}

// checkOthersAdministrate returns NOT_ALLOWED when the member is the only
// administrator that the organization has, which must be locked.
func (s *Service) checkOthersAdministrate(ctx context.Context, found *ent.Member) error {
	if found.Role != access.Admin || found.Disabled {
		return nil
	}
	others, err := s.database.Client(ctx).Member.Query().
		Where(member.OrganizationID(found.OrganizationID), member.RoleEQ(access.Admin), member.Disabled(false), member.IDNEQ(found.ID)).
		Exist(ctx)
	if err != nil {
		return err
	}
	if !others {
		return fault.New(fault.NotAllowed, "an organization needs an administrator: this is its last one")
	}
	return nil
}

// RemoveMember ends someone's membership, with their places in teams, what was
// granted to them and the reviews that they were asked for. What they wrote
// stays, and so do merge rules that name them: a rule is not met until an
// administrator changes it. Administrators remove anybody, everyone else
// themselves. It returns false when there is no such member, and NOT_ALLOWED for
// the last administrator.
func (s *Service) RemoveMember(ctx context.Context, organizationID, userID string) (existed bool, err error) {
	if err := s.mayRemove(ctx, organizationID, userID); err != nil {
		if fault.CodeOf(err) == fault.NotFound {
			return false, nil
		}
		return false, err
	}
	err = s.database.Write(ctx, func(ctx context.Context) error {
		if err := s.lockFor(ctx, organizationID, userID); err != nil {
			return err
		}
		found, err := s.membership(ctx, organizationID, userID)
		if fault.CodeOf(err) == fault.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		existed = true
		return s.remove(ctx, found)
	})
	return existed, err
}

// mayRemove returns NOT_FOUND for a member whom the caller does not see.
func (s *Service) mayRemove(ctx context.Context, organizationID, userID string) error {
	if _, err := access.Allow(ctx, access.ScopeAdmin); err != nil {
		return err
	}
	if _, err := s.Member(ctx, organizationID, userID); err != nil || userID == access.From(ctx).UserID {
		return err
	}
	return access.Require(ctx, organizationID, access.ScopeAdmin, access.Admin)
}

// lockFor is lock for a change that the person may make themselves.
func (s *Service) lockFor(ctx context.Context, organizationID, userID string) error {
	if access.From(ctx).UserID == userID {
		return s.database.Lock(ctx, "organizations", organizationID)
	}
	_, err := s.lock(ctx, organizationID)
	return err
}

func (s *Service) remove(ctx context.Context, found *ent.Member) error {
	if err := s.checkOthersAdministrate(ctx, found); err != nil {
		return err
	}
	client := s.database.Client(ctx)
	organizationID, userID := found.OrganizationID, found.UserID
	steps := []func() (int, error){
		func() (int, error) {
			return client.TeamMember.Delete().Where(teammember.OrganizationID(organizationID), teammember.UserID(userID)).Exec(ctx)
		},
		func() (int, error) {
			return client.Permission.Delete().Where(permission.OrganizationID(organizationID), permission.PrincipalID(userID)).Exec(ctx)
		},
		func() (int, error) {
			return client.RequestedReviewer.Delete().
				Where(requestedreviewer.OrganizationID(organizationID), requestedreviewer.UserID(userID)).Exec(ctx)
		},
	}
	for _, step := range steps {
		if _, err := step(); err != nil {
			return err
		}
	}
	if err := client.Member.DeleteOne(found).Exec(ctx); err != nil {
		return err
	}
	return audit.Record(ctx, s.database, audit.Change{
		OrganizationID: organizationID, Action: audit.MemberRemoved, SubjectID: userID,
		Before: map[string]any{"role": found.Role, "sso": found.SSO},
	})
}

// Ping notes that the caller is active in the organization, and returns their
// membership.
func (s *Service) Ping(ctx context.Context, organizationID string) (*ent.Member, error) {
	if _, err := access.Member(ctx, organizationID, access.ScopeWrite); err != nil {
		return nil, err
	}
	userID := access.From(ctx).UserID
	err := s.database.Client(ctx).Member.Update().
		Where(member.OrganizationID(organizationID), member.UserID(userID)).SetLastSeenAt(now()).Exec(ctx)
	if err != nil {
		return nil, err
	}
	return s.membership(ctx, organizationID, userID)
}

func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// AddMember makes a person a member: the operator's command. It returns
// NOT_FOUND for an unknown organization and CONFLICT for a member.
func (s *Service) AddMember(ctx context.Context, organizationID, userID string, role access.Role) error {
	if _, err := s.Get(ctx, organizationID); err != nil {
		return err
	}
	err := s.database.Write(ctx, func(ctx context.Context) error {
		err := s.database.Client(ctx).Member.Create().SetOrganizationID(organizationID).SetUserID(userID).SetRole(role).Exec(ctx)
		if err != nil {
			return err
		}
		return audit.Record(ctx, s.database, audit.Change{
			OrganizationID: organizationID, Action: audit.MemberAdded, SubjectID: userID, After: map[string]any{"role": role},
		})
	})
	if ent.IsConstraintError(err) {
		return fault.New(fault.Conflict, "the user is a member already, or does not exist")
	}
	return err
}

// MembersByID returns memberships of the caller's organizations by their ids;
// of those in which they are a guest their own only.
func (s *Service) MembersByID(ctx context.Context, ids []string) (map[string]*ent.Member, error) {
	viewer, err := access.Allow(ctx, access.ScopeRead)
	if err != nil {
		return nil, err
	}
	rows, err := s.database.Client(ctx).Member.Query().Where(member.IDIn(ids...)).All(ctx)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*ent.Member, len(rows))
	for _, row := range rows {
		role, _ := viewer.RoleIn(row.OrganizationID)
		if role >= access.Read || row.UserID == viewer.UserID || viewer.IsSystem() {
			found[row.ID] = row
		}
	}
	return found, nil
}
