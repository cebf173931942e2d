package main

import (
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"placard/internal/testenv"
)

func TestBucketScripts(t *testing.T) {
	bucket := newBucket(t)
	address, err := url.Parse(bucket)
	if err != nil {
		t.Fatal(err)
	}
	runScripts(t, "testdata/bucketscript", map[string]string{
		"STORE":                 bucket,
		"ENDPOINT":              address.Query().Get("endpoint"),
		"AWS_ACCESS_KEY_ID":     testenv.S3AccessKey,
		"AWS_SECRET_ACCESS_KEY": testenv.S3SecretKey,
	})
}

func TestStalledServerDoesNotBlockCompletion(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", testenv.S3AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", testenv.S3SecretKey)
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
