// Package mailtest is a mail server for tests: it takes messages and keeps them.
package mailtest

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http/httptest"
	"net/mail"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
)

const (
	patience = 30 * time.Second
	// kept is how many messages wait to be taken by a test.
	kept = 100
)

// Options of a Sink.
type Options struct {
	// TLS lets connections be encrypted; Implicit has them encrypted from their
	// beginning.
	TLS, Implicit bool
	// User and Password are asked for when they are not empty.
	User, Password string
}

// Sink is a mail server on this machine.
type Sink struct {
	// Address is its host and port.
	Address string
	// Roots is the authority of its certificate; nil without TLS.
	Roots *x509.CertPool

	t        testing.TB
	options  Options
	security *tls.Config
	received chan Message
	server   *smtp.Server

	mutex sync.Mutex
	reply error
}

// Message that a Sink has taken.
type Message struct {
	From, To string
	// Encrypted tells whether it came over an encrypted connection.
	Encrypted bool
	Header    mail.Header
	// Subject is decoded.
	Subject, Text, HTML string
}

// NewSink starts a sink that ends with the test.
func NewSink(t testing.TB, options Options) *Sink {
	t.Helper()
	sink := &Sink{Address: "127.0.0.1:0", t: t, options: options, received: make(chan Message, kept)}
	if options.TLS || options.Implicit {
		// It has a certificate for 127.0.0.1.
		secure := httptest.NewTLSServer(nil)
		t.Cleanup(secure.Close)
		sink.security = &tls.Config{Certificates: secure.TLS.Certificates}
		sink.Roots = x509.NewCertPool()
		sink.Roots.AddCert(secure.Certificate())
	}
	sink.Start()
	t.Cleanup(sink.Stop)
	return sink
}

// Start listens, at the same address as before.
func (s *Sink) Start() {
	s.t.Helper()
	listener, err := net.Listen("tcp", s.Address)
	require.NoError(s.t, err)
	s.Address = listener.Addr().String()
	s.server = smtp.NewServer(smtp.BackendFunc(func(connection *smtp.Conn) (smtp.Session, error) {
		return &session{sink: s, connection: connection}, nil
	}))
	s.server.AllowInsecureAuth = true
	switch {
	case s.options.Implicit:
		listener = tls.NewListener(listener, s.security)
	case s.options.TLS:
		s.server.TLSConfig = s.security
	}
	server := s.server
	go func() {
		// It returns when the sink stops.
		_ = server.Serve(listener)
	}()
}

// Stop ends all connections and refuses others until Start.
func (s *Sink) Stop() {
	// One that has stopped already is as good.
	_ = s.server.Close()
}

// Answer has every recipient answered with an error; nil takes them again.
func (s *Sink) Answer(err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.reply = err
}

// Take waits for a message.
func (s *Sink) Take() Message {
	s.t.Helper()
	select {
	case message := <-s.received:
		return message
	case <-time.After(patience):
		require.Fail(s.t, "no message arrived")
		return Message{}
	}
}

// Empty tells whether every message was taken.
func (s *Sink) Empty() bool { return len(s.received) == 0 }

// session is a connection to a Sink.
type session struct {
	sink       *Sink
	connection *smtp.Conn
	signedIn   bool
	message    Message
}

// AuthMechanisms implements smtp.AuthSession.
func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth implements smtp.AuthSession.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.sink.options.User || password != s.sink.options.Password {
			return smtp.ErrAuthFailed
		}
		s.signedIn = true
		return nil
	}), nil
}

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.sink.options.User != "" && !s.signedIn {
		return smtp.ErrAuthRequired
	}
	_, encrypted := s.connection.TLSConnectionState()
	s.message = Message{From: from, Encrypted: encrypted}
	return nil
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.sink.mutex.Lock()
	defer s.sink.mutex.Unlock()
	s.message.To = to
	return s.sink.reply
}

// Data implements smtp.Session.
func (s *session) Data(content io.Reader) error {
	if err := s.message.read(content); err != nil {
		return err
	}
	s.sink.received <- s.message
	return nil
}

// Reset implements smtp.Session.
func (s *session) Reset() {}

// Logout implements smtp.Session.
func (s *session) Logout() error { return nil }

// read takes a message apart that has a text and an HTML form.
func (m *Message) read(content io.Reader) error {
	parsed, err := mail.ReadMessage(content)
	if err != nil {
		return err
	}
	m.Header = parsed.Header
	if m.Subject, err = new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject")); err != nil {
		return err
	}
	kind, parameters, err := mime.ParseMediaType(parsed.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		return errors.Join(err, errors.New("the message has no alternatives"))
	}
	parts := multipart.NewReader(parsed.Body, parameters["boundary"])
	for _, form := range []*string{&m.Text, &m.HTML} {
		part, err := parts.NextPart()
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if _, err := text.ReadFrom(part); err != nil {
			return err
		}
		*form = text.String()
	}
	return nil
}
