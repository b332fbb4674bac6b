package live_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/ent/member"
	"octavo/ent/predicate"
	"octavo/internal/access"
	"octavo/internal/app"
	"octavo/internal/apptest"
	"octavo/internal/comment"
	"octavo/internal/user"
)

const (
	spaceContent = `subscription($id: ID!) { spaceContentUpdated(space: $id) {
		id permissions { edit } revision { id } organization { id }
	} }`
	changeRequest = `subscription($id: ID!) { changeRequestUpdated(changeRequest: $id) {
		id subject status revision { id } reviews(first: 5) { nodes { status } } requestedReviewers(first: 5) { nodes { user { id } } }
	} }`
)

func newSpace(t *testing.T, server *apptest.Server) string {
	t.Helper()
	return server.As(apptest.Admin).REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces",
		map[string]any{"title": "Guide", "editMode": "live"}).Object(t, http.StatusCreated)["id"].(string)
}

// insertPage changes the main content and returns the new revision.
func insertPage(t *testing.T, server *apptest.Server, spaceID string) string {
	t.Helper()
	data := server.As(apptest.Admin).Query(t, `mutation($id: ID!) { updateSpaceContent(input: {
		space: $id, changes: [{insertPage: {document: {markdown: "# Page"}}}]
	}) { revision { id } } }`, map[string]any{"id": spaceID})
	return data["updateSpaceContent"].(map[string]any)["revision"].(map[string]any)["id"].(string)
}

func newChangeRequest(t *testing.T, server *apptest.Server, spaceID string) string {
	t.Helper()
	data := server.As(apptest.Editor).Query(t, `mutation($id: ID!) { createChangeRequest(input: {space: $id, subject: "Typo"}) {
		changeRequest { id }
	} }`, map[string]any{"id": spaceID})
	return data["createChangeRequest"].(map[string]any)["changeRequest"].(map[string]any)["id"].(string)
}

func eachTransport(t *testing.T, test func(t *testing.T, server *apptest.Server, transport apptest.Transport)) {
	t.Helper()
	for _, transport := range apptest.Transports {
		t.Run(string(transport), func(t *testing.T) {
			t.Parallel()
			apptest.Each(t, func(t *testing.T, server *apptest.Server) { test(t, server, transport) })
		})
	}
}

func TestReadersAreSentChangedContent(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, server *apptest.Server, transport apptest.Transport) {
		id, other := newSpace(t, server), newSpace(t, server)
		stream := server.As(apptest.Reader).Subscribe(t, transport, spaceContent, map[string]any{"id": id})
		insertPage(t, server, other)
		for range 3 {
			revision := insertPage(t, server, id)
			sent := stream.Data(t)["spaceContentUpdated"].(map[string]any)
			assert.Equal(t, id, sent["id"])
			assert.Equal(t, map[string]any{"id": revision}, sent["revision"], "each is read after the change")
			assert.Equal(t, map[string]any{"id": server.OrganizationID}, sent["organization"])
		}
	})
}

func TestReadersAreSentChangedChangeRequests(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, server *apptest.Server, transport apptest.Transport) {
		spaceID := newSpace(t, server)
		id := newChangeRequest(t, server, spaceID)
		stream := server.As(apptest.Reader).Subscribe(t, transport, changeRequest, map[string]any{"id": id})
		next := func() map[string]any { return stream.Data(t)["changeRequestUpdated"].(map[string]any) }
		mutate := func(caller apptest.Caller, document string) {
			t.Helper()
			server.As(caller).Query(t, document, map[string]any{"id": id, "reviewer": server.As(apptest.Reviewer).UserID})
		}
		newChangeRequest(t, server, spaceID)
		mutate(apptest.Editor, `mutation($id: ID!) { updateChangeRequest(input: {changeRequest: $id, subject: "Typos"}) { changeRequest { id } } }`)
		first := next()
		assert.Equal(t, "Typos", first["subject"])
		mutate(apptest.Editor, `mutation($id: ID!) { updateChangeRequestContent(input: {changeRequest: $id, changes: [{insertPage: {document: {markdown: "x"}}}]}) { revision { id } } }`)
		assert.NotEqual(t, first["revision"], next()["revision"])
		mutate(apptest.Editor, `mutation($id: ID!, $reviewer: ID!) { requestReviewersForChangeRequest(input: {changeRequest: $id, users: [$reviewer]}) { changeRequest { id } } }`)
		assert.Len(t, next()["requestedReviewers"].(map[string]any)["nodes"], 1)
		mutate(apptest.Reviewer, `mutation($id: ID!) { submitChangeRequestReview(input: {changeRequest: $id, status: APPROVED}) { review { id } } }`)
		reviewed := next()
		assert.Empty(t, reviewed["requestedReviewers"].(map[string]any)["nodes"])
		assert.Len(t, reviewed["reviews"].(map[string]any)["nodes"], 1)
		insertPage(t, server, spaceID)
		mutate(apptest.Editor, `mutation($id: ID!) { updateChangeRequestFromMain(input: {changeRequest: $id}) { result } }`)
		assert.NotEqual(t, reviewed["revision"], next()["revision"])
		mutate(apptest.Reviewer, `mutation($id: ID!) { mergeChangeRequest(input: {changeRequest: $id}) { result } }`)
		assert.Equal(t, "MERGED", next()["status"])
	})
}

const remarks = `subscription($space: ID!, $changeRequest: ID) { commentAdded(space: $space, changeRequest: $changeRequest) {
	__typename ... on Comment { id body { markdown } } ... on CommentReply { id body { markdown } comment { id } }
} }`

// post adds a comment and returns its id.
func post(t *testing.T, server *apptest.Server, spaceID string, changeRequestID any, text string) string {
	t.Helper()
	data := server.As(apptest.Commenter).Query(t, `mutation($space: ID!, $changeRequest: ID, $text: Markdown!) {
		postComment(input: {space: $space, changeRequest: $changeRequest, body: {markdown: $text}}) { comment { id } }
	}`, map[string]any{"space": spaceID, "changeRequest": changeRequestID, "text": text})
	return data["postComment"].(map[string]any)["comment"].(map[string]any)["id"].(string)
}

func TestReadersAreSentCommentsAndReplies(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, server *apptest.Server, transport apptest.Transport) {
		spaceID, other := newSpace(t, server), newSpace(t, server)
		changeRequestID := newChangeRequest(t, server, spaceID)
		newChangeRequest(t, server, spaceID)
		everywhere := server.As(apptest.Reader).Subscribe(t, transport, remarks, map[string]any{"space": spaceID})
		onBranch := server.As(apptest.Reader).Subscribe(t, transport, remarks, map[string]any{"space": spaceID, "changeRequest": "1"})
		post(t, server, other, nil, "elsewhere")
		post(t, server, spaceID, "2", "on another branch")
		id := post(t, server, spaceID, changeRequestID, "on the branch")
		reply := server.As(apptest.Commenter).Query(t, `mutation($id: ID!) { postCommentReply(input: {comment: $id, body: {markdown: "indeed"}}) { commentReply { id } } }`,
			map[string]any{"id": id})["postCommentReply"].(map[string]any)["commentReply"].(map[string]any)["id"]
		next := func(stream *apptest.Stream) any { return stream.Data(t)["commentAdded"] }
		assert.Equal(t, map[string]any{"markdown": "on another branch"}, next(everywhere).(map[string]any)["body"])
		for _, stream := range []*apptest.Stream{everywhere, onBranch} {
			assert.Equal(t, map[string]any{"__typename": "Comment", "id": id, "body": map[string]any{"markdown": "on the branch"}}, next(stream))
			assert.Equal(t, map[string]any{
				"__typename": "CommentReply", "id": reply, "body": map[string]any{"markdown": "indeed"}, "comment": map[string]any{"id": id},
			}, next(stream))
		}
		for _, changeRequest := range []any{nil, "1"} {
			server.As(apptest.Guest).Subscribe(t, transport, remarks, map[string]any{"space": spaceID, "changeRequest": changeRequest}).RequireEnd(t, "NOT_FOUND")
		}
		server.As(apptest.Reader).Subscribe(t, transport, remarks, map[string]any{"space": spaceID, "changeRequest": "7"}).RequireEnd(t, "NOT_FOUND")
	})
}

// What is gone before it was sent is passed over, and the stream goes on.
func TestDeletedCommentsArePassedOver(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		id := newSpace(t, server)
		stream := server.As(apptest.Reader).Subscribe(t, apptest.WebSocket, remarks, map[string]any{"space": id})
		require.NoError(t, server.App.Database.Write(server.Context(t, apptest.Commenter), func(ctx context.Context) error {
			first, second := "gone", "there"
			posted, err := server.App.Comments.Post(ctx, comment.New{SpaceID: id, Text: comment.Text{Markdown: &first}})
			require.NoError(t, err)
			_, err = server.App.Comments.Delete(ctx, posted.ID)
			require.NoError(t, err)
			_, err = server.App.Comments.Post(ctx, comment.New{SpaceID: id, Text: comment.Text{Markdown: &second}})
			return err
		}))
		assert.Equal(t, map[string]any{"markdown": "there"}, stream.Data(t)["commentAdded"].(map[string]any)["body"])
	})
}

func TestWhoMaySubscribe(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, server *apptest.Server, transport apptest.Transport) {
		spaceID := newSpace(t, server)
		subjects := map[string]string{spaceContent: spaceID, changeRequest: newChangeRequest(t, server, spaceID)}
		codes := map[apptest.Caller]string{
			apptest.Guest: "NOT_FOUND", apptest.Stranger: "NOT_FOUND", apptest.Anonymous: "UNAUTHENTICATED",
			apptest.Reader: "", apptest.ReadToken: "",
		}
		for document, subject := range subjects {
			for caller, code := range codes {
				stream := server.As(caller).Subscribe(t, transport, document, map[string]any{"id": subject})
				if code != "" {
					stream.RequireEnd(t, code)
				}
			}
			server.As(apptest.Admin).Subscribe(t, transport, document, map[string]any{"id": "spc_00000000000000000000000000"}).RequireEnd(t, "NOT_FOUND")
		}
	})
}

func TestRightsAreThoseOfTheMoment(t *testing.T) {
	t.Parallel()
	system := func(t *testing.T) context.Context { return access.System(t.Context(), "test") }
	for _, test := range []struct {
		name   string
		change func(t *testing.T, server *apptest.Server, spaceID string)
		code   string
	}{
		{"TokenRevoked", func(t *testing.T, server *apptest.Server, _ string) {
			viewer, err := server.App.Users.Authenticate(t.Context(), server.As(apptest.Editor).Token)
			require.NoError(t, err)
			_, err = server.App.Users.RevokeToken(system(t), viewer.TokenID)
			require.NoError(t, err)
		}, "UNAUTHENTICATED"},
		{"MemberRemoved", func(t *testing.T, server *apptest.Server, _ string) {
			_, err := server.App.Database.Client(system(t)).Member.Delete().Where(member.UserID(server.As(apptest.Editor).UserID)).Exec(system(t))
			require.NoError(t, err)
		}, "NOT_FOUND"},
		{"MemberDisabled", func(t *testing.T, server *apptest.Server, _ string) {
			require.NoError(t, server.App.Database.Client(system(t)).Member.Update().
				Where(member.UserID(server.As(apptest.Editor).UserID)).SetDisabled(true).Exec(system(t)))
		}, "NOT_FOUND"},
		{"SpaceClosed", func(t *testing.T, server *apptest.Server, spaceID string) {
			server.As(apptest.Admin).REST(t, http.MethodPatch, "/spaces/"+spaceID, map[string]any{"defaultLevel": nil}).JSON(t, http.StatusOK, nil)
		}, "NOT_FOUND"},
		{"RoleLowered", func(t *testing.T, server *apptest.Server, spaceID string) {
			server.As(apptest.Admin).REST(t, http.MethodPatch, "/spaces/"+spaceID, map[string]any{"defaultLevel": "read"}).JSON(t, http.StatusOK, nil)
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			eachTransport(t, func(t *testing.T, server *apptest.Server, transport apptest.Transport) {
				id := newSpace(t, server)
				stream := server.As(apptest.Editor).Subscribe(t, transport, spaceContent, map[string]any{"id": id})
				insertPage(t, server, id)
				assert.Equal(t, map[string]any{"edit": true}, stream.Data(t)["spaceContentUpdated"].(map[string]any)["permissions"])
				test.change(t, server, id)
				insertPage(t, server, id)
				if test.code != "" {
					stream.RequireEnd(t, test.code)
					return
				}
				assert.Equal(t, map[string]any{"edit": false}, stream.Data(t)["spaceContentUpdated"].(map[string]any)["permissions"])
			})
		})
	}
}

// Nothing happens that the streams would send; they end all the same.
func TestStreamsEndWithTheRightsOfTheirReader(t *testing.T) {
	t.Parallel()
	membership := func(t *testing.T, server *apptest.Server, change func(ctx context.Context, own predicate.Member) error) {
		t.Helper()
		own := member.UserID(server.As(apptest.Editor).UserID)
		require.NoError(t, server.App.Database.Write(access.System(t.Context(), "test"), func(ctx context.Context) error { return change(ctx, own) }))
	}
	for _, test := range []struct {
		name   string
		change func(t *testing.T, server *apptest.Server)
		code   string
	}{
		{"TokenRevoked", func(t *testing.T, server *apptest.Server) {
			t.Helper()
			editor := server.Context(t, apptest.Editor)
			_, err := server.App.Users.RevokeToken(editor, access.From(editor).TokenID)
			require.NoError(t, err)
		}, "UNAUTHENTICATED"},
		{"MemberRemoved", func(t *testing.T, server *apptest.Server) {
			t.Helper()
			membership(t, server, func(ctx context.Context, own predicate.Member) error {
				_, err := server.App.Database.Client(ctx).Member.Delete().Where(own).Exec(ctx)
				return err
			})
		}, "NOT_FOUND"},
		{"MemberDisabled", func(t *testing.T, server *apptest.Server) {
			t.Helper()
			membership(t, server, func(ctx context.Context, own predicate.Member) error {
				return server.App.Database.Client(ctx).Member.Update().Where(own).SetDisabled(true).Exec(ctx)
			})
		}, "NOT_FOUND"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			apptest.Each(t, func(t *testing.T, server *apptest.Server) {
				id, replica := newSpace(t, server), server.Beside(t)
				branch := newChangeRequest(t, server, id)
				ending := []*apptest.Stream{
					server.As(apptest.Editor).Subscribe(t, apptest.WebSocket, spaceContent, map[string]any{"id": id}),
					replica.As(apptest.Editor).Subscribe(t, apptest.EventStream, changeRequest, map[string]any{"id": branch}),
					replica.As(apptest.Editor).Subscribe(t, apptest.WebSocket, remarks, map[string]any{"space": id}),
				}
				staying := replica.As(apptest.Reader).Subscribe(t, apptest.EventStream, spaceContent, map[string]any{"id": id})
				test.change(t, server)
				for _, stream := range ending {
					stream.RequireEnd(t, test.code)
				}
				insertPage(t, server, id)
				assert.Equal(t, id, staying.Data(t)["spaceContentUpdated"].(map[string]any)["id"])
			})
		})
	}
}

func TestStreamsEndWhenTheTokenExpires(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, server *apptest.Server, transport apptest.Transport) {
		expires := time.Now().Add(time.Second)
		_, secret, err := server.App.Users.CreateTokenOf(access.System(t.Context(), "test"), server.As(apptest.Reader).UserID,
			user.NewToken{Name: "short", ExpiresAt: &expires})
		require.NoError(t, err)
		stream := server.With(secret).Subscribe(t, transport, spaceContent, map[string]any{"id": newSpace(t, server)})
		stream.RequireEnd(t, "UNAUTHENTICATED")
		assert.False(t, time.Now().Before(expires))
	})
}

// Rights that are taken past the domain, and grants, are noticed by looking.
func TestStreamsLookAtRightsNowAndThen(t *testing.T) {
	t.Parallel()
	often := func(config *app.Config) { config.Limits.Streams.Recheck = 5 * time.Millisecond }
	apptest.EachConfigured(t, often, func(t *testing.T, server *apptest.Server) {
		id := newSpace(t, server)
		branch := newChangeRequest(t, server, id)
		streams := []*apptest.Stream{
			server.As(apptest.Reader).Subscribe(t, apptest.WebSocket, spaceContent, map[string]any{"id": id}),
			server.As(apptest.Reader).Subscribe(t, apptest.WebSocket, changeRequest, map[string]any{"id": branch}),
			server.As(apptest.Reader).Subscribe(t, apptest.EventStream, remarks, map[string]any{"space": id}),
		}
		server.As(apptest.Admin).REST(t, http.MethodPatch, "/spaces/"+id, map[string]any{"defaultLevel": nil}).JSON(t, http.StatusOK, nil)
		for _, stream := range streams {
			stream.RequireEnd(t, "NOT_FOUND")
		}
	})
}

func TestSubscriptionsOfOneCallerAreLimited(t *testing.T) {
	t.Parallel()
	limited := func(config *app.Config) { config.Limits.Streams.PerCaller = 2 }
	apptest.EachConfigured(t, limited, func(t *testing.T, server *apptest.Server) {
		about := map[string]any{"id": newSpace(t, server)}
		open := func(caller apptest.Caller) *apptest.Stream {
			return server.As(caller).Subscribe(t, apptest.WebSocket, spaceContent, about)
		}
		open(apptest.Reader)
		open(apptest.Reader)
		open(apptest.Reader).RequireEnd(t, "LIMIT_EXCEEDED")
		open(apptest.Editor)
		open(apptest.Reader).RequireEnd(t, "LIMIT_EXCEEDED")
	})
}

func TestOperationsOnASocketHaveTheRightsOfTheMoment(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		socket := server.As(apptest.Reader).Dial(t)
		assert.Equal(t, server.As(apptest.Reader).UserID, socket.Do(t, "{ viewer { id } }").Data["viewer"].(map[string]any)["id"])
		reader := server.Context(t, apptest.Reader)
		_, err := server.App.Users.RevokeToken(reader, access.From(reader).TokenID)
		require.NoError(t, err)
		assert.Equal(t, "UNAUTHENTICATED", socket.Do(t, "{ viewer { id } }").Code())
	})
}

func TestChangesOnOneServerArriveOnTheOthers(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		replica := server.Beside(t)
		id := newSpace(t, server)
		here := server.As(apptest.Reader).Subscribe(t, apptest.WebSocket, spaceContent, map[string]any{"id": id})
		there := replica.As(apptest.Reader).Subscribe(t, apptest.EventStream, spaceContent, map[string]any{"id": id})
		for _, changing := range []*apptest.Server{server, replica, server} {
			revision := insertPage(t, changing, id)
			for _, stream := range []*apptest.Stream{here, there} {
				assert.Equal(t, map[string]any{"id": revision}, stream.Data(t)["spaceContentUpdated"].(map[string]any)["revision"])
			}
		}
	})
}

func TestStoppingServerEndsStreams(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, server *apptest.Server, transport apptest.Transport) {
		stream := server.As(apptest.Reader).Subscribe(t, transport, spaceContent, map[string]any{"id": newSpace(t, server)})
		server.App.Events.Close()
		stream.RequireEnd(t, "UNAVAILABLE")
		server.As(apptest.Reader).Subscribe(t, transport, spaceContent, map[string]any{"id": newSpace(t, server)}).RequireEnd(t, "UNAVAILABLE")
	})
}
