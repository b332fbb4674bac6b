package repository

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParseSummary(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, source, want string }{
		{"nesting by two", "* [A](a.md)\n  * [B](b.md)\n    * [C](c.md)\n* [D](d.md)\n", "A=a.md\n  B=b.md\n    C=c.md\nD=d.md\n"},
		{"one column is no child", "* [A](a.md)\n * [B](b.md)\n", "A=a.md\nB=b.md\n"},
		{"back to a column between", "* [A](a)\n    * [B](b)\n  * [C](c)\n", "A=a\n  B=b\n  C=c\n"},
		{"tabs, other marks, numbers", "- [A](a)\n\t+ [B](b)\n\t\t1. [C](c)\n2) [D](d)\n", "A=a\n  B=b\n    C=c\nD=d\n"},
		{"indented at the start", "   * [A](a)\n* [B](b)\n", "A=a\nB=b\n"},
		{"groups", "# Title\n* [A](a)\n## G ##\n* [B](b)\n### H\n  * [C](c)\n", "A=a\nG\n  B=b\nH\n  C=c\n"},
		{"breaks end groups", "## G\n* [A](a)\n\n---\n* [B](b)\n## I\n* [C](c)\n##\n* [D](d)\n", "G\n  A=a\nB=b\nI\n  C=c\nD=d\n"},
		{"escapes", `* [A \(x\) \_ &amp; \[y\]](a\(1\).md)`, "A (x) _ & [y]=a(1).md\n"},
		{"brackets in the title", "* [A [x] `]`](a)", "A [x] ]=a\n"},
		{"marks in the title", "* [*A* __b__ `c*` ![i](j) <b>d</b>](a)", "A b c* i d=a\n"},
		{"link in marks", "* **[A](a)**", "A=a\n"},
		{"angle brackets", "* [A](<a b (c).md>)", "A=a b (c).md\n"},
		{"spaces", "* [A]( a b.md )", "A=a b.md\n"},
		{"alternative titles", "* [A](a.md \"B\")\n* [C](c d.md 'D')\n* [E](\"F\")", "A=a.md\nC=c d.md\nE=\n"},
		{"parentheses", "* [A](a(b).md) rest)", "A=a(b).md\n"},
		{"quoted parenthesis", `* [A](a.md "x)")`, "A=a.md\n"},
		{"text", "* Text [not](first)\n* []()\n*\n* [a]\n* [a](b\n", "Text not\n[a]\n[a](b\n"},
		{"comments", "<!-- * [A](a) -->\n<!--\n* [B](b)\n--> * [C](c)\n* [D](d)\n* <!-- [E](e) -->\n", "D=d\n"},
		{"open comment", "* [A](a)\n<!--\n* [B](b)\n", "A=a\n"},
		{"fences", "```\n* [A](a)\n```\n~~~~\n* [B](b)\n~~~\n~~~~\n* [C](c)\n", "C=c\n"},
		{"line endings", "\ufeff# T\r\n\r\n* [A](a)\r\n  * [B](b)\r", "A=a\n  B=b\n"},
		{"anchor of a group", `## G & H <a href="#g" id="g-1"></a>`, "G & H #g-1\n"},
		{"yaml", "* [A](a)\n  * ```yaml\n    type: x\n    ```\n    * [B](b)\n", "A=a\n  {type: x}\n    B=b\n"},
		{"empty", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			parsed := parseSummary([]byte(test.source))
			assert.Equal(t, test.source, parsed.mark+strings.Join(parsed.lines, ""), "no byte is lost")
			var out strings.Builder
			for index := range parsed.entries {
				next := &parsed.entries[index]
				out.WriteString(strings.Repeat("  ", next.depth) + next.title)
				switch next.kind {
				case entryLink:
					out.WriteString("=" + next.destination)
				case entryComputed:
					fmt.Fprintf(&out, "{%s}", strings.TrimSpace(next.block))
				case entryHeading:
					if next.anchor != "" {
						out.WriteString(" #" + next.anchor)
					}
				}
				out.WriteString("\n")
			}
			assert.Equal(t, test.want, out.String())
		})
	}
}

func TestEscapedTitlesReadTheSame(t *testing.T) {
	t.Parallel()
	for _, title := range randomTitles {
		assert.Equal(t, title, plainText(escapeTitle(title)), "link")
		heading := parseSummary([]byte("* [x](y)\n## " + escapeHeading(title) + "\n"))
		assert.Equal(t, title, heading.entries[1].title, "heading")
		item := parseSummary([]byte("* " + escapeStart(escapeTitle(title)) + "\n"))
		assert.Equal(t, title, item.entries[0].title, "list item")
	}
}

func TestSlugOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Getting started": "getting-started", "update-from-v0.12": "update-from-v0.12", "in_http": "in_http",
		"Ünïcödé 文字!": "ünïcödé-文字", "..": "page", "": "page", "../../etc": "etc", "-a--b-": "a-b", "a/b": "a-b",
		strings.Repeat("x", 300): strings.Repeat("x", 100), "csv (2)": "csv-2",
	} {
		assert.Equal(t, want, slugOf(text), text)
	}
	assert.Equal(t, "readme", slugOfPath("README.md"))
	assert.Equal(t, "guides", slugOfPath("a/guides/readme.md"))
	assert.Equal(t, "v1.2", slugOfPath("a/v1.2.md"))
}

func TestRelativePath(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ from, to, want string }{
		{"", "a/b.md", "a/b.md"},
		{"a", "a/b.md", "b.md"},
		{"a", "b.md", "../b.md"},
		{"a/b", "a/c/d.md", "../c/d.md"},
		{"a", "a", "../a"},
	} {
		assert.Equal(t, test.want, relativePath(test.from, test.to))
		joined, ok := joinRelative(test.from, test.want)
		assert.True(t, ok)
		assert.Equal(t, test.to, joined)
	}
	assert.Equal(t, "./mail:to.md", linkTo("", "mail:to.md"))
}
