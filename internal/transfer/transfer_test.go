package transfer_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/apptest"
	"octavo/internal/content"
	"octavo/internal/database"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/pagination"
	"octavo/internal/repository"
	"octavo/internal/revision"
	"octavo/internal/space"
	"octavo/internal/transfer"
)

// corpusVariable names the environment variable with the directory of a large
// repository to try.
const corpusVariable = "OCTAVO_CORPUS"

// sample is a small repository.
func sample() map[string]string {
	return map[string]string{
		".gitbook.yaml":                 "root: ./docs/\n",
		"docs/SUMMARY.md":               "# Table of contents\n\n* [Welcome](README.md)\n* [Guides](guides/README.md)\n  * [Install](guides/install.md)\n",
		"docs/README.md":                "# Welcome\n\n![logo](.gitbook/assets/logo.svg)\n",
		"docs/guides/README.md":         "---\ndescription: All of them\n---\n\n# Guides\n",
		"docs/guides/install.md":        "# Install\n\nOne.\n\nTwo.\n\nThree.\n",
		"docs/.gitbook/assets/logo.svg": `<svg width="3" height="4"/>`,
	}
}

func files(texts map[string]string) fs.FS {
	system := fstest.MapFS{}
	for name, text := range texts {
		system[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return system
}

// with returns the repository with some files changed.
func with(texts map[string]string, changed map[string]string) map[string]string {
	copied := maps.Clone(texts)
	maps.Copy(copied, changed)
	return copied
}

func newSpace(t *testing.T, server *apptest.Server, live bool) string {
	t.Helper()
	mode := enum.EditLocked
	if live {
		mode = enum.EditLive
	}
	made, err := server.App.Spaces.Create(server.Context(t, apptest.Admin), space.New{OrganizationID: server.OrganizationID, Title: "Docs", EditMode: mode})
	require.NoError(t, err)
	return made.ID
}

func importInto(t *testing.T, server *apptest.Server, spaceID string, texts map[string]string) *transfer.Imported {
	t.Helper()
	imported, err := server.App.Transfers.Import(server.Context(t, apptest.Admin), spaceID, transfer.Source{FS: files(texts)}, transfer.Options{})
	require.NoError(t, err)
	return imported
}

func exported(t *testing.T, server *apptest.Server, spaceID string) map[string]string {
	t.Helper()
	written := map[string]string{}
	err := server.App.Transfers.Export(server.Context(t, apptest.Reader), spaceID, func(name string, _ fs.FileMode, source io.Reader) error {
		data, err := io.ReadAll(source)
		written[name] = string(data)
		return err
	})
	require.NoError(t, err)
	return written
}

func tree(t *testing.T, server *apptest.Server, spaceID string) *content.Tree {
	t.Helper()
	ctx := server.Context(t, apptest.Admin)
	found, err := server.App.Spaces.Get(ctx, spaceID)
	require.NoError(t, err)
	head, err := server.App.Revisions.Load(ctx, found.RevisionID)
	require.NoError(t, err)
	read, err := server.App.Revisions.Tree(ctx, head.Revision)
	require.NoError(t, err)
	return read
}

// edit replaces the text of the page with a path, as somebody in the space does.
func edit(t *testing.T, server *apptest.Server, spaceID, path, markdown string) {
	t.Helper()
	ctx := server.Context(t, apptest.Admin)
	_, _, err := server.App.Spaces.RewriteContent(ctx, spaceID, nil, func(before *content.Tree) (*content.Tree, map[content.Hash][]byte, error) {
		operation := content.UpdatePage{Page: before.Index().ByPath(path).ID, Markdown: &markdown}
		after, bodies, _, err := content.Apply(before, server.App.Revisions.Reader(ctx), []content.Operation{operation}, content.ApplyOptions{Now: time.Now()})
		if err != nil {
			return nil, nil, err
		}
		return after, bodies.Added(), nil
	})
	require.NoError(t, err)
}

func TestWhatIsImportedIsReadAndExportedAsItWas(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID := newSpace(t, server, false)
		imported := importInto(t, server, spaceID, sample())
		assert.True(t, imported.Changed)
		assert.Equal(t, 3, imported.Report.Pages)
		assert.Equal(t, 1, imported.Report.Files)
		assert.Equal(t, sample(), exported(t, server, spaceID))

		data := server.As(apptest.Reader).Query(t, `query($id: ID!) { space(id: $id) { revision { pages { title pages { title } } } } }`, map[string]any{"id": spaceID})
		pages := data["space"].(map[string]any)["revision"].(map[string]any)["pages"]
		assert.Equal(t, []any{
			map[string]any{"title": "Welcome", "pages": []any{}},
			map[string]any{"title": "Guides", "pages": []any{map[string]any{"title": "Install"}}},
		}, pages)
		space := server.As(apptest.Reader).REST(t, http.MethodGet, "/spaces/"+spaceID, nil).Object(t, http.StatusOK)
		assert.Equal(t, imported.RevisionID, space["revision"])
		assert.NotContains(t, space, "gitSync")

		file := tree(t, server, spaceID).Files[0]
		reader, err := server.App.Files.Open(t.Context(), file.Content)
		require.NoError(t, err)
		require.NoError(t, reader.Close())
		assert.Equal(t, [2]int{3, 4}, [2]int{file.Width, file.Height})
	})
}

func TestANewSpaceIsMadeOfARepository(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := server.Context(t, apptest.Creator)
		imported, err := server.App.Transfers.ImportNew(ctx, space.New{OrganizationID: server.OrganizationID, Title: "New"}, transfer.Source{FS: files(sample())})
		require.NoError(t, err)
		assert.Equal(t, sample(), exported(t, server, imported.SpaceID))
		_, err = server.App.Transfers.ImportNew(server.Context(t, apptest.Editor), space.New{OrganizationID: server.OrganizationID}, transfer.Source{FS: files(sample())})
		assert.Equal(t, fault.Forbidden, fault.CodeOf(err))
	})
}

func TestImportingTheSameAgainChangesNothing(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID := newSpace(t, server, false)
		first := importInto(t, server, spaceID, sample())
		second := importInto(t, server, spaceID, sample())
		assert.False(t, second.Changed)
		assert.Equal(t, first.RevisionID, second.RevisionID)
		forced, err := server.App.Transfers.Import(server.Context(t, apptest.Admin), spaceID, transfer.Source{FS: files(sample())}, transfer.Options{Force: true})
		require.NoError(t, err)
		assert.False(t, forced.Changed)
		assert.NotEqual(t, first.RevisionID, forced.RevisionID)
	})
}

func TestPagesKeepTheirIdsByThePathOfTheirFile(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID := newSpace(t, server, false)
		importInto(t, server, spaceID, sample())
		before := tree(t, server, spaceID)
		importInto(t, server, spaceID, with(sample(), map[string]string{
			"docs/guides/install.md": "# Set up\n",
			"docs/SUMMARY.md":        "* [Welcome](README.md)\n* [Set up](guides/install.md)\n* [Guides](guides/README.md)\n* [New](new.md)\n",
			"docs/new.md":            "# New\n",
		}))
		after := tree(t, server, spaceID)
		idsOf := func(tree *content.Tree) map[string]string {
			ids := map[string]string{}
			for _, page := range tree.Pages {
				ids[page.GitPath] = page.ID
			}
			return ids
		}
		expected := idsOf(before)
		expected["new.md"] = idsOf(after)["new.md"]
		assert.NotEmpty(t, expected["new.md"])
		assert.Equal(t, expected, idsOf(after))
		assert.Equal(t, before.Files[0].ID, after.Files[0].ID)
	})
}

func TestEditsOfTheSpaceAndOfTheRepositoryAreMerged(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID := newSpace(t, server, true)
		importInto(t, server, spaceID, sample())
		edit(t, server, spaceID, "guides/install", "# Install\n\nOne in the space.\n\nTwo.\n\nThree.\n")
		theirs := with(sample(), map[string]string{"docs/guides/install.md": "# Install\n\nOne.\n\nTwo.\n\nThree in the repository.\n"})
		imported := importInto(t, server, spaceID, theirs)
		both := "# Install\n\nOne in the space.\n\nTwo.\n\nThree in the repository.\n"
		assert.Equal(t, both, exported(t, server, spaceID)["docs/guides/install.md"])

		made, err := server.App.Revisions.Load(server.Context(t, apptest.Admin), imported.RevisionID)
		require.NoError(t, err)
		require.Len(t, made.Parents, 2)
		listed := revisionsOf(t, server, spaceID)
		assert.Contains(t, listed, made.Parents[0])
		assert.NotContains(t, listed, made.Parents[1], "what the repository said never was the main content")

		// The next merge starts from what the repository said.
		imported = importInto(t, server, spaceID, theirs)
		assert.False(t, imported.Changed)
		importInto(t, server, spaceID, with(theirs, map[string]string{"docs/README.md": "# Hello\n"}))
		assert.Equal(t, both, exported(t, server, spaceID)["docs/guides/install.md"])
		assert.Equal(t, "# Hello\n", exported(t, server, spaceID)["docs/README.md"])
	})
}

func TestWhatBothChangedIsAConflictUnlessForced(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID := newSpace(t, server, true)
		importInto(t, server, spaceID, sample())
		ours := "# Install\n\nOne in the space.\n\nTwo.\n\nThree.\n"
		edit(t, server, spaceID, "guides/install", ours)
		theirs := files(with(sample(), map[string]string{"docs/guides/install.md": "# Install\n\nOne in the repository.\n\nTwo.\n\nThree.\n"}))
		ctx := server.Context(t, apptest.Admin)
		_, err := server.App.Transfers.Import(ctx, spaceID, transfer.Source{FS: theirs}, transfer.Options{})
		assert.Equal(t, fault.Conflict, fault.CodeOf(err))
		assert.ErrorContains(t, err, "guides/install.md: body_block")
		assert.Equal(t, ours, exported(t, server, spaceID)["docs/guides/install.md"])
		_, err = server.App.Transfers.Import(ctx, spaceID, transfer.Source{FS: theirs}, transfer.Options{Force: true})
		require.NoError(t, err)
		assert.Equal(t, "# Install\n\nOne in the repository.\n\nTwo.\n\nThree.\n", exported(t, server, spaceID)["docs/guides/install.md"])
	})
}

func TestAStandaloneImportLeavesTheContentAlone(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		spaceID := newSpace(t, server, false)
		first := importInto(t, server, spaceID, sample())
		ctx := server.Context(t, apptest.Admin)
		git := &revision.Git{OID: "abc", Ref: "refs/heads/main", URL: "https://git.example.com/docs"}
		aside, err := server.App.Transfers.Import(ctx, spaceID, transfer.Source{FS: files(with(sample(), map[string]string{"docs/README.md": "# Aside\n"})), Git: git}, transfer.Options{Standalone: true})
		require.NoError(t, err)
		found, err := server.App.Spaces.Get(ctx, spaceID)
		require.NoError(t, err)
		assert.Equal(t, first.RevisionID, found.RevisionID)
		made, err := server.App.Revisions.InSpace(ctx, spaceID, aside.RevisionID)
		require.NoError(t, err)
		assert.JSONEq(t, `{"oid":"abc","ref":"refs/heads/main","url":"https://git.example.com/docs","createdByGitBook":false}`, string(made.Git))
		page, err := server.App.Revisions.PageByPath(ctx, made, "readme")
		if err != nil {
			pages, err := server.App.Revisions.Pages(ctx, made)
			require.NoError(t, err)
			page = pages[0]
		}
		body, err := server.App.Revisions.Body(ctx, page.Body)
		require.NoError(t, err)
		assert.Equal(t, "# Aside\n", string(body))
		for _, revision := range revisionsOf(t, server, spaceID) {
			assert.NotEqual(t, aside.RevisionID, revision, "it never was the main content")
		}
	})
}

// revisionsOf lists the main content of a space, newest first.
func revisionsOf(t *testing.T, server *apptest.Server, spaceID string) []string {
	t.Helper()
	ctx := server.Context(t, apptest.Admin)
	found, err := server.App.Spaces.Get(ctx, spaceID)
	require.NoError(t, err)
	page, err := server.App.Spaces.Revisions(ctx, found, pagination.Arguments{})
	require.NoError(t, err)
	var ids []string
	for _, item := range page.Items {
		ids = append(ids, item.ID)
	}
	require.Equal(t, found.RevisionID, ids[0])
	total, err := page.Count(ctx)
	require.NoError(t, err)
	require.Equal(t, len(ids), total)
	return ids
}

func TestWhatCannotBeImportedLeavesNothing(t *testing.T) {
	t.Parallel()
	long := bytes.Repeat([]byte("x"), 11<<20)
	for name, row := range map[string]struct {
		source func() (fs.FS, error)
		code   fault.Code
	}{
		"path that escapes":      {archived(map[string][]byte{"../../etc/cron.d/x": []byte("x")}), fault.BadUserInput},
		"absolute path":          {archived(map[string][]byte{"/etc/passwd": []byte("x")}), fault.BadUserInput},
		"bomb":                   {archived(map[string][]byte{"README.md": []byte("# x"), "bomb.bin": bytes.Repeat([]byte{0}, 90<<20)}), fault.LimitExceeded},
		"page that is too large": {archived(map[string][]byte{"README.md": long}), fault.LimitExceeded},
		"contents not UTF-8":     {archived(map[string][]byte{"SUMMARY.md": {0xff, 0xfe}, "README.md": []byte("# x")}), fault.BadUserInput},
		"no archive":             {func() (fs.FS, error) { return repository.OpenZip(bytes.NewReader([]byte("x")), 1, repository.Limits{}) }, fault.BadUserInput},
		"file that cannot be read": {func() (fs.FS, error) {
			return broken{files(sample())}, nil
		}, fault.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apptest.New(t)
			spaceID := newSpace(t, server, false)
			before := importInto(t, server, spaceID, sample())
			source, err := row.source()
			if err == nil {
				_, err = server.App.Transfers.Import(server.Context(t, apptest.Admin), spaceID, transfer.Source{FS: source}, transfer.Options{})
			}
			require.Error(t, err)
			assert.Equal(t, row.code, fault.CodeOf(err), err)
			assert.Equal(t, sample(), exported(t, server, spaceID))
			again := importInto(t, server, spaceID, sample())
			assert.Equal(t, before.RevisionID, again.RevisionID)
		})
	}
}

func archived(entries map[string][]byte) func() (fs.FS, error) {
	return func() (fs.FS, error) {
		var data bytes.Buffer
		writer := zip.NewWriter(&data)
		for name, text := range entries {
			entry, err := writer.Create(name)
			if err != nil {
				return nil, err
			}
			if _, err := entry.Write(text); err != nil {
				return nil, err
			}
		}
		if err := writer.Close(); err != nil {
			return nil, err
		}
		return repository.OpenZip(bytes.NewReader(data.Bytes()), int64(data.Len()), repository.Limits{})
	}
}

var errBroken = errors.New("broken")

// broken is a repository one file of which cannot be read.
type broken struct{ fs.FS }

func (b broken) Open(name string) (fs.File, error) {
	if name == "docs/guides/install.md" {
		return nil, errBroken
	}
	return b.FS.Open(name)
}

func TestPagesThatAreNotUTF8AreFilesOfTheRepository(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	spaceID := newSpace(t, server, false)
	source := with(sample(), map[string]string{"docs/broken.md": "\xff\xfe"})
	imported := importInto(t, server, spaceID, source)
	assert.NotEmpty(t, imported.Report.Problems)
	assert.Equal(t, source, exported(t, server, spaceID))
}

func TestImportsNeedTheRoleCreate(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	spaceID := newSpace(t, server, false)
	for _, caller := range apptest.Callers {
		_, err := server.App.Transfers.Import(server.Context(t, caller), spaceID, transfer.Source{FS: files(sample())}, transfer.Options{})
		switch caller {
		case apptest.Admin, apptest.Creator:
			require.NoError(t, err, caller)
		case apptest.Guest, apptest.Stranger:
			assert.Equal(t, fault.NotFound, fault.CodeOf(err), caller)
		case apptest.Anonymous:
			assert.Equal(t, fault.Unauthenticated, fault.CodeOf(err), caller)
		default:
			assert.Equal(t, fault.Forbidden, fault.CodeOf(err), caller)
		}
	}
}

// The corpus is imported and exported when it is there; a sample otherwise.
func TestALargeRepositoryComesBackByteForByte(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		source, expected := files(sample()), sample()
		if directory := os.Getenv(corpusVariable); directory != "" {
			opened, err := repository.OpenDirectory(directory)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, opened.Close()) })
			source, expected = opened.FS(), textsOf(t, opened.FS())
		}
		spaceID := newSpace(t, server, false)
		var statements atomic.Int64
		ctx := database.CountStatements(server.Context(t, apptest.Admin), &statements)
		begun := time.Now()
		imported, err := server.App.Transfers.Import(ctx, spaceID, transfer.Source{FS: source}, transfer.Options{})
		require.NoError(t, err)
		t.Logf("%d pages and %d files in %v, %d statements", imported.Report.Pages, imported.Report.Files, time.Since(begun), statements.Load())
		assert.Less(t, statements.Load(), int64(80))
		written := exported(t, server, spaceID)
		for name, text := range expected {
			if written[name] != text {
				assert.Fail(t, "differs", name)
			}
		}
		assert.Len(t, written, len(expected))
	})
}

func textsOf(t *testing.T, system fs.FS) map[string]string {
	t.Helper()
	texts := map[string]string{}
	require.NoError(t, fs.WalkDir(system, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(system, name)
		texts[name] = string(data)
		return err
	}))
	return texts
}
