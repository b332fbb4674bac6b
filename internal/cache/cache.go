// Package cache keeps immutable values in memory under a bound on their size.
// What never changes needs no invalidation: a value leaves only to make room.
package cache

import (
	"container/list"
	"sync"
)

// Cache maps keys to values, dropping those not used for longest once their
// weights exceed the limit. It is safe for concurrent use.
type Cache[Key comparable, Value any] struct {
	mutex   sync.Mutex
	limit   int64
	weight  int64
	entries map[Key]*list.Element
	recent  *list.List // of *entry, the last used first
}

type entry[Key comparable, Value any] struct {
	key    Key
	value  Value
	weight int64
}

// New returns a cache whose values weigh at most limit together, in whatever
// unit the callers of Add use, usually bytes.
func New[Key comparable, Value any](limit int64) *Cache[Key, Value] {
	return &Cache[Key, Value]{limit: limit, entries: map[Key]*list.Element{}, recent: list.New()}
}

// Get returns the value kept for the key.
func (c *Cache[Key, Value]) Get(key Key) (value Value, found bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	element, found := c.entries[key]
	if !found {
		return value, false
	}
	c.recent.MoveToFront(element)
	return element.Value.(*entry[Key, Value]).value, true
}

// Add keeps the value, unless it alone weighs more than the limit.
func (c *Cache[Key, Value]) Add(key Key, value Value, weight int64) {
	if weight > c.limit {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if element, found := c.entries[key]; found {
		c.remove(element)
	}
	c.entries[key] = c.recent.PushFront(&entry[Key, Value]{key, value, weight})
	c.weight += weight
	for c.weight > c.limit {
		c.remove(c.recent.Back())
	}
}

func (c *Cache[Key, Value]) remove(element *list.Element) {
	removed := c.recent.Remove(element).(*entry[Key, Value])
	delete(c.entries, removed.key)
	c.weight -= removed.weight
}
