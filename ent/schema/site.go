package schema

import (
	"encoding/json"

	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"octavo/internal/enum"
	"octavo/internal/identifier"
)

// Site shows spaces to an audience.
type Site struct{ ent.Schema }

// Mixin of the schema.
func (Site) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.Site}, created{}, owned{}}
}

// Fields of the schema.
func (Site) Fields() []ent.Field {
	return []ent.Field{
		field.String("title"),
		field.String("type").GoType(enum.SiteType("")).Default(string(enum.SiteBasic)),
		field.String("visibility").GoType(enum.SiteVisibility("")).Default(string(enum.SitePublic)),
		field.Bool("published").Default(false),
		field.String("basename").Unique(),                       // its address on this server
		field.String("hostname").Optional().Nillable().Unique(), // of its own
		field.String("proxy").Optional().Nillable().Unique(),    // host and path that a proxy serves it at
		field.String("agents_context").GoType(enum.AgentsContext("")).Default(string(enum.AgentsExcluded)),
		field.Bool("adaptive_content").Default(false),
		field.JSON("adaptive_schema", json.RawMessage{}).Optional(),
		field.Time("adaptive_schema_updated_at").Optional().Nillable(),
		field.JSON("customization", json.RawMessage{}).Optional(), // null is all defaults
		field.Bytes("publishing_key").Sensitive(),                 // sealed
		field.String("auth_backend").GoType(enum.AuthBackend("")).Default(string(enum.BackendCustom)),
		field.String("fallback_url").Optional().Nillable(),
		// Of those below, which may be gone: then the first one counts.
		optional("default_section_id"),
		optional("default_site_space_id"),
		field.Int("site_space_count").Default(0), // kept in the transaction that changes it
	}
}

// Indexes of the schema.
func (Site) Indexes() []ent.Index {
	return []ent.Index{index.Fields("organization_id", "id")}
}

// SiteSectionGroup gathers sections, and other groups, of a site.
type SiteSectionGroup struct{ ent.Schema }

// Mixin of the schema.
func (SiteSectionGroup) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.SiteSectionGroup}, created{}, owned{}}
}

// Fields of the schema.
func (SiteSectionGroup) Fields() []ent.Field {
	return []ent.Field{
		reference("site_id"),
		optional("parent_id"),
		field.String("title"),
		field.String("icon").Optional().Nillable(),
		field.String("position"), // sorts among siblings, sections included
	}
}

// Edges of the schema.
func (SiteSectionGroup) Edges() []ent.Edge {
	return []ent.Edge{belongsTo("site", Site.Type, "site_id")}
}

// Indexes of the schema.
func (SiteSectionGroup) Indexes() []ent.Index {
	return []ent.Index{index.Fields("site_id", "position", "id")}
}

// SiteSection is a part of a site with variants of its own.
type SiteSection struct{ ent.Schema }

// Mixin of the schema.
func (SiteSection) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.SiteSection}, created{}, owned{}}
}

// Fields of the schema.
func (SiteSection) Fields() []ent.Field {
	return []ent.Field{
		reference("site_id"),
		optional("group_id"),
		field.String("title"),
		field.String("description").Optional().Nillable(),
		field.String("icon").Optional().Nillable(),
		field.String("path"),
		field.String("condition").Optional().Nillable(),
		optional("default_site_space_id"), // may be gone: then the first one counts
		field.String("position"),          // sorts among siblings, groups included
	}
}

// Edges of the schema.
func (SiteSection) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("site", Site.Type, "site_id"),
		edge.To("group", SiteSectionGroup.Type).Field("group_id").Unique().Annotations(entsql.OnDelete(entsql.SetNull)),
	}
}

// Indexes of the schema.
func (SiteSection) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("site_id", "path").Unique(),
		index.Fields("site_id", "position", "id"),
	}
}

// SiteSpace is a space as a site shows it.
type SiteSpace struct{ ent.Schema }

// Mixin of the schema.
func (SiteSpace) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.SiteSpace}, created{}, owned{}}
}

// Fields of the schema.
func (SiteSpace) Fields() []ent.Field {
	return []ent.Field{
		reference("site_id"),
		optional("section_id"),
		movable("space_id"),
		field.String("path"),
		field.String("condition").Optional().Nillable(),
		field.JSON("customization", json.RawMessage{}).Optional(), // what it overrides of the site's
		field.String("position"),                                  // sorts among siblings
	}
}

// Edges of the schema.
func (SiteSpace) Edges() []ent.Edge {
	return []ent.Edge{
		belongsTo("site", Site.Type, "site_id"),
		mayBelongTo("section", SiteSection.Type, "section_id"),
		edge.To("space", Space.Type).Field("space_id").Unique().Required().Annotations(entsql.OnDelete(entsql.Cascade)),
	}
}

// Indexes of the schema.
func (SiteSpace) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("site_id", "position", "id"),
		index.Fields("space_id"),
	}
}

// SiteShareLink is a key that lets those who hold it read a site.
type SiteShareLink struct{ ent.Schema }

// Mixin of the schema.
func (SiteShareLink) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.SiteShareLink}, created{}, owned{}}
}

// Fields of the schema.
func (SiteShareLink) Fields() []ent.Field {
	return []ent.Field{
		reference("site_id"),
		field.String("name").Default(""),
		field.Bool("active").Default(true),
		field.Bytes("key").Sensitive().Immutable(), // sealed
		field.String("hash").Sensitive().Immutable().Unique(),
	}
}

// Edges of the schema.
func (SiteShareLink) Edges() []ent.Edge {
	return []ent.Edge{belongsTo("site", Site.Type, "site_id")}
}

// Indexes of the schema.
func (SiteShareLink) Indexes() []ent.Index { return []ent.Index{index.Fields("site_id", "id")} }

// SiteRedirect sends visitors of one path of a site to another place.
type SiteRedirect struct{ ent.Schema }

// Mixin of the schema.
func (SiteRedirect) Mixin() []ent.Mixin {
	return []ent.Mixin{identified{prefix: identifier.SiteRedirect}, created{}, owned{}}
}

// Fields of the schema.
func (SiteRedirect) Fields() []ent.Field {
	return []ent.Field{
		reference("site_id"),
		field.String("source"),
		field.JSON("destination", json.RawMessage{}),
	}
}

// Edges of the schema.
func (SiteRedirect) Edges() []ent.Edge {
	return []ent.Edge{belongsTo("site", Site.Type, "site_id")}
}

// Indexes of the schema.
func (SiteRedirect) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("site_id", "source").Unique(),
		index.Fields("site_id", "id"),
	}
}
