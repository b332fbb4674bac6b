package model

import (
	"octavo/internal/invite"
	"octavo/internal/pagination"
)

// InviteEdge is an item of an InviteConnection.
type InviteEdge struct {
	Cursor string
	Node   *invite.Invite
}

// InviteConnection is the connection of that name.
type InviteConnection struct {
	connection[*invite.Invite]
}

// NewInviteConnection wraps a page.
func NewInviteConnection(page pagination.Page[*invite.Invite]) *InviteConnection {
	return &InviteConnection{connection: connection[*invite.Invite]{page}}
}

// Edges of the connection.
func (c *InviteConnection) Edges() []*InviteEdge {
	return edges(c.Page, func(cursor string, node *invite.Invite) *InviteEdge { return &InviteEdge{cursor, node} })
}
