// Package audit keeps the audit log of each organization: who changed people,
// permissions, settings, tokens or publication, when, from where, and what
// stood there before and after.
//
// An entry is written in the transaction of the change, so that there is no
// change without its entry and no entry without its change. Entries are never
// changed or deleted; triggers in the database see to it.
package audit

import (
	"context"
	"encoding/json"
	"fmt"

	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/database"
)

// Change is something that somebody did.
type Change struct {
	OrganizationID string
	Action         Action
	// SubjectID is the id of what was changed.
	SubjectID string
	// Before and After are the fields that changed, as objects in JSON; nil
	// when there was, or is, nothing. They never hold secrets.
	Before, After map[string]any
}

// Origin is where a request came from.
type Origin struct {
	// Address of the client, without its port.
	Address   string
	UserAgent string
	RequestID string
}

// maximumUserAgent bounds what a client may have the log keep, in bytes.
const maximumUserAgent = 512

type originKey struct{}

// WithOrigin returns a context whose changes are recorded with their origin.
func WithOrigin(ctx context.Context, origin Origin) context.Context {
	if len(origin.UserAgent) > maximumUserAgent {
		origin.UserAgent = origin.UserAgent[:maximumUserAgent]
	}
	return context.WithValue(ctx, originKey{}, origin)
}

// Record writes changes in the transaction in progress, as done by the caller,
// in one statement.
func Record(ctx context.Context, opened *database.Database, changes ...Change) error {
	if _, err := opened.Transaction(ctx); err != nil {
		return fmt.Errorf("record a change: %w", err)
	}
	if len(changes) == 0 {
		return nil
	}
	client := opened.Client(ctx)
	viewer := access.From(ctx)
	origin, _ := ctx.Value(originKey{}).(Origin)
	creates := make([]*ent.AuditEntryCreate, len(changes))
	for index, change := range changes {
		before, err := encode(change.Before)
		if err != nil {
			return err
		}
		after, err := encode(change.After)
		if err != nil {
			return err
		}
		creates[index] = client.AuditEntry.Create().
			SetOrganizationID(change.OrganizationID).SetAction(string(change.Action)).SetSubjectID(change.SubjectID).
			SetNillableActorID(unlessEmpty(viewer.UserID)).SetNillableTokenID(unlessEmpty(viewer.TokenID)).
			SetBefore(before).SetAfter(after).
			SetAddress(origin.Address).SetUserAgent(origin.UserAgent).SetRequestID(origin.RequestID)
	}
	system := access.System(ctx, "an entry may speak of an organization that its author is not yet, or no longer, a member of")
	if err := client.AuditEntry.CreateBulk(creates...).Exec(system); err != nil {
		return fmt.Errorf("record a change: %w", err)
	}
	return nil
}

func encode(fields map[string]any) (json.RawMessage, error) {
	if fields == nil {
		return nil, nil
	}
	return json.Marshal(fields)
}

func unlessEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
