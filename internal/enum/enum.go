// Package enum holds the enumerations that are stored in tables and stand on
// the wire. Their values are those of the REST API; GraphQL derives its own
// from them.
package enum

import (
	"slices"
	"strings"

	"octavo/internal/fault"
)

// SpaceVisibility says who may read a space.
type SpaceVisibility string

// The visibilities.
const (
	VisibilityPublic       SpaceVisibility = "public"
	VisibilityUnlisted     SpaceVisibility = "unlisted"
	VisibilityShareLink    SpaceVisibility = "share-link"
	VisibilityVisitorAuth  SpaceVisibility = "visitor-auth"
	VisibilityInCollection SpaceVisibility = "in-collection"
	VisibilityPrivate      SpaceVisibility = "private"
)

// Values lists the visibilities.
func (SpaceVisibility) Values() []string {
	return []string{"public", "unlisted", "share-link", "visitor-auth", "in-collection", "private"}
}

// EditMode says whether the main content of a space is edited directly.
type EditMode string

// The edit modes.
const (
	EditLive   EditMode = "live"
	EditLocked EditMode = "locked"
)

// Values lists the edit modes.
func (EditMode) Values() []string { return []string{"live", "locked"} }

// RevisionType says how a revision came about.
type RevisionType string

// The revision types.
const (
	RevisionEdits    RevisionType = "edits"
	RevisionMerge    RevisionType = "merge"    // a change request was merged
	RevisionRollback RevisionType = "rollback" // a merge was taken back
	RevisionUpdate   RevisionType = "update"   // main content was pulled into a change request
	RevisionComputed RevisionType = "computed"
)

// Values lists the revision types.
func (RevisionType) Values() []string {
	return []string{"edits", "merge", "rollback", "update", "computed"}
}

// ChangeRequestStatus is where a change request stands.
type ChangeRequestStatus string

// The statuses.
const (
	StatusDraft    ChangeRequestStatus = "draft"
	StatusOpen     ChangeRequestStatus = "open"
	StatusArchived ChangeRequestStatus = "archived"
	StatusMerged   ChangeRequestStatus = "merged"
)

// Values lists the statuses.
func (ChangeRequestStatus) Values() []string {
	return []string{"draft", "open", "archived", "merged"}
}

// ReviewStatus is the verdict of a review.
type ReviewStatus string

// The verdicts.
const (
	ReviewApproved         ReviewStatus = "approved"
	ReviewChangesRequested ReviewStatus = "changes-requested"
)

// Values lists the verdicts.
func (ReviewStatus) Values() []string { return []string{"approved", "changes-requested"} }

// Contribution says how somebody took part in a change request.
type Contribution string

// The contributions.
const (
	ContributionEdit    Contribution = "edit"
	ContributionComment Contribution = "comment"
)

// Values lists the contributions.
func (Contribution) Values() []string { return []string{"edit", "comment"} }

// CommentStatus says whether a thread is settled.
type CommentStatus string

// The comment statuses.
const (
	CommentOpen     CommentStatus = "open"
	CommentResolved CommentStatus = "resolved"
)

// Values lists the comment statuses.
func (CommentStatus) Values() []string { return []string{"open", "resolved"} }

// OrganizationType says what an organization is.
type OrganizationType string

// Values lists the organization types.
func (OrganizationType) Values() []string { return []string{"business", "community"} }

// OrganizationUseCase says what an organization uses Octavo for.
type OrganizationUseCase string

// Values lists the use cases.
func (OrganizationUseCase) Values() []string {
	return []string{
		"internalDocs", "docsSite", "audienceControlledSite", "productDocs", "teamKnowledgeBase",
		"designSystem", "openSourceDocs", "notes", "other",
	}
}

// OrganizationCommunityType says what kind of community an organization is.
type OrganizationCommunityType string

// Values lists the kinds of community.
func (OrganizationCommunityType) Values() []string {
	return []string{"nonProfit", "openSource", "education"}
}

// TeamRole is what a member may do in a team.
type TeamRole string

// The roles in a team.
const (
	TeamOwner  TeamRole = "owner" // manages the team
	TeamMember TeamRole = "member"
)

// Values lists the roles in a team.
func (TeamRole) Values() []string { return []string{"owner", "member"} }

// InviteDelivery says where the message is that carries the secret of an invite.
type InviteDelivery string

// The stages of a delivery.
const (
	DeliveryWaiting InviteDelivery = "waiting"
	DeliverySent    InviteDelivery = "sent"    // the mail server has taken it over
	DeliveryRefused InviteDelivery = "refused" // the mail server refused it for good
)

// Values lists the stages of a delivery.
func (InviteDelivery) Values() []string { return []string{"waiting", "sent", "refused"} }

// LinkStatus says whether the target of a link exists.
type LinkStatus string

// The link statuses.
const (
	LinkOK     LinkStatus = "ok"
	LinkBroken LinkStatus = "broken"
	LinkInApp  LinkStatus = "in-app"
)

// Values lists the link statuses.
func (LinkStatus) Values() []string { return []string{"ok", "broken", "in-app"} }

// LinkRelation says how strongly content depends on a target.
type LinkRelation string

// The link relations.
const (
	RelationReference LinkRelation = "reference"
	RelationDependsOn LinkRelation = "dependsOn"
)

// Values lists the link relations.
func (LinkRelation) Values() []string { return []string{"reference", "dependsOn"} }

// ReferenceKind says what a content reference points at.
type ReferenceKind string

// The kinds of content reference.
const (
	ReferenceFile            ReferenceKind = "file"
	ReferenceURL             ReferenceKind = "url"
	ReferencePage            ReferenceKind = "page"
	ReferenceAnchor          ReferenceKind = "anchor"
	ReferenceUser            ReferenceKind = "user"
	ReferenceCollection      ReferenceKind = "collection"
	ReferenceSpace           ReferenceKind = "space"
	ReferenceReusableContent ReferenceKind = "reusable-content"
	ReferenceOpenAPI         ReferenceKind = "openapi"
)

// Values lists the kinds of content reference.
func (ReferenceKind) Values() []string {
	return []string{"file", "url", "page", "anchor", "user", "collection", "space", "reusable-content", "openapi"}
}

// MergeResult is what came of a merge or an update.
type MergeResult string

// The results.
const (
	ResultMerge     MergeResult = "merge"
	ResultUpdate    MergeResult = "update"
	ResultRollback  MergeResult = "rollback"
	ResultConflicts MergeResult = "conflicts"
)

// Values lists the results.
func (MergeResult) Values() []string { return []string{"merge", "update", "rollback", "conflicts"} }

// Evaluation says which expressions of a page are evaluated.
type Evaluation string

// The evaluations.
const (
	EvaluateNone          Evaluation = "none"
	EvaluateDeterministic Evaluation = "deterministic-only"
	EvaluateAll           Evaluation = "all"
)

// Values lists the evaluations.
func (Evaluation) Values() []string { return []string{"none", "deterministic-only", "all"} }

// Order is the direction of a list.
type Order string

// The directions.
const (
	Ascending  Order = "asc"
	Descending Order = "desc"
)

// Values lists the directions.
func (Order) Values() []string { return []string{"asc", "desc"} }

// Check returns BAD_USER_INPUT when the value is not one of its enumeration.
// GraphQL checks this itself; values from elsewhere are checked here.
func Check[T interface {
	~string
	Values() []string
}](field string, value T) error {
	if slices.Contains(value.Values(), string(value)) {
		return nil
	}
	return fault.Invalid(field, "%q is not one of %s", string(value), strings.Join(value.Values(), ", "))
}

// BrokenContext tells apart the broken links of a change request.
type BrokenContext string

// The contexts.
const (
	BrokenByChangeRequest BrokenContext = "change-request" // the change request broke them
	BrokenInSpace         BrokenContext = "space"          // they were broken before
)

// Values lists the contexts.
func (BrokenContext) Values() []string { return []string{"change-request", "space"} }

// SiteType is the plan of a site; here all of them offer the same.
type SiteType string

// SiteBasic is the type of a site that is made without one.
const SiteBasic SiteType = "basic"

// Values lists the types of a site.
func (SiteType) Values() []string {
	return []string{"basic", "premium", "ultimate", "sponsored", "legacy-basic", "legacy-premium"}
}

// SiteVisibility says who may read a published site.
type SiteVisibility string

// The visibilities of a site.
const (
	SitePublic      SiteVisibility = "public"       // everybody, search engines included
	SiteUnlisted    SiteVisibility = "unlisted"     // everybody who knows the address
	SiteShareLink   SiteVisibility = "share-link"   // those who hold a key
	SiteVisitorAuth SiteVisibility = "visitor-auth" // those with a signed token
)

// Values lists the visibilities of a site.
func (SiteVisibility) Values() []string {
	return []string{"public", "unlisted", "share-link", "visitor-auth"}
}

// AgentsContext says whether agents may draw on a site.
type AgentsContext string

// The contexts.
const (
	AgentsExcluded AgentsContext = "excluded"
	AgentsIncluded AgentsContext = "included"
)

// Values lists the contexts.
func (AgentsContext) Values() []string { return []string{"excluded", "included"} }

// AuthBackend says who signs the tokens of a site's visitors.
type AuthBackend string

// The backends.
const (
	BackendCustom      AuthBackend = "custom"      // whoever holds the site's private key
	BackendIntegration AuthBackend = "integration" // an integration
)

// Values lists the backends.
func (AuthBackend) Values() []string { return []string{"custom", "integration"} }

// SiteStructureType says what the top of a site is made of.
type SiteStructureType string

// The structures.
const (
	StructureSections   SiteStructureType = "sections" // and groups of them
	StructureSiteSpaces SiteStructureType = "siteSpaces"
)

// Values lists the structures.
func (SiteStructureType) Values() []string { return []string{"sections", "siteSpaces"} }

// RedirectKind says what a redirect leads to.
type RedirectKind string

// The kinds.
const (
	RedirectSection   RedirectKind = "site-section"
	RedirectSiteSpace RedirectKind = "site-space"
	RedirectPage      RedirectKind = "site-page"
	RedirectURL       RedirectKind = "url"
)

// Values lists the kinds.
func (RedirectKind) Values() []string {
	return []string{"site-section", "site-space", "site-page", "url"}
}

// SiteSearchMode says where on a site is looked.
type SiteSearchMode string

// The modes.
const (
	SearchAll      SiteSearchMode = "all"
	SearchCurrent  SiteSearchMode = "current" // the given site spaces and the defaults
	SearchSpecific SiteSearchMode = "specific"
)

// Values lists the modes.
func (SiteSearchMode) Values() []string { return []string{"all", "current", "specific"} }

// RedirectTarget says where a redirect of an address leads.
type RedirectTarget string

// The targets.
const (
	RedirectApplication RedirectTarget = "application"
	RedirectContent     RedirectTarget = "content"
	RedirectExternal    RedirectTarget = "external"
)

// Values lists the targets.
func (RedirectTarget) Values() []string { return []string{"application", "content", "external"} }
