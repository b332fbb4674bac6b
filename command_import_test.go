package main

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/docs"
	"octavo/internal/gittest"
)

// manual is a small repository.
var manual = map[string]string{
	"README.md":       "# Welcome\n",
	"SUMMARY.md":      "# Contents\n\n* [Welcome](README.md)\n* [Install](install.md)\n",
	"install.md":      "# Install\n",
	"images/logo.svg": `<svg width="1" height="1"/>`,
}

func written(t *testing.T, files map[string]string) string {
	t.Helper()
	directory := t.TempDir()
	for name, text := range files {
		path := filepath.Join(directory, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return directory
}

func filesOf(t *testing.T, system fs.FS) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, fs.WalkDir(system, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(system, name)
		files[name] = string(data)
		return err
	}))
	return files
}

func archive(t *testing.T, files map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "docs.zip")
	file, err := os.Create(path)
	require.NoError(t, err)
	writer := zip.NewWriter(file)
	for name, text := range files {
		entry, err := writer.Create("docs-main/" + name)
		require.NoError(t, err)
		_, err = entry.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	require.NoError(t, file.Close())
	return path
}

// field finds what a command or the server printed after a name.
func field(t *testing.T, printed, name string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^` + name + `\s+(\S+)$`).FindStringSubmatch(printed)
	require.Len(t, found, 2, printed)
	return found[1]
}

func TestRepositoriesOfEveryKindAreImportedAndExportedWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	server := start(t, directory)
	defer server.stop(t)
	organization := field(t, server.printed, "Organization")
	token := field(t, server.printed, "Access token")
	nested := map[string]string{}
	for name, text := range manual {
		nested["manual/"+name] = text
	}
	for name, source := range map[string][]string{
		"directory":     {written(t, manual)},
		"archive":       {archive(t, manual)},
		"git":           {gittest.New(t, manual).URL, "--allow-private-network", "--ref", "master"},
		"sub-directory": {gittest.New(t, nested).URL, "--allow-private-network", "--subdirectory", "manual"},
		"below":         {written(t, nested), "--subdirectory", "manual/"},
	} {
		t.Run(name, func(t *testing.T) {
			printed := octavo(t, directory, append([]string{"import", "--organization", organization, "--title", name}, source...)...)
			assert.Contains(t, printed, "2 pages, 1 files")
			space := field(t, printed, "space")
			assert.Equal(t, 200, server.status(t, "/v1/spaces/"+space, token))
			again := octavo(t, directory, append([]string{"import", "--space", space}, source...)...)
			assert.Contains(t, again, "had this content already")
			target := filepath.Join(t.TempDir(), "new", "directory")
			assert.Contains(t, octavo(t, directory, "export", "--space", space, target), "4 files")
			assert.Equal(t, manual, filesOf(t, os.DirFS(target)))
		})
	}
}

func TestTheFirstSpaceHoldsTheDocumentation(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	server := start(t, directory)
	defer server.stop(t)
	target := t.TempDir()
	octavo(t, directory, "export", "--space", field(t, server.printed, "Space"), target)
	assert.Equal(t, filesOf(t, docs.Files), filesOf(t, os.DirFS(target)))
	// Every page is there, and everything is in the table of contents.
	onDisk := filesOf(t, os.DirFS("docs"))
	delete(onDisk, "embed.go")
	assert.Equal(t, onDisk, filesOf(t, os.DirFS(target)))
	printed := octavo(t, directory, "import", "--organization", field(t, server.printed, "Organization"), "--title", "Again", "docs")
	assert.NotContains(t, printed, "error:")
}

func TestImportsAndExportsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	directory, source := t.TempDir(), written(t, manual)
	server := start(t, directory)
	server.stop(t)
	space := field(t, server.printed, "Space")
	full := written(t, manual)
	for name, row := range map[string]struct {
		arguments []string
		message   string
	}{
		"no target":           {[]string{"import", source}, "--space"},
		"two targets":         {[]string{"import", source, "--space", "x", "--organization", "y", "--title", "z"}, "--space"},
		"no title":            {[]string{"import", source, "--organization", "x"}, "--title"},
		"title of old":        {[]string{"import", source, "--space", "x", "--title", "y"}, "--title"},
		"unknown space":       {[]string{"import", source, "--space", "spc_x"}, "space not found"},
		"missing source":      {[]string{"import", filepath.Join(source, "none"), "--space", space}, "cannot be read"},
		"no archive":          {[]string{"import", filepath.Join(source, "README.md"), "--space", space}, "zip archive"},
		"reference of none":   {[]string{"import", source, "--space", space, "--ref", "main"}, "only git"},
		"directory outside":   {[]string{"import", source, "--space", space, "--subdirectory", "../x"}, "subdirectory"},
		"private network":     {[]string{"import", gittest.New(t, manual).URL, "--space", space}, "public internet"},
		"unknown exported":    {[]string{"export", "--space", "spc_x", t.TempDir()}, "space not found"},
		"full directory":      {[]string{"export", "--space", space, full}, "not empty"},
		"directory is a file": {[]string{"export", "--space", space, filepath.Join(full, "README.md")}, "cannot be opened"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := run(t.Context(), append(row.arguments, "--data-dir", directory, "--log-level", "error"), &out)
			assert.ErrorContains(t, err, row.message)
		})
	}
	octavo(t, directory, "export", "--force", "--space", space, full)
	assert.Equal(t, manual["install.md"], filesOf(t, os.DirFS(full))["install.md"], "other files stay")
}
