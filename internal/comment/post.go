package comment

import (
	"context"

	"octavo/ent"
	entchangerequest "octavo/ent/changerequest"
	entcomment "octavo/ent/comment"
	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/changerequest"
	"octavo/internal/fault"
	"octavo/internal/revision"
	"octavo/internal/space"
)

// maximumTarget is how many characters the name of a block, row or column may
// have.
const maximumTarget = 256

// New is a comment to be posted.
type New struct {
	SpaceID string
	// ChangeRequest is the id or number of one of the space; nil comments on the
	// main content.
	ChangeRequest *string
	// ReviewID is the review that the comment comes with.
	ReviewID *string
	// PageID names the page that it is about; Node and TableCell are of it.
	PageID    *string
	Node      *string
	TableCell *TableCell
	Text      Text
}

// Post starts a thread. It needs the role comment in the space.
func (s *Service) Post(ctx context.Context, draft New) (*Comment, error) {
	body, err := s.checkDraft(ctx, &draft)
	if err != nil {
		return nil, err
	}
	var posted *Comment
	err = s.database.Write(ctx, func(ctx context.Context) error {
		home, branch, err := s.lockParent(ctx, draft.SpaceID, draft.ChangeRequest, access.Comment)
		if err != nil {
			return err
		}
		written, err := s.insert(ctx, home, branch, draft, body)
		if err != nil {
			return err
		}
		posted = newComment(access.From(ctx), home.Role, written)
		return nil
	})
	return posted, err
}

// checkDraft checks the role and the input, and puts the id of the change
// request in the place of its number.
func (s *Service) checkDraft(ctx context.Context, draft *New) (Body, error) {
	if _, err := s.spaces.Require(ctx, draft.SpaceID, access.ScopeWrite, access.Comment); err != nil {
		return Body{}, err
	}
	if draft.ChangeRequest != nil {
		branch, err := s.changeRequests.BySpace(ctx, draft.SpaceID, *draft.ChangeRequest)
		if err != nil {
			return Body{}, err
		}
		draft.ChangeRequest = &branch.ID
	}
	if err := draft.validateTarget(); err != nil {
		return Body{}, err
	}
	return draft.Text.body()
}

func (n New) validateTarget() error {
	if n.PageID == nil && n.Node != nil {
		return fault.Invalid("page", "a block is named together with its page")
	}
	if n.PageID == nil && n.TableCell != nil {
		return fault.Invalid("page", "a cell is named together with its page")
	}
	if n.Node != nil {
		if err := validateName("node", *n.Node); err != nil {
			return err
		}
	}
	if n.TableCell == nil {
		return nil
	}
	if err := validateName("tableCell.record", n.TableCell.Record); err != nil {
		return err
	}
	return validateName("tableCell.definition", n.TableCell.Definition)
}

func validateName(field, name string) error {
	if name == "" {
		return fault.Invalid(field, "the name is empty")
	}
	return validateText(field, name, maximumTarget)
}

// lockParent locks what is commented on: the space and, on a branch, its change
// request.
func (s *Service) lockParent(ctx context.Context, spaceID string, changeRequestID *string, minimum access.Role) (*space.Space, *changerequest.ChangeRequest, error) {
	if changeRequestID != nil {
		return s.changeRequests.Lock(ctx, *changeRequestID, access.ScopeWrite, minimum)
	}
	home, err := s.spaces.Lock(ctx, spaceID, access.ScopeWrite, minimum)
	return home, nil, err
}

// insert writes the comment and counts it, under the locks of its parent.
func (s *Service) insert(ctx context.Context, home *space.Space, branch *changerequest.ChangeRequest, draft New, body Body) (*ent.Comment, error) {
	revisionID := home.RevisionID
	create := s.database.Client(ctx).Comment.Create().
		SetOrganizationID(home.OrganizationID).SetSpaceID(home.ID).SetAuthorID(access.From(ctx).UserID).
		SetNillableReviewID(draft.ReviewID).SetNillablePageID(draft.PageID).SetNillableNodeID(draft.Node).
		SetMarkdown(body.Markdown)
	if body.IsDocument() {
		create.SetDocument(body.written)
	}
	if branch != nil {
		revisionID = branch.RevisionID
		create.SetChangeRequestID(branch.ID)
	}
	if draft.TableCell != nil {
		create.SetTableRecord(draft.TableCell.Record).SetTableDefinition(draft.TableCell.Definition)
	}
	if err := s.requirePage(ctx, revisionID, draft.PageID); err != nil {
		return nil, err
	}
	posted, err := create.SetRevisionID(revisionID).Save(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.countOpen(ctx, posted, 1); err != nil {
		return nil, err
	}
	if err := s.discuss(ctx, branch); err != nil {
		return nil, err
	}
	return posted, s.added(ctx, posted, posted.ID)
}

// requirePage checks that the content has the page.
func (s *Service) requirePage(ctx context.Context, revisionID string, pageID *string) error {
	if pageID == nil {
		return nil
	}
	current, err := s.revisions.Load(ctx, revisionID)
	if err != nil {
		return err
	}
	return s.pageIn(ctx, current, *pageID)
}

func (s *Service) pageIn(ctx context.Context, current *revision.Revision, pageID string) error {
	_, err := s.revisions.Page(ctx, current, pageID)
	if err != nil && fault.CodeOf(err) == fault.NotFound {
		return fault.Invalid("page", "the content has no page %q", pageID)
	}
	return err
}

// discuss records that the caller commented on the change request.
func (s *Service) discuss(ctx context.Context, branch *changerequest.ChangeRequest) error {
	if branch == nil {
		return nil
	}
	return s.changeRequests.Discuss(ctx, branch.ChangeRequest, access.From(ctx).UserID)
}

// countOpen adds to the open comments of what the comment is on, whose rows are
// locked. Updating by a condition spares Ent reading the row again.
func (s *Service) countOpen(ctx context.Context, on *ent.Comment, difference int) error {
	client := s.database.Client(ctx)
	if on.ChangeRequestID != nil {
		return client.ChangeRequest.Update().Where(entchangerequest.ID(*on.ChangeRequestID)).AddOpenComments(difference).Exec(ctx)
	}
	return client.Space.Update().Where(entspace.ID(on.SpaceID)).AddOpenComments(difference).Exec(ctx)
}

// PostReply adds to a thread. It needs the role comment in the space.
func (s *Service) PostReply(ctx context.Context, threadID string, text Text) (*Reply, error) {
	seen, err := s.require(ctx, threadID)
	if err != nil {
		return nil, err
	}
	if err := seen.mayTakePart(); err != nil {
		return nil, err
	}
	body, err := text.body()
	if err != nil {
		return nil, err
	}
	var posted *ent.CommentReply
	err = s.database.Write(ctx, func(ctx context.Context) error {
		locked, err := s.lock(ctx, seen)
		if err != nil {
			return err
		}
		posted, err = s.insertReply(ctx, locked, body)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Reply(ctx, posted.ID)
}

// insertReply writes the reply and counts it, under the lock of its thread.
func (s *Service) insertReply(ctx context.Context, locked *lockedThread, body Body) (*ent.CommentReply, error) {
	if err := locked.mayTakePart(); err != nil {
		return nil, err
	}
	client := s.database.Client(ctx)
	create := client.CommentReply.Create().
		SetOrganizationID(locked.OrganizationID).SetCommentID(locked.ID).SetAuthorID(access.From(ctx).UserID).
		SetMarkdown(body.Markdown)
	if body.IsDocument() {
		create.SetDocument(body.written)
	}
	posted, err := create.Save(ctx)
	if err != nil {
		return nil, err
	}
	if err := client.Comment.UpdateOneID(locked.ID).AddReplyCount(1).Exec(ctx); err != nil {
		return nil, err
	}
	if err := s.discuss(ctx, locked.branch); err != nil {
		return nil, err
	}
	return posted, s.added(ctx, locked.Comment.Comment, posted.ID)
}

// Listener is told, in the transaction that adds it, of a new comment, or of a
// new reply to a comment. id is that of what was added. An error undoes it.
type Listener func(ctx context.Context, thread *ent.Comment, id string) error

// OnAdded registers a listener. It is called while the program is put together,
// before anything is added.
func (s *Service) OnAdded(listener Listener) { s.listeners = append(s.listeners, listener) }

func (s *Service) added(ctx context.Context, thread *ent.Comment, id string) error {
	for _, listener := range s.listeners {
		if err := listener(ctx, thread, id); err != nil {
			return err
		}
	}
	return nil
}

// require returns a comment that the caller, whose token must be allowed to
// write, may read.
func (s *Service) require(ctx context.Context, id string) (*Comment, error) {
	if _, err := access.Allow(ctx, access.ScopeWrite); err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

// lockedThread is a comment whose row is locked, below those of what it is on.
type lockedThread struct {
	*Comment
	branch *changerequest.ChangeRequest
}

// lock locks a comment after what it is on, and reads it again: NOT_FOUND when
// it went in the meantime.
func (s *Service) lock(ctx context.Context, seen *Comment) (*lockedThread, error) {
	_, branch, err := s.lockParent(ctx, seen.SpaceID, seen.ChangeRequestID, access.Read)
	if err != nil {
		return nil, err
	}
	if err := s.database.Lock(ctx, entcomment.Table, seen.ID); err != nil {
		return nil, err
	}
	current, err := s.Get(ctx, seen.ID)
	if err != nil {
		return nil, err
	}
	return &lockedThread{Comment: current, branch: branch}, nil
}
