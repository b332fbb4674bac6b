package permission_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/database"
	"octavo/internal/identifier"
	"octavo/internal/user"
)

// large is an organization of many spaces in nested collections, of which a
// member reads most by their many teams.
type large struct {
	*apptest.Server
	member, memberToken string
}

const (
	largeSpaces      = 5_000
	largeCollections = 500 // chains of five
	largeTeams       = 200
)

// enlarge fills the organization. Members get nothing without a grant. Each
// team is granted 20 spaces, and every second one a chain of collections.
func enlarge(t testing.TB, server *apptest.Server) *large {
	t.Helper()
	ctx := access.System(t.Context(), "test")
	client := server.App.Database.Client(ctx)
	on := &large{Server: server}
	on.member, on.memberToken = on.person(t, ctx)
	require.NoError(t, client.Member.Create().SetOrganizationID(server.OrganizationID).SetUserID(on.member).SetRole(access.Read).Exec(ctx))
	first, err := server.As(apptest.Admin).REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", nil), error(nil)
	require.NoError(t, err)
	revision := first.Object(t, http.StatusCreated)["revision"].(string)

	var collections []*ent.CollectionCreate
	var ancestors []*ent.CollectionAncestorCreate
	ids := make([]string, largeCollections)
	for index := range ids {
		ids[index] = identifier.New(identifier.Collection)
		create := client.Collection.Create().SetID(ids[index]).SetOrganizationID(server.OrganizationID).
			SetTitle("Shelf").SetPosition(fmt.Sprintf("%06d", index))
		depth := index % 5
		if depth > 0 {
			create.SetParentID(ids[index-1])
		} else {
			create.SetDefaultLevel(access.None)
		}
		collections = append(collections, create)
		for distance := range depth + 1 {
			ancestors = append(ancestors, client.CollectionAncestor.Create().SetOrganizationID(server.OrganizationID).
				SetCollectionID(ids[index]).SetAncestorID(ids[index-distance]).SetDistance(distance))
		}
	}
	inParts(t, collections, func(part []*ent.CollectionCreate) error { return client.Collection.CreateBulk(part...).Exec(ctx) })
	inParts(t, ancestors, func(part []*ent.CollectionAncestorCreate) error {
		return client.CollectionAncestor.CreateBulk(part...).Exec(ctx)
	})
	spaces := make([]*ent.SpaceCreate, largeSpaces)
	spaceIDs := make([]string, largeSpaces)
	for index := range spaces {
		spaceIDs[index] = identifier.New(identifier.Space)
		spaces[index] = client.Space.Create().SetID(spaceIDs[index]).SetOrganizationID(server.OrganizationID).SetTitle("Space").
			SetCollectionID(ids[index%largeCollections]).SetPosition(fmt.Sprintf("%06d", index)).SetRevisionID(revision)
	}
	inParts(t, spaces, func(part []*ent.SpaceCreate) error { return client.Space.CreateBulk(part...).Exec(ctx) })

	var teams []*ent.TeamCreate
	var memberships []*ent.TeamMemberCreate
	var grants []*ent.PermissionCreate
	for index := range largeTeams {
		id := identifier.New(identifier.Team)
		teams = append(teams, client.Team.Create().SetID(id).SetOrganizationID(server.OrganizationID).SetTitle("Team"))
		memberships = append(memberships, client.TeamMember.Create().SetOrganizationID(server.OrganizationID).SetTeamID(id).SetUserID(on.member))
		grant := func(resource string, role access.Role) {
			grants = append(grants, client.Permission.Create().SetOrganizationID(server.OrganizationID).
				SetResourceID(resource).SetPrincipalID(id).SetRole(role))
		}
		for offset := range 20 {
			grant(spaceIDs[(index*20+offset*7)%largeSpaces], access.Role(1+offset%5))
		}
		if index%2 == 0 {
			grant(ids[index/2*5], access.Edit)
		}
	}
	inParts(t, teams, func(part []*ent.TeamCreate) error { return client.Team.CreateBulk(part...).Exec(ctx) })
	inParts(t, memberships, func(part []*ent.TeamMemberCreate) error { return client.TeamMember.CreateBulk(part...).Exec(ctx) })
	inParts(t, grants, func(part []*ent.PermissionCreate) error { return client.Permission.CreateBulk(part...).Exec(ctx) })
	_, err = client.ExecContext(ctx, "ANALYZE")
	require.NoError(t, err)
	return on
}

// inParts writes many rows without exceeding the parameters of a statement.
func inParts[T any](t testing.TB, rows []T, write func(part []T) error) {
	t.Helper()
	for part := range slices.Chunk(rows, 200) {
		require.NoError(t, write(part))
	}
}

func (l *large) person(t testing.TB, ctx context.Context) (id, token string) {
	t.Helper()
	made, err := l.App.Users.Create(ctx, user.New{DisplayName: "Somebody", Email: identifier.New(identifier.User) + "@example.com", EmailVerified: true})
	require.NoError(t, err)
	_, token, err = l.App.Users.CreateTokenOf(ctx, made.ID, user.NewToken{Name: "test"})
	require.NoError(t, err)
	return made.ID, token
}

// list reads the first 50 spaces, and returns how many statements it took.
func (l *large) list(t testing.TB, handler http.Handler, token string) int64 {
	t.Helper()
	var counter atomic.Int64
	request := httptest.NewRequestWithContext(database.CountStatements(context.Background(), &counter), http.MethodGet,
		"/v1/orgs/"+l.OrganizationID+"/spaces?limit=50", nil)
	request.Header.Set("Authorization", "Bearer "+token)
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	require.Equal(t, http.StatusOK, recorder.Code, "%s", recorder.Body)
	return counter.Load()
}

func TestAMemberOfManyTeamsTakesNoMoreStatementsThanAnAdministrator(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		on, handler := enlarge(t, server), server.App.Handler()
		admin, member := server.As(apptest.Admin).Token, on.memberToken
		on.list(t, handler, admin) // the first request of a token reads it
		on.list(t, handler, member)
		assert.LessOrEqual(t, on.list(t, handler, member), on.list(t, handler, admin))
	})
}

func TestCountsFollowEveryGrantOnEveryReplica(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := access.System(t.Context(), "test")
		client := server.App.Database.Client(ctx)
		made := server.As(apptest.Admin).REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", nil).Object(t, http.StatusCreated)
		require.NoError(t, client.Space.UpdateOneID(made["id"].(string)).SetDefaultLevel(access.None).Exec(ctx))
		replicas := []*apptest.Client{server.As(apptest.Guest), server.Beside(t).As(apptest.Guest)}
		counts := func() (counts []any) {
			for _, replica := range slices.Concat(replicas, replicas) {
				counts = append(counts, replica.REST(t, http.MethodGet, "/orgs/"+server.OrganizationID+"/spaces?limit=1", nil).Object(t, http.StatusOK)["count"])
			}
			return counts
		}
		before := counts()[0].(float64)
		grant, err := client.Permission.Create().SetOrganizationID(server.OrganizationID).
			SetResourceID(made["id"].(string)).SetPrincipalID(server.As(apptest.Guest).UserID).SetRole(access.Read).Save(ctx)
		require.NoError(t, err)
		assert.Equal(t, []any{before + 1, before + 1, before + 1, before + 1}, counts())
		require.NoError(t, client.Permission.DeleteOne(grant).Exec(ctx))
		assert.Equal(t, []any{before, before, before, before}, counts())
	})
}

// BenchmarkListSpaces lists 50 of 5,000 spaces as an administrator and as a
// member of 200 teams.
func BenchmarkListSpaces(b *testing.B) {
	for _, name := range []string{"sqlite", "postgres"} {
		server, there := apptest.NewOn(b, name)
		if !there {
			continue
		}
		on, handler := enlarge(b, server), server.App.Handler()
		for caller, token := range map[string]string{"admin": server.As(apptest.Admin).Token, "member": on.memberToken} {
			b.Run(name+"/"+caller, func(b *testing.B) {
				for b.Loop() {
					on.list(b, handler, token)
				}
			})
		}
	}
}
