package repository

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"octavo/internal/content"
	"octavo/internal/media"
)

// FileContent is the content of a file, still where it was found.
type FileContent struct {
	Path string // in the file system that was imported
	Size int64  // bytes
	Hash content.Hash
	fs   fs.FS
}

// Open opens the content. The caller closes it. What is read should be checked
// against Hash: the source may have changed since.
func (f FileContent) Open() (io.ReadCloser, error) { return f.fs.Open(f.Path) }

// description is what reading a file tells about it.
type description struct {
	hash          content.Hash
	oid           string
	contentType   string
	width, height int
}

// describeFile reads a whole file, keeping no more than its head.
func describeFile(files fs.FS, name string, size int64) (found description, err error) {
	file, err := files.Open(name)
	if err != nil {
		return description{}, fmt.Errorf("open %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	head := make([]byte, min(size, media.HeadLength))
	length, err := io.ReadFull(file, head)
	if err != nil && size > 0 {
		return description{}, fmt.Errorf("read %s: %w", name, err)
	}
	head = head[:length]
	sum, oid := sha256.New(), sha1.New()
	oid.Write(blobHeader(size))
	whole := io.MultiReader(bytes.NewReader(head), file)
	// One byte more than promised shows that the file is not what it claims.
	read, err := io.Copy(io.MultiWriter(sum, oid), io.LimitReader(whole, size+1))
	if err != nil {
		return description{}, fmt.Errorf("read %s: %w", name, err)
	}
	if read != size {
		return description{}, fmt.Errorf("%s does not have the %d bytes that it claims", name, size)
	}
	found.hash = content.Hash(hex.EncodeToString(sum.Sum(nil)))
	found.oid = hex.EncodeToString(oid.Sum(nil))
	found.contentType = media.ContentType(name, head)
	found.width, found.height = media.Dimensions(found.contentType, head)
	return found, nil
}
