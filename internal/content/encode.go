package content

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Object is a piece of an encoded tree, addressed by the hash of its bytes.
type Object struct {
	Hash Hash
	Data []byte
}

// rootVersion is raised when the encoding changes in a way that older code
// cannot read.
const rootVersion = 1

// Root is the small object that an encoded tree begins with. It holds what is
// small, and the hashes of the chunks that hold the rest.
type Root struct {
	Version          int            `json:"version"`
	Pages            []Hash         `json:"pages,omitempty"`
	Files            []Hash         `json:"files,omitempty"`
	ReusableContents []Hash         `json:"reusableContents,omitempty"`
	Redirects        []Hash         `json:"redirects,omitempty"`
	Variables        map[string]any `json:"variables,omitempty"`
	Repository       *Repository    `json:"repository,omitempty"`
}

// Encode returns the tree as a root and the chunks it names, each chunk once.
// Equal trees give equal bytes; trees that differ in a few pages share all
// chunks but those of these pages. Times are kept in UTC to the microsecond.
func (t *Tree) Encode() (root Object, chunks []Object, err error) {
	return t.EncodeSince(nil, nil)
}

// EncodeSince is Encode without the chunks that the previous tree, stored under
// previousRoot, has as well: these are recognized by the entries that the two
// trees share, so that the time it takes follows the size of the change too.
// Without a previous tree it is Encode.
func (t *Tree) EncodeSince(previous *Tree, previousRoot *Root) (root Object, chunks []Object, err error) {
	if previous == nil || previousRoot == nil {
		previous, previousRoot = &Tree{}, &Root{}
	}
	encoder := &treeEncoder{stored: setOf(previousRoot.Chunks())}
	description := Root{
		Version:          rootVersion,
		Pages:            encodeChunks(encoder, t.Pages, previous.Pages, previousRoot.Pages, pageID, storedPage),
		Files:            encodeChunks(encoder, t.Files, previous.Files, previousRoot.Files, fileID, storedFile),
		ReusableContents: encodeChunks(encoder, t.ReusableContents, previous.ReusableContents, previousRoot.ReusableContents, reusableContentID, storedReusableContent),
		Redirects:        encodeChunks(encoder, t.Redirects, previous.Redirects, previousRoot.Redirects, redirectPath, storedRedirect),
		Variables:        t.Variables,
		Repository:       t.Repository,
	}
	if encoder.err != nil {
		return Object{}, nil, encoder.err
	}
	data, err := marshalLine(description)
	if err != nil {
		return Object{}, nil, fmt.Errorf("encode the root of a tree: %w", err)
	}
	return Object{Hash: HashOf(data), Data: data}, encoder.chunks, nil
}

// treeEncoder collects the chunks of one tree and the first error.
type treeEncoder struct {
	chunks []Object
	stored map[Hash]bool
	err    error
}

func encodeChunks[Entry any](
	encoder *treeEncoder, entries, previous []*Entry, previousHashes []Hash,
	identify func(*Entry) string, stored func(*Entry) *Entry,
) []Hash {
	known := chunksByFirst(previous, previousHashes, identify)
	var hashes []Hash
	for _, part := range cutIntoChunks(entries, identify) {
		if same, found := known[part[0]]; found && slices.Equal(same.entries, part) {
			hashes = append(hashes, same.hash)
			continue
		}
		data, err := marshalChunk(part, stored)
		if err != nil {
			encoder.err = fmt.Errorf("encode a chunk of a tree: %w", err)
			return nil
		}
		hash := HashOf(data)
		hashes = append(hashes, hash)
		if !encoder.stored[hash] {
			encoder.stored[hash] = true
			encoder.chunks = append(encoder.chunks, Object{Hash: hash, Data: data})
		}
	}
	return hashes
}

// knownChunk is a chunk of a tree whose encoding is known.
type knownChunk[Entry any] struct {
	hash    Hash
	entries []*Entry
}

// chunksByFirst returns the chunks of a list that was encoded as hashes, by
// their first entries.
func chunksByFirst[Entry any](entries []*Entry, hashes []Hash, identify func(*Entry) string) map[*Entry]knownChunk[Entry] {
	parts := cutIntoChunks(entries, identify)
	if len(parts) != len(hashes) {
		return nil
	}
	known := make(map[*Entry]knownChunk[Entry], len(parts))
	for position, part := range parts {
		known[part[0]] = knownChunk[Entry]{hash: hashes[position], entries: part}
	}
	return known
}

func marshalChunk[Entry any](entries []Entry, stored func(Entry) Entry) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	for _, entry := range entries {
		if err := encoder.Encode(stored(entry)); err != nil {
			return nil, err
		}
	}
	return buffer.Bytes(), nil
}

func marshalLine(value any) ([]byte, error) {
	return marshalChunk([]any{value}, func(value any) any { return value })
}

// DecodeRoot reads the root that Encode wrote.
func DecodeRoot(data []byte) (*Root, error) {
	var root Root
	if err := json.Unmarshal(data, &root); err != nil {
		return nil, fmt.Errorf("decode the root of a tree: %w", err)
	}
	if root.Version != rootVersion {
		return nil, fmt.Errorf("decode the root of a tree: version %d is not known", root.Version)
	}
	return &root, nil
}

// Chunks returns the hashes of all chunks that Tree needs, each once.
func (r *Root) Chunks() []Hash {
	return r.ChunksSince(nil)
}

// ChunksSince returns the hashes of the chunks that TreeSince needs: those that
// previous, which may be nil, does not name.
func (r *Root) ChunksSince(previous *Root) []Hash {
	seen := map[Hash]bool{}
	if previous != nil {
		seen = setOf(previous.Chunks())
	}
	var hashes []Hash
	for _, list := range [][]Hash{r.Pages, r.Files, r.ReusableContents, r.Redirects} {
		for _, hash := range list {
			if !seen[hash] {
				seen[hash] = true
				hashes = append(hashes, hash)
			}
		}
	}
	return hashes
}

// Tree puts the tree together from the data of its chunks. It fails when a
// chunk is missing or cannot be read.
func (r *Root) Tree(chunks map[Hash][]byte) (*Tree, error) {
	return r.TreeSince(nil, nil, chunks)
}

// TreeSince is Tree with the entries of the previous tree, stored under
// previousRoot, where the two have the same chunk: these take no time to
// decode and no memory of their own, and the trees compare faster. Without a
// previous tree it is Tree.
func (r *Root) TreeSince(previous *Tree, previousRoot *Root, chunks map[Hash][]byte) (*Tree, error) {
	if previous == nil || previousRoot == nil {
		previous, previousRoot = &Tree{}, &Root{}
	}
	pages, err := decodeChunks(r.Pages, chunks, previous.Pages, previousRoot.Pages, pageID)
	if err != nil {
		return nil, err
	}
	files, err := decodeChunks(r.Files, chunks, previous.Files, previousRoot.Files, fileID)
	if err != nil {
		return nil, err
	}
	reusableContents, err := decodeChunks(r.ReusableContents, chunks, previous.ReusableContents, previousRoot.ReusableContents, reusableContentID)
	if err != nil {
		return nil, err
	}
	redirects, err := decodeChunks(r.Redirects, chunks, previous.Redirects, previousRoot.Redirects, redirectPath)
	if err != nil {
		return nil, err
	}
	return &Tree{
		Pages:            pages,
		Files:            files,
		ReusableContents: reusableContents,
		Redirects:        redirects,
		Variables:        r.Variables,
		Repository:       r.Repository,
	}, nil
}

func decodeChunks[Entry any](
	hashes []Hash, chunks map[Hash][]byte, previous []*Entry, previousHashes []Hash, identify func(*Entry) string,
) ([]*Entry, error) {
	decoded := map[Hash][]*Entry{}
	for _, known := range chunksByFirst(previous, previousHashes, identify) {
		decoded[known.hash] = known.entries
	}
	var entries []*Entry
	for _, hash := range hashes {
		part, found := decoded[hash]
		if !found {
			var err error
			if part, err = decodeChunk[Entry](hash, chunks); err != nil {
				return nil, err
			}
		}
		entries = append(entries, part...)
	}
	return entries, nil
}

func decodeChunk[Entry any](hash Hash, chunks map[Hash][]byte) ([]*Entry, error) {
	data, found := chunks[hash]
	if !found {
		return nil, fmt.Errorf("chunk %s of a tree is missing", hash)
	}
	var entries []*Entry
	for line := range bytes.Lines(data) {
		entry := new(Entry)
		if err := json.Unmarshal(line, entry); err != nil {
			return nil, fmt.Errorf("decode chunk %s of a tree: %w", hash, err)
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

func pageID(page *Page) string                       { return page.ID }
func fileID(file *File) string                       { return file.ID }
func reusableContentID(item *ReusableContent) string { return item.ID }

// storedTime is the time as every database keeps it.
func storedTime(moment time.Time) time.Time {
	return moment.UTC().Truncate(time.Microsecond)
}

func storedPage(page *Page) *Page {
	createdAt, updatedAt := storedTime(page.CreatedAt), storedTime(page.UpdatedAt)
	if createdAt == page.CreatedAt && updatedAt == page.UpdatedAt {
		return page
	}
	stored := *page
	stored.CreatedAt, stored.UpdatedAt = createdAt, updatedAt
	return &stored
}

func storedFile(file *File) *File {
	createdAt := storedTime(file.CreatedAt)
	if createdAt == file.CreatedAt {
		return file
	}
	stored := *file
	stored.CreatedAt = createdAt
	return &stored
}

func storedReusableContent(item *ReusableContent) *ReusableContent { return item }
