package site

import (
	"context"
	"encoding/json"
	"time"

	"octavo/internal/access"
	"octavo/internal/adaptive"
	"octavo/internal/audit"
)

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
	if _, err := adaptive.Parse("jsonSchema", schema); err != nil {
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

// TemplateConditions are the expressions that the schema of the site suggests;
// none without a schema.
func (s *Site) TemplateConditions() ([]*adaptive.Template, error) {
	if s.Schema() == nil {
		return []*adaptive.Template{}, nil
	}
	schema, err := adaptive.Parse("jsonSchema", s.AdaptiveSchema)
	if err != nil {
		return nil, err
	}
	templates := schema.Templates()
	found := make([]*adaptive.Template, len(templates))
	for index := range templates {
		found[index] = &templates[index]
	}
	return found, nil
}
