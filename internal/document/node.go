// Package document reads and writes the content of pages: Markdown in
// GitBook's dialect, its front matter, and the rich-text form of it.
//
// Markdown is the source of truth. Parse derives the rich-text form and Render
// writes it as canonical Markdown: reading what Render wrote gives the same
// document again, and writing that gives the same bytes.
//
// What the rich-text form has no word for is kept beside it, in places where
// the published schema admits further properties:
//   - a block that is not understood (raw HTML, an unknown {% tag %}) is a code
//     block whose data has raw: true; its lines are the source,
//   - inline HTML that is not understood is a leaf with raw: true,
//   - headings of level 4 to 6 are a heading-3 whose data has level,
//   - a checkbox in a list that is not a task list is checked in the item's data,
//   - the text that a content reference, an embed or an API block holds is
//     caption in its data, as Markdown.
//
// The other way round, what Markdown has no word for (a highlighted line of
// code, say) is written as an element with the JSON of the node in its
// data-node attribute.
package document

import (
	"encoding/json"

	"octavo/internal/fault"
)

// SchemaVersion is the version of the rich-text form that Parse makes.
const SchemaVersion = 8

// Document is the rich-text form of a page or a comment.
type Document struct {
	Data  map[string]any
	Nodes []*Node
}

// The values of Node.Object.
const (
	objectDocument = "document"
	objectBlock    = "block"
	objectInline   = "inline"
	objectText     = "text"
	objectFragment = "fragment"
	objectLeaf     = "leaf"
	objectMark     = "mark"
)

// Node is a block, an inline, a text or a fragment of a Document.
type Node struct {
	// Object is block, inline, text or fragment.
	Object string
	// Type names the kind of block, inline or fragment; texts have none.
	Type string
	// Fragment is the name by which a block refers to a fragment of its own.
	Fragment string
	Key      string
	Data     map[string]any
	// Meta is derived (the anchor of a heading): Render does not read it.
	Meta      map[string]any
	Nodes     []*Node
	Fragments []*Node
	Leaves    []Leaf
}

// Leaf is a run of text with the same marks.
type Leaf struct {
	Text  string
	Marks []Mark
	// Raw says that Text is inline HTML that is passed through as it stands.
	Raw bool
}

// Mark is a style of a Leaf; Data is set for colours only.
type Mark struct {
	Type string
	Data map[string]any
}

type wireDocument struct {
	Object string         `json:"object"`
	Data   map[string]any `json:"data"`
	Nodes  []*Node        `json:"nodes"`
}

type wireNode struct {
	Object    string         `json:"object"`
	Type      string         `json:"type,omitempty"`
	Fragment  string         `json:"fragment,omitempty"`
	Key       string         `json:"key,omitempty"`
	IsVoid    *bool          `json:"isVoid,omitempty"`
	Data      map[string]any `json:"data,omitzero"`
	Meta      map[string]any `json:"meta,omitempty"`
	Nodes     []*Node        `json:"nodes,omitzero"`
	Fragments []*Node        `json:"fragments,omitzero"`
	Leaves    []Leaf         `json:"leaves,omitzero"`
}

type wireLeaf struct {
	Object string `json:"object"`
	Text   string `json:"text"`
	Marks  []Mark `json:"marks"`
	Raw    bool   `json:"raw,omitempty"`
}

type wireMark struct {
	Object string         `json:"object"`
	Type   string         `json:"type"`
	Data   map[string]any `json:"data,omitempty"`
}

// MarshalJSON writes the document as clients know it.
func (d *Document) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireDocument{objectDocument, notNil(d.Data), notNilNodes(d.Nodes)})
}

// UnmarshalJSON reads a document as clients write it; Validate judges it. BAD_USER_INPUT
// when the object is not "document".
func (d *Document) UnmarshalJSON(source []byte) error {
	var wire wireDocument
	if err := json.Unmarshal(source, &wire); err != nil {
		return err
	}
	if wire.Object != objectDocument {
		return fault.Invalid("object", "%s is expected, got %.40q", objectDocument, wire.Object)
	}
	d.Data, d.Nodes = wire.Data, wire.Nodes
	return nil
}

// MarshalJSON writes the node with exactly the properties of its kind.
func (n *Node) MarshalJSON() ([]byte, error) {
	wire := wireNode{Object: n.Object, Type: n.Type, Fragment: n.Fragment, Key: n.Key, Meta: n.Meta}
	switch n.Object {
	case objectText:
		wire.Leaves = n.Leaves
		if wire.Leaves == nil {
			wire.Leaves = []Leaf{}
		}
	case objectFragment:
		wire.Nodes = notNilNodes(n.Nodes)
	default:
		definition := definitions[n.Type]
		wire.IsVoid = &definition.void
		wire.Data = notNil(n.Data)
		if !definition.void {
			wire.Nodes = notNilNodes(n.Nodes)
		}
		if n.Fragments != nil || definition.fragments {
			wire.Fragments = notNilNodes(n.Fragments)
		}
	}
	return json.Marshal(wire)
}

// UnmarshalJSON reads a node. Void nodes may come without nodes.
func (n *Node) UnmarshalJSON(source []byte) error {
	var wire wireNode
	if err := json.Unmarshal(source, &wire); err != nil {
		return err
	}
	*n = Node{
		Object: wire.Object, Type: wire.Type, Fragment: wire.Fragment, Key: wire.Key,
		Data: wire.Data, Meta: wire.Meta, Nodes: wire.Nodes, Fragments: wire.Fragments, Leaves: wire.Leaves,
	}
	return nil
}

// MarshalJSON writes the leaf.
func (l Leaf) MarshalJSON() ([]byte, error) {
	marks := l.Marks
	if marks == nil {
		marks = []Mark{}
	}
	return json.Marshal(wireLeaf{objectLeaf, l.Text, marks, l.Raw})
}

// UnmarshalJSON reads a leaf.
func (l *Leaf) UnmarshalJSON(source []byte) error {
	var wire wireLeaf
	if err := json.Unmarshal(source, &wire); err != nil {
		return err
	}
	*l = Leaf{Text: wire.Text, Marks: wire.Marks, Raw: wire.Raw}
	return nil
}

// MarshalJSON writes the mark.
func (m Mark) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireMark{objectMark, m.Type, m.Data})
}

// UnmarshalJSON reads a mark.
func (m *Mark) UnmarshalJSON(source []byte) error {
	var wire wireMark
	if err := json.Unmarshal(source, &wire); err != nil {
		return err
	}
	*m = Mark{Type: wire.Type, Data: wire.Data}
	return nil
}

func notNil(data map[string]any) map[string]any {
	if data == nil {
		return map[string]any{}
	}
	return data
}

func notNilNodes(nodes []*Node) []*Node {
	if nodes == nil {
		return []*Node{}
	}
	return nodes
}

func newBlock(kind string, data map[string]any, nodes ...*Node) *Node {
	return &Node{Object: objectBlock, Type: kind, Data: data, Nodes: nodes}
}

func newInline(kind string, data map[string]any, nodes ...*Node) *Node {
	return &Node{Object: objectInline, Type: kind, Data: data, Nodes: nodes}
}

func newFragment(kind string, nodes ...*Node) *Node {
	return &Node{Object: objectFragment, Type: kind, Fragment: kind, Nodes: nodes}
}

func newText(leaves ...Leaf) *Node {
	return &Node{Object: objectText, Leaves: leaves}
}

func newParagraph(text string) *Node {
	if text == "" {
		return newBlock("paragraph", nil)
	}
	return newBlock("paragraph", nil, newText(Leaf{Text: text}))
}

// fragment returns the fragment of the given type or name, or nil.
func (n *Node) fragment(kind string) *Node {
	for _, fragment := range n.Fragments {
		if fragment.Type == kind || fragment.Fragment == kind {
			return fragment
		}
	}
	return nil
}

func (n *Node) text(key string) string {
	value, _ := n.Data[key].(string)
	return value
}

func (n *Node) flag(key string) bool {
	value, _ := n.Data[key].(bool)
	return value
}

func (n *Node) reference(key string) map[string]any {
	value, _ := n.Data[key].(map[string]any)
	return value
}

// set puts a value into the node's data unless it is empty.
func (n *Node) set(key string, value any) {
	switch value {
	case nil, "", false:
		return
	}
	if n.Data == nil {
		n.Data = map[string]any{}
	}
	n.Data[key] = value
}
