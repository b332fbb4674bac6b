package repository

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/content"
	"octavo/internal/fault"
)

// FuzzImport imports a repository of any content: nothing may panic, the tree
// is valid, and an export gives back the same bytes.
func FuzzImport(f *testing.F) {
	sample := contentsOf(&testing.T{}, sampleRepository())
	f.Add([]byte(sample["docs/SUMMARY.md"]), []byte(sample[".gitbook.yaml"]), []byte(sample["docs/intro.md"]))
	f.Add([]byte(guide["SUMMARY.md"]), []byte("root: docs\nstructure: {summary: README.md, readme: SUMMARY.md}\n"), []byte(guide["install/linux.md"]))
	f.Add([]byte("* [a](README.md#)\n* [a](b.md)\n* [a](.gitbook/includes/a.md)\n* [a](SUMMARY.md)\n"), []byte("a: &a [*a]"), []byte("---\nvars: {1: 2}\ncover: a.png\n---\n"))
	f.Add([]byte("* [a](b.md)"), []byte("structure: {summary: TOC.md, readme: SUMMARY.md}\n"), []byte("[x](macos)"))
	f.Add([]byte("* [a](b.md)"), []byte("structure: {readme: SUMMARY.md}\n"), []byte(""))
	f.Add([]byte("* [](..)\n* ```yaml\n  type: a\n  props: {1: .nan}\n"), []byte("redirects: {? [a] : b, <<: {a: b}}"), []byte("---\ncover: /files/x\nlayout: [a]\n---"))
	f.Fuzz(func(t *testing.T, summary, configuration, page []byte) {
		contents := map[string]string{}
		for _, name := range []string{"", "docs/"} {
			for _, other := range []string{"README.md", "b.md", "guides/README.md", "guides/setup.md", ".gitbook/includes/a.md"} {
				contents[name+other] = string(page)
			}
			contents[name+"SUMMARY.md"] = string(summary)
			contents[name+"a.png"] = string(page)
		}
		contents[".gitbook.yaml"] = string(configuration)
		result, err := Import(context.Background(), Source{FS: files(contents)}, Options{Now: testTime})
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.CodeOf(err), "%v", err)
			return
		}
		requireValid(t, result.Tree)
		for name, text := range exportResult(t, result.Tree, result) {
			require.Equal(t, contents[name], text, name)
		}
		again, err := Import(context.Background(), Source{FS: files(contents), Previous: result.Tree, PreviousBodies: texts(result.Bodies)}, Options{Now: testTime})
		require.NoError(t, err)
		require.Equal(t, result.Tree, again.Tree, "importing the same again changes nothing")
	})
}

// FuzzSummary edits the pages of any table of contents: what is written says
// what the tree says.
func FuzzSummary(f *testing.F) {
	f.Add([]byte(guide["SUMMARY.md"]), uint64(1))
	f.Add([]byte(contentsOf(&testing.T{}, sampleRepository())["docs/SUMMARY.md"]), uint64(2))
	f.Add([]byte("# a\n---\n# b\n* [c](d.md)\n***\n\t* e\n ## \n* f\n"), uint64(3))
	f.Add([]byte("1. [a](a.md)\n10. [b](<b.md>)\n\n    ```\n* ```yaml\ntype: a\n```\n"), uint64(4))
	f.Add([]byte("```0"), uint64(6))
	f.Add([]byte("00000000000\n*  A.md\n * 00\n# 0"), uint64(20))
	f.Add([]byte("* [0](<0>0\n* [1](<1> \"a\")\n"), uint64(50))
	f.Add([]byte("##0\n## 0\n*\t[](0)"), uint64(27))
	f.Fuzz(func(t *testing.T, source []byte, seed uint64) {
		if !utf8.Valid(source) || len(source) > 4000 {
			return
		}
		parsed := parseSummary(source)
		require.Equal(t, string(source), parsed.mark+strings.Join(parsed.lines, ""))
		contents := map[string]string{"SUMMARY.md": string(source), "README.md": "", "a.md": "", "b.md": "[x](a.md)", "c.png": ""}
		checkRandomEdits(t, seed, contents)
	})
}

// manyPages is a repository of n pages in directories of twenty.
func manyPages(n int) map[string]string {
	contents := map[string]string{"README.md": "# Home\n"}
	var summary strings.Builder
	summary.WriteString("# Table of contents\n\n* [Home](README.md)\n")
	body := strings.Repeat("Some **text** with a [link](../README.md) and `code`.\n\n", 40)
	for number := range n - 1 {
		directory := fmt.Sprintf("section-%03d", number/20)
		if number%20 == 0 {
			contents[directory+"/README.md"] = fmt.Sprintf("---\ndescription: Section\n---\n\n# Section %d\n\n%s", number/20, body)
			fmt.Fprintf(&summary, "* [Section %d](%s/README.md)\n", number/20, directory)
			continue
		}
		name := fmt.Sprintf("%s/page-%d.md", directory, number)
		contents[name] = fmt.Sprintf("# Page %d\n\n%s", number, body)
		fmt.Fprintf(&summary, "  * [Page %d](%s)\n", number, name)
	}
	contents["SUMMARY.md"] = summary.String()
	return contents
}

func TestManyPages(t *testing.T) {
	t.Parallel()
	contents := manyPages(2000)
	result := importFS(t, files(contents))
	assert.Len(t, result.Tree.Pages, 2000)
	assert.Equal(t, contents, exportResult(t, result.Tree, result))
}

func BenchmarkImport5000Pages(b *testing.B) {
	source := files(manyPages(5000))
	first, err := Import(context.Background(), Source{FS: source}, Options{Now: testTime})
	require.NoError(b, err)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			if _, err := Import(context.Background(), Source{FS: source}, Options{Now: testTime}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			if _, err := Import(context.Background(), Source{FS: source, Previous: first.Tree, PreviousBodies: texts(first.Bodies)}, Options{Now: testTime}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkExport5000Pages(b *testing.B) {
	result, err := Import(context.Background(), Source{FS: files(manyPages(5000))}, Options{Now: testTime})
	require.NoError(b, err)
	moved := edit(result.Tree, result.Tree.Pages[4000].ID, func(page *content.Page) { page.Slug = "another" })
	for name, tree := range map[string]*content.Tree{"untouched": result.Tree, "one page moved": moved} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := exportTree(tree, texts(result.Bodies), result.openFile); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNewLinks5000Pages(b *testing.B) {
	result, err := Import(context.Background(), Source{FS: files(manyPages(5000))}, Options{Now: testTime})
	require.NoError(b, err)
	for b.Loop() {
		NewLinks(result.Tree, LinkOptions{})
	}
}
