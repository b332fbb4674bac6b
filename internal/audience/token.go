package audience

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"octavo/internal/access"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/site"
	"octavo/internal/space"
	"octavo/internal/user"
)

const (
	// tokenTime is for how long a site content token is valid at least; tokens
	// that are issued within tokenStep end at the same time, so that those of
	// equal visitors are equal and what was read with one can be cached.
	tokenTime = time.Hour
	tokenStep = 15 * time.Minute
	// shortestTime is that of a token for a visitor whose own ends sooner:
	// renderers refuse tokens that are about to end.
	shortestTime = 5 * time.Minute
	// kindSite is what a site content token says it is.
	kindSite = "site"
)

// siteToken is what a site content token says. Renderers read all but Admission.
type siteToken struct {
	Kind           string         `json:"kind"`
	OrganizationID string         `json:"organization"`
	SiteID         string         `json:"site"`
	SectionID      string         `json:"siteSection,omitempty"`
	SiteSpaceID    string         `json:"siteSpace,omitempty"`
	SpaceID        string         `json:"space,omitempty"`
	Claims         map[string]any `json:"claims,omitempty"`
	// Version changes with the site, so that what was read with another token is
	// read anew.
	Version   string    `json:"version"`
	Admission admission `json:"admission"`
	jwt.RegisteredClaims
}

// admission is why the visitor was let in; it is looked at anew at each use.
type admission struct {
	// Key names the key of the site that signed the visitor's own token.
	Key      string `json:"key,omitempty"`
	ShareKey string `json:"shareKey,omitempty"`
	// AccessTokenID is that of a member of the organization.
	AccessTokenID string `json:"accessToken,omitempty"`
	// Preview is the token of a preview's address.
	Preview string `json:"preview,omitempty"`
}

// Tokens issues site content tokens, with which whoever renders a site for a
// visitor reads what that visitor may see, and opens them.
type Tokens struct {
	audience *Service
	users    *user.Service
	spaces   *space.Service
	key      []byte
}

// NewTokens returns the tokens that a key signs.
func NewTokens(audience *Service, users *user.Service, spaces *space.Service, key []byte) *Tokens {
	return &Tokens{audience: audience, users: users, spaces: spaces, key: key}
}

// Issue returns a token for a visitor who was let in, and who begins at a site
// space.
func (t *Tokens) Issue(ctx context.Context, visit *Visit, credentials Credentials, at *site.SiteSpace) (string, error) {
	shown := visit.Structure.Site
	token := siteToken{
		Kind: kindSite, OrganizationID: shown.OrganizationID, SiteID: shown.ID, SiteSpaceID: at.ID, SpaceID: at.SpaceID,
		Claims: visit.Claims, Version: versionOf(visit.Structure),
		RegisteredClaims: jwt.RegisteredClaims{ExpiresAt: jwt.NewNumericDate(t.end(visit.TokenExpires))},
	}
	if at.Section != nil {
		token.SectionID = at.Section.ID
	}
	switch {
	case visit.member:
		token.Admission.AccessTokenID = access.From(ctx).TokenID
	case visit.Preview:
		token.Admission.Preview = credentials.Preview
	case shown.Visibility == enum.SiteVisitorAuth:
		name, err := t.nameOfKey(shown)
		if err != nil {
			return "", err
		}
		token.Admission.Key = name
	default:
		token.Admission.ShareKey = visit.ShareKey
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, token).SignedString(t.key)
}

// end is when a token that is issued now ends. It does not outlive the
// visitor's own by more than shortestTime.
func (t *Tokens) end(own time.Time) time.Time {
	now := t.audience.now()
	end := now.Truncate(tokenStep).Add(tokenStep + tokenTime)
	if own.IsZero() || own.After(end) {
		return end
	}
	if soonest := now.Add(shortestTime); own.Before(soonest) {
		return soonest
	}
	return own
}

// nameOfKey tells keys of sites apart without telling them.
func (t *Tokens) nameOfKey(of *site.Site) (string, error) {
	key, err := t.audience.sites.PrivateKey(of)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:8]), nil
}

// IsToken tells whether a text has the form of a site content token.
func IsToken(text string) bool {
	return strings.HasPrefix(text, "eyJ") && strings.Count(text, ".") == 2
}

// Open returns the visitor that a token stands for, by the site as it is now.
// It returns UNAUTHENTICATED when the token is not valid or its visitor would
// not be let in any more, without saying which.
func (t *Tokens) Open(ctx context.Context, text string) (*access.Viewer, error) {
	var read siteToken
	_, err := jwt.ParseWithClaims(text, &read, func(*jwt.Token) (any, error) { return t.key, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithExpirationRequired(), jwt.WithTimeFunc(t.audience.now))
	if err != nil || read.Kind != kindSite {
		return nil, fault.New(fault.Unauthenticated, "the site content token is not valid")
	}
	visit, drafts, err := t.readmit(ctx, &read)
	if code := fault.CodeOf(err); code == fault.NotFound || code == fault.Unauthenticated {
		return nil, fault.New(fault.Unauthenticated, "the site content token is not valid")
	}
	if err != nil {
		return nil, err
	}
	visitor, err := visitorOf(visit)
	if err != nil {
		return nil, err
	}
	visitor.Token, visitor.Drafts = text, drafts
	return &access.Viewer{Expires: read.ExpiresAt.Time, Visitor: visitor}, nil
}

// readmit looks again at why the visitor was let in. drafts are the spaces whose
// unpublished content they may read.
func (t *Tokens) readmit(ctx context.Context, read *siteToken) (visit *Visit, drafts map[string]bool, err error) {
	found, err := t.audience.sites.Find(ctx, site.Lookup{ID: read.SiteID})
	if err != nil {
		return nil, nil, err
	}
	if found.Site.OrganizationID != read.OrganizationID {
		return nil, nil, fault.Missing("site")
	}
	visit = t.audience.newVisit(found)
	if read.Admission.Preview != "" {
		visit, err = t.audience.preview(visit, read.Admission.Preview)
		return visit, nil, err
	}
	ctx = access.WithViewer(ctx, &access.Viewer{TokenID: read.Admission.AccessTokenID})
	if read.Admission.AccessTokenID != "" {
		member, err := t.users.Renew(ctx)
		if err != nil {
			return nil, nil, err
		}
		ctx = access.WithViewer(ctx, member)
	}
	name, err := t.nameOfKey(found.Site)
	if err != nil {
		return nil, nil, err
	}
	if err := t.audience.admit(ctx, visit, Credentials{ShareKey: read.Admission.ShareKey}, read.Admission.Key == name); err != nil {
		return nil, nil, err
	}
	schema, err := found.VisitorSchema()
	if err != nil {
		return nil, nil, err
	}
	if schema != nil && read.Claims != nil {
		visit.Claims = read.Claims
	}
	visit = t.audience.limited(visit)
	if visit.member {
		drafts, err = t.readable(ctx, visit.Structure)
	}
	return visit, drafts, err
}

// readable are the spaces of a structure that a member may read by their own
// rights.
func (t *Tokens) readable(ctx context.Context, of *site.Structure) (map[string]bool, error) {
	ids := make([]string, len(of.SiteSpaces))
	for index, each := range of.SiteSpaces {
		ids[index] = each.SpaceID
	}
	found, err := t.spaces.ByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	readable := make(map[string]bool, len(found))
	for id := range found {
		readable[id] = true
	}
	return readable, nil
}

// visitorOf is the caller who sees what the visit does.
func visitorOf(visit *Visit) (*access.Visitor, error) {
	shown := visit.Structure.Site
	visitor := &access.Visitor{
		SiteID: shown.ID, OrganizationID: shown.OrganizationID, ShareKey: visit.ShareKey, Claims: visit.Claims,
		Sections: map[string]bool{}, SiteSpaces: map[string]bool{}, Spaces: map[string]string{}, Variables: visit.Variables,
	}
	for _, section := range visit.Structure.Sections {
		visitor.Sections[section.ID] = true
	}
	for _, each := range visit.Structure.SiteSpaces {
		visitor.SiteSpaces[each.ID] = true
		visitor.Spaces[each.SpaceID] = each.Space.RevisionID
	}
	var lock sync.Mutex
	visitor.Holds = func(condition string, variables map[string]any) bool {
		lock.Lock()
		defer lock.Unlock()
		return visit.Holds(&condition, variables)
	}
	encoded, err := json.Marshal(visit.Claims)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(encoded)
	visitor.Key = hex.EncodeToString(sum[:16])
	var settings struct{ Git struct{ ShowEditLink bool } }
	err = json.Unmarshal(shown.Customization(), &settings)
	visitor.Git = settings.Git.ShowEditLink
	return visitor, err
}

// versionOf changes whenever anything does that the structure shows.
func versionOf(structure *site.Structure) string {
	shown := map[string]any{"site": structure.Site.Site, "address": structure.PublishedURL()}
	for _, group := range structure.Groups {
		shown[group.ID] = group.SiteSectionGroup
	}
	for _, section := range structure.Sections {
		shown[section.ID] = section.SiteSection
	}
	for _, each := range structure.SiteSpaces {
		shown[each.ID] = []any{each.SiteSpace, each.Space.RevisionID, each.Space.Title, each.Space.UpdatedAt}
	}
	sum := sha256.New()
	// A hash takes everything, and rows can be encoded.
	encoder := json.NewEncoder(sum)
	for _, id := range slices.Sorted(maps.Keys(shown)) {
		_ = encoder.Encode([]any{id, shown[id]})
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
