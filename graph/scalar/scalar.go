package scalar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"time"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
)

// MarshalDateTime writes a time in UTC.
func MarshalDateTime(moment time.Time) graphql.Marshaler {
	return graphql.WriterFunc(func(writer io.Writer) {
		buffer := make([]byte, 0, len(time.RFC3339Nano)+2)
		buffer = append(buffer, '"')
		buffer = moment.UTC().AppendFormat(buffer, time.RFC3339Nano)
		_, _ = writer.Write(append(buffer, '"'))
	})
}

// UnmarshalDateTime reads an RFC 3339 time.
func UnmarshalDateTime(value any) (time.Time, error) {
	text, isText := value.(string)
	if !isText {
		return time.Time{}, fmt.Errorf("a date-time string is expected, got %T", value)
	}
	moment, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is not an RFC 3339 date-time", text)
	}
	return moment.UTC(), nil
}

// MarshalURI writes an address.
func MarshalURI(address string) graphql.Marshaler { return graphql.MarshalString(address) }

// UnmarshalURI reads an absolute address.
func UnmarshalURI(value any) (string, error) {
	text, isText := value.(string)
	if !isText {
		return "", fmt.Errorf("a URI string is expected, got %T", value)
	}
	parsed, err := url.Parse(text)
	if err != nil || !parsed.IsAbs() {
		return "", fmt.Errorf("%q is not an absolute URI", text)
	}
	return text, nil
}

// MarshalMarkdown writes Markdown source.
func MarshalMarkdown(source string) graphql.Marshaler { return graphql.MarshalString(source) }

// UnmarshalMarkdown reads Markdown source.
func UnmarshalMarkdown(value any) (string, error) {
	text, isText := value.(string)
	if !isText {
		return "", fmt.Errorf("a Markdown string is expected, got %T", value)
	}
	if !utf8.ValidString(text) {
		return "", fmt.Errorf("the Markdown is not valid UTF-8")
	}
	return text, nil
}

// MarshalDocument writes a document that is kept as JSON.
func MarshalDocument(document json.RawMessage) graphql.Marshaler { return raw(document) }

// UnmarshalDocument reads a document; package document checks what is in it.
func UnmarshalDocument(value any) (json.RawMessage, error) {
	if _, isObject := value.(map[string]any); !isObject {
		return nil, fmt.Errorf("a document object is expected, got %T", value)
	}
	return json.Marshal(value)
}

// MarshalJSON writes any value.
func MarshalJSON(value any) graphql.Marshaler {
	if kept, isRaw := value.(json.RawMessage); isRaw {
		return raw(kept)
	}
	return graphql.MarshalAny(value)
}

// UnmarshalJSON reads any value.
func UnmarshalJSON(value any) (any, error) { return value, nil }

func raw(kept json.RawMessage) graphql.Marshaler {
	if len(bytes.TrimSpace(kept)) == 0 {
		return graphql.Null
	}
	return graphql.WriterFunc(func(writer io.Writer) { _, _ = writer.Write(kept) })
}
