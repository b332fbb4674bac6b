// Package comment keeps threads of comments and replies on spaces and change
// requests.
package comment

import (
	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/enum"
)

// Comment is a comment that the caller may read.
type Comment struct {
	*ent.Comment
	// Role of the caller in its space.
	Role access.Role
}

// Reply is an answer to a comment that the caller may read.
type Reply struct {
	*ent.CommentReply
	// SpaceID and ChangeRequestID are those of the comment.
	SpaceID         string
	ChangeRequestID *string
	// Role of the caller in the space.
	Role access.Role
}

// Permissions are what the caller may do with a comment or reply.
type Permissions struct{ View, Edit, Reply, Delete bool }

// Status of the thread.
func (c *Comment) Status() enum.CommentStatus {
	if c.ResolvedAt != nil {
		return enum.CommentResolved
	}
	return enum.CommentOpen
}
