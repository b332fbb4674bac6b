// Package access decides who may do what: callers, roles, scopes, and the
// rules that turn memberships and grants into a role in a space.
package access

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"octavo/internal/fault"
)

// Scope limits what a token may be used for.
type Scope string

// The scopes. A token without any has them all.
const (
	ScopeRead  Scope = "read"
	ScopeWrite Scope = "write"
	ScopeAdmin Scope = "admin" // people, settings and tokens
)

// Scopes lists every scope.
var Scopes = []Scope{ScopeRead, ScopeWrite, ScopeAdmin}

// Viewer is the caller of an operation. The zero Viewer is nobody.
type Viewer struct {
	// UserID is empty when the caller is nobody.
	UserID string
	// TokenID is the personal access token that the caller came with.
	TokenID string
	// Scopes of that token; empty means all.
	Scopes []Scope
	// Expires is when that token ends by itself; zero is never.
	Expires time.Time
	// Memberships maps the id of each organization that the caller belongs to
	// to their role in it. Disabled memberships are left out.
	Memberships map[string]Role
	// Visitor is set for those who read a site by a site content token.
	Visitor *Visitor
	// system is why Octavo itself acts, past the tenant fence.
	system string
}

type viewerKey struct{}

// WithViewer returns a context whose operations are done by the viewer.
func WithViewer(ctx context.Context, viewer *Viewer) context.Context {
	return context.WithValue(ctx, viewerKey{}, viewer)
}

var nobody = &Viewer{}

// WithReplaceable returns a context of the same viewer, who can be replaced
// while the operation goes on: that of a stream, which reads the caller's
// rights anew for each thing that it sends.
func WithReplaceable(ctx context.Context) (replaceable context.Context, replace func(*Viewer)) {
	current := new(atomic.Pointer[Viewer])
	current.Store(From(ctx))
	return context.WithValue(ctx, viewerKey{}, current), current.Store
}

// From returns the caller of the operation; it is never nil.
func From(ctx context.Context) *Viewer {
	switch viewer := ctx.Value(viewerKey{}).(type) {
	case *Viewer:
		return viewer
	case *atomic.Pointer[Viewer]:
		return viewer.Load()
	default:
		return nobody
	}
}

// System returns a context in which Octavo itself acts: the tenant fence is
// open. reason says why; every use can be found by searching for this name.
// The user behind the operation, if any, is kept.
func System(ctx context.Context, reason string) context.Context {
	viewer := *From(ctx)
	viewer.system = reason
	return WithViewer(ctx, &viewer)
}

// IsSystem tells whether Octavo itself acts.
func (v *Viewer) IsSystem() bool { return v.system != "" }

// Organizations returns the ids of the caller's organizations, sorted. For the
// tenant fence a visitor is in that of their site.
func (v *Viewer) Organizations() []string {
	if v.Visitor != nil {
		return []string{v.Visitor.OrganizationID}
	}
	ids := make([]string, 0, len(v.Memberships))
	for id := range v.Memberships {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// RoleIn returns the caller's role in an organization; member is false for
// those who do not belong to it. A guest is a member with the role None.
func (v *Viewer) RoleIn(organizationID string) (role Role, member bool) {
	role, member = v.Memberships[organizationID]
	return role, member
}

// Authenticated returns the caller when there is one, or UNAUTHENTICATED.
func Authenticated(ctx context.Context) (*Viewer, error) {
	viewer := From(ctx)
	if viewer.UserID == "" && viewer.Visitor == nil && !viewer.IsSystem() {
		return nil, fault.New(fault.Unauthenticated, "an access token is required")
	}
	return viewer, nil
}

// Allow returns the caller when there is one whose token has the scope;
// otherwise UNAUTHENTICATED or FORBIDDEN.
func Allow(ctx context.Context, scope Scope) (*Viewer, error) {
	viewer, err := Authenticated(ctx)
	if err != nil {
		return nil, err
	}
	if !viewer.HasScope(scope) {
		return nil, viewer.refused(scope)
	}
	return viewer, nil
}

// HasScope tells whether the caller's token may be used for the scope. Write
// includes read, admin includes both.
func (v *Viewer) HasScope(scope Scope) bool {
	if v.IsSystem() {
		return true
	}
	if v.Visitor != nil {
		return v.Visitor.visits(scope)
	}
	if len(v.Scopes) == 0 {
		return true
	}
	for _, held := range v.Scopes {
		if slices.Index(Scopes, held) >= slices.Index(Scopes, scope) {
			return true
		}
	}
	return false
}

// May tells whether the caller, who holds a role where something is done, may do
// it with the token that they came with.
func (v *Viewer) May(scope Scope, held, minimum Role) bool {
	return held >= minimum && v.HasScope(scope)
}

// Member returns the caller's role in the organization. The organization of a
// stranger is NOT_FOUND.
func Member(ctx context.Context, organizationID string, scope Scope) (Role, error) {
	viewer, err := Allow(ctx, scope)
	if err != nil {
		return None, err
	}
	if viewer.IsSystem() {
		return Admin, nil
	}
	role, member := viewer.RoleIn(organizationID)
	if !member {
		return None, fault.Missing("organization")
	}
	return role, nil
}

// Require checks that the caller has at least the given role in the
// organization: FORBIDDEN otherwise, NOT_FOUND for strangers.
func Require(ctx context.Context, organizationID string, scope Scope, minimum Role) error {
	role, err := Member(ctx, organizationID, scope)
	if err != nil {
		return err
	}
	if role < minimum {
		return fault.Denied("this needs the role %s in the organization", minimum)
	}
	return nil
}

// ValidateScope returns BAD_USER_INPUT for a scope that does not exist.
func ValidateScope(scope Scope) error {
	if !slices.Contains(Scopes, scope) {
		return fault.Invalid("scopes", "%q is not one of read, write, admin", scope)
	}
	return nil
}

// Values lists the scopes.
func (Scope) Values() []string { return []string{"read", "write", "admin"} }
