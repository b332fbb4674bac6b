package changerequest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	entchangerequest "octavo/ent/changerequest"
	"octavo/ent/contributor"
	"octavo/ent/predicate"
	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/database"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/identifier"
	"octavo/internal/revision"
	"octavo/internal/space"
)

// Service keeps change requests.
type Service struct {
	database  *database.Database
	spaces    *space.Service
	revisions *revision.Store
	listeners []Listener
}

// NewService returns the service of a database.
func NewService(opened *database.Database, spaces *space.Service, revisions *revision.Store) *Service {
	return &Service{database: opened, spaces: spaces, revisions: revisions}
}

// Listener is told, in the transaction that changes it, that a change request
// was made or has changed. An error undoes the change.
type Listener func(ctx context.Context, changed *ent.ChangeRequest) error

// OnChanged registers a listener. It is called while the program is put
// together, before anything changes.
func (s *Service) OnChanged(listener Listener) { s.listeners = append(s.listeners, listener) }

func (s *Service) tell(ctx context.Context, changed *ent.ChangeRequest) error {
	for _, listener := range s.listeners {
		if err := listener(ctx, changed); err != nil {
			return err
		}
	}
	return nil
}

// Get returns a change request of a space that the caller may read; NOT_FOUND
// otherwise.
func (s *Service) Get(ctx context.Context, id string) (*ChangeRequest, error) {
	found, err := s.ByID(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	if found[id] == nil {
		return nil, fault.Missing("change request")
	}
	return found[id], nil
}

// BySpace returns a change request of a space by its id or by its number there;
// NOT_FOUND for one that is not there or may not be read.
func (s *Service) BySpace(ctx context.Context, spaceID, idOrNumber string) (*ChangeRequest, error) {
	named := entchangerequest.ID(idOrNumber)
	if number, err := strconv.ParseInt(idOrNumber, 10, 32); err == nil {
		named = entchangerequest.Number(int(number))
	} else if !isID(identifier.ChangeRequest, idOrNumber) {
		return nil, fault.Missing("change request")
	}
	found, err := s.find(ctx, entchangerequest.SpaceID(spaceID), named)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fault.Missing("change request")
	}
	return found[0], nil
}

// ByID returns change requests by their ids, in one statement. Those that the
// caller may not read are left out.
func (s *Service) ByID(ctx context.Context, ids []string) (map[string]*ChangeRequest, error) {
	known := make([]string, 0, len(ids))
	for _, id := range ids {
		if isID(identifier.ChangeRequest, id) {
			known = append(known, id)
		}
	}
	viewer, err := access.Allow(ctx, access.ScopeRead)
	if err != nil {
		return nil, err
	}
	rows, err := readStanding(viewer)(changeRequestsByID.Query(ctx, s.database, struct{}{}, known...))
	if err != nil {
		return nil, err
	}
	found := make(map[string]*ChangeRequest, len(rows))
	for _, row := range rows {
		found[row.ID] = row
	}
	return found, nil
}

// isID tells whether a text has the form of an id. Others are not looked for:
// nothing has them, and PostgreSQL refuses some.
func isID(kind identifier.Prefix, text string) bool {
	prefix, ok := identifier.Split(text)
	return ok && prefix == kind
}

// Require returns a change request in whose space the caller has at least the
// given role and whose token has the scope: NOT_FOUND when they may not even
// read it, FORBIDDEN when they may.
func (s *Service) Require(ctx context.Context, id string, scope access.Scope, minimum access.Role) (*ChangeRequest, error) {
	if _, err := access.Allow(ctx, scope); err != nil {
		return nil, err
	}
	found, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if found.Role < minimum {
		return nil, fault.Denied("this needs the role %s in the space", minimum)
	}
	return found, nil
}

// Lock is Require inside a transaction: the rows of the space and of the change
// request stay locked, in this order, until it ends, and both are read after
// the locks were taken.
func (s *Service) Lock(ctx context.Context, id string, scope access.Scope, minimum access.Role) (*space.Space, *ChangeRequest, error) {
	seen, err := s.Require(ctx, id, scope, minimum)
	if err != nil {
		return nil, nil, err
	}
	home, err := s.spaces.Lock(ctx, seen.SpaceID, scope, minimum)
	if err != nil {
		return nil, nil, err
	}
	if err := s.database.Lock(ctx, entchangerequest.Table, id); err != nil {
		return nil, nil, err
	}
	locked, err := s.Require(ctx, id, scope, minimum)
	return home, locked, err
}

// find reads the change requests that meet the conditions and that the caller
// may read.
func (s *Service) find(ctx context.Context, conditions ...predicate.ChangeRequest) ([]*ChangeRequest, error) {
	viewer, err := access.AllowDrafts(ctx)
	if err != nil {
		return nil, err
	}
	query := s.database.Client(ctx).ChangeRequest.Query().Where(conditions...).Where(readable(viewer))
	if visitor := access.VisitorFrom(ctx); visitor != nil {
		query.Where(entchangerequest.SpaceIDIn(slices.Collect(maps.Keys(visitor.Drafts))...))
	}
	query.Modify(selectStanding(viewer))
	rows, err := query.All(ctx)
	if err != nil {
		return nil, err
	}
	return withStanding(viewer, rows)
}

// homeOf is the space of a change request in a statement limited by readable.
func homeOf(selector *sql.Selector) *sql.SelectTable {
	return sql.Dialect(selector.Dialect()).Table(entspace.Table).As("home")
}

// readable limits a query to the change requests of spaces that the caller may
// read. A deleted space takes its change requests with it until it is restored.
func readable(viewer *access.Viewer) predicate.ChangeRequest {
	return func(selector *sql.Selector) {
		home := homeOf(selector)
		selector.Join(home).On(selector.C(entchangerequest.FieldSpaceID), home.C(entspace.FieldID))
		selector.Where(sql.IsNull(home.C(entspace.FieldDeletedAt)))
		viewer.WhereRoleIn(home, access.Read)(selector)
	}
}

// outdatedColumn is the name under which selectStanding selects whether a
// change request is outdated, as 0 or 1.
const outdatedColumn = "outdated"

// selectStanding adds to a query limited by readable what depends on the space:
// the caller's role, and whether the main content has moved on. A merged change
// request is never outdated: there is nothing left to bring up to date.
func selectStanding(viewer *access.Viewer) func(*sql.Selector) {
	return func(selector *sql.Selector) {
		home := homeOf(selector)
		viewer.SelectRoleIn(home, selector)
		selector.AppendSelectExprAs(sql.ExprFunc(func(builder *sql.Builder) {
			builder.WriteString("CASE WHEN ").Ident(selector.C(entchangerequest.FieldStatus)).WriteString(" <> ").Arg(string(enum.StatusMerged)).
				WriteString(" AND ").Ident(home.C(entspace.FieldRevisionID)).WriteString(" <> COALESCE(").
				Ident(selector.C(entchangerequest.FieldAncestorRevisionID)).Comma().
				Ident(selector.C(entchangerequest.FieldInitialRevisionID)).WriteString(") THEN 1 ELSE 0 END")
		}), outdatedColumn)
	}
}

func withStanding(viewer *access.Viewer, rows []*ent.ChangeRequest) ([]*ChangeRequest, error) {
	found := make([]*ChangeRequest, len(rows))
	for index, row := range rows {
		role, err := number(row, access.RoleColumn)
		if err != nil {
			return nil, err
		}
		outdated, err := number(row, outdatedColumn)
		if err != nil {
			return nil, err
		}
		found[index] = &ChangeRequest{
			ChangeRequest: row, Role: access.Role(role), Own: row.CreatorID == viewer.UserID, Outdated: outdated == 1,
		}
	}
	return found, nil
}

// selection is a row that was read with further columns.
type selection interface {
	Value(column string) (ent.Value, error)
}

// number is the whole number in a further column of a row.
func number(row selection, column string) (int64, error) {
	value, err := row.Value(column)
	if err != nil {
		return 0, err
	}
	whole, isNumber := value.(int64)
	if !isNumber {
		return 0, fmt.Errorf("the column %s is a %T", column, value)
	}
	return whole, nil
}

// save writes changes to a change request with the time of its update, in the
// transaction of the context. Everything that its readers can see change goes
// through here.
func (s *Service) save(ctx context.Context, changes *ent.ChangeRequestUpdateOne) error {
	changed, err := changes.SetUpdatedAt(time.Now().UTC().Truncate(time.Microsecond)).Save(ctx)
	if err != nil {
		return err
	}
	return s.tell(ctx, changed)
}

// setStatus adds a new status to the changes and keeps the counters of the
// space, whose row is locked.
func (s *Service) setStatus(ctx context.Context, current *ent.ChangeRequest, changes *ent.ChangeRequestUpdateOne, status enum.ChangeRequestStatus) error {
	if current.Status == status {
		return nil
	}
	changes.SetStatus(status)
	counters := s.database.Client(ctx).Space.Update().Where(entspace.ID(current.SpaceID))
	count(counters, current.Status, -1)
	count(counters, status, 1)
	return counters.Exec(ctx)
}

// count adds to the counter of a status; those that are final or put aside
// have none of their own.
func count(counters *ent.SpaceUpdate, status enum.ChangeRequestStatus, difference int) {
	switch status {
	case enum.StatusOpen:
		counters.AddOpenChangeRequestCount(difference)
	case enum.StatusDraft:
		counters.AddDraftChangeRequestCount(difference)
	}
}

// Contribute records that a person edited a change request now.
func (s *Service) Contribute(ctx context.Context, changeRequest *ent.ChangeRequest, userID string) error {
	return s.contribute(ctx, changeRequest, userID, enum.ContributionEdit)
}

// Discuss records that a person commented on a change request now.
func (s *Service) Discuss(ctx context.Context, changeRequest *ent.ChangeRequest, userID string) error {
	return s.contribute(ctx, changeRequest, userID, enum.ContributionComment)
}

func (s *Service) contribute(ctx context.Context, changeRequest *ent.ChangeRequest, userID string, action enum.Contribution) error {
	return s.database.Client(ctx).Contributor.Create().
		SetOrganizationID(changeRequest.OrganizationID).SetChangeRequestID(changeRequest.ID).SetUserID(userID).SetAction(action).
		OnConflictColumns(contributor.FieldChangeRequestID, contributor.FieldUserID, contributor.FieldAction).
		Update(func(earlier *ent.ContributorUpsert) { earlier.AddCount(1).UpdateUpdatedAt() }).Exec(ctx)
}
