package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"octavo/internal/access"
	"octavo/internal/enum"
	"octavo/internal/identifier"
)

// Team is a named group of members.
type Team struct{ ent.Schema }

// Mixin of the schema.
func (Team) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.Team}, created{}, owned{}}
}

// Fields of the schema.
func (Team) Fields() []ent.Field {
	return []ent.Field{
		field.String("title"),
		field.String("folded_title").Default(""), // in lower case, for search: databases fold ASCII alone
	}
}

// Edges of the schema.
func (Team) Edges() []ent.Edge {
	return []ent.Edge{edge.To("team_members", TeamMember.Type).Annotations(entsql.OnDelete(entsql.Cascade))}
}

// Indexes of the schema.
func (Team) Indexes() []ent.Index { return []ent.Index{index.Fields("organization_id")} }

// TeamMember is the membership of a user in a team.
type TeamMember struct{ ent.Schema }

// Mixin of the schema.
func (TeamMember) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.TeamMember}, created{}, owned{}}
}

// Fields of the schema.
func (TeamMember) Fields() []ent.Field {
	return []ent.Field{
		reference("team_id"),
		reference("user_id"),
		field.String("role").GoType(enum.TeamRole("")).Default("member"),
	}
}

// Edges of the schema.
func (TeamMember) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("team", Team.Type).Ref("team_members").Field("team_id").Unique().Required().Immutable(),
		by("user", "user_id"),
	}
}

// Indexes of the schema.
func (TeamMember) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("team_id", "user_id").Unique(),
		index.Fields("user_id"),
	}
}

// Permission grants a role in a space or collection to a user or team.
type Permission struct{ ent.Schema }

// Mixin of the schema.
func (Permission) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.Permission}, created{}, owned{}}
}

// Fields of the schema.
func (Permission) Fields() []ent.Field {
	return []ent.Field{
		reference("resource_id"),  // of a space or collection
		reference("principal_id"), // of a user or team
		field.Int8("role").GoType(access.None),
	}
}

// Indexes of the schema.
func (Permission) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("resource_id", "principal_id").Unique(),
		index.Fields("principal_id"),
	}
}
