package schema

import (
	"encoding/json"

	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"octavo/internal/identifier"
)

// Event tells what happened, written in the transaction that made it happen.
type Event struct{ ent.Schema }

// Mixin of the schema.
func (Event) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.Event}, created{}, owned{}}
}

// Fields of the schema.
func (Event) Fields() []ent.Field {
	return []ent.Field{
		field.String("type").Immutable(),
		field.String("subject_id").Immutable(), // of the resource that it is about
		field.JSON("payload", json.RawMessage{}).Immutable(),
	}
}

// Indexes of the schema.
func (Event) Indexes() []ent.Index {
	return []ent.Index{index.Fields("created_at")}
}
