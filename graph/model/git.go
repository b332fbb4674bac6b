package model

import "octavo/internal/transfer"

// NewGitSync shows how a space stands with its repository.
func NewGitSync(state *transfer.State) *GitSync {
	name := state.RepositoryName()
	shown := &GitSync{
		RepoName: &name, URL: &state.URL, UpdatedAt: &state.UpdatedAt,
		State: string(state.Progress), Operation: string(state.Operation), Problems: state.Problems,
	}
	if state.Provider != "" {
		shown.InstallationProvider = &state.Provider
	}
	if shown.Problems == nil {
		shown.Problems = []string{}
	}
	return shown
}
