package mail_test

import (
	"strings"
	"testing"

	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/mail"
	"octavo/internal/mailtest"
)

const from = "Octavo <docs@example.com>"

func message() mail.Message {
	return mail.Message{ID: "inv_1", To: "ada@example.com", Subject: "Grüße", Text: "Plain ü\n", HTML: "<p>Rich ü</p>\n"}
}

func TestAMessageArrivesAsItIs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		options   mailtest.Options
		address   string // before the host
		query     string
		encrypted bool
	}{
		{"Plain", mailtest.Options{}, "smtp://", "", false},
		{"Opportunistic", mailtest.Options{TLS: true}, "smtp://", "", true},
		{"Required", mailtest.Options{TLS: true}, "smtp://", "?starttls=required", true},
		{"Never", mailtest.Options{TLS: true}, "smtp://", "?starttls=never", false},
		{"Implicit", mailtest.Options{Implicit: true}, "smtps://", "", true},
		{"SignedIn", mailtest.Options{TLS: true, User: "octavo@example.com", Password: "p@ss/word"}, "smtp://octavo%40example.com:p%40ss%2Fword@", "", true},
		{"SignedInOnThisMachine", mailtest.Options{User: "octavo", Password: "secret"}, "smtp://octavo:secret@", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			sink := mailtest.NewSink(t, test.options)
			sender, err := mail.NewSender(mail.Settings{Address: test.address + sink.Address + test.query, From: from, Roots: sink.Roots})
			require.NoError(t, err)
			require.NoError(t, sender.Send(t.Context(), message()))
			got := sink.Take()
			assert.Equal(t, test.encrypted, got.Encrypted)
			assert.Equal(t, []string{"docs@example.com", "ada@example.com"}, []string{got.From, got.To})
			assert.Equal(t, []string{"Grüße", "Plain ü", "<p>Rich ü</p>"}, []string{got.Subject, strings.TrimSpace(got.Text), strings.TrimSpace(got.HTML)})
			assert.Equal(t, "<inv_1@example.com>", got.Header.Get("Message-ID"))
			assert.Equal(t, `"Octavo" <docs@example.com>`, got.Header.Get("From"))
		})
	}
}

func TestWhatIsNotSent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		options mailtest.Options
		address string
		query   string
		reply   error
		refused bool
	}{
		{"EncryptionIsRequired", mailtest.Options{}, "smtp://", "?starttls=required", nil, false},
		{"WrongPassword", mailtest.Options{User: "octavo", Password: "secret"}, "smtp://octavo:wrong@", "", nil, false},
		{"NoSuchPerson", mailtest.Options{}, "smtp://", "", &smtp.SMTPError{Code: 550, Message: "no such person"}, true},
		{"FullForNow", mailtest.Options{}, "smtp://", "", &smtp.SMTPError{Code: 452, Message: "full"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			sink := mailtest.NewSink(t, test.options)
			sink.Answer(test.reply)
			sender, err := mail.NewSender(mail.Settings{Address: test.address + sink.Address + test.query, From: from})
			require.NoError(t, err)
			err = sender.Send(t.Context(), message())
			var refusal *mail.Refusal
			require.Error(t, err)
			if test.refused {
				assert.ErrorAs(t, err, &refusal)
			} else {
				assert.NotErrorAs(t, err, &refusal)
			}
			assert.NotContains(t, err.Error(), "wrong")
			assert.True(t, sink.Empty())
		})
	}
}

// TestElsewhere reaches the sink by an address that is not known to be this
// machine's.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, user, query, message string }{
		{"EncryptionIsRequired", "", "", "STARTTLS"},
		{"NoPasswordInTheClear", "octavo:secret@", "?starttls=never", "auth"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			sink := mailtest.NewSink(t, mailtest.Options{})
			address := "smtp://" + test.user + strings.Replace(sink.Address, "127.0.0.1", "0.0.0.0", 1) + test.query
			sender, err := mail.NewSender(mail.Settings{Address: address, From: from})
			require.NoError(t, err)
			assert.ErrorContains(t, sender.Send(t.Context(), message()), test.message)
			assert.True(t, sink.Empty())
		})
	}
}

func TestAStrangersCertificateIsNotTrusted(t *testing.T) {
	t.Parallel()
	sink := mailtest.NewSink(t, mailtest.Options{TLS: true})
	sender, err := mail.NewSender(mail.Settings{Address: "smtp://" + sink.Address, From: from})
	require.NoError(t, err)
	assert.ErrorContains(t, sender.Send(t.Context(), message()), "certificate")
}

func TestNothingGetsIntoTheHeader(t *testing.T) {
	t.Parallel()
	sink := mailtest.NewSink(t, mailtest.Options{})
	sender, err := mail.NewSender(mail.Settings{Address: "smtp://" + sink.Address, From: from})
	require.NoError(t, err)
	sly := message()
	sly.Subject = "Hello\r\nBcc: eve@example.com\u2028\r\n\r\nBody" + strings.Repeat("é", 300)
	require.NoError(t, sender.Send(t.Context(), sly))
	got := sink.Take()
	assert.Empty(t, got.Header.Get("Bcc"))
	assert.True(t, strings.HasPrefix(got.Subject, "Hello Bcc: eve@example.com Body"), got.Subject)
	assert.Len(t, []rune(got.Subject), 200)
	assert.Equal(t, "Plain ü", strings.TrimSpace(got.Text))

	for _, address := range []string{"ada@example.com\r\nDATA", "ada@example.com>\r\nRCPT TO:<eve@example.com", ""} {
		sly := message()
		sly.To = address
		var refusal *mail.Refusal
		assert.ErrorAs(t, sender.Send(t.Context(), sly), &refusal, "%q", address)
	}
	assert.True(t, sink.Empty())
}

func TestSettings(t *testing.T) {
	t.Parallel()
	none, err := mail.NewSender(mail.Settings{})
	require.NoError(t, err)
	assert.Nil(t, none)
	for _, test := range []struct{ name, address, from, message string }{
		{"NoFrom", "smtp://localhost", "", "OCTAVO_SMTP_FROM"},
		{"WrongFrom", "smtp://localhost", "docs", "OCTAVO_SMTP_FROM"},
		{"OtherScheme", "https://localhost", from, "OCTAVO_SMTP_URL"},
		{"NoHost", "smtp://", from, "OCTAVO_SMTP_URL"},
		{"Path", "smtp://localhost/inbox", from, "OCTAVO_SMTP_URL"},
		{"Unreadable", "smtp://user:hidden@local host", from, "OCTAVO_SMTP_URL"},
		{"Port", "smtp://user:hidden@localhost:99999", from, "OCTAVO_SMTP_URL"},
		{"Policy", "smtp://user:hidden@localhost?starttls=maybe", from, `"maybe"`},
		{"NoPolicy", "smtp://user:hidden@localhost?starttls=", from, "starttls"},
		{"Parameter", "smtp://localhost?tls=required", from, `"tls"`},
		{"EncryptedTwice", "smtps://localhost?starttls=required", from, "starttls"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := mail.NewSender(mail.Settings{Address: test.address, From: test.from})
			require.ErrorContains(t, err, test.message)
			assert.NotContains(t, err.Error(), "hidden")
		})
	}
}
