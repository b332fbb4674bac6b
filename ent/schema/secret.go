package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
)

// Secret is a random key that all replicas share. It is no secret from those
// who can read the database, only from the clients of the server.
type Secret struct{ ent.Schema }

// Mixin of the schema.
func (Secret) Mixin() []ent.Mixin { return []ent.Mixin{created{}} }

// Fields of the schema.
func (Secret) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").StorageKey("name").NotEmpty().Immutable(),
		field.Bytes("value").Sensitive().Immutable(),
	}
}
