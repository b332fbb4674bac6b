package collection

import (
	"context"

	"octavo/ent"
	entcollection "octavo/ent/collection"
	"octavo/ent/collectionancestor"
	"octavo/ent/permission"
	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/enum"
	"octavo/internal/fault"
)

// Delete removes a collection with its grants and invites, and leaves what is
// in it: spaces and collections move up to where the collection stands, in their
// order. None of them becomes readable to more people by it: what states no
// default level keeps the one that the collection states, and those to whom the
// collection is closed by a grant of no role get that grant on what moves up.
// It needs the role admin. It returns false when there is no such collection,
// and FORBIDDEN for one that the caller may read and not delete.
func (s *Service) Delete(ctx context.Context, id string) (existed bool, err error) {
	err = s.database.Write(ctx, func(ctx context.Context) error {
		locked, err := s.lock(ctx, id, access.Admin)
		if fault.CodeOf(err) == fault.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		existed = true
		return s.dissolve(ctx, locked.Collection)
	})
	return existed, err
}

func (s *Service) dissolve(ctx context.Context, dissolved *ent.Collection) error {
	inside, err := s.structure.Siblings(ctx, dissolved.OrganizationID, &dissolved.ID)
	if err != nil {
		return err
	}
	ids := inside.IDs()
	if err := s.keepLevel(ctx, dissolved); err != nil {
		return err
	}
	if err := s.keepClosed(ctx, dissolved, ids); err != nil {
		return err
	}
	if err := s.moveUp(ctx, dissolved, ids); err != nil {
		return err
	}
	if err := s.remove(ctx, dissolved.ID); err != nil {
		return err
	}
	return audit.Record(ctx, s.database, audit.Change{
		OrganizationID: dissolved.OrganizationID, Action: audit.CollectionDeleted, SubjectID: dissolved.ID,
		Before: map[string]any{
			"title": dissolved.Title, "parent": dissolved.ParentID, "defaultLevel": dissolved.DefaultLevel, "content": ids,
		},
	})
}

// keepLevel writes the default level that a collection states to what is right
// in it and states none.
func (s *Service) keepLevel(ctx context.Context, dissolved *ent.Collection) error {
	if dissolved.DefaultLevel == access.Inherit {
		return nil
	}
	client := s.database.Client(ctx)
	err := client.Space.Update().Where(entspace.CollectionID(dissolved.ID), entspace.DefaultLevelEQ(access.Inherit)).
		SetDefaultLevel(dissolved.DefaultLevel).Exec(ctx)
	if err != nil {
		return err
	}
	return client.Collection.Update().Where(entcollection.ParentID(dissolved.ID), entcollection.DefaultLevelEQ(access.Inherit)).
		SetDefaultLevel(dissolved.DefaultLevel).Exec(ctx)
}

// keepClosed copies the grants of no role to what is right in a collection,
// except where it grants something else to the same person or team.
func (s *Service) keepClosed(ctx context.Context, dissolved *ent.Collection, ids []string) error {
	client := s.database.Client(ctx)
	closing, err := client.Permission.Query().
		Where(permission.ResourceID(dissolved.ID), permission.RoleEQ(access.None)).Select(permission.FieldPrincipalID).Strings(ctx)
	if err != nil || len(closing) == 0 {
		return err
	}
	own, err := client.Permission.Query().Where(permission.ResourceIDIn(ids...), permission.PrincipalIDIn(closing...)).All(ctx)
	if err != nil {
		return err
	}
	type grant struct{ resource, principal string }
	granted := make(map[grant]bool, len(own))
	for _, row := range own {
		granted[grant{row.ResourceID, row.PrincipalID}] = true
	}
	for _, resource := range ids {
		for _, principal := range closing {
			if granted[grant{resource, principal}] {
				continue
			}
			err := client.Permission.Create().SetOrganizationID(dissolved.OrganizationID).
				SetResourceID(resource).SetPrincipalID(principal).SetRole(access.None).Exec(ctx)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// moveUp puts what is right in a collection where the collection stands.
func (s *Service) moveUp(ctx context.Context, dissolved *ent.Collection, ids []string) error {
	siblings, err := s.structure.Siblings(ctx, dissolved.OrganizationID, dissolved.ParentID)
	if err != nil {
		return err
	}
	collections, err := s.database.Client(ctx).Collection.Query().Where(entcollection.ParentID(dissolved.ID)).All(ctx)
	if err != nil {
		return err
	}
	nested := make(map[string]*ent.Collection, len(collections))
	for _, each := range collections {
		nested[each.ID] = each
	}
	for index, place := range siblings.InPlaceOf(dissolved.ID, len(ids)) {
		inside := nested[ids[index]]
		if inside == nil {
			err = s.moveSpaceUp(ctx, ids[index], dissolved.ParentID, place)
		} else if err = s.structure.Renest(ctx, inside.OrganizationID, inside.ID, dissolved.ParentID); err == nil {
			err = s.put(ctx, inside, dissolved.ParentID, place)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) moveSpaceUp(ctx context.Context, id string, parent *string, position string) error {
	update := s.database.Client(ctx).Space.Update().Where(entspace.ID(id)).SetPosition(position)
	if parent != nil {
		return update.SetCollectionID(*parent).Exec(ctx)
	}
	if err := update.ClearCollectionID().Exec(ctx); err != nil {
		return err
	}
	return s.database.Client(ctx).Space.Update().
		Where(entspace.ID(id), entspace.VisibilityEQ(enum.VisibilityInCollection)).SetVisibility(enum.VisibilityPrivate).Exec(ctx)
}

// remove deletes a collection in which nothing is any more.
func (s *Service) remove(ctx context.Context, id string) error {
	client := s.database.Client(ctx)
	if err := s.structure.RemoveInvites(ctx, []string{id}); err != nil {
		return err
	}
	if _, err := client.Permission.Delete().Where(permission.ResourceID(id)).Exec(ctx); err != nil {
		return err
	}
	if _, err := client.CollectionAncestor.Delete().Where(collectionancestor.CollectionID(id)).Exec(ctx); err != nil {
		return err
	}
	return client.Collection.DeleteOneID(id).Exec(ctx)
}
