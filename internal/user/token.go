package user

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	stdsql "database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	"octavo/ent/accesstoken"
	"octavo/ent/member"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/database"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/pagination"
)

const (
	tokenPrefix      = "oct_"
	tokenBytes       = 32
	minimumToken     = 16 // characters of a token given by the operator
	hintLength       = 4
	maximumTokenName = 100
)

// NewToken describes an access token to be made.
type NewToken struct {
	Name string
	// Scopes of the token; none means all.
	Scopes    []access.Scope
	ExpiresAt *time.Time
	// Secret is used instead of a generated one; at least 16 characters.
	Secret string
}

// CreateToken makes an access token for the caller and returns it with its
// secret, which cannot be read again. A token never gets a scope that the
// token which makes it lacks.
func (s *Service) CreateToken(ctx context.Context, token NewToken) (*ent.AccessToken, string, error) {
	viewer, err := access.Allow(ctx, access.ScopeAdmin)
	if err != nil {
		return nil, "", err
	}
	return s.CreateTokenOf(ctx, viewer.UserID, token)
}

// CreateTokenOf makes an access token for any person: the operator's command.
func (s *Service) CreateTokenOf(ctx context.Context, userID string, token NewToken) (*ent.AccessToken, string, error) {
	if err := token.validate(); err != nil {
		return nil, "", err
	}
	secret := token.Secret
	if secret == "" {
		random := make([]byte, tokenBytes)
		rand.Read(random)
		secret = tokenPrefix + base64.RawURLEncoding.EncodeToString(random)
	}
	scopes := make([]string, len(token.Scopes))
	for index, scope := range token.Scopes {
		scopes[index] = string(scope)
	}
	create := func(ctx context.Context) *ent.AccessTokenCreate {
		create := s.database.Client(ctx).AccessToken.Create().
			SetUserID(userID).SetName(token.Name).SetHash(hashToken(secret)).
			SetHint(secret[len(secret)-hintLength:]).SetScopes(scopes)
		if token.ExpiresAt != nil {
			create.SetExpiresAt(token.ExpiresAt.UTC().Truncate(time.Microsecond))
		}
		return create
	}
	var created *ent.AccessToken
	err := s.database.Write(ctx, func(ctx context.Context) error {
		var err error
		if created, err = create(ctx).Save(ctx); err != nil {
			return err
		}
		return s.record(ctx, audit.AccessTokenCreated, created)
	})
	if ent.IsConstraintError(err) {
		return nil, "", fault.New(fault.Conflict, "this token exists already, or its user does not")
	}
	return created, secret, err
}

// record writes what happened to a token into the audit log of each
// organization that it reaches.
func (s *Service) record(ctx context.Context, action audit.Action, token *ent.AccessToken) error {
	memberships, err := s.database.Client(ctx).Member.Query().Where(member.UserID(token.UserID)).
		All(access.System(ctx, "a token reaches organizations that the caller may not be a member of"))
	if err != nil {
		return err
	}
	described := map[string]any{"user": token.UserID, "name": token.Name, "scopes": token.Scopes, "expiresAt": token.ExpiresAt}
	changes := make([]audit.Change, len(memberships))
	for index, membership := range memberships {
		changes[index] = audit.Change{OrganizationID: membership.OrganizationID, Action: action, SubjectID: token.ID, After: described}
		if action == audit.AccessTokenRevoked {
			changes[index].Before, changes[index].After = described, nil
		}
	}
	return audit.Record(ctx, s.database, changes...)
}

func (t NewToken) validate() error {
	if length := utf8.RuneCountInString(strings.TrimSpace(t.Name)); length < 1 || length > maximumTokenName {
		return fault.Invalid("name", "1 to %d characters, got %d", maximumTokenName, length)
	}
	for _, scope := range t.Scopes {
		if err := access.ValidateScope(scope); err != nil {
			return err
		}
	}
	if t.ExpiresAt != nil && !t.ExpiresAt.After(time.Now()) {
		return fault.Invalid("expiresAt", "%s is in the past", t.ExpiresAt.Format(time.RFC3339))
	}
	if t.Secret != "" && len(t.Secret) < minimumToken {
		return fault.Invalid("secret", "at least %d characters, got %d", minimumToken, len(t.Secret))
	}
	return nil
}

// RevokeToken ends one of the caller's tokens; NOT_FOUND for anybody else's.
// Revoking twice is no error.
func (s *Service) RevokeToken(ctx context.Context, id string) (token *ent.AccessToken, err error) {
	viewer, err := access.Allow(ctx, access.ScopeAdmin)
	if err != nil {
		return nil, err
	}
	err = s.database.Write(ctx, func(ctx context.Context) error {
		token, err = s.revoke(ctx, viewer, id)
		return err
	})
	return token, err
}

func (s *Service) revoke(ctx context.Context, viewer *access.Viewer, id string) (*ent.AccessToken, error) {
	client := s.database.Client(ctx)
	query := client.AccessToken.Query().Where(accesstoken.ID(id))
	if !viewer.IsSystem() {
		query.Where(accesstoken.UserID(viewer.UserID))
	}
	token, err := query.Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("access token")
	}
	if err != nil || token.RevokedAt != nil {
		return token, err
	}
	token, err = client.AccessToken.UpdateOne(token).SetRevokedAt(time.Now().UTC().Truncate(time.Microsecond)).Save(ctx)
	if err != nil {
		return nil, err
	}
	return token, s.record(ctx, audit.AccessTokenRevoked, token)
}

// TokensByID returns those of the caller's tokens that have the ids. A token
// without the scope admin sees none.
func (s *Service) TokensByID(ctx context.Context, ids []string) (map[string]*ent.AccessToken, error) {
	viewer, err := access.Authenticated(ctx)
	if err != nil || !viewer.HasScope(access.ScopeAdmin) {
		return nil, err
	}
	rows, err := s.database.Client(ctx).AccessToken.Query().
		Where(accesstoken.IDIn(ids...), accesstoken.UserID(viewer.UserID)).All(ctx)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*ent.AccessToken, len(rows))
	for _, row := range rows {
		found[row.ID] = row
	}
	return found, nil
}

// Tokens lists a person's tokens, newest first: FORBIDDEN for anybody else's
// than the caller's.
func (s *Service) Tokens(ctx context.Context, userID string, arguments pagination.Arguments) (pagination.Page[*ent.AccessToken], error) {
	viewer, err := access.Allow(ctx, access.ScopeAdmin)
	if err != nil {
		return pagination.Page[*ent.AccessToken]{}, err
	}
	if userID != viewer.UserID && !viewer.IsSystem() {
		return pagination.Page[*ent.AccessToken]{}, fault.Denied("access tokens are shown to their owner only")
	}
	window, err := arguments.Window(pagination.Key{Name: "accessTokens", Order: enum.Descending})
	if err != nil {
		return pagination.Page[*ent.AccessToken]{}, err
	}
	query := s.database.Client(ctx).AccessToken.Query().Where(accesstoken.UserID(userID))
	rows, err := query.Clone().Where(window.Apply).All(ctx)
	if err != nil {
		return pagination.Page[*ent.AccessToken]{}, err
	}
	return pagination.NewPage(window, rows,
		func(token *ent.AccessToken) (string, string) { return "", token.ID }, query.Count), nil
}

// Authenticate returns the viewer that a token's secret stands for, in one
// statement. It returns UNAUTHENTICATED for a secret that is unknown, expired
// or revoked, without saying which.
func (s *Service) Authenticate(ctx context.Context, secret string) (*access.Viewer, error) {
	return s.viewer(ctx, accesstoken.FieldHash, hashToken(secret))
}

// Renew returns the caller of the operation with the scopes and memberships
// that they have now, in one statement. It returns UNAUTHENTICATED when their
// token has expired or was revoked.
func (s *Service) Renew(ctx context.Context) (*access.Viewer, error) {
	return s.viewer(ctx, accesstoken.FieldID, access.From(ctx).TokenID)
}

// viewer is who the valid token with a value in a column stands for.
func (s *Service) viewer(ctx context.Context, column, value string) (*access.Viewer, error) {
	rows, err := validTokens.Query(access.WithViewer(ctx, nobody), s.database, column, value)
	if err != nil {
		return nil, err
	}
	viewer, err := scanViewer(rows)
	if err != nil {
		return nil, err
	}
	if viewer == nil {
		return nil, fault.New(fault.Unauthenticated, "the access token is not valid")
	}
	return viewer, nil
}

var nobody = &access.Viewer{}

// validTokens finds the tokens that are not revoked whose value in a column is
// the name, with the memberships of their owners: one row for each.
var validTokens = database.NewStatement(ent.TypeAccessToken, func(column string, stencil database.Stencil) *sql.Selector {
	dialect := sql.Dialect(stencil.Dialect)
	tokens, members := dialect.Table(accesstoken.Table).As("t"), dialect.Table("members").As("m")
	return dialect.
		Select(tokens.C("id"), tokens.C("user_id"), tokens.C("scopes"), tokens.C("expires_at"), members.C("organization_id"), members.C("role")).
		From(tokens).LeftJoin(members).OnP(sql.And(
		sql.ColumnsEQ(members.C("user_id"), tokens.C("user_id")),
		sql.EQ(members.C("disabled"), false),
	)).
		Where(sql.And(sql.EQ(tokens.C(column), stencil.Names[0]), sql.IsNull(tokens.C("revoked_at"))))
})

// scanViewer returns nil for a token that does not exist or has expired.
func scanViewer(rows database.Rows) (*access.Viewer, error) {
	var viewer *access.Viewer
	err := rows.Each(func(row *stdsql.Rows) error {
		var tokenID, userID string
		var scopes []byte
		var expiresAt stdsql.NullTime
		var organizationID stdsql.NullString
		var role stdsql.NullInt64
		if err := row.Scan(&tokenID, &userID, &scopes, &expiresAt, &organizationID, &role); err != nil {
			return err
		}
		if expiresAt.Valid && !expiresAt.Time.After(time.Now()) {
			return nil
		}
		if viewer == nil {
			viewer = &access.Viewer{UserID: userID, TokenID: tokenID, Expires: expiresAt.Time, Memberships: map[string]access.Role{}}
			if err := json.Unmarshal(scopes, &viewer.Scopes); err != nil {
				return err
			}
		}
		if organizationID.Valid {
			viewer.Memberships[organizationID.String] = access.Role(role.Int64)
		}
		return nil
	})
	return viewer, err
}

func hashToken(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
