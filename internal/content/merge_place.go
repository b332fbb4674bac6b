package content

import "slices"

// breakCycles moves pages back where the sides together made a page stand
// below itself.
func (p *pageMerge) breakCycles() error {
	fixed := map[string]bool{}
	for {
		cycle := p.findCycle()
		if cycle == nil {
			return nil
		}
		if err := p.breakCycle(cycle, fixed); err != nil {
			return err
		}
	}
}

// findCycle returns pages of which each stands below the next and the last
// below the first, nil when there are none.
func (p *pageMerge) findCycle() []string {
	const visiting, done = 1, 2
	state := make(map[string]int, len(p.parents))
	for _, start := range p.order {
		var trail []string
		id := start
		for id != "" && state[id] == 0 {
			state[id] = visiting
			trail = append(trail, id)
			id = p.parents[id]
		}
		if id != "" && state[id] == visiting {
			return trail[slices.Index(trail, id):]
		}
		for _, visited := range trail {
			state[visited] = done
		}
	}
	return nil
}

// breakCycle undoes what one side moved. fixed holds the pages that were moved
// back before: they stay, so that the search for cycles ends.
func (p *pageMerge) breakCycle(cycle []string, fixed map[string]bool) error {
	choice := ChooseOurs
	conflict, isConflict := p.cycleConflict(cycle)
	if isConflict {
		settled, err := p.settle(conflict)
		if err != nil {
			return err
		}
		choice = settled.choice
	}
	undone := false
	for _, id := range cycle {
		found := p.versions[id]
		side := pick(choice, nil, found.ours, found.theirs, nil)
		if side == nil || fixed[id] || side.Parent == p.parents[id] {
			continue
		}
		fixed[id], undone = true, true
		p.setParent(id, side.Parent)
	}
	if !undone {
		fixed[cycle[0]] = true
		p.setParent(cycle[0], "")
	}
	return nil
}

// cycleConflict describes a cycle by the page that theirs moved; of several,
// the one with the smallest id.
func (p *pageMerge) cycleConflict(cycle []string) (Conflict, bool) {
	for _, id := range slices.Sorted(slices.Values(cycle)) {
		found := p.versions[id]
		if found.ours == nil || found.theirs == nil || found.ours.Parent == p.parents[id] {
			continue
		}
		conflict := Conflict{
			Kind: ConflictCycle, Page: id, Field: "parent",
			Ours: found.ours.Parent, Theirs: found.theirs.Parent, Choices: sideChoices,
		}
		if found.base != nil {
			conflict.Base = found.base.Parent
		}
		return conflict, true
	}
	return Conflict{}, false
}

func (p *pageMerge) setParent(id, parent string) {
	p.parents[id] = parent
	page := p.pages[id]
	if page == nil || page.Parent == parent {
		return
	}
	changed := *page
	changed.Parent = parent
	p.pages[id] = &changed
}

// settleParents gives every page that stays a page above it that stays too. A
// page above that was deleted comes back when the page below was kept by a
// conflict; otherwise the deletion is a conflict of its own, and the page below
// moves up when it is not undone.
func (p *pageMerge) settleParents() error {
	// A page that comes back needs a page above it too, and may stand before
	// the page that it came back for.
	for settled := false; !settled; {
		settled = true
		for _, id := range p.order {
			for p.pages[id] != nil && !p.parentStands(p.parents[id]) {
				settled = false
				if err := p.settleParent(id); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (p *pageMerge) parentStands(parent string) bool {
	return parent == "" || p.pages[parent] != nil && holdsPages(p.pages[parent].Type)
}

// settleParent brings back the page above, or moves the page one up.
func (p *pageMerge) settleParent(id string) error {
	parent := p.parents[id]
	found := p.versions[parent]
	if p.pages[parent] == nil && !p.dropped[parent] && found.base != nil {
		restored, err := p.restoredParent(id, parent, found)
		if err != nil {
			return err
		}
		if restored != nil {
			p.pages[parent] = restored
			p.setParent(parent, p.parents[parent])
			return nil
		}
		p.dropped[parent] = true
	}
	p.setParent(id, p.parents[parent])
	return nil
}

// restoredParent returns the deleted page above when it comes back.
func (p *pageMerge) restoredParent(id, parent string, found versions[Page]) (*Page, error) {
	if p.kept[id] {
		p.kept[parent] = true
		if found.ours != nil {
			return found.ours, nil
		}
		if found.theirs != nil {
			return found.theirs, nil
		}
		return found.base, nil
	}
	if found.ours == nil && found.theirs == nil {
		return nil, nil
	}
	return settleDeletion(p.merger, Conflict{Page: parent, Field: "children"}, found)
}

// arrange returns the pages in the order of a tree.
func (p *pageMerge) arrange() ([]*Page, error) {
	members := map[string][]string{}
	for _, id := range p.order {
		if p.pages[id] != nil {
			members[p.parents[id]] = append(members[p.parents[id]], id)
		}
	}
	base, ours, theirs := childIDs(p.base.Pages), childIDs(p.ours.Pages), childIDs(p.theirs.Pages)
	arranged := make([]*Page, 0, len(p.pages))
	var descend func(parent string) error
	descend = func(parent string) error {
		children, err := p.orderChildren(parent, members[parent], base[parent], ours[parent], theirs[parent])
		if err != nil {
			return err
		}
		for _, id := range children {
			arranged = append(arranged, p.pages[id])
			if err := descend(id); err != nil {
				return err
			}
		}
		return nil
	}
	return arranged, descend("")
}

// childIDs returns the ids of the pages below each page, in order.
func childIDs(pages []*Page) map[string][]string {
	children := map[string][]string{}
	for _, page := range pages {
		children[page.Parent] = append(children[page.Parent], page.ID)
	}
	return children
}

// orderChildren orders the pages below parent, given as they stand there in
// the three trees; members are those that stand there now.
func (p *pageMerge) orderChildren(parent string, members, base, ours, theirs []string) ([]string, error) {
	if len(members) < 2 {
		return members, nil
	}
	if len(members) == len(base) && slices.Equal(base, ours) && slices.Equal(base, theirs) {
		return base, nil
	}
	wanted := setOf(members)
	order, agreed := mergeOrder(base, ours, theirs, wanted)
	if !agreed {
		chosen, err := p.settleOrder(parent, base, ours, theirs, wanted)
		if err != nil {
			return nil, err
		}
		order = chosen
	}
	// What stands below another page in both sides has come here for want of
	// its own place: it goes last.
	placed := setOf(order)
	for _, id := range members {
		if !placed[id] {
			order = append(order, id)
		}
	}
	return order, nil
}

func (p *pageMerge) settleOrder(parent string, base, ours, theirs []string, members map[string]bool) ([]string, error) {
	settled, err := p.settle(Conflict{
		Kind: ConflictOrder, Page: parent, Field: "order",
		Base: base, Ours: ours, Theirs: theirs, Choices: plainChoices,
	})
	if err != nil {
		return nil, err
	}
	switch settled.choice {
	case ChooseTheirs:
		order, _ := mergeOrder(ours, ours, theirs, members)
		return order, nil
	case ChooseBase:
		order, _ := mergeOrder(ours, filter(base, func(id string) bool { return members[id] }), ours, members)
		order, _ = mergeOrder(theirs, order, theirs, members)
		return order, nil
	}
	order, _ := mergeOrder(theirs, ours, theirs, members)
	return order, nil
}
