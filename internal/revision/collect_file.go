package revision

import (
	"context"
	"fmt"
	"time"

	"octavo/internal/access"
	"octavo/internal/blob"
	"octavo/internal/content"
	"octavo/internal/database"
)

// filesPerTransaction bounds the files that are removed while writers wait.
const filesPerTransaction = 100

// CollectFiles removes the files of a bucket that were stored before a time and
// that no revision names, and returns how many.
//
// An upload stores the bytes first, which makes them young even when they were
// there before, and writes the revision that names them later: the time has to
// be further back than any request takes.
func (s *Store) CollectFiles(ctx context.Context, bucket *blob.Bucket, before time.Time) (removed int, err error) {
	ctx = access.System(ctx, "collecting files")
	reached := &reach{store: s, roots: map[string]bool{}, objects: map[content.Hash]bool{}}
	if err := reached.extend(ctx); err != nil {
		return 0, err
	}
	var batch []content.Hash
	flush := func() error {
		swept, err := s.sweepFiles(ctx, bucket, reached, batch, before)
		removed += swept
		batch = batch[:0]
		return err
	}
	err = bucket.List(ctx, func(hash content.Hash, stored time.Time) error {
		if reached.objects[hash] || !stored.Before(before) {
			return nil
		}
		if batch = append(batch, hash); len(batch) < filesPerTransaction {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	return removed, err
}

// sweepFiles removes those of the files that are not reached and still old.
func (s *Store) sweepFiles(ctx context.Context, bucket *blob.Bucket, reached *reach, hashes []content.Hash, before time.Time) (removed int, err error) {
	if len(hashes) == 0 {
		return 0, nil
	}
	err = s.database.Write(ctx, func(ctx context.Context) error {
		if err := s.database.Seize(ctx, database.LockContent); err != nil {
			return err
		}
		if err := reached.extend(ctx); err != nil {
			return err
		}
		for _, hash := range hashes {
			if reached.objects[hash] {
				continue
			}
			gone, err := bucket.DeleteBefore(ctx, hash, before)
			if err != nil {
				return fmt.Errorf("collect files: %w", err)
			}
			if gone {
				removed++
			}
		}
		return nil
	})
	return removed, err
}
