package site

import (
	"cmp"
	"context"
	"slices"

	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/fault"
	"octavo/internal/identifier"
	"octavo/internal/position"
)

// Position says where something goes: right before or right after something
// else of the same site. Without either it goes behind its siblings.
type Position struct{ Before, After string }

// anchor is what the position names, and on which side of it; empty for none.
func (p Position) anchor() (id string, before bool) {
	if p.Before != "" {
		return p.Before, true
	}
	return p.After, false
}

// Sort moves a site space, section or group. Sections and groups go among those
// that the position names, into another group if these are in one; site spaces
// go into the section of the other. It needs the role create. INVALID_POSITION
// for a position beside something that is not there, is of another kind or
// stands below the group that is moved.
func (s *Service) Sort(ctx context.Context, siteID, itemID string, to Position) (Item, error) {
	err := s.change(ctx, siteID, access.ScopeWrite, access.Create, func(ctx context.Context, locked *Site) (audit.Change, error) {
		done := audit.Change{Action: audit.SiteRearranged, After: map[string]any{"moved": itemID, "before": to.Before, "after": to.After}}
		seen, err := s.Structure(ctx, siteID)
		if err != nil {
			return done, err
		}
		if _, err := seen.Item(itemID); err != nil {
			return done, err
		}
		if to.Before != "" && to.After != "" {
			return done, fault.New(fault.InvalidPosition, "position: give before or after, not both")
		}
		if err := s.move(ctx, seen.rows, itemID, to); err != nil {
			return done, err
		}
		return done, s.settle(ctx, locked.Site)
	})
	if err != nil {
		return nil, err
	}
	arranged, err := s.Structure(ctx, siteID)
	if err != nil {
		return nil, err
	}
	return arranged.Item(itemID)
}

// Item returns a site space, section or group by its id; NOT_FOUND otherwise.
func (s *Structure) Item(id string) (Item, error) {
	switch prefix, _ := identifier.Split(id); prefix {
	case identifier.SiteSection:
		return s.Section(id)
	case identifier.SiteSectionGroup:
		return s.Group(id)
	}
	return s.SiteSpace(id)
}

func (s *Service) move(ctx context.Context, arranged *rows, id string, to Position) error {
	if prefix, _ := identifier.Split(id); prefix == identifier.SiteSpace {
		return s.moveSiteSpace(ctx, arranged, id, to)
	}
	return s.moveInTree(ctx, arranged, id, to)
}

// place is where something stands: below a parent, at a key.
type place struct {
	id, position string
	parent       *string
}

// siteSpacePlaces are the places of all site spaces: below their sections.
func (r *rows) siteSpacePlaces() []place {
	var places []place
	for _, row := range r.siteSpaces {
		places = append(places, place{row.ID, row.Position, row.SectionID})
	}
	return places
}

// treePlaces are the places of all sections and groups: below their groups.
func (r *rows) treePlaces() []place {
	var places []place
	for _, row := range r.groups {
		places = append(places, place{row.ID, row.Position, row.ParentID})
	}
	for _, row := range r.sections {
		places = append(places, place{row.ID, row.Position, row.GroupID})
	}
	return places
}

// find returns the place with the id.
func find(places []place, id string) (place, bool) {
	index := slices.IndexFunc(places, func(each place) bool { return each.id == id })
	if index < 0 {
		return place{}, false
	}
	return places[index], true
}

// below are the places below a parent, in order, but for one.
func siblings(places []place, parent *string, but string) []place {
	var found []place
	for _, each := range places {
		if equal(each.parent, parent) && each.id != but {
			found = append(found, each)
		}
	}
	slices.SortFunc(found, func(a, b place) int { return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(a.id, b.id)) })
	return found
}

// target is the place that a position means for something.
func target(places []place, id string, to Position) (place, error) {
	moved, _ := find(places, id)
	beside, before := to.anchor()
	if beside == "" {
		around := siblings(places, moved.parent, id)
		last := ""
		if len(around) > 0 {
			last = around[len(around)-1].position
		}
		return place{id, position.After(last), moved.parent}, nil
	}
	anchor, found := find(places, beside)
	if !found || beside == id {
		return place{}, fault.New(fault.InvalidPosition, "position: %s is nothing that it can stand beside", beside)
	}
	around := siblings(places, anchor.parent, id)
	index := slices.IndexFunc(around, func(each place) bool { return each.id == beside })
	if !before {
		index++
	}
	low, high := "", ""
	if index > 0 {
		low = around[index-1].position
	}
	if index < len(around) {
		high = around[index].position
	}
	return place{id, position.Between(low, high), anchor.parent}, nil
}

func (s *Service) moveSiteSpace(ctx context.Context, arranged *rows, id string, to Position) error {
	found, err := target(arranged.siteSpacePlaces(), id, to)
	if err != nil {
		return err
	}
	update := s.database.Client(ctx).SiteSpace.UpdateOneID(id).SetPosition(found.position)
	row := arranged.siteSpaces[slices.IndexFunc(arranged.siteSpaces, func(each *ent.SiteSpace) bool { return each.ID == id })]
	if !equal(row.SectionID, found.parent) {
		update.SetPath(arranged.freePathIn(found.parent, row.Path))
	}
	return assign(found.parent, update.SetSectionID, update.ClearSectionID).Exec(ctx)
}

// freePathIn is the path, numbered where it is taken in a section.
func (r *rows) freePathIn(section *string, path string) string {
	taken := map[string]bool{}
	for _, each := range r.inSection(section) {
		taken[each.Path] = true
	}
	if !taken[path] {
		return path
	}
	return freePath(path, taken)
}

func (s *Service) moveInTree(ctx context.Context, arranged *rows, id string, to Position) error {
	found, err := target(arranged.treePlaces(), id, to)
	if err != nil {
		return err
	}
	if !isSection(id) {
		if err := arranged.checkNesting(id, found.parent); err != nil {
			return err
		}
	}
	return s.putUp(ctx, id, found.parent, found.position)
}

func isSection(id string) bool {
	prefix, _ := identifier.Split(id)
	return prefix == identifier.SiteSection
}

// checkNesting refuses to put a group below itself or too deep. The id is empty
// for a group that is to be made.
func (r *rows) checkNesting(id string, parent *string) error {
	depth := 1 + r.height(id)
	for above := parent; above != nil; depth++ {
		if *above == id {
			return fault.New(fault.InvalidPosition, "position: a group cannot stand below itself")
		}
		index := r.groupIndex(*above)
		if index < 0 {
			return fault.Missing("section group")
		}
		above = r.groups[index].ParentID
	}
	if depth > maximumDepth {
		return fault.New(fault.LimitExceeded, "groups stand at most %d deep", maximumDepth)
	}
	return nil
}

// height is how deep the groups below a group stand.
func (r *rows) height(id string) int {
	tallest := 0
	for _, each := range r.groups {
		if id != "" && each.ParentID != nil && *each.ParentID == id {
			tallest = max(tallest, 1+r.height(each.ID))
		}
	}
	return tallest
}

func (r *rows) groupIndex(id string) int {
	return slices.IndexFunc(r.groups, func(each *ent.SiteSectionGroup) bool { return each.ID == id })
}

func (r *rows) sectionIndex(id string) int {
	return slices.IndexFunc(r.sections, func(each *ent.SiteSection) bool { return each.ID == id })
}
