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
	// maximumDescription is how many bytes of JSON a description may have.
	maximumDescription = 1 << 20
	// maximumNesting is how deep its JSON may nest: a node of a document takes
	// two levels, and its data a few more.
	maximumNesting = 2*document.MaximumDepth + 16
)

// validateDescription checks that a description is a document; the empty value,
// which removes it, is fine.
func validateDescription(value json.RawMessage) error {
	if len(value) == 0 {
		return nil
	}
	if len(value) > maximumDescription {
		return fault.New(fault.LimitExceeded, "description: at most %d bytes, got %d", maximumDescription, len(value))
	}
	if err := scan(value); err != nil {
		return err
	}
	var kind struct{ Object string }
	parsed := new(document.Document)
	if err := errors.Join(json.Unmarshal(value, &kind), json.Unmarshal(value, parsed)); err != nil {
		return fault.Invalid("description", "it is not a document: %s", err)
	}
	if kind.Object != "document" {
		return fault.Invalid("description", "an object of the kind document is expected, got %q", kind.Object)
	}
	return belowDescription(document.Validate(parsed))
}

// belowDescription makes a fault in a document one of the description.
func belowDescription(err error) error {
	var known *fault.Error
	if !errors.As(err, &known) {
		return err
	}
	return &fault.Error{Code: known.Code, Field: "description", Message: "description: " + known.Message}
}

// scan goes through the JSON once, before anything is built from it: deep
// nesting costs a decoder quadratic time, and PostgreSQL cannot store U+0000.
func scan(value json.RawMessage) error {
	decoder := json.NewDecoder(bytes.NewReader(value))
	for depth := 0; ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fault.Invalid("description", "it is not JSON: %s", err)
		}
		switch token := token.(type) {
		case json.Delim:
			depth += nesting(token)
		case string:
			if strings.ContainsRune(token, 0) {
				return fault.Invalid("description", "the character U+0000 is not allowed")
			}
		}
		if depth > maximumNesting {
			return fault.New(fault.LimitExceeded, "description: it may nest %d deep", maximumNesting)
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
