package site

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"unicode/utf8"

	"octavo/ent"
	"octavo/ent/sitesharelink"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/fault"
	"octavo/internal/pagination"
)

const (
	maximumLinkName  = 50
	maximumLinkCount = 100
)

// ShareLink is a key that lets those who hold it read a site whose visibility is
// share-link. It is shown to those with the role create.
type ShareLink struct {
	*ent.SiteShareLink
	Site *Site
	// Key is the secret.
	Key string
}

// PublishedURL is the address with the key; nil while the link or the site
// cannot be used.
func (l *ShareLink) PublishedURL() *string {
	if !l.Active {
		return nil
	}
	return l.Site.PublishedURL(l.Key)
}

// ShareLinks lists the share links of a site, oldest first. It needs the role
// create.
func (s *Service) ShareLinks(ctx context.Context, siteID string, arguments pagination.Arguments) (pagination.Page[*ShareLink], error) {
	var none pagination.Page[*ShareLink]
	site, err := s.require(ctx, siteID, access.ScopeRead, access.Create)
	if err != nil {
		return none, err
	}
	window, err := arguments.Window(pagination.Key{Name: "shareLinks"})
	if err != nil {
		return none, err
	}
	query := s.database.Client(ctx).SiteShareLink.Query().Where(sitesharelink.SiteID(siteID))
	rows, err := query.Clone().Where(window.Apply).All(ctx)
	if err != nil {
		return none, err
	}
	links := make([]*ShareLink, len(rows))
	for index, row := range rows {
		if links[index], err = s.open(site, row); err != nil {
			return none, err
		}
	}
	return pagination.NewPage(window, links, func(item *ShareLink) (string, string) { return "", item.ID }, query.Count), nil
}

func (s *Service) open(site *Site, row *ent.SiteShareLink) (*ShareLink, error) {
	key, err := s.keys.Open(row.Key)
	return &ShareLink{SiteShareLink: row, Site: site, Key: key}, err
}

// CreateShareLink makes a share link with a key of its own. It needs the role
// create. LIMIT_EXCEEDED beyond 100.
func (s *Service) CreateShareLink(ctx context.Context, siteID, name string) (*ShareLink, error) {
	if err := checkLinkName(&name); err != nil {
		return nil, err
	}
	var created *ent.SiteShareLink
	err := s.change(ctx, siteID, access.ScopeWrite, access.Create, func(ctx context.Context, locked *Site) (audit.Change, error) {
		client := s.database.Client(ctx)
		count, err := client.SiteShareLink.Query().Where(sitesharelink.SiteID(siteID)).Count(ctx)
		if err != nil {
			return audit.Change{}, err
		}
		if count >= maximumLinkCount {
			return audit.Change{}, fault.New(fault.LimitExceeded, "a site has at most %d share links", maximumLinkCount)
		}
		key := newKey()
		created, err = client.SiteShareLink.Create().SetOrganizationID(locked.OrganizationID).SetSiteID(siteID).
			SetName(name).SetKey(s.keys.Seal(key)).SetHash(hashOf(key)).Save(ctx)
		if err != nil {
			return audit.Change{}, err
		}
		return audit.Change{
			Action: audit.SiteShareLinkCreated, SubjectID: created.ID, After: map[string]any{"site": siteID, "name": name},
		}, nil
	})
	if err != nil {
		return nil, err
	}
	return s.ShareLink(ctx, created.ID)
}

// ShareLink returns a share link. It needs the role create.
func (s *Service) ShareLink(ctx context.Context, id string) (*ShareLink, error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return nil, err
	}
	row, err := s.database.Client(ctx).SiteShareLink.Get(ctx, id)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("share link")
	}
	if err != nil {
		return nil, err
	}
	site, err := s.require(ctx, row.SiteID, access.ScopeRead, access.Create)
	if err != nil {
		return nil, err
	}
	return s.open(site, row)
}

// ShareLinkOf returns a share link of a site. It needs the role create.
func (s *Service) ShareLinkOf(ctx context.Context, siteID, id string) (*ShareLink, error) {
	if _, err := s.require(ctx, siteID, access.ScopeRead, access.Create); err != nil {
		return nil, err
	}
	found, err := s.ShareLink(ctx, id)
	if err == nil && found.SiteID != siteID {
		return nil, fault.Missing("share link")
	}
	return found, err
}

// hashOf is how a key is looked up, so that the time which that takes tells
// nothing of it.
func hashOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

func checkLinkName(name *string) error {
	if name == nil {
		return nil
	}
	if length := utf8.RuneCountInString(*name); length > maximumLinkName {
		return fault.Invalid("name", "at most %d characters, got %d", maximumLinkName, length)
	}
	return nil
}

// UpdateShareLink names a share link, and lets it be used or not; nil leaves
// what is. It needs the role create.
func (s *Service) UpdateShareLink(ctx context.Context, id string, name *string, active *bool) (*ShareLink, error) {
	if err := checkLinkName(name); err != nil {
		return nil, err
	}
	found, err := s.ShareLink(ctx, id)
	if err != nil {
		return nil, err
	}
	err = s.change(ctx, found.SiteID, access.ScopeWrite, access.Create, func(ctx context.Context, _ *Site) (audit.Change, error) {
		err := s.database.Client(ctx).SiteShareLink.UpdateOneID(id).SetNillableName(name).SetNillableActive(active).Exec(ctx)
		return audit.Change{
			Action: audit.SiteShareLinkUpdated, SubjectID: id,
			Before: map[string]any{"name": found.Name, "active": found.Active}, After: map[string]any{"name": name, "active": active},
		}, err
	})
	if err != nil {
		return nil, err
	}
	return s.ShareLink(ctx, id)
}

// DeleteShareLink revokes a share link for good. It returns false when there is
// no such link. It needs the role create.
func (s *Service) DeleteShareLink(ctx context.Context, id string) (existed bool, err error) {
	if _, err := access.Allow(ctx, access.ScopeWrite); err != nil {
		return false, err
	}
	found, err := s.ShareLink(ctx, id)
	if fault.CodeOf(err) == fault.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = s.change(ctx, found.SiteID, access.ScopeWrite, access.Create, func(ctx context.Context, _ *Site) (audit.Change, error) {
		removed, err := s.database.Client(ctx).SiteShareLink.Delete().Where(sitesharelink.ID(id)).Exec(ctx)
		if err != nil || removed == 0 {
			return audit.Change{}, err
		}
		existed = true
		return audit.Change{Action: audit.SiteShareLinkDeleted, SubjectID: id, Before: map[string]any{"name": found.Name}}, nil
	})
	return existed, err
}

// CheckShareKey tells whether a key is that of a share link of the site that may
// be used now. A revoked link is refused at once.
func (s *Service) CheckShareKey(ctx context.Context, siteID, key string) (bool, error) {
	if key == "" {
		return false, nil
	}
	ctx = access.System(ctx, "whoever holds a key of a site may read it")
	hash := hashOf(key)
	row, err := s.database.Client(ctx).SiteShareLink.Query().
		Where(sitesharelink.Hash(hash), sitesharelink.SiteID(siteID), sitesharelink.Active(true)).Only(ctx)
	if ent.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare([]byte(row.Hash), []byte(hash)) == 1, nil
}

// Opens tells whether a key is that of a share link by which the site of a
// structure may be read.
func (s *Service) Opens(ctx context.Context, arranged *Structure, key string) (bool, error) {
	if key == "" || arranged.served == nil {
		return s.CheckShareKey(ctx, arranged.Site.ID, key)
	}
	return arranged.served.shareKeys[hashOf(key)], nil
}

// WithShareKey gives a structure the addresses of a share link, when the key is
// one of the site's; another key changes nothing.
func (s *Service) WithShareKey(ctx context.Context, arranged *Structure, key *string) (*Structure, error) {
	if key == nil {
		return arranged, nil
	}
	valid, err := s.CheckShareKey(ctx, arranged.Site.ID, *key)
	if err != nil || !valid {
		return arranged, err
	}
	return arranged.WithShareKey(*key), nil
}
