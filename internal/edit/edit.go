// Package edit turns changes to content as clients write them into operations
// of the content engine: documents become Markdown, files are stored, and
// revisions to go back to are read.
package edit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"octavo/internal/blob"
	"octavo/internal/content"
	"octavo/internal/document"
	"octavo/internal/fault"
	"octavo/internal/outbound"
	"octavo/internal/revision"
)

// Limits of a file that comes with an edit, in bytes: sent along, or fetched
// from an address.
const (
	FileLimit  = 1 << 20
	FetchLimit = 10 << 20
)

// Change is one step of an edit: InsertPage, UpdatePage, DeletePage, RevertPage
// or InsertFiles.
type Change interface {
	prepare(ctx context.Context, preparation *preparation) (content.Operation, error)
}

// Text is the text of a page: Markdown, a document, or neither.
type Text struct {
	Markdown *string
	Document json.RawMessage
}

// InsertPage is content.InsertPage with a text in either form.
type InsertPage struct {
	content.InsertPage
	Text Text
}

// UpdatePage is content.UpdatePage with a text in either form.
type UpdatePage struct {
	content.UpdatePage
	Text Text
}

// DeletePage is content.DeletePage.
type DeletePage struct{ content.DeletePage }

// RevertPage gives a page the state that it has in a revision of the space;
// without one, in the content that the change request started from. Blocks is
// that of content.RevertPage.
type RevertPage struct {
	Page     string
	Revision *string
	Blocks   []string
}

// InsertFiles adds files.
type InsertFiles struct{ Files []NewFile }

// NewFile is a file to be added: bytes, or an address to fetch them from.
type NewFile struct {
	Name string
	Ref  string
	// ContentType is needed with Data.
	ContentType string
	Data        []byte
	URL         *string
}

// Preparer prepares edits. It is safe for concurrent use.
type Preparer struct {
	revisions *revision.Store
	files     *blob.Bucket
	outbound  *outbound.Client
}

// NewPreparer returns a Preparer that reads revisions from a store, keeps files
// in a bucket and fetches them with a client.
func NewPreparer(revisions *revision.Store, files *blob.Bucket, client *outbound.Client) *Preparer {
	return &Preparer{revisions: revisions, files: files, outbound: client}
}

// Prepare returns the operations that the changes stand for. It reads and
// stores, but changes no content: it is done before rows are locked, by a
// caller who may edit the space.
//
// Errors: BAD_USER_INPUT with the field changes.<index>.<field>, NOT_FOUND for
// a revision that the space does not have, LIMIT_EXCEEDED for too many changes
// or too large a file.
func (p *Preparer) Prepare(ctx context.Context, spaceID string, changes []Change) ([]content.Operation, error) {
	if len(changes) > content.OperationLimit {
		return nil, &fault.Error{
			Code: fault.LimitExceeded, Field: "changes",
			Message: fmt.Sprintf("changes: at most %d changes can be made at once, got %d", content.OperationLimit, len(changes)),
		}
	}
	operations := make([]content.Operation, len(changes))
	for index, change := range changes {
		preparation := &preparation{Preparer: p, spaceID: spaceID, field: fmt.Sprintf("changes.%d", index)}
		if change == nil {
			return nil, fault.Invalid(preparation.field, "a change is missing")
		}
		var err error
		if operations[index], err = change.prepare(ctx, preparation); err != nil {
			return nil, err
		}
	}
	return operations, nil
}

// preparation is the state of preparing one change.
type preparation struct {
	*Preparer
	spaceID string
	// field is the name of the change in messages.
	field string
}

func (c InsertPage) prepare(_ context.Context, preparation *preparation) (content.Operation, error) {
	markdown, err := preparation.markdown(c.Text)
	c.Markdown = markdown
	return c.InsertPage, err
}

func (c UpdatePage) prepare(_ context.Context, preparation *preparation) (content.Operation, error) {
	markdown, err := preparation.markdown(c.Text)
	c.Markdown = markdown
	return c.UpdatePage, err
}

func (c DeletePage) prepare(context.Context, *preparation) (content.Operation, error) {
	return c.DeletePage, nil
}

// markdown returns the text as Markdown, nil when there is none.
func (p *preparation) markdown(text Text) (*string, error) {
	if text.Document == nil {
		return text.Markdown, nil
	}
	field := p.field + ".document"
	if text.Markdown != nil {
		return nil, fault.Invalid(field, "give Markdown or a document, not both")
	}
	var given document.Document
	if err := json.Unmarshal(text.Document, &given); err != nil {
		return nil, within(field, err)
	}
	rendered, err := document.Render(&given, document.References{})
	if err != nil {
		return nil, within(field, err)
	}
	return new(string(rendered)), nil
}

// within puts the field of an error about a part below that of the whole.
func within(field string, err error) error {
	var known *fault.Error
	if !errors.As(err, &known) {
		return fault.Invalid(field, "it is not a document: %s", err)
	}
	located := *known
	located.Message = field + ": " + known.Message
	located.Field = field
	return &located
}

func (c RevertPage) prepare(ctx context.Context, preparation *preparation) (content.Operation, error) {
	if c.Revision == nil {
		return content.RevertPage{Page: c.Page, Blocks: c.Blocks}, nil
	}
	source, err := preparation.revisions.InSpace(ctx, preparation.spaceID, *c.Revision)
	if err != nil {
		return nil, err
	}
	tree, err := preparation.revisions.Tree(ctx, source.Revision)
	return content.RevertPage{Page: c.Page, Source: tree, Blocks: c.Blocks}, err
}

func (c InsertFiles) prepare(ctx context.Context, preparation *preparation) (content.Operation, error) {
	if len(c.Files) > content.FileLimit {
		return nil, preparation.limitExceeded("files", "at most %d files can be inserted at once, got %d", content.FileLimit, len(c.Files))
	}
	for index := range c.Files {
		if err := preparation.checkFile(fmt.Sprintf("files.%d", index), &c.Files[index]); err != nil {
			return nil, err
		}
	}
	files := make([]content.NewFile, len(c.Files))
	for index, file := range c.Files {
		kept, err := preparation.keep(ctx, file)
		if err != nil {
			return nil, preparation.failed(fmt.Sprintf("files.%d", index), err)
		}
		files[index] = kept
	}
	return content.InsertFiles{Files: files}, nil
}

func (p *preparation) checkFile(field string, file *NewFile) error {
	switch {
	case (file.URL == nil) == (file.Data == nil):
		return fault.Invalid(p.field+"."+field, "give url or base64")
	case file.URL == nil && file.ContentType == "":
		return fault.Invalid(p.field+"."+field+".contentType", "it is needed with base64")
	case len(file.Data) > FileLimit:
		return p.limitExceeded(field+".base64", "at most %d bytes, got %d", FileLimit, len(file.Data))
	}
	return nil
}

// keep stores the bytes of a file in the bucket.
func (p *preparation) keep(ctx context.Context, file NewFile) (content.NewFile, error) {
	upload := blob.Upload{Name: file.Name, ContentType: file.ContentType, Source: bytes.NewReader(file.Data), Limit: FileLimit}
	if file.URL != nil {
		fetched, err := p.outbound.Get(ctx, *file.URL, FetchLimit)
		if err != nil {
			return content.NewFile{}, err
		}
		upload.Source, upload.Limit = bytes.NewReader(fetched.Body), FetchLimit
	}
	stored, err := p.files.Upload(ctx, upload)
	return content.NewFile{
		Ref: file.Ref, Name: file.Name, ContentType: stored.ContentType, Size: stored.Size, Content: stored.Hash,
		Width: stored.Width, Height: stored.Height,
	}, err
}

func (p *preparation) limitExceeded(field, format string, arguments ...any) error {
	err := fault.Invalid(p.field+"."+field, format, arguments...)
	err.Code = fault.LimitExceeded
	return err
}

// failed names the field that a known error is about; any other error stays
// unexpected.
func (p *preparation) failed(field string, err error) error {
	var known *fault.Error
	if !errors.As(err, &known) {
		return err
	}
	return within(p.field+"."+field, known)
}
