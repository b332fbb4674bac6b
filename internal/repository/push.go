package repository

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/storage/memory"

	"octavo/internal/fault"
)

// deltaWindow is how many objects git compares when it looks for differences
// to send instead of whole objects.
const deltaWindow = 10

// Author is who made a commit.
type Author struct {
	Name, Email string
	Time        time.Time
}

// Push describes a commit to make.
type Push struct {
	// Reference is a branch, by its short or full name. It is made, from the
	// default branch, if it does not exist.
	Reference string
	// Subdirectory is the directory that the exported paths start from.
	Subdirectory string
	Message      string
	Author       Author
	// Expected is the id of the commit that the branch must be at; empty when
	// any will do, or there is no branch yet.
	Expected string
	// Export writes the files: Export of this package, or anything else.
	Export func(write WriteFunc) error
	// Remove tells whether a file of the branch that Export does not write is
	// to be deleted. Paths start from Subdirectory. Without it nothing is
	// deleted. Usually it asks whether the last import or export knew the file.
	Remove func(path string) bool
}

// Pushed is the outcome of CommitAndPush.
type Pushed struct {
	Commit    string // id of the commit that the branch is at
	Reference string // full name of the branch
	Changed   bool   // false if the branch already had this content
}

// CommitAndPush puts one commit with the exported files on a branch. Files that
// Export does not write stay as they are, and so do the modes of files that it
// does write. The branch is never forced: if it is not where it is expected, or
// moved meanwhile, the error is a Conflict.
func CommitAndPush(ctx context.Context, address string, push Push, options GitOptions) (*Pushed, error) {
	remote, err := openRemote(address, options)
	if err != nil {
		return nil, err
	}
	reference, err := branchName(push.Reference)
	if err != nil {
		return nil, err
	}
	prefix, ok := cleanRelative(push.Subdirectory)
	if !ok {
		return nil, fault.Invalid("repoProjectDirectory", "%.200q leaves the repository", push.Subdirectory)
	}
	base, err := remote.base(ctx, reference)
	if err != nil {
		return nil, err
	}
	if push.Expected != "" && !base.old.IsZero() && base.old.String() != push.Expected {
		return nil, errors.Join(fault.New(fault.Conflict, "the branch %s has commits that were not imported", reference.Short()), base.close())
	}
	pushed, err := remote.commitAndPush(ctx, push, base, reference, prefix)
	return pushed, errors.Join(err, base.close())
}

// branchName returns the full name of a branch.
func branchName(name string) (plumbing.ReferenceName, error) {
	reference := plumbing.ReferenceName(name)
	if !strings.HasPrefix(name, "refs/") {
		reference = plumbing.NewBranchReferenceName(name)
	}
	if !reference.IsBranch() || reference.Validate() != nil {
		return "", fault.Invalid("ref", "%.200q is not the name of a branch", name)
	}
	return reference, nil
}

// base is the state of the branch that a commit goes on top of.
type base struct {
	old      plumbing.Hash // what the branch is at, zero if it is to be made
	checkout *Checkout     // nil for an empty repository
}

func (b *base) close() error {
	if b.checkout == nil {
		return nil
	}
	return b.checkout.Close()
}

// base fetches the branch, or the default branch to start it from.
func (r *remote) base(ctx context.Context, reference plumbing.ReferenceName) (*base, error) {
	found, err := r.clone(ctx, reference.String())
	if err == nil {
		return &base{old: plumbing.NewHash(found.Commit), checkout: found}, nil
	}
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		return &base{}, nil
	}
	var unknown *fault.Error
	if !errors.As(err, &unknown) || unknown.Field != "ref" {
		return nil, err
	}
	found, err = r.clone(ctx, "")
	if err != nil {
		return nil, err
	}
	return &base{checkout: found}, nil
}

func (r *remote) commitAndPush(ctx context.Context, push Push, from *base, reference plumbing.ReferenceName, prefix string) (*Pushed, error) {
	work, err := newGitChange(from.checkout, r.limits)
	if err != nil {
		return nil, err
	}
	if err := push.Export(work.writer(prefix)); err != nil {
		return nil, err
	}
	work.remove(prefix, push.Remove)
	tree, err := work.writeTree()
	if err != nil {
		return nil, err
	}
	if from.checkout != nil && tree == from.checkout.tree.root.Hash && !from.old.IsZero() {
		return &Pushed{Commit: from.old.String(), Reference: reference.String()}, nil
	}
	commit, err := work.writeCommit(push, tree, from.checkout)
	if err != nil {
		return nil, err
	}
	if err := r.push(ctx, reference, from.old, commit, work); err != nil {
		return nil, err
	}
	return &Pushed{Commit: commit.String(), Reference: reference.String(), Changed: true}, nil
}

// gitChange is a commit in the making: what the tree holds, and the objects
// that the other side does not have.
type gitChange struct {
	base    *gitTree // nil for an empty repository
	files   map[string]object.TreeEntry
	written map[string]bool
	known   map[plumbing.Hash]bool
	created *memory.Storage
	limits  Limits
}

func newGitChange(from *Checkout, limits Limits) (*gitChange, error) {
	change := &gitChange{
		files: map[string]object.TreeEntry{}, written: map[string]bool{},
		known: map[plumbing.Hash]bool{}, created: memory.NewStorage(), limits: limits,
	}
	if from == nil {
		return change, nil
	}
	change.base = from.tree
	return change, change.list(from.tree.root.Hash, "")
}

// list notes every file, symbolic link and submodule of the base.
func (c *gitChange) list(tree plumbing.Hash, directory string) error {
	c.known[tree] = true
	entries, err := c.base.list(object.TreeEntry{Hash: tree})
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name
		if directory != "" {
			name = directory + "/" + name
		}
		c.known[entry.Hash] = true
		if entry.Mode != filemode.Dir {
			c.files[name] = entry
			continue
		}
		if strings.Count(name, "/") >= c.limits.PathDepth {
			return fault.New(fault.LimitExceeded, "path %.200q is deeper than %d levels", name, c.limits.PathDepth)
		}
		if err := c.list(entry.Hash, name); err != nil {
			return err
		}
	}
	return nil
}

// writer returns the function that an export writes with.
func (c *gitChange) writer(prefix string) WriteFunc {
	return func(name string, _ fs.FileMode, source io.Reader) error {
		if err := c.limits.checkPath(name); err != nil {
			return err
		}
		data, err := io.ReadAll(io.LimitReader(source, c.limits.FileSize+1))
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if int64(len(data)) > c.limits.FileSize {
			return fault.New(fault.LimitExceeded, "%s has more than %d bytes", name, c.limits.FileSize)
		}
		return c.write(path.Join(prefix, name), data)
	}
}

func (c *gitChange) write(name string, data []byte) error {
	c.written[name] = true
	hash := plumbing.ComputeHash(plumbing.BlobObject, data)
	previous, existed := c.files[name]
	if existed && previous.Mode == filemode.Symlink && c.leadsTo(name, hash) {
		return nil
	}
	entry := object.TreeEntry{Mode: filemode.Regular, Hash: hash}
	if existed && previous.Mode == filemode.Executable {
		entry.Mode = filemode.Executable
	}
	c.files[name] = entry
	return c.create(plumbing.BlobObject, hash, func(blob *plumbing.MemoryObject) error {
		_, err := blob.Write(data)
		return err
	})
}

// leadsTo tells whether a symbolic link of the base already gives this content.
func (c *gitChange) leadsTo(name string, hash plumbing.Hash) bool {
	info, err := c.base.resolve(name, true)
	return err == nil && info.entry.Hash == hash
}

// create stores an object that the other side does not have.
func (c *gitChange) create(kind plumbing.ObjectType, hash plumbing.Hash, fill func(*plumbing.MemoryObject) error) error {
	if c.known[hash] {
		return nil
	}
	created := &plumbing.MemoryObject{}
	created.SetType(kind)
	if err := fill(created); err != nil {
		return fmt.Errorf("write git object: %w", err)
	}
	if _, err := c.created.SetEncodedObject(created); err != nil {
		return fmt.Errorf("write git object: %w", err)
	}
	c.known[created.Hash()] = true
	return nil
}

// remove deletes the files below prefix that were not written and that the
// caller wants gone. Symbolic links and submodules stay.
func (c *gitChange) remove(prefix string, wanted func(string) bool) {
	if wanted == nil {
		return
	}
	for name, entry := range c.files {
		relative := belowRoot(prefix, name)
		inside := prefix == "" || relative != name
		if inside && !c.written[name] && entry.Mode.IsFile() && entry.Mode != filemode.Symlink && wanted(relative) {
			delete(c.files, name)
		}
	}
}

// writeTree stores the trees and returns the id of the topmost.
func (c *gitChange) writeTree() (plumbing.Hash, error) {
	directories := map[string][]object.TreeEntry{"": nil}
	needed := c.neededDirectories()
	for name, entry := range c.files {
		if needed[name] || !c.written[name] && c.isReplaced(name) {
			continue
		}
		entry.Name = path.Base(name)
		directories[directoryOf(name)] = append(directories[directoryOf(name)], entry)
		for parent := directoryOf(name); parent != ""; parent = directoryOf(parent) {
			if _, known := directories[directoryOf(parent)]; !known {
				directories[directoryOf(parent)] = nil
			}
		}
	}
	names := make([]string, 0, len(directories))
	for name := range directories {
		names = append(names, name)
	}
	// The deepest first: the id of a tree depends on those of its sub-trees.
	slices.SortFunc(names, func(a, b string) int { return depth(b) - depth(a) })
	var top plumbing.Hash
	for _, name := range names {
		hash, err := c.writeDirectory(directories[name])
		if err != nil {
			return plumbing.ZeroHash, err
		}
		if name == "" {
			top = hash
			continue
		}
		directories[directoryOf(name)] = append(directories[directoryOf(name)],
			object.TreeEntry{Name: path.Base(name), Mode: filemode.Dir, Hash: hash})
	}
	return top, nil
}

// neededDirectories returns the directories of the written files.
func (c *gitChange) neededDirectories() map[string]bool {
	needed := map[string]bool{}
	for name := range c.written {
		for parent := directoryOf(name); parent != "" && !needed[parent]; parent = directoryOf(parent) {
			needed[parent] = true
		}
	}
	return needed
}

// isReplaced tells whether a file was written where a directory of this one is.
func (c *gitChange) isReplaced(name string) bool {
	for parent := directoryOf(name); parent != ""; parent = directoryOf(parent) {
		if c.written[parent] {
			return true
		}
	}
	return false
}

func depth(directory string) int {
	if directory == "" {
		return 0
	}
	return strings.Count(directory, "/") + 1
}

func (c *gitChange) writeDirectory(entries []object.TreeEntry) (plumbing.Hash, error) {
	slices.SortFunc(entries, func(a, b object.TreeEntry) int { return strings.Compare(sortName(a), sortName(b)) })
	encoded := &plumbing.MemoryObject{}
	if err := (&object.Tree{Entries: entries}).Encode(encoded); err != nil {
		return plumbing.ZeroHash, fmt.Errorf("write git tree: %w", err)
	}
	hash := encoded.Hash()
	return hash, c.create(plumbing.TreeObject, hash, func(tree *plumbing.MemoryObject) error {
		return (&object.Tree{Entries: entries}).Encode(tree)
	})
}

// sortName is what git sorts the entries of a tree by.
func sortName(entry object.TreeEntry) string {
	if entry.Mode == filemode.Dir {
		return entry.Name + "/"
	}
	return entry.Name
}

func (c *gitChange) writeCommit(push Push, tree plumbing.Hash, from *Checkout) (plumbing.Hash, error) {
	signature := object.Signature{Name: push.Author.Name, Email: push.Author.Email, When: push.Author.Time}
	commit := object.Commit{Author: signature, Committer: signature, Message: push.Message, TreeHash: tree}
	if from != nil {
		commit.ParentHashes = []plumbing.Hash{plumbing.NewHash(from.Commit)}
	}
	encoded := &plumbing.MemoryObject{}
	if err := commit.Encode(encoded); err != nil {
		return plumbing.ZeroHash, fmt.Errorf("write git commit: %w", err)
	}
	hash, err := c.created.SetEncodedObject(encoded)
	if err != nil {
		return plumbing.ZeroHash, fmt.Errorf("write git commit: %w", err)
	}
	return hash, nil
}

// push sends the new objects and moves the branch.
func (r *remote) push(ctx context.Context, reference plumbing.ReferenceName, old, commit plumbing.Hash, work *gitChange) (err error) {
	session, err := r.transport.NewReceivePackSession(r.endpoint, r.auth)
	if err != nil {
		return describeError(err)
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	advertised, err := session.AdvertisedReferencesContext(ctx)
	switch {
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		advertised = packp.NewAdvRefs()
	case err != nil:
		return describeError(err)
	}
	if current := advertised.References[reference.String()]; current != old {
		return fault.New(fault.Conflict, "the branch %s moved meanwhile", reference.Short())
	}
	pack, err := work.pack()
	if err != nil {
		return err
	}
	request := packp.NewReferenceUpdateRequestFromCapabilities(advertised.Capabilities)
	request.Commands = []*packp.Command{{Name: reference, Old: old, New: commit}}
	request.Packfile = io.NopCloser(bytes.NewReader(pack))
	report, err := session.ReceivePack(ctx, request)
	if report != nil && report.Error() != nil {
		return &fault.Error{Code: fault.Conflict, Message: "the repository refused the commit", Err: report.Error()}
	}
	return describeError(err)
}

// pack writes the new objects the way they are sent.
func (c *gitChange) pack() ([]byte, error) {
	var hashes []plumbing.Hash
	objects, err := c.created.IterEncodedObjects(plumbing.AnyObject)
	if err != nil {
		return nil, fmt.Errorf("list git objects: %w", err)
	}
	err = objects.ForEach(func(created plumbing.EncodedObject) error {
		hashes = append(hashes, created.Hash())
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list git objects: %w", err)
	}
	slices.SortFunc(hashes, func(a, b plumbing.Hash) int { return bytes.Compare(a[:], b[:]) })
	var pack bytes.Buffer
	encoder := packfile.NewEncoder(&pack, c.created, false)
	if _, err := encoder.Encode(hashes, deltaWindow); err != nil {
		return nil, fmt.Errorf("write git pack: %w", err)
	}
	return pack.Bytes(), nil
}
