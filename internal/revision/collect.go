package revision

import (
	"context"
	"fmt"
	"slices"
	"time"

	"octavo/ent/contentobject"
	entrevision "octavo/ent/revision"
	"octavo/internal/access"
	"octavo/internal/content"
	"octavo/internal/database"
)

const (
	// rootsPerStatement bounds the trees that are looked at together.
	rootsPerStatement = 100
	// candidatesPerStatement bounds the objects that one statement lists.
	candidatesPerStatement = 2000
)

// Collect removes the objects that were stored before a time and that no
// revision reaches, and returns how many.
//
// Whoever writes a revision may use an object that is there already, even one
// that nothing reaches. So writers share a lock that the removal takes alone,
// and the removal looks at the revisions that were written meanwhile before it
// removes anything.
func (s *Store) Collect(ctx context.Context, before time.Time) (removed int, err error) {
	ctx = access.System(ctx, "collecting content")
	reached := &reach{store: s, roots: map[string]bool{}, objects: map[content.Hash]bool{}}
	if err := reached.extend(ctx); err != nil {
		return 0, err
	}
	for last := ""; ; {
		ids, err := s.database.Client(ctx).ContentObject.Query().
			Where(contentobject.IDGT(last), contentobject.CreatedAtLT(before.UTC())).
			Order(contentobject.ByID()).Limit(candidatesPerStatement).IDs(ctx)
		if err != nil {
			return removed, fmt.Errorf("list content: %w", err)
		}
		if len(ids) == 0 {
			return removed, nil
		}
		last = ids[len(ids)-1]
		swept, err := s.sweep(ctx, reached, ids)
		removed += swept
		if err != nil {
			return removed, err
		}
	}
}

// sweep removes those of the objects that are not reached.
func (s *Store) sweep(ctx context.Context, reached *reach, ids []string) (removed int, err error) {
	if len(reached.without(ids)) == 0 {
		return 0, nil
	}
	err = s.database.Write(ctx, func(ctx context.Context) error {
		if err := s.database.Seize(ctx, database.LockContent); err != nil {
			return err
		}
		if err := reached.extend(ctx); err != nil {
			return err
		}
		for batch := range slices.Chunk(reached.without(ids), objectsPerStatement) {
			count, err := s.database.Client(ctx).ContentObject.Delete().Where(contentobject.IDIn(batch...)).Exec(ctx)
			if err != nil {
				return fmt.Errorf("remove content: %w", err)
			}
			removed += count
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return removed, nil
}

// reach is the set of the objects that revisions reach.
type reach struct {
	store *Store
	// roots are those whose trees were looked at.
	roots   map[string]bool
	objects map[content.Hash]bool
}

// without returns the objects that are not reached.
func (r *reach) without(ids []string) []string {
	var rest []string
	for _, id := range ids {
		if !r.objects[content.Hash(id)] {
			rest = append(rest, id)
		}
	}
	return rest
}

// extend adds what the revisions reach that were not looked at before.
func (r *reach) extend(ctx context.Context) error {
	for last := ""; ; {
		roots, err := r.store.database.Client(ctx).Revision.Query().Where(entrevision.RootGT(last)).
			Order(entrevision.ByRoot()).Limit(rootsPerStatement).Unique(true).Select(entrevision.FieldRoot).Strings(ctx)
		if err != nil {
			return fmt.Errorf("list revisions: %w", err)
		}
		if len(roots) == 0 {
			return nil
		}
		last = roots[len(roots)-1]
		if err := r.addTrees(ctx, roots); err != nil {
			return err
		}
	}
}

func (r *reach) addTrees(ctx context.Context, roots []string) error {
	var fresh []content.Hash
	for _, root := range roots {
		if !r.roots[root] {
			r.roots[root] = true
			r.objects[content.Hash(root)] = true
			fresh = append(fresh, content.Hash(root))
		}
	}
	stored, err := r.store.objects(ctx, fresh)
	if err != nil {
		return err
	}
	var chunks []content.Hash
	for hash, data := range stored {
		root, err := content.DecodeRoot(data)
		if err != nil {
			return fmt.Errorf("content %s: %w", hash, err)
		}
		for _, chunk := range root.Chunks() {
			if !r.objects[chunk] {
				chunks = append(chunks, chunk)
			}
		}
		r.add(data)
	}
	return r.addChunks(ctx, chunks)
}

// addChunks adds what chunks name, each of which is read once however many
// trees have it.
func (r *reach) addChunks(ctx context.Context, chunks []content.Hash) error {
	slices.Sort(chunks)
	for batch := range slices.Chunk(slices.Compact(chunks), objectsPerStatement) {
		stored, err := r.store.objects(ctx, batch)
		if err != nil {
			return err
		}
		for _, data := range stored {
			r.add(data)
		}
	}
	return nil
}

func (r *reach) add(data []byte) {
	for _, hash := range content.References(data) {
		r.objects[hash] = true
	}
}
