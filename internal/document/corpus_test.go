package document

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	htmltree "golang.org/x/net/html"
)

// canonical writes the canonical form of a body, and checks that it is one.
func canonical(t testing.TB, source []byte) []byte {
	t.Helper()
	document := Parse(source, References{})
	written, err := Render(document, References{})
	require.NoError(t, err)
	again := Parse(written, References{})
	rewritten, err := Render(again, References{})
	require.NoError(t, err)
	if string(rewritten) != string(written) {
		require.Equal(t, string(written), string(rewritten), "of %q", source)
	}
	return written
}

var plainMarkdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))

// visibleWords returns the words that a plain Markdown reader would show, but
// for the tags of the dialect, whose spelling changes.
func visibleWords(t testing.TB, source []byte) []string {
	t.Helper()
	lines := bytes.SplitAfter(source, []byte("\n"))
	source = bytes.Join(slices.DeleteFunc(lines, func(line []byte) bool {
		_, isTag := scanTag(bytes.TrimLeft(line, " "))
		return isTag
	}), nil)
	var page bytes.Buffer
	require.NoError(t, plainMarkdown.Convert(source, &page))
	tokens := htmltree.NewTokenizer(&page)
	var words []string
	for {
		kind := tokens.Next()
		if kind == htmltree.ErrorToken {
			return words
		}
		if kind == htmltree.TextToken {
			words = append(words, strings.Fields(string(tokens.Text()))...)
		}
	}
}

func requireTextKept(t testing.TB, source, written []byte) {
	t.Helper()
	before, after := visibleWords(t, source), visibleWords(t, written)
	joined := strings.Join(after, "")
	for _, word := range before {
		if !slices.Contains(after, word) && !strings.Contains(joined, word) {
			require.Failf(t, "lost text", "%q of %q is not in %q", word, source, written)
		}
	}
}

func checkKept(t testing.TB, source []byte) {
	t.Helper()
	requireTextKept(t, source, canonical(t, source))
}

type specificationCase struct {
	Markdown string `json:"markdown"`
	Number   int    `json:"number"`
}

// commonMarkCases reads the examples of the CommonMark specification, a JSON
// list of {markdown, number}, when OCTAVO_COMMONMARK_SPEC names the file.
func commonMarkCases(t *testing.T) []specificationCase {
	path := os.Getenv("OCTAVO_COMMONMARK_SPEC")
	if path == "" {
		return nil
	}
	source, err := os.ReadFile(path)
	require.NoError(t, err)
	var cases []specificationCase
	require.NoError(t, json.Unmarshal(source, &cases))
	require.NotEmpty(t, cases)
	return cases
}

func TestCommonMarkExamplesKeepTheirText(t *testing.T) {
	t.Parallel()
	for _, example := range commonMarkCases(t) {
		source := strings.ReplaceAll(example.Markdown, "→", "\t")
		t.Run(strconv.Itoa(example.Number), func(t *testing.T) { checkKept(t, []byte(source)) })
	}
}

// OCTAVO_CORPUS names a folder whose Markdown files are checked likewise.
func TestCorpusKeepsItsText(t *testing.T) {
	t.Parallel()
	root := os.Getenv("OCTAVO_CORPUS")
	if root == "" {
		return
	}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			_, body := SplitFrontMatter(source)
			checkKept(t, body)
			requireBlocksJoin(t, source)
		})
		return nil
	})
	require.NoError(t, err)
}
