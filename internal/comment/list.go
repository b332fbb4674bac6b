package comment

import (
	"context"
	stdsql "database/sql"
	"slices"
	"strings"
	"time"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	entcomment "octavo/ent/comment"
	"octavo/ent/commentreply"
	"octavo/ent/predicate"
	"octavo/internal/access"
	"octavo/internal/changerequest"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/identifier"
	"octavo/internal/pagination"
	"octavo/internal/space"
)

const (
	// maximumAuthors is how many authors a list may be limited to.
	maximumAuthors = 100
	// maximumPageID is how many characters the id of a page may have in a filter.
	maximumPageID = 256
)

// Filter limits a list of comments.
type Filter struct {
	// Status is empty for all.
	Status enum.CommentStatus
	// TargetPage is the id of the page that the comments are about.
	TargetPage *string
	// Authors are the ids of users; nil means anybody.
	Authors []string
}

// Listing asks for a page of the comments on a space or change request. It is
// comparable, so that the pages that one request asks for can be read together.
type Listing struct {
	parent    parent
	selection selection
	window    pagination.Window
}

// parent is what is commented on, as the caller may read it.
type parent struct {
	// id of the change request, or of the space for its main content.
	id       string
	onBranch bool
	role     access.Role
}

// selection is a Filter in a form that can be compared.
type selection struct {
	status    enum.CommentStatus
	page      string
	onPage    bool
	authors   string
	byAuthors bool
}

// authorSeparator stands between ids, which have no space.
const authorSeparator = " "

// OnSpace asks for the comments on the main content of a space, newest first
// unless the order says otherwise. It returns NOT_FOUND for a deleted space and
// BAD_USER_INPUT for a filter or window that is not valid.
func OnSpace(home *space.Space, filter Filter, order *enum.Order, arguments pagination.Arguments) (Listing, error) {
	on, err := parentSpace(home)
	if err != nil {
		return Listing{}, err
	}
	return newListing(on, filter, order, arguments)
}

// OnChangeRequest is OnSpace for the comments on a change request.
func OnChangeRequest(branch *changerequest.ChangeRequest, filter Filter, order *enum.Order, arguments pagination.Arguments) (Listing, error) {
	return newListing(parentBranch(branch), filter, order, arguments)
}

func parentSpace(home *space.Space) (parent, error) {
	if home.DeletedAt != nil {
		return parent{}, fault.Missing("space")
	}
	return parent{id: home.ID, role: home.Role}, nil
}

func parentBranch(branch *changerequest.ChangeRequest) parent {
	return parent{id: branch.ID, onBranch: true, role: branch.Role}
}

func newListing(on parent, filter Filter, order *enum.Order, arguments pagination.Arguments) (Listing, error) {
	chosen, err := filter.selection()
	if err != nil {
		return Listing{}, err
	}
	direction := enum.Descending
	if order != nil {
		direction = *order
	}
	if err := enum.Check("order", direction); err != nil {
		return Listing{}, err
	}
	window, err := arguments.Window(pagination.Key{Name: "comments", Order: direction})
	return Listing{parent: on, selection: chosen, window: window}, err
}

func (f Filter) selection() (selection, error) {
	chosen := selection{status: f.Status, byAuthors: f.Authors != nil, onPage: f.TargetPage != nil}
	if f.Status != "" {
		if err := enum.Check("status", f.Status); err != nil {
			return chosen, err
		}
	}
	if f.TargetPage != nil {
		chosen.page = *f.TargetPage
		if err := validateText("targetPage", chosen.page, maximumPageID); err != nil {
			return chosen, err
		}
	}
	if len(f.Authors) > maximumAuthors {
		return chosen, fault.Invalid("authors", "at most %d, got %d", maximumAuthors, len(f.Authors))
	}
	known := withPrefix(f.Authors, identifier.User)
	slices.Sort(known)
	chosen.authors = strings.Join(slices.Compact(known), authorSeparator)
	return chosen, nil
}

// conditions are those on the comments, apart from what they are on.
func (s selection) conditions(onBranch bool) []predicate.Comment {
	var conditions []predicate.Comment
	if !onBranch {
		conditions = append(conditions, entcomment.ChangeRequestIDIsNil())
	}
	switch s.status {
	case enum.CommentOpen:
		conditions = append(conditions, entcomment.ResolvedAtIsNil())
	case enum.CommentResolved:
		conditions = append(conditions, entcomment.ResolvedAtNotNil())
	}
	if s.onPage {
		conditions = append(conditions, entcomment.PageID(s.page))
	}
	if s.byAuthors {
		conditions = append(conditions, entcomment.AuthorIDIn(strings.Fields(s.authors)...))
	}
	return conditions
}

// ParentID is the id of the space or change request that is commented on.
func (l Listing) ParentID() string { return l.parent.id }

// OnSpace returns the same listing on another space.
func (l Listing) OnSpace(home *space.Space) Listing {
	l.parent = parent{id: home.ID, role: home.Role}
	return l
}

// OnChangeRequest returns the same listing on another change request.
func (l Listing) OnChangeRequest(branch *changerequest.ChangeRequest) Listing {
	l.parent = parentBranch(branch)
	return l
}

// Lists returns the pages that the listings ask for: one statement for all that
// differ in nothing but what they are on.
func (s *Service) Lists(ctx context.Context, listings []Listing) (map[Listing]pagination.Page[*Comment], error) {
	viewer, err := access.Allow(ctx, access.ScopeRead)
	if err != nil {
		return nil, err
	}
	pages := make(map[Listing]pagination.Page[*Comment], len(listings))
	for _, alike := range groups(listings, Listing.kind) {
		if err := s.listAlike(ctx, viewer, alike, pages); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// kind is the listing without what distinguishes parents of one kind.
func (l Listing) kind() Listing {
	l.parent = parent{onBranch: l.parent.onBranch}
	return l
}

// listAlike reads the pages of listings of one kind.
func (s *Service) listAlike(ctx context.Context, viewer *access.Viewer, alike []Listing, pages map[Listing]pagination.Page[*Comment]) error {
	kind := alike[0].kind()
	column, parentOf := entcomment.FieldSpaceID, func(c *Comment) string { return c.SpaceID }
	if kind.parent.onBranch {
		column, parentOf = entcomment.FieldChangeRequestID, func(c *Comment) string { return *c.ChangeRequestID }
	}
	ids, roles := make([]string, len(alike)), make(map[string]access.Role, len(alike))
	for index, listing := range alike {
		ids[index], roles[listing.parent.id] = listing.parent.id, listing.parent.role
	}
	conditions := kind.selection.conditions(kind.parent.onBranch)
	shape := listingShape{column: column, selection: kind.selection, onBranch: kind.parent.onBranch, window: kind.window.Shape()}
	found, err := readComments(viewer)(listedComments.Query(ctx, s.database, shape, append(kind.window.Names(), ids...)...))
	if err != nil {
		return err
	}
	for _, one := range found {
		one.Role = roles[parentOf(one)]
	}
	byParent := pagination.Pages(kind.window, ids, found, parentOf,
		func(c *Comment) (string, string) { return "", c.ID },
		func(ctx context.Context) (map[string]int, error) {
			return s.countByParent(ctx, column, ids, conditions)
		})
	for _, listing := range alike {
		pages[listing] = byParent[listing.parent.id]
	}
	return nil
}

func (s *Service) countByParent(ctx context.Context, column string, ids []string, conditions []predicate.Comment) (map[string]int, error) {
	var counts []struct {
		SpaceID         string `json:"space_id"`
		ChangeRequestID string `json:"change_request_id"`
		Count           int    `json:"count"`
	}
	err := s.database.Client(ctx).Comment.Query().Where(conditions...).Where(pagination.Among(column, ids)).
		GroupBy(column).Aggregate(ent.Count()).Scan(ctx, &counts)
	if err != nil {
		return nil, err
	}
	byParent := make(map[string]int, len(counts))
	for _, row := range counts {
		byParent[row.SpaceID+row.ChangeRequestID] = row.Count
	}
	return byParent, nil
}

// ReplyListing asks for a page of the replies to a comment, oldest first. It is
// comparable.
type ReplyListing struct {
	thread *Comment
	window pagination.Window
}

// RepliesTo asks for the replies to a comment. It returns BAD_USER_INPUT for a
// window that is not valid.
func RepliesTo(thread *Comment, arguments pagination.Arguments) (ReplyListing, error) {
	window, err := arguments.Window(pagination.Key{Name: "comment replies", Order: enum.Ascending})
	return ReplyListing{thread: thread, window: window}, err
}

// Thread is the comment whose replies are asked for.
func (l ReplyListing) Thread() *Comment { return l.thread }

// To asks for the same page of the replies to another comment.
func (l ReplyListing) To(thread *Comment) ReplyListing {
	return ReplyListing{thread: thread, window: l.window}
}

// ReplyLists returns the pages that the listings ask for: one statement for all
// with the same window.
func (s *Service) ReplyLists(ctx context.Context, listings []ReplyListing) (map[ReplyListing]pagination.Page[*Reply], error) {
	viewer, err := access.Allow(ctx, access.ScopeRead)
	if err != nil {
		return nil, err
	}
	pages := make(map[ReplyListing]pagination.Page[*Reply], len(listings))
	for _, alike := range groups(listings, func(listing ReplyListing) pagination.Window { return listing.window }) {
		if err := s.repliesAlike(ctx, viewer, alike, pages); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

func (s *Service) repliesAlike(ctx context.Context, viewer *access.Viewer, alike []ReplyListing, pages map[ReplyListing]pagination.Page[*Reply]) error {
	window := alike[0].window
	ids, threads := make([]string, len(alike)), make(map[string]*Comment, len(alike))
	for index, listing := range alike {
		ids[index], threads[listing.thread.ID] = listing.thread.ID, listing.thread
	}
	query := s.database.Client(ctx).CommentReply.Query()
	query.Modify(window.Each(commentreply.Table, commentreply.FieldCommentID, ids))
	rows, err := query.All(ctx)
	if err != nil {
		return err
	}
	found := make([]*Reply, len(rows))
	for index, row := range rows {
		found[index] = newReply(viewer, threads[row.CommentID], row)
	}
	byThread := pagination.Pages(window, ids, found,
		func(reply *Reply) string { return reply.CommentID },
		func(reply *Reply) (string, string) { return "", reply.ID },
		func(ctx context.Context) (map[string]int, error) { return s.countReplies(ctx, ids) })
	for _, listing := range alike {
		pages[listing] = byThread[listing.thread.ID]
	}
	return nil
}

func (s *Service) countReplies(ctx context.Context, threadIDs []string) (map[string]int, error) {
	var counts []struct {
		CommentID string `json:"comment_id"`
		Count     int    `json:"count"`
	}
	err := s.database.Client(ctx).CommentReply.Query().Where(commentreply.CommentIDIn(threadIDs...)).
		GroupBy(commentreply.FieldCommentID).Aggregate(ent.Count()).Scan(ctx, &counts)
	if err != nil {
		return nil, err
	}
	byThread := make(map[string]int, len(counts))
	for _, row := range counts {
		byThread[row.CommentID] = row.Count
	}
	return byThread, nil
}

// Replier is somebody who replied.
type Replier struct {
	UserID string
	// Count of their replies.
	Count int
	// UpdatedAt is when they posted the latest.
	UpdatedAt time.Time
}

// Repliers returns who replied to comments, by their ids, in one statement, for
// loaders whose callers may read what they ask for. Who replied last comes
// first.
func (s *Service) Repliers(ctx context.Context, threadIDs []string) (map[string][]*Replier, error) {
	rows, err := repliersIn.Query(ctx, s.database, struct{}{}, threadIDs...)
	if err != nil {
		return nil, err
	}
	found := make(map[string][]*Replier, len(threadIDs))
	for _, id := range threadIDs {
		found[id] = []*Replier{}
	}
	err = rows.Each(func(row *stdsql.Rows) error {
		var threadID string
		one := new(Replier)
		if err := row.Scan(&threadID, &one.UserID, &one.UpdatedAt, &one.Count); err != nil {
			return err
		}
		found[threadID] = append(found[threadID], one)
		return nil
	})
	return found, err
}

// latestReplies selects the last reply of each person in each thread, with how
// many of theirs there are.
func latestReplies(threadIDs []string) func(*sql.Selector) {
	return func(selector *sql.Selector) {
		dialect := sql.Dialect(selector.Dialect())
		replies := dialect.Table(commentreply.Table).As("each")
		grouped := dialect.Select().From(replies).
			AppendSelectAs(sql.Max(replies.C(commentreply.FieldID)), "id").
			AppendSelectAs(sql.Count("*"), "replies")
		pagination.Among(commentreply.FieldCommentID, threadIDs)(grouped)
		grouped.GroupBy(replies.C(commentreply.FieldCommentID), replies.C(commentreply.FieldAuthorID))
		latest := grouped.As("latest")
		selector.Join(latest).On(selector.C(commentreply.FieldID), latest.C("id"))
		selector.Select(selector.Columns(commentreply.FieldCommentID, commentreply.FieldAuthorID, commentreply.FieldCreatedAt)...)
		selector.AppendSelectAs(latest.C("replies"), "replies")
		selector.OrderBy(sql.Desc(selector.C(commentreply.FieldID)))
	}
}

// groups parts items by what they have in common, in their order.
func groups[Item any, Key comparable](items []Item, key func(Item) Key) [][]Item {
	places := map[Key]int{}
	var grouped [][]Item
	for _, item := range items {
		place, known := places[key(item)]
		if !known {
			place = len(grouped)
			places[key(item)] = place
			grouped = append(grouped, nil)
		}
		grouped[place] = append(grouped[place], item)
	}
	return grouped
}

// selectors are predicates as functions on statements.
func selectors[Predicate ~func(*sql.Selector)](predicates []Predicate) []func(*sql.Selector) {
	converted := make([]func(*sql.Selector), len(predicates))
	for index, condition := range predicates {
		converted[index] = condition
	}
	return converted
}
