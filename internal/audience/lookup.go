package audience

import (
	"context"
	"net/url"
	"strings"

	"octavo/internal/access"
	"octavo/internal/changerequest"
	"octavo/internal/content"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/revision"
	"octavo/internal/site"
	"octavo/internal/space"
)

// maximumAddress bounds the addresses that are looked up, in bytes.
const maximumAddress = 4096

// Request is what a renderer knows of a visitor who asks for an address.
type Request struct {
	URL string
	// Token is the visitor's JWT; empty for none.
	Token string
	// Stated are claims that nobody signed.
	Stated map[string]any
	// RedirectOnError sends a visitor whose token is not valid where they get
	// another one, if the site says where that is.
	RedirectOnError bool
}

// Redirect is where a visitor is sent.
type Redirect struct {
	Target  enum.RedirectTarget
	Address string
}

// Answer is a *Resolved or a *Redirect.
type Answer any

// Resolved is what a visitor gets at an address.
type Resolved struct {
	OrganizationID, SiteID, SiteSpaceID, SpaceID string
	// SectionID is nil on a site without sections.
	SectionID *string
	// ChangeRequestID or RevisionID is that of what a preview shows instead of the
	// published content.
	ChangeRequestID, RevisionID *string
	// Pathname is the path of the page below BasePath, that of the site space;
	// SitePath is that of the site. They are paths of the address that was asked
	// for, escaped; the last two have slashes at both ends.
	Pathname, BasePath, SitePath string
	// Canonical is the public address of the same page.
	Canonical string
	// Complete tells that a longer address with the same beginning leads to the
	// same site space.
	Complete bool
	ShareKey *string
	// Token is a site content token of the visitor.
	Token string
}

// Locator finds what is published at addresses.
type Locator struct{ LocatorParts }

// LocatorParts are what a locator is made of.
type LocatorParts struct {
	Sites          *site.Service
	Audience       *Service
	Tokens         *Tokens
	Content        *Reader
	Spaces         *space.Service
	Revisions      *revision.Store
	ChangeRequests *changerequest.Service
}

// NewLocator returns a locator.
func NewLocator(parts LocatorParts) *Locator { return &Locator{parts} }

// Resolve finds what is published at an address for a visitor: the site space
// that they read there, or where they are sent instead. NOT_FOUND where there is
// nothing for them, whatever the reason; BAD_USER_INPUT for what is no address.
func (l *Locator) Resolve(ctx context.Context, asked Request) (Answer, error) {
	address, err := parseAddress(asked.URL)
	if err != nil {
		return nil, err
	}
	answer, err := l.resolve(ctx, asked, address)
	switch fault.CodeOf(err) {
	case fault.NotFound, fault.Forbidden, fault.Unauthenticated:
		return nil, fault.Missing("content")
	}
	return answer, err
}

func (l *Locator) resolve(ctx context.Context, asked Request, address *url.URL) (Answer, error) {
	found, place, err := l.Sites.FindAt(ctx, address.Host, address.EscapedPath())
	if err != nil {
		return nil, err
	}
	arrival := newArrival(asked, address, place)
	visit, err := l.Audience.Visit(ctx, found, arrival.credentials)
	if needs, is := IsNeedsToken(err); is {
		return arrival.authenticate(asked, needs)
	}
	if err != nil {
		return nil, err
	}
	arrival.enter(visit)
	if elsewhere, err := l.redirect(ctx, visit, arrival); elsewhere != nil || err != nil {
		return elsewhere, err
	}
	return l.resolved(ctx, visit, arrival)
}

func parseAddress(text string) (*url.URL, error) {
	address, err := url.Parse(text)
	if err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" || len(text) > maximumAddress {
		return nil, fault.Invalid("url", "an http or https address of at most %d characters is needed", maximumAddress)
	}
	return address, nil
}

// arrival is an address as far as it was read.
type arrival struct {
	credentials Credentials
	place       site.Place
	// segments of the path below the site, escaped; draft are those of a preview,
	// such as ~/changes/3, and page those behind them.
	segments, draft, page []string
}

func newArrival(asked Request, address *url.URL, place site.Place) *arrival {
	query := address.Query()
	made := &arrival{place: place, segments: segmentsOf(place.Rest), credentials: Credentials{
		Token: asked.Token, Stated: asked.Stated, Preview: query.Get(site.PreviewParameter),
	}}
	if made.credentials.Token == "" {
		made.credentials.Token = query.Get(TokenParameter)
	}
	if made.credentials.Stated == nil {
		made.credentials.Stated = Stated(query)
	}
	if len(made.segments) > 0 {
		made.credentials.ShareKey = made.segments[0]
	}
	return made
}

// segmentsOf are those of an escaped path; empty ones are left out.
func segmentsOf(path string) []string {
	return strings.FieldsFunc(path, func(character rune) bool { return character == '/' })
}

// authenticate sends the visitor where they get a token, unless theirs is not
// valid and they are not to be sent for another one.
func (a *arrival) authenticate(asked Request, needs *NeedsToken) (Answer, error) {
	if a.credentials.Token != "" && !asked.RedirectOnError {
		return nil, fault.Missing("content")
	}
	target, err := url.Parse(needs.FallbackURL)
	if err != nil {
		return nil, err
	}
	query := target.Query()
	query.Set("location", "/"+strings.Join(a.segments, "/"))
	target.RawQuery = query.Encode()
	return &Redirect{Target: enum.RedirectExternal, Address: target.String()}, nil
}

// enter reads the rest of the address once the visitor was let in.
func (a *arrival) enter(visit *Visit) {
	if visit.ShareKey != "" {
		a.place.Base += "/" + a.segments[0]
		a.segments = a.segments[1:]
	}
	for index := 0; index+2 < len(a.segments); index++ {
		if a.segments[index] == "~" && (a.segments[index+1] == "changes" || a.segments[index+1] == "revisions") {
			a.segments, a.draft, a.page = a.segments[:index], a.segments[index:index+3], a.segments[index+3:]
			return
		}
	}
}

// redirect is where the site sends its visitors: to its own host name, or where
// a redirect of a path that is no page's leads.
func (l *Locator) redirect(ctx context.Context, visit *Visit, at *arrival) (Answer, error) {
	shown := visit.Structure.Site
	if at.place.Lookup.Basename != "" && shown.Hostname != nil && shown.Published && shown.Site.Proxy == nil {
		published := visit.Structure.PublishedURL()
		if published != nil {
			return &Redirect{Target: enum.RedirectContent, Address: join(*published, at.segments, at.draft, at.page)}, nil
		}
	}
	if len(at.segments) == 0 || at.draft != nil {
		return nil, nil
	}
	ctx = access.System(ctx, "the audience of a site follows its redirects")
	_, target, err := l.Sites.RedirectOf(ctx, visit.Structure, "/"+strings.Join(at.segments, "/"))
	if fault.CodeOf(err) == fault.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	page, err := l.page(ctx, visit, at)
	if err != nil || page != nil {
		return nil, err
	}
	if published := visit.Structure.PublishedURL(); published != nil && strings.HasPrefix(target+"/", *published+"/") {
		return &Redirect{Target: enum.RedirectContent, Address: target}, nil
	}
	return &Redirect{Target: enum.RedirectExternal, Address: target}, nil
}

// page is the one at the address, or nil.
func (l *Locator) page(ctx context.Context, visit *Visit, at *arrival) (*content.Page, error) {
	location := visit.Structure.Locate(unescaped(at.segments))
	if location.SiteSpace == nil {
		return nil, nil
	}
	read, err := l.Content.Content(ctx, visit, location.SiteSpace)
	if err != nil {
		return nil, err
	}
	path := unescaped(at.segments[location.Segments:])
	if len(path) == 0 {
		return read.Home(), nil
	}
	return read.ByPath(strings.Join(path, "/")), nil
}

func unescaped(segments []string) []string {
	plain := make([]string, len(segments))
	for index, segment := range segments {
		plain[index] = segment
		if text, err := url.PathUnescape(segment); err == nil {
			plain[index] = text
		}
	}
	return plain
}

func join(base string, paths ...[]string) string {
	for _, path := range paths {
		for _, segment := range path {
			base += "/" + segment
		}
	}
	return base
}

func (l *Locator) resolved(ctx context.Context, visit *Visit, at *arrival) (*Resolved, error) {
	location := visit.Structure.Locate(unescaped(at.segments))
	shown := location.SiteSpace
	if shown == nil {
		return nil, fault.Missing("site space")
	}
	before, page := at.segments[:location.Segments], at.segments[location.Segments:]
	if at.draft != nil {
		if len(page) > 0 {
			return nil, fault.Missing("page")
		}
		page = at.page
	}
	address := visit.Structure.Site.Address
	if published := visit.Structure.PublishedURL(); published != nil {
		address = *published
	}
	found := &Resolved{
		OrganizationID: visit.Structure.Site.OrganizationID, SiteID: visit.Structure.Site.ID,
		SiteSpaceID: shown.ID, SpaceID: shown.SpaceID, SectionID: shown.SectionID,
		ShareKey: unlessEmpty(visit.ShareKey), Complete: location.Final || at.draft != nil,
		Pathname: strings.Join(page, "/"), SitePath: at.place.Base + "/", BasePath: join(at.place.Base, before, at.draft) + "/",
		Canonical: join(address, before, at.draft, page),
	}
	if err := l.preview(ctx, visit, at, found); err != nil {
		return nil, err
	}
	token, err := l.Tokens.Issue(ctx, visit, at.credentials, shown)
	found.Token = token
	return found, err
}

// preview finds the change request or revision that the address names. Only
// members of the organization see them, as far as they may read the space.
func (l *Locator) preview(ctx context.Context, visit *Visit, at *arrival, found *Resolved) error {
	if at.draft == nil {
		return nil
	}
	if !visit.member {
		return fault.Missing("preview")
	}
	shown, err := l.Spaces.Require(ctx, found.SpaceID, access.ScopeRead, access.Read)
	if err != nil {
		return err
	}
	if at.draft[1] == "changes" {
		branch, err := l.ChangeRequests.BySpace(ctx, shown.ID, at.draft[2])
		if err != nil {
			return err
		}
		found.ChangeRequestID = &branch.ID
		return nil
	}
	read, err := l.Revisions.InSpace(ctx, shown.ID, at.draft[2])
	if err != nil {
		return err
	}
	found.RevisionID = &read.ID
	return nil
}

func unlessEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
