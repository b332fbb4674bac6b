package site

import (
	"context"
	"regexp"
	"slices"
	"unicode/utf8"

	"octavo/ent"
	"octavo/ent/sitespace"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/fault"
	"octavo/internal/pagination"
)

// NewSiteSpace is a space to be shown on a site.
type NewSiteSpace struct {
	SiteID, SpaceID string
	// SectionID is empty for the default section, or for a site without
	// sections.
	SectionID string
}

// AddSpace shows a space on a site, behind the others of its section; the first
// one is the default. Its path is made of its title. It needs the role create in
// the organization and in the space. LIMIT_EXCEEDED beyond 500.
func (s *Service) AddSpace(ctx context.Context, added NewSiteSpace) (*SiteSpace, error) {
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
			done := audit.Change{Action: audit.SiteSpaceAdded}
			arranged, err := s.readOne(ctx, locked.ID)
			if err != nil {
				return done, err
			}
			section, err := arranged.sectionFor(locked, added.SectionID)
			if err != nil {
				return done, err
			}
			created, err := s.place(ctx, locked.Site, arranged, section, shown[0])
			if err != nil {
				return done, err
			}
			id = created.ID
			done.SubjectID, done.After = id, map[string]any{"site": locked.ID, "space": added.SpaceID, "section": section}
			return done, s.settle(ctx, locked.Site)
		})
	})
	if err != nil {
		return nil, err
	}
	return s.SiteSpace(ctx, id)
}

// sectionFor is the id of the section with the given id, or of the default one.
func (r *rows) sectionFor(site *Site, id string) (*string, error) {
	if id == "" {
		return validSection(r, site.DefaultSectionID), nil
	}
	if r.sectionIndex(id) < 0 {
		return nil, fault.Missing("section")
	}
	return &id, nil
}

// SiteSpace returns a site space that the caller may see; NOT_FOUND otherwise.
func (s *Service) SiteSpace(ctx context.Context, id string) (*SiteSpace, error) {
	found, err := s.SiteSpacesByID(ctx, []string{id})
	if err == nil && found[id] == nil {
		err = fault.Missing("site space")
	}
	return found[id], err
}

// SiteSpacePage is a page of the site spaces; with a choice only of those that
// are defaults, or only of others.
func (s *Structure) SiteSpacePage(chosen *bool, arguments pagination.Arguments) (pagination.Page[*SiteSpace], error) {
	items := s.SiteSpaces
	if chosen != nil {
		items = slices.DeleteFunc(slices.Clone(items), func(each *SiteSpace) bool { return each.Default != *chosen })
	}
	return pagination.Slice(arguments, "siteSpaces", items, func(each *SiteSpace) string { return each.ID })
}

// MoveSiteSpace is Sort for a site space.
func (s *Service) MoveSiteSpace(ctx context.Context, id string, to Position) (*SiteSpace, error) {
	found, err := s.SiteSpace(ctx, id)
	if err != nil {
		return nil, err
	}
	if _, err := s.Sort(ctx, found.SiteID, id, to); err != nil {
		return nil, err
	}
	return s.SiteSpace(ctx, id)
}

// SiteSpacesByID returns site spaces by their ids, for loaders.
func (s *Service) SiteSpacesByID(ctx context.Context, ids []string) (map[string]*SiteSpace, error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return nil, err
	}
	rows, err := s.database.Client(ctx).SiteSpace.Query().Where(sitespace.IDIn(ids...)).All(ctx)
	if err != nil {
		return nil, err
	}
	return within(ctx, s, rows, func(row *ent.SiteSpace) (string, string) { return row.ID, row.SiteID }, (*Structure).SiteSpace)
}

// within finds items in the structures of their sites.
func within[Row, T any](ctx context.Context, s *Service, rows []Row, ids func(Row) (id, siteID string), find func(*Structure, string) (*T, error)) (map[string]*T, error) {
	sites := map[string]bool{}
	for _, row := range rows {
		_, siteID := ids(row)
		sites[siteID] = true
	}
	siteIDs := make([]string, 0, len(sites))
	for id := range sites {
		siteIDs = append(siteIDs, id)
	}
	structures, err := s.Structures(ctx, siteIDs)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*T, len(rows))
	for _, row := range rows {
		id, siteID := ids(row)
		if structures[siteID] == nil {
			continue
		}
		if item, err := find(structures[siteID], id); err == nil {
			found[id] = item
		}
	}
	return found, nil
}

// SiteSpaceChanges are changes of a site space; nil leaves a setting as it is.
type SiteSpaceChanges struct { //nolint:revive // what the specification calls it
	Path *string
	// Condition is empty to remove it.
	Condition *string
	// SpaceID is the space to show instead.
	SpaceID *string
}

// UpdateSiteSpace changes how a site shows a space. It needs the role create,
// and to show another space also in that.
func (s *Service) UpdateSiteSpace(ctx context.Context, id string, changes SiteSpaceChanges) (*SiteSpace, error) {
	if err := changes.validate(); err != nil {
		return nil, err
	}
	found, err := s.SiteSpace(ctx, id)
	if err != nil {
		return nil, err
	}
	err = s.database.Write(ctx, func(ctx context.Context) error {
		if changes.SpaceID != nil {
			if _, err := s.require(ctx, found.SiteID, access.ScopeWrite, access.Create); err != nil {
				return err
			}
			if _, err := s.lockSpaces(ctx, found.OrganizationID, []string{*changes.SpaceID}); err != nil {
				return err
			}
		}
		return s.change(ctx, found.SiteID, access.ScopeWrite, access.Create, func(ctx context.Context, _ *Site) (audit.Change, error) {
			return s.updateSiteSpace(ctx, id, changes)
		})
	})
	if err != nil {
		return nil, err
	}
	return s.SiteSpace(ctx, id)
}

func (s *Service) updateSiteSpace(ctx context.Context, id string, changes SiteSpaceChanges) (audit.Change, error) {
	done := audit.Change{Action: audit.SiteSpaceUpdated, SubjectID: id, After: map[string]any{}}
	found, err := s.SiteSpace(ctx, id)
	if err != nil {
		return done, err
	}
	update := s.database.Client(ctx).SiteSpace.UpdateOneID(id).SetNillableSpaceID(changes.SpaceID)
	if changes.SpaceID != nil {
		done.After["space"] = *changes.SpaceID
	}
	if changes.Path != nil && *changes.Path != found.Path {
		for _, sibling := range found.Structure.rows.inSection(found.SectionID) {
			if sibling.Path == *changes.Path {
				return done, fault.New(fault.Conflict, "path: another site space beside it has the path %s", *changes.Path)
			}
		}
		update.SetPath(*changes.Path)
		done.After["path"] = *changes.Path
	}
	if changes.Condition != nil {
		done.After["condition"] = *changes.Condition
		assign(unlessEmpty(changes.Condition), update.SetCondition, update.ClearCondition)
	}
	return done, update.Exec(ctx)
}

func (c SiteSpaceChanges) validate() error {
	if err := checkPath(c.Path); err != nil {
		return err
	}
	return checkCondition(c.Condition)
}

// pathPattern: what needs no escaping in an address but for letters of other
// scripts. A leading tilde is for the reader's own pages.
var pathPattern = regexp.MustCompile(`^[\p{L}\p{M}\p{N}._-][\p{L}\p{M}\p{N}._~-]*$`)

func checkPath(path *string) error {
	if path == nil {
		return nil
	}
	if length := utf8.RuneCountInString(*path); length < 1 || length > maximumPath {
		return fault.Invalid("path", "1 to %d characters, got %d", maximumPath, length)
	}
	if *path == "." || *path == ".." || !pathPattern.MatchString(*path) {
		return fault.Invalid("path", "%q is not one segment of letters, digits, hyphens, dots and underscores", *path)
	}
	return nil
}

// RemoveSpace takes a space off a site. It returns false when there is no such
// site space. It needs the role create.
func (s *Service) RemoveSpace(ctx context.Context, id string) (existed bool, err error) {
	if _, err := access.Allow(ctx, access.ScopeWrite); err != nil {
		return false, err
	}
	found, err := s.SiteSpace(ctx, id)
	if fault.CodeOf(err) == fault.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = s.change(ctx, found.SiteID, access.ScopeWrite, access.Create, func(ctx context.Context, locked *Site) (audit.Change, error) {
		done := audit.Change{Action: audit.SiteSpaceRemoved, SubjectID: id, Before: map[string]any{"site": locked.ID, "space": found.SpaceID}}
		removed, err := s.database.Client(ctx).SiteSpace.Delete().Where(sitespace.ID(id)).Exec(ctx)
		if err != nil || removed == 0 {
			return audit.Change{}, err
		}
		existed = true
		return done, s.settle(ctx, locked.Site)
	})
	return existed, err
}
