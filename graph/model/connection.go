package model

import (
	"context"

	"octavo/ent"
	"octavo/internal/changerequest"
	"octavo/internal/collection"
	"octavo/internal/comment"
	"octavo/internal/linkgraph"
	"octavo/internal/organization"
	"octavo/internal/pagination"
	"octavo/internal/permission"
	"octavo/internal/revision"
	"octavo/internal/search"
	"octavo/internal/space"
)

// Each connection of the schema is a page of package pagination; the methods
// are what gqlgen reads its fields from.

func edges[T any, E any](page pagination.Page[T], edge func(cursor string, node T) E) []E {
	made := make([]E, len(page.Items))
	for index, item := range page.Items {
		made[index] = edge(page.Cursor(item), item)
	}
	return made
}

// AccessTokenEdge is an item of a AccessTokenConnection.
type AccessTokenEdge struct {
	Cursor string
	Node   *ent.AccessToken
}

// AccessTokenConnection is the connection of that name.
type AccessTokenConnection struct {
	connection[*ent.AccessToken]
}

// NewAccessTokenConnection wraps a page.
func NewAccessTokenConnection(page pagination.Page[*ent.AccessToken]) *AccessTokenConnection {
	return &AccessTokenConnection{connection: connection[*ent.AccessToken]{page}}
}

// Edges of the connection.
func (c *AccessTokenConnection) Edges() []*AccessTokenEdge {
	return edges(c.Page, func(cursor string, node *ent.AccessToken) *AccessTokenEdge { return &AccessTokenEdge{cursor, node} })
}

// ChangeRequestEdge is an item of a ChangeRequestConnection.
type ChangeRequestEdge struct {
	Cursor string
	Node   *changerequest.ChangeRequest
}

// ChangeRequestConnection is the connection of that name.
type ChangeRequestConnection struct {
	connection[*changerequest.ChangeRequest]
}

// NewChangeRequestConnection wraps a page.
func NewChangeRequestConnection(page pagination.Page[*changerequest.ChangeRequest]) *ChangeRequestConnection {
	return &ChangeRequestConnection{connection: connection[*changerequest.ChangeRequest]{page}}
}

// Edges of the connection.
func (c *ChangeRequestConnection) Edges() []*ChangeRequestEdge {
	return edges(c.Page, func(cursor string, node *changerequest.ChangeRequest) *ChangeRequestEdge {
		return &ChangeRequestEdge{cursor, node}
	})
}

// CollectionEdge is an item of a CollectionConnection.
type CollectionEdge struct {
	Cursor string
	Node   *collection.Collection
}

// CollectionConnection is the connection of that name.
type CollectionConnection struct {
	connection[*collection.Collection]
}

// NewCollectionConnection wraps a page.
func NewCollectionConnection(page pagination.Page[*collection.Collection]) *CollectionConnection {
	return &CollectionConnection{connection: connection[*collection.Collection]{page}}
}

// Edges of the connection.
func (c *CollectionConnection) Edges() []*CollectionEdge {
	return edges(c.Page, func(cursor string, node *collection.Collection) *CollectionEdge { return &CollectionEdge{cursor, node} })
}

// CommentEdge is an item of a CommentConnection.
type CommentEdge struct {
	Cursor string
	Node   *comment.Comment
}

// CommentConnection is the connection of that name.
type CommentConnection struct {
	connection[*comment.Comment]
}

// NewCommentConnection wraps a page.
func NewCommentConnection(page pagination.Page[*comment.Comment]) *CommentConnection {
	return &CommentConnection{connection: connection[*comment.Comment]{page}}
}

// Edges of the connection.
func (c *CommentConnection) Edges() []*CommentEdge {
	return edges(c.Page, func(cursor string, node *comment.Comment) *CommentEdge { return &CommentEdge{cursor, node} })
}

// CommentReplyEdge is an item of a CommentReplyConnection.
type CommentReplyEdge struct {
	Cursor string
	Node   *comment.Reply
}

// CommentReplyConnection is the connection of that name.
type CommentReplyConnection struct {
	connection[*comment.Reply]
}

// NewCommentReplyConnection wraps a page.
func NewCommentReplyConnection(page pagination.Page[*comment.Reply]) *CommentReplyConnection {
	return &CommentReplyConnection{connection: connection[*comment.Reply]{page}}
}

// Edges of the connection.
func (c *CommentReplyConnection) Edges() []*CommentReplyEdge {
	return edges(c.Page, func(cursor string, node *comment.Reply) *CommentReplyEdge { return &CommentReplyEdge{cursor, node} })
}

// ContentLocationEdge is an item of a ContentLocationConnection.
type ContentLocationEdge struct {
	Cursor string
	Node   *linkgraph.Location
}

// ContentLocationConnection is the connection of that name.
type ContentLocationConnection struct {
	connection[*linkgraph.Location]
}

// NewContentLocationConnection wraps a page.
func NewContentLocationConnection(page pagination.Page[*linkgraph.Location]) *ContentLocationConnection {
	return &ContentLocationConnection{connection: connection[*linkgraph.Location]{page}}
}

// Edges of the connection.
func (c *ContentLocationConnection) Edges() []*ContentLocationEdge {
	return edges(c.Page, func(cursor string, node *linkgraph.Location) *ContentLocationEdge {
		return &ContentLocationEdge{cursor, node}
	})
}

// FileEdge is an item of a FileConnection.
type FileEdge struct {
	Cursor string
	Node   *revision.File
}

// FileConnection is the connection of that name.
type FileConnection struct {
	connection[*revision.File]
}

// NewFileConnection wraps a page.
func NewFileConnection(page pagination.Page[*revision.File]) *FileConnection {
	return &FileConnection{connection: connection[*revision.File]{page}}
}

// Edges of the connection.
func (c *FileConnection) Edges() []*FileEdge {
	return edges(c.Page, func(cursor string, node *revision.File) *FileEdge { return &FileEdge{cursor, node} })
}

// RevisionRedirectEdge is an item of a RevisionRedirectConnection.
type RevisionRedirectEdge struct {
	Cursor string
	Node   *revision.Redirect
}

// RevisionRedirectConnection is the connection of that name.
type RevisionRedirectConnection struct {
	connection[*revision.Redirect]
}

// NewRevisionRedirectConnection wraps a page.
func NewRevisionRedirectConnection(page pagination.Page[*revision.Redirect]) *RevisionRedirectConnection {
	return &RevisionRedirectConnection{connection: connection[*revision.Redirect]{page}}
}

// Edges of the connection.
func (c *RevisionRedirectConnection) Edges() []*RevisionRedirectEdge {
	return edges(c.Page, func(cursor string, node *revision.Redirect) *RevisionRedirectEdge {
		return &RevisionRedirectEdge{cursor, node}
	})
}

// LinkEdge is an item of a LinkConnection.
type LinkEdge struct {
	Cursor string
	Node   *linkgraph.Link
}

// LinkConnection is the connection of that name.
type LinkConnection struct {
	connection[*linkgraph.Link]
	// Stats of the whole list.
	Stats *linkgraph.Stats
}

// NewLinkConnection wraps a page of links.
func NewLinkConnection(list linkgraph.List) *LinkConnection {
	return &LinkConnection{connection: connection[*linkgraph.Link]{list.Page}, Stats: &list.Stats}
}

// Edges of the connection.
func (c *LinkConnection) Edges() []*LinkEdge {
	return edges(c.Page, func(cursor string, node *linkgraph.Link) *LinkEdge { return &LinkEdge{cursor, node} })
}

// MemberEdge is an item of a MemberConnection.
type MemberEdge struct {
	Cursor string
	Node   *ent.Member
}

// MemberConnection is the connection of that name.
type MemberConnection struct {
	connection[*ent.Member]
}

// NewMemberConnection wraps a page.
func NewMemberConnection(page pagination.Page[*ent.Member]) *MemberConnection {
	return &MemberConnection{connection: connection[*ent.Member]{page}}
}

// Edges of the connection.
func (c *MemberConnection) Edges() []*MemberEdge {
	return edges(c.Page, func(cursor string, node *ent.Member) *MemberEdge { return &MemberEdge{cursor, node} })
}

// MemberSpaceEdge is an item of a MemberSpaceConnection.
type MemberSpaceEdge struct {
	Cursor string
	Node   *space.MemberSpace
}

// MemberSpaceConnection is the connection of that name.
type MemberSpaceConnection struct {
	connection[*space.MemberSpace]
}

// NewMemberSpaceConnection wraps a page.
func NewMemberSpaceConnection(page pagination.Page[*space.MemberSpace]) *MemberSpaceConnection {
	return &MemberSpaceConnection{connection: connection[*space.MemberSpace]{page}}
}

// Edges of the connection.
func (c *MemberSpaceConnection) Edges() []*MemberSpaceEdge {
	return edges(c.Page, func(cursor string, node *space.MemberSpace) *MemberSpaceEdge { return &MemberSpaceEdge{cursor, node} })
}

// OrganizationEdge is an item of a OrganizationConnection.
type OrganizationEdge struct {
	Cursor string
	Node   *organization.Organization
}

// OrganizationConnection is the connection of that name.
type OrganizationConnection struct {
	connection[*organization.Organization]
}

// NewOrganizationConnection wraps a page.
func NewOrganizationConnection(page pagination.Page[*organization.Organization]) *OrganizationConnection {
	return &OrganizationConnection{connection: connection[*organization.Organization]{page}}
}

// Edges of the connection.
func (c *OrganizationConnection) Edges() []*OrganizationEdge {
	return edges(c.Page, func(cursor string, node *organization.Organization) *OrganizationEdge {
		return &OrganizationEdge{cursor, node}
	})
}

// PageSearchHitEdge is an item of a PageSearchHitConnection.
type PageSearchHitEdge struct {
	Cursor string
	Node   *search.PageHit
}

// PageSearchHitConnection is the connection of that name.
type PageSearchHitConnection struct {
	connection[*search.PageHit]
}

// NewPageSearchHitConnection wraps a page.
func NewPageSearchHitConnection(page pagination.Page[*search.PageHit]) *PageSearchHitConnection {
	return &PageSearchHitConnection{connection: connection[*search.PageHit]{page}}
}

// Edges of the connection.
func (c *PageSearchHitConnection) Edges() []*PageSearchHitEdge {
	return edges(c.Page, func(cursor string, node *search.PageHit) *PageSearchHitEdge { return &PageSearchHitEdge{cursor, node} })
}

// RequestedReviewerEdge is an item of a RequestedReviewerConnection.
type RequestedReviewerEdge struct {
	Cursor string
	Node   *ent.RequestedReviewer
}

// RequestedReviewerConnection is the connection of that name.
type RequestedReviewerConnection struct {
	connection[*ent.RequestedReviewer]
}

// NewRequestedReviewerConnection wraps a page.
func NewRequestedReviewerConnection(page pagination.Page[*ent.RequestedReviewer]) *RequestedReviewerConnection {
	return &RequestedReviewerConnection{connection: connection[*ent.RequestedReviewer]{page}}
}

// Edges of the connection.
func (c *RequestedReviewerConnection) Edges() []*RequestedReviewerEdge {
	return edges(c.Page, func(cursor string, node *ent.RequestedReviewer) *RequestedReviewerEdge {
		return &RequestedReviewerEdge{cursor, node}
	})
}

// ReviewEdge is an item of a ReviewConnection.
type ReviewEdge struct {
	Cursor string
	Node   *changerequest.Review
}

// ReviewConnection is the connection of that name.
type ReviewConnection struct {
	connection[*changerequest.Review]
}

// NewReviewConnection wraps a page.
func NewReviewConnection(page pagination.Page[*changerequest.Review]) *ReviewConnection {
	return &ReviewConnection{connection: connection[*changerequest.Review]{page}}
}

// Edges of the connection.
func (c *ReviewConnection) Edges() []*ReviewEdge {
	return edges(c.Page, func(cursor string, node *changerequest.Review) *ReviewEdge { return &ReviewEdge{cursor, node} })
}

// RevisionEdge is an item of a RevisionConnection.
type RevisionEdge struct {
	Cursor string
	Node   *revision.Revision
}

// RevisionConnection is the connection of that name.
type RevisionConnection struct {
	connection[*revision.Revision]
}

// NewRevisionConnection wraps a page.
func NewRevisionConnection(page pagination.Page[*revision.Revision]) *RevisionConnection {
	return &RevisionConnection{connection: connection[*revision.Revision]{page}}
}

// Edges of the connection.
func (c *RevisionConnection) Edges() []*RevisionEdge {
	return edges(c.Page, func(cursor string, node *revision.Revision) *RevisionEdge { return &RevisionEdge{cursor, node} })
}

// RevisionChangeEdge is an item of a RevisionChangeConnection.
type RevisionChangeEdge struct {
	Cursor string
	Node   *revision.Change
}

// RevisionChangeConnection is the connection of that name.
type RevisionChangeConnection struct {
	connection[*revision.Change]
}

// NewRevisionChangeConnection wraps a page.
func NewRevisionChangeConnection(page pagination.Page[*revision.Change]) *RevisionChangeConnection {
	return &RevisionChangeConnection{connection: connection[*revision.Change]{page}}
}

// Edges of the connection.
func (c *RevisionChangeConnection) Edges() []*RevisionChangeEdge {
	return edges(c.Page, func(cursor string, node *revision.Change) *RevisionChangeEdge {
		return &RevisionChangeEdge{cursor, node}
	})
}

// SpaceEdge is an item of a SpaceConnection.
type SpaceEdge struct {
	Cursor string
	Node   *space.Space
}

// SpaceConnection is the connection of that name.
type SpaceConnection struct {
	connection[*space.Space]
}

// NewSpaceConnection wraps a page.
func NewSpaceConnection(page pagination.Page[*space.Space]) *SpaceConnection {
	return &SpaceConnection{connection: connection[*space.Space]{page}}
}

// Edges of the connection.
func (c *SpaceConnection) Edges() []*SpaceEdge {
	return edges(c.Page, func(cursor string, node *space.Space) *SpaceEdge { return &SpaceEdge{cursor, node} })
}

// SpaceSearchHitEdge is an item of a SpaceSearchHitConnection.
type SpaceSearchHitEdge struct {
	Cursor string
	Node   *search.SpaceHit
}

// SpaceSearchHitConnection is the connection of that name.
type SpaceSearchHitConnection struct {
	connection[*search.SpaceHit]
}

// NewSpaceSearchHitConnection wraps a page.
func NewSpaceSearchHitConnection(page pagination.Page[*search.SpaceHit]) *SpaceSearchHitConnection {
	return &SpaceSearchHitConnection{connection: connection[*search.SpaceHit]{page}}
}

// Edges of the connection.
func (c *SpaceSearchHitConnection) Edges() []*SpaceSearchHitEdge {
	return edges(c.Page, func(cursor string, node *search.SpaceHit) *SpaceSearchHitEdge {
		return &SpaceSearchHitEdge{cursor, node}
	})
}

// ContributorEdge is an item of a ContributorConnection.
type ContributorEdge struct {
	Cursor string
	Node   *ent.Contributor
}

// ContributorConnection is the connection of that name.
type ContributorConnection struct {
	connection[*ent.Contributor]
}

// NewContributorConnection wraps a page.
func NewContributorConnection(page pagination.Page[*ent.Contributor]) *ContributorConnection {
	return &ContributorConnection{connection: connection[*ent.Contributor]{page}}
}

// Edges of the connection.
func (c *ContributorConnection) Edges() []*ContributorEdge {
	return edges(c.Page, func(cursor string, node *ent.Contributor) *ContributorEdge { return &ContributorEdge{cursor, node} })
}

// EffectivePermissionEdge is an item of a EffectivePermissionConnection.
type EffectivePermissionEdge struct {
	Cursor string
	Node   *permission.Effective
}

// EffectivePermissionConnection is the connection of that name.
type EffectivePermissionConnection struct {
	connection[*permission.Effective]
}

// NewEffectivePermissionConnection wraps a page.
func NewEffectivePermissionConnection(page pagination.Page[*permission.Effective]) *EffectivePermissionConnection {
	return &EffectivePermissionConnection{connection: connection[*permission.Effective]{page}}
}

// Edges of the connection.
func (c *EffectivePermissionConnection) Edges() []*EffectivePermissionEdge {
	return edges(c.Page, func(cursor string, node *permission.Effective) *EffectivePermissionEdge {
		return &EffectivePermissionEdge{cursor, node}
	})
}

// GrantedEdge is an item of a GrantedConnection.
type GrantedEdge struct {
	Cursor string
	Node   *permission.Granted
}

// GrantedConnection is the connection of what a resource grants to users, or to teams.
type GrantedConnection struct {
	connection[*permission.Granted]
}

// NewGrantedConnection wraps a page.
func NewGrantedConnection(page pagination.Page[*permission.Granted]) *GrantedConnection {
	return &GrantedConnection{connection: connection[*permission.Granted]{page}}
}

// Edges of the connection.
func (c *GrantedConnection) Edges() []*GrantedEdge {
	return edges(c.Page, func(cursor string, node *permission.Granted) *GrantedEdge { return &GrantedEdge{cursor, node} })
}

// StructureEdge is an item of a StructureConnection.
type StructureEdge struct {
	Cursor string
	Node   collection.Item
}

// StructureConnection is the connection of that name.
type StructureConnection struct {
	connection[collection.Item]
}

// NewStructureConnection wraps a page.
func NewStructureConnection(page pagination.Page[collection.Item]) *StructureConnection {
	return &StructureConnection{connection: connection[collection.Item]{page}}
}

// Edges of the connection.
func (c *StructureConnection) Edges() []*StructureEdge {
	return edges(c.Page, func(cursor string, node collection.Item) *StructureEdge { return &StructureEdge{cursor, node} })
}

// connection is what all connections share.
type connection[T any] struct{ pagination.Page[T] }

// Nodes of the page.
func (c connection[T]) Nodes() []T { return c.Items }

// PageInfo of the page.
func (c connection[T]) PageInfo() *pagination.Info { return &c.Info }

// TotalCount counts the whole list.
func (c connection[T]) TotalCount(ctx context.Context) (int, error) { return c.Count(ctx) }

// NextPage is the cursor behind which the list goes on, or nil at its end.
func (c connection[T]) NextPage() *string {
	if !c.Info.HasNextPage {
		return nil
	}
	return c.Info.EndCursor
}
