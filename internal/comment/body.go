package comment

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"octavo/internal/document"
	"octavo/internal/fault"
)

const (
	// MaximumBody is how many characters of Markdown a body may have.
	MaximumBody = 50_000
	// maximumDocument is how large a body's document may be, in bytes of JSON.
	maximumDocument = 1 << 20
	// maximumNesting is how deep that JSON may nest: a node takes two levels, and
	// its data a few more.
	maximumNesting = 2*document.MaximumDepth + 16
)

// Body is the text of a comment or reply.
type Body struct {
	// Markdown of the text, whichever form it was written in.
	Markdown string
	// written is the document, when the text was written as one.
	written json.RawMessage
}

// IsDocument tells whether the text was written as a document.
func (b Body) IsDocument() bool { return len(b.written) > 0 }

// Document is the text as a document: as it was written, or else made from the
// Markdown.
func (b Body) Document() (json.RawMessage, error) {
	if b.IsDocument() {
		return b.written, nil
	}
	return json.Marshal(document.Parse([]byte(b.Markdown), document.References{}))
}

// Text is a body as a client gives it: Markdown, a document, or neither.
type Text struct {
	Markdown *string
	Document json.RawMessage
}

// body checks the text and gives it both forms.
func (t Text) body() (Body, error) {
	if len(t.Document) == 0 {
		return t.fromMarkdown()
	}
	if t.Markdown != nil {
		return Body{}, fault.Invalid("body", "give markdown or a document, not both")
	}
	return t.fromDocument()
}

func (t Text) fromMarkdown() (Body, error) {
	if t.Markdown == nil {
		return Body{}, nil
	}
	if err := validateText("body.markdown", *t.Markdown, MaximumBody); err != nil {
		return Body{}, err
	}
	return Body{Markdown: *t.Markdown}, nil
}

func (t Text) fromDocument() (Body, error) {
	const field = "body.document"
	if len(t.Document) > maximumDocument {
		return Body{}, fault.New(fault.LimitExceeded, "%s: at most %d bytes, got %d", field, maximumDocument, len(t.Document))
	}
	read, err := readDocument(field, t.Document)
	if err != nil {
		return Body{}, err
	}
	written, err := json.Marshal(read)
	if err != nil {
		return Body{}, err
	}
	markdown, err := document.Render(read, document.References{})
	if err != nil {
		return Body{}, within(field, err)
	}
	if err := validateText(field, string(markdown), MaximumBody); err != nil {
		return Body{}, err
	}
	return Body{Markdown: string(markdown), written: written}, nil
}

func readDocument(field string, encoded json.RawMessage) (*document.Document, error) {
	if err := scan(field, encoded); err != nil {
		return nil, err
	}
	read := new(document.Document)
	err := json.Unmarshal(encoded, read)
	if fault.CodeOf(err) == fault.BadUserInput {
		return nil, within(field, err)
	}
	if err != nil {
		return nil, fault.Invalid(field, "this is not a document: %s", err)
	}
	return read, within(field, document.Validate(read))
}

// within puts a field in front of the one that an error of the document names.
func within(field string, err error) error {
	var known *fault.Error
	if !errors.As(err, &known) {
		return err
	}
	nested := *known
	nested.Message = field + "." + known.Message
	if known.Field != "" {
		nested.Field = field + "." + known.Field
	}
	return &nested
}

// scan goes through the JSON once, before anything is built from it: deep
// nesting costs a decoder dearly, and PostgreSQL cannot store the null character.
func scan(field string, encoded []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	for depth := 0; ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fault.Invalid(field, "this is not JSON: %s", err)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth > maximumNesting {
			return fault.New(fault.LimitExceeded, "%s: the JSON may nest %d deep", field, maximumNesting)
		}
		if text, isText := token.(string); isText && strings.ContainsRune(text, 0) {
			return fault.Invalid(field, "the null character is not allowed")
		}
	}
}

// validateText bounds a text, in characters, and refuses what a database cannot
// store.
func validateText(field, text string, maximum int) error {
	if !utf8.ValidString(text) {
		return fault.Invalid(field, "the text is not valid UTF-8")
	}
	if length := utf8.RuneCountInString(text); length > maximum {
		return fault.Invalid(field, "at most %d characters, got %d", maximum, length)
	}
	if strings.ContainsRune(text, 0) {
		return fault.Invalid(field, "the null character is not allowed")
	}
	return nil
}
