// Package repository turns a repository of documentation in GitBook's layout
// into a content.Tree and back.
//
// # What is read
//
// Import reads .gitbook.yaml, the table of contents (SUMMARY.md), the pages it
// names, and every other file below the content root. Files outside the root
// are no content. Without a table of contents the tree follows the
// directories. Nothing is normalised: pages, the table of contents and the
// configuration are kept byte for byte.
//
// # What is written
//
// Export writes the same bytes for everything that nobody touched:
//
//   - A page keeps its path for as long as its slug and its parent are those
//     that the table of contents and the path gave it. When an edit changed
//     either, the page gets a new path: the directory of its new parent, and
//     its slug as the name; README.md in a directory named after the slug when
//     the page has children. The first page of the repository, the one that
//     structure.readme names, is never moved. Children stay where they are
//     when only their parent's file moves.
//   - Links that reach a moved page, and the relative links of a moved page
//     itself, are rewritten; no other byte of the page changes. Links of the
//     form /pages/<id> and /files/<id> become relative paths.
//   - The table of contents is written as it came in while it still describes
//     the tree. Otherwise the lines of entries that did not change stay as
//     they were, with the blank lines and comments around them; only lines of
//     entries that are new, renamed, moved or deleted differ.
//   - In the table of contents the first entry that names a file without a
//     fragment is the page; other entries that name it are links to it. A link
//     that has to stand before its page is written with an empty fragment.
//   - In .gitbook.yaml only the targets of redirects change whose pages are
//     written to another path. Redirects that come from moving a page are those
//     of the tree and are not written there.
//   - Markdown files that are no pages are written as they came in, but for
//     their links.
//
// What stands in no file of GitBook's layout is not written: what an edit set
// on a page beside its front matter, slugs of groups and links, variables of
// the space. An import over the tree that was exported keeps it.
package repository
