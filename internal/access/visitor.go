package access

import (
	"context"
	"maps"
	"slices"

	"entgo.io/ent/dialect/sql"

	"octavo/internal/fault"
)

// The scopes below ScopeRead: parts of it that visitors of sites have too. No
// access token is limited to them.
const (
	// scopeContent reads published content and what a site shows around it.
	scopeContent Scope = "content"
	// scopeDrafts reads content that is not, or no more, published.
	scopeDrafts Scope = "drafts"
)

// Visitor is somebody who reads a site by a site content token. They belong to
// no organization: what is here is all that they may read.
type Visitor struct {
	SiteID, OrganizationID string
	// ShareKey is the key of the share link by which they came in.
	ShareKey string
	// Sections and SiteSpaces are the ids of those that they may see.
	Sections, SiteSpaces map[string]bool
	// Spaces maps the ids of the spaces that they may read to the ids of the
	// revisions that are published.
	Spaces map[string]string
	// Drafts are the ids of those whose change requests and other revisions they
	// may read.
	Drafts map[string]bool
	// Token is the one that they came with.
	Token string
	// Claims that the site accepts.
	Claims map[string]any
	// Git tells whether the site shows where its content is edited.
	Git bool
	// Key is the same for visitors who see the same of a text.
	Key string
	// Holds tells whether a condition lets them see something; variables are what
	// it reads beside their claims. It is safe for concurrent use.
	Holds func(condition string, variables map[string]any) bool
	// Variables are what expressions read: those given, and their claims.
	Variables func(others map[string]any) map[string]any
}

// VisitorFrom returns the visitor who does the operation; nil for everybody
// else, and where Octavo itself acts.
func VisitorFrom(ctx context.Context) *Visitor {
	viewer := From(ctx)
	if viewer.IsSystem() {
		return nil
	}
	return viewer.Visitor
}

// Reads tells whether a visitor may read a revision of a space.
func (v *Visitor) Reads(spaceID, revisionID string) bool {
	published, shown := v.Spaces[spaceID]
	return shown && (v.Drafts[spaceID] || published == revisionID)
}

// AllowContent is Allow for reading what is published: visitors of sites may,
// too. What they see of it is limited where it is read.
func AllowContent(ctx context.Context) (*Viewer, error) { return Allow(ctx, scopeContent) }

// AllowDrafts is Allow for reading content that is not published.
func AllowDrafts(ctx context.Context) (*Viewer, error) { return Allow(ctx, scopeDrafts) }

// refused says why a caller lacks a scope.
func (v *Viewer) refused(scope Scope) error {
	if v.Visitor != nil {
		return fault.Denied("a site content token is for reading its site only")
	}
	return fault.Denied("the access token lacks the scope %q", scope)
}

// visits tells whether a visitor has a scope.
func (v *Visitor) visits(scope Scope) bool {
	return scope == scopeContent || scope == scopeDrafts && len(v.Drafts) > 0
}

// role writes the role of the visitor in a space.
func (v *Visitor) role(builder *sql.Builder, spaces columns) {
	if len(v.Spaces) == 0 {
		builder.WriteString("0")
		return
	}
	ids := make([]any, 0, len(v.Spaces))
	for _, id := range v.spaceIDs() {
		ids = append(ids, id)
	}
	builder.WriteString("CASE WHEN ").Ident(spaces.C("id")).WriteString(" IN (").Args(ids...).WriteString(") THEN 1 ELSE 0 END")
}

// spaceIDs are those that they may read, sorted.
func (v *Visitor) spaceIDs() []string { return slices.Sorted(maps.Keys(v.Spaces)) }
