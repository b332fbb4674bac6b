// Package outbound makes the requests to addresses that users of Octavo name:
// files to take over, git repositories, hooks. Such an address never reaches
// what the server alone can reach.
package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"octavo/internal/fault"
)

const (
	dialTimeout      = 10 * time.Second
	handshakeTimeout = 10 * time.Second
	headerTimeout    = 30 * time.Second
	idleTimeout      = time.Minute
	getTimeout       = time.Minute
	maximumRedirects = 5
	maximumHeader    = 256 << 10 // bytes
)

// Options of a client.
type Options struct {
	// AllowPrivateNetwork admits addresses that are not on the public internet.
	AllowPrivateNetwork bool
}

// Client reaches public addresses by http and https. Whether an address is
// public is decided on the IP address that a connection is made to, after its
// name was resolved; names that change what they stand for gain nothing. No
// proxy is used. It is safe for concurrent use.
type Client struct {
	http *http.Client
}

// NewClient returns a client.
func NewClient(options Options) *Client {
	dialer := &net.Dialer{Timeout: dialTimeout}
	if !options.AllowPrivateNetwork {
		dialer.Control = refuseSpecial
	}
	transport := &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: handshakeTimeout, ResponseHeaderTimeout: headerTimeout,
		IdleConnTimeout: idleTimeout, MaxResponseHeaderBytes: maximumHeader,
	}
	return &Client{http: &http.Client{Transport: schemeChecker{transport}, CheckRedirect: checkRedirect}}
}

// HTTP returns the client for libraries that make requests of their own. It
// has no time limit beyond that of each request's context.
func (c *Client) HTTP() *http.Client { return c.http }

// Response is what Get received.
type Response struct {
	// Body is at most as long as the limit of the request.
	Body []byte
	// ContentType is what the other side declared; it may be empty or wrong.
	ContentType string
	// URL is the address after redirects.
	URL *url.URL
}

// Get reads an address. It fails with BAD_USER_INPUT when the address is not
// one of http or https, is not public or does not answer with success, with
// LIMIT_EXCEEDED when the answer is longer than limit bytes, and with
// UNAVAILABLE when it cannot be reached.
func (c *Client) Get(ctx context.Context, address string, limit int64) (response *Response, err error) {
	ctx, cancel := context.WithTimeout(ctx, getTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, fault.Invalid("url", "is not a URL")
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, describe(err)
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return nil, fault.Invalid("url", "answers with the status %d", answer.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if err != nil {
		return nil, describe(err)
	}
	if int64(len(body)) > limit {
		return nil, fault.New(fault.LimitExceeded, "url: answers with more than %d bytes", limit)
	}
	return &Response{Body: body, ContentType: answer.Header.Get("Content-Type"), URL: answer.Request.URL}, nil
}

func describe(err error) error {
	var known *fault.Error
	if errors.As(err, &known) {
		return known
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	return &fault.Error{Code: fault.Unavailable, Field: "url", Message: "url: cannot be reached", Err: err}
}

// schemeChecker refuses whatever is not http or https, at each step of a
// request's way.
type schemeChecker struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (s schemeChecker) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := checkURL(request.URL); err != nil {
		return nil, err
	}
	return s.next.RoundTrip(request)
}

func checkURL(address *url.URL) error {
	if address.Scheme != "http" && address.Scheme != "https" || address.Host == "" {
		return fault.Invalid("url", "must start with https:// or http://")
	}
	return nil
}

func checkRedirect(request *http.Request, via []*http.Request) error {
	if len(via) > maximumRedirects {
		return fault.Invalid("url", "redirects more than %d times", maximumRedirects)
	}
	// Credentials that were meant for an encrypted connection stay on one.
	if via[len(via)-1].URL.Scheme == "https" && request.URL.Scheme != "https" {
		return fault.Invalid("url", "redirects from https to %.20s", request.URL.Scheme)
	}
	return checkURL(request.URL)
}

// refuseSpecial looks at the address that a connection is about to be made to.
func refuseSpecial(_, address string, _ syscall.RawConn) error {
	reached, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("address of a connection: %w", err)
	}
	if !Public(reached.Addr()) {
		return fault.Invalid("url", "leads to an address that is not on the public internet")
	}
	return nil
}
