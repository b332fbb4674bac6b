package document

import "bytes"

// SplitFrontMatter splits a page into its front matter, fences included, and
// its body. Joined, they are the source again; without front matter the first
// is empty.
func SplitFrontMatter(source []byte) (frontMatter, body []byte) {
	start := len(source) - len(bytes.TrimPrefix(source, []byte("\uFEFF")))
	first, rest := nextLine(source[start:])
	if !isFence(first) {
		return nil, source
	}
	position := start + len(first)
	for len(rest) > 0 {
		var line []byte
		line, rest = nextLine(rest)
		position += len(line)
		if isFence(line) {
			return source[:position:position], source[position:]
		}
	}
	return nil, source
}

func nextLine(source []byte) (line, rest []byte) {
	if end := bytes.IndexByte(source, '\n'); end >= 0 {
		return source[:end+1], source[end+1:]
	}
	return source, nil
}

func isFence(line []byte) bool {
	return bytes.Equal(bytes.TrimRight(line, " \t\r\n"), []byte("---"))
}
