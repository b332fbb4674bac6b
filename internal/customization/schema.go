package customization

import (
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"octavo/internal/fault"
)

// schema says what a value may be. check returns what is known of it. In a
// partial value the settings of groups may be absent or null; objects that are
// one value, such as a colour, are always complete.
type schema interface {
	check(field string, value any, partial bool) (any, error)
}

// member of an object.
type member struct {
	schema   schema
	required bool
}

func required(of schema) member { return member{of, true} }

func optional(of schema) member { return member{of, false} }

// group is an object of settings, each of which stands for itself.
type group struct{ members map[string]member }

func (g group) check(field string, value any, partial bool) (any, error) {
	return checkObject(field, value, g.members, partial, true)
}

// object is a value made of several.
type object struct{ members map[string]member }

func (o object) check(field string, value any, partial bool) (any, error) {
	return checkObject(field, value, o.members, partial, false)
}

func checkObject(field string, value any, members map[string]member, partial, settings bool) (any, error) {
	given, is := value.(map[string]any)
	if !is {
		return nil, fault.Invalid(field, "an object is needed")
	}
	known := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		inner, present := given[name]
		switch {
		case !present && settings, !present && !members[name].required:
			continue
		case !present:
			return nil, fault.Invalid(field+"."+name, "it is missing")
		case inner == nil && settings && partial:
			known[name] = nil
			continue
		}
		checked, err := members[name].schema.check(field+"."+name, inner, partial)
		if err != nil {
			return nil, err
		}
		known[name] = checked
	}
	return known, nil
}

// choice is one of some words.
type choice []string

func (c choice) check(field string, value any, _ bool) (any, error) {
	if word, is := value.(string); is && slices.Contains(c, word) {
		return value, nil
	}
	return nil, fault.Invalid(field, "one of %s is needed, got %v", strings.Join(c, ", "), value)
}

// text of a number of characters.
type text struct{ minimum, maximum int }

func (t text) check(field string, value any, _ bool) (any, error) {
	given, is := value.(string)
	if length := utf8.RuneCountInString(given); !is || length < t.minimum || length > t.maximum {
		return nil, fault.Invalid(field, "a text of %d to %d characters is needed", t.minimum, t.maximum)
	}
	return value, nil
}

// number is a whole number within limits.
type number struct{ minimum, maximum float64 }

func (n number) check(field string, value any, _ bool) (any, error) {
	given, is := value.(float64)
	if !is || given != math.Trunc(given) || given < n.minimum || given > n.maximum {
		return nil, fault.Invalid(field, "a whole number from %g to %g is needed", n.minimum, n.maximum)
	}
	return value, nil
}

// truth is a boolean.
type truth struct{}

func (truth) check(field string, value any, _ bool) (any, error) {
	if _, is := value.(bool); !is {
		return nil, fault.Invalid(field, "true or false is needed, got %v", value)
	}
	return value, nil
}

// list of at most so many items.
type list struct {
	item    schema
	maximum int
}

func (l list) check(field string, value any, partial bool) (any, error) {
	given, is := value.([]any)
	if !is || len(given) > l.maximum {
		return nil, fault.Invalid(field, "a list of at most %d items is needed", l.maximum)
	}
	known := make([]any, len(given))
	for index, item := range given {
		checked, err := l.item.check(field, item, partial)
		if err != nil {
			return nil, err
		}
		known[index] = checked
	}
	return known, nil
}

// nullable is a value or null.
type nullable struct{ schema schema }

func (n nullable) check(field string, value any, partial bool) (any, error) {
	if value == nil {
		return nil, nil
	}
	return n.schema.check(field, value, partial)
}

// either is the first of some that fits.
type either []schema

func (e either) check(field string, value any, partial bool) (any, error) {
	var first error
	for _, each := range e {
		checked, err := each.check(field, value, partial)
		if err == nil {
			return checked, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// color is #rgb or #rrggbb.
type color struct{}

var colorPattern = regexp.MustCompile(`^#(?:[0-9a-fA-F]{3}){1,2}$`)

func (color) check(field string, value any, _ bool) (any, error) {
	if given, is := value.(string); !is || !colorPattern.MatchString(given) {
		return nil, fault.Invalid(field, "a colour such as #1a2b3c is needed, got %v", value)
	}
	return value, nil
}

// address is an absolute http or https address.
type address struct{}

const maximumAddress = 2048

func (address) check(field string, value any, _ bool) (any, error) {
	given, is := value.(string)
	parsed, err := url.Parse(given)
	if !is || err != nil || len(given) > maximumAddress || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" {
		return nil, fault.Invalid(field, "an http or https address of at most %d characters is needed", maximumAddress)
	}
	return value, nil
}

// reference is a content reference.
type reference struct{}

// referenceMembers are the members that a reference of a kind needs.
var referenceMembers = map[string]string{
	"file": "file", "url": "url", "page": "page", "anchor": "anchor", "user": "user", "collection": "collection",
	"space": "space", "reusable-content": "reusableContent", "openapi": "spec",
}

// referencePlaces are the members that some references may have.
var referencePlaces = []string{"space", "page"}

func (reference) check(field string, value any, _ bool) (any, error) {
	given, is := value.(map[string]any)
	kind, _ := given["kind"].(string)
	name, known := referenceMembers[kind]
	if !is || !known {
		return nil, fault.Invalid(field, "a content reference is needed")
	}
	kept := map[string]any{"kind": kind}
	for _, each := range append([]string{name}, referencePlaces...) {
		inner, present := given[each]
		if !present && each != name {
			continue
		}
		if _, err := (text{1, maximumAddress}).check(field+"."+each, inner, false); err != nil {
			return nil, err
		}
		kept[each] = inner
	}
	if kind == "url" {
		return kept, checkLink(field, given["url"].(string))
	}
	return kept, nil
}

// checkLink refuses addresses that run scripts.
func checkLink(field, link string) error {
	parsed, err := url.Parse(link)
	if err != nil || !slices.Contains([]string{"", "http", "https", "mailto", "tel"}, strings.ToLower(parsed.Scheme)) {
		return fault.Invalid(field+".url", "%q is not an address that a link can have", link)
	}
	return nil
}
