// Package blob keeps the bytes of files by the SHA-256 of these bytes, in a
// directory or in an S3-compatible bucket. The same bytes are kept once.
package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"octavo/internal/content"
	"octavo/internal/fault"
	"octavo/internal/media"
)

// storage is where the bytes are in the end.
type storage interface {
	// stage makes an empty file in which bytes wait for their hash.
	stage() (staged, error)
	// keep stores what was staged under its hash, whole or not at all.
	keep(ctx context.Context, hash content.Hash, size int64, from staged) error
	// open and size return an error that is fs.ErrNotExist for a hash that is
	// not kept.
	open(ctx context.Context, hash content.Hash) (*Reader, error)
	size(ctx context.Context, hash content.Hash) (int64, error)
	// list visits what is kept, with the time when it was stored last.
	list(ctx context.Context, visit func(name string, stored time.Time) error) error
	// storedAt returns an error like size.
	storedAt(ctx context.Context, hash content.Hash) (time.Time, error)
	// remove is no error when nothing is kept under the hash.
	remove(ctx context.Context, hash content.Hash) error
	close() error
}

// staged is a temporary file. discard closes and removes it; after keep it does
// nothing.
type staged interface {
	io.ReadWriteSeeker
	discard() error
}

// Bucket keeps files. It is safe for concurrent use, also by several processes.
type Bucket struct {
	storage storage
	// removing is shared by those who store bytes and held alone by those who
	// remove old ones.
	removing sync.RWMutex
}

// Stored describes bytes that were put into a bucket.
type Stored struct {
	Hash content.Hash
	// Size in bytes.
	Size int64
	// ContentType as told by the first bytes and the name.
	ContentType string
	// Width and Height in pixels; 0 for what is no image.
	Width, Height int
}

// Upload is a file that somebody sends.
type Upload struct {
	Name string
	// ContentType that was declared for it; empty for none.
	ContentType string
	Source      io.Reader
	// Limit of its size in bytes.
	Limit int64
}

// Open opens a bucket: a directory by its path, which is made if it does not
// exist, or an S3-compatible bucket by an address of the form
// s3://[key:secret@]bucket[/prefix][?endpoint=URL&region=NAME&path_style=true].
// Without a key in the address the standard environment of AWS counts.
func Open(ctx context.Context, address string) (*Bucket, error) {
	opened, err := open(ctx, address)
	if err != nil {
		return nil, err
	}
	return &Bucket{storage: opened}, nil
}

func open(ctx context.Context, address string) (storage, error) {
	if strings.HasPrefix(address, "s3://") {
		return openS3(ctx, address)
	}
	if scheme, _, found := strings.Cut(address, "://"); found {
		return nil, fmt.Errorf("files are kept in a directory or at an s3:// address, not at %s://", scheme)
	}
	return openDirectory(filepath.Clean(address))
}

// Close releases the bucket.
func (b *Bucket) Close() error { return b.storage.close() }

// Put keeps the bytes of the source, of which there may be limit, and says what
// they are. The name helps to tell. It fails with LIMIT_EXCEEDED when there are
// more; nothing is kept then.
func (b *Bucket) Put(ctx context.Context, name string, source io.Reader, limit int64) (Stored, error) {
	return b.put(ctx, source, limit, func(head []byte) (string, error) { return media.ContentType(name, head), nil })
}

// Upload is Put for what users send: it fails with BAD_USER_INPUT for what may
// not be uploaded or is not what it is declared to be (see media.Check).
func (b *Bucket) Upload(ctx context.Context, upload Upload) (Stored, error) {
	return b.put(ctx, upload.Source, upload.Limit, func(head []byte) (string, error) {
		return media.Check(upload.Name, upload.ContentType, head)
	})
}

func (b *Bucket) put(ctx context.Context, source io.Reader, limit int64, identify func(head []byte) (string, error)) (stored Stored, err error) {
	file, err := b.storage.stage()
	if err != nil {
		return Stored{}, fmt.Errorf("store a file: %w", err)
	}
	defer func() { err = errors.Join(err, file.discard()) }()
	stored, head, err := receive(ctx, file, source, limit)
	if err != nil {
		return Stored{}, err
	}
	if stored.ContentType, err = identify(head); err != nil {
		return Stored{}, err
	}
	stored.Width, stored.Height = media.Dimensions(stored.ContentType, head)
	b.removing.RLock()
	defer b.removing.RUnlock()
	if err := b.storage.keep(ctx, stored.Hash, stored.Size, file); err != nil {
		return Stored{}, fmt.Errorf("store a file: %w", err)
	}
	return stored, nil
}

// receive copies the source into the file and returns its first bytes.
func receive(ctx context.Context, file io.Writer, source io.Reader, limit int64) (Stored, []byte, error) {
	sum, head := sha256.New(), &beginning{}
	size, err := io.Copy(io.MultiWriter(file, sum, head), io.LimitReader(contextReader{ctx, source}, limit+1))
	if err != nil {
		return Stored{}, nil, fmt.Errorf("receive a file: %w", err)
	}
	if size > limit {
		return Stored{}, nil, fault.New(fault.LimitExceeded, "the file has more than %d bytes", limit)
	}
	return Stored{Hash: content.Hash(hex.EncodeToString(sum.Sum(nil))), Size: size}, head.data, nil
}

// contextReader ends when its context does.
type contextReader struct {
	ctx  context.Context
	next io.Reader
}

// Read implements io.Reader.
func (r contextReader) Read(buffer []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.next.Read(buffer)
}

// beginning keeps the first bytes that are written to it.
type beginning struct{ data []byte }

// Write implements io.Writer.
func (b *beginning) Write(data []byte) (int, error) {
	if missing := media.HeadLength - len(b.data); missing > 0 {
		b.data = append(b.data, data[:min(missing, len(data))]...)
	}
	return len(data), nil
}

// Reader reads a kept file. It must be closed.
type Reader struct {
	io.ReadSeekCloser
	// Size in bytes.
	Size int64
}

var hashPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Open opens the bytes with the hash; NOT_FOUND when they are not kept. The
// context must live as long as the reader.
func (b *Bucket) Open(ctx context.Context, hash content.Hash) (*Reader, error) {
	if !hashPattern.MatchString(string(hash)) {
		return nil, fault.Missing("file")
	}
	reader, err := b.storage.open(ctx, hash)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fault.Missing("file")
	}
	if err != nil {
		return nil, fmt.Errorf("open file %s: %w", hash, err)
	}
	return reader, nil
}

// Exists tells whether the bytes with the hash are kept.
func (b *Bucket) Exists(ctx context.Context, hash content.Hash) (bool, error) {
	if !hashPattern.MatchString(string(hash)) {
		return false, nil
	}
	_, err := b.storage.size(ctx, hash)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for file %s: %w", hash, err)
	}
	return true, nil
}

// Delete forgets the bytes with the hash, if they are kept. Nothing may refer
// to them any more.
func (b *Bucket) Delete(ctx context.Context, hash content.Hash) error {
	if !hashPattern.MatchString(string(hash)) {
		return nil
	}
	if err := b.storage.remove(ctx, hash); err != nil {
		return fmt.Errorf("delete file %s: %w", hash, err)
	}
	return nil
}

// DeleteBefore is Delete for bytes that were stored last before a time, and
// tells whether they were. Within this process nobody stores them in between.
func (b *Bucket) DeleteBefore(ctx context.Context, hash content.Hash, before time.Time) (deleted bool, err error) {
	b.removing.Lock()
	defer b.removing.Unlock()
	stored, err := b.storage.storedAt(ctx, hash)
	if errors.Is(err, os.ErrNotExist) || err == nil && !stored.Before(before) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for file %s: %w", hash, err)
	}
	return true, b.Delete(ctx, hash)
}

// List visits the hashes of all bytes that are kept, in no particular order,
// with the time when they were stored last. An error of visit ends it.
func (b *Bucket) List(ctx context.Context, visit func(hash content.Hash, stored time.Time) error) error {
	return b.storage.list(ctx, func(name string, stored time.Time) error {
		if !hashPattern.MatchString(name) {
			return nil // not one of ours
		}
		return visit(content.Hash(name), stored)
	})
}

// objectName is where the bytes with a hash are: a level of directories keeps
// each of them small.
func objectName(hash content.Hash) (directory, name string) {
	return string(hash[:2]), string(hash[:2]) + "/" + string(hash)
}
