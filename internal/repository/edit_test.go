package repository

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/content"
	"octavo/internal/document"
	"octavo/internal/identifier"
)

// guide is a small repository for edits.
var guide = map[string]string{
	"SUMMARY.md":               "# Table of contents\n\n* [Home](README.md)\n* [Install](install/README.md)\n  * [Linux](install/linux.md)\n  * [macOS](install/macos.md)\n\n## Reference\n\n* [Options](options.md)\n* [Project](https://example.com)\n",
	"README.md":                "# Home\n\n[Linux](install/linux.md#steps), [install](install/), ![logo](.gitbook/assets/logo.svg)\n",
	"install/README.md":        "# Install\n\n[Linux](linux.md) [macOS](./macos.md) [options](/options.md)\n",
	"install/linux.md":         "---\ncover: ../.gitbook/assets/logo.svg\n---\n\n# Linux\n\n[up](./) [home](../README.md) [macOS](macos) ![logo](../.gitbook/assets/logo.svg)\n",
	"install/macos.md":         "# macOS\n\n<a href=\"linux.md\">Linux</a> [web](https://example.com/linux.md)\n",
	"options.md":               "# Options\n\n[Linux](install/linux.md)\n",
	".gitbook/assets/logo.svg": "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"20px\"/>\n",
}

// differences returns what differs between two exports: path → the line of
// each file that is new, "" prefixed by "-" for a path that is gone.
func differences(before, after map[string]string) map[string]string {
	found := map[string]string{}
	for name, text := range after {
		if old, existed := before[name]; !existed {
			found["+"+name] = text
		} else if old != text {
			found[name] = changedLines(old, text)
		}
	}
	for name := range before {
		if _, exists := after[name]; !exists {
			found["-"+name] = ""
		}
	}
	return found
}

// changedLines lists lines that only one of the texts has.
func changedLines(before, after string) string {
	var out strings.Builder
	old, revised := strings.Split(before, "\n"), strings.Split(after, "\n")
	for _, text := range old {
		if !slices.Contains(revised, text) {
			out.WriteString("-" + text + "\n")
		}
	}
	for _, text := range revised {
		if !slices.Contains(old, text) {
			out.WriteString("+" + text + "\n")
		}
	}
	return out.String()
}

func TestExportOfEdits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		edit func(t *testing.T, tree *content.Tree, bodies texts) *content.Tree
		want map[string]string
	}{
		{
			name: "nothing",
			edit: func(_ *testing.T, tree *content.Tree, _ texts) *content.Tree { return tree },
			want: map[string]string{},
		},
		{
			name: "text of a page",
			edit: func(t *testing.T, tree *content.Tree, bodies texts) *content.Tree {
				return edit(tree, pageAt(t, tree, "options.md").ID, func(page *content.Page) { page.Body = bodies.add("# Options\n\nNew.\n") })
			},
			want: map[string]string{"options.md": "-[Linux](install/linux.md)\n+New.\n"},
		},
		{
			name: "title of a page",
			edit: func(t *testing.T, tree *content.Tree, _ texts) *content.Tree {
				return edit(tree, pageAt(t, tree, "install/linux.md").ID, func(page *content.Page) { page.Title = "GNU_Linux [x86]" })
			},
			want: map[string]string{"SUMMARY.md": "-  * [Linux](install/linux.md)\n+  * [GNU\\_Linux \\[x86\\]](install/linux.md)\n"},
		},
		{
			name: "title of a group",
			edit: func(t *testing.T, tree *content.Tree, _ texts) *content.Tree {
				return edit(tree, pageTitled(t, tree, "Reference").ID, func(page *content.Page) { page.Title = "C #" })
			},
			want: map[string]string{"SUMMARY.md": "-## Reference\n+## C \\#\n"},
		},
		{
			name: "target of a link",
			edit: func(t *testing.T, tree *content.Tree, _ texts) *content.Tree {
				return edit(tree, pageTitled(t, tree, "Project").ID, func(page *content.Page) {
					page.Target = map[string]any{"kind": "anchor", "page": pageAt(t, tree, "install/linux.md").ID, "anchor": "a b"}
				})
			},
			want: map[string]string{"SUMMARY.md": "-* [Project](https://example.com)\n+* [Project](install/linux.md#a%20b)\n"},
		},
		{
			name: "slug of a page",
			edit: func(t *testing.T, tree *content.Tree, _ texts) *content.Tree {
				return edit(tree, pageAt(t, tree, "install/linux.md").ID, func(page *content.Page) { page.Slug = "gnu-linux" })
			},
			want: map[string]string{
				"SUMMARY.md":            "-  * [Linux](install/linux.md)\n+  * [Linux](install/gnu-linux.md)\n",
				"README.md":             "-[Linux](install/linux.md#steps), [install](install/), ![logo](.gitbook/assets/logo.svg)\n+[Linux](install/gnu-linux.md#steps), [install](install/), ![logo](.gitbook/assets/logo.svg)\n",
				"install/README.md":     "-[Linux](linux.md) [macOS](./macos.md) [options](/options.md)\n+[Linux](gnu-linux.md) [macOS](./macos.md) [options](/options.md)\n",
				"install/macos.md":      "-<a href=\"linux.md\">Linux</a> [web](https://example.com/linux.md)\n+<a href=\"gnu-linux.md\">Linux</a> [web](https://example.com/linux.md)\n",
				"options.md":            "-[Linux](install/linux.md)\n+[Linux](install/gnu-linux.md)\n",
				"-install/linux.md":     "",
				"+install/gnu-linux.md": guide["install/linux.md"],
			},
		},
		{
			name: "slug of a page with children",
			edit: func(t *testing.T, tree *content.Tree, _ texts) *content.Tree {
				return edit(tree, pageAt(t, tree, "install/README.md").ID, func(page *content.Page) { page.Slug = "setup" })
			},
			want: map[string]string{
				"SUMMARY.md":         "-* [Install](install/README.md)\n+* [Install](setup/README.md)\n",
				"README.md":          "-[Linux](install/linux.md#steps), [install](install/), ![logo](.gitbook/assets/logo.svg)\n+[Linux](install/linux.md#steps), [install](setup/), ![logo](.gitbook/assets/logo.svg)\n",
				"install/linux.md":   "-[up](./) [home](../README.md) [macOS](macos) ![logo](../.gitbook/assets/logo.svg)\n+[up](../setup/) [home](../README.md) [macOS](macos) ![logo](../.gitbook/assets/logo.svg)\n",
				"-install/README.md": "",
				"+setup/README.md":   "# Install\n\n[Linux](../install/linux.md) [macOS](../install/macos.md) [options](/options.md)\n",
			},
		},
		{
			name: "page to another parent",
			edit: func(t *testing.T, tree *content.Tree, _ texts) *content.Tree {
				linux, reference := pageAt(t, tree, "install/linux.md"), pageTitled(t, tree, "Reference")
				tree = edit(tree, linux.ID, func(page *content.Page) { page.Parent = reference.ID })
				moved := tree.Page(linux.ID)
				tree.Pages = slices.DeleteFunc(tree.Pages, func(page *content.Page) bool { return page == moved })
				tree.Pages = append(tree.Pages, moved)
				return tree
			},
			want: map[string]string{
				"SUMMARY.md":          "-  * [Linux](install/linux.md)\n+* [Linux](reference/linux.md)\n",
				"README.md":           "-[Linux](install/linux.md#steps), [install](install/), ![logo](.gitbook/assets/logo.svg)\n+[Linux](reference/linux.md#steps), [install](install/), ![logo](.gitbook/assets/logo.svg)\n",
				"install/README.md":   "-[Linux](linux.md) [macOS](./macos.md) [options](/options.md)\n+[Linux](../reference/linux.md) [macOS](./macos.md) [options](/options.md)\n",
				"install/macos.md":    "-<a href=\"linux.md\">Linux</a> [web](https://example.com/linux.md)\n+<a href=\"../reference/linux.md\">Linux</a> [web](https://example.com/linux.md)\n",
				"options.md":          "-[Linux](install/linux.md)\n+[Linux](reference/linux.md)\n",
				"-install/linux.md":   "",
				"+reference/linux.md": strings.NewReplacer("[up](./)", "[up](../install/)", "(macos)", "(../install/macos)").Replace(guide["install/linux.md"]),
			},
		},
		{
			name: "order of pages",
			edit: func(_ *testing.T, tree *content.Tree, _ texts) *content.Tree {
				clone := tree.Clone()
				clone.Pages[2], clone.Pages[3] = clone.Pages[3], clone.Pages[2]
				return clone
			},
			want: map[string]string{"SUMMARY.md": ""},
		},
		{
			name: "deleted page",
			edit: func(t *testing.T, tree *content.Tree, _ texts) *content.Tree {
				options := pageAt(t, tree, "options.md")
				clone := tree.Clone()
				clone.Pages = slices.DeleteFunc(clone.Pages, func(page *content.Page) bool { return page == options })
				return clone
			},
			want: map[string]string{"SUMMARY.md": "-* [Options](options.md)\n", "-options.md": ""},
		},
		{
			name: "new pages, files and links by id",
			edit: func(t *testing.T, tree *content.Tree, bodies texts) *content.Tree {
				clone := tree.Clone()
				linux := pageAt(t, tree, "install/linux.md")
				logo := tree.Files[0]
				body := bodies.add("# FAQ\n\n[Linux](/pages/" + linux.ID + "#steps) ![](/files/" + logo.ID + ") [gone](/pages/" + identifier.New(identifier.Page) + "x)\n")
				parent := &content.Page{ID: identifier.New(identifier.Page), Type: content.PageDocument, Title: "Help", Slug: "help", Body: bodies.add("# Help\n"), Parent: linux.Parent}
				child := &content.Page{ID: identifier.New(identifier.Page), Type: content.PageDocument, Title: "F (A) Q", Slug: "faq", Body: body, Parent: parent.ID}
				clone.Pages = slices.Insert(clone.Pages, 4, parent, child)
				return clone
			},
			want: map[string]string{
				"SUMMARY.md":              "+  * [Help](install/help/README.md)\n+    * [F (A) Q](install/help/faq.md)\n",
				"+install/help/README.md": "# Help\n",
				"+install/help/faq.md":    "# FAQ\n\n[Linux](../linux.md#steps) ![](../../.gitbook/assets/logo.svg) [gone](/pages/UNKNOWN)\n",
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result := importFS(t, files(guide))
			bodies := texts(result.Bodies)
			edited := test.edit(t, result.Tree, bodies)
			requireValid(t, edited)
			got := differences(guide, exportResult(t, edited, result))
			for name, text := range got {
				if at := strings.Index(text, "[gone](/pages/"); at >= 0 {
					got[name] = text[:at] + "[gone](/pages/UNKNOWN)\n"
				}
			}
			assert.Equal(t, test.want, got)
		})
	}
}

func TestExportWithoutRepository(t *testing.T) {
	t.Parallel()
	bodies := texts{}
	home := &content.Page{ID: "a", Type: content.PageDocument, Title: "Welcome", Slug: "welcome", Body: bodies.add("# Welcome\n")}
	group := &content.Page{ID: "b", Type: content.PageGroup, Title: "Guides", Slug: "guides"}
	first := &content.Page{ID: "c", Parent: "b", Type: content.PageDocument, Title: "First", Slug: "first", Body: bodies.add("[home](/pages/a)")}
	link := &content.Page{ID: "d", Parent: "b", Type: content.PageLink, Title: "Elsewhere", Slug: "elsewhere", Target: map[string]any{"kind": "url", "url": "https://example.com/a b"}}
	tree := &content.Tree{Pages: []*content.Page{home, group, first, link}}
	written, err := exportTree(tree, bodies, nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{
		"SUMMARY.md":      "# Table of contents\n\n* [Welcome](README.md)\n\n## Guides\n\n* [First](guides/first.md)\n* [Elsewhere](<https://example.com/a b>)\n",
		"README.md":       "# Welcome\n",
		"guides/first.md": "[home](/pages/a)",
	}, written)
}

// randomEdits changes a tree the way people do.
type randomEdits struct {
	random *rand.Rand
	bodies texts
	roots  []*branch
	count  int
}

type branch struct {
	page     *content.Page
	children []*branch
}

func newRandomEdits(seed uint64, tree *content.Tree, bodies texts) *randomEdits {
	edits := &randomEdits{random: rand.New(rand.NewPCG(seed, 1)), bodies: bodies}
	byID := map[string]*branch{}
	for _, page := range tree.Pages {
		copied := *page
		byID[page.ID] = &branch{page: &copied}
		if page.Parent == "" {
			edits.roots = append(edits.roots, byID[page.ID])
			continue
		}
		parent := byID[page.Parent]
		parent.children = append(parent.children, byID[page.ID])
	}
	return edits
}

// place is where a branch stands: in the children of a parent.
type place struct {
	list  *[]*branch
	index int
}

func (e *randomEdits) places() []place {
	var found []place
	var visit func(list *[]*branch)
	visit = func(list *[]*branch) {
		for index := range *list {
			found = append(found, place{list, index})
			visit(&(*list)[index].children)
		}
	}
	visit(&e.roots)
	return found
}

// lists returns everything that a page can be inserted into.
func (e *randomEdits) lists() []*[]*branch {
	lists := []*[]*branch{&e.roots}
	for _, at := range e.places() {
		lists = append(lists, &(*at.list)[at.index].children)
	}
	return lists
}

func (e *randomEdits) insert(next *branch) {
	lists := e.lists()
	list := lists[e.random.IntN(len(lists))]
	*list = slices.Insert(*list, e.random.IntN(len(*list)+1), next)
}

var randomTitles = []string{"Plain", "With [brackets] (and more)", "snake_case *star*", "C #", "&amp; 1 < 2", "- dash", "1. one", "`code", "# hash", "back\\slash", "a!b", "~~~x", "Ünïcödé 文字", "<!-- no -->", "trailing \\", "**", "http://example.com", "[x](y)", "> quote", "***"}

func (e *randomEdits) step() {
	e.count++
	places := e.places()
	if len(places) == 0 || e.random.IntN(4) == 0 {
		e.insert(e.fresh())
		return
	}
	at := places[e.random.IntN(len(places))]
	chosen := (*at.list)[at.index]
	switch e.random.IntN(5) {
	case 0:
		chosen.page.Title = randomTitles[e.random.IntN(len(randomTitles))]
	case 1:
		chosen.page.Slug = fmt.Sprintf("slug-%d", e.count)
	case 2:
		*at.list = slices.Delete(*at.list, at.index, at.index+1)
	default:
		*at.list = slices.Delete(*at.list, at.index, at.index+1)
		e.insert(chosen)
	}
}

func (e *randomEdits) fresh() *branch {
	page := &content.Page{
		ID: identifier.New(identifier.Page), Title: randomTitles[e.random.IntN(len(randomTitles))], Slug: fmt.Sprintf("new-%d", e.count),
		CreatedAt: testTime, UpdatedAt: testTime,
	}
	switch e.random.IntN(5) {
	case 0:
		page.Type = content.PageGroup
	case 1:
		page.Type = content.PageLink
		page.Target = map[string]any{"kind": "url", "url": fmt.Sprintf("https://example.com/%d", e.count)}
	case 2:
		page.Type = content.PageComputed
		page.Computed = &content.Computed{Type: "builtin:openapi", Props: map[string]any{"text": fmt.Sprintf("```\nx: %d\n", e.count)}}
	default:
		page.Type = content.PageDocument
		page.Body = e.bodies.add(fmt.Sprintf("# Page %d\n\n[x](../README.md)\n", e.count))
	}
	return &branch{page: page}
}

func (e *randomEdits) tree(from *content.Tree) *content.Tree {
	tree := from.Clone()
	tree.Pages = nil
	var visit func(list []*branch, parent string)
	visit = func(list []*branch, parent string) {
		slugs := map[string]bool{}
		for _, next := range list {
			copied := *next.page
			copied.Parent = parent
			for slugs[copied.Slug] {
				copied.Slug += "-x"
			}
			slugs[copied.Slug] = true
			next.page.Slug = copied.Slug
			tree.Pages = append(tree.Pages, &copied)
			visit(next.children, copied.ID)
		}
	}
	visit(e.roots, "")
	return tree
}

// outlineText writes kind, title and nesting.
func outlineText(tree *content.Tree) string {
	var out strings.Builder
	depth := map[string]int{"": -1}
	for _, page := range tree.Pages {
		depth[page.ID] = depth[page.Parent] + 1
		fmt.Fprintf(&out, "%s%s %s\n", strings.Repeat("  ", depth[page.ID]), page.Type, titleText(page.Title))
	}
	return out.String()
}

// TestExportThenImportIsTheSameTree edits trees at random: what an export says
// must be what the tree says, with the same ids, and nothing may change when
// it is exported once more.
func TestExportThenImportIsTheSameTree(t *testing.T) {
	t.Parallel()
	sources := map[string]map[string]string{
		"guide":       guide,
		"directories": {"README.md": "# Home\n", "a/README.md": "# A\n", "a/one.md": "# One\n", "b/two.md": "# Two\n", "c.md": "# C\n", "c/three.md": "text\n"},
		"breaks":      {"README.md": "", "a.md": "", "b.md": "", "c.md": "", "SUMMARY.md": "# First\n\n- [A](a.md)\n# Group\n    - [B](b.md)\n---\n\n* [C](c.md)\n"},
		"tabs":        {"README.md": "", "a.md": "", "b.md": "", "c.md": "", "SUMMARY.md": "* [A](a.md)\r\n\t* Group\r\n\t\t* [B](b.md)\r\n\t\t\t* [C](c.md)\r\n* ```yaml\r\n  type: x:y\r\n  ```"},
		"uneven":      {"README.md": "", "a.md": "", "b.md": "", "c.md": "", "d.md": "", "SUMMARY.md": "* [Home](README.md)\n   * [A](a.md)\n    * [B](b.md)\n     * [C](c.md)\n <!--\n* [X](x.md)\n-->\n 1. [D](d.md)\n"},
		"sample":      contentsOf(t, sampleRepository()),
	}
	rounds := uint64(60)
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range rounds {
				checkRandomEdits(t, seed, source)
				if t.Failed() {
					return
				}
			}
		})
	}
}

func checkRandomEdits(t *testing.T, seed uint64, source map[string]string) {
	t.Helper()
	result := importFS(t, files(source))
	bodies := texts(maps.Clone(result.Bodies))
	edits := newRandomEdits(seed, result.Tree, bodies)
	for range 1 + edits.random.IntN(12) {
		edits.step()
	}
	tree := edits.tree(result.Tree)
	requireValid(t, tree)
	written, err := exportTree(tree, bodies, result.openFile)
	require.NoError(t, err, "seed %d", seed)
	again, err := Import(context.Background(), Source{FS: files(written), Previous: tree, PreviousBodies: bodies}, Options{Now: testTime})
	require.NoError(t, err, "seed %d", seed)
	if !assert.Equal(t, outlineText(tree), outlineText(again.Tree), "seed %d\n%s", seed, written["SUMMARY.md"]+written["docs/SUMMARY.md"]) {
		return
	}
	for index, page := range again.Tree.Pages {
		if !assert.Equal(t, tree.Pages[index].ID, page.ID, "seed %d: id of %s\n%s", seed, page.Title, written["SUMMARY.md"]) {
			return
		}
	}
	if !assert.Equal(t, linkTargets(tree, bodies), linkTargets(again.Tree, texts(again.Bodies)), "seed %d\n%v", seed, written) {
		return
	}
	twice, err := exportTree(again.Tree, texts(again.Bodies), again.openFile)
	require.NoError(t, err)
	assert.Equal(t, written, twice, "seed %d", seed)
}

// linkTargets lists what the links of each page lead to, by the ids of pages.
func linkTargets(tree *content.Tree, bodies texts) map[string][]string {
	links := NewLinks(tree, LinkOptions{})
	targets := map[string][]string{}
	for _, page := range tree.Pages {
		_, body := document.SplitFrontMatter(bodies[page.Body])
		for _, link := range document.Links(body) {
			target := links.Resolve(page, link.Destination)
			if target.Status == StatusBroken {
				target = Target{Status: StatusBroken}
			}
			targets[page.ID] = append(targets[page.ID], fmt.Sprintf("%+v", target))
		}
	}
	return targets
}

func TestEditOfCorpusChangesOneFile(t *testing.T) {
	t.Parallel()
	for name, source := range corpora(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := importFS(t, source)
			before := contentsOf(t, source)
			bodies := texts(result.Bodies)
			page := result.Tree.Pages[1]
			text := string(bodies[page.Body]) + "\nMore.\n"
			edited := edit(result.Tree, page.ID, func(page *content.Page) { page.Body = bodies.add(text) })
			after := exportResult(t, edited, result)
			changed := differences(before, after)
			assert.Len(t, changed, 1)
			assert.Contains(t, changed, strings.TrimPrefix(result.Tree.Repository.Root+"/"+page.GitPath, "/"))
		})
	}
}
