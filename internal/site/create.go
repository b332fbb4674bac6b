package site

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"octavo/ent"
	entsite "octavo/ent/site"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/content"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/position"
	"octavo/internal/space"
)

const (
	minimumTitle = 2
	maximumTitle = 128
	maximumPath  = 100
	untitled     = "Documentation"
)

// New is a site to be made.
type New struct {
	OrganizationID string
	// Title of 2 to 128 characters; empty takes that of the first space.
	Title string
	// Type is basic when empty.
	Type enum.SiteType
	// Visibility is public when empty. Nobody reads the site before it is
	// published.
	Visibility enum.SiteVisibility
	// SpaceIDs become its site spaces; the first one is the default.
	SpaceIDs []string
}

// Create makes a site that is not published. It needs the role create in the
// organization and in each of the spaces.
func (s *Service) Create(ctx context.Context, site New) (*Site, error) {
	if err := access.Require(ctx, site.OrganizationID, access.ScopeWrite, access.Create); err != nil {
		return nil, err
	}
	if err := site.validate(); err != nil {
		return nil, err
	}
	var created *ent.Site
	var err error
	for attempt := range insertAttempts {
		err = s.database.Write(ctx, func(ctx context.Context) error {
			var err error
			created, err = s.insert(ctx, site, attempt)
			return err
		})
		if fault.CodeOf(err) != fault.Conflict {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, created.ID)
}

// insertAttempts is how often another basename is tried, when somebody takes
// the one that was free.
const insertAttempts = 3

func (n *New) validate() error {
	if n.Title != "" {
		if err := checkTitle(n.Title); err != nil {
			return err
		}
	}
	if n.Type == "" {
		n.Type = enum.SiteBasic
	}
	if n.Visibility == "" {
		n.Visibility = enum.SitePublic
	}
	if err := enum.Check("type", n.Type); err != nil {
		return err
	}
	if len(n.SpaceIDs) > maximumSiteSpaces {
		return fault.New(fault.LimitExceeded, "spaces: at most %d, got %d", maximumSiteSpaces, len(n.SpaceIDs))
	}
	return enum.Check("visibility", n.Visibility)
}

func (s *Service) insert(ctx context.Context, site New, attempt int) (*ent.Site, error) {
	shown, err := s.lockSpaces(ctx, site.OrganizationID, site.SpaceIDs)
	if err != nil {
		return nil, err
	}
	if site.Title == "" {
		site.Title = titleOf(shown, untitled)
	}
	basename, err := s.freeBasename(ctx, site.Title)
	if err != nil {
		return nil, err
	}
	if attempt > 0 {
		basename = freePath(site.Title, nil) + "-" + strings.ToLower(newKey()[:numberRoom-1])
	}
	created, err := s.database.Client(ctx).Site.Create().
		SetOrganizationID(site.OrganizationID).SetTitle(site.Title).SetType(site.Type).SetVisibility(site.Visibility).
		SetBasename(basename).SetPublishingKey(s.keys.Seal(newKey())).Save(ctx)
	if err != nil {
		return nil, asConflict(err, "basename")
	}
	var arranged rows
	for _, each := range shown {
		if _, err := s.place(ctx, created, &arranged, nil, each); err != nil {
			return nil, err
		}
	}
	if err := s.settle(ctx, created); err != nil {
		return nil, err
	}
	return created, audit.Record(ctx, s.database, audit.Change{
		OrganizationID: created.OrganizationID, Action: audit.SiteCreated, SubjectID: created.ID,
		After: map[string]any{"title": created.Title, "visibility": created.Visibility, "spaces": site.SpaceIDs},
	})
}

// lockSpaces locks spaces of an organization that the caller may publish, and
// returns them in the order of their ids. It is called before a site is locked.
func (s *Service) lockSpaces(ctx context.Context, organizationID string, ids []string) ([]*space.Space, error) {
	locked := map[string]*space.Space{}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		found, err := s.spaces.Lock(ctx, id, access.ScopeWrite, access.Create)
		if err != nil {
			return nil, err
		}
		if found.OrganizationID != organizationID {
			return nil, fault.Missing("space")
		}
		locked[id] = found
	}
	found := make([]*space.Space, len(ids))
	for index, id := range ids {
		found[index] = locked[id]
	}
	return found, nil
}

// place adds a space behind the others of its section.
func (s *Service) place(ctx context.Context, site *ent.Site, arranged *rows, sectionID *string, shown *space.Space) (*ent.SiteSpace, error) {
	if len(arranged.siteSpaces) >= maximumSiteSpaces {
		return nil, fault.New(fault.LimitExceeded, "a site has at most %d site spaces", maximumSiteSpaces)
	}
	siblings := arranged.inSection(sectionID)
	taken := make(map[string]bool, len(siblings))
	last := ""
	for _, each := range siblings {
		taken[each.Path] = true
		last = max(last, each.Position)
	}
	created, err := s.database.Client(ctx).SiteSpace.Create().
		SetOrganizationID(site.OrganizationID).SetSiteID(site.ID).SetNillableSectionID(sectionID).SetSpaceID(shown.ID).
		SetPath(freePath(shown.Title, taken)).SetPosition(position.After(last)).Save(ctx)
	if err != nil {
		return nil, err
	}
	arranged.siteSpaces = append(arranged.siteSpaces, created)
	return created, nil
}

// titleOf is the title of the first of some spaces, if it can be that of a
// site.
func titleOf(shown []*space.Space, otherwise string) string {
	if len(shown) > 0 && checkTitle(shown[0].Title) == nil {
		return shown[0].Title
	}
	return otherwise
}

func checkTitle(title string) error {
	if length := utf8.RuneCountInString(strings.TrimSpace(title)); length < minimumTitle || length > maximumTitle {
		return fault.Invalid("title", "%d to %d characters, got %d", minimumTitle, maximumTitle, length)
	}
	return nil
}

// freePath makes a path of a title that is not taken.
func freePath(title string, taken map[string]bool) string {
	slug := content.Slug(title)
	if runes := []rune(slug); len(runes) > maximumPath-numberRoom {
		slug = string(runes[:maximumPath-numberRoom])
	}
	path := slug
	for number := 1; taken[path]; number++ {
		path = fmt.Sprintf("%s-%d", slug, number)
	}
	return path
}

// numberRoom is what a number behind a path may take.
const numberRoom = 8

// freeBasename makes a basename of a title. Basenames are unique on the server,
// where they are addresses, past the tenant fence.
func (s *Service) freeBasename(ctx context.Context, title string) (string, error) {
	ctx = access.System(ctx, "basenames are unique on the server")
	wanted := freePath(title, nil)
	known, err := s.database.Client(ctx).Site.Query().Where(entsite.BasenameHasPrefix(wanted)).Select(entsite.FieldBasename).Strings(ctx)
	if err != nil {
		return "", err
	}
	taken := make(map[string]bool, len(known))
	for _, each := range known {
		taken[each] = true
	}
	return freePath(title, taken), nil
}

// asConflict says that a value which is unique on the server is taken.
func asConflict(err error, field string) error {
	if ent.IsConstraintError(err) {
		return fault.New(fault.Conflict, "%s: it is taken", field)
	}
	return err
}
