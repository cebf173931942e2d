package httpapi_test

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/storage/store/storetest"
)

// large is a release whose icons are too large for a pack.
const large = "large@2026-01-02-stable"

// publishLarge publishes a release with many copies of a large symbol.
func (s *service) publishLarge() {
	s.t.Helper()
	var ids []string
	for i := range 20 {
		ids = append(ids, fmt.Sprintf("element_%d", i))
	}
	tax := releasetest.Taxonomy(s.t, large, ids...)
	tax.Symbols["box"] = []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><path d="M9 9` + strings.Repeat("h18v18", 10_000) + `"/></svg>`)
	r, err := release.Compile(tax)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := storetest.Publish(s.t.Context(), s.store, r); err != nil {
		s.t.Fatal(err)
	}
	s.refresh()
}

// archive returns the files of a zip archive.
func (resp response) archive(t *testing.T) map[string]string {
	t.Helper()
	if resp.status != http.StatusOK {
		t.Fatalf("got status %d: %s", resp.status, resp.body)
	}
	archive, err := zip.NewReader(strings.NewReader(resp.body), int64(len(resp.body)))
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(content)
	}
	return files
}

func TestIconPackContainsTheServedIcons(t *testing.T) {
	s := published(t)
	v := "/api/v2/schemas/" + stable
	files := s.get(v + "/icons.zip").archive(t)
	for name, path := range map[string]string{
		"icons/sound.default.svg":   v + "/elements/sound/icon.svg",
		"icons/sound.loud.svg":      v + "/elements/sound/icon.loud.svg",
		"icons/pictures.coarse.svg": v + "/elements/pictures/icon.coarse.svg",
		"symbols/box.svg":           v + "/symbols/box.svg",
	} {
		if files[name] != s.get(path).body {
			t.Errorf("%s: got %q, want the body of %s", name, files[name], path)
		}
	}
	if len(files) != 13 || files["index.html"] == "" || files["index.json"] == "" {
		t.Errorf("got %d files, want 9 icons, 2 symbols, a page and an index", len(files))
	}
}

func TestIconPackIsNotCompressedAgain(t *testing.T) {
	s := published(t)
	path := "/api/v2/schemas/" + stable + "/icons.zip"
	want := s.get(path)
	for _, coding := range []string{"gzip", "br, zstd;q=0.5", "*", "identity;q=0"} {
		got := s.do("GET", path, "Accept-Encoding", coding)
		if got.body != want.body || got.header.Get("Content-Encoding") != "" || got.header.Get("Vary") != "" || got.header.Get("ETag") != want.header.Get("ETag") {
			t.Errorf("Accept-Encoding %s: got %d bytes and headers %v, want the same body without a coding", coding, len(got.body), got.header)
		}
	}
	head := s.do("HEAD", path)
	if head.status != http.StatusOK || head.body != "" || head.header.Get("Content-Length") != fmt.Sprint(len(want.body)) || head.header.Get("Content-Type") != "application/zip" {
		t.Errorf("HEAD: got status %d and headers %v, want those of GET", head.status, head.header)
	}
}

func TestIconPacksAreCachedLikeManifests(t *testing.T) {
	s := published(t)
	for _, version := range []string{stable, beta, "small@latest", "small@beta"} {
		manifest, pack := s.get("/api/v2/schemas/"+version+"/manifest"), s.get("/api/v2/schemas/"+version+"/icons.zip")
		for _, name := range []string{"Cache-Control", "Service-Content-Hash"} {
			if got, want := pack.header.Get(name), manifest.header.Get(name); got != want {
				t.Errorf("%s: got %s %q, want %q", version, name, got, want)
			}
		}
		if got := s.do("GET", "/api/v2/schemas/"+version+"/icons.zip", "If-None-Match", `"other", W/`+pack.header.Get("ETag")); got.status != http.StatusNotModified || got.body != "" {
			t.Errorf("%s with If-None-Match: got status %d, want 304", version, got.status)
		}
	}
	// A server that has not written the pack knows its ETag.
	etag := s.get("/api/v2/schemas/" + stable + "/icons.zip").header.Get("ETag")
	if got := published(t).do("GET", "/api/v2/schemas/"+stable+"/icons.zip", "If-None-Match", etag); got.status != http.StatusNotModified {
		t.Errorf("another server with If-None-Match: got status %d, want 304", got.status)
	}
}

func TestConcurrentRequestsGetTheSameIconPack(t *testing.T) {
	s := published(t)
	bodies := make([]string, 16)
	var group sync.WaitGroup
	for i := range bodies {
		group.Go(func() { bodies[i] = s.get("/api/v2/schemas/" + stable + "/icons.zip").body })
	}
	group.Wait()
	other := published(t).get("/api/v2/schemas/" + stable + "/icons.zip").body
	for i, body := range bodies {
		if body != other {
			t.Errorf("request %d: got %d bytes that differ from those of another server", i, len(body))
		}
	}
}

func TestTooLargeIconPacksAreRefused(t *testing.T) {
	s := published(t)
	s.publishLarge()
	got := s.get("/api/v2/schemas/" + large + "/icons.zip").failure(t)
	if got.Code != "payload_too_large" || !strings.Contains(got.FixHint, "placard icons") {
		t.Errorf("got %v, want payload_too_large with a hint about the command", got)
	}
}
