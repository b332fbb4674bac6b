package schema

import (
	"encoding/json"

	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"octavo/internal/access"
	"octavo/internal/enum"
	"octavo/internal/identifier"
	"octavo/internal/mergerule"
)

// Organization owns content and the people who work on it.
type Organization struct{ ent.Schema }

// Mixin of the schema.
func (Organization) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.Organization}, created{}}
}

// Fields of the schema.
func (Organization) Fields() []ent.Field {
	return []ent.Field{
		field.String("title"),
		field.String("hostname").Optional().Nillable().Unique(),
		field.String("type").GoType(enum.OrganizationType("")).Default("business"),
		field.String("use_case").GoType(enum.OrganizationUseCase("")).Optional().Nillable(),
		field.String("community_type").GoType(enum.OrganizationCommunityType("")).Optional().Nillable(),
		field.String("plan").Default("internal"),
		field.JSON("email_domains", []string{}).Default([]string{}),
		field.Int8("default_role").GoType(access.None).Default(int8(access.Read)),
		field.JSON("default_content", json.RawMessage{}).Optional(),
		field.String("logo").Optional().Nillable(),
		field.Bool("sso").Default(false),
		field.Bool("ai").Default(false),
		field.Bool("invite_links").Default(true),
		field.JSON("merge_rules", mergerule.Rules{}).Default(mergerule.Rules{Type: mergerule.None}),
		field.String("agent_instructions").Default(""), // Markdown
		field.Time("agent_instructions_updated_at").Optional().Nillable(),
		optional("agent_instructions_updated_by"), // of a user
	}
}

// Edges of the schema.
func (Organization) Edges() []ent.Edge {
	return []ent.Edge{edge.To("members", Member.Type).Annotations(entsql.OnDelete(entsql.Cascade))}
}

// Member is the membership of a user in an organization. The role None is that
// of a guest.
type Member struct{ ent.Schema }

// Mixin of the schema.
func (Member) Mixin() []ent.Mixin { return []ent.Mixin{identified{prefix: identifier.Member}} }

// Fields of the schema.
func (Member) Fields() []ent.Field {
	return []ent.Field{
		reference("organization_id"),
		reference("user_id"),
		field.Int8("role").GoType(access.None),
		field.Bool("disabled").Default(false),
		field.Bool("sso").Default(false),
		field.Time("joined_at").Default(now).Immutable(),
		field.Time("last_seen_at").Optional().Nillable(),
	}
}

// Edges of the schema.
func (Member) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("organization", Organization.Type).Ref("members").Field("organization_id").Unique().Required().Immutable(),
		edge.From("user", User.Type).Ref("members").Field("user_id").Unique().Required().Immutable(),
	}
}

// Indexes of the schema.
func (Member) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("organization_id", "user_id").Unique(),
		index.Fields("user_id"),
	}
}
