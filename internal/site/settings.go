package site

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"octavo/ent"
	entorganization "octavo/ent/organization"
	"octavo/ent/site"
	"octavo/internal/access"
	"octavo/internal/address"
	"octavo/internal/audit"
	"octavo/internal/enum"
	"octavo/internal/fault"
)

const maximumHostname = 512

var (
	// hostnamePattern: three or more labels.
	hostnamePattern = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.]){2,}[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$`)
	// proxyPattern: a host name and at least two segments of a path.
	proxyPattern = regexp.MustCompile(`^([\w-]+\.)*[\w-]+\.[a-zA-Z]{2,}(/[\w-]+){2,}$`)
)

// Changes to the settings of a site; nil leaves a setting as it is.
type Changes struct {
	Title           *string
	Visibility      *enum.SiteVisibility
	Basename        *string
	AdaptiveContent *bool
	AgentsContext   *enum.AgentsContext
	// DefaultSiteSpaceID is one at the top, or of the default section.
	DefaultSiteSpaceID *string
	DefaultSectionID   *string
	// Proxy is a host name and path; empty removes it.
	Proxy *string
	// Hostname of its own; empty removes it.
	Hostname *string
}

// Update changes the settings of a site. It needs the role create. CONFLICT for
// a basename, host name or proxy that another site of the server has.
func (s *Service) Update(ctx context.Context, id string, changes Changes) (*Site, error) {
	if err := changes.validate(); err != nil {
		return nil, err
	}
	err := s.change(ctx, id, access.ScopeWrite, access.Create, func(ctx context.Context, locked *Site) (audit.Change, error) {
		before, after := changes.difference(locked.Site)
		done := audit.Change{Action: audit.SiteUpdated, Before: before, After: after}
		if err := s.chooseDefaults(ctx, locked, changes); err != nil {
			return done, err
		}
		if err := s.checkFree(ctx, id, changes); err != nil {
			return done, err
		}
		update := s.database.Client(ctx).Site.UpdateOneID(id).
			SetNillableTitle(changes.Title).SetNillableVisibility(changes.Visibility).SetNillableBasename(changes.Basename).
			SetNillableAdaptiveContent(changes.AdaptiveContent).SetNillableAgentsContext(changes.AgentsContext)
		if changes.Proxy != nil {
			assign(unlessEmpty(changes.Proxy), update.SetProxy, update.ClearProxy)
		}
		if changes.Hostname != nil {
			assign(unlessEmpty(changes.Hostname), update.SetHostname, update.ClearHostname)
		}
		return done, asConflict(update.Exec(ctx), "basename, hostname or proxy")
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

func (c Changes) validate() error {
	if c.Title != nil {
		if err := checkTitle(*c.Title); err != nil {
			return err
		}
	}
	if c.Visibility != nil {
		if err := enum.Check("visibility", *c.Visibility); err != nil {
			return err
		}
	}
	if c.AgentsContext != nil {
		if err := enum.Check("agentsContext", *c.AgentsContext); err != nil {
			return err
		}
	}
	if c.Basename != nil {
		if err := checkPath(c.Basename); err != nil {
			return fault.Invalid("basename", "%s", strings.TrimPrefix(err.Error(), "path: "))
		}
	}
	if c.Hostname != nil && *c.Hostname != "" && (len(*c.Hostname) > maximumHostname || !hostnamePattern.MatchString(*c.Hostname)) {
		return fault.Invalid("hostname", "%q is not a host name of three or more labels in lower case", *c.Hostname)
	}
	if c.Proxy != nil && *c.Proxy != "" && (len(*c.Proxy) > maximumHostname || !proxyPattern.MatchString(*c.Proxy)) {
		return fault.Invalid("proxy", "%q is not a host name with a path of two or more segments", *c.Proxy)
	}
	return nil
}

// difference is what changes, as the audit log has it.
func (c Changes) difference(row *ent.Site) (before, after map[string]any) {
	before, after = map[string]any{}, map[string]any{}
	note := func(name string, is bool, was, becomes any) {
		if is {
			before[name], after[name] = was, becomes
		}
	}
	note("title", c.Title != nil, row.Title, c.Title)
	note("visibility", c.Visibility != nil, row.Visibility, c.Visibility)
	note("basename", c.Basename != nil, row.Basename, c.Basename)
	note("adaptiveContent", c.AdaptiveContent != nil, row.AdaptiveContent, c.AdaptiveContent)
	note("agentsContext", c.AgentsContext != nil, row.AgentsContext, c.AgentsContext)
	note("defaultSiteSpace", c.DefaultSiteSpaceID != nil, row.DefaultSiteSpaceID, c.DefaultSiteSpaceID)
	note("defaultSiteSection", c.DefaultSectionID != nil, row.DefaultSectionID, c.DefaultSectionID)
	note("proxy", c.Proxy != nil, row.Proxy, c.Proxy)
	note("hostname", c.Hostname != nil, row.Hostname, c.Hostname)
	return before, after
}

// chooseDefaults makes another section the default one, then another site space
// of that section, or of a site without sections.
func (s *Service) chooseDefaults(ctx context.Context, locked *Site, changes Changes) error {
	if changes.DefaultSectionID == nil && changes.DefaultSiteSpaceID == nil {
		return nil
	}
	arranged, err := s.Structure(ctx, locked.ID)
	if err != nil {
		return err
	}
	client := s.database.Client(ctx)
	section := validSection(arranged.rows, locked.DefaultSectionID)
	if changes.DefaultSectionID != nil {
		if _, err := arranged.Section(*changes.DefaultSectionID); err != nil {
			return fault.Invalid("defaultSiteSection", "%s is not a section of the site", *changes.DefaultSectionID)
		}
		section = changes.DefaultSectionID
		if err := client.Site.UpdateOneID(locked.ID).SetDefaultSectionID(*section).Exec(ctx); err != nil {
			return err
		}
	}
	if changes.DefaultSiteSpaceID == nil {
		return nil
	}
	chosen, err := arranged.SiteSpace(*changes.DefaultSiteSpaceID)
	if err != nil || !equal(chosen.SectionID, section) {
		return fault.Invalid("defaultSiteSpace", "%s is not a site space at the top or in the default section", *changes.DefaultSiteSpaceID)
	}
	if section != nil {
		return client.SiteSection.UpdateOneID(*section).SetDefaultSiteSpaceID(chosen.ID).Exec(ctx)
	}
	return client.Site.UpdateOneID(locked.ID).SetDefaultSiteSpaceID(chosen.ID).Exec(ctx)
}

// checkFree says which of the values that are unique on the server is taken,
// before a constraint refuses it without a name.
func (s *Service) checkFree(ctx context.Context, id string, changes Changes) error {
	ctx = access.System(ctx, "addresses of sites are unique on the server")
	query := s.database.Client(ctx).Site.Query().Where(site.IDNEQ(id))
	for _, each := range []struct {
		field string
		value *string
		find  func() *ent.SiteQuery
	}{
		{"basename", changes.Basename, func() *ent.SiteQuery { return query.Clone().Where(site.Basename(*changes.Basename)) }},
		{"hostname", unlessEmpty(changes.Hostname), func() *ent.SiteQuery { return query.Clone().Where(site.Hostname(*changes.Hostname)) }},
		{"proxy", unlessEmpty(changes.Proxy), func() *ent.SiteQuery { return query.Clone().Where(site.Proxy(*changes.Proxy)) }},
	} {
		if each.value == nil {
			continue
		}
		taken, err := each.find().Exist(ctx)
		if err != nil {
			return err
		}
		if taken {
			return fault.New(fault.Conflict, "%s: another site has %s", each.field, *each.value)
		}
	}
	return nil
}

// Publish lets the audience of a site read it. It needs the role create.
func (s *Service) Publish(ctx context.Context, id string) (*Site, error) {
	return s.setPublished(ctx, id, true, audit.SitePublished)
}

// Unpublish takes a site back from its audience. It needs the role create.
func (s *Service) Unpublish(ctx context.Context, id string) (*Site, error) {
	return s.setPublished(ctx, id, false, audit.SiteUnpublished)
}

func (s *Service) setPublished(ctx context.Context, id string, published bool, action audit.Action) (*Site, error) {
	err := s.change(ctx, id, access.ScopeWrite, access.Create, func(ctx context.Context, locked *Site) (audit.Change, error) {
		if locked.Published == published {
			return audit.Change{}, nil
		}
		return audit.Change{
			Action: action, Before: map[string]any{"published": locked.Published}, After: map[string]any{"published": published},
		}, s.database.Client(ctx).Site.UpdateOneID(id).SetPublished(published).Exec(ctx)
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

// Delete removes a site for good; its spaces stay, and an organization whose
// default content it was has none from then on. It returns false when there is
// no such site. It needs the role create.
func (s *Service) Delete(ctx context.Context, id string) (existed bool, err error) {
	err = s.database.Write(ctx, func(ctx context.Context) error {
		found, err := s.require(ctx, id, access.ScopeWrite, access.Create)
		if err != nil {
			return err
		}
		// Organizations are locked before sites.
		if err := s.database.Lock(ctx, entorganization.Table, found.OrganizationID); err != nil {
			return err
		}
		return s.change(ctx, id, access.ScopeWrite, access.Create, func(ctx context.Context, locked *Site) (audit.Change, error) {
			existed = true
			if err := s.clearDefault(ctx, locked.Site); err != nil {
				return audit.Change{}, err
			}
			return audit.Change{
				Action: audit.SiteDeleted, Before: map[string]any{"title": locked.Title, "basename": locked.Basename},
			}, s.database.Client(ctx).Site.DeleteOneID(id).Exec(ctx)
		})
	})
	if fault.CodeOf(err) == fault.NotFound {
		return false, nil
	}
	return existed, err
}

// clearDefault takes a site away that is the default content of its organization.
func (s *Service) clearDefault(ctx context.Context, gone *ent.Site) error {
	owner, err := s.database.Client(ctx).Organization.Get(ctx, gone.OrganizationID)
	if err != nil || len(owner.DefaultContent) == 0 {
		return err
	}
	var content struct{ Site string }
	if err := json.Unmarshal(owner.DefaultContent, &content); err != nil || content.Site != gone.ID {
		return err
	}
	if err := s.database.Client(ctx).Organization.UpdateOne(owner).ClearDefaultContent().Exec(ctx); err != nil {
		return err
	}
	return audit.Record(ctx, s.database, audit.Change{
		OrganizationID: owner.ID, Action: audit.OrganizationUpdated, SubjectID: owner.ID,
		Before: map[string]any{"defaultContent": owner.DefaultContent}, After: map[string]any{"defaultContent": nil},
	})
}

func below(base *string, segments ...string) *string {
	if base == nil {
		return nil
	}
	return new(address.Below(*base, segments...))
}
