package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"octavo/internal/fault"
	"octavo/internal/repository"
	"octavo/internal/revision"
)

// Opened is a repository that is ready to be imported. It must be closed.
type Opened struct {
	Source
	close func() error
}

// Close releases the repository.
func (o *Opened) Close() error { return o.close() }

// OpenSource opens what an operator names: a directory, a zip archive, or the
// http or https address of a git repository. reference is for git alone.
// subdirectory is where the content is in the repository; it may be empty.
func (s *Service) OpenSource(ctx context.Context, name, reference, subdirectory string) (*Opened, error) {
	if strings.Contains(name, "://") {
		return s.openGit(ctx, name, reference, subdirectory)
	}
	if reference != "" {
		return nil, fault.Invalid("ref", "only git repositories have branches and tags, and %q is none", name)
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, &fault.Error{Code: fault.BadUserInput, Field: "source", Message: fmt.Sprintf("source: %q cannot be read", name), Err: err}
	}
	if info.IsDir() {
		return openDirectory(name, subdirectory)
	}
	return s.openArchive(name, subdirectory)
}

func (s *Service) openGit(ctx context.Context, address, reference, subdirectory string) (*Opened, error) {
	checkout, err := repository.Clone(ctx, address, reference, subdirectory, s.gitOptions())
	if err != nil {
		return nil, err
	}
	git := &revision.Git{OID: checkout.Commit, Message: checkout.Message, URL: withoutCredentials(address), Ref: checkout.Reference}
	return &Opened{Source: Source{FS: checkout.FS, Git: git}, close: checkout.Close}, nil
}

func openDirectory(name, subdirectory string) (*Opened, error) {
	directory, err := repository.OpenDirectory(name)
	if err != nil {
		return nil, err
	}
	files, err := below(directory.FS(), subdirectory)
	if err != nil {
		return nil, errors.Join(err, directory.Close())
	}
	return &Opened{Source: Source{FS: files}, close: directory.Close}, nil
}

func (s *Service) openArchive(name, subdirectory string) (*Opened, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open the archive: %w", err)
	}
	files, err := s.readArchive(file, subdirectory)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Opened{Source: Source{FS: files}, close: file.Close}, nil
}

func (s *Service) readArchive(file *os.File, subdirectory string) (fs.FS, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("open the archive: %w", err)
	}
	files, err := repository.OpenZip(file, info.Size(), s.limits)
	if err != nil {
		return nil, err
	}
	return below(files, subdirectory)
}

// below narrows a file system to a directory.
func below(files fs.FS, subdirectory string) (fs.FS, error) {
	name := path.Clean(strings.Trim(subdirectory, "/"))
	if name == "." {
		return files, nil
	}
	if info, err := fs.Stat(files, name); err != nil || !info.IsDir() {
		return nil, fault.Invalid("subdirectory", "%q is no directory of the repository", subdirectory)
	}
	return fs.Sub(files, name)
}
