package linkgraph

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"octavo/internal/content"
	"octavo/internal/document"
	"octavo/internal/enum"
)

func TestGraphReadsReferencesOfMetadata(t *testing.T) {
	t.Parallel()
	const page, other, file = "pag_00000000000000000000000001", "pag_00000000000000000000000002", "fil_00000000000000000000000001"
	const space, reusable = "spc_00000000000000000000000001", "rus_00000000000000000000000001"
	for name, row := range map[string]struct {
		page   content.Page
		target string
		status enum.LinkStatus
	}{
		"a page":                  {content.Page{Target: map[string]any{"kind": "page", "page": other}}, "page " + other, enum.LinkOK},
		"a page that is gone":     {content.Page{Target: map[string]any{"kind": "page", "page": "pag_0000000000000000000000000z"}}, "page pag_0000000000000000000000000z", enum.LinkBroken},
		"an anchor":               {content.Page{Target: map[string]any{"kind": "anchor", "page": other, "anchor": "here"}}, "anchor " + other + " here", enum.LinkOK},
		"an anchor that is gone":  {content.Page{Target: map[string]any{"kind": "anchor", "page": other, "anchor": "there"}}, "anchor " + other + " there", enum.LinkBroken},
		"a file":                  {content.Page{Target: map[string]any{"kind": "file", "file": file}}, "file " + file, enum.LinkOK},
		"a cover":                 {content.Page{Cover: &content.Cover{Ref: map[string]any{"kind": "file", "file": file}}}, "file " + file, enum.LinkOK},
		"a dark cover":            {content.Page{Cover: &content.Cover{RefDark: map[string]any{"kind": "file", "file": file}}}, "file " + file, enum.LinkOK},
		"an address":              {content.Page{Target: map[string]any{"kind": "url", "url": "https://example.com"}}, "url https://example.com", enum.LinkOK},
		"a space":                 {content.Page{Target: map[string]any{"kind": "space", "space": space}}, "space " + space, enum.LinkInApp},
		"a page of another space": {content.Page{Target: map[string]any{"kind": "page", "page": other, "space": space}}, "page " + other + " " + space, enum.LinkInApp},
		"a reusable content":      {content.Page{Target: map[string]any{"kind": "reusable-content", "reusableContent": reusable}}, "reusable-content " + reusable, enum.LinkBroken},
		"a specification": {content.Page{Computed: &content.Computed{Dependencies: map[string]map[string]any{
			"spec": {"ref": map[string]any{"kind": "openapi", "spec": "petstore"}},
		}}}, "openapi petstore", enum.LinkInApp},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := row.page
			from.ID, from.Type = page, content.PageLink
			tree := &content.Tree{
				Pages: []*content.Page{&from, {ID: other, Type: content.PageDocument, Title: "Other", Slug: "other"}},
				Files: []*content.File{{ID: file, Name: "a.png", GitPath: "a.png"}},
			}
			made := newGraph(tree, map[string]*text{other: readText([]byte("## Here\n"))}, "")
			if assert.Len(t, made.edges, 1) {
				assert.Equal(t, row.target, describe(made.edges[0].target))
				assert.Equal(t, row.status, made.edges[0].status)
				assert.Equal(t, []place{{page: &from}}, made.edges[0].places)
			}
		})
	}
}

func describe(to target) string {
	words := to.Kind
	for _, word := range []string{to.Page, to.Anchor, to.File, to.Space, to.ReusableContent, to.URL, to.spec} {
		if word != "" && (to.Kind != "space" || word != to.Page) {
			words += " " + word
		}
	}
	return words
}

func TestAnchorsAreThoseOfHeadings(t *testing.T) {
	t.Parallel()
	source := "## One\n\n## One\n\n<details>\n\n<summary>More</summary>\n\n### Inside\n\n</details>\n\n## Own <a href=\"#mine\" id=\"mine\"></a>\n"
	assert.Equal(t, map[string]bool{"one": true, "one-1": true, "inside": true, "mine": true}, anchorsOf(document.Parse([]byte(source), document.References{}).Nodes))
}
