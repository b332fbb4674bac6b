package invite_test

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/app"
	"octavo/internal/apptest"
	"octavo/internal/mail"
	"octavo/internal/mailtest"
)

const patience = 30 * time.Second

// eachWithMail runs a test on servers that send by a sink.
func eachWithMail(t *testing.T, test func(t *testing.T, server *apptest.Server, sink *mailtest.Sink)) {
	t.Helper()
	var sinks sync.Map
	configure := func(config *app.Config) {
		sink := mailtest.NewSink(t, mailtest.Options{})
		sender, err := mail.NewSender(mail.Settings{Address: "smtp://" + sink.Address, From: "Octavo <docs@example.com>"})
		require.NoError(t, err)
		config.Mail = sender
		sinks.Store(sender, sink)
	}
	apptest.EachConfigured(t, configure, func(t *testing.T, server *apptest.Server) {
		sink, _ := sinks.Load(server.App.Invites.Mail)
		test(t, server, sink.(*mailtest.Sink))
	})
}

// inviteByMail invites an address, and returns the id of the invite.
func inviteByMail(t *testing.T, server *apptest.Server, email string) string {
	t.Helper()
	answer := server.As(apptest.Admin).REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/invites",
		map[string]any{"emails": []string{email}, "role": "edit"})
	var invited struct {
		Invites []struct {
			ID  string
			URL *string
		}
	}
	answer.JSON(t, http.StatusOK, &invited)
	require.Len(t, invited.Invites, 1)
	assert.Nil(t, invited.Invites[0].URL)
	assert.NotContains(t, invited.Invites[0].ID, ".", "the answer holds no secret, which stands behind a dot")
	return invited.Invites[0].ID
}

var linkInMessage = regexp.MustCompile(`http://\S+/invites/(inv_\w+\.[\w-]{43})\n`)

// secretIn is the secret that a message carries.
func secretIn(t *testing.T, message mailtest.Message) string {
	t.Helper()
	found := linkInMessage.FindStringSubmatch(strings.ReplaceAll(message.Text, "\r\n", "\n"))
	require.Len(t, found, 2, message.Text)
	assert.Contains(t, message.HTML, found[1])
	return found[1]
}

// deliveryOf is where the message of an invite is, as its administrators see it.
func deliveryOf(t *testing.T, server *apptest.Server, id string) any {
	t.Helper()
	data := server.As(apptest.Admin).Query(t, `query ($organization: ID!, $invite: ID!) {
		organization(id: $organization) { invite(id: $invite) { delivery url } } }`,
		map[string]any{"organization": server.OrganizationID, "invite": id})
	return data["organization"].(map[string]any)["invite"].(map[string]any)["delivery"]
}

// waitFor waits until the message of an invite is where it is to be.
func waitFor(t *testing.T, server *apptest.Server, id, delivery string) {
	t.Helper()
	require.Eventually(t, func() bool { return deliveryOf(t, server, id) == delivery }, patience, 50*time.Millisecond)
}

// acceptAsNew makes an account with a secret, and returns it with its token.
func acceptAsNew(t *testing.T, server *apptest.Server, secret, name string) (user map[string]any, token string) {
	t.Helper()
	data := server.As(apptest.Anonymous).Query(t, `mutation ($input: AcceptInviteInput!) {
		acceptInvite(input: $input) { user { id } accessToken organization { title } } }`,
		map[string]any{"input": map[string]any{"secret": secret, "displayName": name}})
	accepted := data["acceptInvite"].(map[string]any)
	return accepted["user"].(map[string]any), accepted["accessToken"].(string)
}

func TestAnInviteGoesOutByMail(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, server *apptest.Server, sink *mailtest.Sink) {
		id := inviteByMail(t, server, "Ada@Elsewhere.example")
		assert.Equal(t, "WAITING", deliveryOf(t, server, id))
		server.Work(t)
		message := sink.Take()
		assert.Equal(t, "ada@elsewhere.example", message.To)
		assert.Equal(t, "You are invited to Acme", message.Subject)
		assert.Contains(t, message.Text, "The admin invites you to Acme, with the role edit.")
		assert.NotContains(t, message.HTML, "<img")
		waitFor(t, server, id, "SENT")

		secret := secretIn(t, message)
		user, token := acceptAsNew(t, server, secret, "Ada")
		seen := server.With(token).REST(t, http.MethodGet, "/orgs/"+server.OrganizationID+"/members/"+user["id"].(string), nil).Object(t, http.StatusOK)
		assert.Equal(t, "edit", seen["role"])
		ctx := access.System(t.Context(), "test")
		person, err := server.App.Database.Client(ctx).User.Get(ctx, user["id"].(string))
		require.NoError(t, err)
		assert.True(t, person.EmailVerified, "only whoever reads the mail of the address has the secret")
	})
}

func TestASecretByMailVerifiesAnAccount(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, server *apptest.Server, sink *mailtest.Sink) {
		server.Work(t)
		ada := newcomer(t, server, "ada@elsewhere.example", false)
		id := inviteByMail(t, server, "ada@elsewhere.example")
		_, err := accept(ada, server, id)
		require.Error(t, err, "the id proves nothing")
		secret := secretIn(t, sink.Take())
		_, err = accept(newcomer(t, server, "eve@elsewhere.example", true), server, secret)
		require.Error(t, err, "it is for another address")
		role, err := accept(ada, server, secret)
		require.NoError(t, err)
		assert.Equal(t, access.Edit, role)
		person, err := server.App.Users.Viewer(ada)
		require.NoError(t, err)
		assert.True(t, person.EmailVerified)
	})
}

func TestARevokedInviteIsNotSent(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, server *apptest.Server, sink *mailtest.Sink) {
		revoked := inviteByMail(t, server, "ada@elsewhere.example")
		server.As(apptest.Admin).REST(t, http.MethodDelete, "/orgs/"+server.OrganizationID+"/link-invites/"+revoked, nil).JSON(t, http.StatusResetContent, nil)
		superseded := inviteByMail(t, server, "grace@elsewhere.example")
		last := inviteByMail(t, server, "grace@elsewhere.example")
		expired := inviteByMail(t, server, "mary@elsewhere.example")
		ctx := access.System(t.Context(), "test")
		require.NoError(t, server.App.Database.Client(ctx).Invite.UpdateOneID(expired).SetExpiresAt(time.Now().Add(-time.Minute)).Exec(ctx))
		server.Work(t)
		assert.True(t, strings.HasPrefix(secretIn(t, sink.Take()), last))
		waitForJobs(t, server)
		assert.True(t, sink.Empty(), "neither %s nor %s nor %s goes out", revoked, superseded, expired)
		assert.Equal(t, "WAITING", deliveryOf(t, server, expired))
	})
}

// waitForJobs waits until every invite that waits was looked at.
func waitForJobs(t *testing.T, server *apptest.Server) {
	t.Helper()
	require.Eventually(t, func() bool {
		var left int
		row := server.App.Database.Pool().QueryRowContext(t.Context(), "SELECT count(*) FROM river_job WHERE kind = 'invite_mail' AND finalized_at IS NULL")
		return row.Scan(&left) == nil && left == 0
	}, patience, 50*time.Millisecond)
}

func TestAnInviteWaitsForTheMailServer(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, server *apptest.Server, sink *mailtest.Sink) {
		sink.Stop()
		id := inviteByMail(t, server, "ada@elsewhere.example")
		server.Work(t)
		failed := waitForFailure(t, server)
		assert.NotContains(t, failed, "inv_", "what failed is told without the secret and the invite")
		assert.Equal(t, "WAITING", deliveryOf(t, server, id))
		require.NoError(t, server.App.Jobs.Stop(context.Background()))
		sink.Start()
		// Another process takes the queue over.
		server.Beside(t).Work(t)
		assert.True(t, strings.HasPrefix(secretIn(t, sink.Take()), id))
		waitFor(t, server, id, "SENT")
		waitForJobs(t, server)
		assert.True(t, sink.Empty(), "it is sent once")
	})
}

// waitForFailure waits until an attempt to send an invite has failed, and
// returns all that is stored of the job.
func waitForFailure(t *testing.T, server *apptest.Server) (stored string) {
	t.Helper()
	require.Eventually(t, func() bool {
		var errors *string
		row := server.App.Database.Pool().QueryRowContext(t.Context(), "SELECT CAST(errors AS text) FROM river_job WHERE kind = 'invite_mail'")
		if row.Scan(&errors) != nil || errors == nil || *errors == "[]" || *errors == "{}" {
			return false
		}
		stored = *errors
		return true
	}, patience, 50*time.Millisecond)
	return stored
}

func TestTheSecretWaitsSealed(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, server *apptest.Server, sink *mailtest.Sink) {
		inviteByMail(t, server, "ada@elsewhere.example")
		var arguments string
		row := server.App.Database.Pool().QueryRowContext(t.Context(), "SELECT CAST(args AS text) FROM river_job WHERE kind = 'invite_mail'")
		require.NoError(t, row.Scan(&arguments))
		server.Work(t)
		secret := secretIn(t, sink.Take())
		assert.NotContains(t, arguments, secret)
		_, random, _ := strings.Cut(secret, ".")
		assert.NotContains(t, arguments, random)
		assert.True(t, json.Valid([]byte(arguments)))
	})
}

func TestAnInviteThatIsRefusedIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, server *apptest.Server, sink *mailtest.Sink) {
		sink.Answer(&smtp.SMTPError{Code: 550, Message: "no such person"})
		id := inviteByMail(t, server, "nobody@elsewhere.example")
		server.Work(t)
		waitFor(t, server, id, "REFUSED")
		waitForJobs(t, server)
		assert.True(t, sink.Empty())
	})
}

func TestATitleStaysInItsPlace(t *testing.T) {
	t.Parallel()
	eachWithMail(t, func(t *testing.T, server *apptest.Server, sink *mailtest.Sink) {
		server.Work(t)
		title := "Acme\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script>"
		server.As(apptest.Admin).REST(t, http.MethodPatch, "/orgs/"+server.OrganizationID, map[string]any{"title": title}).JSON(t, http.StatusOK, nil)
		inviteByMail(t, server, "ada@elsewhere.example")
		message := sink.Take()
		assert.Empty(t, message.Header.Get("Bcc"))
		assert.Equal(t, "You are invited to Acme Bcc: eve@example.com <script>alert(1)</script>", message.Subject)
		assert.NotContains(t, message.HTML, "<script")
		assert.Contains(t, message.Text, "The admin invites you to Acme Bcc: eve@example.com <script>alert(1)</script>, with the role edit.")
		secretIn(t, message)
	})
}
