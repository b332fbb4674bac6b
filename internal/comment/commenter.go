package comment

import (
	"context"
	"maps"
	"slices"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	entcomment "octavo/ent/comment"
	"octavo/ent/commentreply"
	"octavo/ent/member"
	"octavo/internal/access"
	"octavo/internal/changerequest"
	"octavo/internal/pagination"
	"octavo/internal/space"
)

// Commenters asks for the members of the organization who commented or replied
// on a space or change request. It is comparable.
type Commenters struct {
	organizationID string
	parent         parent
}

// CommentersOnSpace asks for those on the main content of a space. It returns
// NOT_FOUND for a deleted space.
func CommentersOnSpace(home *space.Space) (Commenters, error) {
	on, err := parentSpace(home)
	return Commenters{organizationID: home.OrganizationID, parent: on}, err
}

// CommentersOnChangeRequest asks for those on a change request.
func CommentersOnChangeRequest(branch *changerequest.ChangeRequest) Commenters {
	return Commenters{organizationID: branch.OrganizationID, parent: parentBranch(branch)}
}

// PageOfCommenters cuts a page out of what Commenters returned.
func PageOfCommenters(members []*ent.Member, arguments pagination.Arguments) (pagination.Page[*ent.Member], error) {
	return pagination.Slice(arguments, "commenters", members, func(one *ent.Member) string { return one.ID })
}

// Commenters returns the members that are asked for, in the order in which they
// joined. Spaces and change requests cost two statements each, however many
// there are, and the members one. Who commented in an organization is few
// enough to be read at once.
func (s *Service) Commenters(ctx context.Context, asked []Commenters) (map[Commenters][]*ent.Member, error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return nil, err
	}
	people, authors := map[string]bool{}, map[parent]map[string]bool{}
	for _, alike := range groups(asked, func(one Commenters) bool { return one.parent.onBranch }) {
		if err := s.collectAuthors(ctx, alike, people, authors); err != nil {
			return nil, err
		}
	}
	members, err := s.database.Client(ctx).Member.Query().
		Where(member.UserIDIn(slices.Sorted(maps.Keys(people))...)).Order(member.ByID()).All(ctx)
	if err != nil {
		return nil, err
	}
	found := make(map[Commenters][]*ent.Member, len(asked))
	for _, one := range asked {
		found[one] = slices.DeleteFunc(slices.Clone(members), func(candidate *ent.Member) bool {
			return candidate.OrganizationID != one.organizationID || !authors[one.parent][candidate.UserID]
		})
	}
	return found, nil
}

// authorship says that somebody wrote something on a space or change request.
type authorship struct {
	Parent   string `json:"parent"`
	AuthorID string `json:"author_id"`
}

// collectAuthors finds who wrote anything on what is asked for, which is of one
// kind.
func (s *Service) collectAuthors(ctx context.Context, alike []Commenters, people map[string]bool, authors map[parent]map[string]bool) error {
	column, onBranch := entcomment.FieldSpaceID, alike[0].parent.onBranch
	if onBranch {
		column = entcomment.FieldChangeRequestID
	}
	parents := make(map[string]parent, len(alike))
	for _, one := range alike {
		parents[one.parent.id] = one.parent
		authors[one.parent] = map[string]bool{}
	}
	ids := slices.Sorted(maps.Keys(parents))
	var began, replied []authorship
	client := s.database.Client(ctx)
	if err := client.Comment.Query().Modify(whoBegan(column, ids, onBranch)).Scan(ctx, &began); err != nil {
		return err
	}
	if err := client.CommentReply.Query().Modify(whoReplied(column, ids, onBranch)).Scan(ctx, &replied); err != nil {
		return err
	}
	for _, row := range append(began, replied...) {
		people[row.AuthorID] = true
		authors[parents[row.Parent]][row.AuthorID] = true
	}
	return nil
}

// whoBegan selects the authors of comments, each once per parent.
func whoBegan(column string, ids []string, onBranch bool) func(*sql.Selector) {
	return func(selector *sql.Selector) {
		pagination.Among(column, ids)(selector)
		if !onBranch {
			selector.Where(sql.IsNull(selector.C(entcomment.FieldChangeRequestID)))
		}
		selector.Select(sql.As(selector.C(column), "parent"), selector.C(entcomment.FieldAuthorID)).Distinct()
	}
}

// whoReplied selects the authors of replies, each once per parent.
func whoReplied(column string, ids []string, onBranch bool) func(*sql.Selector) {
	return func(selector *sql.Selector) {
		threads := sql.Dialect(selector.Dialect()).Table(entcomment.Table).As("thread")
		selector.Join(threads).On(selector.C(commentreply.FieldCommentID), threads.C(entcomment.FieldID))
		values := make([]any, len(ids))
		for index, id := range ids {
			values[index] = id
		}
		selector.Where(sql.In(threads.C(column), values...))
		if !onBranch {
			selector.Where(sql.IsNull(threads.C(entcomment.FieldChangeRequestID)))
		}
		selector.Select(sql.As(threads.C(column), "parent"), selector.C(commentreply.FieldAuthorID)).Distinct()
	}
}
