package content

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"octavo/internal/fault"
	"octavo/internal/identifier"
)

// Limits of a batch of edits.
const (
	// OperationLimit is the number of operations in a batch.
	OperationLimit = 50
	// FileLimit is the number of files that one InsertFiles brings.
	FileLimit = 20
	// DefaultBodyLimit is the size of a page's Markdown source in bytes.
	DefaultBodyLimit = 5 << 20
)

// Option is a value that a caller may leave out, set, or remove. The zero
// Option is left out.
type Option[Value any] struct {
	given bool
	value *Value
}

// Set returns an Option that sets the value.
func Set[Value any](value Value) Option[Value] {
	return Option[Value]{given: true, value: &value}
}

// Remove returns an Option that removes the value.
func Remove[Value any]() Option[Value] {
	return Option[Value]{given: true}
}

// Given tells whether the value is set or removed, rather than left out.
func (o Option[Value]) Given() bool { return o.given }

// Value returns the value, nil when it is removed or left out.
func (o Option[Value]) Value() *Value { return o.value }

// Operation is one step of a batch: InsertPage, UpdatePage, DeletePage,
// RevertPage or InsertFiles.
type Operation interface {
	apply(editor *editor) (*AppliedOperation, error)
}

// PageMetadata are the properties of a page that an operation can set.
// Removing Title or Slug is an error; removing any other makes it empty.
type PageMetadata struct {
	Title       Option[string]
	Slug        Option[string]
	Emoji       Option[string]
	Icon        Option[string]
	Description Option[string]
	Hidden      Option[bool]
	NoIndex     Option[bool]
	NoRobots    Option[bool]
	Condition   Option[string]
	Layout      Option[Layout]
	Cover       Option[Cover]
	Variables   Option[map[string]any]
	Target      Option[map[string]any]
}

// InsertPage adds a page.
type InsertPage struct {
	// Ref names the page within the batch: later operations may use it in
	// place of the page's id, and links to "./<ref>.md" in any document of the
	// batch lead to the page.
	Ref string
	// Type is PageDocument when empty. Groups and links have no Markdown; a
	// group stands at the root; a link needs Metadata.Target.
	Type PageType
	// Into is the page above; empty for the root.
	Into string
	// At is the index among the siblings; nil appends.
	At *int
	// Markdown is the source of a document, front matter included. What it
	// states prevails over Metadata.
	Markdown *string
	Metadata PageMetadata
}

// UpdatePage changes a page: its source, its metadata, its place, or several
// of these at once.
type UpdatePage struct {
	// Page is the id or the Ref of the page.
	Page string
	// Into moves the page below another; removed, to the root.
	Into Option[string]
	// At is the new index among the siblings. Nil leaves the page where it is,
	// or appends it when Into brings it below another page.
	At *int
	// Markdown replaces the source. With front matter it states the metadata
	// anew, and what it states prevails over Metadata; without, the front
	// matter that the page has is kept, and so is the heading that states its
	// title unless the source begins with another.
	Markdown *string
	Metadata PageMetadata
}

// DeletePage removes a page and everything below it.
type DeletePage struct {
	Page string
}

// RevertPage gives a page the content, metadata and parent that it has in
// Source: a page that Source lacks is removed with everything below it, one
// that was deleted since comes back, without the pages below it.
type RevertPage struct {
	Page string
	// Source is the tree of the revision to go back to; nil for
	// ApplyOptions.RevertSource.
	Source *Tree
	// Blocks are the keys of the blocks that go back, nil for the whole page:
	// see document.Block. Metadata and place stay as they are then.
	Blocks []string
}

// InsertFiles adds files whose content is stored already.
type InsertFiles struct {
	Files []NewFile
}

// NewFile is a file to be added.
type NewFile struct {
	// Ref names the file within the batch: "./<ref>" in any document of the
	// batch leads to it.
	Ref         string
	Name        string
	ContentType string
	Size        int64 // bytes
	Content     Hash
	Width       int // pixels; 0 when it is no image
	Height      int // pixels; 0 when it is no image
}

// ApplyOptions say how a batch is applied.
type ApplyOptions struct {
	// Now becomes the time of every page that is made or changed.
	Now time.Time
	// BodyLimit is the largest source of a page in bytes; 0 means
	// DefaultBodyLimit.
	BodyLimit int
	// RevertSource is what RevertPage goes back to when it names no source of
	// its own: the base of the change request.
	RevertSource *Tree
}

// AppliedOperation tells what one operation did.
type AppliedOperation struct {
	// Index is the place of the operation in the batch.
	Index int
	// Ref is that of InsertPage.
	Ref string
	// Inserted, Updated and Deleted are ids of pages.
	Inserted []string
	Updated  []string
	Deleted  []string
	// Files are the ids of the files that were added, in their order.
	Files []string
}

// Apply carries out the operations in their order on a copy of base: all of
// them, or none when one fails. It returns the new tree, the bodies that are
// new, and what was done; operations that change nothing are left out.
//
// Errors: BadUserInput with the field changes.<index>.<field>, InvalidPosition
// for a place that a page cannot have, LimitExceeded for too many operations
// or too large a source, NoChange when the tree stays as it is.
func Apply(base *Tree, bodies Bodies, operations []Operation, options ApplyOptions) (*Tree, *Memory, []AppliedOperation, error) {
	if len(operations) == 0 {
		return nil, nil, nil, fault.Invalid("changes", "at least one change is needed")
	}
	if len(operations) > OperationLimit {
		return nil, nil, nil, limitExceeded("changes", "at most %d changes can be made at once", OperationLimit)
	}
	editor := newEditor(base, bodies, options)
	if err := editor.announce(operations); err != nil {
		return nil, nil, nil, err
	}
	for index, operation := range operations {
		if err := editor.run(index, operation); err != nil {
			return nil, nil, nil, err
		}
	}
	if len(editor.applied) == 0 || equalTrees(base, editor.tree) {
		return nil, nil, nil, fault.New(fault.NoChange, "the changes leave the content as it is")
	}
	FollowMoves(base, editor.tree)
	editor.bodies.keepOnly(editor.tree)
	return editor.tree, editor.bodies, editor.applied, nil
}

// editor is the state of one Apply.
type editor struct {
	tree    *Tree
	bodies  *Memory
	options ApplyOptions
	// announced holds the ids of all pages and files that the batch names by
	// a ref, before they are inserted.
	announcedPages map[string]string
	announcedFiles map[string]string
	applied        []AppliedOperation
	// index is the place of the operation that is being applied.
	index int
}

func newEditor(base *Tree, bodies Bodies, options ApplyOptions) *editor {
	if options.BodyLimit == 0 {
		options.BodyLimit = DefaultBodyLimit
	}
	options.Now = storedTime(options.Now)
	return &editor{
		tree:           base.Clone(),
		bodies:         NewMemory(bodies),
		options:        options,
		announcedPages: map[string]string{},
		announcedFiles: map[string]string{},
	}
}

// refPattern keeps refs to what can stand in a link as it is.
var refPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$`)

// announce gives every ref of the batch its id, so that documents may link to
// pages and files that come later in the batch.
func (e *editor) announce(operations []Operation) error {
	for index, operation := range operations {
		e.index = index
		switch operation := operation.(type) {
		case InsertPage:
			if err := e.announceRef("ref", operation.Ref, e.announcedPages, identifier.Page); err != nil {
				return err
			}
		case InsertFiles:
			for position, file := range operation.Files {
				field := fmt.Sprintf("files.%d.ref", position)
				if err := e.announceRef(field, file.Ref, e.announcedFiles, identifier.File); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (e *editor) announceRef(field, ref string, into map[string]string, prefix identifier.Prefix) error {
	if ref == "" {
		return nil
	}
	if !refPattern.MatchString(ref) {
		return e.invalid(field, "a ref has up to 100 letters, digits, dots, hyphens and underscores")
	}
	if e.announcedPages[ref] != "" || e.announcedFiles[ref] != "" {
		return e.invalid(field, "%q is used twice", ref)
	}
	if e.tree.Page(ref) != nil {
		return e.invalid(field, "%q is the id of a page", ref)
	}
	into[ref] = identifier.New(prefix)
	return nil
}

func (e *editor) run(index int, operation Operation) error {
	e.index = index
	if operation == nil {
		return e.invalid("operation", "a change is missing")
	}
	applied, err := operation.apply(e)
	if err != nil {
		return err
	}
	if applied != nil {
		applied.Index = index
		e.applied = append(e.applied, *applied)
	}
	return nil
}

// invalid is fault.Invalid for a field of the operation that is being applied.
func (e *editor) invalid(field, format string, arguments ...any) *fault.Error {
	return fault.Invalid(e.field(field), format, arguments...)
}

func (e *editor) field(name string) string {
	return fmt.Sprintf("changes.%d.%s", e.index, name)
}

// misplaced says that a page cannot stand where the operation puts it.
func (e *editor) misplaced(field, format string, arguments ...any) *fault.Error {
	err := e.invalid(field, format, arguments...)
	err.Code = fault.InvalidPosition
	return err
}

func limitExceeded(field, format string, arguments ...any) *fault.Error {
	err := fault.Invalid(field, format, arguments...)
	err.Code = fault.LimitExceeded
	return err
}

// page returns the page that an operation names by id or ref.
func (e *editor) page(field, name string) (*Page, error) {
	if name == "" {
		return nil, e.invalid(field, "the id of a page is needed")
	}
	if id, announced := e.announcedPages[name]; announced {
		name = id
	}
	page := e.tree.Page(name)
	if page == nil {
		return nil, e.invalid(field, "there is no page %q", name)
	}
	return page, nil
}

// replace puts changed where the page with its id stands, and tells whether it
// differs. Everything but the place counts; a page that changed gets the time
// of the batch.
func (e *editor) replace(changed *Page) bool {
	position := e.position(changed.ID)
	if equalPages(e.tree.Pages[position], changed) {
		return false
	}
	changed.UpdatedAt = e.options.Now
	e.tree.Pages[position] = changed
	return true
}

func (e *editor) position(id string) int {
	return slices.IndexFunc(e.tree.Pages, func(page *Page) bool { return page.ID == id })
}
