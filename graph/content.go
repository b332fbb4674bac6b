package graph

import (
	"context"

	"octavo/graph/model"
	"octavo/internal/linkgraph"

	"octavo/internal/enum"
	"octavo/internal/loader"
	"octavo/internal/revision"
)

// branchBase is the content that a change request started from, or was last
// updated from; nil for a revision that is not read as that of a change
// request.
func branchBase(ctx context.Context, of *revision.Revision) (*revision.Revision, error) {
	if of.ReadIn == "" {
		return nil, nil
	}
	branch, err := loader.From(ctx).ChangeRequest.Load(ctx, of.ReadIn)
	if err != nil {
		return nil, err
	}
	base := branch.InitialRevisionID
	if branch.AncestorRevisionID != nil {
		base = *branch.AncestorRevisionID
	}
	return loader.From(ctx).Revision.Load(ctx, base)
}

// href is the address behind the target of a link page; nil when there is none.
func (r *Resolver) href(page *revision.Page) *string {
	target := page.LinkTarget()
	if target == nil {
		return nil
	}
	space := page.Revision.SpaceID
	if target.Space != nil {
		space = *target.Space
	}
	switch target.Kind {
	case enum.ReferenceURL:
		return target.URL
	case enum.ReferenceSpace:
		return new(r.Addresses.App("spaces", space))
	case enum.ReferencePage, enum.ReferenceAnchor:
		return r.pageHref(page, space, target)
	case enum.ReferenceFile:
		return r.fileHref(page, target)
	default:
		return nil
	}
}

func (r *Resolver) pageHref(from *revision.Page, space string, target *revision.Reference) *string {
	if target.Page == nil || target.Space == nil && from.Tree.Index().Page(*target.Page) == nil {
		return nil
	}
	address := r.Addresses.App("spaces", space, "pages", *target.Page)
	if target.Anchor != nil {
		address += "#" + *target.Anchor
	}
	return &address
}

// fileHref leads to the file for good, unlike its download address.
func (r *Resolver) fileHref(from *revision.Page, target *revision.Reference) *string {
	if target.File == nil || from.Tree.File(*target.File) == nil {
		return nil
	}
	return new(r.Addresses.App("spaces", from.Revision.SpaceID, "files", *target.File))
}

func evaluation(asked *enum.Evaluation) enum.Evaluation {
	if asked == nil {
		return enum.EvaluateNone
	}
	return *asked
}

func linkFilter(input *model.LinkFilter) linkgraph.Filter {
	if input == nil {
		return linkgraph.Filter{}
	}
	return linkgraph.Filter{Status: valueOf(input.Status), BrokenContext: valueOf(input.BrokenContext)}
}
