package app_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/app"
	"octavo/internal/apptest"
)

// head of a response whose body has been read.
type head struct {
	StatusCode int
	Header     http.Header
}

func get(t *testing.T, server *apptest.Server, path string, header map[string]string) (head, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, http.NoBody)
	require.NoError(t, err)
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return head{response.StatusCode, response.Header}, string(body)
}

func TestOperatorsEndpoints(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		for path, part := range map[string]string{
			"/healthz": "", "/readyz": "", "/playground": "<html", "/reference": "<html", "/v1/openapi.json": `"openapi"`,
		} {
			response, body := get(t, server, path, nil)
			assert.Equal(t, http.StatusOK, response.StatusCode, path)
			assert.Contains(t, body, part, path)
			assert.NotEmpty(t, response.Header.Get("X-Request-Id"))
		}
		get(t, server, "/v1/orgs", map[string]string{"Authorization": "Bearer " + server.As(apptest.Admin).Token})
		_, metrics := get(t, server, "/metrics", nil)
		assert.Contains(t, metrics, `octavo_http_request_duration_seconds_count{method="GET",route="/v1/orgs",status="200"} 1`)
	})
}

func TestRequestIDOfAProxyIsKept(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	response, _ := get(t, server, "/healthz", map[string]string{"X-Request-Id": "proxy-42"})
	assert.Equal(t, "proxy-42", response.Header.Get("X-Request-Id"))
	response, _ = get(t, server, "/healthz", map[string]string{"X-Request-Id": "<script>"})
	assert.NotContains(t, response.Header.Get("X-Request-Id"), "<")
}

func TestInvalidTokenIsRefused(t *testing.T) {
	t.Parallel()
	server := apptest.New(t)
	for _, path := range []string{"/v1/user", "/graphql?query={version{version}}"} {
		response, body := get(t, server, path, map[string]string{"Authorization": "Bearer wrong"})
		assert.Equal(t, http.StatusUnauthorized, response.StatusCode)
		assert.JSONEq(t, `{"error":{"code":401,"message":"the access token is not valid"}}`, body)
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	configure := func(config *app.Config) { config.Limits.RequestsPerMinute = 3 }
	apptest.EachConfigured(t, configure, func(t *testing.T, server *apptest.Server) {
		reader := server.As(apptest.Reader)
		for range 3 {
			response := reader.REST(t, http.MethodGet, "/user", nil)
			assert.Equal(t, http.StatusOK, response.Status)
			assert.Equal(t, "3", response.Header.Get("X-RateLimit-Limit"))
			assert.NotEmpty(t, response.Header.Get("X-RateLimit-Remaining"))
		}
		refused := reader.REST(t, http.MethodGet, "/user", nil)
		assert.Equal(t, http.StatusTooManyRequests, refused.Status)
		assert.NotEmpty(t, refused.Header.Get("X-RateLimit-Reset"))
		assert.Contains(t, string(refused.Body), `"code":429`)
		assert.Equal(t, http.StatusOK, server.As(apptest.Admin).REST(t, http.MethodGet, "/user", nil).Status, "limits are for each caller")
	})
}

func TestCrossOriginRequestsNeedAConfiguredOrigin(t *testing.T) {
	t.Parallel()
	configure := func(config *app.Config) { config.Origins = []string{"https://front.example.com"} }
	apptest.EachConfigured(t, configure, func(t *testing.T, server *apptest.Server) {
		response, _ := get(t, server, "/v1/openapi.json", map[string]string{"Origin": "https://front.example.com"})
		assert.Equal(t, "https://front.example.com", response.Header.Get("Access-Control-Allow-Origin"))
		response, _ = get(t, server, "/v1/openapi.json", map[string]string{"Origin": "https://evil.example.com"})
		assert.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))
	})
	response, _ := get(t, apptest.New(t), "/v1/openapi.json", map[string]string{"Origin": "https://front.example.com"})
	assert.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))
}

func TestAnswersAreCompressed(t *testing.T) {
	t.Parallel()
	response, _ := get(t, apptest.New(t), "/v1/openapi.json", map[string]string{"Accept-Encoding": "gzip"})
	assert.Equal(t, "gzip", response.Header.Get("Content-Encoding"))
}

func TestBadBodiesAreRefused(t *testing.T) {
	t.Parallel()
	configure := func(config *app.Config) { config.Limits.BodyBytes = 1000 }
	apptest.EachConfigured(t, configure, func(t *testing.T, server *apptest.Server) {
		for _, test := range []struct {
			name, contentType, body string
			status                  int
		}{
			{"NotJSON", "application/json", "{", 400},
			{"WrongContentType", "text/plain", "{}", 400},
			{"InvalidUTF8", "application/json", "{\"title\":\"\xff\"}", 400},
			{"TooLarge", "application/json", `{"title":"` + strings.Repeat("x", 2000) + `"}`, 413},
			{"Array", "application/json", `[]`, 400},
		} {
			t.Run(test.name, func(t *testing.T) {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/v1/orgs/"+server.OrganizationID+"/spaces", strings.NewReader(test.body))
				require.NoError(t, err)
				request.Header.Set("Content-Type", test.contentType)
				request.Header.Set("Authorization", "Bearer "+server.As(apptest.Admin).Token)
				response, err := http.DefaultClient.Do(request)
				require.NoError(t, err)
				defer response.Body.Close()
				assert.Equal(t, test.status, response.StatusCode)
			})
		}
	})
}
