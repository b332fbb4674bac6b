package document

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/fault"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestDialectIsCanonical(t *testing.T) {
	t.Parallel()
	source := samples(t)["dialect.md"]
	written := canonical(t, source)
	requireTextKept(t, source, written)
	const golden = "testdata/dialect.canonical"
	if *update {
		require.NoError(t, os.WriteFile(golden, written, 0o600))
	}
	expected, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(expected), string(written))
}

func TestEveryConstructHasItsNode(t *testing.T) {
	t.Parallel()
	kinds := map[string]bool{}
	document := Parse(samples(t)["dialect.md"], References{})
	walk(document.Nodes, func(node *Node) { kinds[node.Type] = true })
	for kind := range definitions {
		if kind != "drawing" {
			assert.True(t, kinds[kind], "%s does not occur", kind)
		}
	}
	for _, node := range document.Nodes {
		if node.flag("raw") {
			assert.Contains(t, []string{
				`{% unknown tag="x" %}`, "{% endunknown %}", `{% hint style="info" %}`, "<center>raw *html*</center>", "<!-- comment -->",
			}, plainBlock(node))
		}
	}
}

func TestDocumentJSON(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ markdown, nodes string }{
		{"a **b**\n", `[{"object":"block","type":"paragraph","isVoid":false,"data":{},"nodes":[{"object":"text","leaves":[
			{"object":"leaf","text":"a ","marks":[]},{"object":"leaf","text":"b","marks":[{"object":"mark","type":"bold"}]}]}]}]`},
		{"***\n", `[{"object":"block","type":"divider","isVoid":true,"data":{}}]`},
		{"## Hi there\n", `[{"object":"block","type":"heading-2","isVoid":false,"data":{},"meta":{"id":"hi-there"},
			"nodes":[{"object":"text","leaves":[{"object":"leaf","text":"Hi there","marks":[]}]}]}]`},
		{"![x](/files/fil_1)\n", `[{"object":"block","type":"images","isVoid":false,"data":{},"nodes":[{"object":"block","type":"image",
			"isVoid":true,"data":{"ref":{"kind":"file","file":"fil_1"},"alt":"x"},"fragments":[]}]}]`},
		{"[a](/pages/pag_1#b)\n", `[{"object":"block","type":"paragraph","isVoid":false,"data":{},"nodes":[{"object":"inline","type":"link",
			"isVoid":false,"data":{"ref":{"kind":"anchor","anchor":"b","page":"pag_1"}},
			"nodes":[{"object":"text","leaves":[{"object":"leaf","text":"a","marks":[]}]}]}]}]`},
	} {
		parsed := Parse([]byte(row.markdown), References{})
		require.Len(t, parsed.Nodes, 1)
		parsed.Nodes[0].Key = ""
		encoded, err := json.Marshal(parsed)
		require.NoError(t, err)
		assert.JSONEq(t, `{"object":"document","data":{"schemaVersion":8},"nodes":`+row.nodes+`}`, string(encoded))
	}
}

func TestValidateNamesThePath(t *testing.T) {
	t.Parallel()
	deep := `{"object":"block","type":"paragraph","nodes":[]}`
	for range MaximumDepth {
		deep = `{"object":"block","type":"blockquote","nodes":[` + deep + `]}`
	}
	for _, row := range []struct {
		nodes, message string
		code           fault.Code
	}{
		{`{"object":"block","type":"hint","data":{"style":"loud"},"nodes":[]}`, "nodes.0.data.style: must be one of info, warning, danger, success", fault.BadUserInput},
		{`{"object":"block","type":"hint","nodes":[]}`, "nodes.0.data.style: is required", fault.BadUserInput},
		{`{"object":"block","type":"nonsense"}`, `nodes.0.type: "nonsense" is not a block`, fault.BadUserInput},
		{`null`, "nodes.0.object", fault.BadUserInput},
		{`{"object":"block","type":"list-item","nodes":[]}`, "nodes.0.type", fault.BadUserInput},
		{`{"object":"block","type":"tabs","nodes":[{"object":"block","type":"paragraph","nodes":[]}]}`, `nodes.0.nodes.0.type: must be "tabs-item"`, fault.BadUserInput},
		{`{"object":"block","type":"paragraph","nodes":[{"object":"text","leaves":[{"object":"leaf","text":"a","marks":[{"object":"mark","type":"big"}]}]}]}`, "nodes.0.nodes.0.leaves.0.marks.0.type", fault.BadUserInput},
		{`{"object":"block","type":"image","isVoid":true,"data":{"ref":{"kind":"page"}}}`, "nodes.0.type", fault.BadUserInput},
		{`{"object":"block","type":"content-ref","isVoid":true,"data":{"ref":{"kind":"page"}}}`, "nodes.0.data.ref: must be a page reference with page", fault.BadUserInput},
		{`{"object":"block","type":"table","data":{"view":{"type":"grid","columns":["x"]},"records":{},"definition":{}}}`, "nodes.0.data.view.columns", fault.BadUserInput},
		{deep, "nodes may nest 64 deep", fault.LimitExceeded},
	} {
		var document Document
		require.NoError(t, json.Unmarshal([]byte(`{"object":"document","nodes":[`+row.nodes+`]}`), &document))
		_, err := Render(&document, References{})
		require.ErrorContains(t, err, row.message)
		assert.Equal(t, row.code, fault.CodeOf(err))
	}
	_, err := Render(nil, References{})
	require.Error(t, err)
}

func TestBlocksOfAPage(t *testing.T) {
	t.Parallel()
	source := "\n# T\n\ntext\nmore\n\n{% hint style=\"info\" %}\na\n\nb\n{% endhint %}\n* one\n* two\n\n```\nx\n\ny\n```\n\n<details>\n\nz\n\n</details>\n| a |\n| - |\n"
	var kinds, texts []string
	for _, block := range Blocks([]byte(source)) {
		kinds = append(kinds, block.Kind)
		texts = append(texts, source[block.Start:block.End])
	}
	assert.Equal(t, []string{"heading", "paragraph", "hint", "list", "code", "expandable", "table"}, kinds)
	assert.Equal(t, source, strings.Join(texts, ""))
	assert.Equal(t, "{% hint style=\"info\" %}\na\n\nb\n{% endhint %}\n", texts[2])
}

func TestReferencesAreAsked(t *testing.T) {
	t.Parallel()
	resolver := References{
		FromDestination: func(destination string, image bool) map[string]any {
			if destination == "page.md" && !image {
				return map[string]any{"kind": "page", "page": "pag_9"}
			}
			return nil
		},
		ToDestination: func(reference map[string]any) string {
			if reference["page"] == "pag_9" {
				return "moved.md"
			}
			return ""
		},
	}
	written, err := Render(Parse([]byte("[a](page.md) [b](other.md)\n"), resolver), resolver)
	require.NoError(t, err)
	assert.Equal(t, "[a](moved.md) [b](other.md)\n", string(written))
}

func realisticPage(b *testing.B) []byte {
	page := samples(b)["dialect.md"]
	return []byte(strings.Repeat(string(page), 1+10_000/len(page)))
}

func BenchmarkParse(b *testing.B) {
	page := realisticPage(b)
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(page, References{})
	}
}

func BenchmarkRender(b *testing.B) {
	document := Parse(realisticPage(b), References{})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Render(document, References{}); err != nil {
			b.Fatal(err)
		}
	}
}
