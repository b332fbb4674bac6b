// Package space keeps spaces: trees of pages and files with a history, and who
// may do what with them.
package space

import (
	"context"
	"time"

	"octavo/ent"
	"octavo/ent/predicate"
	"octavo/internal/access"
	"octavo/internal/cache"
	"octavo/internal/database"
	"octavo/internal/edit"
	"octavo/internal/fault"
	"octavo/internal/revision"
	"octavo/internal/structure"
)

// Retention is how long a deleted space can be restored (specification, States
// and transitions).
const Retention = 7 * 24 * time.Hour

// Space is a space that the caller may read.
type Space struct {
	*ent.Space
	// Role of the caller in it.
	Role access.Role
}

// Service keeps spaces.
type Service struct {
	database         *database.Database
	revisions        *revision.Store
	edits            *edit.Preparer
	structure        *structure.Structure
	contentListeners []ContentListener
	departures       []Departure
	counts           *cache.Cache[countKey, int]
}

// Departure is told, in the transaction that does it and while the spaces are
// still there, that they are handed over to another organization or purged. An
// error undoes it.
type Departure func(ctx context.Context, ids []string) error

// OnDeparture registers a listener. It is called while the program is put
// together, before any space departs.
func (s *Service) OnDeparture(listener Departure) { s.departures = append(s.departures, listener) }

func (s *Service) depart(ctx context.Context, ids []string) error {
	for _, listener := range s.departures {
		if err := listener(ctx, ids); err != nil {
			return err
		}
	}
	return nil
}

// NewService returns the service of a database.
func NewService(opened *database.Database, revisions *revision.Store, edits *edit.Preparer) *Service {
	return &Service{database: opened, revisions: revisions, edits: edits, structure: structure.New(opened), counts: cache.New[countKey, int](countsKept)}
}

// Get returns a space that the caller may read; NOT_FOUND otherwise. A deleted
// space is shown to those who may restore it.
func (s *Service) Get(ctx context.Context, id string) (*Space, error) {
	found, err := s.ByID(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	if found[id] == nil {
		return nil, fault.Missing("space")
	}
	return found[id], nil
}

// ByID returns spaces by their ids, in one statement. Those that the caller may
// not read are left out.
func (s *Service) ByID(ctx context.Context, ids []string) (map[string]*Space, error) {
	if _, err := access.AllowContent(ctx); err != nil {
		return nil, err
	}
	rows, err := read(spacesByID.Query(ctx, s.database, struct{}{}, ids...))
	if err != nil {
		return nil, err
	}
	found := make(map[string]*Space, len(rows))
	for _, space := range rows {
		if space.visible() {
			found[space.ID] = space
		}
	}
	return found, nil
}

func (s *Service) query(ctx context.Context, viewer *access.Viewer, conditions ...predicate.Space) *ent.SpaceQuery {
	query := s.database.Client(ctx).Space.Query().Where(conditions...)
	query.Modify(viewer.SelectRole)
	return query
}

// visible tells whether the caller may read the space.
func (s *Space) visible() bool {
	if s.DeletedAt != nil {
		return s.Role >= access.Create
	}
	return s.Role >= access.Read
}

func withRole(row *ent.Space) (*Space, error) {
	role, err := access.RoleOf(row)
	return &Space{Space: row, Role: role}, err
}

// Require returns an active space in which the caller has at least the given
// role and whose token has the scope: NOT_FOUND when they may not even read
// it, FORBIDDEN when they may.
func (s *Service) Require(ctx context.Context, id string, scope access.Scope, minimum access.Role) (*Space, error) {
	if _, err := access.Allow(ctx, scope); err != nil {
		return nil, err
	}
	found, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if found.DeletedAt != nil {
		return nil, fault.Missing("space")
	}
	if found.Role < minimum {
		return nil, fault.Denied("this needs the role %s in the space", minimum)
	}
	return found, nil
}

// Lock is Require inside a transaction: the space's row stays locked until it
// ends, and is read after the lock was taken.
func (s *Service) Lock(ctx context.Context, id string, scope access.Scope, minimum access.Role) (*Space, error) {
	if err := s.database.Lock(ctx, "spaces", id); err != nil {
		return nil, err
	}
	return s.Require(ctx, id, scope, minimum)
}

// ShownEmoji is the emoji; nil when there is none.
func (s *Space) ShownEmoji() *string { return unlessEmpty(s.Emoji) }

// Permissions are what the caller, with the token that they came with, may do
// with a space.
type Permissions struct {
	View, Access, Admin, ViewInviteLinks, Edit, TriggerGitSync, Comment, Merge, Review, InstallIntegration bool
}

// Permissions of the caller, by the same rules that guard the operations. There
// is no operation that installs an integration, so that nobody may.
func (s *Space) Permissions(ctx context.Context) Permissions {
	viewer, active := access.From(ctx), s.DeletedAt == nil
	may := func(scope access.Scope, minimum access.Role) bool { return viewer.May(scope, s.Role, minimum) }
	return Permissions{
		View: s.visible(), Access: s.visible(),
		Admin: active && may(access.ScopeWrite, access.Admin), ViewInviteLinks: active && may(access.ScopeAdmin, access.Admin),
		Edit: active && may(access.ScopeWrite, access.Edit), TriggerGitSync: active && may(access.ScopeWrite, access.Create),
		Comment: active && may(access.ScopeWrite, access.Comment), Merge: active && may(access.ScopeWrite, access.Review),
		Review: active && may(access.ScopeWrite, access.Review),
	}
}

func unlessEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
