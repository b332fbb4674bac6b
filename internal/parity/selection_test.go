package parity

// Selections of what the REST API shows of each thing. Aliases give fields
// their names on the wire; __typename asks for the form of the wire where it
// is another (reshape).
const (
	user = ` { id displayName email photoURL urls { location } } `

	mergeRules = ` mergeRules { type rules { rule users expression } } `

	organization = ` {
		id title createdAt emailDomains hostname type useCase communityType plan defaultRole defaultContent sso ai inviteLinks
		` + mergeRules + `
		urls { location app logo }
		permissions {
			view admin ownTeam createContent createOpenAPISpec ingestConversations viewBilling
			listMembers listTeams listIntegrations listInstallations installIntegration
		}
	} `

	gitSync = ` { repoName installationProvider integration url updatedAt } `

	space = ` {
		__typename id title emoji visibility createdAt updatedAt deletedAt editMode language defaultLevel
		` + mergeRules + `
		organization { id } parent { id } revision { id } gitSync ` + gitSync + `
		comments: openComments
		changeRequests: changeRequestCount
		changeRequestsOpen: openChangeRequestCount
		changeRequestsDraft: draftChangeRequestCount
		urls { location app published public icon }
		permissions { view access admin viewInviteLinks edit triggerGitSync comment merge review installIntegration }
	} `

	collection = ` {
		id title description organization { id } parent { id } defaultLevel
		urls { location app } permissions { view admin viewInviteLinks create }
	} `

	changeRequest = ` {
		id number status subject description createdAt updatedAt createdBy ` + user + `
		space { id } revision { id } revisionInitial { id } revisionMergedAncestor { id } revisionMerged { id }
		comments: openComments outdated conversationsIssuesCluster urls { location app }
	} `

	reference = ` { kind url file page anchor user collection space reusableContent spec } `

	pageFields = `
		__typename id type title emoji icon description slug path createdAt updatedAt hidden noIndex noRobotsIndex
		git { oid path } variables target ` + reference + ` href urls { app }
		layout { width cover coverSize title description tableOfContents outline pagination metadata }
		cover { ref ` + reference + ` refDark ` + reference + ` yPos height }
		computed { type dependencies props seed }
	`
	pageTree         = pageFields + ` pages { ` + pageFields + ` pages { ` + pageFields + ` pages { id } } } `
	page             = ` { ` + pageTree + ` } `
	pageWithMarkdown = ` { ` + pageTree + ` markdown } `
	pageWithDocument = ` { ` + pageTree + ` document } `

	file            = ` { id name contentType size downloadURL dimensions { width height } git { oid path } } `
	reusableContent = ` { id title git { oid path } } `

	revisionFields = `
		id type parents createdAt variables urls { app published public }
		git { oid message createdByGitBook url ref } mergedFrom ` + changeRequest + `
	`
	revision = ` {
		` + revisionFields + `
		pages ` + page + ` files(first: 1000) { nodes ` + file + ` } reusableContents ` + reusableContent + `
	} `

	location = ` {
		__typename kind url anchor
		organization ` + organization + ` space ` + space + ` revision { ` + revisionFields + ` }
		changeRequest ` + changeRequest + ` page { ` + pageFields + ` } file ` + file + ` reusableContent ` + reusableContent + ` user ` + user + `
		collection ` + collection + `
	} `
	link = ` {
		relation status targetReference: targetLocation ` + location + ` locationReferences: locations ` + location + `
	} `

	changedPage            = ` { id type title path } `
	changedFile            = ` { id name contentType downloadURL } `
	changedReusableContent = ` { id title } `
	change                 = ` {
		__typename type page ` + changedPage + ` file ` + changedFile + ` reusableContent ` + changedReusableContent + `
		attributes { name before after } movedFrom ` + changedPage + ` movedTo ` + changedPage + `
	} `
	changes = ` { __typename nodes ` + change + ` totalCount } `

	conflict = ` {
		__typename id kind page ` + changedPage + ` file ` + changedFile + ` reusableContent ` + changedReusableContent + `
		field block base ours theirs choices
	} `
	merged = ` { revision { id } result } `

	contributor       = ` { user ` + user + ` actionType: action count updatedAt } `
	requestedReviewer = ` { user ` + user + ` requestedBy ` + user + ` revision { id } createdAt } `
	review            = ` {
		id status reviewer ` + user + ` requestedBy ` + user + ` revision { id } outdated createdAt updatedAt: createdAt
		urls { location } comment ` + comment + `
	} `

	outcomes = ` pages { __typename kind pageId ref page { id } } insertedFiles: files ` + file

	text      = ` { __typename isDocument markdown document } `
	reactions = ` reactions { emoji count users { user ` + user + ` reactedAt } } `
	comment   = ` {
		id postedAt editedAt status resolvedAt postedBy ` + user + ` resolvedBy ` + user + ` body ` + text + reactions + `
		target { space { id } changeRequest { id } review revision page node tableCell { record definition } }
		replies: replyCount repliers { user ` + user + ` count updatedAt }
		urls { location } permissions { view edit reply delete }
	} `
	reply = ` {
		id postedAt editedAt postedBy ` + user + ` body ` + text + reactions + `
		urls { location } permissions { view edit reply delete }
	} `
	member = ` {
		__typename id role disabled joinedAt lastSeenAt sso user ` + user + ` spaces: spaceCount teams: teamCount
	} `

	pageHit  = ` { id title path ancestors { title } sections { id title path body urls { app } } urls { app } } `
	spaceHit = ` { id title pages ` + pageHit + ` } `
)

// connection selects a page of a list.
func connection(item string) string {
	return " { nodes " + item + " totalCount pageInfo { hasNextPage endCursor } } "
}
