// Package live keeps readers up to date: it follows events and sends what they
// are about, as long as the reader may see it.
package live

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"octavo/internal/access"
	"octavo/internal/changerequest"
	"octavo/internal/comment"
	"octavo/internal/event"
	"octavo/internal/fault"
	"octavo/internal/identifier"
	"octavo/internal/site"
	"octavo/internal/space"
	"octavo/internal/user"
)

// Service makes streams.
type Service struct {
	Parts
	open counter
}

// Parts of the service.
type Parts struct {
	Events         *event.Bus
	Users          *user.Service
	Spaces         *space.Service
	ChangeRequests *changerequest.Service
	Comments       *comment.Service
	Sites          *site.Service
	Logger         *slog.Logger
	Limits         Limits
}

// Limits of streams; the zero value of each means none.
type Limits struct {
	// PerCaller bounds the streams that one user has open at this server.
	PerCaller int
	// Recheck is how often the rights of the reader are looked at while
	// nothing happens.
	Recheck time.Duration
}

// NewService returns a service that follows the events of a bus.
func NewService(parts Parts) *Service { return &Service{Parts: parts} }

// Remark is a *comment.Comment or a *comment.Reply.
type Remark any

// Session is what one stream knows beside what it sends.
type Session struct {
	replaceViewer func(*access.Viewer)
	ended         atomic.Pointer[error]
}

type sessionKey struct{}

// WithSession returns a context for one stream: its viewer gets the rights that
// the caller has when something is sent, not those from its beginning.
func WithSession(ctx context.Context) context.Context {
	ctx, replace := access.WithReplaceable(ctx)
	return context.WithValue(ctx, sessionKey{}, &Session{replaceViewer: replace})
}

// Ending returns once, for the stream of the context, why it ended before the
// reader ended it; nil when there is no such reason.
func Ending(ctx context.Context) error {
	session, ok := ctx.Value(sessionKey{}).(*Session)
	if !ok {
		return nil
	}
	if reason := session.ended.Swap(nil); reason != nil {
		return *reason
	}
	return nil
}

// SpaceContent sends a space each time its main content has changed. NOT_FOUND
// when the caller may not read it.
func (s *Service) SpaceContent(ctx context.Context, id string) (<-chan *space.Space, error) {
	about := topic[*space.Space]{
		filter: func(happened event.Event) bool {
			return happened.Type == event.SpaceContentUpdated && happened.SubjectID == id
		},
		readable: s.spaceReadable(id),
		read: func(ctx context.Context, _ event.Event) (*space.Space, error) {
			return s.Spaces.Require(ctx, id, access.ScopeRead, access.Read)
		},
	}
	if err := about.readable(ctx); err != nil {
		return nil, err
	}
	return stream(ctx, s, about)
}

// ChangeRequest sends a change request each time it or its content has changed.
// NOT_FOUND when the caller may not read it.
func (s *Service) ChangeRequest(ctx context.Context, id string) (<-chan *changerequest.ChangeRequest, error) {
	about := topic[*changerequest.ChangeRequest]{
		filter: func(happened event.Event) bool {
			return happened.Type == event.ChangeRequestUpdated && happened.SubjectID == id
		},
		readable: func(ctx context.Context) error {
			_, err := s.ChangeRequests.Get(ctx, id)
			return err
		},
		read: func(ctx context.Context, _ event.Event) (*changerequest.ChangeRequest, error) {
			return s.ChangeRequests.Get(ctx, id)
		},
	}
	if err := about.readable(ctx); err != nil {
		return nil, err
	}
	return stream(ctx, s, about)
}

// spaceReadable tells whether the caller may read a space.
func (s *Service) spaceReadable(id string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := s.Spaces.Require(ctx, id, access.ScopeRead, access.Read)
		return err
	}
}

// Remarks sends each new comment and reply in a space, those on its change
// requests included, or of one change request, which is given by its id or
// number. NOT_FOUND when the caller may not read them.
func (s *Service) Remarks(ctx context.Context, spaceID string, changeRequest *string) (<-chan Remark, error) {
	readable := s.spaceReadable(spaceID)
	if err := readable(ctx); err != nil {
		return nil, err
	}
	place := event.Place{SpaceID: spaceID}
	if changeRequest != nil {
		found, err := s.ChangeRequests.BySpace(ctx, spaceID, *changeRequest)
		if err != nil {
			return nil, err
		}
		place.ChangeRequestID = found.ID
	}
	return stream(ctx, s, topic[Remark]{
		filter: func(happened event.Event) bool {
			return happened.Type == event.CommentAdded && happened.Place.SpaceID == spaceID &&
				(changeRequest == nil || happened.Place == place)
		},
		readable: readable, read: s.remark,
	})
}

// remark reads what was added. When it is gone already, although the caller may
// still read the space, there is nothing to send.
func (s *Service) remark(ctx context.Context, added event.Event) (Remark, error) {
	found, err := s.findRemark(ctx, added.SubjectID)
	if fault.CodeOf(err) != fault.NotFound {
		return found, err
	}
	if _, err := s.Spaces.Require(ctx, added.Place.SpaceID, access.ScopeRead, access.Read); err != nil {
		return nil, err
	}
	return nil, errNothingToSend
}

func (s *Service) findRemark(ctx context.Context, id string) (Remark, error) {
	if prefix, _ := identifier.Split(id); prefix == identifier.CommentReply {
		return s.Comments.Reply(ctx, id)
	}
	return s.Comments.Get(ctx, id)
}

// errNothingToSend lets a stream pass over an event.
var errNothingToSend = errors.New("nothing to send")

// topic is what a stream is about.
type topic[Item any] struct {
	// filter passes the events that something is sent for.
	filter event.Filter
	// readable returns why the caller may not read it any more, if so.
	readable func(context.Context) error
	// read returns what is sent for an event.
	read func(context.Context, event.Event) (Item, error)
}

// stream sends what read makes of each event that passes the filter. It ends,
// and Ending says why, as soon as the caller may not read it any more.
func stream[Item any](ctx context.Context, service *Service, about topic[Item]) (<-chan Item, error) {
	if _, err := access.Allow(ctx, access.ScopeRead); err != nil {
		return nil, err
	}
	userID := access.From(ctx).UserID
	if !service.open.add(userID, service.Limits.PerCaller) {
		return nil, fault.New(fault.LimitExceeded, "one caller may have %d subscriptions open at a server: end one before you open another", service.Limits.PerCaller)
	}
	following, stop := context.WithCancel(ctx)
	happened, err := service.Events.Subscribe(following, func(happened event.Event) bool {
		return about.filter(happened) || changesRightsOf(userID, happened)
	})
	if err != nil {
		stop()
		service.open.remove(userID)
		return nil, err
	}
	items := make(chan Item)
	go func() {
		defer close(items)
		defer service.open.remove(userID)
		defer stop()
		if err := service.guarded(ctx, func() error { return follow(ctx, service, about, happened, items) }); err != nil && ctx.Err() == nil {
			end(ctx, err)
		}
	}()
	return items, nil
}

func changesRightsOf(userID string, happened event.Event) bool {
	return happened.Type == event.RightsChanged && happened.SubjectID == userID
}

// guarded makes an error of a panic, which is logged with its place: it ends
// one stream, and the others go on.
func (s *Service) guarded(ctx context.Context, run func() error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			s.Logger.ErrorContext(ctx, "panic in a stream", "panic", panicked, "stack", string(debug.Stack()))
			err = fault.New(fault.Internal, "%s", fault.Shown(fault.Internal))
		}
	}()
	return run()
}

func end(ctx context.Context, reason error) {
	if session, ok := ctx.Value(sessionKey{}).(*Session); ok {
		session.ended.Store(&reason)
	}
}

// follow sends until the caller may not read any more, which is looked at when
// their rights changed, when their token expires, and now and then.
func follow[Item any](ctx context.Context, service *Service, about topic[Item], happened <-chan event.Event, items chan<- Item) error {
	recheck, stopRecheck := ticks(service.Limits.Recheck)
	defer stopRecheck()
	expired, stopExpiry := expiry(access.From(ctx))
	defer stopExpiry()
	// What changed before the events were followed was not heard of.
	err := look(ctx, service, about)
	for err == nil {
		select {
		case next, open := <-happened:
			switch {
			case !open:
				err = fault.New(fault.Unavailable, "the server is stopping, or the client reads too slowly: subscribe again")
			case about.filter(next):
				err = send(ctx, service, about, next, items)
			default:
				err = look(ctx, service, about)
			}
		case <-recheck:
			err = look(ctx, service, about)
		case <-expired:
			err = look(ctx, service, about)
		}
	}
	return err
}

// look returns why the caller may not read any more, if so.
func look[Item any](ctx context.Context, service *Service, about topic[Item]) error {
	if err := service.renew(ctx); err != nil {
		return err
	}
	return about.readable(ctx)
}

func send[Item any](ctx context.Context, service *Service, about topic[Item], happened event.Event, items chan<- Item) error {
	if err := service.renew(ctx); err != nil {
		return err
	}
	item, err := about.read(ctx, happened)
	if errors.Is(err, errNothingToSend) {
		return nil
	}
	if err != nil {
		return err
	}
	select {
	case items <- item:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ticks comes again after each interval; never for the interval 0.
func ticks(interval time.Duration) (ticks <-chan time.Time, stop func()) {
	if interval == 0 {
		return nil, func() {}
	}
	ticker := time.NewTicker(interval)
	return ticker.C, ticker.Stop
}

// expiry comes when the caller's token expires, if it does.
func expiry(viewer *access.Viewer) (expired <-chan time.Time, stop func()) {
	if viewer.Expires.IsZero() {
		return nil, func() {}
	}
	timer := time.NewTimer(time.Until(viewer.Expires))
	return timer.C, func() { timer.Stop() }
}

// renew gives the caller the rights that they have now.
func (s *Service) renew(ctx context.Context) error {
	viewer, err := s.Users.Renew(ctx)
	if err != nil {
		return err
	}
	if session, ok := ctx.Value(sessionKey{}).(*Session); ok {
		session.replaceViewer(viewer)
	}
	return nil
}
