package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"octavo/internal/identifier"
)

// User is a person with an account.
type User struct{ ent.Schema }

// Mixin of the schema.
func (User) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.User}, created{}, updated{}}
}

// Fields of the schema.
func (User) Fields() []ent.Field {
	return []ent.Field{
		field.String("display_name"),
		field.String("email").Unique(),
		field.Bool("email_verified").Default(false),
		field.String("photo_url").Optional(),
	}
}

// Edges of the schema.
func (User) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("members", Member.Type),
		edge.To("access_tokens", AccessToken.Type),
	}
}

// AccessToken lets a program act as a user. Only the hash of the token is kept.
type AccessToken struct{ ent.Schema }

// Mixin of the schema.
func (AccessToken) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.AccessToken}, created{}}
}

// Fields of the schema.
func (AccessToken) Fields() []ent.Field {
	return []ent.Field{
		reference("user_id"),
		field.String("name"),
		field.String("hash").Unique().Immutable().Sensitive(), // hexadecimal SHA-256
		field.String("hint").Immutable(),                      // the last characters, to tell tokens apart
		field.JSON("scopes", []string{}).Immutable(),
		field.Time("expires_at").Optional().Nillable(),
		field.Time("revoked_at").Optional().Nillable(),
	}
}

// Edges of the schema.
func (AccessToken) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("user", User.Type).Ref("access_tokens").Field("user_id").Unique().Required().Immutable(),
	}
}

// Indexes of the schema.
func (AccessToken) Indexes() []ent.Index {
	return []ent.Index{index.Fields("user_id")}
}
