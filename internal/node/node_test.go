package node_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/ent/member"
	"octavo/internal/apptest"
	"octavo/internal/audit"
	"octavo/internal/changerequest"
	"octavo/internal/comment"
	"octavo/internal/database"
	"octavo/internal/enum"
	"octavo/internal/identifier"
	"octavo/internal/node"
	"octavo/internal/pagination"
	"octavo/internal/space"
)

const byIDs = `query($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }`

// resources makes one of every kind and returns their ids by their types.
func resources(t *testing.T, server *apptest.Server) map[string]string {
	t.Helper()
	ctx := server.Context(t, apptest.Admin)
	home, err := server.App.Spaces.Create(ctx, space.New{OrganizationID: server.OrganizationID, Title: "Guide"})
	require.NoError(t, err)
	branch, err := server.App.ChangeRequests.Create(server.Context(t, apptest.Editor), changerequest.New{SpaceID: home.ID})
	require.NoError(t, err)
	_, asked, err := server.App.ChangeRequests.RequestReviewers(ctx, branch.ID, changerequest.ReviewRequest{UserIDs: []string{server.As(apptest.Creator).UserID}})
	require.NoError(t, err)
	review, err := server.App.ChangeRequests.SubmitReview(ctx, branch.ID, changerequest.NewReview{Status: enum.ReviewApproved})
	require.NoError(t, err)
	text := "text"
	thread, err := server.App.Comments.Post(ctx, comment.New{SpaceID: home.ID, Text: comment.Text{Markdown: &text}})
	require.NoError(t, err)
	reply, err := server.App.Comments.PostReply(ctx, thread.ID, comment.Text{Markdown: &text})
	require.NoError(t, err)
	viewer, err := server.App.Users.Authenticate(t.Context(), server.As(apptest.Admin).Token)
	require.NoError(t, err)
	membership, err := server.App.Database.Client(ctx).Member.Query().Where(member.UserID(viewer.UserID)).Only(ctx)
	require.NoError(t, err)
	log, err := server.App.AuditLog.List(ctx, server.OrganizationID, audit.Filter{}, pagination.Arguments{First: new(1)})
	require.NoError(t, err)
	return map[string]string{
		"AuditEntry":  log.Items[0].ID,
		"AccessToken": viewer.TokenID, "ChangeRequest": branch.ID, "Comment": thread.ID, "CommentReply": reply.ID,
		"Member": membership.ID, "Organization": server.OrganizationID, "RequestedReviewer": asked[0].ID,
		"Review": review.ID, "Revision": home.RevisionID, "Space": home.ID, "User": viewer.UserID,
	}
}

func TestNodesAreSeenByThoseWhoMaySeeThem(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ids := resources(t, server)
		ofOrganization := []string{"Member", "Organization", "User"}
		ofSpace := append([]string{"ChangeRequest", "Comment", "CommentReply", "RequestedReviewer", "Review", "Revision", "Space"}, ofOrganization...)
		for caller, visible := range map[apptest.Caller][]string{
			apptest.Admin: append([]string{"AccessToken", "AuditEntry"}, ofSpace...), apptest.ReadToken: ofSpace, apptest.Reader: ofSpace,
			apptest.Guest: {"Organization", "User"}, apptest.Stranger: {},
		} {
			for kind, id := range ids {
				var expected any
				for _, seen := range visible {
					if seen == kind {
						expected = map[string]any{"__typename": kind, "id": id}
					}
				}
				data := server.As(caller).Query(t, `query($id: ID!) { node(id: $id) { __typename id } }`, map[string]any{"id": id})
				assert.Equal(t, expected, data["node"], "%s sees %s", caller, kind)
			}
		}
		assert.Equal(t, "UNAUTHENTICATED", server.As(apptest.Anonymous).GraphQL(t, byIDs, map[string]any{"ids": []string{ids["Space"]}}).Code())
	})
}

func TestNodesKeepTheOrderOfTheirIDs(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ids := resources(t, server)
		unknown := identifier.New(identifier.Space)
		asked := []string{ids["Space"], "nonsense", ids["User"], unknown, "", ids["Space"], identifier.New("xyz"), "spc_\x00000000000000000000000000", ids["Comment"]}
		data := server.As(apptest.Reader).Query(t, byIDs, map[string]any{"ids": asked})
		of := func(kind string) map[string]any { return map[string]any{"__typename": kind, "id": ids[kind]} }
		assert.Equal(t, []any{of("Space"), nil, of("User"), nil, nil, of("Space"), nil, nil, of("Comment")}, data["nodes"])
	})
}

func TestNodesAreBounded(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	ids := make([]string, 101)
	for index := range ids {
		ids[index] = identifier.New(identifier.Space)
	}
	reader := server.As(apptest.Reader)
	assert.Len(t, reader.Query(t, byIDs, map[string]any{"ids": ids[:100]})["nodes"], 100)
	assert.Equal(t, "BAD_USER_INPUT", reader.GraphQL(t, byIDs, map[string]any{"ids": ids}).Code())
	assert.Empty(t, reader.Query(t, byIDs, map[string]any{"ids": []string{}})["nodes"])
}

func TestStatementsDoNotGrowWithTheNodes(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		nodes := node.NewService(node.Sources{
			Users: server.App.Users, Organizations: server.App.Organizations, Spaces: server.App.Spaces, Collections: server.App.Collections,
			Revisions: server.App.Revisions, ChangeRequests: server.App.ChangeRequests, Comments: server.App.Comments, AuditLog: server.App.AuditLog,
		})
		var ids []string
		statements := func(ctx context.Context) int64 {
			var count atomic.Int64
			found, err := nodes.List(database.CountStatements(ctx, &count), ids)
			require.NoError(t, err)
			require.NotContains(t, found, nil)
			return count.Load()
		}
		add := func() {
			for _, id := range resources(t, server) {
				ids = append(ids, id)
			}
		}
		ctx := server.Context(t, apptest.Admin)
		add()
		one := statements(ctx)
		for range 4 {
			add()
		}
		assert.Equal(t, one, statements(ctx))
		assert.LessOrEqual(t, one, int64(16), "one or two for each of eleven kinds")
	})
}
