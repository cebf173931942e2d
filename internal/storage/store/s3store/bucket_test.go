package s3store_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"placard/internal/storage/store"
	"placard/internal/storage/store/s3store"
)

func mustOpenBucket(t *testing.T, transport http.RoundTripper, maxSize int64) store.Objects {
	t.Helper()
	b, err := s3store.OpenObjectsWith("s3://www?region=x", transport, maxSize)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestLargeObjectWithoutASizeIsNotCut(t *testing.T) {
	setCredentials(t)
	const maxSize = 1 << 20
	size := maxSize
	withoutSize := roundTripper(func(r *http.Request) (*http.Response, error) {
		header := http.Header{"Etag": {`"a"`}, "Last-Modified": {time.Now().UTC().Format(http.TimeFormat)}}
		body := io.NopCloser(strings.NewReader(strings.Repeat("x", size)))
		return &http.Response{StatusCode: http.StatusOK, Header: header, ContentLength: -1, Body: body, Request: r}, nil
	})
	b := mustOpenBucket(t, withoutSize, maxSize)
	if data, err := b.Read(t.Context(), "export.json"); err != nil || len(data) != size {
		t.Errorf("got %d bytes (%v), want %d", len(data), err, size)
	}
	size++
	if data, err := b.Read(t.Context(), "export.json"); !isDamage(err) || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("got %d bytes (%v), want that the object is too large", len(data), err)
	}
}

func TestListsMayTakeLong(t *testing.T) {
	setCredentials(t)
	synctest.Test(t, func(t *testing.T) {
		const pages = 100
		page := 0
		slow := roundTripper(func(r *http.Request) (*http.Response, error) {
			time.Sleep(8 * time.Second) // less than a stalled request
			page++
			body := fmt.Sprintf("<ListBucketResult><Contents><Key>%d</Key></Contents><IsTruncated>%t</IsTruncated><NextContinuationToken>%d</NextContinuationToken></ListBucketResult>",
				page, page < pages, page)
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		})
		found := 0
		for _, err := range mustOpenBucket(t, slow, 1).List(t.Context(), "") {
			if err != nil {
				t.Fatalf("after %d objects: %v", found, err)
			}
			found++
		}
		if found != pages {
			t.Errorf("got %d objects, want %d", found, pages)
		}
	})
}
