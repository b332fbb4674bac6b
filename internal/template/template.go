// Package template fills spaces and change requests with content to start from:
// the templates that come with Octavo, and any space that the caller may read.
package template

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"time"

	"octavo/internal/access"
	"octavo/internal/blob"
	"octavo/internal/changerequest"
	"octavo/internal/content"
	"octavo/internal/fault"
	"octavo/internal/identifier"
	"octavo/internal/repository"
	"octavo/internal/revision"
	"octavo/internal/space"
)

// Template is content that comes with Octavo.
type Template struct {
	// ID is what clients name it by.
	ID          string
	Title       string
	Description string
}

//go:embed all:content
var embedded embed.FS

// builtIn are the templates of the embedded directories.
var builtIn = []*Template{
	{"product-docs", "Product documentation", "Welcome, quickstart, guides and a glossary. Takes a file named logo."},
	{"api-reference", "API reference", "Overview, authentication, errors, lists, and a page for each resource."},
	{"handbook", "Handbook", "How a team works: people, meetings, decisions."},
	{"changelog", "Changelog", "What changed in each version, newest first."},
}

// BuiltIn lists the templates that come with Octavo.
func BuiltIn() []*Template { return builtIn }

// Service applies templates.
type Service struct {
	spaces         *space.Service
	changeRequests *changerequest.Service
	revisions      *revision.Store
	files          *blob.Bucket
}

// NewService returns the service.
func NewService(spaces *space.Service, changeRequests *changerequest.Service, revisions *revision.Store, files *blob.Bucket) *Service {
	return &Service{spaces: spaces, changeRequests: changeRequests, revisions: revisions, files: files}
}

// source is the content of a template.
type source struct {
	tree *content.Tree
	// bodies are the texts, added those that may not be stored yet.
	bodies content.Bodies
	added  map[content.Hash][]byte
}

// load reads a template: one that comes with Octavo, or a space that the caller
// may read. BAD_USER_INPUT for an id that is neither.
func (s *Service) load(ctx context.Context, id string) (*source, error) {
	for _, known := range builtIn {
		if known.ID == id {
			return s.loadBuiltIn(ctx, id)
		}
	}
	if prefix, isID := identifier.Split(id); !isID || prefix != identifier.Space {
		return nil, fault.Invalid("template", "%.100q is neither a template nor the id of a space", id)
	}
	found, err := s.spaces.Require(ctx, id, access.ScopeRead, access.Read)
	if err != nil {
		return nil, err
	}
	head, err := s.revisions.Load(ctx, found.RevisionID)
	if err != nil {
		return nil, err
	}
	tree, err := s.revisions.Tree(ctx, head.Revision)
	if err != nil {
		return nil, err
	}
	return &source{tree: tree, bodies: s.revisions.Reader(ctx)}, nil
}

// loadBuiltIn imports an embedded directory. Its pages have new ids each time.
func (s *Service) loadBuiltIn(ctx context.Context, id string) (*source, error) {
	directory, err := fs.Sub(embedded, "content/"+id)
	if err != nil {
		return nil, fmt.Errorf("open the template %s: %w", id, err)
	}
	imported, err := repository.Import(ctx, repository.Source{FS: directory}, repository.Options{Now: time.Now()})
	if err != nil {
		return nil, fmt.Errorf("import the template %s: %w", id, err)
	}
	for _, file := range imported.Files {
		if err := s.keep(ctx, file); err != nil {
			return nil, err
		}
	}
	memory := content.NewMemory(nil)
	for _, body := range imported.Bodies {
		memory.Add(body)
	}
	return &source{tree: imported.Tree, bodies: memory, added: imported.Bodies}, nil
}

func (s *Service) keep(ctx context.Context, file repository.FileContent) (err error) {
	opened, err := file.Open()
	if err != nil {
		return fmt.Errorf("open a file of a template: %w", err)
	}
	_, err = s.files.Put(ctx, file.Path, opened, file.Size)
	if closing := opened.Close(); err == nil {
		err = closing
	}
	return err
}

// CreateSpace makes a space with the content of a template; the conditions are
// those of space.Service.Create.
func (s *Service) CreateSpace(ctx context.Context, made space.New, templateID string) (*space.Space, error) {
	if err := access.Require(ctx, made.OrganizationID, access.ScopeWrite, access.Create); err != nil {
		return nil, err
	}
	loaded, err := s.load(ctx, templateID)
	if err != nil {
		return nil, err
	}
	made.Tree, made.Bodies = loaded.tree, loaded.added
	return s.spaces.Create(ctx, made)
}

// Application is a template to be applied.
type Application struct {
	SpaceID    string
	TemplateID string
	// Files replaces files of the template, named with or without their
	// extension, by files of the space, named by their ids.
	Files map[string]string
	// ChangeRequest is the id or the number of the change request to write
	// into; nil for the main content of a live space.
	ChangeRequest *string
	// ExpectedRevision, if any, has to be current.
	ExpectedRevision *string
}

// Apply adds the pages and files of a template to those that are there. It
// needs the role edit.
//
// Errors: NOT_ALLOWED for the main content of a locked space and for a change
// request that is merged or archived; BAD_USER_INPUT for a template that does
// not exist and for a file that the template or the space does not have;
// CONFLICT when another revision than the expected one is current; NO_CHANGE
// for a template without content.
func (s *Service) Apply(ctx context.Context, application Application) (*space.Space, *revision.Revision, error) {
	found, err := s.spaces.Require(ctx, application.SpaceID, access.ScopeWrite, access.Edit)
	if err != nil {
		return nil, nil, err
	}
	if application.ChangeRequest == nil {
		if err := found.RequireLive(); err != nil {
			return nil, nil, err
		}
	}
	loaded, err := s.load(ctx, application.TemplateID)
	if err != nil {
		return nil, nil, err
	}
	rewrite := loaded.rewrite(application.Files)
	if application.ChangeRequest == nil {
		return s.spaces.RewriteContent(ctx, found.ID, application.ExpectedRevision, rewrite)
	}
	changeRequest, err := s.changeRequests.BySpace(ctx, found.ID, *application.ChangeRequest)
	if err != nil {
		return nil, nil, err
	}
	made, err := s.changeRequests.RewriteContent(ctx, changeRequest.ID, application.ExpectedRevision, rewrite)
	if err != nil {
		return nil, nil, err
	}
	found, err = s.spaces.Get(ctx, found.ID)
	return found, made, err
}

// Filler returns a function that applies a template to a change request that is
// being made, in the transaction that makes it. What can be wrong with the
// template is said at once.
func (s *Service) Filler(ctx context.Context, spaceID, templateID string, files map[string]string) (func(ctx context.Context, changeRequestID string) error, error) {
	if _, err := s.spaces.Require(ctx, spaceID, access.ScopeWrite, access.Edit); err != nil {
		return nil, err
	}
	loaded, err := s.load(ctx, templateID)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, changeRequestID string) error {
		_, err := s.changeRequests.RewriteContent(ctx, changeRequestID, nil, loaded.rewrite(files))
		return err
	}, nil
}
