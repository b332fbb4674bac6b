package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"octavo/ent"
	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/space"
)

// Operation of a run.
type Operation string

// The operations.
const (
	OperationImport Operation = "import"
	OperationExport Operation = "export"
)

// Progress of a run.
type Progress string

// How a run stands.
const (
	Pending Progress = "pending"
	Running Progress = "running"
	Success Progress = "success"
	Failure Progress = "failure"
)

// State is what a space knows of the repository that it was last imported from
// or exported to.
type State struct {
	// URL of the repository, without credentials; empty when the space was
	// never in step with one elsewhere.
	URL string `json:"url,omitempty"`
	// Provider is github or gitlab, as the caller said.
	Provider  string    `json:"provider,omitempty"`
	Ref       string    `json:"ref,omitempty"`
	Operation Operation `json:"operation,omitempty"`
	Progress  Progress  `json:"progress,omitempty"`
	// Problems are what the last run could not place, or why it failed.
	Problems  []string  `json:"problems,omitempty"`
	UpdatedAt time.Time `json:"updatedAt,omitzero"`
	// Timestamp of the event that caused the last run: runs for earlier ones
	// come too late.
	Timestamp time.Time `json:"timestamp,omitzero"`
	// Commit and Revision are where the repository and the space last agreed.
	Commit   string `json:"commit,omitempty"`
	Revision string `json:"revision,omitempty"`
}

func stateOf(row *ent.Space) (*State, error) {
	state := &State{}
	if len(row.GitSync) == 0 {
		return state, nil
	}
	if err := json.Unmarshal(row.GitSync, state); err != nil {
		return nil, fmt.Errorf("git state of space %s: %w", row.ID, err)
	}
	return state, nil
}

// State returns how a space stands with its repository, or nil when it never
// was in step with one.
func (s *Service) State(found *space.Space) (*State, error) {
	state, err := stateOf(found.Space)
	if err != nil || state.URL == "" {
		return nil, err
	}
	return state, nil
}

// updateState changes the state of a space, in a transaction.
func (s *Service) updateState(ctx context.Context, spaceID string, change func(*State)) error {
	return s.database.Write(ctx, func(ctx context.Context) error {
		locked, err := s.spaces.Lock(ctx, spaceID, access.ScopeWrite, access.Create)
		if err != nil {
			return err
		}
		state, err := stateOf(locked.Space)
		if err != nil {
			return err
		}
		change(state)
		encoded, err := json.Marshal(state)
		if err != nil {
			return err
		}
		return s.database.Client(ctx).Space.Update().Where(entspace.ID(spaceID)).SetGitSync(encoded).Exec(ctx)
	})
}
