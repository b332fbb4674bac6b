package repository

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"octavo/internal/fault"
)

// ratioFloor is the size of contents below which the ratio of an archive does
// not matter.
const ratioFloor = 10 << 20

// OpenZip opens a zip archive of size bytes. It refuses archives whose entries
// have unsafe or repeated names, or whose declared sizes break the limits; that
// the sizes are true is checked while the entries are read. An archive that
// holds nothing but one directory with a repository is opened at that
// directory.
func OpenZip(source io.ReaderAt, size int64, limits Limits) (fs.FS, error) {
	limits = limits.withDefaults()
	if size > limits.TotalSize {
		return nil, fault.New(fault.LimitExceeded, "the archive has more than %d bytes", limits.TotalSize)
	}
	reader, err := zip.NewReader(source, size)
	if err != nil {
		return nil, &fault.Error{Code: fault.BadUserInput, Field: "archive", Message: "archive: is not a valid zip archive", Err: err}
	}
	if err := checkArchive(reader.File, size, limits); err != nil {
		return nil, err
	}
	return unwrap(&archive{files: reader, limits: limits})
}

// checkArchive holds the entries of an archive against the limits.
func checkArchive(entries []*zip.File, size int64, limits Limits) error {
	kinds := make(map[string]bool, len(entries)) // path → is a directory
	files := 0
	var total int64
	for _, entry := range entries {
		name, isDirectory := strings.CutSuffix(entry.Name, "/")
		if err := limits.checkPath(name); err != nil {
			return err
		}
		if known, repeated := kinds[name]; repeated && !(known && isDirectory) {
			return fault.Invalid("archive", "%.200q stands in it twice", name)
		}
		kinds[name] = isDirectory
		if isDirectory {
			continue
		}
		if files++; files > limits.Files {
			return fault.New(fault.LimitExceeded, "the archive has more than %d files", limits.Files)
		}
		if entry.UncompressedSize64 > uint64(limits.FileSize) {
			return fault.New(fault.LimitExceeded, "%.200s has more than %d bytes", name, limits.FileSize)
		}
		if total += int64(entry.UncompressedSize64); total > limits.TotalSize {
			return fault.New(fault.LimitExceeded, "the archive holds more than %d bytes", limits.TotalSize)
		}
	}
	if total > ratioFloor && total/max(size, 1) > limits.Ratio {
		return fault.New(fault.LimitExceeded, "the archive expands more than %d times", limits.Ratio)
	}
	return checkParents(kinds)
}

// checkParents refuses a file that stands in another file.
func checkParents(kinds map[string]bool) error {
	for name := range kinds {
		for parent := path.Dir(name); parent != "."; parent = path.Dir(parent) {
			if isDirectory, known := kinds[parent]; known && !isDirectory {
				return fault.Invalid("archive", "%.200q is both a file and a directory", parent)
			}
		}
	}
	return nil
}

// archive is a zip archive whose entries cannot yield more than the limit for a
// file, whatever they declare.
type archive struct {
	files  fs.FS
	limits Limits
}

// Open implements fs.FS.
func (a *archive) Open(name string) (fs.File, error) {
	file, err := a.files.Open(name)
	if err != nil {
		return nil, err
	}
	if directory, ok := file.(fs.ReadDirFile); ok {
		return directory, nil
	}
	return &boundedFile{File: file, name: name, left: a.limits.FileSize}, nil
}

type boundedFile struct {
	fs.File
	name string
	left int64
}

func (f *boundedFile) Read(buffer []byte) (int, error) {
	count, err := f.File.Read(buffer)
	if f.left -= int64(count); f.left < 0 {
		return 0, fault.New(fault.LimitExceeded, "%.200s has more bytes than it declares", f.name)
	}
	return count, err
}

// unwrap descends into the one directory that holds everything, as in archives
// that code hosts make.
func unwrap(files fs.FS) (fs.FS, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, fmt.Errorf("read archive: %w", err)
	}
	if len(entries) != 1 || !entries[0].IsDir() {
		return files, nil
	}
	inside, err := fs.Sub(files, entries[0].Name())
	if err != nil {
		return nil, fmt.Errorf("read archive: %w", err)
	}
	for _, name := range []string{configurationName, defaultSummaryPath, readmeName} {
		if info, err := fs.Stat(inside, name); err == nil && !info.IsDir() {
			return inside, nil
		}
	}
	return files, nil
}
