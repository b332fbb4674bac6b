package repository

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"octavo/internal/content"
	"octavo/internal/document"
)

// pageTitle returns the title that a page gives itself.
func pageTitle(source []byte, name string) string {
	_, body := document.SplitFrontMatter(source)
	if title := cleanTitle(document.Title(body)); title != "" {
		return title
	}
	return titleOfPath(name)
}

// reusableTitle returns the title of a reusable content: that of its front
// matter, else the title that a page would have.
func reusableTitle(source []byte, name string) string {
	if metadata, err := parseMetadata(source); err == nil && metadata.Title != nil {
		if title := cleanTitle(*metadata.Title); title != "" {
			return title
		}
	}
	return pageTitle(source, name)
}

func parseMetadata(source []byte) (document.Metadata, error) {
	frontMatter, _ := document.SplitFrontMatter(source)
	if len(frontMatter) == 0 {
		return document.Metadata{}, nil
	}
	return document.ParseFrontMatter(frontMatter)
}

// applyMetadata sets what the front matter of a page says, and removes what it
// does not say.
func (i *importer) applyMetadata(page *content.Page, found document.Metadata) {
	page.SetFrontMatter(storableMetadata(found), func(image string) map[string]any { return i.coverImage(page, image) })
	variables, err := jsonValues(found.Vars)
	if err != nil {
		i.result.Report.add(i.top(page.GitPath), 1, SeverityError, "vars is ignored: "+err.Error())
	}
	page.Variables = variables
}

// storableMetadata returns front matter with texts that databases store.
func storableMetadata(found document.Metadata) document.Metadata {
	for _, text := range []**string{
		&found.Description, &found.Emoji, &found.Icon, &found.If, &found.Layout.Width, &found.Layout.CoverSize,
	} {
		if *text != nil {
			*text = new(storable(**text))
		}
	}
	return found
}

// jsonValues turns values that YAML can hold into those that a tree holds.
func jsonValues(values map[string]any) (map[string]any, error) {
	if len(values) == 0 {
		return nil, nil
	}
	encoded, err := json.Marshal(values)
	if err != nil {
		return nil, fmt.Errorf("a value has no JSON form")
	}
	if bytes.Contains(encoded, []byte(nullEscape)) {
		return nil, fmt.Errorf("a text holds the character 0")
	}
	var plain map[string]any
	if err := json.Unmarshal(encoded, &plain); err != nil {
		return nil, fmt.Errorf("a value has no JSON form")
	}
	return plain, nil
}

// storable replaces the character 0, which databases do not store in text.
func storable(text string) string { return strings.ReplaceAll(text, "\x00", "\ufffd") }

// coverImage returns the content reference of an image that front matter names.
func (i *importer) coverImage(page *content.Page, image string) map[string]any {
	if hasScheme(image) {
		return map[string]any{"kind": "url", "url": storable(image)}
	}
	if kind, ok := applicationKind(image); ok && kind == "file" {
		return applicationReference(image)
	}
	for _, spelling := range []string{image, unescapePercent(image)} {
		name, ok := joinRelative(directoryOf(page.GitPath), spelling)
		if id := i.fileIDs[name]; ok && id != "" {
			return map[string]any{"kind": "file", "file": id}
		}
	}
	i.result.Report.add(i.top(page.GitPath), 1, SeverityWarning, fmt.Sprintf("the cover %q does not exist", image))
	return nil
}

// rewriteCover gives the images that front matter names the paths that they
// have from another directory.
func (r *rewriter) rewriteCover(source []byte, current, written string) []byte {
	if !bytes.Contains(source, []byte("cover")) {
		return source
	}
	metadata, err := parseMetadata(source)
	if err != nil {
		return source // reported at import, kept as it is
	}
	changes := document.MetadataChanges{}
	for key, image := range map[string]*string{"cover": metadata.Cover, "coverDark": metadata.CoverDark} {
		if image == nil {
			continue
		}
		if revised, differs := r.destination(*image, current, written); differs {
			changes[key] = revised
		}
	}
	if len(changes) == 0 {
		return source
	}
	revised, err := document.UpdateFrontMatter(source, changes)
	if err != nil {
		return source // a form that cannot be changed in place
	}
	return revised
}
