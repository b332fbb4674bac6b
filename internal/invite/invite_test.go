package invite_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/audit"
	"octavo/internal/fault"
	"octavo/internal/invite"
	"octavo/internal/space"
	"octavo/internal/user"
)

// newcomer is somebody with an account who belongs to no organization.
func newcomer(t *testing.T, server *apptest.Server, email string, verified bool) context.Context {
	t.Helper()
	made, err := server.App.Users.Create(t.Context(), user.New{DisplayName: "Newcomer", Email: email, EmailVerified: verified})
	require.NoError(t, err)
	_, token, err := server.App.Users.CreateTokenOf(t.Context(), made.ID, user.NewToken{Name: "test"})
	require.NoError(t, err)
	viewer, err := server.App.Users.Authenticate(t.Context(), token)
	require.NoError(t, err)
	return access.WithViewer(t.Context(), viewer)
}

func link(t *testing.T, server *apptest.Server, fields invite.NewLink) *invite.Invite {
	t.Helper()
	fields.OrganizationID = server.OrganizationID
	if fields.Role == nil {
		fields.Role = new(access.Edit)
	}
	made, err := server.App.Invites.Create(server.Context(t, apptest.Admin), fields)
	require.NoError(t, err)
	return made
}

func accept(ctx context.Context, server *apptest.Server, handle string) (access.Role, error) {
	joined, err := server.App.Invites.Accept(ctx, server.OrganizationID, handle)
	if err != nil {
		return access.None, err
	}
	return joined.Role, nil
}

func TestASingleUseIsUsedOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		made := link(t, server, invite.NewLink{MaximumUses: new(1)})
		people := make([]context.Context, 8)
		for index := range people {
			people[index] = newcomer(t, server, string(rune('a'+index))+"@elsewhere.example", true)
		}
		var joined atomic.Int64
		var group sync.WaitGroup
		for _, person := range people {
			group.Go(func() {
				_, err := accept(person, server, made.Secret)
				if err == nil {
					joined.Add(1)
					return
				}
				assert.Equal(t, fault.NotAllowed, fault.CodeOf(err), "%v", err)
			})
		}
		group.Wait()
		assert.EqualValues(t, 1, joined.Load())
		found, err := server.App.Invites.Get(server.Context(t, apptest.Admin), server.OrganizationID, made.ID)
		require.NoError(t, err)
		assert.Equal(t, 1, found.Uses)
	})
}

func TestWhoCannotAccept(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		admin, service := server.Context(t, apptest.Admin), server.App.Invites
		person := newcomer(t, server, "ada@elsewhere.example", true)
		refused := func(code fault.Code, handle string) {
			t.Helper()
			_, err := accept(person, server, handle)
			assert.Equal(t, code, fault.CodeOf(err), "%v", err)
		}
		open := link(t, server, invite.NewLink{})
		refused(fault.NotFound, open.ID) // a link needs its secret
		refused(fault.NotFound, open.Secret[:len(open.Secret)-1]+"?")
		refused(fault.NotFound, "inv_unknown.secret")
		_, err := service.Accept(person, server.OtherOrganizationID, open.Secret)
		assert.Equal(t, fault.NotFound, fault.CodeOf(err))

		expired := link(t, server, invite.NewLink{ExpiresAt: new(time.Now().Add(time.Hour))})
		system := access.System(t.Context(), "test")
		require.NoError(t, server.App.Database.Client(system).Invite.UpdateOneID(expired.ID).SetExpiresAt(time.Now().UTC().Add(-time.Second)).Exec(system))
		refused(fault.NotAllowed, expired.Secret)

		revoked := link(t, server, invite.NewLink{})
		existed, err := service.Revoke(admin, server.OrganizationID, revoked.Secret)
		require.NoError(t, err)
		assert.True(t, existed)
		refused(fault.NotFound, revoked.Secret)
		existed, err = service.Revoke(admin, server.OrganizationID, revoked.ID)
		require.NoError(t, err)
		assert.False(t, existed)

		require.NoError(t, server.App.Database.Client(system).Organization.UpdateOneID(server.OrganizationID).SetInviteLinks(false).Exec(system))
		refused(fault.NotFound, open.Secret)
		_, err = service.Create(admin, invite.NewLink{OrganizationID: server.OrganizationID, Role: new(access.Read)})
		assert.Equal(t, fault.NotAllowed, fault.CodeOf(err))
	})
}

func TestARoleIsNeverLowered(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		made := link(t, server, invite.NewLink{Role: new(access.Edit), MaximumUses: new(1)})
		for caller, expected := range map[apptest.Caller]access.Role{apptest.Creator: access.Create, apptest.Editor: access.Edit} {
			role, err := accept(server.Context(t, caller), server, made.Secret)
			require.NoError(t, err)
			assert.Equal(t, expected, role, "who has it already uses nothing up")
		}
		role, err := accept(server.Context(t, apptest.Reader), server, made.Secret)
		require.NoError(t, err)
		assert.Equal(t, access.Edit, role)
		_, err = accept(server.Context(t, apptest.Commenter), server, made.Secret)
		assert.Equal(t, fault.NotAllowed, fault.CodeOf(err))
	})
}

func TestAnInviteToASpaceMakesAGuest(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		made, err := server.App.Spaces.Create(server.Context(t, apptest.Creator), space.New{OrganizationID: server.OrganizationID, Title: "Harbour"})
		require.NoError(t, err)
		invited := link(t, server, invite.NewLink{ResourceID: &made.ID, Role: new(access.Comment)})
		person := newcomer(t, server, "ada@elsewhere.example", true)
		role, err := accept(person, server, invited.Secret)
		require.NoError(t, err)
		assert.Equal(t, access.None, role)
		again, err := server.App.Users.Renew(person)
		require.NoError(t, err)
		seen, err := server.App.Spaces.Get(access.WithViewer(t.Context(), again), made.ID)
		require.NoError(t, err)
		assert.Equal(t, access.Comment, seen.Role)

		_, err = server.App.Invites.Create(server.Context(t, apptest.Admin), invite.NewLink{OrganizationID: server.OrganizationID, ResourceID: &made.ID, Role: new(access.None)})
		assert.Equal(t, fault.BadUserInput, fault.CodeOf(err))
		_, err = server.App.Invites.Create(server.Context(t, apptest.Stranger), invite.NewLink{OrganizationID: server.OtherOrganizationID, ResourceID: &made.ID, Role: new(access.Read)})
		assert.Equal(t, fault.NotFound, fault.CodeOf(err), "another organization's space")
		_, err = server.App.Invites.Create(server.Context(t, apptest.Editor), invite.NewLink{OrganizationID: server.OrganizationID, ResourceID: &made.ID, Role: new(access.Read)})
		assert.Equal(t, fault.Forbidden, fault.CodeOf(err))
	})
}

func TestInvitesByEmail(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		admin, service := server.Context(t, apptest.Admin), server.App.Invites
		ask := func(emails ...string) *invite.Invited {
			people := invite.People{OrganizationID: server.OrganizationID, Role: new(access.Review), SSO: true}
			for _, email := range emails {
				people.Emails = append(people.Emails, invite.Person{Email: email})
			}
			invited, err := service.InvitePeople(admin, people)
			require.NoError(t, err)
			return invited
		}
		older := ask("Ada@Elsewhere.example", "new@elsewhere.example", "read@example.com", "create@example.com")
		require.Len(t, older.Users, 1, "a member with a lower role is raised, others stay")
		assert.Equal(t, server.As(apptest.Reader).UserID, older.Users[0].ID)
		require.Len(t, older.Invites, 2)
		assert.Equal(t, "ada@elsewhere.example", *older.Invites[0].Email)
		assert.Len(t, older.WithoutSSO, 2)
		newer := ask("ada@elsewhere.example")

		other := newcomer(t, server, "other@elsewhere.example", true)
		ada := newcomer(t, server, "ada@elsewhere.example", true)
		_, err := accept(other, server, newer.Invites[0].Secret)
		assert.Equal(t, fault.NotFound, fault.CodeOf(err), "it is for one person")
		_, err = accept(ada, server, older.Invites[0].Secret)
		assert.Equal(t, fault.NotFound, fault.CodeOf(err), "the newer invite took its place")
		_, err = service.AcceptAsNew(t.Context(), newer.Invites[0].Secret, "Ada")
		assert.Equal(t, fault.Conflict, fault.CodeOf(err), "the address has an account")
		role, err := accept(ada, server, newer.Invites[0].ID)
		require.NoError(t, err)
		assert.Equal(t, access.Review, role)

		_, err = service.AcceptAsNew(t.Context(), older.Invites[1].ID, "New")
		assert.Equal(t, fault.NotFound, fault.CodeOf(err), "an id is no proof")
		account, err := service.AcceptAsNew(t.Context(), older.Invites[1].Secret, "New")
		require.NoError(t, err)
		viewer, err := server.App.Users.Authenticate(t.Context(), account.Token)
		require.NoError(t, err)
		assert.Equal(t, access.Review, viewer.Memberships[server.OrganizationID])
		assert.False(t, account.User.EmailVerified, "whoever invites an address does not become its owner")
		ctx := access.System(t.Context(), "test")
		require.NoError(t, server.App.Database.Client(ctx).Organization.UpdateOneID(server.OtherOrganizationID).
			SetEmailDomains([]string{"elsewhere.example"}).Exec(ctx))
		_, err = server.App.Organizations.Join(access.WithViewer(t.Context(), viewer), server.OtherOrganizationID)
		assert.Equal(t, fault.BadUserInput, fault.CodeOf(err), "nor does it open other organizations to them")

		for _, wrong := range []string{"", "ada", "Ada <ada@example.com>", "ada@example.com\r\nBcc: eve@example.com"} {
			_, err := service.InvitePeople(admin, invite.People{OrganizationID: server.OrganizationID, Emails: []invite.Person{{Email: wrong}}})
			assert.Equal(t, fault.BadUserInput, fault.CodeOf(err), "%q", wrong)
		}
	})
}

func TestWhoJoinedIsInTheAuditLog(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		made := link(t, server, invite.NewLink{})
		_, err := accept(newcomer(t, server, "ada@elsewhere.example", true), server, made.Secret)
		require.NoError(t, err)
		system := access.System(t.Context(), "test")
		entries, err := server.App.Database.Client(system).AuditEntry.Query().All(system)
		require.NoError(t, err)
		actions := map[string]int{}
		for _, entry := range entries {
			actions[entry.Action]++
			assert.NotContains(t, string(entry.After), strings.TrimPrefix(made.Secret, made.ID+"."))
		}
		assert.Equal(t, 1, actions[string(audit.InviteCreated)])
		assert.Equal(t, 1, actions[string(audit.MemberJoined)])
	})
}

func TestThePageOfAnInvite(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		made := link(t, server, invite.NewLink{})
		status := func(handle string) (int, string) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/invites/"+handle, nil)
			require.NoError(t, err)
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			defer response.Body.Close()
			assert.Contains(t, response.Header.Get("Content-Security-Policy"), "default-src 'none'")
			body, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			return response.StatusCode, string(body)
		}
		code, body := status(made.Secret)
		assert.Equal(t, http.StatusOK, code)
		assert.Contains(t, body, "Acme")
		for _, wrong := range []string{made.ID, made.Secret + "x", "inv_unknown"} {
			code, body := status(wrong)
			assert.Equal(t, http.StatusNotFound, code)
			assert.NotContains(t, body, "Acme")
		}
	})
}
