package repository

import (
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
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// maximumLinkLength is the most bytes of a symbolic link's target.
const maximumLinkLength = 4096

// maximumLinks is the most symbolic links that one path may lead through.
const maximumLinks = 40

// gitTree is the content of a commit as a file system. It reads git's objects
// themselves: nothing is checked out, so no line ending is changed, and a
// symbolic link can lead nowhere but to a path of the same commit.
type gitTree struct {
	objects storer.EncodedObjectStorer
	root    *object.Tree
	trees   map[plumbing.Hash]*object.Tree
}

func newGitTree(objects storer.EncodedObjectStorer, root *object.Tree) *gitTree {
	return &gitTree{objects: objects, root: root, trees: map[plumbing.Hash]*object.Tree{root.Hash: root}}
}

var errNotDirectory = errors.New("not a directory")

// Open implements fs.FS.
func (t *gitTree) Open(name string) (fs.File, error) {
	info, err := t.resolve(name, true)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	if info.IsDir() {
		entries, err := t.list(info.entry)
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		return &gitDirectory{info: info, entries: entries}, nil
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	blob, err := object.GetBlob(t.objects, info.entry.Hash)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	reader, err := blob.Reader()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &gitFile{ReadCloser: reader, info: info}, nil
}

// Stat implements fs.StatFS. It follows symbolic links.
func (t *gitTree) Stat(name string) (fs.FileInfo, error) {
	info, err := t.resolve(name, true)
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return info, nil
}

// resolve walks a path from the root. follow tells whether the last part may be
// a symbolic link that is followed; those before always are.
func (t *gitTree) resolve(name string, follow bool) (*gitInfo, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrInvalid
	}
	top := &gitInfo{tree: t, entry: object.TreeEntry{Name: ".", Mode: filemode.Dir, Hash: t.root.Hash}}
	stack := []*gitInfo{top}
	rest := strings.Split(name, "/")
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(stack) == 1 {
				return nil, fs.ErrNotExist
			}
			stack = stack[:len(stack)-1]
			continue
		}
		next, err := t.child(stack[len(stack)-1], part)
		if err != nil {
			return nil, err
		}
		if next.entry.Mode != filemode.Symlink || len(rest) == 0 && !follow {
			stack = append(stack, next)
			continue
		}
		if links++; links > maximumLinks {
			return nil, fs.ErrNotExist
		}
		target, err := t.linkTarget(next.entry.Hash)
		if err != nil {
			return nil, err
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return stack[len(stack)-1], nil
}

func (t *gitTree) child(directory *gitInfo, name string) (*gitInfo, error) {
	if !directory.IsDir() {
		return nil, errNotDirectory
	}
	entries, err := t.list(directory.entry)
	if err != nil {
		return nil, err
	}
	index := slices.IndexFunc(entries, func(entry object.TreeEntry) bool { return entry.Name == name })
	if index < 0 {
		return nil, fs.ErrNotExist
	}
	return &gitInfo{tree: t, entry: entries[index]}, nil
}

func (t *gitTree) list(directory object.TreeEntry) ([]object.TreeEntry, error) {
	if tree := t.trees[directory.Hash]; tree != nil {
		return tree.Entries, nil
	}
	tree, err := object.GetTree(t.objects, directory.Hash)
	if err != nil {
		return nil, fmt.Errorf("read git tree: %w", err)
	}
	t.trees[directory.Hash] = tree
	return tree.Entries, nil
}

// linkTarget reads the target of a symbolic link. Absolute targets lead out of
// the repository.
func (t *gitTree) linkTarget(hash plumbing.Hash) (target string, err error) {
	blob, err := object.GetBlob(t.objects, hash)
	if err != nil {
		return "", fmt.Errorf("read symbolic link: %w", err)
	}
	if blob.Size > maximumLinkLength {
		return "", fs.ErrNotExist
	}
	reader, err := blob.Reader()
	if err != nil {
		return "", fmt.Errorf("read symbolic link: %w", err)
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	data, err := io.ReadAll(reader)
	if err != nil {
		return "", fmt.Errorf("read symbolic link: %w", err)
	}
	if path.IsAbs(string(data)) {
		return "", fs.ErrNotExist
	}
	return string(data), nil
}

// gitInfo describes an entry of a git tree.
type gitInfo struct {
	tree  *gitTree
	entry object.TreeEntry
	size  int64
	sized bool
}

func (i *gitInfo) Name() string       { return i.entry.Name }
func (i *gitInfo) IsDir() bool        { return i.entry.Mode == filemode.Dir }
func (i *gitInfo) ModTime() time.Time { return time.Time{} }
func (i *gitInfo) Sys() any           { return i.entry.Hash.String() }
func (i *gitInfo) Type() fs.FileMode  { return i.Mode().Type() }

// Info implements fs.DirEntry.
func (i *gitInfo) Info() (fs.FileInfo, error) {
	if !i.sized && i.Mode().IsRegular() {
		size, err := i.tree.objects.EncodedObjectSize(i.entry.Hash)
		if err != nil {
			return nil, fmt.Errorf("read size of %s: %w", i.entry.Name, err)
		}
		i.size, i.sized = size, true
	}
	return i, nil
}

// Size implements fs.FileInfo. It is 0 for an object that is missing: reading
// it fails.
func (i *gitInfo) Size() int64 {
	if _, err := i.Info(); err != nil {
		return 0
	}
	return i.size
}

// Mode implements fs.FileInfo.
func (i *gitInfo) Mode() fs.FileMode {
	switch i.entry.Mode {
	case filemode.Dir:
		return fs.ModeDir | 0o755
	case filemode.Regular, filemode.Deprecated:
		return 0o644
	case filemode.Executable:
		return 0o755
	case filemode.Symlink:
		return fs.ModeSymlink | 0o777
	default: // a submodule
		return fs.ModeIrregular
	}
}

type gitFile struct {
	io.ReadCloser
	info *gitInfo
}

// Stat implements fs.File.
func (f *gitFile) Stat() (fs.FileInfo, error) { return f.info.Info() }

type gitDirectory struct {
	info    *gitInfo
	entries []object.TreeEntry
}

// Stat implements fs.File.
func (d *gitDirectory) Stat() (fs.FileInfo, error) { return d.info, nil }

// Read implements fs.File.
func (d *gitDirectory) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.entry.Name, Err: fs.ErrInvalid}
}

// Close implements fs.File.
func (d *gitDirectory) Close() error { return nil }

// ReadDir implements fs.ReadDirFile.
func (d *gitDirectory) ReadDir(count int) ([]fs.DirEntry, error) {
	if count <= 0 || count > len(d.entries) {
		if count > 0 && len(d.entries) == 0 {
			return nil, io.EOF
		}
		count = len(d.entries)
	}
	listed := make([]fs.DirEntry, count)
	for index, entry := range d.entries[:count] {
		listed[index] = &gitInfo{tree: d.info.tree, entry: entry}
	}
	d.entries = d.entries[count:]
	return listed, nil
}
