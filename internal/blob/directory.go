package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"octavo/internal/content"
)

const (
	// stagingDirectory holds files whose hash is not known yet.
	stagingDirectory = "incoming"
	// staleAfter is the age at which a staged file is taken for what a process
	// that died has left.
	staleAfter = 24 * time.Hour

	directoryMode fs.FileMode = 0o750
	objectMode    fs.FileMode = 0o640
)

// directory keeps files in a directory of the machine.
type directory struct{ root *os.Root }

func openDirectory(name string) (*directory, error) {
	if err := os.MkdirAll(name, directoryMode); err != nil {
		return nil, fmt.Errorf("directory of files: %w", err)
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, fmt.Errorf("directory of files: %w", err)
	}
	opened := &directory{root: root}
	if err := opened.sweep(); err != nil {
		return nil, errors.Join(fmt.Errorf("directory of files: %w", err), root.Close())
	}
	return opened, nil
}

// sweep removes what processes that died have left.
func (d *directory) sweep() error {
	if err := d.root.MkdirAll(stagingDirectory, directoryMode); err != nil {
		return err
	}
	entries, err := fs.ReadDir(d.root.FS(), stagingDirectory)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && time.Since(info.ModTime()) < staleAfter {
			continue
		}
		if err != nil {
			return err
		}
		if err := d.root.Remove(path.Join(stagingDirectory, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (d *directory) stage() (staged, error) {
	name := path.Join(stagingDirectory, rand.Text())
	file, err := d.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, objectMode)
	if err != nil {
		return nil, err
	}
	return &stagedFile{File: file, remove: func() error { return d.root.Remove(name) }, name: name}, nil
}

// stagedFile is a temporary file.
type stagedFile struct {
	*os.File
	name   string
	remove func() error
	gone   bool
}

func (f *stagedFile) discard() error {
	if f.gone {
		return nil
	}
	f.gone = true
	return errors.Join(f.Close(), f.remove())
}

// keep writes the bytes to the disk before they get their name, and the name
// before it returns.
func (d *directory) keep(_ context.Context, hash content.Hash, _ int64, from staged) error {
	file, ok := from.(*stagedFile)
	if !ok {
		return fmt.Errorf("a %T was staged elsewhere", from)
	}
	if err := file.Sync(); err != nil {
		return err
	}
	parent, name := objectName(hash)
	if err := d.root.MkdirAll(parent, directoryMode); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := d.root.Rename(file.name, name); err != nil {
		return errors.Join(err, file.remove())
	}
	file.gone = true
	return errors.Join(d.syncDirectory(parent), d.syncDirectory("."))
}

func (d *directory) syncDirectory(name string) error {
	opened, err := d.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}

func (d *directory) open(_ context.Context, hash content.Hash) (*Reader, error) {
	_, name := objectName(hash)
	file, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Reader{ReadSeekCloser: file, Size: info.Size()}, nil
}

func (d *directory) size(_ context.Context, hash content.Hash) (int64, error) {
	_, name := objectName(hash)
	info, err := d.root.Stat(name)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (d *directory) storedAt(_ context.Context, hash content.Hash) (time.Time, error) {
	_, name := objectName(hash)
	info, err := d.root.Stat(name)
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

func (d *directory) list(ctx context.Context, visit func(name string, stored time.Time) error) error {
	return fs.WalkDir(d.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name == stagingDirectory {
				return fs.SkipDir
			}
			return nil
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return visit(entry.Name(), info.ModTime())
	})
}

func (d *directory) remove(_ context.Context, hash content.Hash) error {
	_, name := objectName(hash)
	err := d.root.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (d *directory) close() error { return d.root.Close() }
