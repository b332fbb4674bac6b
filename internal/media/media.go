// Package media tells what files are, by their first bytes.
package media

import (
	"bytes"
	"encoding/xml"
	"image"
	_ "image/gif"  // dimensions of GIF
	_ "image/jpeg" // dimensions of JPEG
	_ "image/png"  // dimensions of PNG
	"math"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// HeadLength is how many bytes of a file are looked at to tell what it is. JPEG
// puts its dimensions after metadata that may be long.
const HeadLength = 256 << 10

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

// ContentType tells the type of a file by its first bytes, and by its extension
// where those leave it open. A file never passes for a more specific binary
// format than its bytes show.
func ContentType(name string, head []byte) string {
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

// Dimensions returns the width and height of an image in pixels, 0 if they are
// not known.
func Dimensions(contentType string, head []byte) (width, height int) {
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
