package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"octavo/internal/access"
	"octavo/internal/enum"
	"octavo/internal/identifier"
)

// Invite lets people who are no members join an organization, or come to a
// space or collection of it as guests. Only the hash of its secret is kept.
type Invite struct{ ent.Schema }

// Mixin of the schema.
func (Invite) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.Invite}, created{}, owned{}}
}

// Fields of the schema.
func (Invite) Fields() []ent.Field {
	return []ent.Field{
		reference("created_by"),
		field.String("email").Optional().Nillable().Immutable(), // of the one person that it is for; null for a link
		optional("resource_id"),                                 // the space or collection that it leads to; null for the organization
		field.Int8("role").GoType(access.None),                  // in the organization, or in the resource
		field.Bool("sso").Default(false).Immutable(),
		field.String("hash").Unique().Sensitive(), // hexadecimal SHA-256
		field.Int("maximum_uses").Optional().Nillable(),
		field.Int("uses").Default(0),
		field.Time("expires_at").Optional().Nillable(),
		field.Time("revoked_at").Optional().Nillable(),
		field.String("delivery").GoType(enum.InviteDelivery("")).Optional().Nillable(), // null when the secret was handed to whoever invites
	}
}

// Edges of the schema.
func (Invite) Edges() []ent.Edge { return []ent.Edge{by("creator", "created_by")} }

// Indexes of the schema.
func (Invite) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("organization_id", "email"),
		index.Fields("resource_id"),
	}
}
