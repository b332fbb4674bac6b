package repository

import (
	"encoding/json"

	"octavo/internal/content"
)

// shape is what two descriptions of a page are compared by.
type shape struct {
	kind   content.PageType
	title  string
	path   string // documents
	target string // links and computed pages: what they lead to
	parent int    // index of the parent, or -1
}

// matcher finds which page of one tree is which page of another.
type matcher struct {
	from, to []shape
	match    []int  // for each of from: the index in to, or -1
	used     []bool // for each of to
}

// matchShapes returns for each of from the index of the same page in to, or -1.
// Documents are the same when their path is. Groups, links and computed pages
// have none: they are the same when parent and title are, else when their
// target is, else when they hold the same pages, else when their title is.
func matchShapes(from, to []shape) []int {
	m := &matcher{from: from, to: to, match: make([]int, len(from)), used: make([]bool, len(to))}
	for index := range m.match {
		m.match[index] = -1
	}
	m.byKey(func(side []shape, index int) (any, bool) {
		return side[index].path, side[index].kind == content.PageDocument && side[index].path != ""
	})
	m.byParentAndTitle()
	m.byKey(func(side []shape, index int) (any, bool) {
		next := side[index]
		return [2]string{string(next.kind), next.target}, next.target != ""
	})
	m.byChildren()
	m.byKey(func(side []shape, index int) (any, bool) {
		next := side[index]
		return [2]string{string(next.kind), next.title}, next.kind != content.PageDocument
	})
	return m.match
}

func (m *matcher) pair(from, to int) {
	m.match[from] = to
	m.used[to] = true
}

// byKey pairs what has the same key, in order. key returns false for what is
// not to be paired.
func (m *matcher) byKey(key func(side []shape, index int) (any, bool)) {
	free := map[any][]int{}
	for index := range m.to {
		if name, ok := key(m.to, index); ok && !m.used[index] {
			free[name] = append(free[name], index)
		}
	}
	for index := range m.from {
		name, ok := key(m.from, index)
		if !ok || m.match[index] >= 0 || len(free[name]) == 0 {
			continue
		}
		m.pair(index, free[name][0])
		free[name] = free[name][1:]
	}
}

type parentAndTitle struct {
	parent int // in to
	kind   content.PageType
	title  string
}

// byParentAndTitle goes from the top down, since a parent must be paired before
// its children can be.
func (m *matcher) byParentAndTitle() {
	free := map[parentAndTitle][]int{}
	for index, next := range m.to {
		if next.kind != content.PageDocument && !m.used[index] {
			key := parentAndTitle{next.parent, next.kind, next.title}
			free[key] = append(free[key], index)
		}
	}
	for index, next := range m.from {
		if next.kind == content.PageDocument || m.match[index] >= 0 {
			continue
		}
		parent := -1
		if next.parent >= 0 {
			if parent = m.match[next.parent]; parent < 0 {
				continue
			}
		}
		key := parentAndTitle{parent, next.kind, next.title}
		if len(free[key]) > 0 {
			m.pair(index, free[key][0])
			free[key] = free[key][1:]
		}
	}
}

// byChildren pairs groups whose first paired child has the other as its parent,
// from the bottom up.
func (m *matcher) byChildren() {
	for index := len(m.from) - 1; index >= 0; index-- {
		parent := m.from[index].parent
		if m.match[index] < 0 || parent < 0 || m.match[parent] >= 0 || m.from[parent].kind != content.PageGroup {
			continue
		}
		other := m.to[m.match[index]].parent
		if other >= 0 && !m.used[other] && m.to[other].kind == content.PageGroup {
			m.pair(parent, other)
		}
	}
}

// shapes returns the shapes of the nodes of an outline.
func shapesOfNodes(nodes []node) []shape {
	shapes := make([]shape, len(nodes))
	for index := range nodes {
		next := &nodes[index]
		shapes[index] = shape{kind: next.kind, title: next.title, path: next.path, parent: next.parent}
		switch next.kind {
		case content.PageLink:
			shapes[index].target = next.link.key()
		case content.PageComputed:
			shapes[index].target = computedKey(next.computed)
		}
	}
	return shapes
}

func (r reference) key() string {
	return r.kind + "\x00" + r.path + "\x00" + r.anchor + "\x00" + r.url
}

// computedKey identifies what a page is computed from.
func computedKey(computed *content.Computed) string {
	if computed == nil {
		return ""
	}
	// Values of a stored tree are JSON values: encoding them cannot fail.
	key, _ := json.Marshal([]any{computed.Type, computed.Props, computed.Dependencies})
	return string(key)
}
