package team

import (
	"context"

	"octavo/ent"
	"octavo/ent/organization"
	"octavo/ent/permission"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/fault"
)

// New is a team to be made.
type New struct {
	OrganizationID string
	// Title of 1 to 64 characters.
	Title string
	// Members are the first ones, by user id, member id or e-mail address; at
	// most 500. Who is named twice is a member once.
	Members []string
}

// Create makes a team. It needs the role admin in the organization. Somebody
// who is no member of it is NOT_FOUND, and no team is made.
func (s *Service) Create(ctx context.Context, team New) (*Team, error) {
	if err := access.Require(ctx, team.OrganizationID, access.ScopeAdmin, access.Admin); err != nil {
		return nil, err
	}
	if err := validateTitle(team.Title); err != nil {
		return nil, err
	}
	if len(team.Members) > maximumPeople {
		return nil, fault.Invalid("members", "at most %d, got %d", maximumPeople, len(team.Members))
	}
	var created *ent.Team
	err := s.database.Write(ctx, func(ctx context.Context) error {
		if err := s.database.Lock(ctx, organization.Table, team.OrganizationID); err != nil {
			return err
		}
		var err error
		created, err = s.database.Client(ctx).Team.Create().SetOrganizationID(team.OrganizationID).
			SetTitle(team.Title).SetFoldedTitle(fold(team.Title)).Save(ctx)
		if err != nil {
			return err
		}
		if err := audit.Record(ctx, s.database, audit.Change{
			OrganizationID: created.OrganizationID, Action: audit.TeamCreated, SubjectID: created.ID,
			After: map[string]any{"title": created.Title},
		}); err != nil {
			return err
		}
		return s.change(ctx, created, MemberChanges{Add: team.Members})
	})
	if err != nil {
		return nil, err
	}
	return &Team{Team: created, admin: true}, nil
}

// Rename gives a team another title. It needs the role admin in the
// organization or owner in the team.
func (s *Service) Rename(ctx context.Context, id, title string) (*Team, error) {
	if err := validateTitle(title); err != nil {
		return nil, err
	}
	var renamed *Team
	err := s.database.Write(ctx, func(ctx context.Context) error {
		found, err := s.manage(ctx, id)
		if err != nil {
			return err
		}
		renamed = found
		if found.Title == title {
			return nil
		}
		updated, err := s.database.Client(ctx).Team.UpdateOneID(id).SetTitle(title).SetFoldedTitle(fold(title)).Save(ctx)
		if err != nil {
			return err
		}
		renamed = &Team{Team: updated, admin: true}
		return audit.Record(ctx, s.database, audit.Change{
			OrganizationID: found.OrganizationID, Action: audit.TeamUpdated, SubjectID: id,
			Before: map[string]any{"title": found.Title}, After: map[string]any{"title": title},
		})
	})
	return renamed, err
}

// Delete removes a team and what was granted to it; its members stay in the
// organization. It returns false when the caller sees no such team, and
// FORBIDDEN for one that they do not manage.
func (s *Service) Delete(ctx context.Context, id string) (existed bool, err error) {
	err = s.database.Write(ctx, func(ctx context.Context) error {
		found, err := s.manage(ctx, id)
		if fault.CodeOf(err) == fault.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		existed = true
		client := s.database.Client(ctx)
		if _, err := client.Permission.Delete().Where(permission.PrincipalID(id)).Exec(ctx); err != nil {
			return err
		}
		if err := client.Team.DeleteOneID(id).Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, s.database, audit.Change{
			OrganizationID: found.OrganizationID, Action: audit.TeamDeleted, SubjectID: id,
			Before: map[string]any{"title": found.Title},
		})
	})
	return existed, err
}

// manage returns a team that the caller may change, as it is once the
// organization is locked: its people and teams change one after the other.
// NOT_FOUND when they do not see it, FORBIDDEN
// when they neither are administrators nor own it.
func (s *Service) manage(ctx context.Context, id string) (*Team, error) {
	if _, err := access.Allow(ctx, access.ScopeAdmin); err != nil {
		return nil, err
	}
	for locked := false; ; locked = true {
		found, err := s.ByID(ctx, []string{id})
		if err != nil {
			return nil, err
		}
		switch {
		case found[id] == nil:
			return nil, fault.Missing("team")
		case !found[id].admin:
			return nil, fault.Denied("this needs the role %s in the organization or owner in the team", access.Admin)
		case locked:
			return found[id], nil
		}
		if err := s.database.Lock(ctx, organization.Table, found[id].OrganizationID); err != nil {
			return nil, err
		}
	}
}
