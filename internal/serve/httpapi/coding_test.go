package httpapi_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// decoded returns the decompressed body of a response.
func (resp response) decoded(t *testing.T) string {
	t.Helper()
	var r io.Reader = strings.NewReader(resp.body)
	var err error
	switch coding := resp.header.Get("Content-Encoding"); coding {
	case "":
	case "br":
		r = brotli.NewReader(r)
	case "gzip":
		r, err = gzip.NewReader(r)
	case "zstd":
		r, err = zstd.NewReader(r)
	default:
		t.Fatalf("unknown Content-Encoding %q", coding)
	}
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := out.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestContentCodings(t *testing.T) {
	s := published(t)
	for _, path := range []string{
		"/api/v2/codes",
		"/api/v2/schemas/" + stable + "/categories",
		"/api/v2/schemas/" + stable + "/elements?fields=all",
		"/api/v2/schemas/small@latest/elements/sound",
		"/api/v2/schemas/" + beta + "/elements?fields=all&query=sound",
	} {
		identity := s.get(path)
		tags := map[string]string{}
		for _, coding := range []string{"", "gzip", "zstd", "br"} {
			resp := s.do("GET", path, "Accept-Encoding", coding)
			if resp.header.Get("Content-Encoding") != coding || resp.decoded(t) != identity.body {
				t.Errorf("%s with Accept-Encoding %q: got Content-Encoding %q, %d bytes, want the same body in that coding", path, coding, resp.header.Get("Content-Encoding"), len(resp.body))
			}
			if resp.header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s with Accept-Encoding %q: got Vary %q, want Accept-Encoding", path, coding, resp.header.Get("Vary"))
			}
			tag := resp.header.Get("ETag")
			if other, taken := tags[tag]; taken {
				t.Errorf("%s: codings %q and %q have the same ETag %s", path, coding, other, tag)
			}
			tags[tag] = coding

			revalidated := s.do("GET", path, "Accept-Encoding", coding, "If-None-Match", tag)
			if revalidated.status != http.StatusNotModified || revalidated.header.Get("ETag") != tag || revalidated.header.Get("Vary") == "" || revalidated.body != "" {
				t.Errorf("%s with Accept-Encoding %q and its ETag: got status %d, headers %v, want 304", path, coding, revalidated.status, revalidated.header)
			}
			head := s.do("HEAD", path, "Accept-Encoding", coding)
			for _, name := range []string{"Content-Length", "Content-Encoding", "ETag"} {
				if head.header.Get(name) != resp.header.Get(name) {
					t.Errorf("HEAD %s with Accept-Encoding %q: got %s %q, want %q", path, coding, name, head.header.Get(name), resp.header.Get(name))
				}
			}
		}
		for tag, coding := range tags {
			if resp := s.do("GET", path, "Accept-Encoding", "gzip", "If-None-Match", tag); resp.status != http.StatusNotModified || resp.header.Get("ETag") != tag {
				t.Errorf("%s: got status %d for a client that has the body in coding %q, want 304", path, resp.status, coding)
			}
		}
	}
}

func TestSmallResponsesAreNotCompressed(t *testing.T) {
	s := published(t)
	resp := s.do("GET", "/api/v2/shapes/circle.svg", "Accept-Encoding", "br, gzip")
	if len(resp.body) >= 512 || resp.header.Get("Content-Encoding") != "" || resp.header.Get("Vary") != "" {
		t.Errorf("%d bytes: got headers %v, want no Content-Encoding and no Vary", len(resp.body), resp.header)
	}
	if resp := s.do("GET", "/api/v2/nothing", "Accept-Encoding", "br, gzip"); resp.header.Get("Content-Encoding") != "" {
		t.Errorf("an error: got headers %v, want no Content-Encoding", resp.header)
	}
}

func TestDocumentResponsesAreCompressed(t *testing.T) {
	s := published(t)
	identity := s.post(stable+"/resolve", thin, "Accept-Encoding", "identity")
	if len(identity.body) < 512 {
		t.Fatalf("the response is too small for this test: %s", identity.body)
	}
	resp := s.post(stable+"/resolve", thin, "Accept-Encoding", "zstd")
	if resp.header.Get("Content-Encoding") != "zstd" || resp.decoded(t) != identity.body || resp.header.Get("ETag") != "" || resp.header.Get("Cache-Control") != "no-store" {
		t.Errorf("got headers %v, want the same body in zstd, no-store and no ETag", resp.header)
	}
}
