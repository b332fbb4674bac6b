package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/audit"
)

type object = map[string]any

// harbour is an organization that the operator made by command.
type harbour struct {
	*apptest.Server
	id    string
	admin *apptest.Client
}

// command runs a command of the operator, and returns what it prints.
func command(t *testing.T, server *apptest.Server, arguments ...string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), append(arguments, server.Flags()...), &out))
	return strings.TrimSpace(out.String())
}

func token(t *testing.T, server *apptest.Server, user string) string {
	t.Helper()
	lines := strings.Fields(command(t, server, "token", "create", "--user", user))
	require.Len(t, lines, 2)
	return lines[1]
}

func openHarbour(t *testing.T, server *apptest.Server) *harbour {
	t.Helper()
	command(t, server, "user", "create", "--email", "ada@harbour.example", "--name", "Ada")
	id := command(t, server, "organization", "create", "--title", "Harbour", "--admin", "ada@harbour.example")
	return &harbour{Server: server, id: id, admin: server.With(token(t, server, "ada@harbour.example"))}
}

// make makes something by POST, and returns its id.
func (h *harbour) make(t *testing.T, path string, body object) string {
	t.Helper()
	return h.admin.REST(t, http.MethodPost, path, body).Object(t, http.StatusCreated)["id"].(string)
}

// space makes a space in a collection, with a page that can be searched for.
func (h *harbour) space(t *testing.T, title string, parent any) string {
	t.Helper()
	fields := object{"title": title, "editMode": "live"}
	if parent != nil {
		fields["parent"] = parent
	}
	id := h.make(t, "/orgs/"+h.id+"/spaces", fields)
	h.admin.REST(t, http.MethodPost, "/spaces/"+id+"/content", object{"changes": []object{{
		"operation": "insert_page", "title": title, "document": object{"markdown": "Where the lighthouse is.\n"},
	}}}).Object(t, http.StatusOK)
	return id
}

// invite invites people as guests, and returns the secrets of their invites in
// the order of the addresses.
func (h *harbour) invite(t *testing.T, emails ...string) (secrets []string) {
	t.Helper()
	people := make([]object, len(emails))
	for index, email := range emails {
		people[index] = object{"email": email, "role": nil}
	}
	invited := h.admin.REST(t, http.MethodPost, "/orgs/"+h.id+"/invites", object{"emails": people}).Object(t, http.StatusOK)
	for index, made := range invited["invites"].([]any) {
		require.Equal(t, emails[index], made.(object)["email"])
		secrets = append(secrets, made.(object)["id"].(string))
	}
	return secrets
}

// joinAnew accepts an invite as somebody without an account.
func (h *harbour) joinAnew(t *testing.T, secret, name string) (client *apptest.Client, userID string) {
	t.Helper()
	data := h.As(apptest.Anonymous).Query(t, `mutation ($input: AcceptInviteInput!) { acceptInvite(input: $input) { accessToken user { id } } }`,
		object{"input": object{"secret": secret, "displayName": name}})["acceptInvite"].(object)
	return h.With(data["accessToken"].(string)), data["user"].(object)["id"].(string)
}

// joinAs accepts an invite as somebody who has an account.
func (h *harbour) joinAs(t *testing.T, secret, email, name string) (client *apptest.Client, userID string) {
	t.Helper()
	userID = command(t, h.Server, "user", "create", "--email", email, "--name", name)
	client = h.With(token(t, h.Server, userID))
	client.REST(t, http.MethodGet, "/orgs/"+h.id, nil).JSON(t, http.StatusNotFound, nil)
	client.REST(t, http.MethodPost, "/orgs/"+h.id+"/invites/"+secret, nil).JSON(t, http.StatusOK, nil)
	return client, userID
}

// sight is what somebody sees of the harbour, by title, in one API.
type sight struct{ Collections, Spaces, Found []string }

func titles(t *testing.T, list object, items string) []string {
	t.Helper()
	found := []string{}
	for _, item := range list[items].([]any) {
		found = append(found, item.(object)["title"].(string))
	}
	return found
}

func (h *harbour) overREST(t *testing.T, client *apptest.Client) sight {
	t.Helper()
	list := func(path string) []string {
		answer := client.REST(t, http.MethodGet, "/orgs/"+h.id+path, nil).Object(t, http.StatusOK)
		found := titles(t, answer, "items")
		if count, counted := answer["count"]; counted {
			assert.EqualValues(t, len(found), count, path)
		}
		return found
	}
	return sight{Collections: list("/collections"), Spaces: list("/spaces"), Found: list("/search?query=lighthouse")}
}

func (h *harbour) overGraphQL(t *testing.T, client *apptest.Client) sight {
	t.Helper()
	data := client.Query(t, `query ($id: ID!) { organization(id: $id) {
		collections { nodes { title } totalCount } spaces { nodes { title } totalCount }
		search(query: "lighthouse") { nodes { title } totalCount } } }`, object{"id": h.id})["organization"].(object)
	list := func(name string) []string {
		connection := data[name].(object)
		found := titles(t, connection, "nodes")
		assert.EqualValues(t, len(found), connection["totalCount"], name)
		return found
	}
	return sight{Collections: list("collections"), Spaces: list("spaces"), Found: list("search")}
}

// sees asserts what somebody sees in lists and in searches, of both APIs.
func (h *harbour) sees(t *testing.T, client *apptest.Client, expected sight) {
	t.Helper()
	for name, seen := range map[string]sight{"REST": h.overREST(t, client), "GraphQL": h.overGraphQL(t, client)} {
		assert.ElementsMatch(t, expected.Collections, seen.Collections, name)
		assert.ElementsMatch(t, expected.Spaces, seen.Spaces, name)
		assert.ElementsMatch(t, expected.Found, seen.Found, name)
	}
}

// gets asserts whether somebody gets collections and spaces by their ids.
func (h *harbour) gets(t *testing.T, client *apptest.Client, status int, collections, spaces []string) {
	t.Helper()
	paths := []string{}
	for _, id := range collections {
		paths = append(paths, "/collections/"+id, "/collections/"+id+"/spaces")
	}
	for _, id := range spaces {
		paths = append(paths, "/spaces/"+id, "/spaces/"+id+"/content", "/spaces/"+id+"/comments", "/spaces/"+id+"/search?query=lighthouse")
	}
	for _, path := range paths {
		assert.Equal(t, status, client.REST(t, http.MethodGet, path, nil).Status, path)
	}
	for _, id := range append(collections, spaces...) {
		node := client.Query(t, `query ($id: ID!) { node(id: $id) { id } }`, object{"id": id})["node"]
		assert.Equal(t, status == http.StatusOK, node != nil, id)
	}
}

// recorded counts the actions in the exported audit log, and asserts that it
// tells who was at work from where, and no secrets.
func (h *harbour) recorded(t *testing.T, secrets []string) map[string]int {
	t.Helper()
	exported := command(t, h.Server, "audit", "export", "--organization", h.id)
	for _, secret := range secrets {
		_, random, _ := strings.Cut(secret, ".")
		assert.NotContains(t, exported, random)
	}
	actions := map[string]int{}
	for line := range strings.Lines(exported) {
		var entry audit.Line
		require.NoError(t, json.Unmarshal([]byte(line), &entry))
		actions[entry.Action]++
		byOperator := strings.HasPrefix(entry.UserAgent, "octavo ")
		assert.Equal(t, byOperator, entry.ActorID == nil, line)
		assert.Equal(t, byOperator, entry.Address == "", line)
	}
	return actions
}

// TestANewcomer lives what a new organization goes through: two people are
// invited, form a team, see what the team is granted, and nothing once that is
// taken back.
func TestANewcomer(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		h := openHarbour(t, server)
		charts := h.make(t, "/orgs/"+h.id+"/collections", object{"title": "Charts"})
		inner := h.make(t, "/orgs/"+h.id+"/collections", object{"title": "North", "parent": charts})
		other := h.make(t, "/orgs/"+h.id+"/collections", object{"title": "Ledgers"})
		baltic, fjord := h.space(t, "Baltic", charts), h.space(t, "Fjord", inner)
		accounts, notes := h.space(t, "Accounts", other), h.space(t, "Notes", nil)

		secrets := h.invite(t, "grace@harbour.example", "alan@harbour.example")
		grace, graceID := h.joinAnew(t, secrets[0], "Grace")
		alan, alanID := h.joinAs(t, secrets[1], "alan@harbour.example", "Alan")
		both := []*apptest.Client{grace, alan}
		nothing := sight{}
		for _, client := range both {
			h.sees(t, client, nothing)
			h.gets(t, client, http.StatusNotFound, []string{charts, inner, other}, []string{baltic, fjord, accounts, notes})
		}

		team := h.admin.REST(t, http.MethodPut, "/orgs/"+h.id+"/teams", object{"title": "Pilots", "members": []string{graceID, alanID}}).Object(t, http.StatusCreated)["id"].(string)
		h.admin.REST(t, http.MethodPost, "/collections/"+charts+"/permissions", object{"role": "edit", "teams": []string{team}}).JSON(t, http.StatusNoContent, nil)
		granted := sight{Collections: []string{"Charts", "North"}, Spaces: []string{"Baltic", "Fjord"}, Found: []string{"Baltic", "Fjord"}}
		for _, client := range both {
			h.sees(t, client, granted)
			h.gets(t, client, http.StatusOK, []string{charts, inner}, []string{baltic, fjord})
			h.gets(t, client, http.StatusNotFound, []string{other}, []string{accounts, notes})
			client.REST(t, http.MethodPost, "/spaces/"+fjord+"/change-requests", object{"subject": "Depths"}).JSON(t, http.StatusCreated, nil)
			client.REST(t, http.MethodPatch, "/spaces/"+fjord, object{"title": "Mine"}).JSON(t, http.StatusForbidden, nil)
		}

		h.admin.REST(t, http.MethodDelete, "/collections/"+charts+"/permissions/teams/"+team, nil).JSON(t, http.StatusResetContent, nil)
		for _, client := range both {
			h.sees(t, client, nothing)
			h.gets(t, client, http.StatusNotFound, []string{charts, inner, other}, []string{baltic, fjord, accounts, notes})
			client.REST(t, http.MethodPost, "/spaces/"+fjord+"/change-requests", object{"subject": "Depths"}).JSON(t, http.StatusNotFound, nil)
			client.REST(t, http.MethodGet, "/orgs/"+h.id, nil).JSON(t, http.StatusOK, nil)
		}
		actions := h.recorded(t, secrets)
		for action, count := range map[audit.Action]int{
			audit.OrganizationCreated: 1, audit.InviteCreated: 2, audit.MemberJoined: 2, audit.TeamCreated: 1, audit.PermissionGranted: 1, audit.PermissionRemoved: 1,
		} {
			assert.Equal(t, count, actions[string(action)], "%s", action)
		}
	})
}
