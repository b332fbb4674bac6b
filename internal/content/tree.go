// Package content is the content engine: trees of pages and files, the
// immutable revisions that hold them, edits, differences and three-way merges.
//
// A Tree is the whole content of a space at one revision, without the text of
// its pages: those are bodies, addressed by the hash of their bytes. Trees and
// everything in them are immutable once a revision holds them: code that edits
// works on a Clone.
package content

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"
)

// Hash is the lower-case hexadecimal SHA-256 of some bytes. The empty Hash
// stands for no content at all.
type Hash string

// HashOf returns the Hash of the bytes.
func HashOf(data []byte) Hash {
	sum := sha256.Sum256(data)
	return Hash(hex.EncodeToString(sum[:]))
}

// PageType tells what a page of the tree is.
type PageType string

// The page types.
const (
	PageDocument PageType = "document"
	PageGroup    PageType = "group"
	PageLink     PageType = "link"
	PageComputed PageType = "computed"
)

// Tree is the content of a space at one revision.
type Tree struct {
	// Pages holds every page in the order in which a reader meets them: each
	// page is followed by its descendants. Pages[i].Parent is empty or the id
	// of a page before it.
	Pages []*Page
	// Files are sorted by id.
	Files []*File
	// ReusableContents are sorted by id.
	ReusableContents []*ReusableContent
	// Redirects lead from paths that pages had before; sorted by path.
	Redirects []*Redirect
	// Variables of the space: string, float64 or bool values.
	Variables map[string]any
	// Repository is what an import found and the tree does not model, kept so
	// that an export writes it back; nil for content that was never imported.
	Repository *Repository
}

// Page is a node of the page tree. Body is the hash of its whole Markdown
// source, front matter included, byte for byte as it came in; it is empty for
// groups, links and computed pages.
type Page struct {
	ID     string   `json:"id"`
	Parent string   `json:"parent,omitempty"`
	Type   PageType `json:"type"`
	Title  string   `json:"title"`
	Slug   string   `json:"slug"`
	// GitPath is the path of the page's file relative to the content root, such
	// as "guides/README.md"; empty for a page that has never been in a
	// repository.
	GitPath string `json:"gitPath,omitempty"`
	// GitOID is the git object id (SHA-1 of the blob) that the file had when
	// it was imported.
	GitOID      string         `json:"gitOID,omitempty"`
	Body        Hash           `json:"body,omitempty"`
	Emoji       string         `json:"emoji,omitempty"`
	Icon        string         `json:"icon,omitempty"`
	Description string         `json:"description,omitempty"`
	Layout      *Layout        `json:"layout,omitempty"`
	Cover       *Cover         `json:"cover,omitempty"`
	Variables   map[string]any `json:"variables,omitempty"`
	Hidden      bool           `json:"hidden,omitempty"`
	NoIndex     bool           `json:"noIndex,omitempty"`
	NoRobots    bool           `json:"noRobotsIndex,omitempty"`
	Condition   string         `json:"condition,omitempty"`
	Target      map[string]any `json:"target,omitempty"`   // link pages: a content reference
	Computed    *Computed      `json:"computed,omitempty"` // computed pages
	CreatedAt   time.Time      `json:"createdAt"`
	UpdatedAt   time.Time      `json:"updatedAt"`
}

// Layout says which parts of a page are shown. A nil Layout is DefaultLayout.
type Layout struct {
	Width           string `json:"width"` // default, wide
	Cover           bool   `json:"cover"`
	CoverSize       string `json:"coverSize"` // hero, full
	Title           bool   `json:"title"`
	Description     bool   `json:"description"`
	TableOfContents bool   `json:"tableOfContents"`
	Outline         bool   `json:"outline"`
	Pagination      bool   `json:"pagination"`
	Metadata        bool   `json:"metadata"`
}

// DefaultLayout is the layout of a page that states none.
func DefaultLayout() Layout {
	return Layout{
		Width: "default", Cover: true, CoverSize: "hero", Title: true, Description: true,
		TableOfContents: true, Outline: true, Pagination: true, Metadata: true,
	}
}

// Cover is the image above a page. Ref and RefDark are content references of
// kind file or url.
type Cover struct {
	Ref     map[string]any `json:"ref"`
	RefDark map[string]any `json:"refDark,omitempty"`
	YPos    float64        `json:"yPos"`
	Height  float64        `json:"height,omitempty"` // pixels, 10 to 700; 0 means 240
}

// Computed describes a page whose content is made from something else.
type Computed struct {
	Type         string                    `json:"type"` // builtin:openapi, builtin:translation, integration:<name>:<source>
	Dependencies map[string]map[string]any `json:"dependencies"`
	Props        map[string]any            `json:"props"`
	Seed         string                    `json:"seed,omitempty"`
}

// File is a file of a space: an image, a download, or anything else that came
// with a repository and is neither a page nor part of its configuration.
type File struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	ContentType string    `json:"contentType"`
	Size        int64     `json:"size"` // bytes
	Content     Hash      `json:"content"`
	Width       int       `json:"width,omitempty"`  // pixels, images only
	Height      int       `json:"height,omitempty"` // pixels, images only
	GitPath     string    `json:"gitPath,omitempty"`
	GitOID      string    `json:"gitOID,omitempty"`
	CreatedAt   time.Time `json:"createdAt"`
}

// ReusableContent is a piece of Markdown that pages include.
type ReusableContent struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Body    Hash   `json:"body"`
	GitPath string `json:"gitPath,omitempty"`
	GitOID  string `json:"gitOID,omitempty"`
}

// Repository is what an export needs beyond pages and files. Paths in it are
// relative to the repository's top, all others to the content root.
type Repository struct {
	// Root is the directory of the content below the repository's top; empty
	// when they are the same.
	Root string `json:"root,omitempty"`
	// SummaryPath is the path of the table of contents below Root; empty when
	// the import had none.
	SummaryPath string `json:"summaryPath,omitempty"`
	// Summary is the body of that file as it came in.
	Summary Hash `json:"summary,omitempty"`
	// ConfigurationPath and Configuration are .gitbook.yaml, if there was one.
	ConfigurationPath string `json:"configurationPath,omitempty"`
	Configuration     Hash   `json:"configuration,omitempty"`
	// Redirects maps an old path to the path of a page's file, as the
	// configuration says; Tree.Redirects holds those that lead to a page.
	Redirects map[string]string `json:"redirects,omitempty"`
	// Unplaced are Markdown files that no table of contents names: they are
	// kept and exported, but are no pages.
	Unplaced []RepositoryFile `json:"unplaced,omitempty"`
}

// RepositoryFile is a text file that is kept for export only.
type RepositoryFile struct {
	Path string `json:"path"`
	Body Hash   `json:"body"`
}

// Bodies gives the text behind hashes. Store implements it on the database;
// Memory in tests and before anything is written.
type Bodies interface {
	// Body returns the bytes with the given hash. They must not be changed.
	Body(hash Hash) ([]byte, error)
}

// Page returns the page with the given id, or nil.
func (t *Tree) Page(id string) *Page {
	for _, page := range t.Pages {
		if page.ID == id {
			return page
		}
	}
	return nil
}

// File returns the file with the given id, or nil.
func (t *Tree) File(id string) *File {
	index, found := slices.BinarySearchFunc(t.Files, id, func(file *File, id string) int {
		return compareStrings(file.ID, id)
	})
	if !found {
		return nil
	}
	return t.Files[index]
}

// Clone returns a tree whose lists can be changed without changing t. The
// pages and files themselves are shared: replace them, do not write to them.
func (t *Tree) Clone() *Tree {
	clone := *t
	clone.Pages = slices.Clone(t.Pages)
	clone.Files = slices.Clone(t.Files)
	clone.ReusableContents = slices.Clone(t.ReusableContents)
	clone.Redirects = slices.Clone(t.Redirects)
	return &clone
}

func compareStrings(a, b string) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

// Values lists the page types.
func (PageType) Values() []string { return []string{"document", "group", "link", "computed"} }
