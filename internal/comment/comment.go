// Package comment keeps threads of comments and replies on spaces and change
// requests, and the reactions to them.
package comment

import (
	"context"
	"time"

	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/enum"
	"octavo/internal/fault"
)

// Comment is a comment that the caller may read.
type Comment struct {
	*ent.Comment
	// Role of the caller in its space.
	Role access.Role
	// Own tells whether the caller wrote it.
	Own bool
}

// Reply is an answer to a comment that the caller may read.
type Reply struct {
	*ent.CommentReply
	// Thread is the comment that it answers.
	Thread *Comment
	// Own tells whether the caller wrote it.
	Own bool
}

// Target is what a comment is about.
type Target struct {
	SpaceID         string
	ChangeRequestID *string
	// Review that the comment came with.
	Review *string
	// Revision is the content that was commented on.
	Revision string
	Page     *string
	// Node is the key of a block of the page.
	Node      *string
	TableCell *TableCell
}

// TableCell is a cell of a table.
type TableCell struct{ Record, Definition string }

// Permissions are what the caller, with the token that they came with, may do
// with a comment or reply.
type Permissions struct{ View, Edit, Reply, Delete bool }

// Status of the thread.
func (c *Comment) Status() enum.CommentStatus {
	if c.ResolvedAt != nil {
		return enum.CommentResolved
	}
	return enum.CommentOpen
}

// PostedAt is when it was written.
func (c *Comment) PostedAt() time.Time { return c.CreatedAt }

// Body is what it says.
func (c *Comment) Body() Body { return Body{Markdown: c.Markdown, written: c.Comment.Document} }

// Target is what it is about.
func (c *Comment) Target() Target {
	target := Target{
		SpaceID: c.SpaceID, ChangeRequestID: c.ChangeRequestID, Review: c.ReviewID, Revision: c.RevisionID,
		Page: c.PageID, Node: c.NodeID,
	}
	if c.TableRecord != nil && c.TableDefinition != nil {
		target.TableCell = &TableCell{Record: *c.TableRecord, Definition: *c.TableDefinition}
	}
	return target
}

// PostedAt is when it was written.
func (r *Reply) PostedAt() time.Time { return r.CreatedAt }

// Body is what it says.
func (r *Reply) Body() Body { return Body{Markdown: r.Markdown, written: r.CommentReply.Document} }

// Permissions of the caller, by the same rules that guard the operations.
func (c *Comment) Permissions(ctx context.Context) Permissions {
	return permissions(ctx, c, c.Own)
}

// Permissions of the caller, by the same rules that guard the operations.
func (r *Reply) Permissions(ctx context.Context) Permissions {
	return permissions(ctx, r.Thread, r.Own)
}

func permissions(ctx context.Context, thread *Comment, own bool) Permissions {
	writes := access.From(ctx).HasScope(access.ScopeWrite)
	return Permissions{
		View: true, Edit: writes && mayEdit(thread, own) == nil, Reply: writes && thread.mayTakePart() == nil,
		Delete: writes && mayDelete(thread, own) == nil,
	}
}

// mayTakePart guards replies and reactions.
func (c *Comment) mayTakePart() error {
	if c.Role < access.Comment {
		return fault.Denied("this needs the role %s in the space", access.Comment)
	}
	return nil
}

func (c *Comment) mayEdit() error { return mayEdit(c, c.Own) }

func (r *Reply) mayEdit() error { return mayEdit(r.Thread, r.Own) }

func mayEdit(thread *Comment, own bool) error {
	if err := thread.mayTakePart(); err != nil {
		return err
	}
	if !own {
		return fault.Denied("what is said is changed by its author only")
	}
	return nil
}

// mayResolve guards resolving a thread and opening it again.
func (c *Comment) mayResolve() error {
	if err := c.mayTakePart(); err != nil {
		return err
	}
	if !c.Own && c.Role < access.Edit {
		return fault.Denied("a thread is resolved by who began it or with the role %s in the space", access.Edit)
	}
	return nil
}

func (c *Comment) mayDelete() error { return mayDelete(c, c.Own) }

func (r *Reply) mayDelete() error { return mayDelete(r.Thread, r.Own) }

func mayDelete(thread *Comment, own bool) error {
	if err := thread.mayTakePart(); err != nil {
		return err
	}
	if !own && thread.Role < access.Admin {
		return fault.Denied("a comment is deleted by its author or with the role %s in the space", access.Admin)
	}
	return nil
}
