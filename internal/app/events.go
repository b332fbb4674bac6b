package app

import (
	"context"

	"octavo/ent"
	"octavo/internal/content"
	"octavo/internal/event"
)

// publishEvents has the services publish what they change.
func (a *App) publishEvents() {
	a.Database.Use(a.Events.WatchRights)
	a.Spaces.OnContentChanged(func(ctx context.Context, changed *ent.Space, _, _ *content.Tree, _ *ent.Revision) error {
		return a.Events.Publish(ctx, event.Event{
			OrganizationID: changed.OrganizationID, Type: event.SpaceContentUpdated, SubjectID: changed.ID,
			Place: event.Place{SpaceID: changed.ID},
		})
	})
	a.ChangeRequests.OnChanged(func(ctx context.Context, changed *ent.ChangeRequest) error {
		return a.Events.Publish(ctx, event.Event{
			OrganizationID: changed.OrganizationID, Type: event.ChangeRequestUpdated, SubjectID: changed.ID,
			Place: event.Place{SpaceID: changed.SpaceID, ChangeRequestID: changed.ID},
		})
	})
	a.Sites.OnChanged(func(ctx context.Context, changed *ent.Site) error {
		return a.Events.Publish(ctx, event.Event{OrganizationID: changed.OrganizationID, Type: event.SiteUpdated, SubjectID: changed.ID})
	})
	a.Comments.OnAdded(func(ctx context.Context, thread *ent.Comment, id string) error {
		place := event.Place{SpaceID: thread.SpaceID}
		if thread.ChangeRequestID != nil {
			place.ChangeRequestID = *thread.ChangeRequestID
		}
		return a.Events.Publish(ctx, event.Event{
			OrganizationID: thread.OrganizationID, Type: event.CommentAdded, SubjectID: id, Place: place,
		})
	})
}
