package s3store

import (
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

	"placard/internal/core/release"
	"placard/internal/storage/store"
)

// maxObjectSize protects readers of a store from an object that exhausts memory.
const maxObjectSize = 256 << 20

// maxIndexSize is that of the index. That of 10,000 releases has 4 MiB.
const maxIndexSize = 8 << 20

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
	var object cachedObject
	var err error
	if name == store.IndexFile {
		object, err = o.bucket.readIndex(o.ctx)
	} else {
		object, err = o.bucket.get(o.ctx, name, "")
	}
	if err != nil {
		return nil, err
	}
	return store.NewFile(name, object.data), nil
}

// ReadDir implements [fs.ReadDirFS].
func (o objects) ReadDir(dir string) ([]fs.DirEntry, error) {
	prefix := dir + "/"
	if dir == "." {
		prefix = ""
	}
	found, err := o.bucket.list(o.ctx, prefix, false)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 && dir != "." {
		return nil, o.missing("list", dir)
	}
	var entries []fs.DirEntry
	for _, object := range found {
		if entry := newInfo(strings.TrimPrefix(object.Key, o.bucket.key(prefix)), object); entry.name != "" {
			entries = append(entries, fs.FileInfoToDirEntry(entry))
		}
	}
	return entries, nil
}

// Stat implements [fs.StatFS]. A folder exists if it has objects; the root always
// exists.
func (o objects) Stat(name string) (fs.FileInfo, error) {
	if name == "." {
		return info{name: ".", dir: true}, nil
	}
	// A list has both an object and a folder of this name.
	found, err := o.bucket.list(o.ctx, name, false)
	if err != nil {
		return nil, err
	}
	for _, object := range found {
		if i := newInfo(object.Key, object); i.name == o.bucket.key(name) {
			i.name = path.Base(name)
			return i, nil
		}
	}
	return nil, o.missing("stat", name)
}

func (o objects) missing(operation, name string) error {
	return &fs.PathError{Op: operation, Path: o.bucket.address.String() + "/" + name, Err: fs.ErrNotExist}
}

// Tree implements [store.TreeFS].
func (o objects) Tree(dir string) (fs.FS, error) {
	// A file is also a tree.
	found, err := o.bucket.list(o.ctx, dir, true)
	if err != nil {
		return nil, err
	}
	t := tree{o, map[string][]fs.DirEntry{}, map[string]*info{}}
	for _, object := range found {
		name := strings.TrimPrefix(object.Key, o.bucket.address.prefix)
		if name == dir || strings.HasPrefix(name, dir+"/") && fs.ValidPath(name) {
			t.add(name, newInfo(path.Base(name), object))
		}
	}
	return t, nil
}

// tree has the names of objects that were listed at once. A folder was modified when
// the newest object in it was.
type tree struct {
	objects
	folders map[string][]fs.DirEntry
	infos   map[string]*info
}

func (t tree) add(name string, i info) {
	known, ok := t.infos[name]
	if !ok {
		known = &i
		t.infos[name] = known
	}
	if i.modified.After(known.modified) {
		known.modified = i.modified
	}
	if name == "." {
		return
	}
	dir := path.Dir(name)
	if !ok {
		t.folders[dir] = append(t.folders[dir], fs.FileInfoToDirEntry(known))
	}
	t.add(dir, info{name: path.Base(dir), modified: i.modified, dir: true})
}

// ReadDir implements [fs.ReadDirFS].
func (t tree) ReadDir(dir string) ([]fs.DirEntry, error) { return t.folders[dir], nil }

// Stat implements [fs.StatFS].
func (t tree) Stat(name string) (fs.FileInfo, error) {
	i, ok := t.infos[name]
	if !ok {
		return nil, t.missing("stat", name)
	}
	return i, nil
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
	return store.NewFile(name, got.data), nil
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

var errNotModified = errors.New("not modified")

// get reads an object, unless it still has the given ETag.
func (b *bucket) get(ctx context.Context, name, etag string) (cachedObject, error) {
	for try := 1; ; try++ {
		object, err := b.getOnce(ctx, name, etag)
		if try == maxTries || !errors.Is(err, errBody) {
			return object, err
		}
		if err := sleep(ctx, backoff(try)); err != nil {
			return cachedObject{}, err
		}
	}
}

// errBody says that the connection failed while the body of a response was read. The
// client does not repeat such requests.
var errBody = errors.New("the body is incomplete")

func (b *bucket) getOnce(ctx context.Context, name, etag string) (cachedObject, error) {
	ctx, stop := limitTime(ctx)
	defer stop()
	var opts minio.GetObjectOptions
	if etag != "" {
		opts.Set("If-None-Match", `"`+etag+`"`)
	}
	body, found, _, err := b.client.get(ctx, b.address.bucket, b.key(name), opts)
	if err != nil {
		if minio.ToErrorResponse(err).StatusCode == http.StatusNotModified {
			return cachedObject{}, errNotModified
		}
		return cachedObject{}, b.describe(ctx, "read", name, err)
	}
	defer body.Close()
	limit := b.maxSize
	if name == store.IndexFile {
		limit = min(limit, maxIndexSize)
	}
	tooLarge := &release.DamageError{File: name, Err: fmt.Errorf("it is larger than %d MiB", limit>>20)}
	if found.Size > limit {
		return cachedObject{}, tooLarge
	}
	data := make([]byte, max(found.Size, 0))
	if found.Size >= 0 {
		_, err = io.ReadFull(body, data)
	} else { // a proxy has omitted the size
		data, err = io.ReadAll(io.LimitReader(body, limit+1))
		if int64(len(data)) > limit {
			return cachedObject{}, tooLarge
		}
	}
	if err != nil {
		if ctx.Err() == nil {
			err = fmt.Errorf("%w: %w", errBody, err)
		}
		return cachedObject{}, b.describe(ctx, "read", name, err)
	}
	return cachedObject{found.ETag, data}, nil
}

// list returns the objects whose names begin with a prefix. Unless it is recursive, it
// returns only the part of a name up to the next slash.
func (b *bucket) list(ctx context.Context, prefix string, recursive bool) ([]minio.ObjectInfo, error) {
	ctx, stop := limitTime(ctx)
	defer stop()
	var found []minio.ObjectInfo
	opts := minio.ListObjectsOptions{Prefix: b.key(prefix), Recursive: recursive}
	for object := range b.client.list(ctx, b.address.bucket, opts) {
		if object.Err != nil {
			return nil, b.describe(ctx, "list", prefix, object.Err)
		}
		found = append(found, object)
	}
	// A canceled list ends early.
	return found, b.describe(ctx, "list", prefix, ctx.Err())
}

// info describes an object or a folder.
type info struct {
	name     string
	size     int64
	modified time.Time
	dir      bool
}

// newInfo describes a listed object. The name of a folder ends in a slash.
func newInfo(name string, object minio.ObjectInfo) info {
	name, isDir := strings.CutSuffix(name, "/")
	return info{name, object.Size, object.LastModified, isDir}
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
