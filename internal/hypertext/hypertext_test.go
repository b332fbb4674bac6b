package hypertext_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"octavo/internal/document"
	"octavo/internal/hypertext"
)

var sources = hypertext.Sources{
	Link: func(reference map[string]any) *hypertext.Link {
		if reference["page"] == "pag_hidden" {
			return nil
		}
		return &hypertext.Link{Address: "/docs/target", Title: "Target", Description: "What it says", Emoji: "1f4d8"}
	},
	File: func(map[string]any) *hypertext.File {
		return &hypertext.File{Address: "/files/x.png", Name: "x.png", ContentType: "image/png", Size: 1500, Width: 20, Height: 10}
	},
	Specification: func(map[string]any) []byte { return []byte(specification) },
}

const specification = `{"openapi": "3.0.3", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://api.example.com/"}],
"paths": {"/pets/{id}": {"get": {"summary": "One pet", "description": "Says **much**.", "parameters": [
	{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
	{"name": "deep", "in": "query", "schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}],
	"responses": {"200": {"description": "Found", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}}}}},
"components": {"schemas": {"Pet": {"type": "object", "required": ["name"], "properties": {
	"name": {"type": "string", "description": "<b>Its</b> name"}, "kind": {"type": "string", "enum": ["cat", "dog"], "default": "cat"}, "friends": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}}}}}`

func render(markdown string) hypertext.Page {
	return hypertext.Render(document.Parse([]byte(markdown), document.References{}), sources)
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		markdown string
		want     []string
	}{
		"Paragraph":   {"One **bold** *it* `code` ~~no~~.\n", []string{"<p>One <strong>bold</strong> <em>it</em> <code>code</code> <del>no</del>.</p>"}},
		"Escapes":     {"a < b & \"c\"\n", []string{"<p>a &lt; b &amp; &#34;c&#34;</p>"}},
		"Heading":     {"## Two words\n\n### Deep\n", []string{`<h2 id="two-words">Two words<a class="anchor" href="#two-words"`, `<h3 id="deep">`}},
		"List":        {"- a\n- b\n  1. c\n", []string{"<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>"}},
		"Tasks":       {"- [x] done\n- [ ] open\n", []string{`<ul class="tasks">`, `<input type="checkbox" disabled checked aria-label="done"> done`}},
		"Hint":        {"{% hint style=\"warning\" %}\nCareful\n{% endhint %}\n", []string{`<div class="hint hint-warning" role="note" aria-label="Warning"><p>Careful</p></div>`}},
		"Code":        {"{% code title=\"a.go\" lineNumbers=\"true\" %}\n```go\nfunc main() {}\n```\n{% endcode %}\n", []string{`<figcaption class="code-title">a.go</figcaption>`, `code-numbered`, `<span class="tok-keyword">func</span>`}},
		"UnknownCode": {"```nolanguage\n<x>\n```\n", []string{`<span class="line">&lt;x&gt;`}},
		"Tabs":        {"{% tabs %}\n{% tab title=\"A\" %}\none\n{% endtab %}\n{% tab title=\"B\" %}\ntwo\n{% endtab %}\n{% endtabs %}\n", []string{`<section class="tab" aria-label="A"><p class="tab-title">A</p>`, "<p>two</p>"}},
		"Expandable":  {"<details>\n\n<summary>More</summary>\n\nHidden\n\n</details>\n", []string{`<details class="expandable"><summary>More</summary><div class="expandable-body"><p>Hidden</p></div></details>`}},
		"Table":       {"| A | B |\n| --- | :---: |\n| 1 | 2 |\n", []string{`<th scope="col">A</th>`, `<td>1</td><td class="align-center">2</td>`}},
		"Cards": {"<table data-view=\"cards\"><thead><tr><th></th><th data-hidden data-card-target data-type=\"content-ref\"></th></tr></thead><tbody><tr><td><strong>First</strong></td><td><a href=\"/pages/pag_1\">target.md</a></td></tr></tbody></table>\n",
			[]string{`<ul class="cards">`, `card-title"><strong>First</strong>`, `<a class="card-link" href="/docs/target" aria-label="First">`}},
		"Image":          {"![An x](/files/fil_1)\n", []string{`<img src="/files/x.png" width="20" height="10" alt="An x" loading="lazy"`}},
		"ImageElsewhere": {"![Logo](https://example.com/logo.png)\n", []string{`<a class="image-elsewhere" href="https://example.com/logo.png" rel="noopener">Logo</a>`}},
		"ImageShare":     {"<figure><img src=\"/files/fil_1\" alt=\"x\" width=\"50%\"><figcaption></figcaption></figure>\n", []string{`width="50%" alt="x"`}},
		"ImageLost":      {"![A chart](gone/chart.png) ![](gone/ship.png)\n", []string{`<span class="image-missing">A chart</span>`, `<span class="image-missing">ship.png</span>`}},
		"LinkLost":       {"[A page](gone/page.md) and [a place](#here)\n", []string{`<p>A page and <a href="#here">a place</a></p>`}},
		"RawImageLost":   {"<section><img src=\"gone/ship.png\" alt=\"A ship\"></section>\n", []string{`<span class="image-missing">A ship</span>`}},
		"Figure":         {"<figure><img src=\"/files/fil_1\" alt=\"x\"><figcaption><p>Said</p></figcaption></figure>\n", []string{"<figcaption>Said</figcaption>"}},
		"Math":           {"$$\nx^2\n$$\n", []string{`<math display="block">`, "<msup><mi>x</mi>"}},
		"MathUnknown":    {"$$\n\\unknown{<x>}\n$$\n", []string{`<div class="math-source"><code>\unknown{&lt;x&gt;}</code></div>`}},
		"Embed":          {"{% embed url=\"https://example.com/video\" %}\n", []string{`<a class="embed" href="https://example.com/video" rel="noopener">`, "example.com"}},
		"ContentRef":     {"{% content-ref url=\"/pages/pag_1\" %}\n[x](/pages/pag_1)\n{% endcontent-ref %}\n", []string{`<a class="content-ref" href="/docs/target">`, "📘", "Target", "What it says"}},
		"File":           {"{% file src=\"/files/fil_1\" %}\n", []string{`<a class="file" href="/files/x.png" download="x.png">`, "1.5 kB"}},
		"Stepper":        {"{% stepper %}\n{% step %}\n## One\n\nDo\n{% endstep %}\n{% endstepper %}\n", []string{`<ol class="stepper"><li class="step"><h2 id="one">`}},
		"Columns":        {"{% columns %}\n{% column %}\nleft\n{% endcolumn %}\n{% column %}\nright\n{% endcolumn %}\n{% endcolumns %}\n", []string{`<div class="columns columns-2"><div class="column"><p>left</p></div>`}},
		"Split":          {"{% columns %}\n{% column width=\"66.6%\" %}\nleft\n{% endcolumn %}\n{% column %}\nright\n{% endcolumn %}\n{% endcolumns %}\n", []string{`<div class="columns columns-2 split-67">`}},
		"RefElsewhere":   {"{% content-ref url=\"https://example.com/\" %}\n[Over **there**](https://example.com/)\n{% endcontent-ref %}\n", []string{`<span class="content-ref-title">Over there</span>`}},
		"Update":         {"{% updates %}\n{% update date=\"2026-11-02\" tags=\"api, docs\" %}\n## News\n{% endupdate %}\n{% endupdates %}\n", []string{`<div class="update-head"><time datetime="2026-11-02">2026-11-02</time><span class="option">api</span><span class="option">docs</span></div><div class="update-body"><h2 id="news">`}},
		"Mail":           {"[write](mailto:a@example.com)\n", []string{`<a href="mailto:a@example.com">write</a>`}},
		"RawHTML":        {"<section><em>kept</em> <script>alert(1)</script></section>\n", []string{"<em>kept</em>"}},
		"Operation": {"{% swagger src=\"/files/fil_1\" path=\"/pets/{id}\" method=\"get\" %}\n[x](/files/fil_1)\n{% endswagger %}\n",
			[]string{`api-method-get">GET</span> <code>https://api.example.com/pets/{id}</code>`, "<strong>much</strong>", "Path parameters", `<span class="api-required">required</span>`, `<h2 class="api-summary" id="get-petsid">One pet</h2>`, `One of: <code>cat</code>, <code>dog</code>`, `Default: <code>cat</code>`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			written := string(render(test.markdown).HTML)
			for _, want := range test.want {
				assert.Contains(t, written, want)
			}
			checkHarmless(t, written)
		})
	}
}

func TestLinksElsewhereOpenWindowsWhereWanted(t *testing.T) {
	t.Parallel()
	source := document.Parse([]byte("[There](https://example.com/) and [here](/pages/pag_1)\n"), document.References{})
	wanted := sources
	wanted.NewWindow = true
	written := string(hypertext.Render(source, wanted).HTML)
	assert.Contains(t, written, `<a href="https://example.com/" rel="noopener" target="_blank">There</a>`)
	assert.Contains(t, written, `<a href="/docs/target">here</a>`)
}

func TestAttacksDoNothing(t *testing.T) {
	t.Parallel()
	for _, markdown := range []string{
		"<script>alert(1)</script>\n", "<img src=x onerror=alert(1)>\n", "text <img src=x onerror=alert(1)> text\n", "[x](javascript:alert(1))\n",
		"[x](JaVaScRiPt:alert(1))\n", "[x](data:text/html,<script>)\n", "![x](javascript:alert(1))\n", "<a href=\"javascript:alert(1)\">x</a>\n",
		"<svg onload=alert(1)>\n", "<iframe src=\"https://evil.example\"></iframe>\n", "<style>*{display:none}</style>\n", "<div style=\"position:fixed\">x</div>\n",
		"</main></body><h1>x\n", "<div><p>unclosed\n", "text <u>open\n\nnext\n", "</div></div>\n", "{% embed url=\"javascript:alert(1)\" %}\n",
		"<form action=\"https://evil.example\"><input name=password></form>\n", "<base href=\"https://evil.example\">\n", "<meta http-equiv=refresh content=\"0;url=https://evil.example\">\n",
		"{% hint style=\"x\\\" onclick=alert(1) \\\"\" %}\nx\n{% endhint %}\n", "# <script>alert(1)</script>\n", "<figure><img src=\"javascript:alert(1)\" alt=\"\"></figure>\n",
		"```\"><script>alert(1)</script>\nx\n```\n", "<mark style=\"color:red;background:url(https://evil.example)\">x</mark>\n",
	} {
		page := hypertext.Render(document.Parse([]byte(markdown), document.References{}), hypertext.Sources{})
		checkHarmless(t, string(page.HTML))
	}
}

// checkHarmless parses what was written and looks for anything that runs, loads
// from elsewhere or breaks out of its place.
func checkHarmless(t *testing.T, written string) {
	t.Helper()
	whole, err := html.Parse(strings.NewReader("<main>" + written + "</main><footer></footer>"))
	require.NoError(t, err)
	var again strings.Builder
	require.NoError(t, html.Render(&again, whole))
	assert.Contains(t, again.String(), "<html><head></head><body><main>", written)
	assert.Contains(t, again.String(), "</main><footer></footer></body>", "balanced: %s", written)
	var walk func(*html.Node)
	walk = func(node *html.Node) {
		if node.Type == html.ElementNode {
			assert.NotContains(t, []string{"script", "style", "iframe", "object", "embed", "form", "base", "meta", "svg"}, node.Data, written)
			for _, attribute := range node.Attr {
				assert.False(t, strings.HasPrefix(attribute.Key, "on") || attribute.Key == "style", "%s in %s", attribute.Key, written)
				if slices.Contains([]string{"href", "src"}, attribute.Key) {
					assert.NotRegexp(t, `(?i)^\s*(javascript|data|vbscript):`, attribute.Val)
				}
				if attribute.Key == "src" {
					assert.NotRegexp(t, `^(https?:)?//`, attribute.Val, "nothing is loaded from elsewhere")
				}
			}
		}
		for child := node.FirstChild; child != nil; child = child.NextSibling {
			walk(child)
		}
	}
	walk(whole)
}

func TestHeadingsAndUpdates(t *testing.T) {
	t.Parallel()
	page := render("## A\n\n## A\n\n### B `code`\n\n{% updates format=\"full\" %}\n{% update date=\"2026-11-20\" %}\n## News\n\nText\n{% endupdate %}\n{% endupdates %}\n")
	levels, ids := []int{}, map[string]bool{}
	for _, heading := range page.Headings {
		levels = append(levels, heading.Level)
		ids[heading.ID] = true
	}
	assert.Equal(t, []int{2, 2, 3, 2}, levels)
	assert.Len(t, ids, 4, "anchors differ")
	assert.Equal(t, "B code", page.Headings[2].Text)
	require.Len(t, page.Updates, 1)
	assert.Equal(t, "2026-11-20", page.Updates[0].Date)
	assert.Equal(t, "News", page.Updates[0].Title)
	assert.Contains(t, string(page.HTML), string(page.Updates[0].HTML))
}

func TestWhatMayNotBeSeenIsLeftOut(t *testing.T) {
	t.Parallel()
	written := string(render("See [the page](/pages/pag_hidden).\n\n{% if visitor.claims.secret %}\nSecret text\n{% endif %}\n\nIt is <code class=\"expression\">visitor.claims.name</code>.\n").HTML)
	assert.Contains(t, written, "See the page.")
	assert.NotContains(t, written, "Secret text", "a condition that nobody evaluated holds for nobody")
	assert.NotContains(t, written, "visitor.claims.name")
	assert.NotContains(t, written, "href")
}
