package content

import "fmt"

// Memory holds bodies that are not stored yet in front of those that are.
type Memory struct {
	added    map[Hash][]byte
	fallback Bodies
}

// NewMemory returns an empty Memory that asks fallback, which may be nil, for
// bodies it does not hold.
func NewMemory(fallback Bodies) *Memory {
	return &Memory{added: map[Hash][]byte{}, fallback: fallback}
}

// Add keeps the bytes and returns their hash. The bytes must not be changed
// afterwards.
func (m *Memory) Add(data []byte) Hash {
	hash := HashOf(data)
	m.added[hash] = data
	return hash
}

// Body returns the bytes with the given hash, nil for the empty Hash.
func (m *Memory) Body(hash Hash) ([]byte, error) {
	if hash == "" {
		return nil, nil
	}
	if data, found := m.added[hash]; found {
		return data, nil
	}
	if m.fallback == nil {
		return nil, fmt.Errorf("body %s is missing", hash)
	}
	return m.fallback.Body(hash)
}

// Added returns the bodies that were added and have to be stored with the
// tree. The map must not be changed.
func (m *Memory) Added() map[Hash][]byte {
	return m.added
}

// keepOnly forgets the added bodies that the tree does not hold.
func (m *Memory) keepOnly(tree *Tree) {
	held := tree.bodyHashes()
	for hash := range m.added {
		if !held[hash] {
			delete(m.added, hash)
		}
	}
}

// bodyHashes returns the hashes of all text that the tree refers to.
func (t *Tree) bodyHashes() map[Hash]bool {
	held := make(map[Hash]bool, len(t.Pages))
	for _, page := range t.Pages {
		held[page.Body] = true
	}
	for _, item := range t.ReusableContents {
		held[item.Body] = true
	}
	if t.Repository == nil {
		return held
	}
	held[t.Repository.Summary] = true
	held[t.Repository.Configuration] = true
	for _, file := range t.Repository.Unplaced {
		held[file.Body] = true
	}
	return held
}
