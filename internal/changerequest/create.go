package changerequest

import (
	"context"
	"unicode"
	"unicode/utf8"

	"octavo/ent"
	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/space"
)

const maximumSubject = 100

// New is a change request to be made.
type New struct {
	SpaceID string
	// Subject has at most 100 characters.
	Subject string
	// Fill writes the first content into the branch, in the transaction that
	// makes the change request; nil leaves it as the main content is.
	Fill func(ctx context.Context, id string) error
}

// Create makes a draft that branches off the current main content. It needs the
// role edit in the space. Its number is the next one of the space.
func (s *Service) Create(ctx context.Context, draft New) (*ChangeRequest, error) {
	if _, err := s.spaces.Require(ctx, draft.SpaceID, access.ScopeWrite, access.Edit); err != nil {
		return nil, err
	}
	if err := validateSubject(draft.Subject); err != nil {
		return nil, err
	}
	var created *ent.ChangeRequest
	err := s.database.Write(ctx, func(ctx context.Context) error {
		var err error
		if created, err = s.insert(ctx, draft); err != nil || draft.Fill == nil {
			return err
		}
		return draft.Fill(ctx, created.ID)
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, created.ID)
}

// insert writes the row and counts it, under the lock of the space.
func (s *Service) insert(ctx context.Context, draft New) (*ent.ChangeRequest, error) {
	home, err := s.spaces.Lock(ctx, draft.SpaceID, access.ScopeWrite, access.Edit)
	if err != nil {
		return nil, err
	}
	number := home.LastChangeRequestNumber + 1
	if err := s.countNew(ctx, home, number); err != nil {
		return nil, err
	}
	created, err := s.database.Client(ctx).ChangeRequest.Create().
		SetOrganizationID(home.OrganizationID).SetSpaceID(home.ID).SetNumber(number).
		SetStatus(enum.StatusDraft).SetSubject(draft.Subject).SetCreatorID(access.From(ctx).UserID).
		SetRevisionID(home.RevisionID).SetInitialRevisionID(home.RevisionID).Save(ctx)
	if err != nil {
		return nil, err
	}
	return created, s.tell(ctx, created)
}

func (s *Service) countNew(ctx context.Context, home *space.Space, number int) error {
	counters := s.database.Client(ctx).Space.Update().Where(entspace.ID(home.ID)).
		SetLastChangeRequestNumber(number).AddChangeRequestCount(1)
	count(counters, enum.StatusDraft, 1)
	return counters.Exec(ctx)
}

// validateSubject holds a subject to one line that every database can store.
func validateSubject(subject string) error {
	if length := utf8.RuneCountInString(subject); length > maximumSubject {
		return fault.Invalid("subject", "at most %d characters, got %d", maximumSubject, length)
	}
	for _, character := range subject {
		if unicode.IsControl(character) {
			return fault.Invalid("subject", "control characters such as %q are not allowed", character)
		}
	}
	return nil
}
