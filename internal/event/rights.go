package event

import (
	"context"
	"fmt"

	"octavo/ent"
	"octavo/ent/accesstoken"
	"octavo/ent/member"
	"octavo/internal/access"
)

// WatchRights is a hook on writes. In the transaction that changes or ends a
// membership, or that revokes an access token, it publishes RightsChanged, so
// that what follows the rights of the person ends at once on every server.
// Without a transaction it publishes nothing.
func (b *Bus) WatchRights(next ent.Mutator) ent.Mutator {
	return ent.MutateFunc(func(ctx context.Context, mutation ent.Mutation) (ent.Value, error) {
		told, err := b.affected(access.System(ctx, "telling streams of changed rights"), mutation)
		if err != nil {
			return nil, fmt.Errorf("look for people whose rights change: %w", err)
		}
		value, err := next.Mutate(ctx, mutation)
		if err != nil {
			return nil, err
		}
		for _, each := range told {
			if err := b.Publish(access.System(ctx, "telling streams of changed rights"), each); err != nil {
				return nil, err
			}
		}
		return value, nil
	})
}

// affected lists the events about those whose rights a mutation changes.
func (b *Bus) affected(ctx context.Context, mutation ent.Mutation) ([]Event, error) {
	if _, err := b.database.Transaction(ctx); err != nil || mutation.Op().Is(ent.OpCreate) {
		return nil, nil //nolint:nilerr // what is not in a transaction cannot be told with it
	}
	switch mutation := mutation.(type) {
	case *ent.MemberMutation:
		ids, err := mutation.IDs(ctx)
		if err != nil {
			return nil, err
		}
		return b.aboutMembers(ctx, ids)
	case *ent.AccessTokenMutation:
		if _, revoked := mutation.RevokedAt(); !revoked && mutation.Op().Is(ent.OpUpdate|ent.OpUpdateOne) {
			return nil, nil
		}
		ids, err := mutation.IDs(ctx)
		if err != nil {
			return nil, err
		}
		return b.aboutOwners(ctx, ids)
	}
	return nil, nil
}

func (b *Bus) aboutMembers(ctx context.Context, ids []string) ([]Event, error) {
	rows, err := b.database.Client(ctx).Member.Query().Where(member.IDIn(ids...)).All(ctx)
	if err != nil {
		return nil, err
	}
	told := make([]Event, len(rows))
	for index, row := range rows {
		told[index] = Event{OrganizationID: row.OrganizationID, Type: RightsChanged, SubjectID: row.UserID}
	}
	return told, nil
}

// aboutOwners tells of the owners of tokens. An event belongs to an
// organization, and one of each owner's is enough: who is in none follows
// nothing.
func (b *Bus) aboutOwners(ctx context.Context, tokenIDs []string) ([]Event, error) {
	client := b.database.Client(ctx)
	owners, err := client.AccessToken.Query().Where(accesstoken.IDIn(tokenIDs...)).All(ctx)
	if err != nil {
		return nil, err
	}
	people := make([]string, len(owners))
	for index, token := range owners {
		people[index] = token.UserID
	}
	memberships, err := client.Member.Query().Where(member.UserIDIn(people...)).All(ctx)
	if err != nil {
		return nil, err
	}
	organizations := make(map[string]string, len(people))
	for _, membership := range memberships {
		organizations[membership.UserID] = membership.OrganizationID
	}
	told := make([]Event, 0, len(organizations))
	for userID, organizationID := range organizations {
		told = append(told, Event{OrganizationID: organizationID, Type: RightsChanged, SubjectID: userID})
	}
	return told, nil
}
