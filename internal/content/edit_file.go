package content

import (
	"fmt"
	"mime"
	"regexp"
	"slices"
	"strings"

	"octavo/internal/identifier"
)

var hashPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (o InsertFiles) apply(e *editor) (*AppliedOperation, error) {
	if len(o.Files) == 0 {
		return nil, e.invalid("files", "at least one file is needed")
	}
	if len(o.Files) > FileLimit {
		return nil, limitExceeded(e.field("files"), "at most %d files can be inserted at once", FileLimit)
	}
	applied := &AppliedOperation{}
	for position, file := range o.Files {
		if err := e.checkFile(fmt.Sprintf("files.%d.", position), file); err != nil {
			return nil, err
		}
		applied.Files = append(applied.Files, e.insertFile(file))
	}
	return applied, nil
}

func (e *editor) checkFile(prefix string, file NewFile) error {
	if problem := checkFileName(file.Name); problem != "" {
		return e.invalid(prefix+"name", "%s", problem)
	}
	if _, _, err := mime.ParseMediaType(file.ContentType); err != nil {
		return e.invalid(prefix+"contentType", "it is no media type")
	}
	if !hashPattern.MatchString(string(file.Content)) {
		return fmt.Errorf("the content of the file %q has no hash", file.Name)
	}
	return nil
}

func checkFileName(name string) string {
	if strings.TrimSpace(name) == "" {
		return "it is empty"
	}
	if strings.ContainsAny(name, `/\`) || name == "." || name == ".." {
		return "it is a name without a directory"
	}
	return checkLine(name, FileNameLimit)
}

func (e *editor) insertFile(file NewFile) string {
	id := e.announcedFiles[file.Ref]
	if id == "" {
		id = identifier.New(identifier.File)
	}
	inserted := &File{
		ID: id, Name: file.Name, ContentType: file.ContentType, Size: file.Size, Content: file.Content,
		Width: file.Width, Height: file.Height, CreatedAt: e.options.Now,
	}
	position, _ := slices.BinarySearchFunc(e.tree.Files, id, func(file *File, id string) int {
		return strings.Compare(file.ID, id)
	})
	e.tree.Files = slices.Insert(e.tree.Files, position, inserted)
	return id
}
