// Package docs holds the documentation of Octavo, in the form that Octavo
// imports.
package docs

import "embed"

// Files is a repository of documentation: a table of contents, pages, and the
// pictures that they show.
//
//go:embed *.md */*.md
var Files embed.FS
