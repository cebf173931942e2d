package s3store_test

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
	"placard/scripts/envtest"
)

func TestMain(m *testing.M) {
	minio.DefaultRetryUnit = time.Millisecond
	os.Exit(m.Run())
}

func TestBucketContract(t *testing.T) {
	_, open := newServer(t)
	var stores atomic.Int64
	storetest.Run(t, func(t *testing.T) func() storetest.Store {
		prefix := fmt.Sprintf("store-%d", stores.Add(1))
		return func() storetest.Store { return open(prefix, nil) }
	})
}

func TestObjectsHaveNoContentEncoding(t *testing.T) {
	server, open := newServer(t)
	publishOne(t, open("a", nil), "small@2026-01-02-beta")
	c := client(t, server)
	objects := 0
	for object := range c.ListObjects(t.Context(), "releases", listAll("a/")) {
		info, err := c.StatObject(t.Context(), "releases", object.Key, minio.StatObjectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if encoding := info.Metadata.Get("Content-Encoding"); encoding != "" {
			t.Errorf("%s: got content encoding %q, want none", object.Key, encoding)
		}
		objects++
	}
	if objects == 0 {
		t.Error("got no objects")
	}
}

func TestPrefixesMayHaveAnyCharacters(t *testing.T) {
	_, open := newServer(t)
	for _, prefix := range []string{"a b+c", "%25%2B%3F%23", "ünï/%E2%82%AC", "a&b=<c>'", "a//b/./c/../d"} {
		s := open(prefix, nil)
		publishOne(t, s, "small@2026-01-02-beta")
		publishOne(t, s, "small@2026-01-02-beta", "added")
		until := time.Now().Add(time.Hour)
		garbage, err := s.Prunable(t.Context(), until)
		if err != nil || len(garbage) != 1 {
			t.Errorf("%s: got garbage %v (%v), want one folder", prefix, garbage, err)
		}
		if _, err := s.Prune(t.Context(), store.Intent{}, until, garbage); err != nil {
			t.Errorf("%s: %v", prefix, err)
		}
		wantComplete(t, s, 3)
	}
}

// client returns a client of the server itself.
func client(t *testing.T, server *envtest.Server) *minio.Client {
	t.Helper()
	c, err := minio.New(server.Addr, &minio.Options{Creds: credentials.NewStaticV4(envtest.S3AccessKey, envtest.S3SecretKey, "")})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func remove(t *testing.T, server *envtest.Server, key string) {
	t.Helper()
	if err := client(t, server).RemoveObject(t.Context(), "releases", key, minio.RemoveObjectOptions{}); err != nil {
		t.Fatal(err)
	}
}

func listAll(prefix string) minio.ListObjectsOptions {
	return minio.ListObjectsOptions{Prefix: prefix, Recursive: true}
}
