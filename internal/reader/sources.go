package reader

import (
	"context"
	"io"
	"net/url"
	"strings"

	"octavo/internal/audience"
	"octavo/internal/content"
	"octavo/internal/document"
	"octavo/internal/hypertext"
	"octavo/internal/site"
)

// maximumSpecification bounds the OpenAPI documents that pages show, in bytes.
const maximumSpecification = 5 << 20

// sources tell what the texts of a site space refer to, as far as the visitor
// may see it. page is that on which links without a page stand; it may be nil.
func (h *Handler) sources(visited *visit, found *place, page *content.Page) hypertext.Sources {
	return hypertext.Sources{
		Link:          func(reference map[string]any) *hypertext.Link { return h.link(visited, found, page, reference) },
		File:          func(reference map[string]any) *hypertext.File { return file(visited, found, reference) },
		Specification: func(reference map[string]any) []byte { return h.specification(visited, found, reference) },
		Reusable: func(reference map[string]any) *document.Document {
			id, _ := reference["reusableContent"].(string)
			text, err := h.Content.Reusable(visited.request.Context(), found.content, id)
			if err != nil {
				h.Logger.ErrorContext(visited.request.Context(), "show reusable content", "error", err, "id", id)
			}
			return text
		},
	}
}

func (h *Handler) link(visited *visit, found *place, page *content.Page, reference map[string]any) *hypertext.Link {
	kind, _ := reference["kind"].(string)
	id, _ := reference[kind].(string)
	switch kind {
	case "page":
		return h.pageLink(visited, found, reference, id, "")
	case "anchor":
		anchor, _ := reference["anchor"].(string)
		target, _ := reference["page"].(string)
		if target == "" && page != nil {
			target = page.ID
		}
		return h.pageLink(visited, found, reference, target, anchor)
	case "space":
		return h.spaceLink(visited, id)
	case "user":
		return h.userLink(visited, id)
	}
	return nil
}

// pageLink leads to a page of the same site space, or of another space that the
// site shows to the visitor.
func (h *Handler) pageLink(visited *visit, found *place, reference map[string]any, id, anchor string) *hypertext.Link {
	from := found.content
	if spaceID, _ := reference["space"].(string); spaceID != "" && spaceID != found.siteSpace.SpaceID {
		if from = h.contentOf(visited, spaceID); from == nil {
			return nil
		}
	}
	target := from.Page(id)
	if target == nil {
		return nil
	}
	link := &hypertext.Link{Address: visited.pageAddress(from, target), Title: target.Title, Description: target.Description, Emoji: target.Emoji}
	if anchor != "" {
		link.Address += "#" + url.PathEscape(anchor)
	}
	return link
}

// contentOf is what the visitor may read of a space that the site shows, or nil.
func (h *Handler) contentOf(visited *visit, spaceID string) *audience.Content {
	shown := siteSpaceOf(visited.Structure, spaceID)
	if shown == nil {
		return nil
	}
	read, err := h.Content.Content(visited.request.Context(), visited.Visit, shown)
	if err != nil {
		h.Logger.ErrorContext(visited.request.Context(), "follow a link to another space", "error", err, "space", spaceID)
		return nil
	}
	return read
}

func siteSpaceOf(structure *site.Structure, spaceID string) *site.SiteSpace {
	for _, each := range structure.SiteSpaces {
		if each.SpaceID == spaceID {
			return each
		}
	}
	return nil
}

func (h *Handler) spaceLink(visited *visit, id string) *hypertext.Link {
	shown := siteSpaceOf(visited.Structure, id)
	if shown == nil {
		return nil
	}
	return &hypertext.Link{Address: visited.siteSpaceAddress(shown), Title: shown.Space.Title, Emoji: shown.Space.Emoji}
}

// userLink names a person; there is no page about them.
func (h *Handler) userLink(visited *visit, id string) *hypertext.Link {
	people, err := h.Users.Named(visited.reading(), []string{id})
	if err != nil || people[id] == nil {
		return nil
	}
	return &hypertext.Link{Title: people[id].DisplayName}
}

func file(visited *visit, found *place, reference map[string]any) *hypertext.File {
	id, _ := reference["file"].(string)
	known := fileOf(found.content.Tree, id)
	if known == nil {
		return nil
	}
	return &hypertext.File{
		Address: visited.base + "/" + functions + "/files/" + url.PathEscape(found.siteSpace.ID) + "/" + url.PathEscape(known.ID) + "/" +
			url.PathEscape(known.Name) + "?v=" + string(known.Content[:min(len(known.Content), 12)]),
		Name: known.Name, ContentType: known.ContentType, Size: known.Size, Width: known.Width, Height: known.Height,
	}
}

func fileOf(tree *content.Tree, id string) *content.File {
	if id == "" {
		return nil
	}
	return tree.File(id)
}

// specification is the source of an OpenAPI document among the files of the
// site space.
func (h *Handler) specification(visited *visit, found *place, reference map[string]any) []byte {
	id, _ := reference["file"].(string)
	known := fileOf(found.content.Tree, id)
	if known == nil || known.Size > maximumSpecification {
		return nil
	}
	ctx := visited.request.Context()
	source, err := h.read(ctx, known)
	if err != nil {
		h.Logger.ErrorContext(ctx, "read an OpenAPI document", "error", err, "file", known.ID)
		return nil
	}
	return source
}

func (h *Handler) read(ctx context.Context, known *content.File) ([]byte, error) {
	opened, err := h.Files.Open(ctx, known.Content)
	if err != nil {
		return nil, err
	}
	source, err := io.ReadAll(io.LimitReader(opened, maximumSpecification))
	if closing := opened.Close(); err == nil {
		err = closing
	}
	return source, err
}

// editAddress is where the source of a page is edited in the git repository that
// the space is exported to; empty when there is none.
func (h *Handler) editAddress(found *place, page *content.Page) string {
	commit, err := found.content.Revision.GitCommit()
	if err != nil || commit == nil || page.GitPath == "" || !strings.Contains(commit.URL, "/commit/") {
		return ""
	}
	repository, _, _ := strings.Cut(commit.URL, "/commit/")
	branch := strings.TrimPrefix(commit.Ref, "refs/heads/")
	if branch == "" {
		return ""
	}
	path := page.GitPath
	if layout := found.content.Tree.Repository; layout != nil && layout.Root != "" {
		path = layout.Root + "/" + path
	}
	return repository + "/edit/" + branch + "/" + escapePath(path)
}
