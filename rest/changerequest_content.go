package rest

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5"

	"octavo/graph/model"
	"octavo/internal/changerequest"
	"octavo/internal/content"
	"octavo/internal/edit"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/revision"
	"octavo/rest/wire"
)

func (a *API) changeRequestContent(router chi.Router) {
	router.Post("/spaces/{spaceId}/content", a.handle(a.updateSpaceContent))
	router.Get("/spaces/{spaceId}/revisions/{revisionId}/changes", a.handle(a.getRevisionSemanticChanges))
	const one = "/spaces/{spaceId}/change-requests/{changeRequestId}"
	router.Post(one+"/content", a.handle(a.updateChangeRequestContent))
	router.Get(one+"/changes", a.handle(a.getChangeRequestChanges))
	router.Post(one+"/merge", a.handle(a.mergeChangeRequest))
	router.Post(one+"/update", a.handle(a.updateChangeRequest))
	router.Get(one+"/conflicts", a.handle(a.listChangeRequestConflicts))
	router.Post(one+"/conflicts/resolve", a.handle(a.resolveChangeRequestConflicts))
	router.Get(one+"/merge-preview", a.handle(a.previewChangeRequestMerge))
	router.Post(one+"/revert", a.handle(a.revertChangeRequest))
}

// expectedRevision reads If-Match: the one revision that the caller takes to be
// current. A star expects nothing.
func expectedRevision(request *http.Request) (graphql.Omittable[*string], error) {
	text := strings.TrimSpace(strings.Join(request.Header.Values("If-Match"), ","))
	if text == "" || text == "*" {
		return graphql.Omittable[*string]{}, nil
	}
	revisionID, quoted := strings.CutPrefix(text, `"`)
	revisionID, closed := strings.CutSuffix(revisionID, `"`)
	if !quoted || !closed || strings.ContainsAny(revisionID, `",`) {
		return graphql.Omittable[*string]{}, fault.Invalid("If-Match", "the id of one revision in quotes is expected")
	}
	return graphql.OmittableOf(&revisionID), nil
}

func (a *API) updateSpaceContent(writer http.ResponseWriter, request *http.Request) error {
	changes, expected, err := readChanges(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UpdateSpaceContent(request.Context(), model.UpdateSpaceContentInput{
		Space: parameter(request, "spaceId"), Changes: changes, ExpectedRevision: expected,
	})
	if err != nil {
		return err
	}
	urls, err := a.resolvers.Space().Urls(request.Context(), payload.Space, nil)
	if err != nil {
		return err
	}
	files, err := a.insertedFiles(request, payload.Files)
	if err != nil {
		return err
	}
	setVersion(writer, `"`+payload.Revision.ID+`"`)
	WriteJSON(writer, http.StatusOK, wire.SpaceContentUpdate{
		Revision: payload.Revision.ID, Changes: renderOutcomes(payload.Pages, urls.Location), InsertedFiles: files,
	})
	return nil
}

func (a *API) updateChangeRequestContent(writer http.ResponseWriter, request *http.Request) error {
	compatible, err := flag(request, "compat", true)
	if err != nil {
		return err
	}
	changes, expected, err := readChanges(request)
	if err != nil {
		return err
	}
	found, err := a.changeRequest(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UpdateChangeRequestContent(request.Context(), model.UpdateChangeRequestContentInput{
		ChangeRequest: found.ID, Changes: changes, ExpectedRevision: expected,
	})
	if err != nil {
		return err
	}
	rendered, err := a.renderChangeRequest(request.Context(), payload.ChangeRequest)
	if err != nil {
		return err
	}
	setVersion(writer, `"`+payload.Revision.ID+`"`)
	if compatible {
		WriteJSON(writer, http.StatusOK, rendered)
		return nil
	}
	files, err := a.insertedFiles(request, payload.Files)
	if err != nil {
		return err
	}
	WriteJSON(writer, http.StatusOK, wire.ChangeRequestContentUpdate{
		ChangeRequest: rendered, Changes: renderOutcomes(payload.Pages, rendered.URLs.Location), InsertedFiles: files,
	})
	return nil
}

func readChanges(request *http.Request) ([]*model.ContentChangeInput, graphql.Omittable[*string], error) {
	var body wire.ContentChanges
	expected, err := expectedRevision(request)
	if err != nil {
		return nil, expected, err
	}
	if err := decode(request, &body); err != nil {
		return nil, expected, err
	}
	changes := make([]*model.ContentChangeInput, len(body.Changes))
	for index := range body.Changes {
		if changes[index], err = readChange(fmt.Sprintf("changes.%d", index), &body.Changes[index]); err != nil {
			return nil, expected, err
		}
	}
	return changes, expected, nil
}

func readChange(field string, change *wire.ContentChange) (*model.ContentChangeInput, error) {
	page := ""
	if change.Page != nil {
		page = *change.Page
	}
	switch change.Operation {
	case "insert_page":
		return &model.ContentChangeInput{InsertPage: graphql.OmittableOf(readInsertPage(change))}, nil
	case "update_page":
		return &model.ContentChangeInput{UpdatePage: graphql.OmittableOf(readUpdatePage(page, change))}, nil
	case "delete_page":
		return &model.ContentChangeInput{DeletePage: graphql.OmittableOf(&model.DeletePageInput{Page: page})}, nil
	case "revert_page":
		return &model.ContentChangeInput{RevertPage: graphql.OmittableOf(readRevertPage(page, change))}, nil
	case "insert_files":
		return &model.ContentChangeInput{InsertFiles: graphql.OmittableOf(&model.InsertFilesInput{Files: readFiles(change.Files)})}, nil
	}
	return nil, fault.Invalid(field+".operation", "%q is not one of insert_page, update_page, delete_page, revert_page, insert_files", change.Operation)
}

func readInsertPage(change *wire.ContentChange) *model.InsertPageInput {
	return &model.InsertPageInput{
		Document: readText(change.Document), Into: omittable(change.Into), At: present(change.At), Ref: present(change.Ref),
		Title: present(change.Title), Slug: present(change.Slug), Emoji: present(change.Emoji), Icon: present(change.Icon),
		Description: present(change.Description), Hidden: present(change.Hidden), NoIndex: present(change.NoIndex),
		NoRobotsIndex: present(change.NoRobotsIndex), Condition: present(change.Condition),
	}
}

func readUpdatePage(page string, change *wire.ContentChange) *model.UpdatePageInput {
	return &model.UpdatePageInput{
		Page: page, Document: present(readText(change.Document)), Into: omittable(change.Into), At: present(change.At),
		Title: present(change.Title), Slug: present(change.Slug), Emoji: present(change.Emoji), Icon: present(change.Icon),
		Description: present(change.Description), Hidden: present(change.Hidden), NoIndex: present(change.NoIndex),
		NoRobotsIndex: present(change.NoRobotsIndex), Condition: present(change.Condition),
	}
}

func readRevertPage(page string, change *wire.ContentChange) *model.RevertPageInput {
	input := &model.RevertPageInput{Page: page, Revision: present(change.Revision)}
	if change.Block != nil {
		input.Blocks = graphql.OmittableOf(change.Block)
	}
	return input
}

func readText(text *wire.Text) *model.PageContentInput {
	if text == nil {
		return nil
	}
	read := &model.PageContentInput{Markdown: present(text.Markdown)}
	if text.Document != nil {
		read.Document = graphql.OmittableOf(text.Document)
	}
	return read
}

func readFiles(files []wire.FileUpload) []*model.InsertFileInput {
	read := make([]*model.InsertFileInput, len(files))
	for index, file := range files {
		read[index] = &model.InsertFileInput{
			Name: file.Name, Ref: present(file.Ref), ContentType: present(file.ContentType), URL: present(file.URL),
		}
		if file.Base64 != nil {
			read[index].Base64 = present(new(base64.StdEncoding.EncodeToString(file.Base64)))
		}
	}
	return read
}

func (a *API) insertedFiles(request *http.Request, files []*revision.File) ([]wire.File, error) {
	return each(request.Context(), files, func(ctx context.Context, file *revision.File) (wire.File, error) {
		return a.renderFile(ctx, file, shown{metadata: true})
	})
}

// renderOutcomes shows pages by where they are found: below the address of the
// space or change request.
func renderOutcomes(outcomes []*edit.PageOutcome, location string) []wire.PageOutcome {
	rendered := make([]wire.PageOutcome, len(outcomes))
	for index, outcome := range outcomes {
		rendered[index] = wire.PageOutcome{Object: string(outcome.Kind) + "_page", Page: outcome.PageID, Ref: outcome.Ref}
		if outcome.Page != nil {
			rendered[index].Page = wire.PageLocation{
				Object: "page", ID: outcome.PageID, URLs: wire.LocationURLs{Location: location + "/content/page/" + outcome.PageID},
			}
		}
	}
	return rendered
}

func (a *API) mergeChangeRequest(writer http.ResponseWriter, request *http.Request) error {
	found, expected, err := a.expectedChangeRequest(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().MergeChangeRequest(request.Context(), model.MergeChangeRequestInput{ChangeRequest: found.ID, ExpectedRevision: expected})
	if err != nil {
		return err
	}
	rendered := wire.MergeResult{Revision: payload.Revision.ID, Result: wire.MergeResultResult(payload.Result)}
	if payload.Result == enum.ResultConflicts {
		rendered.Revision = payload.ChangeRequest.RevisionID
	}
	WriteJSON(writer, http.StatusOK, rendered)
	return nil
}

// expectedChangeRequest is the one that the path names, and the revision that
// the caller takes to be current.
func (a *API) expectedChangeRequest(request *http.Request) (*changerequest.ChangeRequest, graphql.Omittable[*string], error) {
	expected, err := expectedRevision(request)
	if err != nil {
		return nil, expected, err
	}
	found, err := a.changeRequest(request)
	return found, expected, err
}

func (a *API) updateChangeRequest(writer http.ResponseWriter, request *http.Request) error {
	found, expected, err := a.expectedChangeRequest(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UpdateChangeRequestFromMain(request.Context(), model.UpdateChangeRequestFromMainInput{ChangeRequest: found.ID, ExpectedRevision: expected})
	if err != nil {
		return err
	}
	WriteJSON(writer, http.StatusOK, wire.UpdateResult{Revision: payload.Revision.ID, Result: wire.UpdateResultResult(payload.Result)})
	return nil
}

func (a *API) resolveChangeRequestConflicts(writer http.ResponseWriter, request *http.Request) error {
	var body wire.ResolveConflicts
	if err := decode(request, &body); err != nil {
		return err
	}
	found, expected, err := a.expectedChangeRequest(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().ResolveConflicts(request.Context(), model.ResolveConflictsInput{
		ChangeRequest: found.ID, Resolutions: readResolutions(body.Resolutions), ExpectedRevision: expected,
	})
	if err != nil {
		return err
	}
	WriteJSON(writer, http.StatusOK, wire.UpdateResult{Revision: payload.Revision.ID, Result: wire.UpdateResultResult(payload.Result)})
	return nil
}

func readResolutions(given []wire.ConflictResolution) []*model.ConflictResolutionInput {
	read := make([]*model.ConflictResolutionInput, len(given))
	for index, resolution := range given {
		read[index] = &model.ConflictResolutionInput{Conflict: resolution.Conflict, Choice: content.Choice(resolution.Choice)}
		if value := resolution.Value; value != nil && value.Markdown != nil {
			read[index].Value = graphql.OmittableOf[any](*value.Markdown)
		} else if value != nil {
			read[index].Value = graphql.OmittableOf(value.Value)
		}
	}
	return read
}

func (a *API) revertChangeRequest(writer http.ResponseWriter, request *http.Request) error {
	var body wire.RevertMerge
	if err := decode(request, &body); err != nil {
		return err
	}
	found, expected, err := a.expectedChangeRequest(request)
	if err != nil {
		return err
	}
	payload, err := a.mutation().RevertMerge(request.Context(), model.RevertMergeInput{
		ChangeRequest: found.ID, Resolutions: graphql.OmittableOf(readResolutions(body.Resolutions)), ExpectedRevision: expected,
	})
	if err != nil {
		return err
	}
	conflicts, err := each(request.Context(), payload.Conflicts, a.renderConflict)
	if err != nil {
		return err
	}
	WriteJSON(writer, http.StatusOK, wire.RevertResult{
		Revision: payload.Revision.ID, Result: wire.RevertResultResult(payload.Result), Conflicts: conflicts,
	})
	return nil
}

func (a *API) mergePreview(request *http.Request) (*changerequest.ChangeRequest, *changerequest.Preview, error) {
	found, err := a.changeRequest(request)
	if err != nil {
		return nil, nil, err
	}
	preview, err := a.resolvers.ChangeRequest().MergePreview(request.Context(), found)
	return found, preview, err
}

func (a *API) listChangeRequestConflicts(writer http.ResponseWriter, request *http.Request) error {
	found, preview, err := a.mergePreview(request)
	if err != nil {
		return err
	}
	conflicts, err := each(request.Context(), preview.Conflicts, a.renderConflict)
	if err != nil {
		return err
	}
	WriteJSON(writer, http.StatusOK, wire.Conflicts{Revision: found.RevisionID, SpaceRevision: preview.MainRevision.ID, Items: conflicts})
	return nil
}

func (a *API) previewChangeRequestMerge(writer http.ResponseWriter, request *http.Request) error {
	_, preview, err := a.mergePreview(request)
	if err != nil {
		return err
	}
	conflicts, err := each(request.Context(), preview.Conflicts, a.renderConflict)
	if err != nil {
		return err
	}
	changes, err := each(request.Context(), preview.Changes, a.renderChange)
	if err != nil {
		return err
	}
	rules := make([]wire.UnmetRule, len(preview.UnmetRules))
	for index, rule := range preview.UnmetRules {
		rules[index] = wire.UnmetRule{Rule: string(rule.Rule), Message: rule.Message}
	}
	WriteJSON(writer, http.StatusOK, wire.MergePreview{
		Mergeable: preview.Mergeable, UnmetRules: rules, Conflicts: conflicts, Changes: changes,
	})
	return nil
}
