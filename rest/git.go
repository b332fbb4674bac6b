package rest

import (
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5"

	"octavo/graph/model"
	"octavo/rest/wire"
)

func (a *API) git(router chi.Router) {
	router.Post("/spaces/{spaceId}/git/import", a.handle(a.importGitRepository))
	router.Post("/spaces/{spaceId}/git/export", a.handle(a.exportToGitRepository))
	router.Get("/spaces/{spaceId}/git/info", a.handle(a.getSpaceGitInfo))
}

func (a *API) importGitRepository(writer http.ResponseWriter, request *http.Request) error {
	var body wire.ImportGitRepository
	if err := decode(request, &body); err != nil {
		return err
	}
	_, err := a.mutation().ImportGitRepository(request.Context(), model.ImportGitRepositoryInput{
		Space: parameter(request, "spaceId"), URL: body.URL, Ref: body.Ref, RepoProjectDirectory: present(body.RepoProjectDirectory),
		Standalone: present(body.Standalone), Force: present(body.Force), Timestamp: present(body.Timestamp),
		GitInfo: gitInfo(body.GitInfo), RepoCommitURL: present(body.RepoCommitURL),
	})
	if err != nil {
		return err
	}
	writer.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *API) exportToGitRepository(writer http.ResponseWriter, request *http.Request) error {
	var body wire.ExportToGitRepository
	if err := decode(request, &body); err != nil {
		return err
	}
	_, err := a.mutation().ExportToGitRepository(request.Context(), model.ExportToGitRepositoryInput{
		Space: parameter(request, "spaceId"), URL: body.URL, Ref: body.Ref, CommitMessage: body.CommitMessage,
		RepoProjectDirectory: present(body.RepoProjectDirectory), Force: present(body.Force), Timestamp: present(body.Timestamp),
		GitInfo: gitInfo(body.GitInfo), RepoCommitURL: present(body.RepoCommitURL),
	})
	if err != nil {
		return err
	}
	writer.WriteHeader(http.StatusNoContent)
	return nil
}

func gitInfo(info *wire.GitInfo) graphql.Omittable[any] {
	if info == nil || info.Provider == nil {
		return graphql.Omittable[any]{}
	}
	return graphql.OmittableOf[any](map[string]any{"provider": string(*info.Provider)})
}

func (a *API) getSpaceGitInfo(writer http.ResponseWriter, request *http.Request) error {
	found, err := a.space(request)
	if err != nil {
		return err
	}
	git, err := a.resolvers.Space().GitSync(request.Context(), found)
	if err != nil {
		return err
	}
	rendered := renderGitSync(git)
	if rendered == nil {
		rendered = &wire.GitSync{}
	}
	WriteJSON(writer, http.StatusOK, rendered)
	return nil
}

func renderGitSync(git *model.GitSync) *wire.GitSync {
	if git == nil {
		return nil
	}
	return &wire.GitSync{
		RepoName: git.RepoName, InstallationProvider: (*wire.GitSyncInstallationProvider)(git.InstallationProvider),
		Integration: git.Integration, URL: git.URL, UpdatedAt: git.UpdatedAt,
	}
}
