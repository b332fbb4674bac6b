package site

import (
	"context"
	"strings"
	"unicode/utf8"

	"octavo/ent"
	"octavo/ent/sitesectiongroup"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/fault"
	"octavo/internal/pagination"
	"octavo/internal/position"
)

const maximumGroupTitle = 100

// NewGroup is a section group to be added.
type NewGroup struct {
	SiteID, Title string
	Icon          *string
	// SectionIDs are moved into it, in this order.
	SectionIDs []string
	// ParentID is the group to put it into; empty is the top of the site.
	ParentID string
}

// AddGroup adds a group at the end of its parent. It needs the role create.
// NOT_FOUND for a section or parent that is not of the site, LIMIT_EXCEEDED
// beyond 100 groups or 4 groups in each other.
func (s *Service) AddGroup(ctx context.Context, added NewGroup) (*Group, error) {
	if err := checkGroup(&added.Title, added.Icon); err != nil {
		return nil, err
	}
	var id string
	err := s.change(ctx, added.SiteID, access.ScopeWrite, access.Create, func(ctx context.Context, locked *Site) (audit.Change, error) {
		created, err := s.insertGroup(ctx, locked.Site, added)
		if err != nil {
			return audit.Change{}, err
		}
		id = created.ID
		return audit.Change{
			Action: audit.SiteSectionGroupAdded, SubjectID: id,
			After: map[string]any{"site": locked.ID, "title": added.Title, "sections": added.SectionIDs},
		}, s.settle(ctx, locked.Site)
	})
	if err != nil {
		return nil, err
	}
	return s.Group(ctx, id)
}

func checkGroup(title, icon *string) error {
	if title != nil {
		if length := utf8.RuneCountInString(strings.TrimSpace(*title)); length < 1 || length > maximumGroupTitle {
			return fault.Invalid("title", "1 to %d characters, got %d", maximumGroupTitle, length)
		}
	}
	return checkIcon(icon)
}

func (s *Service) insertGroup(ctx context.Context, site *ent.Site, added NewGroup) (*ent.SiteSectionGroup, error) {
	arranged, err := s.readOne(ctx, site.ID)
	if err != nil {
		return nil, err
	}
	if len(arranged.groups) >= maximumGroups {
		return nil, fault.New(fault.LimitExceeded, "a site has at most %d section groups", maximumGroups)
	}
	var parent *string
	if added.ParentID != "" {
		parent = &added.ParentID
	}
	if err := arranged.checkNesting("", parent); err != nil {
		return nil, err
	}
	created, err := s.database.Client(ctx).SiteSectionGroup.Create().
		SetOrganizationID(site.OrganizationID).SetSiteID(site.ID).SetNillableParentID(parent).
		SetTitle(added.Title).SetNillableIcon(unlessEmpty(added.Icon)).SetPosition(arranged.behind(parent)).Save(ctx)
	if err != nil {
		return nil, err
	}
	last := ""
	for _, id := range added.SectionIDs {
		last = position.After(last)
		if err := s.regroup(ctx, arranged, id, &created.ID, last); err != nil {
			return nil, err
		}
	}
	return created, nil
}

// regroup puts a section into a group, or out of any.
func (s *Service) regroup(ctx context.Context, arranged *rows, sectionID string, groupID *string, place string) error {
	if arranged.sectionIndex(sectionID) < 0 {
		return fault.Missing("section")
	}
	return s.putUp(ctx, sectionID, groupID, place)
}

// Group returns a group that the caller may see; NOT_FOUND otherwise.
func (s *Service) Group(ctx context.Context, id string) (*Group, error) {
	found, err := s.GroupsByID(ctx, []string{id})
	if err == nil && found[id] == nil {
		err = fault.Missing("section group")
	}
	return found[id], err
}

// GroupPage is a page of the groups.
func (s *Structure) GroupPage(arguments pagination.Arguments) (pagination.Page[*Group], error) {
	return pagination.Slice(arguments, "sectionGroups", s.Groups, func(each *Group) string { return each.ID })
}

// Above is the group that the group is in; nil at the top.
func (g *Group) Above() *Group { return g.Structure.groupOrNil(g.ParentID) }

func (s *Structure) groupOrNil(id *string) *Group {
	if id == nil {
		return nil
	}
	found, err := s.Group(*id)
	if err != nil {
		return nil
	}
	return found
}

// MoveGroup is Sort for a group.
func (s *Service) MoveGroup(ctx context.Context, id string, to Position) (*Group, error) {
	found, err := s.Group(ctx, id)
	if err != nil {
		return nil, err
	}
	if _, err := s.Sort(ctx, found.SiteID, id, to); err != nil {
		return nil, err
	}
	return s.Group(ctx, id)
}

// GroupsByID returns groups by their ids, for loaders.
func (s *Service) GroupsByID(ctx context.Context, ids []string) (map[string]*Group, error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return nil, err
	}
	rows, err := s.database.Client(ctx).SiteSectionGroup.Query().Where(sitesectiongroup.IDIn(ids...)).All(ctx)
	if err != nil {
		return nil, err
	}
	return within(ctx, s, rows, func(row *ent.SiteSectionGroup) (string, string) { return row.ID, row.SiteID }, (*Structure).Group)
}

// GroupChanges are changes of a group; nil leaves a setting as it is, an empty
// icon removes it.
type GroupChanges struct{ Title, Icon *string }

// UpdateGroup changes a group. It needs the role create.
func (s *Service) UpdateGroup(ctx context.Context, id string, changes GroupChanges) (*Group, error) {
	if err := checkGroup(changes.Title, changes.Icon); err != nil {
		return nil, err
	}
	err := s.changeGroup(ctx, id, func(ctx context.Context, _ *Site, found *Group) (audit.Change, error) {
		update := s.database.Client(ctx).SiteSectionGroup.UpdateOneID(id).SetNillableTitle(changes.Title)
		if changes.Icon != nil {
			assign(unlessEmpty(changes.Icon), update.SetIcon, update.ClearIcon)
		}
		return audit.Change{
			Action: audit.SiteSectionGroupUpdated, SubjectID: id,
			Before: map[string]any{"title": found.Title, "icon": found.Icon}, After: map[string]any{"title": changes.Title, "icon": changes.Icon},
		}, update.Exec(ctx)
	})
	if err != nil {
		return nil, err
	}
	return s.Group(ctx, id)
}

// changeGroup is change for a group, which is read after the lock was taken.
func (s *Service) changeGroup(ctx context.Context, id string, apply func(ctx context.Context, locked *Site, found *Group) (audit.Change, error)) error {
	found, err := s.Group(ctx, id)
	if err != nil {
		return err
	}
	return s.change(ctx, found.SiteID, access.ScopeWrite, access.Create, func(ctx context.Context, locked *Site) (audit.Change, error) {
		found, err := s.Group(ctx, id)
		if err != nil {
			return audit.Change{}, err
		}
		done, err := apply(ctx, locked, found)
		if err != nil {
			return done, err
		}
		return done, s.settle(ctx, locked.Site)
	})
}

// AddSectionToGroup moves a section of the site behind the others of a group. It
// needs the role create. NOT_FOUND for a section that is not of the site.
func (s *Service) AddSectionToGroup(ctx context.Context, id, sectionID string) (*Group, error) {
	err := s.changeGroup(ctx, id, func(ctx context.Context, _ *Site, found *Group) (audit.Change, error) {
		arranged := found.Structure.rows
		return audit.Change{
			Action: audit.SiteRearranged, SubjectID: id, After: map[string]any{"added": sectionID},
		}, s.regroup(ctx, arranged, sectionID, &id, arranged.behind(&id))
	})
	if err != nil {
		return nil, err
	}
	return s.Group(ctx, id)
}

// RemoveSectionFromGroup puts a section of a group to the end of the top of the
// site. It returns false when the group does not have it. It needs the role
// create.
func (s *Service) RemoveSectionFromGroup(ctx context.Context, id, sectionID string) (removed bool, err error) {
	if _, err := access.Allow(ctx, access.ScopeWrite); err != nil {
		return false, err
	}
	err = s.changeGroup(ctx, id, func(ctx context.Context, _ *Site, found *Group) (audit.Change, error) {
		for _, section := range found.Sections() {
			if section.ID == sectionID {
				removed = true
				arranged := found.Structure.rows
				return audit.Change{
					Action: audit.SiteRearranged, SubjectID: id, Before: map[string]any{"removed": sectionID},
				}, s.regroup(ctx, arranged, sectionID, nil, arranged.behind(nil))
			}
		}
		return audit.Change{}, nil
	})
	if fault.CodeOf(err) == fault.NotFound {
		return false, nil
	}
	return removed, err
}

// RemoveGroup removes a group. What it holds takes its place among its
// siblings. It returns false when there is no such group. It needs the role
// create.
func (s *Service) RemoveGroup(ctx context.Context, id string) (existed bool, err error) {
	if _, err := access.Allow(ctx, access.ScopeWrite); err != nil {
		return false, err
	}
	err = s.changeGroup(ctx, id, func(ctx context.Context, _ *Site, found *Group) (audit.Change, error) {
		existed = true
		return audit.Change{
			Action: audit.SiteSectionGroupRemoved, SubjectID: id, Before: map[string]any{"title": found.Title},
		}, s.dissolve(ctx, found)
	})
	if fault.CodeOf(err) == fault.NotFound {
		return false, nil
	}
	return existed, err
}

func (s *Service) dissolve(ctx context.Context, group *Group) error {
	places := group.Structure.rows.treePlaces()
	next := ""
	for _, each := range siblings(places, group.ParentID, group.ID) {
		if each.position > group.Position {
			next = each.position
			break
		}
	}
	client := s.database.Client(ctx)
	last := group.Position
	for _, child := range siblings(places, &group.ID, "") {
		last = position.Between(last, next)
		if err := s.putUp(ctx, child.id, group.ParentID, last); err != nil {
			return err
		}
	}
	_, err := client.SiteSectionGroup.Delete().Where(sitesectiongroup.ID(group.ID)).Exec(ctx)
	return err
}

// putUp puts a section or group below another parent.
func (s *Service) putUp(ctx context.Context, id string, parent *string, place string) error {
	client := s.database.Client(ctx)
	if isSection(id) {
		update := client.SiteSection.UpdateOneID(id).SetPosition(place)
		return assign(parent, update.SetGroupID, update.ClearGroupID).Exec(ctx)
	}
	update := client.SiteSectionGroup.UpdateOneID(id).SetPosition(place)
	return assign(parent, update.SetParentID, update.ClearParentID).Exec(ctx)
}
