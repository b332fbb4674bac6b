package changerequest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	entchangerequest "octavo/ent/changerequest"
	"octavo/internal/apptest"
	"octavo/internal/changerequest"
	"octavo/internal/content"
	"octavo/internal/edit"
	"octavo/internal/enum"
	"octavo/internal/fault"
)

// acknowledged collects what the service said it had written.
type acknowledged struct {
	lock  sync.Mutex
	words []string
}

func (a *acknowledged) add(words ...string) {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.words = append(a.words, words...)
}

// appendWord adds a paragraph of its own to the end of a page or makes a page of
// it, by reading and writing with the revision that was read, until it succeeds.
func appendWord(ctx context.Context, t *testing.T, server *apptest.Server, changeRequest, page, word string) error {
	for {
		found, err := server.App.ChangeRequests.Get(ctx, changeRequest)
		if err != nil {
			return err
		}
		changes := []edit.Change{insert("# " + word + "\n")}
		if page != "" {
			changes = []edit.Change{write(page, textAt(t, ctx, server, found.RevisionID, page)+"\n"+word+"\n")}
		}
		_, _, err = server.App.ChangeRequests.EditContent(ctx, changeRequest, changes, &found.RevisionID)
		if err == nil || fault.CodeOf(err) != fault.Conflict {
			return err
		}
	}
}

// mergeAll merges a change request, taking both sides of every conflict, until
// it is merged.
func mergeAll(ctx context.Context, server *apptest.Server, changeRequest string) error {
	service := server.App.ChangeRequests
	for {
		outcome, err := service.Merge(ctx, changeRequest, nil)
		if err != nil || outcome.Result == enum.ResultMerge {
			return err
		}
		resolutions := make([]content.Resolution, len(outcome.Conflicts))
		for index, conflict := range outcome.Conflicts {
			resolutions[index] = content.Resolution{Conflict: conflict.ID, Choice: content.ChooseBoth}
		}
		// The main content may move between the two calls: then the ids of
		// the conflicts are others, and the next merge reports them.
		if _, err := service.ResolveConflicts(ctx, changeRequest, resolutions, nil); err != nil && fault.CodeOf(err) != fault.Conflict {
			return err
		}
	}
}

func TestConcurrentEditsAndMergesLoseNothing(t *testing.T) {
	t.Parallel()
	const branches, writers, rounds = 4, 2, 3
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID, pages := newSpace(t, server, "# One\n\nFirst.\n", "# Two\n\nSecond.\n", "# Three\n\nThird.\n")
		ctx := server.Context(t, apptest.Admin)
		kept := &acknowledged{}
		group, ctx := errgroup.WithContext(ctx)
		for branch := range branches {
			changeRequest := newChangeRequest(t, server, spaceID)
			group.Go(func() error {
				if err := writeBranch(ctx, t, server, changeRequest, branch, writers, rounds, pages, kept); err != nil {
					return err
				}
				return mergeAll(ctx, server, changeRequest)
			})
		}
		group.Go(func() error { return writeMain(ctx, t, server, spaceID, pages, rounds*writers, kept) })
		require.NoError(t, group.Wait())

		text := wholeText(t, server, spaceID)
		require.Len(t, kept.words, branches*writers*rounds+rounds*writers)
		for _, word := range kept.words {
			assert.Equal(t, 1, strings.Count(text, word), "%s in\n%s", word, text)
		}
		assertCounters(t, server, spaceID)
	})
}

// writeBranch lets several people edit one change request at a time, on the
// same pages and on new ones.
func writeBranch(ctx context.Context, t *testing.T, server *apptest.Server, changeRequest string, branch, writers, rounds int, pages []string, kept *acknowledged) error {
	group, ctx := errgroup.WithContext(ctx)
	for writer := range writers {
		group.Go(func() error {
			for round := range rounds {
				word := fmt.Sprintf("branch%dwriter%dround%d.", branch, writer, round)
				page := slices.Concat(pages, []string{""})[(branch+writer+round)%(len(pages)+1)]
				if err := appendWord(ctx, t, server, changeRequest, page, word); err != nil {
					return fmt.Errorf("write %s: %w", word, err)
				}
				kept.add(word)
			}
			return nil
		})
	}
	return group.Wait()
}

// writeMain edits the main content meanwhile.
func writeMain(ctx context.Context, t *testing.T, server *apptest.Server, spaceID string, pages []string, rounds int, kept *acknowledged) error {
	for round := range rounds {
		word := fmt.Sprintf("main%d.", round)
		for {
			found, err := server.App.Spaces.Get(ctx, spaceID)
			if err != nil {
				return err
			}
			page := pages[round%len(pages)]
			changed := strings.Replace(textAt(t, ctx, server, found.RevisionID, page), "\n\n", "\n\n"+word+"\n\n", 1)
			_, _, err = server.App.Spaces.EditContent(ctx, spaceID, []edit.Change{write(page, changed)}, &found.RevisionID)
			if err == nil {
				break
			}
			if fault.CodeOf(err) != fault.Conflict {
				return err
			}
		}
		kept.add(word)
	}
	return nil
}

// wholeText joins titles and texts of all pages of the main content.
func wholeText(t testing.TB, server *apptest.Server, spaceID string) string {
	t.Helper()
	ctx := server.Context(t, apptest.Admin)
	found, err := server.App.Spaces.Get(ctx, spaceID)
	require.NoError(t, err)
	head, err := server.App.Revisions.Load(ctx, found.RevisionID)
	require.NoError(t, err)
	tree, err := server.App.Revisions.Tree(ctx, head.Revision)
	require.NoError(t, err)
	var text strings.Builder
	for _, page := range tree.Pages {
		body, err := server.App.Revisions.Body(ctx, page.Body)
		require.NoError(t, err)
		text.Write(body)
	}
	return text.String()
}

// assertCounters compares the counters of a space with what they count.
func assertCounters(t testing.TB, server *apptest.Server, spaceID string) {
	t.Helper()
	ctx := server.Context(t, apptest.Admin)
	found, err := server.App.Spaces.Get(ctx, spaceID)
	require.NoError(t, err)
	rows, err := server.App.Database.Client(ctx).ChangeRequest.Query().Where(entchangerequest.SpaceID(spaceID)).All(ctx)
	require.NoError(t, err)
	counted := map[enum.ChangeRequestStatus]int{}
	for _, row := range rows {
		counted[row.Status]++
	}
	assert.Equal(t, len(rows), found.ChangeRequestCount)
	assert.Equal(t, counted[enum.StatusOpen], found.OpenChangeRequestCount)
	assert.Equal(t, counted[enum.StatusDraft], found.DraftChangeRequestCount)
}

// TestRandomHistoriesKeepTheirBooks edits, merges, updates, archives and takes
// back at random, and compares what is shown of each change request with what
// it should be by its history.
func TestRandomHistoriesKeepTheirBooks(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		for seed := range uint64(6) {
			randomHistory(t, server, rand.New(rand.NewPCG(seed, 11)))
		}
	})
}

// branch is the model of a change request.
type branch struct {
	id     string
	base   string // main content that it has taken in
	status enum.ChangeRequestStatus
	words  []string
}

func randomHistory(t *testing.T, server *apptest.Server, random *rand.Rand) {
	t.Helper()
	spaceID, pages := newSpace(t, server, "# One\n\nFirst.\n", "# Two\n\nSecond.\n")
	ctx, service := server.Context(t, apptest.Admin), server.App.ChangeRequests
	head := func() string {
		found, err := server.App.Spaces.Get(ctx, spaceID)
		require.NoError(t, err)
		return found.RevisionID
	}
	var branches []*branch
	onMain := map[string]bool{}
	for step := range 40 {
		if len(branches) == 0 || random.IntN(6) == 0 {
			base := head()
			branches = append(branches, &branch{id: newChangeRequest(t, server, spaceID), base: base, status: enum.StatusDraft})
			continue
		}
		chosen := branches[random.IntN(len(branches))]
		active := chosen.status == enum.StatusDraft || chosen.status == enum.StatusOpen
		word := fmt.Sprintf("word%d.", step)
		switch random.IntN(6) {
		case 0, 1:
			_, _, err := service.EditContent(ctx, chosen.id, []edit.Change{insert("# " + word + "\n")}, nil)
			requireAllowed(t, active, err)
			if active {
				chosen.words = append(chosen.words, word)
			}
		case 2:
			text := mainText(t, server, spaceID, pages[0])
			_, _, err := server.App.Spaces.EditContent(ctx, spaceID, []edit.Change{write(pages[0], text+"\n"+word+"\n")}, nil)
			require.NoError(t, err)
			onMain[word] = true
		case 3:
			_, err := service.UpdateFromMain(ctx, chosen.id, nil)
			requireAllowed(t, active, err)
			if active {
				chosen.base = head()
			}
		case 4:
			_, err := service.Merge(ctx, chosen.id, nil)
			requireAllowed(t, active, err)
			if active {
				chosen.status = enum.StatusMerged
				for _, word := range chosen.words {
					onMain[word] = true
				}
			}
		case 5:
			if chosen.status == enum.StatusMerged {
				_, err := service.RevertMerge(ctx, chosen.id, nil, nil)
				if fault.CodeOf(err) != fault.NoChange || len(chosen.words) > 0 && onMain[chosen.words[0]] {
					require.NoError(t, err)
				}
				for _, word := range chosen.words {
					delete(onMain, word)
				}
			} else {
				chosen.status = []enum.ChangeRequestStatus{enum.StatusDraft, enum.StatusOpen, enum.StatusArchived}[random.IntN(3)]
				setStatus(t, ctx, server, chosen)
			}
		}
	}
	assertBooks(t, ctx, server, spaceID, branches, head())
	text := wholeText(t, server, spaceID)
	for word := range onMain {
		assert.Equal(t, 1, strings.Count(text, word), word)
	}
	assert.Equal(t, len(onMain), strings.Count(text, "word"), "nothing else is there")
}

func requireAllowed(t *testing.T, allowed bool, err error) {
	t.Helper()
	if allowed {
		require.NoError(t, err)
		return
	}
	require.Equal(t, fault.NotAllowed, code(err))
}

func setStatus(t *testing.T, ctx context.Context, server *apptest.Server, chosen *branch) {
	t.Helper()
	_, err := server.App.ChangeRequests.Update(ctx, chosen.id, changerequest.Changes{Status: &chosen.status})
	require.NoError(t, err)
}

func assertBooks(t *testing.T, ctx context.Context, server *apptest.Server, spaceID string, branches []*branch, head string) {
	t.Helper()
	for _, expected := range branches {
		found, err := server.App.ChangeRequests.Get(ctx, expected.id)
		require.NoError(t, err)
		assert.Equal(t, expected.status, found.Status)
		assert.Equal(t, expected.status != enum.StatusMerged && expected.base != head, found.Outdated, "%s", expected.status)
	}
	assertCounters(t, server, spaceID)
}
