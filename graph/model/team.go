package model

import (
	"octavo/ent"
	"octavo/internal/pagination"
	"octavo/internal/team"
)

// TeamEdge is an item of a TeamConnection.
type TeamEdge struct {
	Cursor string
	Node   *team.Team
}

// TeamConnection is the connection of that name.
type TeamConnection struct {
	connection[*team.Team]
}

// NewTeamConnection wraps a page.
func NewTeamConnection(page pagination.Page[*team.Team]) *TeamConnection {
	return &TeamConnection{connection: connection[*team.Team]{page}}
}

// Edges of the connection.
func (c *TeamConnection) Edges() []*TeamEdge {
	return edges(c.Page, func(cursor string, node *team.Team) *TeamEdge { return &TeamEdge{cursor, node} })
}

// TeamMemberEdge is an item of a TeamMemberConnection.
type TeamMemberEdge struct {
	Cursor string
	Node   *ent.TeamMember
}

// TeamMemberConnection is the connection of that name.
type TeamMemberConnection struct {
	connection[*ent.TeamMember]
}

// NewTeamMemberConnection wraps a page.
func NewTeamMemberConnection(page pagination.Page[*ent.TeamMember]) *TeamMemberConnection {
	return &TeamMemberConnection{connection: connection[*ent.TeamMember]{page}}
}

// Edges of the connection.
func (c *TeamMemberConnection) Edges() []*TeamMemberEdge {
	return edges(c.Page, func(cursor string, node *ent.TeamMember) *TeamMemberEdge { return &TeamMemberEdge{cursor, node} })
}
