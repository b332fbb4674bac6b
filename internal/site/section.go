package site

import (
	"context"
	"unicode/utf8"

	"octavo/ent"
	"octavo/ent/sitesection"
	"octavo/ent/sitespace"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/fault"
	"octavo/internal/pagination"
	"octavo/internal/position"
	"octavo/internal/space"
)

const (
	maximumIcon        = 50
	maximumDescription = 256
)

// NewSection is a section to be added.
type NewSection struct {
	SiteID, SpaceID string
	// Title is empty for that of the space.
	Title string
	Icon  *string
}

// AddSection adds a section with one site space at the end of a site. The first
// section of a site comes after another one that takes the site spaces which
// the site has; it bears the title of the site. It needs the role create in the
// organization and in the space. LIMIT_EXCEEDED beyond 200.
func (s *Service) AddSection(ctx context.Context, added NewSection) (*Section, error) {
	if err := added.validate(); err != nil {
		return nil, err
	}
	site, err := s.require(ctx, added.SiteID, access.ScopeWrite, access.Create)
	if err != nil {
		return nil, err
	}
	var id string
	err = s.database.Write(ctx, func(ctx context.Context) error {
		shown, err := s.lockSpaces(ctx, site.OrganizationID, []string{added.SpaceID})
		if err != nil {
			return err
		}
		return s.change(ctx, added.SiteID, access.ScopeWrite, access.Create, func(ctx context.Context, locked *Site) (audit.Change, error) {
			created, err := s.insertSection(ctx, locked.Site, added, shown[0])
			if err != nil {
				return audit.Change{}, err
			}
			id = created.ID
			return audit.Change{
				Action: audit.SiteSectionAdded, SubjectID: id, After: map[string]any{"site": locked.ID, "title": created.Title, "space": added.SpaceID},
			}, s.settle(ctx, locked.Site)
		})
	})
	if err != nil {
		return nil, err
	}
	return s.Section(ctx, id)
}

func (n NewSection) validate() error {
	if n.Title != "" {
		if err := checkTitle(n.Title); err != nil {
			return err
		}
	}
	return checkIcon(n.Icon)
}

func checkIcon(icon *string) error {
	if icon == nil {
		return nil
	}
	if length := utf8.RuneCountInString(*icon); length > maximumIcon {
		return fault.Invalid("icon", "at most %d characters, got %d", maximumIcon, length)
	}
	return nil
}

func (s *Service) insertSection(ctx context.Context, site *ent.Site, added NewSection, shown *space.Space) (*ent.SiteSection, error) {
	arranged, err := s.readOne(ctx, site.ID)
	if err != nil {
		return nil, err
	}
	if len(arranged.sections) == 0 && len(arranged.siteSpaces) > 0 {
		if err := s.gather(ctx, site, arranged); err != nil {
			return nil, err
		}
	}
	title := added.Title
	if title == "" {
		title = titleOf([]*space.Space{shown}, untitled)
	}
	created, err := s.appendSection(ctx, site, arranged, title, added.Icon)
	if err != nil {
		return nil, err
	}
	_, err = s.place(ctx, site, arranged, &created.ID, shown)
	return created, err
}

// gather puts the site spaces of a site without sections into its first one.
func (s *Service) gather(ctx context.Context, site *ent.Site, arranged *rows) error {
	first, err := s.appendSection(ctx, site, arranged, site.Title, nil)
	if err != nil {
		return err
	}
	client := s.database.Client(ctx)
	if err := client.SiteSpace.Update().Where(sitespace.SiteID(site.ID)).SetSectionID(first.ID).Exec(ctx); err != nil {
		return err
	}
	for _, each := range arranged.siteSpaces {
		each.SectionID = &first.ID
	}
	return client.SiteSection.UpdateOne(first).SetNillableDefaultSiteSpaceID(site.DefaultSiteSpaceID).Exec(ctx)
}

// appendSection adds a section behind everything at the top.
func (s *Service) appendSection(ctx context.Context, site *ent.Site, arranged *rows, title string, icon *string) (*ent.SiteSection, error) {
	if len(arranged.sections) >= maximumSections {
		return nil, fault.New(fault.LimitExceeded, "a site has at most %d sections", maximumSections)
	}
	taken := map[string]bool{}
	for _, each := range arranged.sections {
		taken[each.Path] = true
	}
	created, err := s.database.Client(ctx).SiteSection.Create().
		SetOrganizationID(site.OrganizationID).SetSiteID(site.ID).SetTitle(title).SetNillableIcon(unlessEmpty(icon)).
		SetPath(freePath(title, taken)).SetPosition(arranged.behind(nil)).Save(ctx)
	if err != nil {
		return nil, err
	}
	arranged.sections = append(arranged.sections, created)
	return created, nil
}

// behind is the key of something behind all sections and groups below a parent.
func (r *rows) behind(parent *string) string {
	around := siblings(r.treePlaces(), parent, "")
	if len(around) == 0 {
		return position.After("")
	}
	return position.After(around[len(around)-1].position)
}

func unlessEmpty(text *string) *string {
	if text == nil || *text == "" {
		return nil
	}
	return text
}

// Section returns a section that the caller may see; NOT_FOUND otherwise.
func (s *Service) Section(ctx context.Context, id string) (*Section, error) {
	found, err := s.SectionsByID(ctx, []string{id})
	if err == nil && found[id] == nil {
		err = fault.Missing("section")
	}
	return found[id], err
}

// SectionPage is a page of the sections.
func (s *Structure) SectionPage(arguments pagination.Arguments) (pagination.Page[*Section], error) {
	return pagination.Slice(arguments, "sections", s.Sections, func(each *Section) string { return each.ID })
}

// Above is the group that the section is in; nil at the top.
func (s *Section) Above() *Group { return s.Structure.groupOrNil(s.GroupID) }

// MoveSection is Sort for a section.
func (s *Service) MoveSection(ctx context.Context, id string, to Position) (*Section, error) {
	found, err := s.Section(ctx, id)
	if err != nil {
		return nil, err
	}
	if _, err := s.Sort(ctx, found.SiteID, id, to); err != nil {
		return nil, err
	}
	return s.Section(ctx, id)
}

// SectionsByID returns sections by their ids, for loaders.
func (s *Service) SectionsByID(ctx context.Context, ids []string) (map[string]*Section, error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return nil, err
	}
	rows, err := s.database.Client(ctx).SiteSection.Query().Where(sitesection.IDIn(ids...)).All(ctx)
	if err != nil {
		return nil, err
	}
	return within(ctx, s, rows, func(row *ent.SiteSection) (string, string) { return row.ID, row.SiteID }, (*Structure).Section)
}

// SectionChanges are changes of a section; nil leaves a setting as it is, an
// empty text removes one that is not required.
type SectionChanges struct {
	Title, Path, Condition, Icon, Description *string
	// DefaultSiteSpaceID is the site space of the section that visitors come
	// to.
	DefaultSiteSpaceID *string
}

// UpdateSection changes a section. It needs the role create.
func (s *Service) UpdateSection(ctx context.Context, id string, changes SectionChanges) (*Section, error) {
	if err := changes.validate(); err != nil {
		return nil, err
	}
	found, err := s.Section(ctx, id)
	if err != nil {
		return nil, err
	}
	err = s.change(ctx, found.SiteID, access.ScopeWrite, access.Create, func(ctx context.Context, _ *Site) (audit.Change, error) {
		return s.updateSection(ctx, id, changes)
	})
	if err != nil {
		return nil, err
	}
	return s.Section(ctx, id)
}

func (c SectionChanges) validate() error {
	if c.Title != nil {
		if err := checkTitle(*c.Title); err != nil {
			return err
		}
	}
	if c.Description != nil {
		if length := utf8.RuneCountInString(*c.Description); length > maximumDescription {
			return fault.Invalid("description", "at most %d characters, got %d", maximumDescription, length)
		}
	}
	if err := checkIcon(c.Icon); err != nil {
		return err
	}
	if err := checkPath(c.Path); err != nil {
		return err
	}
	return checkCondition(c.Condition)
}

func (s *Service) updateSection(ctx context.Context, id string, changes SectionChanges) (audit.Change, error) {
	done := audit.Change{Action: audit.SiteSectionUpdated, SubjectID: id, After: map[string]any{}}
	found, err := s.Section(ctx, id)
	if err != nil {
		return done, err
	}
	if changes.DefaultSiteSpaceID != nil {
		if _, err := among(found.SiteSpaces, *changes.DefaultSiteSpaceID, "site space", func(each *SiteSpace) string { return each.ID }); err != nil {
			return done, err
		}
	}
	if changes.Path != nil {
		for _, other := range found.Structure.rows.sections {
			if other.Path == *changes.Path && other.ID != id {
				return done, fault.New(fault.Conflict, "path: another section of the site has the path %s", *changes.Path)
			}
		}
	}
	update := s.database.Client(ctx).SiteSection.UpdateOneID(id).
		SetNillableTitle(changes.Title).SetNillablePath(changes.Path).SetNillableDefaultSiteSpaceID(changes.DefaultSiteSpaceID)
	for name, value := range map[string]*string{
		"title": changes.Title, "path": changes.Path, "defaultSiteSpace": changes.DefaultSiteSpaceID,
		"condition": changes.Condition, "icon": changes.Icon, "description": changes.Description,
	} {
		if value != nil {
			done.After[name] = *value
		}
	}
	changes.setOptional(update)
	return done, update.Exec(ctx)
}

// setOptional sets what may be removed.
func (c SectionChanges) setOptional(update *ent.SiteSectionUpdateOne) {
	if c.Condition != nil {
		assign(unlessEmpty(c.Condition), update.SetCondition, update.ClearCondition)
	}
	if c.Icon != nil {
		assign(unlessEmpty(c.Icon), update.SetIcon, update.ClearIcon)
	}
	if c.Description != nil {
		assign(unlessEmpty(c.Description), update.SetDescription, update.ClearDescription)
	}
}

// RemoveSection removes a section with its site spaces; the spaces stay. With
// the last section of a site its site spaces go to the top instead. It returns
// false when there is no such section. It needs the role create.
func (s *Service) RemoveSection(ctx context.Context, id string) (existed bool, err error) {
	if _, err := access.Allow(ctx, access.ScopeWrite); err != nil {
		return false, err
	}
	found, err := s.Section(ctx, id)
	if fault.CodeOf(err) == fault.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = s.change(ctx, found.SiteID, access.ScopeWrite, access.Create, func(ctx context.Context, locked *Site) (audit.Change, error) {
		arranged, err := s.readOne(ctx, locked.ID)
		if err != nil || arranged.sectionIndex(id) < 0 {
			return audit.Change{}, err
		}
		existed = true
		if err := s.removeSection(ctx, locked.Site, arranged, id); err != nil {
			return audit.Change{}, err
		}
		return audit.Change{
			Action: audit.SiteSectionRemoved, SubjectID: id, Before: map[string]any{"site": locked.ID, "title": found.Title},
		}, s.settle(ctx, locked.Site)
	})
	return existed, err
}

func (s *Service) removeSection(ctx context.Context, site *ent.Site, arranged *rows, id string) error {
	client := s.database.Client(ctx)
	if len(arranged.sections) == 1 {
		if err := client.SiteSpace.Update().Where(sitespace.SectionID(id)).ClearSectionID().Exec(ctx); err != nil {
			return err
		}
		kept := arranged.sections[0].DefaultSiteSpaceID
		if kept != nil {
			if err := client.Site.UpdateOne(site).SetDefaultSiteSpaceID(*kept).Exec(ctx); err != nil {
				return err
			}
		}
	}
	_, err := client.SiteSection.Delete().Where(sitesection.ID(id)).Exec(ctx)
	return err
}
