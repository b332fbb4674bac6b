package repository

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"unicode/utf8"

	"octavo/internal/fault"
)

// scannedFile is a file that was found below the content root.
type scannedFile struct {
	path string // below the content root
	size int64
	// text is the content of a Markdown file.
	text []byte
	oid  string
}

// scan is what was found below the content root.
type scan struct {
	files  []*scannedFile // by path
	byPath map[string]*scannedFile
}

// fileKind tells what a path of the content holds.
type fileKind int

const (
	fileAbsent fileKind = iota
	fileText            // Markdown
	fileOther
)

func (s *scan) kind(name string) fileKind {
	switch file := s.byPath[name]; {
	case file == nil:
		return fileAbsent
	case file.text != nil:
		return fileText
	default:
		return fileOther
	}
}

// scanner walks a file system within limits.
type scanner struct {
	ctx    context.Context
	fs     fs.FS
	limits Limits
	report *Report
	total  int64
}

// scan lists the files below the root, which is a path for fs.Sub.
func (s *scanner) scan(root string) (*scan, error) {
	found := &scan{byPath: map[string]*scannedFile{}}
	err := fs.WalkDir(s.fs, root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("read directory %s: %w", name, err)
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if entry.Name() == ".git" {
			return skip(entry)
		}
		relative := below(root, name)
		if err := s.limits.checkPath(relative); relative != "" && err != nil {
			if fault.CodeOf(err) == fault.LimitExceeded {
				return err
			}
			s.report.add(name, 0, SeverityError, "is skipped: "+err.Error())
			return skip(entry)
		}
		if entry.IsDir() {
			return nil
		}
		return s.visit(found, name, relative, entry)
	})
	return found, err
}

// skip leaves out a directory or a file.
func skip(entry fs.DirEntry) error {
	if entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// below returns the path of a file relative to a root of fs.WalkDir.
func below(root, name string) string {
	switch {
	case name == root:
		return ""
	case root == ".":
		return name
	default:
		return name[len(root)+1:]
	}
}

func (s *scanner) visit(found *scan, name, relative string, entry fs.DirEntry) error {
	info, problem, err := s.inspect(name, entry)
	if err != nil {
		return err
	}
	if problem != "" {
		s.report.add(name, 0, SeverityWarning, problem)
		return nil
	}
	if err := s.limits.checkSize(name, info.Size()); err != nil {
		return err
	}
	if len(found.files) >= s.limits.Files {
		return fault.New(fault.LimitExceeded, "the repository has more than %d files", s.limits.Files)
	}
	s.total += info.Size()
	if s.total > s.limits.TotalSize {
		return fault.New(fault.LimitExceeded, "the repository has more than %d bytes (reached at %s)", s.limits.TotalSize, name)
	}
	file := &scannedFile{path: relative, size: info.Size()}
	found.files = append(found.files, file)
	found.byPath[relative] = file
	return nil
}

// inspect returns what is known about a file, or why it is left out. A symbolic
// link to a file within the repository counts as a copy of that file; the file
// system decides what is within.
func (s *scanner) inspect(name string, entry fs.DirEntry) (fs.FileInfo, string, error) {
	if entry.Type()&fs.ModeSymlink != 0 {
		info, err := fs.Stat(s.fs, name)
		if err != nil || info.Mode()&fs.ModeSymlink != 0 {
			return nil, "is skipped: the symbolic link leads nowhere or out of the repository", nil //nolint:nilerr // The reason tells it.
		}
		if !info.Mode().IsRegular() {
			return nil, "is skipped: the symbolic link does not lead to a file", nil
		}
		return info, "", nil
	}
	if !entry.Type().IsRegular() {
		return nil, "is skipped: it is no regular file", nil
	}
	info, err := entry.Info()
	if err != nil {
		return nil, "", fmt.Errorf("read %s: %w", name, err)
	}
	return info, "", nil
}

// readTexts reads every Markdown file, which must be UTF-8. progress is called
// for each that is.
func (s *scanner) readTexts(root string, found *scan, progress func()) error {
	for _, file := range found.files {
		if !isMarkdown(file.path) {
			continue
		}
		name := path.Join(root, file.path)
		data, err := s.read(name)
		if err != nil {
			return err
		}
		if !utf8.Valid(data) {
			s.report.add(name, 0, SeverityError, "is not valid UTF-8: it is kept as a file and is no page")
			continue
		}
		if data == nil {
			data = []byte{}
		}
		file.text, file.oid, file.size = data, blobID(data), int64(len(data))
		progress()
	}
	return nil
}

// read returns the content of a small file. It holds the size limit against
// what is really read, whatever the file system claimed.
func (s *scanner) read(name string) (data []byte, err error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	file, err := s.fs.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	limit := min(s.limits.PageSize, s.limits.FileSize)
	data, err = io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(data)) > limit {
		return nil, fault.New(fault.LimitExceeded, "%s has more than %d bytes", name, limit)
	}
	return data, nil
}

// blobID returns git's object id, a SHA-1, of a file with the given content.
func blobID(data []byte) string {
	hash := sha1.New()
	hash.Write(blobHeader(int64(len(data))))
	hash.Write(data)
	return hex.EncodeToString(hash.Sum(nil))
}

func blobHeader(size int64) []byte {
	return []byte("blob " + strconv.FormatInt(size, 10) + "\x00")
}
