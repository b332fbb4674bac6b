package search

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestIndexed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, words string }{
		{"Nothing", "", ""},
		{"NoWords", " — *** : \"' ", ""},
		{"Case", "Rate LIMIT", " rate limit "},
		{"Accents", "Café ÉTÉ naïve Ångström", " cafe ete naive angstrom "},
		{"AccentsApart", "Cafe\u0301", " cafe "},
		{"LettersWithoutDecomposition", "Straße Łódź Ærø œuvre Đà", " strasse lodz aero oeuvre da "},
		{"Greek", "ΟΔΟΣ οδός", " οδοσ οδοσ "},
		{"Cyrillic", "Ёлка", " елка "},
		{"Turkish", "İstanbul ısı", " istanbul isi "},
		{"Snake", "max_connections", " max connections "},
		{"Dotted", "net.http.ListenAndServe()", " net http listenandserve "},
		{"Path", "/v1/spaces/{spaceId}", " v1 spaces spaceid "},
		{"Apostrophes", "don't don’t", " don t don t "},
		{"FullWidth", "ＡＰＩ１２", " api12 "},
		{"SoftHyphen", "docu\u00admentation", " documentation "},
		{"Chinese", "全文搜索", " 全文 文搜 搜索 索 "},
		{"OneIdeograph", "字", " 字 "},
		{"Japanese", "データベース", " デー ータ タベ ベー ース ス "},
		{"HalfWidthKatakana", "ﾃﾞｰﾀ", " デー ータ タ "},
		{"VoicingStays", "か が", " か が "},
		{"Mixed", "API仕様v2", " api 仕様 様 v2 "},
		{"Korean", "문서 관리", " 문서 서 관리 리 "},
		{"Thai", "ท\u0e35\u0e48", " ท\u0e35 \u0e35\u0e48 \u0e48 "},
		{"Devanagari", "हिन्दी", " हिन्दी "},
		{"Emoji", "ship 🚀 it", " ship it "},
		{"InvalidUTF8", "a\xffb\x00c", " a b c "},
		{"ScopeMark", "§spc1", " spc1 "},
		{"LongWord", strings.Repeat("x", 100), " " + strings.Repeat("x", wordLimit) + " "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.words, indexed(test.text))
		})
	}
}

func TestIndexedStaysWithinItsLimit(t *testing.T) {
	t.Parallel()
	words := indexed(strings.Repeat("word ", textLimit))
	assert.LessOrEqual(t, len(words), textLimit+wordLimit)
	assert.True(t, strings.HasSuffix(words, " word "))
}

func TestTokensKnowWhereTheyCameFrom(t *testing.T) {
	t.Parallel()
	text := "Ünïcode — 全文検索 e\u0301te\u0301"
	var parts []string
	for found := range tokens(text) {
		parts = append(parts, text[found.start:found.end])
	}
	assert.Equal(t, []string{"Ünïcode", "全文", "文検", "検索", "索", "e\u0301te\u0301"}, parts)
}

func FuzzTokens(f *testing.F) {
	f.Add("Café 全文 max_connections", "caf")
	f.Add("\xff\u0301", "\u0301")
	f.Fuzz(func(t *testing.T, text, searched string) {
		end := 0
		for found := range tokens(text) {
			require.NotEmpty(t, found.text)
			require.LessOrEqual(t, found.start, found.end)
			require.GreaterOrEqual(t, found.end, end)
			end = found.end
			for _, character := range found.text {
				require.True(t, character >= 0x80 || character >= '0' && character <= '9' || character >= 'a' && character <= 'z', "%q", found.text)
			}
		}
		require.LessOrEqual(t, end, len(text))
		parsed, err := parse(searched)
		if err != nil {
			return
		}
		shown := excerpt(text, parsed.phrases)
		require.NotContains(t, strings.NewReplacer("<em>", "", "</em>", "").Replace(shown), "<")
	})
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		phrases    []phrase
	}{
		{"LastIsBegun", "Rate lim", []phrase{{[]string{"rate"}, false}, {[]string{"lim"}, true}}},
		{"Name", "max_conn", []phrase{{[]string{"max", "conn"}, true}}},
		{"Quoted", `"rate limit" api`, []phrase{{[]string{"rate", "limit"}, false}, {[]string{"api"}, true}}},
		{"QuotedLast", `api “rate limit”`, []phrase{{[]string{"api"}, false}, {[]string{"rate", "limit"}, false}}},
		{"OpenQuote", `api "rate lim`, []phrase{{[]string{"api"}, false}, {[]string{"rate"}, false}, {[]string{"lim"}, true}}},
		{"Twice", "a a b", []phrase{{[]string{"a"}, false}, {[]string{"b"}, true}}},
		{"Chinese", "全文搜索", []phrase{{[]string{"全文", "文搜", "搜索"}, false}}},
		{"OneIdeograph", "搜 a", []phrase{{[]string{"搜"}, true}, {[]string{"a"}, true}}},
		{"IdeographsInside", "仕様v2", []phrase{{[]string{"仕様", "様", "v2"}, true}}},
		{"Punctuation", `*** " : (`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			parsed, err := parse(test.text)
			require.NoError(t, err)
			assert.Equal(t, test.phrases, parsed.phrases)
		})
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("before ", 100) + "the needle itself " + strings.Repeat("after ", 100)
	for _, test := range []struct{ name, text, query, shown string }{
		{"Word", "Set a rate limit.", "limit", "Set a rate <em>limit</em>."},
		{"Begun", "Limits apply.", "lim", "<em>Limits</em> apply."},
		{"Accents", "Le café fermé", "cafe FERME", "Le <em>café</em> <em>fermé</em>"},
		{"Escaped", `<script>alert("limit")</script> & <em>x</em>`, "limit", "&lt;script&gt;alert(&#34;<em>limit</em>&#34;)&lt;/script&gt; &amp; &lt;em&gt;x&lt;/em&gt;"},
		{"MarkupIsFound", "a <em> b", "em", "a &lt;<em>em</em>&gt; b"},
		{"Name", "Use max_connections here", "max_conn", "Use <em>max_connections</em> here"},
		{"NotTheParts", "max of connections", "max_connections", "max of connections"},
		{"Pairs", "支持全文搜索功能", "全文搜索", "支持<em>全文搜索</em>功能"},
		{"OneOfAPair", "支持全文", "全", "支持<em>全</em>文"},
		{"Lines", "one\ntwo\n\nthree", "two", "one <em>two</em>  three"},
		{"NoMatch", "nothing here", "limit", "nothing here"},
		{"Empty", "", "limit", ""},
		{"Window", long, "needle", "… before before before before before before before the <em>needle</em> itself" + strings.Repeat(" after", 28) + "…"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			parsed, err := parse(test.query)
			require.NoError(t, err)
			assert.Equal(t, test.shown, excerpt(test.text, parsed.phrases))
		})
	}
}
