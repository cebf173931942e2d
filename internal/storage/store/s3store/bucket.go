package s3store

import (
	"context"
	"iter"
	"strings"

	"github.com/minio/minio-go/v7"
)

// Bucket gives access to the objects below a prefix, for files that are not part of a
// store.
type Bucket struct{ bucket *bucket }

// maxFileSize is the limit for objects that are not part of a store. The index of an
// export has about 190 bytes for each file.
const maxFileSize = 1 << 30

// Object is an object to be written.
type Object struct {
	Name         string
	Data         []byte
	ContentType  string
	CacheControl string
	Metadata     map[string]string
}

// OpenBucket returns the bucket at an address, as described for [Open].
func OpenBucket(address string) (*Bucket, error) {
	b, err := newBucket(address, Options{})
	if err != nil {
		return nil, err
	}
	b.maxSize = maxFileSize
	return &Bucket{b}, nil
}

// String returns the address without parameters.
func (b *Bucket) String() string { return b.bucket.address.String() }

// List yields the names and ETags of the objects whose names begin with a prefix, and
// an error if it fails.
func (b *Bucket) List(ctx context.Context, prefix string) iter.Seq2[ListedObject, error] {
	return func(yield func(ListedObject, error) bool) {
		// The time for a list depends on the number of objects.
		ctx, stop := limitStall(ctx)
		defer stop()
		opts := minio.ListObjectsOptions{Prefix: b.bucket.key(prefix), Recursive: true}
		for object := range b.bucket.client.Client.ListObjectsIter(ctx, b.bucket.address.bucket, opts) {
			if object.Err != nil {
				yield(ListedObject{}, b.bucket.describe(ctx, "list", prefix, object.Err))
				return
			}
			name := strings.TrimPrefix(object.Key, b.bucket.address.prefix)
			if !yield(ListedObject{name, strings.Trim(object.ETag, `"`)}, nil) {
				return
			}
		}
		// A canceled list ends early.
		if err := ctx.Err(); err != nil {
			yield(ListedObject{}, b.bucket.describe(ctx, "list", prefix, err))
		}
	}
}

// ListedObject is an object in a list.
type ListedObject struct{ Name, ETag string }

// Read returns the content of an object. A missing object is [fs.ErrNotExist].
func (b *Bucket) Read(ctx context.Context, name string) ([]byte, error) {
	object, err := b.bucket.get(ctx, name, "")
	return object.data, err
}

// Write writes an object.
func (b *Bucket) Write(ctx context.Context, o Object) error {
	return b.bucket.putWith(ctx, o.Name, o.Data, minio.PutObjectOptions{
		ContentType: o.ContentType, CacheControl: o.CacheControl, UserMetadata: o.Metadata,
	})
}

// Remove removes an object, which need not exist.
func (b *Bucket) Remove(ctx context.Context, name string) error {
	return b.bucket.delete(ctx, b.bucket.key(name))
}
