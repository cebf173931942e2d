package export_test

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"placard/internal/serve/export"
	"placard/internal/storage/store"
	_ "placard/internal/storage/store/s3store"
	"placard/scripts/envtest"
)

func setCredentials(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", envtest.S3AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", envtest.S3SecretKey)
}

func openBucket(t *testing.T, address string) export.Target {
	t.Helper()
	target, err := export.Bucket(address)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func TestBucketsAnswerLikeTheAPI(t *testing.T) {
	setCredentials(t)
	server := envtest.S3(t, "www")
	address := fmt.Sprintf("s3://www/copy?endpoint=http://%s&region=us-east-1", server.Addr)
	client, err := minio.New(server.Addr, &minio.Options{Creds: credentials.NewStaticV4(envtest.S3AccessKey, envtest.S3SecretKey, "")})
	if err != nil {
		t.Fatal(err)
	}
	err = client.SetBucketPolicy(t.Context(), "www",
		`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::www/*"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	c := api(t, 0)
	opts := options(t, c)
	report := mustExport(t, openBucket(t, address), opts)
	if report.Written != len(opts.Resources) || len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "index.json") {
		t.Errorf("got report %+v, want all resources and a note: the server keeps objects as files", report)
	}
	wantAnswers(t, "http://"+server.Addr+"/www/copy", opts, func(resource export.Resource) string {
		switch base := resource.Path[strings.LastIndexByte(resource.Path, '/')+1:]; {
		case resource.Query != "":
			return strings.TrimSuffix(resource.Path, base) + "lists/" + resource.Query + ".json"
		case slices.Contains([]string{"/api/v2/schemas", "/api/v2/schemas/{version}/elements", "/api/v2/schemas/{version}/elements/{element_id}"}, resource.Pattern):
			return resource.Path + "/index.json"
		default:
			return resource.Path
		}
	})
	checkBucketUpdates(t, address, options(t, c), options(t, c, beta))
}

// TestBucketsHaveTheNamesOfPages uses a server whose object names are plain strings, as
// those of AWS S3 and Cloudflare R2. No such server can be installed.
func TestBucketsHaveTheNamesOfPages(t *testing.T) {
	setCredentials(t)
	bucket := &plainBucket{objects: make(map[string]plainObject)}
	server := httptest.NewServer(bucket)
	defer server.Close()
	address := "s3://www?endpoint=" + server.URL + "&region=us-east-1"
	c := api(t, 0)
	opts := options(t, c)
	report := mustExport(t, openBucket(t, address), opts)
	if report.Written != len(opts.Resources) || report.Notes != nil {
		t.Errorf("got report %+v, want all resources and no notes", report)
	}
	wantAnswers(t, server.URL+"/www", opts, func(resource export.Resource) string {
		if resource.Query != "" {
			return strings.TrimSuffix(resource.Path, "elements") + "lists/" + resource.Query + ".json"
		}
		return resource.Path
	})
	if bucket.objects["api/v2/schemas/small@latest/manifest"].header.Get("X-Amz-Meta-Service-Content-Hash") == "" {
		t.Error("got no content hash in the metadata")
	}
	checkBucketUpdates(t, address, options(t, c), options(t, c, beta))
	if last := bucket.puts[len(bucket.puts)-2]; last != "api/v2/schemas" {
		t.Errorf("got %s before the index, want the list of versions", last)
	}
	for name := range bucket.objects {
		if strings.Contains(name, stable) || strings.HasPrefix(name, ".placard-") {
			t.Errorf("%s is left", name)
		}
	}
}

func TestLayoutOfABucketIsTestedOnce(t *testing.T) {
	setCredentials(t)
	bucket := &plainBucket{objects: make(map[string]plainObject)}
	server := httptest.NewServer(bucket)
	defer server.Close()
	address := "s3://www?endpoint=" + server.URL + "&region=us-east-1"
	opts := smallSite(http.StatusNotFound, map[string]string{"/api/a": "{}", "/api/a/b": "{}"}, "/api/a/b", "/api/a")

	bucket.objects["mine"] = plainObject{data: []byte("mine")}
	if _, err := export.Export(t.Context(), openBucket(t, address), opts); err == nil || !strings.Contains(err.Error(), "is not an export") || len(bucket.puts) > 0 {
		t.Errorf("a bucket with another object: got %v and writes of %v, want an error", err, bucket.puts)
	}
	delete(bucket.objects, "mine")

	// Some failures do not depend on the names of objects.
	bucket.refuse = func(method, key string) int {
		if method == http.MethodPut && strings.HasPrefix(key, ".placard-") && !strings.Contains(key, "/") {
			return http.StatusForbidden
		}
		return 0
	}
	if _, err := export.Export(t.Context(), openBucket(t, address), opts); err == nil || len(bucket.objects) > 0 {
		t.Errorf("without permissions: got %v and %d objects, want only an error", err, len(bucket.objects))
	}

	// An interrupted export leaves objects behind.
	bucket.refuse = func(method, _ string) int {
		if method == http.MethodDelete {
			return http.StatusForbidden
		}
		return 0
	}
	if _, err := export.Export(t.Context(), openBucket(t, address), opts); err == nil || len(bucket.objects) != 2 {
		t.Errorf("got %v and %d objects, want an error and two objects", err, len(bucket.objects))
	}
	bucket.refuse = nil
	mustExport(t, openBucket(t, address), opts)
	if got, want := slices.Sorted(maps.Keys(bucket.objects)), []string{"api/a", "api/a/b", "export.json"}; !slices.Equal(got, want) {
		t.Errorf("got objects %v, want %v", got, want)
	}

	bucket.puts = nil
	mustExport(t, openBucket(t, address), opts)
	if len(bucket.puts) > 0 {
		t.Errorf("an export without changes has written %v", bucket.puts)
	}
}

// wantAnswers compares the objects of a bucket with the responses of the API.
func wantAnswers(t *testing.T, url string, opts export.Options, key func(export.Resource) string) {
	t.Helper()
	want := live(t, opts)
	for _, resource := range opts.Resources {
		resp, err := http.Get(url + key(resource))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		w := want[resource.String()]
		if resp.StatusCode != http.StatusOK || string(body) != w.Body || resp.Header.Get("Content-Encoding") != "" ||
			resp.Header.Get("Content-Type") != w.Header["Content-Type"] || resp.Header.Get("Cache-Control") != w.Header["Cache-Control"] {
			t.Fatalf("%s: got status %d, header %v and %.100q, want %v", key(resource), resp.StatusCode, resp.Header, body, w)
		}
	}
}

// checkBucketUpdates exports to a bucket that has an export of all releases.
func checkBucketUpdates(t *testing.T, address string, all, fewer export.Options) {
	t.Helper()
	if report := mustExport(t, openBucket(t, address), all); report.Written != 0 || report.Removed != 0 {
		t.Errorf("got report %+v, want nothing written", report)
	}
	report := mustExport(t, openBucket(t, address), fewer)
	if report.Written != 1 || report.Removed != len(all.Resources)-len(fewer.Resources) {
		t.Errorf("got report %+v, want only the list of versions written and %d objects removed", report, len(all.Resources)-len(fewer.Resources))
	}
	bucket, err := store.OpenObjects(address)
	if err != nil {
		t.Fatal(err)
	}
	// A dry run names the same changes and makes none.
	for range 2 {
		dry := all
		dry.DryRun = true
		report := mustExport(t, openBucket(t, address), dry)
		if report.Written != 1+len(all.Resources)-len(fewer.Resources) || len(report.WrittenNames) != report.Written || report.Removed != 0 {
			t.Errorf("got report %+v, want the missing objects and the list of versions to be written", report)
		}
	}
	// A new export does not mix with objects that are not part of it.
	for _, name := range []string{"foreign/index.json", "foreign/.well-known/x"} {
		if err := bucket.Write(t.Context(), store.Object{Name: name, Data: []byte("mine")}); err != nil {
			t.Fatal(err)
		}
		dry := fewer
		dry.DryRun = true
		_, err := export.Export(t.Context(), openBucket(t, strings.Replace(address, "?", "/foreign?", 1)), dry)
		if (err != nil && strings.Contains(err.Error(), "is not an export")) != (name == "foreign/index.json") {
			t.Errorf("a prefix with %s: got error %v", name, err)
		}
		if err := bucket.Remove(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"index.html", "api/v2/mine"} {
		if err := bucket.Write(t.Context(), store.Object{Name: name, Data: []byte("mine")}); err != nil {
			t.Fatal(err)
		}
		_, err := export.Export(t.Context(), openBucket(t, address), all)
		// Objects beside the export are not its concern.
		if (err != nil && strings.Contains(err.Error(), "is not part of the export")) != (name == "api/v2/mine") {
			t.Errorf("a bucket with %s: got error %v", name, err)
		}
		mustExport(t, openBucket(t, strings.Replace(address, "?", "/other?", 1)), fewer)
		if err := bucket.Remove(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	mustExport(t, openBucket(t, address), fewer)
}

// plainBucket is an S3 server with one bucket in memory.
type plainBucket struct {
	mu      sync.Mutex
	objects map[string]plainObject
	puts    []string // the keys in the order of their uploads
	// refuse returns the status with which a request is refused, or 0. It may be nil.
	refuse func(method, key string) int
}

type plainObject struct {
	header http.Header
	data   []byte
}

func (o plainObject) etag() string {
	sum := md5.Sum(o.data)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

func (b *plainBucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/www"), "/")
	o, exists := b.objects[key]
	status := 0
	if b.refuse != nil {
		status = b.refuse(r.Method, key)
	}
	switch {
	case status != 0:
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<Error><Code>Refused</Code></Error>")
	case r.Method == http.MethodGet && key == "":
		b.list(w, r.URL.Query().Get("prefix"))
	case r.Method == http.MethodPut:
		data, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		o = plainObject{r.Header, data}
		b.objects[key] = o
		b.puts = append(b.puts, key)
		w.Header().Set("ETag", o.etag())
	case r.Method == http.MethodDelete:
		delete(b.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case !exists:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<Error><Code>NoSuchKey</Code></Error>")
	default:
		for name, values := range o.header {
			if name == "Content-Type" || name == "Cache-Control" || strings.HasPrefix(name, "X-Amz-Meta-") {
				w.Header()[name] = values
			}
		}
		w.Header().Set("ETag", o.etag())
		w.Header().Set("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
		_, _ = w.Write(o.data)
	}
}

func (b *plainBucket) list(w http.ResponseWriter, prefix string) {
	type content struct {
		Key          string
		ETag         string
		Size         int
		LastModified string
	}
	var result struct {
		XMLName  xml.Name `xml:"ListBucketResult"`
		Contents []content
	}
	for _, key := range slices.Sorted(maps.Keys(b.objects)) {
		if strings.HasPrefix(key, prefix) {
			result.Contents = append(result.Contents, content{key, b.objects[key].etag(), len(b.objects[key].data), "2026-01-01T00:00:00Z"})
		}
	}
	_ = xml.NewEncoder(w).Encode(result)
}
