package site

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"octavo/ent"
	"octavo/ent/siteredirect"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/pagination"
	"octavo/internal/space"
)

const (
	maximumSource    = 512
	maximumRedirects = 5000
)

var sourcePattern = regexp.MustCompile(`^/(?:[A-Za-z0-9\-._~]|%[0-9A-Fa-f]{2})+(?:/(?:[A-Za-z0-9\-._~]|%[0-9A-Fa-f]{2})+)*$`)

// Destination is where a redirect leads: a section, a site space, a page of a
// site space, or any address.
type Destination struct {
	Kind          enum.RedirectKind `json:"kind"`
	SiteSectionID *string           `json:"siteSectionId,omitempty"`
	SiteSpaceID   *string           `json:"siteSpaceId,omitempty"`
	PageID        *string           `json:"pageId,omitempty"`
	URL           *string           `json:"url,omitempty"`
}

// Redirect sends visitors of a path to another place.
type Redirect struct {
	*ent.SiteRedirect
	Destination Destination
}

func opened(row *ent.SiteRedirect) (*Redirect, error) {
	redirect := &Redirect{SiteRedirect: row}
	return redirect, json.Unmarshal(row.Destination, &redirect.Destination)
}

// Redirects lists those of a site, oldest first; search keeps those whose source
// has it.
func (s *Service) Redirects(ctx context.Context, siteID, search string, arguments pagination.Arguments) (pagination.Page[*Redirect], error) {
	var none pagination.Page[*Redirect]
	if _, err := s.requireReader(ctx, siteID); err != nil {
		return none, err
	}
	window, err := arguments.Window(pagination.Key{Name: "redirects"})
	if err != nil {
		return none, err
	}
	query := s.database.Client(ctx).SiteRedirect.Query().Where(siteredirect.SiteID(siteID))
	if search != "" {
		query.Where(siteredirect.SourceContainsFold(search))
	}
	rows, err := query.Clone().Where(window.Apply).All(ctx)
	if err != nil {
		return none, err
	}
	found := make([]*Redirect, len(rows))
	for index, row := range rows {
		if found[index], err = opened(row); err != nil {
			return none, err
		}
	}
	return pagination.NewPage(window, found, func(item *Redirect) (string, string) { return "", item.ID }, query.Count), nil
}

// Redirect returns one by its id; NOT_FOUND when the caller may not read its
// site.
func (s *Service) Redirect(ctx context.Context, id string) (*Redirect, error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return nil, err
	}
	row, err := s.database.Client(ctx).SiteRedirect.Get(ctx, id)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("redirect")
	}
	if err != nil {
		return nil, err
	}
	if _, err := s.requireReader(ctx, row.SiteID); err != nil {
		return nil, fault.Missing("redirect")
	}
	return opened(row)
}

// RedirectIn returns a redirect of a site.
func (s *Service) RedirectIn(ctx context.Context, siteID, id string) (*Redirect, error) {
	found, err := s.Redirect(ctx, id)
	if err == nil && found.SiteID != siteID {
		return nil, fault.Missing("redirect")
	}
	return found, err
}

// RedirectOf returns the redirect of a path and where it leads, as far as that
// is part of the structure; NOT_FOUND when there is none, or what it leads to is
// gone or not in the structure.
func (s *Service) RedirectOf(ctx context.Context, arranged *Structure, source string) (*Redirect, string, error) {
	row, err := s.database.Client(ctx).SiteRedirect.Query().
		Where(siteredirect.SiteID(arranged.Site.ID), siteredirect.Source(source)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, "", fault.Missing("redirect")
	}
	if err != nil {
		return nil, "", err
	}
	found, err := opened(row)
	if err != nil {
		return nil, "", err
	}
	target, err := s.target(ctx, arranged, found.Destination)
	return found, target, err
}

// target is the address of a destination.
func (s *Service) target(ctx context.Context, arranged *Structure, to Destination) (string, error) {
	base := arranged.Site.Address
	if published := arranged.PublishedURL(); published != nil {
		base = *published
	}
	switch to.Kind {
	case enum.RedirectURL:
		return value(to.URL), nil
	case enum.RedirectSection:
		found, err := arranged.Section(value(to.SiteSectionID))
		if err != nil {
			return "", fault.Missing("redirect")
		}
		return *below(&base, found.segments()...), nil
	}
	found, err := arranged.SiteSpace(value(to.SiteSpaceID))
	if err != nil {
		return "", fault.Missing("redirect")
	}
	segments := found.path()
	if to.Kind == enum.RedirectPage {
		path, err := s.pagePath(ctx, found.Space, value(to.PageID))
		if err != nil {
			return "", err
		}
		segments = append(segments, path...)
	}
	return *below(&base, segments...), nil
}

// pagePath is that of a page of a space's main content; empty for the first one,
// which stands at the address of the space.
func (s *Service) pagePath(ctx context.Context, of *space.Space, id string) ([]string, error) {
	head, err := s.revisions.Load(ctx, of.RevisionID)
	if err != nil {
		return nil, err
	}
	page, err := s.revisions.Page(ctx, head, id)
	if fault.CodeOf(err) == fault.NotFound {
		return nil, fault.Missing("redirect")
	}
	if err != nil {
		return nil, err
	}
	return strings.Split(page.Path(), "/"), nil
}

// CreateRedirect adds a redirect to a site. It needs the role create. CONFLICT
// when the path has one, LIMIT_EXCEEDED beyond 5,000.
func (s *Service) CreateRedirect(ctx context.Context, siteID, source string, to Destination) (*Redirect, error) {
	if err := checkSource(&source); err != nil {
		return nil, err
	}
	var created *ent.SiteRedirect
	err := s.change(ctx, siteID, access.ScopeWrite, access.Create, func(ctx context.Context, locked *Site) (audit.Change, error) {
		count, err := s.database.Client(ctx).SiteRedirect.Query().Where(siteredirect.SiteID(siteID)).Count(ctx)
		if err != nil {
			return audit.Change{}, err
		}
		if count >= maximumRedirects {
			return audit.Change{}, fault.New(fault.LimitExceeded, "a site has at most %d redirects", maximumRedirects)
		}
		encoded, err := s.checkDestination(ctx, siteID, to)
		if err != nil {
			return audit.Change{}, err
		}
		if err := s.checkUnused(ctx, siteID, "", source); err != nil {
			return audit.Change{}, err
		}
		created, err = s.database.Client(ctx).SiteRedirect.Create().SetOrganizationID(locked.OrganizationID).SetSiteID(siteID).
			SetSource(source).SetDestination(encoded).Save(ctx)
		if err != nil {
			return audit.Change{}, err
		}
		return audit.Change{
			Action: audit.SiteRedirectCreated, SubjectID: created.ID, After: map[string]any{"site": siteID, "source": source, "destination": to},
		}, nil
	})
	if err != nil {
		return nil, err
	}
	return opened(created)
}

func checkSource(source *string) error {
	if source != nil && (len(*source) > maximumSource || !sourcePattern.MatchString(*source)) {
		return fault.Invalid("source", "an escaped path of at most %d characters that begins with a slash is needed", maximumSource)
	}
	return nil
}

func (s *Service) checkUnused(ctx context.Context, siteID, but, source string) error {
	used, err := s.database.Client(ctx).SiteRedirect.Query().
		Where(siteredirect.SiteID(siteID), siteredirect.Source(source), siteredirect.IDNEQ(but)).Exist(ctx)
	if err == nil && used {
		return fault.New(fault.Conflict, "source: the site has a redirect of %s", source)
	}
	return err
}

// checkDestination checks that it leads somewhere, and encodes it.
func (s *Service) checkDestination(ctx context.Context, siteID string, to Destination) (json.RawMessage, error) {
	if err := enum.Check("destination.kind", to.Kind); err != nil {
		return nil, err
	}
	if to.Kind == enum.RedirectURL {
		if err := checkAddress("destination.url", value(to.URL)); err != nil {
			return nil, err
		}
		return json.Marshal(Destination{Kind: to.Kind, URL: to.URL})
	}
	arranged, err := s.Structure(ctx, siteID)
	if err != nil {
		return nil, err
	}
	if _, err := s.target(ctx, arranged, to); err != nil {
		return nil, fault.Invalid("destination", "it names nothing that the site shows")
	}
	return json.Marshal(to)
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// UpdateRedirect changes a redirect; nil leaves what is. It needs the role
// create.
func (s *Service) UpdateRedirect(ctx context.Context, id string, source *string, to *Destination) (*Redirect, error) {
	if err := checkSource(source); err != nil {
		return nil, err
	}
	found, err := s.Redirect(ctx, id)
	if err != nil {
		return nil, err
	}
	err = s.change(ctx, found.SiteID, access.ScopeWrite, access.Create, func(ctx context.Context, _ *Site) (audit.Change, error) {
		update := s.database.Client(ctx).SiteRedirect.UpdateOneID(id).SetNillableSource(source)
		if source != nil {
			if err := s.checkUnused(ctx, found.SiteID, id, *source); err != nil {
				return audit.Change{}, err
			}
		}
		if to != nil {
			encoded, err := s.checkDestination(ctx, found.SiteID, *to)
			if err != nil {
				return audit.Change{}, err
			}
			update.SetDestination(encoded)
		}
		return audit.Change{
			Action: audit.SiteRedirectUpdated, SubjectID: id,
			Before: map[string]any{"source": found.Source, "destination": found.Destination},
			After:  map[string]any{"source": source, "destination": to},
		}, update.Exec(ctx)
	})
	if err != nil {
		return nil, err
	}
	return s.Redirect(ctx, id)
}

// DeleteRedirect removes a redirect. It returns false when there is no such
// redirect. It needs the role create.
func (s *Service) DeleteRedirect(ctx context.Context, id string) (existed bool, err error) {
	if _, err := access.Allow(ctx, access.ScopeWrite); err != nil {
		return false, err
	}
	found, err := s.Redirect(ctx, id)
	if fault.CodeOf(err) == fault.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = s.change(ctx, found.SiteID, access.ScopeWrite, access.Create, func(ctx context.Context, _ *Site) (audit.Change, error) {
		removed, err := s.database.Client(ctx).SiteRedirect.Delete().Where(siteredirect.ID(id)).Exec(ctx)
		if err != nil || removed == 0 {
			return audit.Change{}, err
		}
		existed = true
		return audit.Change{Action: audit.SiteRedirectDeleted, SubjectID: id, Before: map[string]any{"source": found.Source}}, nil
	})
	return existed, err
}
