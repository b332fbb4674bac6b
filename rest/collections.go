package rest

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"octavo/graph/model"
	"octavo/internal/collection"
	"octavo/rest/wire"
)

func (a *API) collections(router chi.Router) {
	router.Get("/collections/{collectionId}", a.handle(a.getCollectionByID))
	router.Delete("/collections/{collectionId}", a.handle(a.deleteCollectionByID))
	router.Patch("/collections/{collectionId}", a.handle(a.updateCollectionByID))
	router.Get("/collections/{collectionId}/spaces", a.handle(a.listSpacesInCollectionByID))
	router.Post("/collections/{collectionId}/move", a.handle(a.moveCollection))
	router.Post("/collections/{collectionId}/transfer", a.handle(a.transferCollection))
	router.Get("/orgs/{organizationId}/collections", a.handle(a.listCollectionsInOrganizationByID))
	router.Post("/orgs/{organizationId}/collections", a.handle(a.createCollection))
}

func (a *API) getCollectionByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.collection(request)
	return answer(writer, request, http.StatusOK, found, err, a.renderCollection)
}

func (a *API) updateCollectionByID(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateCollection
	if err := decode(request, &body); err != nil {
		return err
	}
	level, err := decodeDefaultLevel(body.DefaultLevel)
	if err != nil {
		return err
	}
	payload, err := a.mutation().UpdateCollection(request.Context(), model.UpdateCollectionInput{
		Collection: parameter(request, "collectionId"), Title: present(body.Title),
		Description: present(body.Description), DefaultLevel: level,
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Collection, nil, a.renderCollection)
}

func (a *API) deleteCollectionByID(writer http.ResponseWriter, request *http.Request) error {
	payload, err := a.mutation().DeleteCollection(request.Context(), model.DeleteCollectionInput{Collection: parameter(request, "collectionId")})
	if err != nil {
		return err
	}
	deleted(writer, payload.Deleted)
	return nil
}

func (a *API) moveCollection(writer http.ResponseWriter, request *http.Request) error {
	var body wire.MoveCollection
	if err := decode(request, &body); err != nil {
		return err
	}
	position, err := decodePosition(body.Position)
	if err != nil {
		return err
	}
	payload, err := a.mutation().MoveCollection(request.Context(), model.MoveCollectionInput{
		Collection: parameter(request, "collectionId"), Parent: omittable(body.Parent), Position: present(position),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Collection, nil, a.renderCollection)
}

func (a *API) transferCollection(writer http.ResponseWriter, request *http.Request) error {
	var body wire.TransferCollection
	if err := decode(request, &body); err != nil {
		return err
	}
	payload, err := a.mutation().TransferCollection(request.Context(), model.TransferCollectionInput{
		Collection: parameter(request, "collectionId"), Organization: body.Organization,
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.Collection, nil, a.renderCollection)
}

func (a *API) listSpacesInCollectionByID(writer http.ResponseWriter, request *http.Request) error {
	first, after, err := window(request)
	if err != nil {
		return err
	}
	found, err := a.collection(request)
	if err != nil {
		return err
	}
	page, err := a.resolvers.Collection().Spaces(request.Context(), found, first, after, nil, nil)
	return answerList(writer, request, page, err, a.renderSpace)
}

func (a *API) listCollectionsInOrganizationByID(writer http.ResponseWriter, request *http.Request) error {
	first, after, err := window(request)
	if err != nil {
		return err
	}
	nested, err := flag(request, "nested", true)
	if err != nil {
		return err
	}
	found, err := a.organization(request)
	if err != nil {
		return err
	}
	page, err := a.resolvers.Organization().Collections(request.Context(), found, nested, first, after, nil, nil)
	return answerList(writer, request, page, err, a.renderCollection)
}

func (a *API) createCollection(writer http.ResponseWriter, request *http.Request) error {
	var body wire.CreateCollection
	if err := decode(request, &body); err != nil {
		return err
	}
	payload, err := a.mutation().CreateCollection(request.Context(), model.CreateCollectionInput{
		Organization: parameter(request, "organizationId"), Title: present(body.Title), Parent: present(body.Parent),
	})
	if err != nil {
		return err
	}
	rendered, err := a.renderCollection(request.Context(), payload.Collection)
	if err != nil {
		return err
	}
	writer.Header().Set("Location", rendered.URLs.Location)
	WriteJSON(writer, http.StatusCreated, rendered)
	return nil
}

// collection is the one that the path names.
func (a *API) collection(request *http.Request) (*collection.Collection, error) {
	return a.query().Collection(request.Context(), parameter(request, "collectionId"))
}

func (a *API) renderCollection(ctx context.Context, found *collection.Collection) (wire.Collection, error) {
	urls, err := a.resolvers.Collection().Urls(ctx, found)
	if err != nil {
		return wire.Collection{}, err
	}
	parent, err := a.resolvers.Collection().Parent(ctx, found)
	if err != nil {
		return wire.Collection{}, err
	}
	may := found.Permissions(ctx)
	return wire.Collection{
		Object: "collection", ID: found.ID, Title: found.Title, Description: unlessEmpty(found.Description),
		Organization: found.OrganizationID, Parent: idOf(parent), DefaultLevel: renderDefaultLevel(found.DefaultLevel),
		URLs: wire.CollectionURLs{Location: urls.Location, App: urls.App},
		Permissions: wire.CollectionPermissions{
			View: may.View, Admin: may.Admin, ViewInviteLinks: may.ViewInviteLinks, Create: may.Create,
		},
	}, nil
}

// idOf is the id of a collection that may not be there.
func idOf(found *collection.Collection) *string {
	if found == nil {
		return nil
	}
	return &found.ID
}
