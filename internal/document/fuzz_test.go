package document

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// samples are pages that show every construct of the dialect.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	pages := map[string][]byte{}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		pages[filepath.Base(path)] = source
	}
	return pages
}

func seed(f *testing.F) {
	f.Helper()
	for _, page := range samples(f) {
		f.Add(page)
		for _, part := range strings.Split(string(page), "\n\n") {
			f.Add([]byte(part))
		}
	}
	for _, word := range words {
		f.Add([]byte("* " + word + "\n  > " + word))
	}
	for _, found := range foundByFuzzing {
		f.Add([]byte(found))
	}
}

// foundByFuzzing are the sources that were once read or written wrongly.
var foundByFuzzing = []string{
	"$$\n{%file src=f%}\n{%endfile%}\naml)",
	"{% hint %}\n$$\n{%file src=f%}\n{%endfile%}\n{% endhint %}\n$$\na\n$$",
}

func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, source []byte) {
		canonical(t, source)
		Links(source)
		Sections(source)
		Title(source)
	})
}

func FuzzBlocks(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, source []byte) { requireBlocksJoin(t, source) })
}

func FuzzUpdateFrontMatter(f *testing.F) {
	seed(f)
	f.Add([]byte(fullFrontMatter))
	f.Add([]byte("---\n 0:\n---"))
	f.Fuzz(func(t *testing.T, source []byte) {
		front, body := SplitFrontMatter(source)
		require.Equal(t, string(source), string(front)+string(body))
		same, err := UpdateFrontMatter(source, MetadataChanges{})
		if err != nil {
			return
		}
		require.Equal(t, string(source), string(same))
		updated, err := UpdateFrontMatter(source, MetadataChanges{"icon": "new"})
		if err != nil {
			return
		}
		changed, changedBody := SplitFrontMatter(updated)
		require.Equal(t, strings.TrimLeft(string(body), "\r\n"), strings.TrimLeft(string(changedBody), "\r\n"))
		metadata, err := ParseFrontMatter(changed)
		if err == nil {
			require.Equal(t, "new", *metadata.Icon)
		}
	})
}

func TestHostileInputTakesLinearTime(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{
		">", "* ", "[", "](", "![", "**a ", "*a_", "<b>", "<a href=\"", "`", "``a`", "~~", "$$", "{{", "{% hint %}\n", "{% if a %}\n",
		"<details>\n", "<code class=\"expression\">", ":a", "[^1]", "[^1]: a\n\n", "- a\n\n", "&amp;", "\\", "<!--", "| a ", "a|b\n-|-\n",
		"# a\n", "1. ", "<div>\n", "$$\n", "```\n", "[a]: b\n", "http://a.b ", "a@b.c ", "<figure>", "<table>", " \n", "\t", "<span data-gb-custom-inline>",
	} {
		source := []byte(strings.Repeat(unit, hostileSize/len(unit)))
		begin := time.Now()
		document := Parse(source, References{})
		parsed := time.Since(begin)
		_, err := Render(document, References{})
		rendered := time.Since(begin) - parsed
		Blocks(source)
		Links(source)
		total := time.Since(begin)
		if err != nil {
			assert.ErrorContains(t, err, "may", "%q", unit)
		}
		assert.Less(t, total, 30*time.Second, "%q: parse %v, render %v", unit, parsed, rendered)
		if testing.Verbose() {
			t.Logf("%-30q parse %v, render %v, all %v", unit, parsed, rendered, total)
		}
	}
}
