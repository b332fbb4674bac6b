package site

import (
	"context"
	"encoding/json"
	"time"

	"octavo/internal/access"
	"octavo/internal/audit"
	"octavo/internal/fault"
)

// maximumSchema bounds an adaptive schema, in bytes.
const maximumSchema = 64 << 10

// AdaptiveSchema says which claims about visitors a site knows.
type AdaptiveSchema struct {
	JSONSchema json.RawMessage
	UpdatedAt  time.Time
}

// Schema is that of the site; nil when it has none.
func (s *Site) Schema() *AdaptiveSchema {
	if len(s.AdaptiveSchema) == 0 || s.AdaptiveSchemaUpdatedAt == nil {
		return nil
	}
	return &AdaptiveSchema{JSONSchema: s.AdaptiveSchema, UpdatedAt: *s.AdaptiveSchemaUpdatedAt}
}

// SetAdaptiveSchema replaces the schema of a site. It needs the role create.
func (s *Service) SetAdaptiveSchema(ctx context.Context, id string, schema json.RawMessage) (*Site, error) {
	if _, err := conditionsOf(schema); err != nil {
		return nil, err
	}
	err := s.change(ctx, id, access.ScopeWrite, access.Create, func(ctx context.Context, locked *Site) (audit.Change, error) {
		return audit.Change{
			Action: audit.SiteUpdated,
			Before: map[string]any{"adaptiveSchema": locked.AdaptiveSchema}, After: map[string]any{"adaptiveSchema": schema},
		}, s.database.Client(ctx).Site.UpdateOneID(id).SetAdaptiveSchema(schema).SetAdaptiveSchemaUpdatedAt(now()).Exec(ctx)
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// TemplateCondition is an expression that a schema suggests.
type TemplateCondition struct{ Description, Condition string }

// TemplateConditions are the expressions that the schema of the site suggests;
// none without a schema.
func (s *Site) TemplateConditions() ([]*TemplateCondition, error) {
	if s.Schema() == nil {
		return []*TemplateCondition{}, nil
	}
	return conditionsOf(s.AdaptiveSchema)
}

// conditionsOf checks a schema and returns the expressions that it suggests.
func conditionsOf(schema json.RawMessage) ([]*TemplateCondition, error) {
	if len(schema) > maximumSchema {
		return nil, fault.New(fault.LimitExceeded, "jsonSchema: at most %d bytes, got %d", maximumSchema, len(schema))
	}
	var object struct {
		Type       string         `json:"type"`
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(schema, &object); err != nil || object.Type != "object" || object.Properties == nil {
		return nil, fault.Invalid("jsonSchema", "a schema of type object with properties is needed")
	}
	return []*TemplateCondition{}, nil
}
