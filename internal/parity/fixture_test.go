package parity

import (
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/content"
	"octavo/internal/enum"
	organizations "octavo/internal/organization"
	spaces "octavo/internal/space"
)

// The same in each fixture.
const (
	welcomeID = "pag_00000000000000000000000001"
	guidesID  = "pag_00000000000000000000000002"
	installID = "pag_00000000000000000000000003"
	siteID    = "pag_00000000000000000000000004"
	apiID     = "pag_00000000000000000000000005"
	logoID    = "fil_00000000000000000000000001"
	noteID    = "rsc_00000000000000000000000001"
)

// fixture is a space of its own with what operations are done to. What a row
// names is made when it is first asked for.
type fixture struct {
	*apptest.Server
	// with names values that stand for others.
	with map[string]string

	lock   sync.Mutex
	values map[string]string
}

func newFixture(server *apptest.Server, with map[string]string) *fixture {
	return &fixture{Server: server, with: with, values: map[string]string{}}
}

// seen is the fixture for a row in which other values stand for some.
func (f *fixture) seen(t testing.TB, with map[string]string) *fixture {
	t.Helper()
	return &fixture{Server: f.Server, with: with, values: f.values}
}

// value is that of a name.
func (f *fixture) value(t testing.TB, name string) string {
	t.Helper()
	if other, stands := f.with[name]; stands {
		name = other
	}
	f.lock.Lock()
	made, known := f.values[name]
	f.lock.Unlock()
	if known {
		return made
	}
	maker, known := makers[name]
	require.True(t, known, "the fixture has no %s", name)
	made = maker(t, f)
	f.set(name, made)
	return made
}

// client calls as a caller.
func (f *fixture) client(t testing.TB, caller apptest.Caller) *apptest.Client {
	t.Helper()
	if caller != apptest.SiteToken {
		return f.As(caller)
	}
	whole := &fixture{Server: f.Server, values: f.values}
	return f.With(whole.value(t, "siteToken"))
}

func (f *fixture) set(name, value string) {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.values[name] = value
}

// named puts the names of values in place of the values.
func (f *fixture) named(text string) string {
	f.lock.Lock()
	defer f.lock.Unlock()
	for _, name := range slices.Sorted(maps.Keys(f.values)) {
		if value := f.values[name]; identifiers.MatchString(value) {
			text = strings.ReplaceAll(text, value, "<"+name+">")
		}
	}
	return text
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// fill puts values in place of their names, at any depth.
func (f *fixture) fill(t testing.TB, value any) any {
	t.Helper()
	switch value := value.(type) {
	case string:
		return placeholder.ReplaceAllStringFunc(value, func(match string) string {
			return f.value(t, match[1:len(match)-1])
		})
	case object:
		filled := object{}
		for name, field := range value {
			filled[name] = f.fill(t, field)
		}
		return filled
	case []any:
		filled := make([]any, len(value))
		for index, item := range value {
			filled[index] = f.fill(t, item)
		}
		return filled
	}
	return value
}

// path fills in the path of an operation.
func (f *fixture) path(t testing.TB, template string) string {
	t.Helper()
	return placeholder.ReplaceAllStringFunc(template, func(match string) string {
		return url.PathEscape(f.value(t, match[1:len(match)-1]))
	})
}

// mutate does what must succeed, and returns what the mutation answers.
func (f *fixture) mutate(t testing.TB, caller apptest.Caller, mutation string, input object, selection string) object {
	t.Helper()
	kind := strings.ToUpper(mutation[:1]) + mutation[1:] + "Input!"
	data := f.As(caller).Query(t, "mutation($input: "+kind+") { "+mutation+"(input: $input) "+selection+" }", object{"input": f.fill(t, input)})
	return data[mutation].(object)
}

// created does what must succeed, and returns the id of what it made.
func (f *fixture) created(t testing.TB, caller apptest.Caller, mutation string, input object, what string) string {
	t.Helper()
	return f.mutate(t, caller, mutation, input, "{ "+what+" { id } }")[what].(object)["id"].(string)
}

var makers map[string]func(t testing.TB, f *fixture) string

func init() { // makers use each other through value
	constant := func(value string) func(testing.TB, *fixture) string {
		return func(testing.TB, *fixture) string { return value }
	}
	person := func(caller apptest.Caller) func(testing.TB, *fixture) string {
		return func(_ testing.TB, f *fixture) string { return f.As(caller).UserID }
	}
	makers = map[string]func(t testing.TB, f *fixture) string{
		"pageId": constant(installID), "welcomeId": constant(welcomeID), "pagePath": constant("guides/install"),
		"fileId": constant(logoID), "reusableContentId": constant(noteID),
		"organizationId": func(_ testing.TB, f *fixture) string { return f.OrganizationID },
		"userId":         person(apptest.Reviewer), "guestId": person(apptest.Guest), "creatorId": person(apptest.Creator),
		"siteId": makeSite, "publishedSiteId": makePublishedSite, "siteSpaceId": makeSiteSpace, "otherSiteSpaceId": makeOtherSiteSpace,
		"siteSectionId": makeSection("Guides"), "otherSectionId": makeSection("API"), "siteSectionGroupId": makeSectionGroup,
		"shareLinkId": makeShareLink, "siteRedirectId": makeRedirect, "redirectSource": constant("/old"),
		"publishedURL": makePublishedURL, "siteToken": makeSiteToken,
		"branchId":  makeBranch,
		"companyId": makeCompany, "joinableId": makeJoinable, "subdomain": makeSubdomain,
		"spaceId":  makeSpace,
		"teamId":   makeTeam,
		"inviteId": makeInvite, "joinableInviteId": makeJoinableInvite,
		"templateId": makeTemplate, "collectionId": makeCollection, "bookcaseId": makeCollection,
		"restrictedSpace": makeRestricted(makeSpace), "restrictedCollection": makeRestricted(makeCollection),
		"liveSpaceId":      makeLiveSpace,
		"deletedSpaceId":   makeDeletedSpace,
		"revisionId":       revisionOf("spaceId"),
		"mergedRevisionId": makeMergedRevision,
		"changeRequestId":  makeChangeRequest,
		"emptyId":          makeEmptyChangeRequest,
		"conflictingId":    makeConflicting,
		"conflictId":       makeConflict,
		"behindId":         makeBehind,
		"archivedId":       makeArchived, "reviewersId": makeReviewers,
		"mergedId":             makeMerged,
		"reviewId":             makeReview,
		"requestedId":          makeRequested,
		"commentId":            makeComment,
		"commentReplyId":       makeReply("commentId"),
		"changeRequestComment": makeChangeRequestComment,
		"changeRequestReply":   makeReply("changeRequestComment"),
		"firstRevisionId":      revisionOf("spaceId"),
	}
}

const welcome = `---
description: Start here
---

# Welcome

Version {{ space.vars.version }}.

See [install](guides/install.md#linux) and ![a logo](.gitbook/assets/logo.png) and [nothing](gone.md).

{% include ".gitbook/includes/note.md" %}
`

const install = `# Install

## Linux

[home](../README.md) and [home again](../README.md)
`

func sampleTree() (*content.Tree, *content.Memory) {
	bodies := content.NewMemory(nil)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &content.Tree{
		Variables: map[string]any{"version": "2.1"},
		Pages: []*content.Page{
			{
				ID: welcomeID, Type: content.PageDocument, Title: "Welcome", Slug: "welcome", GitPath: "README.md", GitOID: "abc",
				Body: bodies.Add([]byte(welcome)), Description: "Start here", Emoji: "1f44b", CreatedAt: at, UpdatedAt: at,
				Cover: &content.Cover{Ref: map[string]any{"kind": "file", "file": logoID}, YPos: -12.5},
			},
			{ID: guidesID, Type: content.PageGroup, Title: "Guides", Slug: "guides", CreatedAt: at, UpdatedAt: at},
			{
				ID: installID, Parent: guidesID, Type: content.PageDocument, Title: "Install", Slug: "install", GitPath: "guides/install.md",
				Body: bodies.Add([]byte(install)), CreatedAt: at, UpdatedAt: at,
			},
			{
				ID: siteID, Parent: guidesID, Type: content.PageLink, Title: "Site", CreatedAt: at, UpdatedAt: at,
				Target: map[string]any{"kind": "url", "url": "https://example.com/"},
			},
			{
				ID: apiID, Type: content.PageComputed, Title: "API", CreatedAt: at, UpdatedAt: at,
				Computed: &content.Computed{
					Type: "builtin:openapi", Props: map[string]any{"doc": "models"}, Seed: "seed",
					Dependencies: map[string]map[string]any{"spec": {"ref": map[string]any{"kind": "openapi", "spec": "petstore"}}},
				},
			},
		},
		Files: []*content.File{{
			ID: logoID, Name: "logo.png", ContentType: "image/png", Size: 3, Content: content.HashOf([]byte("png")),
			Width: 8, Height: 4, GitPath: ".gitbook/assets/logo.png", GitOID: "def", CreatedAt: at,
		}},
		ReusableContents: []*content.ReusableContent{{
			ID: noteID, Title: "Note", GitPath: ".gitbook/includes/note.md", GitOID: "123", Body: bodies.Add([]byte("Mind **this**.\n")),
		}},
	}, bodies
}

func makeSpace(t testing.TB, f *fixture) string {
	t.Helper()
	return makeSpaceOf(t, f, enum.EditLocked)
}

func makeLiveSpace(t testing.TB, f *fixture) string {
	t.Helper()
	return makeSpaceOf(t, f, enum.EditLive)
}

func makeSpaceOf(t testing.TB, f *fixture, mode enum.EditMode) string {
	t.Helper()
	tree, bodies := sampleTree()
	made, err := f.App.Spaces.Create(f.Context(t, apptest.Creator), spaces.New{
		OrganizationID: f.OrganizationID, Title: "Sample", EditMode: mode, Tree: tree, Bodies: bodies.Added(),
	})
	require.NoError(t, err)
	state, err := json.Marshal(object{"url": "https://github.com/acme/docs", "provider": "github", "operation": "import", "progress": "success", "updatedAt": "2026-01-02T03:04:05Z"})
	require.NoError(t, err)
	ctx := access.System(t.Context(), "fixture")
	require.NoError(t, f.App.Database.Client(ctx).Space.UpdateOneID(made.ID).SetGitSync(state).Exec(ctx))
	return made.ID
}

// makeTemplate is another space, in the collection.
func makeTemplate(t testing.TB, f *fixture) string {
	t.Helper()
	id := makeSpace(t, f)
	f.mutate(t, apptest.Creator, "moveSpace", object{"space": id, "parent": "{collectionId}"}, "{ space { id } }")
	return id
}

func makeCollection(t testing.TB, f *fixture) string {
	t.Helper()
	return f.created(t, apptest.Creator, "createCollection", object{"organization": "{organizationId}", "title": "Shelf"}, "collection")
}

// makeTeam is owned by the reviewer; the creator is in it too.
func makeTeam(t testing.TB, f *fixture) string {
	t.Helper()
	id := f.created(t, apptest.Admin, "createOrganizationTeam", object{
		"organization": "{organizationId}", "title": "Engine room", "members": []any{"{creatorId}"},
	}, "team")
	f.mutate(t, apptest.Admin, "addMemberToOrganizationTeam",
		object{"team": id, "member": f.As(apptest.Reviewer).UserID, "role": "OWNER"}, "{ teamMember { id } }")
	return id
}

func makeDeletedSpace(t testing.TB, f *fixture) string {
	t.Helper()
	id := makeSpace(t, f)
	f.mutate(t, apptest.Creator, "deleteSpace", object{"space": id}, "{ deleted }")
	return id
}

// makeBranch is an organization of which only the administrator of the first is
// a member.
func makeBranch(t testing.TB, f *fixture) string {
	t.Helper()
	made, err := f.App.Organizations.Create(f.Context(t, apptest.Admin), organizations.New{Title: "Branch"})
	require.NoError(t, err)
	return made.ID
}

func revisionOf(spaceName string) func(t testing.TB, f *fixture) string {
	return func(t testing.TB, f *fixture) string {
		t.Helper()
		data := f.As(apptest.Admin).Query(t, "query($id: ID!) { space(id: $id) { revision { id } } }", object{"id": f.value(t, spaceName)})
		return data["space"].(object)["revision"].(object)["id"].(string)
	}
}

// branchOff starts a change request of the editor.
func branchOff(t testing.TB, f *fixture, subject string, changes ...any) string {
	t.Helper()
	id := f.created(t, apptest.Editor, "createChangeRequest", object{"space": "{spaceId}", "subject": subject}, "changeRequest")
	if len(changes) > 0 {
		f.mutate(t, apptest.Editor, "updateChangeRequestContent", object{"changeRequest": id, "changes": changes}, "{ revision { id } }")
	}
	return id
}

func titled(title string) object {
	return object{"updatePage": object{"page": installID, "title": title}}
}

func makeChangeRequest(t testing.TB, f *fixture) string {
	t.Helper()
	id := branchOff(t, f, "Better guides",
		object{"updatePage": object{"page": installID, "document": object{"markdown": "# Install\n\n## Linux\n\nAsk [us](../README.md) or [nobody](lost.md).\n"}}},
		object{"insertPage": object{"document": object{"markdown": "# More\n\nAs on [install](install.md).\n"}, "into": guidesID}},
	)
	f.mutate(t, apptest.Editor, "updateChangeRequest", object{"changeRequest": id, "status": "OPEN"}, "{ changeRequest { id } }")
	return id
}

func makeEmptyChangeRequest(t testing.TB, f *fixture) string {
	t.Helper()
	return branchOff(t, f, "Nothing yet")
}

func mergeNow(t testing.TB, f *fixture, id string) (revision string) {
	t.Helper()
	merged := f.mutate(t, apptest.Reviewer, "mergeChangeRequest", object{"changeRequest": id}, "{ revision { id } result }")
	require.Equal(t, "MERGE", merged["result"])
	return merged["revision"].(object)["id"].(string)
}

// makeConflicting is a change request that names a page otherwise than the main
// content does by now.
func makeConflicting(t testing.TB, f *fixture) string {
	t.Helper()
	id := branchOff(t, f, "Ours", titled("Set up"))
	mergeNow(t, f, branchOff(t, f, "Theirs", titled("Installation")))
	return id
}

func makeConflict(t testing.TB, f *fixture) string {
	t.Helper()
	data := f.As(apptest.Admin).Query(t, "query($space: ID!, $id: ID!) { space(id: $space) { changeRequest(id: $id) { mergePreview { conflicts { id } } } } }",
		object{"space": f.value(t, "spaceId"), "id": f.value(t, "conflictingId")})
	conflicts := data["space"].(object)["changeRequest"].(object)["mergePreview"].(object)["conflicts"].([]any)
	require.Len(t, conflicts, 1)
	return conflicts[0].(object)["id"].(string)
}

// makeBehind is a change request that the main content has left behind without
// a conflict.
func makeBehind(t testing.TB, f *fixture) string {
	t.Helper()
	id := branchOff(t, f, "Ours", titled("Set up"))
	mergeNow(t, f, branchOff(t, f, "Theirs", object{"updatePage": object{"page": welcomeID, "title": "Hello"}}))
	return id
}

func makeMerged(t testing.TB, f *fixture) string {
	t.Helper()
	id := branchOff(t, f, "Done", titled("Installing"))
	f.set("mergedRevisionId", mergeNow(t, f, id))
	return id
}

func makeArchived(t testing.TB, f *fixture) string {
	t.Helper()
	id := branchOff(t, f, "Given up", titled("Installing"))
	f.mutate(t, apptest.Editor, "updateChangeRequest", object{"changeRequest": id, "status": "ARCHIVED"}, "{ changeRequest { id } }")
	return id
}

// makeReviewers is a change request of the reviewer's own.
func makeReviewers(t testing.TB, f *fixture) string {
	t.Helper()
	id := f.created(t, apptest.Reviewer, "createChangeRequest", object{"space": "{spaceId}", "subject": "Mine"}, "changeRequest")
	f.mutate(t, apptest.Reviewer, "updateChangeRequestContent", object{"changeRequest": id, "changes": []any{titled("Mine")}}, "{ revision { id } }")
	return id
}

func makeMergedRevision(t testing.TB, f *fixture) string {
	t.Helper()
	f.set("mergedId", makeMerged(t, f))
	return f.value(t, "mergedRevisionId")
}

func makeReview(t testing.TB, f *fixture) string {
	t.Helper()
	return f.created(t, apptest.Reviewer, "submitChangeRequestReview", object{"changeRequest": "{changeRequestId}", "status": "APPROVED"}, "review")
}

// makeRequested asks for a review of the creator, and is their id.
func makeRequested(t testing.TB, f *fixture) string {
	t.Helper()
	id := f.value(t, "creatorId")
	f.mutate(t, apptest.Editor, "requestReviewersForChangeRequest", object{"changeRequest": "{changeRequestId}", "users": []any{id}}, "{ changeRequest { id } }")
	return id
}

func makeComment(t testing.TB, f *fixture) string {
	t.Helper()
	id := f.created(t, apptest.Commenter, "postComment", object{"space": "{spaceId}", "page": installID, "body": object{"markdown": "Why *so*?"}}, "comment")
	f.mutate(t, apptest.Editor, "updateComment", object{"comment": id, "addedReactions": []any{"1f44d"}}, "{ comment { id } }")
	return id
}

func makeChangeRequestComment(t testing.TB, f *fixture) string {
	t.Helper()
	return f.created(t, apptest.Commenter, "postComment",
		object{"space": "{spaceId}", "changeRequest": "{changeRequestId}", "body": object{"markdown": "Good."}}, "comment")
}

func makeReply(comment string) func(t testing.TB, f *fixture) string {
	return func(t testing.TB, f *fixture) string {
		t.Helper()
		return f.created(t, apptest.Commenter, "postCommentReply", object{"comment": "{" + comment + "}", "body": object{"markdown": "Because."}}, "commentReply")
	}
}

// everything makes all that the rows that read name.
func (f *fixture) everything(t testing.TB, names []string) {
	t.Helper()
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		f.value(t, name)
	}
}
