package changerequest

import (
	"context"
	"encoding/json"

	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/enum"
	"octavo/internal/fault"
)

// Changes to a change request; nil leaves a field as it is.
type Changes struct {
	// Subject has at most 100 characters.
	Subject *string
	// Description is a document; an empty value removes it.
	Description *json.RawMessage
	// Status is draft, open or archived.
	Status *enum.ChangeRequestStatus
}

// Update changes a change request. It needs the role edit in the space.
//
// Drafts, open and archived change requests may become each other. A merged one
// is final: NOT_ALLOWED. It becomes merged by merging only: BAD_USER_INPUT. An
// archived one is changed only when it is reopened, then or before.
func (s *Service) Update(ctx context.Context, id string, changes Changes) (*ChangeRequest, error) {
	if _, err := s.Require(ctx, id, access.ScopeWrite, access.Edit); err != nil {
		return nil, err
	}
	if err := changes.validate(); err != nil {
		return nil, err
	}
	err := s.database.Write(ctx, func(ctx context.Context) error {
		_, locked, err := s.Lock(ctx, id, access.ScopeWrite, access.Edit)
		if err != nil {
			return err
		}
		return s.change(ctx, locked, changes)
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

// change writes validated changes to a locked change request.
func (s *Service) change(ctx context.Context, locked *ChangeRequest, changes Changes) error {
	if err := locked.admits(changes); err != nil {
		return err
	}
	update := s.database.Client(ctx).ChangeRequest.UpdateOneID(locked.ID).SetNillableSubject(changes.Subject)
	describe(update, changes.Description)
	if changes.Status != nil {
		if err := s.setStatus(ctx, locked.ChangeRequest, update, *changes.Status); err != nil {
			return err
		}
	}
	return s.save(ctx, update)
}

func describe(update *ent.ChangeRequestUpdateOne, description *json.RawMessage) {
	switch {
	case description == nil:
	case len(*description) == 0:
		update.ClearDescription()
	default:
		update.SetDescription(*description)
	}
}

// admits tells whether the status lets the changes be made.
func (c *ChangeRequest) admits(changes Changes) error {
	if c.Status == enum.StatusMerged {
		return fault.New(fault.NotAllowed, "change request #%d is merged, which is final", c.Number)
	}
	status := c.Status
	if changes.Status != nil {
		status = *changes.Status
	}
	if status == enum.StatusArchived && (changes.Subject != nil || changes.Description != nil) {
		return fault.New(fault.NotAllowed, "change request #%d is archived; reopen it to change it", c.Number)
	}
	return nil
}

func (c Changes) validate() error {
	if c.Subject != nil {
		if err := validateSubject(*c.Subject); err != nil {
			return err
		}
	}
	if c.Description != nil {
		if err := validateDescription(*c.Description); err != nil {
			return err
		}
	}
	if c.Status == nil {
		return nil
	}
	switch *c.Status {
	case enum.StatusDraft, enum.StatusOpen, enum.StatusArchived:
		return nil
	case enum.StatusMerged:
		return fault.Invalid("status", "a change request becomes merged by merging it")
	default:
		return fault.Invalid("status", "%q is not one of draft, open, archived", *c.Status)
	}
}
