package changerequest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"octavo/internal/document"
	"octavo/internal/fault"
)

const (
	// maximumText is how many bytes a description or a reviewer's comment may
	// have, as JSON or Markdown.
	maximumText = 1 << 20
	// maximumNesting is how deep its JSON may nest: a node of a document takes
	// two levels, and its data a few more.
	maximumNesting = 2*document.MaximumDepth + 16
)

// validateDocument checks that the value of a field is a document; the empty
// value is fine.
func validateDocument(field string, value json.RawMessage) error {
	if len(value) == 0 {
		return nil
	}
	if len(value) > maximumText {
		return fault.New(fault.LimitExceeded, "%s: at most %d bytes, got %d", field, maximumText, len(value))
	}
	if err := scan(field, value); err != nil {
		return err
	}
	var kind struct{ Object string }
	parsed := new(document.Document)
	if err := errors.Join(json.Unmarshal(value, &kind), json.Unmarshal(value, parsed)); err != nil {
		return fault.Invalid(field, "it is not a document: %s", err)
	}
	if kind.Object != "document" {
		return fault.Invalid(field, "an object of the kind document is expected, got %q", kind.Object)
	}
	return within(field, document.Validate(parsed))
}

// within makes a fault in a document one of the field that holds it.
func within(field string, err error) error {
	var known *fault.Error
	if !errors.As(err, &known) {
		return err
	}
	return &fault.Error{Code: known.Code, Field: field, Message: field + ": " + known.Message}
}

// scan goes through the JSON once, before anything is built from it: deep
// nesting costs a decoder quadratic time, and PostgreSQL cannot store U+0000.
func scan(field string, value json.RawMessage) error {
	decoder := json.NewDecoder(bytes.NewReader(value))
	for depth := 0; ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fault.Invalid(field, "it is not JSON: %s", err)
		}
		switch token := token.(type) {
		case json.Delim:
			depth += nesting(token)
		case string:
			if strings.ContainsRune(token, 0) {
				return fault.Invalid(field, "the character U+0000 is not allowed")
			}
		}
		if depth > maximumNesting {
			return fault.New(fault.LimitExceeded, "%s: it may nest %d deep", field, maximumNesting)
		}
	}
}

func nesting(delimiter json.Delim) int {
	if delimiter == '{' || delimiter == '[' {
		return 1
	}
	return -1
}

// descriptionText is the description without its form; empty without one.
func (c *ChangeRequest) descriptionText() (string, error) {
	if len(c.Description) == 0 {
		return "", nil
	}
	parsed := new(document.Document)
	if err := json.Unmarshal(c.Description, parsed); err != nil {
		return "", err
	}
	return document.PlainText(parsed), nil
}
