package rest

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"octavo/rest/wire"
)

func (a *API) system(router chi.Router) {
	router.Get("/", a.handle(a.getApiInformation))
}

func (a *API) getApiInformation(writer http.ResponseWriter, request *http.Request) error {
	version, err := a.query().Version(request.Context())
	if err != nil {
		return err
	}
	WriteJSON(writer, http.StatusOK, wire.Information{Version: version.Version, Build: version.Build})
	return nil
}
