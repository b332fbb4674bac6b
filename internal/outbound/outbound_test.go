package outbound_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/fault"
	"octavo/internal/outbound"
)

func TestOnlyAddressesOfThePublicInternetArePublic(t *testing.T) {
	t.Parallel()
	for address, public := range map[string]bool{
		"93.184.216.34": true, "2606:2800:220:1::1": true, "::ffff:93.184.216.34": true,
		"127.0.0.1": false, "127.255.255.254": false, "::1": false, "::ffff:127.0.0.1": false,
		"10.0.0.1": false, "172.16.5.4": false, "192.168.1.1": false, "::ffff:10.0.0.1": false,
		"169.254.169.254": false, "::ffff:169.254.169.254": false, "fe80::1%eth0": false,
		"fd00:ec2::254": false, "100.100.100.200": false, "168.63.129.16": false,
		"224.0.0.1": false, "ff02::1": false, "255.255.255.255": false, "0.0.0.0": false, "0.1.2.3": false, "::": false,
		"64:ff9b::7f00:1": false, "2002:7f00:1::": false, "::7f00:1": false, "2001:0:7f00:1::": false, "198.18.0.1": false,
	} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, public, outbound.Public(netip.MustParseAddr(address)))
		})
	}
}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func TestPrivateAddressesAreNeverConnectedTo(t *testing.T) {
	t.Parallel()
	reached := false
	address := serve(t, func(http.ResponseWriter, *http.Request) { reached = true })
	port := address[strings.LastIndex(address, ":"):]
	client := outbound.NewClient(outbound.Options{})
	for _, target := range []string{
		address, "http://localhost" + port, "http://[::ffff:127.0.0.1]" + port, "http://0.0.0.0" + port,
		"http://[::1]" + port, "http://169.254.169.254/latest/meta-data/", "http://10.1.2.3/",
	} {
		_, err := client.Get(t.Context(), target, 100)
		assert.Equal(t, fault.BadUserInput, fault.CodeOf(err), "%s: %v", target, err)
	}
	// Whether these name an address depends on the machine's resolver; it must
	// not be reached either way.
	for _, target := range []string{"http://2130706433" + port, "http://0x7f000001" + port, "http://127.1" + port, "http://0177.0.0.1" + port} {
		_, err := client.Get(t.Context(), target, 100)
		assert.Error(t, err, target)
	}
	assert.False(t, reached)
}

func TestPrivateAddressesAreReachedWhereAllowed(t *testing.T) {
	t.Parallel()
	address := serve(t, func(writer http.ResponseWriter, request *http.Request) {
		if request.URL.Path == "/" {
			http.Redirect(writer, request, "/there", http.StatusFound)
			return
		}
		writer.Header().Set("Content-Type", "text/x-test")
		fmt.Fprint(writer, "found")
	})
	response, err := outbound.NewClient(outbound.Options{AllowPrivateNetwork: true}).Get(t.Context(), address, 5)
	require.NoError(t, err)
	assert.Equal(t, "found", string(response.Body))
	assert.Equal(t, "text/x-test", response.ContentType)
	assert.Equal(t, address+"/there", response.URL.String())
}

func TestAnswersThatDoNotFitAreRefused(t *testing.T) {
	t.Parallel()
	address := serve(t, func(writer http.ResponseWriter, request *http.Request) {
		switch request.URL.Path {
		case "/long":
			fmt.Fprint(writer, "123456")
		case "/missing":
			http.NotFound(writer, request)
		case "/loop":
			http.Redirect(writer, request, "/loop", http.StatusFound)
		case "/file":
			http.Redirect(writer, request, "file:///etc/passwd", http.StatusFound)
		}
	})
	client := outbound.NewClient(outbound.Options{AllowPrivateNetwork: true})
	for target, code := range map[string]fault.Code{
		address + "/long": fault.LimitExceeded, address + "/missing": fault.BadUserInput,
		address + "/loop": fault.BadUserInput, address + "/file": fault.BadUserInput,
		"file:///etc/passwd": fault.BadUserInput, "gopher://example.com": fault.BadUserInput,
		"http://": fault.BadUserInput, "http://a b/": fault.BadUserInput, "": fault.BadUserInput,
		"http://127.0.0.1:1/": fault.Unavailable,
	} {
		_, err := client.Get(t.Context(), target, 5)
		assert.Equal(t, code, fault.CodeOf(err), "%s: %v", target, err)
	}
}

func TestCredentialsAreNotTakenOffAnEncryptedConnection(t *testing.T) {
	t.Parallel()
	plain := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the plain address was reached") })
	encrypted := httptest.NewTLSServer(http.RedirectHandler(plain, http.StatusFound))
	t.Cleanup(encrypted.Close)
	client := outbound.NewClient(outbound.Options{AllowPrivateNetwork: true}).HTTP()
	trusting := *encrypted.Client()
	trusting.CheckRedirect = client.CheckRedirect
	response, err := trusting.Get(encrypted.URL)
	if err == nil {
		require.NoError(t, response.Body.Close())
	}
	assert.Equal(t, fault.BadUserInput, fault.CodeOf(err))
}

// A name may resolve to a public address when it is looked at and to a private
// one when it is connected to: the decision is made at the connection.
func TestRedirectsAreLookedAtWhereTheyLead(t *testing.T) {
	t.Parallel()
	reached := false
	private := serve(t, func(http.ResponseWriter, *http.Request) { reached = true })
	client := outbound.NewClient(outbound.Options{}).HTTP()
	redirecting := http.Client{CheckRedirect: client.CheckRedirect, Transport: firstAnswered{
		answer: &http.Response{StatusCode: http.StatusFound, Header: http.Header{"Location": {private}}, Body: http.NoBody},
		next:   client.Transport,
	}}
	response, err := redirecting.Get("http://example.com/")
	if err == nil {
		require.NoError(t, response.Body.Close())
	}
	assert.Equal(t, fault.BadUserInput, fault.CodeOf(err))
	assert.False(t, reached)
}

// firstAnswered answers for example.com in place of the public internet.
type firstAnswered struct {
	answer *http.Response
	next   http.RoundTripper
}

func (f firstAnswered) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Host == "example.com" {
		f.answer.Request = request
		return f.answer, nil
	}
	return f.next.RoundTrip(request)
}
