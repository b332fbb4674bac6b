package rest

import (
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5"

	"octavo/graph/model"
	"octavo/rest/wire"
)

func (a *API) templates(router chi.Router) {
	router.Post("/spaces/{spaceId}/content/template", a.handle(a.applyTemplateToSpace))
}

func (a *API) applyTemplateToSpace(writer http.ResponseWriter, request *http.Request) error {
	var body wire.ApplyTemplate
	if err := decode(request, &body); err != nil {
		return err
	}
	expected, err := expectedRevision(request)
	if err != nil {
		return err
	}
	files, err := templateFiles(body.Params)
	if err != nil {
		return err
	}
	_, err = a.mutation().ApplyTemplateToSpace(request.Context(), model.ApplyTemplateToSpaceInput{
		Space: parameter(request, "spaceId"), Template: body.ID, Files: graphql.OmittableOf[any](files),
		ChangeRequest: present(body.ChangeRequestID), ExpectedRevision: expected,
	})
	if err != nil {
		return err
	}
	writer.WriteHeader(http.StatusCreated)
	return nil
}
