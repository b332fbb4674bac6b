package document

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"octavo/internal/condition"
	"octavo/internal/fault"
)

const (
	// MaximumDepth is how deep nodes of a document may stand in one another.
	MaximumDepth = 64
	// MaximumNodes is how many nodes a document may have.
	MaximumNodes = 200_000
	// MaximumText is how many bytes of text a document may hold.
	MaximumText = 8 << 20
)

// anchorPattern is the form of a heading's own id.
var anchorPattern = regexp.MustCompile(`^[-a-z0-9.+_]+$`)

// check judges a value of a node's data; it returns what is allowed, or
// nothing when the value is.
type check func(value any) string

func anyText(value any) string {
	if written, ok := value.(string); !ok || !utf8.ValidString(written) {
		return "a string"
	}
	return ""
}

func boolean(value any) string {
	if _, ok := value.(bool); !ok {
		return "true or false"
	}
	return ""
}

func object(value any) string {
	if _, ok := value.(map[string]any); !ok {
		return "an object"
	}
	return ""
}

func texts(value any) string {
	list, ok := value.([]any)
	if !ok {
		return "a list of strings"
	}
	for _, entry := range list {
		if _, ok := entry.(string); !ok {
			return "a list of strings"
		}
	}
	return ""
}

func oneOf(allowed ...string) check {
	return func(value any) string {
		if written, ok := value.(string); !ok || !slices.Contains(allowed, written) {
			return "one of " + strings.Join(allowed, ", ")
		}
		return ""
	}
}

func integerFrom(minimum int) check {
	return func(value any) string {
		if number, ok := wholeNumber(value); !ok || number < minimum || number > 999_999_999 {
			return fmt.Sprintf("a whole number from %d", minimum)
		}
		return ""
	}
}

func identifier(value any) string {
	if id, ok := value.(string); !ok || !anchorPattern.MatchString(id) {
		return "an id of the characters a-z, 0-9, -, ., + and _"
	}
	return ""
}

func expression(value any) string {
	if written, ok := value.(string); !ok || written == "" || len(written) > condition.MaximumLength {
		return fmt.Sprintf("an expression of 1 to %d characters", condition.MaximumLength)
	}
	return ""
}

func emojiCode(value any) string {
	if code, ok := value.(string); !ok || emojiCharacters(code) == "" {
		return "code points such as 1f4d8"
	}
	return ""
}

func length(value any) string {
	const allowed = "a number above 0, or {value, unit} with unit %, px, rem or em"
	if fields, ok := value.(map[string]any); ok {
		unit, _ := fields["unit"].(string)
		if !slices.Contains([]string{"%", "px", "rem", "em"}, unit) || !isPositive(fields["value"]) {
			return allowed
		}
		return ""
	}
	if !isPositive(value) {
		return allowed
	}
	return ""
}

func isPositive(value any) bool {
	switch value := value.(type) {
	case float64:
		return value > 0 && value <= 1e9 && !math.IsInf(value, 0)
	case int:
		return value > 0 && value <= 1e9
	}
	return false
}

// referenceKeys gives the property that each kind of reference needs.
var referenceKeys = map[string]string{
	"file": "file", "url": "url", "page": "page", "anchor": "anchor", "user": "user", "collection": "collection",
	"space": "space", "reusable-content": "reusableContent", "openapi": "spec", "translation": "translation",
}

func referenceOf(kinds ...string) check {
	return func(value any) string {
		fields, _ := value.(map[string]any)
		kind, _ := fields["kind"].(string)
		if !slices.Contains(kinds, kind) {
			return "a reference of kind " + strings.Join(kinds, ", ")
		}
		if id, ok := fields[referenceKeys[kind]].(string); !ok || (id == "" && kind != "url") {
			return "a " + kind + " reference with " + referenceKeys[kind]
		}
		return ""
	}
}

var (
	anyReference = referenceOf(
		"file", "url", "page", "anchor", "user", "collection", "space", "reusable-content", "openapi")
	fileOrURL        = referenceOf("file", "url")
	openAPIReference = referenceOf("openapi")
)

// validator walks a document and counts what it holds.
type validator struct{ nodes, text int }

// Validate judges a document. The error is a *fault.Error that names the path
// of the first node at fault and what is allowed there.
func Validate(document *Document) error {
	if document == nil {
		return fault.Invalid("document", "a document is needed")
	}
	judge := &validator{}
	return judge.blocks(document.Nodes, "nodes", "", 1)
}

// validateAlone judges a node that stands outside of a document.
func validateAlone(node *Node) error {
	judge := &validator{}
	if node.Object == objectInline {
		return judge.inlines([]*Node{node}, "node", contentInlines, 1)
	}
	return judge.blocks([]*Node{node}, "node", "", 1)
}

func (v *validator) count(path string, depth int) error {
	v.nodes++
	if depth > MaximumDepth {
		return fault.New(fault.LimitExceeded, "%s: nodes may nest %d deep", path, MaximumDepth)
	}
	if v.nodes > MaximumNodes {
		return fault.New(fault.LimitExceeded, "%s: a document may have %d nodes", path, MaximumNodes)
	}
	return nil
}

// blocks judges the blocks in a node; parent is its type.
func (v *validator) blocks(nodes []*Node, path, parent string, depth int) error {
	for index, node := range nodes {
		if err := v.block(node, path+"."+strconv.Itoa(index), parent, depth); err != nil {
			return err
		}
	}
	return nil
}

func (v *validator) block(node *Node, path, parent string, depth int) error {
	if err := v.count(path, depth); err != nil {
		return err
	}
	if node == nil || node.Object != objectBlock {
		return fault.Invalid(path+".object", `must be "block"`)
	}
	definition, known := definitions[node.Type]
	if !known || definition.inline {
		return fault.Invalid(path+".type", "%q is not a block", node.Type)
	}
	if wanted := itemOf[parent]; wanted != node.Type && (wanted != "" || insideOnly[node.Type]) {
		if wanted == "" {
			return fault.Invalid(path+".type", "%q stands in its list only", node.Type)
		}
		return fault.Invalid(path+".type", "must be %q", wanted)
	}
	if err := v.data(node, definition, path); err != nil {
		return err
	}
	if err := v.content(node, definition, path, depth); err != nil {
		return err
	}
	return v.fragments(node, path, depth)
}

func (v *validator) data(node *Node, definition definition, path string) error {
	for _, key := range definition.required {
		if node.Data[key] == nil {
			return fault.Invalid(path+".data."+key, "is required")
		}
	}
	for key, judge := range definition.data {
		value := node.Data[key]
		if value == nil {
			continue
		}
		if allowed := judge(value); allowed != "" {
			return fault.Invalid(path+".data."+key, "must be %s", allowed)
		}
	}
	if node.Type == "table" {
		return validateTable(node, path)
	}
	return nil
}

func (v *validator) content(node *Node, definition definition, path string, depth int) error {
	switch definition.content {
	case contentInlines, contentText:
		return v.inlines(node.Nodes, path+".nodes", definition.content, depth+1)
	case contentBlocks, contentItems:
		return v.blocks(node.Nodes, path+".nodes", node.Type, depth+1)
	}
	if len(node.Nodes) > 0 {
		return fault.Invalid(path+".nodes", "%s has no nodes", node.Type)
	}
	return nil
}

func (v *validator) inlines(nodes []*Node, path string, allowed content, depth int) error {
	for index, node := range nodes {
		if err := v.inline(node, path+"."+strconv.Itoa(index), allowed, depth); err != nil {
			return err
		}
	}
	return nil
}

func (v *validator) inline(node *Node, path string, allowed content, depth int) error {
	if err := v.count(path, depth); err != nil {
		return err
	}
	if node == nil {
		return fault.Invalid(path, "a node is needed")
	}
	if node.Object == objectText {
		return v.leaves(node.Leaves, path)
	}
	definition, known := definitions[node.Type]
	if node.Object != objectInline || !known || !definition.inline {
		return fault.Invalid(path+".type", "%q is not an inline", node.Type)
	}
	if allowed == contentText {
		return fault.Invalid(path+".object", `must be "text"`)
	}
	if err := v.data(node, definition, path); err != nil {
		return err
	}
	if err := v.content(node, definition, path, depth); err != nil {
		return err
	}
	return v.fragments(node, path, depth)
}

func (v *validator) leaves(leaves []Leaf, path string) error {
	for index, leaf := range leaves {
		place := path + ".leaves." + strconv.Itoa(index)
		v.text += len(leaf.Text)
		if v.text > MaximumText {
			return fault.New(fault.LimitExceeded, "%s: a document may hold %d bytes of text", place, MaximumText)
		}
		if !utf8.ValidString(leaf.Text) {
			return fault.Invalid(place+".text", "must be valid UTF-8")
		}
		for position, mark := range leaf.Marks {
			if err := validateMark(mark, fmt.Sprintf("%s.marks.%d", place, position)); err != nil {
				return err
			}
		}
	}
	return nil
}

func validateMark(mark Mark, path string) error {
	if !slices.Contains(markOrder, mark.Type) {
		return fault.Invalid(path+".type", "must be one of %s", strings.Join(markOrder, ", "))
	}
	if mark.Type != "color" {
		return nil
	}
	for _, key := range []string{"text", "background"} {
		if allowed := oneOf(textColors...)(mark.Data[key]); allowed != "" {
			return fault.Invalid(path+".data."+key, "must be %s", allowed)
		}
	}
	return nil
}

func (v *validator) fragments(node *Node, path string, depth int) error {
	if node.Type == "expandable" && node.fragment("expandable-title") == nil {
		return fault.Invalid(path+".fragments", "an expandable-title is required")
	}
	if node.Type == "annotation" && node.fragment("annotation-body") == nil {
		return fault.Invalid(path+".fragments", "an annotation-body is required")
	}
	for index, fragment := range node.Fragments {
		place := fmt.Sprintf("%s.fragments.%d", path, index)
		if fragment == nil || fragment.Object != objectFragment {
			return fault.Invalid(place+".object", `must be "fragment"`)
		}
		onlyParagraphs := fragment.Fragment == "caption" || fragment.Type == "expandable-title"
		for position, child := range fragment.Nodes {
			if onlyParagraphs && (child == nil || child.Type != "paragraph") {
				return fault.Invalid(fmt.Sprintf("%s.nodes.%d.type", place, position), `must be "paragraph"`)
			}
		}
		if err := v.blocks(fragment.Nodes, place+".nodes", "", depth+1); err != nil {
			return err
		}
	}
	return nil
}
