package loader

import (
	"slices"
	"sync"

	"octavo/ent"
	"octavo/internal/changerequest"
	"octavo/internal/collection"
	"octavo/internal/comment"
	"octavo/internal/linkgraph"
	"octavo/internal/organization"
	"octavo/internal/pagination"
	"octavo/internal/revision"
	"octavo/internal/space"
)

// met are the items that a request has read: what is asked of one of a list
// will be asked of all, so that the first look-up can be made for all at once,
// without waiting for the others. Only how much is read together depends on
// it, never what is answered.
type met struct {
	mutex          sync.Mutex
	spaces         [][]*space.Space
	collections    [][]*collection.Collection
	changeRequests [][]*changerequest.ChangeRequest
	comments       [][]*comment.Comment
}

// MetSpaces notes a list of spaces that is about to be answered.
func (l *Loaders) MetSpaces(list ...*space.Space) {
	l.Organization.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.OrganizationID)
		}
	})
	l.Collection.expect(func(yield func(string)) {
		for _, found := range list {
			optionally(yield, found.CollectionID)
		}
	})
	l.Publication.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.ID)
		}
	})
	l.Revision.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.RevisionID)
		}
	})
	l.met.mutex.Lock()
	defer l.met.mutex.Unlock()
	l.met.spaces = append(l.met.spaces, list)
}

// MetCollections notes a list of collections.
func (l *Loaders) MetCollections(list ...*collection.Collection) {
	l.Organization.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.OrganizationID)
		}
	})
	l.Collection.expect(func(yield func(string)) {
		for _, found := range list {
			optionally(yield, found.ParentID)
		}
	})
	l.Ancestors.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.ID)
		}
	})
	l.met.mutex.Lock()
	defer l.met.mutex.Unlock()
	l.met.collections = append(l.met.collections, list)
}

// metItems notes a list of spaces and collections.
func (l *Loaders) metItems(list ...collection.Item) {
	var spaces []*space.Space
	var collections []*collection.Collection
	for _, item := range list {
		switch found := item.(type) {
		case *space.Space:
			spaces = append(spaces, found)
		case *collection.Collection:
			collections = append(collections, found)
		}
	}
	l.MetSpaces(spaces...)
	l.MetCollections(collections...)
}

// MetChangeRequests notes a list of change requests.
func (l *Loaders) MetChangeRequests(list ...*changerequest.ChangeRequest) {
	l.User.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.CreatorID)
			optionally(yield, found.MergedByID)
		}
	})
	l.Space.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.SpaceID)
		}
	})
	l.Revision.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.RevisionID)
			yield(found.InitialRevisionID)
			optionally(yield, found.AncestorRevisionID)
			optionally(yield, found.MergedRevisionID)
		}
	})
	l.met.mutex.Lock()
	defer l.met.mutex.Unlock()
	l.met.changeRequests = append(l.met.changeRequests, list)
}

// MetReviews notes a list of reviews.
func (l *Loaders) MetReviews(list ...*changerequest.Review) {
	l.User.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.ReviewerID)
			optionally(yield, found.RequestedByID)
		}
	})
	l.ChangeRequest.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.ChangeRequestID)
		}
	})
	l.Revision.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.RevisionID)
		}
	})
	l.ReviewComment.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.ID)
		}
	})
}

// MetComments notes a list of comments.
func (l *Loaders) MetComments(list ...*comment.Comment) {
	l.User.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.AuthorID)
			optionally(yield, found.ResolvedByID)
		}
	})
	l.Reactions.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.ID)
		}
	})
	l.Repliers.expect(func(yield func(string)) {
		for _, found := range list {
			if found.ReplyCount > 0 {
				yield(found.ID)
			}
		}
	})
	l.met.mutex.Lock()
	defer l.met.mutex.Unlock()
	l.met.comments = append(l.met.comments, list)
}

// MetReplies notes a list of replies to comments.
func (l *Loaders) MetReplies(list ...*comment.Reply) {
	l.User.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.AuthorID)
		}
	})
	l.Reactions.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.ID)
		}
	})
}

// MetMembers notes a list of members of an organization.
func (l *Loaders) MetMembers(list ...*ent.Member) {
	l.User.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.UserID)
		}
	})
	memberships := func(yield func(organization.Membership)) {
		for _, found := range list {
			yield(organization.Membership{OrganizationID: found.OrganizationID, UserID: found.UserID})
		}
	}
	l.MemberSpaces.expect(memberships)
	l.MemberTeams.expect(memberships)
}

// MetPeople notes people by their ids, in a list whose items name them.
func (l *Loaders) MetPeople(ids ...string) {
	l.User.expect(func(yield func(string)) {
		for _, id := range ids {
			yield(id)
		}
	})
}

// MetRequestedReviewers notes a list of people who were asked for a review.
func (l *Loaders) MetRequestedReviewers(list ...*ent.RequestedReviewer) {
	l.User.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.UserID)
			yield(found.RequestedByID)
		}
	})
	l.Revision.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.RevisionID)
		}
	})
}

// MetContributors notes a list of people who took part.
func (l *Loaders) MetContributors(list ...*ent.Contributor) {
	l.User.expect(func(yield func(string)) {
		for _, found := range list {
			yield(found.UserID)
		}
	})
}

// MetRevisions notes a list of revisions.
func (l *Loaders) MetRevisions(list ...*revision.Revision) {
	l.User.expect(func(yield func(string)) {
		for _, found := range list {
			optionally(yield, found.AuthorID)
		}
	})
	l.ChangeRequest.expect(func(yield func(string)) {
		for _, found := range list {
			optionally(yield, found.MergedFromID)
		}
	})
}

// MetLocations notes a list of places in content.
func (l *Loaders) MetLocations(list ...*linkgraph.Location) {
	l.expectLocations(func() []*linkgraph.Location { return list })
}

// MetLinks notes a list of links.
func (l *Loaders) MetLinks(list ...*linkgraph.Link) {
	l.expectLocations(func() []*linkgraph.Location {
		var locations []*linkgraph.Location
		for _, link := range list {
			if target := link.TargetLocation(); target != nil {
				locations = append(locations, target)
			}
			locations = append(locations, link.Locations()...)
		}
		return locations
	})
}

func (l *Loaders) expectLocations(list func() []*linkgraph.Location) {
	expect := func(loader interface{ expect(func(func(string))) }, id func(*linkgraph.Location) string) {
		loader.expect(func(yield func(string)) {
			for _, found := range list() {
				if id := id(found); id != "" {
					yield(id)
				}
			}
		})
	}
	expect(l.Organization, func(found *linkgraph.Location) string { return found.OrganizationID })
	expect(l.Space, func(found *linkgraph.Location) string { return found.SpaceID })
	expect(l.User, func(found *linkgraph.Location) string { return found.UserID })
	expect(l.ChangeRequest, func(found *linkgraph.Location) string {
		if found.Revision == nil {
			return ""
		}
		return found.Revision.ReadIn
	})
}

func (l *Loaders) metReactions(bySubject map[string][]*comment.Reaction) {
	l.User.expect(func(yield func(string)) {
		for _, reactions := range bySubject {
			for _, reaction := range reactions {
				for _, reactor := range reaction.Users {
					yield(reactor.UserID)
				}
			}
		}
	})
}

func (l *Loaders) metRepliers(byThread map[string][]*comment.Replier) {
	l.User.expect(func(yield func(string)) {
		for _, repliers := range byThread {
			for _, replier := range repliers {
				yield(replier.UserID)
			}
		}
	})
}

func (l *Loaders) metReviewComments(byReview map[string]*comment.Comment) {
	var list []*comment.Comment
	for _, found := range byReview {
		if found != nil {
			list = append(list, found)
		}
	}
	l.MetComments(list...)
}

func optionally(yield func(string), id *string) {
	if id != nil {
		yield(*id)
	}
}

// each learns from values that are items themselves.
func each[Value any](notes func(l *Loaders, list ...Value)) func(*Loaders, map[string]Value) {
	return func(loaders *Loaders, found map[string]Value) {
		list := make([]Value, 0, len(found))
		for _, item := range found {
			list = append(list, item)
		}
		notes(loaders, list...)
	}
}

// pages learns from the items of all pages that were read together.
func pages[Key comparable, Item any](notes func(l *Loaders, list ...Item)) func(*Loaders, map[Key]pagination.Page[Item]) {
	return func(loaders *Loaders, found map[Key]pagination.Page[Item]) {
		var list []Item
		for _, page := range found {
			list = append(list, page.Items...)
		}
		notes(loaders, list...)
	}
}

func idOfCollection(around *collection.Collection) string { return around.ID }

// spacesBeside are the same list of the spaces of all collections beside one.
func (m *met) spacesBeside(list space.List) []space.List {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return family(m.collections, list.CollectionID(), idOfCollection,
		func(around *collection.Collection) space.List { return list.Of(around.ID) })
}

// collectionsBeside are the same list of collections of all beside one.
func (m *met) collectionsBeside(list collection.List) []collection.List {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return family(m.collections, list.ParentID(), idOfCollection,
		func(around *collection.Collection) collection.List { return list.Of(around.ID) })
}

// childrenBeside are the same list of the content of all collections beside one.
func (m *met) childrenBeside(list collection.Children) []collection.Children {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return family(m.collections, list.ParentID(), idOfCollection,
		func(around *collection.Collection) collection.Children { return list.Of(around.ID) })
}

// listsOfSpaces are the same list of change requests of all spaces beside one.
func (m *met) listsOfSpaces(list changerequest.List) []changerequest.List {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return family(m.spaces, list.ParentID(),
		func(home *space.Space) string { return home.ID },
		func(home *space.Space) changerequest.List { return list.Of(home.ID) })
}

// listingsOnParents are the same list of comments on all spaces, or change
// requests, beside one.
func (m *met) listingsOnParents(listing comment.Listing) []comment.Listing {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	beside := family(m.spaces, listing.ParentID(), func(home *space.Space) string { return home.ID }, listing.OnSpace)
	if beside != nil {
		return beside
	}
	return family(m.changeRequests, listing.ParentID(),
		func(branch *changerequest.ChangeRequest) string { return branch.ID }, listing.OnChangeRequest)
}

// repliesBeside are the same page of the replies to all comments beside one.
func (m *met) repliesBeside(listing comment.ReplyListing) []comment.ReplyListing {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return family(m.comments, listing.Thread().ID,
		func(thread *comment.Comment) string { return thread.ID }, listing.To)
}

// ofChangeRequests are the same list of all change requests beside one.
func ofChangeRequests[List interface {
	comparable
	ParentID() string
	Of(parentID string) List
}](m *met, list List) []List {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return family(m.changeRequests, list.ParentID(),
		func(branch *changerequest.ChangeRequest) string { return branch.ID },
		func(branch *changerequest.ChangeRequest) List { return list.Of(branch.ID) })
}

// Foresees tells whether all that is looked up for the items of a list is read
// for the whole list at the first look-up.
func Foresees(list any) bool {
	switch list.(type) {
	case []*space.Space, []*changerequest.ChangeRequest, []*changerequest.Review, []*comment.Comment, []*comment.Reply,
		[]*comment.Reaction, []*comment.Reactor, []*comment.Replier:
		return true
	}
	return false
}

// family makes a key for each item of the smallest list that has a parent.
func family[Parent any, Key comparable](lists [][]Parent, parentID string, id func(Parent) string, key func(Parent) Key) []Key {
	var smallest []Parent
	for _, list := range lists {
		if smallest != nil && len(list) >= len(smallest) {
			continue
		}
		if slices.ContainsFunc(list, func(parent Parent) bool { return id(parent) == parentID }) {
			smallest = list
		}
	}
	var keys []Key
	for _, parent := range smallest {
		keys = append(keys, key(parent))
	}
	return keys
}
