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

// decoded returns the body of an answer without its coding.
func (a answer) decoded(t *testing.T) string {
	t.Helper()
	var r io.Reader = strings.NewReader(a.body)
	var err error
	switch coding := a.header.Get("Content-Encoding"); coding {
	case "":
	case "br":
		r = brotli.NewReader(r)
	case "gzip":
		r, err = gzip.NewReader(r)
	case "zstd":
		r, err = zstd.NewReader(r)
	default:
		t.Fatalf("coding %q", coding)
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

func TestEveryCodingIsTheSameAnswerUnderATagOfItsOwn(t *testing.T) {
	s := published(t)
	for _, path := range []string{
		"/api/v2/codes",
		"/api/v2/schemas/" + stable + "/categories",
		"/api/v2/schemas/" + stable + "/elements?fields=all",
		"/api/v2/schemas/small@latest/elements/sound",
		"/api/v2/schemas/" + beta + "/elements?fields=all&query=sound",
	} {
		plain := s.get(path)
		tags := map[string]string{}
		for _, coding := range []string{"", "gzip", "zstd", "br"} {
			a := s.do("GET", path, "Accept-Encoding", coding)
			if a.header.Get("Content-Encoding") != coding || a.decoded(t) != plain.body {
				t.Errorf("%s in %q: sent as %q, %d bytes", path, coding, a.header.Get("Content-Encoding"), len(a.body))
			}
			if a.header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s in %q: Vary %q", path, coding, a.header.Get("Vary"))
			}
			tag := a.header.Get("ETag")
			if other, taken := tags[tag]; taken {
				t.Errorf("%s: %q and %q have the tag %s", path, coding, other, tag)
			}
			tags[tag] = coding

			again := s.do("GET", path, "Accept-Encoding", coding, "If-None-Match", tag)
			if again.status != http.StatusNotModified || again.header.Get("ETag") != tag || again.header.Get("Vary") == "" || again.body != "" {
				t.Errorf("%s in %q again: %d %v", path, coding, again.status, again.header)
			}
			head := s.do("HEAD", path, "Accept-Encoding", coding)
			for _, name := range []string{"Content-Length", "Content-Encoding", "ETag"} {
				if head.header.Get(name) != a.header.Get(name) {
					t.Errorf("HEAD %s in %q: %s is %q, want %q", path, coding, name, head.header.Get(name), a.header.Get(name))
				}
			}
		}
		for tag, coding := range tags {
			if coding == "gzip" {
				continue
			}
			if a := s.do("GET", path, "Accept-Encoding", "gzip", "If-None-Match", tag); a.status != 200 {
				t.Errorf("%s: whoever has %q is told that it has gzip", path, coding)
			}
		}
	}
}

func TestSmallAnswersAreSentAsTheyAre(t *testing.T) {
	s := published(t)
	a := s.do("GET", "/api/v2/shapes/circle.svg", "Accept-Encoding", "br, gzip")
	if len(a.body) >= 512 || a.header.Get("Content-Encoding") != "" || a.header.Get("Vary") != "" {
		t.Errorf("%d bytes: %v", len(a.body), a.header)
	}
	// An error is neither kept nor large.
	if a := s.do("GET", "/api/v2/nothing", "Accept-Encoding", "br, gzip"); a.header.Get("Content-Encoding") != "" {
		t.Errorf("an error: %v", a.header)
	}
}

func TestAnswersToDocumentsAreCodedToo(t *testing.T) {
	s := published(t)
	plain := s.post(stable+"/resolve", thin, "Accept-Encoding", "identity")
	if len(plain.body) < 512 {
		t.Fatalf("the answer is too small for this test: %s", plain.body)
	}
	a := s.post(stable+"/resolve", thin, "Accept-Encoding", "zstd")
	if a.header.Get("Content-Encoding") != "zstd" || a.decoded(t) != plain.body || a.header.Get("ETag") != "" || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", a.header)
	}
}
