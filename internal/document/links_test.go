package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const linkedPage = `---
cover: a.png
---

# Start

See [the *guide*](../guide/README.md#install "t"), ![shot](<my pic.png>), <https://example.com/a>, https://example.com/b
and [ref] or [a (b)](x\(y\).md). [user](mention://users/u1 "mention")

[ref]: /pages/pag_1#top 'x'

## Deeper <a href="#deeper" id="deeper"></a>

<a href="/files/fil_1" class="button primary">Get</a> <img src="a&amp;b.png" alt=""> code ` + "`[no](no.md)`" + `

{% content-ref url="sub/page.md" %}
[page](sub/page.md)
{% endcontent-ref %}

{% embed url="https://video.example/x" %}

{% include "../.gitbook/includes/part.md" %}

{% openapi-operation spec="shop" path="/x" method="get" %}
[OpenAPI shop](spec.yaml)
{% endopenapi-operation %}

<table data-view="cards"><thead><tr><th></th></tr></thead><tbody><tr><td><a href="card.md">card</a></td></tr></tbody></table>

<figure><img src="fig.png" alt=""><figcaption></figcaption></figure>

> quoted [q](q.md)

` + "```\n[no](no.md)\n```\n"

func TestLinks(t *testing.T) {
	t.Parallel()
	_, body := SplitFrontMatter([]byte(linkedPage))
	var found []string
	for _, link := range Links(body) {
		found = append(found, fmt.Sprintf("%d %s %s#%s %q @%s", link.Line, link.Kind, link.Destination, link.Anchor, link.Text, link.Node))
	}
	assert.Equal(t, []string{
		`4 page-link ../guide/README.md#install#install "the guide" @start`,
		`4 image my pic.png# "shot" @start`,
		`4 page-link https://example.com/a# "https://example.com/a" @start`,
		`4 page-link https://example.com/b# "https://example.com/b" @start`,
		`5 page-link x(y).md# "a (b)" @start`,
		`5 mention mention://users/u1# "user" @start`,
		`7 page-link /pages/pag_1#top#top "ref" @start`,
		`11 button /files/fil_1# "Get" @deeper`,
		`11 image a&b.png# "" @deeper`,
		`13 content-ref sub/page.md# "" @deeper`,
		`14 content-ref sub/page.md# "" @deeper`,
		`17 embed https://video.example/x# "" @deeper`,
		`19 include ../.gitbook/includes/part.md# "" @deeper`,
		`21 openapi shop# "" @deeper`,
		`22 openapi spec.yaml# "" @deeper`,
		`25 page-link card.md# "card" @deeper`,
		`27 image fig.png# "" @deeper`,
		`29 page-link q.md# "q" @deeper`,
	}, found)
}

func TestRewriteLinksChangesDestinationsOnly(t *testing.T) {
	t.Parallel()
	same := RewriteLinks([]byte(linkedPage), func(link Link) (string, bool) { return link.Destination, false })
	assert.Equal(t, linkedPage, string(same))

	rewritten := RewriteLinks([]byte(linkedPage), func(link Link) (string, bool) {
		return "new (" + link.Destination + `)"`, !strings.HasPrefix(link.Destination, "http")
	})
	_, body := SplitFrontMatter([]byte(linkedPage))
	_, after := SplitFrontMatter(rewritten)
	before := Links(body)
	for index, link := range Links(after) {
		expected := before[index].Destination
		if !strings.HasPrefix(expected, "http") {
			expected = "new (" + expected + `)"`
		}
		assert.Equal(t, expected, link.Destination)
	}
	assert.Len(t, Links(after), len(before))
	assert.Contains(t, string(rewritten), "`[no](no.md)`")
}

func TestTitle(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ source, title, replaced string }{
		{"# One *two*\n\ntext\n", "One two", "# New \\*x\\*\n\ntext\n"},
		{"---\nicon: a\n---\n\ntext\n", "", "---\nicon: a\n---\n\n# New \\*x\\*\n\ntext\n"},
		{"Under\nlined\n=====\ntext", "Under lined", "# New \\*x\\*\ntext"},
		{"## Sub\n\n# Real #\r\nrest", "Real", "## Sub\n\n# New \\*x\\*\r\nrest"},
		{"", "", "# New \\*x\\*\n"},
		{"```\n# no\n```\n", "", "# New \\*x\\*\n\n```\n# no\n```\n"},
	} {
		_, body := SplitFrontMatter([]byte(row.source))
		assert.Equal(t, row.title, Title(body), "%q", row.source)
		assert.Equal(t, row.replaced, string(ReplaceTitle([]byte(row.source), "New\n*x*")), "%q", row.source)
	}
}

func TestSections(t *testing.T) {
	t.Parallel()
	sections := Sections([]byte("Intro.\n\n# Title!\n\nText **bold**.\n\n## Install\n\n* one\n* two\n\n#### Install\n\n{% hint style=\"info\" %}\nMind\n\n## Inside\n\nthis\n{% endhint %}\n\n## Own <a href=\"#mine\" id=\"mine\"></a>\n"))
	assert.Equal(t, []Section{
		{Text: "Intro."},
		{Anchor: "title", Title: "Title!", Level: 1, Text: "Text bold."},
		{Anchor: "install", Title: "Install", Level: 2, Text: "one\ntwo"},
		{Anchor: "install-1", Title: "Install", Level: 4, Text: "Mind"},
		{Anchor: "inside", Title: "Inside", Level: 2, Text: "this"},
		{Anchor: "mine", Title: "Own", Level: 2},
	}, sections)
	assert.Equal(t, "überschrift-mit-_unterstrich_-c", Anchor("Überschrift mit _Unterstrich_: C++"))
}

func TestWithoutTitleLeavesEverythingElse(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ body, title, expected string }{
		{"# Title\n\nText\n", "Title", "Text\n"},
		{"\n\n# Title #\nText\n", "Title", "Text\n"},
		{"Title\n=====\n\nText\n", "Title", "Text\n"},
		{"# The *title*\r\n\r\nText\r\n", "The title", "Text\r\n"},
		{"# Title", "Title", ""},
		{"# Title\n\n    code\n", "Title", "    code\n"},
		{"# Another\n\nText\n", "Title", "# Another\n\nText\n"},
		{"## Title\n\nText\n", "Title", "## Title\n\nText\n"},
		{"Text\n\n# Title\n", "Title", "Text\n\n# Title\n"},
		{"", "Title", ""},
		{"\n\n", "Title", "\n\n"},
	} {
		assert.Equal(t, row.expected, string(WithoutTitle([]byte(row.body), row.title)), "%q", row.body)
	}
}

func TestPlainTextOfCaptions(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"{% content-ref url=\"https://example.com/\" %}\n[Over there](https://example.com/)\n{% endcontent-ref %}\n": "Over there",
		"{% file src=\"a.pdf\" %}\nThe [paper](a.pdf) of the year\n{% endfile %}\n":                                  "The [paper](a.pdf) of the year",
	} {
		if got := PlainText(Parse([]byte(source), References{})); got != want {
			t.Errorf("%q is read as %q", source, got)
		}
	}
}
