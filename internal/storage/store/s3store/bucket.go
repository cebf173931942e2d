package s3store

import (
	"context"
	"iter"
	"net/http"
	"strings"

	"github.com/minio/minio-go/v7"

	"placard/internal/storage/store"
)

// plainObjects are the objects below a prefix that are not part of a store.
type plainObjects struct{ bucket *bucket }

// maxFileSize is the limit for objects that are not part of a store. The index of an
// export has about 190 bytes for each file.
const maxFileSize = 1 << 30

// openObjects returns the objects at an address, as described for [open]. Larger ones
// than maxSize cannot be read.
func openObjects(address string, base http.RoundTripper, maxSize int64) (store.Objects, error) {
	b, err := newBucket(address, store.Options{}, base)
	if err != nil {
		return nil, err
	}
	b.maxSize = maxSize
	return plainObjects{b}, nil
}

// String returns the address without parameters.
func (b plainObjects) String() string { return b.bucket.address.String() }

// List implements [store.Objects].
func (b plainObjects) List(ctx context.Context, prefix string) iter.Seq2[store.ListedObject, error] {
	return func(yield func(store.ListedObject, error) bool) {
		// The time for a list depends on the number of objects.
		ctx, stop := limitStall(ctx)
		defer stop()
		opts := minio.ListObjectsOptions{Prefix: b.bucket.key(prefix), Recursive: true}
		for object := range b.bucket.client.list(ctx, b.bucket.address.bucket, opts) {
			if object.Err != nil {
				yield(store.ListedObject{}, b.bucket.describe(ctx, "list", prefix, object.Err))
				return
			}
			name := strings.TrimPrefix(object.Key, b.bucket.address.prefix)
			if !yield(store.ListedObject{Name: name, ETag: strings.Trim(object.ETag, `"`)}, nil) {
				return
			}
		}
		// A canceled list ends early.
		if err := ctx.Err(); err != nil {
			yield(store.ListedObject{}, b.bucket.describe(ctx, "list", prefix, err))
		}
	}
}

// Read implements [store.Objects].
func (b plainObjects) Read(ctx context.Context, name string) ([]byte, error) {
	object, err := b.bucket.get(ctx, name, "")
	return object.data, err
}

// Write implements [store.Objects].
func (b plainObjects) Write(ctx context.Context, o store.Object) error {
	return b.bucket.putWith(ctx, o.Name, o.Data, minio.PutObjectOptions{
		ContentType: o.ContentType, CacheControl: o.CacheControl, UserMetadata: o.Metadata,
	})
}

// Remove implements [store.Objects].
func (b plainObjects) Remove(ctx context.Context, name string) error {
	return b.bucket.delete(ctx, b.bucket.key(name))
}
