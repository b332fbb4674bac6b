package space

import (
	"context"
	"fmt"
	"time"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	"octavo/ent/comment"
	"octavo/ent/commentreply"
	"octavo/ent/permission"
	"octavo/ent/predicate"
	"octavo/ent/reaction"
	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/content"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/revision"
)

// Delete marks a space as deleted; it can be restored for the time of
// Retention. It returns false when there is no such space, and FORBIDDEN for
// one that the caller may read and not delete.
func (s *Service) Delete(ctx context.Context, id string) (existed bool, err error) {
	err = s.database.Write(ctx, func(ctx context.Context) error {
		locked, err := s.Lock(ctx, id, access.ScopeWrite, access.Create)
		if fault.CodeOf(err) == fault.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		existed = true
		if err := s.database.Client(ctx).Space.UpdateOne(locked.Space).SetDeletedAt(now()).Exec(ctx); err != nil {
			return err
		}
		return s.record(ctx, audit.SpaceDeleted, locked.Space, map[string]any{"title": locked.Title}, nil)
	})
	return existed, err
}

// Restore brings back a space that was deleted less than Retention ago, and
// returns NOT_FOUND later. Restoring a space that is not deleted changes
// nothing.
func (s *Service) Restore(ctx context.Context, id string) (*Space, error) {
	if _, err := access.Allow(ctx, access.ScopeWrite); err != nil {
		return nil, err
	}
	err := s.database.Write(ctx, func(ctx context.Context) error {
		if err := s.database.Lock(ctx, entspace.Table, id); err != nil {
			return err
		}
		found, err := s.Get(ctx, id)
		if err != nil {
			return err
		}
		if found.Role < access.Create {
			return fault.Denied("this needs the role %s in the space", access.Create)
		}
		if found.DeletedAt == nil {
			return nil
		}
		if time.Since(*found.DeletedAt) >= Retention {
			return fault.Missing("space")
		}
		if err := s.database.Client(ctx).Space.UpdateOne(found.Space).ClearDeletedAt().Exec(ctx); err != nil {
			return err
		}
		return s.record(ctx, audit.SpaceRestored, found.Space, nil, map[string]any{"title": found.Title})
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

// purgeBatch bounds the spaces that one transaction removes.
const purgeBatch = 20

// Purge removes for good the spaces that were deleted at least Retention before
// the given time, and returns how many. What they contain goes with them.
func (s *Service) Purge(ctx context.Context, at time.Time) (purged int, err error) {
	ctx = access.System(ctx, "purging deleted spaces")
	for {
		batch := 0
		err := s.database.Write(ctx, func(ctx context.Context) error {
			ids, err := s.database.Client(ctx).Space.Query().
				Where(entspace.DeletedAtLTE(at.Add(-Retention))).Order(entspace.ByDeletedAt()).Limit(purgeBatch).IDs(ctx)
			if err != nil || len(ids) == 0 {
				return err
			}
			batch = len(ids)
			return s.remove(ctx, ids)
		})
		purged += batch
		if err != nil || batch < purgeBatch {
			return purged, err
		}
	}
}

// remove deletes the rows of spaces and those that refer to them without a
// foreign key.
func (s *Service) remove(ctx context.Context, ids []string) error {
	if err := s.depart(ctx, ids); err != nil {
		return err
	}
	client := s.database.Client(ctx)
	if _, err := client.Reaction.Delete().Where(reactionIn(ids)).Exec(ctx); err != nil {
		return err
	}
	if _, err := client.Permission.Delete().Where(permission.ResourceIDIn(ids...)).Exec(ctx); err != nil {
		return err
	}
	if err := s.structure.RemoveInvites(ctx, ids); err != nil {
		return err
	}
	_, err := client.Space.Delete().Where(entspace.IDIn(ids...)).Exec(ctx)
	return err
}

// reactionIn finds the reactions to the comments and replies in spaces.
func reactionIn(spaceIDs []string) predicate.Reaction {
	return func(selector *sql.Selector) {
		dialect := sql.Dialect(selector.Dialect())
		comments := dialect.Select(comment.FieldID).From(dialect.Table(comment.Table)).Where(sql.In(comment.FieldSpaceID, anys(spaceIDs)...))
		replies := dialect.Select(commentreply.FieldID).From(dialect.Table(commentreply.Table)).Where(sql.In(commentreply.FieldCommentID, comments.Clone()))
		selector.Where(sql.Or(
			sql.In(selector.C(reaction.FieldSubjectID), comments),
			sql.In(selector.C(reaction.FieldSubjectID), replies),
		))
	}
}

func anys(texts []string) []any {
	values := make([]any, len(texts))
	for index, text := range texts {
		values[index] = text
	}
	return values
}

const copySuffix = " (copy)"

// Duplicate copies a space with its current content and settings, right behind
// the original. Grants, comments, change requests and history stay with the
// original. It needs the role read in the space and create in the collection
// around it, or in the organization. It writes no content: both spaces name the same tree.
func (s *Service) Duplicate(ctx context.Context, id string) (*Space, error) {
	original, err := s.Require(ctx, id, access.ScopeWrite, access.Read)
	if err != nil {
		return nil, err
	}
	if err := s.structure.RequireParent(ctx, original.OrganizationID, original.CollectionID); err != nil {
		return nil, err
	}
	var created *ent.Space
	err = s.database.Write(ctx, func(ctx context.Context) error {
		if err := s.structure.Lock(ctx, original.OrganizationID); err != nil {
			return err
		}
		original, err := s.Require(ctx, id, access.ScopeWrite, access.Read)
		if err != nil {
			return err
		}
		if err := s.structure.RequireParent(ctx, original.OrganizationID, original.CollectionID); err != nil {
			return err
		}
		if created, err = s.copy(ctx, original); err != nil {
			return err
		}
		return s.recordCreation(ctx, created)
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, created.ID)
}

func (s *Service) copy(ctx context.Context, original *Space) (*ent.Space, error) {
	siblings, err := s.structure.Siblings(ctx, original.OrganizationID, original.CollectionID)
	if err != nil {
		return nil, err
	}
	place, err := siblings.Beside(original.ID, false)
	if err != nil {
		return nil, err
	}
	head, err := s.revisions.Load(ctx, original.RevisionID)
	if err != nil {
		return nil, err
	}
	client := s.database.Client(ctx)
	created, err := client.Space.Create().
		SetOrganizationID(original.OrganizationID).SetNillableCollectionID(original.CollectionID).
		SetTitle(copyTitle(original.Title)).SetEmoji(original.Emoji).SetNillableIcon(original.Icon).
		SetNillableLanguage(original.Language).SetEditMode(original.EditMode).SetDefaultLevel(original.DefaultLevel).
		SetMergeRules(original.MergeRules).SetPosition(place).SetRevisionID(pendingRevision).Save(ctx)
	if err != nil {
		return nil, err
	}
	first, err := s.revisions.Copy(ctx, head, revision.Draft{
		Space: created, Type: enum.RevisionEdits, Parents: []string{}, AuthorID: access.From(ctx).UserID,
	})
	if err != nil {
		return nil, err
	}
	created, err = client.Space.UpdateOne(created).SetRevisionID(first.ID).Save(ctx)
	if err != nil {
		return nil, err
	}
	tree, err := s.revisions.Tree(ctx, first)
	if err != nil {
		return nil, err
	}
	return created, s.announce(ctx, created, &content.Tree{}, tree, first)
}

func copyTitle(title string) string {
	runes := []rune(title)
	room := maximumTitle - len(copySuffix)
	if len(runes) > room {
		runes = runes[:room]
	}
	return string(runes) + copySuffix
}

// lastPosition is the key for one more sibling at the end.
func (s *Service) lastPosition(ctx context.Context, organizationID string, collectionID *string) (string, error) {
	siblings, err := s.structure.Siblings(ctx, organizationID, collectionID)
	if err != nil {
		return "", fmt.Errorf("order the spaces: %w", err)
	}
	return siblings.Last(), nil
}
