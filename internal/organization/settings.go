package organization

import (
	"context"
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"octavo/ent"
	"octavo/ent/member"
	"octavo/ent/site"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/fault"
	"octavo/internal/mergerule"
)

const (
	maximumEmailDomains = 100
	maximumDomain       = 253
	maximumLogo         = 2048
)

// Changes to the settings of an organization; nil leaves a setting as it is.
type Changes struct {
	Title    *string
	Hostname *string
	// EmailDomains are kept in lower case, each once, international ones in
	// their ASCII form.
	EmailDomains *[]string
	// DefaultRole makes new members guests when it is None.
	DefaultRole *access.Role
	// DefaultSite is removed by an empty text.
	DefaultSite *string
	// Logo is removed by an empty text.
	Logo        *string
	SSO         *bool
	AI          *bool
	InviteLinks *bool
	// MergeRules of the type inherit are taken as none: there is nothing above
	// an organization.
	MergeRules *mergerule.Rules
}

// Update changes the settings of an organization. It needs the role admin. A
// hostname that another organization has is BAD_USER_INPUT.
func (s *Service) Update(ctx context.Context, id string, changes Changes) (*Organization, error) {
	if err := access.Require(ctx, id, access.ScopeAdmin, access.Admin); err != nil {
		return nil, err
	}
	if err := changes.normalize(); err != nil {
		return nil, err
	}
	err := s.database.Write(ctx, func(ctx context.Context) error {
		before, err := s.lock(ctx, id)
		if err != nil {
			return err
		}
		if err := s.checkReviewers(ctx, id, changes.MergeRules); err != nil {
			return err
		}
		if err := s.checkSite(ctx, id, changes.DefaultSite); err != nil {
			return err
		}
		after, err := changes.apply(s.database.Client(ctx).Organization.UpdateOne(before)).Save(ctx)
		if ent.IsConstraintError(err) && changes.Hostname != nil {
			return hostnameTaken(*changes.Hostname)
		}
		if err != nil {
			return err
		}
		return s.recordSettings(ctx, before, after)
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

// lock locks an organization until the transaction in progress ends, and checks
// that the caller is an administrator of it still: another administrator may
// have changed that since the request began.
func (s *Service) lock(ctx context.Context, id string) (*ent.Organization, error) {
	if err := s.database.Lock(ctx, "organizations", id); err != nil {
		return nil, err
	}
	if viewer := access.From(ctx); !viewer.IsSystem() {
		if err := s.checkAdministrator(ctx, id, viewer.UserID); err != nil {
			return nil, err
		}
	}
	found, err := s.database.Client(ctx).Organization.Get(ctx, id)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("organization")
	}
	return found, err
}

func (s *Service) checkAdministrator(ctx context.Context, id, userID string) error {
	is, err := s.database.Client(ctx).Member.Query().
		Where(member.OrganizationID(id), member.UserID(userID), member.RoleEQ(access.Admin), member.Disabled(false)).Exist(ctx)
	if err != nil {
		return err
	}
	if !is {
		return fault.Denied("this needs the role %s in the organization", access.Admin)
	}
	return nil
}

// checkReviewers refuses rules that name people who are no members.
func (s *Service) checkReviewers(ctx context.Context, id string, rules *mergerule.Rules) error {
	if rules == nil {
		return nil
	}
	var named []string
	for _, rule := range rules.Rules {
		named = append(named, rule.Users...)
	}
	if len(named) == 0 {
		return nil
	}
	members, err := s.database.Client(ctx).Member.Query().
		Where(member.OrganizationID(id), member.UserIDIn(named...)).Select(member.FieldUserID).Strings(ctx)
	if err != nil {
		return err
	}
	for _, userID := range named {
		if !slices.Contains(members, userID) {
			return fault.Invalid("mergeRules.rules.users", "%q is not a member of the organization", userID)
		}
	}
	return nil
}

// checkSite refuses a site that is not the organization's.
func (s *Service) checkSite(ctx context.Context, id string, siteID *string) error {
	if siteID == nil || *siteID == "" {
		return nil
	}
	exists, err := s.database.Client(ctx).Site.Query().Where(site.ID(*siteID), site.OrganizationID(id)).Exist(ctx)
	if err != nil {
		return err
	}
	if !exists {
		return fault.Invalid("defaultContent.site", "%q is not a site of the organization", *siteID)
	}
	return nil
}

func hostnameTaken(hostname string) error {
	return fault.Invalid("hostname", "%q is taken by another organization", hostname)
}

// normalize checks the changes and brings them into the form in which they are
// kept.
func (c *Changes) normalize() error {
	if c.Title != nil {
		if err := validateTitle(*c.Title); err != nil {
			return err
		}
	}
	if c.Hostname != nil {
		if err := validateHostname(*c.Hostname); err != nil {
			return err
		}
	}
	if c.EmailDomains != nil {
		domains, err := normalDomains(*c.EmailDomains)
		if err != nil {
			return err
		}
		c.EmailDomains = &domains
	}
	if c.Logo != nil && *c.Logo != "" {
		if err := validateLogo(*c.Logo); err != nil {
			return err
		}
	}
	return c.normalizeMergeRules()
}

func (c *Changes) normalizeMergeRules() error {
	if c.MergeRules == nil {
		return nil
	}
	if err := c.MergeRules.Validate(); err != nil {
		return err
	}
	if c.MergeRules.Type == mergerule.Inherit {
		c.MergeRules = &mergerule.Rules{Type: mergerule.None}
	}
	return nil
}

func validateTitle(title string) error {
	if length := utf8.RuneCountInString(strings.TrimSpace(title)); length < minimumTitle || length > maximumTitle {
		return fault.Invalid("title", "%d to %d characters, got %d", minimumTitle, maximumTitle, length)
	}
	return nil
}

func validateHostname(hostname string) error {
	if length := len(hostname); length < minimumHostname || length > maximumHostname || !hostnamePattern.MatchString(hostname) {
		return fault.Invalid("hostname", "%d to %d lower-case letters, digits and inner hyphens, got %q", minimumHostname, maximumHostname, hostname)
	}
	return nil
}

func validateLogo(logo string) error {
	if length := len(logo); length > maximumLogo {
		return fault.Invalid("logo", "at most %d characters, got %d", maximumLogo, length)
	}
	parsed, err := url.Parse(logo)
	if err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" {
		return fault.Invalid("logo", "%q is not an absolute http or https address", logo)
	}
	return nil
}

func normalDomains(given []string) ([]string, error) {
	if len(given) > maximumEmailDomains {
		return nil, fault.Invalid("emailDomains", "at most %d domains, got %d", maximumEmailDomains, len(given))
	}
	domains := make([]string, 0, len(given))
	for _, text := range given {
		domain, err := normalDomain(text)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(domains, domain) {
			domains = append(domains, domain)
		}
	}
	return domains, nil
}

// normalDomain is the name of a domain in lower-case ASCII. It needs two labels:
// nobody has an address directly below the root.
func normalDomain(text string) (string, error) {
	domain, err := idna.Lookup.ToASCII(strings.ToLower(strings.TrimSpace(text)))
	if err != nil || len(domain) > maximumDomain || !domainPattern.MatchString(domain) {
		return "", fault.Invalid("emailDomains", "%q is not a domain name", text)
	}
	return domain, nil
}

func (c *Changes) apply(update *ent.OrganizationUpdateOne) *ent.OrganizationUpdateOne {
	update.SetNillableTitle(c.Title).SetNillableHostname(c.Hostname).SetNillableDefaultRole(c.DefaultRole).
		SetNillableSSO(c.SSO).SetNillableAi(c.AI).SetNillableInviteLinks(c.InviteLinks).SetNillableMergeRules(c.MergeRules)
	if c.EmailDomains != nil {
		update.SetEmailDomains(*c.EmailDomains)
	}
	switch {
	case c.DefaultSite == nil:
	case *c.DefaultSite == "":
		update.ClearDefaultContent()
	default:
		update.SetDefaultContent(siteContent(*c.DefaultSite))
	}
	switch {
	case c.Logo == nil:
	case *c.Logo == "":
		update.ClearLogo()
	default:
		update.SetLogo(*c.Logo)
	}
	return update
}

// siteContent is the default content that is a site.
func siteContent(siteID string) json.RawMessage {
	// The id of a site that exists needs no escaping.
	return json.RawMessage(`{"type":"site","site":"` + siteID + `"}`)
}

// recordSettings writes what changed into the audit log, if anything did.
func (s *Service) recordSettings(ctx context.Context, before, after *ent.Organization) error {
	old, changed := settingsOf(before), settingsOf(after)
	for name := range old {
		if reflect.DeepEqual(old[name], changed[name]) {
			delete(old, name)
			delete(changed, name)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return audit.Record(ctx, s.database, audit.Change{
		OrganizationID: before.ID, Action: audit.OrganizationUpdated, SubjectID: before.ID, Before: old, After: changed,
	})
}

func settingsOf(row *ent.Organization) map[string]any {
	return map[string]any{
		"title": row.Title, "hostname": row.Hostname, "emailDomains": row.EmailDomains, "defaultRole": row.DefaultRole,
		"defaultContent": row.DefaultContent, "logo": row.Logo, "sso": row.SSO, "ai": row.Ai,
		"inviteLinks": row.InviteLinks, "mergeRules": row.MergeRules,
	}
}
