// Package transfer takes repositories of documentation over into spaces and
// writes spaces out as repositories: directories, archives, git.
package transfer

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"time"

	"octavo/internal/access"
	"octavo/internal/blob"
	"octavo/internal/content"
	"octavo/internal/database"
	"octavo/internal/fault"
	"octavo/internal/outbound"
	"octavo/internal/repository"
	"octavo/internal/revision"
	"octavo/internal/secret"
	"octavo/internal/space"
)

// Service imports and exports. It is safe for concurrent use.
type Service struct {
	database  *database.Database
	spaces    *space.Service
	revisions *revision.Store
	files     *blob.Bucket
	outbound  *outbound.Client
	box       *secret.Box
	start     Start
	limits    repository.Limits
}

// Parts are what a Service works with.
type Parts struct {
	Database  *database.Database
	Spaces    *space.Service
	Revisions *revision.Store
	Files     *blob.Bucket
	Outbound  *outbound.Client
	// Box seals the credentials of repositories while a run waits.
	Box *secret.Box
	// Start hands a run to the queue, in the transaction of the context.
	Start Start
	// Limits of repositories; zero fields are those of repository.DefaultLimits.
	Limits repository.Limits
}

// NewService returns the service.
func NewService(parts Parts) *Service {
	return &Service{
		database: parts.Database, spaces: parts.Spaces, revisions: parts.Revisions, files: parts.Files,
		outbound: parts.Outbound, box: parts.Box, start: parts.Start, limits: parts.Limits,
	}
}

// fileSizeLimit is the size of one file in a repository, in bytes.
func (s *Service) fileSizeLimit() int64 {
	if s.limits.FileSize > 0 {
		return s.limits.FileSize
	}
	return repository.DefaultLimits().FileSize
}

// Source is a repository to import.
type Source struct {
	// FS holds it: see repository.Source.
	FS fs.FS
	// Git is the commit that it is at; nil when it is not from git.
	Git *revision.Git
	// Progress is told how far the import is. May be nil.
	Progress func(step Step, done, total int)
}

// Step of an import.
type Step string

// The steps, in their order.
const (
	StepRead  Step = "read"  // the repository is read; counted in its files
	StepStore Step = "store" // files are put into the bucket
	StepWrite Step = "write" // the revision is written
)

func (s Source) progress(step Step, done, total int) {
	if s.Progress != nil {
		s.Progress(step, done, total)
	}
}

// Options of an import.
type Options struct {
	// Standalone makes a revision and leaves the main content alone.
	Standalone bool
	// Force takes what the repository says where it and the space changed the
	// same thing, and makes a revision even when nothing changed.
	Force bool
}

// Imported is the outcome of an import.
type Imported struct {
	SpaceID string
	// RevisionID is the revision that holds the repository's content; the main
	// content, unless the import was standalone.
	RevisionID string
	// Changed is false when the space had this content already.
	Changed bool
	Report  repository.Report
}

// Import takes a repository over into a space, which needs the role create in
// it. Everything becomes one revision, or nothing changes. What was edited in
// the space since the last import or export is merged with what the repository
// changed since; CONFLICT when both changed the same, unless the import is
// forced. The first import into a space replaces what it has.
func (s *Service) Import(ctx context.Context, spaceID string, source Source, options Options) (*Imported, error) {
	target, err := s.spaces.Require(ctx, spaceID, access.ScopeWrite, access.Create)
	if err != nil {
		return nil, err
	}
	from, err := s.lastSynchronized(ctx, target)
	if err != nil {
		return nil, err
	}
	read, err := s.read(ctx, source, from)
	if err != nil {
		return nil, err
	}
	var imported *Imported
	err = s.database.Write(ctx, func(ctx context.Context) error {
		locked, err := s.spaces.Lock(ctx, spaceID, access.ScopeWrite, access.Create)
		if err != nil {
			return err
		}
		imported, err = s.takeOver(ctx, locked, from, read, source, options)
		return err
	})
	if err != nil {
		return nil, err
	}
	return imported, nil
}

// ImportNew makes a space that holds a repository. It needs the role create in
// the organization.
func (s *Service) ImportNew(ctx context.Context, space space.New, source Source) (*Imported, error) {
	if err := access.Require(ctx, space.OrganizationID, access.ScopeWrite, access.Create); err != nil {
		return nil, err
	}
	read, err := s.read(ctx, source, &synchronized{tree: &content.Tree{}})
	if err != nil {
		return nil, err
	}
	var imported *Imported
	err = s.database.Write(ctx, func(ctx context.Context) error {
		created, err := s.spaces.Create(ctx, space)
		if err != nil {
			return err
		}
		from, err := s.lastSynchronized(ctx, created)
		if err != nil {
			return err
		}
		imported, err = s.takeOver(ctx, created, from, read, source, Options{})
		return err
	})
	if err != nil {
		return nil, err
	}
	return imported, nil
}

// synchronized is the content that a space and its repository last agreed on.
type synchronized struct {
	revision *revision.Revision // nil for a space that is yet to be made
	tree     *content.Tree
	bodies   content.Bodies
}

// lastSynchronized returns the content that the last import or export left; the
// main content if there was none.
func (s *Service) lastSynchronized(ctx context.Context, target *space.Space) (*synchronized, error) {
	state, err := stateOf(target.Space)
	if err != nil {
		return nil, err
	}
	id := state.Revision
	if id == "" {
		id = target.RevisionID
	}
	return s.content(ctx, id)
}

// content reads all of a revision, texts included, in few statements.
func (s *Service) content(ctx context.Context, revisionID string) (*synchronized, error) {
	found, err := s.revisions.Load(ctx, revisionID)
	if err != nil {
		return nil, err
	}
	tree, err := s.revisions.Tree(ctx, found.Revision)
	if err != nil {
		return nil, err
	}
	bodies, err := s.revisions.Bodies(ctx, textsOf(tree))
	if err != nil {
		return nil, err
	}
	return &synchronized{revision: found, tree: tree, bodies: texts{known: bodies, rest: s.revisions.Reader(ctx)}}, nil
}

// textsOf lists the texts of a tree.
func textsOf(tree *content.Tree) []content.Hash {
	var hashes []content.Hash
	for _, page := range tree.Pages {
		hashes = append(hashes, page.Body)
	}
	for _, item := range tree.ReusableContents {
		hashes = append(hashes, item.Body)
	}
	if origin := tree.Repository; origin != nil {
		hashes = append(hashes, origin.Summary, origin.Configuration)
		for _, file := range origin.Unplaced {
			hashes = append(hashes, file.Body)
		}
	}
	return hashes
}

// texts gives the texts that are in memory, and asks for the rest.
type texts struct {
	known map[content.Hash][]byte
	rest  content.Bodies
}

// Body implements content.Bodies.
func (t texts) Body(hash content.Hash) ([]byte, error) {
	if body, found := t.known[hash]; found {
		return body, nil
	}
	return t.rest.Body(hash)
}

// read turns the repository into content and keeps its files. A file that
// nothing refers to in the end is collected like any other.
func (s *Service) read(ctx context.Context, source Source, from *synchronized) (*repository.Result, error) {
	result, err := repository.Import(ctx, repository.Source{
		FS: source.FS, Previous: from.tree, PreviousBodies: from.bodies, GitOID: objectIDs(source.FS),
		Progress: func(done, total int) { source.progress(StepRead, done, total) },
	}, repository.Options{Limits: s.limits, Now: time.Now().UTC().Truncate(time.Microsecond)})
	if err != nil {
		return nil, err
	}
	return result, s.keepFiles(ctx, result, source, from.tree)
}

// objectIDs returns the git object ids that a file system of git objects knows.
func objectIDs(files fs.FS) func(string) string {
	return func(name string) string {
		info, err := fs.Stat(files, name)
		if err != nil {
			return ""
		}
		id, _ := info.Sys().(string) // any other file system knows none
		return id
	}
}

func (s *Service) keepFiles(ctx context.Context, result *repository.Result, source Source, before *content.Tree) error {
	kept := make(map[content.Hash]bool, len(before.Files))
	for _, file := range before.Files {
		kept[file.Content] = true
	}
	done := 0
	for hash, file := range result.Files {
		if !kept[hash] {
			if err := s.keepFile(ctx, file); err != nil {
				return err
			}
		}
		done++
		source.progress(StepStore, done, len(result.Files))
	}
	return nil
}

func (s *Service) keepFile(ctx context.Context, file repository.FileContent) (err error) {
	reader, err := file.Open()
	if err != nil {
		return fmt.Errorf("open %s: %w", file.Path, err)
	}
	defer func() {
		// What was read is held against its hash; how reading ends is no matter.
		_ = reader.Close()
	}()
	stored, err := s.files.Put(ctx, file.Path, reader, s.fileSizeLimit())
	if err != nil {
		return fmt.Errorf("store %s: %w", file.Path, err)
	}
	if stored.Hash != file.Hash {
		return fault.New(fault.Conflict, "%s changed while it was imported", file.Path)
	}
	return nil
}

// Export writes the main content of a space that the caller may read as a
// repository: see repository.Export.
func (s *Service) Export(ctx context.Context, spaceID string, write repository.WriteFunc) error {
	found, err := s.spaces.Require(ctx, spaceID, access.ScopeRead, access.Read)
	if err != nil {
		return err
	}
	head, err := s.content(ctx, found.RevisionID)
	if err != nil {
		return err
	}
	return s.export(ctx, head, write)
}

func (s *Service) export(ctx context.Context, exported *synchronized, write repository.WriteFunc) error {
	open := func(hash content.Hash) (io.ReadCloser, error) { return s.files.Open(ctx, hash) }
	return repository.Export(ctx, exported.tree, exported.bodies, open, write)
}
