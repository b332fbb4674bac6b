package permission_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/ent/member"
	"octavo/internal/access"
	"octavo/internal/apptest"
	"octavo/internal/collection"
	"octavo/internal/fault"
	"octavo/internal/pagination"
	"octavo/internal/permission"
	"octavo/internal/space"
	"octavo/internal/structure"
	"octavo/internal/team"
)

// model is what an organization should be, in the plainest form. It knows the
// rules of docs/adr/0002-default-levels.md and nothing of how they are kept.
type model struct {
	people map[string]membership
	// teams maps each team to those in it.
	teams map[string]map[string]bool
	// resources are the spaces and collections.
	resources map[string]*resource
	// grants maps resources to users and teams to roles.
	grants map[string]map[string]access.Role
}

type membership struct {
	role     access.Role
	disabled bool
}

type resource struct {
	collection bool
	parent     string // empty at the top of the organization
	level      access.Role
}

// why is the deciding source of a role.
type why struct {
	kind       permission.SourceKind
	resourceID string
}

// role of somebody in a space or collection, and why they have it.
func (m *model) role(organizationID, person, id string) (access.Role, why) {
	member, known := m.people[person]
	switch {
	case !known || member.disabled:
		return access.None, why{}
	case member.role == access.Admin:
		return access.Admin, why{permission.Administrator, organizationID}
	}
	for at := id; at != ""; at = m.resources[at].parent {
		if role, kind, granted := m.granted(person, at); granted {
			return role, why{kind, at}
		}
	}
	if member.role == access.None {
		return access.None, why{}
	}
	for at := id; at != ""; at = m.resources[at].parent {
		if level := m.resources[at].level; level != access.Inherit {
			return level, why{permission.Level, at}
		}
	}
	return member.role, why{permission.Membership, organizationID}
}

// granted is the highest of what one resource itself grants to somebody.
func (m *model) granted(person, id string) (highest access.Role, kind permission.SourceKind, found bool) {
	highest, found = m.grants[id][person]
	kind = permission.UserGrant
	for teamID, people := range m.teams {
		role, granted := m.grants[id][teamID]
		if granted && people[person] && (!found || role > highest) {
			highest, kind, found = role, permission.TeamGrant, true
		}
	}
	return highest, kind, found
}

// inside tells whether a resource is another or somewhere in it.
func (m *model) inside(id, other string) bool {
	for at := id; at != ""; at = m.resources[at].parent {
		if at == other {
			return true
		}
	}
	return false
}

// life is a random organization and its model.
type life struct {
	*model
	t       *testing.T
	server  *apptest.Server
	random  *rand.Rand
	admin   context.Context
	callers []apptest.Caller
	// Ids in the order in which they were made, so that a seed repeats a life.
	users, teamIDs, collections, spaces []string
}

func newLife(t *testing.T, server *apptest.Server, random *rand.Rand) *life {
	l := &life{
		t: t, server: server, random: random, admin: server.Context(t, apptest.Admin),
		callers: []apptest.Caller{apptest.Admin, apptest.Creator, apptest.Reviewer, apptest.Editor, apptest.Commenter, apptest.Reader, apptest.Guest, apptest.Stranger},
		model: &model{
			people: map[string]membership{}, teams: map[string]map[string]bool{},
			resources: map[string]*resource{}, grants: map[string]map[string]access.Role{},
		},
	}
	roles := []access.Role{access.Admin, access.Create, access.Review, access.Edit, access.Comment, access.Read, access.None}
	for index, role := range roles {
		id := server.As(l.callers[index]).UserID
		l.people[id], l.users = membership{role: role}, append(l.users, id)
	}
	for range 7 {
		l.createCollection()
	}
	for range 10 {
		l.createSpace()
	}
	for range 4 {
		l.createTeam()
	}
	return l
}

// some is a random one of several.
func some[T any](random *rand.Rand, of []T) T { return of[random.IntN(len(of))] }

// parent is a random collection, or the top of the organization.
func (l *life) parent() string {
	if len(l.collections) == 0 || l.random.IntN(4) == 0 {
		return ""
	}
	return some(l.random, l.collections)
}

func optional(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}

func (l *life) createCollection() {
	parent := l.parent()
	made, err := l.server.App.Collections.Create(l.admin, collection.New{OrganizationID: l.server.OrganizationID, ParentID: optional(parent), Title: "Collection"})
	require.NoError(l.t, err)
	l.resources[made.ID] = &resource{collection: true, parent: parent, level: access.Inherit}
	l.collections = append(l.collections, made.ID)
}

func (l *life) createSpace() {
	parent := l.parent()
	made, err := l.server.App.Spaces.Create(l.admin, space.New{OrganizationID: l.server.OrganizationID, CollectionID: optional(parent), Title: "Space"})
	require.NoError(l.t, err)
	l.resources[made.ID] = &resource{parent: parent, level: access.Inherit}
	l.spaces = append(l.spaces, made.ID)
}

func (l *life) createTeam() {
	people := map[string]bool{}
	for range 3 {
		people[some(l.random, l.users)] = true
	}
	made, err := l.server.App.Teams.Create(l.admin, team.New{
		OrganizationID: l.server.OrganizationID, Title: "Team", Members: slices.Collect(maps.Keys(people)),
	})
	require.NoError(l.t, err)
	l.teams[made.ID], l.teamIDs = people, append(l.teamIDs, made.ID)
}

// resourceID is a random space or collection.
func (l *life) resourceID() string {
	return some(l.random, slices.Concat(l.spaces, l.collections))
}

// level is a random default level; any role with its place among them.
func (l *life) level() access.Role { return access.Role(l.random.IntN(8) - 1) }

// step makes one random change.
func (l *life) step() {
	switch choice := l.random.IntN(20); {
	case choice < 7:
		l.grant()
	case choice < 9:
		l.revoke()
	case choice < 11:
		l.setLevel()
	case choice < 13:
		l.moveSpace()
	case choice < 15:
		l.moveCollection()
	case choice < 17:
		l.changeTeam()
	case choice == 17:
		l.deleteTeam()
	case choice == 18:
		l.changeRole()
	default:
		l.disable()
	}
}

func (l *life) principal() (id string, principal permission.Principal) {
	if len(l.teamIDs) > 0 && l.random.IntN(2) == 0 {
		id = some(l.random, l.teamIDs)
		return id, permission.Principal{TeamID: id}
	}
	id = some(l.random, l.users)
	return id, permission.Principal{UserID: id}
}

// grant grants a role; no role more often than others, for it is the one that
// takes away.
func (l *life) grant() {
	id, role := l.resourceID(), access.Role(max(0, l.random.IntN(9)-2))
	grantee, principal := l.principal()
	grants := permission.Grants{Role: &role}
	if principal.UserID != "" {
		grants.UserIDs = []string{grantee}
	} else {
		grants.TeamIDs = []string{grantee}
	}
	_, err := l.server.App.Permissions.Grant(l.admin, id, grants)
	require.NoError(l.t, err)
	if l.grants[id] == nil {
		l.grants[id] = map[string]access.Role{}
	}
	l.grants[id][grantee] = role
}

func (l *life) revoke() {
	id := l.resourceID()
	grantee, principal := l.principal()
	removed, err := l.server.App.Permissions.Remove(l.admin, id, principal)
	require.NoError(l.t, err)
	_, granted := l.grants[id][grantee]
	assert.Equal(l.t, granted, removed)
	delete(l.grants[id], grantee)
}

func (l *life) setLevel() {
	id, level := l.resourceID(), l.level()
	var err error
	if l.resources[id].collection {
		_, err = l.server.App.Collections.Update(l.admin, id, collection.Changes{DefaultLevel: &level})
	} else {
		_, err = l.server.App.Spaces.Update(l.admin, id, space.Changes{DefaultLevel: &level})
	}
	require.NoError(l.t, err)
	l.resources[id].level = level
}

func (l *life) moveSpace() {
	id, parent := some(l.random, l.spaces), l.parent()
	_, err := l.server.App.Spaces.Move(l.admin, id, structure.Move{Parent: &parent})
	if parent == l.resources[id].parent && fault.CodeOf(err) == fault.NoChange {
		return
	}
	require.NoError(l.t, err)
	l.resources[id].parent = parent
}

func (l *life) moveCollection() {
	id, parent := some(l.random, l.collections), l.parent()
	if parent != "" && l.inside(parent, id) {
		return
	}
	database := l.server.App.Database
	require.NoError(l.t, database.Write(l.admin, func(ctx context.Context) error {
		update := database.Client(ctx).Collection.UpdateOneID(id)
		if parent == "" {
			update.ClearParentID()
		} else {
			update.SetParentID(parent)
		}
		if err := update.Exec(ctx); err != nil {
			return err
		}
		return structure.New(database).Renest(ctx, l.server.OrganizationID, id, optional(parent))
	}))
	l.resources[id].parent = parent
}

// changeTeam puts somebody into a team, or takes them out.
func (l *life) changeTeam() {
	if len(l.teamIDs) == 0 {
		return
	}
	id, person := some(l.random, l.teamIDs), some(l.random, l.users)
	if l.teams[id][person] {
		_, err := l.server.App.Teams.RemoveMember(l.admin, id, person)
		require.NoError(l.t, err)
		delete(l.teams[id], person)
		return
	}
	_, err := l.server.App.Teams.PutMember(l.admin, id, person, nil)
	require.NoError(l.t, err)
	l.teams[id][person] = true
}

// deleteTeam replaces a team by a new one without grants.
func (l *life) deleteTeam() {
	if len(l.teamIDs) == 0 {
		return
	}
	id := some(l.random, l.teamIDs)
	_, err := l.server.App.Teams.Delete(l.admin, id)
	require.NoError(l.t, err)
	delete(l.teams, id)
	for _, grants := range l.grants {
		delete(grants, id)
	}
	l.teamIDs = slices.DeleteFunc(l.teamIDs, func(other string) bool { return other == id })
	l.createTeam()
}

// changeRole gives somebody another role in the organization; the
// administrator who makes the changes keeps theirs.
func (l *life) changeRole() {
	person, role := some(l.random, l.users[1:]), access.Role(l.random.IntN(7))
	_, err := l.server.App.Organizations.UpdateMember(l.admin, l.server.OrganizationID, person, &role)
	require.NoError(l.t, err)
	l.people[person] = membership{role: role, disabled: l.people[person].disabled}
}

// disable disables a membership, or enables it again.
func (l *life) disable() {
	person := some(l.random, l.users[1:])
	disabled := !l.people[person].disabled
	err := l.server.App.Database.Client(l.admin).Member.Update().
		Where(member.OrganizationID(l.server.OrganizationID), member.UserID(person)).SetDisabled(disabled).Exec(l.admin)
	require.NoError(l.t, err)
	l.people[person] = membership{role: l.people[person].role, disabled: disabled}
}

// all asks for a list as a whole.
func all() pagination.Arguments {
	size := pagination.MaximumSize
	return pagination.Arguments{First: &size}
}

// check compares everything that tells a role with the model, for everybody.
func (l *life) check() {
	for _, caller := range l.callers {
		l.checkSpaces(caller)
		l.checkCollections(caller)
	}
	for _, id := range l.users {
		l.checkSpacesOf(id)
	}
	for _, id := range slices.Concat(l.spaces, l.collections) {
		l.checkEffective(id)
	}
}

// readable are those of the resources that somebody may read, with their roles.
func (l *life) readable(person string, of []string, condition func(*resource) bool) map[string]access.Role {
	found := map[string]access.Role{}
	for _, id := range of {
		if role, _ := l.role(l.server.OrganizationID, person, id); role >= access.Read && condition(l.resources[id]) {
			found[id] = role
		}
	}
	return found
}

func everything(*resource) bool { return true }

func within(parent string) func(*resource) bool {
	return func(found *resource) bool { return found.parent == parent }
}

func (l *life) checkSpaces(caller apptest.Caller) {
	ctx, person := l.server.Context(l.t, caller), l.server.As(caller).UserID
	expected := l.readable(person, l.spaces, everything)
	byID, err := l.server.App.Spaces.ByID(ctx, l.spaces)
	require.NoError(l.t, err)
	l.equal(expected, spaceRoles(slices.Collect(maps.Values(byID))), "spaces by id of %s", caller)

	if _, member := access.From(ctx).RoleIn(l.server.OrganizationID); member {
		page, err := l.server.App.Spaces.InOrganization(ctx, l.server.OrganizationID, all())
		require.NoError(l.t, err)
		l.equal(expected, spaceRoles(page.Items), "spaces of %s", caller)
		count, err := page.Count(ctx)
		require.NoError(l.t, err)
		assert.Len(l.t, expected, count)
	}
	lists := make([]space.List, len(l.collections))
	for index, id := range l.collections {
		lists[index], err = space.InCollection(id, all())
		require.NoError(l.t, err)
	}
	pages, err := l.server.App.Spaces.InCollections(ctx, lists)
	require.NoError(l.t, err)
	for index, id := range l.collections {
		expected := l.readable(person, l.spaces, within(id))
		l.equal(expected, spaceRoles(pages[lists[index]].Items), "spaces of %s in collection %d", caller, index)
		count, err := pages[lists[index]].Count(ctx)
		require.NoError(l.t, err)
		assert.Len(l.t, expected, count)
	}
}

func spaceRoles(found []*space.Space) map[string]access.Role {
	roles := map[string]access.Role{}
	for _, each := range found {
		roles[each.ID] = each.Role
	}
	return roles
}

func (l *life) checkCollections(caller apptest.Caller) {
	ctx, person := l.server.Context(l.t, caller), l.server.As(caller).UserID
	byID, err := l.server.App.Collections.ByID(ctx, l.collections)
	require.NoError(l.t, err)
	l.equal(l.readable(person, l.collections, everything), collectionRoles(slices.Collect(maps.Values(byID))), "collections by id of %s", caller)

	conditions := map[collection.List]func(*resource) bool{}
	add := func(condition func(*resource) bool, list collection.List, err error) {
		require.NoError(l.t, err)
		conditions[list] = condition
	}
	nested, err := collection.InOrganization(l.server.OrganizationID, true, all())
	add(everything, nested, err)
	top, err := collection.InOrganization(l.server.OrganizationID, false, all())
	add(within(""), top, err)
	for _, id := range l.collections {
		list, err := collection.InCollection(id, all())
		add(within(id), list, err)
	}
	pages, err := l.server.App.Collections.Lists(ctx, slices.Collect(maps.Keys(conditions)))
	require.NoError(l.t, err)
	for list, condition := range conditions {
		expected := l.readable(person, l.collections, condition)
		l.equal(expected, collectionRoles(pages[list].Items), "collections of %s", caller)
		count, err := pages[list].Count(ctx)
		require.NoError(l.t, err)
		assert.Len(l.t, expected, count)
	}
}

func collectionRoles(found []*collection.Collection) map[string]access.Role {
	roles := map[string]access.Role{}
	for _, each := range found {
		roles[each.ID] = each.Role
	}
	return roles
}

// checkSpacesOf compares what the administrator is told of a member.
func (l *life) checkSpacesOf(person string) {
	row, err := l.server.App.Database.Client(l.admin).Member.Query().
		Where(member.OrganizationID(l.server.OrganizationID), member.UserID(person)).Only(l.admin)
	require.NoError(l.t, err)
	page, err := l.server.App.Spaces.OfMember(l.admin, row, "asc", all())
	require.NoError(l.t, err)
	roles := map[string]access.Role{}
	for _, each := range page.Items {
		roles[each.Space.ID] = each.Permission
	}
	l.equal(l.readable(person, l.spaces, everything), roles, "spaces that the administrator is told of")
}

// reached is what the list of effective permissions says of somebody.
type reached struct {
	role access.Role
	why  why
}

func (l *life) checkEffective(id string) {
	on := l.resource(id)
	expected := map[string]reached{}
	for _, person := range l.users {
		if role, why := l.role(l.server.OrganizationID, person, id); role >= access.Read {
			expected[person] = reached{role, why}
		}
	}
	l.equalReach(expected, l.effective(on, nil))
	only := access.Role(1 + l.random.IntN(6))
	maps.DeleteFunc(expected, func(_ string, each reached) bool { return each.role != only })
	l.equalReach(expected, l.effective(on, &only))
}

func (l *life) resource(id string) permission.Resource {
	if l.resources[id].collection {
		found, err := l.server.App.Collections.Get(l.admin, id)
		require.NoError(l.t, err)
		return permission.OnCollection(found)
	}
	found, err := l.server.App.Spaces.Get(l.admin, id)
	require.NoError(l.t, err)
	return permission.OnSpace(found)
}

func (l *life) effective(on permission.Resource, role *access.Role) map[string]reached {
	page, err := l.server.App.Permissions.Effective(l.admin, on, role, all())
	require.NoError(l.t, err)
	found := map[string]reached{}
	for _, each := range page.Items {
		found[each.UserID] = reached{each.Role, why{each.Source.Kind, each.Source.ResourceID}}
		if each.Source.Kind == permission.TeamGrant {
			teamID := each.Source.TeamID
			assert.True(l.t, l.teams[teamID][each.UserID], "the team that is named has them")
			assert.Equal(l.t, l.grants[each.Source.ResourceID][teamID], each.Role, "the team that is named is granted the role")
		}
	}
	count, err := page.Count(l.admin)
	require.NoError(l.t, err)
	assert.Len(l.t, found, count)
	return found
}

func (l *life) equal(expected, found map[string]access.Role, of string, arguments ...any) {
	l.t.Helper()
	require.Equal(l.t, expected, found, "%s", fmt.Sprintf(of, arguments...))
}

func (l *life) equalReach(expected, found map[string]reached) {
	l.t.Helper()
	require.Equal(l.t, expected, found, "effective permissions")
}

func TestRolesAreThoseOfTheModel(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, server *apptest.Server) {
		rounds := 12
		if testing.Short() {
			rounds = 3
		}
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		life := newLife(t, server, rand.New(rand.NewPCG(seed, 0)))
		life.check()
		for range rounds {
			for range 8 {
				life.step()
			}
			life.check()
		}
	})
}
