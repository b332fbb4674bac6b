package repository

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-billy/v5/util"
	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/fault"
	"octavo/internal/gittest"
)

// gitRepository is a bare repository in a directory.
type gitRepository struct {
	t      *testing.T
	path   string
	opened *git.Repository
}

// newGitRepository makes a repository whose branch master holds the files.
func newGitRepository(t *testing.T, contents map[string]string) *gitRepository {
	t.Helper()
	path := filepath.Join(t.TempDir(), "docs.git")
	storage := filesystem.NewStorage(osfs.New(path), cache.NewObjectLRUDefault())
	files := memfs.New()
	opened, err := git.Init(storage, files)
	require.NoError(t, err)
	made := &gitRepository{t: t, path: path, opened: opened}
	configuration, err := opened.Config()
	require.NoError(t, err)
	configuration.Core.IsBare = true
	configuration.Raw.Section("http").SetOption("receivepack", "true")
	require.NoError(t, opened.SetConfig(configuration))
	if contents == nil {
		return made
	}
	for name, text := range contents {
		if target, link := strings.CutPrefix(text, "link:"); link {
			require.NoError(t, files.Symlink(target, name))
			continue
		}
		mode := fs.FileMode(0o644)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o755
		}
		require.NoError(t, util.WriteFile(files, name, []byte(text), mode))
	}
	tree, err := opened.Worktree()
	require.NoError(t, err)
	require.NoError(t, tree.AddWithOptions(&git.AddOptions{All: true}))
	made.commit(tree, "Start")
	return made
}

func (r *gitRepository) commit(tree *git.Worktree, message string) plumbing.Hash {
	r.t.Helper()
	hash, err := tree.Commit(message, &git.CommitOptions{Author: &object.Signature{Name: "A", Email: "a@example.com", When: testTime}})
	require.NoError(r.t, err)
	return hash
}

// files returns the content of a branch, with symbolic links and modes.
func (r *gitRepository) files(branch string) (contents map[string]string, modes map[string]filemode.FileMode) {
	r.t.Helper()
	// Opened anew: another process may have written packs.
	opened, err := git.PlainOpen(r.path)
	require.NoError(r.t, err)
	reference, err := opened.Reference(plumbing.NewBranchReferenceName(branch), true)
	require.NoError(r.t, err)
	commit, err := opened.CommitObject(reference.Hash())
	require.NoError(r.t, err)
	listed, err := commit.Files()
	require.NoError(r.t, err)
	contents, modes = map[string]string{}, map[string]filemode.FileMode{}
	require.NoError(r.t, listed.ForEach(func(file *object.File) error {
		text, err := file.Contents()
		contents[file.Name], modes[file.Name] = text, file.Mode
		return err
	}))
	return contents, modes
}

func (r *gitRepository) head(branch string) *object.Commit {
	r.t.Helper()
	opened, err := git.PlainOpen(r.path)
	require.NoError(r.t, err)
	reference, err := opened.Reference(plumbing.NewBranchReferenceName(branch), true)
	require.NoError(r.t, err)
	commit, err := opened.CommitObject(reference.Hash())
	require.NoError(r.t, err)
	return commit
}

// gitServers returns what can serve repositories below a directory over HTTP:
// a small server of our own, which knows no shallow clones and no side bands,
// and git's, where it is installed.
func gitServers() map[string]func(directory string) http.Handler {
	servers := map[string]func(string) http.Handler{
		"plain": gittest.NewHandler,
	}
	program, err := exec.LookPath("git")
	if err != nil {
		return servers
	}
	if output, err := exec.Command(program, "http-backend", "--help").CombinedOutput(); err != nil && !bytes.Contains(output, []byte("http-backend")) {
		return servers
	}
	servers["git"] = func(directory string) http.Handler {
		return &cgi.Handler{Path: program, Args: []string{"http-backend"}, Stderr: io.Discard, Env: []string{
			"GIT_PROJECT_ROOT=" + directory, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
		}}
	}
	return servers
}

// countingClient makes requests and notes how many.
type countingClient struct{ count int }

func (c *countingClient) RoundTrip(request *http.Request) (*http.Response, error) {
	c.count++
	return http.DefaultTransport.RoundTrip(request)
}

// served starts a server for the repository and returns its address and
// options to reach it.
func served(t *testing.T, repository *gitRepository, handler func(string) http.Handler) (string, GitOptions, *countingClient) {
	t.Helper()
	host := httptest.NewServer(handler(filepath.Dir(repository.path)))
	t.Cleanup(host.Close)
	client := &countingClient{}
	return host.URL + "/docs.git", GitOptions{Client: &http.Client{Transport: client}}, client
}

func TestClone(t *testing.T) {
	t.Parallel()
	contents := map[string]string{"LICENSE": "free\r\n", "run.sh": "#!/bin/sh\n", "up.md": "link:docs/README.md", "out.md": "link:../../etc/passwd", "absolute.md": "link:/etc/passwd", "round": "link:round"}
	for name, text := range guide {
		contents["docs/"+name] = text
	}
	for name, handler := range gitServers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repository := newGitRepository(t, contents)
			commit := repository.head("master").Hash.String()
			tag, err := repository.opened.CreateTag("v1", plumbing.NewHash(commit), &git.CreateTagOptions{Message: "v1", Tagger: &object.Signature{Name: "A", When: testTime}})
			require.NoError(t, err)
			address, options, client := served(t, repository, handler)
			for _, reference := range []string{"", "HEAD", "master", "refs/heads/master", "v1", "refs/tags/v1", commit} {
				checkout, err := Clone(context.Background(), address, reference, "/docs/", options)
				require.NoError(t, err, reference)
				assert.Equal(t, commit, checkout.Commit, "%s is not %s", reference, tag.Hash())
				assert.Equal(t, guide, contentsOf(t, checkout.FS))
				require.NoError(t, checkout.Close())
				assert.NoDirExists(t, checkout.directory)
			}
			assert.Positive(t, client.count, "requests go through the client that was given")

			checkout, err := Clone(context.Background(), address, "", "", options)
			require.NoError(t, err)
			assert.Equal(t, "refs/heads/master", strings.Replace(checkout.Reference, "HEAD", "refs/heads/master", 1))
			result := importFS(t, checkout.FS)
			assert.Equal(t, "free\r\n", exportResult(t, result.Tree, result)["LICENSE"])
			assert.Equal(t, guide["README.md"], exportResult(t, result.Tree, result)["up.md"])
			for _, name := range []string{"out.md", "absolute.md", "round"} {
				assert.Contains(t, problemsOf(result.Report), "warning "+name+": is skipped: the symbolic link leads nowhere or out of the repository")
			}
			require.NoError(t, checkout.Close())
		})
	}
}

func TestCloneErrors(t *testing.T) {
	t.Parallel()
	repository := newGitRepository(t, map[string]string{"README.md": "# A\n", "big.bin": strings.Repeat("x", 10_000)})
	empty := newGitRepository(t, nil)
	for name, handler := range gitServers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, options, _ := served(t, repository, handler)
			emptyAddress, _, _ := served(t, empty, handler)
			small := options
			small.Limits.FileSize = 5000
			little := options
			little.Limits.TotalSize = 50
			packed := options
			packed.Limits.TotalSize = 1000
			tests := []struct {
				name, address, reference, directory string
				options                             GitOptions
				code                                fault.Code
			}{
				{"no repository", strings.Replace(address, "docs.git", "other.git", 1), "", "", options, fault.BadUserInput},
				{"empty repository", emptyAddress, "", "", options, fault.BadUserInput},
				{"branch", address, "nowhere", "", options, fault.BadUserInput},
				{"directory", address, "", "nowhere", options, fault.BadUserInput},
				{"file as directory", address, "", "README.md", options, fault.BadUserInput},
				{"directory outside", address, "", "../..", options, fault.BadUserInput},
				{"file too large", address, "", "", small, fault.LimitExceeded},
				{"pack too large", address, "", "", little, fault.LimitExceeded},
				{"unpacked too large", address, "", "", packed, fault.LimitExceeded},
				{"local", "file://" + repository.path, "", "", options, fault.BadUserInput},
				{"ssh", "ssh://example.com/x", "", "", options, fault.BadUserInput},
				{"path", repository.path, "", "", options, fault.BadUserInput},
				{"scp", "git@example.com:x", "", "", options, fault.BadUserInput},
				{"no host", "http:///x", "", "", options, fault.BadUserInput},
				{"closed port", "http://127.0.0.1:1/x.git", "", "", options, fault.Unavailable},
			}
			for _, test := range tests {
				_, err := Clone(context.Background(), test.address, test.reference, test.directory, test.options)
				require.Error(t, err, test.name)
				assert.Equal(t, test.code, fault.CodeOf(err), "%s: %v", test.name, err)
			}
			_, err := Clone(context.Background(), address, "", "", GitOptions{})
			assert.ErrorContains(t, err, "needs a client")
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			_, err = Clone(ctx, address, "", "", options)
			assert.ErrorIs(t, err, context.Canceled)
		})
	}
}

func TestCredentialsStayOutOfErrors(t *testing.T) {
	t.Parallel()
	host := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		name, password, _ := request.BasicAuth()
		assert.Equal(t, "me:secret", name+":"+password)
		http.Error(response, "no", http.StatusUnauthorized)
	}))
	t.Cleanup(host.Close)
	_, err := Clone(context.Background(), strings.Replace(host.URL, "://", "://me:secret@", 1)+"/x.git", "", "", GitOptions{Client: host.Client()})
	require.Error(t, err)
	assert.Equal(t, fault.BadUserInput, fault.CodeOf(err))
	assert.NotContains(t, err.Error(), "secret")
	_, err = Clone(context.Background(), host.URL+"/x.git", "", "", GitOptions{Client: host.Client(), Username: "me", Password: "secret"})
	require.Error(t, err)
}

// TestPackBombs offers packs whose objects are larger than they look.
func TestPackBombs(t *testing.T) {
	t.Parallel()
	limits := Limits{FileSize: 1000, TotalSize: 2000}.withDefaults()
	deflated := func(data []byte) string {
		var out bytes.Buffer
		writer := zlib.NewWriter(&out)
		_, err := writer.Write(data)
		require.NoError(t, err)
		require.NoError(t, writer.Close())
		return out.String()
	}
	header := func(kind, size int) string {
		first := kind<<4 | size&15
		size >>= 4
		var out []byte
		for size > 0 {
			out = append(out, byte(first|0x80))
			first, size = size&0x7f, size>>7
		}
		return string(append(out, byte(first)))
	}
	pack := func(objects ...string) []byte {
		data := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(objects)))
		for _, object := range objects {
			data = append(data, object...)
		}
		sum := sha1.Sum(data)
		return append(data, sum[:]...)
	}
	blob := header(3, 500) + deflated(make([]byte, 500))
	reference := strings.Repeat("\x01", 20)
	delta := func(target ...byte) string {
		data := append([]byte{5}, target...)
		return header(7, len(data)) + reference + deflated(data)
	}
	tests := []struct {
		name string
		pack []byte
		fits bool
	}{
		{"fits", pack(blob, blob), true},
		{"declared", pack(header(3, 1001) + deflated(make([]byte, 1001))), false},
		{"understated", pack(header(3, 10) + deflated(make([]byte, 100_000))), false},
		{"together", pack(blob, blob, blob, blob, blob), false},
		{"difference that fits", pack(delta(100, 0)), true},
		{"difference", pack(delta(0xff, 0xff, 0xff, 0x7f)), false},
		{"difference without end", pack(delta(bytes.Repeat([]byte{0xff}, 30)...)), false},
		{"count", binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), 1<<31), false},
		{"cut", pack(blob)[:20], false},
		{"empty", nil, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := checkPack(bytes.NewReader(test.pack), limits)
			assert.Equal(t, test.fits, err == nil, "%v", err)
		})
	}
}

// writeFiles is an export of some files.
func writeFiles(contents map[string]string) func(WriteFunc) error {
	return func(write WriteFunc) error {
		for name, text := range contents {
			if err := write(name, 0o644, strings.NewReader(text)); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestCommitAndPush(t *testing.T) {
	t.Parallel()
	start := map[string]string{"code.go": "package x\n", "docs/run.sh": "old\n", "docs/old.md": "# Old\n", "docs/keep.md": "# Keep\n", "docs/link.md": "link:keep.md", "docs/other": "link:keep.md", "docs/a/b.md": "x\n", "docs/c": "y\n"}
	author := Author{Name: "Ada", Email: "ada@example.com", Time: testTime}
	for name, handler := range gitServers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repository := newGitRepository(t, start)
			address, options, _ := served(t, repository, handler)
			push := Push{
				Reference: "master", Subdirectory: "docs", Message: "Write docs", Author: author,
				Export: writeFiles(map[string]string{"run.sh": "new\n", "new/page.md": "# New\n", "link.md": "# Keep\n", "other": "other\n", "a": "file\n", "c/d.md": "z\n"}),
				Remove: func(path string) bool { return path == "old.md" || path == "code.go" },
			}
			first, err := CommitAndPush(context.Background(), address, push, options)
			require.NoError(t, err)
			assert.True(t, first.Changed)
			contents, modes := repository.files("master")
			assert.Equal(t, map[string]string{
				"code.go": "package x\n", "docs/run.sh": "new\n", "docs/keep.md": "# Keep\n", "docs/link.md": "keep.md",
				"docs/new/page.md": "# New\n", "docs/other": "other\n", "docs/a": "file\n", "docs/c/d.md": "z\n",
			}, contents)
			assert.Equal(t, filemode.Executable, modes["docs/run.sh"])
			assert.Equal(t, filemode.Symlink, modes["docs/link.md"])
			commit := repository.head("master")
			assert.Equal(t, first.Commit, commit.Hash.String())
			assert.Equal(t, "Write docs", commit.Message)
			assert.Equal(t, "Ada", commit.Author.Name)
			assert.Equal(t, 1, commit.NumParents())

			again, err := CommitAndPush(context.Background(), address, push, options)
			require.NoError(t, err)
			assert.Equal(t, &Pushed{Commit: first.Commit, Reference: "refs/heads/master"}, again)

			push.Reference = "refs/heads/review/1"
			push.Export = writeFiles(map[string]string{"new/page.md": "# Newer\n"})
			branch, err := CommitAndPush(context.Background(), address, push, options)
			require.NoError(t, err)
			assert.True(t, branch.Changed)
			contents, _ = repository.files("review/1")
			assert.Equal(t, "# Newer\n", contents["docs/new/page.md"])
			assert.Equal(t, first.Commit, repository.head("master").Hash.String())

			moved := push
			moved.Export = func(write WriteFunc) error {
				concurrent := push
				concurrent.Export = writeFiles(map[string]string{"x.md": "first"})
				if _, err := CommitAndPush(context.Background(), address, concurrent, options); err != nil {
					return err
				}
				return write("x.md", 0o644, strings.NewReader("second"))
			}
			_, err = CommitAndPush(context.Background(), address, moved, options)
			assert.Equal(t, fault.Conflict, fault.CodeOf(err))
			contents, _ = repository.files("review/1")
			assert.Equal(t, "first", contents["docs/x.md"])

			for _, bad := range []Push{
				{Reference: "refs/tags/x"}, {Reference: ""}, {Reference: "a..b"}, {Reference: "master", Subdirectory: "../x"},
				{Reference: "master", Export: writeFiles(map[string]string{"../x": ""})},
			} {
				_, err := CommitAndPush(context.Background(), address, bad, options)
				assert.Equal(t, fault.BadUserInput, fault.CodeOf(err), "%+v", bad)
			}
			failure := errors.New("no blob")
			_, err = CommitAndPush(context.Background(), address, Push{Reference: "master", Export: func(WriteFunc) error { return failure }}, options)
			assert.ErrorIs(t, err, failure)

			empty := newGitRepository(t, nil)
			address, options, _ = served(t, empty, handler)
			_, err = CommitAndPush(context.Background(), address, Push{Reference: "main", Message: "Start", Author: author, Export: writeFiles(guide)}, options)
			require.NoError(t, err)
			contents, _ = empty.files("main")
			assert.Equal(t, guide, contents)
		})
	}
}

func TestLocalRepositories(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		return // file:// needs the git program; http does not
	}
	repository := newGitRepository(t, guide)
	checkout, err := Clone(context.Background(), "file://"+repository.path, "master", "", GitOptions{AllowLocal: true})
	require.NoError(t, err)
	assert.Equal(t, guide, contentsOf(t, checkout.FS))
	require.NoError(t, checkout.Close())
}
