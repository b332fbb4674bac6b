package repository

import (
	"path"
	"strings"
	"unicode/utf8"

	"octavo/internal/fault"
)

// Limits bound what is read. A zero value of a field means that of
// DefaultLimits.
type Limits struct {
	Files      int   // files of the repository
	Pages      int   // entries of the table of contents
	PageDepth  int   // levels of pages
	TotalSize  int64 // bytes of all files together
	FileSize   int64 // bytes of one file
	PageSize   int64 // bytes of one Markdown or configuration file
	PathLength int   // bytes of a path
	PathDepth  int   // directories and name of a path
	// Ratio is the most that an archive may expand: bytes of its contents per
	// byte of the archive.
	Ratio int64
}

// DefaultLimits returns the limits that hold where none are given.
func DefaultLimits() Limits {
	return Limits{
		Files: 50_000, Pages: 20_000, PageDepth: 50,
		TotalSize: 2 << 30, FileSize: 100 << 20, PageSize: 10 << 20,
		PathLength: 1024, PathDepth: 50,
		Ratio: 200,
	}
}

func (l Limits) withDefaults() Limits {
	defaults := DefaultLimits()
	setDefault(&l.Files, defaults.Files)
	setDefault(&l.Pages, defaults.Pages)
	setDefault(&l.PageDepth, defaults.PageDepth)
	setDefault(&l.TotalSize, defaults.TotalSize)
	setDefault(&l.FileSize, defaults.FileSize)
	setDefault(&l.PageSize, defaults.PageSize)
	setDefault(&l.PathLength, defaults.PathLength)
	setDefault(&l.PathDepth, defaults.PathDepth)
	setDefault(&l.Ratio, defaults.Ratio)
	return l
}

func setDefault[N int | int64](value *N, fallback N) {
	if *value <= 0 {
		*value = fallback
	}
}

// checkPath refuses paths that are absolute, leave their directory, are no
// UTF-8, hold control characters or backslashes, or exceed the limits.
func (l Limits) checkPath(name string) error {
	switch {
	case len(name) > l.PathLength:
		return fault.New(fault.LimitExceeded, "path %.60q... is longer than %d bytes", name, l.PathLength)
	case strings.Count(name, "/") >= l.PathDepth:
		return fault.New(fault.LimitExceeded, "path %.200q is deeper than %d levels", name, l.PathDepth)
	case !utf8.ValidString(name):
		return fault.Invalid("path", "%.200q is not valid UTF-8", name)
	case strings.ContainsFunc(name, isControl):
		return fault.Invalid("path", "%.200q holds control characters", name)
	case strings.Contains(name, `\`):
		return fault.Invalid("path", "%.200q holds a backslash", name)
	case path.IsAbs(name), path.Clean(name) != name, name == "..", strings.HasPrefix(name, "../"):
		return fault.Invalid("path", "%.200q leaves the repository", name)
	}
	return nil
}

func isControl(character rune) bool { return character < ' ' || character == 0x7f }

// checkSize refuses a file that is too large.
func (l Limits) checkSize(name string, size int64) error {
	limit := l.FileSize
	if isMarkdown(name) || path.Base(name) == configurationName {
		limit = min(l.PageSize, l.FileSize)
	}
	if size > limit {
		return fault.New(fault.LimitExceeded, "%s has more than %d bytes", name, limit)
	}
	return nil
}
