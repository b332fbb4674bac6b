package parity

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/database"
	users "octavo/internal/user"
	"octavo/rest/contract"
)

// growth makes what an operation lists longer, by so many items or to so many.
type growth func(t *testing.T, f *fixture, count int)

// growths are those of each operation that answers with a list.
var growths = map[string]growth{
	"listOrganizationsForAuthenticatedUser": repeated(makeBranch),
	"listSpacesInOrganizationById":          repeated(makeSpace),
	"listCollectionsInOrganizationById":     repeated(makeCollection),
	"listSpacesInCollectionById":            repeated(makeTemplate),
	"listMembersInOrganizationById":         repeated(makePerson),
	"listSpacesForOrganizationMember":       repeated(makeSpace),
	"listTeamsForOrganizationMember":        repeated(makeMembersTeam),
	"searchOrganizationContent":             repeated(makeSpace),
	"listTeamsInOrganizationById":           repeated(makeTeam),
	"listTeamMembersInOrganizationById":     growTeam,
	"listOrganizationInviteLinks":           repeated(makeInvite),
	"searchSpaceContent":                    growMain,
	"listChangeRequestsForOrganization":     repeated(makeOpenChangeRequest),
	"listChangeRequestsForSpace":            repeated(makeEmptyChangeRequest),

	"listUserPermissionsInSpace":           growGranted("space"),
	"listTeamPermissionsInSpace":           growGrantedTeams("space"),
	"listPermissionsAggregateInSpace":      growGranted("space"),
	"listUserPermissionsInCollection":      growGranted("collection"),
	"listTeamPermissionsInCollection":      growGrantedTeams("collection"),
	"listPermissionsAggregateInCollection": growGranted("collection"),

	"listSites":                      repeated(makeSite),
	"listSiteSpaces":                 repeated(makeOtherSiteSpace),
	"listSiteSections":               repeated(makeSection("More")),
	"listSiteSectionGroups":          repeated(makeSectionGroup),
	"listSiteShareLinks":             repeated(makeShareLink),
	"listSiteRedirects":              growRedirects,
	"getSiteStructure":               repeated(makeSection("More")),
	"getPublishedContentSite":        repeated(makeSection("More")),
	"listPermissionsAggregateInSite": growReaders,

	"getCurrentRevision":         growMain,
	"listPages":                  growMain,
	"listFiles":                  growMain,
	"listSpaceLinks":             growMain,
	"listSpaceFileBacklinks":     growMain,
	"listSpacePageBacklinks":     growMain,
	"listPageLinksInSpace":       growPage,
	"getRevisionById":            growMain,
	"listPagesInRevisionById":    growMain,
	"listFilesInRevisionById":    growMain,
	"getRevisionSemanticChanges": growMain,

	"getRevisionOfChangeRequestById": growChangeRequest,
	"listPagesInChangeRequest":       growChangeRequest,
	"listFilesInChangeRequestById":   growChangeRequest,
	"listChangeRequestLinks":         growChangeRequest,
	"listChangeRequestFileBacklinks": growChangeRequest,
	"listChangeRequestPageBacklinks": growChangeRequest,
	"listPageLinksInChangeRequest":   growPageInChangeRequest,
	"getChangeRequestChanges":        growChangeRequest,

	"listChangeRequestConflicts": growConflicts,
	"previewChangeRequestMerge":  growConflicts,

	"getContributorsByChangeRequestId":       byPeople(onChangeRequest+"/comments", remark),
	"getReviewsByChangeRequestId":            byPeople(onChangeRequest+"/reviews", object{"status": "approved"}),
	"getRequestedReviewersByChangeRequestId": growRequested,

	"listCommentersInSpace":             byPeople("/spaces/{spaceId}/comments", remark),
	"listCommentersInChangeRequest":     byPeople(onChangeRequest+"/comments", remark),
	"listCommentsInSpace":               growComments("commentId", makeComment),
	"listCommentsInChangeRequest":       growComments("changeRequestComment", makeChangeRequestComment),
	"listCommentRepliesInSpace":         repeated(makeReply("commentId")),
	"listCommentRepliesInChangeRequest": repeated(makeReply("changeRequestComment")),
}

const onChangeRequest = "/spaces/{spaceId}/change-requests/{changeRequestId}"

var remark = object{"body": object{"markdown": "Fine."}}

func TestListsTakeAsManyStatementsForManyItemsAsForFew(t *testing.T) {
	t.Parallel()
	for _, row := range rows {
		if strings.Contains(row.selection, "totalCount") {
			assert.Contains(t, growths, row.operation, "a list without a growth")
		}
	}
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		handler := server.App.Handler()
		for _, operation := range slices.SortedFunc(maps.Keys(growths), organizationsFirst) {
			grow := growths[operation]
			t.Run(operation, func(t *testing.T) {
				row, known := rowOf(operation)
				require.True(t, known)
				f := newFixture(server, row.with)
				grow(t, f, 2)
				few := row.cost(t, f, handler)
				grow(t, f, 20)
				many := row.cost(t, f, handler)
				assert.Greater(t, many.size, few.size, "the list did not grow")
				assert.Less(t, many.rest-few.rest, tooManyMore, "REST")
				assert.Less(t, many.graphql-few.graphql, tooManyMore, "GraphQL")
			})
		}
	})
}

// tooManyMore statements for 18 more items are nearly one for each. On a busy
// machine a batch of look-ups may go out in parts, so that the numbers need not
// be equal.
const tooManyMore int64 = 16

// organizationsFirst orders lists of the whole organization before others,
// whose fixtures are in the organization too.
func organizationsFirst(one, other string) int {
	organizationWide := func(operation string) int {
		if strings.Contains(operation, "Organization") {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(organizationWide(one), organizationWide(other)), cmp.Compare(one, other))
}

// cost is how many statements an operation takes over each API, and the bytes
// that REST answers with.
type cost struct {
	rest, graphql int64
	size          int
}

func (r row) cost(t *testing.T, f *fixture, handler http.Handler) cost {
	t.Helper()
	operation := operationOf(t, r.operation)
	path := f.path(t, operation.Path)
	if r.query != "" {
		path += "?" + r.query
	}
	document, names := r.document()
	variables := object{}
	for _, name := range names {
		variables[name] = f.value(t, name)
	}
	var measured cost
	token := f.As(apptest.Admin).Token
	var answer []byte
	answer, measured.rest = inProcess(t, handler, token, operation.Method, contract.Prefix+path, nil)
	measured.size = len(answer)
	_, measured.graphql = inProcess(t, handler, token, http.MethodPost, "/graphql", object{"query": document, "variables": variables})
	return measured
}

// inProcess makes a request that must succeed, and counts its statements.
func inProcess(t testing.TB, handler http.Handler, token, method, path string, body any) (answer []byte, statements int64) {
	t.Helper()
	encoded, err := json.Marshal(body)
	require.NoError(t, err)
	var counter atomic.Int64
	request := httptest.NewRequestWithContext(database.CountStatements(t.Context(), &counter), method, path, bytes.NewReader(encoded))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+token)
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	require.Less(t, recorder.Code, http.StatusBadRequest, "%s %s: %s", method, path, recorder.Body)
	require.NotContains(t, recorder.Body.String(), `"errors":`)
	return recorder.Body.Bytes(), counter.Load()
}

func repeated(maker func(t testing.TB, f *fixture) string) growth {
	return func(t *testing.T, f *fixture, count int) {
		t.Helper()
		for range count {
			maker(t, f)
		}
	}
}

// makeOpenChangeRequest is open: the list of the organization leaves others out.
func makeOpenChangeRequest(t testing.TB, f *fixture) string {
	t.Helper()
	id := makeEmptyChangeRequest(t, f)
	f.mutate(t, apptest.Editor, "updateChangeRequest", object{"changeRequest": id, "status": "OPEN"}, "{ changeRequest { id } }")
	return id
}

// additions are pages, each with links of its own, and files.
func additions(count int) []any {
	changes := make([]any, 0, count+1)
	files := make([]any, 0, count)
	for range count {
		name := uuid.NewString()
		changes = append(changes, object{"insertPage": object{"document": object{"markdown": fmt.Sprintf(
			"# Page %[1]s\n\nOn linux [install](/pages/%[2]s) ![logo](/files/%[3]s) [gone](gone-%[1]s.md)\n", name, installID, logoID)}}})
		files = append(files, object{"name": name + ".txt", "contentType": "text/plain", "base64": "aGVsbG8="})
	}
	return append(changes, object{"insertFiles": object{"files": files}})
}

func growMain(t *testing.T, f *fixture, count int) {
	t.Helper()
	head := mergeNow(t, f, branchOff(t, f, "More", additions(count)...))
	f.set("revisionId", head)
	f.set("mergedRevisionId", head)
}

func growChangeRequest(t *testing.T, f *fixture, count int) {
	t.Helper()
	f.mutate(t, apptest.Editor, "updateChangeRequestContent",
		object{"changeRequest": "{changeRequestId}", "changes": additions(count)}, "{ revision { id } }")
}

// linking is an edit that gives the page so many links.
func linking(count int) object {
	var text strings.Builder
	text.WriteString("# Install\n")
	for index := range count {
		fmt.Fprintf(&text, "\n[gone](gone-%d.md)\n", index)
	}
	return object{"updatePage": object{"page": installID, "document": object{"markdown": text.String()}}}
}

func growPage(t *testing.T, f *fixture, count int) {
	t.Helper()
	mergeNow(t, f, branchOff(t, f, "More", linking(count)))
}

func growPageInChangeRequest(t *testing.T, f *fixture, count int) {
	t.Helper()
	f.mutate(t, apptest.Editor, "updateChangeRequestContent",
		object{"changeRequest": "{changeRequestId}", "changes": []any{linking(count)}}, "{ revision { id } }")
}

// growConflicts starts a change request that names so many pages otherwise than
// the main content does.
func growConflicts(t *testing.T, f *fixture, count int) {
	t.Helper()
	added := make([]any, count)
	for index := range added {
		added[index] = object{"insertPage": object{"document": object{"markdown": "Text.\n"}, "title": uuid.NewString()}}
	}
	adding := f.created(t, apptest.Editor, "createChangeRequest", object{"space": "{spaceId}"}, "changeRequest")
	update := f.mutate(t, apptest.Editor, "updateChangeRequestContent", object{"changeRequest": adding, "changes": added}, "{ pages { pageId } }")
	mergeNow(t, f, adding)
	ours, theirs := make([]any, count), make([]any, count)
	for index, outcome := range update["pages"].([]any) {
		id := outcome.(object)["pageId"]
		ours[index] = object{"updatePage": object{"page": id, "title": "Ours " + uuid.NewString()}}
		theirs[index] = object{"updatePage": object{"page": id, "title": "Theirs " + uuid.NewString()}}
	}
	f.set("conflictingId", branchOff(t, f, "Ours", ours...))
	mergeNow(t, f, branchOff(t, f, "Theirs", theirs...))
}

// byPeople lets so many people each make a request.
func byPeople(path string, body object) growth {
	return func(t *testing.T, f *fixture, count int) {
		t.Helper()
		handler := f.App.Handler()
		for range count {
			_, token := newPerson(t, f)
			inProcess(t, handler, token, http.MethodPost, contract.Prefix+f.path(t, path), body)
		}
	}
}

func growReaders(t *testing.T, f *fixture, count int) {
	t.Helper()
	for range count {
		newPerson(t, f)
	}
}

func growRequested(t *testing.T, f *fixture, count int) {
	t.Helper()
	asked := make([]any, count)
	for index := range asked {
		asked[index], _ = newPerson(t, f)
	}
	f.mutate(t, apptest.Editor, "requestReviewersForChangeRequest", object{"changeRequest": "{changeRequestId}", "users": asked}, "{ changeRequest { id } }")
}

func growTeam(t *testing.T, f *fixture, count int) {
	t.Helper()
	added := make([]any, count)
	for index := range added {
		added[index], _ = newPerson(t, f)
	}
	f.mutate(t, apptest.Admin, "updateMembersInOrganizationTeam", object{"team": "{teamId}", "add": added}, "{ team { id } }")
}

// growComments adds comments, each with a reply of somebody else.
func growComments(name string, maker func(t testing.TB, f *fixture) string) growth {
	return func(t *testing.T, f *fixture, count int) {
		t.Helper()
		for range count {
			f.set(name, maker(t, f))
			makeReply(name)(t, f)
		}
	}
}

// newPerson is a member of the organization who may review.
func newPerson(t testing.TB, f *fixture) (id, token string) {
	t.Helper()
	ctx := access.System(t.Context(), "fixture")
	made, err := f.App.Users.Create(ctx, users.New{DisplayName: "Somebody", Email: uuid.NewString() + "@example.com", EmailVerified: true})
	require.NoError(t, err)
	_, token, err = f.App.Users.CreateTokenOf(ctx, made.ID, users.NewToken{Name: "test"})
	require.NoError(t, err)
	require.NoError(t, f.App.Database.Client(ctx).Member.Create().
		SetOrganizationID(f.OrganizationID).SetUserID(made.ID).SetRole(access.Review).Exec(ctx))
	return made.ID, token
}
