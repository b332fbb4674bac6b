package organization_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"octavo/internal/apptest"
)

func TestOrganizationsAreSeenByTheirMembers(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		for caller, status := range map[apptest.Caller]int{
			apptest.Admin: 200, apptest.Reader: 200, apptest.Guest: 200, apptest.ReadToken: 200, apptest.Stranger: 404, apptest.Anonymous: 401,
		} {
			assert.Equal(t, status, server.As(caller).REST(t, http.MethodGet, "/orgs/"+server.OrganizationID, nil).Status, "%s", caller)
		}
		listed := server.As(apptest.Reader).REST(t, http.MethodGet, "/orgs", nil).Object(t, http.StatusOK)
		assert.EqualValues(t, 1, listed["count"])
		permissions := server.As(apptest.Guest).REST(t, http.MethodGet, "/orgs/"+server.OrganizationID, nil).Object(t, 200)["permissions"].(map[string]any)
		assert.Equal(t, true, permissions["view"])
		assert.Equal(t, false, permissions["listMembers"])
	})
}

func TestCreateOrganization(t *testing.T) {
	t.Parallel()
	const create = `mutation($input: CreateOrganizationInput!) { createOrganization(input: $input) { organization { id title hostname permissions { admin } } } }`
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		reader := server.As(apptest.Reader)
		made := reader.Query(t, create, map[string]any{"input": map[string]any{"title": "New", "hostname": "new-docs"}})
		organization := made["createOrganization"].(map[string]any)["organization"].(map[string]any)
		assert.Equal(t, "new-docs", organization["hostname"])
		assert.Equal(t, true, organization["permissions"].(map[string]any)["admin"])
		for _, test := range []struct {
			name   string
			caller apptest.Caller
			input  map[string]any
			code   string
		}{
			{"HostnameTaken", apptest.Admin, map[string]any{"title": "Two", "hostname": "new-docs"}, "BAD_USER_INPUT"},
			{"TitleTooShort", apptest.Admin, map[string]any{"title": "x"}, "BAD_USER_INPUT"},
			{"HostnameForm", apptest.Admin, map[string]any{"title": "Two", "hostname": "-x-"}, "BAD_USER_INPUT"},
			{"ReadToken", apptest.ReadToken, map[string]any{"title": "Two"}, "FORBIDDEN"},
			{"Anonymous", apptest.Anonymous, map[string]any{"title": "Two"}, "UNAUTHENTICATED"},
		} {
			t.Run(test.name, func(t *testing.T) {
				assert.Equal(t, test.code, server.As(test.caller).GraphQL(t, create, map[string]any{"input": test.input}).Code())
			})
		}
	})
}
