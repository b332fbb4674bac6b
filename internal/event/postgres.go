package event

import (
	"context"
	"encoding/json"
	"time"

	"github.com/lib/pq"
)

const (
	// channel is the one on which the servers of a database tell each other of
	// events.
	channel = "octavo_events"
	// minimumReconnect and maximumReconnect bound the wait between attempts to
	// connect again.
	minimumReconnect = 100 * time.Millisecond
	maximumReconnect = 30 * time.Second
	// pingInterval is how soon a connection that died silently is noticed.
	pingInterval = 30 * time.Second
)

// notify has PostgreSQL send the event to everyone who listens once the
// transaction is committed. An event is far smaller than the 8,000 bytes that
// it sends at most: it consists of ids.
func (b *Bus) notify(ctx context.Context, happened Event) error {
	encoded, err := json.Marshal(happened)
	if err != nil {
		return err
	}
	_, err = b.database.Client(ctx).ExecContext(ctx, "SELECT pg_notify($1, $2)", channel, string(encoded))
	return err
}

// listen delivers the events that PostgreSQL sends, those of this process
// included. After the connection was lost it delivers what was missed.
func (b *Bus) listen() {
	listener := pq.NewListener(b.database.URL, minimumReconnect, maximumReconnect, b.logConnection)
	stop := context.AfterFunc(b.lifetime, func() { _ = listener.Close() })
	defer stop()
	if err := listener.Listen(channel); err != nil {
		if b.lifetime.Err() == nil {
			b.logger.Error("listening for events", "error", err)
		}
		return
	}
	b.beReady(time.Now())
	ping := time.NewTicker(pingInterval)
	defer ping.Stop()
	for alive := time.Now(); ; {
		select {
		case <-b.lifetime.Done():
			return
		case notification, open := <-listener.Notify:
			if !open {
				return
			}
			alive = b.receive(notification, alive)
		case <-ping.C:
			if listener.Ping() == nil {
				alive = time.Now()
			}
		}
	}
}

// receive handles one notification and returns until when nothing was missed.
// There is none after the connection was made again.
func (b *Bus) receive(notification *pq.Notification, alive time.Time) time.Time {
	now := time.Now()
	if notification == nil {
		if err := b.catchUp(alive); err != nil {
			b.logger.Error("events were missed", "since", alive, "error", err)
			return alive
		}
		return now
	}
	var happened Event
	if err := json.Unmarshal([]byte(notification.Extra), &happened); err != nil {
		b.logger.Error("a notification is no event", "error", err)
		return now
	}
	b.deliver(happened)
	return now
}

func (b *Bus) logConnection(change pq.ListenerEventType, err error) {
	if err != nil && b.lifetime.Err() == nil {
		b.logger.Warn("the connection that listens for events", "change", int(change), "error", err)
	}
}
