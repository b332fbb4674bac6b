package site

import (
	"context"
	"fmt"
	"slices"

	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/fault"
)

// maximumEvents bounds the events that are told of at once.
const maximumEvents = 100

// eventTypes are what the pages of a site tell of.
var eventTypes = []string{
	"page_view", "search_open", "search_type_query", "search_open_result", "page_post_feedback", "page_post_feedback_comment",
	"ask_question", "ask_view", "ask_rate_response", "link_click", "api_client_open", "api_client_request",
	"trademark_click", "ad_click", "ad_display",
}

// TrackEvents accepts what the pages of a published site tell of their visitors.
// It checks the events and keeps nothing of them. Anybody may call it; of a site
// that is not published only those who may read it.
func (s *Service) TrackEvents(ctx context.Context, siteID string, events []any) error {
	if err := s.requireAudience(ctx, siteID); err != nil {
		return err
	}
	if len(events) > maximumEvents {
		return fault.New(fault.LimitExceeded, "events: at most %d, got %d", maximumEvents, len(events))
	}
	for index, told := range events {
		each, _ := told.(map[string]any)
		field := fmt.Sprintf("events.%d", index)
		if kind, _ := each["type"].(string); !slices.Contains(eventTypes, kind) {
			return fault.Invalid(field+".type", "%v is not a type of event", each["type"])
		}
		for _, member := range []string{"session", "location"} {
			if _, is := each[member].(map[string]any); !is {
				return fault.Invalid(field+"."+member, "an object is needed")
			}
		}
	}
	return nil
}

// requireAudience returns NOT_FOUND for a site that is neither published nor
// read by the caller.
func (s *Service) requireAudience(ctx context.Context, siteID string) error {
	found, err := s.database.Client(ctx).Site.Get(access.System(ctx, "visitors tell of a published site"), siteID)
	if err != nil && !ent.IsNotFound(err) {
		return err
	}
	if err == nil && found.Published {
		return nil
	}
	if _, err := access.Authenticated(ctx); err != nil {
		return fault.Missing("site")
	}
	_, err = s.Get(ctx, siteID)
	return err
}
