package parity

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"

	"octavo/graph/generated"
	"octavo/internal/apptest"
)

// promise is a permissions object with the operation that each of its booleans
// speaks of.
type promise struct {
	name string
	// field is the path of fields below Query whose answer has permissions.
	field string
	// with names values of the fixture that stand for others.
	with map[string]string
	// operations by boolean.
	operations map[string]string
	// absent are the booleans whose operation the server does not have, with
	// what would bring it. Nobody may do what cannot be done.
	absent map[string]string
}

const (
	byIntegrations  = "integrations are not served yet"
	bySpecification = "OpenAPI specifications are not served yet"
	byConversations = "conversations are not served yet"
	byBilling       = "nothing is billed"
)

var onSpace = map[string]string{
	"view": "getSpaceById", "access": "listPages", "admin": "updateSpaceById", "edit": "createChangeRequest",
	"triggerGitSync": "importGitRepository", "comment": "postCommentInSpace", "merge": "mergeChangeRequest", "review": "submitChangeRequestReview",
	"viewInviteLinks": "createOrganizationInvite",
}

var onChangeRequests = map[string]string{
	"view": "getChangeRequestById", "edit": "updateChangeRequestContent", "comment": "postCommentInChangeRequest",
	"review": "submitChangeRequestReview", "merge": "mergeChangeRequest",
}

var promises = []promise{
	{name: "Space", field: "space(id: $spaceId)", operations: onSpace, absent: map[string]string{"installIntegration": byIntegrations}},
	{
		name: "DeletedSpace", field: "space(id: $spaceId)", with: map[string]string{"spaceId": "deletedSpaceId"},
		operations: without(onSpace, "merge", "review"), absent: map[string]string{"installIntegration": byIntegrations},
	},
	{
		name: "Organization", field: "organization(id: $organizationId)",
		operations: map[string]string{
			"view": "getOrganizationById", "admin": "updateOrganizationById", "listMembers": "listMembersInOrganizationById", "createContent": "createSpace", "listTeams": "listTeamsInOrganizationById", "ownTeam": "createOrganizationTeam",
		},
		absent: map[string]string{
			"viewBilling": byBilling, "createOpenAPISpec": bySpecification, "ingestConversations": byConversations,
			"listIntegrations": byIntegrations, "listInstallations": byIntegrations, "installIntegration": byIntegrations,
		},
	},
	{
		name: "Team", field: oneTeam,
		operations: map[string]string{"view": "listTeamMembersInOrganizationById", "admin": "updateTeamInOrganizationById"},
	},
	{
		name: "Collection", field: "collection(id: $collectionId)",
		operations: map[string]string{"view": "getCollectionById", "admin": "updateCollectionById", "create": "createCollection", "viewInviteLinks": "inviteToCollection"},
	},
	{name: "OpenChangeRequest", field: oneChangeRequest, operations: onChangeRequests},
	{name: "ArchivedChangeRequest", field: oneChangeRequest, operations: onChangeRequests, with: map[string]string{"changeRequestId": "archivedId"}},
	{name: "MergedChangeRequest", field: oneChangeRequest, operations: onChangeRequests, with: map[string]string{"changeRequestId": "mergedId"}},
	{name: "ChangeRequestOfTheReviewer", field: oneChangeRequest, operations: onChangeRequests, with: map[string]string{"changeRequestId": "reviewersId"}},
	{
		name: "Comment", field: "comment(id: $commentId)",
		operations: map[string]string{"view": "getCommentInSpace", "edit": "updateCommentInSpace", "reply": "postCommentReplyInSpace", "delete": "deleteCommentInSpace"},
	},
	{
		name: "CommentOnChangeRequest", field: "comment(id: $commentId)", with: map[string]string{"commentId": "changeRequestComment"},
		operations: map[string]string{
			"view": "getCommentInChangeRequest", "edit": "updateCommentInChangeRequest",
			"reply": "postCommentReplyInChangeRequest", "delete": "deleteCommentInChangeRequest",
		},
	},
	{
		name: "Reply", field: "commentReply(id: $commentReplyId)",
		operations: map[string]string{
			"view": "getCommentReplyInSpace", "edit": "updateCommentReplyInSpace",
			"reply": "postCommentReplyInSpace", "delete": "deleteCommentReplyInSpace",
		},
	},
}

// booleans that the promise speaks of.
func (p promise) booleans() []string {
	return slices.Sorted(slices.Values(slices.AppendSeq(slices.Collect(maps.Keys(p.operations)), maps.Keys(p.absent))))
}

func without(operations map[string]string, booleans ...string) map[string]string {
	left := maps.Clone(operations)
	for _, boolean := range booleans {
		delete(left, boolean)
	}
	return left
}

// TestEveryPermissionIsTried holds the table of promises to the schema: there is
// no boolean of a permissions object that it leaves out.
func TestEveryPermissionIsTried(t *testing.T) {
	t.Parallel()
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	spoken := map[string][]string{}
	for _, promise := range promises {
		kind := schema.Query
		for _, name := range append(names(promise.field), "permissions") {
			kind = schema.Types[kind.Fields.ForName(name).Type.Name()]
		}
		spoken[kind.Name] = append(spoken[kind.Name], promise.booleans()...)
	}
	for _, definition := range schema.Types {
		field := definition.Fields.ForName("permissions")
		if definition.Kind != ast.Object || field == nil {
			continue
		}
		for _, boolean := range schema.Types[field.Type.Name()].Fields {
			assert.Contains(t, spoken[field.Type.Name()], boolean.Name, "%s.permissions", definition.Name)
		}
	}
}

// TestPermissionsAreTrue tries each boolean against the operation that it
// speaks of, with every kind of token.
func TestPermissionsAreTrue(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		for _, promise := range promises {
			t.Run(promise.name, func(t *testing.T) {
				t.Parallel()
				f := newFixture(server, promise.with)
				for _, caller := range append(callers(), apptest.WriteToken) {
					t.Run(string(caller), func(t *testing.T) { promise.tried(t, f, caller) })
				}
			})
		}
	})
}

func (p promise) tried(t *testing.T, f *fixture, caller apptest.Caller) {
	t.Helper()
	promised := p.read(t, f, caller)
	for _, name := range slices.Sorted(maps.Keys(p.operations)) {
		kept := p.attempt(t, f, caller, p.operations[name])
		assert.Equal(t, promised[name] == true, kept, "%s: %s", name, p.operations[name])
	}
	for name, reason := range p.absent {
		assert.NotEqual(t, true, promised[name], "%s: %s", name, reason)
	}
}

// read is the permissions object, which is empty for those who do not see the
// resource.
func (p promise) read(t *testing.T, f *fixture, caller apptest.Caller) object {
	t.Helper()
	booleans := p.booleans()
	reading := row{field: p.field + ".permissions", selection: " { " + strings.Join(booleans, " ") + " } "}
	given := reading.overGraphQL(t, f, caller)
	if given.code != ok {
		return nil
	}
	require.Len(t, given.payload, len(booleans))
	return given.payload.(object)
}

// attempt tells whether the caller may do the operation, on a fixture that
// nothing was done to.
func (p promise) attempt(t *testing.T, seen *fixture, caller apptest.Caller, operation string) bool {
	t.Helper()
	attempted, known := rowOf(operation)
	require.True(t, known, operation)
	f := seen
	if attempted.writes() {
		f = newFixture(seen.Server, p.with)
	}
	attempted.prepared(t, f)
	status := attempted.overREST(t, f, caller).status
	if operationOf(t, operation).Method == http.MethodDelete {
		return status == http.StatusResetContent // 204 found nothing that the caller sees
	}
	return status < http.StatusBadRequest
}
