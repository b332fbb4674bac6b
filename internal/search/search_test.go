package search_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/content"
	"octavo/internal/database"
	"octavo/internal/edit"
	"octavo/internal/enum"
	"octavo/internal/pagination"
	"octavo/internal/search"
	"octavo/internal/space"
)

// page is a page of a space to be made; its id is its path.
type page struct {
	path, title, markdown string
	hidden                bool
}

// newSpace makes a space with pages. A page stands below the one before it
// whose path begins its own.
func newSpace(t testing.TB, server *apptest.Server, organizationID string, caller apptest.Caller, title string, pages ...page) string {
	t.Helper()
	tree, bodies := &content.Tree{}, map[content.Hash][]byte{}
	for _, page := range pages {
		hash := content.HashOf([]byte(page.markdown))
		bodies[hash] = []byte(page.markdown)
		parent, slug := "", page.path
		if slash := strings.LastIndex(page.path, "/"); slash >= 0 {
			parent, slug = "pag_"+page.path[:slash], page.path[slash+1:]
		}
		tree.Pages = append(tree.Pages, &content.Page{
			ID: "pag_" + page.path, Parent: parent, Type: content.PageDocument, Title: page.title, Slug: slug, Body: hash, Hidden: page.hidden,
		})
	}
	made, err := server.App.Spaces.Create(server.Context(t, caller), space.New{
		OrganizationID: organizationID, Title: title, EditMode: enum.EditLive, Tree: tree, Bodies: bodies,
	})
	require.NoError(t, err)
	return made.ID
}

var library = []page{
	{"start", "Getting started", "# Getting started\n\nInstall the server, then open the playground.\n\n## Install\n\nRun the installer. It needs PostgreSQL or SQLite.\n", false},
	{"start/limits", "Rate limits", "Every caller has a limit.\n\n## Headers\n\nThe answer carries `X-RateLimit-Remaining`.\n\n## When the rate is exceeded\n\nThe server answers 429.\n", false},
	{"start/limits/raise", "Raise them", "Set `max_connections` and net.http.Timeout.\n", false},
	{"limits", "Limits", "All of them.\n\n## Rate\n\nSee elsewhere.\n", false},
	{"cafe", "Café", "Un été à l'Ångström. Straße.\n", false},
	{"chinese", "产品文档", "# 产品文档\n\n支持全文搜索功能。\n\n## 安装指南\n\n请先安装数据库。\n", false},
	{"japanese", "データベース設定", "接続プールの最大数をＡＰＩで設定します。\n", false},
	{"html", "Markup & <tags>", "Write `<script>alert('needle')</script>` &amp; **bold**.\n", false},
	{"hidden", "Hidden page", "A secret ingredient.\n", true},
	{"twin-a", "Twin", "Alpha.\n", false},
	{"twin-b", "Twin", "Beta.\n", false},
	{"empty", "Nothing to read", "", false},
	{"scattered", "Scattered", "The connections are max.\n", false},
}

func paths(page pagination.Page[*search.PageHit]) []string {
	found := []string{}
	for _, hit := range page.Items {
		found = append(found, hit.Path)
	}
	return found
}

// TestResults states the results and their order once, for all databases.
func TestResults(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		id := newSpace(t, server, server.OrganizationID, apptest.Admin, "Guide", library...)
		// The same words elsewhere must not show.
		newSpace(t, server, server.OrganizationID, apptest.Admin, "Copy", library...)
		ctx := server.Context(t, apptest.Reader)
		for _, test := range []struct {
			name, query string
			paths       []string
		}{
			{"TitleBeforeHeadingBeforeBody", "install", []string{"start"}},
			{"WholeTitleFirst", "limits", []string{"limits", "start/limits"}},
			{"Heading", "rate", []string{"start/limits", "limits"}},
			{"EveryWord", "rate limits", []string{"start/limits", "limits"}},
			{"WordsOfTitleAndText", "limits 429", []string{"start/limits"}},
			{"WordsOfTwoSections", "headers 429", []string{}},
			{"Begun", "postg", []string{"start"}},
			{"OnlyTheLastMayBeBegun", "postg sqlite", []string{}},
			{"Case", "POSTGRESQL", []string{"start"}},
			{"AccentsLeftOut", "cafe ete angstrom strasse", []string{"cafe"}},
			{"AccentsGiven", "CAFÉ ÉTÉ", []string{"cafe"}},
			{"Chinese", "全文搜索", []string{"chinese"}},
			{"ChineseInside", "文搜", []string{"chinese"}},
			{"ChineseOne", "搜", []string{"chinese"}},
			{"ChineseEnd", "功能", []string{"chinese"}},
			{"ChineseTitle", "文档", []string{"chinese"}},
			{"ChineseNotAdjacent", "全搜", []string{}},
			{"ChinesePairsApart", "支持功能", []string{}},
			{"ChineseTwoWords", "支持 功能", []string{"chinese"}},
			{"Japanese", "データベース", []string{"japanese"}},
			{"JapaneseInside", "タベー", []string{"japanese"}},
			{"JapaneseHalfWidth", "ﾃﾞｰﾀ", []string{"japanese"}},
			{"JapaneseMixed", "apiで設定", []string{"japanese"}},
			{"Snake", "max_connections", []string{"start/limits/raise"}},
			{"SnakeBegun", "max_conn", []string{"start/limits/raise"}},
			{"SnakePart", "connections", []string{"scattered", "start/limits/raise"}},
			{"Dotted", "net.http.Timeout", []string{"start/limits/raise"}},
			{"DottedBegun", "net.http.Time", []string{"start/limits/raise"}},
			{"Header", "X-RateLimit-Remaining", []string{"start/limits"}},
			{"Quoted", `"server answers"`, []string{"start/limits"}},
			{"QuotedOtherOrder", `"answers server"`, []string{}},
			{"QuotedIsWhole", `"server answer"`, []string{}},
			{"Hidden", "ingredient", []string{"hidden"}},
			{"TwinsByPath", "twin", []string{"twin-a", "twin-b"}},
			{"TitleOfAnEmptyPage", "nothing to read", []string{"empty"}},
			{"Markup", "<script>", []string{"html"}},
			{"Quote", `"`, []string{}},
			{"Star", "*", []string{}},
			{"Colon", ":", []string{}},
			{"Near", "NEAR(", []string{}},
			{"NearExpression", `NEAR("rate" "limit", 2)`, []string{}},
			{"Column", "title_words:limits", []string{}},
			{"OrIsAWord", "' OR 1=1", []string{}},
			{"Operators", "rate & !limits | (x)", []string{"start/limits"}},
			{"PostgresPrefix", "rate:*", []string{"start/limits", "limits"}},
			{"Backslash", `\' rate`, []string{"start/limits", "limits"}},
			{"NUL", "rate\x00limits", []string{"start/limits"}},
			{"InvalidUTF8", "\xffrate", []string{"start/limits", "limits"}},
			{"Scope", "§" + strings.ReplaceAll(id, "_", ""), []string{}},
			{"Longest", strings.Repeat("文", search.QueryLimit), []string{}},
			{"ManyWords", strings.TrimSpace(strings.Repeat("ab cd ", 80)), []string{}},
			{"ManyDifferentWords", manyWords(), []string{}},
		} {
			t.Run(test.name, func(t *testing.T) {
				found, err := server.App.SearchIndex.Space(ctx, id, test.query, pagination.Arguments{})
				require.NoError(t, err)
				assert.Equal(t, test.paths, paths(found))
				count, err := found.Count(ctx)
				require.NoError(t, err)
				assert.Equal(t, len(test.paths), count)
			})
		}
	})
}

// manyWords is a query of as many different words as fit.
func manyWords() string {
	var words []string
	for number := range search.QueryLimit / 3 {
		words = append(words, fmt.Sprintf("%c%c", 'a'+number/26, 'a'+number%26))
	}
	return strings.Join(words, " ")
}

func TestHitShowsWhereItIs(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		id := newSpace(t, server, server.OrganizationID, apptest.Admin, "Guide", library...)
		app := server.URL + "/app/spaces/" + id + "/pages/"
		found := server.As(apptest.Reader).REST(t, http.MethodGet, "/spaces/"+id+"/search?query=rate", nil).Object(t, 200)
		assert.Equal(t, map[string]any{"count": 2.0, "items": []any{
			map[string]any{
				"id": "pag_start/limits", "title": "Rate limits", "path": "start/limits", "ancestors": []any{map[string]any{"title": "Getting started"}},
				"urls": map[string]any{"app": app + "pag_start%2Flimits"},
				"sections": []any{
					map[string]any{
						"id": "pag_start/limits#when-the-rate-is-exceeded", "title": "When the rate is exceeded",
						"path": "start/limits#when-the-rate-is-exceeded", "body": "The server answers 429.",
						"urls": map[string]any{"app": app + "pag_start%2Flimits#when-the-rate-is-exceeded"},
					},
					map[string]any{
						"id": "pag_start/limits#headers", "title": "Headers", "path": "start/limits#headers",
						"body": "The answer carries X-<em>RateLimit</em>-Remaining.",
						"urls": map[string]any{"app": app + "pag_start%2Flimits#headers"},
					},
				},
			},
			map[string]any{
				"id": "pag_limits", "title": "Limits", "path": "limits", "ancestors": []any{}, "urls": map[string]any{"app": app + "pag_limits"},
				"sections": []any{map[string]any{
					"id": "pag_limits#rate", "title": "Rate", "path": "limits#rate", "body": "See elsewhere.",
					"urls": map[string]any{"app": app + "pag_limits#rate"},
				}},
			},
		}}, found)

		found = server.As(apptest.Reader).REST(t, http.MethodGet, "/orgs/"+server.OrganizationID+"/search?query=needle", nil).Object(t, 200)
		assert.Equal(t, map[string]any{"count": 1.0, "items": []any{map[string]any{"id": id, "title": "Guide", "pages": []any{map[string]any{
			"id": "pag_html", "title": "Markup & <tags>", "path": "html", "ancestors": []any{}, "urls": map[string]any{"app": app + "pag_html"},
			"sections": []any{map[string]any{
				"id": "pag_html", "title": "Markup & <tags>", "path": "html", "urls": map[string]any{"app": app + "pag_html"},
				"body": "Write &lt;script&gt;alert(&#39;<em>needle</em>&#39;)&lt;/script&gt; &amp; bold.",
			}},
		}}}}}, found)

		data := server.As(apptest.Reader).Query(t, `query($organization: ID!) { organization(id: $organization) { search(query: "needle") {
			totalCount nodes { id title space { title } pages { id title path ancestors { title } urls { app } sections { id title path body urls { app } } } } } } }`,
			map[string]any{"organization": server.OrganizationID})
		hit := data["organization"].(map[string]any)["search"].(map[string]any)["nodes"].([]any)[0].(map[string]any)
		assert.Equal(t, map[string]any{"title": "Guide"}, hit["space"])
		assert.Equal(t, found["items"].([]any)[0].(map[string]any)["pages"], hit["pages"])
	})
}

func TestQueryIsChecked(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		id := newSpace(t, server, server.OrganizationID, apptest.Admin, "Guide")
		for _, path := range []string{"/spaces/" + id, "/orgs/" + server.OrganizationID} {
			for query, message := range map[string]string{
				"":                          "query: it is empty",
				"query=":                    "query: it is empty",
				"query=%20%09":              "query: it is empty",
				"query=" + escape("é", 513): "query: at most 512 characters, got 513",
				"query=a&limit=-1":          "limit: -1 is not between 0 and 1000",
				"query=a&page=nonsense!":    `page: "nonsense!" is not a cursor`,
			} {
				body := server.As(apptest.Reader).REST(t, http.MethodGet, path+"/search?"+query, nil).Object(t, 400)
				assert.Equal(t, message, body["error"].(map[string]any)["message"], "%s?%s", path, query)
			}
			assert.Equal(t, 200, server.As(apptest.Reader).REST(t, http.MethodGet, path+"/search?query="+escape("é", 512), nil).Status)
		}
		result := server.As(apptest.Reader).GraphQL(t, `query($id: ID!) { space(id: $id) { search(query: " ") { totalCount } } }`, map[string]any{"id": id})
		require.Equal(t, "BAD_USER_INPUT", result.Code())
		assert.Equal(t, "query", result.Errors[0].Extensions["field"])
	})
}

func escape(text string, times int) string { return url.QueryEscape(strings.Repeat(text, times)) }

func TestOnlyReadableSpacesAreFound(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		pages := []page{{"a", "Needle", "Text.\n", false}}
		open := newSpace(t, server, server.OrganizationID, apptest.Admin, "Open", pages...)
		closed := newSpace(t, server, server.OrganizationID, apptest.Admin, "Closed", pages...)
		deleted := newSpace(t, server, server.OrganizationID, apptest.Admin, "Deleted", pages...)
		foreign := newSpace(t, server, server.OtherOrganizationID, apptest.Stranger, "Foreign", pages...)
		admin := server.As(apptest.Admin)
		require.Equal(t, 200, admin.REST(t, http.MethodPatch, "/spaces/"+closed, map[string]any{"defaultLevel": nil}).Status)
		require.Equal(t, 205, admin.REST(t, http.MethodDelete, "/spaces/"+deleted, nil).Status)
		ctx := access.System(t.Context(), "test")
		require.NoError(t, server.App.Database.Client(ctx).Permission.Create().SetOrganizationID(server.OrganizationID).
			SetResourceID(closed).SetPrincipalID(server.As(apptest.Guest).UserID).SetRole(access.Read).Exec(ctx))
		for _, test := range []struct {
			caller apptest.Caller
			status int
			spaces []string
		}{
			{apptest.Admin, 200, []string{open, closed}}, {apptest.ReadToken, 200, []string{open, closed}},
			{apptest.Creator, 200, []string{open}}, {apptest.Reviewer, 200, []string{open}}, {apptest.Editor, 200, []string{open}},
			{apptest.Commenter, 200, []string{open}}, {apptest.Reader, 200, []string{open}},
			{apptest.Guest, 200, []string{closed}},
			{apptest.Stranger, 404, nil}, {apptest.Anonymous, 401, nil},
		} {
			t.Run(string(test.caller), func(t *testing.T) {
				body := server.As(test.caller).REST(t, http.MethodGet, "/orgs/"+server.OrganizationID+"/search?query=needle", nil).Object(t, test.status)
				if test.status != 200 {
					return
				}
				found := []string{}
				for _, item := range body["items"].([]any) {
					found = append(found, item.(map[string]any)["id"].(string))
				}
				assert.Equal(t, test.spaces, found)
				assert.EqualValues(t, len(test.spaces), body["count"])
			})
		}
		for caller, status := range map[apptest.Caller]int{apptest.Reader: 404, apptest.Guest: 200, apptest.Stranger: 404, apptest.Anonymous: 401} {
			assert.Equal(t, status, server.As(caller).REST(t, http.MethodGet, "/spaces/"+closed+"/search?query=needle", nil).Status, "%s", caller)
		}
		// An administrator of one organization searches that one alone.
		body := server.As(apptest.Stranger).REST(t, http.MethodGet, "/orgs/"+server.OtherOrganizationID+"/search?query=needle", nil).Object(t, 200)
		require.Len(t, body["items"], 1)
		assert.Equal(t, foreign, body["items"].([]any)[0].(map[string]any)["id"])
	})
}

func TestCopiesOfAPageAreToldApart(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		id := newSpace(t, server, server.OrganizationID, apptest.Admin, "Guide", library...)
		ctx := server.Context(t, apptest.Admin)
		copied, err := server.App.Spaces.Duplicate(ctx, id)
		require.NoError(t, err)
		found, err := server.App.SearchIndex.Organization(ctx, server.OrganizationID, "needle", pagination.Arguments{})
		require.NoError(t, err)
		require.Len(t, found.Items, 2)
		for index, space := range []string{id, copied.ID} {
			assert.Equal(t, space, found.Items[index].ID)
			require.Len(t, found.Items[index].Pages, 1)
			assert.Equal(t, space, found.Items[index].Pages[0].SpaceID)
			require.Len(t, found.Items[index].Pages[0].Sections, 1)
		}
	})
}

func insert(title, markdown string) edit.Change {
	return edit.InsertPage{
		InsertPage: content.InsertPage{Metadata: content.PageMetadata{Title: content.Set(title)}}, Text: edit.Text{Markdown: &markdown},
	}
}

func change(update content.UpdatePage) edit.Change { return edit.UpdatePage{UpdatePage: update} }

// TestIndexFollowsContent checks after every change what is found, and that
// the index is the one that is made from nothing.
func TestIndexFollowsContent(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		id := newSpace(t, server, server.OrganizationID, apptest.Admin, "Guide", library...)
		ctx := server.Context(t, apptest.Admin)
		text := "Now about walruses.\n"
		for _, step := range []struct {
			name    string
			changes []edit.Change
			query   string
			paths   []string
		}{
			{"Insert", []edit.Change{insert("Animals", "A zebra.\n")}, "zebra", []string{"animals"}},
			{"Rename", []edit.Change{change(content.UpdatePage{Page: "pag_start", Metadata: content.PageMetadata{Title: content.Set("Beginning")}})}, "beginning", []string{"start"}},
			{"OldTitleIsGone", []edit.Change{change(content.UpdatePage{Page: "pag_cafe", Metadata: content.PageMetadata{Title: content.Set("Bar")}})}, "cafe", []string{}},
			{"MovePath", []edit.Change{change(content.UpdatePage{Page: "pag_start", Metadata: content.PageMetadata{Slug: content.Set("begin")}})}, "max_connections", []string{"begin/limits/raise"}},
			{"MoveBelow", []edit.Change{change(content.UpdatePage{Page: "pag_start/limits", Into: content.Set("pag_html")})}, "max_connections", []string{"html/limits/raise"}},
			{"Reorder", []edit.Change{change(content.UpdatePage{Page: "pag_limits", At: new(0)})}, "limits", []string{"limits", "html/limits"}},
			{"Rewrite", []edit.Change{edit.UpdatePage{UpdatePage: content.UpdatePage{Page: "pag_twin-a"}, Text: edit.Text{Markdown: &text}}}, "walrus", []string{"twin-a"}},
			{"OldTextIsGone", []edit.Change{insert("Other", "x\n")}, "alpha", []string{}},
			{"Delete", []edit.Change{edit.DeletePage{DeletePage: content.DeletePage{Page: "pag_html"}}}, "max_connections", []string{}},
			{"Group", []edit.Change{edit.InsertPage{InsertPage: content.InsertPage{Type: content.PageGroup, Metadata: content.PageMetadata{Title: content.Set("Groupings")}}}}, "groupings", []string{}},
		} {
			t.Run(step.name, func(t *testing.T) {
				_, _, err := server.App.Spaces.EditContent(ctx, id, step.changes, nil)
				require.NoError(t, err)
				found, err := server.App.SearchIndex.Space(ctx, id, step.query, pagination.Arguments{})
				require.NoError(t, err)
				assert.Equal(t, step.paths, paths(found))
				kept := contents(t, ctx, server)
				require.NoError(t, server.App.SearchIndex.Rebuild(ctx, id))
				assert.Equal(t, kept, contents(t, ctx, server))
			})
		}
	})
}

// contents are all rows of the index without the ids that the database gave.
func contents(t *testing.T, ctx context.Context, server *apptest.Server) []string {
	t.Helper()
	rows, err := server.App.Database.Client(ctx).QueryContext(ctx, `SELECT p.space_id || '|' || p.page_id || '|' || p.title || '|' || p.path || '|' || p.ancestors || '|' ||
		COALESCE(s.anchor || '|' || s.heading || '|' || s.body || '|' || s.scope || '|' || s.title_words || '|' || s.heading_words || '|' || s.body_words, 'no sections')
		FROM search_pages p LEFT JOIN search_sections s ON s.page = p.id ORDER BY p.space_id, p.page_id, s.position`)
	require.NoError(t, err)
	defer rows.Close()
	var found []string
	for rows.Next() {
		var row string
		require.NoError(t, rows.Scan(&row))
		found = append(found, row)
	}
	require.NoError(t, rows.Err())
	return found
}

func TestAncestorsFollowTheirTitles(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		id := newSpace(t, server, server.OrganizationID, apptest.Admin, "Guide", library...)
		ctx := server.Context(t, apptest.Admin)
		_, _, err := server.App.Spaces.EditContent(ctx, id, []edit.Change{
			change(content.UpdatePage{Page: "pag_start", Metadata: content.PageMetadata{Title: content.Set("First")}}),
		}, nil)
		require.NoError(t, err)
		found, err := server.App.SearchIndex.Space(ctx, id, "max_connections", pagination.Arguments{})
		require.NoError(t, err)
		require.Len(t, found.Items, 1)
		assert.Equal(t, []search.Ancestor{{Title: "First"}, {Title: "Rate limits"}}, found.Items[0].Ancestors)
	})
}

func TestRefusedChangeLeavesTheIndex(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		id := newSpace(t, server, server.OrganizationID, apptest.Admin, "Guide", library...)
		ctx := server.Context(t, apptest.Admin)
		kept := contents(t, ctx, server)
		err := server.App.Database.Write(ctx, func(ctx context.Context) error {
			_, _, err := server.App.Spaces.EditContent(ctx, id, []edit.Change{insert("Lost", "Lost.\n")}, nil)
			require.NoError(t, err)
			// The writer reads what it wrote.
			found, err := server.App.SearchIndex.Space(ctx, id, "lost", pagination.Arguments{})
			require.NoError(t, err)
			assert.Equal(t, []string{"lost"}, paths(found))
			return context.Canceled
		})
		require.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, kept, contents(t, ctx, server))
	})
}

func TestEditWritesThePagesThatDiffer(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		pages := make([]page, 300)
		for index := range pages {
			pages[index] = page{fmt.Sprintf("p%03d", index), fmt.Sprintf("Page %d", index), fmt.Sprintf("Text %d.\n\n## More\n\nOf it.\n", index), false}
		}
		id := newSpace(t, server, server.OrganizationID, apptest.Admin, "Guide", pages...)
		ctx := server.Context(t, apptest.Admin)
		ids := func() map[string]int64 {
			rows, err := server.App.Database.Client(ctx).QueryContext(ctx, `SELECT p.page_id, MIN(s.id) FROM search_pages p JOIN search_sections s ON s.page = p.id GROUP BY p.page_id`)
			require.NoError(t, err)
			defer rows.Close()
			found := map[string]int64{}
			for rows.Next() {
				var page string
				var section int64
				require.NoError(t, rows.Scan(&page, &section))
				found[page] = section
			}
			require.NoError(t, rows.Err())
			return found
		}
		before := ids()
		require.Len(t, before, 300)
		text := "Other.\n"
		_, _, err := server.App.Spaces.EditContent(ctx, id, []edit.Change{edit.UpdatePage{UpdatePage: content.UpdatePage{Page: "pag_p007"}, Text: edit.Text{Markdown: &text}}}, nil)
		require.NoError(t, err)
		after := ids()
		assert.NotEqual(t, before["pag_p007"], after["pag_p007"])
		delete(before, "pag_p007")
		delete(after, "pag_p007")
		assert.Equal(t, before, after)
	})
}

func TestPurgeAndTransferTakeTheIndexAlong(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		id := newSpace(t, server, server.OrganizationID, apptest.Admin, "Guide", library...)
		ctx := access.System(t.Context(), "test")
		admin := server.As(apptest.Admin)
		require.NoError(t, server.App.Database.Client(ctx).Member.Create().SetOrganizationID(server.OtherOrganizationID).
			SetUserID(admin.UserID).SetRole(access.Admin).Exec(ctx))
		require.Equal(t, 200, admin.REST(t, http.MethodPost, "/spaces/"+id+"/transfer", map[string]any{"organization": server.OtherOrganizationID}).Status)
		search := func(caller apptest.Caller, organizationID string) any {
			return server.As(caller).REST(t, http.MethodGet, "/orgs/"+organizationID+"/search?query=needle", nil).Object(t, 200)["count"]
		}
		assert.EqualValues(t, 0, search(apptest.Admin, server.OrganizationID))
		assert.EqualValues(t, 1, search(apptest.Stranger, server.OtherOrganizationID))
		moved := contents(t, ctx, server)
		require.NoError(t, server.App.SearchIndex.Rebuild(ctx, id))
		assert.Equal(t, contents(t, ctx, server), moved)

		require.Equal(t, 205, admin.REST(t, http.MethodDelete, "/spaces/"+id, nil).Status)
		assert.EqualValues(t, 0, search(apptest.Stranger, server.OtherOrganizationID))
		_, err := server.App.Spaces.Purge(ctx, time.Now().Add(space.Retention))
		require.NoError(t, err)
		assert.Empty(t, contents(t, ctx, server))
		if server.App.Database.Dialect == "sqlite3" {
			_, err := server.App.Database.Client(ctx).ExecContext(ctx, `INSERT INTO search_words (search_words, rank) VALUES ('integrity-check', 1)`)
			require.NoError(t, err, "the words went with the sections")
		}
	})
}

func TestListsCostAConstantNumberOfStatements(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := server.Context(t, apptest.Reader)
		measure := func() (inSpace, inOrganization int64) {
			spaces, err := server.App.Spaces.InOrganization(ctx, server.OrganizationID, pagination.Arguments{})
			require.NoError(t, err)
			var first, second atomic.Int64
			_, err = server.App.SearchIndex.Space(database.CountStatements(ctx, &first), spaces.Items[0].ID, "the", pagination.Arguments{})
			require.NoError(t, err)
			found, err := server.App.SearchIndex.Organization(database.CountStatements(ctx, &second), server.OrganizationID, "the", pagination.Arguments{})
			require.NoError(t, err)
			require.Len(t, found.Items, len(spaces.Items))
			return first.Load(), second.Load()
		}
		newSpace(t, server, server.OrganizationID, apptest.Admin, "Guide", library...)
		inSpace, inOrganization := measure()
		assert.EqualValues(t, 2, inSpace)
		assert.EqualValues(t, 2, inOrganization)
		for range 4 {
			newSpace(t, server, server.OrganizationID, apptest.Admin, "Guide", library...)
		}
		inSpace, inOrganization = measure()
		assert.EqualValues(t, 2, inSpace)
		assert.EqualValues(t, 2, inOrganization)
	})
}

func TestPagesOfResults(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		pages := make([]page, 7)
		for index := range pages {
			pages[index] = page{fmt.Sprintf("p%d", index), "Needle", "Text.\n", false}
		}
		id := newSpace(t, server, server.OrganizationID, apptest.Admin, "Guide", pages...)
		ctx := server.Context(t, apptest.Reader)
		find := func(arguments pagination.Arguments) pagination.Page[*search.PageHit] {
			found, err := server.App.SearchIndex.Space(ctx, id, "needle", arguments)
			require.NoError(t, err)
			return found
		}
		first := find(pagination.Arguments{First: new(3)})
		assert.Equal(t, []string{"p0", "p1", "p2"}, paths(first))
		assert.True(t, first.Info.HasNextPage)
		assert.False(t, first.Info.HasPreviousPage)
		second := find(pagination.Arguments{First: new(3), After: first.Info.EndCursor})
		assert.Equal(t, []string{"p3", "p4", "p5"}, paths(second))
		assert.True(t, second.Info.HasPreviousPage)
		last := find(pagination.Arguments{First: new(3), After: second.Info.EndCursor})
		assert.Equal(t, []string{"p6"}, paths(last))
		assert.False(t, last.Info.HasNextPage)
		assert.Equal(t, []string{"p5", "p6"}, paths(find(pagination.Arguments{Last: new(2)})))
		assert.Equal(t, []string{"p4", "p5"}, paths(find(pagination.Arguments{Last: new(2), Before: last.Info.StartCursor})))
		assert.Empty(t, find(pagination.Arguments{First: new(0)}).Items)

		_, err := server.App.SearchIndex.Space(ctx, id, "text", pagination.Arguments{After: first.Info.EndCursor})
		assert.EqualError(t, err, "after: the cursor belongs to another list or order")
		_, err = server.App.SearchIndex.Organization(ctx, server.OrganizationID, "needle", pagination.Arguments{After: first.Info.EndCursor})
		assert.EqualError(t, err, "after: the cursor belongs to another list or order")
	})
}

func TestSpacesComeInTheOrderOfTheirBestPages(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		many := make([]page, search.PagesPerSpace+3)
		for index := range many {
			many[index] = page{fmt.Sprintf("p%02d", index), "Other", "A needle.\n", false}
		}
		text := newSpace(t, server, server.OrganizationID, apptest.Admin, "Text", many...)
		heading := newSpace(t, server, server.OrganizationID, apptest.Admin, "Heading", page{"a", "Other", "## Needle\n", false})
		title := newSpace(t, server, server.OrganizationID, apptest.Admin, "Title", page{"z", "Needle", "", false}, page{"y", "Needles", "", false})
		ctx := server.Context(t, apptest.Reader)
		var found []string
		var pages []int
		var after *string
		for range 3 {
			hits, err := server.App.SearchIndex.Organization(ctx, server.OrganizationID, "needle", pagination.Arguments{First: new(1), After: after})
			require.NoError(t, err)
			require.Len(t, hits.Items, 1)
			found, pages = append(found, hits.Items[0].ID), append(pages, len(hits.Items[0].Pages))
			assert.Equal(t, len(found) < 3, hits.Info.HasNextPage)
			after = hits.Info.EndCursor
		}
		assert.Equal(t, []string{title, heading, text}, found)
		assert.Equal(t, []int{2, 1, search.PagesPerSpace}, pages)
	})
}
