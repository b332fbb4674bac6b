package site_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/site"
	"octavo/internal/space"
)

func newSpace(t *testing.T, server *apptest.Server, title string) string {
	t.Helper()
	made, err := server.App.Spaces.Create(server.Context(t, apptest.Admin), space.New{OrganizationID: server.OrganizationID, Title: title})
	require.NoError(t, err)
	return made.ID
}

func newSite(t *testing.T, server *apptest.Server, spaceIDs ...string) *site.Site {
	t.Helper()
	made, err := server.App.Sites.Create(server.Context(t, apptest.Admin), site.New{
		OrganizationID: server.OrganizationID, Title: "Docs", SpaceIDs: spaceIDs,
	})
	require.NoError(t, err)
	return made
}

// outline is the structure in words: a star behind each default.
func outline(items []site.Item) []string {
	var lines []string
	mark := func(name string, isDefault bool) string {
		if isDefault {
			return name + "*"
		}
		return name
	}
	for _, item := range items {
		switch item := item.(type) {
		case *site.SiteSpace:
			lines = append(lines, mark(item.Path, item.Default))
		case *site.Section:
			lines = append(lines, mark(item.Path, item.Default)+":")
			for _, each := range item.SiteSpaces {
				lines = append(lines, "  "+mark(each.Path, each.Default))
			}
		case *site.Group:
			lines = append(lines, "["+item.Title+"]")
			for _, line := range outline(item.Children) {
				lines = append(lines, "  "+line)
			}
		}
	}
	return lines
}

func shape(ctx context.Context, t *testing.T, server *apptest.Server, id string) []string {
	t.Helper()
	arranged, err := server.App.Sites.Structure(ctx, id)
	require.NoError(t, err)
	return outline(arranged.Top)
}

func TestStructure(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx, sites := server.Context(t, apptest.Admin), server.App.Sites
		one, two, three := newSpace(t, server, "One"), newSpace(t, server, "Two"), newSpace(t, server, "Three")
		made := newSite(t, server, one, two, two)
		assert.Equal(t, []string{"one*", "two", "two-1"}, shape(ctx, t, server, made.ID))
		arranged, err := sites.Structure(ctx, made.ID)
		require.NoError(t, err)
		first, second := arranged.SiteSpaces[0].ID, arranged.SiteSpaces[1].ID
		_, err = sites.MoveSiteSpace(ctx, second, site.Position{Before: first})
		require.NoError(t, err)
		assert.Equal(t, []string{"two", "one*", "two-1"}, shape(ctx, t, server, made.ID), "the default stays")
		_, err = sites.RemoveSpace(ctx, first)
		require.NoError(t, err)
		assert.Equal(t, []string{"two*", "two-1"}, shape(ctx, t, server, made.ID), "the default moves on")

		section, err := sites.AddSection(ctx, site.NewSection{SiteID: made.ID, SpaceID: three, Title: "Guides"})
		require.NoError(t, err)
		assert.Equal(t, []string{"docs*:", "  two*", "  two-1", "guides:", "  three*"}, shape(ctx, t, server, made.ID))
		group, err := sites.AddGroup(ctx, site.NewGroup{SiteID: made.ID, Title: "More", SectionIDs: []string{section.ID}})
		require.NoError(t, err)
		inner, err := sites.AddGroup(ctx, site.NewGroup{SiteID: made.ID, Title: "Inner", ParentID: group.ID})
		require.NoError(t, err)
		_, err = sites.Sort(ctx, made.ID, group.ID, site.Position{After: inner.ID})
		assert.Equal(t, fault.InvalidPosition, fault.CodeOf(err), "a group below itself")
		_, err = sites.AddSectionToGroup(ctx, inner.ID, section.ID)
		require.NoError(t, err)
		assert.Equal(t, []string{"docs*:", "  two*", "  two-1", "[More]", "  [Inner]", "    guides:", "      three*"}, shape(ctx, t, server, made.ID))
		_, err = sites.RemoveGroup(ctx, group.ID)
		require.NoError(t, err)
		assert.Equal(t, []string{"docs*:", "  two*", "  two-1", "[Inner]", "  guides:", "    three*"}, shape(ctx, t, server, made.ID))
		_, err = sites.MoveSiteSpace(ctx, second, site.Position{Before: section.SiteSpaces[0].ID})
		require.NoError(t, err)
		assert.Equal(t, []string{"docs*:", "  two-1*", "[Inner]", "  guides:", "    two", "    three*"}, shape(ctx, t, server, made.ID))

		_, err = sites.RemoveSection(ctx, arrangedSection(ctx, t, sites, made.ID, "docs"))
		require.NoError(t, err)
		_, err = sites.RemoveSection(ctx, section.ID)
		require.NoError(t, err)
		assert.Equal(t, []string{"two", "three*"}, shape(ctx, t, server, made.ID), "the last section leaves its site spaces")
		found, err := sites.Get(ctx, made.ID)
		require.NoError(t, err)
		assert.Equal(t, 2, found.SiteSpaceCount)
	})
}

func arrangedSection(ctx context.Context, t *testing.T, sites *site.Service, id, path string) string {
	t.Helper()
	arranged, err := sites.Structure(ctx, id)
	require.NoError(t, err)
	for _, each := range arranged.Sections {
		if each.Path == path {
			return each.ID
		}
	}
	t.Fatalf("no section %s", path)
	return ""
}

func TestSpacesThatAreGoneAreNotShown(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := server.Context(t, apptest.Admin)
		one, two := newSpace(t, server, "One"), newSpace(t, server, "Two")
		made := newSite(t, server, one, two)
		_, err := server.App.Spaces.Delete(ctx, one)
		require.NoError(t, err)
		assert.Equal(t, []string{"two*"}, shape(ctx, t, server, made.ID), "deleted")
		_, err = server.App.Spaces.Restore(ctx, one)
		require.NoError(t, err)
		assert.Equal(t, []string{"one*", "two"}, shape(ctx, t, server, made.ID), "restored")
		_, err = server.App.Spaces.Delete(ctx, one)
		require.NoError(t, err)
		_, err = server.App.Spaces.Purge(ctx, time.Now().Add(space.Retention+time.Minute))
		require.NoError(t, err)
		found, err := server.App.Sites.Get(ctx, made.ID)
		require.NoError(t, err)
		assert.Equal(t, 1, found.SiteSpaceCount, "purged")
		assert.Equal(t, []string{"two*"}, shape(ctx, t, server, made.ID))
	})
}

func TestConcurrentMovesKeepOneOrder(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := server.Context(t, apptest.Admin)
		var spaces []string
		for index := range 5 {
			spaces = append(spaces, newSpace(t, server, fmt.Sprint("S", index)))
		}
		made := newSite(t, server, spaces...)
		arranged, err := server.App.Sites.Structure(ctx, made.ID)
		require.NoError(t, err)
		var group sync.WaitGroup
		for round := range 20 {
			group.Go(func() {
				moved, beside := arranged.SiteSpaces[round%5].ID, arranged.SiteSpaces[(round*3+1)%5].ID
				if moved == beside {
					return
				}
				_, err := server.App.Sites.MoveSiteSpace(ctx, moved, site.Position{Before: beside})
				assert.NoError(t, err)
			})
		}
		group.Wait()
		positions := map[string]bool{}
		arranged, err = server.App.Sites.Structure(ctx, made.ID)
		require.NoError(t, err)
		for _, each := range arranged.SiteSpaces {
			positions[each.Position] = true
		}
		assert.Len(t, positions, 5)
	})
}

func TestShareKeys(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx, sites := server.Context(t, apptest.Admin), server.App.Sites
		one := newSpace(t, server, "One")
		made, visibility := newSite(t, server, one), enum.SiteShareLink
		_, err := sites.Update(ctx, made.ID, site.Changes{Visibility: &visibility})
		require.NoError(t, err)
		_, err = sites.Publish(ctx, made.ID)
		require.NoError(t, err)
		link, err := sites.CreateShareLink(ctx, made.ID, "Friends")
		require.NoError(t, err)
		assert.Equal(t, server.URL+"/sites/docs/"+link.Key, *link.PublishedURL())
		read := func(key string) any {
			urls := server.As(apptest.Reader).REST(t, "GET", "/spaces/"+one+"?shareKey="+key, nil).Object(t, 200)["urls"]
			return urls.(map[string]any)["published"]
		}
		assert.Equal(t, *link.PublishedURL(), read(link.Key))
		assert.Nil(t, read("WRONG"))
		revoked := false
		_, err = sites.UpdateShareLink(ctx, link.ID, nil, &revoked)
		require.NoError(t, err)
		assert.Nil(t, read(link.Key), "a revoked key is refused at once")
	})
}

func TestFindAnswersToItsNames(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx, sites := server.Context(t, apptest.Admin), server.App.Sites
		made := newSite(t, server, newSpace(t, server, "One"))
		hostname, proxy := "docs.acme.example", "acme.example/help/docs"
		_, err := sites.Update(ctx, made.ID, site.Changes{Hostname: &hostname, Proxy: &proxy})
		require.NoError(t, err)
		for _, lookup := range []site.Lookup{{ID: made.ID}, {Basename: "docs"}, {Hostname: hostname}, {Proxy: proxy}} {
			found, err := sites.Find(t.Context(), lookup)
			require.NoError(t, err)
			assert.Equal(t, made.ID, found.Site.ID)
			assert.Len(t, found.SiteSpaces, 1)
		}
		for _, lookup := range []site.Lookup{{}, {Basename: "gone"}, {Basename: "docs", OrganizationHostname: "other"}} {
			_, err := sites.Find(t.Context(), lookup)
			assert.Equal(t, fault.NotFound, fault.CodeOf(err))
		}
		other := newSite(t, server)
		assert.Equal(t, "docs-1", other.Basename)
		_, err = sites.Update(ctx, other.ID, site.Changes{Hostname: &hostname})
		assert.Equal(t, fault.Conflict, fault.CodeOf(err))
	})
}

func TestPreviewsAreSigned(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	made := newSite(t, server, newSpace(t, server, "One"))
	address, err := server.App.Sites.PreviewURL(server.Context(t, apptest.Reader), made.ID, "", `{"beta":true}`)
	require.NoError(t, err)
	token := address[len(made.Address+"?preview="):]
	preview, err := server.App.Sites.OpenPreview(token)
	require.NoError(t, err)
	assert.Equal(t, &site.Preview{SiteID: made.ID, Claims: map[string]any{"beta": true}}, preview)
	_, err = server.App.Sites.OpenPreview(token + "x")
	assert.Equal(t, fault.NotFound, fault.CodeOf(err))
}

func TestASpaceIsPublishedByThoseWhoMayPublishIt(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		one, level := newSpace(t, server, "One"), access.Read
		_, err := server.App.Spaces.Update(server.Context(t, apptest.Admin), one, space.Changes{DefaultLevel: &level})
		require.NoError(t, err)
		_, err = server.App.Sites.Create(server.Context(t, apptest.Creator), site.New{OrganizationID: server.OrganizationID, SpaceIDs: []string{one}})
		assert.Equal(t, fault.Forbidden, fault.CodeOf(err))
	})
}
