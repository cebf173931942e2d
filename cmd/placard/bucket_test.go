package main

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"placard/internal/core/release"
	"placard/internal/storage/store"
	"placard/scripts/envtest"
)

func TestBucketScripts(t *testing.T) {
	bucket := newBucket(t)
	runScripts(t, "testdata/bucketscript", map[string]string{
		"STORE":                 bucket,
		"ENDPOINT":              endpointOf(t, bucket),
		"AWS_ACCESS_KEY_ID":     envtest.S3AccessKey,
		"AWS_SECRET_ACCESS_KEY": envtest.S3SecretKey,
	})
}

// endpointOf returns the endpoint in the address of a bucket.
func endpointOf(t *testing.T, bucket string) string {
	t.Helper()
	address, err := url.Parse(bucket)
	if err != nil {
		t.Fatal(err)
	}
	return address.Query().Get("endpoint")
}

func TestUnknownOutcomeNamesItsCause(t *testing.T) {
	c := &change{changeFlags: changeFlags{store: "s3://releases"}}
	damage := &release.DamageError{File: "journal/00000002-0123456789abcdef.json", Err: errors.New("it is missing")}
	err := c.failed(&store.OutcomeUnknownError{Err: damage})
	p := problemOf(err)
	if !strings.HasPrefix(p.Message, damage.File+" is damaged: it is missing. It is not known") || !strings.Contains(p.FixHint, "placard history") {
		t.Errorf("got %q and hint %q, want the damage and the command that shows the last change", p.Message, p.FixHint)
	}
}

func TestStalledServerDoesNotBlockCompletion(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", envtest.S3AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", envtest.S3SecretKey)
	listener, err := net.Listen("tcp", "127.0.0.1:0") // never accepts
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	s := &steward{t: t, store: "s3://releases?endpoint=http://" + listener.Addr().String()}
	// A request is given up after ten seconds.
	start := time.Now()
	if got := s.run(exitOK, "__complete", "show", "--store", s.store, "place@"); strings.Contains(got, "place") {
		t.Errorf("got %q, want no completions", got)
	}
	if took := time.Since(start); took > 8*time.Second {
		t.Errorf("completion took %v", took)
	}
}

// checkPolicy grants the documented permissions of a publisher to everyone, and changes
// a store in the bucket without credentials.
func checkPolicy(t *testing.T, statements []map[string]any) {
	t.Helper()
	bucket := newBucket(t)
	for _, statement := range statements {
		statement["Principal"] = "*"
	}
	policy, err := json.Marshal(map[string]any{"Version": "2012-10-17", "Statement": statements})
	if err != nil {
		t.Fatal(err)
	}
	client, err := minio.New(strings.TrimPrefix(endpointOf(t, bucket), "http://"),
		&minio.Options{Creds: credentials.NewStaticV4(envtest.S3AccessKey, envtest.S3SecretKey, "")})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.SetBucketPolicy(t.Context(), "releases", string(policy)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("HOME", t.TempDir())
	s := &steward{t: t, store: bucket}
	s.run(exitOK, "publish", "../../docs/example", "--store", bucket)
	s.run(exitOK, "retire", "library@2026-09-01-beta", "--store", bucket)
	s.run(exitOK, "prune", "--older-than", "0d", "--yes", "--store", bucket)
	s.run(exitOK, "verify", "--store", bucket)
}
