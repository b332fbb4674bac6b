package site

import (
	"context"
	"net/url"

	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/enum"
	"octavo/internal/fault"
)

const maximumAddress = 2048

// PublishingAuth is how visitors of a site prove who they are.
type PublishingAuth struct {
	Backend enum.AuthBackend
	// PrivateKey signs the tokens of visitors (HS256).
	PrivateKey string
	// FallbackURL is where visitors without a token are sent.
	FallbackURL *string
}

// PublishingAuth of a site. It needs the role admin.
func (s *Service) PublishingAuth(ctx context.Context, siteID string) (*PublishingAuth, error) {
	found, err := s.require(ctx, siteID, access.ScopeAdmin, access.Admin)
	if err != nil {
		return nil, err
	}
	key, err := s.PrivateKey(found)
	return &PublishingAuth{Backend: found.AuthBackend, PrivateKey: key, FallbackURL: found.FallbackURL}, err
}

// PrivateKey signs the tokens of a site's visitors. It is for the server itself
// and for administrators.
func (s *Service) PrivateKey(site *Site) (string, error) { return s.keys.Open(site.PublishingKey) }

// UpdatePublishingAuth changes who signs the tokens of visitors and where those
// without one are sent; an empty fallback URL removes it, nil leaves it. It
// needs the role admin.
func (s *Service) UpdatePublishingAuth(ctx context.Context, siteID string, backend enum.AuthBackend, fallbackURL *string) (*PublishingAuth, error) {
	if err := enum.Check("backend", backend); err != nil {
		return nil, err
	}
	if fallbackURL != nil && *fallbackURL != "" {
		if err := checkAddress("fallbackURL", *fallbackURL); err != nil {
			return nil, err
		}
	}
	err := s.change(ctx, siteID, access.ScopeAdmin, access.Admin, func(ctx context.Context, locked *Site) (audit.Change, error) {
		update := s.database.Client(ctx).Site.UpdateOneID(siteID).SetAuthBackend(backend)
		if fallbackURL != nil {
			assign(unlessEmpty(fallbackURL), update.SetFallbackURL, update.ClearFallbackURL)
		}
		return audit.Change{
			Action: audit.SiteUpdated, Before: map[string]any{"authBackend": locked.AuthBackend, "fallbackURL": locked.FallbackURL},
			After: map[string]any{"authBackend": backend, "fallbackURL": fallbackURL},
		}, update.Exec(ctx)
	})
	if err != nil {
		return nil, err
	}
	return s.PublishingAuth(ctx, siteID)
}

// checkAddress checks an absolute address that visitors are sent to.
func checkAddress(field, address string) error {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "https" && parsed.Scheme != "http" || parsed.Host == "" || len(address) > maximumAddress {
		return fault.Invalid(field, "an http or https address of at most %d characters is needed", maximumAddress)
	}
	return nil
}

// RegeneratePublishingAuth gives a site another private key: tokens signed with
// the one before are refused at once. It needs the role admin.
func (s *Service) RegeneratePublishingAuth(ctx context.Context, siteID string) (*PublishingAuth, error) {
	err := s.change(ctx, siteID, access.ScopeAdmin, access.Admin, func(ctx context.Context, _ *Site) (audit.Change, error) {
		return audit.Change{Action: audit.SiteKeyRegenerated},
			s.database.Client(ctx).Site.UpdateOneID(siteID).SetPublishingKey(s.keys.Seal(newKey())).Exec(ctx)
	})
	if err != nil {
		return nil, err
	}
	return s.PublishingAuth(ctx, siteID)
}
