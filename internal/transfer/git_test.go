package transfer_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/app"
	"octavo/internal/apptest"
	"octavo/internal/fault"
	"octavo/internal/gittest"
)

// eachReaching runs a test on servers that may reach the test's own.
func eachReaching(t *testing.T, test func(t *testing.T, server *apptest.Server)) {
	t.Helper()
	apptest.EachConfigured(t, func(config *app.Config) { config.AllowPrivateNetwork = true }, test)
}

type gitSync struct {
	State, Operation, RepoName, URL string
	InstallationProvider            string
	Problems                        []any
}

// outcome waits until the last run of a space has ended.
func outcome(t *testing.T, server *apptest.Server, spaceID string) gitSync {
	t.Helper()
	var found gitSync
	require.Eventually(t, func() bool {
		data := server.As(apptest.Admin).Query(t, `query($id: ID!) { space(id: $id) { gitSync { state operation problems repoName url installationProvider updatedAt } } }`, map[string]any{"id": spaceID})
		state := data["space"].(map[string]any)["gitSync"].(map[string]any)
		provider, _ := state["installationProvider"].(string)
		found = gitSync{
			State: state["state"].(string), Operation: state["operation"].(string), Problems: state["problems"].([]any),
			RepoName: state["repoName"].(string), URL: state["url"].(string), InstallationProvider: provider,
		}
		return found.State == "success" || found.State == "failure"
	}, 20*time.Second, 20*time.Millisecond)
	return found
}

func trigger(t *testing.T, server *apptest.Server, spaceID, operation string, body map[string]any) {
	t.Helper()
	server.Work(t)
	answer := server.As(apptest.Creator).REST(t, http.MethodPost, "/spaces/"+spaceID+"/git/"+operation, body)
	require.Equal(t, http.StatusNoContent, answer.Status, "%s", answer.Body)
}

func TestASpaceIsKeptInStepWithARepository(t *testing.T) {
	t.Parallel()
	eachReaching(t, func(t *testing.T, server *apptest.Server) {
		repository := gittest.New(t, sample())
		spaceID := newSpace(t, server, true)
		secret := strings.Replace(repository.URL, "http://", "http://user:hidden@", 1)
		request := map[string]any{"url": secret, "ref": gittest.Reference, "gitInfo": map[string]any{"provider": "github"}, "repoCommitURL": "https://git.example.com/commit/"}
		trigger(t, server, spaceID, "import", request)
		assert.Equal(t, gitSync{
			State: "success", Operation: "import", RepoName: "acme/docs", URL: repository.URL, InstallationProvider: "github", Problems: []any{},
		}, outcome(t, server, spaceID))
		assert.Equal(t, sample(), exported(t, server, spaceID))
		info := server.As(apptest.Reader).REST(t, http.MethodGet, "/spaces/"+spaceID+"/git/info", nil)
		assert.NotContains(t, string(info.Body), "hidden")
		assert.Equal(t, "acme/docs", info.Object(t, http.StatusOK)["repoName"])

		ctx := server.Context(t, apptest.Admin)
		found, err := server.App.Spaces.Get(ctx, spaceID)
		require.NoError(t, err)
		head, err := server.App.Revisions.Load(ctx, found.RevisionID)
		require.NoError(t, err)
		commit := repository.Head().Hash.String()
		assert.JSONEq(t, `{"oid":"`+commit+`","message":"Start","createdByGitBook":false,"url":"https://git.example.com/commit/`+commit+`","ref":"refs/heads/master"}`, string(head.Git))

		edit(t, server, spaceID, "guides/install", "# Install\n\nOne in the space.\n\nTwo.\n\nThree.\n")
		request["commitMessage"] = "Edit in the space"
		trigger(t, server, spaceID, "export", request)
		require.Equal(t, "success", outcome(t, server, spaceID).State)
		assert.Equal(t, exported(t, server, spaceID), repository.Files())
		assert.Equal(t, "Edit in the space", repository.Head().Message)
		assert.Equal(t, "The create", repository.Head().Author.Name)

		before := repository.Head().Hash
		trigger(t, server, spaceID, "export", request)
		require.Equal(t, "success", outcome(t, server, spaceID).State)
		assert.Equal(t, before, repository.Head().Hash, "nothing changed")
	})
}

func TestAnExportDoesNotWriteOverWhatWasNotImported(t *testing.T) {
	t.Parallel()
	eachReaching(t, func(t *testing.T, server *apptest.Server) {
		repository := gittest.New(t, sample())
		spaceID := newSpace(t, server, true)
		request := map[string]any{"url": repository.URL, "ref": gittest.Reference, "commitMessage": "Export"}
		trigger(t, server, spaceID, "import", request)
		require.Equal(t, "success", outcome(t, server, spaceID).State)
		repository.Commit("Meanwhile", with(sample(), map[string]string{"docs/README.md": "# Meanwhile\n"}))
		edit(t, server, spaceID, "guides/install", "# Install\n\nIn the space.\n")

		trigger(t, server, spaceID, "export", request)
		failed := outcome(t, server, spaceID)
		assert.Equal(t, "failure", failed.State)
		assert.Contains(t, failed.Problems[0], "commits that were not imported")
		assert.Equal(t, "Meanwhile", repository.Head().Message)

		trigger(t, server, spaceID, "import", request)
		require.Equal(t, "success", outcome(t, server, spaceID).State)
		trigger(t, server, spaceID, "export", request)
		require.Equal(t, "success", outcome(t, server, spaceID).State)
		assert.Equal(t, with(sample(), map[string]string{
			"docs/README.md": "# Meanwhile\n", "docs/guides/install.md": "# Install\n\nIn the space.\n",
		}), repository.Files())

		repository.Commit("Again", with(sample(), map[string]string{"docs/README.md": "# Again\n"}))
		trigger(t, server, spaceID, "export", map[string]any{"url": repository.URL, "ref": gittest.Reference, "commitMessage": "Forced", "force": true})
		require.Equal(t, "success", outcome(t, server, spaceID).State)
		assert.Equal(t, "# Meanwhile\n", repository.Files()["docs/README.md"])
	})
}

func TestConflictsWithTheRepositoryAreNamedInTheState(t *testing.T) {
	t.Parallel()
	eachReaching(t, func(t *testing.T, server *apptest.Server) {
		repository := gittest.New(t, sample())
		spaceID := newSpace(t, server, true)
		request := map[string]any{"url": repository.URL, "ref": gittest.Reference}
		trigger(t, server, spaceID, "import", request)
		require.Equal(t, "success", outcome(t, server, spaceID).State)
		edit(t, server, spaceID, "guides/install", "# Install\n\nOurs.\n")
		repository.Commit("Theirs", with(sample(), map[string]string{"docs/guides/install.md": "# Install\n\nTheirs.\n"}))
		trigger(t, server, spaceID, "import", request)
		failed := outcome(t, server, spaceID)
		assert.Equal(t, "failure", failed.State)
		assert.Contains(t, failed.Problems[0], "guides/install.md: body_block")
		assert.Equal(t, "# Install\n\nOurs.\n", exported(t, server, spaceID)["docs/guides/install.md"])
		request["force"] = true
		trigger(t, server, spaceID, "import", request)
		require.Equal(t, "success", outcome(t, server, spaceID).State)
		assert.Equal(t, "# Install\n\nTheirs.\n", exported(t, server, spaceID)["docs/guides/install.md"])
	})
}

func TestARequestForAnEarlierEventIsTooLate(t *testing.T) {
	t.Parallel()
	eachReaching(t, func(t *testing.T, server *apptest.Server) {
		repository, older := gittest.New(t, sample()), gittest.New(t, map[string]string{"README.md": "# Older\n"})
		spaceID := newSpace(t, server, false)
		trigger(t, server, spaceID, "import", map[string]any{"url": repository.URL, "ref": gittest.Reference, "timestamp": "2026-02-01T00:00:00Z"})
		require.Equal(t, "success", outcome(t, server, spaceID).State)
		trigger(t, server, spaceID, "import", map[string]any{"url": older.URL, "ref": gittest.Reference, "timestamp": "2026-01-01T00:00:00Z"})
		assert.Equal(t, repository.URL, outcome(t, server, spaceID).URL)
		assert.Equal(t, sample(), exported(t, server, spaceID))
	})
}

func TestRequestsThatCannotBeCarriedOutAreRefused(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	spaceID := newSpace(t, server, false)
	valid := map[string]any{"url": "https://git.example.com/acme/docs.git", "ref": "refs/heads/main", "commitMessage": "x"}
	for name, row := range map[string]struct {
		operation string
		changed   map[string]any
		field     string
	}{
		"no URL":            {"import", map[string]any{"url": ""}, "url"},
		"file":              {"import", map[string]any{"url": "file:///etc"}, "url"},
		"ssh":               {"import", map[string]any{"url": "ssh://git@example.com/x"}, "url"},
		"long URL":          {"import", map[string]any{"url": "https://example.com/" + strings.Repeat("x", 2048)}, "url"},
		"short ref":         {"import", map[string]any{"ref": "main"}, "ref"},
		"export to a tag":   {"export", map[string]any{"ref": "refs/tags/v1"}, "ref"},
		"empty message":     {"export", map[string]any{"commitMessage": " "}, "commitMessage"},
		"long message":      {"export", map[string]any{"commitMessage": strings.Repeat("x", 10_001)}, "commitMessage"},
		"unknown provider":  {"import", map[string]any{"gitInfo": map[string]any{"provider": "other"}}, "gitInfo.provider"},
		"directory outside": {"import", map[string]any{"repoProjectDirectory": strings.Repeat("x", 1025)}, "repoProjectDirectory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := map[string]any{}
			for key, value := range valid {
				body[key] = value
			}
			for key, value := range row.changed {
				body[key] = value
			}
			answer := server.As(apptest.Creator).REST(t, http.MethodPost, "/spaces/"+spaceID+"/git/"+row.operation, body)
			detail := answer.Object(t, http.StatusBadRequest)["error"].(map[string]any)
			assert.Equal(t, row.field, detail["field"])
		})
	}
}

func TestGitNeedsTheRoleCreate(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	spaceID := newSpace(t, server, false)
	body := map[string]any{"url": "http://127.0.0.1:1/docs.git", "ref": "refs/heads/main", "commitMessage": "x"}
	for _, caller := range apptest.Callers {
		expected := http.StatusForbidden
		switch caller {
		case apptest.Admin, apptest.Creator:
			expected = http.StatusNoContent
		case apptest.Guest, apptest.Stranger:
			expected = http.StatusNotFound
		case apptest.Anonymous:
			expected = http.StatusUnauthorized
		}
		for _, operation := range []string{"import", "export"} {
			answer := server.As(caller).REST(t, http.MethodPost, "/spaces/"+spaceID+"/git/"+operation, body)
			assert.Equal(t, expected, answer.Status, "%s as %s", operation, caller)
		}
	}
}

func TestRepositoriesOnPrivateNetworksAreNotReached(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	repository := gittest.New(t, sample())
	spaceID := newSpace(t, server, false)
	trigger(t, server, spaceID, "import", map[string]any{"url": repository.URL, "ref": gittest.Reference})
	failed := outcome(t, server, spaceID)
	assert.Equal(t, "failure", failed.State)
	assert.Contains(t, failed.Problems[0], "not on the public internet")
	_, err := server.App.Transfers.OpenSource(server.Context(t, apptest.Admin), repository.URL, "", "")
	assert.Equal(t, fault.BadUserInput, fault.CodeOf(err))
}
