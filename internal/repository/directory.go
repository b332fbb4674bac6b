package repository

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"octavo/internal/fault"
)

// Directory is a directory of the machine that is read from or written to.
// Nothing outside it is reached, not through symbolic links either.
type Directory struct {
	root *os.Root
}

// OpenDirectory opens a directory. The caller closes it.
func OpenDirectory(name string) (*Directory, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, openError(name, err)
	}
	return &Directory{root: root}, nil
}

// CreateDirectory makes a directory, with those above it, unless it exists, and
// opens it.
func CreateDirectory(name string) (*Directory, error) {
	if err := os.MkdirAll(name, 0o755); err != nil {
		return nil, openError(name, err)
	}
	return OpenDirectory(name)
}

func openError(name string, err error) error {
	return &fault.Error{Code: fault.BadUserInput, Field: "directory", Message: fmt.Sprintf("directory: %q cannot be opened", name), Err: err}
}

// FS returns the content of the directory.
func (d *Directory) FS() fs.FS { return d.root.FS() }

// Close releases the directory.
func (d *Directory) Close() error { return d.root.Close() }

// Write is a WriteFunc for Export. An existing file is replaced; a symbolic
// link in its place is removed, not followed.
func (d *Directory) Write(name string, mode fs.FileMode, source io.Reader) (err error) {
	if directory := path.Dir(name); directory != "." {
		if err := d.root.MkdirAll(directory, 0o755); err != nil {
			return fmt.Errorf("create directory for %s: %w", name, err)
		}
	}
	if err := d.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace %s: %w", name, err)
	}
	file, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode.Perm())
	if err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := io.Copy(file, source); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
