package rest

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"
	"github.com/oapi-codegen/nullable"

	"octavo/internal/content"
	"octavo/internal/fault"
	"octavo/internal/revision"
	"octavo/rest/wire"
)

func (a *API) revisions(router chi.Router) {
	const prefix = "/spaces/{spaceId}/revisions/{revisionId}"
	a.reads(router, prefix, a.anyRevision)
	router.Get(prefix+"/page/{pageId}/document", a.read(a.anyRevision, a.getPageDocument))
	router.Get(prefix+"/reusable-contents/{reusableContentId}/document", a.read(a.anyRevision, a.getReusableContentDocument))
}

// anyRevision is the one that the path names, of the space that it names.
func (a *API) anyRevision(request *http.Request) (*revision.Revision, error) {
	found, err := a.space(request)
	if err != nil {
		return nil, err
	}
	return a.resolvers.Space().RevisionByID(request.Context(), found, parameter(request, "revisionId"))
}

func (a *API) getPageDocument(request *http.Request, found *revision.Revision) (func() (any, error), error) {
	evaluation, err := evaluated(request)
	if err != nil {
		return nil, err
	}
	page, err := a.resolvers.Revision().Page(request.Context(), found, parameter(request, "pageId"))
	if err != nil {
		return nil, err
	}
	if page.Type != content.PageDocument {
		return nil, fault.Missing("document")
	}
	return func() (any, error) {
		document, err := a.resolvers.Page().Document(request.Context(), page, &evaluation)
		return encoded{document}, err
	}, nil
}

func (a *API) getReusableContentDocument(request *http.Request, found *revision.Revision) (func() (any, error), error) {
	evaluation, err := evaluated(request)
	if err != nil {
		return nil, err
	}
	item, err := a.resolvers.Revision().ReusableContent(request.Context(), found, parameter(request, "reusableContentId"))
	if err != nil {
		return nil, err
	}
	return func() (any, error) {
		document, err := a.resolvers.ReusableContent().Document(request.Context(), item, &evaluation)
		return encoded{document}, err
	}, nil
}

// encodeRevision renders a revision with all of its content. Its pages are
// rendered already more often than not, so they are put in as they are.
func (a *API) encodeRevision(ctx context.Context, found *revision.Revision, shown shown) (encoded, error) {
	rendered, err := a.renderRevision(ctx, found, shown)
	if err != nil {
		return nil, err
	}
	if rendered.Files, err = a.renderFiles(ctx, found, shown); err != nil {
		return nil, err
	}
	items, err := a.resolvers.Revision().ReusableContents(ctx, found)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		rendered.ReusableContents = append(rendered.ReusableContents, renderReusableContent(item, shown))
	}
	pages, err := a.encodePages(ctx, found, shown)
	if err != nil {
		return nil, err
	}
	head, err := json.Marshal(struct {
		wire.Revision
		Pages *struct{} `json:"pages,omitempty"` // hides the pages of the revision
	}{Revision: rendered})
	if err != nil {
		return nil, err
	}
	return encoded{head[:len(head)-1], []byte(`,"pages":`), pages, []byte("}")}, nil
}

// renderRevision renders a revision without its pages, files and reusable
// contents.
func (a *API) renderRevision(ctx context.Context, found *revision.Revision, shown shown) (wire.Revision, error) {
	resolver := a.resolvers.Revision()
	urls, err := resolver.Urls(ctx, found)
	if err != nil {
		return wire.Revision{}, err
	}
	variables, err := a.revisionVariables(ctx, found)
	if err != nil {
		return wire.Revision{}, err
	}
	rendered := wire.Revision{
		Object: "revision", ID: found.ID, Type: wire.RevisionType(found.Type),
		Parents: append([]string{}, found.Parents...), CreatedAt: found.CreatedAt,
		Pages: []wire.Page{}, Files: []wire.File{}, ReusableContents: []wire.ReusableContent{},
		Variables: variables,
		URLs:      wire.RevisionURLs{App: urls.App, Published: urls.Published, Public: urls.Public},
	}
	if shown.metadata {
		if rendered.Git, err = renderCommit(found); err != nil {
			return wire.Revision{}, err
		}
	}
	rendered.MergedFrom, err = a.renderMergedFrom(ctx, found)
	return rendered, err
}

func (a *API) revisionVariables(ctx context.Context, found *revision.Revision) (wire.Variables, error) {
	variables, err := a.resolvers.Revision().Variables(ctx, found)
	if err != nil {
		return nil, err
	}
	values, _ := variables.(map[string]any) // the scalar JSON has no narrower type
	return wire.Variables(values), nil
}

func renderCommit(found *revision.Revision) (*wire.GitCommit, error) {
	commit, err := found.GitCommit()
	if commit == nil || err != nil {
		return nil, err
	}
	return &wire.GitCommit{
		OID: commit.OID, Message: commit.Message, CreatedByGitBook: commit.CreatedByGitBook,
		Ref: unlessEmpty(commit.Ref), URL: unlessEmpty(commit.URL),
	}, nil
}

func (a *API) renderFiles(ctx context.Context, found *revision.Revision, shown shown) ([]wire.File, error) {
	files := []wire.File{}
	size, after := pageOfFiles, (*string)(nil)
	for {
		page, err := a.resolvers.Revision().Files(ctx, found, &size, after, nil, nil)
		if err != nil {
			return nil, err
		}
		for _, file := range page.Nodes() {
			rendered, err := a.renderFile(ctx, file, shown)
			if err != nil {
				return nil, err
			}
			files = append(files, rendered)
		}
		if after = page.NextPage(); after == nil {
			return files, nil
		}
	}
}

// pageOfFiles is how many files are taken at a time from the list, which is in
// memory.
const pageOfFiles = 1000

func (a *API) renderFile(ctx context.Context, file *revision.File, shown shown) (wire.File, error) {
	address, err := a.resolvers.File().DownloadURL(ctx, file)
	if err != nil {
		return wire.File{}, err
	}
	rendered := wire.File{
		ID: file.ID, Name: file.Name, ContentType: file.ContentType, Size: file.Size, DownloadURL: address,
		Git: renderGitFile(file.GitFile(), shown),
	}
	if dimensions := file.Dimensions(); dimensions != nil {
		rendered.Dimensions = &wire.Dimensions{Width: dimensions.Width, Height: dimensions.Height}
	}
	return rendered, nil
}

func renderGitFile(file *revision.GitFile, shown shown) *wire.GitBlob {
	if file == nil || !shown.metadata {
		return nil
	}
	return &wire.GitBlob{OID: file.OID, Path: file.Path}
}

func renderReusableContent(item *revision.ReusableContent, shown shown) wire.ReusableContent {
	return wire.ReusableContent{ID: item.ID, Title: item.Title, Git: renderGitFile(item.GitFile(), shown)}
}

func (a *API) renderPages(ctx context.Context, pages []*revision.Page, shown shown) ([]wire.Page, error) {
	rendered := make([]wire.Page, len(pages))
	for index, page := range pages {
		var err error
		if rendered[index], err = a.renderPage(ctx, page, shown); err != nil {
			return nil, err
		}
	}
	return rendered, nil
}

// renderPage renders a page with everything below it.
func (a *API) renderPage(ctx context.Context, page *revision.Page, shown shown) (wire.Page, error) {
	rendered, err := a.renderOnePage(ctx, page, shown)
	if err != nil || rendered.Pages == nil {
		return rendered, err
	}
	rendered.Pages, err = a.renderPages(ctx, page.Children(), shown)
	return rendered, err
}

// renderOnePage renders a page without those below it; Pages stays nil for
// types that have none.
func (a *API) renderOnePage(ctx context.Context, page *revision.Page, shown shown) (wire.Page, error) {
	rendered := wire.Page{
		ID: page.ID, Title: page.Title, Type: wire.PageType(page.Type),
		Emoji: unlessEmpty(page.Emoji), Icon: unlessEmpty(page.Icon), Hidden: unlessEmpty(page.Hidden),
	}
	switch page.Type {
	case content.PageDocument:
		return a.completeDocument(ctx, rendered, page, shown)
	case content.PageGroup:
		rendered.Kind, rendered.Slug, rendered.Path = new(wire.PageKind("group")), new(page.Slug), new(page.Path())
		rendered.NoIndex, rendered.NoRobotsIndex = unlessEmpty(page.NoIndex), unlessEmpty(page.NoRobots)
		rendered.Pages = []wire.Page{}
		return rendered, nil
	case content.PageLink:
		var err error
		rendered.Kind, rendered.Target = new(wire.PageKind("link")), renderReference(page.LinkTarget())
		rendered.Href, err = a.resolvers.Page().Href(ctx, page)
		return rendered, err
	default:
		return completeComputed(rendered, page), nil
	}
}

func (a *API) completeDocument(ctx context.Context, rendered wire.Page, page *revision.Page, shown shown) (wire.Page, error) {
	urls, err := a.resolvers.Page().Urls(ctx, page)
	if err != nil {
		return wire.Page{}, err
	}
	layout := page.ShownLayout()
	rendered.Kind, rendered.Slug, rendered.Path = new(wire.PageKind("sheet")), new(page.Slug), new(page.Path())
	rendered.URLs, rendered.Pages = &wire.AppURLs{App: urls.App}, []wire.Page{}
	rendered.CreatedAt, rendered.UpdatedAt = unlessEmpty(page.CreatedAt), unlessEmpty(page.UpdatedAt)
	rendered.Description = unlessEmpty(page.Description)
	rendered.NoIndex, rendered.NoRobotsIndex = unlessEmpty(page.NoIndex), unlessEmpty(page.NoRobots)
	rendered.Variables = wire.Variables(page.Variables)
	rendered.Git, rendered.Cover = renderGitFile(page.GitFile(), shown), renderCover(page.Picture())
	rendered.Layout = &wire.PageLayout{
		Width: wire.PageLayoutWidth(layout.Width), Cover: layout.Cover, CoverSize: wire.PageLayoutCoverSize(layout.CoverSize),
		Title: layout.Title, Description: layout.Description, TableOfContents: layout.TableOfContents,
		Outline: layout.Outline, Pagination: layout.Pagination, Metadata: layout.Metadata,
	}
	return rendered, nil
}

func completeComputed(rendered wire.Page, page *revision.Page) wire.Page {
	if page.Computed == nil {
		return rendered
	}
	source := &wire.ComputedSource{Type: page.Computed.Type, Props: page.Computed.Props}
	if source.Props == nil {
		source.Props = map[string]any{}
	}
	for _, name := range slices.Sorted(maps.Keys(page.Computed.Dependencies)) {
		if source.Dependencies == nil {
			source.Dependencies = map[string]wire.ComputedDependency{}
		}
		source.Dependencies[name] = renderDependency(page.Computed.Dependencies[name])
	}
	rendered.Computed, rendered.ComputedSeed = source, unlessEmpty(page.Computed.Seed)
	return rendered
}

func renderDependency(stored map[string]any) wire.ComputedDependency {
	reference, _ := stored["ref"].(map[string]any)
	text := func(name string) *string {
		value, _ := reference[name].(string)
		return unlessEmpty(value)
	}
	rendered := wire.ComputedDependency{Ref: wire.ComputedReference{
		Spec: text("spec"), Space: text("space"), Translation: text("translation"),
	}}
	if kind := text("kind"); kind != nil {
		rendered.Ref.Kind = wire.ComputedReferenceKind(*kind)
	}
	if value, known := stored["value"].(map[string]any); known {
		rendered.Value = nullable.NewNullableWithValue(value)
	}
	return rendered
}

func renderCover(cover *revision.Cover) *wire.PageCover {
	if cover == nil {
		return nil
	}
	return &wire.PageCover{
		Ref: renderReference(cover.Ref), RefDark: renderReference(cover.RefDark),
		YPos: float32(cover.YPos), Height: new(float32(cover.Height)),
	}
}

func renderReference(reference *revision.Reference) *wire.ContentReference {
	if reference == nil {
		return nil
	}
	return &wire.ContentReference{
		Kind: wire.ContentReferenceKind(reference.Kind), URL: reference.URL, File: reference.File, Page: reference.Page,
		Anchor: reference.Anchor, User: reference.User, Collection: reference.Collection, Space: reference.Space,
		ReusableContent: reference.ReusableContent, Spec: reference.Spec,
	}
}
