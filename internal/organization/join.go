package organization

import (
	"context"
	"slices"
	"strings"

	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/fault"
)

// Join makes the caller a member of an organization that lets people with an
// e-mail address in one of its domains join, in its default role. For a member
// it changes nothing. It returns NOT_FOUND for an organization that lets nobody
// join, and BAD_USER_INPUT when the caller's address is in another domain or is
// not known to be theirs.
func (s *Service) Join(ctx context.Context, id string) (*Organization, error) {
	viewer, err := access.Allow(ctx, access.ScopeAdmin)
	if err != nil {
		return nil, err
	}
	if _, member := viewer.RoleIn(id); member {
		return s.Get(ctx, id)
	}
	ctx = access.System(ctx, "nobody belongs to the organization that they join")
	var joined *Organization
	err = s.database.Write(ctx, func(ctx context.Context) error {
		if err := s.database.Lock(ctx, "organizations", id); err != nil {
			return err
		}
		open, err := s.Get(ctx, id)
		if err != nil {
			return err
		}
		joined, err = s.join(ctx, open, viewer.UserID)
		return err
	})
	return joined, err
}

func (s *Service) join(ctx context.Context, open *Organization, userID string) (*Organization, error) {
	found, err := s.membership(ctx, open.ID, userID)
	if err == nil {
		return rejoin(open, found)
	}
	if fault.CodeOf(err) != fault.NotFound {
		return nil, err
	}
	person, err := s.database.Client(ctx).User.Get(ctx, userID)
	if err != nil {
		return nil, err
	}
	domain, err := allowedDomain(open, person)
	if err != nil {
		return nil, err
	}
	err = s.database.Client(ctx).Member.Create().SetOrganizationID(open.ID).SetUserID(userID).SetRole(open.DefaultRole).Exec(ctx)
	if err != nil {
		return nil, err
	}
	open.Role = open.DefaultRole
	return open, audit.Record(ctx, s.database, audit.Change{
		OrganizationID: open.ID, Action: audit.MemberJoined, SubjectID: userID,
		After: map[string]any{"role": open.DefaultRole, "emailDomain": domain},
	})
}

// rejoin answers a person who is a member already: one whose membership is
// disabled cannot enable it by joining.
func rejoin(open *Organization, found *ent.Member) (*Organization, error) {
	if found.Disabled {
		return nil, fault.Missing("organization")
	}
	open.Role = found.Role
	return open, nil
}

func allowedDomain(open *Organization, person *ent.User) (string, error) {
	if len(open.EmailDomains) == 0 {
		return "", fault.Missing("organization")
	}
	_, host, _ := strings.Cut(person.Email, "@")
	domain, err := normalDomain(host)
	if err != nil || !slices.Contains(open.EmailDomains, domain) {
		return "", fault.New(fault.BadUserInput, "the organization does not let people with an e-mail address in the domain %q join", host)
	}
	if !person.EmailVerified {
		return "", fault.New(fault.BadUserInput, "the e-mail address %s is not verified", person.Email)
	}
	return domain, nil
}
