package collection_test

import (
	"net/http"
	"slices"
	"testing"

	"entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/ent"
	"octavo/ent/migrate"
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/mergerule"
)

// staying are the tables whose rows stay with an organization when it hands
// over what is in a collection, each with the reason.
var staying = map[string]string{
	"audit_entries":       "entries are never changed; both organizations get their own",
	"events":              "they tell what happened in the organization",
	"invites":             "they go: who was invited, was invited there",
	"members":             "people",
	"teams":               "people",
	"team_members":        "people",
	"sites":               "a space leaves the sites of its organization",
	"site_redirects":      "of sites",
	"site_sections":       "of sites",
	"site_section_groups": "of sites",
	"site_share_links":    "of sites",
	"site_spaces":         "they go: a space leaves the sites of its organization",
}

// TestEveryTableFollowsATransfer makes rows in every table that belongs to an
// organization, as the schema lists them, so that none can be forgotten.
func TestEveryTableFollowsATransfer(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := access.System(t.Context(), "test")
		client, admin := server.App.Database.Client(ctx), server.As(apptest.Admin)
		shelf := makeCollection(t, server, "Shelf", nil)
		id := makeSpace(t, server, "Guide", &shelf)
		fill(t, server, id)
		require.NoError(t, client.Permission.Create().SetOrganizationID(server.OrganizationID).SetResourceID(id).
			SetPrincipalID(admin.UserID).SetRole(access.Admin).Exec(ctx))
		require.NoError(t, client.Member.Create().SetOrganizationID(server.OtherOrganizationID).
			SetUserID(admin.UserID).SetRole(access.Admin).Exec(ctx))
		before := map[string]int{}
		for _, table := range following() {
			before[table] = countIn(t, client, table, server.OrganizationID)
			assert.Positive(t, before[table], "%s: make a row of it in the test, or say why it stays", table)
		}
		path := "/collections/" + shelf + "/transfer"
		admin.REST(t, http.MethodPost, path, object{"organization": server.OtherOrganizationID}).Object(t, http.StatusOK)
		for table, count := range before {
			assert.Zero(t, countIn(t, client, table, server.OrganizationID), "%s stays behind", table)
			assert.Equal(t, count, countIn(t, client, table, server.OtherOrganizationID), "%s", table)
		}
		moved := admin.REST(t, http.MethodGet, "/spaces/"+id, nil).Object(t, http.StatusOK)
		assert.EqualValues(t, 1, moved["comments"])
		assert.EqualValues(t, 1, moved["changeRequests"])
		assert.Equal(t, object{"type": "rules", "rules": []any{
			object{"rule": "require_one_of_specific_reviewers", "users": []any{admin.UserID}}, object{"rule": "require_at_least_one_review"},
		}}, moved["mergeRules"], "rules name members only, and merging stays guarded")
	})
}

// fill makes a row below the space in each table.
func fill(t *testing.T, server *apptest.Server, id string) {
	t.Helper()
	admin, editor, reviewer := server.As(apptest.Admin), server.As(apptest.Editor), server.As(apptest.Reviewer)
	post := func(caller *apptest.Client, path string, body object) object {
		response := caller.REST(t, http.MethodPost, path, body)
		require.Less(t, response.Status, http.StatusBadRequest, "%s: %s", path, response.Body)
		made := object{}
		response.JSON(t, response.Status, &made)
		return made
	}
	branch := "/spaces/" + id + "/change-requests/" + post(editor, "/spaces/"+id+"/change-requests", object{"subject": "Better"})["id"].(string)
	text := object{"body": object{"markdown": "Fine."}}
	comment := post(editor, "/spaces/"+id+"/comments", text)["id"].(string)
	post(editor, branch+"/comments", text)
	post(reviewer, "/spaces/"+id+"/comments/"+comment+"/replies", text)
	admin.REST(t, http.MethodPut, "/spaces/"+id+"/comments/"+comment, object{"addedReactions": []any{"1f44d"}}).Object(t, http.StatusOK)
	post(reviewer, branch+"/reviews", object{"status": "approved"})
	post(editor, branch+"/requested-reviewers", object{"users": []any{admin.UserID}})
	ctx := access.System(t.Context(), "test")
	require.NoError(t, server.App.Database.Client(ctx).Space.UpdateOneID(id).SetMergeRules(mergerule.Rules{
		Type: mergerule.Explicit, Rules: []mergerule.Rule{
			{Rule: mergerule.RequireOneOfSpecificReviewers, Users: []string{reviewer.UserID, admin.UserID}},
			{Rule: mergerule.RequireSpecificReviewers, Users: []string{reviewer.UserID}},
			{Rule: mergerule.AllowBypass, Users: []string{reviewer.UserID}},
		},
	}).Exec(ctx))
}

// following are the tables of organizations whose rows follow.
func following() []string {
	var names []string
	for _, table := range migrate.Tables {
		owned := slices.ContainsFunc(table.Columns, func(column *schema.Column) bool { return column.Name == "organization_id" })
		if _, stays := staying[table.Name]; owned && !stays {
			names = append(names, table.Name)
		}
	}
	return names
}

func countIn(t *testing.T, client *ent.Client, table, organizationID string) int {
	t.Helper()
	rows, err := client.QueryContext(t.Context(), "SELECT COUNT(*) FROM "+table+" WHERE organization_id = '"+organizationID+"'")
	require.NoError(t, err)
	defer rows.Close()
	count, err := sql.ScanInt(rows)
	require.NoError(t, err)
	return count
}
