package rest

import (
	"context"
	"net/http"
	"strconv"

	"octavo/graph/model"
	"octavo/internal/changerequest"
	"octavo/internal/content"
	"octavo/internal/fault"
	"octavo/internal/revision"
	"octavo/rest/wire"
)

// defaultChanges is how many changes are shown when no limit is given.
const defaultChanges = 10

func changesLimit(request *http.Request) (*int, error) {
	limit := defaultChanges
	text := optional(request, "limit")
	if text == nil {
		return &limit, nil
	}
	limit, err := strconv.Atoi(*text)
	if err != nil {
		return nil, fault.Invalid("limit", "%q is not a number", *text)
	}
	return &limit, nil
}

func (a *API) getChangeRequestChanges(writer http.ResponseWriter, request *http.Request) error {
	limit, err := changesLimit(request)
	if err != nil {
		return err
	}
	found, err := a.changeRequest(request)
	if err != nil {
		return err
	}
	page, err := a.resolvers.ChangeRequest().Changes(request.Context(), found, limit, nil, nil, nil)
	return answer(writer, request, http.StatusOK, page, err, a.renderChanges)
}

func (a *API) getRevisionSemanticChanges(writer http.ResponseWriter, request *http.Request) error {
	limit, err := changesLimit(request)
	if err != nil {
		return err
	}
	found, err := a.anyRevision(request)
	if err != nil {
		return err
	}
	page, err := a.resolvers.Revision().Changes(request.Context(), found, nil, limit, nil, nil, nil)
	if err != nil {
		return err
	}
	rendered, err := a.renderChanges(request.Context(), page)
	if err != nil {
		return err
	}
	if rendered.MergedFrom, err = a.renderMergedFrom(request.Context(), found); err != nil {
		return err
	}
	WriteJSON(writer, http.StatusOK, rendered)
	return nil
}

func (a *API) renderMergedFrom(ctx context.Context, found *revision.Revision) (*wire.ChangeRequest, error) {
	merged, err := a.resolvers.Revision().MergedFrom(ctx, found)
	if merged == nil || err != nil {
		return nil, err
	}
	rendered, err := a.renderChangeRequest(ctx, merged)
	return &rendered, err
}

func (a *API) renderChanges(ctx context.Context, page *model.RevisionChangeConnection) (wire.SemanticChanges, error) {
	changes, err := each(ctx, page.Nodes(), a.renderChange)
	if err != nil {
		return wire.SemanticChanges{}, err
	}
	total, err := page.TotalCount(ctx)
	if err != nil {
		return wire.SemanticChanges{}, err
	}
	return wire.SemanticChanges{Changes: changes, More: unlessEmpty(total - len(changes))}, nil
}

func (a *API) renderChange(ctx context.Context, change *revision.Change) (wire.SemanticChange, error) {
	file, err := a.renderChangedFile(ctx, change.File)
	if err != nil {
		return wire.SemanticChange{}, err
	}
	rendered := wire.SemanticChange{
		Type: wire.SemanticChangeType(change.Type), Page: renderChangedPage(change.Page), File: file,
		ReusableContent: renderChangedReusableContent(change.ReusableContent),
	}
	if change.Type == content.PageMoved {
		rendered.Parent = &wire.ParentChange{Before: renderChangedPage(change.MovedFrom), After: renderChangedPage(change.MovedTo)}
	}
	attributes := make(map[string]wire.AttributeChange, len(change.Attributes))
	for _, attribute := range change.Attributes {
		attributes[attribute.Name] = wire.AttributeChange{Before: attribute.Before, After: attribute.After}
	}
	if change.Type == content.VariablesEdited {
		rendered.Variables = attributes
	} else {
		rendered.Attributes = attributes
	}
	return rendered, nil
}

func renderChangedPage(page *revision.Page) *wire.ChangedPage {
	if page == nil {
		return nil
	}
	return &wire.ChangedPage{
		ID: page.ID, Type: wire.ChangedPageType(page.Type), Title: page.Title, Path: unlessEmpty(page.Path()),
	}
}

func (a *API) renderChangedFile(ctx context.Context, file *revision.File) (*wire.ChangedFile, error) {
	if file == nil {
		return nil, nil
	}
	address, err := a.resolvers.File().DownloadURL(ctx, file)
	return &wire.ChangedFile{ID: file.ID, Name: file.Name, ContentType: file.ContentType, DownloadURL: address}, err
}

func renderChangedReusableContent(item *revision.ReusableContent) *wire.ChangedReusableContent {
	if item == nil {
		return nil
	}
	return &wire.ChangedReusableContent{ID: item.ID, Title: item.Title}
}

func (a *API) renderConflict(ctx context.Context, conflict *changerequest.Conflict) (wire.Conflict, error) {
	file, err := a.renderChangedFile(ctx, conflict.File)
	rendered := wire.Conflict{
		ID: conflict.ID, Kind: wire.ConflictKind(conflict.Kind), Page: renderChangedPage(conflict.Page), File: file,
		ReusableContent: renderChangedReusableContent(conflict.ReusableContent), Field: conflict.Field, Block: conflict.Block,
		Base: renderConflictValue(conflict.Kind, conflict.Base), Ours: renderConflictValue(conflict.Kind, conflict.Ours),
		Theirs: renderConflictValue(conflict.Kind, conflict.Theirs), Choices: make([]wire.ConflictChoices, len(conflict.Choices)),
	}
	for index, choice := range conflict.Choices {
		rendered.Choices[index] = wire.ConflictChoices(choice)
	}
	return rendered, err
}

func renderConflictValue(kind content.ConflictKind, value any) *wire.ConflictValue {
	if value == nil {
		return nil
	}
	if text, isText := value.(string); isText && kind == content.ConflictBody {
		return &wire.ConflictValue{Markdown: &text}
	}
	return &wire.ConflictValue{Value: value}
}
