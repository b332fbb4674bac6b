package site

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"octavo/internal/access"
	"octavo/internal/fault"
)

// PreviewTime is how long the address of a preview can be used.
const PreviewTime = time.Hour

// PreviewParameter is the query parameter of a preview's token.
const PreviewParameter = "preview"

// maximumClaims bounds the claims of a preview, in bytes.
const maximumClaims = 4096

// Preview is a look at a site, published or not, as a visitor with some claims.
type Preview struct {
	SiteID      string         `json:"site"`
	SiteSpaceID string         `json:"siteSpace,omitempty"`
	Claims      map[string]any `json:"claims,omitempty"`
}

type previewToken struct {
	Preview
	jwt.RegisteredClaims
}

// PreviewURL is an address that shows a site to whoever holds it for an hour,
// whatever its visibility. The site space is where to begin; claims are those of
// the visitor to look as, an object in JSON. Both may be empty. It needs the
// role read.
func (s *Service) PreviewURL(ctx context.Context, siteID, siteSpaceID, claims string) (string, error) {
	if _, err := s.requireReader(ctx, siteID); err != nil {
		return "", err
	}
	arranged, err := s.Structure(ctx, siteID)
	if err != nil {
		return "", err
	}
	preview := Preview{SiteID: siteID, SiteSpaceID: siteSpaceID}
	if claims != "" {
		if len(claims) > maximumClaims || json.Unmarshal([]byte(claims), &preview.Claims) != nil {
			return "", fault.Invalid("claims", "an object in JSON of at most %d bytes is needed", maximumClaims)
		}
	}
	address := s.addresses.Site(arranged.Site.Basename)
	if siteSpaceID != "" {
		found, err := arranged.SiteSpace(siteSpaceID)
		if err != nil {
			return "", fault.Invalid("siteSpace", "%s is not a site space of the site", siteSpaceID)
		}
		address = *below(&address, found.path()...)
	}
	signed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, previewToken{
		Preview: preview, RegisteredClaims: jwt.RegisteredClaims{ExpiresAt: jwt.NewNumericDate(time.Now().Add(PreviewTime))},
	}).SignedString(s.previews)
	return address + "?" + url.Values{PreviewParameter: {signed}}.Encode(), err
}

// OpenPreview reads the token of a preview's address; NOT_FOUND for one that is
// not, or no more, valid.
func (s *Service) OpenPreview(token string) (*Preview, error) {
	var read previewToken
	_, err := jwt.ParseWithClaims(token, &read, func(*jwt.Token) (any, error) { return s.previews, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithExpirationRequired())
	if err != nil {
		return nil, errors.Join(fault.Missing("preview"), err)
	}
	return &read.Preview, nil
}

// requireReader returns a site that the caller may read, by the scope of their
// token too.
func (s *Service) requireReader(ctx context.Context, id string) (*Site, error) {
	return s.require(ctx, id, access.ScopeRead, access.Read)
}
