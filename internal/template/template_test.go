package template_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/content"
	"octavo/internal/edit"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/repository"
	"octavo/internal/space"
	"octavo/internal/template"
)

func newSpace(t *testing.T, server *apptest.Server, mode enum.EditMode) string {
	t.Helper()
	made, err := server.App.Spaces.Create(server.Context(t, apptest.Admin), space.New{OrganizationID: server.OrganizationID, EditMode: mode})
	require.NoError(t, err)
	return made.ID
}

func mainTree(t *testing.T, server *apptest.Server, spaceID string) *content.Tree {
	t.Helper()
	ctx := server.Context(t, apptest.Admin)
	found, err := server.App.Spaces.Get(ctx, spaceID)
	require.NoError(t, err)
	head, err := server.App.Revisions.Load(ctx, found.RevisionID)
	require.NoError(t, err)
	tree, err := server.App.Revisions.Tree(ctx, head.Revision)
	require.NoError(t, err)
	return tree
}

// assertLinksLead checks that no link inside of the tree is broken, and returns
// the joined texts.
func assertLinksLead(t *testing.T, server *apptest.Server, tree *content.Tree) string {
	t.Helper()
	ctx := server.Context(t, apptest.Admin)
	links := repository.NewLinks(tree, repository.LinkOptions{})
	var texts strings.Builder
	for _, page := range tree.Pages {
		if page.Body == "" {
			continue
		}
		text, err := server.App.Revisions.Body(ctx, page.Body)
		require.NoError(t, err)
		texts.Write(text)
		for _, link := range linksOf(text) {
			assert.NotEqual(t, repository.StatusBroken, links.Resolve(page, link).Status, "%s in %s", link, page.Title)
		}
	}
	return texts.String()
}

func TestEveryTemplateFillsEmptyAndFullContent(t *testing.T) {
	t.Parallel()
	for _, known := range template.BuiltIn() {
		t.Run(known.ID, func(t *testing.T) {
			t.Parallel()
			apptest.Each(t, func(t *testing.T, server *apptest.Server) {
				admin := server.As(apptest.Admin)
				spaceID := newSpace(t, server, enum.EditLive)
				for range 2 {
					admin.REST(t, http.MethodPost, "/spaces/"+spaceID+"/content/template", map[string]any{"id": known.ID}).JSON(t, http.StatusCreated, nil)
				}
				tree := mainTree(t, server, spaceID)
				require.NotEmpty(t, tree.Pages)
				assertLinksLead(t, server, tree)
				slugs := map[string]bool{}
				for _, page := range tree.Pages {
					assert.False(t, slugs[page.Parent+"/"+page.Slug], "%s is there twice", page.Slug)
					slugs[page.Parent+"/"+page.Slug] = true
				}
				half := len(tree.Pages) / 2
				assert.Equal(t, tree.Pages[0].Title, tree.Pages[half].Title)
				assert.NotEqual(t, tree.Pages[0].ID, tree.Pages[half].ID)
				for _, file := range tree.Files {
					kept, err := server.App.Files.Exists(t.Context(), file.Content)
					require.NoError(t, err)
					assert.True(t, kept, file.Name)
				}
			})
		})
	}
}

func TestNamedFileOfTemplateIsReplaced(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID, ctx := newSpace(t, server, enum.EditLive), server.Context(t, apptest.Admin)
		_, result, err := server.App.Spaces.EditContent(ctx, spaceID, []edit.Change{edit.InsertFiles{
			Files: []edit.NewFile{{Name: "mine.txt", ContentType: "text/plain", Data: []byte("mine")}},
		}}, nil)
		require.NoError(t, err)
		file, admin := result.Files[0].ID, server.As(apptest.Admin)
		apply := func(name, id string) apptest.Response {
			return admin.REST(t, http.MethodPost, "/spaces/"+spaceID+"/content/template", map[string]any{
				"id": "product-docs", "params": map[string]any{"contentRefs": map[string]any{name: map[string]any{"kind": "file", "file": id}}},
			})
		}
		assert.Equal(t, http.StatusBadRequest, apply("logo", "fil_unknown").Status)
		assert.Equal(t, http.StatusBadRequest, apply("other", file).Status)
		require.Equal(t, http.StatusCreated, apply("logo", file).Status)
		tree := mainTree(t, server, spaceID)
		require.Len(t, tree.Files, 1, "the template's own file does not come along")
		assert.Contains(t, assertLinksLead(t, server, tree), "![The logo](/files/"+file+")")
	})
}

func TestSpacesAreTemplates(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		admin, stranger := server.As(apptest.Admin), server.As(apptest.Stranger)
		made := admin.REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", map[string]any{"title": "Copy", "template": map[string]any{"id": "handbook"}}).Object(t, http.StatusCreated)
		source := made["id"].(string)
		require.NotEmpty(t, mainTree(t, server, source).Pages)
		target := newSpace(t, server, enum.EditLocked)
		locked := admin.REST(t, http.MethodPost, "/spaces/"+target+"/content/template", map[string]any{"id": source})
		assert.Equal(t, http.StatusPreconditionFailed, locked.Status)
		changeRequest := admin.REST(t, http.MethodPost, "/spaces/"+target+"/change-requests", map[string]any{"template": map[string]any{"id": source}}).Object(t, http.StatusCreated)
		assert.NotEqual(t, changeRequest["revisionInitial"], changeRequest["revision"])
		require.Equal(t, http.StatusCreated, admin.REST(t, http.MethodPost, "/spaces/"+target+"/content/template", map[string]any{"id": source, "changeRequestId": "1"}).Status)
		require.Equal(t, http.StatusOK, admin.REST(t, http.MethodPost, "/spaces/"+target+"/change-requests/1/merge", nil).Status)
		assert.Len(t, mainTree(t, server, target).Pages, 2*len(mainTree(t, server, source).Pages))

		foreign := stranger.REST(t, http.MethodPost, "/orgs/"+server.OtherOrganizationID+"/spaces", map[string]any{"template": map[string]any{"id": source}})
		assert.Equal(t, http.StatusNotFound, foreign.Status, "a template is read by those who may read it")
		unknown := admin.REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", map[string]any{"template": map[string]any{"id": "nothing"}})
		assert.Equal(t, http.StatusBadRequest, unknown.Status)
		empty := newSpace(t, server, enum.EditLive)
		assert.Equal(t, http.StatusConflict, admin.REST(t, http.MethodPost, "/spaces/"+empty+"/content/template", map[string]any{"id": empty}).Status)
	})
}

func TestTemplatesAreListedAndAppliedByThoseWhoMay(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		data := server.As(apptest.Reader).Query(t, `{ templates { id title description } }`, nil)
		assert.Len(t, data["templates"], len(template.BuiltIn()))
		assert.Equal(t, string(fault.Unauthenticated), server.As(apptest.Anonymous).GraphQL(t, `{ templates { id } }`, nil).Code())
		spaceID := newSpace(t, server, enum.EditLive)
		for caller, status := range map[apptest.Caller]int{
			apptest.Reader: 403, apptest.Commenter: 403, apptest.ReadToken: 403, apptest.Guest: 404, apptest.Stranger: 404,
			apptest.Anonymous: 401, apptest.Editor: 201,
		} {
			answer := server.As(caller).REST(t, http.MethodPost, "/spaces/"+spaceID+"/content/template", map[string]any{"id": "changelog"})
			assert.Equal(t, status, answer.Status, "%s", caller)
		}
	})
}
