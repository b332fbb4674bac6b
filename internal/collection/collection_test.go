package collection_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/ent/auditentry"
	entcollection "octavo/ent/collection"
	"octavo/ent/collectionancestor"
	entspace "octavo/ent/space"
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/collection"
	"octavo/internal/fault"
	"octavo/internal/space"
	"octavo/internal/structure"
)

type object = map[string]any

func makeCollection(t *testing.T, server *apptest.Server, title string, parent *string) string {
	t.Helper()
	made, err := server.App.Collections.Create(server.Context(t, apptest.Admin), collection.New{
		OrganizationID: server.OrganizationID, Title: title, ParentID: parent,
	})
	require.NoError(t, err)
	return made.ID
}

func makeSpace(t *testing.T, server *apptest.Server, title string, parent *string) string {
	t.Helper()
	made, err := server.App.Spaces.Create(server.Context(t, apptest.Admin), space.New{
		OrganizationID: server.OrganizationID, Title: title, CollectionID: parent,
	})
	require.NoError(t, err)
	return made.ID
}

// children of a collection, or what is at the top where id is empty.
func children(t *testing.T, server *apptest.Server, caller apptest.Caller, id string) []string {
	t.Helper()
	query, variables := `query($id: ID!) { at: collection(id: $id) { list: children { nodes { ... on Space { id } ... on Collection { id } } totalCount } } }`, object{"id": id}
	if id == "" {
		query, variables = strings.NewReplacer("collection(", "organization(", "children", "structure").Replace(query), object{"id": server.OrganizationID}
	}
	list := server.As(caller).Query(t, query, variables)["at"].(object)["list"].(object)
	found := []string{}
	for _, node := range list["nodes"].([]any) {
		found = append(found, node.(object)["id"].(string))
	}
	assert.EqualValues(t, len(found), list["totalCount"])
	return found
}

// closureIsRight compares the table of ancestors with what the parents say.
func closureIsRight(t *testing.T, server *apptest.Server) {
	t.Helper()
	ctx := access.System(t.Context(), "test")
	client := server.App.Database.Client(ctx)
	rows, err := client.Collection.Query().All(ctx)
	require.NoError(t, err)
	parents := map[string]*string{}
	for _, row := range rows {
		parents[row.ID] = row.ParentID
	}
	expected := map[string]int{}
	for id := range parents {
		distance := 0
		for at := &id; at != nil; at = parents[*at] {
			expected[id+" in "+*at] = distance
			distance++
		}
	}
	ancestors, err := client.CollectionAncestor.Query().All(ctx)
	require.NoError(t, err)
	stored := map[string]int{}
	for _, row := range ancestors {
		stored[row.CollectionID+" in "+row.AncestorID] = row.Distance
	}
	assert.Equal(t, expected, stored)
}

func TestCollectionsAreShownToThoseWhoMayReadThem(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		outer := makeCollection(t, server, "Outer", nil)
		inner := makeCollection(t, server, "Inner", &outer)
		path := "/collections/" + inner
		for caller, status := range map[apptest.Caller]int{
			apptest.Admin: 200, apptest.Reader: 200, apptest.Guest: 404, apptest.Stranger: 404, apptest.Anonymous: 401, apptest.ReadToken: 200,
		} {
			assert.Equal(t, status, server.As(caller).REST(t, http.MethodGet, path, nil).Status, "%s", caller)
		}
		server.As(apptest.Admin).REST(t, http.MethodPatch, "/collections/"+outer, object{"defaultLevel": nil}).Object(t, 200)
		assert.Equal(t, 404, server.As(apptest.Creator).REST(t, http.MethodGet, path, nil).Status, "the level of the collection around it counts")

		ctx := server.Context(t, apptest.Admin)
		require.NoError(t, server.App.Database.Client(ctx).Permission.Create().SetOrganizationID(server.OrganizationID).
			SetResourceID(inner).SetPrincipalID(server.As(apptest.Guest).UserID).SetRole(access.Create).Exec(ctx))
		guest := server.As(apptest.Guest)
		shown := guest.REST(t, http.MethodGet, path, nil).Object(t, 200)
		assert.Equal(t, object{"view": true, "admin": false, "viewInviteLinks": false, "create": true}, shown["permissions"])
		assert.NotContains(t, shown, "parent", "what they may not read is not named")
		list := guest.REST(t, http.MethodGet, "/orgs/"+server.OrganizationID+"/collections", nil).Object(t, 200)
		assert.EqualValues(t, 1, list["count"])

		made := guest.REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", object{"parent": inner}).Object(t, 201)
		assert.Equal(t, inner, made["parent"], "the role in the collection decides who makes spaces in it")
		assert.Equal(t, 403, guest.REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", nil).Status)
		assert.Equal(t, 404, server.As(apptest.Creator).REST(t, http.MethodPost, "/orgs/"+server.OrganizationID+"/spaces", object{"parent": inner}).Status)
		assert.Equal(t, []string{made["id"].(string)}, children(t, server, apptest.Guest, inner))
	})
}

func TestUpdateCollection(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		id := makeCollection(t, server, "Shelf", nil)
		for _, test := range []struct {
			name   string
			caller apptest.Caller
			body   object
			status int
		}{
			{"Title", apptest.Creator, object{"title": "Shelves", "description": "All"}, 200},
			{"Reviewer", apptest.Reviewer, object{"title": "x"}, 403},
			{"LevelNeedsAdmin", apptest.Creator, object{"defaultLevel": "read"}, 403},
			{"TitleTooLong", apptest.Admin, object{"title": strings.Repeat("ü", 51)}, 400},
			{"TitleAtTheLimit", apptest.Admin, object{"title": strings.Repeat("ü", 50)}, 200},
			{"DescriptionTooLong", apptest.Admin, object{"description": strings.Repeat("x", 101)}, 400},
			{"RemoveDescription", apptest.Admin, object{"description": ""}, 200},
			{"UnknownLevel", apptest.Admin, object{"defaultLevel": "king"}, 400},
			{"Level", apptest.Admin, object{"defaultLevel": "comment"}, 200},
			{"ReadToken", apptest.ReadToken, object{"title": "x"}, 403},
			{"Stranger", apptest.Stranger, object{"title": "x"}, 404},
		} {
			t.Run(test.name, func(t *testing.T) {
				response := server.As(test.caller).REST(t, http.MethodPatch, "/collections/"+id, test.body)
				assert.Equal(t, test.status, response.Status, "%s", response.Body)
			})
		}
		updated := server.As(apptest.Reader).REST(t, http.MethodGet, "/collections/"+id, nil).Object(t, 200)
		assert.Equal(t, strings.Repeat("ü", 50), updated["title"])
		assert.Equal(t, "comment", updated["defaultLevel"])
		assert.NotContains(t, updated, "description")
	})
}

func TestNestingIsBounded(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		var parent *string
		for depth := range structure.MaximumDepth {
			id := makeCollection(t, server, fmt.Sprint(depth), parent)
			parent = &id
		}
		ctx := server.Context(t, apptest.Admin)
		_, err := server.App.Collections.Create(ctx, collection.New{OrganizationID: server.OrganizationID, ParentID: parent})
		assert.ErrorContains(t, err, "parent: collections are nested at most 10 deep, this would be 11")
		other := makeCollection(t, server, "Other", nil)
		_, err = server.App.Collections.Move(ctx, other, structure.Move{Parent: parent})
		assert.Equal(t, fault.BadUserInput, fault.CodeOf(err))
		closureIsRight(t, server)
	})
}

func TestMoveCollection(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		outer := makeCollection(t, server, "Outer", nil)
		inner := makeCollection(t, server, "Inner", &outer)
		deep := makeCollection(t, server, "Deep", &inner)
		other := makeCollection(t, server, "Other", nil)
		inside, top := makeSpace(t, server, "Inside", &other), makeSpace(t, server, "Top", nil)
		beside := func(side, kind, id string) object {
			return object{"position": object{side: object{"type": kind, kind: id}}}
		}
		for _, test := range []struct {
			name   string
			caller apptest.Caller
			body   object
			status int
		}{
			{"BeforeASpace", apptest.Creator, beside("after", "space", top), 200},
			{"Again", apptest.Creator, beside("after", "space", top), 409},
			{"Nothing", apptest.Creator, object{}, 409},
			{"TheTopAgain", apptest.Creator, object{"parent": nil}, 409},
			{"IntoItself", apptest.Creator, object{"parent": outer}, 400},
			{"IntoItsDescendant", apptest.Creator, object{"parent": deep}, 400},
			{"BesideItself", apptest.Creator, beside("before", "collection", outer), 400},
			{"BesideSomethingElsewhere", apptest.Creator, beside("before", "space", inside), 400},
			{"UnknownParent", apptest.Creator, object{"parent": "col_unknown"}, 404},
			{"Editor", apptest.Editor, object{"parent": other}, 403},
			{"Stranger", apptest.Stranger, object{"parent": other}, 404},
			{"IntoAnother", apptest.Creator, object{"parent": other, "position": object{"before": object{"type": "space", "space": inside}}}, 200},
		} {
			t.Run(test.name, func(t *testing.T) {
				response := server.As(test.caller).REST(t, http.MethodPost, "/collections/"+outer+"/move", test.body)
				assert.Equal(t, test.status, response.Status, "%s", response.Body)
			})
		}
		closureIsRight(t, server)
		assert.Equal(t, []string{outer, inside}, children(t, server, apptest.Reader, other))
		path := server.As(apptest.Reader).Query(t, `query($id: ID!) { collection(id: $id) { ancestors { id } } }`, object{"id": deep})
		assert.Equal(t, []any{object{"id": other}, object{"id": outer}, object{"id": inner}}, path["collection"].(object)["ancestors"])
		top1 := server.As(apptest.Reader).REST(t, http.MethodGet, "/orgs/"+server.OrganizationID+"/collections?nested=false", nil).Object(t, 200)
		assert.EqualValues(t, 1, top1["count"])
	})
}

// TestDeleteWidensNothing deletes a collection that is closed to members.
func TestDeleteWidensNothing(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := server.Context(t, apptest.Admin)
		client := server.App.Database.Client(ctx)
		outer := makeCollection(t, server, "Outer", nil)
		first := makeSpace(t, server, "First", &outer)
		shelf := makeCollection(t, server, "Shelf", &outer)
		last := makeSpace(t, server, "Last", &outer)
		hidden, open := makeSpace(t, server, "Hidden", &shelf), makeSpace(t, server, "Open", &shelf)
		nested := makeCollection(t, server, "Nested", &shelf)
		deep := makeSpace(t, server, "Deep", &nested)
		require.NoError(t, client.Space.UpdateOneID(open).SetDefaultLevel(access.Read).Exec(ctx))
		require.NoError(t, client.Collection.UpdateOneID(shelf).SetDefaultLevel(access.None).Exec(ctx))
		grant := func(resource string, caller apptest.Caller, role access.Role) {
			require.NoError(t, client.Permission.Create().SetOrganizationID(server.OrganizationID).SetResourceID(resource).
				SetPrincipalID(server.As(caller).UserID).SetRole(role).Exec(ctx))
		}
		grant(outer, apptest.Guest, access.Read)
		grant(shelf, apptest.Guest, access.None)
		grant(shelf, apptest.Editor, access.Edit)
		readable := func() map[string]bool {
			seen := map[string]bool{}
			for _, caller := range []apptest.Caller{apptest.Creator, apptest.Reader, apptest.Guest} {
				for name, id := range map[string]string{"hidden": hidden, "open": open, "deep": deep} {
					seen[string(caller)+" "+name] = server.As(caller).REST(t, http.MethodGet, "/spaces/"+id, nil).Status == 200
				}
			}
			return seen
		}
		before := readable()
		assert.False(t, before["creator hidden"] || before["create hidden"])
		path := "/collections/" + shelf
		assert.Equal(t, 403, server.As(apptest.Editor).REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, 204, server.As(apptest.Stranger).REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, 205, server.As(apptest.Admin).REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, 204, server.As(apptest.Admin).REST(t, http.MethodDelete, path, nil).Status)
		assert.Equal(t, before, readable())
		assert.Equal(t, []string{first, hidden, open, nested, last}, children(t, server, apptest.Admin, outer))
		assert.Equal(t, 404, server.As(apptest.Editor).REST(t, http.MethodGet, "/spaces/"+hidden, nil).Status, "its grants are gone")
		closureIsRight(t, server)
		entry, err := client.AuditEntry.Query().Where(auditentry.Action("collection.deleted")).Only(ctx)
		require.NoError(t, err)
		assert.Contains(t, string(entry.Before), hidden)
	})
}

func TestTransferCollection(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		ctx := access.System(t.Context(), "test")
		client, admin := server.App.Database.Client(ctx), server.As(apptest.Admin)
		outer := makeCollection(t, server, "Outer", nil)
		shelf := makeCollection(t, server, "Shelf", &outer)
		nested := makeCollection(t, server, "Nested", &shelf)
		inside, deep := makeSpace(t, server, "Inside", &shelf), makeSpace(t, server, "Deep", &nested)
		require.NoError(t, client.Collection.UpdateOneID(outer).SetDefaultLevel(access.None).Exec(ctx))
		path, to := "/collections/"+shelf+"/transfer", object{"organization": server.OtherOrganizationID}
		assert.Equal(t, 404, admin.REST(t, http.MethodPost, path, to).Status, "a stranger there")
		assert.Equal(t, 409, admin.REST(t, http.MethodPost, path, object{"organization": server.OrganizationID}).Status)
		assert.Equal(t, 404, admin.REST(t, http.MethodPost, path, object{"organization": "org_unknown"}).Status)
		member := client.Member.Create().SetOrganizationID(server.OtherOrganizationID).SetUserID(admin.UserID)
		joined, err := member.SetRole(access.Edit).Save(ctx)
		require.NoError(t, err)
		assert.Equal(t, 403, admin.REST(t, http.MethodPost, path, to).Status)
		require.NoError(t, joined.Update().SetRole(access.Create).Exec(ctx))

		require.NoError(t, client.Space.UpdateOneID(deep).SetGitSync([]byte(`{"state":"running"}`)).Exec(ctx))
		assert.Equal(t, 412, admin.REST(t, http.MethodPost, path, to).Status)
		require.NoError(t, client.Space.UpdateOneID(deep).ClearGitSync().Exec(ctx))
		for _, caller := range []apptest.Caller{apptest.Admin, apptest.Reader} {
			require.NoError(t, client.Permission.Create().SetOrganizationID(server.OrganizationID).SetResourceID(nested).
				SetPrincipalID(server.As(caller).UserID).SetRole(access.Read).Exec(ctx))
		}
		transferred := admin.REST(t, http.MethodPost, path, to).Object(t, 200)
		assert.Equal(t, server.OtherOrganizationID, transferred["organization"])
		assert.NotContains(t, transferred, "parent")
		assert.Nil(t, transferred["defaultLevel"], "it stays as closed as it was")
		closureIsRight(t, server)
		for _, id := range []string{inside, deep} {
			assert.Equal(t, 200, server.As(apptest.Stranger).REST(t, http.MethodGet, "/spaces/"+id, nil).Status)
			assert.Equal(t, 404, server.As(apptest.Reader).REST(t, http.MethodGet, "/spaces/"+id, nil).Status)
		}
		left, err := client.Permission.Query().All(ctx)
		require.NoError(t, err)
		require.Len(t, left, 2, "grants to those who are no members there go; the caller stays an administrator")
		for _, row := range left {
			assert.Equal(t, server.OtherOrganizationID, row.OrganizationID)
			assert.Equal(t, admin.UserID, row.PrincipalID)
		}
		for _, organization := range []string{server.OrganizationID, server.OtherOrganizationID} {
			recorded, err := client.AuditEntry.Query().Where(auditentry.OrganizationID(organization),
				auditentry.ActionIn("collection.transferred", "space.transferred")).Count(ctx)
			require.NoError(t, err)
			assert.Equal(t, 3, recorded)
		}
		ancestors, err := client.CollectionAncestor.Query().Where(collectionancestor.OrganizationID(server.OtherOrganizationID)).Count(ctx)
		require.NoError(t, err)
		assert.Equal(t, 3, ancestors)
	})
}

// TestConcurrentMovesKeepOneStructure moves spaces and collections about from
// many sides at once.
func TestConcurrentMovesKeepOneStructure(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		top := ""
		collections := []string{top}
		for index := range 4 {
			collections = append(collections, makeCollection(t, server, fmt.Sprint(index), nil))
		}
		var spaces []string
		for index := range 6 {
			spaces = append(spaces, makeSpace(t, server, fmt.Sprint(index), nil))
		}
		ctx := server.Context(t, apptest.Admin)
		var group sync.WaitGroup
		for round := range 8 {
			group.Go(func() {
				random := rand.New(rand.NewPCG(7, uint64(round)))
				for range 10 {
					move := structure.Move{Parent: &collections[random.IntN(len(collections))]}
					if random.IntN(2) == 0 {
						move.Before = spaces[random.IntN(len(spaces))]
					}
					assertExplained(t, moveOne(ctx, server, random, collections[1:], spaces, move))
				}
			})
		}
		group.Wait()
		closureIsRight(t, server)
		keys := map[string]bool{}
		rows, err := server.App.Database.Client(ctx).Space.Query().Select(entspace.FieldPosition, entspace.FieldCollectionID).All(ctx)
		require.NoError(t, err)
		require.Len(t, rows, len(spaces))
		add := func(parent *string, position string) {
			key := position
			if parent != nil {
				key = *parent + " " + position
			}
			assert.False(t, keys[key], "two siblings share a position")
			keys[key] = true
		}
		for _, row := range rows {
			add(row.CollectionID, row.Position)
		}
		nested, err := server.App.Database.Client(ctx).Collection.Query().Select(entcollection.FieldPosition, entcollection.FieldParentID).All(ctx)
		require.NoError(t, err)
		require.Len(t, nested, len(collections)-1)
		for _, row := range nested {
			add(row.ParentID, row.Position)
		}
		reached, pending := 0, []string{top}
		for len(pending) > 0 {
			found := children(t, server, apptest.Admin, pending[0])
			pending, reached = pending[1:], reached+len(found)
			for _, id := range found {
				if strings.HasPrefix(id, "col_") {
					pending = append(pending, id)
				}
			}
		}
		assert.Equal(t, len(spaces)+len(collections)-1, reached, "everything is reached from the top")
	})
}

func moveOne(ctx context.Context, server *apptest.Server, random *rand.Rand, collections, spaces []string, move structure.Move) error {
	if random.IntN(2) == 0 {
		_, err := server.App.Spaces.Move(ctx, spaces[random.IntN(len(spaces))], move)
		return err
	}
	_, err := server.App.Collections.Move(ctx, collections[random.IntN(len(collections))], move)
	return err
}

// assertExplained: in some order of the moves this one was done, or was refused
// for a reason that the order explains.
func assertExplained(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		assert.Contains(t, []fault.Code{fault.NoChange, fault.InvalidPosition}, fault.CodeOf(err), "%v", err)
	}
}
