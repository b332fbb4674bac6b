package live

import "sync"

// counter knows how many streams each user has open. The zero value has none.
type counter struct {
	mutex  sync.Mutex
	byUser map[string]int
}

// add counts one more, unless the user has as many as the limit allows; the
// limit 0 allows any number.
func (c *counter) add(userID string, limit int) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if limit > 0 && c.byUser[userID] >= limit {
		return false
	}
	if c.byUser == nil {
		c.byUser = map[string]int{}
	}
	c.byUser[userID]++
	return true
}

// remove counts one less, and forgets users who have none.
func (c *counter) remove(userID string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.byUser[userID]--; c.byUser[userID] == 0 {
		delete(c.byUser, userID)
	}
}
