package comment_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	entcomment "octavo/ent/comment"
	"octavo/ent/commentreply"
	"octavo/ent/reaction"
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/comment"
	"octavo/internal/fault"
)

// history does random things to the comments of a server, and knows the ids of
// those that it may find.
type history struct {
	*discussed
	random *rand.Rand

	lock             sync.Mutex
	threads, replies []string
}

// step does one thing. What somebody else deleted meanwhile may be missing, and
// nothing else may go wrong.
func (h *history) step(t testing.TB, ctx context.Context) {
	h.lock.Lock()
	action, choice := h.random.IntN(10), h.random.IntN(1<<30)
	text := "x"
	emojis := []string{string(rune('a' + choice%5)), string(rune('a' + choice%3))}
	thread, reply := pick(h.threads, choice), pick(h.replies, choice)
	h.lock.Unlock()
	service := h.App.Comments
	var err error
	switch {
	case action < 2 || thread == "":
		draft := comment.New{SpaceID: h.spaceID, Text: comment.Text{Markdown: &text}}
		if choice%2 == 0 {
			draft.ChangeRequest = &h.changeRequestID
		}
		var posted *comment.Comment
		if posted, err = service.Post(ctx, draft); err == nil {
			h.remember(&h.threads, posted.ID)
		}
	case action < 4 || reply == "":
		var posted *comment.Reply
		if posted, err = service.PostReply(ctx, thread, comment.Text{Markdown: &text}); err == nil {
			h.remember(&h.replies, posted.ID)
		}
	case action < 6:
		resolved := choice%2 == 0
		_, err = service.Update(ctx, thread, comment.Changes{Resolved: &resolved, Reactions: comment.Reactions{Added: emojis}})
	case action < 8:
		resolved := choice%2 == 0
		_, err = service.UpdateReply(ctx, reply, comment.Changes{Resolved: &resolved, Reactions: comment.Reactions{Added: emojis[:1], Removed: emojis[1:]}})
	case action < 9:
		_, err = service.DeleteReply(ctx, reply)
	default:
		_, err = service.Delete(ctx, thread)
	}
	if err != nil && fault.CodeOf(err) != fault.NotFound {
		assert.NoError(t, err)
	}
}

func (h *history) remember(list *[]string, id string) {
	h.lock.Lock()
	defer h.lock.Unlock()
	*list = append(*list, id)
}

func pick(list []string, choice int) string {
	if len(list) == 0 {
		return ""
	}
	return list[choice%len(list)]
}

// requireExactCounters compares every counter with what it counts, and looks
// for reactions to what is gone.
func (h *history) requireExactCounters(t testing.TB) {
	t.Helper()
	ctx := access.System(t.Context(), "test")
	client := h.App.Database.Client(ctx)
	open := client.Comment.Query().Where(entcomment.ResolvedAtIsNil())
	onSpace, err := open.Clone().Where(entcomment.ChangeRequestIDIsNil()).Count(ctx)
	require.NoError(t, err)
	onBranch, err := open.Clone().Where(entcomment.ChangeRequestID(h.changeRequestID)).Count(ctx)
	require.NoError(t, err)
	home, err := client.Space.Get(ctx, h.spaceID)
	require.NoError(t, err)
	branch, err := client.ChangeRequest.Get(ctx, h.changeRequestID)
	require.NoError(t, err)
	require.Equal(t, onSpace, home.OpenComments)
	require.Equal(t, onBranch, branch.OpenComments)
	threads, err := client.Comment.Query().All(ctx)
	require.NoError(t, err)
	subjects, err := client.CommentReply.Query().IDs(ctx)
	require.NoError(t, err)
	for _, thread := range threads {
		count, err := client.CommentReply.Query().Where(commentreply.CommentID(thread.ID)).Count(ctx)
		require.NoError(t, err)
		require.Equal(t, count, thread.ReplyCount, "%s", thread.ID)
		subjects = append(subjects, thread.ID)
	}
	orphans, err := client.Reaction.Query().Where(reaction.SubjectIDNotIn(subjects...)).Count(ctx)
	require.NoError(t, err)
	require.Zero(t, orphans)
}

func TestCountersAreExactAfterAnyHistory(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		random := rand.New(rand.NewPCG(1, 2))
		history := &history{discussed: discuss(t, server), random: random}
		admin := server.Context(t, apptest.Admin)
		for round := range 200 {
			history.step(t, admin)
			if round%40 == 39 {
				history.requireExactCounters(t)
			}
		}
	})
}

func TestCountersAreExactUnderConcurrency(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		history := &history{discussed: discuss(t, server), random: rand.New(rand.NewPCG(3, 4))}
		var group sync.WaitGroup
		for _, caller := range []apptest.Caller{apptest.Admin, apptest.Admin, apptest.Admin, apptest.Admin} {
			ctx := server.Context(t, caller)
			group.Go(func() {
				for range 60 {
					history.step(t, ctx)
				}
			})
		}
		group.Wait()
		history.requireExactCounters(t)
		require.NotEmpty(t, history.replies)
	})
}
