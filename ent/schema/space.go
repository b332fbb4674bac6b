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

// Collection orders spaces and other collections.
type Collection struct{ ent.Schema }

// Mixin of the schema.
func (Collection) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.Collection}, created{}, owned{}}
}

// Fields of the schema.
func (Collection) Fields() []ent.Field {
	return []ent.Field{
		optional("parent_id"),
		field.String("title"),
		field.String("description").Optional(),
		field.Int8("default_level").GoType(access.None).Default(int8(access.Inherit)),
		field.String("position"), // sorts among siblings, spaces included
	}
}

// Edges of the schema.
func (Collection) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("children", Collection.Type).Annotations(entsql.OnDelete(entsql.Cascade)).
			From("parent").Unique().Field("parent_id"),
	}
}

// Indexes of the schema.
func (Collection) Indexes() []ent.Index {
	return []ent.Index{index.Fields("organization_id", "parent_id", "position")}
}

// CollectionAncestor is the closure of collections over their parents: one row
// for a collection and each of its ancestors, itself (at distance 0) included.
type CollectionAncestor struct{ ent.Schema }

// Mixin of the schema.
func (CollectionAncestor) Mixin() []ent.Mixin { return []ent.Mixin{owned{}} }

// Fields of the schema.
func (CollectionAncestor) Fields() []ent.Field {
	return []ent.Field{
		reference("collection_id"),
		reference("ancestor_id"),
		field.Int("distance").Immutable(),
	}
}

// Edges of the schema.
func (CollectionAncestor) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("collection", Collection.Type, "collection_id"),
		belongsTo("ancestor", Collection.Type, "ancestor_id"),
	}
}

// Indexes of the schema.
func (CollectionAncestor) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("collection_id", "ancestor_id").Unique(),
		index.Fields("ancestor_id"),
	}
}

// Space is a tree of pages and files with a history.
type Space struct{ ent.Schema }

// Mixin of the schema.
func (Space) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.Space}, created{}, updated{}, owned{}}
}

// Fields of the schema.
func (Space) Fields() []ent.Field {
	return []ent.Field{
		optional("collection_id"),
		field.String("title"),
		field.String("emoji").Default(""),
		field.String("icon").Optional().Nillable(),
		field.String("visibility").GoType(enum.SpaceVisibility("")).Default(string(enum.VisibilityPrivate)),
		field.String("edit_mode").GoType(enum.EditMode("")).Default(string(enum.EditLocked)),
		field.Int8("default_level").GoType(access.None).Default(int8(access.Inherit)),
		field.String("language").Optional().Nillable(),
		field.JSON("merge_rules", mergerule.Rules{}).Default(mergerule.Rules{Type: mergerule.Inherit}),
		field.JSON("git_sync", json.RawMessage{}).Optional(),
		field.String("position"), // sorts among siblings, collections included
		movable("revision_id"),   // the head
		field.Time("deleted_at").Optional().Nillable(),
		// Counters, kept in the transaction that changes what they count.
		field.Int("open_comments").Default(0),
		field.Int("change_request_count").Default(0),
		field.Int("open_change_request_count").Default(0),
		field.Int("draft_change_request_count").Default(0),
		field.Int("last_change_request_number").Default(0),
	}
}

// Edges of the schema.
func (Space) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("collection", Collection.Type).Field("collection_id").Unique().Annotations(entsql.OnDelete(entsql.SetNull)),
	}
}

// Indexes of the schema.
func (Space) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("organization_id", "collection_id", "position"),
		index.Fields("organization_id", "position", "id"),
		index.Fields("collection_id"),
		index.Fields("deleted_at"),
	}
}
