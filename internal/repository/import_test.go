package repository

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/content"
	"octavo/internal/fault"
)

func TestImportWithoutSummary(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files []string
		want  string
	}{
		{"empty", nil, ""},
		{"readme first", []string{"a.md", "README.md", "B.md"}, "document README (README.md)\ndocument B (B.md)\ndocument A (a.md)\n"},
		{"directories", []string{"b/README.md", "b/z.md", "b/a/x.md", "a-dir/y.md", "img/x.png"},
			"group A dir\n  document Y (a-dir/y.md)\ndocument B (b/README.md)\n  group A\n    document X (b/a/x.md)\n  document Z (b/z.md)\n"},
		{"page beside its directory", []string{"a.md", "a/b.md", "a/b/c.md", "c.md", "c/README.md", "c/d.md"},
			"document A (a.md)\n  document B (a/b.md)\n    document C (a/b/c.md)\ndocument C (c.md)\ndocument C (c/README.md)\n  document D (c/d.md)\n"},
		{"hidden directories", []string{".github/x.md", "a/.b/c.md", "d.md"}, "document D (d.md)\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			contents := map[string]string{}
			for _, name := range test.files {
				contents[name] = "text\n"
			}
			result := importFS(t, files(contents))
			assert.Equal(t, test.want, titles(result.Tree))
			assert.Equal(t, contents, exportResult(t, result.Tree, result), "no table of contents is made")
		})
	}
}

func TestImportConfiguration(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, yaml string
		root       string
		pages      string
		problems   []string
	}{
		{"none", "", "", "document Top (README.md)\n", nil},
		{"root", "root: docs", "docs", "document Docs (README.md)\n", nil},
		{"root with slashes", "root: /docs/./", "docs", "document Docs (README.md)\n", nil},
		{"summary and readme", "structure: {summary: toc.md, readme: other.md}", "", "document Other (other.md)\nlink Web\n", []string{"warning README.md: is not in the table of contents: it is kept and is no page", "warning docs/README.md: is not in the table of contents: it is kept and is no page"}},
		{"not YAML", "root: [", "", "document Top (README.md)\n", []string{"error .gitbook.yaml: is not valid YAML and is ignored"}},
		{"not a mapping", "- a", "", "document Top (README.md)\n", []string{"error .gitbook.yaml: the configuration must be a mapping"}},
		{"wrong types", "root: [a]\nstructure: 1\nredirects: x", "", "document Top (README.md)\n", []string{
			"error .gitbook.yaml: root must be a path", "error .gitbook.yaml: structure must be a mapping", "error .gitbook.yaml: redirects must be a mapping"}},
		{"empty values", "root:\nstructure:\nredirects:\n", "", "document Top (README.md)\n", []string{"error .gitbook.yaml: root must be a path"}},
		{"root outside", "root: ../..", "", "document Top (README.md)\n", []string{`error .gitbook.yaml: root: "../.." is no path below the repository and is ignored`}},
		{"root missing", "root: nowhere", "", "document Top (README.md)\n", []string{`error .gitbook.yaml: root: "nowhere" is no directory; the directory of the file is used`}},
		{"summary missing", "structure: {summary: nowhere.md}", "", "document Top (README.md)\n", []string{"error nowhere.md: does not exist; the pages follow the directories"}},
		{"redirects", "redirects:\n  a: README.md\n  /a/: README.md\n  b: ../x\n  c: {}\n  d: https://example.com\n", "", "document Top (README.md)\n", []string{
			`error .gitbook.yaml: "/a/" is redirected more than once; the first one counts`,
			`error .gitbook.yaml: the redirect of "b" leaves the content root and is ignored`,
			`error .gitbook.yaml: the redirect of "c" must be a path`}},
		{"alias bomb", "a: &a [x,x,x]\nb: &b [*a,*a,*a]\nroot: *b\nredirects: *a", "", "document Top (README.md)\n", []string{"error .gitbook.yaml: redirects must be a mapping", "error .gitbook.yaml: root must be a path"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			contents := map[string]string{"README.md": "# Top", "docs/README.md": "# Docs"}
			if test.yaml != "" {
				contents[".gitbook.yaml"] = test.yaml
			}
			if strings.Contains(test.yaml, "toc.md") {
				contents["toc.md"] = "* [Web](https://example.com)\n"
				contents["other.md"] = "# Other\n"
			}
			result := importFS(t, files(contents))
			assert.Equal(t, test.root, result.Tree.Repository.Root)
			assert.Equal(t, test.pages, strings.Replace(titles(result.Tree), "document Docs (docs/README.md)\n", "", 1))
			assert.Equal(t, test.problems, problemsOf(result.Report))
			written := exportResult(t, result.Tree, result)
			for name, text := range written {
				assert.Equal(t, contents[name], text, name)
			}
		})
	}
}

func TestImportOfProjectDirectory(t *testing.T) {
	t.Parallel()
	source := files(map[string]string{"main.go": "package main", "site/.gitbook.yaml": "root: ./docs\n", "site/docs/README.md": "# Docs\n", "site/other.md": "no content"})
	result, err := Import(context.Background(), Source{FS: source}, Options{Now: testTime, Root: "site/"})
	require.NoError(t, err)
	assert.Equal(t, "site/docs", result.Tree.Repository.Root)
	assert.Equal(t, map[string]string{"site/.gitbook.yaml": "root: ./docs\n", "site/docs/README.md": "# Docs\n"}, exportResult(t, result.Tree, result))
	for _, root := range []string{"../x", "nowhere", "main.go"} {
		_, err := Import(context.Background(), Source{FS: source}, Options{Root: root})
		assert.Equal(t, fault.BadUserInput, fault.CodeOf(err), root)
	}
}

func TestImportLimits(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("a/", 10) + "x.md"
	tests := []struct {
		name   string
		limits Limits
		files  map[string]string
		names  string // what the message must name
	}{
		{"files", Limits{Files: 2}, map[string]string{"a": "", "b": "", "c": ""}, "2 files"},
		{"total size", Limits{TotalSize: 10}, map[string]string{"a": "123456", "b.md": "123456"}, "b.md"},
		{"file size", Limits{FileSize: 5}, map[string]string{"a.bin": "123456"}, "a.bin"},
		{"page size", Limits{PageSize: 5}, map[string]string{"a/page.md": "123456"}, "a/page.md"},
		{"configuration size", Limits{PageSize: 5}, map[string]string{".gitbook.yaml": "root: docs"}, ".gitbook.yaml"},
		{"path length", Limits{PathLength: 20}, map[string]string{strings.Repeat("x", 21): ""}, "longer than 20 bytes"},
		{"path depth", Limits{PathDepth: 10}, map[string]string{deep: ""}, "deeper than 10 levels"},
		{"pages", Limits{Pages: 1}, map[string]string{"SUMMARY.md": "* [a](a)\n* [b](b)\n"}, "SUMMARY.md has more than 1 entries"},
		{"pages of directories", Limits{Pages: 1}, map[string]string{"a.md": "", "b.md": ""}, "more than 1 pages"},
		{"page depth", Limits{PageDepth: 2}, map[string]string{"SUMMARY.md": "* a\n  * b\n    * c\n"}, "SUMMARY.md line 3"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Import(context.Background(), Source{FS: files(test.files)}, Options{Limits: test.limits})
			require.Error(t, err)
			assert.Equal(t, fault.LimitExceeded, fault.CodeOf(err))
			assert.Contains(t, err.Error(), test.names)
			result, err := Import(context.Background(), Source{FS: files(test.files)}, Options{})
			require.NoError(t, err, "the default limits admit it")
			requireValid(t, result.Tree)
		})
	}
	_, err := Import(context.Background(), Source{FS: files(map[string]string{"big.md": strings.Repeat("x", 20<<20)})}, Options{})
	assert.Equal(t, fault.LimitExceeded, fault.CodeOf(err), "a page of 20 MB")
}

// lyingFS claims that files are smaller than they are.
type lyingFS struct{ fstest.MapFS }

func (l lyingFS) Open(name string) (fs.File, error) {
	file, err := l.MapFS.Open(name)
	if err != nil || !strings.HasPrefix(name, "a") {
		return file, err
	}
	return lyingFile{file, io.MultiReader(file, strings.NewReader(strings.Repeat("x", 1000)))}, nil
}

type lyingFile struct {
	fs.File
	longer io.Reader
}

func (f lyingFile) Read(buffer []byte) (int, error) { return f.longer.Read(buffer) }

func TestImportChecksRealSizes(t *testing.T) {
	t.Parallel()
	_, err := Import(context.Background(), Source{FS: lyingFS{files(map[string]string{"a.bin": "1"})}}, Options{})
	assert.ErrorContains(t, err, "a.bin does not have the 1 bytes that it claims")
	_, err = Import(context.Background(), Source{FS: lyingFS{files(map[string]string{"a.md": "1"})}}, Options{Limits: Limits{PageSize: 500}})
	assert.Equal(t, fault.LimitExceeded, fault.CodeOf(err))
}

func TestImportStopsWithContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Import(ctx, Source{FS: files(guide), Progress: func(done, total int) {
		assert.Equal(t, len(guide), total)
		if done == 2 {
			cancel()
		}
	}}, Options{})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestImportKeepsIdentity(t *testing.T) {
	t.Parallel()
	source := contentsOf(t, sampleRepository())
	first := importFS(t, files(source))
	again := func(t *testing.T, previous *content.Tree, bodies texts, source map[string]string, now time.Time) *Result {
		result, err := Import(context.Background(), Source{FS: files(source), Previous: previous, PreviousBodies: bodies}, Options{Now: now})
		require.NoError(t, err)
		requireValid(t, result.Tree)
		return result
	}
	later := testTime.Add(time.Hour)

	t.Run("nothing changed", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, first.Tree, again(t, first.Tree, texts(first.Bodies), source, later).Tree)
	})
	t.Run("moved, renamed and changed", func(t *testing.T) {
		t.Parallel()
		changed := maps.Clone(source)
		changed["docs/moved/reference.md"] = changed["docs/reference.md"]
		delete(changed, "docs/reference.md")
		changed["docs/guides/setup.md"] += "\nmore\n"
		changed["docs/SUMMARY.md"] = strings.NewReplacer(
			"(reference.md)", "(moved/reference.md)", "## Reference <a", "## Lexicon <a", "Set\\_up", "Setting up", "[Project]", "[The project]",
		).Replace(changed["docs/SUMMARY.md"])
		result := again(t, first.Tree, texts(first.Bodies), changed, later)
		for before, after := range map[string]string{
			"code and bold & more": "code and bold & more", "Reference": "Lexicon", "Set_up": "Setting up", "Project": "The project", "petstore": "petstore",
		} {
			old, now := pageTitled(t, first.Tree, before), pageTitled(t, result.Tree, after)
			assert.Equal(t, old.ID, now.ID, before)
			assert.Equal(t, testTime, now.CreatedAt, before)
		}
		assert.Equal(t, later, pageTitled(t, result.Tree, "Setting up").UpdatedAt)
		assert.Equal(t, testTime, pageTitled(t, result.Tree, "petstore").UpdatedAt)
		assert.Equal(t, first.Tree.Files, result.Tree.Files)
	})
	t.Run("what an edit set beside the front matter", func(t *testing.T) {
		t.Parallel()
		intro := pageAt(t, first.Tree, "intro.md")
		edited := edit(first.Tree, intro.ID, func(page *content.Page) { page.Emoji = "1f600"; page.Slug = "start" })
		edited.Variables = map[string]any{"a": true}
		changed := maps.Clone(source)
		changed["docs/intro.md"] += "more\n"
		result := again(t, edited, texts(first.Bodies), changed, later)
		kept := result.Tree.Page(intro.ID)
		assert.Equal(t, "1f600", kept.Emoji)
		assert.Equal(t, "start", kept.Slug)
		assert.Equal(t, edited.Variables, result.Tree.Variables)
		changed["docs/intro.md"] = strings.Replace(changed["docs/intro.md"], "icon: book", "icon: pen", 1)
		replaced := again(t, edited, texts(first.Bodies), changed, later).Tree.Page(intro.ID)
		assert.Equal(t, "pen", replaced.Icon)
		assert.Empty(t, replaced.Emoji)
	})
	t.Run("known object ids", func(t *testing.T) {
		t.Parallel()
		oids := map[string]string{}
		for _, file := range first.Tree.Files {
			oids["docs/"+file.GitPath] = file.GitOID
		}
		result, err := Import(context.Background(), Source{
			FS: files(source), Previous: first.Tree, PreviousBodies: texts(first.Bodies), GitOID: func(path string) string { return oids[path] },
		}, Options{Now: later})
		require.NoError(t, err)
		assert.Equal(t, first.Tree, result.Tree)
		assert.Empty(t, result.Files, "nothing is read again")
	})
}

func TestContentTypesAndDimensions(t *testing.T) {
	t.Parallel()
	webp := func(kind, data string) string { return "RIFF\x00\x00\x00\x00WEBP" + kind + "\x00\x00\x00\x00" + data }
	tests := []struct {
		name, data    string
		want          string
		width, height int
	}{
		{"a.png", string(onePixel), "image/png", 1, 1},
		{"a.txt", string(onePixel), "image/png", 1, 1},
		{"a.png", "<html><body>", "text/html; charset=utf-8", 0, 0},
		{"a.png", "\x89PNG\r\n\x1a\nbroken", "image/png", 0, 0},
		{"a.svg", `<svg width="10" height="20.4px">`, "image/svg+xml", 10, 20},
		{"a.svg", `<?xml version="1.0"?><!-- c --><svg width="50%" viewBox="0,0 30 40"/>`, "image/svg+xml", 30, 40},
		{"a.svg", `<html/>`, "image/svg+xml", 0, 0},
		{"a.svg", `<svg width="NaN" height="1e99"/>`, "image/svg+xml", 0, 0},
		{"a.webp", webp("VP8 ", "\x00\x00\x00\x9d\x01\x2a\x40\x01\xf0\x00"), "image/webp", 320, 240},
		{"a.webp", webp("VP8L", "\x2f\x3f\x41\x3b\x00\x00\x00\x00\x00\x00"), "image/webp", 320, 238},
		{"a.webp", webp("VP8X", "\x00\x00\x00\x00\x3f\x01\x00\xef\x00\x00"), "image/webp", 320, 240},
		{"a.webp", webp("VP8 ", ""), "image/webp", 0, 0},
		{"a.csv", "a,b\n", "text/csv; charset=utf-8", 0, 0},
		{"a.docx", "PK\x03\x04x", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", 0, 0},
		{"a.pdf", "%PDF-1.4", "application/pdf", 0, 0},
		{"LICENSE", "text", "text/plain; charset=utf-8", 0, 0},
		{"empty.js", "", "text/javascript; charset=utf-8", 0, 0},
		{"a.bin", "\x00\x01\x02", "application/octet-stream", 0, 0},
	}
	for index, test := range tests {
		t.Run(fmt.Sprint(index, test.name), func(t *testing.T) {
			t.Parallel()
			found, err := describeFile(files(map[string]string{test.name: test.data}), test.name, int64(len(test.data)))
			require.NoError(t, err)
			assert.Equal(t, test.want, found.contentType)
			assert.Equal(t, []int{test.width, test.height}, []int{found.width, found.height})
			assert.Equal(t, blobID([]byte(test.data)), found.oid)
			assert.Equal(t, content.HashOf([]byte(test.data)), found.hash)
		})
	}
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret.md"), []byte("# Secret"), 0o600))
	name := t.TempDir()
	for path, text := range map[string]string{"README.md": "# Top\n", "docs/page.md": "# Page\n", ".git/config": "x", "a/.git": "gitdir: x", "back\\slash.txt": "x", "bad\xff.md": "x"} {
		require.NoError(t, os.MkdirAll(filepath.Join(name, filepath.Dir(path)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(name, path), []byte(text), 0o600))
	}
	for link, target := range map[string]string{
		"inside.md": "docs/page.md", "outside.md": filepath.Join(outside, "secret.md"), "escape.md": "../../../../../../etc/passwd",
		"loop": ".", "dangling.md": "nowhere.md",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(name, link)))
	}
	directory, err := OpenDirectory(name)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, directory.Close()) })
	result := importFS(t, directory.FS())
	assert.Equal(t, "document Top (README.md)\ngroup Docs\n  document Page (docs/page.md)\ndocument Page (inside.md)\n", titles(result.Tree))
	assert.Empty(t, result.Tree.Files)
	var skipped []string
	for _, problem := range result.Report.Problems {
		skipped = append(skipped, problem.Path)
		assert.Contains(t, problem.Message, "is skipped")
	}
	assert.Equal(t, []string{"back\\slash.txt", "bad\xff.md", "dangling.md", "escape.md", "loop", "outside.md"}, skipped)

	target, err := CreateDirectory(filepath.Join(t.TempDir(), "new", "export"))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, target.Close()) })
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret.md"), filepath.Join(target.root.Name(), "README.md")))
	require.NoError(t, Export(context.Background(), result.Tree, texts(result.Bodies), result.openFile, target.Write))
	assert.Equal(t, map[string]string{"README.md": "# Top\n", "docs/page.md": "# Page\n", "inside.md": "# Page\n"}, contentsOf(t, target.FS()))
	secret, err := os.ReadFile(filepath.Join(outside, "secret.md"))
	require.NoError(t, err)
	assert.Equal(t, "# Secret", string(secret), "links are not written through")
	assert.Error(t, target.Write("../x", 0o644, strings.NewReader("")))

	_, err = OpenDirectory(filepath.Join(name, "nowhere"))
	assert.Equal(t, fault.BadUserInput, fault.CodeOf(err))
}

// zipped makes an archive of names and texts, in order.
func zipped(t *testing.T, entries ...string) []byte {
	t.Helper()
	var data bytes.Buffer
	writer := zip.NewWriter(&data)
	for index := 0; index < len(entries); index += 2 {
		file, err := writer.Create(entries[index])
		require.NoError(t, err)
		_, err = io.WriteString(file, entries[index+1])
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	return data.Bytes()
}

func TestZip(t *testing.T) {
	t.Parallel()
	t.Run("round trip", func(t *testing.T) {
		t.Parallel()
		var entries []string
		for name, text := range guide {
			entries = append(entries, "repository-main/"+name, text)
		}
		data := zipped(t, entries...)
		source, err := OpenZip(bytes.NewReader(data), int64(len(data)), Limits{})
		require.NoError(t, err)
		result := importFS(t, source)
		assert.Equal(t, guide, exportResult(t, result.Tree, result), "the directory around everything is left out")
	})
	tests := []struct {
		name    string
		entries []string
		limits  Limits
		code    fault.Code
	}{
		{"parent", []string{"../x.md", ""}, Limits{}, fault.BadUserInput},
		{"nested parent", []string{"a/../../x.md", ""}, Limits{}, fault.BadUserInput},
		{"not clean", []string{"a/./x.md", ""}, Limits{}, fault.BadUserInput},
		{"absolute", []string{"/etc/x.md", ""}, Limits{}, fault.BadUserInput},
		{"backslash", []string{`..\x.md`, ""}, Limits{}, fault.BadUserInput},
		{"control character", []string{"a\x00.md", ""}, Limits{}, fault.BadUserInput},
		{"not UTF-8", []string{"a\xff.md", ""}, Limits{}, fault.BadUserInput},
		{"empty name", []string{"/", ""}, Limits{}, fault.BadUserInput},
		{"twice", []string{"a.md", "", "a.md", ""}, Limits{}, fault.BadUserInput},
		{"file and directory", []string{"a", "", "a/b.md", ""}, Limits{}, fault.BadUserInput},
		{"file and its directory", []string{"a", "", "a/", ""}, Limits{}, fault.BadUserInput},
		{"files", []string{"a", "", "b", ""}, Limits{Files: 1}, fault.LimitExceeded},
		{"file size", []string{"a", "12345"}, Limits{FileSize: 4}, fault.LimitExceeded},
		{"total size", []string{"a", "12345", "b", "12345"}, Limits{TotalSize: 300, FileSize: 5}, ""},
		{"archive size", []string{"a", "12345", "b", "12345"}, Limits{TotalSize: 9, FileSize: 5}, fault.LimitExceeded},
		{"expanded size", []string{"a", strings.Repeat("x", 5000)}, Limits{TotalSize: 4000}, fault.LimitExceeded},
		{"ratio", []string{"bomb", strings.Repeat("\x00", 11<<20)}, Limits{}, fault.LimitExceeded},
		{"depth", []string{strings.Repeat("a/", 60) + "x", ""}, Limits{}, fault.LimitExceeded},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			data := zipped(t, test.entries...)
			_, err := OpenZip(bytes.NewReader(data), int64(len(data)), test.limits)
			if test.code == "" {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			assert.Equal(t, test.code, fault.CodeOf(err), err.Error())
		})
	}
	t.Run("declared sizes are lies", func(t *testing.T) {
		t.Parallel()
		data := zipped(t, "page.md", strings.Repeat("x", 100_000))
		understate(data, 10)
		source, err := OpenZip(bytes.NewReader(data), int64(len(data)), Limits{})
		require.NoError(t, err)
		_, err = Import(context.Background(), Source{FS: source}, Options{})
		assert.Error(t, err)
	})
	t.Run("symbolic link", func(t *testing.T) {
		t.Parallel()
		var buffer bytes.Buffer
		writer := zip.NewWriter(&buffer)
		header := &zip.FileHeader{Name: "link.md"}
		header.SetMode(fs.ModeSymlink | 0o777)
		file, err := writer.CreateHeader(header)
		require.NoError(t, err)
		_, err = io.WriteString(file, "/etc/passwd")
		require.NoError(t, err)
		require.NoError(t, writer.Close())
		source, err := OpenZip(bytes.NewReader(buffer.Bytes()), int64(buffer.Len()), Limits{})
		require.NoError(t, err)
		result := importFS(t, source)
		assert.Empty(t, result.Tree.Pages)
		assert.Equal(t, []string{"warning link.md: is skipped: the symbolic link leads nowhere or out of the repository"}, problemsOf(result.Report))
	})
	t.Run("no archive", func(t *testing.T) {
		t.Parallel()
		_, err := OpenZip(strings.NewReader("not a zip"), 9, Limits{})
		assert.Equal(t, fault.BadUserInput, fault.CodeOf(err))
	})
}

// understate makes the directory of an archive with one file claim another
// size.
func understate(data []byte, size uint32) {
	at := bytes.Index(data, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(data[at+24:], size)
}
