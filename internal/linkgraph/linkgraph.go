// Package linkgraph tells what the content of a revision links to, whether that
// is there, and which places link to a page or file.
//
// What a tree says by itself is worked out once and kept by the hash of its
// root; what a body says, by the hash of the body, so that an edit costs what it
// touched. Whether other spaces, people and collections are there is looked up
// at each read, for the caller: one statement for all of a kind.
package linkgraph

import (
	"context"
	"iter"
	"maps"
	"runtime"

	"golang.org/x/sync/errgroup"

	"octavo/ent"
	"octavo/internal/cache"
	"octavo/internal/collection"
	"octavo/internal/content"
	"octavo/internal/database"
	"octavo/internal/document"
	"octavo/internal/enum"
	"octavo/internal/revision"
	"octavo/internal/space"
	"octavo/internal/user"
)

const (
	// graphCacheSize and textCacheSize bound what is kept in memory, in bytes.
	graphCacheSize = 32 << 20
	textCacheSize  = 32 << 20
	// placeWeight and linkWeight are about how many bytes one takes.
	placeWeight = 256
	linkWeight  = 256
)

// Service answers questions about links.
type Service struct {
	database       *database.Database
	revisions      *revision.Store
	spaces         *space.Service
	collections    *collection.Service
	users          *user.Service
	applicationURL string
	graphs         *cache.Cache[string, *graph]
	texts          *cache.Cache[textKey, *text]
}

// textKey names a body below the title that it was read with.
type textKey struct {
	body  content.Hash
	title string
}

// NewService returns the service of a database. Links below applicationURL lead
// into the application.
func NewService(opened *database.Database, revisions *revision.Store, spaces *space.Service, collections *collection.Service, users *user.Service, applicationURL string) *Service {
	return &Service{
		database: opened, revisions: revisions, spaces: spaces, collections: collections, users: users, applicationURL: applicationURL,
		graphs: cache.New[string, *graph](graphCacheSize), texts: cache.New[textKey, *text](textCacheSize),
	}
}

// graph returns the links of a revision.
func (s *Service) graph(ctx context.Context, of *revision.Revision) (*graph, error) {
	if known, found := s.graphs.Get(of.Root); found {
		return known, nil
	}
	tree, err := s.revisions.Tree(ctx, of.Revision)
	if err != nil {
		return nil, err
	}
	texts, err := s.textsOf(ctx, tree)
	if err != nil {
		return nil, err
	}
	made := newGraph(tree, texts, s.applicationURL)
	weight := int64(placeWeight)
	for _, edge := range made.edges {
		weight += placeWeight * int64(1+len(edge.places))
	}
	s.graphs.Add(of.Root, made, weight)
	return made, nil
}

// textsOf reads every body of a tree, by the id of what it belongs to. Bodies
// that are not known yet are fetched together and read side by side.
func (s *Service) textsOf(ctx context.Context, tree *content.Tree) (map[string]*text, error) {
	wanted := map[string]textKey{}
	for _, page := range tree.Pages {
		if page.Body != "" {
			wanted[page.ID] = textKey{page.Body, page.Title}
		}
	}
	for _, item := range tree.ReusableContents {
		wanted[item.ID] = textKey{item.Body, item.Title}
	}
	known := make(map[textKey]*text, len(wanted))
	unknown := map[textKey]bool{}
	for _, key := range wanted {
		if found, ok := s.texts.Get(key); ok {
			known[key] = found
			continue
		}
		unknown[key] = true
	}
	read, err := s.readTexts(ctx, maps.Keys(unknown))
	if err != nil {
		return nil, err
	}
	maps.Copy(known, read)
	texts := make(map[string]*text, len(wanted))
	for id, key := range wanted {
		texts[id] = known[key]
	}
	return texts, nil
}

func (s *Service) readTexts(ctx context.Context, wanted iter.Seq[textKey]) (map[textKey]*text, error) {
	var keys []textKey
	var hashes []content.Hash
	for key := range wanted {
		keys = append(keys, key)
		hashes = append(hashes, key.body)
	}
	bodies, err := s.revisions.Bodies(ctx, hashes)
	if err != nil {
		return nil, err
	}
	read := make([]*text, len(keys))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for index, key := range keys {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			_, body := document.SplitFrontMatter(bodies[key.body])
			body = document.WithoutTitle(body, key.title)
			read[index] = readText(body)
			s.texts.Add(key, read[index], int64(len(body)+linkWeight*len(read[index].links)))
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	texts := make(map[textKey]*text, len(keys))
	for index, key := range keys {
		texts[key] = read[index]
	}
	return texts, nil
}

// outside is what graphs refer to outside of their trees and the caller may
// see.
type outside struct {
	spaces      map[string]*space.Space
	users       map[string]*ent.User
	collections map[string]*collection.Collection
}

// outside looks up what the graphs refer to: a statement for the spaces, one
// for the users, one for the collections, none where there are none.
func (s *Service) outside(ctx context.Context, graphs ...*graph) (*outside, error) {
	var spaces, users, collections []string
	for _, graph := range graphs {
		spaces, users, collections = append(spaces, graph.spaces...), append(users, graph.users...), append(collections, graph.collections...)
	}
	found := &outside{}
	var err error
	if len(spaces) > 0 {
		if found.spaces, err = s.spaces.ByID(ctx, spaces); err != nil {
			return nil, err
		}
	}
	if len(users) > 0 {
		if found.users, err = s.users.Visible(ctx, users); err != nil {
			return nil, err
		}
	}
	if len(collections) > 0 {
		if found.collections, err = s.collections.ByID(ctx, collections); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// status of an edge, with what lies outside of the tree looked up.
func (o *outside) status(edge *edge) enum.LinkStatus {
	var present bool
	switch target := edge.target; {
	case target.Space != "":
		space := o.spaces[target.Space]
		present = space != nil && space.DeletedAt == nil
	case target.User != "":
		present = o.users[target.User] != nil
	case target.Collection != "":
		present = o.collections[target.Collection] != nil
	default:
		return edge.status
	}
	if present {
		return enum.LinkOK
	}
	return enum.LinkBroken
}
