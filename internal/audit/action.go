package audit

// Action says what was done. Its first word names the kind of the subject.
type Action string

// The actions.
const (
	AccessTokenCreated Action = "access_token.created"
	AccessTokenRevoked Action = "access_token.revoked"

	OrganizationCreated Action = "organization.created"
	OrganizationUpdated Action = "organization.updated"
	OrganizationDeleted Action = "organization.deleted"

	MemberAdded   Action = "member.added"
	MemberJoined  Action = "member.joined" // by an invite or their e-mail domain
	MemberUpdated Action = "member.updated"
	MemberRemoved Action = "member.removed"

	InviteCreated Action = "invite.created"
	InviteUpdated Action = "invite.updated"
	InviteRevoked Action = "invite.revoked"

	TeamCreated       Action = "team.created"
	TeamUpdated       Action = "team.updated"
	TeamDeleted       Action = "team.deleted"
	TeamMemberAdded   Action = "team_member.added"
	TeamMemberUpdated Action = "team_member.updated"
	TeamMemberRemoved Action = "team_member.removed"

	CollectionCreated     Action = "collection.created"
	CollectionUpdated     Action = "collection.updated"
	CollectionMoved       Action = "collection.moved"
	CollectionTransferred Action = "collection.transferred"
	CollectionDeleted     Action = "collection.deleted"

	SpaceCreated     Action = "space.created"
	SpaceUpdated     Action = "space.updated"
	SpaceMoved       Action = "space.moved"
	SpaceTransferred Action = "space.transferred"
	SpaceDeleted     Action = "space.deleted"
	SpaceRestored    Action = "space.restored"

	PermissionGranted Action = "permission.granted"
	PermissionUpdated Action = "permission.updated"
	PermissionRemoved Action = "permission.removed"

	SiteCreated     Action = "site.created"
	SiteUpdated     Action = "site.updated"
	SitePublished   Action = "site.published"
	SiteUnpublished Action = "site.unpublished"
	SiteDeleted     Action = "site.deleted"
	// SiteRearranged: something in it was moved.
	SiteRearranged Action = "site.rearranged"

	SiteSpaceAdded   Action = "site_space.added"
	SiteSpaceUpdated Action = "site_space.updated"
	SiteSpaceRemoved Action = "site_space.removed"

	SiteSectionAdded   Action = "site_section.added"
	SiteSectionUpdated Action = "site_section.updated"
	SiteSectionRemoved Action = "site_section.removed"

	SiteSectionGroupAdded   Action = "site_section_group.added"
	SiteSectionGroupUpdated Action = "site_section_group.updated"
	SiteSectionGroupRemoved Action = "site_section_group.removed"

	SiteShareLinkCreated Action = "site_share_link.created"
	SiteShareLinkUpdated Action = "site_share_link.updated"
	SiteShareLinkDeleted Action = "site_share_link.deleted"

	SiteRedirectCreated Action = "site_redirect.created"
	SiteRedirectUpdated Action = "site_redirect.updated"
	SiteRedirectDeleted Action = "site_redirect.deleted"

	// SiteKeyRegenerated: the tokens of visitors need another key from now on.
	SiteKeyRegenerated Action = "site.key_regenerated"
)
