package graph

import (
	"encoding/base64"
	"fmt"

	"github.com/99designs/gqlgen/graphql"

	"octavo/graph/model"
	"octavo/internal/content"
	"octavo/internal/edit"
	"octavo/internal/fault"
)

// contentChanges reads the steps of an edit.
func contentChanges(inputs []*model.ContentChangeInput) ([]edit.Change, error) {
	changes := make([]edit.Change, len(inputs))
	for index, input := range inputs {
		var err error
		if changes[index], err = contentChange(fmt.Sprintf("changes.%d", index), input); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

func contentChange(field string, input *model.ContentChangeInput) (edit.Change, error) {
	switch {
	case input.InsertPage.Value() != nil:
		return insertPage(input.InsertPage.Value()), nil
	case input.UpdatePage.Value() != nil:
		return updatePage(input.UpdatePage.Value()), nil
	case input.DeletePage.Value() != nil:
		return edit.DeletePage{DeletePage: content.DeletePage{Page: input.DeletePage.Value().Page}}, nil
	case input.RevertPage.Value() != nil:
		revert := input.RevertPage.Value()
		return edit.RevertPage{Page: revert.Page, Revision: revert.Revision.Value(), Blocks: revert.Blocks.Value()}, nil
	case input.InsertFiles.Value() != nil:
		return insertFiles(field, input.InsertFiles.Value())
	}
	return nil, fault.Invalid(field, "one of insertPage, updatePage, deletePage, revertPage, insertFiles is needed")
}

// insertPage leaves out what is null: a new page has nothing to remove.
func insertPage(input *model.InsertPageInput) edit.Change {
	return edit.InsertPage{
		Text: pageText(input.Document),
		InsertPage: content.InsertPage{
			Ref: valueOf(input.Ref), Into: valueOf(input.Into), At: input.At.Value(),
			Metadata: content.PageMetadata{
				Title: setOf(input.Title), Slug: setOf(input.Slug), Emoji: setOf(input.Emoji), Icon: setOf(input.Icon),
				Description: setOf(input.Description), Hidden: setOf(input.Hidden), NoIndex: setOf(input.NoIndex),
				NoRobots: setOf(input.NoRobotsIndex), Condition: setOf(input.Condition),
			},
		},
	}
}

func updatePage(input *model.UpdatePageInput) edit.Change {
	return edit.UpdatePage{
		Text: pageText(input.Document.Value()),
		UpdatePage: content.UpdatePage{
			Page: input.Page, Into: optionOf(input.Into), At: input.At.Value(),
			Metadata: content.PageMetadata{
				Title: optionOf(input.Title), Slug: optionOf(input.Slug), Emoji: optionOf(input.Emoji),
				Icon: optionOf(input.Icon), Description: optionOf(input.Description), Hidden: optionOf(input.Hidden),
				NoIndex: optionOf(input.NoIndex), NoRobots: optionOf(input.NoRobotsIndex), Condition: optionOf(input.Condition),
			},
		},
	}
}

func pageText(input *model.PageContentInput) edit.Text {
	if input == nil {
		return edit.Text{}
	}
	return edit.Text{Markdown: input.Markdown.Value(), Document: input.Document.Value()}
}

func insertFiles(field string, input *model.InsertFilesInput) (edit.Change, error) {
	files := make([]edit.NewFile, len(input.Files))
	for index, file := range input.Files {
		files[index] = edit.NewFile{
			Name: file.Name, Ref: valueOf(file.Ref), ContentType: valueOf(file.ContentType), URL: file.URL.Value(),
		}
		if encoded := file.Base64.Value(); encoded != nil {
			data, err := base64.StdEncoding.DecodeString(*encoded)
			if err != nil {
				return nil, fault.Invalid(fmt.Sprintf("%s.files.%d.base64", field, index), "it is not base64")
			}
			files[index].Data = data
		}
	}
	return edit.InsertFiles{Files: files}, nil
}

// optionOf is the domain's form of an optional field: null removes.
func optionOf[T any](field graphql.Omittable[*T]) content.Option[T] {
	value, given := field.ValueOK()
	switch {
	case !given:
		return content.Option[T]{}
	case value == nil:
		return content.Remove[T]()
	}
	return content.Set(*value)
}

// setOf is optionOf for fields in which null says nothing.
func setOf[T any](field graphql.Omittable[*T]) content.Option[T] {
	if field.Value() == nil {
		return content.Option[T]{}
	}
	return content.Set(*field.Value())
}

// resolutions reads the answers to conflicts.
func resolutions(inputs []*model.ConflictResolutionInput) []content.Resolution {
	read := make([]content.Resolution, len(inputs))
	for index, input := range inputs {
		read[index] = content.Resolution{Conflict: input.Conflict, Choice: input.Choice, Value: input.Value.Value()}
		if text, isText := read[index].Value.(string); isText {
			read[index].Markdown = &text
		}
	}
	return read
}

// namedFiles reads the files that a template is filled in with: ids by name.
func namedFiles(field string, value any) (map[string]string, error) {
	if value == nil {
		return nil, nil
	}
	given, isMap := value.(map[string]any)
	if !isMap {
		return nil, fault.Invalid(field, "ids of files by name are expected")
	}
	files := make(map[string]string, len(given))
	for name, id := range given {
		text, isText := id.(string)
		if !isText {
			return nil, fault.Invalid(field+"."+name, "the id of a file is expected")
		}
		files[name] = text
	}
	return files, nil
}
