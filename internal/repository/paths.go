package repository

import (
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	readmeName         = "README.md"
	defaultSummaryPath = "SUMMARY.md"
	configurationName  = ".gitbook.yaml"
	assetsDirectory    = ".gitbook/assets"
	includesDirectory  = ".gitbook/includes"
	maximumSlugLength  = 100 // bytes
	defaultPageSlug    = "page"
	rootReadmeSlug     = "readme"
	byteOrderMark      = "\ufeff"
)

// isMarkdown tells whether the name is that of a Markdown file.
func isMarkdown(name string) bool {
	extension := strings.ToLower(path.Ext(name))
	return extension == ".md" || extension == ".markdown"
}

// isReadme tells whether the path is that of the page of its directory.
func isReadme(name string) bool {
	return strings.EqualFold(path.Base(name), readmeName)
}

// isInclude tells whether the path is that of a reusable content.
func isInclude(name string) bool {
	return path.Dir(name) == includesDirectory && isMarkdown(name)
}

// directoryOf returns the directory of a file, "" for the top.
func directoryOf(name string) string {
	directory := path.Dir(name)
	if directory == "." {
		return ""
	}
	return directory
}

// cleanRelative cleans a slash-separated path below some directory. ok is false
// when the path leaves that directory. The directory itself is "".
func cleanRelative(name string) (cleaned string, ok bool) {
	cleaned = path.Clean(strings.TrimLeft(name, "/"))
	if cleaned == ".." || strings.HasPrefix(cleaned, "../") {
		return "", false
	}
	if cleaned == "." {
		return "", true
	}
	return cleaned, true
}

// joinRelative resolves a link's path against the directory that it stands in.
// A leading slash means the content root. ok is false when the result leaves
// the root.
func joinRelative(directory, name string) (joined string, ok bool) {
	if strings.HasPrefix(name, "/") {
		return cleanRelative(name)
	}
	return cleanRelative(path.Join(directory, name))
}

// relativePath returns the path that leads from a directory to a target, both
// below the same root.
func relativePath(directory, target string) string {
	if directory == "" {
		return target
	}
	from := strings.Split(directory, "/")
	to := strings.Split(target, "/")
	shared := 0
	for shared < len(from) && shared < len(to)-1 && from[shared] == to[shared] {
		shared++
	}
	return strings.Repeat("../", len(from)-shared) + strings.Join(to[shared:], "/")
}

// hasScheme tells whether a link destination is an absolute URL, or one that
// only leaves out the scheme.
func hasScheme(destination string) bool {
	if strings.HasPrefix(destination, "//") {
		return true
	}
	colon := strings.IndexByte(destination, ':')
	if colon < 2 { // a single letter is a drive, not a scheme
		return false
	}
	for index, character := range destination[:colon] {
		letter := character|0x20 >= 'a' && character|0x20 <= 'z'
		if !letter && (index == 0 || !strings.ContainsRune("0123456789+.-", character)) {
			return false
		}
	}
	return true
}

// splitDestination separates the path of a link from its query and fragment.
// suffix holds both as they stand, with their "?" and "#".
func splitDestination(destination string) (name, suffix string) {
	index := strings.IndexAny(destination, "?#")
	if index < 0 {
		return destination, ""
	}
	return destination[:index], destination[index:]
}

// fragmentOf returns the decoded fragment of the suffix that splitDestination
// returned.
func fragmentOf(suffix string) string {
	_, fragment, found := strings.Cut(suffix, "#")
	if !found {
		return ""
	}
	return unescapePercent(fragment)
}

// unescapePercent decodes %XX; text that is not properly encoded stays as it
// is.
func unescapePercent(text string) string {
	decoded, err := url.PathUnescape(text)
	if err != nil {
		return text
	}
	return decoded
}

// escapePercent encodes what would end or change a link's path.
func escapePercent(name string) string {
	var escaped strings.Builder
	for _, octet := range []byte(name) {
		if octet <= ' ' || octet == 0x7f || strings.IndexByte("%?#<>()\\\"", octet) >= 0 {
			escaped.WriteString("%" + strings.ToUpper(strconv.FormatUint(uint64(octet)|0x100, 16)[1:]))
			continue
		}
		escaped.WriteByte(octet)
	}
	return escaped.String()
}

// slugOfPath returns the slug that a page's file gives it: its name without the
// extension, the name of the directory for a README.md.
func slugOfPath(name string) string {
	if !isReadme(name) {
		base := path.Base(name)
		return slugOf(strings.TrimSuffix(base, path.Ext(base)))
	}
	directory := directoryOf(name)
	if directory == "" {
		return rootReadmeSlug
	}
	return slugOf(path.Base(directory))
}

// slugOf makes a part of a URL out of any text: lower case, letters, digits,
// and -, _ and . inside; everything else becomes a single dash.
func slugOf(text string) string {
	var slug strings.Builder
	pending := false
	for _, character := range norm.NFC.String(strings.ToLower(text)) {
		if !unicode.IsLetter(character) && !unicode.IsDigit(character) && !unicode.IsMark(character) && !strings.ContainsRune("_.", character) {
			pending = slug.Len() > 0
			continue
		}
		if slug.Len() == 0 && character == '.' {
			continue // no "." or "..", no hidden files
		}
		if slug.Len() >= maximumSlugLength {
			break
		}
		if pending {
			slug.WriteByte('-')
			pending = false
		}
		slug.WriteRune(character)
	}
	result := strings.TrimRight(slug.String(), ".")
	if result == "" {
		return defaultPageSlug
	}
	return result
}

// names hands out names that differ from each other in more than case. Names
// with slashes are paths: none of them is used as a directory by another.
type names struct {
	taken       map[string]bool
	directories map[string]bool
	next        map[string]int
}

func newNames() *names {
	return &names{taken: map[string]bool{}, directories: map[string]bool{}, next: map[string]int{}}
}

func (n *names) take(name string) {
	name = strings.ToLower(name)
	n.taken[name] = true
	for parent := directoryOf(name); parent != "" && !n.directories[parent]; parent = directoryOf(parent) {
		n.directories[parent] = true
	}
}

// unique takes and returns stem+extension, or the first of stem-1+extension,
// stem-2+extension, ... that is free. The directory of stem must be free.
func (n *names) unique(stem, extension string) string {
	key := strings.ToLower(stem + extension)
	numbered := stem
	for !n.isFree(strings.ToLower(numbered), strings.ToLower(extension)) {
		n.next[key]++
		numbered = stem + "-" + strconv.Itoa(n.next[key])
	}
	n.take(numbered + extension)
	return numbered + extension
}

func (n *names) isFree(stem, extension string) bool {
	name := stem + extension
	within := strings.HasPrefix(extension, "/") && n.taken[stem]
	return !within && !n.taken[name] && !n.directories[name]
}

// directory returns a path whose parts are no files: parts that are get a
// number.
func (n *names) directory(name string) string {
	free := ""
	if name == "" {
		return free
	}
	for part := range strings.SplitSeq(name, "/") {
		candidate := path.Join(free, part)
		for number := 1; n.taken[strings.ToLower(candidate)]; number++ {
			candidate = path.Join(free, part+"-"+strconv.Itoa(number))
		}
		free = candidate
	}
	return free
}
