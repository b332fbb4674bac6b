package organization

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"octavo/ent"
	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/document"
	"octavo/internal/fault"
)

// maximumInstructions bounds the instructions for agents, in bytes of Markdown.
const maximumInstructions = 32 << 10

// AgentInstructions tell agents how to work on the content of an organization.
type AgentInstructions struct {
	OrganizationID string
	Markdown       string
	// UpdatedAt is when the organization was made, and UpdatedBy is nil, as long
	// as nobody has written any.
	UpdatedAt time.Time
	UpdatedBy *string
}

// Document is the instructions as a rich-text document.
func (i *AgentInstructions) Document() (json.RawMessage, error) {
	return json.Marshal(document.Parse([]byte(i.Markdown), document.References{}))
}

// Instructions are new instructions, as Markdown or as a document.
type Instructions struct {
	Markdown *string
	Document json.RawMessage
}

// AgentInstructions returns the instructions of an organization: FORBIDDEN for
// guests.
func (s *Service) AgentInstructions(ctx context.Context, id string) (*AgentInstructions, error) {
	if err := access.Require(ctx, id, access.ScopeRead, access.Read); err != nil {
		return nil, err
	}
	found, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return instructionsOf(found.Organization), nil
}

func instructionsOf(row *ent.Organization) *AgentInstructions {
	found := &AgentInstructions{
		OrganizationID: row.ID, Markdown: row.AgentInstructions, UpdatedAt: row.CreatedAt, UpdatedBy: row.AgentInstructionsUpdatedBy,
	}
	if row.AgentInstructionsUpdatedAt != nil {
		found.UpdatedAt = *row.AgentInstructionsUpdatedAt
	}
	return found
}

// UpdateAgentInstructions replaces the instructions; empty ones remove them. It
// needs the role admin.
func (s *Service) UpdateAgentInstructions(ctx context.Context, id string, instructions Instructions) (*AgentInstructions, error) {
	if err := access.Require(ctx, id, access.ScopeAdmin, access.Admin); err != nil {
		return nil, err
	}
	markdown, err := instructions.markdown()
	if err != nil {
		return nil, err
	}
	var written *ent.Organization
	err = s.database.Write(ctx, func(ctx context.Context) error {
		before, err := s.lock(ctx, id)
		if err != nil {
			return err
		}
		update := s.database.Client(ctx).Organization.UpdateOne(before).
			SetAgentInstructions(markdown).SetAgentInstructionsUpdatedAt(now())
		if author := access.From(ctx).UserID; author != "" {
			update.SetAgentInstructionsUpdatedBy(author)
		}
		if written, err = update.Save(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, s.database, audit.Change{
			OrganizationID: id, Action: audit.OrganizationUpdated, SubjectID: id,
			Before: map[string]any{"agentInstructions": before.AgentInstructions}, After: map[string]any{"agentInstructions": markdown},
		})
	})
	if err != nil {
		return nil, err
	}
	return instructionsOf(written), nil
}

func (i Instructions) markdown() (string, error) {
	text, err := i.text()
	if err != nil {
		return "", err
	}
	if len(text) > maximumInstructions {
		return "", fault.Invalid("instructions", "at most %d bytes of Markdown, got %d", maximumInstructions, len(text))
	}
	return text, nil
}

func (i Instructions) text() (string, error) {
	if (i.Markdown != nil) == (i.Document != nil) {
		return "", fault.Invalid("instructions", "Markdown or a document is needed, and not both")
	}
	if i.Markdown != nil {
		return *i.Markdown, nil
	}
	var kind struct{ Object string }
	var given document.Document
	if err := errors.Join(json.Unmarshal(i.Document, &kind), json.Unmarshal(i.Document, &given)); err != nil {
		return "", fault.Invalid("instructions", "it is not a document: %s", err)
	}
	if kind.Object != "document" {
		return "", fault.Invalid("instructions", "its object is %q, not document", kind.Object)
	}
	rendered, err := document.Render(&given, document.References{})
	if err != nil {
		return "", fault.Invalid("instructions", "%s", err)
	}
	return string(rendered), nil
}
