package rest

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5"
	"github.com/oapi-codegen/nullable"

	"octavo/ent"
	"octavo/graph/model"
	"octavo/rest/wire"
)

func (a *API) users(router chi.Router) {
	router.Get("/user", a.handle(a.getAuthenticatedUser))
	router.Get("/users/{userId}", a.handle(a.getUserByID))
	router.Patch("/users/{userId}", a.handle(a.updateUserByID))
}

func (a *API) getAuthenticatedUser(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.query().Viewer(request.Context())
	return answer(writer, request, http.StatusOK, found, err, a.renderUser)
}

func (a *API) getUserByID(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.query().User(request.Context(), parameter(request, "userId"))
	return answer(writer, request, http.StatusOK, found, err, a.renderUser)
}

func (a *API) updateUserByID(writer http.ResponseWriter, request *http.Request) error {
	var body wire.UpdateUser
	if err := decode(request, &body); err != nil {
		return err
	}
	payload, err := a.mutation().UpdateUser(request.Context(), model.UpdateUserInput{
		User: parameter(request, "userId"), DisplayName: present(body.DisplayName), PhotoURL: omittable(body.PhotoURL),
	})
	if err != nil {
		return err
	}
	return answer(writer, request, http.StatusOK, payload.User, nil, a.renderUser)
}

func (a *API) renderUser(ctx context.Context, person *ent.User) (wire.User, error) {
	email, err := a.resolvers.User().Email(ctx, person)
	if err != nil {
		return wire.User{}, err
	}
	urls, err := a.resolvers.User().Urls(ctx, person)
	if err != nil {
		return wire.User{}, err
	}
	return wire.User{
		Object: "user", ID: person.ID, DisplayName: person.DisplayName, Email: email,
		PhotoURL: unlessEmpty(person.PhotoURL), URLs: wire.LocationURLs{Location: urls.Location},
	}, nil
}

// present is an optional field that cannot be null: absent when nil.
func present[T any](value *T) graphql.Omittable[*T] {
	if value == nil {
		return graphql.Omittable[*T]{}
	}
	return graphql.OmittableOf(value)
}

// omittable is an optional field that may be null.
func omittable[T any](value nullable.Nullable[T]) graphql.Omittable[*T] {
	if !value.IsSpecified() {
		return graphql.Omittable[*T]{}
	}
	if value.IsNull() {
		return graphql.OmittableOf[*T](nil)
	}
	return graphql.OmittableOf(new(value.MustGet()))
}

// omittableText is omittable for an enumeration of the wire.
func omittableText[T ~string](value nullable.Nullable[T]) graphql.Omittable[*string] {
	if !value.IsSpecified() {
		return graphql.Omittable[*string]{}
	}
	if value.IsNull() {
		return graphql.OmittableOf[*string](nil)
	}
	return graphql.OmittableOf(new(string(value.MustGet())))
}

func unlessEmpty[T comparable](value T) *T {
	var empty T
	if value == empty {
		return nil
	}
	return &value
}
