// Package live keeps readers up to date: it follows events and sends what they
// are about, as long as the reader may see it.
package live

import (
	"context"
	"errors"
	"sync/atomic"

	"octavo/internal/access"
	"octavo/internal/changerequest"
	"octavo/internal/comment"
	"octavo/internal/event"
	"octavo/internal/fault"
	"octavo/internal/identifier"
	"octavo/internal/space"
	"octavo/internal/user"
)

// Service makes streams.
type Service struct {
	events         *event.Bus
	users          *user.Service
	spaces         *space.Service
	changeRequests *changerequest.Service
	comments       *comment.Service
}

// NewService returns a service that follows the events of a bus.
func NewService(events *event.Bus, users *user.Service, spaces *space.Service, changeRequests *changerequest.Service, comments *comment.Service) *Service {
	return &Service{events: events, users: users, spaces: spaces, changeRequests: changeRequests, comments: comments}
}

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
	read := func(ctx context.Context) (*space.Space, error) {
		return s.spaces.Require(ctx, id, access.ScopeRead, access.Read)
	}
	if _, err := read(ctx); err != nil {
		return nil, err
	}
	return stream(ctx, s, func(happened event.Event) bool {
		return happened.Type == event.SpaceContentUpdated && happened.SubjectID == id
	}, func(ctx context.Context, _ event.Event) (*space.Space, error) { return read(ctx) })
}

// ChangeRequest sends a change request each time it or its content has changed.
// NOT_FOUND when the caller may not read it.
func (s *Service) ChangeRequest(ctx context.Context, id string) (<-chan *changerequest.ChangeRequest, error) {
	if _, err := s.changeRequests.Get(ctx, id); err != nil {
		return nil, err
	}
	return stream(ctx, s, func(happened event.Event) bool {
		return happened.Type == event.ChangeRequestUpdated && happened.SubjectID == id
	}, func(ctx context.Context, _ event.Event) (*changerequest.ChangeRequest, error) {
		return s.changeRequests.Get(ctx, id)
	})
}

// Remarks sends each new comment and reply in a space, those on its change
// requests included, or of one change request, which is given by its id or
// number. NOT_FOUND when the caller may not read them.
func (s *Service) Remarks(ctx context.Context, spaceID string, changeRequest *string) (<-chan Remark, error) {
	if _, err := s.spaces.Require(ctx, spaceID, access.ScopeRead, access.Read); err != nil {
		return nil, err
	}
	place := event.Place{SpaceID: spaceID}
	if changeRequest != nil {
		found, err := s.changeRequests.BySpace(ctx, spaceID, *changeRequest)
		if err != nil {
			return nil, err
		}
		place.ChangeRequestID = found.ID
	}
	return stream(ctx, s, func(happened event.Event) bool {
		return happened.Type == event.CommentAdded && happened.Place.SpaceID == spaceID &&
			(changeRequest == nil || happened.Place == place)
	}, s.remark)
}

// remark reads what was added. When it is gone already, although the caller may
// still read the space, there is nothing to send.
func (s *Service) remark(ctx context.Context, added event.Event) (Remark, error) {
	found, err := s.findRemark(ctx, added.SubjectID)
	if fault.CodeOf(err) != fault.NotFound {
		return found, err
	}
	if _, err := s.spaces.Require(ctx, added.Place.SpaceID, access.ScopeRead, access.Read); err != nil {
		return nil, err
	}
	return nil, errNothingToSend
}

func (s *Service) findRemark(ctx context.Context, id string) (Remark, error) {
	if prefix, _ := identifier.Split(id); prefix == identifier.CommentReply {
		return s.comments.Reply(ctx, id)
	}
	return s.comments.Get(ctx, id)
}

// errNothingToSend lets a stream pass over an event.
var errNothingToSend = errors.New("nothing to send")

// stream sends what read makes of each event that passes the filter. It ends,
// and Ending says why, when the caller may not read it any more.
func stream[Item any](ctx context.Context, service *Service, filter event.Filter, read func(context.Context, event.Event) (Item, error)) (<-chan Item, error) {
	happened, err := service.events.Subscribe(ctx, filter)
	if err != nil {
		return nil, err
	}
	items := make(chan Item)
	go func() {
		defer close(items)
		if err := follow(ctx, service, happened, items, read); err != nil && ctx.Err() == nil {
			end(ctx, err)
		}
	}()
	return items, nil
}

func end(ctx context.Context, reason error) {
	if session, ok := ctx.Value(sessionKey{}).(*Session); ok {
		session.ended.Store(&reason)
	}
}

func follow[Item any](ctx context.Context, service *Service, happened <-chan event.Event, items chan<- Item, read func(context.Context, event.Event) (Item, error)) error {
	for next := range happened {
		if err := service.renew(ctx); err != nil {
			return err
		}
		item, err := read(ctx, next)
		if errors.Is(err, errNothingToSend) {
			continue
		}
		if err != nil {
			return err
		}
		select {
		case items <- item:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fault.New(fault.Unavailable, "the server is stopping, or the client reads too slowly: subscribe again")
}

// renew gives the caller the rights that they have now.
func (s *Service) renew(ctx context.Context) error {
	viewer, err := s.users.Renew(ctx)
	if err != nil {
		return err
	}
	if session, ok := ctx.Value(sessionKey{}).(*Session); ok {
		session.replaceViewer(viewer)
	}
	return nil
}
