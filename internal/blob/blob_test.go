package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/blob"
	"octavo/internal/content"
	"octavo/internal/fault"
)

const limit = 1 << 20

// each runs a test on every kind of bucket.
func each(t *testing.T, test func(t *testing.T, bucket *blob.Bucket)) {
	t.Helper()
	addresses := map[string]func(t *testing.T) string{
		"directory": func(t *testing.T) string { return filepath.Join(t.TempDir(), "made", "at open") },
		"s3":        func(t *testing.T) string { return fakeS3(t) },
	}
	for name, address := range addresses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bucket, err := blob.Open(t.Context(), address(t))
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, bucket.Close()) })
			test(t, bucket)
		})
	}
}

func fakeS3(t *testing.T) string {
	t.Helper()
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("files"))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return "s3://key:secret@files/some/where?path_style=true&region=eu-central-1&endpoint=" + url.QueryEscape(server.URL)
}

func read(t *testing.T, bucket *blob.Bucket, hash content.Hash) []byte {
	t.Helper()
	reader, err := bucket.Open(t.Context(), hash)
	require.NoError(t, err)
	data, err := io.ReadAll(reader)
	require.NoError(t, err)
	assert.Equal(t, reader.Size, int64(len(data)))
	require.NoError(t, reader.Close())
	return data
}

func TestWhatIsPutIsReadBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, bucket *blob.Bucket) {
		for _, data := range [][]byte{nil, []byte("hello"), bytes.Repeat([]byte("0123456789abcdef"), limit/16)} {
			stored, err := bucket.Put(t.Context(), "name.txt", bytes.NewReader(data), limit)
			require.NoError(t, err)
			assert.Equal(t, blob.Stored{Hash: content.HashOf(data), Size: int64(len(data)), ContentType: "text/plain; charset=utf-8"}, stored)
			assert.True(t, bytes.Equal(data, read(t, bucket, stored.Hash)))
		}
	})
}

func TestWhatIsOldIsListedAndDeleted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, bucket *blob.Bucket) {
		begin := time.Now().Add(-2 * time.Second)
		expected := map[content.Hash]bool{}
		for _, text := range []string{"one", "two", "three"} {
			stored, err := bucket.Put(t.Context(), "a.txt", strings.NewReader(text), limit)
			require.NoError(t, err)
			expected[stored.Hash] = true
		}
		list := func() map[content.Hash]bool {
			found := map[content.Hash]bool{}
			require.NoError(t, bucket.List(t.Context(), func(hash content.Hash, stored time.Time) error {
				assert.WithinDuration(t, time.Now(), stored, time.Minute)
				found[hash] = true
				return nil
			}))
			return found
		}
		assert.Equal(t, expected, list())
		stop := errors.New("enough")
		assert.ErrorIs(t, bucket.List(t.Context(), func(content.Hash, time.Time) error { return stop }), stop)

		one := content.HashOf([]byte("one"))
		deleted, err := bucket.DeleteBefore(t.Context(), one, begin)
		require.NoError(t, err)
		assert.False(t, deleted, "it is young")
		for _, known := range []bool{true, false} {
			deleted, err = bucket.DeleteBefore(t.Context(), one, time.Now().Add(time.Minute))
			require.NoError(t, err)
			assert.Equal(t, known, deleted)
		}
		delete(expected, one)
		assert.Equal(t, expected, list())
	})
}

func TestAPartIsRead(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, bucket *blob.Bucket) {
		stored, err := bucket.Put(t.Context(), "", strings.NewReader("hello world"), limit)
		require.NoError(t, err)
		reader, err := bucket.Open(t.Context(), stored.Hash)
		require.NoError(t, err)
		defer reader.Close()
		position, err := reader.Seek(-5, io.SeekEnd)
		require.NoError(t, err)
		assert.Equal(t, int64(6), position)
		part, err := io.ReadAll(reader)
		require.NoError(t, err)
		assert.Equal(t, "world", string(part))
	})
}

func TestWhatIsTooLongOrBreaksOffIsNotKept(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, bucket *blob.Bucket) {
		_, err := bucket.Put(t.Context(), "", strings.NewReader("123456"), 5)
		assert.Equal(t, fault.LimitExceeded, fault.CodeOf(err))
		broken := io.MultiReader(strings.NewReader("12345"), failing{})
		_, err = bucket.Put(t.Context(), "", broken, limit)
		assert.ErrorIs(t, err, errBroken)
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = bucket.Put(cancelled, "", strings.NewReader("12345"), limit)
		assert.ErrorIs(t, err, context.Canceled)
		for _, data := range []string{"123456", "12345"} {
			exists, err := bucket.Exists(t.Context(), content.HashOf([]byte(data)))
			require.NoError(t, err)
			assert.False(t, exists)
		}
	})
}

var errBroken = errors.New("broken")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errBroken }

func TestUploadsAreChecked(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, bucket *blob.Bucket) {
		page := "<html><script></script></html>"
		_, err := bucket.Upload(t.Context(), blob.Upload{Name: "a.png", ContentType: "image/png", Source: strings.NewReader(page), Limit: limit})
		assert.Equal(t, fault.BadUserInput, fault.CodeOf(err))
		exists, err := bucket.Exists(t.Context(), content.HashOf([]byte(page)))
		require.NoError(t, err)
		assert.False(t, exists)
		image := `<svg width="3" height="4"/>`
		stored, err := bucket.Upload(t.Context(), blob.Upload{Name: "a.svg", ContentType: "image/svg+xml", Source: strings.NewReader(image), Limit: limit})
		require.NoError(t, err)
		assert.Equal(t, blob.Stored{Hash: content.HashOf([]byte(image)), Size: int64(len(image)), ContentType: "image/svg+xml", Width: 3, Height: 4}, stored)
	})
}

func TestWhatIsNotKeptIsNotFound(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, bucket *blob.Bucket) {
		for _, hash := range []content.Hash{content.HashOf([]byte("never put")), "", "../../etc/passwd", "ABC"} {
			_, err := bucket.Open(t.Context(), hash)
			assert.Equal(t, fault.NotFound, fault.CodeOf(err), hash)
			exists, err := bucket.Exists(t.Context(), hash)
			require.NoError(t, err)
			assert.False(t, exists)
			require.NoError(t, bucket.Delete(t.Context(), hash))
		}
	})
}

func TestWhatIsDeletedIsGone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, bucket *blob.Bucket) {
		stored, err := bucket.Put(t.Context(), "", strings.NewReader("x"), limit)
		require.NoError(t, err)
		require.NoError(t, bucket.Delete(t.Context(), stored.Hash))
		exists, err := bucket.Exists(t.Context(), stored.Hash)
		require.NoError(t, err)
		assert.False(t, exists)
	})
}

func TestTheSameBytesArePutAtTheSameTime(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, bucket *blob.Bucket) {
		data := bytes.Repeat([]byte("x"), limit)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				_, err := bucket.Put(t.Context(), "", bytes.NewReader(data), limit)
				assert.NoError(t, err)
			})
		}
		group.Wait()
		assert.True(t, bytes.Equal(data, read(t, bucket, content.HashOf(data))))
	})
}

func TestADirectoryHoldsNothingButWhatIsKept(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	bucket, err := blob.Open(t.Context(), directory)
	require.NoError(t, err)
	_, err = bucket.Put(t.Context(), "", strings.NewReader("123456"), 5)
	require.Error(t, err)
	stored, err := bucket.Put(t.Context(), "", strings.NewReader("12345"), 5)
	require.NoError(t, err)
	require.NoError(t, bucket.Close())

	old := filepath.Join(directory, "incoming", "old")
	young := filepath.Join(directory, "incoming", "young")
	for _, name := range []string{old, young} {
		require.NoError(t, os.WriteFile(name, []byte("left behind"), 0o600))
	}
	yesterday := time.Now().Add(-25 * time.Hour)
	require.NoError(t, os.Chtimes(old, yesterday, yesterday))
	bucket, err = blob.Open(t.Context(), directory)
	require.NoError(t, err)
	require.NoError(t, bucket.Close())

	var files []string
	require.NoError(t, fs.WalkDir(os.DirFS(directory), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, name)
		}
		return err
	}))
	hash := string(stored.Hash)
	assert.ElementsMatch(t, []string{hash[:2] + "/" + hash, "incoming/young"}, files)
}

func TestAddressesThatAreNotOnesAreRefused(t *testing.T) {
	t.Parallel()
	for address, says := range map[string]string{
		"gs://bucket":                     "gs://",
		"s3://":                           "names no bucket",
		"s3://bucket?path_style=maybe":    "path_style",
		"s3://bucket?endpoint=ftp://host": "endpoint",
		"s3://key:secret%@bucket":         "malformed",
	} {
		_, err := blob.Open(t.Context(), address)
		require.ErrorContains(t, err, says, address)
		assert.NotContains(t, err.Error(), "secret")
	}
	_, err := blob.Open(t.Context(), strings.Replace(fakeS3(t), "@files/", "@others/", 1))
	require.ErrorContains(t, err, "does not exist")
	assert.NotContains(t, err.Error(), "secret")
}
