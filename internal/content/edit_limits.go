package content

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Limits of what a page says about itself, in characters.
const (
	TitleLimit         = 255
	SlugLimit          = 100
	EmojiLimit         = 50
	IconLimit          = 50
	DescriptionLimit   = 1000
	ConditionLimit     = 1024
	FileNameLimit      = 256
	VariableLimit      = 100 // variables of a page or a space
	VariableNameLimit  = 100
	VariableValueLimit = 256
	// The height of a cover in pixels.
	CoverHeightMinimum = 10
	CoverHeightMaximum = 700
)

// untitled is the title of a page for which neither the caller nor the source
// has one.
const untitled = "Untitled"

var (
	// slugPattern admits what stands in a path without being escaped, and
	// letters and digits of every script.
	slugPattern = regexp.MustCompile(`^[\p{L}\p{M}\p{N}_~-][\p{L}\p{M}\p{N}._~-]*$`)
	iconPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9:_/-]*$`)
	// variablePattern admits names that expressions can use.
	variablePattern = regexp.MustCompile(`^[\p{L}_$][\p{L}\p{N}_$-]*$`)
)

// checkLine returns why text cannot stand on one line of at most limit
// characters, or "".
func checkLine(text string, limit int) string {
	if problem := checkText(text, limit); problem != "" {
		return problem
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return "it holds a line break or another control character"
	}
	return ""
}

func checkText(text string, limit int) string {
	if !utf8.ValidString(text) {
		return "it is not valid UTF-8"
	}
	if strings.ContainsRune(text, 0) {
		return "it holds a NUL character"
	}
	if utf8.RuneCountInString(text) > limit {
		return "it is longer than " + strconv.Itoa(limit) + " characters"
	}
	return ""
}

func checkTitle(title string) string {
	if strings.TrimSpace(title) == "" {
		return "it is empty"
	}
	return checkLine(title, TitleLimit)
}

func checkSlug(slug string) string {
	if problem := checkLine(slug, SlugLimit); problem != "" {
		return problem
	}
	if !slugPattern.MatchString(slug) {
		return "it may hold letters, digits, hyphens, underscores, tildes and, after the first character, dots"
	}
	return ""
}

func checkIcon(icon string) string {
	if icon == "" {
		return ""
	}
	if problem := checkLine(icon, IconLimit); problem != "" {
		return problem
	}
	if !iconPattern.MatchString(icon) {
		return "it may hold letters, digits, hyphens, underscores, colons and slashes"
	}
	return ""
}

// CheckVariables tells what is wrong with the variables of a page or a space,
// empty if nothing is: there are at most VariableLimit, with names of letters,
// digits and underscores, and values that are texts of up to VariableValueLimit
// characters, numbers (float64) or booleans.
func CheckVariables(variables map[string]any) string {
	if len(variables) > VariableLimit {
		return "there are more than " + strconv.Itoa(VariableLimit) + " variables"
	}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		if checkLine(name, VariableNameLimit) != "" || !variablePattern.MatchString(name) {
			return "a variable's name has up to " + strconv.Itoa(VariableNameLimit) + " letters, digits and underscores, and begins with a letter"
		}
		switch value := variables[name].(type) {
		case bool, float64:
		case string:
			if problem := checkText(value, VariableValueLimit); problem != "" {
				return "the variable " + name + " is wrong: " + problem
			}
		default:
			return "the variable " + name + " is neither text, a number nor a boolean"
		}
	}
	return ""
}

func checkLayout(layout Layout) string {
	if layout.Width != "default" && layout.Width != "wide" {
		return "its width is default or wide"
	}
	if layout.CoverSize != "hero" && layout.CoverSize != "full" {
		return "its coverSize is hero or full"
	}
	return ""
}

func checkCover(cover Cover) string {
	if problem := checkReference(cover.Ref, "file", "url"); problem != "" {
		return problem
	}
	if len(cover.RefDark) > 0 {
		if problem := checkReference(cover.RefDark, "file", "url"); problem != "" {
			return problem
		}
	}
	if cover.Height != 0 && (cover.Height < CoverHeightMinimum || cover.Height > CoverHeightMaximum) {
		return "its height is " + strconv.Itoa(CoverHeightMinimum) + " to " + strconv.Itoa(CoverHeightMaximum) + " pixels"
	}
	return ""
}

// referenceKinds names, for each kind of content reference, the property that
// it needs.
var referenceKinds = map[string]string{
	"file": "file", "url": "url", "page": "page", "anchor": "anchor", "user": "user",
	"collection": "collection", "space": "space", "reusable-content": "reusableContent", "openapi": "spec",
}

// checkReference checks a content reference; without kinds, every kind is
// admitted.
func checkReference(reference map[string]any, kinds ...string) string {
	kind, _ := reference["kind"].(string)
	property, known := referenceKinds[kind]
	if !known || len(kinds) > 0 && !slices.Contains(kinds, kind) {
		if len(kinds) == 0 {
			kinds = slices.Sorted(maps.Keys(referenceKinds))
		}
		return "the kind of its reference is one of " + strings.Join(kinds, ", ")
	}
	value, _ := reference[property].(string)
	if value == "" {
		return "a reference of kind " + kind + " needs " + property
	}
	return checkLine(value, 2048)
}

// Slug makes a slug of a title: letters and digits in lower case without
// accents, everything else a hyphen. It is never empty.
func Slug(title string) string {
	var slug strings.Builder
	gap := false
	for _, character := range norm.NFKD.String(strings.ToLower(title)) {
		if unicode.Is(unicode.Mn, character) && character < 0x0370 {
			continue // an accent of a Latin letter
		}
		if !unicode.IsLetter(character) && !unicode.IsDigit(character) && !unicode.IsMark(character) {
			gap = gap || character != '\'' && character != '’'
			continue
		}
		if gap && slug.Len() > 0 {
			slug.WriteByte('-')
		}
		gap = false
		slug.WriteRune(character)
	}
	made := strings.Trim(truncateText(norm.NFC.String(slug.String()), SlugLimit), "-")
	if made == "" || checkSlug(made) != "" {
		return "page"
	}
	return made
}

// truncateText returns the first limit characters of text.
func truncateText(text string, limit int) string {
	count := 0
	for position := range text {
		if count == limit {
			return text[:position]
		}
		count++
	}
	return text
}
