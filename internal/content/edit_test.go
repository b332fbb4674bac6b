package content

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/fault"
	"octavo/internal/identifier"
)

// guide returns the tree that the tests below edit.
func guide(t testing.TB) *builder {
	return newBuilder(t).
		page("home", "", "# Home\n\nSee [Install](guides/install.md).\n").
		page("guides", "", "# Guides\n").
		page("install", "guides", "---\ndescription: How to install\ntags: [a, b] # kept\n---\n\n# Install\n\nRun it.\n").
		page("upgrade", "guides", "# Upgrade\n").
		add(&Page{ID: "more", Type: PageGroup, Title: "More", Slug: "more"}).
		page("faq", "more", "# FAQ\n").
		add(&Page{ID: "site", Parent: "more", Type: PageLink, Title: "Site", Target: map[string]any{"kind": "url", "url": "https://example.org"}})
}

func TestInsertPage(t *testing.T) {
	t.Parallel()
	before := guide(t)
	tree, bodies, applied, err := Apply(before.tree, before.bodies, []Operation{
		InsertPage{Ref: "intro", Into: "guides", At: ptr(0), Markdown: ptr("---\nicon: bolt\n---\n\n# Getting Started!\n\nText.\n"),
			Metadata: PageMetadata{Title: Set("Ignored"), Icon: Set("ignored"), Description: Set("Kept"), Hidden: Set(true)}},
		InsertPage{Into: "intro", Metadata: PageMetadata{Title: Set("Child")}},
		InsertPage{Into: "guides", Markdown: ptr("no title\n"), Metadata: PageMetadata{Slug: Set("bare")}},
		InsertPage{Type: PageGroup, At: ptr(0), Metadata: PageMetadata{Title: Set("Reference")}},
		InsertPage{Type: PageLink, Into: "more", Metadata: PageMetadata{Title: Set("Source"), Target: Set(map[string]any{"kind": "url", "url": "https://example.org/git"})}},
	}, ApplyOptions{Now: testTime.Add(time.Hour + 77)})
	require.NoError(t, err)
	requireValid(t, tree, bodies)
	require.Len(t, applied, 5)
	ids := map[string]string{}
	for position, name := range []string{"intro", "child", "bare", "group", "link"} {
		require.Len(t, applied[position].Inserted, 1)
		assert.Equal(t, position, applied[position].Index)
		id := applied[position].Inserted[0]
		prefix, ok := identifier.Split(id)
		assert.True(t, ok)
		assert.Equal(t, identifier.Page, prefix)
		ids[id] = name
	}
	assert.Equal(t, "intro", applied[0].Ref)
	shape := outline(tree)
	for id, name := range ids {
		shape = strings.ReplaceAll(shape, id, name)
	}
	assert.Equal(t, "group\nhome\nguides\n intro\n  child\n install\n upgrade\n bare\nmore\n faq\n site\n link\n", shape)

	intro := tree.Page(applied[0].Inserted[0])
	assert.Equal(t, "Getting Started!", intro.Title)
	assert.Equal(t, "getting-started", intro.Slug)
	assert.Equal(t, "bolt", intro.Icon, "what the source states prevails")
	assert.Equal(t, "Kept", intro.Description)
	assert.True(t, intro.Hidden)
	assert.Equal(t, testTime.Add(time.Hour), intro.CreatedAt)
	assert.Equal(t, "---\nicon: bolt\ndescription: Kept\nhidden: true\n---\n\n# Getting Started!\n\nText.\n", bodyOf(t, tree, bodies, intro.ID))
	assert.Equal(t, "# Child\n", bodyOf(t, tree, bodies, applied[1].Inserted[0]))
	bare := tree.Page(applied[2].Inserted[0])
	assert.Equal(t, untitled, bare.Title)
	assert.Equal(t, "bare", bare.Slug)
	assert.Equal(t, "no title\n", bodyOf(t, tree, bodies, bare.ID))
	assert.Empty(t, tree.Page(applied[3].Inserted[0]).Body)
	assert.Empty(t, tree.Page(applied[4].Inserted[0]).Slug)
	assert.Equal(t, guide(t).tree, before.tree, "the base is as it was")
}

func TestUpdatePage(t *testing.T) {
	t.Parallel()
	const old = "---\ndescription: How to install\ntags: [a, b] # kept\n---\n\n# Install\n\nRun it.\n"
	rows := []struct {
		name   string
		page   string
		update UpdatePage
		body   string
		check  func(t *testing.T, page *Page)
	}{
		{"title", "install", UpdatePage{Metadata: PageMetadata{Title: Set("Set up")}},
			strings.ReplaceAll(old, "# Install", "# Set up"),
			func(t *testing.T, page *Page) {
				assert.Equal(t, "Set up", page.Title)
				assert.Equal(t, "install", page.Slug, "a title leaves the slug alone")
			}},
		{"slug", "install", UpdatePage{Metadata: PageMetadata{Slug: Set("set-up")}}, old,
			func(t *testing.T, page *Page) { assert.Equal(t, "set-up", page.Slug) }},
		{"description", "install", UpdatePage{Metadata: PageMetadata{Description: Set("Short")}},
			strings.ReplaceAll(old, "How to install", "Short"),
			func(t *testing.T, page *Page) { assert.Equal(t, "Short", page.Description) }},
		{"removed description", "install", UpdatePage{Metadata: PageMetadata{Description: Remove[string]()}},
			strings.ReplaceAll(old, "description: How to install\n", ""),
			func(t *testing.T, page *Page) { assert.Empty(t, page.Description) }},
		{"everything else", "upgrade", UpdatePage{Metadata: PageMetadata{
			Emoji: Set("1f4d8"), Icon: Set("gear"), Hidden: Set(true), NoIndex: Set(true), NoRobots: Set(true),
			Condition: Set("visitor.claims.beta"), Variables: Set(map[string]any{"version": "1"}),
			Layout: Set(Layout{Width: "wide", CoverSize: "full", Title: true}),
			Cover:  Set(Cover{Ref: map[string]any{"kind": "url", "url": "https://example.org/c.png"}, YPos: -3}),
		}}, "", func(t *testing.T, page *Page) {
			assert.Equal(t, &Layout{Width: "wide", CoverSize: "full", Title: true}, page.Layout)
			assert.Equal(t, map[string]any{"version": "1"}, page.Variables)
		}},
		{"text", "install", UpdatePage{Markdown: ptr("# Install\n\nNew.\n")},
			"---\ndescription: How to install\ntags: [a, b] # kept\n---\n# Install\n\nNew.\n",
			func(t *testing.T, page *Page) {
				assert.Equal(t, "How to install", page.Description, "without front matter the metadata stays")
				assert.Equal(t, testTime.Add(time.Hour), page.UpdatedAt)
			}},
		{"text as it is read", "install", UpdatePage{Markdown: ptr("New.\n\n# Then\n")},
			"---\ndescription: How to install\ntags: [a, b] # kept\n---\n\n# Install\n\nNew.\n\n# Then\n",
			func(t *testing.T, page *Page) { assert.Equal(t, "Install", page.Title) }},
		{"text below another title", "install", UpdatePage{Markdown: ptr("# Set up\n\nNew.\n")},
			"---\ndescription: How to install\ntags: [a, b] # kept\n---\n# Set up\n\nNew.\n",
			func(t *testing.T, page *Page) { assert.Equal(t, "Set up", page.Title) }},
		{"text with front matter", "install", UpdatePage{Markdown: ptr("---\nicon: gear\n---\n# Other\n"), Metadata: PageMetadata{Icon: Set("bolt"), Emoji: Set("x")}},
			"---\nicon: gear\nemoji: x\n---\n# Other\n",
			func(t *testing.T, page *Page) {
				assert.Equal(t, "gear", page.Icon)
				assert.Equal(t, "x", page.Emoji)
				assert.Empty(t, page.Description, "front matter states the metadata anew")
				assert.Equal(t, "Other", page.Title)
			}},
		{"group", "more", UpdatePage{Metadata: PageMetadata{Title: Set("Even more"), Slug: Set("even-more")}}, "",
			func(t *testing.T, page *Page) { assert.Equal(t, "Even more", page.Title) }},
		{"link", "site", UpdatePage{Metadata: PageMetadata{Target: Set(map[string]any{"kind": "page", "page": "faq"})}}, "",
			func(t *testing.T, page *Page) { assert.Equal(t, "faq", page.Target["page"]) }},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			before := guide(t)
			row.update.Page = row.page
			tree, bodies, applied, err := Apply(before.tree, before.bodies, []Operation{row.update}, ApplyOptions{Now: testTime.Add(time.Hour)})
			require.NoError(t, err)
			requireValid(t, tree, bodies)
			assert.Equal(t, []AppliedOperation{{Updated: []string{row.page}}}, applied)
			page := tree.Page(row.page)
			row.check(t, page)
			if row.body != "" {
				assert.Equal(t, row.body, bodyOf(t, tree, bodies, row.page))
			}
			if page.Type != PageDocument {
				return
			}
			source, err := bodies.Body(page.Body)
			require.NoError(t, err)
			stated, _, err := readMetadata(page, source, fileNames{})
			require.NoError(t, err)
			assert.True(t, equalMetadata(page, stated), "the source states what the page says")
		})
	}
}

func TestATitleBesideTheHeadingStays(t *testing.T) {
	t.Parallel()
	base := guide(t)
	base.change("install", func(page *Page) { page.Title = "Short name" })
	changed := base.branch().apply(UpdatePage{Page: "install", Markdown: ptr("# Install\n\nNew.\n")})
	assert.Equal(t, "Short name", changed.tree.Page("install").Title, "the heading has not changed")
	changed = base.branch().apply(UpdatePage{Page: "install", Markdown: ptr("# Set up\n\nNew.\n")})
	assert.Equal(t, "Set up", changed.tree.Page("install").Title)
	changed = base.branch().apply(UpdatePage{Page: "install", Metadata: PageMetadata{Title: Set("Shorter")}})
	assert.Contains(t, changed.body("install"), "# Install\n")
}

func TestMovePages(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name    string
		update  UpdatePage
		outline string
	}{
		{"into", UpdatePage{Page: "home", Into: Set("guides")}, "guides\n install\n upgrade\n home\nmore\n faq\n site\n"},
		{"into at", UpdatePage{Page: "home", Into: Set("guides"), At: ptr(1)}, "guides\n install\n home\n upgrade\nmore\n faq\n site\n"},
		{"to the root", UpdatePage{Page: "install", Into: Remove[string](), At: ptr(0)}, "install\nhome\nguides\n upgrade\nmore\n faq\n site\n"},
		{"with what is below", UpdatePage{Page: "guides", Into: Set("more"), At: ptr(0)}, "home\nmore\n guides\n  install\n  upgrade\n faq\n site\n"},
		{"down", UpdatePage{Page: "home", At: ptr(2)}, "guides\n install\n upgrade\nmore\n faq\n site\nhome\n"},
		{"up", UpdatePage{Page: "more", At: ptr(0)}, "more\n faq\n site\nhome\nguides\n install\n upgrade\n"},
		{"below another below it", UpdatePage{Page: "upgrade", Into: Set("install")}, "home\nguides\n install\n  upgrade\nmore\n faq\n site\n"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			before := guide(t)
			after := before.branch().apply(row.update)
			requireValid(t, after.tree, after.bodies)
			assert.Equal(t, row.outline, outline(after.tree))
			changes := Diff(before.tree, after.tree)
			require.Len(t, changes, 1)
			assert.Equal(t, PageMoved, changes[0].Kind)
		})
	}
	t.Run("a slug that is taken there gets an ending", func(t *testing.T) {
		t.Parallel()
		base := guide(t).page("other", "", "text\n")
		base.change("other", func(page *Page) { page.Slug = "install" })
		after := base.branch().apply(UpdatePage{Page: "other", Into: Set("guides")})
		assert.Equal(t, "install-1", after.tree.Page("other").Slug)
		requireValid(t, after.tree, after.bodies)
	})
}

func TestDeletePageTakesWhatIsBelow(t *testing.T) {
	t.Parallel()
	base := guide(t)
	tree, _, applied, err := Apply(base.tree, base.bodies, []Operation{DeletePage{Page: "guides"}}, ApplyOptions{})
	require.NoError(t, err)
	assert.Equal(t, "home\nmore\n faq\n site\n", outline(tree))
	assert.Equal(t, []string{"guides", "install", "upgrade"}, applied[0].Deleted)
}

func TestRevertPage(t *testing.T) {
	t.Parallel()
	source := guide(t)
	rows := []struct {
		name   string
		edit   []Operation
		revert string
		equal  bool
		shape  string
	}{
		{"text and metadata", []Operation{UpdatePage{Page: "install", Markdown: ptr("# X\n"), Metadata: PageMetadata{Slug: Set("x")}}}, "install", true, ""},
		{"place", []Operation{UpdatePage{Page: "install", Into: Set("faq")}}, "install", true, ""},
		{"deleted", []Operation{DeletePage{Page: "install"}}, "install", true, ""},
		{"deleted with others", []Operation{DeletePage{Page: "guides"}}, "guides", false, "home\nguides\nmore\n faq\n site\n"},
		{"deleted below a page that is gone", []Operation{DeletePage{Page: "guides"}}, "upgrade", false, "home\nupgrade\nmore\n faq\n site\n"},
		{"slug that is taken", []Operation{UpdatePage{Page: "install", Metadata: PageMetadata{Slug: Set("x")}}, UpdatePage{Page: "upgrade", Metadata: PageMetadata{Slug: Set("install")}}}, "install", false, outline(source.tree)},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			edited := source.branch().apply(row.edit...)
			tree, bodies, _, err := Apply(edited.tree, edited.bodies, []Operation{RevertPage{Page: row.revert}}, ApplyOptions{Now: testTime, RevertSource: source.tree})
			require.NoError(t, err)
			requireValid(t, tree, bodies)
			tree.Redirects = nil // where the page was meanwhile
			assert.Equal(t, row.equal, equalTrees(source.tree, tree))
			if row.shape != "" {
				assert.Equal(t, row.shape, outline(tree))
			}
		})
	}
	t.Run("added", func(t *testing.T) {
		t.Parallel()
		edited := source.branch().page("new", "guides", "# New\n").page("below", "new", "# Below\n")
		tree, _, applied, err := Apply(edited.tree, edited.bodies, []Operation{RevertPage{Page: "new", Source: source.tree}}, ApplyOptions{})
		require.NoError(t, err)
		assert.True(t, equalTrees(source.tree, tree))
		assert.Equal(t, []string{"new", "below"}, applied[0].Deleted)
	})
	t.Run("below a page that has become a link", func(t *testing.T) {
		t.Parallel()
		edited := source.branch().apply(DeletePage{Page: "install"}, DeletePage{Page: "upgrade"})
		edited.change("guides", func(page *Page) { page.Type = PageLink })
		tree, bodies, _, err := Apply(edited.tree, edited.bodies, []Operation{RevertPage{Page: "install"}}, ApplyOptions{RevertSource: source.tree})
		require.NoError(t, err)
		requireValid(t, tree, bodies)
		assert.Empty(t, tree.Page("install").Parent)
	})
	t.Run("below itself", func(t *testing.T) {
		t.Parallel()
		edited := source.branch().apply(UpdatePage{Page: "install", Into: Remove[string]()}, UpdatePage{Page: "guides", Into: Set("install")})
		_, _, _, err := Apply(edited.tree, edited.bodies, []Operation{RevertPage{Page: "install"}}, ApplyOptions{RevertSource: source.tree})
		requireFault(t, err, fault.InvalidPosition, "changes.0.page")
	})
}

func TestRefsLeadToWhatTheyName(t *testing.T) {
	t.Parallel()
	base := guide(t)
	image := NewFile{Ref: "plan.png", Name: "Plan.png", ContentType: "image/png", Size: 3, Content: HashOf([]byte("png")), Width: 4, Height: 5}
	tree, bodies, applied, err := Apply(base.tree, base.bodies, []Operation{
		UpdatePage{Page: "home", Markdown: ptr("---\ncover: ./plan.png\n---\n# Home\n\n[Intro](./intro.md#first) ![](./plan.png) [other](./other.md) `./intro.md`\n")},
		InsertPage{Ref: "intro", Markdown: ptr("# Intro\n\n[self](./intro.md)\n")},
		InsertFiles{Files: []NewFile{image, {Name: "data.csv", ContentType: "text/csv; charset=utf-8", Content: HashOf(nil)}}},
		UpdatePage{Page: "intro", Into: Set("guides")},
	}, ApplyOptions{Now: testTime})
	require.NoError(t, err)
	requireValid(t, tree, bodies)
	require.Len(t, applied, 4)
	intro, file := applied[1].Inserted[0], applied[2].Files[0]
	assert.Equal(t, "---\ncover: /files/"+file+"\n---\n# Home\n\n[Intro](/pages/"+intro+"#first) ![](/files/"+file+") [other](./other.md) `./intro.md`\n",
		bodyOf(t, tree, bodies, "home"))
	assert.Equal(t, "# Intro\n\n[self](/pages/"+intro+")\n", bodyOf(t, tree, bodies, intro))
	assert.Equal(t, map[string]any{"kind": "file", "file": file}, tree.Page("home").Cover.Ref)
	assert.Equal(t, "guides", tree.Page(intro).Parent)
	assert.Equal(t, &File{ID: file, Name: "Plan.png", ContentType: "image/png", Size: 3, Content: image.Content, Width: 4, Height: 5, CreatedAt: testTime}, tree.File(file))
	assert.Len(t, tree.Files, 2)
}

func TestOnlyWhatChangesIsApplied(t *testing.T) {
	t.Parallel()
	base := guide(t)
	same := []Operation{
		UpdatePage{Page: "install"},
		UpdatePage{Page: "install", Metadata: PageMetadata{Title: Set("Install"), Description: Set("How to install"), Icon: Remove[string]()}},
		UpdatePage{Page: "install", Into: Set("guides")},
		UpdatePage{Page: "install", At: ptr(0)},
		UpdatePage{Page: "install", Markdown: ptr(base.body("install"))},
		RevertPage{Page: "install", Source: base.tree},
	}
	for _, operation := range same {
		_, _, _, err := Apply(base.tree, base.bodies, []Operation{operation}, ApplyOptions{Now: testTime})
		assert.Equal(t, fault.NoChange, fault.CodeOf(err), "%+v", operation)
	}
	_, _, applied, err := Apply(base.tree, base.bodies, append(same, DeletePage{Page: "faq"}), ApplyOptions{})
	require.NoError(t, err)
	assert.Equal(t, []AppliedOperation{{Index: len(same), Deleted: []string{"faq"}}}, applied)

	_, _, _, err = Apply(base.tree, base.bodies, []Operation{InsertPage{Ref: "x"}, DeletePage{Page: "x"}}, ApplyOptions{})
	assert.Equal(t, fault.NoChange, fault.CodeOf(err), "what comes and goes is no change")
	_, _, _, err = Apply(base.tree, base.bodies, []Operation{
		UpdatePage{Page: "install", Metadata: PageMetadata{Title: Set("X")}}, UpdatePage{Page: "install", Metadata: PageMetadata{Title: Set("Install")}},
	}, ApplyOptions{Now: testTime.Add(time.Hour)})
	assert.Equal(t, fault.NoChange, fault.CodeOf(err), "the time alone is no change")
}

func TestOnlyBodiesOfTheResultAreKept(t *testing.T) {
	t.Parallel()
	base := guide(t)
	tree, added, _, err := Apply(base.tree, base.bodies, []Operation{
		UpdatePage{Page: "home", Markdown: ptr("# One\n")},
		UpdatePage{Page: "home", Markdown: ptr("# Two\n")},
	}, ApplyOptions{})
	require.NoError(t, err)
	assert.Equal(t, map[Hash][]byte{tree.Page("home").Body: []byte("# Two\n")}, added.Added())
}

func TestInvalidBatches(t *testing.T) {
	t.Parallel()
	text := func(length int) string { return strings.Repeat("x", length) }
	metadata := func(set PageMetadata) Operation { return UpdatePage{Page: "install", Metadata: set} }
	many := make([]Operation, OperationLimit+1)
	for position := range many {
		many[position] = InsertPage{}
	}
	file := NewFile{Name: "a.png", ContentType: "image/png", Content: HashOf(nil)}
	with := func(change func(file *NewFile)) Operation {
		changed := file
		change(&changed)
		return InsertFiles{Files: []NewFile{file, changed}}
	}
	rows := []struct {
		name       string
		operations []Operation
		code       fault.Code
		field      string
	}{
		{"nothing", nil, fault.BadUserInput, "changes"},
		{"too many", many, fault.LimitExceeded, "changes"},
		{"missing operation", []Operation{nil}, fault.BadUserInput, "changes.0.operation"},
		{"no page", []Operation{UpdatePage{}}, fault.BadUserInput, "changes.0.page"},
		{"unknown page", []Operation{DeletePage{Page: "faq"}, UpdatePage{Page: "faq"}}, fault.BadUserInput, "changes.1.page"},
		{"unknown page to delete", []Operation{DeletePage{Page: "x"}}, fault.BadUserInput, "changes.0.page"},
		{"unknown page to revert", []Operation{RevertPage{Page: "x", Source: &Tree{}}}, fault.BadUserInput, "changes.0.page"},
		{"nothing to revert to", []Operation{RevertPage{Page: "faq"}}, fault.BadUserInput, "changes.0.revision"},
		{"unknown parent", []Operation{InsertPage{Into: "x"}}, fault.BadUserInput, "changes.0.into"},
		{"ref that comes later", []Operation{InsertPage{Into: "x"}, InsertPage{Ref: "x"}}, fault.BadUserInput, "changes.0.into"},
		{"below itself", []Operation{UpdatePage{Page: "guides", Into: Set("guides")}}, fault.InvalidPosition, "changes.0.into"},
		{"below its child", []Operation{UpdatePage{Page: "guides", Into: Set("install")}}, fault.InvalidPosition, "changes.0.into"},
		{"below a link", []Operation{InsertPage{Into: "site"}}, fault.InvalidPosition, "changes.0.into"},
		{"group below a page", []Operation{InsertPage{Type: PageGroup, Into: "guides", Metadata: PageMetadata{Title: Set("G")}}}, fault.InvalidPosition, "changes.0.into"},
		{"group moved below a page", []Operation{UpdatePage{Page: "more", Into: Set("guides")}}, fault.InvalidPosition, "changes.0.into"},
		{"negative index", []Operation{InsertPage{At: ptr(-1)}}, fault.InvalidPosition, "changes.0.at"},
		{"index beyond the end", []Operation{InsertPage{Into: "guides", At: ptr(3)}}, fault.InvalidPosition, "changes.0.at"},
		{"index beyond the siblings", []Operation{UpdatePage{Page: "install", At: ptr(2)}}, fault.InvalidPosition, "changes.0.at"},
		{"computed page", []Operation{InsertPage{Type: PageComputed}}, fault.BadUserInput, "changes.0.type"},
		{"group with a document", []Operation{InsertPage{Type: PageGroup, Markdown: ptr("x")}}, fault.BadUserInput, "changes.0.document"},
		{"document of a link", []Operation{UpdatePage{Page: "site", Markdown: ptr("x")}}, fault.BadUserInput, "changes.0.document"},
		{"group without a title", []Operation{InsertPage{Type: PageGroup}}, fault.BadUserInput, "changes.0.title"},
		{"link without a target", []Operation{InsertPage{Type: PageLink, Metadata: PageMetadata{Title: Set("L")}}}, fault.BadUserInput, "changes.0.target"},
		{"target of a document", []Operation{metadata(PageMetadata{Target: Set(map[string]any{"kind": "url", "url": "x"})})}, fault.BadUserInput, "changes.0.target"},
		{"target of an unknown kind", []Operation{UpdatePage{Page: "site", Metadata: PageMetadata{Target: Set(map[string]any{"kind": "x"})}}}, fault.BadUserInput, "changes.0.target"},
		{"target without a value", []Operation{UpdatePage{Page: "site", Metadata: PageMetadata{Target: Set(map[string]any{"kind": "page"})}}}, fault.BadUserInput, "changes.0.target"},
		{"large document", []Operation{UpdatePage{Page: "faq", Markdown: ptr(text(101))}}, fault.LimitExceeded, "changes.0.document"},
		{"document that grows too large", []Operation{InsertPage{Markdown: ptr(text(95)), Metadata: PageMetadata{Description: Set("long enough")}}}, fault.LimitExceeded, "changes.0.document"},
		{"invalid UTF-8", []Operation{UpdatePage{Page: "faq", Markdown: ptr("a\xff")}}, fault.BadUserInput, "changes.0.document"},
		{"NUL", []Operation{UpdatePage{Page: "faq", Markdown: ptr("a\x00")}}, fault.BadUserInput, "changes.0.document"},
		{"broken front matter", []Operation{UpdatePage{Page: "faq", Markdown: ptr("---\na: [\n---\n")}}, fault.BadUserInput, "changes.0.document"},
		{"front matter of another type", []Operation{UpdatePage{Page: "faq", Markdown: ptr("---\nhidden: maybe\n---\n")}}, fault.BadUserInput, "changes.0.document"},
		{"icon in the front matter", []Operation{UpdatePage{Page: "faq", Markdown: ptr("---\nicon: a b\n---\n")}}, fault.BadUserInput, "changes.0.icon"},
		{"removed title", []Operation{metadata(PageMetadata{Title: Remove[string]()})}, fault.BadUserInput, "changes.0.title"},
		{"empty title", []Operation{metadata(PageMetadata{Title: Set(" ")})}, fault.BadUserInput, "changes.0.title"},
		{"long title", []Operation{metadata(PageMetadata{Title: Set(text(TitleLimit + 1))})}, fault.BadUserInput, "changes.0.title"},
		{"title of two lines", []Operation{metadata(PageMetadata{Title: Set("a\nb")})}, fault.BadUserInput, "changes.0.title"},
		{"removed slug", []Operation{metadata(PageMetadata{Slug: Remove[string]()})}, fault.BadUserInput, "changes.0.slug"},
		{"slug with a slash", []Operation{metadata(PageMetadata{Slug: Set("a/b")})}, fault.BadUserInput, "changes.0.slug"},
		{"slug that goes up", []Operation{metadata(PageMetadata{Slug: Set("..")})}, fault.BadUserInput, "changes.0.slug"},
		{"long slug", []Operation{metadata(PageMetadata{Slug: Set(text(SlugLimit + 1))})}, fault.BadUserInput, "changes.0.slug"},
		{"slug that is taken", []Operation{metadata(PageMetadata{Slug: Set("upgrade")})}, fault.BadUserInput, "changes.0.slug"},
		{"slug that is taken at insertion", []Operation{InsertPage{Into: "guides", Metadata: PageMetadata{Slug: Set("upgrade")}}}, fault.BadUserInput, "changes.0.slug"},
		{"long emoji", []Operation{metadata(PageMetadata{Emoji: Set(text(EmojiLimit + 1))})}, fault.BadUserInput, "changes.0.emoji"},
		{"long description", []Operation{metadata(PageMetadata{Description: Set(text(DescriptionLimit + 1))})}, fault.BadUserInput, "changes.0.description"},
		{"long condition", []Operation{metadata(PageMetadata{Condition: Set(text(ConditionLimit + 1))})}, fault.BadUserInput, "changes.0.condition"},
		{"variable of another type", []Operation{metadata(PageMetadata{Variables: Set(map[string]any{"a": []any{}})})}, fault.BadUserInput, "changes.0.variables"},
		{"name of a variable", []Operation{metadata(PageMetadata{Variables: Set(map[string]any{"a b": "c"})})}, fault.BadUserInput, "changes.0.variables"},
		{"width", []Operation{metadata(PageMetadata{Layout: Set(Layout{Width: "x", CoverSize: "hero"})})}, fault.BadUserInput, "changes.0.layout"},
		{"cover without a reference", []Operation{metadata(PageMetadata{Cover: Set(Cover{})})}, fault.BadUserInput, "changes.0.cover"},
		{"height of a cover", []Operation{metadata(PageMetadata{Cover: Set(Cover{Ref: map[string]any{"kind": "file", "file": "f"}, Height: 701})})}, fault.BadUserInput, "changes.0.cover"},
		{"ref twice", []Operation{InsertPage{Ref: "a"}, InsertPage{Ref: "a"}}, fault.BadUserInput, "changes.1.ref"},
		{"ref of a page and a file", []Operation{InsertPage{Ref: "a"}, with(func(file *NewFile) { file.Ref = "a" })}, fault.BadUserInput, "changes.1.files.1.ref"},
		{"ref with a slash", []Operation{InsertPage{Ref: "a/b"}}, fault.BadUserInput, "changes.0.ref"},
		{"ref that is an id", []Operation{InsertPage{Ref: "faq"}}, fault.BadUserInput, "changes.0.ref"},
		{"no files", []Operation{InsertFiles{}}, fault.BadUserInput, "changes.0.files"},
		{"too many files", []Operation{InsertFiles{Files: make([]NewFile, FileLimit+1)}}, fault.LimitExceeded, "changes.0.files"},
		{"file without a name", []Operation{with(func(file *NewFile) { file.Name = "" })}, fault.BadUserInput, "changes.0.files.1.name"},
		{"file in a directory", []Operation{with(func(file *NewFile) { file.Name = "../a" })}, fault.BadUserInput, "changes.0.files.1.name"},
		{"media type", []Operation{with(func(file *NewFile) { file.ContentType = "image" + "/" })}, fault.BadUserInput, "changes.0.files.1.contentType"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			base := guide(t)
			tree, bodies, applied, err := Apply(base.tree, base.bodies, row.operations, ApplyOptions{Now: testTime, BodyLimit: 100})
			requireFault(t, err, row.code, row.field)
			assert.Nil(t, tree)
			assert.Nil(t, bodies)
			assert.Nil(t, applied)
			assert.Equal(t, guide(t).tree, base.tree, "nothing is half done")
		})
	}
	t.Run("file without content", func(t *testing.T) {
		t.Parallel()
		base := guide(t)
		_, _, _, err := Apply(base.tree, base.bodies, []Operation{with(func(file *NewFile) { file.Content = "" })}, ApplyOptions{})
		require.ErrorContains(t, err, "no hash")
		assert.Equal(t, fault.Internal, fault.CodeOf(err))
	})
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for title, slug := range map[string]string{
		"Getting Started!": "getting-started", "  What's new?  ": "whats-new", "Ünïcode & Co.": "unicode-co",
		"日本語 ガイド": "日本語-ガイド", "v1.2": "v1-2", "???": "page", strings.Repeat("ab ", 80): strings.TrimSuffix(strings.Repeat("ab-", 34)[:100], "-"),
	} {
		assert.Equal(t, slug, Slug(title))
		assert.Empty(t, checkSlug(Slug(title)))
	}
	long := strings.Repeat("x", SlugLimit)
	assert.Equal(t, long[:SlugLimit-2]+"-1", firstFreeSlug(long, map[string]bool{long: true}))
}

func TestTheTitleAboveATextIsKeptUnlessTheTextHasOne(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ body, old, want string }{
		"text":             {"New.\n", "\n# Install\n\nOld.\n", "\n# Install\n\n"},
		"underlined":       {"New.\n", "Install\n===\nOld.\n", "Install\n===\n"},
		"title alone":      {"New.\n", "# Install", "# Install\n\n"},
		"no text":          {"", "# Install\n", "# Install\n"},
		"another title":    {"# Set up\n", "# Install\n\nOld.\n", ""},
		"no title":         {"New.\n", "Old.\n", ""},
		"something else":   {"New.\n", "# Prerequisites\n\nOld.\n", ""},
		"title in between": {"New.\n\n# Then\n", "# Install\n\nOld.\n", "# Install\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, row.want, string(titleAbove([]byte(row.body), []byte(row.old), "Install")))
		})
	}
}
