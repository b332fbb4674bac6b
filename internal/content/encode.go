package content

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	Variables        map[string]any `json:"variables,omitempty"`
	Repository       *Repository    `json:"repository,omitempty"`
}

// Encode returns the tree as a root and the chunks it names, each chunk once.
// Equal trees give equal bytes; trees that differ in a few pages share all
// chunks but those of these pages. Times are kept in UTC to the microsecond.
func (t *Tree) Encode() (root Object, chunks []Object, err error) {
	encoder := &treeEncoder{seen: map[Hash]bool{}}
	description := Root{
		Version:          rootVersion,
		Pages:            encodeChunks(encoder, t.Pages, pageID, storedPage),
		Files:            encodeChunks(encoder, t.Files, fileID, storedFile),
		ReusableContents: encodeChunks(encoder, t.ReusableContents, reusableContentID, storedReusableContent),
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
	seen   map[Hash]bool
	err    error
}

func encodeChunks[Entry any](encoder *treeEncoder, entries []Entry, identify func(Entry) string, stored func(Entry) Entry) []Hash {
	var hashes []Hash
	for _, part := range cutIntoChunks(entries, identify) {
		data, err := marshalChunk(part, stored)
		if err != nil {
			encoder.err = fmt.Errorf("encode a chunk of a tree: %w", err)
			return nil
		}
		hash := HashOf(data)
		hashes = append(hashes, hash)
		if encoder.seen[hash] {
			continue
		}
		encoder.seen[hash] = true
		encoder.chunks = append(encoder.chunks, Object{Hash: hash, Data: data})
	}
	return hashes
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
	hashes := make([]Hash, 0, len(r.Pages)+len(r.Files)+len(r.ReusableContents))
	seen := make(map[Hash]bool, cap(hashes))
	for _, list := range [][]Hash{r.Pages, r.Files, r.ReusableContents} {
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
	pages, err := decodeChunks[Page](r.Pages, chunks)
	if err != nil {
		return nil, err
	}
	files, err := decodeChunks[File](r.Files, chunks)
	if err != nil {
		return nil, err
	}
	reusableContents, err := decodeChunks[ReusableContent](r.ReusableContents, chunks)
	if err != nil {
		return nil, err
	}
	return &Tree{
		Pages:            pages,
		Files:            files,
		ReusableContents: reusableContents,
		Variables:        r.Variables,
		Repository:       r.Repository,
	}, nil
}

func decodeChunks[Entry any](hashes []Hash, chunks map[Hash][]byte) ([]*Entry, error) {
	var entries []*Entry
	for _, hash := range hashes {
		data, found := chunks[hash]
		if !found {
			return nil, fmt.Errorf("chunk %s of a tree is missing", hash)
		}
		for line := range bytes.Lines(data) {
			entry := new(Entry)
			if err := json.Unmarshal(line, entry); err != nil {
				return nil, fmt.Errorf("decode chunk %s of a tree: %w", hash, err)
			}
			entries = append(entries, entry)
		}
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
