// Package gittest serves git repositories to tests, without the git program.
package gittest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-billy/v5/util"
	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/server"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/stretchr/testify/require"
)

// Reference is the branch of a Repository.
const Reference = "refs/heads/master"

// Repository is a repository with one branch that a server of the test's own
// serves by http.
type Repository struct {
	// URL to clone it from and to push to.
	URL string

	t       testing.TB
	path    string
	serving *httptest.Server
}

// New makes a repository whose branch holds the files, and serves it.
func New(t testing.TB, files map[string]string) *Repository {
	t.Helper()
	directory := t.TempDir()
	made := &Repository{t: t, path: filepath.Join(directory, "docs.git")}
	opened, err := git.Init(filesystem.NewStorage(osfs.New(made.path), cache.NewObjectLRUDefault()), osfs.New(t.TempDir()))
	require.NoError(t, err)
	configuration, err := opened.Config()
	require.NoError(t, err)
	configuration.Core.IsBare = true
	require.NoError(t, opened.SetConfig(configuration))
	made.Commit("Start", files)
	made.serving = httptest.NewServer(http.StripPrefix("/acme", NewHandler(directory)))
	t.Cleanup(made.serving.Close)
	made.URL = made.serving.URL + "/acme/docs.git"
	return made
}

// Close stops serving the repository.
func (r *Repository) Close() { r.serving.Close() }

// Commit puts a commit on the branch that holds the given files and no others,
// and returns its id.
func (r *Repository) Commit(message string, files map[string]string) string {
	r.t.Helper()
	work := osfs.New(r.t.TempDir())
	opened, err := git.Open(filesystem.NewStorage(osfs.New(r.path), cache.NewObjectLRUDefault()), work)
	require.NoError(r.t, err)
	for name, text := range files {
		require.NoError(r.t, util.WriteFile(work, name, []byte(text), 0o644))
	}
	tree, err := opened.Worktree()
	require.NoError(r.t, err)
	require.NoError(r.t, tree.AddWithOptions(&git.AddOptions{All: true}))
	hash, err := tree.Commit(message, &git.CommitOptions{Author: &object.Signature{Name: "A", Email: "a@example.com", When: time.Now()}})
	require.NoError(r.t, err)
	return hash.String()
}

// Head returns the commit that the branch is at.
func (r *Repository) Head() *object.Commit {
	r.t.Helper()
	opened, err := git.PlainOpen(r.path)
	require.NoError(r.t, err)
	reference, err := opened.Reference(Reference, true)
	require.NoError(r.t, err)
	commit, err := opened.CommitObject(reference.Hash())
	require.NoError(r.t, err)
	return commit
}

// Files returns the files of the branch.
func (r *Repository) Files() map[string]string {
	r.t.Helper()
	listed, err := r.Head().Files()
	require.NoError(r.t, err)
	texts := map[string]string{}
	require.NoError(r.t, listed.ForEach(func(file *object.File) error {
		text, err := file.Contents()
		texts[file.Name] = text
		return err
	}))
	return texts
}

// NewHandler serves the repositories below a directory by http. It knows no
// shallow clones and no side bands.
func NewHandler(directory string) http.Handler {
	return &handler{server.NewServer(server.NewFilesystemLoader(osfs.New(directory)))}
}

// handler serves git's protocol with what go-git has for it.
type handler struct{ git transport.Transport }

func (s *handler) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	if err := s.serve(response, request); err != nil {
		http.Error(response, err.Error(), http.StatusNotFound)
	}
}

func (s *handler) serve(response http.ResponseWriter, request *http.Request) error {
	at := strings.Index(request.URL.Path, ".git/") + len(".git")
	endpoint, err := transport.NewEndpoint("file://" + request.URL.Path[:at])
	if err != nil {
		return err
	}
	switch request.URL.Path[at:] + "?" + request.URL.Query().Get("service") {
	case "/info/refs?git-upload-pack":
		session, err := s.git.NewUploadPackSession(endpoint, nil)
		if err != nil {
			return err
		}
		return advertise(response, "git-upload-pack", session.AdvertisedReferencesContext)
	case "/info/refs?git-receive-pack":
		session, err := s.git.NewReceivePackSession(endpoint, nil)
		if err != nil {
			return err
		}
		return advertise(response, "git-receive-pack", session.AdvertisedReferencesContext)
	case "/git-upload-pack?":
		return s.upload(response, request, endpoint)
	case "/git-receive-pack?":
		return s.receive(response, request, endpoint)
	}
	return errors.New("no such address")
}

func advertise(response io.Writer, service string, references func(context.Context) (*packp.AdvRefs, error)) error {
	advertised, err := references(context.Background())
	if err != nil {
		return err
	}
	advertised.Prefix = [][]byte{[]byte("# service=" + service), pktline.Flush}
	return advertised.Encode(response)
}

func (s *handler) upload(response io.Writer, request *http.Request, endpoint *transport.Endpoint) error {
	session, err := s.git.NewUploadPackSession(endpoint, nil)
	if err != nil {
		return err
	}
	wanted := packp.NewUploadPackRequest()
	if err := wanted.UploadRequest.Decode(request.Body); err != nil {
		return err
	}
	answer, err := session.UploadPack(request.Context(), wanted)
	if err != nil {
		return err
	}
	return answer.Encode(response)
}

func (s *handler) receive(response io.Writer, request *http.Request, endpoint *transport.Endpoint) error {
	session, err := s.git.NewReceivePackSession(endpoint, nil)
	if err != nil {
		return err
	}
	update := packp.NewReferenceUpdateRequest()
	if err := update.Decode(request.Body); err != nil {
		return err
	}
	report, err := session.ReceivePack(request.Context(), update)
	if report == nil {
		return err
	}
	return report.Encode(response)
}
