package event

// recentIDs knows the last ids that were added to it.
type recentIDs struct {
	known map[string]bool
	// order is a ring; oldest is where the next id goes.
	order  []string
	oldest int
}

func newRecentIDs(size int) *recentIDs {
	return &recentIDs{known: make(map[string]bool, size), order: make([]string, size)}
}

// add returns false for an id that is known already.
func (r *recentIDs) add(id string) bool {
	if r.known[id] {
		return false
	}
	delete(r.known, r.order[r.oldest])
	r.known[id] = true
	r.order[r.oldest] = id
	r.oldest = (r.oldest + 1) % len(r.order)
	return true
}
