package schema

import (
	"encoding/json"

	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"octavo/internal/enum"
	"octavo/internal/identifier"
)

// Revision is an immutable state of the content of a space.
type Revision struct{ ent.Schema }

// Mixin of the schema.
func (Revision) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.Revision}, created{}, owned{}}
}

// Fields of the schema.
func (Revision) Fields() []ent.Field {
	return []ent.Field{
		reference("space_id"),
		optional("change_request_id"), // of the change request that it was made in
		optional("merged_from_id"),    // of the change request that it merged
		field.String("type").GoType(enum.RevisionType("")).Immutable(),
		field.JSON("parents", []string{}).Immutable(),
		field.String("root").Immutable(), // hash of the tree's root object
		optional("author_id"),
		// Kept beside the main content, which it never was: what a repository said.
		field.Bool("aside").Default(false).Immutable(),
		field.JSON("git", json.RawMessage{}).Optional(),
	}
}

// Edges of the schema.
func (Revision) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("space", Space.Type, "space_id"),
	}
}

// Indexes of the schema.
func (Revision) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("space_id", "id"),
		index.Fields("change_request_id"),
		index.Fields("root"),
	}
}

// ContentObject is a piece of content addressed by the hash of its bytes: the
// root of a tree, a chunk of one, or the Markdown of a page. The same bytes
// are stored once, whoever wrote them; they are reached only through the
// revisions that name them.
type ContentObject struct{ ent.Schema }

// Annotations of the schema.
func (ContentObject) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "content_objects"}}
}

// Mixin of the schema.
func (ContentObject) Mixin() []ent.Mixin { return []ent.Mixin{created{}} }

// Fields of the schema.
func (ContentObject) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").StorageKey("hash").NotEmpty().Immutable(),
		field.Bytes("data").Immutable(),
	}
}
