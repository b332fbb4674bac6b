// Package event tells the parts of Octavo what happened. An event is a row
// that is written in the transaction of the change, so that there is no change
// without its event and no event without its change. Once committed it is
// delivered to the subscribers of every process on the database.
package event

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"entgo.io/ent/dialect"

	"octavo/ent"
	entevent "octavo/ent/event"
	"octavo/internal/access"
	"octavo/internal/database"
	"octavo/internal/fault"
	"octavo/internal/identifier"
)

// Type says what happened.
type Type string

// The types, with what their subject is.
const (
	ChangeRequestUpdated Type = "change_request.updated" // a change request
	CommentAdded         Type = "comment.added"          // a comment or reply
	RightsChanged        Type = "user.rights_changed"    // a user
	SpaceContentUpdated  Type = "space.content_updated"  // a space
	SiteUpdated          Type = "site.updated"           // a site: itself, its structure or its publication
)

// Retention is how long events are kept.
const Retention = 7 * 24 * time.Hour

const (
	// bufferSize is how many events a subscriber may be behind.
	bufferSize = 64
	// rememberedIDs is how many delivered events are known, so that they are
	// not delivered again when missed ones are looked for.
	rememberedIDs = 10_000
	// readBatch bounds the events that one statement reads or purges.
	readBatch = 500
	// overlap is how far back missed events are looked for: an event is dated
	// when it is written, which is before it is committed, by the clock of
	// whoever wrote it.
	overlap = 2 * time.Minute
)

// Event is something that happened.
type Event struct {
	// ID is given by Publish.
	ID             string `json:"id"`
	OrganizationID string `json:"organization"`
	Type           Type   `json:"type"`
	SubjectID      string `json:"subject"`
	Place          Place  `json:"place"`
}

// Place is where it happened.
type Place struct {
	SpaceID         string `json:"space,omitempty"`
	ChangeRequestID string `json:"changeRequest,omitempty"`
}

// Filter tells which events a subscriber wants. It must be quick.
type Filter func(Event) bool

// Bus delivers events. It is safe for concurrent use.
type Bus struct {
	database *database.Database
	logger   *slog.Logger
	// lifetime ends when the bus is closed.
	lifetime context.Context
	end      context.CancelFunc
	watching sync.Once
	ready    chan struct{}
	group    sync.WaitGroup

	mutex       sync.Mutex
	subscribers map[*subscriber]struct{}
	delivered   *recentIDs
}

type subscriber struct {
	filter Filter
	events chan Event
}

// NewBus returns the bus of a database. It begins to watch for events with the
// first subscriber.
func NewBus(opened *database.Database, logger *slog.Logger) *Bus {
	lifetime, end := context.WithCancel(access.System(context.Background(), "delivering events"))
	return &Bus{
		database: opened, logger: logger, lifetime: lifetime, end: end, ready: make(chan struct{}),
		subscribers: map[*subscriber]struct{}{}, delivered: newRecentIDs(rememberedIDs),
	}
}

// Publish writes an event in the transaction in progress. It is delivered at
// least once when the transaction is committed, and never otherwise.
func (b *Bus) Publish(ctx context.Context, happened Event) error {
	if _, err := b.database.Transaction(ctx); err != nil {
		return fmt.Errorf("publish an event: %w", err)
	}
	happened.ID = identifier.New(identifier.Event)
	place, err := json.Marshal(happened.Place)
	if err != nil {
		return err
	}
	err = b.database.Client(ctx).Event.Create().
		SetID(happened.ID).SetOrganizationID(happened.OrganizationID).
		SetType(string(happened.Type)).SetSubjectID(happened.SubjectID).SetPayload(place).Exec(ctx)
	if err != nil {
		return fmt.Errorf("write an event: %w", err)
	}
	if b.database.Dialect == dialect.Postgres {
		return b.notify(ctx, happened)
	}
	b.database.AfterCommit(ctx, func() { b.deliver(happened) })
	return nil
}

// Subscribe returns the events from now on that pass the filter, in no
// particular order and now and then one of them twice. The channel is closed
// when the context or the bus ends, and when the subscriber has fallen behind
// by more than 64 events: it never holds up others.
func (b *Bus) Subscribe(ctx context.Context, filter Filter) (<-chan Event, error) {
	b.watching.Do(func() { b.group.Go(b.watch) })
	select {
	case <-b.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-b.lifetime.Done():
		return nil, errStopping()
	}
	added := &subscriber{filter: filter, events: make(chan Event, bufferSize)}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.lifetime.Err() != nil {
		return nil, errStopping()
	}
	b.subscribers[added] = struct{}{}
	context.AfterFunc(ctx, func() {
		b.mutex.Lock()
		defer b.mutex.Unlock()
		b.remove(added)
	})
	return added.events, nil
}

func errStopping() error { return fault.New(fault.Unavailable, "the server is stopping") }

// Subscribers is how many there are.
func (b *Bus) Subscribers() int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return len(b.subscribers)
}

// Close ends all subscriptions, and returns when nothing is delivered any more.
func (b *Bus) Close() {
	b.end()
	b.mutex.Lock()
	for each := range b.subscribers {
		b.remove(each)
	}
	b.mutex.Unlock()
	b.group.Wait()
}

// remove ends a subscription while the mutex is held.
func (b *Bus) remove(ended *subscriber) {
	if _, found := b.subscribers[ended]; !found {
		return
	}
	delete(b.subscribers, ended)
	close(ended.events)
}

// deliver hands an event to those who want it, unless it was delivered before.
func (b *Bus) deliver(happened Event) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if !b.delivered.add(happened.ID) {
		return
	}
	for each := range b.subscribers {
		if each.filter(happened) {
			b.offer(each, happened)
		}
	}
}

func (b *Bus) offer(to *subscriber, happened Event) {
	select {
	case to.events <- happened:
	default:
		b.logger.Warn("a subscriber is too slow and was cut off", "event", happened.ID, "type", happened.Type)
		b.remove(to)
	}
}

// watch follows what this and other processes publish until the bus is closed.
func (b *Bus) watch() {
	if b.database.Dialect == dialect.Postgres {
		b.listen()
		return
	}
	b.poll()
}

// beReady lets subscribers in, after what happened before counts as delivered.
func (b *Bus) beReady(now time.Time) {
	if err := b.catchUp(now); err != nil && b.lifetime.Err() == nil {
		b.logger.Warn("subscribers may hear of what happened before", "error", err)
	}
	close(b.ready)
}

// catchUp delivers the events since a time that were not delivered yet.
func (b *Bus) catchUp(since time.Time) error {
	last := ""
	for {
		rows, err := b.database.Client(b.lifetime).Event.Query().
			Where(entevent.CreatedAtGTE(since.Add(-overlap).UTC()), entevent.IDGT(last)).
			Order(entevent.ByID()).Limit(readBatch).All(b.lifetime)
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
		for _, row := range rows {
			happened, err := fromRow(row)
			if err != nil {
				return err
			}
			b.deliver(happened)
			last = row.ID
		}
		if len(rows) < readBatch {
			return nil
		}
	}
}

func fromRow(row *ent.Event) (Event, error) {
	happened := Event{ID: row.ID, OrganizationID: row.OrganizationID, Type: Type(row.Type), SubjectID: row.SubjectID}
	if err := json.Unmarshal(row.Payload, &happened.Place); err != nil {
		return Event{}, fmt.Errorf("event %s: %w", row.ID, err)
	}
	return happened, nil
}

// Purge removes the events that were published before a time, and returns how
// many.
func (b *Bus) Purge(ctx context.Context, before time.Time) (purged int, err error) {
	ctx = access.System(ctx, "purging events")
	client := b.database.Client(ctx)
	for {
		ids, err := client.Event.Query().Where(entevent.CreatedAtLT(before.UTC())).
			Order(entevent.ByCreatedAt()).Limit(readBatch).IDs(ctx)
		if err != nil {
			return purged, fmt.Errorf("look for old events: %w", err)
		}
		removed, err := client.Event.Delete().Where(entevent.IDIn(ids...)).Exec(ctx)
		purged += removed
		if err != nil {
			return purged, fmt.Errorf("remove old events: %w", err)
		}
		if len(ids) < readBatch {
			return purged, nil
		}
	}
}
