// Package fault holds the one error type that users of Octavo see.
//
// Domain code returns a *Error for everything that a caller did or can mend;
// any other error is unexpected: it is logged once and shown as Internal
// without its detail.
package fault

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Code classifies an error for both APIs.
type Code string

// The codes, as they stand in extensions.code of a GraphQL error.
const (
	Unauthenticated Code = "UNAUTHENTICATED"
	Forbidden       Code = "FORBIDDEN"
	NotFound        Code = "NOT_FOUND"
	BadUserInput    Code = "BAD_USER_INPUT"
	InvalidPosition Code = "INVALID_POSITION"
	NoChange        Code = "NO_CHANGE"
	NotAllowed      Code = "NOT_ALLOWED"
	Conflict        Code = "CONFLICT"
	LimitExceeded   Code = "LIMIT_EXCEEDED"
	RateLimited     Code = "RATE_LIMITED"
	Unavailable     Code = "UNAVAILABLE"
	Internal        Code = "INTERNAL"
)

// statuses is the one table from codes to HTTP status codes.
var statuses = map[Code]int{
	Unauthenticated: 401,
	Forbidden:       403,
	NotFound:        404,
	BadUserInput:    400,
	InvalidPosition: 400,
	NoChange:        409,
	NotAllowed:      412,
	Conflict:        409,
	LimitExceeded:   413,
	RateLimited:     429,
	Unavailable:     503,
	Internal:        500,
}

// Status returns the HTTP status code that stands for the code.
func (c Code) Status() int {
	if status, ok := statuses[c]; ok {
		return status
	}
	return 500
}

// Error is a failure that is shown to the caller.
type Error struct {
	Code    Code
	Message string
	// Field names the input field at fault, dotted for nested fields; it is
	// empty when no single field is.
	Field string
	// Details are further values for clients, such as the current revision of
	// a Conflict. They are shown beside the code.
	Details map[string]any
	// Err is the cause; it is logged and never shown.
	Err error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// With returns the error with one more detail.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// New returns an error with the given code and a formatted message.
func New(code Code, format string, arguments ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, arguments...)}
}

// Missing says that something does not exist or may not be seen by the caller:
// the two are never told apart. what is the name of the resource, such as
// "space".
func Missing(what string) *Error {
	return New(NotFound, "%s not found", what)
}

// Invalid says that the value of an input field is wrong. The message names
// the field.
func Invalid(field, format string, arguments ...any) *Error {
	message := fmt.Sprintf(format, arguments...)
	return &Error{Code: BadUserInput, Field: field, Message: field + ": " + message}
}

// About returns the error about a field of another name, where an API has one of
// its own.
func (e *Error) About(field string) *Error {
	renamed := *e
	renamed.Field, renamed.Message = field, field+strings.TrimPrefix(e.Message, e.Field)
	return &renamed
}

// Denied says that the caller may see the resource but not do this to it.
func Denied(format string, arguments ...any) *Error {
	return New(Forbidden, format, arguments...)
}

// CodeOf returns the code of err: that of the first *Error in its chain,
// Unavailable for a context that ended, Internal for anything else.
func CodeOf(err error) Code {
	var known *Error
	if errors.As(err, &known) {
		return known.Code
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Unavailable
	}
	return Internal
}

// Shown is what a caller is told of an error whose detail is kept from them.
func Shown(code Code) string {
	if code == Unavailable {
		return "the request was cancelled or took too long"
	}
	return "an unexpected error happened; the request id leads to its log entry"
}
