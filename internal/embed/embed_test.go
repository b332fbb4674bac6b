package embed_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/access"
	"octavo/internal/embed"
	"octavo/internal/fault"
	"octavo/internal/outbound"
)

func TestAPageIsAskedOnceForWhatItStates(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	page := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		writer.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(writer, `<html><head><title>Plain</title><meta property="og:title" content=" A &amp; B
			c "><meta property="og:site_name" content="Example"><link rel="shortcut icon" href="/icon.png"></head>
			<body><meta property="og:title" content="not this"></body></html>`)
	}))
	t.Cleanup(page.Close)
	service := embed.NewService(outbound.NewClient(outbound.Options{AllowPrivateNetwork: true}))
	ctx := access.WithViewer(t.Context(), &access.Viewer{UserID: "usr_x"})
	for range 2 {
		found, err := service.Describe(ctx, page.URL+"/x#part")
		require.NoError(t, err)
		assert.Equal(t, &embed.Embed{Title: "A & B c", Site: "Example", Icon: new(page.URL + "/icon.png")}, found)
	}
	assert.EqualValues(t, 1, asked.Load())
}

func TestPagesThatCannotBeAskedAreShownByTheirAddress(t *testing.T) {
	t.Parallel()
	asked := false
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	t.Cleanup(private.Close)
	service := embed.NewService(outbound.NewClient(outbound.Options{}))
	ctx := access.WithViewer(t.Context(), &access.Viewer{UserID: "usr_x"})
	found, err := service.Describe(ctx, private.URL+"/secret")
	require.NoError(t, err)
	assert.Equal(t, &embed.Embed{Title: private.URL + "/secret", Site: "127.0.0.1"}, found)
	assert.False(t, asked, "a private address was asked")
	for _, wrong := range []string{"", "x", "ftp://example.com/", "javascript:alert(1)"} {
		_, err := service.Describe(ctx, wrong)
		assert.Equal(t, fault.BadUserInput, fault.CodeOf(err), wrong)
	}
	_, err = service.Describe(t.Context(), "https://example.com/")
	assert.Equal(t, fault.Unauthenticated, fault.CodeOf(err))
}
