// Package mail sends messages through the SMTP server of the operator.
package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	smtp "github.com/wneessen/go-mail"
)

const (
	// timeLimit is how long handing over one message may take.
	timeLimit = time.Minute
	// maximumSubject bounds a subject, in characters.
	maximumSubject = 200
)

// Settings say how the server is reached.
type Settings struct {
	// Address of the server: smtp://[user:password@]host[:587], or smtps:// and
	// port 465 for a connection that is encrypted from its beginning. The query
	// starttls=required, opportunistic or never says whether an smtp://
	// connection is encrypted; without it the server has to offer that, unless
	// it is on this machine.
	Address string
	// From is who the messages are from: an address, or Name <address>.
	From string
	// Roots are the authorities that certificates are checked against; nil is
	// those of the system.
	Roots *x509.CertPool
}

// Sender sends messages. It is safe for concurrent use.
type Sender struct {
	host    string
	options []smtp.Option
	from    *mail.Address
}

// NewSender returns a sender, or nil when the settings name no server. An error
// tells what is wrong with the settings, and never the password in them.
func NewSender(settings Settings) (*Sender, error) {
	if settings.Address == "" {
		return nil, nil
	}
	from, err := mail.ParseAddress(settings.From)
	if err != nil {
		return nil, fmt.Errorf("OCTAVO_SMTP_FROM: %q is not an e-mail address", settings.From)
	}
	address, err := url.Parse(settings.Address)
	if err != nil || address.Hostname() == "" || strings.Trim(address.Path, "/") != "" || address.Fragment != "" {
		// The error of the parser shows the address, which may hold a password.
		return nil, errors.New("OCTAVO_SMTP_URL: it has to be smtp://user:password@host:port or smtps://…")
	}
	sender := &Sender{host: address.Hostname(), from: from}
	if sender.options, err = optionsOf(address, settings.Roots); err != nil {
		return nil, fmt.Errorf("OCTAVO_SMTP_URL: %w", err)
	}
	if _, err := sender.client(); err != nil {
		return nil, fmt.Errorf("OCTAVO_SMTP_URL: %w", err)
	}
	return sender, nil
}

// optionsOf reads everything but the host from an address.
func optionsOf(address *url.URL, roots *x509.CertPool) ([]smtp.Option, error) {
	encryption, port, err := encryptionOf(address)
	if err != nil {
		return nil, err
	}
	if given := address.Port(); given != "" {
		if port, err = strconv.Atoi(given); err != nil {
			return nil, fmt.Errorf("%q is not a port", given)
		}
	}
	options := []smtp.Option{encryption, smtp.WithPort(port), smtp.WithTimeout(timeLimit), smtp.WithTLSConfig(&tls.Config{ServerName: address.Hostname(), RootCAs: roots, MinVersion: tls.VersionTLS12})}
	if user := address.User; user != nil {
		password, _ := user.Password()
		options = append(options, authentication(address.Hostname()), smtp.WithUsername(user.Username()), smtp.WithPassword(password))
	}
	return options, nil
}

// encryptionOf tells how a connection is encrypted, and the usual port for that.
func encryptionOf(address *url.URL) (encryption smtp.Option, port int, err error) {
	query := address.Query()
	policy := query.Get("starttls")
	for name := range query {
		if name != "starttls" {
			return nil, 0, fmt.Errorf("there is no parameter %q", name)
		}
	}
	switch {
	case address.Scheme == "smtps" && !query.Has("starttls"):
		return smtp.WithSSL(), smtp.DefaultPortSSL, nil
	case address.Scheme == "smtps":
		return nil, 0, errors.New("starttls is for smtp://")
	case address.Scheme != "smtp":
		return nil, 0, errors.New("it has to begin with smtp:// or smtps://")
	case policy == "required", !query.Has("starttls") && !isLoopback(address.Hostname()):
		return smtp.WithTLSPolicy(smtp.TLSMandatory), smtp.DefaultPortTLS, nil
	case policy == "opportunistic", !query.Has("starttls"):
		return smtp.WithTLSPolicy(smtp.TLSOpportunistic), smtp.DefaultPortTLS, nil
	case policy == "never":
		return smtp.WithTLSPolicy(smtp.NoTLS), smtp.DefaultPortTLS, nil
	default:
		return nil, 0, fmt.Errorf("starttls is required, opportunistic or never, not %q", policy)
	}
}

// authentication chooses how to sign in. No password crosses a network in the
// clear: where nothing is encrypted, only this machine gets it.
func authentication(host string) smtp.Option {
	if isLoopback(host) {
		return smtp.WithOpportunisticSMTPAuth(smtp.SMTPAuthSCRAMSHA256, smtp.SMTPAuthCramMD5, smtp.SMTPAuthPlainNoEnc, smtp.SMTPAuthLoginNoEnc)
	}
	return smtp.WithSMTPAuth(smtp.SMTPAuthAutoDiscover)
}

func isLoopback(host string) bool {
	address := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || (address != nil && address.IsLoopback())
}

// client makes a client for one message: it keeps the state of a connection.
func (s *Sender) client() (*smtp.Client, error) { return smtp.NewClient(s.host, s.options...) }

// Message to one person.
type Message struct {
	// ID tells the message from all others of the sender. A mail server may take
	// two with the same one for what they are: the same message.
	ID string
	// To is an address alone.
	To      string
	Subject string
	Text    string
	HTML    string
}

// Refusal is the error of a message that the server will never take for this
// recipient.
type Refusal struct{ err error }

func (r *Refusal) Error() string { return "the mail server refused the message: " + r.err.Error() }

func (r *Refusal) Unwrap() error { return r.err }

// Send hands a message over to the server, and returns a *Refusal when trying
// again is no use. Errors never tell what the message says.
func (s *Sender) Send(ctx context.Context, message Message) error {
	composed, err := s.compose(message)
	if err != nil {
		return &Refusal{err}
	}
	client, err := s.client()
	if err != nil {
		return fmt.Errorf("reach the mail server: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	err = client.DialAndSendWithContext(ctx, composed)
	if err == nil || composed.IsDelivered() {
		// The server took the message; how the connection ended is no matter.
		return nil
	}
	if refused(err) {
		return &Refusal{err}
	}
	return fmt.Errorf("send a message: %w", err)
}

// compose writes a message with a plain text and an HTML form.
func (s *Sender) compose(message Message) (*smtp.Msg, error) {
	composed := smtp.NewMsg()
	composed.FromMailAddress(s.from)
	if err := composed.To(message.To); err != nil {
		return nil, err
	}
	_, domain, _ := strings.Cut(s.from.Address, "@")
	composed.SetMessageIDWithValue(message.ID + "@" + domain)
	composed.SetDate()
	composed.Subject(OneLine(message.Subject))
	composed.SetGenHeader("Auto-Submitted", "auto-generated")
	composed.SetBodyString(smtp.TypeTextPlain, message.Text)
	composed.AddAlternativeString(smtp.TypeTextHTML, message.HTML)
	return composed, nil
}

// OneLine makes a text fit for a header: one line without control characters,
// of at most 200 characters.
func OneLine(text string) string {
	printed := strings.Map(func(character rune) rune {
		if unicode.IsControl(character) || unicode.Is(unicode.Zl, character) || unicode.Is(unicode.Zp, character) {
			return ' '
		}
		return character
	}, text)
	runes := []rune(strings.Join(strings.Fields(printed), " "))
	if len(runes) > maximumSubject {
		runes = append(runes[:maximumSubject-1], '…')
	}
	return string(runes)
}

// permanent are the replies of a server from which on it says so for good.
const permanent = 500

// refused tells whether the server refused the recipient or the text. What it
// says about the sender or the connection is the operator's to mend.
func refused(err error) bool {
	failure, ok := errors.AsType[*smtp.SendError](err)
	if !ok || failure.ErrorCode() < permanent {
		return false
	}
	return failure.Reason == smtp.ErrSMTPRcptTo || failure.Reason == smtp.ErrSMTPDataClose
}
