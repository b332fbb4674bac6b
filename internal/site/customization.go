package site

import (
	"context"
	"encoding/json"

	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/customization"
	"octavo/internal/fault"
)

// Customization is how the site looks and behaves, complete with defaults.
func (s *Site) Customization() json.RawMessage {
	if len(s.Site.Customization) == 0 {
		return customization.Defaults()
	}
	return s.Site.Customization
}

// Icon is the picture or emoji of the customization; nil without one.
func (s *Site) Icon() (json.RawMessage, error) {
	var settings struct{ Favicon json.RawMessage }
	if err := json.Unmarshal(s.Customization(), &settings); err != nil {
		return nil, err
	}
	if string(settings.Favicon) == "{}" {
		return nil, nil
	}
	return settings.Favicon, nil
}

// Overrides tells whether the site space overrides any setting of its site.
func (s *SiteSpace) Overrides() bool { return len(s.SiteSpace.Customization) > 0 }

// Customization is that of the site with what the site space overrides.
func (s *SiteSpace) Customization() (json.RawMessage, error) {
	return customization.Merge(s.Structure.Site.Customization(), s.SiteSpace.Customization)
}

// Customizations are those of the site spaces that override any setting, by
// their ids.
func (s *Structure) Customizations() (map[string]json.RawMessage, error) {
	found := map[string]json.RawMessage{}
	for _, each := range s.SiteSpaces {
		if !each.Overrides() {
			continue
		}
		settings, err := each.Customization()
		if err != nil {
			return nil, err
		}
		found[each.ID] = settings
	}
	return found, nil
}

// Customize replaces all settings of how a site looks; what is left out gets its
// default. It needs the role create.
func (s *Service) Customize(ctx context.Context, id string, settings json.RawMessage) (*Site, error) {
	checked, err := customization.Parse(settings)
	if err != nil {
		return nil, err
	}
	err = s.change(ctx, id, access.ScopeWrite, access.Create, func(ctx context.Context, locked *Site) (audit.Change, error) {
		return audit.Change{
			Action: audit.SiteUpdated,
			Before: map[string]any{"customization": locked.Customization()}, After: map[string]any{"customization": checked},
		}, s.database.Client(ctx).Site.UpdateOneID(id).SetCustomization(checked).Exec(ctx)
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

// Override changes what a site space overrides of the customization of its site;
// null gives a setting back to the site. It needs the role create.
func (s *Service) Override(ctx context.Context, id string, changes json.RawMessage) (*SiteSpace, error) {
	return s.override(ctx, id, func(found *SiteSpace) (json.RawMessage, error) {
		return customization.ParseOverride(found.SiteSpace.Customization, changes)
	})
}

// ClearOverride has a site space look as its site does. It returns false when it
// overrode nothing, or does not exist. It needs the role create.
func (s *Service) ClearOverride(ctx context.Context, id string) (existed bool, err error) {
	if _, err := access.Allow(ctx, access.ScopeWrite); err != nil {
		return false, err
	}
	_, err = s.override(ctx, id, func(found *SiteSpace) (json.RawMessage, error) {
		existed = found.Overrides()
		return nil, nil
	})
	if fault.CodeOf(err) == fault.NotFound {
		return false, nil
	}
	return existed, err
}

func (s *Service) override(ctx context.Context, id string, settle func(found *SiteSpace) (json.RawMessage, error)) (*SiteSpace, error) {
	found, err := s.SiteSpace(ctx, id)
	if err != nil {
		return nil, err
	}
	err = s.change(ctx, found.SiteID, access.ScopeWrite, access.Create, func(ctx context.Context, _ *Site) (audit.Change, error) {
		found, err := s.SiteSpace(ctx, id)
		if err != nil {
			return audit.Change{}, err
		}
		settings, err := settle(found)
		if err != nil {
			return audit.Change{}, err
		}
		update := s.database.Client(ctx).SiteSpace.UpdateOneID(id)
		if len(settings) == 0 || string(settings) == "{}" {
			update.ClearCustomization()
		} else {
			update.SetCustomization(settings)
		}
		return audit.Change{
			Action: audit.SiteSpaceUpdated, SubjectID: id,
			Before: map[string]any{"customization": found.SiteSpace.Customization}, After: map[string]any{"customization": settings},
		}, update.Exec(ctx)
	})
	if err != nil {
		return nil, err
	}
	return s.SiteSpace(ctx, id)
}
