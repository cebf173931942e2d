// Package s3store keeps a store in a bucket of an S3 server. The index is replaced by
// conditional writes; all other objects are written once. It works with every server
// that honours If-Match and If-None-Match on PUT, such as AWS S3, Cloudflare R2 and
// MinIO.
package s3store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"golang.org/x/sync/errgroup"

	"placard/internal/release"
	"placard/internal/store"
)

// Scheme is the scheme of the addresses of buckets.
const Scheme = "s3"

// IsAddress reports whether name is the address of a bucket rather than of a folder.
func IsAddress(name string) bool { return strings.HasPrefix(name, Scheme+"://") }

// Options configures a store in a bucket.
type Options struct {
	// SingleWriter allows changes on servers without conditional writes. Two
	// writers at a time can then lose changes.
	SingleWriter bool
	// Transport is the transport of requests; nil means a default one.
	Transport http.RoundTripper
}

// Open returns the store at an address s3://bucket/prefix?endpoint=…&region=….
// It does not connect to the server. Credentials come from the environment, the
// configuration files of AWS and MinIO, or the machine's role.
func Open(address string, opts Options) (*store.Store, error) {
	b, err := newBucket(address, opts)
	if err != nil {
		return nil, err
	}
	return store.New(b, b.name), nil
}

// bucket is a [store.Backend].
type bucket struct {
	client *minio.Core
	bucket string
	prefix string // with a trailing slash, or empty
	name   string // the address without parameters, for messages

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

// defaultEndpoint is the endpoint of addresses without one.
const defaultEndpoint = "https://s3.amazonaws.com"

func newBucket(address string, opts Options) (*bucket, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("the address of the store is invalid: %w", errors.Unwrap(err))
	}
	switch {
	case u.Scheme != Scheme || u.Host == "":
		return nil, fmt.Errorf("%q is not the address of a bucket, s3://<bucket>/<prefix>", redact(u))
	case u.User != nil:
		return nil, fmt.Errorf("%q contains credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead", redact(u))
	case u.Fragment != "":
		return nil, fmt.Errorf("%q has a fragment; write # in a prefix as %%23", redact(u))
	}
	endpoint := defaultEndpoint
	var region string
	for key, values := range u.Query() {
		switch {
		case len(values) != 1:
			return nil, fmt.Errorf("the parameter %q is repeated", key)
		case key == "endpoint":
			endpoint = values[0]
		case key == "region":
			region = values[0]
		default:
			return nil, fmt.Errorf("unknown parameter %q; the parameters of a bucket are endpoint and region", key)
		}
	}
	e, err := url.Parse(endpoint)
	if err != nil || e.Scheme != "http" && e.Scheme != "https" || e.Host == "" || e.Path != "" && e.Path != "/" || e.User != nil {
		return nil, fmt.Errorf("%q is not an endpoint; use a form such as https://s3.example.org", endpoint)
	}
	client, err := minio.NewCore(e.Host, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.EnvMinio{},
			&credentials.FileAWSCredentials{}, &credentials.FileMinioClient{},
			&credentials.IAM{},
		}),
		Secure:    e.Scheme == "https",
		Region:    region,
		Transport: opts.Transport,
		// The catalog and the commands decide when to retry.
		MaxRetries: 1,
	})
	if err != nil {
		return nil, err
	}
	prefix := strings.Trim(path.Clean("/"+u.Path), "/")
	name := Scheme + "://" + u.Host
	if prefix != "" {
		name += "/" + prefix
		prefix += "/"
	}
	return &bucket{client: client, bucket: u.Host, prefix: prefix, name: name, singleWriter: opts.SingleWriter}, nil
}

func redact(u *url.URL) string {
	clean := *u
	clean.User, clean.RawQuery = nil, ""
	return clean.String()
}

// UpdateIndex implements [store.Backend].
func (b *bucket) UpdateIndex(ctx context.Context, change func(*store.Index) (bool, error)) error {
	return b.replaceIndex(ctx, func(current []byte) (*store.Index, error) {
		ix := new(store.Index)
		if current != nil {
			var err error
			if ix, err = store.DecodeIndex(current); err != nil {
				return nil, err
			}
		}
		changed, err := change(ix)
		if err != nil || !changed {
			return nil, err
		}
		return ix, nil
	})
}

// RepairIndex implements [store.Backend].
func (b *bucket) RepairIndex(ctx context.Context, rebuild func([]byte) (*store.Index, error)) error {
	return b.replaceIndex(ctx, func(current []byte) (*store.Index, error) {
		_, err := store.FS{FS: b.FS(ctx), Name: b.name}.Index(ctx)
		if _, damaged := errors.AsType[*release.DamageError](err); !damaged {
			return nil, err
		}
		ix, err := rebuild(current)
		if err != nil {
			return nil, err
		}
		if current == nil {
			return ix, nil
		}
		aside := fmt.Sprintf("%s.damaged-%d", store.IndexFile, time.Now().UnixNano())
		return ix, b.put(ctx, aside, current, condition{any: true})
	})
}

// replaceIndex replaces the index with the result of change, unless that is nil. If
// another process has replaced the index in the meantime, change is called again.
func (b *bucket) replaceIndex(ctx context.Context, change func(current []byte) (*store.Index, error)) error {
	if err := b.probe(ctx); err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		current, err := b.readIndex(ctx)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		ix, err := change(current.data)
		if err != nil || ix == nil {
			return err
		}
		data, err := ix.Encode()
		if err != nil {
			return err
		}
		err = b.put(ctx, store.IndexFile, data, condition{etag: current.etag})
		if err == nil {
			return nil
		}
		// The server may have written the index although its response was lost.
		if written, readErr := b.readIndex(ctx); readErr == nil && bytes.Equal(written.data, data) {
			return nil
		}
		if !isConflict(err) {
			return err
		}
		if err := sleep(ctx, backoff(attempt)); err != nil {
			return err
		}
	}
}

// backoff returns a random delay that grows with the number of attempts, so that
// competing writers spread out.
func backoff(attempt int) time.Duration {
	return rand.N(10 * time.Millisecond << min(attempt, 6))
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

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

// Remove implements [store.Backend]. The header of a release is deleted first.
func (b *bucket) Remove(ctx context.Context, name string) error {
	header := b.prefix + path.Join(name, release.HeaderFile)
	keys := []string{header, b.prefix + name}
	for object := range b.client.Client.ListObjectsIter(ctx, b.bucket, minio.ListObjectsOptions{Prefix: b.prefix + name + "/", Recursive: true}) {
		if object.Err != nil {
			return b.describe("list", name, object.Err)
		}
		if object.Key != header {
			keys = append(keys, object.Key)
		}
	}
	for _, key := range keys {
		if err := b.client.Client.RemoveObject(ctx, b.bucket, key, minio.RemoveObjectOptions{}); err != nil {
			return b.describe("remove", name, err)
		}
	}
	return nil
}

// condition is the condition of a write: the object has the given ETag, does not
// exist (the zero condition), or is in any state.
type condition struct {
	etag string
	any  bool
}

func (b *bucket) put(ctx context.Context, name string, data []byte, cond condition) error {
	opts := minio.PutObjectOptions{ContentType: contentType(name), DisableMultipart: true}
	switch {
	case cond.any || b.singleWriter:
	case cond.etag != "":
		opts.SetMatchETag(cond.etag)
	default:
		opts.SetMatchETagExcept("*")
	}
	_, err := b.client.Client.PutObject(ctx, b.bucket, b.prefix+name, bytes.NewReader(data), int64(len(data)), opts)
	return b.describe("write", name, err)
}

func contentType(name string) string {
	if path.Ext(name) == ".json" {
		return "application/json"
	}
	return "application/octet-stream"
}

// isConflict reports whether another writer has changed the object.
func isConflict(err error) bool {
	switch minio.ToErrorResponse(errors.Unwrap(err)).StatusCode {
	case http.StatusPreconditionFailed, http.StatusConflict:
		return true
	}
	return false
}

// describe adds the name of the store and the object to an error of the client. A
// missing object is [fs.ErrNotExist].
func (b *bucket) describe(operation, name string, err error) error {
	if err == nil {
		return nil
	}
	if response := minio.ToErrorResponse(err); response.StatusCode == http.StatusNotFound && response.Code == minio.NoSuchKey {
		err = fs.ErrNotExist
	}
	return &fs.PathError{Op: operation, Path: b.name + "/" + name, Err: err}
}
