package model

import (
	"octavo/ent"
	"octavo/internal/pagination"
)

// AuditEntryEdge is an item of a AuditEntryConnection.
type AuditEntryEdge struct {
	Cursor string
	Node   *ent.AuditEntry
}

// AuditEntryConnection is the connection of that name.
type AuditEntryConnection struct {
	connection[*ent.AuditEntry]
}

// NewAuditEntryConnection wraps a page.
func NewAuditEntryConnection(page pagination.Page[*ent.AuditEntry]) *AuditEntryConnection {
	return &AuditEntryConnection{connection: connection[*ent.AuditEntry]{page}}
}

// Edges of the connection.
func (c *AuditEntryConnection) Edges() []*AuditEntryEdge {
	return edges(c.Page, func(cursor string, node *ent.AuditEntry) *AuditEntryEdge { return &AuditEntryEdge{cursor, node} })
}
