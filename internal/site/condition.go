package site

import "octavo/internal/condition"

// checkCondition checks an expression that decides who sees something; the
// empty one removes it.
func checkCondition(text *string) error {
	if text == nil || *text == "" {
		return nil
	}
	_, err := condition.Parse("condition", *text)
	return err
}
