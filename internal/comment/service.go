package comment

import (
	"context"
	"fmt"
	"time"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	entcomment "octavo/ent/comment"
	"octavo/ent/commentreply"
	"octavo/ent/predicate"
	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/changerequest"
	"octavo/internal/database"
	"octavo/internal/fault"
	"octavo/internal/identifier"
	"octavo/internal/revision"
	"octavo/internal/space"
)

// Service keeps comments.
type Service struct {
	database       *database.Database
	spaces         *space.Service
	changeRequests *changerequest.Service
	revisions      *revision.Store
	listeners      []Listener
}

// NewService returns the service of a database.
func NewService(opened *database.Database, spaces *space.Service, changeRequests *changerequest.Service, revisions *revision.Store) *Service {
	return &Service{database: opened, spaces: spaces, changeRequests: changeRequests, revisions: revisions}
}

// Get returns a comment that the caller may read; NOT_FOUND otherwise.
func (s *Service) Get(ctx context.Context, id string) (*Comment, error) {
	found, err := s.ByID(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	if found[id] == nil {
		return nil, fault.Missing("comment")
	}
	return found[id], nil
}

// ByID returns comments by their ids, in one statement. Those that the caller
// may not read are left out.
func (s *Service) ByID(ctx context.Context, ids []string) (map[string]*Comment, error) {
	viewer, err := access.Allow(ctx, access.ScopeRead)
	if err != nil {
		return nil, err
	}
	rows, err := readComments(viewer)(commentsByID.Query(ctx, s.database, struct{}{}, withPrefix(ids, identifier.Comment)...))
	if err != nil {
		return nil, err
	}
	found := make(map[string]*Comment, len(rows))
	for _, row := range rows {
		found[row.ID] = row
	}
	return found, nil
}

// OfReviews returns the comments that came with reviews, by the ids of the
// reviews; nil for a review without one that the caller may read.
func (s *Service) OfReviews(ctx context.Context, reviewIDs []string) (map[string]*Comment, error) {
	rows, err := s.find(ctx, entcomment.ReviewIDIn(reviewIDs...))
	if err != nil {
		return nil, err
	}
	found := make(map[string]*Comment, len(reviewIDs))
	for _, id := range reviewIDs {
		found[id] = nil
	}
	for _, row := range rows {
		found[*row.ReviewID] = row
	}
	return found, nil
}

// Reply returns a reply that the caller may read; NOT_FOUND otherwise.
func (s *Service) Reply(ctx context.Context, id string) (*Reply, error) {
	found, err := s.RepliesByID(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	if found[id] == nil {
		return nil, fault.Missing("comment reply")
	}
	return found[id], nil
}

// RepliesByID returns replies by their ids, in two statements. Those that the
// caller may not read are left out.
func (s *Service) RepliesByID(ctx context.Context, ids []string) (map[string]*Reply, error) {
	viewer, err := access.Allow(ctx, access.ScopeRead)
	if err != nil {
		return nil, err
	}
	rows, err := s.database.Client(ctx).CommentReply.Query().
		Where(commentreply.IDIn(withPrefix(ids, identifier.CommentReply)...)).All(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	threadIDs := make([]string, len(rows))
	for index, row := range rows {
		threadIDs[index] = row.CommentID
	}
	threads, err := s.ByID(ctx, threadIDs)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*Reply, len(rows))
	for _, row := range rows {
		if thread := threads[row.CommentID]; thread != nil {
			found[row.ID] = newReply(viewer, thread, row)
		}
	}
	return found, nil
}

func newReply(viewer *access.Viewer, thread *Comment, row *ent.CommentReply) *Reply {
	return &Reply{CommentReply: row, Thread: thread, Own: row.AuthorID == viewer.UserID}
}

// withPrefix keeps the ids that may be those of the kind: no other text gets as
// far as the database.
func withPrefix(ids []string, kind identifier.Prefix) []string {
	known := make([]string, 0, len(ids))
	for _, id := range ids {
		if prefix, ok := identifier.Split(id); ok && prefix == kind {
			known = append(known, id)
		}
	}
	return known
}

// find reads the comments that meet the conditions and that the caller may
// read.
func (s *Service) find(ctx context.Context, conditions ...predicate.Comment) ([]*Comment, error) {
	viewer, err := access.Allow(ctx, access.ScopeRead)
	if err != nil {
		return nil, err
	}
	query := s.database.Client(ctx).Comment.Query().Where(conditions...)
	query.Modify(readable(viewer))
	rows, err := query.All(ctx)
	if err != nil {
		return nil, err
	}
	found := make([]*Comment, len(rows))
	for index, row := range rows {
		role, err := roleOf(row)
		if err != nil {
			return nil, err
		}
		found[index] = newComment(viewer, role, row)
	}
	return found, nil
}

func newComment(viewer *access.Viewer, role access.Role, row *ent.Comment) *Comment {
	return &Comment{Comment: row, Role: role, Own: row.AuthorID == viewer.UserID}
}

// readable limits a query to the comments in spaces that the caller may read,
// and selects the caller's role there. A deleted space takes its comments with
// it until it is restored.
func readable(viewer *access.Viewer) func(*sql.Selector) {
	return func(selector *sql.Selector) {
		home := sql.Dialect(selector.Dialect()).Table(entspace.Table).As("home")
		selector.Join(home).On(selector.C(entcomment.FieldSpaceID), home.C(entspace.FieldID))
		selector.Where(sql.IsNull(home.C(entspace.FieldDeletedAt)))
		viewer.WhereRoleIn(home, access.Read)(selector)
		viewer.SelectRoleIn(home, selector)
	}
}

func roleOf(row *ent.Comment) (access.Role, error) {
	value, err := row.Value(access.RoleColumn)
	if err != nil {
		return access.None, err
	}
	role, isNumber := value.(int64)
	if !isNumber {
		return access.None, fmt.Errorf("the role at comment %s is a %T", row.ID, value)
	}
	return access.Role(role), nil
}

// now is the current time with the precision that both databases keep.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
