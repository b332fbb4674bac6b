package changerequest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/changerequest"
	"octavo/internal/content"
	"octavo/internal/edit"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/space"
)

// newSpace makes a live space with a page for each of the texts, and returns
// its id and the ids of the pages.
func newSpace(t testing.TB, server *apptest.Server, texts ...string) (id string, pages []string) {
	t.Helper()
	ctx := server.Context(t, apptest.Admin)
	made, err := server.App.Spaces.Create(ctx, space.New{OrganizationID: server.OrganizationID, Title: "Guide", EditMode: enum.EditLive})
	require.NoError(t, err)
	for _, text := range texts {
		_, result, err := server.App.Spaces.EditContent(ctx, made.ID, []edit.Change{insert(text)}, nil)
		require.NoError(t, err)
		pages = append(pages, result.Pages[0].PageID)
	}
	return made.ID, pages
}

func insert(markdown string) edit.Change {
	return edit.InsertPage{Text: edit.Text{Markdown: &markdown}}
}

func write(page, markdown string) edit.Change {
	return edit.UpdatePage{UpdatePage: content.UpdatePage{Page: page}, Text: edit.Text{Markdown: &markdown}}
}

func newChangeRequest(t testing.TB, server *apptest.Server, spaceID string) string {
	t.Helper()
	made, err := server.App.ChangeRequests.Create(server.Context(t, apptest.Editor), changerequest.New{SpaceID: spaceID})
	require.NoError(t, err)
	return made.ID
}

func edited(t testing.TB, server *apptest.Server, changeRequest string, changes ...edit.Change) *edit.Result {
	t.Helper()
	_, result, err := server.App.ChangeRequests.EditContent(server.Context(t, apptest.Editor), changeRequest, changes, nil)
	require.NoError(t, err)
	return result
}

func merged(t testing.TB, server *apptest.Server, changeRequest string) *changerequest.Outcome {
	t.Helper()
	outcome, err := server.App.ChangeRequests.Merge(server.Context(t, apptest.Reviewer), changeRequest, nil)
	require.NoError(t, err)
	return outcome
}

// mainText returns the source of a page of the main content, empty when there
// is no such page.
func mainText(t testing.TB, server *apptest.Server, spaceID, page string) string {
	t.Helper()
	ctx := server.Context(t, apptest.Admin)
	found, err := server.App.Spaces.Get(ctx, spaceID)
	require.NoError(t, err)
	return textAt(t, ctx, server, found.RevisionID, page)
}

func textAt(t testing.TB, ctx context.Context, server *apptest.Server, revisionID, page string) string {
	t.Helper()
	head, err := server.App.Revisions.Load(ctx, revisionID)
	require.NoError(t, err)
	tree, err := server.App.Revisions.Tree(ctx, head.Revision)
	require.NoError(t, err)
	found := tree.Index().Page(page)
	if found == nil {
		return ""
	}
	body, err := server.App.Revisions.Body(ctx, found.Body)
	require.NoError(t, err)
	return string(body)
}

func code(err error) fault.Code {
	if err == nil {
		return ""
	}
	return fault.CodeOf(err)
}

func TestMergeBringsBothSidesTogether(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID, pages := newSpace(t, server, "# One\n\nFirst.\n\nSecond.\n")
		changeRequest := newChangeRequest(t, server, spaceID)
		edited(t, server, changeRequest, write(pages[0], "# One\n\nFirst, changed.\n\nSecond.\n"), insert("# Two\n"))
		admin := server.Context(t, apptest.Admin)
		_, _, err := server.App.Spaces.EditContent(admin, spaceID, []edit.Change{write(pages[0], "# One\n\nFirst.\n\nSecond, changed.\n")}, nil)
		require.NoError(t, err)

		before, err := server.App.Spaces.Get(admin, spaceID)
		require.NoError(t, err)
		outcome := merged(t, server, changeRequest)
		require.Equal(t, enum.ResultMerge, outcome.Result)
		assert.Empty(t, outcome.Conflicts)
		assert.Equal(t, "# One\n\nFirst, changed.\n\nSecond, changed.\n", mainText(t, server, spaceID, pages[0]))
		assert.Equal(t, outcome.Revision.ID, outcome.Space.RevisionID)
		assert.Equal(t, enum.RevisionMerge, outcome.Revision.Type)
		assert.Equal(t, []string{before.RevisionID, outcome.ChangeRequest.RevisionID}, outcome.Revision.Parents)
		assert.Equal(t, changeRequest, *outcome.Revision.MergedFromID)
		assert.Equal(t, enum.StatusMerged, outcome.ChangeRequest.Status)
		assert.Equal(t, outcome.Revision.ID, *outcome.ChangeRequest.MergedRevisionID)
		assert.Equal(t, server.As(apptest.Reviewer).UserID, *outcome.ChangeRequest.MergedByID)
		assert.False(t, outcome.ChangeRequest.Outdated)
	})
}

func TestConflictsAreReportedAndResolved(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID, pages := newSpace(t, server, "# One\n\nFirst.\n\nSecond.\n")
		changeRequest := newChangeRequest(t, server, spaceID)
		edited(t, server, changeRequest, write(pages[0], "# One\n\nOurs.\n\nSecond.\n"))
		admin, editor := server.Context(t, apptest.Admin), server.Context(t, apptest.Editor)
		_, _, err := server.App.Spaces.EditContent(admin, spaceID, []edit.Change{write(pages[0], "# One\n\nTheirs.\n\nSecond.\n")}, nil)
		require.NoError(t, err)
		before, err := server.App.ChangeRequests.Get(admin, changeRequest)
		require.NoError(t, err)
		require.True(t, before.Outdated)

		outcome := merged(t, server, changeRequest)
		require.Equal(t, enum.ResultConflicts, outcome.Result)
		require.Len(t, outcome.Conflicts, 1)
		conflict := outcome.Conflicts[0]
		assert.Equal(t, content.ConflictBody, conflict.Kind)
		assert.Equal(t, pages[0], conflict.Page.ID)
		assert.Equal(t, enum.StatusDraft, outcome.ChangeRequest.Status)
		assert.Equal(t, before.RevisionID, outcome.ChangeRequest.RevisionID)
		assert.Equal(t, "# One\n\nTheirs.\n\nSecond.\n", mainText(t, server, spaceID, pages[0]))

		service := server.App.ChangeRequests
		for name, attempt := range map[string]func() (*changerequest.Outcome, error){
			"update": func() (*changerequest.Outcome, error) { return service.UpdateFromMain(editor, changeRequest, nil) },
			"without an answer": func() (*changerequest.Outcome, error) {
				return service.ResolveConflicts(editor, changeRequest, nil, nil)
			},
		} {
			outcome, err := attempt()
			require.NoError(t, err, name)
			assert.Equal(t, enum.ResultConflicts, outcome.Result, name)
			assert.Equal(t, conflict.ID, outcome.Conflicts[0].ID, "%s: the id stays while the sides do", name)
			assert.Equal(t, before.RevisionID, outcome.Revision.ID, name)
		}
		_, err = service.ResolveConflicts(editor, changeRequest, []content.Resolution{{Conflict: "gone", Choice: content.ChooseOurs}}, nil)
		assert.Equal(t, fault.Conflict, code(err))
		outcome, err = service.ResolveConflicts(editor, changeRequest,
			[]content.Resolution{{Conflict: conflict.ID, Choice: content.ChooseCustom, Markdown: new("Agreed.\n")}}, nil)
		require.NoError(t, err)
		require.Equal(t, enum.ResultUpdate, outcome.Result)
		assert.Equal(t, enum.RevisionUpdate, outcome.Revision.Type)
		assert.Equal(t, []string{before.RevisionID, outcome.Space.RevisionID}, outcome.Revision.Parents)
		assert.False(t, outcome.ChangeRequest.Outdated)
		assert.Equal(t, outcome.Space.RevisionID, *outcome.ChangeRequest.AncestorRevisionID)

		require.Equal(t, enum.ResultMerge, merged(t, server, changeRequest).Result)
		assert.Equal(t, "# One\n\nAgreed.\n\nSecond.\n", mainText(t, server, spaceID, pages[0]))
	})
}

func TestUpdateOfCurrentChangeRequestWritesNothing(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID, _ := newSpace(t, server, "# One\n")
		changeRequest := newChangeRequest(t, server, spaceID)
		head := edited(t, server, changeRequest, insert("# Two\n")).Revision.ID
		outcome, err := server.App.ChangeRequests.UpdateFromMain(server.Context(t, apptest.Editor), changeRequest, nil)
		require.NoError(t, err)
		assert.Equal(t, enum.ResultUpdate, outcome.Result)
		assert.Equal(t, head, outcome.Revision.ID)
		assert.Equal(t, head, outcome.ChangeRequest.RevisionID)
	})
}

func TestMergeIsTakenBack(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID, pages := newSpace(t, server, "# One\n\nFirst.\n\nSecond.\n")
		changeRequest := newChangeRequest(t, server, spaceID)
		inserted := edited(t, server, changeRequest, write(pages[0], "# One\n\nMerged.\n\nSecond.\n"), insert("# Two\n")).Pages[1].PageID
		reviewer, service := server.Context(t, apptest.Reviewer), server.App.ChangeRequests
		_, err := service.RevertMerge(reviewer, changeRequest, nil, nil)
		require.Equal(t, fault.NotAllowed, code(err), "it is not merged yet")
		merged(t, server, changeRequest)
		_, _, err = server.App.Spaces.EditContent(reviewer, spaceID, []edit.Change{write(pages[0], "# One\n\nMerged.\n\nLater.\n")}, nil)
		require.NoError(t, err)

		_, err = service.RevertMerge(reviewer, changeRequest, nil, new("rev_other"))
		require.Equal(t, fault.Conflict, code(err))
		outcome, err := service.RevertMerge(reviewer, changeRequest, nil, nil)
		require.NoError(t, err)
		require.Equal(t, enum.ResultRollback, outcome.Result)
		assert.Equal(t, enum.RevisionRollback, outcome.Revision.Type)
		assert.Equal(t, "# One\n\nFirst.\n\nLater.\n", mainText(t, server, spaceID, pages[0]), "what came later stays")
		assert.Empty(t, mainText(t, server, spaceID, inserted))
		_, err = service.RevertMerge(reviewer, changeRequest, nil, nil)
		assert.Equal(t, fault.NoChange, code(err))
	})
}

func TestTakingBackReportsWhatWasChangedSince(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID, pages := newSpace(t, server, "# One\n\nFirst.\n")
		changeRequest := newChangeRequest(t, server, spaceID)
		edited(t, server, changeRequest, write(pages[0], "# One\n\nMerged.\n"))
		merged(t, server, changeRequest)
		reviewer := server.Context(t, apptest.Reviewer)
		_, _, err := server.App.Spaces.EditContent(reviewer, spaceID, []edit.Change{write(pages[0], "# One\n\nLater.\n")}, nil)
		require.NoError(t, err)
		outcome, err := server.App.ChangeRequests.RevertMerge(reviewer, changeRequest, nil, nil)
		require.NoError(t, err)
		assert.Equal(t, enum.ResultConflicts, outcome.Result)
		require.Len(t, outcome.Conflicts, 1)
		assert.Equal(t, outcome.Space.RevisionID, outcome.Revision.ID)
		assert.Equal(t, "# One\n\nLater.\n", mainText(t, server, spaceID, pages[0]))
	})
}

func TestTakingBackWithAnswersToItsConflicts(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID, pages := newSpace(t, server, "# One\n\nFirst.\n", "# Two\n\nSecond.\n")
		changeRequest := newChangeRequest(t, server, spaceID)
		edited(t, server, changeRequest, write(pages[0], "# One\n\nMerged.\n"), write(pages[1], "# Two\n\nMerged.\n"))
		merged(t, server, changeRequest)
		reviewer, service := server.Context(t, apptest.Reviewer), server.App.ChangeRequests
		_, _, err := server.App.Spaces.EditContent(reviewer, spaceID, []edit.Change{
			write(pages[0], "# One\n\nLater.\n"), write(pages[1], "# Two\n\nLater.\n"),
		}, nil)
		require.NoError(t, err)
		reported, err := service.RevertMerge(reviewer, changeRequest, nil, nil)
		require.NoError(t, err)
		require.Len(t, reported.Conflicts, 2)
		theirs := content.Resolution{Conflict: reported.Conflicts[0].ID, Choice: content.ChooseTheirs}
		custom := content.Resolution{Conflict: reported.Conflicts[1].ID, Choice: content.ChooseCustom, Markdown: new("Both.")}

		for name, row := range map[string]struct {
			resolutions []content.Resolution
			code        fault.Code
		}{
			"of no conflict":  {[]content.Resolution{theirs, custom, {Conflict: "other", Choice: content.ChooseOurs}}, fault.Conflict},
			"given twice":     {[]content.Resolution{theirs, custom, theirs}, fault.Conflict},
			"of another kind": {[]content.Resolution{theirs, {Conflict: custom.Conflict, Choice: "keep"}}, fault.BadUserInput},
			"too many":        {make([]content.Resolution, changerequest.ResolutionLimit+1), fault.LimitExceeded},
			"nothing to do": {[]content.Resolution{
				{Conflict: theirs.Conflict, Choice: content.ChooseOurs}, {Conflict: custom.Conflict, Choice: content.ChooseOurs},
			}, fault.NoChange},
		} {
			_, err := service.RevertMerge(reviewer, changeRequest, row.resolutions, nil)
			assert.Equal(t, row.code, code(err), name)
		}
		partly, err := service.RevertMerge(reviewer, changeRequest, []content.Resolution{theirs}, nil)
		require.NoError(t, err)
		assert.Equal(t, enum.ResultConflicts, partly.Result)
		require.Len(t, partly.Conflicts, 1)
		assert.Equal(t, custom.Conflict, partly.Conflicts[0].ID)

		outcome, err := service.RevertMerge(reviewer, changeRequest, []content.Resolution{theirs, custom}, nil)
		require.NoError(t, err)
		assert.Equal(t, enum.ResultRollback, outcome.Result)
		assert.Equal(t, "# One\n\nFirst.\n", mainText(t, server, spaceID, pages[0]))
		assert.Equal(t, "# Two\n\nBoth.\n", mainText(t, server, spaceID, pages[1]))
	})
}

func TestContentOfFinalChangeRequestsStays(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID, _ := newSpace(t, server, "# One\n")
		mergedOne, archived := newChangeRequest(t, server, spaceID), newChangeRequest(t, server, spaceID)
		edited(t, server, mergedOne, insert("# Two\n"))
		merged(t, server, mergedOne)
		ctx, service := server.Context(t, apptest.Admin), server.App.ChangeRequests
		_, err := service.Update(ctx, archived, changerequest.Changes{Status: new(enum.StatusArchived)})
		require.NoError(t, err)
		for _, id := range []string{mergedOne, archived} {
			for name, attempt := range map[string]func() error{
				"edit": func() error {
					_, _, err := service.EditContent(ctx, id, []edit.Change{insert("# X\n")}, nil)
					return err
				},
				"merge":   func() error { _, err := service.Merge(ctx, id, nil); return err },
				"update":  func() error { _, err := service.UpdateFromMain(ctx, id, nil); return err },
				"resolve": func() error { _, err := service.ResolveConflicts(ctx, id, nil, nil); return err },
			} {
				assert.Equal(t, fault.NotAllowed, code(attempt()), "%s %s", name, id)
			}
		}
	})
}

func TestContentIsWrittenByThoseWhoMay(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID, _ := newSpace(t, server, "# One\n")
		changeRequest := newChangeRequest(t, server, spaceID)
		edited(t, server, changeRequest, insert("# Two\n"))
		service, spaces := server.App.ChangeRequests, server.App.Spaces
		denied := func(minimum apptest.Caller) map[apptest.Caller]fault.Code {
			codes := map[apptest.Caller]fault.Code{
				apptest.Guest: fault.NotFound, apptest.Stranger: fault.NotFound, apptest.Anonymous: fault.Unauthenticated,
				apptest.ReadToken: fault.Forbidden, apptest.Reader: fault.Forbidden, apptest.Commenter: fault.Forbidden,
			}
			if minimum == apptest.Reviewer {
				codes[apptest.Editor] = fault.Forbidden
			}
			return codes
		}
		for _, operation := range []struct {
			name    string
			minimum apptest.Caller
			attempt func(ctx context.Context) error
		}{
			{"edit", apptest.Editor, func(ctx context.Context) error {
				_, _, err := service.EditContent(ctx, changeRequest, []edit.Change{insert("# X\n")}, nil)
				return err
			}},
			{"edit main", apptest.Editor, func(ctx context.Context) error {
				_, _, err := spaces.EditContent(ctx, spaceID, []edit.Change{insert("# Y\n")}, nil)
				return err
			}},
			{"update", apptest.Editor, func(ctx context.Context) error { _, err := service.UpdateFromMain(ctx, changeRequest, nil); return err }},
			{"resolve", apptest.Editor, func(ctx context.Context) error {
				_, err := service.ResolveConflicts(ctx, changeRequest, nil, nil)
				return err
			}},
			{"merge", apptest.Reviewer, func(ctx context.Context) error { _, err := service.Merge(ctx, changeRequest, nil); return err }},
			{"revert", apptest.Reviewer, func(ctx context.Context) error {
				_, err := service.RevertMerge(ctx, changeRequest, nil, nil)
				return err
			}},
		} {
			for caller, expected := range denied(operation.minimum) {
				assert.Equal(t, expected, code(operation.attempt(server.Context(t, caller))), "%s as %s", operation.name, caller)
			}
			require.NoError(t, operation.attempt(server.Context(t, operation.minimum)), operation.name)
		}
	})
}

func TestWritesRefuseAnUnexpectedRevision(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID, _ := newSpace(t, server, "# One\n")
		changeRequest := newChangeRequest(t, server, spaceID)
		head := edited(t, server, changeRequest, insert("# Two\n")).Revision.ID
		ctx, service, other := server.Context(t, apptest.Admin), server.App.ChangeRequests, new("rev_other")
		for name, attempt := range map[string]func(expected *string) error{
			"edit": func(expected *string) error {
				_, _, err := service.EditContent(ctx, changeRequest, []edit.Change{insert("# X\n")}, expected)
				return err
			},
			"update": func(expected *string) error {
				_, err := service.UpdateFromMain(ctx, changeRequest, expected)
				return err
			},
			"merge": func(expected *string) error { _, err := service.Merge(ctx, changeRequest, expected); return err },
		} {
			err := attempt(other)
			require.Equal(t, fault.Conflict, code(err), name)
			var known *fault.Error
			require.ErrorAs(t, err, &known)
			assert.Equal(t, head, known.Details["revision"], name)
		}
		_, result, err := service.EditContent(ctx, changeRequest, []edit.Change{insert("# Three\n")}, &head)
		require.NoError(t, err)
		assert.Equal(t, []string{head}, result.Revision.Parents)
	})
}

func TestLockedSpacesAreEditedInChangeRequests(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := server.Context(t, apptest.Admin)
		made, err := server.App.Spaces.Create(ctx, space.New{OrganizationID: server.OrganizationID})
		require.NoError(t, err)
		_, _, err = server.App.Spaces.EditContent(ctx, made.ID, []edit.Change{insert("# X\n")}, nil)
		assert.Equal(t, fault.NotAllowed, code(err))
	})
}

func TestPreviewTellsWhatTheMergeDoes(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID, pages := newSpace(t, server, "# One\n\nFirst.\n", "# Two\n\nFirst.\n")
		changeRequest := newChangeRequest(t, server, spaceID)
		edited(t, server, changeRequest, write(pages[0], "# One\n\nOurs.\n"), write(pages[1], "# Two\n\nOurs.\n"))
		admin, service := server.Context(t, apptest.Admin), server.App.ChangeRequests
		preview := func() *changerequest.Preview {
			found, err := service.Get(admin, changeRequest)
			require.NoError(t, err)
			preview, err := service.MergePreview(admin, found)
			require.NoError(t, err)
			return preview
		}
		clean := preview()
		assert.True(t, clean.Mergeable)
		assert.Len(t, clean.Changes, 2)
		assert.Equal(t, 1, clean.Changes[0].AddedLines)
		_, _, err := server.App.Spaces.EditContent(admin, spaceID, []edit.Change{write(pages[0], "# One\n\nTheirs.\n")}, nil)
		require.NoError(t, err)
		conflicting := preview()
		assert.False(t, conflicting.Mergeable)
		assert.Len(t, conflicting.Conflicts, 1)
		require.Len(t, conflicting.Changes, 1, "the conflict is left out")
		assert.Equal(t, pages[1], conflicting.Changes[0].Page.ID)
		reader, err := service.Get(server.Context(t, apptest.Reader), changeRequest)
		require.NoError(t, err)
		seen, err := service.MergePreview(server.Context(t, apptest.Reader), reader)
		require.NoError(t, err)
		assert.False(t, seen.Mergeable)
	})
}
