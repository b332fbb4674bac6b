// Package audience decides who sees what of a published site: by its
// visibility, by the token or key that a visitor brings along, and by the
// conditions on sections, site spaces, pages and blocks. The pages that Octavo
// renders, its search, its machine-readable forms and the API for other
// renderers all ask here, so that none of them shows what another hides.
package audience

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"octavo/internal/access"
	"octavo/internal/cache"
	"octavo/internal/condition"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/site"
)

const (
	// maximumToken bounds the token of a visitor, in bytes.
	maximumToken = 8 << 10
	// maximumStated bounds how many claims a visitor may state of themselves.
	maximumStated = 50
	// clockSkew is how far the clock of whoever signs tokens may be off.
	clockSkew = 30 * time.Second
)

// TokenParameter is the query parameter of a visitor's token.
const TokenParameter = "jwt_token"

// Credentials are what a visitor brings along; all of it may be empty.
type Credentials struct {
	// ShareKey is the key of a share link.
	ShareKey string
	// Token is a JWT signed with the key of the site.
	Token string
	// Stated are claims that nobody signed.
	Stated map[string]any
	// Preview is the token of a preview's address.
	Preview string
}

// Visit is a site as one visitor sees it.
type Visit struct {
	// Structure has what the visitor may see, and nothing else.
	Structure *site.Structure
	// Claims of the visitor that the site accepts.
	Claims map[string]any
	// ShareKey is the key by which the visitor came in, where one is needed.
	ShareKey string
	// TokenExpires is when the visitor's token ends; zero without a valid one.
	TokenExpires time.Time
	// Preview tells that this is a look at the site that its audience does not
	// have.
	Preview bool

	// member tells that it is by a member of the site's organization.
	member     bool
	conditions map[string]*condition.Expression
}

// NeedsToken is the error for a site whose visitors have to be authenticated
// elsewhere. FallbackURL is where that is done; it is never empty.
type NeedsToken struct{ FallbackURL string }

// Error implements error.
func (n *NeedsToken) Error() string { return "visitors of this site have to be authenticated" }

// Service decides.
type Service struct {
	sites *site.Service
	now   func() time.Time
	// seen holds what visitors see of structures.
	seen *cache.Cache[seenKey, *site.Structure]
}

// seenKey names what visitors with the same key see of a structure.
type seenKey struct {
	whole   *site.Structure
	visitor string
}

// seenCacheSize bounds what visitors see of structures in memory, in bytes.
const seenCacheSize = 16 << 20

// NewService returns a service that knows the sites.
func NewService(sites *site.Service) *Service {
	return &Service{sites: sites, now: time.Now, seen: cache.New[seenKey, *site.Structure](seenCacheSize)}
}

// Visit admits a visitor to a site that was found. Whoever may not see it is
// told NOT_FOUND, as if it did not exist, or, where the site says where visitors
// are authenticated, *NeedsToken. Members of the site's organization, by their
// own access token, see it published or not.
func (s *Service) Visit(ctx context.Context, found *site.Structure, credentials Credentials) (*Visit, error) {
	visit := s.newVisit(found)
	if credentials.Preview != "" {
		return s.preview(visit, credentials.Preview)
	}
	signed, expires := s.verify(found.Site, credentials.Token)
	visit.TokenExpires = expires
	if err := s.admit(ctx, visit, credentials, signed != nil); err != nil {
		return nil, err
	}
	schema, err := found.VisitorSchema()
	if err != nil {
		return nil, err
	}
	if schema != nil {
		visit.Claims = schema.Accept(signed, credentials.Stated)
	}
	return s.limited(visit), nil
}

func (s *Service) newVisit(found *site.Structure) *Visit {
	return &Visit{Structure: found, Claims: map[string]any{}}
}

// preview shows the site to the holder of an address that its organization made.
func (s *Service) preview(visit *Visit, token string) (*Visit, error) {
	opened, err := s.sites.OpenPreview(token)
	if err != nil {
		return nil, err
	}
	if opened.SiteID != visit.Structure.Site.ID {
		return nil, fault.Missing("site")
	}
	visit.Preview = true
	if opened.Claims != nil {
		visit.Claims = opened.Claims
	}
	return s.limited(visit), nil
}

func (s *Service) admit(ctx context.Context, visit *Visit, credentials Credentials, authenticated bool) error {
	shown := visit.Structure.Site
	if isMember(ctx, shown) {
		visit.Preview, visit.member = !shown.Published, true
		if shown.Visibility != enum.SiteShareLink {
			return nil
		}
		_, err := s.opens(ctx, visit, credentials.ShareKey)
		return err
	}
	if !shown.Published {
		return fault.Missing("site")
	}
	switch shown.Visibility {
	case enum.SitePublic, enum.SiteUnlisted:
		return nil
	case enum.SiteShareLink:
		valid, err := s.opens(ctx, visit, credentials.ShareKey)
		if err == nil && !valid {
			err = fault.Missing("site")
		}
		return err
	case enum.SiteVisitorAuth:
		if authenticated {
			return nil
		}
		if shown.FallbackURL != nil && *shown.FallbackURL != "" {
			return &NeedsToken{FallbackURL: *shown.FallbackURL}
		}
	}
	return fault.Missing("site")
}

// opens tells whether a key is that of a share link of the site. If so, the
// visitor came in by it.
func (s *Service) opens(ctx context.Context, visit *Visit, key string) (bool, error) {
	valid, err := s.sites.Opens(ctx, visit.Structure, key)
	if err == nil && valid {
		visit.ShareKey = key
	}
	return valid, err
}

// isMember tells whether the caller reads the site by their own rights.
func isMember(ctx context.Context, shown *site.Site) bool {
	viewer := access.From(ctx)
	if viewer.UserID == "" || !viewer.HasScope(access.ScopeRead) {
		return false
	}
	role, member := viewer.RoleIn(shown.OrganizationID)
	return member && role >= access.Read
}

// verify returns the claims of a token that the site's key signed and that is
// valid now; nil for any other. Tokens are signed with HS256 and have to expire.
func (s *Service) verify(shown *site.Site, token string) (claims map[string]any, expires time.Time) {
	if token == "" || len(token) > maximumToken {
		return nil, time.Time{}
	}
	key, err := s.sites.PrivateKey(shown)
	if err != nil {
		return nil, time.Time{}
	}
	read := jwt.MapClaims{}
	_, err = jwt.ParseWithClaims(token, read, func(*jwt.Token) (any, error) { return []byte(key), nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithExpirationRequired(),
		jwt.WithLeeway(clockSkew), jwt.WithTimeFunc(s.now))
	if err != nil {
		return nil, time.Time{}
	}
	until, err := read.GetExpirationTime()
	if err != nil {
		return nil, time.Time{}
	}
	return read, until.Time
}

// limited leaves out of the structure what its conditions hide, and gives it the
// addresses of the share link by which the visitor came in.
func (s *Service) limited(visit *Visit) *Visit {
	key := seenKey{visit.Structure, visit.Key()}
	if known, is := s.seen.Get(key); is {
		visit.Structure = known
		return visit
	}
	visit.Structure = visit.Structure.Where(func(item site.Item) bool {
		switch item := item.(type) {
		case *site.Section:
			return visit.Holds(item.Condition, nil)
		case *site.SiteSpace:
			return visit.Holds(item.Condition, nil)
		}
		return true
	})
	if visit.ShareKey != "" {
		visit.Structure = visit.Structure.WithShareKey(visit.ShareKey)
	}
	if size := key.whole.Size(); size > 0 {
		s.seen.Add(key, visit.Structure, size+int64(len(key.visitor)))
	}
	return visit
}

// Holds tells whether a condition lets the visitor see something; nil and the
// empty condition do. One that cannot be read or evaluated does not. variables
// are what it can read beside the visitor's claims.
func (v *Visit) Holds(text *string, variables map[string]any) bool {
	if text == nil || *text == "" {
		return true
	}
	parsed, known := v.conditions[*text]
	if !known {
		// What was stored was checked; if it cannot be read all the same, nobody sees it.
		parsed, _ = condition.Parse("condition", *text)
		if v.conditions == nil {
			v.conditions = map[string]*condition.Expression{}
		}
		v.conditions[*text] = parsed
	}
	return parsed != nil && parsed.Holds(v.Variables(variables))
}

// Variables are what expressions read: those given and the visitor's claims.
func (v *Visit) Variables(others map[string]any) map[string]any {
	all := map[string]any{"visitor": map[string]any{"claims": v.Claims}}
	maps.Copy(all, others)
	return all
}

// Key tells visitors apart who may see different things: those with the same key
// see the same.
func (v *Visit) Key() string {
	key := v.ShareKey
	if v.Preview {
		// What search engines are told differs.
		key += "\npreview"
	}
	return key + "\n" + v.claimsKey()
}

// claimsKey tells apart visitors whose claims differ.
func (v *Visit) claimsKey() string {
	if len(v.Claims) == 0 {
		return ""
	}
	// Maps are written with sorted keys; claims came from JSON.
	encoded, err := json.Marshal(v.Claims)
	if err != nil {
		return strconv.FormatInt(time.Now().UnixNano(), 36)
	}
	return string(encoded)
}

// Indexable tells whether search engines may list what the visitor sees.
func (v *Visit) Indexable() bool {
	return !v.Preview && v.Structure.Site.Published && v.Structure.Site.Visibility == enum.SitePublic
}

// Stated reads the claims that a visitor states in the query of an address:
// visitor.plan=pro, visitor.flags.beta=true. Values that look like booleans or
// numbers are; further ones than 50 are not read.
func Stated(query map[string][]string) map[string]any {
	stated := map[string]any{}
	count := 0
	for _, name := range slices.Sorted(maps.Keys(query)) {
		path, is := strings.CutPrefix(name, "visitor.")
		if !is || path == "" || len(query[name]) == 0 {
			continue
		}
		if count++; count > maximumStated {
			break
		}
		state(stated, strings.Split(path, "."), primitive(query[name][0]))
	}
	return stated
}

func state(claims map[string]any, path []string, value any) {
	if len(path) == 1 {
		claims[path[0]] = value
		return
	}
	inner, is := claims[path[0]].(map[string]any)
	if !is {
		inner = map[string]any{}
		claims[path[0]] = inner
	}
	state(inner, path[1:], value)
}

func primitive(text string) any {
	switch text {
	case "true":
		return true
	case "false":
		return false
	}
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		return number
	}
	return text
}

// IsNeedsToken tells whether an error sends the visitor elsewhere to be
// authenticated, and where.
func IsNeedsToken(err error) (*NeedsToken, bool) {
	var needs *NeedsToken
	is := errors.As(err, &needs)
	return needs, is
}
