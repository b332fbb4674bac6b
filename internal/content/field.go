package content

import (
	"reflect"
	"slices"
	"time"
)

// field is a property of a page that stands for itself: it is compared,
// merged and shown on its own. read returns nil for a property that the page
// does not have; write takes what read returned.
type field struct {
	name  string
	read  func(*Page) any
	write func(*Page, any)
}

// plainFields are all properties of a page but its place, its body, its times,
// and those made of parts (layout, cover, variables).
var plainFields = []field{
	textField("title", func(page *Page) *string { return &page.Title }),
	textField("slug", func(page *Page) *string { return &page.Slug }),
	textField("description", func(page *Page) *string { return &page.Description }),
	textField("emoji", func(page *Page) *string { return &page.Emoji }),
	textField("icon", func(page *Page) *string { return &page.Icon }),
	textField("condition", func(page *Page) *string { return &page.Condition }),
	textField("gitPath", func(page *Page) *string { return &page.GitPath }),
	flagField("hidden", func(page *Page) *bool { return &page.Hidden }),
	flagField("noIndex", func(page *Page) *bool { return &page.NoIndex }),
	flagField("noRobotsIndex", func(page *Page) *bool { return &page.NoRobots }),
	{
		name:  "type",
		read:  func(page *Page) any { return string(page.Type) },
		write: func(page *Page, value any) { page.Type = PageType(value.(string)) },
	},
	{
		name: "target",
		read: func(page *Page) any { return present(page.Target, len(page.Target) > 0) },
		write: func(page *Page, value any) {
			page.Target, _ = value.(map[string]any)
		},
	},
	{
		name:  "computed",
		read:  func(page *Page) any { return present(page.Computed, page.Computed != nil) },
		write: func(page *Page, value any) { page.Computed, _ = value.(*Computed) },
	},
}

// compositeFields are the properties that are made of parts.
var compositeFields = []field{
	{
		name:  "layout",
		read:  func(page *Page) any { return present(page.Layout, page.Layout != nil) },
		write: func(page *Page, value any) { page.Layout, _ = value.(*Layout) },
	},
	{
		name:  "cover",
		read:  func(page *Page) any { return present(page.Cover, page.Cover != nil) },
		write: func(page *Page, value any) { page.Cover, _ = value.(*Cover) },
	},
	{
		name:  "variables",
		read:  func(page *Page) any { return present(page.Variables, len(page.Variables) > 0) },
		write: func(page *Page, value any) { page.Variables, _ = value.(map[string]any) },
	},
}

func textField(name string, of func(*Page) *string) field {
	return field{
		name: name,
		read: func(page *Page) any { return present(*of(page), *of(page) != "") },
		write: func(page *Page, value any) {
			*of(page), _ = value.(string)
		},
	}
}

// flagField reads as true or nil, so that a flag that is off counts as absent.
func flagField(name string, of func(*Page) *bool) field {
	return field{
		name: name,
		read: func(page *Page) any { return present(true, *of(page)) },
		write: func(page *Page, value any) {
			*of(page), _ = value.(bool)
		},
	}
}

func present(value any, there bool) any {
	if !there {
		return nil
	}
	return value
}

// equalValues compares what fields read.
func equalValues(a, b any) bool {
	if textA, ok := a.(string); ok {
		textB, ok := b.(string)
		return ok && textA == textB
	}
	return reflect.DeepEqual(a, b)
}

// equalPages tells whether two pages differ in nothing but the time of their
// last change.
func equalPages(a, b *Page) bool {
	if a == b {
		return true
	}
	return a.ID == b.ID && a.Parent == b.Parent && a.Body == b.Body && a.GitOID == b.GitOID &&
		sameTime(a.CreatedAt, b.CreatedAt) && equalMetadata(a, b)
}

// equalMetadata tells whether two pages differ in no field.
func equalMetadata(a, b *Page) bool {
	return a.Type == b.Type && a.Title == b.Title && a.Slug == b.Slug && a.GitPath == b.GitPath &&
		a.Emoji == b.Emoji && a.Icon == b.Icon && a.Description == b.Description &&
		a.Hidden == b.Hidden && a.NoIndex == b.NoIndex && a.NoRobots == b.NoRobots && a.Condition == b.Condition &&
		equalPointers(a.Layout, b.Layout) && equalMaps(a.Variables, b.Variables) && equalMaps(a.Target, b.Target) &&
		equalDeep(a.Cover, b.Cover) && equalDeep(a.Computed, b.Computed)
}

func equalPointers[Value comparable](a, b *Value) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func equalDeep[Value any](a, b *Value) bool {
	return a == b || a != nil && b != nil && reflect.DeepEqual(a, b)
}

func equalMaps[Value any](a, b map[string]Value) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

func sameTime(a, b time.Time) bool {
	return a == b || storedTime(a) == storedTime(b)
}

func equalFiles(a, b *File) bool {
	if a == b {
		return true
	}
	left, right := *a, *b
	left.CreatedAt, right.CreatedAt = storedTime(a.CreatedAt), storedTime(b.CreatedAt)
	return left == right
}

func equalRepositories(a, b *Repository) bool {
	return equalDeep(a, b)
}

// equalTrees tells whether two trees hold the same content, whatever the times
// of the last changes.
func equalTrees(a, b *Tree) bool {
	return a == b ||
		equalLists(a.Pages, b.Pages, equalPages) &&
			equalLists(a.Files, b.Files, equalFiles) &&
			equalLists(a.ReusableContents, b.ReusableContents, equalPointers[ReusableContent]) &&
			equalLists(a.Redirects, b.Redirects, equalPointers[Redirect]) &&
			equalMaps(a.Variables, b.Variables) && equalRepositories(a.Repository, b.Repository)
}

func equalLists[Entry any](a, b []*Entry, equal func(a, b *Entry) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for position := range a {
		if !equal(a[position], b[position]) {
			return false
		}
	}
	return true
}

// plainAndCompositeFields are all fields of a page.
var plainAndCompositeFields = slices.Concat(plainFields, compositeFields)
