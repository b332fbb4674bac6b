package media_test

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/fault"
	"octavo/internal/media"
)

func picture(t *testing.T, encode func(*bytes.Buffer, image.Image) error) []byte {
	t.Helper()
	var encoded bytes.Buffer
	require.NoError(t, encode(&encoded, image.NewGray(image.Rect(0, 0, 7, 5))))
	return encoded.Bytes()
}

func encodePNG(out *bytes.Buffer, of image.Image) error  { return png.Encode(out, of) }
func encodeGIF(out *bytes.Buffer, of image.Image) error  { return gif.Encode(out, of, nil) }
func encodeJPEG(out *bytes.Buffer, of image.Image) error { return jpeg.Encode(out, of, nil) }

func TestImagesAreMeasured(t *testing.T) {
	t.Parallel()
	lossless := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8L\x00\x00\x00\x00\x2f"), 6, 4<<6&0xff, 1, 0, 0, 0, 0, 0, 0, 0)
	extended := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x00\x00\x00\x00\x00\x00\x00\x00"), 6, 0, 0, 4, 0, 0)
	for name, row := range map[string]struct {
		data          []byte
		contentType   string
		width, height int
	}{
		"a.png":     {picture(t, encodePNG), "image/png", 7, 5},
		"a.gif":     {picture(t, encodeGIF), "image/gif", 7, 5},
		"a.jpg":     {picture(t, encodeJPEG), "image/jpeg", 7, 5},
		"wrong.txt": {picture(t, encodePNG), "image/png", 7, 5},
		"b.webp":    {lossless, "image/webp", 7, 5},
		"c.webp":    {extended, "image/webp", 7, 5},
		"a.svg":     {[]byte(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="7px" height="5"/>`), "image/svg+xml", 7, 5},
		"box.svg":   {[]byte(`<svg viewBox="0 0 7 5"></svg>`), "image/svg+xml", 7, 5},
		"units.svg": {[]byte(`<svg width="1em" height="1em"/>`), "image/svg+xml", 0, 0},
		"cut.png":   {picture(t, encodePNG)[:12], "image/png", 0, 0},
		"empty":     {nil, "text/plain; charset=utf-8", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contentType := media.ContentType(name, row.data)
			assert.Equal(t, row.contentType, contentType)
			width, height := media.Dimensions(contentType, row.data)
			assert.Equal(t, [2]int{row.width, row.height}, [2]int{width, height})
		})
	}
}

func TestUploadsAreWhatTheyAreDeclaredToBe(t *testing.T) {
	t.Parallel()
	image := picture(t, encodePNG)
	for name, row := range map[string]struct {
		declared, contentType string
		data                  []byte
	}{
		"undeclared":        {"", "image/png", image},
		"right":             {"image/png", "image/png", image},
		"synonym":           {"image/x-png", "image/png", image},
		"other image":       {"image/jpeg", "", image},
		"page as image":     {"image/png", "", []byte("<html><script>alert(1)</script>")},
		"page as film":      {"video/mp4", "", []byte("<!doctype html>")},
		"text as PDF":       {"application/pdf", "", []byte("hello")},
		"image as text":     {"text/plain", "image/png", image},
		"unknown bytes":     {"image/x-photo", "application/octet-stream", []byte{0, 1, 2, 3}},
		"no media type":     {"image/", "", image},
		"Windows program":   {"", "", []byte("MZ\x90\x00")},
		"Linux program":     {"text/plain", "", []byte("\x7fELF\x02")},
		"macOS program":     {"", "", []byte("\xcf\xfa\xed\xfe\x07")},
		"Windows shortcut":  {"", "", []byte("L\x00\x00\x00\x01\x14\x02\x00")},
		"text beginning MZ": {"", "text/plain; charset=utf-8", []byte("MZ is a kind of text")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contentType, err := media.Check("file", row.declared, row.data)
			if row.contentType == "" {
				assert.Equal(t, fault.BadUserInput, fault.CodeOf(err))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, row.contentType, contentType)
		})
	}
}
