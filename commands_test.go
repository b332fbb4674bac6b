package main

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// octavo runs a command on a database and returns what it prints.
func octavo(t *testing.T, directory string, arguments ...string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), append(arguments, "--data-dir", directory, "--log-level", "error"), &out))
	return out.String()
}

func TestFirstStartPrintsATokenOnce(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	first := start(t, directory)
	token := regexp.MustCompile(`Access token\s+(oct_\S+)`).FindStringSubmatch(first.printed)
	require.Len(t, token, 2, first.printed)
	assert.Equal(t, http.StatusOK, first.status(t, "/v1/user", token[1]))
	first.stop(t)

	second := start(t, directory)
	assert.NotContains(t, second.printed, "oct_")
	assert.Equal(t, http.StatusOK, second.status(t, "/v1/user", token[1]), "the database is used again")
	second.stop(t)
}

func TestCommandsWorkWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	server := start(t, directory)
	defer server.stop(t)
	person := strings.TrimSpace(octavo(t, directory, "user", "create", "--email", "ada@example.com", "--name", "Ada"))
	octavo(t, directory, "organization", "create", "--title", "Engines", "--admin", "ada@example.com")
	lines := strings.Fields(octavo(t, directory, "token", "create", "--user", person, "--scopes", "read", "--expires", "1h"))
	require.Len(t, lines, 2)
	assert.Equal(t, http.StatusOK, server.status(t, "/v1/orgs", lines[1]))
	assert.Contains(t, octavo(t, directory, "token", "list", "--user", person), lines[0])
	octavo(t, directory, "token", "revoke", lines[0])
	assert.Equal(t, http.StatusUnauthorized, server.status(t, "/v1/orgs", lines[1]))
	assert.Regexp(t, `^spc_\w+\n$`, octavo(t, directory, "search", "rebuild"), "the one space of the first start")
	steps := octavo(t, directory, "migrate", "status")
	assert.Contains(t, steps, "0001_initial")
	assert.Regexp(t, `queue 001 \S.*applied\n`, steps)
	assert.NotRegexp(t, `pending\n`, steps)
	assert.Contains(t, octavo(t, directory, "migrate", "up"), "up to date")
}

func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		arguments []string
		message   string
	}{
		{"BaseURL", []string{"serve", "--base-url", "ftp://x"}, "OCTAVO_BASE_URL"},
		{"RateLimit", []string{"serve", "--rate-limit=-1"}, "OCTAVO_RATE_LIMIT"},
		{"PageCache", []string{"serve", "--page-cache=-1"}, "OCTAVO_PAGE_CACHE"},
		{"SMTPURL", []string{"serve", "--smtp-url", "mail.example.com", "--smtp-from", "docs@example.com"}, "OCTAVO_SMTP_URL"},
		{"SMTPFrom", []string{"serve", "--smtp-url", "smtp://mail.example.com"}, "OCTAVO_SMTP_FROM"},
		{"LogLevel", []string{"serve", "--log-level", "loud"}, "log-level"},
		{"UnknownFlag", []string{"serve", "--nonsense"}, "nonsense"},
		{"UnknownUser", []string{"token", "create", "--user", "nobody", "--data-dir", filepath.Join(t.TempDir(), "new")}, "no user"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.ErrorContains(t, run(t.Context(), test.arguments, &bytes.Buffer{}), test.message)
		})
	}
}

// process is a server that a test started.
type process struct {
	url     string
	printed string
	cancel  context.CancelFunc
	ended   chan error
}

func start(t *testing.T, directory string) *process {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	ctx, cancel := context.WithCancel(t.Context())
	started := &process{url: "http://" + address, cancel: cancel, ended: make(chan error, 1)}
	var out bytes.Buffer
	go func() {
		started.ended <- run(ctx, []string{"serve", "--addr", address, "--data-dir", directory, "--log-level", "error"}, &out)
	}()
	require.Eventually(t, func() bool {
		response, err := http.Get(started.url + "/readyz")
		return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
	}, 30*time.Second, 20*time.Millisecond)
	started.printed = out.String()
	return started
}

func (p *process) status(t *testing.T, path, token string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+path, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}

func (p *process) stop(t *testing.T) {
	t.Helper()
	p.cancel()
	require.NoError(t, <-p.ended)
}
