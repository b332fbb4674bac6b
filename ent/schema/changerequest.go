package schema

import (
	"encoding/json"

	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"octavo/internal/enum"
	"octavo/internal/identifier"
)

// ChangeRequest is a branch of the content of a space that can be merged.
type ChangeRequest struct{ ent.Schema }

// Mixin of the schema.
func (ChangeRequest) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.ChangeRequest}, created{}, updated{}, owned{}}
}

// Fields of the schema.
func (ChangeRequest) Fields() []ent.Field {
	return []ent.Field{
		reference("space_id"),
		field.Int("number").Immutable(),
		field.String("status").GoType(enum.ChangeRequestStatus("")).Default(string(enum.StatusDraft)),
		field.String("subject").Default(""),
		field.JSON("description", json.RawMessage{}).Optional(), // a rich-text document
		reference("creator_id"),
		movable("revision_id"),           // the head of the branch
		reference("initial_revision_id"), // the space's head when the branch was made
		optional("ancestor_revision_id"), // the space's head when the branch was last updated from it
		optional("merged_revision_id"),
		optional("merged_by_id"),
		field.Time("merged_at").Optional().Nillable(),
		optional("issues_cluster_id"),
		field.Int("open_comments").Default(0),
	}
}

// Edges of the schema.
func (ChangeRequest) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("space", Space.Type, "space_id"),
		by("creator", "creator_id"),
	}
}

// Indexes of the schema.
func (ChangeRequest) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("space_id", "number").Unique(),
		index.Fields("space_id", "status", "id"),
		index.Fields("organization_id", "status", "id"),
		index.Fields("creator_id"),
	}
}

// Contributor is a user who edited or discussed a change request.
type Contributor struct{ ent.Schema }

// Mixin of the schema.
func (Contributor) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.Contributor}, created{}, updated{}, owned{}}
}

// Fields of the schema.
func (Contributor) Fields() []ent.Field {
	return []ent.Field{
		reference("change_request_id"),
		reference("user_id"),
		field.String("action").GoType(enum.Contribution("")).Immutable(),
		field.Int("count").Default(1), // how often
	}
}

// Edges of the schema.
func (Contributor) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("change_request", ChangeRequest.Type, "change_request_id"),
		by("user", "user_id"),
	}
}

// Indexes of the schema.
func (Contributor) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("change_request_id", "user_id", "action").Unique(),
		index.Fields("user_id"),
	}
}

// Review is a verdict on a change request at one of its revisions.
type Review struct{ ent.Schema }

// Mixin of the schema.
func (Review) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.Review}, created{}, owned{}}
}

// Fields of the schema.
func (Review) Fields() []ent.Field {
	return []ent.Field{
		reference("change_request_id"),
		reference("reviewer_id"),
		reference("revision_id"),
		field.String("status").GoType(enum.ReviewStatus("")).Immutable(),
		optional("requested_by_id"), // who had asked for it
	}
}

// Edges of the schema.
func (Review) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("change_request", ChangeRequest.Type, "change_request_id"),
		by("reviewer", "reviewer_id"),
	}
}

// Indexes of the schema.
func (Review) Indexes() []ent.Index {
	return []ent.Index{index.Fields("change_request_id", "id")}
}

// RequestedReviewer is a user who was asked for a review.
type RequestedReviewer struct{ ent.Schema }

// Mixin of the schema.
func (RequestedReviewer) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.RequestedReviewer}, created{}, owned{}}
}

// Fields of the schema.
func (RequestedReviewer) Fields() []ent.Field {
	return []ent.Field{
		reference("change_request_id"),
		reference("user_id"),
		reference("requested_by_id"),
		reference("revision_id"), // the head of the branch when they were asked
	}
}

// Edges of the schema.
func (RequestedReviewer) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("change_request", ChangeRequest.Type, "change_request_id"),
		by("user", "user_id"),
	}
}

// Indexes of the schema.
func (RequestedReviewer) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("change_request_id", "user_id").Unique(),
		index.Fields("user_id"),
	}
}
