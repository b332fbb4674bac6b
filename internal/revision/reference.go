package revision

import (
	"octavo/internal/content"
	"octavo/internal/enum"
	"octavo/internal/repository"
)

// Reference is what a link or block points at; which of the ids is set depends
// on the kind.
type Reference struct {
	Kind            enum.ReferenceKind
	URL             *string
	File            *string
	Page            *string
	Anchor          *string
	User            *string
	Collection      *string
	Space           *string
	ReusableContent *string
	Spec            *string
}

// ReferenceOf reads a content reference as trees store it; nil without a kind.
func ReferenceOf(stored map[string]any) *Reference {
	kind := text(stored, "kind")
	if kind == nil {
		return nil
	}
	return &Reference{
		Kind: enum.ReferenceKind(*kind), URL: text(stored, "url"), File: text(stored, "file"),
		Page: text(stored, "page"), Anchor: text(stored, "anchor"), User: text(stored, "user"),
		Collection: text(stored, "collection"), Space: text(stored, "space"),
		ReusableContent: text(stored, "reusableContent"), Spec: text(stored, "spec"),
	}
}

func text(stored map[string]any, name string) *string {
	value, isText := stored[name].(string)
	if !isText {
		return nil
	}
	return &value
}

// TargetReference is the content reference of what a link leads to. A target
// without an id, such as a path at which there is nothing, is nil.
func TargetReference(target repository.Target) map[string]any {
	reference := map[string]any{"kind": target.Kind}
	if target.Space != "" {
		reference["space"] = target.Space
	}
	id := ""
	switch target.Kind {
	case "page":
		id, reference["page"] = target.Page, target.Page
	case "anchor":
		id, reference["page"], reference["anchor"] = target.Page, target.Page, target.Anchor
	case "file":
		id, reference["file"] = target.File, target.File
	case "reusable-content":
		id, reference["reusableContent"] = target.ReusableContent, target.ReusableContent
	case "space":
		id = target.Space
	case "collection":
		id, reference["collection"] = target.Collection, target.Collection
	case "user":
		id, reference["user"] = target.User, target.User
	}
	if id == "" {
		return nil
	}
	return reference
}

// GitFile is the file of a repository that something was imported from.
type GitFile struct{ OID, Path string }

func gitFile(oid, path string) *GitFile {
	if path == "" {
		return nil
	}
	return &GitFile{OID: oid, Path: path}
}

// GitFile that the page was imported from, or nil.
func (p *Page) GitFile() *GitFile { return gitFile(p.GitOID, p.GitPath) }

// GitFile that the file was imported from, or nil.
func (f *File) GitFile() *GitFile { return gitFile(f.GitOID, f.GitPath) }

// GitFile that the reusable content was imported from, or nil.
func (c *ReusableContent) GitFile() *GitFile { return gitFile(c.GitOID, c.GitPath) }

// Dimensions of an image, in pixels.
type Dimensions struct{ Width, Height int }

// Dimensions of the file, or nil when it is no image.
func (f *File) Dimensions() *Dimensions {
	if f.Width == 0 || f.Height == 0 {
		return nil
	}
	return &Dimensions{Width: f.Width, Height: f.Height}
}

// Path returns the slugs from the root of the tree to the page; it is empty
// for a page without a slug.
func (p *Page) Path() string { return p.Tree.Index().Path(p.Page) }

// ShownLayout is the layout that the page states, or the default.
func (p *Page) ShownLayout() *content.Layout {
	if p.Layout != nil {
		return p.Layout
	}
	layout := content.DefaultLayout()
	return &layout
}

// Cover is the picture above a page.
type Cover struct {
	Ref     *Reference
	RefDark *Reference
	YPos    float64
	Height  float64 // pixels
}

const defaultCoverHeight = 240

// Picture above the page, or nil.
func (p *Page) Picture() *Cover {
	if p.Cover == nil {
		return nil
	}
	cover := &Cover{
		Ref: ReferenceOf(p.Cover.Ref), RefDark: ReferenceOf(p.Cover.RefDark),
		YPos: p.Cover.YPos, Height: p.Cover.Height,
	}
	if cover.Height == 0 {
		cover.Height = defaultCoverHeight
	}
	return cover
}

// LinkTarget is where a link page leads; nil for other pages.
func (p *Page) LinkTarget() *Reference { return ReferenceOf(p.Target) }
