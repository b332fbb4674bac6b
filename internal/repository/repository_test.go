package repository

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/content"
	"octavo/internal/document"
)

var testTime = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// texts is content.Bodies in memory.
type texts map[content.Hash][]byte

func (b texts) Body(hash content.Hash) ([]byte, error) {
	data, found := b[hash]
	if !found {
		return nil, errors.New("no body " + string(hash))
	}
	return data, nil
}

// add stores a text.
func (b texts) add(text string) content.Hash {
	hash := content.HashOf([]byte(text))
	b[hash] = []byte(text)
	return hash
}

// files makes a repository out of paths and texts.
func files(contents map[string]string) fstest.MapFS {
	made := fstest.MapFS{}
	for name, text := range contents {
		made[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return made
}

func importFS(t *testing.T, source fs.FS) *Result {
	t.Helper()
	result, err := Import(context.Background(), Source{FS: source}, Options{Now: testTime})
	require.NoError(t, err)
	requireValid(t, result.Tree)
	return result
}

// requireValid checks what content.Tree promises.
func requireValid(t *testing.T, tree *content.Tree) {
	t.Helper()
	seen := map[string]bool{"": true}
	paths := map[string]bool{}
	slugs := map[string]bool{}
	var chain []string
	for _, page := range tree.Pages {
		require.True(t, seen[page.Parent], "parent of %s comes before it", page.Title)
		require.False(t, seen[page.ID], "id %s is unique", page.ID)
		seen[page.ID] = true
		for len(chain) > 0 && chain[len(chain)-1] != page.Parent {
			chain = chain[:len(chain)-1]
		}
		require.True(t, page.Parent == "" || len(chain) > 0, "%s follows its parent's other descendants", page.Title)
		chain = append(chain, page.ID)
		require.NotEmpty(t, page.Title)
		require.NotEmpty(t, page.Slug)
		require.False(t, slugs[page.Parent+"/"+page.Slug], "slug %s is unique", page.Slug)
		slugs[page.Parent+"/"+page.Slug] = true
		require.False(t, page.GitPath != "" && paths[page.GitPath], "path %s is unique", page.GitPath)
		paths[page.GitPath] = true
	}
	for _, file := range tree.Files {
		require.False(t, paths[file.GitPath], "path %s is unique", file.GitPath)
		paths[file.GitPath] = true
	}
	require.True(t, slices.IsSortedFunc(tree.Files, func(a, b *content.File) int { return strings.Compare(a.ID, b.ID) }))
}

// exportResult exports a tree whose texts and files are those of an import.
func exportResult(t *testing.T, tree *content.Tree, result *Result) map[string]string {
	t.Helper()
	written, err := exportTree(tree, texts(result.Bodies), result.openFile)
	require.NoError(t, err)
	return written
}

func exportTree(tree *content.Tree, bodies content.Bodies, open func(content.Hash) (io.ReadCloser, error)) (map[string]string, error) {
	written := map[string]string{}
	err := Export(context.Background(), tree, bodies, open, func(name string, _ fs.FileMode, source io.Reader) error {
		data, err := io.ReadAll(source)
		if err != nil {
			return err
		}
		if _, repeated := written[name]; repeated {
			return errors.New("written twice: " + name)
		}
		if !fs.ValidPath(name) {
			return errors.New("invalid path: " + name)
		}
		written[name] = string(data)
		return nil
	})
	return written, err
}

// contentsOf reads every file of a file system.
func contentsOf(t *testing.T, source fs.FS) map[string]string {
	t.Helper()
	contents := map[string]string{}
	require.NoError(t, fs.WalkDir(source, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(source, name)
		contents[name] = string(data)
		return err
	}))
	return contents
}

// titles writes the page tree as an indented list.
func titles(tree *content.Tree) string {
	var out strings.Builder
	depth := map[string]int{"": -1}
	for _, page := range tree.Pages {
		depth[page.ID] = depth[page.Parent] + 1
		out.WriteString(strings.Repeat("  ", depth[page.ID]) + string(page.Type) + " " + page.Title)
		if page.GitPath != "" {
			out.WriteString(" (" + page.GitPath + ")")
		}
		out.WriteString("\n")
	}
	return out.String()
}

func pageAt(t *testing.T, tree *content.Tree, gitPath string) *content.Page {
	t.Helper()
	for _, page := range tree.Pages {
		if page.GitPath == gitPath {
			return page
		}
	}
	require.Failf(t, "no page", "at %s", gitPath)
	return nil
}

func pageTitled(t *testing.T, tree *content.Tree, title string) *content.Page {
	t.Helper()
	for _, page := range tree.Pages {
		if page.Title == title {
			return page
		}
	}
	require.Failf(t, "no page", "titled %s", title)
	return nil
}

// edit returns a tree in which one page was changed.
func edit(tree *content.Tree, id string, change func(*content.Page)) *content.Tree {
	clone := tree.Clone()
	for index, page := range clone.Pages {
		if page.ID == id {
			copied := *page
			change(&copied)
			clone.Pages[index] = &copied
		}
	}
	return clone
}

func problemsOf(report Report) []string {
	var messages []string
	for _, problem := range report.Problems {
		messages = append(messages, string(problem.Severity)+" "+problem.Path+": "+problem.Message)
	}
	return messages
}

// corpora opens the sample and the repositories that OCTAVO_CORPUS names, a
// list of directories.
func corpora(t *testing.T) map[string]fs.FS {
	t.Helper()
	found := map[string]fs.FS{"sample": sampleRepository()}
	for _, name := range strings.Split(os.Getenv("OCTAVO_CORPUS"), string(os.PathListSeparator)) {
		if name == "" {
			continue
		}
		directory, err := OpenDirectory(name)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, directory.Close()) })
		found[path.Base(name)] = directory.FS()
	}
	return found
}

func TestRoundTripKeepsEveryByte(t *testing.T) {
	t.Parallel()
	for name, source := range corpora(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			started := time.Now()
			result := importFS(t, source)
			imported := time.Since(started)
			written := exportResult(t, result.Tree, result)
			want := contentsOf(t, source)
			for name, data := range want {
				if assert.Contains(t, written, name) {
					assert.True(t, written[name] == data, "%s keeps its bytes", name)
				}
			}
			assert.Len(t, written, len(want))
			t.Logf("%d pages, %d files, %d unplaced in %v", result.Report.Pages, result.Report.Files, result.Report.Unplaced, imported)
			for _, problem := range problemsOf(result.Report) {
				if !strings.Contains(problem, "the redirect of") {
					t.Log(problem)
				}
			}
		})
	}
}

// onePixel is a PNG of 1 by 1 pixels.
var onePixel = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82")

// sampleRepository holds one of everything that an import reads.
func sampleRepository() fstest.MapFS {
	made := files(map[string]string{
		".gitbook.yaml": "root: ./docs/\r\n\r\nstructure:\r\n  readme: ./intro.md # the start\r\nredirects:\r\n  old/page: guides/setup.md\r\n  /gone: nowhere.md\r\n",
		"docs/SUMMARY.md": "\ufeff# Table of contents\r\n\r\n" +
			"* [Introduction](intro.md)\r\n" +
			"* [Install \\(Linux\\)](guides/README.md \"Install\")\r\n" +
			"\t* [Set\\_up](guides/setup.md)\r\n" +
			"\t\t* [Part two](guides/setup.md#part-two)\r\n" +
			"\t* Without a page\r\n" +
			"\t\t- [Spaces](<guides/with spaces (1).md>)\r\n" +
			"+ [Encoded](guides/per%20cent.md)\r\n" +
			"+ [Loose](guides/loose file.md)\r\n" +
			"<!-- * [Hidden](hidden.md) -->\r\n" +
			"\r\n## Reference <a href=\"#ref\" id=\"ref\"></a>\r\n\r\n" +
			"* [Project](https://example.com/a?b=c#d)\r\n" +
			"* [Setup again](guides/setup.md)\r\n" +
			"* [Missing](missing.md)\r\n" +
			"* [Download](.gitbook/assets/manual.pdf)\r\n" +
			"* [`code` and **bold** &amp; more](reference.md)\r\n" +
			"* [Outside](../outside.md)\r\n" +
			"* ```yaml\r\n  type: builtin:openapi\r\n  props:\r\n    models: true\r\n  dependencies:\r\n    spec:\r\n      ref:\r\n        kind: openapi\r\n        spec: petstore\r\n  ```\r\n" +
			"\r\nTrailing text without a line feed",
		"docs/intro.md":                   "\ufeff---\r\ndescription: Start here\r\nicon: book\r\ncover: .gitbook/assets/cover.png\r\ncoverY: 12.5\r\nlayout:\r\n  width: wide\r\n  cover:\r\n    visible: true\r\n    size: full\r\n  outline:\r\n    visible: false\r\nvars:\r\n  version: 2\r\n---\r\n\r\n# Introduction\r\n",
		"docs/guides/README.md":           "# Install\n\nSee [setup](setup.md) and [intro](../intro.md).\n",
		"docs/guides/setup.md":            "# Setup\n\n## Part two\n\n[up](./) ![](<../.gitbook/assets/cover.png>)",
		"docs/guides/with spaces (1).md":  "",
		"docs/guides/per cent.md":         "text only\n",
		"docs/guides/loose file.md":       "---\nhidden: true\n---\n# Loose\n",
		"docs/guides/unlisted.md":         "# Nobody links here\n",
		"docs/reference.md":               "[broken](nowhere.md) [anchor](guides/setup.md#part-two)\n",
		"docs/.gitbook/includes/note.md":  "---\ntitle: A note\n---\n\nText.\n",
		"docs/.gitbook/assets/manual.pdf": "%PDF-1.7\n",
		"docs/.gitbook/assets/shape.svg":  `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 12"></svg>`,
		"docs/styles/site.css":            "a { color: red }\n",
		"docs/latin1.md":                  "caf\xe9\n",
	})
	made["docs/.gitbook/assets/cover.png"] = &fstest.MapFile{Data: onePixel, Mode: 0o644}
	return made
}

func TestImportSample(t *testing.T) {
	t.Parallel()
	result := importFS(t, sampleRepository())
	assert.Equal(t, strings.TrimPrefix(`
document Introduction (intro.md)
document Install (Linux) (guides/README.md)
  document Set_up (guides/setup.md)
    link Part two
  group Without a page
    document Spaces (guides/with spaces (1).md)
document Encoded (guides/per cent.md)
document Loose (guides/loose file.md)
group Reference
  link Project
  link Setup again
  document Missing (missing.md)
  link Download
  document code and bold & more (reference.md)
  group Outside
  computed petstore
`, "\n"), titles(result.Tree))

	var slugs []string
	for _, page := range result.Tree.Pages {
		slugs = append(slugs, page.Slug)
	}
	assert.Equal(t, []string{
		"intro", "guides", "setup", "part-two", "without-a-page", "with-spaces-1", "per-cent", "loose-file",
		"ref", "project", "setup-again", "missing", "download", "reference", "outside", "petstore",
	}, slugs)

	setup := pageAt(t, result.Tree, "guides/setup.md")
	assert.Equal(t, map[string]any{"kind": "anchor", "page": setup.ID, "anchor": "part-two"}, pageTitled(t, result.Tree, "Part two").Target)
	assert.Equal(t, map[string]any{"kind": "page", "page": setup.ID}, pageTitled(t, result.Tree, "Setup again").Target)
	assert.Equal(t, map[string]any{"kind": "url", "url": "https://example.com/a?b=c#d"}, pageTitled(t, result.Tree, "Project").Target)
	assert.Equal(t, "file", pageTitled(t, result.Tree, "Download").Target["kind"])
	assert.Equal(t, &content.Computed{
		Type: "builtin:openapi", Props: map[string]any{"models": true},
		Dependencies: map[string]map[string]any{"spec": {"ref": map[string]any{"kind": "openapi", "spec": "petstore"}}},
	}, pageTitled(t, result.Tree, "petstore").Computed)
	assert.Empty(t, pageAt(t, result.Tree, "missing.md").Body)

	intro := pageAt(t, result.Tree, "intro.md")
	assert.Equal(t, "Start here", intro.Description)
	assert.Equal(t, "book", intro.Icon)
	assert.Equal(t, map[string]any{"version": 2.0}, intro.Variables)
	layout := content.DefaultLayout()
	layout.Width, layout.CoverSize, layout.Outline = "wide", "full", false
	assert.Equal(t, &layout, intro.Layout)
	assert.Equal(t, 12.5, intro.Cover.YPos)
	cover := result.Tree.File(intro.Cover.Ref["file"].(string))
	require.NotNil(t, cover)
	assert.Equal(t, "image/png", cover.ContentType)
	assert.Equal(t, []int{1, 1}, []int{cover.Width, cover.Height})
	assert.True(t, pageAt(t, result.Tree, "guides/loose file.md").Hidden)

	// git hash-object of "text only\n"
	assert.Equal(t, blobID([]byte("text only\n")), pageAt(t, result.Tree, "guides/per cent.md").GitOID)
	assert.Equal(t, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", pageAt(t, result.Tree, "guides/with spaces (1).md").GitOID)

	require.Len(t, result.Tree.ReusableContents, 1)
	assert.Equal(t, "A note", result.Tree.ReusableContents[0].Title)
	assert.Equal(t, &content.Repository{
		Root: "docs", SummaryPath: "SUMMARY.md", Summary: result.Tree.Repository.Summary,
		ConfigurationPath: ".gitbook.yaml", Configuration: result.Tree.Repository.Configuration,
		Redirects: map[string]string{"old/page": "guides/setup.md", "gone": "nowhere.md"},
		Unplaced:  []content.RepositoryFile{{Path: "docs/guides/unlisted.md", Body: content.HashOf([]byte("# Nobody links here\n"))}},
	}, result.Tree.Repository)
	assert.Equal(t, []string{
		`warning .gitbook.yaml: the redirect of "gone" leads to "nowhere.md", which does not exist`,
		`warning docs/SUMMARY.md: guides/setup.md is named more than once: entry 11 is a link to the page`,
		`error docs/SUMMARY.md: "missing.md" does not exist`,
		`error docs/SUMMARY.md: "../outside.md" is no path below the content root`,
		`warning docs/guides/unlisted.md: is not in the table of contents: it is kept and is no page`,
		`error docs/latin1.md: is not valid UTF-8: it is kept as a file and is no page`,
	}, problemsOf(result.Report))
	assert.Equal(t, 7, result.Report.Problems[0].Line)
	assert.True(t, bytes.Equal(result.Bodies[intro.Body], []byte(contentsOf(t, sampleRepository())["docs/intro.md"])))
}

// openFile opens the content of an imported file.
func (r *Result) openFile(hash content.Hash) (io.ReadCloser, error) { return r.Files[hash].Open() }

func TestLinksOfCorpora(t *testing.T) {
	t.Parallel()
	for name, source := range corpora(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := importFS(t, source)
			links := NewLinks(result.Tree, LinkOptions{})
			counts := map[Status]int{}
			for _, page := range result.Tree.Pages {
				_, body := document.SplitFrontMatter(result.Bodies[page.Body])
				for _, link := range document.Links(body) {
					target := links.Resolve(page, link.Destination)
					counts[target.Status]++
					if target.Status == StatusBroken {
						t.Logf("%s:%d: %s", page.GitPath, link.Line, link.Destination)
						continue
					}
					require.Equal(t, target, links.Resolve(page, links.Destination(page, target)), link.Destination)
				}
			}
			t.Log(counts)
			assert.Positive(t, counts[StatusOK])
		})
	}
}
