package apptest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// Transport is a way to subscribe.
type Transport string

// The transports of subscriptions.
const (
	WebSocket   Transport = "graphql-transport-ws"
	EventStream Transport = "text/event-stream"
)

// Transports lists every way to subscribe.
var Transports = []Transport{WebSocket, EventStream}

// Stream is a subscription.
type Stream struct{ results chan Result }

// Subscribe opens a subscription and returns once the server follows the
// events, or has refused to.
func (c *Client) Subscribe(t testing.TB, transport Transport, document string, variables map[string]any) *Stream {
	t.Helper()
	payload, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	require.NoError(t, err)
	stream := &Stream{results: make(chan Result, 1000)}
	before := c.server.App.Events.Subscribers()
	if transport == WebSocket {
		c.subscribeWebSocket(t, payload, stream)
	} else {
		c.subscribeEventStream(t, payload, stream)
	}
	require.Eventually(t, func() bool {
		return c.server.App.Events.Subscribers() > before || len(stream.results) > 0
	}, patience, time.Millisecond, "the server does not follow the events")
	return stream
}

// Socket is an open web socket.
type Socket struct {
	connection *websocket.Conn
	operations int
}

// Dial opens a web socket.
func (c *Client) Dial(t testing.TB) *Socket {
	t.Helper()
	dialer := websocket.Dialer{Subprotocols: []string{string(WebSocket)}}
	connection, response, err := dialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(c.server.URL, "http")+"/graphql", nil)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	t.Cleanup(func() { connection.Close() })
	first := map[string]any{}
	if c.Token != "" {
		first["Authorization"] = "Bearer " + c.Token
	}
	require.NoError(t, connection.WriteJSON(map[string]any{"type": "connection_init", "payload": first}))
	return &Socket{connection: connection}
}

func (s *Socket) start(t testing.TB, payload []byte) {
	t.Helper()
	s.operations++
	require.NoError(t, s.connection.WriteJSON(map[string]any{
		"type": "subscribe", "id": strconv.Itoa(s.operations), "payload": json.RawMessage(payload),
	}))
}

// next returns the next result; false after the last.
func (s *Socket) next() (payload []byte, more bool) {
	for {
		var message struct {
			Type    string
			Payload json.RawMessage
		}
		if s.connection.ReadJSON(&message) != nil || message.Type == "complete" {
			return nil, false
		}
		if message.Type == "next" {
			return message.Payload, true
		}
	}
}

// Do runs a query or mutation.
func (s *Socket) Do(t testing.TB, document string) Result {
	t.Helper()
	payload, err := json.Marshal(map[string]any{"query": document})
	require.NoError(t, err)
	s.start(t, payload)
	var result Result
	for answer, more := s.next(); more; answer, more = s.next() {
		require.NoError(t, json.Unmarshal(answer, &result))
	}
	return result
}

func (c *Client) subscribeWebSocket(t testing.TB, payload []byte, stream *Stream) {
	t.Helper()
	socket := c.Dial(t)
	socket.start(t, payload)
	go func() {
		defer close(stream.results)
		for answer, more := socket.next(); more; answer, more = socket.next() {
			stream.push(t, answer)
		}
	}()
}

func (c *Client) subscribeEventStream(t testing.TB, payload []byte, stream *Stream) {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.server.URL+"/graphql", bytes.NewReader(payload))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", string(EventStream))
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.Equal(t, string(EventStream), response.Header.Get("Content-Type"))
	t.Cleanup(func() { response.Body.Close() })
	go func() {
		defer close(stream.results)
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			if data, found := strings.CutPrefix(lines.Text(), "data: "); found {
				stream.push(t, []byte(data))
			}
			if lines.Text() == "event: complete" {
				return
			}
		}
	}()
}

func (s *Stream) push(t testing.TB, payload []byte) {
	var result Result
	if err := json.Unmarshal(payload, &result); err != nil {
		t.Errorf("%s: %v", payload, err)
		return
	}
	s.results <- result
}

// Next returns what the subscription sends next, an error included.
func (s *Stream) Next(t testing.TB) Result {
	t.Helper()
	select {
	case result, open := <-s.results:
		require.True(t, open, "the subscription has ended")
		return result
	case <-time.After(patience):
		require.Fail(t, "the subscription sends nothing")
		return Result{}
	}
}

// Data is the data that the subscription sends next.
func (s *Stream) Data(t testing.TB) map[string]any {
	t.Helper()
	result := s.Next(t)
	require.Empty(t, result.Errors)
	return result.Data
}

// RequireEnd checks that the server ends the subscription, with an error of the
// code as the last that it sends.
func (s *Stream) RequireEnd(t testing.TB, code string) {
	t.Helper()
	require.Equal(t, code, s.Next(t).Code())
	select {
	case result, open := <-s.results:
		require.False(t, open, "the subscription goes on with %v", result)
	case <-time.After(patience):
		require.Fail(t, "the subscription does not end")
	}
}
