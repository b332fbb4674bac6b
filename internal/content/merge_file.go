package content

import (
	"slices"
	"strings"
)

func (m *merger) mergeFiles() ([]*File, error) {
	var files []*File
	err := eachVersion(m.base.Files, m.ours.Files, m.theirs.Files, fileID, func(id string, found versions[File]) error {
		file, err := m.mergeFile(id, found)
		if err == nil && file != nil {
			files = append(files, file)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return files, settlePaths(m, files, filePaths)
}

func (m *merger) mergeFile(id string, found versions[File]) (*File, error) {
	if file, agreed := found.agreed(equalFiles); agreed {
		return file, nil
	}
	if found.ours == nil || found.theirs == nil {
		return settleDeletion(m, Conflict{File: id}, found)
	}
	if found.base == nil {
		found.base = &File{ID: id}
	}
	merged := *found.ours
	conflict := Conflict{Kind: ConflictFile, File: id, Field: "name"}
	name, err := m.mergeValue(conflict, found.base.Name, found.ours.Name, found.theirs.Name, checkNameValue)
	if err != nil {
		return nil, err
	}
	merged.Name, _ = name.(string)
	conflict.Field = "gitPath"
	path, err := m.mergeValue(conflict, found.base.GitPath, found.ours.GitPath, found.theirs.GitPath, nil)
	if err != nil {
		return nil, err
	}
	merged.GitPath, _ = path.(string)
	return m.mergeFileContent(&merged, conflict, found)
}

func checkNameValue(value any) string {
	name, isText := value.(string)
	if !isText {
		return "a text is expected"
	}
	return checkFileName(name)
}

// mergeFileContent merges the bytes of a file together with what follows from
// them.
func (m *merger) mergeFileContent(merged *File, conflict Conflict, found versions[File]) (*File, error) {
	conflict.Field = "content"
	content, err := m.mergeValue(conflict, string(found.base.Content), string(found.ours.Content), string(found.theirs.Content), nil)
	if err != nil {
		return nil, err
	}
	for _, version := range []*File{found.base, found.theirs, found.ours} {
		if string(version.Content) != content {
			continue
		}
		merged.Content, merged.ContentType, merged.Size = version.Content, version.ContentType, version.Size
		merged.Width, merged.Height, merged.GitOID = version.Width, version.Height, version.GitOID
	}
	return merged, nil
}

func (m *merger) mergeReusableContents() ([]*ReusableContent, error) {
	var merged []*ReusableContent
	err := eachVersion(m.base.ReusableContents, m.ours.ReusableContents, m.theirs.ReusableContents, reusableContentID,
		func(id string, found versions[ReusableContent]) error {
			item, err := m.mergeReusableContent(id, found)
			if err == nil && item != nil {
				merged = append(merged, item)
			}
			return err
		})
	if err != nil {
		return nil, err
	}
	return merged, settlePaths(m, merged, reusableContentPaths)
}

func (m *merger) mergeReusableContent(id string, found versions[ReusableContent]) (*ReusableContent, error) {
	if item, agreed := found.agreed(equalPointers[ReusableContent]); agreed {
		return item, nil
	}
	if found.ours == nil || found.theirs == nil {
		return settleDeletion(m, Conflict{ReusableContent: id}, found)
	}
	if found.base == nil {
		found.base = &ReusableContent{ID: id}
	}
	merged := *found.ours
	conflict := Conflict{Kind: ConflictReusableContent, ReusableContent: id, Field: "title"}
	title, err := m.mergeValue(conflict, found.base.Title, found.ours.Title, found.theirs.Title, checkTitleValue)
	if err != nil {
		return nil, err
	}
	merged.Title, _ = title.(string)
	conflict.Field = "gitPath"
	path, err := m.mergeValue(conflict, found.base.GitPath, found.ours.GitPath, found.theirs.GitPath, nil)
	if err != nil {
		return nil, err
	}
	merged.GitPath, _ = path.(string)
	merged.Body, err = m.mergeBody(Conflict{Kind: ConflictBody, ReusableContent: id}, found.base.Body, found.ours.Body, found.theirs.Body)
	merged.GitOID = ""
	for _, version := range []*ReusableContent{found.base, found.theirs, found.ours} {
		if version.Body == merged.Body {
			merged.GitOID = version.GitOID
		}
	}
	return &merged, err
}

func checkTitleValue(value any) string {
	title, isText := value.(string)
	if !isText {
		return "a text is expected"
	}
	return checkTitle(title)
}

// mergeRepository merges what is kept for export, part by part.
func (m *merger) mergeRepository() (*Repository, error) {
	base, ours, theirs := m.base.Repository, m.ours.Repository, m.theirs.Repository
	if repository, agreed := agreedValue(base, ours, theirs, equalRepositories); agreed {
		return repository, nil
	}
	base, ours, theirs = repositoryOrEmpty(base), repositoryOrEmpty(ours), repositoryOrEmpty(theirs)
	merged := &Repository{}
	for _, part := range []struct {
		name string
		of   func(*Repository) *string
	}{
		{"root", func(repository *Repository) *string { return &repository.Root }},
		{"summaryPath", func(repository *Repository) *string { return &repository.SummaryPath }},
		{"configurationPath", func(repository *Repository) *string { return &repository.ConfigurationPath }},
	} {
		value, err := m.mergeValue(Conflict{Kind: ConflictRepository, Field: part.name},
			*part.of(base), *part.of(ours), *part.of(theirs), nil)
		if err != nil {
			return nil, err
		}
		*part.of(merged), _ = value.(string)
	}
	if err := m.mergeRepositoryTexts(merged, base, ours, theirs); err != nil {
		return nil, err
	}
	var err error
	merged.Redirects, err = m.mergeTexts("redirects.", base.Redirects, ours.Redirects, theirs.Redirects)
	return merged, err
}

func repositoryOrEmpty(repository *Repository) *Repository {
	if repository == nil {
		return &Repository{}
	}
	return repository
}

func (m *merger) mergeRepositoryTexts(merged, base, ours, theirs *Repository) error {
	var err error
	merged.Configuration, err = m.mergeBody(Conflict{Kind: ConflictBody, Field: "configuration"},
		base.Configuration, ours.Configuration, theirs.Configuration)
	if err != nil {
		return err
	}
	// The table of contents follows from the tree whenever it does not
	// describe it, so one side's is as good as the other's.
	merged.Summary, _ = agreedValue(base.Summary, ours.Summary, theirs.Summary, equalText[Hash])
	unplaced, err := m.mergeTexts("unplaced.", unplacedBodies(base), unplacedBodies(ours), unplacedBodies(theirs))
	if err != nil {
		return err
	}
	for path, body := range unplaced {
		merged.Unplaced = append(merged.Unplaced, RepositoryFile{Path: path, Body: Hash(body)})
	}
	slices.SortFunc(merged.Unplaced, func(a, b RepositoryFile) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

func unplacedBodies(repository *Repository) map[string]string {
	bodies := make(map[string]string, len(repository.Unplaced))
	for _, file := range repository.Unplaced {
		bodies[file.Path] = string(file.Body)
	}
	return bodies
}

// mergeTexts merges texts by name; an empty text counts as none.
func (m *merger) mergeTexts(prefix string, base, ours, theirs map[string]string) (map[string]string, error) {
	if texts, agreed := agreedValue(base, ours, theirs, equalMaps[string]); agreed {
		return texts, nil
	}
	merged := map[string]string{}
	for _, name := range unionOfKeys(base, ours, theirs) {
		value, err := m.mergeValue(Conflict{Kind: ConflictRepository, Field: prefix + name},
			present(base[name], base[name] != ""), present(ours[name], ours[name] != ""), present(theirs[name], theirs[name] != ""), nil)
		if err != nil {
			return nil, err
		}
		if text, isText := value.(string); isText {
			merged[name] = text
		}
	}
	return merged, nil
}
