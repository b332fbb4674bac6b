package space

import (
	"context"
	"reflect"

	"octavo/ent"
	"octavo/internal/audit"
)

// record notes a change of a space in the audit log.
func (s *Service) record(ctx context.Context, action audit.Action, space *ent.Space, before, after map[string]any) error {
	return audit.Record(ctx, s.database, audit.Change{
		OrganizationID: space.OrganizationID, Action: action, SubjectID: space.ID, Before: before, After: after,
	})
}

// recordCreation notes that a space was made.
func (s *Service) recordCreation(ctx context.Context, space *ent.Space) error {
	return s.record(ctx, audit.SpaceCreated, space, nil, map[string]any{"title": space.Title, "parent": space.CollectionID})
}

// recordSettings notes those settings that differ; nothing when none do.
func (s *Service) recordSettings(ctx context.Context, before, after *ent.Space) error {
	was, is := settings(before), settings(after)
	for name, value := range was {
		if reflect.DeepEqual(value, is[name]) {
			delete(was, name)
			delete(is, name)
		}
	}
	if len(was) == 0 {
		return nil
	}
	return s.record(ctx, audit.SpaceUpdated, after, was, is)
}

func settings(space *ent.Space) map[string]any {
	return map[string]any{
		"title": space.Title, "emoji": space.Emoji, "icon": space.Icon, "language": space.Language,
		"editMode": space.EditMode, "defaultLevel": space.DefaultLevel, "mergeRules": space.MergeRules,
	}
}
