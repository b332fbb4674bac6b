package organization_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/ent/auditentry"
	"octavo/ent/changerequest"
	"octavo/ent/comment"
	"octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/audit"
	"octavo/internal/fault"
	"octavo/internal/organization"
	"octavo/internal/site"
)

type object = map[string]any

// entries are the audit entries of an action about a subject.
func entries(t *testing.T, server *apptest.Server, action audit.Action, subject string) []string {
	t.Helper()
	ctx := access.System(t.Context(), "test")
	rows, err := server.App.Database.Client(ctx).AuditEntry.Query().
		Where(auditentry.Action(string(action)), auditentry.SubjectID(subject)).Order(auditentry.ByID()).All(ctx)
	require.NoError(t, err)
	texts := make([]string, len(rows))
	for index, row := range rows {
		texts[index] = compact(t, row.Before) + " " + compact(t, row.After)
	}
	return texts
}

// compact is JSON as both databases give it back.
func compact(t *testing.T, encoded []byte) string {
	t.Helper()
	if len(encoded) == 0 {
		return ""
	}
	var text bytes.Buffer
	require.NoError(t, json.Compact(&text, encoded))
	return text.String()
}

func makeSite(t *testing.T, server *apptest.Server, caller apptest.Caller, organizationID string) string {
	t.Helper()
	made, err := server.App.Sites.Create(server.Context(t, caller), site.New{OrganizationID: organizationID, Title: "Public"})
	require.NoError(t, err)
	return made.ID
}

func TestUpdateOrganization(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		admin, path := server.As(apptest.Admin), "/orgs/"+server.OrganizationID
		updated := admin.REST(t, http.MethodPatch, path, object{
			"title": "Acme & Sons", "hostname": "acme", "emailDomains": []string{" Example.com", "EXAMPLE.com", "bücher.example"},
			"defaultRole": nil, "logo": "https://example.com/logo.png", "sso": true, "ai": true, "inviteLinks": false,
			"mergeRules": object{"type": "rules", "rules": []object{{"rule": "require_specific_reviewers", "users": []string{server.As(apptest.Reviewer).UserID}}}},
		}).Object(t, http.StatusOK)
		assert.Equal(t, "Acme & Sons", updated["title"])
		assert.Equal(t, "acme", updated["hostname"])
		assert.Equal(t, []any{"example.com", "xn--bcher-kva.example"}, updated["emailDomains"])
		assert.Nil(t, updated["defaultRole"])
		assert.Equal(t, "https://example.com/logo.png", updated["urls"].(object)["logo"])
		assert.Equal(t, []any{true, true, false}, []any{updated["sso"], updated["ai"], updated["inviteLinks"]})
		assert.Equal(t, "rules", updated["mergeRules"].(object)["type"])

		cleared := admin.REST(t, http.MethodPatch, path, object{
			"logo": nil, "emailDomains": []string{}, "defaultContent": nil, "mergeRules": object{"type": "inherit"},
		}).Object(t, http.StatusOK)
		assert.NotContains(t, cleared["urls"], "logo")
		assert.Empty(t, cleared["emailDomains"])
		assert.Equal(t, object{"type": "none"}, cleared["mergeRules"])
		assert.Equal(t, "Acme & Sons", cleared["title"], "what is left out stays")

		made := makeSite(t, server, apptest.Admin, server.OrganizationID)
		home := admin.REST(t, http.MethodPatch, path, object{"defaultContent": object{"type": "site", "site": made}}).Object(t, http.StatusOK)
		assert.Equal(t, object{"type": "site", "site": made}, home["defaultContent"])

		logged := entries(t, server, audit.OrganizationUpdated, server.OrganizationID)
		require.Len(t, logged, 3)
		assert.Contains(t, logged[1], `"logo":null`)
		assert.NotContains(t, logged[1], "title", "only what changed is recorded")
		admin.REST(t, http.MethodPatch, path, object{"title": "Acme & Sons"}).Object(t, http.StatusOK)
		assert.Len(t, entries(t, server, audit.OrganizationUpdated, server.OrganizationID), 3, "nothing changed")

		other := makeSite(t, server, apptest.Admin, server.OrganizationID)
		remove := func(id string) any {
			require.Equal(t, http.StatusResetContent, admin.REST(t, http.MethodDelete, path+"/sites/"+id, nil).Status)
			return admin.REST(t, http.MethodGet, path, nil).Object(t, http.StatusOK)["defaultContent"]
		}
		assert.Equal(t, home["defaultContent"], remove(other), "that of another site stays")
		assert.Nil(t, remove(made))
		logged = entries(t, server, audit.OrganizationUpdated, server.OrganizationID)
		assert.Contains(t, logged[len(logged)-1], `"defaultContent":null`)
	})
}

func TestOrganizationsAreNotChangedByWrongInput(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		server.As(apptest.Stranger).REST(t, http.MethodPatch, "/orgs/"+server.OtherOrganizationID, object{"hostname": "taken"}).Object(t, http.StatusOK)
		path := "/orgs/" + server.OrganizationID
		before := server.As(apptest.Admin).REST(t, http.MethodGet, path, nil).Body
		foreign := makeSite(t, server, apptest.Stranger, server.OtherOrganizationID)
		many := make([]string, 101)
		for index := range many {
			many[index] = "example.com"
		}
		for _, test := range []struct {
			name    string
			body    object
			message string
		}{
			{"TitleTooShort", object{"title": " x "}, "title: 2 to 255 characters, got 1"},
			{"TitleTooLong", object{"title": strings.Repeat("é", 256)}, "title: 2 to 255 characters, got 256"},
			{"HostnameTooShort", object{"hostname": "ab"}, "hostname: 3 to 32"},
			{"HostnameTooLong", object{"hostname": strings.Repeat("a", 33)}, "hostname: 3 to 32"},
			{"HostnameUpperCase", object{"hostname": "Acme"}, "hostname: 3 to 32 lower-case"},
			{"HostnameHyphen", object{"hostname": "acme-"}, "hostname: 3 to 32 lower-case"},
			{"HostnameTaken", object{"hostname": "taken"}, `hostname: "taken" is taken`},
			{"DomainOfOneLabel", object{"emailDomains": []string{"localhost"}}, `emailDomains: "localhost" is not a domain name`},
			{"DomainWithAt", object{"emailDomains": []string{"ada@example.com"}}, "emailDomains: "},
			{"DomainEmpty", object{"emailDomains": []string{""}}, "emailDomains: "},
			{"TooManyDomains", object{"emailDomains": many}, "emailDomains: at most 100 domains, got 101"},
			{"DefaultContentKind", object{"defaultContent": object{"type": "space", "site": "x"}}, "defaultContent.type: "},
			{"DefaultContentID", object{"defaultContent": object{"type": "site", "site": "spc_1"}}, "defaultContent.site: "},
			{"DefaultContentForeign", object{"defaultContent": object{"type": "site", "site": foreign}}, "is not a site of the organization"},
			{"LogoRelative", object{"logo": "/logo.png"}, "logo: "},
			{"LogoScript", object{"logo": "javascript:alert(1)"}, "logo: "},
			{"LogoTooLong", object{"logo": "https://example.com/" + strings.Repeat("a", 2048)}, "logo: at most 2048 characters"},
			{"UnknownRole", object{"defaultRole": "owner"}, `role: "owner" is not one of`},
			{"RuleOfStranger", object{"mergeRules": object{"type": "rules", "rules": []object{{"rule": "allow_bypass", "users": []string{server.As(apptest.Stranger).UserID}}}}}, "is not a member of the organization"},
			{"UnknownRule", object{"mergeRules": object{"type": "rules", "rules": []object{{"rule": "nonsense"}}}}, "mergeRules.rules.rule: "},
		} {
			test.body["ai"] = true // must not be kept either
			refused := server.As(apptest.Admin).REST(t, http.MethodPatch, path, test.body).Object(t, http.StatusBadRequest)
			assert.Contains(t, refused["error"].(object)["message"], test.message, test.name)
		}
		assert.JSONEq(t, string(before), string(server.As(apptest.Admin).REST(t, http.MethodGet, path, nil).Body))
	})
}

func TestOneOfManyGetsAHostname(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := access.System(t.Context(), "test")
		hostname, outcomes := "wanted", make([]error, 6)
		var group sync.WaitGroup
		for index := range outcomes {
			made, err := server.App.Organizations.CreateFor(ctx, server.As(apptest.Admin).UserID, organization.New{Title: "Rival"})
			require.NoError(t, err)
			group.Go(func() {
				_, outcomes[index] = server.App.Organizations.Update(ctx, made.ID, organization.Changes{Hostname: &hostname})
			})
		}
		group.Wait()
		won := 0
		for _, err := range outcomes {
			if err == nil {
				won++
				continue
			}
			assert.Equal(t, fault.BadUserInput, fault.CodeOf(err), "%v", err)
		}
		assert.Equal(t, 1, won)
	})
}

func TestSubdomains(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		server.As(apptest.Admin).REST(t, http.MethodPatch, "/orgs/"+server.OrganizationID, object{"hostname": "acme"}).Object(t, http.StatusOK)
		found := server.As(apptest.Stranger).REST(t, http.MethodGet, "/subdomains/acme", nil).Object(t, http.StatusOK)
		assert.Equal(t, object{
			"object": "subdomain", "subdomain": "acme", "isActive": true,
			"target": object{"type": "organization", "organization": server.OrganizationID},
		}, found)
		assert.Equal(t, http.StatusNotFound, server.As(apptest.Admin).REST(t, http.MethodGet, "/subdomains/none", nil).Status)
		assert.Equal(t, http.StatusUnauthorized, server.As(apptest.Anonymous).REST(t, http.MethodGet, "/subdomains/acme", nil).Status)
	})
}

func TestAgentInstructions(t *testing.T) {
	t.Parallel()
	const (
		read  = `query($id: ID!) { organization(id: $id) { agentInstructions { markdown document updatedAt updatedBy { id } } } }`
		write = `mutation($input: UpdateOrganizationAgentInstructionsInput!) { updateOrganizationAgentInstructions(input: $input) { agentInstructions { markdown } } }`
	)
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		admin, path := server.As(apptest.Admin), "/orgs/"+server.OrganizationID+"/agent-instructions"
		fresh := admin.REST(t, http.MethodGet, path, nil).Object(t, http.StatusOK)
		assert.Empty(t, fresh["updatedBy"])
		admin.Query(t, write, object{"input": object{"organization": server.OrganizationID, "markdown": "# Tone\n\nBe _brief_.\n"}})
		shown := server.As(apptest.Reader).Query(t, read, object{"id": server.OrganizationID})["organization"].(object)["agentInstructions"].(object)
		assert.Equal(t, "# Tone\n\nBe _brief_.\n", shown["markdown"])
		assert.Equal(t, admin.UserID, shown["updatedBy"].(object)["id"])
		replaced := admin.REST(t, http.MethodPut, path, object{"instructions": shown["document"]}).Object(t, http.StatusOK)
		assert.Equal(t, shown["document"], replaced["instructions"], "a document survives the trip")
		for name, input := range map[string]object{
			"Neither": {}, "Both": {"markdown": "x", "document": shown["document"]},
			"NoDocument": {"document": object{"object": "page"}}, "TooLong": {"markdown": strings.Repeat("a", 32769)},
		} {
			input["organization"] = server.OrganizationID
			assert.Equal(t, "BAD_USER_INPUT", admin.GraphQL(t, write, object{"input": input}).Code(), name)
		}
		assert.Equal(t, http.StatusForbidden, server.As(apptest.Guest).REST(t, http.MethodGet, path, nil).Status)
		assert.Len(t, entries(t, server, audit.OrganizationUpdated, server.OrganizationID), 2)
	})
}

func TestDeleteOrganization(t *testing.T) {
	t.Parallel()
	const deletion = `mutation($input: DeleteOrganizationInput!) { deleteOrganization(input: $input) { deleted } }`
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		admin := server.As(apptest.Admin)
		made := admin.REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", object{"title": "Guide"}).Object(t, http.StatusCreated)["id"].(string)
		branch := server.As(apptest.Editor).REST(t, http.MethodPost, "/spaces/"+made+"/change-requests", object{"subject": "More"}).Object(t, http.StatusCreated)["id"].(string)
		server.As(apptest.Commenter).REST(t, http.MethodPost, "/spaces/"+made+"/change-requests/"+branch+"/comments", object{"body": object{"markdown": "Fine."}}).Object(t, http.StatusOK)
		try := func(caller apptest.Caller, id, title string) apptest.Result {
			return server.As(caller).GraphQL(t, deletion, object{"input": object{"organization": id, "title": title}})
		}
		assert.Equal(t, "BAD_USER_INPUT", try(apptest.Admin, server.OrganizationID, "acme").Code(), "the title confirms it")
		assert.Equal(t, "FORBIDDEN", try(apptest.Creator, server.OrganizationID, "Acme").Code())
		assert.Equal(t, "FORBIDDEN", try(apptest.ReadToken, server.OrganizationID, "Acme").Code())
		assert.Equal(t, false, try(apptest.Stranger, server.OrganizationID, "Acme").Data["deleteOrganization"].(object)["deleted"])
		assert.Equal(t, true, try(apptest.Admin, server.OrganizationID, "Acme").Data["deleteOrganization"].(object)["deleted"])

		assert.Equal(t, http.StatusNotFound, server.As(apptest.Reader).REST(t, http.MethodGet, "/spaces/"+made, nil).Status)
		ctx := access.System(t.Context(), "test")
		client := server.App.Database.Client(ctx)
		assert.Zero(t, client.Space.Query().Where(space.OrganizationID(server.OrganizationID)).CountX(ctx))
		assert.Zero(t, client.ChangeRequest.Query().Where(changerequest.OrganizationID(server.OrganizationID)).CountX(ctx))
		assert.Zero(t, client.Comment.Query().Where(comment.OrganizationID(server.OrganizationID)).CountX(ctx))
		assert.Len(t, entries(t, server, audit.OrganizationDeleted, server.OrganizationID), 1, "the audit log stays")
		assert.Equal(t, http.StatusOK, server.As(apptest.Stranger).REST(t, http.MethodGet, "/orgs/"+server.OtherOrganizationID, nil).Status)
	})
}

func TestJoinOrganization(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		other, stranger := "/orgs/"+server.OtherOrganizationID, server.As(apptest.Stranger)
		reader := server.As(apptest.Reader)
		assert.Equal(t, http.StatusNotFound, reader.REST(t, http.MethodPost, other+"/join", nil).Status, "it lets nobody join")
		assert.Equal(t, http.StatusNotFound, reader.REST(t, http.MethodPost, "/orgs/org_unknown/join", nil).Status)
		stranger.REST(t, http.MethodPatch, other, object{"emailDomains": []string{"elsewhere.example", "sub.example.com"}}).Object(t, http.StatusOK)
		refused := reader.REST(t, http.MethodPost, other+"/join", nil).Object(t, http.StatusBadRequest)
		assert.Contains(t, refused["error"].(object)["message"], `"example.com"`)
		stranger.REST(t, http.MethodPatch, other, object{"emailDomains": []string{"EXAMPLE.com"}, "defaultRole": "comment"}).Object(t, http.StatusOK)

		ctx := access.System(t.Context(), "test")
		client := server.App.Database.Client(ctx)
		client.User.UpdateOneID(reader.UserID).SetEmailVerified(false).ExecX(ctx)
		assert.Equal(t, http.StatusBadRequest, reader.REST(t, http.MethodPost, other+"/join", nil).Status, "not verified")
		client.User.UpdateOneID(reader.UserID).SetEmailVerified(true).ExecX(ctx)
		assert.Equal(t, http.StatusNoContent, reader.REST(t, http.MethodPost, other+"/join", nil).Status)
		member := reader.REST(t, http.MethodGet, other+"/members/"+reader.UserID, nil).Object(t, http.StatusOK)
		assert.Equal(t, "comment", member["role"])
		stranger.REST(t, http.MethodPatch, other+"/members/"+reader.UserID, object{"role": "create"}).Object(t, http.StatusOK)
		assert.Equal(t, http.StatusNoContent, reader.REST(t, http.MethodPost, other+"/join", nil).Status, "joining again changes nothing")
		assert.Equal(t, "create", reader.REST(t, http.MethodGet, other+"/members/"+reader.UserID, nil).Object(t, http.StatusOK)["role"])
		assert.Len(t, entries(t, server, audit.MemberJoined, reader.UserID), 1)
	})
}
