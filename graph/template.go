package graph

import (
	"context"

	"octavo/graph/model"
	"octavo/internal/space"
	"octavo/internal/template"
)

// createSpace makes a space, from a template where one is named.
func (r *Resolver) createSpace(ctx context.Context, made space.New, templateID *string) (*space.Space, error) {
	if templateID == nil {
		return r.Spaces.Create(ctx, made)
	}
	return r.Templates.CreateSpace(ctx, made, *templateID)
}

// filler returns what fills a new change request from the template that is
// named; nil when none is.
func (r *Resolver) filler(ctx context.Context, input model.CreateChangeRequestInput) (func(ctx context.Context, changeRequestID string) error, error) {
	templateID := input.Template.Value()
	if templateID == nil {
		return nil, nil
	}
	files, err := namedFiles("templateFiles", input.TemplateFiles.Value())
	if err != nil {
		return nil, err
	}
	return r.Templates.Filler(ctx, input.Space, *templateID, files)
}

func templateApplication(input model.ApplyTemplateToSpaceInput) (template.Application, error) {
	files, err := namedFiles("files", input.Files.Value())
	return template.Application{
		SpaceID: input.Space, TemplateID: input.Template, Files: files,
		ChangeRequest: input.ChangeRequest.Value(), ExpectedRevision: input.ExpectedRevision.Value(),
	}, err
}
