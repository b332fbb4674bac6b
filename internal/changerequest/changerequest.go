// Package changerequest keeps change requests: branches of the content of a
// space that are edited, discussed, reviewed and merged.
package changerequest

import (
	"context"

	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/enum"
)

// ChangeRequest is a change request that the caller may read.
type ChangeRequest struct {
	*ent.ChangeRequest
	// Role of the caller in its space.
	Role access.Role
	// Own tells whether the caller made it.
	Own bool
	// Outdated tells whether the main content has moved on since the change
	// request started or was updated from it.
	Outdated bool
}

// Review is a verdict on a change request.
type Review struct {
	*ent.Review
	// Outdated tells whether the content has changed since.
	Outdated bool
}

// Permissions are what the caller, with the token that they came with, may do
// with a change request.
type Permissions struct{ View, Edit, Comment, Review, Merge bool }

// active tells whether the change request is neither archived nor merged: only
// then is it edited, reviewed or merged.
func (c *ChangeRequest) active() bool {
	return c.Status == enum.StatusDraft || c.Status == enum.StatusOpen
}

// Permissions of the caller, by the same rules that guard the operations.
func (c *ChangeRequest) Permissions(ctx context.Context) Permissions {
	viewer, active := access.From(ctx), c.active()
	may := func(minimum access.Role) bool { return viewer.May(access.ScopeWrite, c.Role, minimum) }
	return Permissions{
		View: c.Role >= access.Read, Edit: active && may(access.Edit), Comment: may(access.Comment),
		Review: active && may(access.Review) && !c.Own, Merge: active && may(access.Review),
	}
}
