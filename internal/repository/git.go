package repository

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/file"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"octavo/internal/fault"
)

const (
	objectCacheSize      = 16 << 20 // bytes
	largeObjectThreshold = 1 << 20  // bytes; larger objects are streamed
	maximumGitObjects    = 1 << 20
)

// GitOptions say how git repositories are reached.
type GitOptions struct {
	// Client makes every request. It must be given for http and https: there
	// is no default, so that no request can bypass the guarded client.
	Client *http.Client
	// Username and Password are sent to the repository's host; they take the
	// place of those in the URL.
	Username, Password string
	// AllowLocal admits file:// URLs. They run the git program of the machine
	// on a path that the caller names.
	AllowLocal bool
	Limits     Limits
}

// Checkout is the content of one commit. Its objects are in a temporary
// directory until Close.
type Checkout struct {
	// FS is the content below the sub-directory that was asked for.
	FS fs.FS
	// Commit is the id of the commit.
	Commit string
	// Message of the commit.
	Message string
	// Reference is the full name of the branch or tag; empty if a commit was
	// asked for by its id.
	Reference string

	tree      *gitTree
	objects   *filesystem.Storage
	directory string
}

// Close removes the objects.
func (c *Checkout) Close() error {
	return errors.Join(c.objects.Close(), os.RemoveAll(c.directory))
}

// Clone fetches one commit of a repository, without its history. reference is
// a branch, a tag, a full name such as refs/heads/main, or the id of a commit;
// empty for the default branch. The repository's objects are held against the
// limits before they are unpacked.
func Clone(ctx context.Context, address, reference, subdirectory string, options GitOptions) (*Checkout, error) {
	remote, err := openRemote(address, options)
	if err != nil {
		return nil, err
	}
	checkout, err := remote.clone(ctx, reference)
	if err != nil {
		return nil, err
	}
	if err := checkout.descend(subdirectory); err != nil {
		return nil, errors.Join(err, checkout.Close())
	}
	return checkout, nil
}

// descend narrows FS to a sub-directory.
func (c *Checkout) descend(subdirectory string) error {
	name, ok := cleanRelative(subdirectory)
	if !ok {
		return fault.Invalid("repoProjectDirectory", "%.200q leaves the repository", subdirectory)
	}
	if name == "" {
		return nil
	}
	info, err := fs.Stat(c.FS, name)
	if err != nil || !info.IsDir() {
		return fault.Invalid("repoProjectDirectory", "%.200q is no directory of the repository", subdirectory)
	}
	c.FS, err = fs.Sub(c.FS, name)
	if err != nil {
		return fmt.Errorf("open sub-directory: %w", err)
	}
	return nil
}

// remote is a repository elsewhere.
type remote struct {
	transport transport.Transport
	endpoint  *transport.Endpoint
	auth      transport.AuthMethod
	limits    Limits
}

func openRemote(address string, options GitOptions) (*remote, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, fault.Invalid("url", "is not a URL")
	}
	found := &remote{limits: options.Limits.withDefaults()}
	switch {
	case (parsed.Scheme == "http" || parsed.Scheme == "https") && parsed.Host != "":
		if options.Client == nil {
			return nil, errors.New("git over http needs a client")
		}
		found.transport = githttp.NewClient(options.Client)
		found.auth = credentials(parsed.User, options)
	case parsed.Scheme == "file" && options.AllowLocal:
		found.transport = file.DefaultClient
	default:
		return nil, fault.Invalid("url", "must start with https:// or http://")
	}
	parsed.User = nil
	parsed.Fragment = ""
	found.endpoint, err = transport.NewEndpoint(parsed.String())
	if err != nil {
		return nil, &fault.Error{Code: fault.BadUserInput, Field: "url", Message: "url: is not the address of a git repository", Err: err}
	}
	return found, nil
}

func credentials(inAddress *url.Userinfo, options GitOptions) transport.AuthMethod {
	if options.Username != "" || options.Password != "" {
		return &githttp.BasicAuth{Username: options.Username, Password: options.Password}
	}
	if inAddress == nil {
		return nil
	}
	password, _ := inAddress.Password()
	return &githttp.BasicAuth{Username: inAddress.Username(), Password: password}
}

// describeError turns what the other side answered into an error for callers.
func describeError(err error) error {
	var known *fault.Error
	switch {
	case err == nil, errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, transport.ErrRepositoryNotFound), errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed):
		return &fault.Error{Code: fault.BadUserInput, Field: "url", Message: "url: the repository does not exist or does not admit these credentials", Err: err}
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return &fault.Error{Code: fault.BadUserInput, Field: "url", Message: "url: the repository is empty", Err: err}
	default:
		return &fault.Error{Code: fault.Unavailable, Message: "the git repository cannot be reached or does not answer as one", Err: err}
	}
}

func (r *remote) clone(ctx context.Context, reference string) (checkout *Checkout, err error) {
	session, err := r.transport.NewUploadPackSession(r.endpoint, r.auth)
	if err != nil {
		return nil, describeError(err)
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	advertised, err := session.AdvertisedReferencesContext(ctx)
	if err != nil {
		return nil, describeError(err)
	}
	name, commit, err := findReference(advertised, reference)
	if err != nil {
		return nil, err
	}
	directory, err := os.MkdirTemp("", "octavo-git-")
	if err != nil {
		return nil, fmt.Errorf("create directory for git objects: %w", err)
	}
	checkout = &Checkout{Commit: commit.String(), Reference: name, directory: directory}
	checkout.objects = filesystem.NewStorageWithOptions(
		osfs.New(filepath.Join(directory, "git")), cache.NewObjectLRU(objectCacheSize),
		filesystem.Options{ExclusiveAccess: true, LargeObjectThreshold: largeObjectThreshold},
	)
	if err := r.fetch(ctx, session, advertised, commit, checkout); err != nil {
		return nil, errors.Join(err, checkout.Close())
	}
	return checkout, nil
}

// findReference looks up a branch, a tag or a commit in what the other side
// has to offer.
func findReference(advertised *packp.AdvRefs, asked string) (name string, commit plumbing.Hash, err error) {
	if asked == "" || asked == "HEAD" {
		if advertised.Head == nil {
			return "", plumbing.ZeroHash, fault.Invalid("ref", "the repository has no default branch")
		}
		return headName(advertised), *advertised.Head, nil
	}
	for _, candidate := range []string{asked, "refs/heads/" + asked, "refs/tags/" + asked} {
		if !strings.HasPrefix(candidate, "refs/") {
			continue
		}
		if peeled, annotated := advertised.Peeled[candidate]; annotated {
			return candidate, peeled, nil
		}
		if hash, known := advertised.References[candidate]; known {
			return candidate, hash, nil
		}
	}
	if plumbing.IsHash(asked) {
		return "", plumbing.NewHash(asked), nil
	}
	return "", plumbing.ZeroHash, fault.Invalid("ref", "%.200q is neither a branch nor a tag of the repository", asked)
}

// headName returns the branch that HEAD stands for, "HEAD" if that is not said.
func headName(advertised *packp.AdvRefs) string {
	for _, pair := range advertised.Capabilities.Get(capability.SymRef) {
		if source, target, found := strings.Cut(pair, ":"); found && source == "HEAD" {
			return target
		}
	}
	return "HEAD"
}

// fetch downloads a commit and opens its tree.
func (r *remote) fetch(ctx context.Context, session transport.UploadPackSession, advertised *packp.AdvRefs, commit plumbing.Hash, checkout *Checkout) error {
	request := packp.NewUploadPackRequestFromCapabilities(advertised.Capabilities)
	request.Wants = []plumbing.Hash{commit}
	if advertised.Capabilities.Supports(capability.Shallow) {
		request.Depth = packp.DepthCommits(1)
		if err := request.Capabilities.Set(capability.Shallow); err != nil {
			return fmt.Errorf("prepare git request: %w", err)
		}
	}
	response, err := session.UploadPack(ctx, request)
	if err != nil {
		return describeError(err)
	}
	name := filepath.Join(checkout.directory, "received.pack")
	err = r.receive(name, demultiplexed(request.Capabilities, response))
	if err := errors.Join(err, response.Close()); err != nil {
		return describeError(err)
	}
	if err := unpack(name, checkout.objects, r.limits); err != nil {
		return describeError(err)
	}
	return checkout.open(commit)
}

// demultiplexed takes the pack out of a stream that also carries messages.
func demultiplexed(agreed *capability.List, stream io.Reader) io.Reader {
	switch {
	case agreed.Supports(capability.Sideband64k):
		return sideband.NewDemuxer(sideband.Sideband64k, stream)
	case agreed.Supports(capability.Sideband):
		return sideband.NewDemuxer(sideband.Sideband, stream)
	default:
		return stream
	}
}

// receive stores a pack of limited size.
func (r *remote) receive(name string, stream io.Reader) (err error) {
	pack, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("store git pack: %w", err)
	}
	defer func() { err = errors.Join(err, pack.Close()) }()
	written, err := io.Copy(pack, io.LimitReader(stream, r.limits.TotalSize+1))
	if err != nil {
		return fmt.Errorf("receive git pack: %w", err)
	}
	if written > r.limits.TotalSize {
		return fault.New(fault.LimitExceeded, "the repository has more than %d bytes", r.limits.TotalSize)
	}
	return nil
}

// unpack adds the objects of a pack to a store, after it has looked at the
// sizes that they declare. go-git refuses objects that are larger than that.
func unpack(name string, objects *filesystem.Storage, limits Limits) (err error) {
	pack, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("read git pack: %w", err)
	}
	defer func() { err = errors.Join(err, pack.Close(), os.Remove(name)) }()
	if err := checkPack(pack, limits); err != nil {
		return err
	}
	if _, err := pack.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read git pack: %w", err)
	}
	if err := packfile.UpdateObjectStorage(objects, pack); err != nil {
		return fmt.Errorf("unpack git objects: %w", err)
	}
	return nil
}

// checkPack holds the declared sizes of the objects of a pack against the
// limits. That of an object stored as a difference stands in the difference.
func checkPack(pack io.Reader, limits Limits) error {
	// The scanner must not seek, so that it reads every object once.
	scanner := packfile.NewScanner(struct{ io.Reader }{pack})
	_, count, err := scanner.Header()
	if err != nil {
		return fmt.Errorf("read git pack: %w", err)
	}
	if count > maximumGitObjects {
		return fault.New(fault.LimitExceeded, "the repository has more than %d git objects", maximumGitObjects)
	}
	var total int64
	for range count {
		header, err := scanner.NextObjectHeader()
		if err != nil {
			return fmt.Errorf("read git pack: %w", err)
		}
		size := header.Length
		if size > limits.FileSize {
			return fault.New(fault.LimitExceeded, "a file of the repository has more than %d bytes", limits.FileSize)
		}
		start := &deltaStart{}
		if _, _, err := scanner.NextObject(start); err != nil {
			return fmt.Errorf("read git pack: %w", err)
		}
		if header.Type.IsDelta() {
			size = max(size, start.targetSize())
		}
		if size > limits.FileSize {
			return fault.New(fault.LimitExceeded, "a file of the repository has more than %d bytes", limits.FileSize)
		}
		if total += size; total > limits.TotalSize {
			return fault.New(fault.LimitExceeded, "the repository has more than %d bytes", limits.TotalSize)
		}
	}
	return nil
}

// deltaStart keeps the first bytes of an object: in a difference they hold the
// sizes of what it starts from and of what it makes.
type deltaStart struct{ data []byte }

// Write implements io.Writer.
func (d *deltaStart) Write(data []byte) (int, error) {
	const sizes = 20 // two numbers of at most 64 bits, seven to a byte
	if missing := sizes - len(d.data); missing > 0 {
		d.data = append(d.data, data[:min(missing, len(data))]...)
	}
	return len(data), nil
}

func (d *deltaStart) targetSize() int64 {
	_, rest := sizeAndRest(d.data)
	size, _ := sizeAndRest(rest)
	return size
}

// sizeAndRest reads a number whose bytes hold seven bits each, the lowest
// first. A number that does not fit is as large as can be.
func sizeAndRest(data []byte) (int64, []byte) {
	const largest = 1<<63 - 1
	var size int64
	for index, octet := range data {
		if index == 9 {
			return largest, nil
		}
		size |= int64(octet&0x7f) << (7 * index)
		if octet&0x80 == 0 {
			return size, data[index+1:]
		}
	}
	return size, nil
}

// open finds the tree of a commit, or of the commit that a tag names.
func (c *Checkout) open(hash plumbing.Hash) error {
	commit, err := object.GetCommit(c.objects, hash)
	if tag, tagError := object.GetTag(c.objects, hash); tagError == nil {
		commit, err = tag.Commit()
	}
	if err != nil {
		return fault.Invalid("ref", "does not name a commit")
	}
	tree, err := commit.Tree()
	if err != nil {
		return fmt.Errorf("read git tree: %w", err)
	}
	c.Commit = commit.Hash.String()
	c.Message = commit.Message
	c.tree = newGitTree(c.objects, tree)
	c.FS = c.tree
	return nil
}
