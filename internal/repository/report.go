package repository

import (
	"cmp"
	"slices"
)

// Severity tells how bad a problem of a repository is.
type Severity string

// The severities. An error means that something was not taken over as it
// stands; a warning, that it probably is not what its author meant.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Problem is something that an import could not place or understand.
type Problem struct {
	Path     string   `json:"path"` // in the file system that was imported
	Line     int      `json:"line"` // from 1; 0 when it is about the whole file
	Message  string   `json:"message"`
	Severity Severity `json:"severity"`
}

// Report says what an import found.
type Report struct {
	Pages    int       `json:"pages"`
	Files    int       `json:"files"`
	Unplaced int       `json:"unplaced"` // Markdown files that are no pages
	Problems []Problem `json:"problems"` // by path and line
}

func (r *Report) add(path string, line int, severity Severity, message string) {
	r.Problems = append(r.Problems, Problem{Path: path, Line: line, Message: message, Severity: severity})
}

func (r *Report) sort() {
	slices.SortStableFunc(r.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
}
