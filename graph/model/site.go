package model

import (
	"octavo/internal/pagination"
	"octavo/internal/site"
)

// SiteEdge is an item of a SiteConnection.
type SiteEdge struct {
	Cursor string
	Node   *site.Site
}

// SiteConnection is the connection of that name.
type SiteConnection struct{ connection[*site.Site] }

// NewSiteConnection wraps a page.
func NewSiteConnection(page pagination.Page[*site.Site]) *SiteConnection {
	return &SiteConnection{connection: connection[*site.Site]{page}}
}

// Edges of the connection.
func (c *SiteConnection) Edges() []*SiteEdge {
	return edges(c.Page, func(cursor string, node *site.Site) *SiteEdge { return &SiteEdge{cursor, node} })
}

// SiteSpaceEdge is an item of a SiteSpaceConnection.
type SiteSpaceEdge struct {
	Cursor string
	Node   *site.SiteSpace
}

// SiteSpaceConnection is the connection of that name.
type SiteSpaceConnection struct{ connection[*site.SiteSpace] }

// NewSiteSpaceConnection wraps a page.
func NewSiteSpaceConnection(page pagination.Page[*site.SiteSpace]) *SiteSpaceConnection {
	return &SiteSpaceConnection{connection: connection[*site.SiteSpace]{page}}
}

// Edges of the connection.
func (c *SiteSpaceConnection) Edges() []*SiteSpaceEdge {
	return edges(c.Page, func(cursor string, node *site.SiteSpace) *SiteSpaceEdge { return &SiteSpaceEdge{cursor, node} })
}

// SiteSectionEdge is an item of a SiteSectionConnection.
type SiteSectionEdge struct {
	Cursor string
	Node   *site.Section
}

// SiteSectionConnection is the connection of that name.
type SiteSectionConnection struct{ connection[*site.Section] }

// NewSiteSectionConnection wraps a page.
func NewSiteSectionConnection(page pagination.Page[*site.Section]) *SiteSectionConnection {
	return &SiteSectionConnection{connection: connection[*site.Section]{page}}
}

// Edges of the connection.
func (c *SiteSectionConnection) Edges() []*SiteSectionEdge {
	return edges(c.Page, func(cursor string, node *site.Section) *SiteSectionEdge { return &SiteSectionEdge{cursor, node} })
}

// SiteSectionGroupEdge is an item of a SiteSectionGroupConnection.
type SiteSectionGroupEdge struct {
	Cursor string
	Node   *site.Group
}

// SiteSectionGroupConnection is the connection of that name.
type SiteSectionGroupConnection struct{ connection[*site.Group] }

// NewSiteSectionGroupConnection wraps a page.
func NewSiteSectionGroupConnection(page pagination.Page[*site.Group]) *SiteSectionGroupConnection {
	return &SiteSectionGroupConnection{connection: connection[*site.Group]{page}}
}

// Edges of the connection.
func (c *SiteSectionGroupConnection) Edges() []*SiteSectionGroupEdge {
	return edges(c.Page, func(cursor string, node *site.Group) *SiteSectionGroupEdge {
		return &SiteSectionGroupEdge{cursor, node}
	})
}

// SiteShareLinkEdge is an item of a SiteShareLinkConnection.
type SiteShareLinkEdge struct {
	Cursor string
	Node   *site.ShareLink
}

// SiteShareLinkConnection is the connection of that name.
type SiteShareLinkConnection struct{ connection[*site.ShareLink] }

// NewSiteShareLinkConnection wraps a page.
func NewSiteShareLinkConnection(page pagination.Page[*site.ShareLink]) *SiteShareLinkConnection {
	return &SiteShareLinkConnection{connection: connection[*site.ShareLink]{page}}
}

// Edges of the connection.
func (c *SiteShareLinkConnection) Edges() []*SiteShareLinkEdge {
	return edges(c.Page, func(cursor string, node *site.ShareLink) *SiteShareLinkEdge { return &SiteShareLinkEdge{cursor, node} })
}

// SiteRedirectEdge is an item of a SiteRedirectConnection.
type SiteRedirectEdge struct {
	Cursor string
	Node   *site.Redirect
}

// SiteRedirectConnection is the connection of that name.
type SiteRedirectConnection struct{ connection[*site.Redirect] }

// NewSiteRedirectConnection wraps a page.
func NewSiteRedirectConnection(page pagination.Page[*site.Redirect]) *SiteRedirectConnection {
	return &SiteRedirectConnection{connection: connection[*site.Redirect]{page}}
}

// Edges of the connection.
func (c *SiteRedirectConnection) Edges() []*SiteRedirectEdge {
	return edges(c.Page, func(cursor string, node *site.Redirect) *SiteRedirectEdge { return &SiteRedirectEdge{cursor, node} })
}
