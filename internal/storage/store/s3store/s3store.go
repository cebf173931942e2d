// Package s3store keeps a store in a bucket of an S3 server. The index is replaced by
// conditional writes; all other objects are written once. It works with every server
// that honours If-Match and If-None-Match on PUT, such as AWS S3, Cloudflare R2 and
// MinIO.
package s3store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"golang.org/x/sync/errgroup"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/storage/store"
)

func init() {
	store.Register(store.Scheme{
		Name: scheme,
		Form: "s3://bucket/prefix?endpoint=https://host",
		Open: func(address string, opts store.Options) (*store.Store, error) { return open(address, opts, nil) },
		OpenObjects: func(address string) (store.Objects, error) {
			return openObjects(address, nil, maxFileSize)
		},
	})
}

// open returns the store at an address s3://bucket/prefix?endpoint=…&region=….
// It does not connect to the server. Credentials come from the environment, the
// configuration files of AWS and MinIO, or the machine's role. The transport of
// requests may be nil.
func open(address string, opts store.Options, base http.RoundTripper) (*store.Store, error) {
	b, err := newBucket(address, opts, base)
	if err != nil {
		return nil, err
	}
	return store.New(b, b.address.String()), nil
}

// client has the four operations of the S3 library that are used, as functions. A
// field with the library's own client would add 1.7 MB to the program: templates
// may call any method by name, so the linker keeps all methods of every type that
// can be reached from an interface value.
type client struct {
	list   func(ctx context.Context, bucket string, opts minio.ListObjectsOptions) iter.Seq[minio.ObjectInfo]
	get    func(ctx context.Context, bucket, key string, opts minio.GetObjectOptions) (io.ReadCloser, minio.ObjectInfo, http.Header, error)
	put    func(ctx context.Context, bucket, key string, data io.Reader, size int64, md5, sha256 string, opts minio.PutObjectOptions) (minio.UploadInfo, error)
	remove func(ctx context.Context, bucket, key string, opts minio.RemoveObjectOptions) error
}

// bucket is a [store.Backend].
type bucket struct {
	client      client
	credentials *credentials.Credentials
	address     address
	maxSize     int64 // of objects that are read

	singleWriter bool
	probeMu      sync.Mutex
	probed       bool // conditional writes work

	indexMu sync.Mutex
	index   cachedObject
}

// cachedObject is an object and the ETag it had.
type cachedObject struct {
	etag string
	data []byte
}

// maxTries is the number of times that a request is sent if the server fails or
// cannot be reached. The delays between them grow.
const maxTries = 4

func newBucket(text string, opts store.Options, base http.RoundTripper) (*bucket, error) {
	a, err := parseAddress(text)
	if err != nil {
		return nil, err
	}
	creds := credentials.New(newCredentials(a))
	core, err := minio.NewCore(a.endpoint.Host, &minio.Options{
		Creds:      creds,
		Secure:     a.endpoint.Scheme == "https",
		Region:     a.region,
		Transport:  newTransport(base, opts.FailFast),
		MaxRetries: maxTries,
	})
	if err != nil {
		return nil, problem.Failure("The address of the store is not valid: %v.", err)
	}
	c := client{list: core.Client.ListObjectsIter, get: core.GetObject, put: core.PutObject, remove: core.Client.RemoveObject}
	return &bucket{client: c, credentials: creds, address: a, maxSize: maxObjectSize, singleWriter: opts.SingleWriter}, nil
}

// key returns the key of an object.
func (b *bucket) key(name string) string { return b.address.prefix + name }

// WriteFolder implements [store.Backend]. The header, which names the other
// files, is last in the list and written after them.
func (b *bucket) WriteFolder(ctx context.Context, dir string, files []store.File) error {
	last := len(files) - 1
	g, gctx := errgroup.WithContext(ctx)
	for _, f := range files[:last] {
		g.Go(func() error { return b.put(gctx, path.Join(dir, f.Name), f.Data, condition{any: true}) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return b.put(ctx, path.Join(dir, files[last].Name), files[last].Data, condition{any: true})
}

// WriteFile implements [store.Backend].
func (b *bucket) WriteFile(ctx context.Context, f store.File) error {
	return b.put(ctx, f.Name, f.Data, condition{any: true})
}

// Remove implements [store.Backend]. The header of a release is deleted first, so that
// a part of a release is not taken for one.
func (b *bucket) Remove(ctx context.Context, name string) error {
	header := b.key(path.Join(name, release.HeaderFile))
	keys := []string{header, b.key(name)}
	objects, err := b.list(ctx, name+"/", true)
	if err != nil {
		return err
	}
	for _, object := range objects {
		if object.Key != header {
			keys = append(keys, object.Key)
		}
	}
	for _, key := range keys {
		if err := b.delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

func (b *bucket) delete(ctx context.Context, key string) error {
	ctx, stop := limitTime(ctx)
	defer stop()
	err := b.client.remove(ctx, b.address.bucket, key, minio.RemoveObjectOptions{})
	if err = b.describe(ctx, "remove", strings.TrimPrefix(key, b.address.prefix), err); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// condition is the condition of a write: the object has the given ETag, does not
// exist (the zero condition), or is in any state.
type condition struct {
	etag string
	any  bool
}

func (b *bucket) put(ctx context.Context, name string, data []byte, cond condition) error {
	opts := minio.PutObjectOptions{ContentType: contentType(name)}
	switch {
	case cond.any || b.singleWriter:
	case cond.etag != "":
		opts.SetMatchETag(cond.etag)
	default:
		opts.SetMatchETagExcept("*")
	}
	return b.putWith(ctx, name, data, opts)
}

// putWith writes an object in one request. The signature covers the digest of the data:
// if it covered chunks, some servers would keep the encoding of the chunks as that of the
// object.
func (b *bucket) putWith(ctx context.Context, name string, data []byte, opts minio.PutObjectOptions) error {
	ctx, stop := limitTime(ctx)
	defer stop()
	opts.DisableContentSha256 = true
	sum := sha256.Sum256(data)
	_, err := b.client.put(ctx, b.address.bucket, b.key(name), bytes.NewReader(data), int64(len(data)), "", hex.EncodeToString(sum[:]), opts)
	return b.describe(ctx, "write", name, err)
}

func contentType(name string) string {
	if path.Ext(name) == ".json" {
		return "application/json"
	}
	return "application/octet-stream"
}
