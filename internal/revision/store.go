// Package revision stores the content of spaces: immutable revisions whose
// trees and texts are objects addressed by the hash of their bytes.
package revision

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"octavo/ent"
	"octavo/ent/contentobject"
	"octavo/internal/access"
	"octavo/internal/cache"
	"octavo/internal/content"
	"octavo/internal/database"
	"octavo/internal/enum"
	"octavo/internal/repository"
)

const (
	// The sizes bound the content kept in memory, in bytes.
	treeCacheSize = 64 << 20
	bodyCacheSize = 64 << 20
	textCacheSize = 64 << 20
	linkCacheSize = 32 << 20
	rowCacheSize  = 8 << 20
	// rowWeight is about how many bytes the row of a revision takes.
	rowWeight = 1 << 10
	// treeWeight is how much larger a tree is in memory than encoded.
	treeWeight = 3
	// objectsPerStatement bounds the parameters of one INSERT or SELECT.
	objectsPerStatement = 400
)

// Store reads and writes revisions. It is safe for concurrent use.
type Store struct {
	database *database.Database
	trees    *cache.Cache[string, decoded]
	bodies   *cache.Cache[content.Hash, []byte]
	texts    *cache.Cache[textKey, []byte]
	links    *cache.Cache[string, *repository.Links]
	rows     *cache.Cache[rowKey, *Revision]
	// applicationURL is the address below which links lead into Octavo itself.
	applicationURL string
}

// decoded is a tree with the root that it is stored under.
type decoded struct {
	tree *content.Tree
	root *content.Root
}

// NewStore returns the store of a database. Links in content to addresses below
// applicationURL are understood as links to what is stored.
func NewStore(opened *database.Database, applicationURL string) *Store {
	return &Store{
		database:       opened,
		trees:          cache.New[string, decoded](treeCacheSize),
		bodies:         cache.New[content.Hash, []byte](bodyCacheSize),
		texts:          cache.New[textKey, []byte](textCacheSize),
		links:          cache.New[string, *repository.Links](linkCacheSize),
		rows:           cache.New[rowKey, *Revision](rowCacheSize),
		applicationURL: applicationURL,
	}
}

// Draft is a revision that is about to be written.
type Draft struct {
	Space *ent.Space
	// ChangeRequestID is set for revisions on a branch.
	ChangeRequestID *string
	// MergedFromID is the change request whose merge this is.
	MergedFromID *string
	Type         enum.RevisionType
	Parents      []string
	AuthorID     string
	Tree         *content.Tree
	// Root is set for a tree that is stored already: its hash.
	Root string
	// Bodies are the texts that the tree names and the store may not have.
	Bodies map[content.Hash][]byte
	Git    *Git
	// Aside is set for a revision that never is the main content of the space
	// nor that of a change request.
	Aside bool
}

// Git is what a revision knows of the commit that it came from or went to.
type Git struct {
	OID              string `json:"oid,omitempty"`
	Message          string `json:"message,omitempty"`
	CreatedByGitBook bool   `json:"createdByGitBook"`
	URL              string `json:"url,omitempty"`
	Ref              string `json:"ref,omitempty"`
}

// Write stores the draft in the transaction of the context and returns the
// revision. Objects that exist already cost nothing but the attempt.
func (s *Store) Write(ctx context.Context, draft Draft) (*ent.Revision, error) {
	if draft.Root != "" {
		if err := s.database.Share(ctx, database.LockContent); err != nil {
			return nil, err
		}
		return s.writeRow(ctx, draft, draft.Root)
	}
	root, chunks, err := draft.Tree.Encode()
	if err != nil {
		return nil, fmt.Errorf("encode the tree: %w", err)
	}
	// From here on nothing that is there already is collected.
	if err := s.database.Share(ctx, database.LockContent); err != nil {
		return nil, err
	}
	objects := make(map[content.Hash][]byte, len(chunks)+len(draft.Bodies)+1)
	for _, object := range append(chunks, root) {
		objects[object.Hash] = object.Data
	}
	for hash, body := range draft.Bodies {
		objects[hash] = body
	}
	if err := s.writeObjects(ctx, objects); err != nil {
		return nil, err
	}
	return s.writeRow(ctx, draft, string(root.Hash))
}

// Copy stores a revision with the content of another one, which costs no more
// than its row.
func (s *Store) Copy(ctx context.Context, original *Revision, draft Draft) (*ent.Revision, error) {
	if err := s.database.Share(ctx, database.LockContent); err != nil {
		return nil, err
	}
	return s.writeRow(ctx, draft, original.Root)
}

func (s *Store) writeRow(ctx context.Context, draft Draft, root string) (*ent.Revision, error) {
	create := s.database.Client(ctx).Revision.Create().
		SetOrganizationID(draft.Space.OrganizationID).SetSpaceID(draft.Space.ID).
		SetNillableChangeRequestID(draft.ChangeRequestID).SetNillableMergedFromID(draft.MergedFromID).
		SetType(draft.Type).SetParents(draft.Parents).SetRoot(root).SetAside(draft.Aside)
	if draft.AuthorID != "" {
		create.SetAuthorID(draft.AuthorID)
	}
	if draft.Git != nil {
		git, err := json.Marshal(draft.Git)
		if err != nil {
			return nil, err
		}
		create.SetGit(git)
	}
	written, err := create.Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("write the revision: %w", err)
	}
	return written, nil
}

func (s *Store) writeObjects(ctx context.Context, objects map[content.Hash][]byte) error {
	missing, err := s.missing(ctx, objects)
	if err != nil {
		return err
	}
	client := s.database.Client(ctx)
	for batch := range slices.Chunk(missing, objectsPerStatement) {
		creates := make([]*ent.ContentObjectCreate, len(batch))
		for index, hash := range batch {
			creates[index] = client.ContentObject.Create().SetID(string(hash)).SetData(objects[hash])
		}
		if err := client.ContentObject.CreateBulk(creates...).OnConflictColumns(contentobject.FieldID).DoNothing().Exec(ctx); err != nil {
			return fmt.Errorf("write content: %w", err)
		}
	}
	return nil
}

// missing returns, sorted, the hashes that the store does not have.
func (s *Store) missing(ctx context.Context, objects map[content.Hash][]byte) ([]content.Hash, error) {
	var missing []content.Hash
	hashes := make([]content.Hash, 0, len(objects))
	for hash := range objects {
		hashes = append(hashes, hash)
	}
	slices.Sort(hashes)
	for batch := range slices.Chunk(hashes, objectsPerStatement) {
		known, err := s.database.Client(ctx).ContentObject.Query().Where(contentobject.IDIn(texts(batch)...)).IDs(ctx)
		if err != nil {
			return nil, fmt.Errorf("look for content: %w", err)
		}
		slices.Sort(known)
		for _, hash := range batch {
			if _, found := slices.BinarySearch(known, string(hash)); !found {
				missing = append(missing, hash)
			}
		}
	}
	return missing, nil
}

// Tree returns the content of a revision, without texts, as far as the caller
// may read it. It costs two statements, or none when the same content was read
// before.
func (s *Store) Tree(ctx context.Context, revision *ent.Revision) (*content.Tree, error) {
	return s.readable(ctx, revision.Root, "")
}

// TreeNear is Tree for a revision that has much in common with another one: if
// the content of that is in memory, only what differs is read.
func (s *Store) TreeNear(ctx context.Context, revision, near *ent.Revision) (*content.Tree, error) {
	return s.readable(ctx, revision.Root, near.Root)
}

func (s *Store) readable(ctx context.Context, rootHash, nearHash string) (*content.Tree, error) {
	tree, err := s.treeOf(ctx, rootHash, nearHash)
	if visitor := access.VisitorFrom(ctx); err == nil && visitor != nil {
		tree = s.visited(tree, rootHash, visitor)
	}
	return tree, err
}

func (s *Store) treeOf(ctx context.Context, rootHash, nearHash string) (*content.Tree, error) {
	if known, found := s.trees.Get(rootHash); found {
		return known.tree, nil
	}
	stored, err := s.objects(ctx, []content.Hash{content.Hash(rootHash)})
	if err != nil {
		return nil, err
	}
	root, err := content.DecodeRoot(stored[content.Hash(rootHash)])
	if err != nil {
		return nil, fmt.Errorf("content %s: %w", rootHash, err)
	}
	near, _ := s.trees.Get(nearHash)
	chunks, err := s.objects(ctx, root.ChunksSince(near.root))
	if err != nil {
		return nil, err
	}
	tree, err := root.TreeSince(near.tree, near.root, chunks)
	if err != nil {
		return nil, fmt.Errorf("content %s: %w", rootHash, err)
	}
	weight := int64(len(stored[content.Hash(rootHash)]))
	for _, chunk := range chunks {
		weight += int64(len(chunk))
	}
	s.trees.Add(rootHash, decoded{tree: tree, root: root}, weight*treeWeight)
	return tree, nil
}

// Body returns the text with the given hash.
func (s *Store) Body(ctx context.Context, hash content.Hash) ([]byte, error) {
	bodies, err := s.Bodies(ctx, []content.Hash{hash})
	if err != nil {
		return nil, err
	}
	return bodies[hash], nil
}

// Bodies returns the texts with the given hashes; the empty hash is left out.
func (s *Store) Bodies(ctx context.Context, hashes []content.Hash) (map[content.Hash][]byte, error) {
	bodies := make(map[content.Hash][]byte, len(hashes))
	var wanted []content.Hash
	for _, hash := range hashes {
		if hash == "" {
			continue
		}
		if body, found := s.bodies.Get(hash); found {
			bodies[hash] = body
			continue
		}
		wanted = append(wanted, hash)
	}
	read, err := s.objects(ctx, wanted)
	if err != nil {
		return nil, err
	}
	for hash, body := range read {
		bodies[hash] = body
		s.bodies.Add(hash, body, int64(len(body)))
	}
	return bodies, nil
}

// objects reads objects by their hashes; a missing one is an error.
func (s *Store) objects(ctx context.Context, hashes []content.Hash) (map[content.Hash][]byte, error) {
	read := make(map[content.Hash][]byte, len(hashes))
	for batch := range slices.Chunk(hashes, objectsPerStatement) {
		rows, err := s.database.Client(ctx).ContentObject.Query().Where(contentobject.IDIn(texts(batch)...)).All(ctx)
		if err != nil {
			return nil, fmt.Errorf("read content: %w", err)
		}
		for _, row := range rows {
			read[content.Hash(row.ID)] = row.Data
		}
	}
	for _, hash := range hashes {
		if _, found := read[hash]; !found {
			return nil, fmt.Errorf("content %s is missing from the database", hash)
		}
	}
	return read, nil
}

func texts(hashes []content.Hash) []string {
	converted := make([]string, len(hashes))
	for index, hash := range hashes {
		converted[index] = string(hash)
	}
	return converted
}

// Reader gives the texts of the store to the pure functions of package
// content, within one operation.
type Reader struct {
	store *Store
	ctx   context.Context
}

// Reader returns the texts of the store for the operation of the context.
func (s *Store) Reader(ctx context.Context) Reader { return Reader{store: s, ctx: ctx} }

// Body implements content.Bodies.
func (r Reader) Body(hash content.Hash) ([]byte, error) {
	if hash == "" {
		return nil, nil
	}
	return r.store.Body(r.ctx, hash)
}
