package s3store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"golang.org/x/sync/errgroup"

	"placard/internal/release"
	"placard/internal/store"
)

// maxObjectSize protects readers from an object that exhausts memory.
const maxObjectSize = 256 << 20

// FS implements [store.Backend].
func (b *bucket) FS(ctx context.Context) fs.FS { return objects{ctx, b} }

// objects are the objects of a bucket as a file system.
type objects struct {
	ctx    context.Context
	bucket *bucket
}

// Open implements [fs.FS]. The whole object is read, except that an unchanged index
// is not transferred again.
func (o objects) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if name == store.IndexFile {
		object, err := o.bucket.readIndex(o.ctx)
		return newFile(name, object.data), err
	}
	object, err := o.bucket.get(o.ctx, name, "")
	if err != nil {
		return nil, err
	}
	return newFile(name, object.data), nil
}

// ReadDir implements [fs.ReadDirFS].
func (o objects) ReadDir(dir string) ([]fs.DirEntry, error) {
	prefix := o.bucket.prefix
	if dir != "." {
		prefix += dir + "/"
	}
	var entries []fs.DirEntry
	for object := range o.bucket.client.Client.ListObjectsIter(o.ctx, o.bucket.bucket, minio.ListObjectsOptions{Prefix: prefix}) {
		if object.Err != nil {
			return nil, o.bucket.describe("list", dir, object.Err)
		}
		name, isDir := strings.CutSuffix(strings.TrimPrefix(object.Key, prefix), "/")
		entries = append(entries, fs.FileInfoToDirEntry(info{name, object.Size, object.LastModified, isDir}))
	}
	if entries == nil && dir != "." {
		return nil, &fs.PathError{Op: "list", Path: o.bucket.name + "/" + dir, Err: fs.ErrNotExist}
	}
	return entries, nil
}

// Stat implements [fs.StatFS]. A folder exists if it has objects; the root always
// exists.
func (o objects) Stat(name string) (fs.FileInfo, error) {
	if name == "." {
		return info{name: ".", dir: true}, nil
	}
	found, err := o.bucket.client.Client.StatObject(o.ctx, o.bucket.bucket, o.bucket.prefix+name, minio.StatObjectOptions{})
	if err == nil {
		return info{path.Base(name), found.Size, found.LastModified, false}, nil
	}
	if err = o.bucket.describe("stat", name, err); !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if _, err := o.ReadDir(name); err != nil {
		return nil, err
	}
	return info{name: path.Base(name), dir: true}, nil
}

// Sub implements [fs.SubFS]. The files of a release are fetched in parallel when
// the first of them is opened.
func (o objects) Sub(dir string) (fs.FS, error) {
	return &folder{objects: o, dir: dir}, nil
}

// folder is the folder of a release.
type folder struct {
	objects objects
	dir     string
	fetch   sync.Once
	files   map[string]fetched
}

type fetched struct {
	data []byte
	err  error
}

// Open implements [fs.FS].
func (f *folder) Open(name string) (fs.File, error) {
	f.fetch.Do(f.fetchAll)
	got, ok := f.files[name]
	if !ok {
		return f.objects.Open(path.Join(f.dir, name))
	}
	if got.err != nil {
		return nil, got.err
	}
	return newFile(name, got.data), nil
}

func (f *folder) fetchAll() {
	names := release.FileNames()
	results := make([]fetched, len(names))
	var g errgroup.Group
	for i, name := range names {
		g.Go(func() error {
			object, err := f.objects.bucket.get(f.objects.ctx, path.Join(f.dir, name), "")
			results[i] = fetched{object.data, err}
			return nil
		})
	}
	_ = g.Wait() // errors are returned by Open
	f.files = make(map[string]fetched, len(names))
	for i, name := range names {
		f.files[name] = results[i]
	}
}

// readIndex returns the index. If it has not changed since the last call, the
// server sends only its headers.
func (b *bucket) readIndex(ctx context.Context) (cachedObject, error) {
	b.indexMu.Lock()
	defer b.indexMu.Unlock()
	object, err := b.get(ctx, store.IndexFile, b.index.etag)
	switch {
	case errors.Is(err, errNotModified):
		return b.index, nil
	case err != nil:
		return cachedObject{}, err
	}
	b.index = object
	return object, nil
}

var errNotModified = errors.New("not modified")

// get reads an object, unless it still has the given ETag.
func (b *bucket) get(ctx context.Context, name, etag string) (cachedObject, error) {
	var opts minio.GetObjectOptions
	if etag != "" {
		opts.Set("If-None-Match", `"`+etag+`"`)
	}
	body, found, _, err := b.client.GetObject(ctx, b.bucket, b.prefix+name, opts)
	if err != nil {
		if minio.ToErrorResponse(err).StatusCode == http.StatusNotModified {
			return cachedObject{}, errNotModified
		}
		return cachedObject{}, b.describe("read", name, err)
	}
	defer body.Close()
	if found.Size > maxObjectSize {
		return cachedObject{}, b.describe("read", name, fmt.Errorf("the object is larger than %d MiB", maxObjectSize>>20))
	}
	data := make([]byte, found.Size)
	if _, err := io.ReadFull(body, data); err != nil {
		return cachedObject{}, b.describe("read", name, err)
	}
	return cachedObject{found.ETag, data}, nil
}

// file is an object that has been read.
type file struct {
	*bytes.Reader
	info info
}

func newFile(name string, data []byte) fs.File {
	return file{bytes.NewReader(data), info{name: path.Base(name), size: int64(len(data))}}
}

func (f file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (file) Close() error                 { return nil }

// info describes an object or a folder.
type info struct {
	name     string
	size     int64
	modified time.Time
	dir      bool
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return i.modified }
func (i info) IsDir() bool        { return i.dir }
func (i info) Sys() any           { return nil }

func (i info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o755
	}
	return 0o644
}
