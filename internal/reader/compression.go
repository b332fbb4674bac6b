package reader

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"regexp"
	"strings"

	"github.com/go-chi/chi/v5/middleware"
)

const (
	// keptCompression is the level of gzip for what is given again and again, and
	// onceCompression for what is compressed for each answer.
	keptCompression = gzip.DefaultCompression
	onceCompression = 5
)

// compressing compresses an answer as it is written.
var compressing = middleware.Compress(onceCompression, "text/html", "text/css", "text/javascript", "text/plain", "text/markdown",
	"application/json", "application/xml", "application/rss+xml")

// compressed has an answer compressed that is given once, as far as the client
// takes it. Ranges are those of the bytes as they are.
func compressed(writer http.ResponseWriter, request *http.Request, answer func(writer http.ResponseWriter)) {
	if !acceptsGzip(request) {
		answer(writer)
		return
	}
	compressing(http.HandlerFunc(func(writer http.ResponseWriter, _ *http.Request) { answer(writer) })).ServeHTTP(writer, request)
}

// compress returns a text by gzip; nil when that is no shorter.
func compress(text []byte) ([]byte, error) {
	var shorter bytes.Buffer
	writer, err := gzip.NewWriterLevel(&shorter, keptCompression)
	if err != nil {
		return nil, err
	}
	if _, err := writer.Write(text); err != nil {
		return nil, err
	}
	if err := writer.Close(); err != nil || shorter.Len() >= len(text) {
		return nil, err
	}
	return bytes.Clone(shorter.Bytes()), nil
}

// acceptsGzip tells whether the client takes gzip, and the whole.
func acceptsGzip(request *http.Request) bool {
	if request.Header.Get("Range") != "" {
		return false
	}
	for accepted := range strings.SplitSeq(request.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(accepted, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			return !refusedWeight.MatchString(strings.ReplaceAll(weight, " ", ""))
		}
	}
	return false
}

// refusedWeight is that of an encoding that the client does not want.
var refusedWeight = regexp.MustCompile(`^q=0(\.0*)?$`)
