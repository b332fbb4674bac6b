package site

import (
	"cmp"
	"context"
	"slices"

	"octavo/ent"
	"octavo/ent/sitesection"
	"octavo/ent/sitesectiongroup"
	"octavo/ent/sitespace"
	"octavo/internal/access"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/space"
)

// Limits of the structure of a site.
const (
	maximumSiteSpaces = 500
	maximumSections   = 200
	maximumGroups     = 100
	maximumDepth      = 4 // of groups in groups
)

// Item is a *SiteSpace, a *Section or a *Group.
type Item any

// Structure is how a site is arranged, as far as its reader may see: site
// spaces whose space they may not read, or which is deleted, are left out.
type Structure struct {
	Site *Site
	// Top is what stands at the top, in order: sections and groups, or site
	// spaces while the site has no sections.
	Top []Item
	// Groups, Sections and SiteSpaces are all there are, in the order of the
	// tree.
	Groups     []*Group
	Sections   []*Section
	SiteSpaces []*SiteSpace

	rows     *rows
	spaces   map[string]*space.Space
	shareKey string
	served   *served
}

// Group gathers sections and groups.
type Group struct {
	*ent.SiteSectionGroup
	Structure *Structure
	// Children are sections and groups, in order.
	Children []Item
}

// Section is a part of a site.
type Section struct {
	*ent.SiteSection
	Structure *Structure
	// SiteSpaces are its variants, in order.
	SiteSpaces []*SiteSpace
	// Default tells whether it is the one that visitors come to.
	Default bool
}

// SiteSpace is a space as a site shows it.
type SiteSpace struct { //nolint:revive // what the specification calls it
	*ent.SiteSpace
	Structure *Structure
	// Section is nil for those of a site without sections.
	Section *Section
	Space   *space.Space
	// Default tells whether it is the one that visitors come to, of its section
	// or of a site without sections.
	Default bool
}

// Type says what stands at the top. Groups without any section are not shown.
func (s *Structure) Type() enum.SiteStructureType {
	if len(s.rows.sections) == 0 {
		return enum.StructureSiteSpaces
	}
	return enum.StructureSections
}

// Sections of the group itself, in order.
func (g *Group) Sections() []*Section {
	var found []*Section
	for _, child := range g.Children {
		if section, is := child.(*Section); is {
			found = append(found, section)
		}
	}
	return found
}

// PublishedURL is where visitors read the section; nil while the site is not
// published. The default section stands at the address of the site.
func (s *Section) PublishedURL() *string {
	return below(s.Structure.PublishedURL(), s.segments()...)
}

func (s *Section) segments() []string {
	if s.Default {
		return nil
	}
	return []string{s.Path}
}

// PublishedURL is where visitors read the site space; nil while the site is not
// published. The default one stands at the address of its section.
func (s *SiteSpace) PublishedURL() *string {
	return below(s.Structure.PublishedURL(), s.path()...)
}

// path below the address of the site.
func (s *SiteSpace) path() []string {
	var segments []string
	if s.Section != nil {
		segments = s.Section.segments()
	}
	if !s.Default {
		segments = append(segments, s.Path)
	}
	return segments
}

// PublishedURL is that of the site, with the key that the structure was asked
// for with.
func (s *Structure) PublishedURL() *string { return s.Site.PublishedURL(s.shareKey) }

// rows are those of one site, in order.
type rows struct {
	groups     []*ent.SiteSectionGroup
	sections   []*ent.SiteSection
	siteSpaces []*ent.SiteSpace
}

// inSection are the site spaces of a section, or of a site without any.
func (r *rows) inSection(id *string) []*ent.SiteSpace {
	var found []*ent.SiteSpace
	for _, each := range r.siteSpaces {
		if equal(each.SectionID, id) {
			found = append(found, each)
		}
	}
	return found
}

func equal(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// read reads how sites are arranged, in three statements.
func (s *Service) read(ctx context.Context, siteIDs []string) (map[string]*rows, error) {
	found := make(map[string]*rows, len(siteIDs))
	for _, id := range siteIDs {
		found[id] = &rows{}
	}
	client := s.database.Client(ctx)
	groups, err := client.SiteSectionGroup.Query().Where(sitesectiongroup.SiteIDIn(siteIDs...)).
		Order(sitesectiongroup.ByPosition(), sitesectiongroup.ByID()).All(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range groups {
		found[row.SiteID].groups = append(found[row.SiteID].groups, row)
	}
	sections, err := client.SiteSection.Query().Where(sitesection.SiteIDIn(siteIDs...)).
		Order(sitesection.ByPosition(), sitesection.ByID()).All(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range sections {
		found[row.SiteID].sections = append(found[row.SiteID].sections, row)
	}
	siteSpaces, err := client.SiteSpace.Query().Where(sitespace.SiteIDIn(siteIDs...)).
		Order(sitespace.ByPosition(), sitespace.ByID()).All(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range siteSpaces {
		found[row.SiteID].siteSpaces = append(found[row.SiteID].siteSpaces, row)
	}
	return found, nil
}

func (s *Service) readOne(ctx context.Context, siteID string) (*rows, error) {
	found, err := s.read(ctx, []string{siteID})
	return found[siteID], err
}

// Structures returns how sites are arranged by their ids, for loaders, in five
// statements. Sites that the caller may not read are left out.
func (s *Service) Structures(ctx context.Context, siteIDs []string) (map[string]*Structure, error) {
	sites, err := s.ByID(ctx, siteIDs)
	if err != nil {
		return nil, err
	}
	return s.arrange(ctx, sites)
}

// Structure is Structures for one site; NOT_FOUND when the caller may not read
// it.
func (s *Service) Structure(ctx context.Context, siteID string) (*Structure, error) {
	found, err := s.Structures(ctx, []string{siteID})
	if err == nil && found[siteID] == nil {
		err = fault.Missing("site")
	}
	return found[siteID], err
}

func (s *Service) arrange(ctx context.Context, sites map[string]*Site) (map[string]*Structure, error) {
	ids := make([]string, 0, len(sites))
	for id := range sites {
		ids = append(ids, id)
	}
	read, err := s.read(ctx, ids)
	if err != nil {
		return nil, err
	}
	spaces, err := s.shown(ctx, read)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*Structure, len(sites))
	for id, site := range sites {
		found[id] = build(site, read[id], spaces, "")
	}
	if visitor := access.VisitorFrom(ctx); visitor != nil {
		for id := range found {
			found[id] = found[id].visitedBy(visitor)
		}
	}
	return found, nil
}

// shown are the spaces of sites that the caller may read.
func (s *Service) shown(ctx context.Context, read map[string]*rows) (map[string]*space.Space, error) {
	var ids []string
	for _, each := range read {
		for _, row := range each.siteSpaces {
			ids = append(ids, row.SpaceID)
		}
	}
	slices.Sort(ids)
	return s.spaces.ByID(ctx, slices.Compact(ids))
}

// build puts rows into their places.
func build(site *Site, read *rows, spaces map[string]*space.Space, shareKey string) *Structure {
	built := &Structure{Site: site, rows: read, spaces: spaces, shareKey: shareKey}
	sections := make(map[string]*Section, len(read.sections))
	for _, row := range read.sections {
		sections[row.ID] = &Section{SiteSection: row, Structure: built}
	}
	var rootless []*SiteSpace
	for _, row := range read.siteSpaces {
		shown := spaces[row.SpaceID]
		if shown == nil || shown.DeletedAt != nil || shown.OrganizationID != site.OrganizationID {
			continue
		}
		made := &SiteSpace{SiteSpace: row, Structure: built, Space: shown}
		if row.SectionID == nil {
			rootless = append(rootless, made)
			continue
		}
		if section := sections[*row.SectionID]; section != nil {
			made.Section = section
			section.SiteSpaces = append(section.SiteSpaces, made)
		}
	}
	for _, row := range read.sections {
		chooseDefault(sections[row.ID].SiteSpaces, row.DefaultSiteSpaceID)
	}
	chooseDefault(rootless, site.DefaultSiteSpaceID)
	built.Top = built.children(sections, nil)
	if built.Type() == enum.StructureSiteSpaces {
		built.SiteSpaces, built.Top = rootless, make([]Item, len(rootless))
		for index, each := range rootless {
			built.Top[index] = each
		}
	}
	built.chooseDefaultSection()
	return built
}

// children of a group, or of the site, in order; what is below is listed on the
// way.
func (s *Structure) children(sections map[string]*Section, parent *string) []Item {
	type place struct {
		position, id string
		group        *ent.SiteSectionGroup
		section      *Section
	}
	var places []place
	for _, row := range s.rows.groups {
		if equal(row.ParentID, parent) {
			places = append(places, place{position: row.Position, id: row.ID, group: row})
		}
	}
	for _, row := range s.rows.sections {
		if equal(row.GroupID, parent) {
			places = append(places, place{position: row.Position, id: row.ID, section: sections[row.ID]})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(a.id, b.id)) })
	var items []Item
	for _, each := range places {
		if each.section != nil {
			s.Sections = append(s.Sections, each.section)
			s.SiteSpaces = append(s.SiteSpaces, each.section.SiteSpaces...)
			items = append(items, each.section)
			continue
		}
		group := &Group{SiteSectionGroup: each.group, Structure: s}
		s.Groups = append(s.Groups, group)
		group.Children = s.children(sections, &each.group.ID)
		items = append(items, group)
	}
	return items
}

// chooseDefault marks the site space with the id, or else the first one.
func chooseDefault(siteSpaces []*SiteSpace, id *string) {
	index := slices.IndexFunc(siteSpaces, func(each *SiteSpace) bool { return id != nil && each.ID == *id })
	if len(siteSpaces) > 0 {
		siteSpaces[max(index, 0)].Default = true
	}
}

func (s *Structure) chooseDefaultSection() {
	id := s.Site.DefaultSectionID
	index := slices.IndexFunc(s.Sections, func(each *Section) bool { return id != nil && each.ID == *id })
	if len(s.Sections) > 0 {
		s.Sections[max(index, 0)].Default = true
	}
}

// WithShareKey is the structure with the addresses that a share link gives it.
func (s *Structure) WithShareKey(key string) *Structure {
	return s.derive(s.rows, key)
}

// derive builds a structure of some rows of this one.
func (s *Structure) derive(read *rows, shareKey string) *Structure {
	derived := build(s.Site, read, s.spaces, shareKey)
	derived.served = s.served
	return derived
}

// visitedBy is the structure as far as a visitor may see it.
func (s *Structure) visitedBy(visitor *access.Visitor) *Structure {
	left := s.Where(func(item Item) bool {
		switch item := item.(type) {
		case *Section:
			return visitor.Sections[item.ID]
		case *SiteSpace:
			return visitor.SiteSpaces[item.ID]
		}
		return false
	})
	if visitor.ShareKey != "" {
		return left.WithShareKey(visitor.ShareKey)
	}
	return left
}

// Where is the structure with what passes the condition, for one visitor. What
// is in a section or group that does not pass is gone too, and so are sections
// and groups without anything in them; defaults that are gone move to the first
// of what is left. keep is called with a *SiteSpace or a *Section.
func (s *Structure) Where(keep func(Item) bool) *Structure {
	left := &rows{}
	for _, section := range s.Sections {
		if !keep(section) {
			continue
		}
		before := len(left.siteSpaces)
		left.keep(section.SiteSpaces, keep)
		if len(left.siteSpaces) > before {
			left.sections = append(left.sections, section.SiteSection)
		}
	}
	for _, each := range s.Top {
		if siteSpace, is := each.(*SiteSpace); is {
			left.keep([]*SiteSpace{siteSpace}, keep)
		}
	}
	used := map[string]bool{}
	parents := map[string]*string{}
	for _, group := range s.Groups {
		parents[group.ID] = group.ParentID
	}
	for _, section := range left.sections {
		for id := section.GroupID; id != nil && !used[*id]; id = parents[*id] {
			used[*id] = true
		}
	}
	for _, group := range s.Groups {
		if used[group.ID] {
			left.groups = append(left.groups, group.SiteSectionGroup)
		}
	}
	return s.derive(left, s.shareKey)
}

func (r *rows) keep(siteSpaces []*SiteSpace, keep func(Item) bool) {
	for _, each := range siteSpaces {
		if keep(each) {
			r.siteSpaces = append(r.siteSpaces, each.SiteSpace)
		}
	}
}

// Group returns a group by its id; NOT_FOUND otherwise.
func (s *Structure) Group(id string) (*Group, error) {
	return among(s.Groups, id, "section group", func(each *Group) string { return each.ID })
}

// Section returns a section by its id; NOT_FOUND otherwise.
func (s *Structure) Section(id string) (*Section, error) {
	return among(s.Sections, id, "section", func(each *Section) string { return each.ID })
}

// SiteSpace returns a site space by its id; NOT_FOUND otherwise.
func (s *Structure) SiteSpace(id string) (*SiteSpace, error) {
	return among(s.SiteSpaces, id, "site space", func(each *SiteSpace) string { return each.ID })
}

func among[T any](items []T, id, what string, idOf func(T) string) (T, error) {
	index := slices.IndexFunc(items, func(each T) bool { return idOf(each) == id })
	if index < 0 {
		var none T
		return none, fault.Missing(what)
	}
	return items[index], nil
}

// settle gives the site and its sections the defaults that they lack, after its
// structure has changed, and counts its site spaces.
func (s *Service) settle(ctx context.Context, site *ent.Site) error {
	read, err := s.readOne(ctx, site.ID)
	if err != nil {
		return err
	}
	client := s.database.Client(ctx)
	site, err = client.Site.Get(ctx, site.ID)
	if err != nil {
		return err
	}
	for _, section := range read.sections {
		wanted := validDefault(read.inSection(&section.ID), section.DefaultSiteSpaceID)
		if equal(wanted, section.DefaultSiteSpaceID) {
			continue
		}
		update := client.SiteSection.UpdateOne(section)
		if err := assign(wanted, update.SetDefaultSiteSpaceID, update.ClearDefaultSiteSpaceID).Exec(ctx); err != nil {
			return err
		}
	}
	update := client.Site.UpdateOne(site).SetSiteSpaceCount(len(read.siteSpaces))
	assign(validDefault(read.inSection(nil), site.DefaultSiteSpaceID), update.SetDefaultSiteSpaceID, update.ClearDefaultSiteSpaceID)
	assign(validSection(read, site.DefaultSectionID), update.SetDefaultSectionID, update.ClearDefaultSectionID)
	return update.Exec(ctx)
}

// assign sets a column that may be null.
func assign[Update any](value *string, set func(string) Update, unset func() Update) Update {
	if value == nil {
		return unset()
	}
	return set(*value)
}

func validDefault(siteSpaces []*ent.SiteSpace, id *string) *string {
	for _, each := range siteSpaces {
		if id != nil && each.ID == *id {
			return id
		}
	}
	if len(siteSpaces) == 0 {
		return nil
	}
	return &siteSpaces[0].ID
}

// validSection is the id of the section that is the default: the given one, or
// else the first in the order of the tree.
func validSection(read *rows, id *string) *string {
	ordered := build(&Site{Site: &ent.Site{}}, read, nil, "").Sections
	for _, each := range ordered {
		if id != nil && each.ID == *id {
			return id
		}
	}
	if len(ordered) == 0 {
		return nil
	}
	return &ordered[0].ID
}

// Of is the site that it belongs to.
func (s *SiteSpace) Of() *Site { return s.Structure.Site }

// Of is the site that it belongs to.
func (s *Section) Of() *Site { return s.Structure.Site }

// Of is the site that it belongs to.
func (g *Group) Of() *Site { return g.Structure.Site }

// Of is the site that it belongs to.
func (l *ShareLink) Of() *Site { return l.Site }
