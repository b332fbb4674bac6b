// Package schema describes the tables of Octavo, one file per resource.
package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/mixin"

	"octavo/internal/identifier"
)

// identified gives a table the id that every resource has.
type identified struct {
	mixin.Schema
	prefix identifier.Prefix
}

// Fields of the mixin.
func (m identified) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").NotEmpty().Immutable().
			DefaultFunc(func() string { return identifier.New(m.prefix) }),
	}
}

// created gives a table the time at which a row was made.
type created struct{ mixin.Schema }

// Fields of the mixin.
func (created) Fields() []ent.Field {
	return []ent.Field{field.Time("created_at").Default(now).Immutable()}
}

// updated gives a table the time at which a row last changed as its readers
// understand it; it is set by domain code, not by every write.
type updated struct{ mixin.Schema }

// Fields of the mixin.
func (updated) Fields() []ent.Field {
	return []ent.Field{field.Time("updated_at").Default(now)}
}

// owned marks a table as the property of an organization: the tenant fence of
// package database limits every query on it.
type owned struct{ mixin.Schema }

// Fields of the mixin.
func (owned) Fields() []ent.Field { return []ent.Field{movable("organization_id")} }

// Edges of the mixin.
func (owned) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("organization", Organization.Type).Field("organization_id").Unique().Required().
			Annotations(entsql.OnDelete(entsql.Cascade)),
	}
}

// reference is a required column that holds the id of another row for good.
func reference(name string) ent.Field {
	return field.String(name).NotEmpty().Immutable()
}

// movable is a required column that holds the id of another row.
func movable(name string) ent.Field {
	return field.String(name).NotEmpty()
}

// optional is a column that holds the id of another row or null.
func optional(name string) ent.Field {
	return field.String(name).Optional().Nillable()
}

// now is the current time in UTC with the precision that PostgreSQL keeps.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// belongsTo is the foreign key behind an immutable column made by reference:
// the row goes when the one that it refers to goes.
func belongsTo(name string, owner any, column string) ent.Edge {
	return edge.To(name, owner).Field(column).Unique().Required().Immutable().
		Annotations(entsql.OnDelete(entsql.Cascade))
}

// mayBelongTo is belongsTo for a column made by optional.
func mayBelongTo(name string, owner any, column string) ent.Edge {
	return edge.To(name, owner).Field(column).Unique().
		Annotations(entsql.OnDelete(entsql.Cascade))
}

// by is the foreign key behind a column that names a person. People are never
// deleted while something names them.
func by(name, column string) ent.Edge {
	return edge.To(name, User.Type).Field(column).Unique().Required().Immutable().
		Annotations(entsql.OnDelete(entsql.NoAction))
}
