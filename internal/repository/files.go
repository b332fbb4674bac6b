package repository

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's object ids are SHA-1
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // dimensions of GIF
	_ "image/jpeg" // dimensions of JPEG
	_ "image/png"  // dimensions of PNG
	"io"
	"io/fs"
	"math"
	"net/http"
	"path"
	"strconv"
	"strings"

	"octavo/internal/content"
)

// headLength is how much of a file is looked at to tell what it is. JPEG puts
// its dimensions after metadata that may be long.
const headLength = 256 << 10

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
	head := make([]byte, min(size, headLength))
	length, err := io.ReadFull(file, head)
	if err != nil && size > 0 {
		return description{}, fmt.Errorf("read %s: %w", name, err)
	}
	head = head[:length]
	sum, oid := sha256.New(), sha1.New() //nolint:gosec // see the import
	oid.Write(blobHeader(size))
	hashes := io.MultiWriter(sum, oid)
	hashes.Write(head) //nolint:errcheck // hashes never fail
	// One byte more than promised shows that the file is not what it claims.
	rest, err := io.Copy(hashes, io.LimitReader(file, size-int64(length)+1))
	if err != nil {
		return description{}, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(length)+rest != size {
		return description{}, fmt.Errorf("%s does not have the %d bytes that it claims", name, size)
	}
	found.hash = content.Hash(hex.EncodeToString(sum.Sum(nil)))
	found.oid = hex.EncodeToString(oid.Sum(nil))
	found.contentType = contentType(name, head)
	found.width, found.height = dimensions(found.contentType, head)
	return found, nil
}

// typesByExtension are the types of formats that cannot be told by their first
// bytes, or that are containers for others. The system's own table is not
// used: it differs between machines.
var typesByExtension = map[string]string{
	".css": "text/css; charset=utf-8", ".csv": "text/csv; charset=utf-8",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".epub": "application/epub+zip",
	".html": "text/html; charset=utf-8", ".htm": "text/html; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
	".json": "application/json", ".jar": "application/java-archive",
	".md": "text/markdown; charset=utf-8", ".markdown": "text/markdown; charset=utf-8",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	".svg":  "image/svg+xml", ".toml": "application/toml",
	".tsv": "text/tab-separated-values; charset=utf-8", ".txt": "text/plain; charset=utf-8",
	".wasm": "application/wasm",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".xml":  "application/xml", ".yaml": "application/yaml", ".yml": "application/yaml",
}

// contentType tells the type of a file by its first bytes, and by its extension
// where those leave it open. A file never passes for a more specific binary
// format than its bytes show.
func contentType(name string, head []byte) string {
	sniffed := http.DetectContentType(head)
	family, _, _ := strings.Cut(sniffed, ";")
	switch family {
	case "text/plain", "text/xml", "text/html", "application/zip", "application/octet-stream":
		if known := typesByExtension[strings.ToLower(path.Ext(name))]; known != "" {
			return known
		}
	}
	return sniffed
}

// dimensions returns the width and height of an image in pixels, 0 if they are
// not known.
func dimensions(contentType string, head []byte) (width, height int) {
	switch contentType {
	case "image/png", "image/jpeg", "image/gif":
		config, _, err := image.DecodeConfig(bytes.NewReader(head))
		if err != nil {
			return 0, 0 // a broken image is still a file
		}
		return config.Width, config.Height
	case "image/webp":
		return webpDimensions(head)
	case "image/svg+xml":
		return svgDimensions(head)
	default:
		return 0, 0
	}
}

// webpDimensions reads the header of the first chunk of a WebP file.
func webpDimensions(head []byte) (width, height int) {
	if len(head) < 30 {
		return 0, 0
	}
	data := head[20:]
	switch string(head[12:16]) {
	case "VP8 ": // lossy: a key frame starts with three bytes and a mark
		if !bytes.Equal(data[3:6], []byte{0x9d, 0x01, 0x2a}) {
			return 0, 0
		}
		return int(data[6]) | int(data[7]&0x3f)<<8, int(data[8]) | int(data[9]&0x3f)<<8
	case "VP8L": // lossless: two numbers of 14 bits after a mark, each less one
		if data[0] != 0x2f {
			return 0, 0
		}
		bits := uint32(data[1]) | uint32(data[2])<<8 | uint32(data[3])<<16 | uint32(data[4])<<24
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case "VP8X": // extended: two numbers of 24 bits, each less one
		return int(data[4]) | int(data[5])<<8 | int(data[6])<<16 + 1, int(data[7]) | int(data[8])<<8 | int(data[9])<<16 + 1
	default:
		return 0, 0
	}
}

// svgDimensions reads the root element of an SVG file.
func svgDimensions(head []byte) (width, height int) {
	decoder := xml.NewDecoder(bytes.NewReader(head))
	for {
		token, err := decoder.RawToken()
		if err != nil {
			return 0, 0
		}
		root, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if root.Name.Local != "svg" {
			return 0, 0
		}
		return svgSize(root.Attr)
	}
}

func svgSize(attributes []xml.Attr) (width, height int) {
	var box []string
	for _, attribute := range attributes {
		switch attribute.Name.Local {
		case "width":
			width = pixels(attribute.Value)
		case "height":
			height = pixels(attribute.Value)
		case "viewBox":
			box = strings.FieldsFunc(attribute.Value, func(character rune) bool { return character == ' ' || character == ',' })
		}
	}
	if (width == 0 || height == 0) && len(box) == 4 {
		return pixels(box[2]), pixels(box[3])
	}
	return width, height
}

// pixels reads a length in pixels; 0 for other units.
func pixels(length string) int {
	number, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(length), "px"), 64)
	if err != nil || !(number > 0 && number < math.MaxInt32) {
		return 0
	}
	return int(math.Round(number))
}
