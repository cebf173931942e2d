package export

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"iter"
	"strings"

	"placard/internal/storage/store"
)

// Bucket returns a target in a bucket, with an address as [store.OpenObjects] takes it.
func Bucket(address string) (Target, error) {
	objects, err := store.OpenObjects(address)
	if err != nil {
		return nil, err
	}
	return &bucket{Objects: objects}, nil
}

type bucket struct {
	store.Objects
	etags map[string]string // of the objects, by name
}

// layout returns the layout of the earlier export. Without one, it finds out whether
// the server can have an object called a beside an object called a/b. Servers that keep
// objects as files cannot.
func (b *bucket) layout(ctx context.Context, old *earlier) (layout, error) {
	if old != nil {
		return old.layout(), nil
	}
	// If the export ends here, the next one removes both.
	name := temporaryPrefix + rand.Text()
	below := name + "/" + temporaryPrefix + "probe"
	if err := b.Write(ctx, store.Object{Name: below, Data: []byte("probe\n")}); err != nil {
		return 0, err
	}
	both := b.Write(ctx, store.Object{Name: name, Data: []byte("probe\n")})
	if both == nil {
		if err := b.Remove(ctx, name); err != nil {
			return 0, err
		}
	}
	if err := b.Remove(ctx, below); err != nil {
		return 0, err
	}
	switch {
	case both == nil:
		return layoutKeys, nil
	case errors.Is(both, store.ErrInvalidName):
		return layoutFolders, nil
	}
	return 0, both
}

// list yields the objects below the names in top. Other objects, such as the error
// page of a website, are not affected by an export.
func (b *bucket) list(ctx context.Context, top []string) iter.Seq2[string, error] {
	b.etags = make(map[string]string)
	prefixes := []string{""}
	if len(top) > 0 {
		prefixes = nil
		for _, name := range top {
			prefixes = append(prefixes, name+"/")
		}
	}
	return func(yield func(string, error) bool) {
		for _, prefix := range prefixes {
			for o, err := range b.List(ctx, prefix) {
				if err == nil && (strings.HasSuffix(o.Name, "/") || isHidden(o.Name)) {
					continue // a folder, or not a part of an export
				}
				b.etags[o.Name] = o.ETag
				if !yield(o.Name, err) {
					return
				}
			}
		}
	}
}

func (b *bucket) read(ctx context.Context, name string) ([]byte, error) { return b.Read(ctx, name) }

func (b *bucket) has(o object, sameHeader bool) bool {
	sum := md5.Sum(o.data) // the ETag of objects that are not encrypted
	return sameHeader && b.etags[o.name] == hex.EncodeToString(sum[:])
}

func (b *bucket) write(ctx context.Context, o object) error {
	if o.encode != nil {
		var b bytes.Buffer
		if err := o.encode(&b); err != nil {
			return err
		}
		o.data = b.Bytes()
	}
	written := store.Object{Name: o.name, Data: o.data, ContentType: o.header["Content-Type"], CacheControl: o.header["Cache-Control"]}
	// Other fields are the same for all objects; the bucket or the CDN sets them.
	if hash := o.header["Service-Content-Hash"]; hash != "" {
		written.Metadata = map[string]string{"Service-Content-Hash": hash}
	}
	return b.Write(ctx, written)
}

func (b *bucket) remove(ctx context.Context, name string) error { return b.Remove(ctx, name) }

func (b *bucket) parallel() int { return 32 }

// rules returns no files: the objects carry their headers.
func (b *bucket) rules(p *plan) ([]object, error) {
	for f := range p.routed {
		if f.Path != "" && f.Query == "" {
			p.notes = append(p.notes, "The server cannot have an object and a folder with the same name, so the lists and elements are named …/index.json. Rewrite their paths.")
			break
		}
	}
	return nil, nil
}

func (b *bucket) label(name string) string { return strings.TrimSuffix(b.String()+"/"+name, "/") }
