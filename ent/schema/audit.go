package schema

import (
	"encoding/json"

	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"octavo/internal/identifier"
)

// AuditEntry tells who changed what. Entries outlive all that they speak of,
// so none of their columns refers to another table; triggers refuse to change
// or delete them.
type AuditEntry struct{ ent.Schema }

// Mixin of the schema.
func (AuditEntry) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.AuditEntry}, created{}}
}

// Fields of the schema.
func (AuditEntry) Fields() []ent.Field {
	return []ent.Field{
		reference("organization_id"),
		field.String("actor_id").Optional().Nillable().Immutable(), // of a user; null for the operator or the server itself
		field.String("token_id").Optional().Nillable().Immutable(), // the access token that they used
		field.String("action").NotEmpty().Immutable(),
		reference("subject_id"), // of what was changed
		field.JSON("before", json.RawMessage{}).Optional().Immutable(),
		field.JSON("after", json.RawMessage{}).Optional().Immutable(),
		field.String("address").Default("").Immutable(), // of the client
		field.String("user_agent").Default("").Immutable(),
		field.String("request_id").Default("").Immutable(),
	}
}

// Indexes of the schema.
func (AuditEntry) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("organization_id", "id"),
		index.Fields("organization_id", "actor_id", "id"),
		index.Fields("organization_id", "subject_id", "id"),
		index.Fields("organization_id", "action", "id"),
	}
}
