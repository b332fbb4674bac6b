package blob

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"octavo/internal/content"
)

const (
	defaultEndpoint = "https://s3.amazonaws.com"
	noSuchKey       = "NoSuchKey"
)

// bucketS3 keeps files in an S3-compatible bucket.
type bucketS3 struct {
	client         *minio.Client
	bucket, prefix string
}

// settingsS3 are what an s3:// address says.
type settingsS3 struct {
	bucket, prefix string
	endpoint       *url.URL
	region         string
	pathStyle      bool
	credentials    *credentials.Credentials
}

func openS3(ctx context.Context, address string) (*bucketS3, error) {
	settings, err := parseS3(address)
	if err != nil {
		return nil, err
	}
	lookup := minio.BucketLookupAuto
	if settings.pathStyle {
		lookup = minio.BucketLookupPath
	}
	client, err := minio.New(settings.endpoint.Host, &minio.Options{
		Creds: settings.credentials, Secure: settings.endpoint.Scheme == "https",
		Region: settings.region, BucketLookup: lookup,
	})
	if err != nil {
		return nil, fmt.Errorf("bucket of files: %w", err)
	}
	exists, err := client.BucketExists(ctx, settings.bucket)
	if err != nil {
		return nil, fmt.Errorf("bucket of files: %w", err)
	}
	if !exists {
		return nil, fmt.Errorf("bucket of files: %q does not exist at %s", settings.bucket, settings.endpoint)
	}
	return &bucketS3{client: client, bucket: settings.bucket, prefix: settings.prefix}, nil
}

func parseS3(address string) (settingsS3, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		// The cause holds the address, and that may hold a secret.
		return settingsS3{}, fmt.Errorf("bucket of files: the s3:// address is malformed")
	}
	query := parsed.Query()
	settings := settingsS3{
		bucket: parsed.Host, prefix: strings.Trim(parsed.Path, "/"), region: query.Get("region"),
		credentials: credentialsS3(parsed.User),
	}
	if settings.bucket == "" {
		return settingsS3{}, fmt.Errorf("bucket of files: the s3:// address names no bucket")
	}
	if text := query.Get("path_style"); text != "" {
		if settings.pathStyle, err = strconv.ParseBool(text); err != nil {
			return settingsS3{}, fmt.Errorf("bucket of files: path_style is %q, not true or false", text)
		}
	}
	settings.endpoint, err = parseEndpoint(query.Get("endpoint"))
	return settings, err
}

func parseEndpoint(text string) (*url.URL, error) {
	if text == "" {
		text = defaultEndpoint
	}
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	endpoint, err := url.Parse(text)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" {
		return nil, fmt.Errorf("bucket of files: endpoint is %q, not an http or https address", text)
	}
	return endpoint, nil
}

func credentialsS3(user *url.Userinfo) *credentials.Credentials {
	if user != nil {
		secret, _ := user.Password()
		return credentials.NewStaticV4(user.Username(), secret, "")
	}
	return credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{},
	})
}

func (b *bucketS3) key(hash content.Hash) string {
	_, name := objectName(hash)
	return path.Join(b.prefix, name)
}

func (b *bucketS3) stage() (staged, error) {
	file, err := os.CreateTemp("", "octavo-file-")
	if err != nil {
		return nil, err
	}
	return &stagedFile{File: file, remove: func() error { return os.Remove(file.Name()) }}, nil
}

func (b *bucketS3) keep(ctx context.Context, hash content.Hash, size int64, from staged) error {
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return err
	}
	// Nothing is not signed in pieces: servers miss its length then.
	_, err := b.client.PutObject(ctx, b.bucket, b.key(hash), io.LimitReader(from, size), size, minio.PutObjectOptions{
		ContentType: "application/octet-stream", DisableContentSha256: size == 0,
	})
	return err
}

func (b *bucketS3) open(ctx context.Context, hash content.Hash) (*Reader, error) {
	object, err := b.client.GetObject(ctx, b.bucket, b.key(hash), minio.GetObjectOptions{})
	if err != nil {
		return nil, absentS3(err)
	}
	info, err := object.Stat()
	if err != nil {
		// That the object could not be opened counts more than that it could
		// not be closed.
		_ = object.Close()
		return nil, absentS3(err)
	}
	return &Reader{ReadSeekCloser: object, Size: info.Size}, nil
}

func (b *bucketS3) size(ctx context.Context, hash content.Hash) (int64, error) {
	info, err := b.client.StatObject(ctx, b.bucket, b.key(hash), minio.StatObjectOptions{})
	if err != nil {
		return 0, absentS3(err)
	}
	return info.Size, nil
}

func (b *bucketS3) storedAt(ctx context.Context, hash content.Hash) (time.Time, error) {
	info, err := b.client.StatObject(ctx, b.bucket, b.key(hash), minio.StatObjectOptions{})
	if err != nil {
		return time.Time{}, absentS3(err)
	}
	return info.LastModified, nil
}

func (b *bucketS3) list(ctx context.Context, visit func(name string, stored time.Time) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the listing when visit does
	prefix := b.prefix
	if prefix != "" {
		prefix += "/"
	}
	for object := range b.client.ListObjects(ctx, b.bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if object.Err != nil {
			return object.Err
		}
		if err := visit(path.Base(object.Key), object.LastModified); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (b *bucketS3) remove(ctx context.Context, hash content.Hash) error {
	return b.client.RemoveObject(ctx, b.bucket, b.key(hash), minio.RemoveObjectOptions{})
}

func (b *bucketS3) close() error { return nil }

// absentS3 makes an answer about a missing object one about a missing file.
func absentS3(err error) error {
	answer := minio.ToErrorResponse(err)
	if answer.Code == noSuchKey || answer.StatusCode == http.StatusNotFound {
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return err
}
