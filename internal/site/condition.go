package site

import (
	"unicode/utf8"

	"octavo/internal/fault"
)

// checkCondition checks an expression that decides who sees something; the
// empty one removes it.
func checkCondition(text *string) error {
	if text == nil || *text == "" {
		return nil
	}
	if length := utf8.RuneCountInString(*text); length > maximumCondition {
		return fault.Invalid("condition", "at most %d characters, got %d", maximumCondition, length)
	}
	return nil
}
