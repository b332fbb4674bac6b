package schema

import (
	"encoding/json"

	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"octavo/internal/identifier"
)

// Comment starts a thread on a space or change request, or on a page, block or
// table cell of its content.
type Comment struct{ ent.Schema }

// Mixin of the schema.
func (Comment) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.Comment}, created{}, owned{}}
}

// Fields of the schema.
func (Comment) Fields() []ent.Field {
	return []ent.Field{
		reference("space_id"),
		optional("change_request_id"),
		optional("review_id"),
		reference("revision_id"), // the content that was commented on
		field.String("page_id").Optional().Nillable().Immutable(),
		field.String("node_id").Optional().Nillable().Immutable(),
		field.String("table_record").Optional().Nillable().Immutable(),
		field.String("table_definition").Optional().Nillable().Immutable(),
		reference("author_id"),
		field.String("markdown").Default(""),
		field.JSON("document", json.RawMessage{}).Optional(), // set when the body came in as a document
		field.Time("edited_at").Optional().Nillable(),
		field.Time("resolved_at").Optional().Nillable(),
		optional("resolved_by_id"),
		field.Int("reply_count").Default(0), // a counter
	}
}

// Edges of the schema.
func (Comment) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("space", Space.Type, "space_id"),
		mayBelongTo("change_request", ChangeRequest.Type, "change_request_id"),
		by("author", "author_id"),
	}
}

// Indexes of the schema.
func (Comment) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("space_id", "change_request_id", "id"),
		index.Fields("change_request_id", "id"),
		index.Fields("space_id", "change_request_id", "author_id"),
		index.Fields("review_id"),
	}
}

// CommentReply is an answer in the thread of a comment.
type CommentReply struct{ ent.Schema }

// Mixin of the schema.
func (CommentReply) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.CommentReply}, created{}, owned{}}
}

// Fields of the schema.
func (CommentReply) Fields() []ent.Field {
	return []ent.Field{
		reference("comment_id"),
		reference("author_id"),
		field.String("markdown").Default(""),
		field.JSON("document", json.RawMessage{}).Optional(), // set when the body came in as a document
		field.Time("edited_at").Optional().Nillable(),
	}
}

// Edges of the schema.
func (CommentReply) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("comment", Comment.Type, "comment_id"),
		by("author", "author_id"),
	}
}

// Indexes of the schema.
func (CommentReply) Indexes() []ent.Index {
	return []ent.Index{index.Fields("comment_id", "id")}
}

// Reaction is an emoji that a user put on a comment or reply.
type Reaction struct{ ent.Schema }

// Mixin of the schema.
func (Reaction) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.Reaction}, created{}, owned{}}
}

// Fields of the schema.
func (Reaction) Fields() []ent.Field {
	return []ent.Field{
		reference("subject_id"), // of a comment or reply
		reference("user_id"),
		field.String("emoji").Immutable(),
	}
}

// Edges of the schema.
func (Reaction) Edges() []ent.Edge {
	return []ent.Edge{
		by("user", "user_id"),
	}
}

// Indexes of the schema.
func (Reaction) Indexes() []ent.Index {
	return []ent.Index{index.Fields("subject_id", "emoji", "user_id").Unique()}
}
