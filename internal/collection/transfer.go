package collection

import (
	"context"

	"octavo/ent"
	entcollection "octavo/ent/collection"
	"octavo/ent/collectionancestor"
	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/fault"
)

// Transfer hands a collection with all that is in it, deleted spaces included,
// over to another organization, where it stands last at the top. It keeps the
// default level that the collections around it gave it; grants are kept as by
// space.Service.Transfer, and the caller stays an administrator of it. It needs the role admin in the collection and create
// in the other organization. It returns NOT_FOUND for an organization that the
// caller does not belong to, NO_CHANGE for the one that the collection is in,
// and NOT_ALLOWED when the caller is not an administrator of all that is in it,
// or while a git import or export of a space in it runs.
func (s *Service) Transfer(ctx context.Context, id, organizationID string) (*Collection, error) {
	found, err := s.Require(ctx, id, access.ScopeWrite, access.Admin)
	if err != nil {
		return nil, err
	}
	if err := access.Require(ctx, organizationID, access.ScopeWrite, access.Create); err != nil {
		return nil, err
	}
	if organizationID == found.OrganizationID {
		return nil, fault.New(fault.NoChange, "the collection belongs to the organization already")
	}
	err = s.database.Write(ctx, func(ctx context.Context) error {
		if err := s.structure.Lock(ctx, found.OrganizationID, organizationID); err != nil {
			return err
		}
		locked, err := s.lock(ctx, id, access.Admin)
		if err != nil {
			return err
		}
		if locked.OrganizationID != found.OrganizationID {
			return fault.New(fault.Conflict, "the collection was transferred meanwhile")
		}
		return s.transfer(ctx, locked.Collection, organizationID)
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

func (s *Service) transfer(ctx context.Context, transferred *ent.Collection, organizationID string) error {
	below, err := s.structure.Below(ctx, transferred.ID)
	if err != nil {
		return err
	}
	ids := make([]string, len(below))
	for index, row := range below {
		ids[index] = row.CollectionID
	}
	spaces, err := s.database.Client(ctx).Space.Query().Where(entspace.CollectionIDIn(ids...)).IDs(ctx)
	if err != nil {
		return err
	}
	if err := s.requireAll(ctx, ids, len(spaces)); err != nil {
		return err
	}
	if err := s.detach(ctx, transferred, organizationID); err != nil {
		return err
	}
	if err := s.handOver(ctx, ids, organizationID); err != nil {
		return err
	}
	if err := s.spaces.HandOver(ctx, spaces, organizationID); err != nil {
		return err
	}
	if err := s.structure.KeepAdministrator(ctx, transferred.ID, organizationID); err != nil {
		return err
	}
	return s.recordTransfer(ctx, transferred, organizationID, len(ids)-1, len(spaces))
}

// requireAll checks that the caller is an administrator of the collections and
// of as many spaces as are in them.
func (s *Service) requireAll(ctx context.Context, ids []string, spaces int) error {
	viewer, client := access.From(ctx), s.database.Client(ctx)
	collections, err := client.Collection.Query().Where(entcollection.IDIn(ids...), viewer.WhereCollectionRole(access.Admin)).Count(ctx)
	if err != nil {
		return err
	}
	administrated, err := client.Space.Query().Where(entspace.CollectionIDIn(ids...), viewer.WhereRole(access.Admin)).Count(ctx)
	if err != nil {
		return err
	}
	if collections < len(ids) || administrated < spaces {
		return fault.New(fault.NotAllowed, "the collection cannot be transferred: you are not an administrator of everything in it")
	}
	return nil
}

// detach puts a collection at the end of the top of another organization, with
// the default level that it has where it stands.
func (s *Service) detach(ctx context.Context, transferred *ent.Collection, organizationID string) error {
	siblings, err := s.structure.Siblings(ctx, organizationID, nil)
	if err != nil {
		return err
	}
	level, err := s.structure.Level(ctx, &transferred.ID)
	if err != nil {
		return err
	}
	if err := s.structure.Renest(ctx, transferred.OrganizationID, transferred.ID, nil); err != nil {
		return err
	}
	return s.database.Client(ctx).Collection.UpdateOne(transferred).
		ClearParentID().SetPosition(siblings.Last()).SetDefaultLevel(level).Exec(ctx)
}

// handOver gives collections with their grants to another organization.
func (s *Service) handOver(ctx context.Context, ids []string, organizationID string) error {
	client := s.database.Client(ctx)
	if err := client.Collection.Update().Where(entcollection.IDIn(ids...)).SetOrganizationID(organizationID).Exec(ctx); err != nil {
		return err
	}
	err := client.CollectionAncestor.Update().Where(collectionancestor.CollectionIDIn(ids...)).SetOrganizationID(organizationID).Exec(ctx)
	if err != nil {
		return err
	}
	return s.structure.HandOverGrants(ctx, ids, organizationID)
}

// recordTransfer tells both organizations.
func (s *Service) recordTransfer(ctx context.Context, transferred *ent.Collection, organizationID string, collections, spaces int) error {
	changes := make([]audit.Change, 2)
	for index, owner := range []string{transferred.OrganizationID, organizationID} {
		changes[index] = audit.Change{
			OrganizationID: owner, Action: audit.CollectionTransferred, SubjectID: transferred.ID,
			Before: map[string]any{"organization": transferred.OrganizationID, "title": transferred.Title, "parent": transferred.ParentID},
			After:  map[string]any{"organization": organizationID, "collections": collections, "spaces": spaces},
		}
	}
	return audit.Record(ctx, s.database, changes...)
}
