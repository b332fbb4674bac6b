package database

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"octavo/ent"
	"octavo/ent/intercept"
	"octavo/internal/access"
)

// ownedTypes are the Ent types whose rows belong to an organization, with the
// column that says to which.
var ownedTypes = map[string]string{
	ent.TypeOrganization:       "id",
	ent.TypeMember:             "organization_id",
	ent.TypeTeam:               "organization_id",
	ent.TypeTeamMember:         "organization_id",
	ent.TypePermission:         "organization_id",
	ent.TypeCollection:         "organization_id",
	ent.TypeCollectionAncestor: "organization_id",
	ent.TypeSpace:              "organization_id",
	ent.TypeRevision:           "organization_id",
	ent.TypeChangeRequest:      "organization_id",
	ent.TypeContributor:        "organization_id",
	ent.TypeReview:             "organization_id",
	ent.TypeRequestedReviewer:  "organization_id",
	ent.TypeComment:            "organization_id",
	ent.TypeCommentReply:       "organization_id",
	ent.TypeReaction:           "organization_id",
	ent.TypeEvent:              "organization_id",
	ent.TypeInvite:             "organization_id",
	ent.TypeAuditEntry:         "organization_id",
	ent.TypeSite:               "organization_id",
	ent.TypeSiteSectionGroup:   "organization_id",
	ent.TypeSiteSection:        "organization_id",
	ent.TypeSiteSpace:          "organization_id",
	ent.TypeSiteShareLink:      "organization_id",
	ent.TypeSiteRedirect:       "organization_id",
}

// openTypes are the other Ent types; a test checks that every type is in one
// of the two lists.
var openTypes = map[string]string{
	ent.TypeUser:          "people belong to several organizations; package user decides who sees them",
	ent.TypeAccessToken:   "belongs to a user; package user decides",
	ent.TypeContentObject: "addressed by hash, reached through revisions only",
	ent.TypeSecret:        "keys of the server itself, never shown",
}

// fenceReads limits every query on an owned table to the organizations of the
// viewer. Without a viewer it finds nothing.
func fenceReads() ent.Interceptor {
	return intercept.TraverseFunc(func(ctx context.Context, query intercept.Query) error {
		column, owned := ownedTypes[query.Type()]
		viewer := access.From(ctx)
		if !owned || viewer.IsSystem() {
			return nil
		}
		query.WhereP(inOrganizations(viewer, column))
		return nil
	})
}

// fenceWrites does the same to updates and deletions, and refuses to create a
// row in an organization that the viewer does not belong to.
func fenceWrites(next ent.Mutator) ent.Mutator {
	return ent.MutateFunc(func(ctx context.Context, mutation ent.Mutation) (ent.Value, error) {
		column, owned := ownedTypes[mutation.Type()]
		viewer := access.From(ctx)
		if !owned || viewer.IsSystem() {
			return next.Mutate(ctx, mutation)
		}
		if viewer.Visitor != nil {
			return nil, fmt.Errorf("%s is changed by a visitor of a site", mutation.Type())
		}
		if mutation.Op().Is(ent.OpCreate) {
			return createInside(ctx, next, mutation, viewer, column)
		}
		limited, ok := mutation.(interface {
			WhereP(...func(*sql.Selector))
		})
		if !ok {
			return nil, fmt.Errorf("mutation of %s cannot be fenced", mutation.Type())
		}
		limited.WhereP(inOrganizations(viewer, column))
		return next.Mutate(ctx, mutation)
	})
}

func createInside(ctx context.Context, next ent.Mutator, mutation ent.Mutation, viewer *access.Viewer, column string) (ent.Value, error) {
	value, found := mutation.Field(column)
	organizationID, isText := value.(string)
	if !found || !isText {
		return nil, fmt.Errorf("%s is created without an organization", mutation.Type())
	}
	if _, member := viewer.RoleIn(organizationID); !member {
		return nil, fmt.Errorf("%s is created in an organization that the viewer does not belong to", mutation.Type())
	}
	return next.Mutate(ctx, mutation)
}

func inOrganizations(viewer *access.Viewer, column string) func(*sql.Selector) {
	ids := viewer.Organizations()
	return func(selector *sql.Selector) {
		switch len(ids) {
		case 0:
			selector.Where(sql.False())
		case 1:
			selector.Where(sql.EQ(selector.C(column), ids[0]))
		default:
			values := make([]any, len(ids))
			for index, id := range ids {
				values[index] = id
			}
			selector.Where(sql.In(selector.C(column), values...))
		}
	}
}
