package comment

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	"octavo/ent/commentreply"
	"octavo/ent/predicate"
	"octavo/ent/reaction"
	"octavo/internal/access"
	"octavo/internal/fault"
)

// Changes to a comment or reply; nil leaves what is there.
type Changes struct {
	// Text is changed by the author only.
	Text *Text
	// Resolved resolves the thread or opens it again.
	Resolved  *bool
	Reactions Reactions
}

// checked are changes whose input is known to be valid.
type checked struct {
	Changes
	body *Body
}

func (c Changes) check() (checked, error) {
	valid := checked{Changes: c}
	if err := c.Reactions.validate(); err != nil {
		return valid, err
	}
	if c.Text == nil {
		return valid, nil
	}
	body, err := c.Text.body()
	valid.body = &body
	return valid, err
}

// guard checks that the caller may make the changes; mayEdit is whether they
// may edit what the changes are to.
func (c Changes) guard(thread *Comment, mayEdit error) error {
	if err := thread.mayTakePart(); err != nil {
		return err
	}
	if c.Text != nil && mayEdit != nil {
		return mayEdit
	}
	if c.Resolved != nil {
		return thread.mayResolve()
	}
	return nil
}

// Update changes a comment.
func (s *Service) Update(ctx context.Context, id string, changes Changes) (*Comment, error) {
	seen, err := s.require(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := changes.guard(seen, seen.mayEdit()); err != nil {
		return nil, err
	}
	valid, err := changes.check()
	if err != nil {
		return nil, err
	}
	err = s.database.Write(ctx, func(ctx context.Context) error {
		locked, err := s.lock(ctx, seen)
		if err != nil {
			return err
		}
		return s.change(ctx, locked.Comment, valid)
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

// change writes the changes to a comment whose row is locked.
func (s *Service) change(ctx context.Context, locked *Comment, changes checked) error {
	if err := changes.guard(locked, locked.mayEdit()); err != nil {
		return err
	}
	if changes.body != nil {
		update := s.database.Client(ctx).Comment.UpdateOneID(locked.ID).SetMarkdown(changes.body.Markdown).SetEditedAt(now())
		if changes.body.IsDocument() {
			update.SetDocument(changes.body.written)
		} else {
			update.ClearDocument()
		}
		if err := update.Exec(ctx); err != nil {
			return err
		}
	}
	if err := s.resolve(ctx, locked, changes.Resolved); err != nil {
		return err
	}
	return s.react(ctx, locked, locked.ID, changes.Reactions)
}

// resolve settles the thread or opens it again, and counts that. Doing it twice
// changes nothing.
func (s *Service) resolve(ctx context.Context, locked *Comment, resolved *bool) error {
	if resolved == nil || *resolved == (locked.ResolvedAt != nil) {
		return nil
	}
	update, difference := s.database.Client(ctx).Comment.UpdateOneID(locked.ID), 1
	if *resolved {
		update.SetResolvedAt(now()).SetResolvedByID(access.From(ctx).UserID)
		difference = -1
	} else {
		update.ClearResolvedAt().ClearResolvedByID()
	}
	if err := update.Exec(ctx); err != nil {
		return err
	}
	return s.countOpen(ctx, locked.Comment, difference)
}

// UpdateReply changes a reply. Resolved is that of its thread.
func (s *Service) UpdateReply(ctx context.Context, id string, changes Changes) (*Reply, error) {
	seen, err := s.requireReply(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := changes.guard(seen.Thread, seen.mayEdit()); err != nil {
		return nil, err
	}
	valid, err := changes.check()
	if err != nil {
		return nil, err
	}
	err = s.database.Write(ctx, func(ctx context.Context) error {
		locked, err := s.lockReply(ctx, seen)
		if err != nil {
			return err
		}
		return s.changeReply(ctx, locked, valid)
	})
	if err != nil {
		return nil, err
	}
	return s.Reply(ctx, id)
}

func (s *Service) requireReply(ctx context.Context, id string) (*Reply, error) {
	if _, err := access.Allow(ctx, access.ScopeWrite); err != nil {
		return nil, err
	}
	return s.Reply(ctx, id)
}

// lockReply locks the thread of a reply and reads the reply again.
func (s *Service) lockReply(ctx context.Context, seen *Reply) (*Reply, error) {
	thread, err := s.lock(ctx, seen.Thread)
	if fault.CodeOf(err) == fault.NotFound {
		return nil, fault.Missing("comment reply")
	}
	if err != nil {
		return nil, err
	}
	row, err := s.database.Client(ctx).CommentReply.Get(ctx, seen.ID)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("comment reply")
	}
	if err != nil {
		return nil, err
	}
	return newReply(access.From(ctx), thread.Comment, row), nil
}

// changeReply writes the changes to a reply whose thread is locked.
func (s *Service) changeReply(ctx context.Context, locked *Reply, changes checked) error {
	if err := changes.guard(locked.Thread, locked.mayEdit()); err != nil {
		return err
	}
	if changes.body != nil {
		update := s.database.Client(ctx).CommentReply.UpdateOneID(locked.ID).SetMarkdown(changes.body.Markdown).SetEditedAt(now())
		if changes.body.IsDocument() {
			update.SetDocument(changes.body.written)
		} else {
			update.ClearDocument()
		}
		if err := update.Exec(ctx); err != nil {
			return err
		}
	}
	if err := s.resolve(ctx, locked.Thread, changes.Resolved); err != nil {
		return err
	}
	return s.react(ctx, locked.Thread, locked.ID, changes.Reactions)
}

// Delete removes a comment with its replies. It returns false when there is no
// such comment, and FORBIDDEN for one that the caller may read and not delete.
func (s *Service) Delete(ctx context.Context, id string) (existed bool, err error) {
	seen, err := s.require(ctx, id)
	if err != nil {
		return false, unlessMissing(err)
	}
	err = s.database.Write(ctx, func(ctx context.Context) error {
		locked, err := s.lock(ctx, seen)
		if err != nil {
			return unlessMissing(err)
		}
		existed = true
		return s.remove(ctx, locked.Comment)
	})
	return existed && err == nil, err
}

// remove deletes a comment whose row is locked; its replies go with it.
func (s *Service) remove(ctx context.Context, locked *Comment) error {
	if err := locked.mayDelete(); err != nil {
		return err
	}
	if err := s.removeReactions(ctx, reaction.Or(reaction.SubjectID(locked.ID), toRepliesOf(locked.ID))); err != nil {
		return err
	}
	if err := s.database.Client(ctx).Comment.DeleteOneID(locked.ID).Exec(ctx); err != nil {
		return err
	}
	if locked.ResolvedAt != nil {
		return nil
	}
	return s.countOpen(ctx, locked.Comment, -1)
}

// DeleteReply removes a reply. It returns false when there is no such reply,
// and FORBIDDEN for one that the caller may read and not delete.
func (s *Service) DeleteReply(ctx context.Context, id string) (existed bool, err error) {
	seen, err := s.requireReply(ctx, id)
	if err != nil {
		return false, unlessMissing(err)
	}
	err = s.database.Write(ctx, func(ctx context.Context) error {
		locked, err := s.lockReply(ctx, seen)
		if err != nil {
			return unlessMissing(err)
		}
		existed = true
		return s.removeReply(ctx, locked)
	})
	return existed && err == nil, err
}

// removeReply deletes a reply whose thread is locked.
func (s *Service) removeReply(ctx context.Context, locked *Reply) error {
	if err := locked.mayDelete(); err != nil {
		return err
	}
	if err := s.removeReactions(ctx, reaction.SubjectID(locked.ID)); err != nil {
		return err
	}
	client := s.database.Client(ctx)
	if err := client.CommentReply.DeleteOneID(locked.ID).Exec(ctx); err != nil {
		return err
	}
	return client.Comment.UpdateOneID(locked.CommentID).AddReplyCount(-1).Exec(ctx)
}

func (s *Service) removeReactions(ctx context.Context, which predicate.Reaction) error {
	_, err := s.database.Client(ctx).Reaction.Delete().Where(which).Exec(ctx)
	return err
}

// toRepliesOf finds the reactions to the replies in a thread.
func toRepliesOf(threadID string) predicate.Reaction {
	return func(selector *sql.Selector) {
		dialect := sql.Dialect(selector.Dialect())
		replies := dialect.Table(commentreply.Table)
		selector.Where(sql.In(selector.C(reaction.FieldSubjectID),
			dialect.Select(replies.C(commentreply.FieldID)).From(replies).Where(sql.EQ(replies.C(commentreply.FieldCommentID), threadID))))
	}
}

// unlessMissing turns NOT_FOUND into success: what is not there needs no
// deleting.
func unlessMissing(err error) error {
	if err != nil && fault.CodeOf(err) == fault.NotFound {
		return nil
	}
	return err
}
