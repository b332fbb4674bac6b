package media

import (
	"bytes"
	"mime"
	"net/http"
	"strings"

	"octavo/internal/fault"
)

// Check returns the content type of a file that somebody uploads: that of
// ContentType. It refuses, with BAD_USER_INPUT, programs of operating systems,
// and files that are not the image, sound, film or PDF that they are declared
// to be. declared may be empty.
func Check(name, declared string, head []byte) (string, error) {
	if what := program(head); what != "" {
		return "", fault.Invalid("contentType", "%.100q is a program (%s), which cannot be uploaded", name, what)
	}
	found := ContentType(name, head)
	if declared == "" {
		return found, nil
	}
	wanted, _, err := mime.ParseMediaType(declared)
	if err != nil {
		return "", fault.Invalid("contentType", "%.100q is no media type", declared)
	}
	actual, _, _ := strings.Cut(found, ";")
	// What cannot be told by its bytes is served as a download, whatever it is.
	if isExact(wanted) && normalized(wanted) != actual && actual != "application/octet-stream" {
		return "", fault.Invalid("contentType", "%.100q is declared as %s and is %s", name, wanted, actual)
	}
	return found, nil
}

// isExact tells whether files of the type are shown by browsers as what they
// are declared to be, so that a wrong declaration matters.
func isExact(contentType string) bool {
	family, _, _ := strings.Cut(contentType, "/")
	return family == "image" || family == "audio" || family == "video" || contentType == "application/pdf"
}

// synonyms are other names of types that are told by their bytes.
var synonyms = map[string]string{
	"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png",
	"image/vnd.microsoft.icon": "image/x-icon", "image/x-ms-bmp": "image/bmp",
	"audio/mp3": "audio/mpeg", "audio/wav": "audio/wave", "audio/x-wav": "audio/wave", "audio/vnd.wave": "audio/wave",
	"audio/ogg": "application/ogg", "video/ogg": "application/ogg", "audio/x-aiff": "audio/aiff",
	"audio/webm": "video/webm", "audio/mp4": "video/mp4", "audio/x-m4a": "video/mp4",
	"video/x-msvideo": "video/avi", "video/x-m4v": "video/mp4",
}

func normalized(contentType string) string {
	if known, found := synonyms[contentType]; found {
		return known
	}
	return contentType
}

// programs are the first bytes of what an operating system runs.
var programs = []struct{ what, start string }{
	{"Windows", "MZ"},
	{"Linux", "\x7fELF"},
	{"macOS", "\xfe\xed\xfa\xce"}, {"macOS", "\xfe\xed\xfa\xcf"},
	{"macOS", "\xce\xfa\xed\xfe"}, {"macOS", "\xcf\xfa\xed\xfe"},
	{"Windows shortcut", "L\x00\x00\x00\x01\x14\x02\x00"},
}

func program(head []byte) string {
	if strings.HasPrefix(http.DetectContentType(head), "text/") {
		return ""
	}
	for _, known := range programs {
		if bytes.HasPrefix(head, []byte(known.start)) {
			return known.what
		}
	}
	return ""
}
